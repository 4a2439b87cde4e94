"""Distributions of vectors."""

import math

from functape.errors import ShapeError, describe
from functape.numpy import linalg
from functape.numpy.arguments import floats
from functape.numpy.broadcasting import broadcast_shapes, broadcast_to
from functape.numpy.elementwise import where
from functape.numpy.joining import concatenate
from functape.ops import elementwise as ops
from functape.ops.elementwise import exp, log
from functape.ops.gamma import gammaln
from functape.scipy.linalg import solve_triangular
from functape.scipy.special.entropies import xlogy
from functape.scipy.stats.distribution import Distribution

# --- normal -------------------------------------------------------------------------------------


def normal_logpdf(x, mean, cov, allow_singular=None):
    """log density of the normal distribution of vectors.

    Args:
      x: points (..., n); a scalar is a vector of one.
      mean: (..., n) or a scalar.
      cov: (..., n, n), positive definite; a scalar is a variance.
      allow_singular: not supported.

    >>> from functape.numpy import eye, zeros
    >>> from functape.scipy.stats import multivariate_normal
    >>> multivariate_normal.logpdf(zeros(2), zeros(2), eye(2))
    tensor(-1.8378772)
    """
    if allow_singular is not None:
        raise NotImplementedError("multivariate_normal: allow_singular is not supported; add a "
                                  "small multiple of the identity to cov.")
    x, mean, cov = map(as_array, floats("multivariate_normal.logpdf", x, mean, cov))
    if not mean.shape:
        if cov.shape:
            raise ShapeError(f"multivariate_normal: with a scalar mean cov is a scalar too, but "
                             f"it is {describe(cov)}.")
        return -0.5 * (ops.square(x - mean) / cov + math.log(2 * math.pi) + log(cov))
    n = mean.shape[-1]
    if not cov.shape:
        distance = (ops.square(x - mean) / cov).sum(-1)
        return -0.5 * (distance + n * (math.log(2 * math.pi) + log(cov)))
    if cov.shape[-2:] != (n, n):
        raise ShapeError(f"multivariate_normal: for mean {describe(mean)} cov must have the shape "
                         f"(..., {n}, {n}), but it is {describe(cov)}.")
    factor = linalg.cholesky(cov)
    gap = x - mean
    lead = broadcast_shapes(gap.shape[:-1], cov.shape[:-2])
    gap = broadcast_to(gap, (*lead, n)).reshape((*lead, n, 1))
    white = solve_triangular(broadcast_to(factor, (*lead, n, n)), gap, lower=True)
    size = log(linalg.diagonal(factor)).sum(-1)
    return -0.5 * ops.square(white).sum((-2, -1)) - 0.5 * n * math.log(2 * math.pi) - size


def as_array(a):
    return ops.stop_gradient(a) if isinstance(a, (int, float)) else a


def normal_pdf(x, mean, cov):
    """Density of the normal distribution of vectors; see `logpdf`.

    >>> from functape.numpy import eye, zeros
    >>> from functape.scipy.stats import multivariate_normal
    >>> multivariate_normal.pdf(zeros(2), zeros(2), eye(2))
    tensor(0.15915494)
    """
    return exp(normal_logpdf(x, mean, cov))


multivariate_normal = Distribution(
    "multivariate_normal",
    "The normal distribution of vectors.", "Density: e^(-d^2 / 2) / sqrt(det(2 pi cov)), "
    "where d^2 = (x - mean)^T cov^-1 (x - mean).",
    {"logpdf": normal_logpdf, "pdf": normal_pdf})

# --- Dirichlet ----------------------------------------------------------------------------------


def dirichlet_logpdf(x, alpha):
    """log density of Dirichlet's distribution on the simplex.

    Args:
      x: points (k, ...), the components first; or (k - 1, ...), the last one being what remains.
      alpha: (k,).

    >>> from functape.numpy import array, ones
    >>> from functape.scipy.stats import dirichlet
    >>> dirichlet.logpdf(array([0.2, 0.3, 0.5]), ones(3))
    tensor(0.6931472)
    """
    x, alpha = floats("dirichlet.logpdf", x, alpha)
    if len(alpha.shape) != 1 or not x.shape or x.shape[0] not in (alpha.shape[0],
                                                                  alpha.shape[0] - 1):
        raise ShapeError(f"dirichlet: alpha is a vector (k,) and x has k or k - 1 components "
                         f"along its first axis, but they are {describe(alpha)} and "
                         f"{describe(x)}.")
    if x.shape[0] == alpha.shape[0] - 1:
        x = concatenate([x, 1 - x.sum(0, keepdims=True)], axis=0)
    inside = ops.logical_and((x >= 0).all(0), ops.absolute(x.sum(0) - 1) < 1e-6)
    normaliser = gammaln(alpha).sum() - gammaln(alpha.sum())
    exponents = (alpha - 1).reshape((-1, *(1,) * (len(x.shape) - 1)))
    total = xlogy(exponents, where(inside, x, 1.0)).sum(0)
    return where(inside, total - normaliser, -math.inf)


def dirichlet_pdf(x, alpha):
    """Density of Dirichlet's distribution; see `logpdf`.

    >>> from functape.numpy import array, ones
    >>> from functape.scipy.stats import dirichlet
    >>> dirichlet.pdf(array([0.2, 0.3, 0.5]), ones(3))
    tensor(2.)
    """
    return exp(dirichlet_logpdf(x, alpha))


dirichlet = Distribution(
    "dirichlet", "Dirichlet's distribution on the simplex.", "Density: Gamma(sum(alpha)) times the "
    "product of x^(alpha - 1) / Gamma(alpha).",
    {"logpdf": dirichlet_logpdf, "pdf": dirichlet_pdf})

# --- multinomial --------------------------------------------------------------------------------


def multinomial_logpmf(x, n, p):
    """log probability of counts x (..., k) in n draws of probabilities p (..., k).

    >>> from functape.numpy import array
    >>> from functape.scipy.stats import multinomial
    >>> multinomial.logpmf(array([1.0, 1.0]), 2.0, array([0.5, 0.5]))
    tensor(-0.6931472)
    """
    x, n, p = floats("multinomial.logpmf", x, n, p)
    valid = ops.logical_and((x >= 0).all(-1), ops.equal(x.sum(-1), n))
    total = gammaln(n + 1.0) + (xlogy(x, p) - gammaln(x + 1)).sum(-1)
    return where(valid, total, -math.inf)


def multinomial_pmf(x, n, p):
    """Probability of counts; see `logpmf`.

    >>> from functape.numpy import array
    >>> from functape.scipy.stats import multinomial
    >>> multinomial.pmf(array([1.0, 1.0]), 2.0, array([0.5, 0.5]))
    tensor(0.5)
    """
    return exp(multinomial_logpmf(x, n, p))


multinomial = Distribution(
    "multinomial", "Counts of several outcomes in n draws.",
    "Probability: n! times the product of p^x / x!.",
    {"logpmf": multinomial_logpmf, "pmf": multinomial_pmf})
