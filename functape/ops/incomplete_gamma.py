"""The incomplete gamma function, with derivatives of every order in both arguments.

Under the gamma density p(t) = t^(a-1) e^-t / Gamma(a) let s(t) = d log p / da = log t - digamma(a).
The op is the moment M_k(a, x), the integral of p s^k over [0, x], so M_0 is gammainc, and

    dM_k/dx = p(x) s(x)^k,        dM_k/da = M_(k+1) - k digamma'(a) M_(k-1).

The kernel integrates the shorter tail: over the logarithm of t the integrand is analytic and
log-concave, so a Gauss rule of fixed size is exact on a range that holds all but e^-fall of it.
"""

import math

import mlx.core as mx

from functape.ops import reduce_kernels
from functape.ops.approximation import (
    exp,
    integrate,
    log1p_minus,
    on_floats,
    polynomial,
    precise,
    trailing,
    whole_power,
)
from functape.ops.elementwise import exp as exp_op
from functape.ops.elementwise import log, ratio
from functape.ops.families import elementwise, scale
from functape.ops.gamma import (
    digamma,
    digamma_error,
    digamma_kernel,
    gammaln_kernel,
    log_gamma_1p,
    polygamma,
    polygamma_kernel,
    stirling_error,
)

SMALL = 1.5  # below it the gamma functions are power series in x

# --- the kernels --------------------------------------------------------------------------------


def gamma_prefactor(a, x):
    """x^a e^-x / Gamma(a), without cancellation for large a."""
    large = a >= 8
    b = mx.where(large, a, 8)
    exponent = b * log1p_minus((x - b) / b) - stirling_error(b)
    by_stirling = mx.sqrt(b / (2 * math.pi)) * exp(exponent)
    c = mx.where(large, 1, a)
    return mx.where(large, by_stirling, exp(c * mx.log(x) - x - gammaln_kernel(c)))


def score(a, x):
    """log x - digamma(a), without cancellation for large a."""
    large = a >= 8
    b = mx.where(large, a, 8)
    by_series = mx.log1p((x - b) / b) + digamma_error(b)
    return mx.where(large, by_series, mx.log(x) - digamma_kernel(mx.where(large, 1, a)))


def range_of(rate, curvature, fall):
    """Where rate v + curvature v^2 reaches `fall`."""
    return 2 * fall / (rate + mx.sqrt(mx.square(rate) + 4 * curvature * fall))


def exp_minus_1_minus(w):
    """e^w - 1 - w."""
    if precise(w):
        return mx.expm1(w) - w
    near = mx.abs(w) < 0.5
    series = mx.square(w) * polynomial(w, [1 / math.factorial(k) for k in range(2, 10)])
    return mx.where(near, series, mx.expm1(w) - w)


def tail_ratio(a, x, order, upper):
    """The moment of the tail beyond x over x p(x), for x >= SMALL: with t = x e^w the integral over
    w, up for x >= a, down else."""
    fall = 42.0 if precise(x) else 20.0
    v = range_of(mx.abs(x - a), mx.where(upper, x / 2, x / 3), fall)
    up = mx.minimum(v, mx.log1p((fall + a * v) / x))
    down = mx.where(v < 1, v, (fall + x) / a)
    reach = mx.where(upper, up, -down)

    def density(u, a, x, reach, s):
        w = u * reach
        value = exp((a - x) * w - x * exp_minus_1_minus(w))
        return value * whole_power(s + w, order) if order else value

    nodes = 48 if precise(x) else 24
    s = score(a, x) if order else x
    return mx.abs(reach) * integrate(density, nodes, a, x, reach, s)


def subfactorial(n):
    """Of n: (-1)^n times the n-th central moment of -log U, U uniform on [0, 1]."""
    return sum((-1) ** k * math.perm(n, n - k) for k in range(n + 1))


def gamma_series(a, x, log_x, order):
    """(J_0, rest) for x <= SMALL, terms of the sum of (-x)^n / n! a J_n over n, where J_n is the
    integral of e^-(a + n)v (s - v)^order over v >= 0: the lower moment over x^a / Gamma(1 + a)."""
    first = log_x - digamma_kernel(1 + a)
    s = first + 1 / a
    lead = sum(math.comb(order, j) * (-1) ** j * subfactorial(j)
               * whole_power(first, order - j) * whole_power(1 / a, j)
               for j in range(order + 1) if subfactorial(j))
    wide, n = trailing(x, 25 if precise(x) else 13, start=1)
    factors = mx.cumprod(-wide / n, axis=-1)
    rate, s = a[..., None] + n, s[..., None]
    moment = 1 / rate
    for k in range(1, order + 1):
        moment = (whole_power(s, k) - k * moment) / rate
    return lead, a * reduce_kernels.sum(factors * moment, axis=-1)


def small_moment(a, x, order, upper):
    """The moment for x <= SMALL: the lower one, but for order 0 the one that is asked for."""
    log_x = mx.log(x)
    lead, rest = gamma_series(a, x, log_x, order)
    small = a < 0.5
    log_gamma = mx.where(small, log_gamma_1p(mx.where(small, a, 0)), gammaln_kernel(1 + a))
    exponent = a * log_x - log_gamma
    if upper and order == 0:
        return -mx.expm1(exponent) - exp(exponent) * rest
    return exp(exponent) * (lead + rest)


