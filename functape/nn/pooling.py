"""Pooling: one number for each window over the positions of (..., positions, C)."""

import math

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ShapeError, describe
from functape.nn.convolution import margins, per_axis
from functape.numpy.arguments import as_type, inexact, is_inexact, value
from functape.numpy.padding import pad
from functape.ops import pooling as ops
from functape.ops.contraction import contract
from functape.ops.indexing import take
from functape.ops.pooling import Windows
from functape.ops.reductions import maximum_of


def max_pool(x, window, stride=None, padding=0, dilation=1):
    """The largest number of each window; equal ones share the derivative evenly.

    Args:
      x: (..., positions, C), with as many axes of positions as `window` has lengths.
      window: the lengths of the window; a number for one axis of positions.
      stride: steps between windows; by default they lie side by side.
      padding: around the positions, with what never wins: a number, one an axis, (before, after)
        for each axis, "VALID" or "SAME".
      dilation: distances between the elements of a window.

    >>> import functape as ft
    >>> ft.nn.max_pool(ft.numpy.array([1.0, 5.0, 2.0, 4.0]).reshape(1, 4, 1), 2).reshape(-1)
    tensor([5., 4.])
    """
    x = value(x, "max_pool")
    least = -math.inf if is_inexact(x) else dtypes.iinfo(x.dtype).min
    x, over = padded("max_pool", x, window, stride, padding, dilation, least)
    return ops.window_max(x, over=over)


def min_pool(x, window, stride=None, padding=0, dilation=1):
    """The smallest number of each window; arguments as for max_pool.

    >>> import functape as ft
    >>> ft.nn.min_pool(ft.numpy.array([1.0, 5.0, 2.0, 4.0]).reshape(1, 4, 1), 2).reshape(-1)
    tensor([1., 2.])
    """
    return -max_pool(-value(x, "min_pool"), window, stride, padding, dilation)


def sum_pool(x, window, stride=None, padding=0, dilation=1):
    """The sum of each window; arguments as for max_pool, padded with zeros.

    >>> import functape as ft
    >>> ft.nn.sum_pool(ft.numpy.ones((1, 4, 1)), 3, 1).reshape(-1)
    tensor([3., 3.])
    """
    x, over = padded("sum_pool", value(x, "sum_pool"), window, stride, padding, dilation, 0)
    return ops.window_sum(x, over=over)


def avg_pool(x, window, stride=None, padding=0, dilation=1, count_include_pad=True):
    """The mean of each window; arguments as for max_pool, padded with zeros.

    `count_include_pad` says whether padding counts as elements.

    >>> import functape as ft
    >>> ft.nn.avg_pool(ft.numpy.arange(4.0).reshape(1, 4, 1), 2).reshape(-1)
    tensor([0.5, 2.5])
    """
    x = inexact(value(x, "avg_pool"))
    wide, over = padded("avg_pool", x, window, stride, padding, dilation, 0)
    total = ops.window_sum(wide, over=over)
    if count_include_pad or wide is x:
        return total * (1 / math.prod(over.size))
    ones = mx.ones((*x.shape[1 - len(x.shape):-1], 1), x.dtype)
    return total / sum_pool(ones, window, stride, padding, dilation)


def padded(name, x, window, stride, padding, dilation, fill):
    """x with its margins, and the windows over it."""
    n = len(window) if isinstance(window, (tuple, list)) else 1
    if len(x.shape) < n + 1:
        raise ShapeError(f"{name} with a window of {n} axis(es) takes (..., positions, C) with as "
                         f"many axes of positions, but x is {describe(x)}.")
    window = per_axis(name, window, n, "window")
    stride = window if stride is None else per_axis(name, stride, n, "stride")
    dilation = per_axis(name, dilation, n, "dilation")
    axes = tuple(range(len(x.shape) - 1 - n, len(x.shape) - 1))
    lengths = [x.shape[a] for a in axes]
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    width = margins(name, padding, lengths, reach, stride)
    for length, r, margin in zip(lengths, reach, width, strict=True):
        if length + sum(margin) < r:
            raise ShapeError(f"{name}: a window that reaches over {r} elements does not fit into "
                             f"{length + sum(margin)}, padding included, of {describe(x)}.")
    if any(map(any, width)):
        x = pad(x, ((0, 0),) * axes[0] + width + ((0, 0),), constant_values=fill)
    return x, Windows(axes, window, stride, dilation)


# --- to a given size ------------------------------------------------------------------------------


def adaptive_avg_pool(x, output_size):
    """Means of as many windows as asked for, of equal length or nearly: the i-th of m over n
    positions goes from floor(i n / m) to ceil((i + 1) n / m).

    Args:
      x: (..., positions, C).
      output_size: how many windows; a number for one axis of positions, or one an axis.

    >>> import functape as ft
    >>> ft.nn.adaptive_avg_pool(ft.numpy.arange(5.0).reshape(1, 5, 1), 2).reshape(-1)
    tensor([1., 3.])
    """
    x = inexact(value(x, "adaptive_avg_pool"))
    n = len(x.shape)
    for axis, count in targets("adaptive_avg_pool", x, output_size):
        weights = np.zeros((count, x.shape[axis]))
        for i, (start, stop) in enumerate(sections(x.shape[axis], count)):
            weights[i, start:stop] = 1 / (stop - start)
        labels = tuple(range(n))
        x = contract(x, as_type(value(weights, "adaptive_avg_pool"), x.dtype), x_labels=labels,
                     y_labels=(n, axis), labels=(*labels[:axis], n, *labels[axis + 1:]))
    return x


def adaptive_max_pool(x, output_size):
    """The largest numbers of as many windows as asked for; arguments as for
    `adaptive_avg_pool`.

    >>> import functape as ft
    >>> ft.nn.adaptive_max_pool(ft.numpy.arange(5.0).reshape(1, 5, 1), 2).reshape(-1)
    tensor([2., 4.])
    """
    x = value(x, "adaptive_max_pool")
    for axis, count in targets("adaptive_max_pool", x, output_size):
        cut = sections(x.shape[axis], count)
        longest = max(stop - start for start, stop in cut)
        # a short window repeats its last element, which does not change the largest
        i = np.array([[min(start + k, stop - 1) for k in range(longest)] for start, stop in cut],
                     np.int32)
        x = maximum_of(take(x, mx.array(i), axis=axis), axis=(axis + 1,), keepdims=False)
    return x


def targets(name, x, output_size):
    """Pairs (axis, how many windows)."""
    n = len(output_size) if isinstance(output_size, (tuple, list)) else 1
    sizes = per_axis(name, output_size, n, "output_size")
    first = len(x.shape) - 1 - n
    if first < 0 or 0 in x.shape[first:-1]:
        raise ShapeError(f"{name} with {n} output size(s) takes (..., positions, C) with as many "
                         f"axes of positions, none empty, but x is {describe(x)}.")
    return [(first + i, size) for i, size in enumerate(sizes)]


def sections(n, count):
    return [(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]
