"""Logarithms and exponentials where plain formulas would give NaN, and sums of them."""

import math

from functape.numpy.arguments import axes_of, floats
from functape.numpy.elementwise import where as choose
from functape.numpy.reductions import logsumexp as plain_logsumexp
from functape.ops import elementwise as ops
from functape.ops import entropies, reductions
from functape.ops.elementwise import exp, log, log1p
from functape.ops.families import scale


def xlogy(x, y):
    """x log(y), and 0 where x is 0.

    >>> from functape.scipy import special
    >>> special.xlogy(0.0, 0.0)
    tensor(0.)
    """
    x, y = floats("xlogy", x, y)
    return scale(x, log(y))


def xlog1py(x, y):
    """x log(1 + y), and 0 where x is 0.

    >>> from functape.scipy import special
    >>> special.xlog1py(0.0, -1.0)
    tensor(0.)
    """
    x, y = floats("xlog1py", x, y)
    return scale(x, log1p(y))


def entr(x):
    """-x log(x): 0 at x = 0, -inf below.

    >>> from functape.scipy import special
    >>> special.entr(1.0)
    tensor(-0.)
    """
    (x,) = floats("entr", x)
    valid = x >= 0
    safe = choose(valid, x, 1.0)
    return choose(valid, -scale(safe, log(safe)), -math.inf)


def rel_entr(p, q):
    """p log(p / q): 0 for p = 0 and q >= 0; inf where it is not defined.

    Source: S. Kullback and R. A. Leibler, On information and sufficiency, Annals of Mathematical
    Statistics 22 (1951).

    >>> from functape.scipy import special
    >>> special.rel_entr(0.0, 0.5)
    tensor(0.)
    """
    p, q = floats("rel_entr", p, q)
    return within(lambda p, q: p * entropies.log_ratio(p, q), p, q, 0.0)


def within(f, p, q, at_zero):
    """f(p, q) for positive arguments; `at_zero` for p = 0 and q >= 0; NaN for NaN, else inf."""
    inside = ops.logical_and(p > 0, q > 0)
    edge = ops.logical_and(ops.equal(p, 0), q >= 0)
    outside = choose(ops.isnan(p + q), p + q, math.inf)
    safe = (choose(inside, a, 1.0) for a in (p, q))
    return choose(inside, f(*safe), choose(edge, at_zero, outside))


def kl_div(p, q):
    """p log(p / q) - p + q: q for p = 0 and q >= 0; inf where it is not defined.

    Source: S. Kullback and R. A. Leibler, On information and sufficiency, Annals of Mathematical
    Statistics 22 (1951).

    >>> from functape.scipy import special
    >>> special.kl_div(0.0, 0.5)
    tensor(0.5)
    """
    p, q = floats("kl_div", p, q)
    return within(entropies.divergence, p, q, q)


def expit(x):
    """The logistic function 1 / (1 + e^-x).

    >>> from functape.scipy import special
    >>> special.expit(0.0)
    tensor(0.5)
    """
    return ops.sigmoid(*floats("expit", x))


def logit(x):
    """log(x / (1 - x)), the inverse of expit.

    >>> from functape.scipy import special
    >>> special.logit(0.5)
    tensor(0.)
    """
    (x,) = floats("logit", x)
    return entropies.logit(x)


def boxcox(x, lmbda):
    """(x^lmbda - 1) / lmbda, and its limit log(x) at lmbda = 0.

    Source: G. E. P. Box and D. R. Cox, An analysis of transformations, Journal of the Royal
    Statistical Society B 26 (1964).

    >>> from functape.scipy import special
    >>> special.boxcox(4.0, 0.5)
    tensor(2.)
    """
    x, lmbda = floats("boxcox", x, lmbda)
    return power_mean(log(x), lmbda)


def boxcox1p(x, lmbda):
    """boxcox(1 + x, lmbda), exact for small x.

    >>> from functape.scipy import special
    >>> special.boxcox1p(3.0, 0.5)
    tensor(2.)
    """
    x, lmbda = floats("boxcox1p", x, lmbda)
    return power_mean(log1p(x), lmbda)


def power_mean(u, n):
    """(e^(n u) - 1) / n; near n u = 0 by its Taylor series, so that all derivatives exist."""
    z = n * u
    near = ops.logical_and(z > -0.1, z < 0.1)
    small = choose(near, z, 0.0)
    series = 1.0
    for k in range(12, 1, -1):
        series = 1 + series * small / k
    far = choose(near, 1.0, z)
    return u * choose(near, series, ops.expm1(far) / far)


# --- sums ---------------------------------------------------------------------------------------


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """log of the sum of b e^a over axes, without overflow.

    Args:
      a: array.
      axis: None (all), one axis or several.
      b: factors of the exponentials; the sum must be positive, unless `return_sign`.
      keepdims: keep the reduced axes with length 1.
      return_sign: return (log |sum|, sign of the sum).
      where: which elements to include.

    >>> from functape.numpy import array
    >>> from functape.scipy import special
    >>> special.logsumexp(array([0.0, 0.0]))
    tensor(0.6931472)
    """
    if b is None:
        (a,) = floats("logsumexp", a)
        out = plain_logsumexp(a, axis, keepdims, where)
        return (out, ops.sign(exp(out))) if return_sign else out
    a, b = floats("logsumexp", a, b)
    if where is not None:
        b = choose(where, b, 0.0)
    a = choose(ops.equal(b, 0), -math.inf, a)
    axes = axes_of(axis, len(a.shape), "logsumexp")
    high = ops.stop_gradient(reductions.maximum_of(a, axis=axes, keepdims=True))
    high = choose(ops.isfinite(high), high, 0.0)
    total = reductions.sum(scale(b, exp(a - high)), axis=axes, keepdims=True)
    sign = ops.sign(total)
    size = total * sign if return_sign else total
    out = log(size) + high
    if not keepdims:
        shape = tuple(n for i, n in enumerate(a.shape) if i not in axes)
        out, sign = out.reshape(shape), sign.reshape(shape)
    return (out, sign) if return_sign else out


def softmax(x, /, *, axis=None):
    """e^x over its sum along axes (None: all).

    Args:
      axis: integer, several, or None for all.

    >>> from functape.numpy import array
    >>> from functape.scipy import special
    >>> special.softmax(array([0.0, 0.0]))
    tensor([0.5, 0.5])
    """
    (x,) = floats("softmax", x)
    return reductions.softmax(x, axis=axes_of(axis, len(x.shape), "softmax"))


def log_softmax(x, /, *, axis=None):
    """log(softmax(x)), without overflow.

    Args:
      axis: integer, several, or None for all.

    >>> from functape.numpy import array
    >>> from functape.scipy import special
    >>> special.log_softmax(array([0.0, 0.0]))
    tensor([-0.6931472, -0.6931472])
    """
    (x,) = floats("log_softmax", x)
    return reductions.log_softmax(x, axis=axes_of(axis, len(x.shape), "log_softmax"))
