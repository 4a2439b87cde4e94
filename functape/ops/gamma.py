"""The gamma function and its relatives: one statement per op.

Each derivative is an op of this file again: gammaln' = digamma, digamma' = polygamma(1), and so
on through Hurwitz's zeta, so all orders exist.
"""

import math
from fractions import Fraction

import mlx.core as mx

from functape.ops import reduce_kernels
from functape.ops.approximation import (
    bernoulli,
    exp,
    on_floats,
    polynomial,
    precise,
    sin,
    sin_pi,
    trailing,
    weighted,
    whole_power,
)
from functape.ops.elementwise import flat, scale
from functape.ops.families import elementwise

PI, EULER = math.pi, 0.57721566490153286061

# --- Stirling's series --------------------------------------------------------------------------


def stirling_error(x):
    """log Gamma(x) - [(x - 1/2) log x - x + log(2 pi) / 2], for x >= 8."""
    terms = 9 if precise(x) else 4
    c = [bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, terms)]
    return polynomial(1 / mx.square(x), c) / x


def digamma_error(x):
    """log x - digamma(x), for x >= 8."""
    terms = 10 if precise(x) else 4
    c = [bernoulli(2 * k) / (2 * k) for k in range(1, terms)]
    return 0.5 / x + polynomial(1 / mx.square(x), c) / mx.square(x)


# --- log Gamma ----------------------------------------------------------------------------------


def zeta_minus_one(n, stop=200):
    """zeta(n) - 1 in double precision, by Euler and Maclaurin."""
    tail = 1 / (n - 1) * stop + 0.5 + n / (12 * stop) - n * (n + 1) * (n + 2) / (720 * stop**3)
    return sum(k ** -n for k in range(stop - 1, 1, -1)) + tail * stop ** -n


TAYLOR = [1 - EULER] + [(-1) ** n * zeta_minus_one(n) / n for n in range(2, 30)]


def log_gamma_2p(z):
    """log Gamma(2 + z) for |z| <= 1/2: its Taylor series, exact in relative terms at z = 0."""
    return z * polynomial(z, TAYLOR if precise(z) else TAYLOR[:14])


def log_gamma_1p(z):
    """log Gamma(1 + z) for |z| <= 1/2, exact in relative terms at z = 0."""
    return log_gamma_2p(z) - mx.log1p(z)


def reduced(x):
    """(z, product), where Gamma(x) = Gamma(2 + z) product, |z| <= 1/2, for -1/2 <= x < 8.5."""
    whole = mx.clip(mx.round(x), 0, 8)
    z = x - whole
    product = mx.where(whole < 2, 1 / (1 + z), 1)
    product = mx.where(whole < 1, product / x, product)
    wide, k = trailing(x, 6, start=1)
    factors = mx.where(whole[..., None] >= k + 2, wide - k, 1)
    return z, product * reduce_kernels.prod(factors, axis=-1)


def folded(x):
    """(x or -x, where it is -x): all that is below -1/2 is reflected. What lies between that and 0
    is not, so that the pole at 0 and its sides are exact."""
    below = x < -0.5
    return mx.where(below, -x, x), below


def log_gamma(x):
    """log |Gamma(x)| for x >= -1/2: by reduction to [1.5, 2.5], beyond 8.5 by Stirling."""
    near = x < 8.5
    low = mx.where(near, x, 2)
    z, product = reduced(low)
    # around 1 the product is 1 / (1 + z), whose logarithm is exact in another form
    small = log_gamma_2p(z) + mx.where(mx.round(low) == 1, -mx.log1p(z), mx.log(mx.abs(product)))
    y = mx.where(near, 9, x)
    large = (y - 0.5) * mx.log(y) - y + (0.5 * math.log(2 * PI) + stirling_error(y))
    return mx.where(near, small, mx.where(mx.isinf(x), x, large))


def gammaln_kernel(x):
    """Below -1/2 by reflection: log|Gamma(x)| = log|pi / (x sin(pi x))| - log Gamma(-x)."""
    y, below = folded(x)
    out = log_gamma(y)
    factor = mx.abs(x * sin_pi(mx.where(below, x, 0.5)))
    out = mx.where(below, math.log(PI) - mx.log(factor) - out, out)
    return mx.where(x == -math.inf, math.inf, out)


