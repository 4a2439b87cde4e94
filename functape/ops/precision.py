"""Numbers as formats of fewer bits hold them."""

import math

import mlx.core as mx

from functape.ops.families import batch_same, linear

FORMATS = {mx.float16: (mx.uint16, 5, 10), mx.bfloat16: (mx.uint16, 8, 7),
           mx.float32: (mx.uint32, 8, 23), mx.float64: (mx.uint64, 11, 52)}


def reduced_kernel(x, exponent, mantissa):
    """Rounded on the bits, a carry going into the exponent; then cut at both ends of the range."""
    word, own_exponent, own_mantissa = FORMATS[x.dtype]
    drop = own_mantissa - mantissa
    if drop > 0:
        bits = mx.view(x, word)
        bits = bits + ((bits >> drop) & 1) + ((1 << (drop - 1)) - 1)
        x = mx.where(mx.isfinite(x), mx.view((bits >> drop) << drop, x.dtype), x)
    if exponent < own_exponent:
        half, size = 2 ** (exponent - 1), mx.abs(x)
        x = mx.where(size >= 2.0 ** half, x * math.inf, x)
        x = mx.where(size < 2.0 ** (2 - half), x * 0, x)
    return x.astype(x.dtype)  # never the argument itself


reduced = linear("reduced", reduced_kernel,
                 lambda g, exponent, mantissa: reduced(g, exponent=exponent, mantissa=mantissa),
                 batch_same, doc="x as a format of fewer bits holds it; linear but for rounding.")
