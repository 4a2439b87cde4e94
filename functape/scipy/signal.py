"""jax.scipy.signal's functions on functape values, by the same names."""

import itertools
import math

import numpy as np

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import fft as fourier
from functape.numpy.arguments import as_type, axes_of, axis_of, floats, inexact, integer, value
from functape.numpy.arranging import flip
from functape.numpy.elementwise import conjugate
from functape.numpy.shapes import moveaxis
from functape.ops import families, movement
from functape.ops.conv import Geometry, conv
from functape.ops.reductions import mean
from functape.pairs import is_complex
from functape.suggest import for_names_of
from functape.tensor import constant

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d", "detrend", "fftconvolve"]

__getattr__ = for_names_of(__name__)

MODES = ("full", "same", "valid")


def convolve(in1, in2, mode="full", method="auto", precision=None):
    r"""The convolution of two arrays of as many axes.

    .. math:: y_{\mathbf n} = \sum_{\mathbf k} a_{\mathbf k}\, b_{\mathbf n - \mathbf k}

    Args:
      in1, in2: arrays.
      mode: "full": every n with a product; "same": the middle of it, in the shape of in1;
        "valid": where one array lies within the other.
      method: "direct": sums; "fft": by Fourier transforms, in single precision; "auto": sums for
        real arrays of up to three axes.
      precision: without effect; accepted for JAX's sake.

    >>> import functape as ft
    >>> convolve(ft.numpy.array([1.0, 2.0, 3.0]), ft.numpy.array([1.0, 1.0]), mode="same")
    tensor([1., 3., 5.])
    """
    x, y = pair("convolve", in1, in2, mode)
    return convolved("convolve", x, y, mode, method)


def correlate(in1, in2, mode="full", method="auto", precision=None):
    r"""The correlation of two arrays of as many axes. Arguments as for `convolve`.

    .. math:: y_{\mathbf k} = \sum_{\mathbf n} a_{\mathbf n + \mathbf k}\, \overline{b_{\mathbf n}}

    >>> import functape as ft
    >>> correlate(ft.numpy.array([1.0, 2.0, 3.0]), ft.numpy.array([0.0, 1.0]), mode="valid")
    tensor([2., 3.])
    """
    x, y = pair("correlate", in1, in2, mode)
    return convolved("correlate", x, flip(conjugate(y)), mode, method)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    """The convolution of two matrices. Arguments as for `convolve`.

    Args:
      boundary, fillvalue: zeros beyond the edges, "fill" and 0; there is no other choice in JAX
        either.

    >>> import functape as ft
    >>> convolve2d(ft.numpy.ones((2, 2)), ft.numpy.ones((1, 2)))
    tensor([[1., 2., 1.],
            [1., 2., 1.]])
    """
    x, y = planes("convolve2d", in1, in2, boundary, fillvalue)
    return convolved("convolve2d", *pair("convolve2d", x, y, mode), mode, "auto")


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    """The correlation of two matrices, by the formula of `correlate`.

    With mode="same" and an even length in in2, the middle is one element further along than that of
    `correlate`, as in SciPy. Arguments as for `convolve2d`.

    >>> import functape as ft
    >>> correlate2d(ft.numpy.ones((2, 2)), ft.numpy.ones((2, 2)), mode="valid")
    tensor([[4.]])
    """
    x, y = planes("correlate2d", in1, in2, boundary, fillvalue)
    x, y = pair("correlate2d", x, y, mode)
    return flip(convolved("correlate2d", flip(x), conjugate(y), mode, "auto"))


