"""The elements repeated, reversed or moved along axes."""

import operator

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import axes_of, axis_of, integer, shape_of, size_of, value
from functape.numpy.broadcasting import broadcast_arrays, broadcast_to
from functape.numpy.shapes import ravel, swapaxes
from functape.op import Value
from functape.ops import elementwise, indexing, reductions, sorting
from functape.ops import movement as ops
from functape.ops.families import broadcast_to as broadcast_op
from functape.tensor import constant

# --- repeating ----------------------------------------------------------------------------------


def tile(A, reps):  # noqa: N803 - NumPy's name
    """An array repeated as a whole, so many times along each axis.

    Args:
      A: array.
      reps: how often; one number, or one for each axis.

    >>> import functape as ft
    >>> ft.numpy.tile(ft.numpy.array([1, 2]), 2)
    tensor([1, 2, 1, 2], dtype=int32)
    """
    a, reps = value(A, "tile"), shape_of(reps, "tile", "reps")
    n = max(len(a.shape), len(reps))
    shape = (*(1,) * (n - len(a.shape)), *a.shape)
    reps = (*(1,) * (n - len(reps)), *reps)
    spread = broadcast_op(ops.reshape(a, shape=tuple(k for m in shape for k in (1, m))),
                          shape=tuple(k for r, m in zip(reps, shape, strict=True) for k in (r, m)))
    return ops.reshape(spread, shape=tuple(r * m for r, m in zip(reps, shape, strict=True)))


def repeat(a, repeats, axis=None, *, total_repeat_length=None):
    """Each element repeated, along an axis or along all elements in a row.

    Args:
      a: the array.
      repeats: how often; one number, or one for each element along the axis.
      axis: the axis; None: the raveled array.
      total_repeat_length: the length of the result; cut off, or filled with the last element.
        Needed under vmap and jit, where repeats is an array.

    >>> import functape as ft
    >>> ft.numpy.repeat(ft.numpy.array([3, 4]), ft.numpy.array([1, 2]))
    tensor([3, 4, 4], dtype=int32)
    """
    a = value(a, "repeat")
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_of(axis, len(a.shape), "repeat")
    n = a.shape[axis]
    if total_repeat_length is None and not getattr(repeats, "shape", np.shape(repeats)):
        times = integer(repeats, "repeat", "repeats")
        return repeat_evenly(a, *shape_of(times, "repeat", "repeats"), axis)
    given = isinstance(repeats, (Value, mx.array)) and total_repeat_length is not None
    times = value(repeats, "repeat", 1) if given else np.asarray(repeats)
    size = size_of(times.shape)
    if not given and size and times.min() < 0:
        raise ShapeError(f"repeat: repeats has a negative entry, {times.min()}. Each is 0 or more.")
    if size not in (1, n):
        raise ShapeError(f"repeat: repeats has {size} entries, but axis {axis} of "
                         f"{describe(a)} has length {n}. Give one number, or one for each.")
    if total_repeat_length and not n:
        raise ShapeError(f"repeat: axis {axis} of {describe(a)} has no entry to fill "
                         f"total_repeat_length={total_repeat_length} places.")
    return indexing.take(a, repeated(times, n, total_repeat_length), axis=axis)


def repeated(times, n, total):
    """Indices, each of the n as often as `times` tells; where that is a value, `total` of them."""
    if not isinstance(times, Value):
        at = np.repeat(np.arange(n), times.reshape(-1))
        if total is not None:
            at = np.concatenate([at, np.full(total, max(n - 1, 0))])[:total]
        return constant(at.astype(np.int32))
    times = elementwise.cast(broadcast_to(ravel(times), (n,)), dtype=mx.int32)
    ends = reductions.cumsum(times, axis=0, reverse=False)
    places = constant(np.arange(total, dtype=np.int32))
    at = sorting.searchsorted(ends, places, side="right")
    return elementwise.minimum(at, n - 1)


