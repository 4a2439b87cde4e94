"""Continuous distributions by transformation of uniform and normal numbers.

Where parameters enter, gradients pass through the formula: samples are reparameterised.
"""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import check_order, check_range, check_word
from functape.numpy.arguments import as_type, shape_of
from functape.numpy.elementwise import where
from functape.ops import elementwise as ops
from functape.ops.elementwise import exp, log, log1p
from functape.ops.normal import ndtr, ndtri
from functape.pairs import COMPLEX
from functape.random.keys import checked, float_type, split, unit
from functape.random.parameters import RESOLUTIONS, parameters

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

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

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

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.normal(ft.random.key(0), (2, 3)).shape
    (2, 3)
    """
    dtype = mx.float32 if dtype is None else dtypes.as_dtype(dtype, "normal")
    if dtype in COMPLEX:
        parts = normal(key, (2, *shape_of(shape, "normal")), dtypes.PARTS[dtype])
        return (parts[0] + 1j * parts[1]) * math.sqrt(0.5)
    dtype = float_type(dtype, "normal")
    drawn = mx.float32 if dtype in (mx.float16, mx.bfloat16) else dtype  # for the tails
    u = between(key, shape, drawn, "normal")
    if drawn == mx.float64:
        return ndtri(u)
    return as_type(ops.erfinv(2 * u - 1) * math.sqrt(2), dtype)  # MLX's own: half the time


def truncated_normal(key, lower, upper, shape=None, dtype=None):
    """Standard normal numbers within [lower, upper], differentiable in both; exact in the tails.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

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


def lognormal(key, sigma=1.0, shape=None, dtype=None):
    """e^(sigma x) of normal x.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.lognormal(ft.random.key(0), 0.5, (3,)).shape
    (3,)
    """
    check_range("lognormal", "[0, inf)", sigma=sigma)
    shape, dtype, (sigma,) = parameters("lognormal", shape, dtype, sigma)
    return exp(sigma * normal(key, shape, dtype))


def maxwell(key, shape=(), dtype=None):
    """The length of a normal vector of three components.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.maxwell(ft.random.key(0), (3,)).shape
    (3,)
    """
    x = normal(key, (3, *shape_of(shape, "maxwell")), dtype)
    return ops.sqrt(ops.square(x).sum(0))


def double_sided_maxwell(key, loc, scale, shape=(), dtype=None):
    """loc + scale times maxwell with a random sign.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

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

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.laplace(ft.random.key(0), (3,)).shape
    (3,)
    """
    u = 2 * between(key, shape, dtype, "laplace") - 1
    return -ops.sign(u) * log1p(-ops.absolute(u))


def gumbel(key, shape=(), dtype=None, mode=None):
    """Gumbel's distribution of largest values; `mode`, JAX's choice of resolution, has no effect.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.gumbel(ft.random.key(0), (3,)).shape
    (3,)
    """
    check_word("gumbel", RESOLUTIONS, mode=mode)
    return -log(-log(between(key, shape, dtype, "gumbel")))


def logistic(key, shape=(), dtype=None):
    """The logistic distribution.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.logistic(ft.random.key(0), (3,)).shape
    (3,)
    """
    u = between(key, shape, dtype, "logistic")
    return log(u) - log1p(-u)


def cauchy(key, shape=(), dtype=None):
    """Cauchy's distribution.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.cauchy(ft.random.key(0), (3,)).shape
    (3,)
    """
    return ops.tan(math.pi * (between(key, shape, dtype, "cauchy") - 0.5))


def exponential(key, shape=(), dtype=None):
    """The exponential distribution.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.exponential(ft.random.key(0), (3,)).shape
    (3,)
    """
    return -log(between(key, shape, dtype, "exponential"))


def rayleigh(key, scale, shape=None, dtype=None):
    """The length of a normal vector of two components, times scale.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.rayleigh(ft.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    check_range("rayleigh", "[0, inf)", scale=scale)
    shape, dtype, (scale,) = parameters("rayleigh", shape, dtype, scale)
    return scale * ops.sqrt(2 * exponential(key, shape, dtype))


def pareto(key, b, shape=None, dtype=None):
    """Pareto's distribution of exponent b.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

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
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      scale, concentration: s and c in P(X > x) = exp(-(x / s)^c).
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

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
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      mean: its mean, positive.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

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
