"""Numbers that describe a sample."""

import math
from typing import NamedTuple

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, axis_of, inexact, size_of, value
from functape.numpy.arranging import flip
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.extremes import argmax
from functape.numpy.joining import concatenate
from functape.numpy.moments import std
from functape.numpy.reductions import any
from functape.numpy.running import cumsum
from functape.numpy.shapes import moveaxis
from functape.numpy.signatures import maximum, minimum
from functape.numpy.sorting import argsort
from functape.op import Value
from functape.ops import elementwise, indexing, movement
from functape.tensor import constant


class ModeResult(NamedTuple):
    """What `mode` returns; it unpacks like a pair.

    Args:
      mode: the most frequent values.
      count: how often each occurs, integers.

    >>> import functape as ft
    >>> ft.scipy.stats.mode(ft.numpy.array([1.0, 2.0, 2.0])).count
    tensor(2, dtype=int32)
    """

    mode: Value
    count: Value


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """The most frequent value along an axis, the smallest of several, and how often it occurs.

    Args:
      a: array.
      axis: an axis; None: all elements in a row.
      nan_policy: "propagate": NaN is a value like the others, the largest.
      keepdims: keep the axis, with length 1.

    Returns:
      A named tuple (mode, count).

    >>> import functape as ft
    >>> int(mode(ft.numpy.array([2, 4, 1, 4, 2, 4])).mode)
    4
    """
    x, axis, dims = one_axis("mode", a, axis, nan_policy)
    ordered, _, first, last = runs(x)
    counts = last - first
    place = argmax(counts, axis=-1, keepdims=True)  # of several the first, the smallest
    found = (indexing.take_along_axis(a, place, axis=len(x.shape) - 1) for a in (ordered, counts))
    return ModeResult(*(placed(p, axis, keepdims, dims) for p in found))


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    r"""The standard error of the mean along an axis.

    .. math:: \frac{s}{\sqrt n}, \qquad s^2 = \frac{1}{n - \mathrm{ddof}} \sum_i (a_i - \bar a)^2

    Args:
      a: array.
      axis: an axis; None: all elements in a row.
      ddof: what is subtracted from n for the standard deviation.
      nan_policy: "propagate".
      keepdims: keep the axis, with length 1.

    >>> import functape as ft
    >>> sem(ft.numpy.array([1.0, 3.0]))
    tensor(1.)
    """
    x, axis, dims = one_axis("sem", inexact(value(a, "sem")), axis, nan_policy)
    found = std(x, axis=-1, ddof=ddof, keepdims=True) / x.shape[-1] ** 0.5
    return placed(found, axis, keepdims, dims)


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """The ranks of the elements, from 1; equal ones share.

    Args:
      a: array.
      method: which rank equal elements have: "average", "min", "max", "dense" (counted by distinct
        values) or "ordinal" (as they come).
      axis: an axis; None: all elements in a row.
      nan_policy: "propagate": next to a NaN all ranks are NaN.

    Returns:
      The ranks, float32.

    >>> import functape as ft
    >>> rankdata(ft.numpy.array([10, 30, 10]))
    tensor([1.5, 3. , 1.5])
    """
    if method not in RANKS:
        raise ArgumentError(f"rankdata: method {method!r} is unknown; choose one of "
                            f"{', '.join(RANKS)}.")
    x, axis, _ = one_axis("rankdata", a, axis, nan_policy)
    _, order, first, last = runs(x)
    ranks = broadcast_to(as_type(RANKS[method](first, last), dtypes.float32), order.shape)
    ranks = indexing.take_along_axis(ranks, argsort(order), axis=len(x.shape) - 1)
    unknown = any(elementwise.isnan(x), axis=-1, keepdims=True)
    return moveaxis(elementwise.where(unknown, math.nan, ranks), -1, axis)


def places(first):
    return constant(np.arange(first.shape[-1], dtype=np.int32))


# of sorted elements, from where the run of equal ones begins and ends that each belongs to
RANKS = {
    "average": lambda first, last: (first + last + 1) * 0.5,
    "min": lambda first, last: first + 1,
    "max": lambda first, last: last,
    "dense": lambda first, last: cumsum(elementwise.equal(first, places(first)), axis=-1),
    "ordinal": lambda first, last: places(first) + 1,
}


def runs(x):
    """The elements in ascending order along the last axis, the order, and for each where the run
    of its equals begins, and where the next one begins."""
    axis, n = len(x.shape) - 1, x.shape[-1]
    order = argsort(x)
    x = indexing.take_along_axis(x, order, axis=axis)
    left, right = x[..., :-1], x[..., 1:]
    changes = ~(elementwise.equal(left, right) | elementwise.isnan(left) & elementwise.isnan(right))
    i = places(x)
    edge = broadcast_to(constant(True), (*x.shape[:-1], 1))
    starts = elementwise.where(concatenate([edge, changes], -1), i, 0)
    ends = elementwise.where(concatenate([changes, edge], -1), i + 1, n)
    first = maximum.accumulate(starts, axis)
    last = flip(minimum.accumulate(flip(ends, axis), axis), axis)
    return x, order, first, last


def one_axis(name, a, axis, nan_policy):
    """The array with its axis last, the axis, and how many axes the array had."""
    if nan_policy != "propagate":
        raise ArgumentError(f"{name}: nan_policy must be 'propagate', but is {nan_policy!r}.")
    x = value(a, name)
    dims = len(x.shape)
    if axis is None:
        x, axis = movement.reshape(x, shape=(size_of(x.shape),)), 0
    axis = axis_of(axis, len(x.shape), name)
    if 0 in x.shape:
        raise ShapeError(f"{name} takes at least one element, but got {describe(x)}.")
    return moveaxis(x, axis, -1), axis, dims


def placed(found, axis, keepdims, dims):
    if not keepdims:
        return movement.reshape(found, shape=found.shape[:-1])
    found = moveaxis(found, -1, axis)
    return found if len(found.shape) == dims else movement.reshape(found, shape=(1,) * dims)
