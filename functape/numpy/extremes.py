"""The largest and smallest elements over axes, and where they are."""

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, axes_of, axis_of, size_of, unsupported, value
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.reductions import masked
from functape.ops import elementwise, families, movement
from functape.ops import reductions as ops


def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):  # noqa: A001
    """The largest element over axes; equal ones share the derivative evenly.

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      out: not supported.
      keepdims: keep the reduced axes, with length 1.
      initial: the result is at least this; needed where there are no elements.
      where: a mask of the elements that count; needs `initial`.

    >>> import functape as ft
    >>> ft.grad(ft.numpy.max)(ft.numpy.array([1.0, 3.0, 3.0]))
    tensor([0. , 0.5, 0.5])
    """
    unsupported("max", out=out)
    return extreme("max", ops.maximum_of, elementwise.maximum, a, axis, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):  # noqa: A001
    """The smallest element over axes; arguments as for max.

    >>> import functape as ft
    >>> ft.numpy.min(ft.numpy.array([[4, 2], [1, 3]]), axis=1)
    tensor([2, 1], dtype=int32)
    """
    unsupported("min", out=out)
    return extreme("min", ops.minimum_of, elementwise.minimum, a, axis, keepdims, initial, where)


def extreme(name, op, pair, a, axis, keepdims, initial, where):
    a = value(a, name)
    axes = axes_of(axis, len(a.shape), name)
    if where is not None:
        if initial is None:
            raise ArgumentError(f"{name} with where= needs initial=, the result where the mask "
                                "leaves no element.")
        a = masked(name, a, where, initial)
    if 0 in [a.shape[i] for i in axes]:
        if initial is None:
            raise ShapeError(f"{name}: {describe(a)} has no elements along axis {axes}, so there "
                             "is none to return. Give initial=, the result of none.")
        shape = families.total(a, axis=axes, keepdims=keepdims).shape
        return broadcast_to(as_type(value(initial, name), a.dtype), shape)
    found = op(a, axis=axes, keepdims=keepdims) if axes else a
    return found if initial is None else pair(found, initial)


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest minus the smallest element over axes.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.ptp(ft.numpy.array([4.0, 1.0, 3.0]))
    tensor(3.)
    """
    unsupported("ptp", out=out)
    a = value(a, "ptp")
    axis = axes_of(axis, len(a.shape), "ptp")
    return max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)


def argmax(a, axis=None, out=None, keepdims=None):
    """The position of the first largest element, along an axis or among all in a row.

    Args:
      a: array.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.argmax(ft.numpy.array([1.0, 3.0, 3.0]))
    tensor(1, dtype=int32)
    """
    unsupported("argmax", out=out)
    return position("argmax", ops.argmax, a, axis, keepdims)


def argmin(a, axis=None, out=None, keepdims=None):
    """The position of the first smallest element, along an axis or among all in a row.

    Args:
      a: array.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.argmin(ft.numpy.array([3.0, 1.0, 1.0]))
    tensor(1, dtype=int32)
    """
    unsupported("argmin", out=out)
    return position("argmin", ops.argmin, a, axis, keepdims)


def position(name, op, a, axis, keepdims):
    a = value(a, name)
    ndim = len(a.shape)
    if (size_of(a.shape) if axis is None else a.shape[axis_of(axis, ndim, name)]) == 0:
        raise ShapeError(f"{name}: {describe(a)} has no elements to choose from along axis "
                         f"{axis}.")
    if axis is None:
        found = op(movement.reshape(a, shape=(size_of(a.shape),)), axis=0, keepdims=False)
        return movement.reshape(found, shape=(1,) * ndim) if keepdims else found
    return op(a, axis=axis_of(axis, ndim, name), keepdims=bool(keepdims))
