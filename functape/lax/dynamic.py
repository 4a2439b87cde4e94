"""Slices at places that are themselves arrays, which a traced or mapped function may compute.

As with JAX, a block that would reach beyond the array is moved inside.
"""

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, axis_of, shape_of, value
from functape.ops import elementwise as ops
from functape.ops import movement
from functape.ops.slicing import block, overwrite_block
from functape.tensor import constant


def dynamic_slice(operand, start_indices, slice_sizes, *, allow_negative_indices=True):
    """The block of given sizes that starts at computed indices.

    Args:
      operand: array.
      start_indices: an integer, known or computed, for each axis; negative counts from the end.
      slice_sizes: the sizes of the block.
      allow_negative_indices: if False, negative indices are taken as 0.

    >>> import functape as ft
    >>> ft.lax.dynamic_slice(ft.numpy.arange(5), (ft.numpy.array(3),), (3,))
    tensor([2, 3, 4], dtype=int32)
    """
    x, sizes = value(operand, "dynamic_slice"), shape_of(slice_sizes, "dynamic_slice")
    check_fit("dynamic_slice", x, sizes)
    start = start_of("dynamic_slice", start_indices, x, sizes, allow_negative_indices)
    return block(x, start, sizes=sizes) if sizes else x


def dynamic_update_slice(operand, update, start_indices, *, allow_negative_indices=True):
    """The array with a block that starts at computed indices replaced by `update`.

    Args:
      operand: array.
      start_indices: an integer for each axis.
      allow_negative_indices: if False, negative indices are taken as 0.

    >>> import functape as ft
    >>> ft.lax.dynamic_update_slice(ft.numpy.zeros(3), ft.numpy.ones(2), (1,))
    tensor([0., 1., 1.])
    """
    x, y = value(operand, "dynamic_update_slice"), value(update, "dynamic_update_slice", 1)
    check_fit("dynamic_update_slice", x, y.shape)
    start = start_of("dynamic_update_slice", start_indices, x, y.shape, allow_negative_indices)
    return overwrite_block(x, y, start, sizes=y.shape) if x.shape else as_type(y, x.dtype)


def check_fit(name, x, sizes):
    if len(sizes) != len(x.shape) or any(m > n for m, n in zip(sizes, x.shape, strict=True)):
        raise ShapeError(f"{name}: a block of the sizes {tuple(sizes)} does not fit into "
                         f"{describe(x)}. Give one size for each axis, none longer than it.")


def start_of(name, indices, x, sizes, wrap):
    """Where the block starts: int32, one for each axis, moved so that the block fits."""
    if not isinstance(indices, (tuple, list)):
        indices = value(indices, name, 1)
        indices = [indices[k] for k in range(indices.shape[0] if indices.shape else 0)]
    if len(indices) != len(x.shape):
        raise ShapeError(f"{name}: start_indices needs one index for each axis of {describe(x)}, "
                         f"but has {len(indices)}.")
    if not indices:
        return None
    start = movement.stack(*[whole(name, i) for i in indices], axis=0)
    shape = constant(mx.array(x.shape))
    start = ops.where(start < 0, start + shape, start) if wrap is True else start
    return ops.minimum(ops.maximum(start, 0), shape - constant(mx.array(sizes)))


def whole(name, index):
    """An index as int32."""
    found = value(index, name, 1)
    if not dtypes.issubdtype(found.dtype, dtypes.integer):
        raise ArgumentError(f"{name}: indices must be integers, but one is {describe(found)}. "
                            "Convert it with astype.")
    return as_type(found, mx.int32)


# --- along one axis -----------------------------------------------------------------------------


def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0, *, allow_negative_indices=True):
    """The block of a given length that starts at a computed index along one axis.

    Args:
      operand: array.
      start_index: where it begins, an integer that may itself be computed.
      slice_size: its length.
      allow_negative_indices: if False, negative indices are taken as 0.

    >>> import functape as ft
    >>> ft.lax.dynamic_slice_in_dim(ft.numpy.arange(5), 1, 2)
    tensor([1, 2], dtype=int32)
    """
    x = value(operand, "dynamic_slice_in_dim")
    axis = axis_of(axis, len(x.shape), "dynamic_slice_in_dim")
    start, sizes = [0] * len(x.shape), list(x.shape)
    start[axis], sizes[axis] = start_index, slice_size
    return dynamic_slice(x, start, sizes, allow_negative_indices=allow_negative_indices)


def dynamic_index_in_dim(operand, index, axis=0, keepdims=True, *, allow_negative_indices=True):
    """The entry at a computed index along one axis.

    Args:
      operand: array.
      keepdims: keep the axis, with length 1.
      allow_negative_indices: if False, negative indices are taken as 0.

    >>> import functape as ft
    >>> ft.lax.dynamic_index_in_dim(ft.numpy.arange(5), ft.numpy.array(2), keepdims=False)
    tensor(2, dtype=int32)
    """
    x = value(operand, "dynamic_index_in_dim")
    axis = axis_of(axis, len(x.shape), "dynamic_index_in_dim")
    out = dynamic_slice_in_dim(x, index, 1, axis, allow_negative_indices=allow_negative_indices)
    return out if keepdims else movement.cut(out, index=movement.along(axis, 0))


def dynamic_update_slice_in_dim(operand, update, start_index, axis, *,
                                allow_negative_indices=True):
    """The array with a block that starts at a computed index along one axis replaced.

    Args:
      operand: array.
      update: array, what takes its place.
      start_index: where it begins, an integer that may itself be computed.
      allow_negative_indices: if False, negative indices are taken as 0.

    >>> import functape as ft
    >>> ft.lax.dynamic_update_slice_in_dim(ft.numpy.zeros(3), ft.numpy.ones(2), 0, axis=0)
    tensor([1., 1., 0.])
    """
    x = value(operand, "dynamic_update_slice_in_dim")
    axis = axis_of(axis, len(x.shape), "dynamic_update_slice_in_dim")
    start = [0] * len(x.shape)
    start[axis] = start_index
    return dynamic_update_slice(x, update, start, allow_negative_indices=allow_negative_indices)


def dynamic_update_index_in_dim(operand, update, index, axis, *, allow_negative_indices=True):
    """The array with the entry at a computed index along one axis replaced.

    Args:
      operand: array.
      update: array, what takes its place.
      allow_negative_indices: if False, negative indices are taken as 0.

    >>> import functape as ft
    >>> ft.lax.dynamic_update_index_in_dim(ft.numpy.zeros(3), 7.0, 1, axis=0)
    tensor([0., 7., 0.])
    """
    x, y = value(operand, "dynamic_update_index_in_dim"), value(update, "update", 1)
    axis = axis_of(axis, len(x.shape), "dynamic_update_index_in_dim")
    if len(y.shape) < len(x.shape):
        y = movement.reshape(y, shape=(*y.shape[:axis], 1, *y.shape[axis:]))
    return dynamic_update_slice_in_dim(x, y, index, axis,
                                       allow_negative_indices=allow_negative_indices)
