"""Medians and quantiles: sort, then go a part of the way between two neighbours."""

import math

import mlx.core as mx
import numpy as np

from functape.errors import ArgumentError, RangeError, ShapeError, describe
from functape.numpy import moments
from functape.numpy.arguments import axes_of, inexact, size_of, unsupported, value
from functape.numpy.creation import asarray
from functape.numpy.running import cumsum
from functape.numpy.sorting import sort
from functape.op import Value
from functape.ops import elementwise, families, indexing, movement, reductions, sorting
from functape.tensor import constant

# Where q lies among n sorted values: at n q + a + q (1 - a - b) - 1 (Hyndman and Fan, 1996).
# https://doi.org/10.2307/2684934
PLACES = {
    "linear": (1, 1), "lower": (1, 1), "higher": (1, 1), "midpoint": (1, 1), "nearest": (1, 1),
    "inverted_cdf": (0, 1), "averaged_inverted_cdf": (0, 1), "closest_observation": (0, 1),
    "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}
# Those that do not interpolate: how far they go to the next value, from a place on one, or beyond.
STEPS = {"lower": (0, 0), "higher": (0, 1), "midpoint": (0, 0.5), "inverted_cdf": (0, 1),
         "averaged_inverted_cdf": (0.5, 1)}
# Those that take the nearest value: ties to an even place, counted from 0 or from 1.
ROUNDED = {"nearest": 0, "closest_observation": 1}


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
             weights=None):
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
        weibull, median_unbiased, normal_unbiased, interpolated_inverted_cdf; inverted_cdf,
        averaged_inverted_cdf, closest_observation.
      keepdims: keep the reduced axes, with length 1.
      weights: how much each element counts, 0 or more, in the shape of `a` or of the reduced axes;
        with method="inverted_cdf": the first element up to which q of the total weight lies; NaN
        where that is 0. Nothing is differentiated by them.

    >>> import functape as ft
    >>> quantile(ft.numpy.array([4.0, 1.0, 2.0, 3.0]), 0.5)
    tensor(2.5)
    """
    unsupported("quantile", out=out)
    return between("quantile", a, q, axis, method, keepdims, weights)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear",
                keepdims=False, *, weights=None):
    """`quantile` of the elements that are not NaN; NaN where there is none.

    Arguments as for `quantile`.

    >>> import functape as ft
    >>> nanquantile(ft.numpy.array([4.0, float("nan"), 2.0]), 0.5)
    tensor(3.)
    """
    unsupported("nanquantile", out=out)
    return between("nanquantile", a, q, axis, method, keepdims, weights, skip_nan=True)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
               weights=None):
    """`quantile` with q in percent, [0, 100]; other arguments as for `quantile`.

    >>> import functape as ft
    >>> percentile(ft.numpy.array([4.0, 1.0, 2.0, 3.0]), 50)
    tensor(2.5)
    """
    unsupported("percentile", out=out)
    return between("percentile", a, numbers(q) / 100, axis, method, keepdims, weights)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear",
                  keepdims=False, *, weights=None):
    """`nanquantile` with q in percent, [0, 100]; other arguments as for `quantile`.

    >>> import functape as ft
    >>> nanpercentile(ft.numpy.array([4.0, float("nan"), 2.0]), 50)
    tensor(3.)
    """
    unsupported("nanpercentile", out=out)
    return between("nanpercentile", a, numbers(q) / 100, axis, method, keepdims, weights,
                   skip_nan=True)


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


def between(name, a, q, axis, method, keepdims, weights=None, skip_nan=False):
    """Quantiles of the lanes that `axis` names: their positions, then what is there."""
    x = inexact(value(a, name))
    axes = axes_of(axis, len(x.shape), name)
    q = in_range(name, numbers(q), method)
    shape, q = q.shape, q.reshape((-1,)) if isinstance(q, np.ndarray) else flat(q)
    rows = lanes(name, x, axes)
    if weights is None:
        out = interpolated(sort(rows, axis=-1), q, method, skip_nan)
    else:
        w = weights_for(name, x, value(weights, name, 2), axis, method)
        out = weighted(rows, lanes(name, w, axes), q, skip_nan)
    if not skip_nan:
        axis = (len(rows.shape) - 1,)
        some = reductions.any_of(elementwise.isnan(rows), axis=axis, keepdims=True)
        out = elementwise.where(some, constant(mx.array(math.nan, dtype=x.dtype)), out)
    k = len(out.shape) - 1
    out = movement.transpose(out, axes=(k, *range(k))) if k else out
    rest = [1 if i in axes else s for i, s in enumerate(x.shape) if keepdims or i not in axes]
    return movement.reshape(out, shape=(*shape, *rest))


def interpolated(ordered, q, method, skip_nan):
    """What lies at q of each row of sorted values."""
    n, count, m = ordered.shape[-1], ordered.shape[-1], np
    if skip_nan or isinstance(q, Value):
        m, q = elementwise, families.astype(constant(q), dtype=ordered.dtype)
    if skip_nan:
        some = elementwise.logical_not(elementwise.isnan(ordered))
        last = (len(ordered.shape) - 1,)
        count = reductions.sum(families.astype(some, dtype=ordered.dtype), axis=last, keepdims=True)
    low, high, part = neighbours(m, q, count, method)
    part = constant(mx.array(part, dtype=ordered.dtype)) if m is np else part
    return (elementwise.scale(1 - part, at(ordered, low, n))
            + elementwise.scale(part, at(ordered, high, n)))


# --- weights --------------------------------------------------------------------------------------


def weights_for(name, x, w, axis, method):
    """A weight for each element; none is differentiated by."""
    if method != "inverted_cdf":
        raise RangeError(f"{name}: weights have a meaning with method='inverted_cdf' only, but the "
                         f"method is {method!r}.")
    w = families.astype(elementwise.stop_gradient(w), dtype=x.dtype)
    return moments.weights_for(name, x, w, axis)


def weighted(x, w, q, skip_nan):
    """The first element of each row up to which q of the weight lies."""
    if skip_nan:
        w = elementwise.where(elementwise.isnan(x), 0.0, w)
    last, n = len(x.shape) - 1, x.shape[-1]
    order = sorting.argsort(elementwise.stop_gradient(x), axis=last, descending=False)
    ordered, w = (indexing.take_along_axis(a, order, axis=last) for a in (x, w))
    below = cumsum(w, -1)
    total = movement.cut(below, index=movement.along(last, slice(n - 1, n)))
    below = elementwise.where(elementwise.equal(below, 0), -1.0, below / total)
    q = families.broadcast_to(families.astype(constant(q), dtype=x.dtype),
                              shape=(*x.shape[:-1], *q.shape))
    place = elementwise.minimum(sorting.searchsorted(below, q, side="left"), n - 1)
    nothing = elementwise.logical_not(elementwise.greater(total, 0))
    return elementwise.where(nothing, math.nan, indexing.take_along_axis(ordered, place, axis=last))


# --- places ---------------------------------------------------------------------------------------


def numbers(q):
    """Values as they are, all else as a NumPy array: then positions are computed exactly."""
    return asarray(q) if isinstance(q, (Value, mx.array)) else np.asarray(q, dtype=np.float64)


def flat(x):
    return movement.reshape(x, shape=(size_of(x.shape),))


def in_range(name, q, method):
    if method not in PLACES:
        raise ArgumentError(f"{name}: method {method!r} is unknown; choose one of "
                            f"{', '.join(PLACES)}.")
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
    a, b = PLACES[method]
    place = n * q + a + q * (1 - a - b) - 1
    if method in ROUNDED:
        place = m.rint(place + ROUNDED[method]) - ROUNDED[method]
    low = m.floor(place)
    part = place - low
    if method in STEPS:
        on, beyond = STEPS[method]
        part = on + (beyond - on) * m.sign(part)
    last = m.maximum(n - 1, 0)
    return m.clip(low, 0, last), m.clip(low + 1, 0, last), part


def at(ordered, place, n):
    """The sorted values at places."""
    axis = len(ordered.shape) - 1
    if isinstance(place, np.ndarray):
        return indexing.take(ordered, constant(place.astype(np.int32)), axis=axis)
    i = elementwise.cast(place, dtype=mx.int32)
    if len(place.shape) == 1:
        return indexing.take(ordered, i, axis=axis)
    return indexing.take_along_axis(ordered, i, axis=axis)
