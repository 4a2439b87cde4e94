"""Kernels that are exact in float64, where MLX's own compute in float32 (measured: relative error
1e-7 and more of exp, sin, cos, sigmoid, erf, erfinv, logaddexp, logsumexp and softmax).

They are made of those that MLX does have in double precision: power, tan, log1p, sqrt.
"""

import math

import mlx.core as mx

from functape.ops import reduce_kernels

F64 = mx.float64


def exact(kernel, double, of_complex=None):
    """A kernel that runs `double` on float64 arrays, `of_complex`, if any, on complex ones, and
    MLX's `kernel` on all others."""
    wide = {F64: double, mx.complex64: of_complex or kernel}

    def choose(x):  # the size first: comparing dtypes costs as much as half a kernel call
        return wide.get(x.dtype, kernel)(x) if x.itemsize == 8 else kernel(x)

    return choose


def number(value):
    return mx.array(value, dtype=F64)


E_ROUNDED = 5.318237706605891e-17  # 1 - log(e), of e as a float64


def exp(x):
    """e^x by the power of the rounded e, which for large x would be wrong by a hundred units in
    the last place."""
    return mx.power(number(math.e), x) * (1 + E_ROUNDED * mx.clip(x, number(-800), number(800)))


def sin(x):
    t = mx.tan(0.5 * x)
    return 2 * t / (1 + t * t)


def cos(x):
    """Near a zero by the sine, which has none there, or the digits would cancel."""
    t = mx.square(mx.tan(0.5 * x))
    direct = (1 - t) / (1 + t)
    return mx.where(mx.abs(direct) < 0.5, sin(x) / mx.tan(x), direct)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def erf(x):
    """Kummer's series 2/sqrt(pi) exp(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!, all of one sign; from
    |x| = 6 on erf is 1 to the last digit, and exactly 1 here."""
    end = mx.abs(x) >= 6
    sign = mx.sign(x)
    x = mx.clip(x, number(-6.0), number(6.0))
    square, term = mx.square(x), x
    total = term
    for n in range(1, 130):
        term = term * square * (2 / (2 * n + 1))
        total = total + term
    return mx.where(end, sign, (2 / math.sqrt(math.pi)) * exp(-square) * total)


def erfinv(y):
    """Two Newton steps from MLX's value; the ends, where the slope is infinite, stay."""
    x = mx.erfinv(y)
    inside = mx.isfinite(x)
    for _ in range(2):
        safe = mx.where(inside, x, 0)
        step = (erf(safe) - y) * (math.sqrt(math.pi) / 2) * exp(mx.square(safe))
        x = mx.where(inside, safe - step, x)
    return x


def logaddexp(x, y):
    high = mx.maximum(x, y)
    gap = mx.abs(x - y)
    return mx.where(mx.isinf(high), high, high + mx.log1p(exp(-gap)))


def logsumexp(x, axis, keepdims=False):
    high = reduce_kernels.max(x, axis=axis, keepdims=True)
    high = mx.where(mx.isfinite(high), high, 0)
    total = reduce_kernels.sum(exp(x - high), axis=axis, keepdims=True)
    out = high + mx.log(total)
    return out if keepdims else mx.squeeze(out, axis)


def softmax(x, axis):
    e = exp(x - reduce_kernels.max(x, axis=axis, keepdims=True))
    return e / reduce_kernels.sum(e, axis=axis, keepdims=True)
