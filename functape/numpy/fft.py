"""jax.numpy.fft's functions on functape values, by the same names.

Results have the precision of the array: of float64 they are complex128.
"""

import numpy as np

from functape import dtypes
from functape.errors import ShapeError
from functape.numpy.arguments import axes_of, axis_of, integer, value
from functape.numpy.arranging import roll
from functape.numpy.creation import array
from functape.numpy.elementwise import conjugate
from functape.numpy.fourier import (
    inverse_real,
    lengths_and_axes,
    norm_of,
    pair,
    real_only,
    transform,
    transforms,
)
from functape.ops import fft as ops
from functape.suggest import for_names_of

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]

# --- one axis -----------------------------------------------------------------------------------


def fft(a, n=None, axis=-1, norm=None):
    r"""The discrete Fourier transform along one axis.

    .. math:: y_k = \sum_m a_m\, e^{-2 \pi i k m / n}

    Args:
      a: array.
      n: cut or fill up with zeros to this length first.
      axis: the axis.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n.

    Returns:
      Complex, of length n along the axis.

    >>> from functape.numpy import array, fft
    >>> fft.fft(array([1.0, 0.0]))
    tensor([1.+0.j, 1.+0.j], dtype=complex64)
    """
    return transform("fft", ops.fft, a, n, axis, norm)


def ifft(a, n=None, axis=-1, norm=None):
    """The inverse of fft; arguments as for fft, and `norm` names the factor of the pair.

    >>> from functape.numpy import array, fft
    >>> fft.ifft(array([2.0, 0.0]))
    tensor([1.+0.j, 1.+0.j], dtype=complex64)
    """
    return transform("ifft", ops.ifft, a, n, axis, norm)


def rfft(a, n=None, axis=-1, norm=None):
    """fft of a real array, without the frequencies that repeat: length n // 2 + 1.

    Args:
      a: array.
      axis: the axis along which; negative ones count from the end.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import array, fft
    >>> fft.rfft(array([1.0, 2.0, 1.0]))
    tensor([ 4. +0.j       , -0.5-0.8660254j], dtype=complex64)
    """
    return transform("rfft", ops.rfft, real_only("rfft", a), n, axis, norm)


def irfft(a, n=None, axis=-1, norm=None):
    """The inverse of rfft; `n` is the length of the result, by default 2 (length - 1).

    Args:
      a: array.
      axis: the axis along which; negative ones count from the end.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import array, fft
    >>> fft.irfft(array([4.0, 0.0]))
    tensor([2., 2.])
    """
    x = value(a, "irfft")
    axis = axis_of(axis, len(x.shape), "irfft")
    return inverse_real("irfft", x, None if n is None else (n,), (axis,), norm)


def hfft(a, n=None, axis=-1, norm=None):
    """The real transform of a signal given by its non-negative half, as its other half is the
    conjugate; `n` is the length of the result, by default 2 (length - 1).

    Args:
      a: array.
      axis: the axis along which; negative ones count from the end.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import array, fft
    >>> fft.hfft(array([2.0, 1.0]))
    tensor([3., 1.])
    """
    a = value(a, "hfft")
    axis = axis_of(axis, len(a.shape), "hfft")
    return irfft(conjugate(a), n, axis, ops.OPPOSITE[norm_of("hfft", norm)])


def ihfft(a, n=None, axis=-1, norm=None):
    """The inverse of hfft, for real arrays.

    Args:
      a: array.
      n: length along the axis: cut off, or filled up with zeros.
      axis: the axis along which; negative ones count from the end.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import array, fft
    >>> fft.ihfft(array([3.0, 1.0]))
    tensor([2.-0.j, 1.-0.j], dtype=complex64)
    """
    a = value(a, "ihfft")
    axis = axis_of(axis, len(a.shape), "ihfft")
    return conjugate(rfft(a, n, axis, ops.OPPOSITE[norm_of("ihfft", norm)]))


# --- several axes -------------------------------------------------------------------------------


def fftn(a, s=None, axes=None, norm=None):
    """fft along several axes.

    Args:
      a: array.
      s: lengths along the axes, to which to cut or fill up with zeros first.
      axes: the axes; by default the last len(s), or all.
      norm: as for fft, with the product of the lengths for n.

    >>> from functape.numpy import fft, ones
    >>> fft.fftn(ones((2, 2)))[0, 0]
    tensor(4.+0.j, dtype=complex64)
    """
    return transforms("fftn", ops.fft, a, s, axes, norm)