def whole_moments(cumulants):
    """Moments 0, 1, ... of a variable of mean 0 by its cumulants of order 2, 3, ..."""
    moments = [1.0, 0.0]
    for k in range(2, len(cumulants) + 2):
        moments.append(sum(math.comb(k - 1, j - 1) * cumulants[j - 2] * moments[k - j]
                           for j in range(2, k + 1)))
    return moments


def gamma_moment_kernel(x, y, order, upper):
    """The moment of order `order` over [0, y], or over [y, inf), where a = x."""
    inside = mx.logical_and(mx.logical_and(x > 0, y > 0), mx.isfinite(y))
    a, t = mx.where(x > 0, x, 1), mx.where(inside, y, 1)
    series = t < SMALL
    small = small_moment(a, mx.where(series, t, 1), order, upper)
    far = t >= a  # the upper tail is the shorter one
    x_tail = mx.where(series, SMALL, t)
    tail = gamma_prefactor(a, x_tail) * tail_ratio(a, x_tail, order, far)
    found = mx.where(series, small, tail)
    of_upper = mx.where(series, upper and order == 0, far)
    whole = whole_moments([polygamma_kernel(a, n=k - 1) for k in range(2, order + 1)])[order]
    out = mx.where(mx.equal(of_upper, upper), found, whole - found)
    out = mx.where(inside, out, mx.where(mx.equal(y > 0, upper), 0, whole))
    return mx.where(mx.logical_and(x > 0, y >= 0), out, math.nan)


def gamma_density_kernel(x, y):
    """y^(x-1) e^-y / Gamma(x) for y > 0; its limits at y = 0 and infinity."""
    inside = mx.logical_and(mx.logical_and(x > 0, y > 0), mx.isfinite(y))
    a, t = mx.where(x > 0, x, 1), mx.where(inside, y, 1)
    at_zero = mx.where(x < 1, math.inf, mx.where(x == 1, 1.0, 0.0))
    edge = mx.where(y == 0, at_zero, 0.0).astype(x.dtype)
    out = mx.where(inside, gamma_prefactor(a, t) / t, edge)
    return mx.where(x > 0, out, math.nan)


def gamma_ratio_kernel(x, y, order):
    """The lower moment, or beyond the mean minus the upper one, over t p(t), where a = x and
    t = e^y: the powers of t cancel, so t may be too small for a floating-point number."""
    t = exp(y)
    series = t < SMALL
    lead, rest = gamma_series(x, mx.where(series, t, 1), mx.where(series, y, 0), order)
    small = (lead + rest) * exp(mx.where(series, t, 0)) / x
    far = t >= x
    tail = tail_ratio(x, mx.where(series, SMALL, t), order, far)
    return mx.where(series, small, mx.where(far, -tail, tail))


# --- the ops ------------------------------------------------------------------------------------


def gamma_score(a, x):
    return log(x) - digamma(a)


def gamma_moment_by_a(x, y, order, upper):
    slope = gamma_moment(x, y, order=order + 1, upper=upper)
    if order:
        slope = slope - order * polygamma(x, n=1) * gamma_moment(x, y, order=order - 1, upper=upper)
    return slope


def times_powers(g, s, n):
    for _ in range(n):
        g = scale(g, s)
    return g


gamma_density = elementwise(
    "gamma_density", on_floats(gamma_density_kernel),
    lambda g, x, y, ans: scale(scale(g, ans), gamma_score(x, y)),
    lambda g, x, y, ans: scale(scale(g, ans), ratio(x - 1, y) - 1), args=("x", "y"),
    doc="The gamma density y^(x-1) e^-y / Gamma(x).",
)
gamma_moment = elementwise(
    "gamma_moment", on_floats(gamma_moment_kernel),
    lambda g, x, y, order, upper: scale(g, gamma_moment_by_a(x, y, order, upper)),
    lambda g, x, y, order, upper: times_powers(
        scale(-g if upper else g, gamma_density(x, y)), gamma_score(x, y), order),
    args=("x", "y"),
    doc="The regularised incomplete gamma function for order 0: lower, or upper.",
)


def ratio_by_a(a, y, ans, order):
    slope = gamma_ratio(a, y, order=order + 1) - scale(y - digamma(a), ans)
    if order:
        slope = slope - order * polygamma(a, n=1) * gamma_ratio(a, y, order=order - 1)
    return slope


def ratio_by_y(g, a, y, ans, order):
    return times_powers(g, y - digamma(a), order) - g * ((a - exp_op(y)) * ans)


gamma_ratio = elementwise(
    "gamma_ratio", on_floats(gamma_ratio_kernel),
    lambda g, x, y, ans, order: scale(g, ratio_by_a(x, y, ans, order)),
    lambda g, x, y, ans, order: ratio_by_y(g, x, y, ans, order), args=("x", "y"),
    doc="A moment of the shorter tail of the gamma density beyond t = e^y, over t p(t).",
)
