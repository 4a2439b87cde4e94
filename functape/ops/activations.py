"""Activations, and the two ops that all normalisation is made of."""

import mlx.core as mx

from functape.op import Op
from functape.ops import complex_kernels, float64, reduce_kernels, vector_kernels
from functape.ops.elementwise import LN2, exp, expm1, minimum, ratio, sigmoid
from functape.ops.families import (
    batch_reduction,
    bilinear,
    broadcast_to,
    count_of,
    elementwise,
    fit,
    linear,
)
from functape.ops.movement import spread
from functape.ops.vector_kernels import best_of

exp_kernel = best_of(mx.exp, vector_kernels.exp, float64.exp)

# --- elements -----------------------------------------------------------------------------------

def softplus_kernel(x):
    """On a CPU two functions cost less than `mx.logaddexp`: two thirds."""
    if mx.default_device().type == mx.cpu:
        return mx.maximum(x, 0) + mx.log1p(exp_kernel(-mx.abs(x)))
    return mx.logaddexp(x, 0)


softplus = elementwise(
    "softplus", float64.exact(softplus_kernel, softplus_kernel, complex_kernels.softplus),
    lambda x: sigmoid(x), doc="log(1 + e^x), without overflow.",
)
exp_below = elementwise(
    "exp_below", exp_kernel, lambda ans: ans,
    doc="e^x for x <= 0: bounded, so that its slope needs no care where a cotangent is 0.",
)


def elu_kernel(x, alpha):
    return mx.maximum(x, 0) + alpha * expm1.kernel(mx.minimum(x, 0))


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
    near = mx.log(-expm1.kernel(-x))
    return mx.where(x < LN2, near, mx.log1p(-exp_kernel(-x)))


log1mexp = elementwise(
    "log1mexp", log1mexp_kernel, lambda g, x: ratio(g, expm1(x)),
    doc="log(1 - e^-x), exact for x near 0 and for large x.",
)

affine = elementwise(
    "affine", lambda x, w, b: mx.add(mx.multiply(x, w), b), lambda w: w, lambda x: x, 1,
    args=("x", "w", "b"), doc="x * w + b.",
)

# --- rows ---------------------------------------------------------------------------------------


def sum_kernel(x, axis):
    """On a CPU, sums along rows by BLAS: a product with ones takes a third of the time of `mx.sum`,
    or a quarter on two cores."""
    rows = axis == (len(x.shape) - 1,) and x.dtype in (mx.float32, mx.float64)
    if rows and x.size and mx.default_device().type == mx.cpu:
        return mx.matmul(x, mx.ones((x.shape[-1], 1), x.dtype))
    return reduce_kernels.sum(x, axis=axis, keepdims=True)


def mean_kernel(x, axis):
    return sum_kernel(x, axis) * (1 / max(count_of(x.shape, axis), 1))


sum_rows = linear(
    "sum_rows", sum_kernel, lambda g, x_shape: broadcast_to(g, shape=x_shape), batch_reduction,
    doc="Sum over axes, which are kept.",
)


def scale_kernel(x, y, axis):
    return mx.multiply(x, y)


def batch_rows(op, size, args, mapped, params):
    """Both with their batch axis: a factor for each row of each entry."""
    args = [a if m else spread(a, size) for a, m in zip(args, mapped, strict=True)]
    return op(*args, axis=tuple(i + 1 for i in params["axis"]))


scale_rows = bilinear(
    "scale_rows", scale_kernel,
    lambda g, y, x_shape, x_dtype: fit(g * y, x_shape, x_dtype),
    lambda g, x, y_shape, y_dtype, axis: fit(sum_rows(g * x, axis=axis), y_shape, y_dtype),
    batch_rows,
    doc="x times one factor for each of its rows along axes.",
)
centre = linear(
    "centre", lambda x, axis: mx.subtract(x, mean_kernel(x, axis)),
    lambda g, axis: centre(g, axis=axis), batch_reduction,
    doc="x without its mean over axes: its own transpose.",
)


def inverse_rms_kernel(x, axis, eps):
    return mx.rsqrt(mean_kernel(mx.square(x), axis) + eps)


def slope_of_rms(x, ans, axis):
    """The cube first: it has few elements, x many."""
    return ans * ans * ans * (-1 / count_of(x.shape, axis))


inverse_rms = Op(
    "inverse_rms", inverse_rms_kernel, args=("x",), batch=batch_reduction,
    vjp=[lambda g, x, ans, axis: (g * slope_of_rms(x, ans, axis)) * x],
    jvp=[lambda t, x, ans, axis: sum_rows(t * x, axis=axis) * slope_of_rms(x, ans, axis)],
    doc="1 / sqrt(mean(x^2) + eps) over axes, which are kept.",
)
