"""Continuous distributions: one statement each, in the standard variable z."""

import math

from functape.numpy.elementwise import where
from functape.ops import elementwise as ops
from functape.ops.elementwise import cos, exp, expm1, log, log1p, logaddexp, sigmoid
from functape.ops.gamma import betaln, gammaln
from functape.ops.normal import log_ndtr, ndtr, ndtri
from functape.scipy.special.entropies import logit, xlog1py, xlogy
from functape.scipy.special.gammas import betainc, gammainc, gammaincc
from functape.scipy.special.others import i0e
from functape.scipy.stats.distribution import continuous, log_minus_expm1

INF, PI = math.inf, math.pi
HALF_LOG_2PI = 0.5 * math.log(2 * PI)

# --- on the whole line --------------------------------------------------------------------------

norm = continuous(
    "norm", "The normal distribution.", "e^(-z^2 / 2) / sqrt(2 pi).",
    logpdf=lambda z: -0.5 * ops.square(z) - HALF_LOG_2PI,
    cdf=lambda z: ndtr(z), sf=lambda z: ndtr(-z),
    logcdf=lambda z: log_ndtr(z), logsf=lambda z: log_ndtr(-z),
    ppf=lambda q: ndtri(q), isf=lambda q: -ndtri(q),
)
cauchy = continuous(
    "cauchy", "Cauchy's distribution.", "1 / (pi (1 + z^2)).",
    logpdf=lambda z: -math.log(PI) - log1p(ops.square(z)),
    cdf=lambda z: ops.arctan2(1.0, -z) * (1 / PI), sf=lambda z: ops.arctan2(1.0, z) * (1 / PI),
    ppf=lambda q: ops.tan(PI * (q - 0.5)), isf=lambda q: ops.tan(PI * (0.5 - q)),
)
logistic = continuous(
    "logistic", "The logistic distribution.", "e^-z / (1 + e^-z)^2.",
    logpdf=lambda z: z - 2 * logaddexp(z, 0.0),
    cdf=lambda z: sigmoid(z), sf=lambda z: sigmoid(-z),
    logcdf=lambda z: -logaddexp(-z, 0.0), logsf=lambda z: -logaddexp(z, 0.0),
    ppf=logit, isf=lambda q: -logit(q),
)


def laplace_cdf(z):
    """Each side by an exponential that does not overflow, and with its slope at 0."""
    below = z < 0
    left, right = where(below, z, 0.0), where(below, 0.0, z)
    return where(below, 0.5 * exp(left), 1 - 0.5 * exp(-right))


laplace = continuous(
    "laplace", "Laplace's distribution.", "e^-|z| / 2.",
    logpdf=lambda z: -math.log(2) - ops.absolute(z),
    cdf=laplace_cdf, sf=lambda z: laplace_cdf(-z),
    ppf=lambda q: where(q < 0.5, log(2 * where(q < 0.5, q, 0.5)),
                        -log(2 * where(q < 0.5, 0.5, 1 - q))),
)
gumbel_r = continuous(
    "gumbel_r", "The distribution of largest values.", "e^(-z - e^-z).",
    logpdf=lambda z: -z - exp(-z),
    cdf=lambda z: exp(-exp(-z)), sf=lambda z: -expm1(-exp(-z)), logcdf=lambda z: -exp(-z),
    logsf=lambda z: log_minus_expm1(-exp(-z)), ppf=lambda q: -log(-log(q)),
)
gumbel_l = continuous(
    "gumbel_l", "The distribution of smallest values.", "e^(z - e^z).",
    logpdf=lambda z: z - exp(z),
    cdf=lambda z: -expm1(-exp(z)), sf=lambda z: exp(-exp(z)), logsf=lambda z: -exp(z),
    logcdf=lambda z: log_minus_expm1(-exp(z)), ppf=lambda q: log(-log1p(-q)),
)
t = continuous(
    "t", "Student's distribution with df degrees of freedom.", "(1 + z^2 / df)^(-(df + 1) / 2) "
    "over sqrt(df) B(df / 2, 1 / 2).", ("df",),
    logpdf=lambda z, df: (-betaln(0.5 * df, 0.5) - 0.5 * log(df)
                          - 0.5 * (df + 1) * log1p(ops.square(z) / df)),
)

# --- on the half line ---------------------------------------------------------------------------

