"""The gamma function and its relatives."""

import math

import numpy as np

from functape.errors import ArgumentError, describe
from functape.numpy.arguments import floats
from functape.numpy.creation import array
from functape.numpy.elementwise import where
from functape.op import Value
from functape.ops import approximation, elementwise
from functape.ops import gamma as ops
from functape.ops.incomplete_beta import beta_moment
from functape.ops.incomplete_gamma import gamma_moment


def gammaln(x):
    """log |Gamma(x)| (DLMF 5.2.1).

    >>> from functape.scipy import special
    >>> special.gammaln(5.0)
    tensor(3.178054)
    """
    return ops.gammaln(*floats("gammaln", x))


def loggamma(x):
    """log Gamma(x) for real x: NaN below 0, where its continuation is complex (DLMF 5.2.1).

    >>> from functape.scipy import special
    >>> special.loggamma(5.0)
    tensor(3.178054)
    """
    (x,) = floats("loggamma", x)
    return where(x < 0, math.nan, ops.gammaln(x))


def gamma(x):
    """Gamma(x), the integral of t^(x-1) e^-t; (x - 1)! for whole x (DLMF 5.2.1).

    At 0 an infinity of its sign; at -1, -2, ... NaN, since the two sides differ.

    >>> from functape.scipy import special
    >>> special.gamma(5.0)
    tensor(24.)
    """
    return ops.gamma(*floats("gamma", x))


def gammasgn(x):
    """The sign of Gamma(x).

    >>> from functape.scipy import special
    >>> special.gammasgn(-0.5)
    tensor(-1.)
    """
    return ops.gammasgn(*floats("gammasgn", x))


def factorial(n, exact=False):
    """n! = Gamma(n + 1); 0 for negative n.

    Args:
      exact: not supported.

    >>> from functape.scipy import special
    >>> special.factorial(4.0)
    tensor(24.)
    """
    if exact:
        raise ArgumentError("factorial has no exact integers; use math.factorial for these.")
    (n,) = floats("factorial", n)
    return where(n < 0, 0.0, ops.gamma(where(n < 0, 0.0, n) + 1))


def poch(z, m):
    """Pochhammer's symbol Gamma(z + m) / Gamma(z) (DLMF 5.2.5).

    >>> from functape.scipy import special
    >>> special.poch(2.0, 3.0)
    tensor(24.)
    """
    z, m = floats("poch", z, m)
    sign = ops.gammasgn(z) * ops.gammasgn(z + m)
    zero = elementwise.equal(m, 0)
    rising = sign * elementwise.exp(ops.gammaln(z + m) - ops.gammaln(z))
    return where(zero, 1.0, rising)


def comb(N, k, *, repetition=False):  # noqa: N803 - SciPy's name
    """How many ways there are to choose k of N.

    Args:
      repetition: each may be chosen again.

    >>> from functape.scipy import special
    >>> special.comb(5.0, 2.0)
    tensor(10.)
    """
    N, k = floats("comb", N, k)  # noqa: N806
    if repetition:
        N = N + k - 1  # noqa: N806
    valid = elementwise.logical_and(k >= 0, k <= N)
    n, m = where(valid, N, 1.0), where(valid, k, 0.0)
    ways = elementwise.exp(-ops.betaln(n - m + 1, m + 1)) / (n + 1)
    return where(valid, ways, 0.0)


def digamma(x):
    """The derivative of log Gamma(x) (DLMF 5.2.2).

    >>> from functape.scipy import special
    >>> special.digamma(1.0)
    tensor(-0.5772157)
    """
    return ops.digamma(*floats("digamma", x))


def polygamma(n, x):
    """The n-th derivative of digamma(x), for n a whole number (DLMF 5.15).

    >>> from functape.scipy import special
    >>> special.polygamma(1, 1.0)
    tensor(1.644934)
    """
    (x,) = floats("polygamma", x)
    order = whole("polygamma", n)
    if order is None:  # an array of orders
        n, _ = floats("polygamma", n, x)
        sign = 1 - 2 * elementwise.equal(elementwise.remainder(n, 2), 0)
        positive = sign * ops.gamma(n + 1) * ops.zeta(n + 1, x, order=0)
        return where(elementwise.equal(n, 0), ops.digamma(x), positive)
    return ops.polygamma(x, n=order) if order else ops.digamma(x)


