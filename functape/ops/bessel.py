"""Modified Bessel functions of the first kind, of whole order n.

Two ops for all orders: I_n(x), and e^-|x| I_n(x). Their derivatives are neighbours of theirs,
I_n' = (I_(n-1) + I_(n+1)) / 2, so nothing is singular at 0.
"""

import math

import mlx.core as mx
import numpy as np

from functape.ops.approximation import chebyshev, exp, on_floats, whole_power
from functape.ops.elementwise import sign
from functape.ops.families import elementwise

SPLIT = 8.0


def scaled_reference(x, n):
    """e^-x I_n(x) / x^n in double precision: Poisson's integral, by the trapezoidal rule, which
    converges exponentially for periodic functions."""
    count = 4000
    angle = np.arange(count) * (2 * math.pi / count)
    values = np.exp(x[:, None] * (np.cos(angle) - 1)) * np.sin(angle) ** (2 * n)
    return values.mean(axis=1) * math.sqrt(math.pi) / (2.0**n * math.gamma(n + 0.5))


def near_reference(t, n):
    return scaled_reference(SPLIT / 2 * (1 + t), n)


def far_reference(t, n):
    x = 2 * SPLIT / np.maximum(1 + t, 1e-5)
    return scaled_reference(x, n) * x ** (n + 0.5)


def ive_kernel(x, order):
    size = mx.abs(x)
    near = size <= SPLIT
    s = mx.where(near, size, 0)
    power = whole_power(mx.where(near, x, 0), order)
    low = power * chebyshev(2 / SPLIT * s - 1, near_reference, 40, order)
    b = mx.where(near, SPLIT, size)
    high = chebyshev(2 * SPLIT / b - 1, far_reference, 40, order) * mx.rsqrt(b)
    if order % 2:
        high = high * mx.sign(x)
    return mx.where(near, low, high)


def iv_kernel(x, order):
    half = exp(0.5 * mx.abs(x))
    return half * ive_kernel(x, order) * half


def iv_slope(x, order):
    if order == 0:
        return iv(x, order=1)
    return 0.5 * (iv(x, order=order - 1) + iv(x, order=order + 1))


def ive_slope(x, ans, order):
    if order == 0:
        return ive(x, order=1) - sign(x) * ans
    return 0.5 * (ive(x, order=order - 1) + ive(x, order=order + 1)) - sign(x) * ans


iv = elementwise("iv", on_floats(iv_kernel), lambda x, order: iv_slope(x, order), unbounded=True,
                 doc="The modified Bessel function of the first kind of whole order.")
ive = elementwise("ive", on_floats(ive_kernel), lambda x, ans, order: ive_slope(x, ans, order),
                  doc="e^-|x| times the modified Bessel function of the first kind.")