expon = continuous(
    "expon", "The exponential distribution.", "e^-z for z >= 0.", support=(0, INF),
    logpdf=lambda z: -z, cdf=lambda z: -expm1(-z), sf=lambda z: exp(-z), logsf=lambda z: -z,
    logcdf=lambda z: log_minus_expm1(-z), ppf=lambda q: -log1p(-q), isf=lambda q: -log(q),
)
gamma = continuous(
    "gamma", "The gamma distribution of shape a.", "z^(a - 1) e^-z / Gamma(a) for z >= 0.", ("a",),
    support=(0, INF),
    logpdf=lambda z, a: xlogy(a - 1, z) - z - gammaln(a),
    cdf=lambda z, a: gammainc(a, z), sf=lambda z, a: gammaincc(a, z),
)
chi2 = continuous(
    "chi2", "The distribution of a sum of df squares of normal variables.", "z^(df / 2 - 1) "
    "e^(-z / 2) over 2^(df / 2) Gamma(df / 2), for z >= 0.", ("df",),
    support=(0, INF),
    logpdf=lambda z, df: (xlogy(0.5 * df - 1, z) - 0.5 * z - 0.5 * math.log(2) * df
                          - gammaln(0.5 * df)),
    cdf=lambda z, df: gammainc(0.5 * df, 0.5 * z), sf=lambda z, df: gammaincc(0.5 * df, 0.5 * z),
)
pareto = continuous(
    "pareto", "Pareto's distribution of exponent b.", "b / z^(b + 1) for z >= 1.", ("b",),
    support=(1, INF), at=2.0,
    logpdf=lambda z, b: log(b) - (b + 1) * log(z),
    cdf=lambda z, b: -expm1(-b * log(z)), sf=lambda z, b: exp(-b * log(z)),
    logsf=lambda z, b: -b * log(z), logcdf=lambda z, b: log_minus_expm1(-b * log(z)),
    ppf=lambda q, b: exp(-log1p(-q) / b),
)

# --- on an interval -----------------------------------------------------------------------------

uniform = continuous(
    "uniform", "The uniform distribution on [loc, loc + scale].", "1 for 0 <= z <= 1.",
    support=(0, 1),
    logpdf=lambda z: 0 * z, cdf=lambda z: z, ppf=lambda q: q, isf=lambda q: 1 - q,
)
beta = continuous(
    "beta", "The beta distribution.", "z^(a - 1) (1 - z)^(b - 1) / B(a, b) for 0 <= z <= 1.",
    ("a", "b"),
    support=(0, 1),
    logpdf=lambda z, a, b: xlogy(a - 1, z) + xlog1py(b - 1, -z) - betaln(a, b),
    cdf=lambda z, a, b: betainc(a, b, z), sf=lambda z, a, b: betainc(b, a, 1 - z),
)


def log_mass(low, high):
    """log of the normal probability of [low, high], taken on the side where it is exact."""
    flip = ops.greater(low, 0)
    low, high = where(flip, -high, low), where(flip, -low, high)
    top, bottom = log_ndtr(high), log_ndtr(low)
    empty = ops.equal(low, high)
    gap = where(empty, -1.0, bottom - top)
    return where(empty, -INF, top + log_minus_expm1(gap))


def inner_point(a, b):
    """A finite end, or 0."""
    return where(ops.isfinite(a), a, where(ops.isfinite(b), b, 0.0))


truncnorm = continuous(
    "truncnorm", "The normal distribution within [a, b].", "e^(-z^2 / 2) / sqrt(2 pi), over the "
    "chance of a <= z <= b.", ("a", "b"),
    support=lambda a, b: (a, b), at=inner_point,
    logpdf=lambda z, a, b: -0.5 * ops.square(z) - HALF_LOG_2PI - log_mass(a, b),
    cdf=lambda z, a, b: exp(log_mass(a, z) - log_mass(a, b)),
    sf=lambda z, a, b: exp(log_mass(z, b) - log_mass(a, b)),
    logcdf=lambda z, a, b: log_mass(a, z) - log_mass(a, b),
    logsf=lambda z, a, b: log_mass(z, b) - log_mass(a, b),
)

# --- without location and scale -----------------------------------------------------------------


def gennorm_cdf(z, beta):
    below = z < 0
    size = ops.absolute(z)
    tail = 0.5 * gammaincc(1 / beta, size ** beta)
    return where(below, tail, 1 - tail)


gennorm = continuous(
    "gennorm", "The generalised normal distribution.", "beta e^-|x|^beta / (2 Gamma(1 / beta)).",
    ("beta",), placed=False,
    logpdf=lambda z, beta: (log(beta) - math.log(2) - gammaln(1 / beta)
                            - ops.absolute(z) ** beta),
    cdf=gennorm_cdf,
)
vonmises = continuous(
    "vonmises", "Von Mises' distribution on the circle.", "e^(kappa cos x) / (2 pi I_0(kappa)).",
    ("kappa",), placed=False,
    logpdf=lambda z, kappa: kappa * (cos(z) - 1) - math.log(2 * PI) - log(i0e(kappa)),
)
wrapcauchy = continuous(
    "wrapcauchy", "Cauchy's distribution wrapped around the circle.", "(1 - c^2) over "
    "2 pi (1 + c^2 - 2 c cos x).", ("c",), placed=False,
    support=(0, 2 * PI),
    logpdf=lambda z, c: (log1p(-ops.square(c)) - math.log(2 * PI)
                         - log(1 + ops.square(c) - 2 * c * cos(z))),
)
