"""Numbers that describe a sample."""

from typing import NamedTuple

import numpy as np

from functape.errors import ArgumentError, describe
from functape.numpy.arguments import axis_of, inexact, value
from functape.numpy.extremes import argmax, max
from functape.numpy.moments import std
from functape.numpy.reductions import count_nonzero
from functape.numpy.shapes import moveaxis
from functape.numpy.sorting import argsort
from functape.op import Value
from functape.ops import elementwise, indexing, movement
from functape.tensor import constant


class ModeResult(NamedTuple):
    """The results of mode."""

    mode: Value
    count: Value


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """The most frequent value along an axis, the smallest of several, and how often it occurs.

    Args:
      a: array.
      axis: an axis; None: all elements in a row.
      nan_policy: "propagate".
      keepdims: keep the axis, with length 1.

    Returns:
      A named tuple (mode, count).

    >>> import functape as ft
    >>> int(mode(ft.numpy.array([2, 4, 1, 4, 2, 4])).mode)
    4
    """
    x, axis, dims = one_axis("mode", a, axis, nan_policy)
    same = elementwise.equal(x[..., :, None], x[..., None, :])
    counts = count_nonzero(same, axis=-1)
    often = max(counts, axis=-1, keepdims=True)
    # the smallest of the most frequent ones comes first in ascending order
    order = argsort(x, axis=-1)
    ranked = indexing.take_along_axis(counts, order, axis=len(x.shape) - 1)
    first = argmax(elementwise.equal(ranked, often), axis=-1, keepdims=True)
    place = indexing.take_along_axis(order, first, axis=len(x.shape) - 1)
    found = indexing.take_along_axis(x, place, axis=len(x.shape) - 1)
    return ModeResult(*(placed(p, axis, keepdims, dims) for p in (found, often)))


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
      nan_policy: "propagate".

    >>> import functape as ft
    >>> rankdata(ft.numpy.array([10, 30, 10]))
    tensor([1.5, 3. , 1.5])
    """
    x, axis, _ = one_axis("rankdata", a, axis, nan_policy)
    if method == "ordinal":
        found = argsort(argsort(x, axis=-1), axis=-1) + 1
        return moveaxis(found, -1, axis)
    below = count_nonzero(elementwise.less(x[..., None, :], x[..., :, None]), axis=-1)
    upto = count_nonzero(elementwise.less_equal(x[..., None, :], x[..., :, None]), axis=-1)
    if method == "dense":
        earlier = constant(np.tri(x.shape[-1], k=-1, dtype=bool))
        again = elementwise.equal(x[..., :, None], x[..., None, :]) & earlier
        new = count_nonzero(again, axis=-1) == 0
        found = count_nonzero(elementwise.less(x[..., None, :], x[..., :, None])
                              & new[..., None, :], axis=-1) + 1
    elif method in ("average", "min", "max"):
        found = {"average": lambda: (below + upto + 1) * 0.5, "min": lambda: below + 1,
                 "max": lambda: upto}[method]()
    else:
        raise ArgumentError(f"rankdata: method {method!r} is unknown; choose 'average', 'min', "
                            "'max', 'dense' or 'ordinal'.")
    return moveaxis(found, -1, axis)


def one_axis(name, a, axis, nan_policy):
    """The array with its axis last, the axis, and how many axes the array had."""
    if nan_policy != "propagate":
        raise ArgumentError(f"{name}: nan_policy must be 'propagate', but is {nan_policy!r}.")
    x = value(a, name)
    dims = len(x.shape)
    if axis is None:
        return movement.reshape(x, shape=(int(np.prod(x.shape)),)), 0, dims
    if not dims:
        raise ArgumentError(f"{name} takes an array with an axis, but got {describe(x)}.")
    axis = axis_of(axis, dims, name)
    return moveaxis(x, axis, -1), axis, dims


def placed(found, axis, keepdims, dims):
    if not keepdims:
        return movement.reshape(found, shape=found.shape[:-1])
    found = moveaxis(found, -1, axis)
    return found if len(found.shape) == dims else movement.reshape(found, shape=(1,) * dims)
