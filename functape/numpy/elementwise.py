"""Functions of each element. Most are the ops themselves; here are those with more arguments or
made of several ops."""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError
from functape.numpy.arguments import (
    as_type,
    common,
    inexact,
    integer,
    is_inexact,
    unsupported,
    value,
)
from functape.op import NUMBERS
from functape.ops import elementwise as ops
from functape.ops.elementwise import where as where_op
from functape.ops.movement import copy_of
from functape.ops.sinc import sinc_derivative
from functape.pairs import is_complex
from functape.promotion import agree

# --- arithmetic ---------------------------------------------------------------------------------


def positive(x, /):
    """+x.

    >>> import functape as ft
    >>> ft.numpy.positive(2.0)
    tensor(2.)
    """
    return copy_of(value(x, "positive"))


def divmod(x1, x2, /):  # noqa: A001 - NumPy's name
    """The floor of x1 / x2, and what remains.

    >>> import functape as ft
    >>> ft.numpy.divmod(7, 3)
    (tensor(2, dtype=int32), tensor(1, dtype=int32))
    """
    agree("divmod", (x1, x2))
    if not isinstance(x1, NUMBERS):
        x1 = value(x1, "divmod")
    return ops.floor_divide(x1, x2), ops.remainder(x1, x2)


def float_power(x1, x2, /):
    """x1 ** x2 in floating point.

    >>> import functape as ft
    >>> ft.numpy.float_power(2, -1)
    tensor(0.5)
    """
    return ops.power(*map(inexact, common("float_power", x1, x2)))


def fabs(x, /):
    """|x| in floating point.

    >>> import functape as ft
    >>> ft.numpy.fabs(-3)
    tensor(3.)
    """
    return ops.absolute(inexact(value(x, "fabs")))


def copysign(x1, x2, /):
    """|x1| with the sign of x2, of -0.0 too.

    >>> import functape as ft
    >>> ft.numpy.copysign(2.0, -0.0)
    tensor(-2.)
    """
    x, y = map(inexact, common("copysign", x1, x2))
    return ops.absolute(x) * (1 - 2 * ops.signbit(y))


def heaviside(x1, x2, /):
    """0 for negative x1, 1 for positive, and x2 where x1 is 0.

    >>> import functape as ft
    >>> ft.numpy.heaviside(ft.numpy.array([-1.0, 0.0, 2.0]), 0.5)
    tensor([0. , 0.5, 1. ])
    """
    x, y = map(inexact, common("heaviside", x1, x2))
    step = where_op(ops.isnan(x), x, as_type(ops.greater(x, 0), x.dtype))
    return where_op(ops.equal(x, 0), y, step)


# --- exponentials and logarithms ----------------------------------------------------------------


def logaddexp2(x1, x2, /):
    """log2(2**x1 + 2**x2), without overflow.

    >>> import functape as ft
    >>> ft.numpy.logaddexp2(3.0, 3.0)
    tensor(4.)
    """
    x, y = map(inexact, common("logaddexp2", x1, x2))
    return ops.logaddexp(x * math.log(2), y * math.log(2)) * (1 / math.log(2))


def ldexp(x1, x2, /):
    """x1 * 2**x2.

    >>> import functape as ft
    >>> ft.numpy.ldexp(0.75, 3)
    tensor(6.)
    """
    x = inexact(value(x1, "ldexp"))
    return x * as_type(ops.exp2(inexact(value(x2, "ldexp", 1))), x.dtype)


def sinc(x, /):
    """sin(pi x) / (pi x), and 1 at 0; smooth there.

    >>> import functape as ft
    >>> ft.numpy.sinc(0.0)
    tensor(1.)
    """
    return sinc_derivative(inexact(value(x, "sinc")), order=0)


# --- rounding -----------------------------------------------------------------------------------


def round(a, decimals=0, out=None):  # noqa: A001 - NumPy's name
    """The nearest number with so many decimals, ties to even. Its derivative is 0.

    Args:
      a: array.
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> ft.numpy.round(ft.numpy.array([1.25, 2.5, 3.75]), 1)
    tensor([1.2, 2.5, 3.8])
    """
    unsupported("round", out=out)
    a, decimals = value(a, "round"), integer(decimals, "round", "decimals")
    if not is_inexact(a):
        if decimals >= 0:
            return a
        unit = 10 ** -decimals
        return as_type(ops.rint(inexact(a) / unit), a.dtype) * unit
    if decimals == 0:
        return ops.rint(a)
    if decimals > 0:
        return ops.rint(a * 10.0 ** decimals) / 10.0 ** decimals
    return ops.rint(a / 10.0 ** -decimals) * 10.0 ** -decimals


def modf(x, /):
    """The fraction and the whole part, both with the sign of x.

    >>> import functape as ft
    >>> ft.numpy.modf(-2.5)
    (tensor(-0.5), tensor(-2.))
    """
    x = inexact(value(x, "modf"))
    whole = ops.trunc(x)
    return where_op(ops.isinf(x), ops.reciprocal(x), x - whole), whole


