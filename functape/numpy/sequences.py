"""Sequences of numbers: arange, linspace, logspace, geomspace."""

import math

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import ARRAYS, as_type, axis_of, integer, value, with_dtype
from functape.numpy.creation import array, full, on, python_numbers
from functape.numpy.shapes import moveaxis
from functape.ops.elementwise import floor, power


def arange(start, stop=None, step=None, dtype=None, *, device=None):
    """Numbers from `start` (0 if there is one argument) up to, but without, `stop`.

    Args:
      step: from one number to the next; 1 by default.
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.arange(2, 10, 3)
    tensor([2, 5, 8], dtype=int32)
    """
    start, stop, step = (a if a is None else plain(a, "arange") for a in (start, stop, step))
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise ArgumentError("arange: step is 0, so stop is never reached. Use linspace for a "
                            "number of points.")
    dtype = None if dtype is None else dtypes.as_dtype(dtype, "arange")
    kind = dtypes.result_type(start, stop, step) if dtype is None else dtype
    whole = all(isinstance(n, int) for n in (start, stop, step))
    count = len(range(start, stop, step)) if whole else max(0, math.ceil((stop - start) / step))
    with on(device):
        if dtypes.issubdtype(kind, dtypes.integer):
            points = integers(count, int(start), int(step), kind)
        else:
            points = np.arange(float(count)) * step + start  # in double precision, rounded once
        return array(python_numbers(points, None) if dtype is None else points, dtype)


def integers(count, start, step, dtype):
    """Those of an arithmetic sequence, by arithmetic modulo 2^64, which knows no overflow."""
    start, step = (np.array(n % 2**64, np.uint64) for n in (start, step))
    points = np.arange(count, dtype=np.uint64) * step + start
    return points if dtype == mx.uint64 else points.view(np.int64)


def plain(a, name):
    """A Python number."""
    if type(a) in dtypes.WEAK:
        return a
    if isinstance(a, ARRAYS) and not a.shape:
        return a.item()
    raise ArgumentError(f"{name} takes numbers, but got {describe(a)}.")


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *,
             device=None):
    """`num` evenly spaced numbers from `start` to `stop`, which may be arrays.

    Args:
      start, stop: the first and the last number; differentiable.
      num: how many.
      endpoint: whether `stop` is one of them.
      retstep: return ``(numbers, step)``.
      dtype: of the result; floating-point by default.
      axis: where the numbers lie, if start or stop are arrays.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.linspace(0.0, 1.0, 5)
    tensor([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = integer(num, "linspace", "num")
    if num < 0:
        raise ShapeError(f"linspace: num is {num}; it must be 0 or more.")
    with on(device):
        dtype = None if dtype is None else dtypes.as_dtype(dtype, "linspace")
        whole = dtype is not None and dtypes.issubdtype(dtype, dtypes.integer)
        wide = mx.float64 if mx.default_device().type == mx.cpu else mx.float32
        found, step = between(start, stop, num, endpoint, axis, wide if whole else dtype)
        if dtype is not None:
            found = as_type(floor(found) if whole else found, dtype)
    return (found, step) if retstep else found


def between(start, stop, num, endpoint, axis, wanted):
    dtype, start, stop = ends("linspace", start, stop, wanted)
    steps = max(num - 1 if endpoint else num, 0)
    ndim = max(len(start.shape), len(stop.shape))
    t = np.arange(num) / max(steps, 1)
    t = array(t.reshape((num, *(1,) * ndim)), real_part_of(dtype))
    found = start * (1 - t) + stop * t  # exact at both ends
    step = (stop - start) / steps if steps else full(start.shape, math.nan, dtype)
    return moveaxis(found, 0, axis_of(axis, ndim + 1, "linspace")) if axis else found, step


def ends(name, start, stop, wanted):
    """The dtype to compute in, inexact and no narrower than what is wanted, and both ends in it."""
    given = [a if isinstance(a, dtypes.WEAK) else value(a, name, what)
             for a, what in ((start, "start"), (stop, "stop"))]
    given_types = given if wanted is None else [*given, wanted]
    dtype = dtypes.result_type(dtypes.result_type(*given_types), 1.0)
    return dtype, *[with_dtype(a, dtype) for a in given]


def real_part_of(dtype):
    return dtypes.PARTS.get(dtype, dtype)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` numbers from base**start to base**stop, evenly spaced on a logarithmic scale.

    Args:
      endpoint: whether `stop` is the last number.
      dtype: of the result.
      axis: that of the numbers in the result, where `start` or `stop` is an array.

    >>> import functape as ft
    >>> ft.numpy.logspace(0, 3, 4, base=2.0)
    tensor([1., 2., 4., 8.])
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype, "logspace")
    _, start, stop = ends("logspace", start, stop, dtype)
    base = base if isinstance(base, dtypes.WEAK) else value(base, "logspace", "base")
    found = power(base, linspace(start, stop, num, endpoint))
    found = moveaxis(found, 0, axis_of(axis, len(found.shape), "logspace"))
    return found if dtype is None else as_type(found, dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`, each the same multiple of the one before.

    Args:
      endpoint: whether `stop` is the last number.
      dtype: of the result.
      axis: that of the numbers in the result, where `start` or `stop` is an array.

    >>> import functape as ft
    >>> ft.numpy.geomspace(1.0, 8.0, 4).shape
    (4,)
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype, "geomspace")
    working, start, stop = ends("geomspace", start, stop, dtype)
    t = linspace(0.0, 1.0, num, endpoint, dtype=real_part_of(working))
    t = t.reshape((num, *(1,) * max(len(start.shape), len(stop.shape))))
    found = start * power(stop / start, t)
    found = moveaxis(found, 0, axis_of(axis, len(found.shape), "geomspace"))
    return found if dtype is None else as_type(found, dtype)
