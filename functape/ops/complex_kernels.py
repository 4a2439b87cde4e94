"""Kernels for complex numbers that MLX does not have."""

import mlx.core as mx


def sigmoid(z):
    """By the exponential that does not overflow."""
    left = mx.real(z) < 0
    small = mx.exp(mx.where(left, z, -z))
    return mx.where(left, small, 1) / (1 + small)


def expm1(z):
    """Of a + bj: expm1(a) cos b - 2 sin^2(b / 2) + j e^a sin b, exact near 0."""
    a, b, whole = mx.real(z), mx.imag(z), mx.exp(z)
    real = mx.expm1(a) * mx.cos(b) - 2 * mx.square(mx.sin(0.5 * b))
    near = mx.logical_and(mx.isfinite(a), mx.isfinite(b))
    real = mx.where(near, real, mx.real(whole) - 1)
    return mx.view(mx.stack([real, mx.imag(whole)], axis=-1), mx.complex64).squeeze(-1)
