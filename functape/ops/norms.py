"""Norms of vectors."""

import mlx.core as mx

from functape.ops import reduce_kernels
from functape.ops.elementwise import absolute, power, sign
from functape.ops.families import elementwise, reduction


def norm_kernel(x, axis, keepdims, ord):
    if ord == 2:
        return mx.sqrt(reduce_kernels.sum(mx.square(x), axis=axis, keepdims=keepdims))
    powers = reduce_kernels.sum(mx.power(mx.abs(x), ord), axis=axis, keepdims=keepdims)
    return mx.power(powers, 1 / ord)


def floored_kernel(x, power):
    return mx.maximum(x, mx.finfo(x.dtype).smallest_normal ** power)


floored = elementwise(
    "floored", floored_kernel, 1,
    doc="An x that is not negative, with the smallest number to a power for less than that.",
)


def direction(x, ans, ord):
    """The gradient of a norm; its subgradient 0 at the origin, and next to it, where the powers
    underflow, a multiple of x."""
    if ord > 0:
        ans = floored(ans, power=1 / ord)
    return x / ans if ord == 2 else sign(x) * power(absolute(x) / ans, ord - 1)


norm = reduction(
    "norm", norm_kernel, direction, unbounded=True,
    doc="The norm of order ord of real x over axes: (sum |x|^ord)^(1/ord).",
)
