"""mlx.core's functions that move elements: shapes, joining, cutting, diagonals, padding."""

import mlx.core as mx

from functape import lax
from functape import numpy as fnp
from functape.mlx.translations.registry import table, translation
from functape.numpy.arguments import as_type, axes_of, axis_of, filled_in, size_of, value
from functape.ops import elementwise, indexing, movement
from functape.ops.families import broadcast_to as broadcast
from functape.pairs import ones, zeros
from functape.tensor import constant

table.update({name: getattr(fnp, name) for name in (
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "diag", "diagonal", "diff",
    "expand_dims", "flip", "matrix_transpose", "moveaxis", "pad", "repeat", "roll", "squeeze",
    "swapaxes", "tile", "trace", "tril", "triu", "unstack",
)})

# --- shapes ---------------------------------------------------------------------------------------


@translation("reshape")
def reshape(a, shape):
    return value(a, "reshape").reshape(tuple(shape))


@translation("flatten")
def flatten(a, start_axis=0, end_axis=-1):
    a = value(a, "flatten")
    if not a.shape:
        return movement.reshape(a, shape=(1,))
    first, last = (axis_of(k, len(a.shape), "flatten") for k in (start_axis, end_axis))
    inner = size_of(a.shape[first:last + 1])
    return movement.reshape(a, shape=(*a.shape[:first], inner, *a.shape[last + 1:]))


@translation("unflatten")
def unflatten(a, axis, shape):
    a = value(a, "unflatten")
    axis = axis_of(axis, len(a.shape), "unflatten")
    inner = filled_in(tuple(shape), a.shape[axis], "unflatten")
    return movement.reshape(a, shape=(*a.shape[:axis], *inner, *a.shape[axis + 1:]))


@translation("transpose", "permute_dims")
def transpose(a, axes=None):
    return fnp.transpose(a, axes)


@translation("broadcast_to")
def broadcast_to(a, shape):
    return broadcast(value(a, "broadcast_to"), shape=tuple(shape))


@translation("contiguous")
def contiguous(a, allow_col_major=False):
    return movement.copy_of(value(a, "contiguous"))


@translation("as_strided")
def as_strided(a, shape=None, strides=None, offset=0):
    """By indices into the elements in a row, so that overlapping windows have a transpose."""
    a = value(a, "as_strided")
    shape = a.shape if shape is None else tuple(shape)
    if strides is None:
        strides = [size_of(shape[k + 1:]) for k in range(len(shape))]
    flat = movement.reshape(a, shape=(size_of(a.shape),))
    at = mx.as_strided(mx.arange(size_of(a.shape)), shape, list(strides), offset)
    return indexing.take(flat, constant(at), axis=0)


@translation("view")
def view(a, dtype):
    """The same bits as another type: nothing is differentiated."""
    a = value(a, "view")
    return a if a.dtype == dtype else elementwise.bits(a, dtype=dtype)


# --- joining and cutting --------------------------------------------------------------------------


@translation("concatenate", "concat")
def concatenate(arrays, axis=0):
    return fnp.concatenate(list(arrays), axis)


@translation("stack")
def stack(arrays, axis=0):
    return fnp.stack(list(arrays), axis)


@translation("split")
def split(a, indices_or_sections, axis=0):
    return list(fnp.split(a, indices_or_sections, axis))


@translation("meshgrid")
def meshgrid(*arrays, sparse=False, indexing="xy"):
    return tuple(fnp.meshgrid(*arrays, sparse=sparse, indexing=indexing))


@translation("slice")
def sliced(a, start_indices, axes, slice_size):
    return lax.dynamic_slice(value(a, "slice"), starts(a, start_indices, axes), tuple(slice_size))


@translation("slice_update")
def slice_update(a, update, start_indices, axes):
    return lax.dynamic_update_slice(value(a, "slice_update"), value(update, "slice_update"),
                                    starts(a, start_indices, axes))


def starts(a, start_indices, axes):
    """One start an axis; axes that are not named begin at 0."""
    found = [0] * len(a.shape)
    named = axes_of(tuple(axes), len(a.shape), "slice")
    start = value(start_indices, "slice")
    for k, axis in enumerate(named):
        found[axis] = start[k] if start.shape else start
    return found


# --- filled like another --------------------------------------------------------------------------


@translation("zeros_like", "empty_like")
def zeros_like(a, dtype=None):
    return constant(zeros(a.shape, dtype or a.dtype))


@translation("ones_like")
def ones_like(a, dtype=None):
    return constant(ones(a.shape, dtype or a.dtype))


@translation("full")
def full(shape, vals, dtype=None):
    """As MLX, which keeps the dtype of an array."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return broadcast(value(vals, "full"), shape=shape)


@translation("full_like")
def full_like(a, vals, dtype=None):
    return broadcast(as_type(value(vals, "full_like"), dtype or a.dtype), shape=tuple(a.shape))


@translation("asarray")
def asarray(a, dtype=None, *, copy=None):
    a = value(a, "asarray")
    return a if dtype is None else a.astype(dtype)
