"""Kernels of complex128 for ops that act on each element: arithmetic, comparisons, facts.

Where the parts are infinite or NaN, results are those of the array API standard, which are C99's.
Complex numbers are ordered as NumPy orders them, by the real and then by the imaginary part.
"""

import math

import mlx.core as mx

from functape.op import NUMBERS, table
from functape.ops import complex_kernels, float64
from functape.ops.elementwise import hypot_kernel
from functape.pairs import exponentials, inverses
from functape.pairs.array import Pair, add, divide, multiply, pair, parts, subtract

number = float64.number  # two Python numbers in a `where` would be float32

# --- arithmetic ---------------------------------------------------------------------------------


def truth(a):
    """Whether the elements of an array or a number differ from 0."""
    re, im = parts(a)
    return re != 0 if im is None else mx.logical_or(re != 0, im != 0)


def keep_where(condition, a):
    """`a`, but 0 where the condition does not hold."""
    return Pair(mx.where(condition, a.re, 0), mx.where(condition, a.im, 0))


def select(condition, x, y):
    """x where the condition holds, else y."""
    x, y = pair(x), pair(y)
    return Pair(mx.where(condition, x.re, y.re), mx.where(condition, x.im, y.im))


def where(condition, x, y):
    if parts(x)[1] is None and parts(y)[1] is None:  # only the condition is complex
        return table["where"].kernel(truth(condition), x, y)
    return select(truth(condition), x, y)


def scale(x, y):
    return keep_where(truth(x), multiply(x, y))


def scale_both(x, y):
    return keep_where(mx.logical_and(truth(x), truth(y)), multiply(x, y))


def ratio(x, y):
    return keep_where(truth(x), divide(x, y))


def turned(x, y, z):
    return ratio(x, add(pair(z), multiply(pair(y), divide(pair(y), z))))


def reciprocal(z):
    """As `divide`, but with the signs of zeros that 1, without imaginary part, leaves."""
    a, b = z.re, z.im
    across = mx.abs(a) < mx.abs(b)
    high, low = mx.where(across, b, a), mx.where(across, a, b)
    r = mx.where(high == 0, 0, low / high)
    whole = high + low * r
    return Pair(mx.where(across, r, 1) / whole, mx.where(across, -1, -r) / whole)


def square(z):
    return Pair(z.re * z.re - z.im * z.im, 2 * (z.re * z.im))


def conjugate(z):
    return Pair(z.re, -z.im)


def real(z):
    return z.re.astype(mx.float64)  # another handle: a tensor owns its array


def imag(z):
    return z.im.astype(mx.float64)


def absolute(z):
    return hypot_kernel(z.re, z.im)


def sign(z):
    """z / |z|, and 0 at 0; a power of two first brings z to where |z| is a normal number. Of two
    parts an infinite one is the whole direction."""
    big = mx.maximum(mx.abs(z.re), mx.abs(z.im))
    factor = mx.where(big < 1e-290, number(2.0**200),
                      mx.where(big > 1e290, number(2.0**-200), 1.0))
    endless = isinf(z)
    z = Pair(*[mx.where(endless, mx.where(mx.isinf(a), mx.sign(a) + 0 * b, 0 * a), a * factor)
               for a, b in ((z.re, z.im), (z.im, z.re))])
    return keep_where(truth(z), divide(z, absolute(z)))


# --- powers -------------------------------------------------------------------------------------


def power(x, y):
    """Integers by products; the others by the logarithm."""
    if isinstance(y, NUMBERS) and y == int(y.real) and abs(y) <= 64:
        found = whole_power(pair(x), abs(int(y.real)))
        return reciprocal(found) if y.real < 0 else found
    if y in (0.5, -0.5) if isinstance(y, NUMBERS) else False:
        return exponentials.sqrt(x) if y > 0 else reciprocal(exponentials.sqrt(x))
    x, y = pair(x), pair(y)
    found = exponentials.exp(multiply(y, exponentials.log(x)))
    of_zero = mx.logical_and(mx.logical_not(truth(x)), y.re > 0)
    found = select(of_zero, mx.zeros_like(found.re), found)
    return select(truth(y), found, mx.ones_like(found.re))


