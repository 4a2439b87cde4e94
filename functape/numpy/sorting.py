"""Orders: sort, argsort, partition, top_k, lexsort."""

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import ARRAYS, as_type, axis_of, integer, size_of, unsupported, value
from functape.ops import elementwise, indexing, movement
from functape.ops import sorting as ops
from functape.pairs import is_complex


def sort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    """The elements in ascending order along an axis; NaN counts as the largest.

    The derivative follows the elements to their places; of equal ones, the first stays first.

    Args:
      a: array.
      axis: integer; None for all elements in a row.
      kind, order: not supported.
      stable: equal elements stay in order; they always do.
      descending: the largest first.

    >>> import functape as ft
    >>> sort(ft.numpy.array([3.0, 1.0, 2.0]))
    tensor([1., 2., 3.])
    """
    unsupported("sort", kind=kind, order=order)
    x, axis = lane("sort", a, axis)
    found = ops.argsort(x, axis=axis, descending=bool(descending))
    return indexing.take_along_axis(x, found, axis=axis)


def argsort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    """The indices that sort an array along an axis. Arguments as for `sort`.

    >>> import functape as ft
    >>> argsort(ft.numpy.array([3.0, 1.0, 2.0]))
    tensor([1, 2, 0], dtype=int32)
    """
    unsupported("argsort", kind=kind, order=order)
    x, axis = lane("argsort", a, axis)
    return ops.argsort(x, axis=axis, descending=bool(descending))


def lane(name, a, axis):
    """Array and axis; with None, all elements in a row."""
    x = value(a, name)
    if axis is None:
        return movement.reshape(x, shape=(size_of(x.shape),)), 0
    return x, axis_of(axis, len(x.shape), name)


def argpartition(a, kth, axis=-1):
    """Indices that put the element that is kth in order into place kth, smaller ones before it.

    Args:
      a: array.
      axis: the axis along which; negative ones count from the end.

    >>> import functape as ft
    >>> int(argpartition(ft.numpy.array([3.0, 1.0, 2.0]), 0)[0])
    1
    """
    x, axis = lane("argpartition", a, axis)
    kth, n = integer(kth, "argpartition", "kth"), x.shape[axis]
    if not -n <= kth < n:
        raise ShapeError(f"argpartition: kth is {kth}, but axis {axis} of {describe(x)} has {n} "
                         f"entries; choose one of {-n} to {n - 1}.")
    return ops.argpartition(x, kth=kth % n, axis=axis)


def partition(a, kth, axis=-1):
    """The elements with the one that is kth in order in place kth, smaller ones before it.

    Args:
      a: array.
      axis: the axis along which; negative ones count from the end.

    >>> import functape as ft
    >>> float(partition(ft.numpy.array([3.0, 1.0, 2.0]), 1)[1])
    2.0
    """
    x, axis = lane("partition", a, axis)
    return indexing.take_along_axis(x, argpartition(x, kth, axis), axis=axis)


def top_k(operand, k, *, axis=-1):
    """The k largest elements along an axis, the largest first, and their indices.

    Args:
      operand: array.

    >>> import functape as ft
    >>> top_k(ft.numpy.array([3.0, 1.0, 2.0]), 2)
    (tensor([3., 2.]), tensor([0, 2], dtype=int32))
    """
    x, axis = lane("top_k", operand, axis)
    k, n = integer(k, "top_k", "k"), x.shape[axis]
    if not 0 <= k <= n:
        raise ShapeError(f"top_k: k is {k}, but axis {axis} of {describe(x)} has {n} entries; "
                         f"choose one of 0 to {n}.")
    order = ops.argsort(x, axis=axis, descending=True)
    first = movement.cut(order, index=movement.along(axis, slice(0, k)))
    return indexing.take_along_axis(x, first, axis=axis), first


def lexsort(keys, axis=-1):
    """The indices that sort by several keys: by the last of them first.

    Args:
      axis: the axis along which; negative ones count from the end.

    >>> import functape as ft
    >>> lexsort((ft.numpy.array([1, 0, 1]), ft.numpy.array([5, 5, 2])))
    tensor([2, 1, 0], dtype=int32)
    """
    if not isinstance(keys, (list, tuple, *ARRAYS)):
        raise ArgumentError(f"lexsort takes a list or tuple of keys, but got {describe(keys)}.")
    found = [value(k, "lexsort", i) for i, k in enumerate(keys)]
    if not found:
        raise ShapeError("lexsort needs at least one key, but got none.")
    axis = axis_of(axis, len(found[0].shape), "lexsort")
    order = ops.argsort(found[0], axis=axis, descending=False)
    for key in found[1:]:
        sorted_key = indexing.take_along_axis(key, order, axis=axis)
        finer = ops.argsort(sorted_key, axis=axis, descending=False)
        order = indexing.take_along_axis(order, finer, axis=axis)
    return order


def sort_complex(a):
    """Complex numbers by their real parts, and where these are equal, by their imaginary parts.

    Args:
      a: array.

    >>> import functape as ft
    >>> sort_complex(ft.numpy.array([2.0, 1.0 + 1j, 1.0])).imag
    tensor([0., 1., 0.])
    """
    x = value(a, "sort_complex")
    if not is_complex(x):
        return as_type(sort(x), dtypes.result_type(x, dtypes.complex64))
    order = lexsort((elementwise.imag(x), elementwise.real(x)))
    return indexing.take_along_axis(x, order, axis=len(x.shape) - 1)
