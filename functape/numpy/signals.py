"""Convolution and correlation of sequences, and the windows that signals are weighted with."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, common, inexact, integer, value
from functape.ops import elementwise, movement
from functape.ops.bessel import iv, ive
from functape.ops.conv import Geometry, conv
from functape.pairs import is_complex
from functape.tensor import constant

MODES = ("full", "same", "valid")

# --- sums of products along two sequences ---------------------------------------------------------


def convolve(a, v, mode="full", *, precision=None, preferred_element_type=None):
    r"""The convolution of two sequences.

    .. math:: y_n = \sum_k a_k \, v_{n-k}

    Args:
      a, v: arrays of one axis, not empty.
      mode: "full": every n with a product; "same": as many as the longer one has, from the middle;
        "valid": where the shorter one lies within the longer.
      precision: taken for JAX's sake, and without effect.
      preferred_element_type: floating-point or complex dtype of the result.

    >>> import functape as ft
    >>> convolve(ft.numpy.array([1.0, 2.0, 3.0]), ft.numpy.array([1.0, 1.0]))
    tensor([1., 3., 5., 3.])
    """
    long, short = sequences("convolve", a, v, mode, preferred_element_type)
    if short.shape[0] > long.shape[0]:
        long, short = short, long
    return slide(long, mirrored(short), mode)


def correlate(a, v, mode="valid", *, precision=None, preferred_element_type=None):
    r"""The correlation of two sequences. Arguments as for `convolve`.

    .. math:: y_k = \sum_n a_{n+k} \, \overline{v_n}

    >>> import functape as ft
    >>> correlate(ft.numpy.array([1.0, 2.0, 3.0]), ft.numpy.array([0.0, 1.0]))
    tensor([2., 3.])
    """
    x, y = sequences("correlate", a, v, mode, preferred_element_type)
    y = elementwise.conjugate(y) if is_complex(y) else y
    if y.shape[0] > x.shape[0]:
        return mirrored(slide(y, x, mode))
    return slide(x, y, mode)


def sequences(name, a, v, mode, dtype):
    if mode not in MODES:
        raise ArgumentError(f"{name}: mode {mode!r} is unknown; choose one of {', '.join(MODES)}.")
    x, y = map(inexact, common(name, a, v))
    for given in (x, y):
        if len(given.shape) != 1 or not given.shape[0]:
            raise ShapeError(f"{name} takes two arrays of one axis, not empty, but got "
                             f"{describe(x)} and {describe(y)}.")
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype, name)
        x, y = as_type(x, dtype), as_type(y, dtype)
    return x, y


def mirrored(x):
    return movement.cut(x, index=(slice(None, None, -1),))


def slide(x, w, mode):
    """The sums of products of w with what it covers of x, at each position."""
    n, k = x.shape[0], w.shape[0]
    before, after = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    geometry = Geometry((1,), ((before, after),), (1,), (1,), 1)
    found = conv(movement.reshape(x, shape=(1, n, 1)), movement.reshape(w, shape=(1, k, 1)),
                 geometry=geometry)
    return movement.reshape(found, shape=(n + before + after - k + 1,))


# --- windows --------------------------------------------------------------------------------------


def bartlett(M):  # noqa: N803 - NumPy's name
    """The triangular window of M points, 0 at its ends.

    >>> bartlett(5)
    tensor([0. , 0.5, 1. , 0.5, 0. ])
    """
    return window(np.bartlett, M, "bartlett")


def blackman(M):  # noqa: N803 - NumPy's name
    """The Blackman window of M points, three cosines.

    >>> float(blackman(5)[2])
    1.0
    """
    return window(np.blackman, M, "blackman")


def hamming(M):  # noqa: N803 - NumPy's name
    """The Hamming window of M points, a raised cosine with 0.08 at its ends.

    >>> float(hamming(5)[2])
    1.0
    """
    return window(np.hamming, M, "hamming")


def hanning(M):  # noqa: N803 - NumPy's name
    """The Hann window of M points, a raised cosine with 0 at its ends.

    >>> hanning(5)
    tensor([0. , 0.5, 1. , 0.5, 0. ])
    """
    return window(np.hanning, M, "hanning")


def window(function, M, name):  # noqa: N803
    return constant(function(integer(M, name, "M")).astype(np.float32))


def kaiser(M, beta):  # noqa: N803 - NumPy's name
    """The Kaiser window of M points; the larger beta, the narrower. Differentiable in beta.

    >>> float(kaiser(5, 3.0)[2])
    1.0
    """
    n, beta = integer(M, "kaiser", "M"), inexact(value(beta, "kaiser", 1))
    place = np.linspace(-1.0, 1.0, n) if n != 1 else np.zeros(1)
    height = as_type(constant(np.sqrt(1 - np.square(place))), beta.dtype)
    # i0(beta h) / i0(beta), each without its exponential, which would overflow
    ends = ive(beta * height, order=0) / ive(beta, order=0)
    size = elementwise.absolute(beta)
    return ends * elementwise.exp(size * (height - 1))


def i0(x):
    """The modified Bessel function of the first kind of order 0 (DLMF 10.25.2).

    Args:
      x: array.

    >>> i0(0.0)
    tensor(1.)
    """
    return iv(inexact(value(x, "i0")), order=0)

