"""jax.ops: reductions of the rows of an array that carry the same number. They stand in
functape.ops, where JAX has them, beside the rules."""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import ShapeError, describe
from functape.numpy.arguments import as_type, integer, value
from functape.numpy.creation import full
from functape.ops import elementwise
from functape.ops.reductions import maximum_of


def segment_sum(data, segment_ids, num_segments=None, indices_are_sorted=False,
                unique_indices=False, bucket_size=None, mode=None):
    r"""Sums of the rows that carry the same number.

    .. math:: y_k = \sum_{i : s_i = k} x_i

    Args:
      data: array (n, ...).
      segment_ids: integers (n,); rows whose number is not in [0, num_segments) are left out.
      num_segments: how many sums there are; the largest number plus 1 if None, which needs the
        numbers to be known, outside of jit and vmap.
      indices_are_sorted, bucket_size: without effect; accepted for JAX's sake.
      unique_indices: no number comes twice; saves the work that repetition needs.
      mode: as for ``x.at[...]``.

    Returns:
      (num_segments, ...); 0 for a number that no row carries.

    >>> import functape as ft
    >>> ft.ops.segment_sum(ft.numpy.array([1.0, 2.0, 3.0]), ft.numpy.array([0, 0, 2]))
    tensor([3., 0., 3.])
    """
    return reduced("segment_sum", "add", 0, data, segment_ids, num_segments, unique_indices, mode)


def segment_prod(data, segment_ids, num_segments=None, indices_are_sorted=False,
                 unique_indices=False, bucket_size=None, mode=None):
    """Products of the rows that carry the same number; 1 for none. Arguments as for segment_sum.

    >>> import functape as ft
    >>> ft.ops.segment_prod(ft.numpy.array([3.0, 2.0, 5.0]), ft.numpy.array([0, 0, 1]))
    tensor([6., 5.])
    """
    return reduced("segment_prod", "multiply", 1, data, segment_ids, num_segments, unique_indices,
                   mode)


def segment_max(data, segment_ids, num_segments=None, indices_are_sorted=False,
                unique_indices=False, bucket_size=None, mode=None):
    """The largest of the rows that carry the same number; -inf, or the least integer, for none.
    Arguments as for segment_sum.

    >>> import functape as ft
    >>> ft.ops.segment_max(ft.numpy.array([3.0, 2.0, 5.0]), ft.numpy.array([0, 0, 1]))
    tensor([3., 5.])
    """
    return reduced("segment_max", "max", -math.inf, data, segment_ids, num_segments,
                   unique_indices, mode)


def segment_min(data, segment_ids, num_segments=None, indices_are_sorted=False,
                unique_indices=False, bucket_size=None, mode=None):
    """The smallest of the rows that carry the same number; inf, or the largest integer, for none.
    Arguments as for segment_sum.

    >>> import functape as ft
    >>> ft.ops.segment_min(ft.numpy.array([3.0, 2.0, 5.0]), ft.numpy.array([0, 0, 1]))
    tensor([2., 5.])
    """
    return reduced("segment_min", "min", math.inf, data, segment_ids, num_segments,
                   unique_indices, mode)


def reduced(name, method, neutral, data, ids, count, unique, mode):
    x, ids = value(data, name), value(ids, name, 1)
    if len(ids.shape) != 1 or x.shape[:1] != ids.shape or not dtypes.issubdtype(
            ids.dtype, dtypes.integer):
        raise ShapeError(f"{name}: segment_ids must be one integer for each row of data, "
                         f"{describe(x)}, but are {describe(ids)}.")
    if count is None:
        count = int(maximum_of(ids, axis=(0,), keepdims=False)) + 1 if ids.shape[0] else 0
    count = integer(count, name, "num_segments")
    start = full((count, *x.shape[1:]), of_none(neutral, x.dtype), dtype=x.dtype)
    ids = as_type(ids, mx.int32) if ids.dtype.size < 4 else ids
    low = 0 if mode == "clip" else count  # dropped; no number counts from the end
    ids = elementwise.where(elementwise.less(ids, 0), low, ids)
    return getattr(start.at[ids], method)(x, mode=mode or "drop", unique_indices=unique)


def of_none(neutral, dtype):
    """The neutral element, within the limits of the dtype."""
    if math.isfinite(neutral) or dtypes.issubdtype(dtype, dtypes.inexact):
        return neutral
    if dtype == mx.bool_:
        return neutral > 0
    limits = dtypes.iinfo(dtype)
    return limits.max if neutral > 0 else limits.min