def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution of two arrays by Fourier transforms, in single precision.

    Args:
      in1, in2, mode: as for `convolve`.
      axes: along which to convolve; the others broadcast. None: all.

    >>> import functape as ft
    >>> fftconvolve(ft.numpy.array([1.0, 2.0]), ft.numpy.array([3.0])).shape
    (2,)
    """
    x, y = pair("fftconvolve", in1, in2, mode)
    return by_transforms("fftconvolve", x, y, mode, axes_of(axes, len(x.shape), "fftconvolve"))


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=None):  # noqa: A002 - SciPy's name
    """The data without its least squares line, or its mean, along an axis.

    Args:
      data: array.
      axis: the axis.
      type: "linear", or "constant": the mean.
      bp: where pieces with a line of their own begin.
      overwrite_data: without effect; accepted for JAX's sake.

    >>> import functape as ft
    >>> detrend(ft.numpy.array([1.0, 2.0, 6.0]), type="constant")
    tensor([-2., -1.,  3.])
    """
    x = inexact(value(data, "detrend"))
    axis = axis_of(axis, len(x.shape), "detrend")
    if type not in ("linear", "constant"):
        raise ArgumentError(f"detrend: type must be 'linear' or 'constant', but is {type!r}.")
    if 0 in x.shape:
        return x
    x = moveaxis(x, axis, -1)
    n = x.shape[-1]
    bounds = np.unique([0, n, *(integer(b, "detrend", "bp") for b in np.atleast_1d(bp))])
    if type == "constant":
        bounds = np.array([0, n])
    elif bounds[0] < 0 or bounds[-1] > n:
        raise ShapeError(f"detrend: breakpoints must lie in 0 to {n}, but are {bp!r}.")
    last = len(x.shape) - 1
    parts = [without_trend(movement.cut(x, index=movement.along(last, slice(i, j))),
                           type == "linear")
             for i, j in itertools.pairwise(bounds.tolist())]
    return moveaxis(movement.concatenate(*parts, axis=last), -1, axis)


def without_trend(x, linear):
    last, n = len(x.shape) - 1, x.shape[-1]
    x = x - mean(x, axis=(last,), keepdims=True)
    if not linear or n < 2:
        return x
    t = np.arange(n) - (n - 1) / 2
    t = as_type(constant(t / math.sqrt((t * t).sum())), x.dtype)
    return x - families.total(x * t, axis=(last,), keepdims=True) * t


# --- shared ---------------------------------------------------------------------------------------


def pair(name, in1, in2, mode):
    x, y = floats(name, in1, in2)
    if len(x.shape) != len(y.shape) or not x.shape or 0 in x.shape + y.shape:
        raise ShapeError(f"{name} takes two arrays of as many axes, not empty, but got "
                         f"{describe(x)} and {describe(y)}.")
    if mode not in MODES:
        raise ArgumentError(f"{name}: mode {mode!r} is unknown; choose 'full', 'same' or 'valid'.")
    return x, y


def planes(name, in1, in2, boundary, fillvalue):
    x, y = value(in1, name), value(in2, name, 1)
    if boundary != "fill" or fillvalue != 0:
        raise ArgumentError(f"{name}: boundary must be 'fill' and fillvalue 0, but they are "
                            f"{boundary!r} and {fillvalue!r}. Pad the array first, numpy.pad.")
    if len(x.shape) != 2 or len(y.shape) != 2:
        raise ShapeError(f"{name} takes two matrices, but got {describe(x)} and {describe(y)}.")
    return x, y


def convolved(name, x, y, mode, method):
    if method not in ("auto", "direct", "fft"):
        raise ArgumentError(f"{name}: method must be 'auto', 'direct' or 'fft', but is "
                            f"{method!r}.")
    n = len(x.shape)
    direct = n <= 3 and not is_complex(x)
    if method == "direct" and not direct:
        raise ArgumentError(f"{name}: there are no direct sums for {describe(x)}, only for real "
                            "arrays of up to three axes. Use method='fft'.")
    if method == "fft" or not direct:
        return by_transforms(name, x, y, mode, tuple(range(n)))
    wide, narrow = ordered(name, x, y, mode, range(n))
    reach = tuple((k - 1, k - 1) for k in narrow.shape) if mode != "valid" else ((0, 0),) * n
    found = conv(movement.reshape(wide, shape=(1, *wide.shape, 1)),
                 movement.reshape(flip(narrow), shape=(1, *narrow.shape, 1)),
                 geometry=Geometry((1,) * n, reach, (1,) * n, (1,) * n, 1))
    found = movement.reshape(found, shape=found.shape[1:-1])
    return middle(found, x.shape) if mode == "same" else found


def ordered(name, x, y, mode, axes):
    """The array that holds the other along the axes first; in mode "valid" one must."""
    if all(x.shape[a] >= y.shape[a] for a in axes):
        return x, y
    if mode == "valid" and not all(x.shape[a] <= y.shape[a] for a in axes):
        raise ShapeError(f"{name}: with mode='valid' one array must fit into the other, but they "
                         f"are {describe(x)} and {describe(y)}.")
    return y, x


def middle(x, shape):
    """The part of this shape in the middle."""
    starts = [(n - m) // 2 for n, m in zip(x.shape, shape, strict=True)]
    return movement.cut(x, index=tuple(slice(i, i + m) for i, m in zip(starts, shape, strict=True)))


def by_transforms(name, x, y, mode, axes):
    if mode == "valid":
        x, y = ordered(name, x, y, mode, axes)
    for a in set(range(len(x.shape))) - set(axes):
        if x.shape[a] != y.shape[a] and 1 not in (x.shape[a], y.shape[a]):
            raise ShapeError(f"{name}: axis {a} is not in axes, so its lengths must be equal or 1 "
                             f"in {describe(x)} and {describe(y)}.")
    lengths = [x.shape[a] + y.shape[a] - 1 for a in axes]
    forward, back = (fourier.fftn, fourier.ifftn) if is_complex(x) else (
        fourier.rfftn, fourier.irfftn)
    found = back(forward(x, lengths, axes) * forward(y, lengths, axes), lengths, axes)
    if mode == "full":
        return found
    shape = list(found.shape)
    for a in axes:
        shape[a] = x.shape[a] if mode == "same" else x.shape[a] - y.shape[a] + 1
    return middle(found, shape)
