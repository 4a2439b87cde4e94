"""Differences of neighbours, areas under curves, and other sums along an axis."""

import math

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import moments, reductions, running
from functape.numpy.arguments import (
    as_type,
    axes_of,
    axis_of,
    beside,
    floats,
    inexact,
    integer,
    size_of,
    value,
)
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.diagonals import diagonal
from functape.numpy.indexing import take
from functape.numpy.joining import concatenate
from functape.numpy.searching import searchsorted
from functape.numpy.shapes import moveaxis
from functape.numpy.sorting import argsort
from functape.ops import contraction, elementwise, movement
from functape.ops.movement import along
from functape.promotion import agree


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Each element minus the one before it, along an axis, n times over.

    Args:
      a: array.
      prepend, append: what is joined to the start and to the end before, numbers or arrays.

    >>> import functape as ft
    >>> ft.numpy.diff(ft.numpy.array([1, 4, 9]))
    tensor([3, 5], dtype=int32)
    """
    a = value(a, "diff")
    axis = axis_of(axis, len(a.shape), "diff")
    n = integer(n, "diff", "n")
    if n < 0:
        raise ShapeError(f"diff: n is {n}; it must be 0 or more.")
    if n == 0:
        return a
    parts = [edge(p, a, axis) for p in (prepend,) if p is not None] + [a]
    parts += [edge(p, a, axis) for p in (append,) if p is not None]
    a = concatenate(parts, axis) if len(parts) > 1 else a
    for _ in range(n):
        length = a.shape[axis]
        late = movement.cut(a, index=along(axis, slice(1, length)))
        early = movement.cut(a, index=along(axis, slice(0, max(length - 1, 0))))
        a = elementwise.not_equal(late, early) if str(a.dtype).endswith("bool") else late - early
    return a


def edge(part, a, axis):
    """What is put before or after: an array, or one number for all."""
    part = beside(part, a, "diff")
    return part if part.shape else broadcast_to(
        part, (*a.shape[:axis], 1, *a.shape[axis + 1:]))


def ediff1d(ary, to_end=None, to_begin=None):
    """Each element minus the one before it, of all elements in a row.

    Args:
      ary: array.
      to_end, to_begin: numbers that follow and that precede the result.

    >>> import functape as ft
    >>> ft.numpy.ediff1d(ft.numpy.array([1, 4, 9]), to_end=0)
    tensor([3, 5, 0], dtype=int32)
    """
    a = value(ary, "ediff1d")
    steps = diff(movement.reshape(a, shape=(size_of(a.shape),)))
    ends = [None if p is None else as_type(beside(p, a, "ediff1d"), a.dtype)
            for p in (to_begin, to_end)]
    ends = [p if p is None else movement.reshape(p, shape=(size_of(p.shape),)) for p in ends]
    return concatenate([p for p in (ends[0], steps, ends[1]) if p is not None])


def gradient(f, *varargs, axis=None, edge_order=None):
    """The slope of samples at each point, by differences of its neighbours.

    Args:
      f: samples, at least two along each axis.
      varargs: nothing for steps of 1, one step for all axes, or for each axis a step or the
        positions of the samples.
      axis: integer, several, or None for all.
      edge_order: 1: at the ends, the difference to the neighbour. There is no other.

    Returns:
      An array; for several axes a list with one for each.

    >>> import functape as ft
    >>> gradient(ft.numpy.array([1.0, 2.0, 5.0]))
    tensor([1., 2., 3.])
    """
    f, *varargs = floats("gradient", f, *varargs)
    if edge_order not in (None, 1):
        raise ArgumentError(f"gradient: edge_order is {edge_order!r}, but there is 1 only.")
    axes = axes_of(axis, len(f.shape), "gradient")
    steps = (varargs or [1.0]) * (1 if len(varargs) > 1 else len(axes))
    if len(steps) != len(axes):
        raise ArgumentError(f"gradient: {len(axes)} axes need one step, or as many, but got "
                            f"{len(varargs)}.")
    found = [slope(f, h, k) for h, k in zip(steps, axes, strict=True)]
    return found[0] if len(axes) == 1 else found


def slope(f, h, axis):
    """The gradient along one axis; h: a step, or positions."""
    n = f.shape[axis]
    if n < 2:
        raise ShapeError(f"gradient needs two samples or more along an axis, but axis {axis} of "
                         f"{describe(f)} has {n}.")
    rise = diff(f, axis=axis)
    early, late = (movement.cut(rise, index=along(axis, s))
                   for s in (slice(0, n - 2), slice(1, n - 1)))
    if getattr(h, "shape", ()):
        if h.shape != (n,):
            raise ShapeError(f"gradient: the positions along axis {axis} must be {n} numbers, but "
                             f"are {describe(h)}.")
        run = movement.reshape(diff(h), shape=(n - 1, *(1,) * (len(f.shape) - axis - 1)))
        before, after = (movement.cut(run, index=(s,)) for s in (slice(0, n - 2), slice(1, n - 1)))
        rise = rise / run
        middle = (after / before * early + before / after * late) / (before + after)
    else:
        middle, rise = (early + late) * 0.5 / h, rise / h
    ends = [movement.cut(rise, index=along(axis, s)) for s in (slice(0, 1), slice(n - 2, n - 1))]
    return concatenate([ends[0], middle, ends[1]], axis)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area under a curve of straight lines between the points (x, y), along an axis.

    Args:
      dx: the distance between neighbours, where there is no `x`.

    >>> import functape as ft
    >>> ft.numpy.trapezoid(ft.numpy.array([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    y, x = (*floats("trapezoid", y), None) if x is None else floats("trapezoid", y, x)
    axis = axis_of(axis, len(y.shape), "trapezoid")
    y = moveaxis(y, axis, -1)
    if x is not None:
        dx = diff(x if len(x.shape) == 1 else moveaxis(x, axis, -1))
    last = len(y.shape) - 1
    n = y.shape[-1]
    both = (movement.cut(y, index=along(last, slice(1, n)))
            + movement.cut(y, index=along(last, slice(0, n - 1))))
    return reductions.sum(dx * both, -1) * 0.5


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """The covariance matrix of variables, one a row, of observations, one a column.

    Args:
      m: a matrix, or the observations of one variable.
      y: more variables.
      rowvar: False: variables are columns.
      bias: divide by the number of observations n, not by n - 1.
      ddof: divide by n - ddof.
      fweights: how often each observation was made.
      aweights: how much each observation counts.

    >>> import functape as ft
    >>> ft.numpy.cov(ft.numpy.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    given = floats("cov", *(a for a in (m, y) if a is not None))
    x = concatenate([variables(a, rowvar, "cov") for a in given])
    ddof = (0 if bias else 1) if ddof is None else ddof
    w = None
    for given in (fweights, aweights):
        if given is not None:
            given = as_type(value(given, "cov"), moments.real_of(x))
            w = given if w is None else w * given
    centre = moments.average(x, 1, w, keepdims=True)
    if w is None:
        norm = x.shape[1] - ddof
    else:
        total = reductions.sum(w)
        squares = w if aweights is None else w * inexact(value(aweights, "cov"))
        norm = total - ddof * reductions.sum(squares) / total
    x = x - centre
    other = elementwise.conjugate(x if w is None else x * w)
    found = contraction.matmul(x, contraction.flipped(other)) / norm
    return movement.reshape(found, shape=()) if found.shape == (1, 1) else found


def variables(m, rowvar, name):
    if len(m.shape) > 2:
        raise ShapeError(f"{name} takes a vector or a matrix, but got {describe(m)}.")
    if len(m.shape) < 2:
        return movement.reshape(m, shape=(1, size_of(m.shape)))
    return m if rowvar or m.shape[0] == 1 else contraction.flipped(m)


def corrcoef(x, y=None, rowvar=True):
    """The correlation matrix: cov, scaled to ones on the diagonal.

    Args:
      x: variables, or one of them.
      y: more variables.
      rowvar: each row is a variable; False: each column.

    >>> import functape as ft
    >>> ft.numpy.corrcoef(ft.numpy.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    c = cov(value(x, "corrcoef"), y, rowvar)
    if not c.shape:
        return elementwise.divide(c, c)
    d = elementwise.sqrt(diagonal(c))
    return c / movement.reshape(d, shape=(*d.shape, 1)) / d


def interp(x, xp, fp, left=None, right=None, period=None):
    """Straight lines between the points (xp, fp), read at x; xp rises.

    Args:
      x: where to read.
      xp, fp: the points.
      left, right: the value before the first and after the last point: theirs by default.
      period: the curve repeats after so much.

    >>> import functape as ft
    >>> ft.numpy.interp(1.5, ft.numpy.array([1.0, 2.0]), ft.numpy.array([10.0, 20.0]))
    tensor(15.)
    """
    x, xp = floats("interp", x, xp)
    (fp,) = floats("interp", fp)
    agree("interp", (x, fp))
    if xp.shape != fp.shape or len(xp.shape) != 1 or not xp.shape[0]:
        raise ShapeError(f"interp takes points as two vectors of one length, not empty, but xp "
                         f"is {describe(xp)} and fp is {describe(fp)}.")
    if period is not None:
        x, xp = elementwise.remainder(x, period), elementwise.remainder(xp, period)
        order = argsort(xp)
        xp, fp = take(xp, order), take(fp, order)
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    n = xp.shape[0]
    i = elementwise.clip(searchsorted(xp, elementwise.stop_gradient(x), side="right"), 1, n - 1)
    if n == 1:
        found = broadcast_to(fp, x.shape) if x.shape else fp[0]
    else:
        x0, x1, f0, f1 = take(xp, i - 1), take(xp, i), take(fp, i - 1), take(fp, i)
        found = f0 + (x - x0) * elementwise.ratio(f1 - f0, x1 - x0)
    found = elementwise.where(x < xp[0], fp[0] if left is None else left, found)
    return elementwise.where(x > xp[-1], fp[-1] if right is None else right, found)


def unwrap(p, discont=None, axis=-1, period=2 * math.pi):
    """Angles without jumps of more than half a turn along an axis, by adding whole turns.

    Args:
      p: angles.
      discont: smaller jumps stay; half of `period` by default.
      period: a whole turn.

    >>> import functape as ft
    >>> ft.numpy.unwrap(ft.numpy.array([0.0, 3.0, 6.5]), period=4.0)
    tensor([ 0. , -1. , -1.5])
    """
    p = inexact(value(p, "unwrap"))
    axis = axis_of(axis, len(p.shape), "unwrap")
    step = diff(p, axis=axis)
    half = period / 2
    wrapped = elementwise.remainder(step + half, period) - half
    wrapped = elementwise.where((wrapped == -half) & (step > 0), half, wrapped)
    turn = wrapped - step
    turn = elementwise.where(
        elementwise.absolute(step) < (half if discont is None else discont), 0.0, turn)
    n = p.shape[axis]
    turns = elementwise.stop_gradient(running.cumsum(turn, axis))
    first = movement.cut(p, index=along(axis, slice(0, 1)))
    return concatenate([first, movement.cut(p, index=along(axis, slice(1, n))) + turns], axis)
