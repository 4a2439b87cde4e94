"""Discrete Fourier transforms in double precision, which MLX lacks.

A length n = a b is transformed as b columns of length a, turned, and then a rows of length b;
a length of up to 64 by the matrix of waves, and one without divisors of that size as a convolution
with a chirp. J. W. Cooley and J. W. Tukey, An algorithm for the machine calculation of complex
Fourier series (1965); L. I. Bluestein, A linear filtering approach to the computation of the
discrete Fourier transform (1968).
"""

import functools
import math

import mlx.core as mx
import numpy as np

from functape.pairs.array import Pair, from_numpy, multiply, pair, parts
from functape.pairs.contraction import matmul

DIRECT = 64  # up to this length by a product with the matrix

# --- waves --------------------------------------------------------------------------------------


def unit_roots(k, n):
    """exp(-2 pi i k / n) for integers k. Angles are counted from the nearest quarter turn, so that
    eighths of a turn and their like are exact."""
    quarters, rest = np.divmod(4 * (k % n) + n // 2, n)
    angle = (math.pi / 2) * ((rest - n // 2) / n)
    return (np.cos(angle) - 1j * np.sin(angle)) * np.array([1, -1j, -1, 1j])[quarters % 4]


@functools.lru_cache(maxsize=32)
def waves(a, b, n):
    """The roots of order n to the powers j k, for j < a and k < b."""
    return from_numpy(unit_roots(np.arange(a)[:, None] * np.arange(b), n))


@functools.lru_cache(maxsize=16)
def chirp(n):
    """The chirp exp(-pi i k^2 / n), and the transform of its conjugate, going round a length that
    is a power of two."""
    k = np.arange(n)
    wave = unit_roots(k * k % (2 * n), 2 * n)
    around = np.zeros(1 << (2 * n - 2).bit_length(), complex)
    around[:n] = wave.conj()
    around[len(around) - n + 1:] = wave[:0:-1].conj()
    return from_numpy(wave), from_numpy(np.fft.fft(around))


# --- one axis -----------------------------------------------------------------------------------


def transformed(x):
    """The transform along the last axis of an array or a Pair."""
    n = x.shape[-1]
    if n <= DIRECT:
        return matmul(x, waves(n, n, n))
    a = divisor(n)
    return by_chirp(x) if a == 1 else by_factors(x, a, n // a)


def divisor(n):
    """The largest divisor up to the square root and to what is transformed directly."""
    return next(k for k in range(min(DIRECT, math.isqrt(n)), 0, -1) if n % k == 0)


def by_factors(x, a, b):
    *batch, n = x.shape
    columns = matmul(waves(a, a, a), each(x, lambda y: y.reshape(*batch, a, b)))
    found = transformed(multiply(columns, waves(a, b, n)))
    return each(found, lambda y: mx.swapaxes(y, -1, -2).reshape(*batch, n))


def by_chirp(x):
    """By j k = (j^2 + k^2 - (k - j)^2) / 2 the transform is a convolution with the chirp."""
    n = x.shape[-1]
    wave, filtered = chirp(n)
    room = [(0, 0)] * (len(x.shape) - 1) + [(0, filtered.shape[-1] - n)]
    padded = each(multiply(x, wave), lambda y: mx.pad(y, room))
    found = inverse(multiply(transformed(padded), filtered))
    return multiply(each(found, lambda y: y[..., :n]), wave)


def inverse(x):
    """The inverse transform: the transform itself with the parts exchanged."""
    n, x = x.shape[-1], transformed(Pair(x.im, x.re))
    return Pair(x.im / n, x.re / n)


def each(x, move):
    """A function that moves elements, of both parts."""
    return Pair(move(x.re), move(x.im)) if type(x) is Pair else move(x)


# --- several axes -------------------------------------------------------------------------------


def along(transform, x, axes):
    for axis in axes:
        x = each(x, lambda y, axis=axis: mx.swapaxes(y, axis, -1))
        x = each(transform(x), lambda y, axis=axis: mx.swapaxes(y, axis, -1))
    return x


def double(x):
    """An array in double precision; a Pair only if it is complex."""
    re, im = parts(x)
    return re if im is None else Pair(re, im)


def factor(count, norm, direction):
    """What the sum over `count` elements is multiplied by."""
    return 1 / math.sqrt(count) if norm == "ortho" else 1 / count if norm == direction else 1.0


def count(shape, axes):
    return math.prod(shape[a] for a in axes)


def fft(x, axes, norm):
    scale = factor(count(x.shape, axes), norm, "forward")
    return multiply(along(transformed, double(x), axes), scale)


def ifft(x, axes, norm):
    x = pair(x)
    scale = factor(count(x.shape, axes), norm, "backward")
    x = along(transformed, Pair(x.im, x.re), axes)
    return Pair(x.im * scale, x.re * scale)


def rfft(x, axes, norm):
    half = x.shape[axes[-1]] // 2 + 1
    found = fft(x, tuple(axes), norm)
    return each(found, lambda y: mx.split(y, [half], axes[-1])[0])


def irfft(x, axes, n, norm):
    """The other frequencies of the last axis are the conjugates, in the opposite order."""
    x = ifft(x, axes[:-1], norm)
    x = each(x, lambda y: mx.swapaxes(y, axes[-1], -1))
    re, im = (y[..., (n - 1) // 2:0:-1] for y in (x.re, x.im))
    whole = Pair(mx.concatenate([x.re, re], -1), mx.concatenate([x.im, -im], -1))
    return mx.swapaxes(ifft(whole, (-1,), norm).re, axes[-1], -1)


KERNELS = {"fft": fft, "ifft": ifft, "rfft": rfft, "irfft": irfft}