def ifftn(a, s=None, axes=None, norm=None):
    """The inverse of fftn.

    Args:
      a: array.
      s: lengths along the axes: cut off, or filled up with zeros.
      axes: integers; None: all, or the last ones, as many as `s` has.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.ifftn(ones((2, 2)))[0, 0]
    tensor(1.+0.j, dtype=complex64)
    """
    return transforms("ifftn", ops.ifft, a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    """fftn of a real array; the last of the axes keeps n // 2 + 1 frequencies.

    Args:
      a: array.
      s: lengths along the axes: cut off, or filled up with zeros.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.rfftn(ones((2, 4))).shape
    (2, 3)
    """
    return transforms("rfftn", ops.rfft, real_only("rfftn", a), s, axes, norm)


def irfftn(a, s=None, axes=None, norm=None):
    """The inverse of rfftn; `s` has the lengths of the result, by default 2 (length - 1) for the
    last of the axes.

    Args:
      a: array.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.irfftn(ones((2, 3))).shape
    (2, 4)
    """
    x = value(a, "irfftn")
    return inverse_real("irfftn", x, *lengths_and_axes("irfftn", x, s, axes), norm)


def fft2(a, s=None, axes=(-2, -1), norm=None):
    """fftn along two axes.

    Args:
      a: array.
      s: lengths along the axes: cut off, or filled up with zeros.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.fft2(ones((3, 2, 2)))[0, 0, 0]
    tensor(4.+0.j, dtype=complex64)
    """
    return fftn(value(a, "fft2"), s, pair("fft2", axes), norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """ifftn along two axes.

    Args:
      a: array.
      s: lengths along the axes: cut off, or filled up with zeros.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.ifft2(ones((3, 2, 2)))[0, 0, 0]
    tensor(1.+0.j, dtype=complex64)
    """
    return ifftn(value(a, "ifft2"), s, pair("ifft2", axes), norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """rfftn along two axes.

    Args:
      a: array.
      s: lengths along the axes: cut off, or filled up with zeros.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.rfft2(ones((2, 4))).shape
    (2, 3)
    """
    return rfftn(value(a, "rfft2"), s, pair("rfft2", axes), norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """irfftn along two axes.

    Args:
      a: array.
      s: lengths along the axes: cut off, or filled up with zeros.
      norm: what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n;
        the inverse by the rest of 1/n.

    >>> from functape.numpy import fft, ones
    >>> fft.irfft2(ones((2, 3))).shape
    (2, 4)
    """
    return irfftn(value(a, "irfft2"), s, pair("irfft2", axes), norm)


# --- frequencies --------------------------------------------------------------------------------


def fftfreq(n, d=1.0, *, dtype=None, device=None):
    """The frequencies of the n results of fft, for samples at distance d.

    Args:
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> from functape.numpy import fft
    >>> fft.fftfreq(4)
    tensor([ 0.  ,  0.25, -0.5 , -0.25])
    """
    n = positive("fftfreq", n)
    return array(np.fft.fftfreq(n, d), dtypes.float32 if dtype is None else dtype)


def rfftfreq(n, d=1.0, *, dtype=None, device=None):
    """The frequencies of the n // 2 + 1 results of rfft, for samples at distance d.

    Args:
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> from functape.numpy import fft
    >>> fft.rfftfreq(4)
    tensor([0.  , 0.25, 0.5 ])
    """
    n = positive("rfftfreq", n)
    return array(np.fft.rfftfreq(n, d), dtypes.float32 if dtype is None else dtype)


def positive(name, n):
    """An integer of at least 1.

    >>> positive("f", 3)
    3
    """
    n = integer(n, name, "n")
    if n < 1:
        raise ShapeError(f"{name}: n must be 1 or more, but is {n}.")
    return n


def fftshift(x, axes=None):
    """The zero frequency moved from the start to the middle of axes; None: of all.

    Args:
      x: array.

    >>> from functape.numpy import array, fft
    >>> fft.fftshift(array([0.0, 1.0, -1.0]))
    tensor([-1.,  0.,  1.])
    """
    x = value(x, "fftshift")
    axes = axes_of(axes, len(x.shape), "fftshift")
    return roll(x, tuple(x.shape[a] // 2 for a in axes), axes)


def ifftshift(x, axes=None):
    """The inverse of fftshift; arguments as for `fftshift`.

    >>> from functape.numpy import array, fft
    >>> fft.ifftshift(array([-1.0, 0.0, 1.0]))
    tensor([ 0.,  1., -1.])
    """
    x = value(x, "ifftshift")
    axes = axes_of(axes, len(x.shape), "ifftshift")
    return roll(x, tuple(-(x.shape[a] // 2) for a in axes), axes)

__getattr__ = for_names_of(__name__)
