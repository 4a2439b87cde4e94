"""Where things are, and which there are. Results whose length depends on the elements need to
know them: under vmap and jit, give `size`."""

import math
from typing import NamedTuple

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import keys
from functape.numpy.arguments import as_type, axis_of, common, integer, is_inexact, size_of, value
from functape.numpy.creation import asarray
from functape.numpy.shapes import moveaxis
from functape.numpy.sorting import lexsort
from functape.op import Value
from functape.ops import elementwise, indexing, movement, reductions, sorting
from functape.tensor import constant

REMEDY = "Give the length with size=, or use functape.numpy.where, which keeps the shape."
ALONE = "Give the length with size=, or call it outside of vmap and jit."

# --- nonzero ------------------------------------------------------------------------------------


def nonzero(a, *, size=None, fill_value=None):
    """The indices of the elements that are not zero, one array an axis.

    Args:
      a: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap
        and jit.
      fill_value: index, or a tuple with one an axis; 0 by default.

    Raises:
      ConcretizationError: under vmap or jit without `size`.

    >>> import functape as ft
    >>> nonzero(ft.numpy.array([0.0, 3.0, 5.0]))
    (tensor([1, 2], dtype=int32),)
    """
    x = value(a, "nonzero")
    if not x.shape:
        raise ShapeError("nonzero takes an array with axes, but got a scalar. Use x.reshape(1).")
    if size is None:
        found = np.nonzero(keys.concrete(x, "nonzero", REMEDY))
        return tuple(constant(i.astype(np.int32)) for i in found)
    fill_value = 0 if fill_value is None else fill_value
    fills = fill_value if isinstance(fill_value, tuple) else (fill_value,) * len(x.shape)
    flat, exists = first_nonzero(x, size)
    indices = []
    for n in x.shape[::-1]:
        indices.append(elementwise.remainder(flat, max(n, 1)))
        flat = elementwise.floor_divide(flat, max(n, 1))
    return tuple(elementwise.where(exists, i, fill)
                 for i, fill in zip(indices[::-1], fills, strict=True))


def first_nonzero(x, size):
    """Flat indices of the first elements that are not zero, and which of them exist."""
    n = size_of(x.shape)
    zero = movement.reshape(elementwise.equal(x, 0), shape=(n,))
    order = sorting.argsort(zero, axis=0, descending=False)  # stable: what is not zero leads
    count = reductions.sum(elementwise.cast(elementwise.logical_not(zero), dtype=mx.int32),
                           axis=(0,), keepdims=False)
    places = constant(np.arange(size, dtype=np.int32))
    if size > n:
        order = movement.concatenate(order, constant(np.zeros(size - n, np.int32)), axis=0)
    return movement.cut(order, index=(slice(0, size),)), elementwise.less(places, count)


def argwhere(a, *, size=None, fill_value=None):
    """The indices of the elements that are not zero, one row an element. As `nonzero`.

    Args:
      a: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> argwhere(ft.numpy.array([[0.0, 3.0], [5.0, 0.0]]))
    tensor([[0, 1],
            [1, 0]], dtype=int32)
    """
    x = value(a, "argwhere")
    if not x.shape:
        rows = len(nonzero(movement.reshape(x, shape=(1,)), size=size)[0])
        return constant(np.zeros((rows, 0), np.int32))
    return movement.stack(*nonzero(x, size=size, fill_value=fill_value), axis=1)


def flatnonzero(a, *, size=None, fill_value=None):
    """The indices of the elements that are not zero, all elements in a row. As `nonzero`.

    Args:
      a: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> flatnonzero(ft.numpy.array([[0.0, 3.0], [5.0, 0.0]]))
    tensor([1, 2], dtype=int32)
    """
    x = value(a, "flatnonzero")
    return nonzero(movement.reshape(x, shape=(size_of(x.shape),)), size=size,
                   fill_value=fill_value)[0]


# --- places in a sorted array ---------------------------------------------------------------------


