"""Discrete Fourier transforms: linear, with exact transposes.

The matrix of a complex transform is symmetric, so it is its own transpose. A real one keeps half
of the frequencies: its transpose puts zeros for the rest, and that of its inverse counts twice
what stands for two frequencies.

Parameters: `axes`, of which the last is the halved one; `norm` as in NumPy; `n`, the length of
the halved axis in the time domain.
"""

import mlx.core as mx

from functape.ops.elementwise import conjugate
from functape.ops.families import fit, linear
from functape.ops.movement import along, cut, place
from functape.pairs import refuse_rounding

OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def shift_axes(op, size, args, mapped, params):
    return op(*args, **{**params, "axes": tuple(a + 1 for a in params["axes"])})


def fft_kernel(x, axes, norm):
    refuse_rounding(x)
    return mx.fft.fftn(x, axes=axes, norm=norm)


def ifft_kernel(x, axes, norm):
    refuse_rounding(x)
    return mx.fft.ifftn(x, axes=axes, norm=norm)


def rfft_kernel(x, axes, norm):
    refuse_rounding(x)
    return mx.fft.rfftn(x, axes=axes, norm=norm)


def irfft_kernel(x, axes, n, norm):
    lengths = (*(x.shape[a] for a in axes[:-1]), n)
    return mx.fft.irfftn(x, s=lengths, axes=axes, norm=norm)


def rfft_transpose(g, x_shape, x_dtype, axes, norm):
    full = (*g.shape[: axes[-1]], x_shape[axes[-1]], *g.shape[axes[-1] + 1:])
    padded = place(g, index=along(axes[-1], slice(0, g.shape[axes[-1]])), shape=full)
    return fit(fft(padded, axes=axes, norm=norm), x_shape, x_dtype)


def irfft_transpose(g, x_shape, axes, n, norm):
    half = conjugate(rfft(g, axes=axes, norm=OPPOSITE[norm]))
    twice = along(axes[-1], slice(1, (n + 1) // 2))
    return half + place(cut(half, index=twice), index=twice, shape=x_shape)


fft = linear(
    "fft", fft_kernel,
    lambda g, x_shape, x_dtype, axes, norm: fit(fft(g, axes=axes, norm=norm), x_shape, x_dtype),
    shift_axes, doc="The discrete Fourier transform along axes.",
)
ifft = linear(
    "ifft", ifft_kernel,
    lambda g, x_shape, x_dtype, axes, norm: fit(ifft(g, axes=axes, norm=norm), x_shape, x_dtype),
    shift_axes, doc="The inverse of fft.",
)
rfft = linear("rfft", rfft_kernel, rfft_transpose, shift_axes,
              doc="fft of real x; of the last of the axes the non-negative frequencies.")
irfft = linear("irfft", irfft_kernel, irfft_transpose, shift_axes,
               doc="The inverse of rfft, for a last axis of length n.")
