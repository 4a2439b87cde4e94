"""Exponentials, logarithms, roots and what is made of them, of Pairs.

Infinities, NaNs and the signs of zeros are C99's, Annex G, which the array API standard repeats.
"""

import math

import mlx.core as mx

from functape.ops import float64
from functape.pairs.array import Pair, divide

INF = math.inf
FAR = 700.0  # exp of more may overflow before a small cosine brings it back
number = float64.number  # two Python numbers in a `where` would be float32


def either_infinite(a, b):
    return mx.logical_or(mx.isinf(a), mx.isinf(b))


def like_sign(size, a):
    """`size`, which is not negative, with the sign of a; also of zeros."""
    return mx.where(mx.logical_or(a < 0, 1 / a < 0), -size, size)


def swapped(f):
    """The function of circles for a function of hyperbolas: i f(z / i)."""

    def kernel(z):
        found = f(Pair(z.im, -z.re))
        return Pair(-found.im, found.re)

    return kernel


# --- exponentials -------------------------------------------------------------------------------


def turn(size, angle):
    """size (cos angle + i sin angle), real where the angle is 0, whatever the size."""
    return Pair(size * float64.cos(angle), mx.where(angle == 0, angle, size * float64.sin(angle)))


def exp(z):
    a, b = z.re, z.im
    far = a > FAR
    found = turn(float64.exp(mx.where(far, a - 100, a)), b)
    stretch = mx.where(far, number(math.exp(100)), 1.0)
    re, im = found.re * stretch, found.im * stretch
    lost = mx.logical_not(mx.isfinite(b))
    none = mx.logical_and(a == -INF, lost)
    re = mx.where(none, 0, mx.where(mx.logical_and(a == INF, lost), INF, re))
    return Pair(re, mx.where(none, 0, im))


def expm1(z):
    a, b = z.re, z.im
    whole = exp(z)
    re = mx.expm1(a) * float64.cos(b) - 2 * mx.square(float64.sin(0.5 * b))
    near = mx.logical_and(mx.logical_and(mx.isfinite(a), mx.isfinite(b)), a < FAR)
    return Pair(mx.where(near, re, whole.re - 1), whole.im)


def hyperbolic(a):
    """cosh a, sinh a, both divided by what they have to be multiplied with last."""
    size = mx.abs(a)
    far = size > FAR
    large = 0.5 * float64.exp(mx.where(far, size - 100, 0))
    return (mx.where(far, large, mx.cosh(a)), mx.where(far, like_sign(large, a), mx.sinh(a)),
            mx.where(far, number(math.exp(100)), 1.0))


def sinh(z):
    a, b = z.re, z.im
    cosh_a, sinh_a, stretch = hyperbolic(a)
    re, im = sinh_a * float64.cos(b) * stretch, cosh_a * float64.sin(b) * stretch
    lost, endless = mx.logical_not(mx.isfinite(b)), mx.isinf(a)
    re = mx.where(mx.logical_and(lost, endless), INF, mx.where(mx.logical_and(lost, a == 0), a, re))
    return Pair(re, mx.where(b == 0, b, im))


def cosh(z):
    a, b = z.re, z.im
    cosh_a, sinh_a, stretch = hyperbolic(a)
    re, im = cosh_a * float64.cos(b) * stretch, sinh_a * float64.sin(b) * stretch
    lost = mx.logical_not(mx.isfinite(b))
    re = mx.where(mx.logical_and(lost, mx.isinf(a)), INF, re)
    im = mx.where(mx.logical_and(lost, a == 0), 0, im)
    return Pair(re, mx.where(b == 0, mx.where(like_sign(mx.ones_like(a), a) < 0, -b, b), im))


def tanh(z):
    """Kahan's formula (1987); far out tanh is 1 but for 4 sin b cos b e^(-2 |a|) i."""
    a, b = z.re, z.im
    t, s = mx.tan(b), mx.sinh(mx.clip(a, -22, 22))
    beta = 1 + mx.square(t)
    whole = 1 + beta * mx.square(s)
    re, im = beta * mx.sqrt(1 + mx.square(s)) * s / whole, t / whole
    far = mx.abs(a) > 22
    tail = 4 * float64.sin(b) * float64.cos(b) * float64.exp(-2 * mx.abs(a))
    re = mx.where(far, like_sign(mx.ones_like(a), a), re)
    lost, endless = mx.logical_not(mx.isfinite(b)), mx.isinf(a)
    re = mx.where(a == 0, a, mx.where(mx.logical_and(lost, mx.logical_not(endless)), b * 0, re))
    tail = mx.where(mx.logical_and(lost, endless), like_sign(mx.zeros_like(b), b), tail)
    return Pair(re, mx.where(b == 0, b, mx.where(far, tail, im)))