def searchsorted(a, v, side="left", sorter=None, *, method=None):
    """Where each `v` would go into the sorted `a`: in front of its equals, or behind them.

    Args:
      a: ascending, one axis.
      v: array of any shape.
      side: "left" or "right".
      sorter: indices that sort `a`, if it is not sorted.
      method: taken for JAX's sake, and without effect.

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> searchsorted(array([1.0, 2.0, 2.0, 3.0]), array([2.0, 9.0]), side="right")
    tensor([3, 4], dtype=int32)
    """
    x, y = common("searchsorted", a, v)
    if len(x.shape) != 1:
        raise ShapeError(f"searchsorted looks in an array of one axis, but a is {describe(x)}. "
                         "Use vmap for several.")
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side is 'left' or 'right', but got {side!r}.")
    if sorter is not None:
        x = indexing.take(x, asarray(sorter), axis=0)
    return sorting.searchsorted(x, y, side=side)


def digitize(x, bins, right=False, *, method=None):
    """The bin that each element falls into, numbered from 1; 0 and len(bins) are outside.

    Args:
      x: array.
      bins: their edges, ascending or descending.
      right: the upper edge belongs to a bin; otherwise the lower.
      method: accepted for JAX's signature, without effect.

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> digitize(array([0.5, 2.5]), array([0.0, 1.0, 2.0]))
    tensor([1, 3], dtype=int32)
    """
    x, edges = value(x, "digitize"), value(bins, "digitize", 1)
    if len(edges.shape) != 1:
        raise ShapeError(f"digitize takes bins as a vector, but they are {describe(edges)}.")
    n, side = edges.shape[0], "left" if right else "right"
    if n < 2:
        return searchsorted(edges, x, side=side)
    falls = movement.cut(edges, index=(n - 1,)) < movement.cut(edges, index=(0,))
    mirrored = movement.cut(edges, index=(slice(None, None, -1),))
    other = n - searchsorted(mirrored, x, side=side)
    return elementwise.where(falls, other, searchsorted(edges, x, side=side))


# --- distinct elements ----------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """What `unique_all` returns; see there."""

    values: Value
    indices: Value
    inverse_indices: Value
    counts: Value


class UniqueCounts(NamedTuple):
    """What `unique_counts` returns; see there."""

    values: Value
    counts: Value


class UniqueInverse(NamedTuple):
    """What `unique_inverse` returns; see there."""

    values: Value
    inverse_indices: Value


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, size=None, fill_value=None, sorted=True):  # noqa: A002 - JAX's name
    """The distinct elements in ascending order; along an axis, the distinct entries.

    Differentiable: each is the first of its equals.

    Args:
      ar: array.
      return_index: also where each first occurs.
      return_inverse: also the indices that rebuild `ar` from the result.
      return_counts: also how often each occurs.
      axis: integer; None for the elements.
      equal_nan: count all NaN as one.
      size: how many to return: the first ones, filled up with `fill_value`, which counts as
        occurring 0 times. Needed under vmap and jit.
      fill_value: the smallest element by default.
      sorted: accepted for JAX's signature; the result is sorted in any case.

    Raises:
      ConcretizationError: under vmap or jit without `size`.

    >>> import functape as ft
    >>> unique(ft.numpy.array([3.0, 1.0, 3.0]), return_counts=True)
    (tensor([1., 3.]), tensor([1, 2], dtype=int32))
    """
    x = value(ar, "unique")
    if axis is None:
        shape, x, axis = x.shape, movement.reshape(x, shape=(size_of(x.shape),)), 0
    else:
        axis = axis_of(axis, len(x.shape), "unique")
        shape = (x.shape[axis],)
    if size and not x.shape[axis]:
        raise ShapeError(f"unique: size is {size}, but {describe(x)} has no element to start "
                         "with. Pass size=0.")
    order, new = classes(moveaxis(x, axis, 0), equal_nan)
    at, exists = places("unique", x, new, size)
    first = indexing.take(order, at, axis=0)
    found = indexing.take(x, first, axis=axis)
    if fill_value is not None:
        exists = movement.reshape(exists, shape=(-1, *(1,) * (len(x.shape) - axis - 1)))
        found = elementwise.where(exists, found, as_type(asarray(fill_value), x.dtype))
    number = reductions.cumsum(as_type(new, mx.int32), axis=0, reverse=False) - 1
    asked = [first] if return_index else []
    if return_inverse:
        inverse = indexing.scatter(number, number, order, axis=0)
        asked.append(movement.reshape(inverse, shape=shape))
    if return_counts:
        asked.append(multiplicities(number, at.shape[0]))
    return (found, *asked) if asked else found


