"""Continuous distributions by transformation of uniform and normal numbers.

Where parameters enter, gradients pass through the formula: samples are reparameterised.
"""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import ShapeError, check_order, check_range, check_word, describe
from functape.numpy import linalg
from functape.numpy.arguments import as_type, integer, shape_of
from functape.numpy.arranging import broadcast_shapes
from functape.numpy.contraction import matmul
from functape.numpy.elementwise import where
from functape.ops import elementwise as ops
from functape.ops.elementwise import exp, log, log1p
from functape.ops.normal import ndtr, ndtri
from functape.random.keys import checked, float_type, split, unit
from functape.random.parameters import RESOLUTIONS, parameters
from functape.scipy.special.arguments import floats as as_floats

# --- uniform ------------------------------------------------------------------------------------


def uniform(key, shape=(), dtype=None, minval=0.0, maxval=1.0):
    """Uniform numbers in [minval, maxval), differentiable in both.

    Args:
      key: a key.
      shape: of the result; the bounds must broadcast to it.
      dtype: float32 by default.
      minval, maxval: the bounds.

    >>> import functape as ft
    >>> x = ft.random.uniform(ft.random.key(0), (1000,))
    >>> bool((0 <= x).all() and (x < 1).all())
    True
    """
    key = checked(key, "uniform")
    if plain(minval, maxval) and (minval, maxval) == (0, 1):
        return unit(key, shape_of(shape, "uniform"), float_type(dtype, "uniform"))
    shape, dtype, (low, high) = parameters("uniform", shape, float_type(dtype, "uniform"), minval,
                                           maxval)
    return low + unit(key, shape, dtype) * (high - low)


def plain(*numbers):
    return all(isinstance(n, (int, float)) for n in numbers)


def between(key, shape, dtype, name):
    """Uniform numbers in (0, 1), which logarithms may take."""
    return unit(checked(key, name), shape_of(shape, name), float_type(dtype, name), True)


def triangular(key, left, mode, right, shape=None, dtype=None):
    """The triangular distribution on [left, right] with its peak at mode.

    >>> import functape as ft
    >>> ft.random.triangular(ft.random.key(0), 0.0, 0.5, 1.0, (3,)).shape
    (3,)
    """
    check_order("triangular", left=left, mode=mode, right=right)
    key = checked(key, "triangular")
    shape, dtype, (a, c, b) = parameters("triangular", shape, dtype, left, mode, right)
    u = unit(key, shape, dtype, True)
    low = u * (b - a) < c - a
    rise = ops.sqrt(where(low, u, 0.25) * (b - a) * (c - a))
    fall = ops.sqrt(where(low, 0.25, 1 - u) * (b - a) * (b - c))
    return where(low, a + rise, b - fall)


# --- normal -------------------------------------------------------------------------------------


def normal(key, shape=(), dtype=None):
    """Standard normal numbers; complex ones have the variance 1/2 in each part.

    >>> import functape as ft
    >>> ft.random.normal(ft.random.key(0), (2, 3)).shape
    (2, 3)
    """
    if dtype is not None and dtypes.as_dtype(dtype, "normal") == mx.complex64:
        parts = normal(key, (2, *shape_of(shape, "normal")))
        return (parts[0] + 1j * parts[1]) * math.sqrt(0.5)
    dtype = float_type(dtype, "normal")
    drawn = mx.float32 if dtype in (mx.float16, mx.bfloat16) else dtype  # for the tails
    u = between(key, shape, drawn, "normal")
    if drawn == mx.float64:
        return ndtri(u)
    return as_type(ops.erfinv(2 * u - 1) * math.sqrt(2), dtype)  # MLX's own: half the time


def truncated_normal(key, lower, upper, shape=None, dtype=None):
    """Standard normal numbers within [lower, upper], differentiable in both; exact in the tails.

    >>> import functape as ft
    >>> x = ft.random.truncated_normal(ft.random.key(0), 1.0, 2.0, (100,))
    >>> bool((1 <= x).all() and (x <= 2).all())
    True
    """
    check_order("truncated_normal", lower=lower, upper=upper)
    key = checked(key, "truncated_normal")
    shape, dtype, (low, high) = parameters("truncated_normal", shape, dtype, lower, upper)
    flip = low > 0  # the left tail is the exact one
    a, b = where(flip, -high, low), where(flip, -low, high)
    u = unit(key, shape, dtype, True)
    p = ndtr(a)
    x = ops.clip(ndtri(p + u * (ndtr(b) - p)), a, b)
    return where(flip, -x, x)


