"""Discrete distributions: one statement each."""

import math

from functape.numpy.elementwise import where
from functape.ops import elementwise as ops
from functape.ops.elementwise import exp, log, log1p
from functape.ops.gamma import betaln, gammaln
from functape.scipy.special.entropies import xlog1py, xlogy
from functape.scipy.special.gammas import gammaincc
from functape.scipy.stats.distribution import discrete


def log_choose(n, k):
    """log of the binomial coefficient."""
    return -log1p(n) - betaln(n - k + 1, k + 1)


def bernoulli_cdf(k, p):
    return where(k < 0, 0.0, where(k < 1, 1 - p, 1.0))


def bernoulli_ppf(q, p):
    valid = ops.logical_and(q >= 0, q <= 1)
    return where(valid, where(q <= 1 - p, 0.0, 1.0), math.nan)


bernoulli = discrete(
    "bernoulli", "One trial, 1 with probability p, else 0.", "p^k (1 - p)^(1 - k).", ("p",),
    lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p), support=(0, 1), shifted=False,
    cdf=bernoulli_cdf, ppf=bernoulli_ppf,
)
binom = discrete(
    "binom", "The successes in n trials of probability p.", "C(n, k) p^k (1 - p)^(n - k), with "
    "C(n, k) = n! / (k! (n - k)!).", ("n", "p"),
    lambda k, n, p: log_choose(n, k) + xlogy(k, p) + xlog1py(n - k, -p),
    support=lambda n, p: (0, n),
)
betabinom = discrete(
    "betabinom", "The binomial distribution where p has a beta distribution.",
    "C(n, k) B(k + a, n - k + b) / B(a, b).", ("n", "a", "b"),
    lambda k, n, a, b: log_choose(n, k) + betaln(k + a, n - k + b) - betaln(a, b),
    support=lambda n, a, b: (0, n),
)
nbinom = discrete(
    "nbinom", "The failures before the n-th success.", "C(k + n - 1, k) p^n (1 - p)^k.", ("n", "p"),
    lambda k, n, p: xlogy(n, p) + xlog1py(k, -p) - log(n + k) - betaln(n, k + 1),
)
geom = discrete(
    "geom", "The trials up to the first success.", "p (1 - p)^(k - 1).", ("p",),
    lambda k, p: xlog1py(k - 1, -p) + log(p), support=(1, math.inf),
)


def poisson_cdf(k, mu):
    below = k < 0
    return where(below, 0.0, gammaincc(ops.floor(where(below, 0.0, k)) + 1, mu))


def poisson_entropy(mu, loc=0):
    """The entropy of a Poisson distribution; its location changes nothing.

    By summation for mu < 30, beyond by its asymptotic series.

    >>> from functape.scipy.stats import poisson
    >>> poisson.entropy(1.0)
    tensor(1.3048422)
    """
    from functape.numpy.arguments import floats
    from functape.numpy.sequences import arange
    from functape.numpy.shapes import expand_dims

    mu, _ = floats("poisson.entropy", mu, loc)
    small = mu < 30
    k = arange(90.0).astype(mu.dtype)
    terms = poisson.logpmf(k, expand_dims(where(small, mu, 1.0), -1))
    direct = -(exp(terms) * terms).sum(-1)
    inverse = 1 / where(small, 30.0, mu)
    series = 1 / 12 + inverse * (1 / 24 + inverse * (19 / 360 + inverse * 9 / 80))
    far = 0.5 * (math.log(2 * math.pi) + 1 - log(inverse)) - inverse * series
    return where(small, direct, far)


poisson = discrete(
    "poisson", "Poisson's distribution of mean mu.", "mu^k e^-mu / k!.", ("mu",),
    lambda k, mu: xlogy(k, mu) - gammaln(k + 1) - mu, more={"entropy": poisson_entropy},
    cdf=poisson_cdf,
)
