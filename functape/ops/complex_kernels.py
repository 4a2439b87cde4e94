"""Kernels for complex numbers that MLX does not have."""

import math

import mlx.core as mx


def among(*args):
    """Whether one of these arrays and numbers is complex."""
    return any(isinstance(a, complex) or isinstance(a, mx.array) and a.dtype == mx.complex64
               for a in args)


def sigmoid(z):
    """By the exponential that does not overflow."""
    left = mx.real(z) < 0
    small = mx.exp(mx.where(left, z, -z))
    return mx.where(left, small, 1) / (1 + small)


def logaddexp(x, y):
    """The principal value of log(e^x + e^y), by the exponential that does not overflow."""
    x, y = mx.broadcast_arrays(*[mx.array(a, mx.complex64) for a in (x, y)])
    swap = mx.real(x) < mx.real(y)
    high, low = mx.where(swap, y, x), mx.where(swap, x, y)
    out = high + mx.log1p(mx.exp(low - high))
    return out - turns(mx.imag(out)) * 1j


def turns(angle):
    """The whole turns of an angle, without which it lies between -pi and pi."""
    return 2 * math.pi * mx.round(angle * (0.5 / math.pi))


def softplus(z):
    return logaddexp(z, 0)


def expm1(z):
    """Of a + bj: expm1(a) cos b - 2 sin^2(b / 2) + j e^a sin b, exact near 0."""
    a, b, whole = mx.real(z), mx.imag(z), mx.exp(z)
    real = mx.expm1(a) * mx.cos(b) - 2 * mx.square(mx.sin(0.5 * b))
    near = mx.logical_and(mx.isfinite(a), mx.isfinite(b))
    real = mx.where(near, real, mx.real(whole) - 1)
    return mx.view(mx.stack([real, mx.imag(whole)], axis=-1), mx.complex64).squeeze(-1)