def repeat_evenly(a, times, axis):
    shape = a.shape
    wide = ops.reshape(a, shape=(*shape[:axis + 1], 1, *shape[axis + 1:]))
    wide = broadcast_op(wide, shape=(*shape[:axis + 1], times, *shape[axis + 1:]))
    return ops.reshape(wide, shape=(*shape[:axis], shape[axis] * times, *shape[axis + 1:]))


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays of a grid from the coordinates along each axis; a list.

    Args:
      *xi: vectors, the coordinates along each axis.
      copy: accepted; arrays are not written into, so none has to be copied.
      sparse: each array keeps length 1 along the others' axes.
      indexing: "xy": the second axis of the result is that of the first vector; "ij": the first
        is.

    >>> import functape as ft
    >>> x, y = ft.numpy.meshgrid(ft.numpy.array([1, 2]), ft.numpy.array([3, 4, 5]))
    >>> x.shape
    (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing must be 'xy' or 'ij', but is {indexing!r}.")
    found = [ravel(value(x, "meshgrid", i)) for i, x in enumerate(xi)]
    n = len(found)
    place = list(range(n))
    if indexing == "xy" and n > 1:
        place[0], place[1] = 1, 0
    grids = [ops.reshape(x, shape=tuple(-1 if k == p else 1 for k in range(n)) if x.shape[0]
                         else tuple(0 if k == p else 1 for k in range(n)))
             for x, p in zip(found, place, strict=True)]
    return grids if sparse else broadcast_arrays(*grids)


# --- order of the elements ----------------------------------------------------------------------


def flip(m, axis=None):
    """The elements in reverse order along axes; along all if none is given.

    Args:
      m: array.
      axis: integer, several, or None for all.

    >>> import functape as ft
    >>> ft.numpy.flip(ft.numpy.array([1, 2, 3]))
    tensor([3, 2, 1], dtype=int32)
    """
    m = value(m, "flip")
    axes = axes_of(axis, len(m.shape), "flip")
    if not axes:
        return m
    reverse, whole = slice(None, None, -1), slice(None)
    return ops.cut(m, index=tuple(reverse if i in axes else whole
                                  for i in range(max(axes) + 1)))


def fliplr(m):
    """The elements in reverse order along axis 1.

    Args:
      m: array.

    >>> import functape as ft
    >>> ft.numpy.fliplr(ft.numpy.array([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]], dtype=int32)
    """
    return flip(value(m, "fliplr"), 1)


def flipud(m):
    """The elements in reverse order along axis 0.

    Args:
      m: array.

    >>> import functape as ft
    >>> ft.numpy.flipud(ft.numpy.array([1, 2]))
    tensor([2, 1], dtype=int32)
    """
    return flip(value(m, "flipud"), 0)


def rot90(m, k=1, axes=(0, 1)):
    """Turned by k quarter turns, from the first of two axes towards the second.

    Args:
      m: array.

    >>> import functape as ft
    >>> ft.numpy.rot90(ft.numpy.array([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]], dtype=int32)
    """
    m = value(m, "rot90")
    first, second = axes_of(axes, len(m.shape), "rot90")
    k = operator.index(k) % 4
    if k == 0:
        return m
    if k == 2:
        return flip(m, (first, second))
    return swapaxes(flip(m, second), first, second) if k == 1 else flip(
        swapaxes(m, first, second), second)


def roll(a, shift, axis=None):
    """The elements moved along axes; those that leave at the end come in at the start.

    Args:
      a: array.
      shift: by how many places; one number, or one for each axis, which need not be known.
      axis: integer, or several; None: all elements in a row.

    >>> import functape as ft
    >>> ft.numpy.roll(ft.numpy.arange(4), 1)
    tensor([3, 0, 1, 2], dtype=int32)
    """
    a = value(a, "roll")
    if axis is None:
        return ops.reshape(roll(ravel(a), shift, 0), shape=a.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple([axis_of(i, len(a.shape), "roll") for i in axes])
    shifts = shifts_of(shift)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    if len(axes) == 1:
        axes = axes * len(shifts)
    if len(shifts) != len(axes):
        raise ShapeError(f"roll: there are {len(shifts)} shifts for {len(axes)} axes. Give one "
                         "for each, or one for all.")
    known = []
    for s, i in zip(shifts, axes, strict=True):
        if isinstance(s, Value):
            a = indexing.take(a, moved(s, a.shape[i]), axis=i)
        else:
            known.append((s % (a.shape[i] or 1), i))
    if not known:
        return a
    shifts, axes = zip(*known, strict=True)
    return ops.roll(a, shift=shifts, axis=axes)  # MLX ends the process where a shift has 32 bits


def shifts_of(shift):
    """A list of shifts: integers, and those in arrays, which need not be known, as values."""
    if isinstance(shift, (Value, mx.array)):
        shift = value(shift, "roll", 1)
        if len(shift.shape) > 1 or not dtypes.issubdtype(shift.dtype, dtypes.integer):
            raise ArgumentError("roll: shift is an integer, or several along one axis, but is "
                                f"{describe(shift)}.")
        return list(indexing.unstack(ravel(shift), axis=0)) if size_of(shift.shape) else []
    if not isinstance(shift, (tuple, list)):
        shift = np.asarray(shift).reshape(-1).tolist()
    return [shifts_of(s)[0] if isinstance(s, (Value, mx.array)) else integer(s, "roll", "shift")
            for s in shift]


def moved(shift, n):
    """Where the elements of an axis of length n come from that move by a shift."""
    places = constant(np.arange(n)) - elementwise.cast(shift, dtype=mx.int64)
    return elementwise.cast(elementwise.remainder(places, n or 1), dtype=mx.int32)
