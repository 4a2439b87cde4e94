"""Ops that find an order. They have no derivative: what they return is locally constant.

Sorting itself is `take_along_axis` of what `argsort` returns, and so has every derivative.
"""

import mlx.core as mx

from functape.ops.families import nondiff
from functape.ops.movement import along, shift_axis, spread


def argsort_kernel(x, axis, descending):
    """Stable in both directions: descending is ascending of the mirror image, mirrored back."""
    if 0 in x.shape:
        return mx.zeros(x.shape, mx.int32)
    if not descending:
        return mx.argsort(x, axis).astype(mx.int32)
    mirror = along(axis, slice(None, None, -1))
    return (x.shape[axis] - 1 - mx.argsort(x[mirror], axis).astype(mx.int32))[mirror]


argsort = nondiff(
    "argsort", argsort_kernel, batch=shift_axis,
    doc="The order that sorts x along an axis; equal elements stay in order, NaN counts as the "
    "largest.",
)
argpartition = nondiff(
    "argpartition", lambda x, kth, axis: mx.argpartition(x, kth, axis).astype(mx.int32),
    batch=shift_axis,
    doc="An order of x that puts its kth element in its sorted place, the smaller ones before it.",
)


def searchsorted_kernel(x, y, side):
    """By MLX's own search; of several sequences, by sorting the values in among them."""
    if len(x.shape) == 1:
        return mx.searchsorted(x, y, side=side).astype(mx.int32)
    lead, n = x.shape[:-1], x.shape[-1]
    flat = y.reshape(*lead, -1)
    m = flat.shape[-1]
    both = mx.concatenate([flat, x] if side == "left" else [x, flat], axis=-1)
    order = mx.argsort(both, axis=-1).astype(mx.int32)
    return places(order, n, m, side).reshape(y.shape)


def places(order, n, m, side):
    """Where m values go among n sorted ones, from the order of both in one array: the values
    first, or for the right side last."""
    of_x = order >= m if side == "left" else order < n
    before = mx.cumsum(of_x.astype(mx.int32), axis=-1)
    placed = mx.put_along_axis(mx.zeros_like(before), order, before, -1)
    return placed[..., :m] if side == "left" else placed[..., n:]


def batch_searchsorted(op, size, args, mapped, params):
    """Several sequences lead the values that are sought in them."""
    x, y = args
    if mapped[0] or len(x.shape) > 1:
        x, y = (a if m else spread(a, size) for a, m in zip(args, mapped, strict=True))
    return op(x, y, **params)


searchsorted = nondiff(
    "searchsorted", searchsorted_kernel, args=("x", "y"), batch=batch_searchsorted,
    doc="Where each y would go into the sorted x: before or after its equals, by side.",
)
