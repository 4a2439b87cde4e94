"""Error functions, the normal distribution, Bessel functions and integrals."""

from functape.numpy.arguments import floats
from functape.ops import bessel, elementwise, integrals, normal
from functape.scipy.special.gammas import whole


def erf(x):
    """The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x (DLMF 7.2.1).

    >>> from functape.scipy import special
    >>> special.erf(0.0)
    tensor(0.)
    """
    return elementwise.erf(*floats("erf", x))


def erfc(x):
    """1 - erf(x), exact for large x (DLMF 7.2.2).

    >>> from functape.scipy import special
    >>> special.erfc(0.0)
    tensor(1.)
    """
    return normal.erfc(*floats("erfc", x))


def erfcx(x):
    """e^(x^2) erfc(x), which does not underflow.

    >>> from functape.scipy import special
    >>> special.erfcx(100.0)
    tensor(0.005641614)
    """
    return normal.erfcx(*floats("erfcx", x), order=0)


def erfinv(x):
    """The inverse of erf (DLMF 7.17).

    Args:
      x: array.

    >>> from functape.scipy import special
    >>> special.erfinv(0.0)
    tensor(0.)
    """
    return elementwise.erfinv(*floats("erfinv", x))


def ndtr(x):
    """The distribution function of the standard normal distribution
    (Abramowitz and Stegun 26.2.2).

    Args:
      x: array.

    >>> from functape.scipy import special
    >>> special.ndtr(0.0)
    tensor(0.5)
    """
    return normal.ndtr(*floats("ndtr", x))


def log_ndtr(x, series_order=3):
    """log(ndtr(x)), exact for x far below 0; `series_order`, which JAX needs, has no effect.

    >>> from functape.scipy import special
    >>> special.log_ndtr(-100.0)
    tensor(-5005.524)
    """
    return normal.log_ndtr(*floats("log_ndtr", x))


def ndtri(p):
    """The inverse of ndtr.

    Source: M. J. Wichura, Algorithm AS 241: The percentage points of the normal distribution,
    Applied Statistics 37 (1988).

    Args:
      p: probabilities.

    >>> from functape.scipy import special
    >>> special.ndtri(0.5)
    tensor(0.)
    """
    return normal.ndtri(*floats("ndtri", p))


# --- Bessel functions ---------------------------------------------------------------------------


def i0(x):
    """The modified Bessel function of the first kind of order 0 (DLMF 10.25.2).

    Args:
      x: array.

    >>> from functape.scipy import special
    >>> special.i0(1.0)
    tensor(1.266066)
    """
    return bessel.iv(*floats("i0", x), order=0)


def i0e(x):
    """e^-|x| i0(x), which does not overflow.

    >>> from functape.scipy import special
    >>> special.i0e(0.0)
    tensor(1.)
    """
    return bessel.ive(*floats("i0e", x), order=0)


def i1(x):
    """The modified Bessel function of the first kind of order 1, the derivative of i0
    (DLMF 10.25.2, 10.29.3).

    Args:
      x: array.

    >>> from functape.scipy import special
    >>> special.i1(0.0)
    tensor(0.)
    """
    return bessel.iv(*floats("i1", x), order=1)


def i1e(x):
    """e^-|x| i1(x), which does not overflow.

    >>> from functape.scipy import special
    >>> special.i1e(0.0)
    tensor(0.)
    """
    return bessel.ive(*floats("i1e", x), order=1)


# --- integrals ----------------------------------------------------------------------------------


def expn(n, x):
    """The generalised exponential integral: of e^(-x t) t^-n over t >= 1, for x >= 0
    (DLMF 8.19.3).

    Args:
      n: whole numbers, 0 or more, that broadcast with x; NaN at others. Not differentiated.
      x: array.

    >>> from functape.scipy import special
    >>> special.expn(1, 1.0)
    tensor(0.2193839)
    """
    whole("expn", n)
    return integrals.expn(*floats("expn", n, x))


def exp1(x):
    """The exponential integral E_1(x) (DLMF 6.2.1).

    >>> from functape.scipy import special
    >>> special.exp1(1.0)
    tensor(0.2193839)
    """
    return expn(1, x)


def expi(x):
    """The exponential integral Ei(x), the principal value of that of e^t / t up to x (DLMF 6.2.5).

    >>> from functape.scipy import special
    >>> special.expi(1.0)
    tensor(1.895118)
    """
    return integrals.expi(*floats("expi", x))


def sici(x):
    """The sine and cosine integrals Si(x) and Ci(x) (DLMF 6.2).

    >>> from functape.scipy import special
    >>> special.sici(1.0)
    (tensor(0.9460831), tensor(0.3374039))
    """
    (x,) = floats("sici", x)
    return integrals.si(x), integrals.ci(x)


def dawsn(x):
    """Dawson's integral: of e^(t^2 - x^2) from 0 to x (DLMF 7.2.5).

    >>> from functape.scipy import special
    >>> special.dawsn(1.0)
    tensor(0.5380795)
    """
    return integrals.dawsn(*floats("dawsn", x))


def spence(x):
    """The dilogarithm of 1 - x, for x >= 0 (DLMF 25.12).

    >>> from functape.scipy import special
    >>> special.spence(0.0)
    tensor(1.644934)
    """
    return integrals.spence(*floats("spence", x))
