"""Functions defined by integrals: exponential, sine, cosine, Dawson's, and the dilogarithm."""

import math

import mlx.core as mx
import numpy as np

from functape.ops import reduce_kernels
from functape.ops.approximation import (
    bernoulli,
    chebyshev,
    cos,
    exp,
    gauss,
    on_floats,
    polynomial,
    precise,
    sin,
    trailing,
)
from functape.ops.elementwise import absolute, equal, log, maximum, ratio, square, where
from functape.ops.elementwise import cos as cos_op
from functape.ops.elementwise import exp as exp_op
from functape.ops.families import elementwise, scale
from functape.ops.gamma import EULER, PI
from functape.ops.sinc import sinc_derivative


def inverse(x, start):
    """t in (-1, 1] for x in [start, inf)."""
    return 2 * start / mx.maximum(x, start) - 1


def laplace(f, x):
    """x times the integral of e^(-x s) f(s) over s >= 0, in NumPy, for x >= 1."""
    nodes, weights = gauss(200)
    u = 45 * nodes
    return (np.exp(-u) * f(u / x[:, None])) @ (45 * weights)


def point(t, start):
    """x for t, in NumPy: the reverse of `inverse`."""
    return 2 * start / np.maximum(1 + t, 1e-12)


# --- E_n ----------------------------------------------------------------------------------------


def expn_kernel(n, x):
    """The integral of e^(-x t) t^-n over t >= 1: its power series below 1, else a continued
    fraction (DLMF 8.19.8, 8.19.17)."""
    near, z = x <= 1, mx.clip(x, 0, 1)
    n, z = mx.broadcast_arrays(n, z)
    wide, m = trailing(z, 20)
    ahead = m - n[..., None] + 1
    c = mx.array([-(-1) ** k / math.factorial(k) for k in range(20)], dtype=x.dtype)
    harmonic = reduce_kernels.sum(mx.where(ahead < 0, 1 / (m + 1), 0), axis=-1)
    pole = (mx.log(z) + EULER - harmonic)[..., None]
    factors = mx.where(ahead == 0, pole, 1 / mx.where(ahead == 0, 1, ahead))
    small = reduce_kernels.sum(c * mx.power(wide, m) * factors, axis=-1)
    small = mx.where(z == 0, mx.where(n > 1, 1 / (n - 1), math.inf), small)
    out = mx.where(near, small, exp(-x) / fraction(n, mx.where(near, 1, x)))
    out = mx.where(n == 0, exp(-x) / x, out)
    whole = mx.logical_and(n >= 0, n == mx.round(n))
    return mx.where(mx.logical_and(whole, x >= 0), out, math.nan)


def fraction(n, x):
    """x + n - n / (x + n + 2 - 2 (n + 1) / (x + n + 4 - ...)), for x >= 1."""
    last = 90 if precise(x) else 26
    total = x + n + 2 * last
    for k in range(last, 0, -1):
        total = x + n + 2 * (k - 1) - k * (n + k - 1) / total
    return total


def expn_slope(n, x, ans):
    """-E_(n-1)(x), that of E_0 = e^-x / x in another form."""
    return where(equal(n, 0), -ans * (1 + 1 / x), -expn(maximum(n - 1, 0), x))


# --- Ei -----------------------------------------------------------------------------------------


def ei_sum(x):
    """Ei(x) - log x - gamma, in NumPy: the sum of x^k / (k k!)."""
    total, term = np.zeros_like(x), np.ones_like(x)
    for k in range(1, 160):
        term = term * x / k
        total = total + term / k
    return total


def ei_scaled(t, low, high):
    """x e^-x Ei(x) for x in [low, high], in NumPy; beyond 45 by its asymptotic series."""
    if high == math.inf:
        x = point(t, low)
    else:
        x = low + (high - low) * (t + 1) / 2
    series = np.minimum(x, 45)
    near = series * np.exp(-series) * (ei_sum(series) + np.log(series) + EULER)
    far, term = np.ones_like(x), np.ones_like(x)
    for k in range(1, 40):
        term = term * k / np.maximum(x, 45)
        far = far + term
    return np.where(x < 45, near, far)


def expi_kernel(x):
    """Chebyshev series on [0, 6], [6, 12], [12, 24] and beyond; -E_1(-x) below 0."""
    z = mx.clip(x, 1e-37, 6)
    out = z * chebyshev(z / 3 - 1, ei_near, 32) + mx.log(z) + EULER
    growth = exp(0.5 * mx.maximum(x, 1))
    growth = growth / mx.maximum(x, 1) * growth
    for low, high in ((6.0, 12.0), (12.0, 24.0), (24.0, math.inf)):
        if high == math.inf:
            t = inverse(x, low)
        else:
            t = (mx.clip(x, low, high) - low) * (2 / (high - low)) - 1
        out = mx.where(x > low, growth * chebyshev(t, ei_scaled, 40, low, high), out)
    out = mx.where(x < 0, -expn_kernel(mx.array(1, x.dtype), mx.where(x < 0, -x, 1)), out)
    return mx.where(x == 0, -math.inf, out)


def ei_near(t):
    x = 3 * (1 + np.maximum(t, -1 + 1e-9))
    return ei_sum(x) / x


# --- Si and Ci ----------------------------------------------------------------------------------

NEAR = 4.0  # below it power series, in Chebyshev form; beyond it the auxiliary functions


def alternating(t, start):
    """The sum of (-1)^k x^(2k) / ((2k + start) (2k + start)!), in NumPy: Si(x) / x for start 1."""
    square = NEAR**2 * (t + 1) / 2
    total, term = np.zeros_like(t), np.full_like(t, 1 / math.factorial(start))
    for k in range(40):
        n = 2 * k + start
        total = total + term / n
        term = -term * square / ((n + 1) * (n + 2))
    return total


