"""Distributions made of gamma variables, with implicit reparameterised gradients.

M. Figurnov, S. Mohamed, A. Mnih, "Implicit reparameterization gradients", NeurIPS 2018: the sample
z whose probability F(z; a) stays the same moves with dz/da = -(dF/da) / p(z).
"""

import mlx.core as mx

from functape.errors import ShapeError, check_range
from functape.numpy.arguments import as_type, shape_of
from functape.numpy.elementwise import where
from functape.numpy.joining import concatenate
from functape.ops import elementwise as ops
from functape.ops import reductions
from functape.ops.elementwise import exp, log, sigmoid
from functape.ops.random import GAMMA_TRIES, loggamma_sample
from functape.random.continuous import exponential, normal
from functape.random.keys import checked, split, unit
from functape.random.parameters import full, parameters


def loggamma(key, a, shape=None, dtype=None):
    """The logarithm of a gamma variable, exact for small `a`, where the variable underflows.

    Derivatives as for `gamma`.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.loggamma(ft.random.key(0), 0.01, (3,)).shape
    (3,)
    """
    check_range("loggamma", "(0, inf)", a=a)
    key = checked(key, "loggamma")
    shape, dtype, (a,) = parameters("loggamma", shape, dtype, a)
    drawn = dtype if dtype.size >= 4 else mx.float32
    first, second = split(key)
    normals = normal(first, (GAMMA_TRIES, *shape), drawn)
    uniforms = unit(second, (GAMMA_TRIES + 1, *shape), drawn, True)
    noise = concatenate([normals, uniforms], axis=0)
    return as_type(loggamma_sample(full(as_type(a, drawn), shape), noise), dtype)


def gamma(key, a, shape=None, dtype=None):
    """Gamma variables of shape a and scale 1, differentiable in a.

    Drawn as in G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, ACM
    Transactions on Mathematical Software 26 (2000). Derivatives: M. Figurnov, S. Mohamed and A.
    Mnih, Implicit reparameterization gradients, NeurIPS 2018.

    Args:
      key: a key.
      a: positive.
      shape: of the result, to which a must broadcast; that of a by default.
      dtype: that of a by default.

    >>> import functape as ft
    >>> ft.random.gamma(ft.random.key(0), 2.5, (3,)).shape
    (3,)
    """
    check_range("gamma", "(0, inf)", a=a)
    return exp(loggamma(key, a, shape, dtype))


def beta(key, a, b, shape=None, dtype=None):
    """Beta variables, differentiable in `a` and `b`.

    Made of variables of `gamma`, with their derivatives.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.beta(ft.random.key(0), 2.0, 3.0, (3,)).shape
    (3,)
    """
    check_range("beta", "(0, inf)", a=a, b=b)
    first, second = split(key)
    shape, dtype, (a, b) = parameters("beta", shape, dtype, a, b)
    return sigmoid(loggamma(first, a, shape, dtype) - loggamma(second, b, shape, dtype))


def dirichlet(key, alpha, shape=None, dtype=None):
    """Points of the simplex by Dirichlet's distribution, differentiable in alpha.

    Made of variables of `gamma`, with their derivatives.

    Args:
      key: a key.
      alpha: (..., k), positive.
      shape: of the batch; that of alpha by default.
      dtype: that of alpha by default.

    >>> import functape as ft
    >>> ft.random.dirichlet(ft.random.key(0), ft.numpy.ones(3), (5,)).shape
    (5, 3)
    """
    own, dtype, (alpha,) = parameters("dirichlet", None, dtype, alpha)
    if not own:
        raise ShapeError("dirichlet: alpha must have an axis of components, (..., k), but is a "
                         "scalar. Give numpy.full(k, alpha) for k equal ones.")
    lead = own[:-1] if shape is None else shape_of(shape, "dirichlet")
    logs = loggamma(key, alpha, (*lead, own[-1]), dtype)
    return reductions.softmax(logs, axis=(len(lead),))


def chisquare(key, df, shape=None, dtype=None):
    """A sum of df squares of normal variables.

    Made of variables of `gamma`, with their derivatives.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.chisquare(ft.random.key(0), 3.0, (3,)).shape
    (3,)
    """
    check_range("chisquare", "(0, inf)", df=df)
    shape, dtype, (df,) = parameters("chisquare", shape, dtype, df)
    return 2 * gamma(key, 0.5 * df, shape, dtype)


def t(key, df, shape=None, dtype=None):
    """Student's distribution with df degrees of freedom.

    Made of variables of `gamma`, with their derivatives.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.t(ft.random.key(0), 3.0, (3,)).shape
    (3,)
    """
    check_range("t", "(0, inf)", df=df)
    first, second = split(key)
    shape, dtype, (df,) = parameters("t", shape, dtype, df)
    half = 0.5 * df
    logs = log(half) - loggamma(second, half, shape, dtype)
    return normal(first, shape, dtype) * exp(0.5 * logs)


def f(key, dfnum, dfden, shape=None, dtype=None):
    """The ratio of two chi-square variables, each over its degrees of freedom.

    Made of variables of `gamma`, with their derivatives.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      dfnum, dfden: degrees of freedom of the numerator and of the denominator.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.f(ft.random.key(0), 3.0, 4.0, (3,)).shape
    (3,)
    """
    check_range("f", "(0, inf)", dfnum=dfnum, dfden=dfden)
    first, second = split(key)
    shape, dtype, (m, n) = parameters("f", shape, dtype, dfnum, dfden)
    top, bottom = (loggamma(k, 0.5 * df, shape, dtype) for k, df in ((first, m), (second, n)))
    return exp(top - bottom) * (n / m)


def generalized_normal(key, p, shape=(), dtype=None):
    """The density proportional to e^-|x|^p.

    Made of variables of `gamma`, with their derivatives.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.generalized_normal(ft.random.key(0), 1.5, (3,)).shape
    (3,)
    """
    check_range("generalized_normal", "(0, inf)", p=p)
    first, second = split(key)
    shape, dtype, (p,) = parameters("generalized_normal", shape, dtype, p)
    size = exp(loggamma(first, 1 / p, shape, dtype) / p)
    return where(unit(second, shape, dtype) < 0.5, -size, size)


def ball(key, d, p=2, shape=(), dtype=None):
    """Uniform points (*shape, d) of the unit ball of the p-norm.

    Source: F. Barthe, O. Guédon, S. Mendelson and A. Naor, A probabilistic approach to the
    geometry of the l_p^n-ball, Annals of Probability 33 (2005).

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      dtype: of the result.

    >>> import functape as ft
    >>> x = ft.random.ball(ft.random.key(0), 3, shape=(5,))
    >>> bool(((x ** 2).sum(-1) <= 1).all())
    True
    """
    check_range("ball", "[1, inf)", d=d)
    check_range("ball", "(0, inf)", p=p)
    first, second = split(key)
    points = generalized_normal(first, 1.0 * p, (*tuple(shape), d), dtype)
    size = (ops.absolute(points) ** p).sum(-1) + exponential(second, tuple(shape), dtype)
    return points / (size ** (1 / p)).reshape((*size.shape, 1))