# --- logarithms ---------------------------------------------------------------------------------


def exact_square(a):
    """a^2 as the sum of two numbers (Dekker 1971)."""
    high = a * 134217729.0
    high = high - (high - a)
    low = a - high
    p = a * a
    return p, ((high * high - p) + 2 * high * low) + low * low


def exact_sum(a, b):
    """a + b as the sum of two numbers (Knuth)."""
    s = a + b
    rest = s - a
    return s, (a - (s - rest)) + (b - rest)


def sum_of_squares(start, a, b):
    """start + a^2 + b^2, with the digits that cancel."""
    (p, p_low), (q, q_low) = exact_square(a), exact_square(b)
    s, s_low = exact_sum(start, p)
    s, more = exact_sum(s, q)
    return s + (s_low + more + p_low + q_low)


def log_size(a, b, excess):
    """log |a + bi|; near the unit circle by `excess`, |a + bi|^2 - 1."""
    x, y = mx.abs(a), mx.abs(b)
    high, low = mx.maximum(x, y), mx.minimum(x, y)
    r = mx.where(low == 0, 0, low / high)
    found = mx.log(high) + 0.5 * mx.log1p(mx.square(r))
    near = mx.logical_and(excess > -0.5, excess < 2)
    return mx.where(either_infinite(a, b), INF, mx.where(near, 0.5 * mx.log1p(excess), found))


def log(z):
    a, b = z.re, z.im
    excess = sum_of_squares(mx.full(a.shape, -1.0, mx.float64), a, b)
    return Pair(log_size(a, b, excess), mx.arctan2(b, a))


def log1p(z):
    a, b = z.re, z.im
    return Pair(log_size(1 + a, b, sum_of_squares(2 * a, a, b)), mx.arctan2(b, 1 + a))


def log_to(base):
    """The logarithm to a base."""
    factor = 1 / math.log(base)

    def kernel(z):
        found = log(z)
        return Pair(found.re * factor, found.im * factor)

    return kernel


# --- roots --------------------------------------------------------------------------------------


def scales(a, b):
    """A power of four that brings numbers to where nothing over- or underflows, and the inverse of
    its root."""
    big = mx.maximum(mx.abs(a), mx.abs(b))
    small, large = big < 2.0**-960, big > 2.0**960
    return (mx.where(small, number(2.0**120), mx.where(large, number(2.0**-120), 1.0)),
            mx.where(small, number(2.0**-60), mx.where(large, number(2.0**60), 1.0)))


def sqrt(z):
    a, b = z.re, z.im
    factor, back = scales(a, b)
    x, y = mx.abs(a) * factor, mx.abs(b) * factor
    high, low = mx.maximum(x, y), mx.minimum(x, y)
    r = mx.where(low == 0, 0, low / high)
    t = mx.sqrt(0.5 * (x + high * mx.sqrt(1 + mx.square(r))))
    other = mx.where(t == 0, 0, y / (2 * t)) * back
    t = t * back
    left = a < 0
    re, im = mx.where(left, other, t), mx.where(left, t, other)
    endless = mx.isinf(b)  # whatever the real part is
    re = mx.where(endless, INF, re)
    im = mx.where(endless, INF, im)
    flat = mx.logical_and(mx.isinf(a), mx.logical_not(endless))
    zero = b * 0  # NaN where b is
    re = mx.where(flat, mx.where(left, mx.abs(zero), INF), re)
    im = mx.where(flat, mx.where(left, INF, mx.abs(zero)), im)
    return Pair(re, like_sign(im, b))


def rsqrt(z):
    return divide(1.0, sqrt(z))


KERNELS = {
    "exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "log2": log_to(2),
    "log10": log_to(10), "sqrt": sqrt, "rsqrt": rsqrt, "sinh": sinh, "cosh": cosh, "tanh": tanh,
    "sin": swapped(sinh), "cos": lambda z: cosh(Pair(-z.im, z.re)), "tan": swapped(tanh),
}