def auxiliary(t, power):
    """x times the integral of e^(-x s) (x s)^power / (1 + s^2), in NumPy."""
    x = point(t, NEAR)
    return laplace(lambda s: (x[:, None] * s) ** power / (1 + s * s), x)


def oscillating(x):
    """x f(x) and x^2 g(x), where Si(x) = pi/2 - f cos x - g sin x, Ci(x) = f sin x - g cos x."""
    t = inverse(x, NEAR)
    return chebyshev(t, auxiliary, 50, 0), chebyshev(t, auxiliary, 50, 1)


def argument(x):
    """t of the power series, and |x| where it is beyond them."""
    size = mx.abs(x)
    return mx.square(mx.minimum(size, NEAR)) * (2 / NEAR**2) - 1, mx.clip(size, NEAR, 1e18)


def si_kernel(x):
    t, far = argument(x)
    f, g = oscillating(far)
    out = 0.5 * PI - (f * cos(far) + g * sin(far) / far) / far
    return mx.where(mx.abs(x) <= NEAR, x * chebyshev(t, alternating, 24, 1), mx.sign(x) * out)


def ci_kernel(x):
    t, far = argument(x)
    f, g = oscillating(far)
    z = mx.minimum(mx.abs(x), NEAR)
    near = EULER + mx.log(z) - mx.square(z) * chebyshev(t, alternating, 24, 2)
    out = mx.where(x <= NEAR, near, (f * sin(far) - g * cos(far) / far) / far)
    return mx.where(x < 0, math.nan, out)


# --- Dawson's integral --------------------------------------------------------------------------

WIDTH = 6.0


def dawson_reference(t):
    """(x^2 + WIDTH) D(x) / x, where D(x) / x is the integral of e^(x^2 (u^2 - 1)) over [0, 1]."""
    square = WIDTH * (1 + t) / np.maximum(1 - t, 1e-12)
    nodes, weights = gauss(200)
    reach = np.minimum(1.0, 45 / np.maximum(square, 1e-300))  # of v = 1 - u
    v = reach[:, None] * nodes
    return (square + WIDTH) * reach * (np.exp(-square[:, None] * v * (2 - v)) @ weights)


def dawsn_kernel(x):
    square = mx.square(x)
    scaled = square + WIDTH
    near = x / scaled * chebyshev(1 - 2 * WIDTH / scaled, dawson_reference, 70)
    return mx.where(mx.abs(x) < 1e15, near, 0.5 / x)


def dawsn_slope(x, ans):
    """1 - 2 x D(x); far out, where that cancels, its asymptotic series."""
    far = absolute(x) > 25
    u = square(1 / where(far, x, 1.0))
    series = u * (-0.5 - u * (0.75 + u * (1.875 + u * (6.5625 + u * 29.53125))))
    return where(far, series, 1 - 2 * where(far, 0.0, x) * ans)


# --- dilogarithm --------------------------------------------------------------------------------


def spence_kernel(x):
    """Li2(1 - x), in u = -log x the sum of B_n u^(n+1) / (n + 1)!, for x in [1/2, 2]; other x are
    taken there by the reflections x -> 1 / x and x -> 1 - x."""
    large = x > 2
    y = mx.where(large, 1 / mx.where(large, x, 1), x)
    low = y < 0.5
    u = -mx.log(mx.where(low, 1 - y, y))
    even = [bernoulli(2 * k) / math.factorial(2 * k + 1) for k in range(1, 12)]
    out = u * (1 - u / 4 + mx.square(u) * polynomial(mx.square(u), even))
    inside = mx.logical_and(low, y > 0)
    product = mx.where(inside, mx.log(mx.where(inside, y, 1)) * -u, 0)
    out = mx.where(low, PI**2 / 6 - product - out, out)
    out = mx.where(large, -0.5 * mx.square(mx.log(mx.where(large, x, 1))) - out, out)
    return mx.where(x < 0, math.nan, out)


def log_quotient(x):
    """log(x) / (1 - x); near 1 by its Taylor series."""
    y = 1 - x
    near = (y < 0.05) * (y > -0.05)
    z = where(near, y, 0.0)
    series = -1 / 14
    for k in range(13, 0, -1):
        series = series * z - 1 / k
    return where(near, series, ratio(log(x), y))


# --- the ops ------------------------------------------------------------------------------------

expn = elementwise("expn", on_floats(expn_kernel), None, lambda n, x, ans: expn_slope(n, x, ans),
                   args=("n", "x"), unbounded=True,
                   doc="The generalised exponential integral E_n(x) of whole n, for x > 0.")
expi = elementwise("expi", on_floats(expi_kernel), lambda g, x: ratio(scale(g, exp_op(x)), x),
                   doc="The exponential integral Ei(x).")
si = elementwise("si", on_floats(si_kernel), lambda x: sinc_derivative(x * (1 / PI), order=0),
                 doc="The sine integral: of sin(t) / t from 0 to x.")
ci = elementwise("ci", on_floats(ci_kernel), lambda g, x: ratio(scale(g, cos_op(x)), x),
                 doc="The cosine integral, for x > 0: minus that of cos(t) / t from x to infinity.")
dawsn = elementwise("dawsn", on_floats(dawsn_kernel), lambda x, ans: dawsn_slope(x, ans),
                    doc="Dawson's integral: of e^(t^2 - x^2) from 0 to x.")
spence = elementwise("spence", on_floats(spence_kernel), lambda x: log_quotient(x),
                     unbounded=True, doc="The dilogarithm of 1 - x, for x >= 0.")
