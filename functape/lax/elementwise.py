"""jax.lax's element-by-element functions. Unlike JAX's, they broadcast and convert types as
functape.numpy does; what differs from functape.numpy by meaning is defined here."""

import enum

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError, check_range, describe
from functape.numpy.arguments import as_type, common, integer, value
from functape.numpy.integers import bitwise_count
from functape.numpy.signatures import document
from functape.ops import elementwise as ops
from functape.ops.elementwise import (
    absolute,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    conjugate,
    equal,
    erf,
    erfinv,
    floor_divide,
    greater,
    greater_equal,
    isfinite,
    less,
    less_equal,
    maximum,
    minimum,
    negative,
    not_equal,
    power,
    rsqrt,
    sigmoid,
    subtract,
)
from functape.ops.families import multiply
from functape.ops.precision import reduced
from functape.promotion import agree

abs, conj, neg, pow = absolute, conjugate, negative, power
acos, acosh, asin, asinh = arccos, arccosh, arcsin, arcsinh
atan, atan2, atanh = arctan, arctan2, arctanh
mul, sub = multiply, subtract
eq, ne, lt, le, gt, ge = equal, not_equal, less, less_equal, greater, greater_equal
max, min = maximum, minimum
is_finite, logistic, erf_inv = isfinite, sigmoid, erfinv
for found, name, call, result in (
    (sigmoid, "logistic", "0.0", "tensor(0.5)"), (erfinv, "erf_inv", "0.0", "tensor(0.)"),
    (erf, "erf", "0.0", "tensor(0.)"), (rsqrt, "rsqrt", "4.0", "tensor(0.5)"),
):
    document(found, "lax", name, call, result)
shift_left = ops.left_shift
UNSIGNED = {dtypes.int8: dtypes.uint8, dtypes.int16: dtypes.uint16, dtypes.int32: dtypes.uint32,
            dtypes.int64: dtypes.uint64}


def population_count(x):
    """How many bits of each integer are 1, in its dtype; of negative ones, those of the two's
    complement.

    Args:
      x: array of integers.

    >>> import functape as ft
    >>> population_count(ft.numpy.array([0, 7, -1]))
    tensor([ 0,  3, 32], dtype=int32)
    """
    x = value(x, "population_count")
    bits = as_type(x, UNSIGNED.get(x.dtype, x.dtype))
    return as_type(bitwise_count(bits), x.dtype)


def clz(x):
    """How many bits of each integer are 0 in front of the first 1, in its dtype.

    Args:
      x: array of integers.

    >>> import functape as ft
    >>> clz(ft.numpy.array([0, 1, -1]))
    tensor([32, 31,  0], dtype=int32)
    """
    x = value(x, "clz")
    if not dtypes.issubdtype(x.dtype, dtypes.integer):
        raise ArgumentError(f"clz takes integers, but got {describe(x)}. Convert them with astype.")
    unsigned, size = UNSIGNED.get(x.dtype, x.dtype), x.dtype.size * 8
    bits, shift = ops.bits(x, dtype=unsigned), 1
    while shift < size:  # every bit behind the first 1 becomes 1
        bits, shift = bits | (bits >> shift), 2 * shift
    return size - as_type(bitwise_count(bits), x.dtype)


def reduce_precision(operand, exponent_bits, mantissa_bits):
    """Each number as a format of fewer bits would hold it, in its own dtype.

    Ties go to the even neighbour; what is too large becomes infinite, what is too small for a
    normal number, 0. The derivative is taken as 1; tangents and cotangents have that format too.

    Args:
      operand: array of floating-point numbers.
      exponent_bits: those of the exponent, 1 or more.
      mantissa_bits: those of the mantissa, 0 or more.

    >>> import functape as ft
    >>> ft.lax.reduce_precision(ft.numpy.array([1.2, 1e6]), 5, 2)
    tensor([1.25,  inf])
    """
    x = value(operand, "reduce_precision")
    exponent = integer(exponent_bits, "reduce_precision", "exponent_bits")
    mantissa = integer(mantissa_bits, "reduce_precision", "mantissa_bits")
    check_range("reduce_precision", "[1, inf)", exponent_bits=exponent)
    check_range("reduce_precision", "[0, inf)", mantissa_bits=mantissa)
    if not dtypes.issubdtype(x.dtype, dtypes.floating):
        raise ArgumentError("reduce_precision takes floating-point numbers, but got "
                            f"{describe(x)}. Convert them with astype, or take their parts.")
    return reduced(x, exponent=exponent, mantissa=mantissa)


class RoundingMethod(enum.IntEnum):
    """Which way `round` takes a number halfway between two integers."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


class Precision(enum.Enum):
    """How exact JAX's matrix products are on some devices; MLX's are exact, whatever is asked."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


def optimization_barrier(operand):
    """The operand itself; no compiler here moves operations across it.

    >>> optimization_barrier(1.0)
    1.0
    """
    return operand


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """The nearest integer; halves away from zero, unless told otherwise.

    Args:
      x: array.
      rounding_method: `RoundingMethod`.

    >>> import functape as ft
    >>> ft.lax.round(ft.numpy.array([0.5, 1.5])), ft.lax.round(0.5, 1)
    (tensor([1., 2.]), tensor(0.))
    """
    x = value(x, "round")
    if RoundingMethod(rounding_method) is RoundingMethod.TO_NEAREST_EVEN:
        return ops.rint(x)
    return ops.sign(x) * ops.floor(ops.absolute(x) + 0.5)