def multivariate_normal(key, mean, cov, shape=None, dtype=None, method="cholesky"):
    """Normal vectors of a mean and a covariance, differentiable in both.

    Args:
      key: a key.
      mean: (..., n).
      cov: (..., n, n).
      shape: of the batch, to which those of mean and cov must broadcast.
      dtype: that of the parameters by default.
      method: a square root of cov: "cholesky", "eigh" or "svd".

    >>> import functape as ft
    >>> np = ft.numpy
    >>> ft.random.multivariate_normal(ft.random.key(0), np.zeros(2), np.eye(2), (5,)).shape
    (5, 2)
    """
    key = checked(key, "multivariate_normal")
    check_word("multivariate_normal", ROOTS, method=method)
    _, dtype, _ = parameters("multivariate_normal", None, dtype, mean)
    mean, cov = (as_type(a, dtype) for a in as_floats("multivariate_normal", mean, cov))
    n = mean.shape[-1] if mean.shape else -1
    if cov.shape[-2:] != (n, n):
        raise ShapeError(f"multivariate_normal takes a mean (..., n) and a cov (..., n, n), but "
                         f"got {describe(mean)} and {describe(cov)}.")
    own = broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
    shape = own if shape is None else broadcast_shapes(own, shape_of(shape, "multivariate_normal"))
    root = ROOTS[method](cov)
    noise = normal(key, (*shape, n), dtype)
    return mean + matmul(root, noise.reshape((*shape, n, 1))).reshape((*shape, n))


def by_eigh(cov):
    w, v = linalg.eigh(cov)
    return v * ops.sqrt(w).reshape((*w.shape[:-1], 1, w.shape[-1]))


def by_svd(cov):
    u, s, _ = linalg.svd(cov)
    return u * ops.sqrt(s).reshape((*s.shape[:-1], 1, s.shape[-1]))


ROOTS = {"cholesky": linalg.cholesky, "eigh": by_eigh, "svd": by_svd}


def lognormal(key, sigma=1.0, shape=None, dtype=None):
    """e^(sigma x) of normal x.

    >>> import functape as ft
    >>> ft.random.lognormal(ft.random.key(0), 0.5, (3,)).shape
    (3,)
    """
    check_range("lognormal", "[0, inf)", sigma=sigma)
    shape, dtype, (sigma,) = parameters("lognormal", shape, dtype, sigma)
    return exp(sigma * normal(key, shape, dtype))


def maxwell(key, shape=(), dtype=None):
    """The length of a normal vector of three components.

    >>> import functape as ft
    >>> ft.random.maxwell(ft.random.key(0), (3,)).shape
    (3,)
    """
    x = normal(key, (3, *shape_of(shape, "maxwell")), dtype)
    return ops.sqrt(ops.square(x).sum(0))


def double_sided_maxwell(key, loc, scale, shape=(), dtype=None):
    """loc + scale times maxwell with a random sign.

    >>> import functape as ft
    >>> ft.random.double_sided_maxwell(ft.random.key(0), 0.0, 1.0, (3,)).shape
    (3,)
    """
    check_range("double_sided_maxwell", "[0, inf)", scale=scale)
    first, second = split(key)
    shape, dtype, (loc, scale) = parameters("double_sided_maxwell", shape, dtype, loc, scale)
    sign = where(unit(second, shape, dtype) < 0.5, -1.0, 1.0)
    return loc + scale * sign * maxwell(first, shape, dtype)


# --- by the inverse of their distribution functions ---------------------------------------------


def laplace(key, shape=(), dtype=None):
    """Laplace's distribution.

    >>> import functape as ft
    >>> ft.random.laplace(ft.random.key(0), (3,)).shape
    (3,)
    """
    u = 2 * between(key, shape, dtype, "laplace") - 1
    return -ops.sign(u) * log1p(-ops.absolute(u))


def gumbel(key, shape=(), dtype=None, mode=None):
    """Gumbel's distribution of largest values; `mode`, JAX's choice of resolution, has no effect.

    >>> import functape as ft
    >>> ft.random.gumbel(ft.random.key(0), (3,)).shape
    (3,)
    """
    check_word("gumbel", RESOLUTIONS, mode=mode)
    return -log(-log(between(key, shape, dtype, "gumbel")))


