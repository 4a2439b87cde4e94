"""Inverse trigonometric and hyperbolic functions of Pairs, by W. Kahan, Branch cuts for complex
elementary functions (1987); infinities, NaNs and the signs of zeros as C99's Annex G has them."""

import math

import mlx.core as mx

from functape.ops.elementwise import hypot_kernel
from functape.pairs.array import Pair
from functape.pairs.exponentials import either_infinite, like_sign, sqrt, swapped

INF, HALF_PI = math.inf, math.pi / 2


def arcsinh(z):
    a, b = z.re, z.im
    p, q = sqrt(Pair(1 + b, -a)), sqrt(Pair(1 - b, a))  # of 1 - iz and 1 + iz
    re = mx.arcsinh(p.re * q.im - p.im * q.re)
    im = mx.arctan2(b, p.re * q.re - p.im * q.im)
    endless = either_infinite(a, b)
    re = mx.where(endless, like_sign(mx.full(a.shape, INF, mx.float64), a), re)
    im = mx.where(endless, mx.arctan2(b, mx.abs(a)), im)
    return Pair(re, mx.where(b == 0, b, im))


def arccos(z):
    a, b = z.re, z.im
    p, q = sqrt(Pair(1 - a, -b)), sqrt(Pair(1 + a, b))
    re = 2 * mx.arctan2(p.re, q.re)
    im = mx.arcsinh(q.re * p.im - q.im * p.re)
    endless = either_infinite(a, b)
    re = mx.where(endless, mx.arctan2(mx.abs(b), a), re)
    re = mx.where(mx.logical_and(a == 0, mx.isnan(b)), HALF_PI, re)
    return Pair(re, mx.where(endless, -like_sign(mx.full(a.shape, INF, mx.float64), b), im))


def arccosh(z):
    a, b = z.re, z.im
    p, q = sqrt(Pair(a - 1, b)), sqrt(Pair(a + 1, b))
    re = mx.arcsinh(p.re * q.re + p.im * q.im)
    im = 2 * mx.arctan2(p.im, q.re)
    endless = either_infinite(a, b)
    im = mx.where(endless, mx.arctan2(b, a), im)
    im = mx.where(mx.logical_and(a == 0, mx.isnan(b)), HALF_PI, im)
    return Pair(mx.where(endless, INF, re), im)


def arctanh(z):
    """Of the right half plane; the other is its mirror image."""
    a, b = mx.abs(z.re), z.im
    gap = hypot_kernel(1 - a, b)
    re = mx.where(gap < 1e-100, 0.5 * (math.log(2) - mx.log(gap)),
                  0.25 * mx.log1p(4 * a / mx.square(gap)))
    im = 0.5 * mx.arctan2(2 * b, (1 - a) * (1 + a) - mx.square(b))
    high = mx.maximum(a, mx.abs(b))
    far = mx.logical_or(high > 2.0**400, either_infinite(a, b))
    x, y = a / high, b / high
    outside = mx.where(either_infinite(a, b), 0, x / (x * x + y * y) / high)
    re = mx.where(far, outside, re)
    im = mx.where(far, like_sign(mx.full(a.shape, HALF_PI, mx.float64), b), im)
    re = mx.where(a == 0, z.re, like_sign(re, z.re))
    return Pair(re, mx.where(mx.isnan(b), b, im))


KERNELS = {
    "arcsinh": arcsinh, "arccosh": arccosh, "arctanh": arctanh, "arccos": arccos,
    "arcsin": swapped(arcsinh), "arctan": swapped(arctanh),
}
