"""Activations, and the two ops that all normalisation is made of."""

import mlx.core as mx

from functape.op import Op
from functape.ops import float64
from functape.ops.elementwise import (
    LN2,
    exp,
    expm1,
    logaddexp_kernel,
    minimum,
    ratio,
    sigmoid,
)
from functape.ops.families import batch_reduction, elementwise, linear
from functape.ops.float64 import exact
from functape.ops.reductions import mean

# --- elements -----------------------------------------------------------------------------------

softplus = elementwise(
    "softplus", lambda x: logaddexp_kernel(x, 0), lambda x: sigmoid(x),
    doc="log(1 + e^x), without overflow.",
)
exp_below = elementwise(
    "exp_below", exact(mx.exp, float64.exp), lambda ans: ans,
    doc="e^x for x <= 0: bounded, so that its slope needs no care where a cotangent is 0.",
)


def elu_kernel(x, alpha):
    return mx.maximum(x, 0) + alpha * mx.expm1(mx.minimum(x, 0))


elu = elementwise(
    "elu", elu_kernel,
    lambda x, alpha: (x > 0) + alpha * ((x <= 0) * exp(minimum(x, 0))),
    lambda x: exp(minimum(x, 0)) - 1,
    args=("x", "alpha"), doc="x, and alpha (e^x - 1) where x <= 0.",
)

relu6 = elementwise("relu6", lambda x: mx.minimum(mx.maximum(x, 0), 6),
                    lambda g, x: g * ((x > 0) * (x < 6)),
                    doc="x kept within [0, 6]; its slope is 0 at both ends.")
leaky_relu = elementwise(
    "leaky_relu", lambda x, slope: mx.maximum(x, 0) + slope * mx.minimum(x, 0),
    lambda g, x, slope: g * (x >= 0) + g * slope * (x < 0), lambda x: minimum(x, 0),
    args=("x", "slope"), doc="x, and slope * x where x < 0.",
)


def log1mexp_kernel(x):
    near = mx.log(-mx.expm1(-x))
    return mx.where(x < LN2, near, mx.log1p(-exact(mx.exp, float64.exp)(-x)))


log1mexp = elementwise(
    "log1mexp", log1mexp_kernel, lambda g, x: ratio(g, expm1(x)),
    doc="log(1 - e^-x), exact for x near 0 and for large x.",
)

# --- rows ---------------------------------------------------------------------------------------

centre = linear(
    "centre", lambda x, axis: mx.subtract(x, mx.mean(x, axis=axis, keepdims=True)),
    lambda g, axis: centre(g, axis=axis), batch_reduction,
    doc="x without its mean over axes: its own transpose.",
)


def inverse_rms_kernel(x, axis, eps):
    return mx.rsqrt(mx.mean(mx.square(x), axis=axis, keepdims=True) + eps)


def slope_of_rms(x, ans, axis):
    """The cube first: it has few elements, x many."""
    n = 1
    for i in axis:
        n *= x.shape[i]
    return ans * ans * ans * (-1 / n)


inverse_rms = Op(
    "inverse_rms", inverse_rms_kernel, args=("x",), batch=batch_reduction,
    vjp=[lambda g, x, ans, axis: (g * slope_of_rms(x, ans, axis)) * x],
    jvp=[lambda t, x, ans, axis: mean(t * x, axis=axis, keepdims=True) * -(ans * ans * ans)],
    doc="1 / sqrt(mean(x^2) + eps) over axes, which are kept.",
)