def logistic(key, shape=(), dtype=None):
    """The logistic distribution.

    >>> import functape as ft
    >>> ft.random.logistic(ft.random.key(0), (3,)).shape
    (3,)
    """
    u = between(key, shape, dtype, "logistic")
    return log(u) - log1p(-u)


def cauchy(key, shape=(), dtype=None):
    """Cauchy's distribution.

    >>> import functape as ft
    >>> ft.random.cauchy(ft.random.key(0), (3,)).shape
    (3,)
    """
    return ops.tan(math.pi * (between(key, shape, dtype, "cauchy") - 0.5))


def exponential(key, shape=(), dtype=None):
    """The exponential distribution.

    >>> import functape as ft
    >>> ft.random.exponential(ft.random.key(0), (3,)).shape
    (3,)
    """
    return -log(between(key, shape, dtype, "exponential"))


def rayleigh(key, scale, shape=None, dtype=None):
    """The length of a normal vector of two components, times scale.

    >>> import functape as ft
    >>> ft.random.rayleigh(ft.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    check_range("rayleigh", "[0, inf)", scale=scale)
    shape, dtype, (scale,) = parameters("rayleigh", shape, dtype, scale)
    return scale * ops.sqrt(2 * exponential(key, shape, dtype))


def pareto(key, b, shape=None, dtype=None):
    """Pareto's distribution of exponent b.

    >>> import functape as ft
    >>> ft.random.pareto(ft.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    check_range("pareto", "(0, inf)", b=b)
    shape, dtype, (b,) = parameters("pareto", shape, dtype, b)
    return exp(exponential(key, shape, dtype) / b)


def weibull_min(key, scale, concentration, shape=(), dtype=None):
    """Weibull's distribution.

    Args:
      scale, concentration: s and c in P(X > x) = exp(-(x / s)^c).

    >>> import functape as ft
    >>> ft.random.weibull_min(ft.random.key(0), 2.0, 1.5, (3,)).shape
    (3,)
    """
    check_range("weibull_min", "(0, inf)", scale=scale, concentration=concentration)
    shape, dtype, (scale, power) = parameters("weibull_min", shape, dtype, scale, concentration)
    return scale * exponential(key, shape, dtype) ** (1 / power)


def wald(key, mean, shape=None, dtype=None):
    """The inverse Gaussian distribution of scale 1.

    Source: J. R. Michael, W. R. Schucany and R. W. Haas, Generating random variates using
    transformations with multiple roots, The American Statistician 30 (1976).

    Args:
      mean: its mean, positive.

    >>> import functape as ft
    >>> ft.random.wald(ft.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    check_range("wald", "(0, inf)", mean=mean)
    first, second = split(key)
    shape, dtype, (mean,) = parameters("wald", shape, dtype, mean)
    y = ops.square(normal(first, shape, dtype))
    root = ops.sqrt(4 * mean * y + ops.square(mean * y))
    # the smaller root of a quadratic, mean + (mean^2 y - mean root) / 2, without cancellation
    x = 2 * mean / (2 + mean * y + root)
    u = unit(second, shape, dtype)
    return where(u * (mean + x) <= mean, x, ops.square(mean) / x)


def orthogonal(key, n, shape=(), dtype=None, m=None):
    """Orthogonal matrices (*shape, n, m), uniformly distributed; m = n by default.

    Source: F. Mezzadri, How to generate random matrices from the classical compact groups, Notices
    of the AMS 54 (2007).

    >>> import functape as ft
    >>> q = ft.random.orthogonal(ft.random.key(0), 3)
    >>> bool(ft.numpy.allclose(q.T @ q, ft.numpy.eye(3), atol=1e-5))
    True
    """
    n = integer(n, "orthogonal", "n")
    m = n if m is None else integer(m, "orthogonal", "m")
    tall, wide = max(n, m), min(n, m)
    q, r = linalg.qr(normal(key, (*shape_of(shape, "orthogonal"), tall, wide), dtype))
    d = linalg.diagonal(r)
    q = q * where(d < 0, -1.0, 1.0).reshape((*d.shape[:-1], 1, wide))
    return q if n >= m else q.mT
