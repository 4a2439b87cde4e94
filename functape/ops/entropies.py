"""Logarithms of ratios, without cancellation where the ratio is close to 1."""

import mlx.core as mx

from functape.ops.approximation import log1p_minus, on_floats
from functape.ops.elementwise import ratio
from functape.ops.families import elementwise


def logit_kernel(x):
    """x / (1 - x) = 1 + (2 x - 1) / (1 - x), where 2 x - 1 is exact."""
    return mx.where(x < 0.3, mx.log(x) - mx.log1p(-x), mx.log1p((2 * x - 1) / (1 - x)))


def log_ratio_kernel(x, y):
    gap = (x - y) / y
    near = mx.abs(gap) < 0.5
    return mx.where(near, mx.log1p(mx.where(near, gap, 0)), mx.log(x / y))


def divergence_kernel(x, y):
    gap = (y - x) / x
    near = mx.abs(gap) < 0.5
    far = x * log_ratio_kernel(x, y) + (y - x)
    return mx.where(near, -x * log1p_minus(mx.where(near, gap, 0)), far)


logit = elementwise("logit", on_floats(logit_kernel), lambda g, x: ratio(g, x * (1 - x)),
                    doc="log(x / (1 - x)).")
log_ratio = elementwise("log_ratio", on_floats(log_ratio_kernel), lambda g, x: ratio(g, x),
                        lambda g, y: -ratio(g, y), doc="log(x / y) for x, y > 0.")
divergence = elementwise(
    "divergence", on_floats(divergence_kernel), lambda x, y: log_ratio(x, y),
    lambda x, y: (y - x) / y, doc="x log(x / y) - x + y for x, y > 0.",
)
