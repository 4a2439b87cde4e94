"""The incomplete beta function, with derivatives of every order in all three arguments.

As in incomplete_gamma: the op is the integral over [0, x] of the beta density times powers of its
scores, s1 = log t - digamma(a) + digamma(a + b) and s2 = log(1 - t) - digamma(b) + digamma(a + b).
"""

import math

import mlx.core as mx

from functape.ops import reduce_kernels
from functape.ops.approximation import (
    exp,
    integrate,
    log1p_minus,
    on_floats,
    precise,
    trailing,
    whole_power,
)
from functape.ops.elementwise import log, log1p, ratio
from functape.ops.families import elementwise, scale
from functape.ops.gamma import (
    betaln_kernel,
    digamma,
    digamma_error,
    digamma_kernel,
    polygamma,
    polygamma_kernel,
    stirling_error,
)
from functape.ops.incomplete_gamma import (
    SMALL,
    exp_minus_1_minus,
    range_of,
    subfactorial,
    times_powers,
)

# --- the kernels --------------------------------------------------------------------------------


def deviation(a, b, x):
    """x - a / (a + b)."""
    return (b * x - a * (1 - x)) / (a + b)


def beta_prefactor(a, b, x):
    """x^a (1 - x)^b / B(a, b), without cancellation for large a and b."""
    large = mx.minimum(a, b) >= 8
    c, d = mx.where(large, a, 8), mx.where(large, b, 8)
    n, gap = c + d, deviation(c, d, x)
    exponent = c * log1p_minus(gap * n / c) + d * log1p_minus(-gap * n / d)
    exponent = exponent + stirling_error(n) - stirling_error(c) - stirling_error(d)
    by_stirling = mx.sqrt(c * d / (2 * math.pi * n)) * exp(exponent)
    direct = exp(a * mx.log(x) + b * mx.log1p(-x) - betaln_kernel(a, b))
    return mx.where(large, by_stirling, direct)


def beta_score(a, b, x):
    """log x - digamma(a) + digamma(a + b), without cancellation for large a."""
    large = a >= 8
    c = mx.where(large, a, 8)
    ratio_to_mean = deviation(c, b, x) * (c + b) / c
    by_series = mx.log1p(ratio_to_mean) + digamma_error(c) - digamma_error(c + b)
    direct = mx.log(x) - digamma_kernel(a) + digamma_kernel(a + b)
    return mx.where(large, by_series, direct)


def beta_range(p, n, z, rate, fall):
    """Where f(v) = p v + n log1p(z expm1(-v)) reaches `fall`: from above, by Newton's steps, since
    f is convex and increasing. To start, its curvature n t (1 - t) up to v = 1, or its asymptote.
    """
    odds = z + (1 - z) * math.e
    curvature = n * z * (1 - z) * mx.minimum(1, math.e / mx.square(odds))
    v = range_of(rate, curvature / 2, fall)
    v = mx.where(v < 1, v, (fall - n * mx.log1p(-z)) / p)
    for _ in range(3):
        rest = z * mx.expm1(-v)
        slope = p - n * (z + rest) / (1 + rest)
        v = v - (p * v + n * mx.log1p(rest) - fall) / mx.maximum(slope, 1e-3 * p)
    return v