def div(x, y):
    """x / y; of integers, without the remainder: towards zero.

    >>> import functape as ft
    >>> ft.lax.div(-7, 2), ft.lax.div(7.0, 2.0)
    (tensor(-3, dtype=int32), tensor(3.5))
    """
    x, y = common("div", x, y)
    if not dtypes.issubdtype(x.dtype, dtypes.integer):
        return ops.divide(x, y)
    quotient = floor_divide(ops.absolute(x), ops.absolute(y))
    return quotient * ops.sign(x) * ops.sign(y)


def rem(x, y):
    """The remainder of x / y, with the sign of x.

    >>> import functape as ft
    >>> ft.lax.rem(-7.0, 2.0)
    tensor(-1.)
    """
    return ops.fmod(*common("rem", x, y))


def integer_pow(x, y):
    """x ** y for a Python integer y.

    >>> import functape as ft
    >>> ft.lax.integer_pow(3.0, 2)
    tensor(9.)
    """
    return power(value(x, "integer_pow"), integer(y, "integer_pow", "y"))


def clamp(min, x, max):
    """x kept within [min, max].

    >>> import functape as ft
    >>> ft.lax.clamp(0.0, ft.numpy.array([-1.0, 0.5, 2.0]), 1.0)
    tensor([0. , 0.5, 1. ])
    """
    x = value(x, "clamp", 1)
    agree("clamp", (x, min, max))
    return ops.clip(x, min, max)


def complex(x, y):
    """x + i y.

    >>> import functape as ft
    >>> ft.lax.complex(1.0, 2.0)
    tensor(1.+2.j, dtype=complex64)
    """
    x, y = common("complex", x, y)
    return x + y * 1j


def select(pred, on_true, on_false):
    """Element by element, `on_true` where `pred` holds, else `on_false`.

    >>> import functape as ft
    >>> ft.lax.select(ft.numpy.array([True, False]), ft.numpy.ones(2), ft.numpy.zeros(2))
    tensor([1., 0.])
    """
    pred = value(pred, "select")
    if pred.dtype != mx.bool_:
        raise ArgumentError(f"select: the predicate must be boolean, but is {describe(pred)}. "
                            "Compare it: pred != 0.")
    return ops.where(pred, *common("select", on_true, on_false))


def select_n(which, *cases):
    """Element by element, the case that `which` names: integers, or booleans for two cases.

    >>> import functape as ft
    >>> ft.lax.select_n(ft.numpy.array([2, 0]), *[ft.numpy.full(2, k) for k in (5.0, 6.0, 7.0)])
    tensor([7., 5.])
    """
    which = value(which, "select_n")
    if not (which.dtype == mx.bool_ and len(cases) == 2
            or dtypes.issubdtype(which.dtype, dtypes.integer)):
        raise ArgumentError("select_n: which must be integers, or booleans for two cases, but is "
                            f"{describe(which)} for {len(cases)}.")
    *cases, out = common("select_n", *cases)
    for k in reversed(range(len(cases))):
        out = ops.where(less_equal(as_type(which, mx.int32), k), cases[k], out)
    return out


def convert_element_type(operand, new_dtype):
    """The array in another dtype; differentiable if that is floating-point or complex.

    Args:
      operand: array.
      new_dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.convert_element_type(1.7, ft.numpy.int32)
    tensor(1, dtype=int32)
    """
    return as_type(value(operand, "convert_element_type"), dtypes.as_dtype(new_dtype))


def bitcast_convert_type(operand, new_dtype):
    """The same bits read as another dtype of the same size. Nothing is differentiated.

    Args:
      operand: array.
      new_dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.bitcast_convert_type(1.0, ft.numpy.int32)
    tensor(1065353216, dtype=int32)
    """
    x, dtype = value(operand, "bitcast_convert_type"), dtypes.as_dtype(new_dtype)
    if dtype.size != x.dtype.size:
        raise ArgumentError(f"bitcast_convert_type: {describe(x)} and {dtypes.dtype_name(dtype)} "
                            "have elements of different sizes. Choose a dtype of the same size.")
    return ops.bits(x, dtype=dtype)


def shift_right_arithmetic(x, y):
    """x >> y, filled with the sign.

    >>> import functape as ft
    >>> ft.lax.shift_right_arithmetic(ft.numpy.array([-8]), 1)
    tensor([-4], dtype=int32)
    """
    return ops.right_shift(value(x, "shift_right_arithmetic"), y)


def shift_right_logical(x, y):
    """x >> y, filled with zeros.

    >>> import functape as ft
    >>> ft.lax.shift_right_logical(ft.numpy.array([-8]), 1)
    tensor([2147483644], dtype=int32)
    """
    x = value(x, "shift_right_logical")
    unsigned = ops.bits(x, dtype=UNSIGNED.get(x.dtype, x.dtype))
    y = as_type(value(y, "shift_right_logical", 1), unsigned.dtype)
    return ops.bits(ops.right_shift(unsigned, y), dtype=x.dtype)
