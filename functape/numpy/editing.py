"""Elements put in, taken out and replaced. All return new arrays; nothing is changed in place."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ConcretizationError, ShapeError, describe
from functape.numpy import keys
from functape.numpy.arguments import (
    as_type,
    axis_of,
    beside,
    shape_of,
    size_of,
    unsupported,
    value,
)
from functape.numpy.creation import asarray
from functape.numpy.indexing import select
from functape.numpy.joining import concatenate
from functape.numpy.running import cumsum
from functape.numpy.searching import flatnonzero
from functape.numpy.shapes import moveaxis
from functape.op import Value
from functape.ops import elementwise, families, indexing, movement, sorting
from functape.tensor import constant

UNKNOWN = ("Give a mask as a NumPy array, and positions too, or pass assume_unique_indices=True if "
           "no two of them are the same.")

# --- by position ----------------------------------------------------------------------------------


def given(a, x):
    """What is put into x: a list is an array, and a Python number has the dtype of x."""
    return asarray(a) if isinstance(a, (list, tuple)) else beside(a, x, "asarray")


def lane(name, a, axis):
    """Array and axis; with None, all elements in a row."""
    x = value(a, name)
    if axis is None:
        return flat(x), 0
    return x, axis_of(axis, len(x.shape), name)


def flat(x):
    return movement.reshape(x, shape=(size_of(x.shape),))


def at_positions(x, positions, axis):
    return indexing.take(x, constant(positions.astype(np.int32)), axis=axis)


def delete(arr, obj, axis=None, *, assume_unique_indices=False):
    """An array without the entries at some positions along an axis.

    Args:
      arr: array.
      obj: integer, slice, integers or mask.
      axis: integer; None for all elements in a row.
      assume_unique_indices: no two positions name the same entry. Needed under vmap and jit for
        more than one that is unknown there.

    Raises:
      ConcretizationError: a mask, or positions not known to be distinct, under vmap or jit.

    >>> from functape.numpy import array
    >>> delete(array([1, 2, 3]), 1)
    tensor([1, 3], dtype=int32)
    """
    x, axis = lane("delete", arr, axis)
    n = x.shape[axis]
    found = positions(obj, n, assume_unique_indices, "delete")
    if isinstance(found, Value):
        gone = elementwise.clip(as_type(found, dtypes.int32), -n, n)
        kept = constant(np.ones(n, bool)).at[gone].set(False)
        left = flatnonzero(kept, size=max(n - found.shape[0], 0))
        return indexing.take(x, left, axis=axis)
    try:
        left = np.delete(np.arange(n), found)
    except (IndexError, ValueError) as error:
        raise outside("delete", obj, x, axis) from error
    return at_positions(x, left, axis)


def positions(obj, n, distinct, name):
    """Positions as NumPy takes them, a slice, or an array whose elements are known; or as a value
    of one axis, if they are distinct integers that are not known."""
    if isinstance(obj, (slice, int)):
        return obj
    found = asarray(obj)
    try:
        return keys.concrete(found, name, UNKNOWN)
    except ConcretizationError:
        if found.dtype == dtypes.bool_ or not distinct and size_of(found.shape) != 1:
            raise
        return flat(found)


def outside(name, obj, x, axis):
    n = x.shape[axis]
    return ShapeError(f"{name}: the positions {obj!r} do not fit axis {axis} of {describe(x)}. "
                      f"Valid are {-n} to {n - 1}, or a mask of {n} elements.")


def insert(arr, obj, values, axis=None):
    """An array with values put in before some positions along an axis.

    Args:
      arr: array.
      obj: integer, slice, integers or mask. Where these are unknown, under vmap and jit, what lies
        outside means the nearest end.
      values: converted to the dtype of the array, and broadcast.
      axis: integer; None for all elements in a row.

    Raises:
      ConcretizationError: a mask under vmap or jit.

    >>> from functape.numpy import array
    >>> insert(array([1, 2, 3]), 1, 9)
    tensor([1, 9, 2, 3], dtype=int32)
    """
    x, axis = lane("insert", arr, axis)
    y, n = as_type(given(values, x), x.dtype), x.shape[axis]
    y = movement.reshape(y, shape=(*(1,) * (len(x.shape) - len(y.shape)), *y.shape))
    where = positions(obj, n, True, "insert")
    if not isinstance(where, slice) and not np.ndim(obj):
        y = moveaxis(y, 0, axis)  # as y stood for one entry, its first axis counts the entries
    if not isinstance(where, Value):
        where = within(where, n)
        if where is None:
            raise outside("insert", obj, x, axis)
    (count,) = where.shape if where.shape != (1,) else (y.shape[axis],)
    shape = (*x.shape[:axis], count, *x.shape[axis + 1:])
    y = y if y.shape == shape else families.broadcast_to(y, shape=shape)
    return indexing.take(concatenate([y, x], axis), merged(where, count, n), axis=axis)


def within(where, n):
    """Known positions as integers from 0 to n; None if they are not."""
    if isinstance(where, slice):
        return np.arange(n)[where]
    where = np.atleast_1d(where)
    if where.dtype == bool and where.shape == (n,):
        return np.flatnonzero(where)
    where = where if where.size else where.astype(int)
    if where.ndim > 1 or where.dtype.kind not in "iu" or ((where < -n) | (where > n)).any():
        return None
    return np.where(where < 0, where + n, where)


def merged(where, count, n):
    """The order in which `count` new entries come to stand before their positions among n others,
    which follow them."""
    if not isinstance(where, Value):
        before = np.concatenate([np.broadcast_to(where, count), np.arange(n)])
        return constant(np.argsort(before, kind="stable").astype(np.int32))
    where = as_type(where, dtypes.int32)
    where = elementwise.clip(elementwise.where(where < 0, where + n, where), 0, n)
    before = concatenate([families.broadcast_to(where, shape=(count,)), np.arange(n)])
    return sorting.argsort(before, axis=0, descending=False)


def resize(a, new_shape):
    """The elements in a row, repeated as often as it takes to fill a shape.

    Args:
      a: array.
      new_shape: the shape.

    >>> from functape.numpy import array
    >>> resize(array([1, 2, 3]), (2, 2))
    tensor([[1, 2],
            [3, 1]], dtype=int32)
    """
    x, shape = flat(value(a, "resize")), shape_of(new_shape, "resize")
    n = x.shape[0]
    if not n:
        x, n = as_type(constant(np.zeros(1, np.float32)), x.dtype), 1
    found = at_positions(x, np.arange(size_of(shape)) % n, 0)
    return movement.reshape(found, shape=shape)


def trim_zeros(filt, trim="fb", axis=None):
    """An array without the zeros at its ends; which they are must be known.

    Args:
      filt: array.
      trim: "f": in front only, "b": at the back only.
      axis: axes along which to trim; None for all.

    >>> from functape.numpy import array
    >>> trim_zeros(array([0, 1, 0, 2, 0]))
    tensor([1, 0, 2], dtype=int32)
    """
    x = value(filt, "trim_zeros")
    where = np.argwhere(keys.concrete(x, "trim_zeros", "Call it outside of vmap and jit."))
    axes = range(len(x.shape)) if axis is None else np.atleast_1d(axis).tolist()
    cut = [slice(None)] * len(x.shape)
    for k in axes:
        k, n = axis_of(k, len(x.shape), "trim_zeros"), x.shape[k]
        first = int(where[:, k].min()) if len(where) else n
        last = int(where[:, k].max()) + 1 if len(where) else n
        start = first if "f" in trim.lower() else 0
        stop = max(start, last) if "b" in trim.lower() and len(where) else n
        cut[k] = slice(start, stop)
    return movement.cut(x, index=tuple(cut))


# --- by condition ---------------------------------------------------------------------------------


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    """The entries along an axis where a condition holds.

    Args:
      condition: one axis; what it is too short for is left out.
      a: array.
      axis: integer; None for all elements in a row.
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap
        and jit.

    >>> from functape.numpy import array
    >>> compress(array([True, False, True]), array([1.0, 2.0, 3.0]))
    tensor([1., 3.])
    """
    unsupported("compress", out=out)
    x, axis = lane("compress", a, axis)
    condition = value(condition, "compress")
    if len(condition.shape) != 1 or condition.shape[0] > x.shape[axis]:
        raise ShapeError(f"compress: the condition must have one axis, not longer than axis "
                         f"{axis} of {describe(x)}, but is {describe(condition)}.")
    n = condition.shape[0]
    i = flatnonzero(condition, size=size, fill_value=n)
    if size is None:
        return indexing.take(x, i, axis=axis)
    exists = movement.reshape(elementwise.less(i, n),
                              shape=(size, *(1,) * (len(x.shape) - axis - 1)))
    found = indexing.take(x, elementwise.minimum(i, max(n - 1, 0)), axis=axis)
    return elementwise.where(exists, found, as_type(asarray(fill_value), x.dtype))


def compressed(self, condition, axis=None, *, size=None, fill_value=0):
    """The entries along an axis where a condition holds. See functape.numpy.compress."""
    return compress(condition, self, axis, size=size, fill_value=fill_value)


def extract(condition, arr, *, size=None, fill_value=0):
    """The elements of `arr` where `condition` holds, in a row; other arguments as for `compress`.

    >>> from functape.numpy import array
    >>> extract(array([[True, False], [False, True]]), array([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    return compress(flat(value(condition, "extract")), flat(value(arr, "extract", 1)), size=size,
                    fill_value=fill_value)


def piecewise(x, condlist, funclist, *args, **kw):
    """Element by element, the function whose condition holds; of several, the last.

    Args:
      x: array.
      condlist: conditions, of the shape of x.
      funclist: a function or a number for each, and possibly one more for what is left (0 by
        default). Functions are applied to the whole array, with `args` and `kw`.

    >>> import functape as ft
    >>> x = ft.numpy.array([-2.0, 3.0])
    >>> piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: x * x])
    tensor([2., 9.])
    """
    x = value(x, "piecewise")
    if isinstance(condlist, (bool, np.bool_)) or getattr(condlist, "shape", (0,)) == x.shape:
        condlist = [condlist]
    conditions = [asarray(c) for c in condlist]
    n, m = len(conditions), len(funclist)
    if m not in (n, n + 1):
        raise ShapeError(f"piecewise: {n} condition(s) go with {n} or {n + 1} functions, but got "
                         f"{m}.")
    pieces = [as_type(given(f(x, *args, **kw) if callable(f) else f, x), x.dtype)
              for f in funclist]
    pieces = [p if p.shape == x.shape else families.broadcast_to(p, shape=x.shape)
              for p in pieces]
    default = pieces[n] if m > n else as_type(constant(0), x.dtype)
    return select(conditions[::-1], pieces[:n][::-1], default)


# --- replaced elements ----------------------------------------------------------------------------


def not_in_place(name, inplace):
    if inplace:
        raise ArgumentError(f"{name} returns its result and does not change the array in place. "
                            "Pass inplace=False and use the result.")


def put(a, ind, v, mode=None, *, inplace=True):
    """An array with values at some positions, counted through all elements in a row.

    Args:
      a: array.
      ind: integers.
      v: values, repeated if there are too few.
      mode: what positions outside mean: the nearest (None, "clip") or around the end ("wrap").
      inplace: must be False: arrays are not changed in place; use the result.

    >>> from functape.numpy import array
    >>> put(array([1, 2, 3]), array([0, -1]), array([7, 8]), inplace=False)
    tensor([7, 2, 8], dtype=int32)
    """
    not_in_place("put", inplace)
    x, i = value(a, "put"), flat(asarray(ind))
    y = flat(given(v, x))
    if not i.shape[0]:
        return x
    if not y.shape[0]:
        raise ShapeError("put: there are positions, but no values to put there.")
    n = size_of(x.shape)
    if mode not in (None, "clip", "wrap"):
        raise ArgumentError(f"put: mode {mode!r} is unknown; choose None, 'clip' or 'wrap'.")
    i = elementwise.remainder(i, n) if mode == "wrap" else elementwise.clip(i, -n, n - 1)
    y = as_type(resize(y, i.shape), x.dtype)
    return movement.reshape(flat(x).at[i].set(y, mode="drop"), shape=x.shape)


def place(arr, mask, vals, *, inplace=True):
    """An array with values where a mask holds, one after the other, and from the first again.

    Args:
      arr: array.
      mask: of its size.
      vals: values.
      inplace: must be False: arrays are not changed in place; use the result.

    >>> from functape.numpy import array
    >>> place(array([1, 2, 3]), array([True, False, True]), array([7, 8]), inplace=False)
    tensor([7, 2, 8], dtype=int32)
    """
    not_in_place("place", inplace)
    x, mask, y = value(arr, "place"), asarray(mask), flat(asarray(vals))
    if size_of(mask.shape) != size_of(x.shape) or not y.shape[0]:
        raise ShapeError(f"place: the mask must have the size of the array, and there must be "
                         f"values, but got {describe(x)}, {describe(mask)} and {describe(y)}.")
    chosen = elementwise.not_equal(flat(mask), 0)
    turn = elementwise.remainder(cumsum(as_type(chosen, dtypes.int32)) - 1, y.shape[0])
    found = elementwise.where(chosen, as_type(indexing.take(y, turn, axis=0), x.dtype), flat(x))
    return movement.reshape(found, shape=x.shape)


def fill_diagonal(a, val, wrap=False, *, inplace=True):
    """An array with values on its main diagonal.

    Args:
      a: array of two or more axes; of more than two, all of one length.
      val: values, repeated if there are too few.
      wrap: in tall matrices, begin again below.
      inplace: must be False: arrays are not changed in place; use the result.

    >>> import functape as ft
    >>> fill_diagonal(ft.numpy.zeros((2, 2)), 5.0, inplace=False)
    tensor([[5., 0.],
            [0., 5.]])
    """
    not_in_place("fill_diagonal", inplace)
    x = value(a, "fill_diagonal")
    if len(x.shape) < 2 or (len(x.shape) > 2 and len(set(x.shape)) > 1):
        raise ShapeError(f"fill_diagonal takes a matrix, or more axes of one length, but got "
                         f"{describe(x)}.")
    n = size_of(x.shape)
    if len(x.shape) == 2:
        step, end = x.shape[1] + 1, n if wrap else x.shape[1] * x.shape[1]
    else:
        step, end = 1 + sum(int(np.prod(x.shape[k:])) for k in range(1, len(x.shape))), n
    return put(x, np.arange(0, min(end, n), step), val, inplace=False)
