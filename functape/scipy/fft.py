"""jax.scipy.fft's cosine transforms of type II on functape values, by the same names."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import fft as fourier
from functape.numpy.arguments import as_type, axes_of, axis_of, inexact, value
from functape.numpy.creation import zeros_like
from functape.numpy.fourier import resized
from functape.numpy.joining import concatenate
from functape.numpy.shapes import moveaxis
from functape.ops.contraction import matmul
from functape.ops.elementwise import imag, real
from functape.pairs import is_complex
from functape.suggest import for_names_of
from functape.tensor import constant

__all__ = ["dct", "dctn", "idct", "idctn"]

__getattr__ = for_names_of(__name__)

LONG = 128  # from which length on transforms are faster than a product with the matrix of waves


def dct(x, type=2, n=None, axis=-1, norm=None):  # noqa: A002 - SciPy's name
    r"""The discrete cosine transform of type II along an axis.

    .. math:: y_k = 2 \sum_m x_m \cos\frac{\pi k (2 m + 1)}{2 n}

    Source: N. Ahmed, T. Natarajan and K. R. Rao, Discrete cosine transform, IEEE Transactions on
    Computers C-23 (1974).

    Args:
      x: real array.
      type: 2.
      n: cut or fill up with zeros to this length first.
      axis: the axis.
      norm: None or "ortho", which makes the transform orthogonal.

    >>> import functape as ft
    >>> dct(ft.numpy.array([1.0, 2.0]))[0]
    tensor(6.)
    """
    return along_one("dct", x, type, n, axis, norm)


def idct(x, type=2, n=None, axis=-1, norm=None):  # noqa: A002
    """The inverse of dct; arguments as for dct.

    >>> import functape as ft
    >>> idct(dct(ft.numpy.array([1.0, 2.0]))).shape
    (2,)
    """
    return along_one("idct", x, type, n, axis, norm)


def dctn(x, type=2, s=None, axes=None, norm=None):  # noqa: A002
    """dct along several axes, all by default.

    Args:
      x, type, norm: as for dct.
      s: a length for each of the axes.
      axes: the axes; without them the last ones, as many as `s` has lengths.

    >>> import functape as ft
    >>> dctn(ft.numpy.ones((2, 2)))[0, 0]
    tensor(16.)
    """
    return along_several("dctn", dct, x, type, s, axes, norm)


def idctn(x, type=2, s=None, axes=None, norm=None):  # noqa: A002
    """The inverse of dctn; arguments as for dctn.

    >>> import functape as ft
    >>> idctn(dctn(ft.numpy.ones((2, 3)))).shape
    (2, 3)
    """
    return along_several("idctn", idct, x, type, s, axes, norm)


def along_one(name, x, kind, n, axis, norm):
    if kind != 2:
        raise ArgumentError(f"{name}: there is type 2 only, but type is {kind!r}.")
    if norm not in (None, "ortho"):
        raise ArgumentError(f"{name}: norm must be None or 'ortho', but is {norm!r}.")
    x = of_reals(name, x)
    axis = axis_of(axis, len(x.shape), name)
    x = moveaxis(resized(name, x, (x.shape[axis] if n is None else n,), (axis,)), axis, -1)
    n = x.shape[-1]
    if n > LONG and x.dtype != dtypes.float64:
        found = (of_waves if name == "idct" else waves_of)(x, n, norm)
    else:
        waves = as_type(constant(cosines(n, norm, name == "idct")), x.dtype)
        found = matmul(x[..., None, :], waves)[..., 0, :]
    return moveaxis(found, -1, axis)


def of_reals(name, x):
    x = value(x, name)
    if is_complex(x):
        raise ArgumentError(f"{name} takes real arrays, but got {describe(x)}. Transform its real "
                            "and imaginary parts.")
    return inexact(x)


def cosines(n, norm, inverse):
    """The matrix of the transform, for rows."""
    k, m = np.arange(n), np.arange(n)[:, None]
    waves = 2 * np.cos(np.pi * k * (2 * m + 1) / (2 * n))
    if norm == "ortho":
        waves = waves * size(n)
    return (waves if norm == "ortho" else waves * size(n)**2).T if inverse else waves


def size(n):
    """What makes the waves orthonormal."""
    return np.where(np.arange(n) == 0, 1 / np.sqrt(4 * n), 1 / np.sqrt(2 * n))


# --- long rows: Fourier transforms of the even places, followed by the odd ones backwards ---------
# (J. Makhoul, A fast cosine transform in one and two dimensions, 1980). With z_k = w_k V_k and
# w_k = exp(-i pi k / 2n), of the transform V of such a row, y_k = 2 Re z_k and y_(n-k) = -2 Im z_k.


def waves_of(x, n, norm):
    z = fourier.rfft(x[..., evens_first(n)]) * turns(n)
    y = 2 * concatenate([real(z), -imag(z)[..., 1:(n + 1) // 2][..., ::-1]], -1)
    return y * as_type(constant(size(n)), y.dtype) if norm == "ortho" else y


def of_waves(y, n, norm):
    if norm == "ortho":
        y = y / as_type(constant(size(n)), y.dtype)
    half = n // 2 + 1
    mirrored = concatenate([zeros_like(y[..., :1]), y[..., :-half:-1]], -1)
    z = (y[..., :half] - 1j * mirrored) / 2
    return fourier.irfft(z / turns(n), n)[..., np.argsort(evens_first(n))]


def evens_first(n):
    return np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)[::-1]])


def turns(n):
    return constant(np.exp(-0.5j * np.pi * np.arange(n // 2 + 1) / n).astype(np.complex64))


def along_several(name, one, x, kind, s, axes, norm):
    x = of_reals(name, x)
    dims = len(x.shape)
    if axes is None and s is not None:
        axes = tuple(range(max(0, dims - len(s)), dims))
    axes = axes_of(axes, dims, name)
    lengths = (None,) * len(axes) if s is None else tuple(s)
    if len(lengths) != len(axes):
        raise ShapeError(f"{name}: s must have a length for each axis, but s is {s!r} and the axes "
                         f"of {describe(x)} are {axes}.")
    for n, axis in zip(lengths, axes, strict=True):
        x = one(x, kind, n, axis, norm)
    return x