# --- extremes and choice ------------------------------------------------------------------------


def clip(arr, /, min=None, max=None):
    """Elements kept within [min, max]; None leaves that side open.

    Args:
      arr: array.

    >>> import functape as ft
    >>> ft.numpy.clip(ft.numpy.array([-1.0, 0.5, 3.0]), 0.0, 1.0)
    tensor([0. , 0.5, 1. ])
    """
    x = value(arr, "clip")
    if is_complex(x) or any(isinstance(b, complex) for b in (min, max)):
        raise ArgumentError("clip is not defined for complex numbers, which have no order. Clip "
                            "the real and the imaginary part.")
    if min is None and max is None:
        return x
    agree("clip", [x, *(b for b in (min, max) if b is not None)])
    if not is_inexact(x):
        x = x if min is None else ops.maximum(x, min)
        return x if max is None else ops.minimum(x, max)
    return ops.clip(x, -math.inf if min is None else min, math.inf if max is None else max)


def fmax(x1, x2, /):
    """The larger of x1 and x2; the other one, where one is NaN.

    >>> import functape as ft
    >>> ft.numpy.fmax(ft.numpy.array([1.0, float("nan")]), 2.0)
    tensor([2., 2.])
    """
    x, y = common("fmax", x1, x2)
    return where_op(ops.isnan(x), y, where_op(ops.isnan(y), x, ops.maximum(x, y)))


def fmin(x1, x2, /):
    """The smaller of x1 and x2; the other one, where one is NaN.

    >>> import functape as ft
    >>> ft.numpy.fmin(ft.numpy.array([1.0, float("nan")]), 2.0)
    tensor([1., 2.])
    """
    x, y = common("fmin", x1, x2)
    return where_op(ops.isnan(x), y, where_op(ops.isnan(y), x, ops.minimum(x, y)))


def where(condition, x=None, y=None, /, *, size=None, fill_value=None):
    """x where the condition holds, else y; with the condition alone, where it holds: nonzero.

    No derivative passes through what is not selected, whatever its value is.

    Args:
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> ft.numpy.where(ft.numpy.array([True, False]), 1.0, ft.numpy.array([5.0, 6.0]))
    tensor([1., 6.])
    """
    if x is None and y is None:
        from functape.numpy.searching import nonzero

        return nonzero(value(condition, "where"), size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ArgumentError("where takes a condition alone, or the condition with both x and y.")
    if type(condition) is not bool:
        condition = value(condition, "where")
        if condition.dtype != mx.bool_:
            condition = ops.not_equal(condition, 0)
    agree("where", (x, y))
    return where_op(condition, x, y)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Finite numbers in place of NaN and infinities: 0, and the largest of the dtype.

    Args:
      x: array.
      copy: accepted; arrays are not written into, so none has to be copied.
      nan, posinf, neginf: what stands for each; None: the largest and the lowest number of the
        dtype.

    >>> import functape as ft
    >>> ft.numpy.nan_to_num(ft.numpy.array([1.0, float("nan")]))
    tensor([1., 0.])
    """
    x = value(x, "nan_to_num")
    if not is_inexact(x):
        return x
    if is_complex(x):
        return (nan_to_num(real(x), copy, nan, posinf, neginf)
                + 1j * nan_to_num(imag(x), copy, nan, posinf, neginf))
    limits = dtypes.finfo(x.dtype)
    x = where_op(ops.isnan(x), nan, x)
    x = where_op(ops.equal(x, math.inf), limits.max if posinf is None else posinf, x)
    return where_op(ops.equal(x, -math.inf), limits.min if neginf is None else neginf, x)


# --- complex numbers ----------------------------------------------------------------------------


def real(val, /):
    """The real part.

    Args:
      val: array.

    >>> import functape as ft
    >>> ft.numpy.real(3 + 4j)
    tensor(3.)
    """
    val = value(val, "real")
    return ops.real(val) if is_complex(val) else val


def imag(val, /):
    """The imaginary part.

    Args:
      val: array.

    >>> import functape as ft
    >>> ft.numpy.imag(3 + 4j)
    tensor(4.)
    """
    return ops.imag(value(val, "imag"))


def conjugate(x, /):
    """The complex conjugate; a real x itself.

    >>> import functape as ft
    >>> ft.numpy.conjugate(3.0)
    tensor(3.)
    """
    x = value(x, "conjugate")
    return ops.conjugate(x) if is_complex(x) else x


def angle(z, deg=False):
    """The angle of z in the complex plane, in (-pi, pi]; in degrees if `deg`.

    >>> import functape as ft
    >>> ft.numpy.angle(1j, deg=True)
    tensor(90.)
    """
    z = inexact(value(z, "angle"))
    if is_complex(z):
        found = ops.arctan2(ops.imag(z), ops.real(z))
    else:
        found = ops.arctan2(as_type(ops.isnan(z), z.dtype), z)
    return ops.degrees(found) if deg else found