def classes(x, equal_nan=True):
    """The order that sorts the entries along the first axis, and which of them, in this order,
    differ from the one before."""
    rows = movement.reshape(elementwise.stop_gradient(x), shape=(x.shape[0], size_of(x.shape[1:])))
    if dtypes.issubdtype(x.dtype, dtypes.complexfloating):
        rows = parts(rows)
    columns = [movement.cut(rows, index=(slice(None), k)) for k in range(rows.shape[1])]
    order = lexsort(columns[::-1] or [constant(np.zeros(x.shape[0], np.int32))])
    rows = indexing.take(rows, order, axis=0)
    left, right = (movement.cut(rows, index=(s,)) for s in (slice(None, -1), slice(1, None)))
    differ = elementwise.not_equal(left, right)
    if equal_nan and is_inexact(rows):
        differ = differ & ~(elementwise.isnan(left) & elementwise.isnan(right))
    differ = reductions.any_of(differ, axis=(1,), keepdims=False)
    return order, movement.concatenate(constant(np.ones(min(x.shape[0], 1), bool)), differ, axis=0)


def parts(rows):
    """Real and imaginary parts, next to each other; a complex number with a NaN is NaN in both."""
    unknown = elementwise.isnan(rows)
    both = [elementwise.where(unknown, math.nan, part(rows))
            for part in (elementwise.real, elementwise.imag)]
    return movement.reshape(movement.stack(*both, axis=2), shape=(rows.shape[0], 2 * rows.shape[1]))


def places(name, x, mask, size):
    """Where a mask holds on the elements of x: all places if they are known, otherwise `size` of
    them, filled up with 0; and which of these exist."""
    if size is None:
        at = np.flatnonzero(keys.concrete(mask, name, ALONE, x)).astype(np.int32)
        return constant(at), constant(np.ones(at.shape, bool))
    at, exists = first_nonzero(mask, integer(size, name, "size"))
    return elementwise.where(exists, at, 0), exists


def multiplicities(number, count):
    """How often each of 0, 1, ... occurs among integers that are not larger than their number."""
    n = number.shape[0]
    ones = constant(np.ones(n, np.int32))
    found = indexing.scatter_add(ones, number, axis=0, shape=(n + count,))
    return movement.cut(found, index=(slice(0, count),))


def unique_values(x, /, *, size=None, fill_value=None):
    """The distinct elements, each NaN a different one. See `unique`.

    Args:
      x: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> unique_values(ft.numpy.array([2, 1, 2]))
    tensor([1, 2], dtype=int32)
    """
    return unique(value(x, "unique_values"), equal_nan=False, size=size, fill_value=fill_value)


def unique_counts(x, /, *, size=None, fill_value=None):
    """The distinct elements and how often each occurs. See `unique`.

    Args:
      x: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> unique_counts(ft.numpy.array([2, 1, 2])).counts
    tensor([1, 2], dtype=int32)
    """
    x = value(x, "unique_counts")
    return UniqueCounts(*unique(x, return_counts=True, equal_nan=False, size=size,
                                fill_value=fill_value))


def unique_inverse(x, /, *, size=None, fill_value=None):
    """The distinct elements and the indices that rebuild the array. See `unique`.

    Args:
      x: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> unique_inverse(ft.numpy.array([2, 1, 2])).inverse_indices
    tensor([1, 0, 1], dtype=int32)
    """
    x = value(x, "unique_inverse")
    return UniqueInverse(*unique(x, return_inverse=True, equal_nan=False, size=size,
                                 fill_value=fill_value))


def unique_all(x, /, *, size=None, fill_value=None):
    """The distinct elements, where each first occurs, the indices that rebuild the array, and
    how often each occurs. See `unique`.

    Args:
      x: array.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: what fills up.

    >>> import functape as ft
    >>> unique_all(ft.numpy.array([2, 1, 2])).indices
    tensor([1, 0], dtype=int32)
    """
    x = value(x, "unique_all")
    return UniqueAll(*unique(x, True, True, True, equal_nan=False, size=size,
                             fill_value=fill_value))
