"""Norms of vectors."""

import mlx.core as mx

from functape.ops import reduce_kernels
from functape.ops.elementwise import absolute, power, ratio, sign
from functape.ops.families import reduction


def norm_kernel(x, axis, keepdims, ord):
    if ord == 2:
        return mx.sqrt(reduce_kernels.sum(mx.square(x), axis=axis, keepdims=keepdims))
    powers = reduce_kernels.sum(mx.power(mx.abs(x), ord), axis=axis, keepdims=keepdims)
    return mx.power(powers, 1 / ord)


def direction(x, ans, ord):
    """The gradient of a norm; its subgradient 0 at the origin."""
    if ord == 2:
        return ratio(x, ans)
    return sign(x) * power(ratio(absolute(x), ans), ord - 1)


norm = reduction(
    "norm", norm_kernel, direction, unbounded=True,
    doc="The norm of order ord of real x over axes: (sum |x|^ord)^(1/ord).",
)
