"""jax.lax's functions that arrange elements."""

import mlx.core as mx

from functape import dtypes, numpy
from functape.errors import ShapeError, describe
from functape.numpy.arguments import axis_of, beside, integer, shape_of, size_of, value
from functape.ops import movement
from functape.ops.families import broadcast_to
from functape.pairs import converted
from functape.tensor import constant

# --- creation -----------------------------------------------------------------------------------


def full(shape, fill_value, dtype=None):
    """An array filled with a number.

    Args:
      shape: of the result.
      fill_value: number or array; it broadcasts.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.full((2,), 7.0)
    tensor([7., 7.])
    """
    return numpy.full(shape, fill_value, dtype)


def full_like(x, fill_value, dtype=None, shape=None):
    """An array like `x`, filled with a number.

    Args:
      fill_value: number or array; it broadcasts.
      dtype: of the result.
      shape: of the result.

    >>> import functape as ft
    >>> ft.lax.full_like(ft.numpy.ones(2), 7.0)
    tensor([7., 7.])
    """
    return numpy.full_like(x, fill_value, dtype, shape)


def iota(dtype, size):
    """0, 1, ..., size - 1.

    Args:
      dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.iota(ft.numpy.float32, 3)
    tensor([0., 1., 2.])
    """
    return constant(converted(mx.arange(size), dtypes.as_dtype(dtype, "iota")))


def broadcasted_iota(dtype, shape, dimension):
    """0, 1, 2, ... along one dimension of an array of a shape.

    Args:
      dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.broadcasted_iota(ft.numpy.int32, (2, 3), 1)
    tensor([[0, 1, 2],
            [0, 1, 2]], dtype=int32)
    """
    shape = shape_of(shape, "broadcasted_iota")
    k = axis_of(dimension, len(shape), "broadcasted_iota", "dimension")
    return broadcast_in_dim(iota(dtype, shape[k]), shape, (k,))


# --- shape --------------------------------------------------------------------------------------


def reshape(operand, new_sizes, dimensions=None):
    """The same elements in another shape; with `dimensions`, after that order of the axes.

    Args:
      operand: array.
      new_sizes: the shape.

    >>> import functape as ft
    >>> ft.lax.reshape(ft.numpy.arange(4), (2, 2), (0,))
    tensor([[0, 1],
            [2, 3]], dtype=int32)
    """
    x = value(operand, "reshape")
    x = x if dimensions is None else transpose(x, dimensions)
    return numpy.reshape(x, new_sizes)


def transpose(operand, permutation):
    """The axes in another order.

    Args:
      operand: array.
      permutation: the axes, in their new order.

    >>> import functape as ft
    >>> ft.lax.transpose(ft.numpy.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return numpy.transpose(operand, tuple(int(k) for k in permutation))


def broadcast(operand, sizes):
    """Copies along new leading axes of the given sizes.

    Args:
      operand: array.

    >>> import functape as ft
    >>> ft.lax.broadcast(ft.numpy.ones(3), (2,)).shape
    (2, 3)
    """
    x = value(operand, "broadcast")
    return broadcast_to(x, shape=(*shape_of(sizes, "broadcast"), *x.shape))


def broadcast_in_dim(operand, shape, broadcast_dimensions):
    """The axes of an array at given places among those of a larger shape, and copies along the
    others.

    Args:
      broadcast_dimensions: the place of each axis of `operand` in `shape`.

    >>> import functape as ft
    >>> ft.lax.broadcast_in_dim(ft.numpy.array([1.0, 2.0]), (2, 3), (0,))
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    x, shape = value(operand, "broadcast_in_dim"), shape_of(shape, "broadcast_in_dim")
    places = tuple(axis_of(d, len(shape), "broadcast_in_dim", "a dimension")
                   for d in broadcast_dimensions)
    if len(places) != len(x.shape) or list(places) != sorted(set(places)) or any(
        n not in (1, shape[k]) for n, k in zip(x.shape, places, strict=True)
    ):
        raise ShapeError(f"broadcast_in_dim: broadcast_dimensions {tuple(broadcast_dimensions)} "
                         f"must name, in rising order, an axis of {shape} for each axis of "
                         f"{describe(x)}, of the same length unless that is 1.")
    thin = [1] * len(shape)
    for n, k in zip(x.shape, places, strict=True):
        thin[k] = n
    return broadcast_to(movement.reshape(x, shape=tuple(thin)), shape=shape)


