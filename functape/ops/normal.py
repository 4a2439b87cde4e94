"""The complementary error function and the normal distribution.

All is made of erfcx(x) = e^(x^2) erfc(x), which neither under- nor overflows for x >= 0.
"""

import math

import mlx.core as mx
import numpy as np

from functape.ops.approximation import chebyshev, exp, on_floats, polynomial, precise
from functape.ops.elementwise import exp as exp_op
from functape.ops.elementwise import square, where
from functape.ops.families import elementwise, scale

ROOT2, ROOT_PI = math.sqrt(2), math.sqrt(math.pi)
CENTRE = 3.0  # t = (x - CENTRE) / (x + CENTRE) takes [0, inf] to [-1, 1]

# --- erfcx --------------------------------------------------------------------------------------


def erfcx_reference(t, order):
    """(x + CENTRE)^(order + 1) |d^order erfcx / dx^order| in double precision, where
    erfcx(x) = 2 / sqrt(pi) times the integral of e^(-s^2 - 2 x s) over s >= 0."""
    x = CENTRE * (1 + t) / np.maximum(1 - t, 1e-300)
    nodes, weights = np.polynomial.legendre.leggauss(80)
    u = (nodes + 1) / 2
    reach = 1 / (x + np.sqrt(x * x + 45))
    s = 45 * reach[:, None] * u
    values = np.exp(-s * s - 2 * s * x[:, None]) * (2 * s * (x[:, None] + CENTRE)) ** order
    return (x + CENTRE) * 45 * reach * (values @ weights) / ROOT_PI


def erfcx_kernel(x, order):
    """For x >= 0 a Chebyshev series; erfcx(-x) = 2 e^(x^2) - erfcx(x), differentiated."""
    size = mx.abs(x)
    far = size + CENTRE
    out = chebyshev(1 - 2 * CENTRE / far, erfcx_reference, 40 + 4 * order, order)
    out = out * mx.power(far, -(order + 1)) * (-1) ** order
    growth = 2 * gauss_kernel(x, -1.0)
    below = growth * polynomial(x, gauss_derivative(order)) - (-1) ** order * out
    return mx.where(x < 0, below, out)


def gauss_derivative(order):
    """Coefficients of e^(-x^2) times the order-th derivative of e^(x^2)."""
    p = [1.0]
    for _ in range(order):
        slope = [k * c for k, c in enumerate(p)][1:]
        p = [a + 2 * b for a, b in zip([*slope, 0.0, 0.0], [0.0, *p], strict=True)]
    return p


def gauss_kernel(x, factor):
    """e^(-factor x^2); in float32 by two factors, since rounding x^2 costs digits."""
    if precise(x):
        return exp(-factor * mx.square(x))
    coarse = mx.round(mx.clip(x, -30, 30) * 16) / 16
    return exp(-factor * mx.square(coarse)) * exp(factor * (coarse - x) * (coarse + x))


def erfc_kernel(x):
    tail = gauss_kernel(x, 1.0) * erfcx_kernel(mx.abs(x), order=0)
    return mx.where(x < 0, 2 - tail, tail)


# --- the normal distribution --------------------------------------------------------------------


def ndtr_kernel(x):
    tail = 0.5 * gauss_kernel(x, 0.5) * erfcx_kernel(mx.abs(x) * (1 / ROOT2), order=0)
    return mx.where(x > 0, 1 - tail, tail)


def log_ndtr_kernel(x):
    z = mx.abs(x) * (1 / ROOT2)
    scaled = 0.5 * erfcx_kernel(z, order=0)
    left = mx.log(scaled) - 0.5 * mx.square(x)
    return mx.where(x < 0, left, mx.log1p(-scaled * gauss_kernel(x, 0.5)))


# M. J. Wichura, "Algorithm AS 241", Applied Statistics 37 (1988): the rational approximations
# of PPND16, good to 1e-16. Numerator and denominator, by rising powers.
CENTRAL = (
    (3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727),
    (1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
     21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610))
MIDDLE = (
    (1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
     3.64784832476320460504, 1.27045825245236838258, 0.241780725177450611770,
     0.0227238449892691845833, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
     0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4,
     1.05075007164441684324e-9))
OUTER = (
    (6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
     0.296560571828504891230, 0.0265321895265761230930, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15))


def rational(x, coefficients):
    top, bottom = coefficients
    return polynomial(x, top) / polynomial(x, bottom)


def ndtri_kernel(x):
    q = x - 0.5
    near = mx.abs(q) <= 0.425
    central = q * rational(0.180625 - mx.square(mx.where(near, q, 0)), CENTRAL)
    tail = mx.where(near, 0.1, mx.minimum(x, 1 - x))
    r = mx.sqrt(-mx.log(tail))
    outer = mx.where(r <= 5, rational(mx.minimum(r, 5) - 1.6, MIDDLE),
                     rational(mx.clip(r, 5, 40) - 5, OUTER))
    out = mx.where(near, central, mx.where(q < 0, -outer, outer))
    out = mx.where(x == 0, -math.inf, mx.where(x == 1, math.inf, out))
    return mx.where(mx.logical_and(x >= 0, x <= 1), out, math.nan)


# --- the ops ------------------------------------------------------------------------------------


def density(x):
    """Of the standard normal distribution."""
    return exp_op(-0.5 * square(x)) * (1 / math.sqrt(2 * math.pi))


def hazard(x):
    """density(x) / ndtr(x): for x < 0 without the e^(-x^2/2) that cancels."""
    below = x < 0
    left = math.sqrt(2 / math.pi) / erfcx(where(below, x * (-1 / ROOT2), 0.0), order=0)
    right = where(below, 0.0, x)
    return where(below, left, density(right) / ndtr(right))


erfcx = elementwise("erfcx", on_floats(erfcx_kernel),
                    lambda g, x, order: scale(g, erfcx(x, order=order + 1)),
                    doc="e^(x^2) erfc(x), or a derivative of it.")
erfc = elementwise("erfc", on_floats(erfc_kernel), lambda x: (-2 / ROOT_PI) * exp_op(-square(x)),
                   doc="1 - erf(x), exact for large x.")
ndtr = elementwise("ndtr", on_floats(ndtr_kernel), lambda x: density(x),
                   doc="The distribution function of the standard normal distribution.")
log_ndtr = elementwise("log_ndtr", on_floats(log_ndtr_kernel), lambda x: hazard(x),
                       doc="log(ndtr(x)), exact for x far below 0.")
ndtri = elementwise("ndtri", on_floats(ndtri_kernel),
                    lambda ans: math.sqrt(2 * math.pi) * exp_op(0.5 * square(ans)), unbounded=True,
                    doc="The inverse of ndtr.")
