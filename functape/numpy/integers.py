"""Functions of integers: divisors and bits. They have no derivative."""

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError, describe
from functape.numpy.arguments import as_type, common, value
from functape.ops import elementwise


def gcd(x1, x2):
    """The greatest common divisor.

    Args:
      x1, x2: integers that broadcast.

    >>> import functape as ft
    >>> ft.numpy.gcd(ft.numpy.array([12, 7]), 18)
    tensor([6, 1], dtype=int32)
    """
    x, y = (elementwise.absolute(v) for v in pair("gcd", x1, x2))
    for _ in range(steps(x.dtype)):
        rest = elementwise.remainder(x, elementwise.maximum(y, 1))
        x, y = (elementwise.where(y == 0, x, y), elementwise.where(y == 0, y, rest))
    return x


def steps(dtype):
    """How often Euclid's algorithm divides at most: as for two neighbouring Fibonacci numbers."""
    return int(dtype.size * 8 * 1.45) + 1


def lcm(x1, x2):
    """The least common multiple.

    Args:
      x1, x2: integers that broadcast.

    >>> import functape as ft
    >>> ft.numpy.lcm(ft.numpy.array([4, 7]), 6)
    tensor([12, 42], dtype=int32)
    """
    x, y = pair("lcm", x1, x2)
    divisor = elementwise.maximum(gcd(x, y), 1)
    return elementwise.absolute(x) * elementwise.floor_divide(elementwise.absolute(y), divisor)


def pair(name, x1, x2):
    x, y = common(name, x1, x2)
    if not dtypes.issubdtype(x.dtype, dtypes.integer):
        raise ArgumentError(f"{name} takes integers, but got {describe(x)} and {describe(y)}. "
                            "Convert them with astype.")
    return x, y


def bitwise_count(x, /):
    """How many bits of \\|x\\| are 1; uint8.

    >>> import functape as ft
    >>> ft.numpy.bitwise_count(ft.numpy.array([0, 7, -1]))
    tensor([0, 3, 1], dtype=uint8)
    """
    x = value(x, "bitwise_count")
    if not dtypes.issubdtype(x.dtype, dtypes.integer):
        raise ArgumentError(f"bitwise_count takes integers, but got {describe(x)}.")
    bits = as_type(elementwise.absolute(x), mx.uint64)
    count = bits & 1
    for k in range(1, x.dtype.size * 8):
        count = count + ((bits >> k) & 1)
    return as_type(count, mx.uint8)