def beta_tail(a, b, x, order, far):
    """The moment of the shorter tail, below x or (far) above it, over the logit of t. Above x the
    roles of a, x and b, 1 - x are exchanged; then t runs down from z."""
    fall = 42.0 if precise(x) else 20.0
    n = a + b
    p, z = mx.where(far, b, a), mx.where(far, 1 - x, x)
    rate = mx.abs(b * x - a * (1 - x))  # p - n z, exact also for z near 1
    reach = beta_range(p, n, z, rate, fall)
    s, other = beta_score(a, b, x), beta_score(b, a, 1 - x)
    s, other = mx.where(far, other, s), mx.where(far, s, other)

    def density(u, n, r, turn, rate, reach, s, other, far):
        w = -u * reach
        v = w * turn
        inner = r * mx.expm1(v)
        if precise(r):
            curve = mx.log1p(inner) - r * v
        else:
            curve = log1p_minus(inner) + r * exp_minus_1_minus(v)
        value = exp(rate * w - n * curve)
        if order == (0, 0):
            return value
        log_rest = mx.log1p(inner) + mx.where(turn > 0, 0, w)
        s, other = s + w - log_rest, other - log_rest
        first, second = mx.where(far, other, s), mx.where(far, s, other)
        return value * whole_power(first, order[0]) * whole_power(second, order[1])

    # log(1 - z + z e^w) is written in the smaller of z and 1 - z
    turn = mx.where(z <= 0.5, 1.0, -1.0).astype(x.dtype)
    r = mx.minimum(x, 1 - x)
    nodes = 48 if precise(x) else 24
    held = (n, r, turn, rate, reach, s, other, far)
    return beta_prefactor(a, b, x) * reach * integrate(density, nodes, *held)


def binomial_jets(b, x, order):
    """The terms m = 1, 2, ... of (1 - x)^(b - 1), along a trailing axis, and their Taylor
    coefficients in b up to an order; and m."""
    wide, m = trailing(x, 55 if precise(x) else 27, start=1)
    growth, change = (m - b[..., None]) * wide / m, -wide / m
    jets, before = [mx.cumprod(growth, axis=-1)], mx.ones_like(x)
    for _ in range(order):  # c_m = growth_m c_(m-1) + change_m times the lower coefficient's
        inflow = change * mx.concatenate([before[..., None], jets[-1][..., :-1]], axis=-1)
        value, terms = mx.zeros_like(x), []
        for i in range(len(m)):
            value = growth[..., i] * value + inflow[..., i]
            terms.append(value)
        jets.append(mx.stack(terms, axis=-1))
        before = mx.zeros_like(x)
    return jets, m


def beta_series(a, b, x, orders):
    """The lower moment for x <= 1/2 and b x <= SMALL, term by term from the binomial series of
    (1 - t)^(b - 1), whose coefficients are carried as Taylor polynomials in b."""
    j, k = orders
    first = mx.log(x) - digamma_kernel(1 + a) + digamma_kernel(a + b)
    s = first + 1 / a
    constant = digamma_kernel(a + b) - digamma_kernel(b) if k else None
    lead = sum(math.comb(j, i) * (-1) ** i * subfactorial(i)
               * whole_power(first, j - i) * whole_power(1 / a, i)
               for i in range(j + 1) if subfactorial(i))
    jets, m = binomial_jets(b, x, k)
    rate, s = a[..., None] + m, s[..., None]
    moment = 1 / rate
    for i in range(1, j + 1):
        moment = (whole_power(s, i) - i * moment) / rate
    totals = [a * reduce_kernels.sum(c * moment, axis=-1) for c in jets]
    totals[0] = totals[0] + lead
    total = totals[0] if not k else sum(
        math.perm(k, i) * whole_power(constant, k - i) * t for i, t in enumerate(totals))
    return exp(a * mx.log(x) - betaln_kernel(a, b)) / a * total


def whole_beta_moment(a, b, orders):
    """Over all of [0, 1], by the joint cumulants of log t and log(1 - t)."""
    if sum(orders) < 2:
        return float(orders == (0, 0))

    def cumulant(j, k):
        if j + k == 1:
            return 0.0
        own = [polygamma_kernel(c, n=i - 1) for c, i in ((a, j), (b, k)) if i == j + k]
        return sum(own) - polygamma_kernel(a + b, n=j + k - 1)

    def moment(j, k):
        if j + k < 2:
            return float(j + k == 0)
        j1, k1 = (j - 1, k) if j else (j, k - 1)
        return sum(math.comb(j1, r) * math.comb(k1, q) * cumulant(j - j1 + r, k - k1 + q)
                   * moment(j1 - r, k1 - q) for r in range(j1 + 1) for q in range(k1 + 1))

    return moment(*orders)


