"""Polynomials as vectors of coefficients, the highest power first."""

import numpy as np

from functape import dtypes, pairs
from functape.dtypes import complex64, result_type
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import keys, reductions
from functape.numpy.arguments import as_type, common, inexact, integer, value
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.creation import asarray
from functape.numpy.joining import concatenate
from functape.numpy.linalg import eigvals, inv, lstsq
from functape.numpy.matrices import eye, vander
from functape.numpy.shapes import atleast_1d
from functape.numpy.signals import convolve
from functape.ops import contraction, elementwise, movement
from functape.tensor import constant

# --- values and coefficients ----------------------------------------------------------------------


def polyval(p, x, *, unroll=16):
    """The value of a polynomial at each x, by Horner's rule.

    Args:
      p: coefficients along axis 0, the highest power first.
      x: array.
      unroll: taken for JAX's sake, and without effect.

    >>> from functape.numpy import array
    >>> polyval(array([1.0, 0.0, 2.0]), 3.0)
    tensor(11.)
    """
    p, x = common("polyval", value(p, "polyval"), x)
    y = broadcast_to(as_type(constant(0), x.dtype),
                     np.broadcast_shapes(p.shape[1:], x.shape))
    for k in range(p.shape[0]):
        y = y * x + movement.cut(p, index=(k,))
    return y


