"""Random numbers by key, for initializers and dropout."""

import mlx.core as mx

from functape.numpy.arguments import value


def single(dtype):
    """MLX draws in single precision at most."""
    return mx.float32 if dtype in (mx.float64, mx.complex64) else dtype


def bits_of(key):
    return value(key, "random").cell.data


def uniform(key, shape, dtype):
    """In [0, 1)."""
    return value(mx.random.uniform(shape=shape, dtype=single(dtype), key=bits_of(key)), "uniform")


def normal(key, shape, dtype):
    """Of mean 0 and variance 1."""
    return value(mx.random.normal(shape=shape, dtype=single(dtype), key=bits_of(key)), "normal")


def truncated_normal(key, lower, upper, shape, dtype):
    """Those of normal numbers that lie within bounds."""
    drawn = mx.random.truncated_normal(lower, upper, shape, single(dtype), key=bits_of(key))
    return value(drawn, "truncated_normal")


def bernoulli(key, p, shape):
    """True with probability p."""
    return value(mx.random.bernoulli(p, shape, key=bits_of(key)), "bernoulli")
