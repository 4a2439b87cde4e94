"""jax.scipy.fft's cosine transforms of type II on functape values, by the same names."""

import numpy as np

from functape.errors import ArgumentError
from functape.numpy.arguments import as_type, axes_of, axis_of, inexact, value
from functape.numpy.fourier import resized
from functape.numpy.shapes import moveaxis
from functape.ops.contraction import matmul
from functape.tensor import constant

__all__ = ["dct", "dctn", "idct", "idctn"]


def dct(x, type=2, n=None, axis=-1, norm=None):  # noqa: A002 - SciPy's name
    r"""The discrete cosine transform of type II along an axis.

    .. math:: y_k = 2 \sum_m x_m \cos\frac{\pi k (2 m + 1)}{2 n}

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
    """dct along several axes, all by default; `s` has a length for each.

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
    x = inexact(value(x, name))
    axis = axis_of(axis, len(x.shape), name)
    x = x if n is None else resized(name, x, (n,), (axis,))
    waves = as_type(constant(cosines(x.shape[axis], norm, name == "idct")), x.dtype)
    return moveaxis(matmul(moveaxis(x, axis, -1)[..., None, :], waves)[..., 0, :], -1, axis)


def cosines(n, norm, inverse):
    """The matrix of the transform, for rows; one product is as fast as transforms up to lengths
    of some hundreds, and keeps float64."""
    k, m = np.arange(n), np.arange(n)[:, None]
    waves = 2 * np.cos(np.pi * k * (2 * m + 1) / (2 * n))
    size = np.where(k == 0, 1 / np.sqrt(4 * n), 1 / np.sqrt(2 * n))  # of an orthogonal one
    if norm == "ortho":
        waves = waves * size
    return (waves if norm == "ortho" else waves * size**2).T if inverse else waves


def along_several(name, one, x, kind, s, axes, norm):
    x = inexact(value(x, name))
    axes = axes_of(axes, len(x.shape), name)
    lengths = (None,) * len(axes) if s is None else s
    for n, axis in zip(lengths, axes, strict=True):
        x = one(x, kind, n, axis, norm)
    return x
