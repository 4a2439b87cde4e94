"""Pair: an array of complex128, as two arrays of float64."""

import mlx.core as mx

from functape.pairs.dtype import complex128


class Pair:
    """Complex numbers in double precision: their real and imaginary parts, of one shape.

    It stands where an `mx.array` stands, but no function of MLX takes it, nor anything that MLX
    would make an array of: each op has a kernel of its own for it, or none.
    """

    __slots__ = ("re", "im", "__weakref__")
    dtype = complex128
    itemsize = complex128.size

    def __init__(self, re, im):
        self.re, self.im = re, im

    @property
    def shape(self):
        return self.re.shape

    @property
    def ndim(self):
        return self.re.ndim

    @property
    def size(self):
        return self.re.size

    @property
    def nbytes(self):
        return 2 * self.re.nbytes

    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __sub__(self, other):
        return subtract(self, other)

    def __rsub__(self, other):
        return subtract(other, self)

    def __mul__(self, other):
        return multiply(self, other)

    def __rmul__(self, other):
        return multiply(other, self)

    def __truediv__(self, other):
        return divide(self, other)

    def __rtruediv__(self, other):
        return divide(other, self)

    def __neg__(self):
        return Pair(-self.re, -self.im)


def double(a):
    """A real array or number as an array of float64."""
    return a.astype(mx.float64) if isinstance(a, mx.array) else mx.array(float(a), mx.float64)


def parts(a):
    """The real and the imaginary part of an array or a number; None for that of a real one."""
    if type(a) is Pair:
        return a.re, a.im
    if isinstance(a, mx.array):
        if a.dtype == mx.complex64:
            return double(mx.real(a)), double(mx.imag(a))
        return double(a), None
    if isinstance(a, complex):
        return double(a.real), double(a.imag)
    return double(a), None


def pair(a):
    """An array or a number as a Pair."""
    re, im = parts(a)
    return Pair(re, mx.zeros_like(re) if im is None else im)


def same_shape(re, im):
    """The Pair of two parts of which one may have to be stretched."""
    return Pair(*mx.broadcast_arrays(re, im))


def add(x, y):
    (a, b), (c, d) = parts(x), parts(y)
    if d is None or b is None:
        return same_shape(a + c, b if d is None else d)
    return Pair(a + c, b + d)


def subtract(x, y):
    (a, b), (c, d) = parts(x), parts(y)
    if d is None or b is None:
        return same_shape(a - c, b if d is None else -d)
    return Pair(a - c, b - d)


def multiply(x, y):
    (a, b), (c, d) = parts(x), parts(y)
    if d is None:
        return Pair(a * c, b * c)
    if b is None:
        return Pair(a * c, a * d)
    return Pair(a * c - b * d, a * d + b * c)


def divide(x, y):
    """Smith's way (1962): the larger part of the divisor is divided by first."""
    (a, b), (c, d) = parts(x), parts(y)
    if d is None:
        return Pair(a / c, b / c)
    b = mx.zeros_like(a) if b is None else b
    across = mx.abs(c) < mx.abs(d)
    high, low = mx.where(across, d, c), mx.where(across, c, d)
    zero = high == 0
    r = mx.where(zero, 0, low / high)
    whole = mx.where(zero, mx.abs(c), high + low * r)
    return Pair(mx.where(across, a * r + b, a + b * r) / whole,
                mx.where(across, b * r - a, b - a * r) / whole)
