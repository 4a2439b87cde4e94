"""pad: an array with more elements around it."""

import numpy as np

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import extremes, moments
from functape.numpy.arguments import as_type, beside, is_inexact, value
from functape.numpy.creation import array
from functape.numpy.indexing import take
from functape.numpy.quantiles import median
from functape.numpy.sequences import linspace
from functape.ops import elementwise, movement
from functape.ops.families import broadcast_to
from functape.ops.movement import along

STATISTICS = ("maximum", "mean", "median", "minimum")
BY_INDEX = ("edge", "reflect", "symmetric", "wrap")


def pad(array, pad_width, mode="constant", **kwargs):
    """An array with more elements before and after, along each axis.

    Args:
      array: the array.
      pad_width: how many: a number; (before, after) for all axes; or one such pair an axis. A
        dictionary names the axes.
      mode: what they are. "constant": `constant_values` (0), "empty": anything, here 0; "edge":
        the outermost element; "reflect" and "symmetric": the array mirrored, without or with its
        edge, with ``reflect_type="odd"`` also turned upside down; "wrap": the array over again;
        "linear_ramp": a line from the edge to `end_values` (0); "maximum", "mean", "median" and
        "minimum": of `stat_length` elements at that end (all). Or a function, called as
        ``mode(row, (before, after), axis, kwargs)`` for each row along each axis, that returns
        the whole row.
      **kwargs: those that the mode reads.

    >>> import functape as ft
    >>> ft.numpy.pad(ft.numpy.array([1.0, 2.0]), (1, 2), mode="wrap")
    tensor([2., 1., 2., 1., 2.])
    """
    x = value(array, "pad")
    widths = pairs(pad_width, x, "pad_width")
    if callable(mode):
        return pad_by_function(x, widths, mode, kwargs)
    if mode == "empty":
        mode, kwargs = "constant", {}
    reads = READS.get(mode)
    if reads is None:
        raise ArgumentError(f"pad: mode {mode!r} is not one of {', '.join(READS)}, 'empty', or a "
                            "function.")
    for name in kwargs:
        if name not in reads:
            raise ArgumentError(f"pad with mode {mode!r} does not take {name}. It takes "
                                f"{' and '.join(reads) or 'no further arguments'}.")
    if mode == "constant":
        return pad_constant(x, widths, kwargs.get("constant_values", 0))
    options = [{k: v[axis] for k, v in per_axis(x, kwargs).items()} for axis in range(len(widths))]
    for axis, (width, option) in enumerate(zip(widths, options, strict=True)):
        if width != (0, 0):
            x = PADDERS[mode](x, width, axis, mode, **option)
    return x


READS = {
    "constant": ("constant_values",), "linear_ramp": ("end_values",), "edge": (), "wrap": (),
    "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
    **{mode: ("stat_length",) for mode in STATISTICS},
}


def pairs(given, x, name):
    """(before, after) for each axis."""
    n = len(x.shape)
    if isinstance(given, dict):
        named = dict.fromkeys(range(n), (0, 0))
        named.update({axis % n: w if isinstance(w, tuple) else (w, w)
                      for axis, w in given.items()})
        given = [named[axis] for axis in range(n)]
    try:
        found = np.broadcast_to(np.asarray(given), (n, 2)).tolist()
    except ValueError as error:
        raise ShapeError(f"pad: {name} must be a number, a pair (before, after), or a pair for "
                         f"each of the {n} axes of {describe(x)}, but is {given!r}.") from error
    if name == "pad_width" and not all(isinstance(k, int) and k >= 0 for p in found for k in p):
        raise ShapeError(f"pad: pad_width must be whole numbers, 0 or more, but is {given!r}. Cut "
                         "elements off with a slice.")
    return [tuple(p) for p in found]


def per_axis(x, kwargs):
    n = len(x.shape)
    return {k: [v] * n if v is None or isinstance(v, str) else pairs(v, x, k)
            for k, v in kwargs.items()}


# --- constants ----------------------------------------------------------------------------------