def whole(name, n):
    """A non-negative Python integer, of a number; None of an array."""
    if isinstance(n, Value) or getattr(n, "shape", ()) != ():
        return None
    if n != int(n) or n < 0:
        raise ArgumentError(f"{name}: the order must be a whole number, 0 or more, but is "
                            f"{describe(n)}.")
    return int(n)


def zeta(x, q=None):
    """Hurwitz's zeta, the sum over k >= 0 of (k + q)^-x, for x > 1 and q > 0; q = 1: Riemann's
    (DLMF 25.11.1).

    >>> from functape.scipy import special
    >>> special.zeta(2.0, 1.0)
    tensor(1.644934)
    """
    return ops.zeta(*floats("zeta", x, 1.0 if q is None else q), order=0)


def multigammaln(a, d):
    """log of the multivariate gamma function of dimension d (DLMF 35.3).

    Args:
      a: above (d - 1) / 2.

    >>> from functape.scipy import special
    >>> special.multigammaln(3.0, 2)
    tensor(1.550195)
    """
    d = whole("multigammaln", d)
    if not d:
        raise ArgumentError("multigammaln: the dimension d must be a positive whole number.")
    (a,) = floats("multigammaln", a)
    total = d * (d - 1) / 4 * math.log(math.pi)
    for j in range(d):
        total = total + ops.gammaln(a - j / 2)
    return total


def bernoulli(n):
    """The Bernoulli numbers B_0 to B_n (DLMF 24.2).

    Args:
      n: integer, 0 or more.

    >>> from functape.scipy import special
    >>> special.bernoulli(2)
    tensor([ 1.       , -0.5      ,  0.1666667])
    """
    return array(np.array([approximation.bernoulli(k) for k in range(n + 1)], np.float32))


# --- beta ---------------------------------------------------------------------------------------


def betaln(a, b):
    """log of the beta function (DLMF 5.12.1).

    Args:
      a, b: positive; they broadcast.

    >>> from functape.scipy import special
    >>> special.betaln(2.0, 3.0)
    tensor(-2.484907)
    """
    return ops.betaln(*floats("betaln", a, b))


def beta(a, b):
    """The beta function Gamma(a) Gamma(b) / Gamma(a + b) (DLMF 5.12.1).

    >>> from functape.scipy import special
    >>> special.beta(2.0, 3.0)
    tensor(0.08333334)
    """
    a, b = floats("beta", a, b)
    sign = ops.gammasgn(a) * ops.gammasgn(b) * ops.gammasgn(a + b)
    return sign * elementwise.exp(ops.betaln(a, b))


# --- incomplete ---------------------------------------------------------------------------------


def gammainc(a, x):
    """The regularised lower incomplete gamma function, with derivatives in `a` and `x`
    (DLMF 8.2.4).

    >>> from functape.scipy import special
    >>> special.gammainc(1.0, 2.0)
    tensor(0.8646647)
    """
    return gamma_moment(*floats("gammainc", a, x), order=0, upper=False)


def gammaincc(a, x):
    """1 - gammainc(a, x), exact for large x (DLMF 8.2.4).

    >>> from functape.scipy import special
    >>> special.gammaincc(1.0, 2.0)
    tensor(0.1353353)
    """
    return gamma_moment(*floats("gammaincc", a, x), order=0, upper=True)


def betainc(a, b, x):
    """The regularised incomplete beta function, with derivatives in a, b and x (DLMF 8.17.2).

    >>> from functape.scipy import special
    >>> special.betainc(1.0, 2.0, 0.5)
    tensor(0.75)
    """
    return beta_moment(*floats("betainc", a, b, x), order=(0, 0))