def beta_moment_kernel(x, y, z, order):
    """The moment of orders `order` over [0, z], where a = x and b = y."""
    valid = mx.logical_and(x > 0, y > 0)
    inside = mx.logical_and(valid, mx.logical_and(z > 0, z < 1))
    a, b, t = mx.where(valid, x, 1), mx.where(valid, y, 1), mx.where(inside, z, 0.5)
    half = t <= 0.5
    # the series at the nearer end, where it converges fast
    near, c, d = mx.where(half, t, 1 - t), mx.where(half, a, b), mx.where(half, b, a)
    by_series = d * near <= SMALL
    near, d = mx.where(by_series, near, 0.5), mx.where(by_series, d, 1)
    flipped = order[::-1]
    small = beta_series(c, d, near, order)
    if flipped != order:
        small = mx.where(half, small, beta_series(c, d, near, flipped))
    far = t >= a / (a + b)
    tail = beta_tail(a, b, t, order, far)
    found = mx.where(by_series, small, tail)
    of_upper = mx.where(by_series, mx.logical_not(half), far)
    whole = whole_beta_moment(a, b, order)
    out = mx.where(of_upper, whole - found, found)
    out = mx.where(inside, out, mx.where(z <= 0, 0.0, whole))
    return mx.where(mx.logical_and(valid, mx.logical_and(z >= 0, z <= 1)), out, math.nan)


def beta_density_kernel(x, y, z):
    """z^(x-1) (1 - z)^(y-1) / B(x, y) inside (0, 1), and its limits at the ends."""
    valid = mx.logical_and(x > 0, y > 0)
    inside = mx.logical_and(valid, mx.logical_and(z > 0, z < 1))
    a, b, t = mx.where(valid, x, 1), mx.where(valid, y, 1), mx.where(inside, z, 0.5)
    exponent = mx.where(z <= 0, a, b)
    at_end = mx.where(exponent < 1, math.inf, mx.where(exponent == 1, mx.maximum(a, b), 0))
    at_end = mx.where(mx.logical_or(z < 0, z > 1), 0, at_end)
    out = mx.where(inside, beta_prefactor(a, b, t) / (t * (1 - t)), at_end)
    return mx.where(valid, out, math.nan)


# --- the ops ------------------------------------------------------------------------------------


def beta_moment_by(a, b, x, order, which):
    """The derivative of a moment in its parameter number `which`."""
    up = tuple(n + (i == which) for i, n in enumerate(order))
    slope = beta_moment(a, b, x, order=up)
    for i, n in enumerate(order):
        if n:
            down = tuple(m - (k == i) for k, m in enumerate(order))
            change = polygamma(a + b, n=1)
            if i == which:
                change = change - polygamma(b if which else a, n=1)
            slope = slope + n * change * beta_moment(a, b, x, order=down)
    return slope


def beta_scores(a, b, x):
    common = digamma(a + b)
    return common + log(x) - digamma(a), common + log1p(-x) - digamma(b)


def scaled_by_scores(g, a, b, x, order):
    first, second = beta_scores(a, b, x)
    return times_powers(times_powers(g, first, order[0]), second, order[1])


beta_density = elementwise(
    "beta_density", on_floats(beta_density_kernel),
    lambda g, x, y, z, ans: scale(scale(g, ans), beta_scores(x, y, z)[0]),
    lambda g, x, y, z, ans: scale(scale(g, ans), beta_scores(x, y, z)[1]),
    lambda g, x, y, z, ans: scale(scale(g, ans), ratio(x - 1, z) - ratio(y - 1, 1 - z)),
    doc="The beta density z^(x-1) (1 - z)^(y-1) / B(x, y).",
)
beta_moment = elementwise(
    "beta_moment", on_floats(beta_moment_kernel),
    lambda g, x, y, z, order: scale(g, beta_moment_by(x, y, z, order, 0)),
    lambda g, x, y, z, order: scale(g, beta_moment_by(x, y, z, order, 1)),
    lambda g, x, y, z, order: scaled_by_scores(
        scale(g, beta_density(x, y, z)), x, y, z, order),
    doc="The regularised incomplete beta function for order (0, 0).",
)