def vector(name, p, index=0):
    p = atleast_1d(value(p, name))
    if len(p.shape) != 1:
        raise ShapeError(f"{name} takes coefficients as vectors, but argument {index} is "
                         f"{describe(p)}.")
    return p


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these roots; of a matrix, its characteristic one.

    Args:
      seq_of_zeros: the roots, or a square matrix.

    >>> from functape.numpy import array
    >>> poly(array([1.0, 2.0]))
    tensor([ 1., -3.,  2.])
    """
    zeros = inexact(value(seq_of_zeros, "poly"))
    if len(zeros.shape) == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0]:
        zeros = eigvals(zeros)
    zeros = vector("poly", zeros)
    one = as_type(constant(np.ones(1, np.float32)), zeros.dtype)
    found = one
    for k in range(zeros.shape[0]):
        found = convolve(found, concatenate([one, -movement.cut(zeros, index=(slice(k, k + 1),))]))
    return found


def roots(p, *, strip_zeros=True):
    """The complex numbers where a polynomial is 0: eigenvalues of its companion matrix.

    Args:
      p: coefficients.
      strip_zeros: leave out leading zeros and return 0 for each trailing one; needs to know the
        coefficients. False: there are none, as under vmap and jit.

    >>> from functape.numpy import array
    >>> float(roots(array([1.0, -3.0])).real[0])
    3.0
    """
    p = inexact(vector("roots", p))
    trailing, dtype = 0, result_type(p, complex64)
    if strip_zeros:
        known = np.flatnonzero(keys.concrete(p, "roots", "Pass strip_zeros=False."))
        if not known.size:
            return constant(pairs.zeros((0,), dtype))
        trailing = p.shape[0] - 1 - int(known[-1])
        p = movement.cut(p, index=(slice(int(known[0]), int(known[-1]) + 1),))
    n = p.shape[0] - 1
    zeros = constant(pairs.zeros((trailing,), dtype))
    if n < 1:
        return zeros
    top = movement.reshape(elementwise.negative(p[1:] / p[0]), shape=(1, n))
    found = eigvals(concatenate([top, as_type(eye(n - 1, n), p.dtype)]))
    return concatenate([found, zeros]) if trailing else found


# --- arithmetic -----------------------------------------------------------------------------------


def polyadd(a1, a2):
    """The sum of two polynomials.

    Args:
      a1, a2: coefficients, the highest power first.

    >>> from functape.numpy import array
    >>> polyadd(array([1.0, 2.0]), array([5.0]))
    tensor([1., 7.])
    """
    x, y = aligned("polyadd", a1, a2)
    return x + y


def polysub(a1, a2):
    """The difference of two polynomials.

    Args:
      a1, a2: coefficients, the highest power first.

    >>> from functape.numpy import array
    >>> polysub(array([1.0, 2.0]), array([5.0]))
    tensor([ 1., -3.])
    """
    x, y = aligned("polysub", a1, a2)
    return x - y


def aligned(name, a1, a2):
    """Coefficients of one length, zeros in front."""
    x, y = common(name, vector(name, a1), vector(name, a2, 1))
    n = max(x.shape[0], y.shape[0])
    return lengthened(x, n), lengthened(y, n)


def lengthened(x, n):
    missing = n - x.shape[0]
    return concatenate([zeros_of(missing, x.dtype), x]) if missing else x


def zeros_of(n, dtype):
    return as_type(constant(np.zeros(n, np.float32)), dtype)


def polymul(a1, a2, *, trim_leading_zeros=False):
    """The product of two polynomials: the convolution of their coefficients.

    Args:
      a1, a2: coefficients.
      trim_leading_zeros: leave out zeros in front of either; needs to know the coefficients.

    >>> from functape.numpy import array
    >>> polymul(array([1.0, 1.0]), array([1.0, -1.0]))
    tensor([ 1.,  0., -1.])
    """
    x, y = map(inexact, common("polymul", vector("polymul", a1), vector("polymul", a2, 1)))
    if trim_leading_zeros:
        x, y = trimmed("polymul", x), trimmed("polymul", y)
    one = [p if p.shape[0] else zeros_of(1, p.dtype) for p in (x, y)]
    return convolve(*one)


def trimmed(name, p):
    known = np.flatnonzero(keys.concrete(p, name, "Pass trim_leading_zeros=False."))
    return movement.cut(p, index=(slice(int(known[0]), None),)) if known.size else p[:0]


def polydiv(u, v, *, trim_leading_zeros=False):
    """Quotient and remainder of two polynomials, u = q v + r.

    Args:
      u, v: coefficients; the first one of v is not 0.
      trim_leading_zeros: leave out zeros in front of the remainder.

    >>> from functape.numpy import array
    >>> polydiv(array([1.0, 0.0, 1.0]), array([1.0, 1.0]))[0]
    tensor([ 1., -1.])
    """
    u, v = map(inexact, common("polydiv", vector("polydiv", u), vector("polydiv", v, 1)))
    m, n = u.shape[0] - 1, v.shape[0] - 1
    digits = []
    for k in range(m - n + 1):
        digit = u[k] / v[0]
        digits.append(movement.reshape(digit, shape=(1,)))
        u = u.at[k:k + n + 1].add(elementwise.negative(digit) * v)
    quotient = concatenate(digits) if digits else zeros_of(1, u.dtype)
    if trim_leading_zeros:
        u = trimmed("polydiv", u)
    return quotient, u


# --- calculus -------------------------------------------------------------------------------------


def polyder(p, m=1):
    """The m-th derivative of a polynomial.

    Args:
      p: coefficients, the highest power first.

    >>> from functape.numpy import array
    >>> polyder(array([1.0, 0.0, 2.0]))
    tensor([2., 0.])
    """
    p, m = inexact(vector("polyder", p)), order_of("polyder", m)
    n = p.shape[0]
    powers = np.arange(n, dtype=np.float64)[::-1]
    factors = np.prod([powers - k for k in range(m)], axis=0)[:max(n - m, 0)] if m else np.ones(n)
    return movement.cut(p, index=(slice(0, max(n - m, 0)),)) * as_type(constant(factors), p.dtype)


def order_of(name, m):
    m = integer(m, name, "m")
    if m < 0:
        raise ArgumentError(f"{name}: m is {m}; an order is 0 or more.")
    return m


def polyint(p, m=1, k=None):
    """The m-th antiderivative of a polynomial.

    Args:
      p: coefficients.
      m: how often to integrate.
      k: the m constants of integration, in the order in which they arise; zeros by default.

    >>> from functape.numpy import array
    >>> polyint(array([2.0, 0.0]), k=5.0)
    tensor([1., 0., 5.])
    """
    p, m = inexact(vector("polyint", p)), order_of("polyint", m)
    ends = zeros_of(m, p.dtype) if k is None else as_type(atleast_1d(asarray(k)), p.dtype)
    if ends.shape == (1,) and m != 1:
        ends = broadcast_to(ends, (m,))
    if ends.shape != (m,):
        raise ShapeError(f"polyint: k must have {m} constant(s), one for each integration, but is "
                         f"{describe(ends)}.")
    for j in range(m):
        powers = np.arange(p.shape[0], 0, -1, dtype=np.float64)
        p = concatenate([p / as_type(constant(powers), p.dtype),
                         movement.cut(ends, index=(slice(j, j + 1),))])
    return p


# --- fitting --------------------------------------------------------------------------------------


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree nearest to points, in the sense of least squares.

    Args:
      x: vector.
      y: vector, or a matrix with one set of points a column.
      deg: degree.
      rcond: smaller singular values count as 0, relative to the largest.
      full: return also residuals, rank, singular values and rcond.
      w: weight of each point's distance.
      cov: return also the covariance matrix; "unscaled": as if the weights were known exactly.

    >>> import functape as ft
    >>> x = ft.numpy.array([0.0, 1.0, 2.0])
    >>> polyfit(x, 3 * x + 1, 1).round(3)
    tensor([3., 1.])
    """
    x, y = map(inexact, common("polyfit", value(x, "polyfit"), value(y, "polyfit", 1)))
    order = integer(deg, "polyfit", "deg") + 1
    if order < 1 or len(x.shape) != 1 or len(y.shape) not in (1, 2) or x.shape != y.shape[:1]:
        raise ShapeError(f"polyfit takes a degree of 0 or more, a vector x and as many rows in y, "
                         f"but deg is {deg}, x {describe(x)} and y {describe(y)}.")
    rcond = x.shape[0] * dtypes.finfo(x.dtype).eps if rcond is None else rcond
    left, right = vander(x, order), y
    if w is not None:
        w = as_type(value(w, "polyfit", 5), x.dtype)
        column = movement.reshape(w, shape=(*w.shape, 1))
        left, right = left * column, right * (w if len(y.shape) == 1 else column)
    size = elementwise.sqrt(reductions.sum(elementwise.square(left), 0))
    left = left / size
    found, residuals, rank, singular = lstsq(left, right, rcond)
    found = found / (size if len(y.shape) == 1 else movement.reshape(size, shape=(order, 1)))
    if full:
        return found, residuals, rank, singular, constant(np.float32(rcond))
    if not cov:
        return found
    spread = inv(contraction.matmul(contraction.flipped(left), left))
    spread = spread / (movement.reshape(size, shape=(order, 1)) * size)
    if cov == "unscaled":
        return found, spread
    if x.shape[0] <= order:
        raise ShapeError(f"polyfit: the covariance of {order} coefficients needs more than "
                         f"{x.shape[0]} point(s).")
    factor = residuals / (x.shape[0] - order)
    if len(y.shape) == 2:
        spread = movement.reshape(spread, shape=(order, order, 1))
    return found, spread * factor
