"""Reductions that pass over NaN. No derivative reaches a NaN element."""

import math

from functape import dtypes
from functape.errors import ArgumentError, describe
from functape.numpy import extremes, moments, reductions, running
from functape.numpy.arguments import as_type, axes_of, inexact, is_inexact, unsupported, value
from functape.ops import elementwise
from functape.pairs import is_complex


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Sum over axes, NaN as 0.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      initial: one element more, and the result where there is none.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.nansum(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(4.)
    """
    unsupported("nansum", out=out)
    a = without("nansum", a, 0, axis)
    return reductions.sum(a, axis, dtype, None, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Product over axes, NaN as 1.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      initial: one element more, and the result where there is none.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.nanprod(ft.numpy.array([2.0, float("nan"), 3.0]))
    tensor(6.)
    """
    unsupported("nanprod", out=out)
    a = without("nanprod", a, 1, axis)
    return reductions.prod(a, axis, dtype, None, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sum along an axis, NaN as 0.

    Args:
      a: array.
      dtype: of the result.
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> ft.numpy.nancumsum(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor([1., 1., 4.])
    """
    return running.cumsum(without("nancumsum", a, 0, axis), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running product along an axis, NaN as 1.

    Args:
      a: array.
      dtype: of the result.
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> ft.numpy.nancumprod(ft.numpy.array([2.0, float("nan"), 3.0]))
    tensor([2., 2., 6.])
    """
    return running.cumprod(without("nancumprod", a, 1, axis), axis, dtype, out)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The largest element over axes that is not NaN; NaN where all are.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      initial: one element more, and the result where there is none.

    >>> import functape as ft
    >>> ft.numpy.nanmax(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(3.)
    """
    unsupported("nanmax", out=out)
    return nan_extreme("nanmax", extremes.max, -math.inf, a, axis, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The smallest element over axes that is not NaN; NaN where all are.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      initial: one element more, and the result where there is none.

    >>> import functape as ft
    >>> ft.numpy.nanmin(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(1.)
    """
    unsupported("nanmin", out=out)
    return nan_extreme("nanmin", extremes.min, math.inf, a, axis, keepdims, initial, where)


def nan_extreme(name, reduce, worst, a, axis, keepdims, initial, where):
    a = value(a, name)
    axes_of(axis, len(a.shape), name)
    if not is_inexact(a):
        return reduce(a, axis, None, keepdims, initial, where)
    found = reduce(without(name, a, worst, axis), axis, None, keepdims, initial, where)
    none = reductions.all(elementwise.isnan(a), axis, None, keepdims, where=where)
    return found if initial is not None else elementwise.where(none, math.nan, found)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """Mean over axes of the elements that are not NaN.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.nanmean(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(2.)
    """
    unsupported("nanmean", out=out)
    a = inexact(reductions.converted("nanmean", a, dtype))
    return moments.mean(without("nanmean", a, 0, axis), axis, None, None, keepdims,
                           where=present(a, where))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None):
    """Variance over axes of the elements that are not NaN.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      ddof: what the number of elements is lessened by.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.nanvar(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(1.)
    """
    unsupported("nanvar", out=out)
    a = inexact(reductions.converted("nanvar", a, dtype))
    return moments.var(without("nanvar", a, 0, axis), axis, None, None, ddof, keepdims,
                          where=present(a, where))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None):
    """Standard deviation over axes of the elements that are not NaN.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      ddof: what the number of elements is lessened by.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.nanstd(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(1.)
    """
    a = without("nanstd", a, math.nan, axis)
    return moments.root(nanvar(a, axis, dtype, out, ddof, keepdims, where))


def nanargmax(a, axis=None, out=None, keepdims=None):
    """The position of the first largest element that is not NaN, along an axis or among all in a
    row; -1 where all are.

    Args:
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.nanargmax(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(2, dtype=int32)
    """
    return nan_position("nanargmax", extremes.argmax, -math.inf, a, axis, out, keepdims)


def nanargmin(a, axis=None, out=None, keepdims=None):
    """The position of the first smallest element that is not NaN, along an axis or among all in a
    row; -1 where all are.

    Args:
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.nanargmin(ft.numpy.array([1.0, float("nan"), 3.0]))
    tensor(0, dtype=int32)
    """
    return nan_position("nanargmin", extremes.argmin, math.inf, a, axis, out, keepdims)


def nan_position(name, find, worst, a, axis, out, keepdims):
    a = value(a, name)
    if is_complex(a):
        raise ArgumentError(f"{name}: {describe(a)} is complex, and complex numbers have no order.")
    found = find(without(name, a, worst, axis), axis, out, keepdims)
    if not is_inexact(a):
        return found
    none = reductions.all(elementwise.isnan(a), axis, None, bool(keepdims))
    return elementwise.where(none, -1, found)


def without(name, a, neutral, axis):
    """`a` with another number in place of NaN, and an axis that it has."""
    a = value(a, name)
    axes_of(axis, len(a.shape), name)
    return elementwise.where(elementwise.isnan(a), neutral, a) if is_inexact(a) else a


def present(a, where):
    """The mask of what counts and is not NaN."""
    there = elementwise.logical_not(elementwise.isnan(a))
    if where is None:
        return there
    return elementwise.logical_and(there, as_type(value(where, "where"), dtypes.bool_))