def pad_constant(x, widths, constants):
    shape = tuple(n + sum(w) for n, w in zip(x.shape, widths, strict=True))
    inside = tuple(slice(w[0], w[0] + n) for n, w in zip(x.shape, widths, strict=True))
    if isinstance(constants, (int, float)) and constants == 0:
        return movement.place(x, index=inside, shape=shape)
    constants = as_type(array(constants, x.dtype) if isinstance(constants, (list, tuple))
                        else beside(constants, x, "pad"), x.dtype)
    if not constants.shape:
        return movement.overwrite(broadcast_to(constants, shape=shape), x, index=inside)
    constants = broadcast_to(constants, shape=(len(widths), 2))
    for axis, width in enumerate(widths):
        ends = [constant_end(constants[axis, k], x, axis, width[k]) for k in (0, 1)]
        x = movement.concatenate(ends[0], x, ends[1], axis=axis)
    return x


def constant_end(constant, x, axis, width):
    return broadcast_to(constant, shape=(*x.shape[:axis], width, *x.shape[axis + 1:]))


# --- one axis at a time -------------------------------------------------------------------------


def pad_by_index(x, width, axis, mode, reflect_type="even"):
    """The positions that NumPy's pad takes, taken from x."""
    n = x.shape[axis]
    if n == 0:
        raise ShapeError(f"pad: axis {axis} of {describe(x)} is empty, so there is nothing to "
                         f"repeat. Use mode='constant'.")
    if reflect_type == "odd":
        return pad_odd(x, width, axis, mode)
    return take(x, np.pad(np.arange(n, dtype=np.int32), width, mode=mode), axis=axis)


def pad_odd(x, width, axis, mode):
    """Mirrored at the edge and turned upside down: 2 edge - x. A wide margin takes several."""
    n = x.shape[axis]
    step = max(n - 1, 1) if mode == "reflect" else n
    before, after = (min(w, step) for w in width)
    shift = int(mode == "reflect" and n > 1)
    head, tail = (cut(x, axis, start, start + 1) for start in (0, n - 1))
    left = backwards(cut(x, axis, shift, shift + before), axis)
    right = backwards(cut(x, axis, n - shift - after, n - shift), axis)
    found = movement.concatenate(2 * head - left, x, 2 * tail - right, axis=axis)
    rest = (width[0] - before, width[1] - after)
    return found if rest == (0, 0) else pad_odd(found, rest, axis, mode)


def pad_ramp(x, width, axis, mode, end_values=(0, 0)):
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1:])
    n = x.shape[axis]
    ends = []
    for k, at in ((0, 0), (1, n - 1)):
        edge = movement.reshape(cut(x, axis, at, at + 1), shape=shape[:axis] + shape[axis + 1:])
        line = linspace(end_values[k], edge, width[k], endpoint=False, axis=axis,
                        dtype=x.dtype)
        ends.append(line if k == 0 else backwards(line, axis))
    return movement.concatenate(ends[0], x, ends[1], axis=axis)


def pad_statistic(x, width, axis, mode, stat_length=None):
    n = x.shape[axis]
    lengths = (n, n) if stat_length is None else stat_length
    parts = [statistic(mode, cut(x, axis, *bounds), axis)
             for bounds in ((0, min(lengths[0], n)), (max(n - lengths[1], 0), n))]
    if not is_inexact(x):
        parts = [elementwise.rint(p) for p in parts]
    ends = [constant_end(as_type(p, x.dtype), x, axis, w)
            for p, w in zip(parts, width, strict=True)]
    return movement.concatenate(ends[0], x, ends[1], axis=axis)


def statistic(mode, x, axis):
    function = {"maximum": extremes.max, "minimum": extremes.min, "mean": moments.mean,
                "median": median}
    return function[mode](x, axis, keepdims=True)


PADDERS = {
    "linear_ramp": pad_ramp, **dict.fromkeys(BY_INDEX, pad_by_index),
    **dict.fromkeys(STATISTICS, pad_statistic),
}


def cut(x, axis, start, stop):
    return movement.cut(x, index=along(axis, slice(start, stop)))


def backwards(x, axis):
    return movement.cut(x, index=along(axis, slice(None, None, -1)))


def pad_by_function(x, widths, function, kwargs):
    """Along one axis after the other, row by row, on an array padded with zeros."""
    x = pad_constant(x, widths, 0)
    for axis, width in enumerate(widths):
        rest = tuple(n for i, n in enumerate(x.shape) if i != axis)
        order = (*[i for i in range(len(x.shape)) if i != axis], axis)
        rows = movement.reshape(movement.transpose(x, axes=order), shape=(-1, x.shape[axis]))
        done = [function(row, width, axis, kwargs) for row in rows]
        x = movement.reshape(movement.stack(*done, axis=0), shape=(*rest, x.shape[axis]))
        x = movement.transpose(x, axes=movement.inverse(order))
    return x