def gamma_kernel(x):
    """Beyond 8.5 by Stirling's formula, its power in two halves so as not to overflow early; NaN
    at -1, -2, ..., where the two sides differ."""
    positive, below = folded(x)
    near, infinite = positive < 8.5, positive > (172 if precise(x) else 36)
    z, product = reduced(mx.where(near, positive, 2))
    y = mx.where(mx.logical_or(near, infinite), 9, positive)
    half = mx.power(y, 0.5 * (y - 0.5))
    large = half * exp(-y) * exp(0.5 * math.log(2 * PI) + stirling_error(y)) * half
    out = mx.where(near, exp(log_gamma_2p(z)) * product, large)
    out = mx.where(infinite, math.inf, out)
    out = mx.where(below, -PI / (x * sin_pi(x) * out), out)
    return at_poles(x, out)


def at_poles(x, out):
    """`out`, but NaN at the negative integers, where the limits from both sides differ."""
    return mx.where(mx.logical_and(x < 0, x == mx.round(x)), math.nan, out)


def cot_pi(x):
    """cot(pi x); an infinity at 0, of its sign, and at integers."""
    r = x - mx.round(x)
    return mx.where(x == 0, 1 / x, sin(PI * (0.5 - mx.abs(r))) / sin(PI * r))


def sign_kernel(x):
    """1 or -1 by the parity of floor(x) below 0, -0 too; NaN at its poles -1, -2, ..."""
    odd = mx.logical_and(x < 0, mx.remainder(mx.floor(x), 2) != 0)
    sign = mx.where(mx.logical_or(odd, 1 / x == -math.inf), -1.0, 1.0)
    return at_poles(x, mx.where(mx.isnan(x), math.nan, sign)).astype(x.dtype)


# --- digamma and polygamma ------------------------------------------------------------------------


def digamma_kernel(x):
    """Raised by 6 below 8, then by an asymptotic series; below 0 by reflection."""
    reflected = x <= 0
    positive = mx.where(reflected, 1 - x, x)
    low = positive < 8
    y = mx.where(low, positive + 6, positive)
    wide, k = trailing(mx.where(low, positive, 1), 6)
    shift = reduce_kernels.sum(1 / (wide + k), axis=-1)
    out = mx.log(y) - digamma_error(y) - mx.where(low, shift, 0)
    return at_poles(x, mx.where(reflected, out - PI * cot_pi(x), out))


def cotangent_derivative(n):
    """Coefficients of P_n, where the n-th derivative of cot(x) is P_n(cot(x)): every other one is
    0, and the others have one sign."""
    p = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(p)][1:]
        p = [-a for a in map(sum, zip([*slope, 0, 0], [0, 0, *slope], strict=True))]
    return p


def polygamma_kernel(x, n):
    """The sum of (-1)^(n+1) n! / (x + k)^(n+1) over k >= 0, its tail from k = 10 on by Euler and
    Maclaurin; below 0 by reflection."""
    reflected = x <= 0
    wide, k = trailing(mx.where(reflected, 1 - x, x), 11)
    b = wide[..., 0] + 10
    terms = whole_power(1 / (wide + k), n + 1)
    scale = float(math.factorial(n))
    total = scale * weighted(terms, [1.0] * 10 + [0.5])
    series = [bernoulli(2 * j) * math.factorial(2 * j + n - 1) / math.factorial(2 * j)
              for j in range(12 if precise(x) else 6)]
    total = total + polynomial(1 / mx.square(b), series) * whole_power(1 / b, n)
    out = (-1) ** (n + 1) * total
    cot, even = cot_pi(x), n % 2 == 0
    mirror = polynomial(mx.square(cot), [float(c) for c in cotangent_derivative(n)[even::2]])
    mirror = PI ** (n + 1) * (mirror * cot if even else mirror)
    out = mx.where(reflected, (-1) ** n * out - mirror, out)
    return at_poles(x, out) if even else out


# --- zeta ---------------------------------------------------------------------------------------


