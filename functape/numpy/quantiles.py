"""Medians and quantiles: sort, then go a part of the way between two neighbours."""

import math

import mlx.core as mx
import numpy as np

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import axes_of, inexact, size_of, unsupported, value
from functape.numpy.creation import asarray
from functape.numpy.sorting import sort
from functape.op import Value
from functape.ops import elementwise, families, indexing, movement, reductions
from functape.tensor import constant

# Where q lies among n sorted values: at n q + a + q (1 - a - b) - 1 (Hyndman and Fan, 1996).
# https://doi.org/10.2307/2684934
PLACES = {
    "linear": (1, 1), "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}
# Other ways to go between neighbours: the part that is left of the fraction, by sign.
STEPS = {"lower": 0.0, "higher": 1.0, "midpoint": 0.5}
METHODS = (*PLACES, *STEPS, "nearest")


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """The value below which a part q of the elements lies.

    Differentiable in the elements and, where the method interpolates, in q.

    Source: R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American
    Statistician 50 (1996).

    Args:
      a: array; NaN in it makes the result NaN.
      q: number or array of numbers in [0, 1]; its axes come first in the result.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      overwrite_input: accepted; arrays are not written into.
      method: how to go between neighbours: linear, lower, higher, midpoint, nearest; hazen,
        weibull, median_unbiased, normal_unbiased, interpolated_inverted_cdf.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> quantile(ft.numpy.array([4.0, 1.0, 2.0, 3.0]), 0.5)
    tensor(2.5)
    """
    unsupported("quantile", out=out)
    return between("quantile", a, q, axis, method, keepdims)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear",
                keepdims=False):
    """`quantile` of the elements that are not NaN; NaN where there is none.

    Arguments as for `quantile`.

    >>> import functape as ft
    >>> nanquantile(ft.numpy.array([4.0, float("nan"), 2.0]), 0.5)
    tensor(3.)
    """
    unsupported("nanquantile", out=out)
    return between("nanquantile", a, q, axis, method, keepdims, skip_nan=True)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """`quantile` with q in percent, [0, 100]; other arguments as for `quantile`.

    >>> import functape as ft
    >>> percentile(ft.numpy.array([4.0, 1.0, 2.0, 3.0]), 50)
    tensor(2.5)
    """
    unsupported("percentile", out=out)
    return between("percentile", a, numbers(q) / 100, axis, method, keepdims)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear",
                  keepdims=False):
    """`nanquantile` with q in percent, [0, 100]; other arguments as for `quantile`.

    >>> import functape as ft
    >>> nanpercentile(ft.numpy.array([4.0, float("nan"), 2.0]), 50)
    tensor(3.)
    """
    unsupported("nanpercentile", out=out)
    return between("nanpercentile", a, numbers(q) / 100, axis, method, keepdims, skip_nan=True)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle value; the mean of the two middle ones where their number is even.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      overwrite_input: accepted; arrays are not written into.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> median(ft.numpy.array([3.0, 1.0, 2.0]))
    tensor(2.)
    """
    unsupported("median", out=out)
    return between("median", a, 0.5, axis, "linear", keepdims)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """`median` of the elements that are not NaN; NaN where there is none.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      overwrite_input: accepted; arrays are not written into.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> nanmedian(ft.numpy.array([3.0, float("nan"), 2.0]))
    tensor(2.5)
    """
    unsupported("nanmedian", out=out)
    return between("nanmedian", a, 0.5, axis, "linear", keepdims, skip_nan=True)


# --- how ------------------------------------------------------------------------------------------


def between(name, a, q, axis, method, keepdims, skip_nan=False):
    """Quantiles of the lanes that `axis` names: their positions, then what is there."""
    x = inexact(value(a, name))
    axes = axes_of(axis, len(x.shape), name)
    q = in_range(name, numbers(q), method)
    shape, q = q.shape, q.reshape((-1,)) if isinstance(q, np.ndarray) else flat(q)
    ordered = sort(lanes(name, x, axes), axis=-1)
    n, count, m = ordered.shape[-1], ordered.shape[-1], np
    if skip_nan or isinstance(q, Value):
        m, q = elementwise, families.astype(constant(q), dtype=x.dtype)
    if skip_nan:
        some = elementwise.logical_not(elementwise.isnan(ordered))
        last = (len(ordered.shape) - 1,)
        count = reductions.sum(families.astype(some, dtype=x.dtype), axis=last, keepdims=True)
    low, high, part = neighbours(m, q, count, method)
    part = constant(mx.array(part, dtype=x.dtype)) if m is np else part
    out = (elementwise.scale(1 - part, at(ordered, low, n))
           + elementwise.scale(part, at(ordered, high, n)))
    if not skip_nan:
        last = movement.cut(ordered, index=movement.along(len(ordered.shape) - 1, slice(n - 1, n)))
        nan = constant(mx.array(math.nan, dtype=x.dtype))
        out = elementwise.where(elementwise.isnan(last), nan, out)
    k = len(out.shape) - 1
    out = movement.transpose(out, axes=(k, *range(k))) if k else out
    rest = [1 if i in axes else s for i, s in enumerate(x.shape) if keepdims or i not in axes]
    return movement.reshape(out, shape=(*shape, *rest))


def numbers(q):
    """Values as they are, all else as a NumPy array: then positions are computed exactly."""
    return asarray(q) if isinstance(q, (Value, mx.array)) else np.asarray(q, dtype=np.float64)


def flat(x):
    return movement.reshape(x, shape=(size_of(x.shape),))


def in_range(name, q, method):
    if method not in METHODS:
        raise ArgumentError(f"{name}: method {method!r} is unknown; choose one of "
                            f"{', '.join(METHODS)}.")
    if isinstance(q, np.ndarray) and not ((q >= 0) & (q <= 1)).all():
        top = "[0, 100]" if "percentile" in name else "[0, 1]"
        raise ShapeError(f"{name}: q must lie in {top}, but one entry does not.")
    return q


def lanes(name, x, axes):
    """The axes to be reduced as one, at the end."""
    rest = [i for i in range(len(x.shape)) if i not in axes]
    x = movement.transpose(x, axes=(*rest, *axes)) if axes else x
    x = movement.reshape(x, shape=(*x.shape[:len(rest)], size_of(x.shape[len(rest):])))
    if x.shape[-1] == 0:
        raise ShapeError(f"{name} of no elements is not defined, but {describe(x)} has none along "
                         "the reduced axes.")
    return x


def neighbours(m, q, n, method):
    """Places below and above each quantile, and how far between them it lies.

    `m` computes: numpy, or functape's ops where q or n are values.
    """
    a, b = PLACES.get(method, (1, 1))
    place = m.clip(n * q + a + q * (1 - a - b) - 1, 0, m.maximum(n - 1, 0))
    if method == "nearest":
        place = m.rint(place)
    low = m.floor(place)
    part = place - low
    if method in STEPS:
        part = STEPS[method] * m.sign(part)
    return low, low + 1, part


def at(ordered, place, n):
    """The sorted values at places; those past the end weigh nothing."""
    axis = len(ordered.shape) - 1
    if isinstance(place, np.ndarray):
        i = constant(np.minimum(place, n - 1).astype(np.int32))
        return indexing.take(ordered, i, axis=axis)
    i = elementwise.cast(elementwise.minimum(place, n - 1), dtype=mx.int32)
    if len(place.shape) == 1:
        return indexing.take(ordered, i, axis=axis)
    return indexing.take_along_axis(ordered, i, axis=axis)
