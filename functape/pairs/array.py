"""Pair: an array of complex128, as two arrays of float64."""

import mlx.core as mx
import numpy as np

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

    def item(self):
        return complex(self.re.item(), self.im.item())

    def tolist(self):
        return to_numpy(self).tolist()


ARRAYS = (mx.array, Pair)  # what tensors hold

# --- from arrays to pairs and back --------------------------------------------------------------


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


def converted(a, dtype):
    """An array in another dtype; of a complex one only the real part goes into a real one."""
    if dtype is complex128:
        return pair(a)
    if type(a) is not Pair:
        is_cut = a.dtype == mx.complex64 and dtype not in (mx.complex64, mx.bool_)
        return (mx.real(a) if is_cut else a).astype(dtype)
    if dtype == mx.complex64:
        return single(a)
    return mx.logical_or(a.re != 0, a.im != 0) if dtype == mx.bool_ else a.re.astype(dtype)


def single(a):
    """A Pair as an array of complex64: the parts side by side, which keeps infinities apart."""
    if not a.size:
        return mx.zeros(a.shape, mx.complex64)
    both = mx.stack([a.re.astype(mx.float32), a.im.astype(mx.float32)], axis=-1)
    return mx.view(both, mx.complex64).squeeze(-1)


def from_numpy(a):
    """A Pair of a NumPy array or scalar of complex numbers."""
    return Pair(*[mx.array(np.ascontiguousarray(part).reshape(a.shape), dtype=mx.float64)
                  for part in (a.real, a.imag)])


def to_numpy(a):
    out = np.empty(a.shape, np.complex128)
    out.real, out.imag = np.array(a.re), np.array(a.im)
    return out


def halves(arrays):
    """Arrays as MLX takes them: the parts of each Pair one after the other."""
    return [half for a in arrays for half in ((a.re, a.im) if type(a) is Pair else (a,))]


def pairs_among(arrays):
    """The positions of Pairs."""
    return tuple([i for i, a in enumerate(arrays) if type(a) is Pair])


def joined(parts, pairs):
    """The inverse of `halves`; `pairs`: the positions of the Pairs."""
    arrays = list(parts)
    for i in pairs:
        arrays[i:i + 2] = [Pair(*arrays[i:i + 2])]
    return arrays


def full(shape, number, dtype):
    if dtype is complex128:
        number = complex(number)
        return Pair(*[mx.full(shape, n, mx.float64) for n in (number.real, number.imag)])
    return mx.full(shape, number, dtype)


def zeros(shape, dtype):
    return full(shape, 0, dtype) if dtype is complex128 else mx.zeros(shape, dtype)


def ones(shape, dtype):
    return full(shape, 1, dtype) if dtype is complex128 else mx.ones(shape, dtype)


# --- arithmetic ---------------------------------------------------------------------------------


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
    ar, br = (mx.where(zero, 0, part * r) for part in (a, b))
    return Pair(mx.where(across, ar + b, a + br) / whole, mx.where(across, br - a, b - ar) / whole)
