"""The parts of floating-point numbers, their neighbours, and the bits of integers."""

import math

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, axis_of, common, inexact, integer, size_of, value
from functape.numpy.joining import concatenate
from functape.numpy.reductions import sum
from functape.numpy.shapes import moveaxis
from functape.ops import elementwise as ops
from functape.ops import movement
from functape.pairs import is_complex
from functape.tensor import constant

WHOLE = {2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}
FRACTION = {dtypes.float16: 10, dtypes.bfloat16: 7, dtypes.float32: 23, dtypes.float64: 52}


def real_floats(name, *arrays):
    found = [inexact(a) for a in common(name, *arrays)]
    if is_complex(found[0]):
        raise ArgumentError(f"{name} is not defined for complex numbers. Take the real and the "
                            "imaginary part.")
    return found


def frexp(x, /):
    """The mantissa m, 0.5 <= |m| < 1, and the exponent e with x = m 2^e.

    The derivative of m is 2^-e, wherever e is constant.

    >>> frexp(6.0)
    (tensor(0.75), tensor(3, dtype=int32))
    """
    x, = real_floats("frexp", x)
    if x.dtype.size == 2:
        m, e = frexp(as_type(x, dtypes.float32))
        return as_type(m, x.dtype), e
    kind, width = WHOLE[x.dtype.size], FRACTION[x.dtype]
    bias = 127 if width == 23 else 1023
    tiny = ops.absolute(x) < dtypes.finfo(x.dtype).tiny
    y = ops.where(tiny, x * 2.0 ** (width + 2), x)  # subnormals, made ordinary
    field = ops.right_shift(ops.bits(ops.absolute(ops.stop_gradient(y)), dtype=kind), width)
    plain = ops.isfinite(x) & ops.not_equal(x, 0)
    e = ops.where(plain, field - (bias - 1), 0)
    # 2^(2 - e) is an ordinary number for every e, as 2^-e is not.
    power = ops.bits(ops.left_shift(bias + 2 - e, width), dtype=x.dtype)
    m = ops.where(plain, y * power * 0.25, x)
    return m, as_type(e - ops.where(plain & tiny, width + 2, 0), dtypes.int32)


def nextafter(x, y, /):
    """The next number after x on the way to y.

    >>> float(nextafter(1.0, 2.0)) > 1.0
    True
    """
    x, y = real_floats("nextafter", x, y)
    x, y = ops.stop_gradient(x), ops.stop_gradient(y)
    kind = WHOLE[x.dtype.size]
    # The bits of positive numbers ascend with them; those of negative numbers descend.
    step = ops.where(ops.equal(ops.greater(y, x), ops.greater(x, 0)), 1, -1)
    moved = ops.bits(ops.bits(x, dtype=kind) + as_type(step, kind), dtype=x.dtype)
    least = ops.bits(as_type(constant(1), kind), dtype=x.dtype)
    away = ops.where(ops.greater(y, 0), least, -least)
    found = ops.where(ops.equal(x, 0), away, moved)
    unknown = ops.isnan(x) | ops.isnan(y)
    return ops.where(unknown, math.nan, ops.where(ops.equal(x, y), y, found))


def spacing(x, /):
    """The distance to the next number away from 0, with the sign of x.

    >>> float(spacing(1.0)) == 2.0 ** -23
    True
    """
    x, = real_floats("spacing", x)
    size = ops.absolute(ops.stop_gradient(x))
    gap = nextafter(size, math.inf) - size
    return ops.where(ops.signbit(x), -gap, gap)


# --- bits -----------------------------------------------------------------------------------------


def lane(name, a, axis):
    x = value(a, name)
    if axis is None:
        return movement.reshape(x, shape=(size_of(x.shape),)), 0
    return x, axis_of(axis, len(x.shape), name)


def places(name, bitorder):
    if bitorder not in ("big", "little"):
        raise ArgumentError(f"{name}: bitorder is 'big' or 'little', but got {bitorder!r}.")
    shifts = np.arange(8, dtype=np.uint8)
    return constant(shifts if bitorder == "little" else shifts[::-1])


def packbits(a, axis=None, bitorder="big"):
    """Eight truth values in one byte each, along an axis; zeros fill the last.

    Args:
      a: integers or booleans; what is not 0 counts as 1.
      axis: integer; None for all elements in a row.
      bitorder: "big": the first is the highest bit; or "little".

    >>> from functape.numpy import array
    >>> packbits(array([0, 0, 0, 0, 0, 0, 1, 1, 1]))
    tensor([  3, 128], dtype=uint8)
    """
    x, axis = lane("packbits", a, axis)
    if dtypes.issubdtype(x.dtype, dtypes.inexact):
        raise ArgumentError(f"packbits takes integers or booleans, but got {describe(x)}.")
    x = moveaxis(as_type(ops.not_equal(x, 0), dtypes.uint8), axis, -1)
    missing = -x.shape[-1] % 8
    if missing:
        x = concatenate([x, constant(np.zeros((*x.shape[:-1], missing), np.uint8))], -1)
    x = movement.reshape(x, shape=(*x.shape[:-1], x.shape[-1] // 8, 8))
    return moveaxis(sum(ops.left_shift(x, places("packbits", bitorder)), -1, dtype=dtypes.uint8),
                    -1, axis)


def unpackbits(a, axis=None, count=None, bitorder="big"):
    """The eight bits of each byte, along an axis.

    Args:
      a: uint8.
      axis: integer; None for all elements in a row.
      count: how many bits to return, or if negative, to leave out at the end.
      bitorder: "big": the highest bit first; or "little".

    >>> from functape.numpy import array
    >>> unpackbits(packbits(array([1, 0, 1])), count=3)
    tensor([1, 0, 1], dtype=uint8)
    """
    x, axis = lane("unpackbits", a, axis)
    if x.dtype != dtypes.uint8:
        raise ArgumentError(f"unpackbits takes bytes, uint8, but got {describe(x)}.")
    x = moveaxis(x, axis, -1)
    wide = movement.reshape(x, shape=(*x.shape, 1))
    found = ops.bitwise_and(ops.right_shift(wide, places("unpackbits", bitorder)), 1)
    found = movement.reshape(found, shape=(*x.shape[:-1], 8 * x.shape[-1]))
    n = found.shape[-1]
    if count is not None:
        count = integer(count, "unpackbits", "count")
        if count < -n:
            raise ShapeError(f"unpackbits: count is {count}, but there are {n} bits.")
        keep = count if count >= 0 else n + count
        more = constant(np.zeros((*found.shape[:-1], max(keep - n, 0)), np.uint8))
        kept = movement.cut(found, index=movement.along(len(x.shape) - 1, slice(0, min(keep, n))))
        found = concatenate([kept, more], -1)
    return moveaxis(found, -1, axis)