def broadcast_to_rank(x, rank):
    """Leading axes of length 1, until there are `rank` axes.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.lax.broadcast_to_rank(ft.numpy.ones(3), 2).shape
    (1, 3)
    """
    x = value(x, "broadcast_to_rank")
    return movement.reshape(x, shape=(1,) * (rank - len(x.shape)) + x.shape)


def broadcast_like(arr, like_arr):
    """The array stretched to the shape of another.

    Args:
      arr: array.
      like_arr: array of that shape.

    >>> import functape as ft
    >>> ft.lax.broadcast_like(1.0, ft.numpy.zeros(2))
    tensor([1., 1.])
    """
    return numpy.broadcast_to(arr, value(like_arr, "broadcast_like", 1).shape)


def expand_dims(array, dimensions):
    """New axes of length 1 at the given places.

    Args:
      array: array.
      dimensions: integers, the axes.

    >>> import functape as ft
    >>> ft.lax.expand_dims(ft.numpy.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return numpy.expand_dims(array, tuple(dimensions))


def squeeze(array, dimensions):
    """The array without the given axes, which have length 1.

    Args:
      dimensions: integers, the axes.

    >>> import functape as ft
    >>> ft.lax.squeeze(ft.numpy.ones((1, 3)), (0,)).shape
    (3,)
    """
    return numpy.squeeze(array, tuple(dimensions))


def collapse(operand, start_dimension, stop_dimension=None):
    """Neighbouring axes as one.

    Args:
      operand: array.
      start_dimension: the first of them.
      stop_dimension: the first that is not among them; None: there is none.

    >>> import functape as ft
    >>> ft.lax.collapse(ft.numpy.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    x = value(operand, "collapse")
    start, stop, _ = slice_type(start_dimension, stop_dimension).indices(len(x.shape))
    shape = (*x.shape[:start], size_of(x.shape[start:stop]), *x.shape[stop:])
    return movement.reshape(x, shape=shape)


# --- order and joining --------------------------------------------------------------------------


def rev(operand, dimensions):
    """The elements in reverse order along some axes.

    Args:
      operand: array.
      dimensions: integers, the axes.

    >>> import functape as ft
    >>> ft.lax.rev(ft.numpy.arange(3), (0,))
    tensor([2, 1, 0], dtype=int32)
    """
    return numpy.flip(operand, tuple(dimensions))


def tile(operand, reps):
    """The whole array repeated along its axes.

    Args:
      operand: array.
      reps: how often, an integer for each axis.

    >>> import functape as ft
    >>> ft.lax.tile(ft.numpy.arange(2), (2,))
    tensor([0, 1, 0, 1], dtype=int32)
    """
    return numpy.tile(operand, tuple(reps))


def concatenate(operands, dimension):
    """Arrays joined along an axis.

    Args:
      operands: a sequence of arrays.
      dimension: the axis.

    >>> import functape as ft
    >>> ft.lax.concatenate([ft.numpy.ones(1), ft.numpy.zeros(1)], 0)
    tensor([1., 0.])
    """
    return numpy.concatenate(operands, axis=dimension)


def split(operand, sizes, axis=0):
    """Consecutive parts of the given lengths along an axis.

    Args:
      operand: array.
      sizes: the lengths.

    >>> import functape as ft
    >>> ft.lax.split(ft.numpy.arange(3), (1, 2))
    [tensor([0], dtype=int32), tensor([1, 2], dtype=int32)]
    """
    x, sizes = value(operand, "split"), shape_of(sizes, "split")
    axis = axis_of(axis, len(x.shape), "split")
    if sum(sizes) != x.shape[axis]:
        raise ShapeError(f"split: the sizes {sizes} must sum to the length of axis {axis} of "
                         f"{describe(x)}.")
    ends = [sum(sizes[:k + 1]) for k in range(len(sizes))]
    return [movement.cut(x, index=movement.along(axis, slice_type(end - n, end)))
            for n, end in zip(sizes, ends, strict=True)]


slice_type = slice  # `slice` below is JAX's


# --- slices at known places ---------------------------------------------------------------------


def slice(operand, start_indices, limit_indices, strides=None):
    """The elements from one corner up to another, in steps.

    Args:
      operand: array.
      start_indices, limit_indices: the corners, an integer for each axis; the second lies outside.
      strides: the steps, an integer for each axis; 1 by default.

    >>> import functape as ft
    >>> ft.lax.slice(ft.numpy.arange(6), (1,), (6,), (2,))
    tensor([1, 3, 5], dtype=int32)
    """
    x = value(operand, "slice")
    strides = (1,) * len(x.shape) if strides is None else strides
    if not len(start_indices) == len(limit_indices) == len(strides) == len(x.shape):
        raise ShapeError(f"slice: start_indices, limit_indices and strides need one entry for "
                         f"each axis of {describe(x)}.")
    index = []
    for k, (low, high, step) in enumerate(zip(start_indices, limit_indices, strides, strict=True)):
        if not (0 <= low <= high <= x.shape[k] and step > 0):
            raise ShapeError(f"slice: along axis {k}, 0 <= start <= limit <= {x.shape[k]} and a "
                             f"positive stride are needed, but they are {low}, {high}, {step}.")
        index.append(slice_type(int(low), int(high), int(step)))
    return movement.cut(x, index=tuple(index))


def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    """The elements from one place up to another along one axis, in steps.

    Args:
      operand: array.
      start_index, limit_index: integers; the second lies outside.
      stride: the step.

    >>> import functape as ft
    >>> ft.lax.slice_in_dim(ft.numpy.arange(6), 1, -1, 2)
    tensor([1, 3], dtype=int32)
    """
    x = value(operand, "slice_in_dim")
    axis = axis_of(axis, len(x.shape), "slice_in_dim")
    bounds = slice_type(start_index, limit_index, stride)
    return x[movement.along(axis, bounds)]


def index_in_dim(operand, index, axis=0, keepdims=True):
    """One entry along an axis, which is kept with length 1 unless told otherwise.

    Args:
      operand: array.
      index: integer.
      keepdims: keep the axis, with length 1.

    >>> import functape as ft
    >>> ft.lax.index_in_dim(ft.numpy.arange(3), -1)
    tensor([2], dtype=int32)
    """
    x, index = value(operand, "index_in_dim"), integer(index, "index_in_dim", "index")
    axis = axis_of(axis, len(x.shape), "index_in_dim")
    i = axis_of(index, x.shape[axis], "index_in_dim", "index")
    return movement.cut(x, index=movement.along(axis, slice_type(i, i + 1) if keepdims else i))


def pad(operand, padding_value, padding_config):
    """The array with elements added, or taken away, at its ends and between its elements.

    Args:
      operand: array.
      padding_value: the new elements.
      padding_config: for each axis (before, after, between); negative: elements to take away.

    >>> import functape as ft
    >>> ft.lax.pad(ft.numpy.array([1.0, 2.0]), 0.0, [(1, -1, 2)])
    tensor([0., 1., 0., 0.])
    """
    x = value(operand, "pad")
    if len(padding_config) != len(x.shape):
        raise ShapeError(f"pad: padding_config needs (before, after, between) for each axis of "
                         f"{describe(x)}, but has {len(padding_config)} entries.")
    spread_out = [max(0, n + max(n - 1, 0) * between)
                  for n, (_, _, between) in zip(x.shape, padding_config, strict=True)]
    shape, places, kept = [], [], []
    for n, (before, after, between) in zip(spread_out, padding_config, strict=True):
        low, high = max(before, 0), max(after, 0)
        shape.append(low + n + high)
        places.append(slice_type(low, low + n, between + 1))
        kept.append(slice_type(max(-before, 0), max(low + n + high - max(-after, 0), 0)))
    filler = beside(padding_value, x, "pad", 1).astype(x.dtype)
    background = broadcast_to(filler, shape=tuple(shape))
    full = movement.overwrite(background, x, index=tuple(places))
    return movement.cut(full, index=tuple(kept))