def whole_power(x, n):
    """x^n for an integer n >= 0, by squares."""
    if n == 0:
        return pair(mx.ones_like(x.re))
    if n == 1:
        return x
    half = square(whole_power(x, n // 2))
    return multiply(half, x) if n % 2 else half


# --- order --------------------------------------------------------------------------------------


def equal(x, y):
    x, y = pair(x), pair(y)
    return mx.logical_and(x.re == y.re, x.im == y.im)


def not_equal(x, y):
    return mx.logical_not(equal(x, y))


def by_parts(compare):
    """The order by the real parts, and where they are equal by the imaginary ones."""

    def kernel(x, y):
        x, y = pair(x), pair(y)
        first = mx.logical_and(x.re != y.re, compare(x.re, y.re))
        return mx.logical_or(first, mx.logical_and(x.re == y.re, compare(x.im, y.im)))

    return kernel


less, greater = by_parts(mx.less), by_parts(mx.greater)


def chosen_by(compare):
    """The one of two numbers that comes first in an order, or that is NaN."""

    def kernel(x, y):
        x = pair(x)
        return select(mx.logical_or(compare(x, y), isnan(x)), x, y)

    return kernel


def above(x, y):
    return 0.5 * (1 + greater(x, y).astype(mx.float64) - less(x, y).astype(mx.float64))


# --- facts --------------------------------------------------------------------------------------


def isnan(z):
    return mx.logical_or(mx.isnan(z.re), mx.isnan(z.im))


def isinf(z):
    return mx.logical_or(mx.isinf(z.re), mx.isinf(z.im))


def isfinite(z):
    return mx.logical_and(mx.isfinite(z.re), mx.isfinite(z.im))


def logical(kernel):
    """A function of the truth of each argument."""
    return lambda *arrays: kernel(*map(truth, arrays))


# --- what the rules of real functions need ------------------------------------------------------


def finite(z):
    most = mx.finfo(mx.float64).max
    return Pair(*[mx.clip(part, -most, most) for part in (z.re, z.im)])


def nonpositive(z):
    return Pair(mx.minimum(z.re, 0), z.im)


def sigmoid(z):
    """By the exponential that does not overflow."""
    left = z.re < 0
    small = exponentials.exp(select(left, z, -z))
    return divide(select(left, small, mx.ones_like(z.re)), add(small, 1.0))


def logaddexp(x, y):
    x, y = pair(x), pair(y)
    swap = x.re < y.re
    high, low = select(swap, y, x), select(swap, x, y)
    out = add(high, exponentials.log1p(exponentials.exp(subtract(low, high))))
    return Pair(out.re, out.im - complex_kernels.turns(out.im))


def exp2(z):
    return exponentials.turn(mx.power(number(2.0), z.re), math.log(2) * z.im)


KERNELS = {
    "add": add, "subtract": subtract, "multiply": multiply, "divide": divide,
    "scale": scale, "scale_both": scale_both, "ratio": ratio, "turned": turned,
    "scale_rows": lambda x, y, axis: multiply(x, y), "reciprocal": reciprocal, "square": square,
    "power": power,
    "where": where, "gate": lambda condition, x: keep_where(truth(condition), pair(x)),
    "abs": absolute, "real": real, "imag": imag, "conjugate": conjugate, "sign": sign,
    "equal": equal, "not_equal": not_equal, "less": less, "greater": greater,
    "less_equal": by_parts(mx.less_equal), "greater_equal": by_parts(mx.greater_equal),
    "maximum": chosen_by(greater), "minimum": chosen_by(less), "above": above,
    "isnan": isnan, "isinf": isinf, "isfinite": isfinite,
    "logical_not": logical(mx.logical_not), "logical_and": logical(mx.logical_and),
    "logical_or": logical(mx.logical_or), "logical_xor": logical(mx.not_equal),
    "finite": finite, "nonpositive": nonpositive, "sigmoid": sigmoid, "logaddexp": logaddexp,
    "exp2": exp2, "exp_below": exponentials.exp, "softplus": lambda z: logaddexp(z, 0.0),
    "affine": lambda x, w, b: add(multiply(pair(x), w), b),
    **exponentials.KERNELS, **inverses.KERNELS,
}