def zeta_kernel(x, y, order):
    """The order-th derivative in x of sum_k (y + k)^-x, for x > 1 and y > 0.

    Euler and Maclaurin from the 10th term on: b^-x R(x), where
    R = b / (x - 1) + 1/2 + sum_j B_2j / (2j)! x (x + 1) ... (x + 2j - 2) b^(1 - 2j), b = y + 10.
    R is carried as its Taylor coefficients in x up to the order.
    """
    start, terms = 10, 12 if precise(x) else 5
    wide, k = trailing(y, start)
    total = reduce_kernels.sum(tower(x[..., None], wide + k, order), axis=-1)
    b = y + start
    pole = 1 / (x - 1)
    rest = [b * (-1) ** i * pole ** (i + 1) for i in range(order + 1)]
    rest[0] = rest[0] + 0.5
    product = [mx.ones_like(x)] + [mx.zeros_like(x)] * order
    factor = 0
    for j in range(1, terms + 1):
        while factor < 2 * j - 1:
            product = [(x + factor) * c + (product[i - 1] if i else 0)
                       for i, c in enumerate(product)]
            factor += 1
        weight = float(Fraction(bernoulli(2 * j)) / math.factorial(2 * j)) * b ** (1 - 2 * j)
        rest = [r + weight * c for r, c in zip(rest, product, strict=True)]
    for i, r in enumerate(rest):
        total = total + math.perm(order, i) * r * tower(x, b, order - i)
    out = mx.where(mx.logical_and(x > 1, y > 0), total, math.nan)
    ends = [(mx.logical_and(x >= 1, y == 0), (-1) ** order * math.inf),
            (mx.logical_and(x == 1, y > 0), (-1) ** order * math.inf),
            (mx.logical_and(x > 1, y == math.inf), 0.0),
            (mx.logical_and(x == math.inf, y > 1), 0.0),
            (mx.logical_and(x == math.inf, y == 1), 0.0 if order else 1.0),
            (mx.logical_and(x == math.inf, mx.logical_and(y > 0, y < 1)), math.inf)]
    for at, value in ends:
        out = mx.where(at, value, out)
    return out


def tower(x, b, order):
    """The order-th derivative in x of b^-x."""
    out = mx.power(b, -x)
    return out * mx.power(-mx.log(b), order) if order else out


def zeta_by_y(x, y, order):
    """The derivative in y of d^m/dx^m zeta(x, y): of -x zeta(x + 1, y)."""
    slope = -x * zeta(x + 1, y, order=order)
    return slope - order * zeta(x + 1, y, order=order - 1) if order else slope


# --- beta ---------------------------------------------------------------------------------------


def betaln_kernel(x, y):
    """log Gamma(x) + log Gamma(y) - log Gamma(x + y); the terms of Stirling's formula cancel
    before they are computed where the larger argument is 8 or more."""
    small, large = mx.minimum(x, y), mx.maximum(x, y)
    far = large >= 8
    b = mx.where(far, large, 8)
    a = mx.where(far, small, 1)
    total = a + b
    gap = stirling_error(b) - stirling_error(mx.maximum(total, 8)) + a
    gap = gap - (b - 0.5) * mx.log1p(a / b) - a * mx.log(total)
    direct = gammaln_kernel(large) - gammaln_kernel(mx.where(far, 1, small + large))
    return gammaln_kernel(small) + mx.where(far, gap, direct)


# --- the ops ------------------------------------------------------------------------------------

gammaln = elementwise("gammaln", on_floats(gammaln_kernel), lambda x: digamma(x), unbounded=True,
                      doc="log |Gamma(x)|.")
gamma = elementwise("gamma", on_floats(gamma_kernel), lambda g, x, ans: scale(scale(g, ans),
                                                                              digamma(x)),
                    doc="Gamma(x) = (x - 1)!.")
gammasgn = flat("gammasgn", on_floats(sign_kernel), doc="The sign of Gamma(x).")
digamma = elementwise("digamma", on_floats(digamma_kernel), lambda x: polygamma(x, n=1),
                      unbounded=True, doc="The derivative of log Gamma(x).")
polygamma = elementwise("polygamma", on_floats(polygamma_kernel),
                        lambda g, x, n: scale(g, polygamma(x, n=n + 1)),
                        doc="The n-th derivative of digamma(x).")
zeta = elementwise(
    "zeta", on_floats(zeta_kernel), lambda g, x, y, order: scale(g, zeta(x, y, order=order + 1)),
    lambda g, x, y, order: scale(g, zeta_by_y(x, y, order)), args=("x", "y"),
    doc="sum over k >= 0 of (k + y)^-x, for x > 1, or a derivative of it in x.",
)
betaln = elementwise(
    "betaln", on_floats(betaln_kernel), lambda x, y: digamma(x) - digamma(x + y),
    lambda x, y: digamma(y) - digamma(x + y), unbounded=True,
    doc="log of the beta function, log [Gamma(x) Gamma(y) / Gamma(x + y)].",
)
