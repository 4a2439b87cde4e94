"""Arrays joined, stacked and cut into parts."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import (
    ARRAYS,
    as_type,
    axis_of,
    integer,
    unsupported,
    value,
    values,
    with_dtype,
)
from functape.numpy.shapes import atleast_1d, atleast_2d, atleast_3d, ravel
from functape.ops import movement as ops
from functape.ops.movement import along

# --- joining ------------------------------------------------------------------------------------


def concatenate(arrays, axis=0, dtype=None):
    """Arrays joined along an axis; along all elements in a row if axis is None.

    Args:
      arrays: a sequence of arrays.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.concatenate([ft.numpy.array([1.0]), ft.numpy.array([2.0, 3.0])])
    tensor([1., 2., 3.])
    """
    return join("concatenate", arrays, axis, dtype)


def join(name, arrays, axis, dtype=None):
    found = values(arrays, name)
    if axis is None:
        found, axis = [ravel(a) for a in found], 0
    n = len(found[0].shape)
    if n == 0:
        raise ShapeError(f"{name}: array 0 is a scalar, which has no axis to join along. Use "
                         "stack.")
    axis = axis_of(axis, n, name)
    for i, a in enumerate(found):
        if len(a.shape) != n or any(
            p != q for k, (p, q) in enumerate(zip(a.shape, found[0].shape, strict=True))
            if k != axis
        ):
            raise ShapeError(f"{name}: array 0 is {describe(found[0])}, but array {i} is "
                             f"{describe(a)}. They may differ along axis {axis} only.")
    joined = ops.concatenate(*found, axis=axis)
    return joined if dtype is None else as_type(joined, dtypes.as_dtype(dtype, name))


def concat(arrays, /, *, axis=0):
    """Arrays joined along an axis: concatenate, by the array API's name.

    Args:
      arrays: a sequence of arrays.

    >>> import functape as ft
    >>> ft.numpy.concat([ft.numpy.array([1.0]), ft.numpy.array([2.0])])
    tensor([1., 2.])
    """
    return join("concat", arrays, axis)


def stack(arrays, axis=0, out=None, dtype=None):
    """Arrays of one shape, stacked along a new axis.

    Args:
      arrays: a sequence of arrays.
      out: not supported: arrays are not written into; use the result.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.stack([ft.numpy.array([1, 2]), ft.numpy.array([3, 4])], axis=1)
    tensor([[1, 3],
            [2, 4]], dtype=int32)
    """
    unsupported("stack", out=out)
    found = values(arrays, "stack")
    for i, a in enumerate(found):
        if a.shape != found[0].shape:
            raise ShapeError(f"stack: array 0 is {describe(found[0])}, but array {i} is "
                             f"{describe(a)}. All must have one shape.")
    axis = axis_of(axis, len(found[0].shape) + 1, "stack")
    stacked = ops.stack(*found, axis=axis)
    return stacked if dtype is None else as_type(stacked, dtypes.as_dtype(dtype, "stack"))


def vstack(tup, dtype=None):
    """Arrays joined along axis 0; those of one axis are rows.

    Args:
      tup: a sequence of arrays.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.vstack([ft.numpy.array([1, 2]), ft.numpy.array([3, 4])])
    tensor([[1, 2],
            [3, 4]], dtype=int32)
    """
    return join("vstack", [atleast_2d(a) for a in each(tup, "vstack")], 0, dtype)


def hstack(tup, dtype=None):
    """Arrays joined along axis 1; along axis 0 if they have one axis.

    Args:
      tup: a sequence of arrays.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.hstack([ft.numpy.array([1, 2]), ft.numpy.array([3])])
    tensor([1, 2, 3], dtype=int32)
    """
    found = [atleast_1d(a) for a in each(tup, "hstack")]
    return join("hstack", found, 0 if found and len(found[0].shape) == 1 else 1, dtype)


def dstack(tup, dtype=None):
    """Arrays joined along axis 2.

    Args:
      tup: a sequence of arrays.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.dstack([ft.numpy.ones(3), ft.numpy.ones(3)]).shape
    (1, 3, 2)
    """
    return join("dstack", [atleast_3d(a) for a in each(tup, "dstack")], 2, dtype)


def column_stack(tup):
    """Arrays joined along axis 1; those of one axis are columns.

    Args:
      tup: a sequence of arrays.

    >>> import functape as ft
    >>> ft.numpy.column_stack([ft.numpy.array([1, 2]), ft.numpy.array([3, 4])])
    tensor([[1, 3],
            [2, 4]], dtype=int32)
    """
    found = each(tup, "column_stack")
    return join("column_stack", [a if len(a.shape) > 1 else ops.reshape(a, shape=(*a.shape, 1)[-2:]
                                 if a.shape else (1, 1)) for a in found], 1)


def each(arrays, name):
    """A sequence of arrays as values, each of its own dtype."""
    if not isinstance(arrays, (list, tuple, *ARRAYS)):
        raise ArgumentError(f"{name} takes a list or tuple of arrays, but got {describe(arrays)}.")
    return values(arrays, name) if len(arrays) else []


def append(arr, values, axis=None):
    """Values joined to the end of an array; both in a row if axis is None.

    Args:
      values: array; besides `axis`, of the lengths of `arr`.

    >>> import functape as ft
    >>> ft.numpy.append(ft.numpy.array([1, 2]), 3)
    tensor([1, 2, 3], dtype=int32)
    """
    return join("append", [value(arr, "append"), values], axis)


def block(arrays):
    """An array put together from nested lists of blocks, the innermost along the last axis.

    Args:
      arrays: arrays in nested lists.

    >>> import functape as ft
    >>> ft.numpy.block([[ft.numpy.ones((2, 2)), ft.numpy.zeros((2, 1))]]).shape
    (2, 3)
    """
    depth, inner = 0, arrays
    while isinstance(inner, list):
        if not inner:
            raise ShapeError("block: a list is empty; each must hold an array or a list.")
        depth, inner = depth + 1, inner[0]
    leaves = flat_leaves(arrays)
    dtype = dtypes.result_type(*leaves)
    ndim = max([depth, *[len(getattr(a, "shape", ())) for a in leaves]])
    return assemble(arrays, ndim, depth, dtype)


def flat_leaves(a):
    if isinstance(a, list):
        return [x for b in a for x in flat_leaves(b)]
    return [a if isinstance(a, dtypes.WEAK) else value(a, "block")]


def assemble(a, ndim, depth, dtype):
    if isinstance(a, list):
        return join("block", [assemble(b, ndim, depth - 1, dtype) for b in a], -depth)
    a = with_dtype(a, dtype)
    return ops.reshape(a, shape=(*(1,) * (ndim - len(a.shape)), *a.shape))


# --- splitting ----------------------------------------------------------------------------------


def split(ary, indices_or_sections, axis=0):
    """An array cut into equal parts, or at the given positions; a list.

    Args:
      ary: array.
      indices_or_sections: the number of parts, or the positions at which to cut.
      axis: the axis along which; negative ones count from the end.

    >>> import functape as ft
    >>> ft.numpy.split(ft.numpy.arange(4), 2)
    [tensor([0, 1], dtype=int32), tensor([2, 3], dtype=int32)]
    """
    return cut_up("split", ary, indices_or_sections, axis, even=True)


def array_split(ary, indices_or_sections, axis=0):
    """Like split, but parts may differ in length by one.

    Args:
      ary: array.
      indices_or_sections: the number of parts, or the positions at which to cut.
      axis: the axis along which; negative ones count from the end.

    >>> import functape as ft
    >>> [len(a) for a in ft.numpy.array_split(ft.numpy.arange(5), 2)]
    [3, 2]
    """
    return cut_up("array_split", ary, indices_or_sections, axis, even=False)


def cut_up(name, ary, where, axis, even):
    ary = value(ary, name)
    axis = axis_of(axis, len(ary.shape), name)
    n = ary.shape[axis]
    if isinstance(where, (list, tuple, np.ndarray)) or getattr(where, "shape", ()):
        ends = [n + p if p < 0 else p for p in np.asarray(where).tolist()]
        at = [min(max(p, 0), n) for p in ends]
    else:
        parts = integer(where, name, "the number of parts")
        if parts < 1 or (even and n % parts):
            raise ShapeError(f"{name}: axis {axis} of {describe(ary)} has length {n}, which does "
                             f"not divide into {parts} equal parts. Use array_split, or give "
                             "positions.")
        size, longer = divmod(n, parts)
        at = [size * i + min(i, longer) for i in range(1, parts)]
    if any(p > q for p, q in zip(at, at[1:], strict=False)):
        bounds = zip([0, *at], [*at, n], strict=True)
        return [ops.cut(ary, index=along(axis, slice(p, max(p, q)))) for p, q in bounds]
    if not at:
        return [ary]
    return list(ops.split(ary, at=tuple(at), axis=axis))


def vsplit(ary, indices_or_sections):
    """split along axis 0.

    Args:
      ary: array.
      indices_or_sections: the number of parts, or the positions at which to cut.

    >>> import functape as ft
    >>> [a.shape for a in ft.numpy.vsplit(ft.numpy.ones((4, 2)), 2)]
    [(2, 2), (2, 2)]
    """
    return cut_up("vsplit", ary, indices_or_sections, 0, even=True)


def hsplit(ary, indices_or_sections):
    """split along axis 1; along axis 0 of an array with one axis.

    Args:
      ary: array.
      indices_or_sections: the number of parts, or the positions at which to cut.

    >>> import functape as ft
    >>> [a.shape for a in ft.numpy.hsplit(ft.numpy.ones((4, 2)), 2)]
    [(4, 1), (4, 1)]
    """
    ary = value(ary, "hsplit")
    return cut_up("hsplit", ary, indices_or_sections, int(len(ary.shape) > 1), even=True)


def dsplit(ary, indices_or_sections):
    """split along axis 2.

    Args:
      ary: array.
      indices_or_sections: the number of parts, or the positions at which to cut.

    >>> import functape as ft
    >>> [a.shape for a in ft.numpy.dsplit(ft.numpy.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    return cut_up("dsplit", ary, indices_or_sections, 2, even=True)


def unstack(x, /, *, axis=0):
    """The slices of an array along an axis; a tuple.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.numpy.unstack(ft.numpy.array([[1, 2], [3, 4]]))
    (tensor([1, 2], dtype=int32), tensor([3, 4], dtype=int32))
    """
    x = value(x, "unstack")
    axis = axis_of(axis, len(x.shape), "unstack")
    return tuple(ops.cut(x, index=along(axis, i)) for i in range(x.shape[axis]))
