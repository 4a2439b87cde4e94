"""Keys and bits. A key is an array uint32[2]: it says all about the numbers drawn with it."""


import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, RangeError, describe
from functape.numpy.arguments import integer, shape_of, value
from functape.op import Value
from functape.ops import elementwise as ops
from functape.ops.elementwise import cast
from functape.ops.movement import stack
from functape.ops.random import random_bits
from functape.tensor import Tensor

WORDS = {mx.uint8: 8, mx.uint16: 16, mx.uint32: 32, mx.uint64: 64}


def key(seed, *, impl=None):
    """A key from an integer; the same as `mlx.core.random.key` makes.

    Source: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random numbers: as easy
    as 1, 2, 3, SC 2011 (Threefry).

    Args:
      seed: a Python integer, or an integer scalar, which may depend on a transform.
      impl: kept for JAX's signature; there is one generator, MLX's.

    >>> import functape as ft
    >>> ft.random.key(7)
    tensor([0, 7], dtype=uint32)
    """
    if impl not in (None, "threefry2x32"):
        raise ArgumentError(f"key: there is one generator, MLX's threefry2x32, but impl is "
                            f"{impl!r}. Leave it out.")
    if isinstance(seed, (Value, mx.array, np.ndarray)):
        seed = value(seed, "key")
        if seed.shape or not dtypes.issubdtype(seed.dtype, dtypes.integer):
            raise ArgumentError(f"key: the seed must be an integer scalar, but is "
                                f"{describe(seed)}.")
        low = cast(seed, dtype=mx.uint32)
        return stack(ops.bitwise_and(low, 0), low, axis=0)
    seed = integer(seed, "key", "seed") % 2**64
    return Tensor(mx.array([seed >> 32, seed % 2**32], dtype=mx.uint32))


def PRNGKey(seed, *, impl=None):  # noqa: N802 - JAX's name
    """A key from an integer: `key`, by JAX's older name; arguments as for `key`.

    >>> import functape as ft
    >>> ft.random.PRNGKey(7)
    tensor([0, 7], dtype=uint32)
    """
    return key(seed, impl=impl)


def checked(key, name):
    """A key as a value."""
    known = isinstance(key, (Value, mx.array, np.ndarray))
    if not known or tuple(key.shape) != (2,) or describe(key) != "uint32[2]":
        raise ArgumentError(f"{name} takes one key first, uint32[2], but got {describe(key)}. Make "
                            "one with functape.random.key(seed), and vmap over several.")
    return value(key, name)


def split(key, num=2):
    """New keys, independent of each other and of what is drawn with the old one.

    Args:
      key: a key; do not use it again.
      num: how many, or a shape.

    Returns:
      Keys (num, 2), or (*num, 2).

    >>> import functape as ft
    >>> first, second = ft.random.split(ft.random.key(0))
    >>> first.shape
    (2,)
    """
    return random_bits(checked(key, "split"), shape=(*shape_of(num, "split"), 2))


def fold_in(key, data):
    """A new key from a key and an integer: another one for each integer.

    Args:
      data: the integer.

    >>> import functape as ft
    >>> ft.random.fold_in(ft.random.key(0), 3).shape
    (2,)
    """
    first = random_bits(checked(key, "fold_in"), shape=(2,))  # so that no sum of keys repeats
    if not isinstance(data, (Value, mx.array, np.ndarray)):
        low = integer(data, "fold_in", "data") % 2**32
        number = Tensor(mx.array(low, dtype=mx.uint32))
    else:
        number = value(data, "fold_in", 1)
        if number.shape or not dtypes.issubdtype(number.dtype, dtypes.integer):
            raise ArgumentError(f"fold_in: data must be an integer scalar, but is "
                                f"{describe(number)}. vmap over several.")
        number = cast(number, dtype=mx.uint32)
    mixed = ops.bitwise_xor(first, stack(ops.bitwise_and(number, 0), number, axis=0))
    return random_bits(mixed, shape=(2,))


def key_data(keys):
    """The numbers of a key: here a key is its numbers.

    Args:
      keys: uint32 (..., 2).

    >>> import functape as ft
    >>> ft.random.key_data(ft.random.key(7))
    tensor([0, 7], dtype=uint32)
    """
    return value(keys, "key_data")


def wrap_key_data(key_bits_array, *, impl=None):
    """A key from its numbers: here a key is its numbers.

    Args:
      key_bits_array: uint32 (..., 2).
      impl: accepted for JAX's signature, without effect.

    >>> import functape as ft, numpy as np
    >>> ft.random.wrap_key_data(np.array([0, 7], np.uint32))
    tensor([0, 7], dtype=uint32)
    """
    return checked(key_bits_array, "wrap_key_data")


def clone(key):
    """The key, for another use on purpose.

    >>> import functape as ft
    >>> ft.random.clone(ft.random.key(7))
    tensor([0, 7], dtype=uint32)
    """
    return checked(key, "clone")


def bits(key, shape=(), dtype=None):
    """Random bits: unsigned integers of which all are equally likely.

    Args:
      key: a key.
      shape: of the result.
      dtype: uint8, uint16, uint32 (default) or uint64.

    >>> import functape as ft
    >>> ft.random.bits(ft.random.key(0), (2, 3)).dtype == ft.numpy.uint32
    True
    """
    key, shape = checked(key, "bits"), shape_of(shape, "bits")
    dtype = mx.uint32 if dtype is None else dtypes.as_dtype(dtype, "bits")
    if dtype not in WORDS:
        raise ArgumentError(f"bits: dtype must be an unsigned integer type, but is {dtype}.")
    if dtype == mx.uint64:
        return wide_bits(key, shape)
    words = random_bits(key, shape=shape)
    return words if dtype == mx.uint32 else cast(words, dtype=dtype)


def wide_bits(key, shape):
    """uint64, from two words each."""
    high, low = (cast(w, dtype=mx.uint64) for w in pair(key, shape))
    return ops.bitwise_or(ops.left_shift(high, 32), low)


def pair(key, shape):
    """Two arrays of words, from one draw."""
    words = random_bits(key, shape=(2, *shape))
    return words[0], words[1]


def floats(words, digits, dtype, offset=0.0):
    """Numbers in [0, 1) from the highest `digits` bits of words, on a grid 2^-digits: at its
    points, or (offset 1/2) between them, where neither 0 nor 1 is met."""
    top = ops.right_shift(words, 32 - digits).astype(dtype)
    return (top + offset if offset else top) * 2.0**-digits


# dtype: (bits of its significand)
DIGITS = {mx.float16: 11, mx.bfloat16: 8, mx.float32: 24, mx.float64: 53}


def unit(key, shape, dtype, open_ends=False):
    """Uniform numbers in [0, 1), or in (0, 1)."""
    digits, offset = DIGITS[dtype], 0.0
    if open_ends:
        digits, offset = digits - 1, 0.5
    if dtype != mx.float64:
        return floats(random_bits(key, shape=shape), digits, dtype, offset)
    high, low = pair(key, shape)
    rest = digits - 26
    high = ops.right_shift(high, 6).astype(dtype)
    low = ops.right_shift(low, 32 - rest).astype(dtype) + offset
    return (high + low * 2.0**-rest) * 2.0**-26


def float_type(dtype, name):
    """The dtype to draw in: float32, if none is given."""
    dtype = mx.float32 if dtype is None else dtypes.as_dtype(dtype, name)
    if dtype not in DIGITS:
        raise RangeError(f"{name}: dtype must be a floating-point type, but is "
                         f"{dtypes.dtype_name(dtype)}.")
    return dtype


