"""Writing at positions: ``x.at[key].set(y)`` and its relatives return a changed copy of x.

Where a key names no position twice, every method is: read, compute, write. Repeated positions,
which only arrays of integers can name, need the methods to be told apart.
"""

import mlx.core as mx
import numpy as np

from functape import pairs
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import keys
from functape.numpy.arguments import size_of, value
from functape.numpy.brackets import read
from functape.numpy.creation import asarray
from functape.op import Value
from functape.ops import elementwise, families, indexing, movement
from functape.ops.sorting import argsort
from functape.tensor import NUMBERS, constant, number_array

MODES = ("drop", "clip", "promise_in_bounds")


class At:
    """``x.at[key]``: positions of an array, to be written or read. See `Place`."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def __getitem__(self, key):
        return Place(self.array, key)

    def __getattr__(self, name):
        hint = ("" if not hasattr(Place, name) else
                f" Name the positions first: x.at[i].{name}(...); for all, x.at[...].{name}(...).")
        raise AttributeError(f"x.at has no {name!r}.{hint}", name=name)

    def __repr__(self):
        return f"{self.array!r}.at"


at = property(At, doc=At.__doc__)  # of arrays


class Place:
    """Positions of an array; each method returns a new array and leaves the old one as it is.

    All of them are differentiable in the array and in the values. Of values written to one
    position, one wins and has the gradient; equal extremes share it evenly; everything else
    combines all values.

    Args of the methods:
      y: values, broadcast to the shape of ``x[key]`` and converted to the dtype of x.
      mode: what positions outside mean. None: an error where they are known, and no effect where
        they are elements of arrays; ``"drop"``: no effect; ``"clip"``: the nearest position;
        ``"promise_in_bounds"``: there are none.
      unique_indices: no position is named twice; saves the work that repetition needs.

    >>> import functape as ft
    >>> x = ft.numpy.zeros(3)
    >>> x.at[0].set(5.0), x.at[[1, 1]].add(1.0)
    (tensor([5., 0., 0.]), tensor([0., 2., 0.]))
    """

    __slots__ = ("array", "key")

    def __init__(self, array, key):
        self.array, self.key = array, key

    def __repr__(self):
        return f"{self.array!r}.at[{self.key!r}]"

    def set(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array with y at the positions."""
        return self.update(replace, y, mode, unique_indices)

    def add(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array with y added."""
        return self.update(families.add, y, mode, unique_indices, add_all)

    def subtract(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array with y subtracted."""
        y = elementwise.negative(self.values(y))
        return self.add(y, mode=mode, unique_indices=unique_indices)

    def multiply(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array multiplied by y."""
        return self.update(families.multiply, y, mode, unique_indices, multiply_all)

    mul = multiply

    def divide(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array divided by y."""
        return self.update(quotient, y, mode, unique_indices, by_product(quotient))

    def power(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array raised to the power y."""
        return self.update(elementwise.power, y, mode, unique_indices,
                           by_product(elementwise.power))

    def max(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The larger of the array and y."""
        return self.update(elementwise.maximum, y, mode, unique_indices, indexing.scatter_max)

    def min(self, y, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The smaller of the array and y."""
        return self.update(elementwise.minimum, y, mode, unique_indices, indexing.scatter_min)

    def apply(self, func, *, mode=None, unique_indices=False, indices_are_sorted=False):
        """The array with ``func(x[key])`` at the positions; once at each, however often named."""
        read_mode = "clip" if mode == "drop" else mode
        y = value(func(self.get(mode=read_mode)), "x.at[...].apply")
        return self.set(y, mode=mode, unique_indices=unique_indices)

    def get(self, *, mode=None, fill_value=None, unique_indices=False, indices_are_sorted=False):
        """What is at the positions, as ``x[key]``; with ``mode="fill"``, `fill_value` (by default
        NaN, or an integer's lowest number) where there is nothing."""
        return read(self.array, self.key, mode, fill_value)

    # --- how ------------------------------------------------------------------------------------

    def values(self, y):
        """Values in the dtype of the array; a number has no size of its own."""
        dtype = self.array.dtype
        if isinstance(y, NUMBERS):  # NumPy's float64 too
            if isinstance(y, complex) and dtype not in pairs.COMPLEX:
                raise complex_values(y, self.array)
            return constant(number_array(y, dtype))
        y = asarray(y, dtype) if isinstance(y, (list, tuple)) else value(
            y, "x.at[...]", "the value to write")
        if pairs.is_complex(y) and dtype not in pairs.COMPLEX:
            raise complex_values(y, self.array)
        return y if y.dtype == dtype else families.astype(y, dtype=dtype)

    def update(self, combine, y, mode, unique, combine_all=None):
        """Write ``combine(x, y)``; where positions repeat, by ``combine_all(x, y, index)``."""
        if mode not in (None, *MODES, "fill"):
            raise ArgumentError(f"x.at[...]: mode {mode!r} is unknown; choose one of "
                                f"{', '.join(MODES)}.")
        x, y = self.array, self.values(y)
        mask = as_mask(self.key, x.shape)
        if mask is not None and y.shape == ():
            return elementwise.where(mask, combine(x, y), x)
        key = keys.read(self.key, x.shape, checked=mode is None)
        part = movement.cut(x, index=key.basic) if key.cuts else x
        if not key.arrays:
            fits(y, part.shape)
            return movement.overwrite(x, combine(part, y), index=key.basic)
        part = scattered(part, key, y, combine, combine_all, mode, unique)
        return movement.overwrite(x, part, index=key.basic) if key.cuts else part


def replace(x, y):
    return y


def quotient(x, y):
    """x / y in the dtype of x."""
    return families.astype(elementwise.divide(x, y), dtype=x.dtype)


def complex_values(y, x):
    return ArgumentError(f"x.at[...]: the values {describe(y)} are complex, but the array is "
                         f"{describe(x)}. Make the array complex, or take y.real.")


def as_mask(key, shape):
    """A key that is one mask, ready to be broadcast with the array; otherwise None."""
    is_mask = isinstance(key, (Value, mx.array, np.ndarray)) and key.dtype in (mx.bool_, bool)
    n = len(key.shape) if is_mask else 0
    if n == 0 or tuple(key.shape) != tuple(shape[:n]):
        return None
    key = value(key, "x.at[mask]")
    return movement.reshape(key, shape=(*key.shape, *(1,) * (len(shape) - n)))


def fits(y, shape):
    """Values broadcast to the positions that they are for."""
    try:
        if np.broadcast_shapes(y.shape, shape) == tuple(shape):
            return
    except ValueError:
        pass
    raise ShapeError(f"x.at[...]: the values must broadcast to the shape of x[...], {shape}, but "
                     f"are {describe(y)}. Reshape them, or index other positions.")


def scattered(x, key, y, combine, combine_all, mode, unique):
    """Write at a key with arrays; what was cut away already does not matter here."""
    drop = mode not in ("clip", "promise_in_bounds")
    m = keys.merge(key.arrays, x.shape, drop)
    rows, axis, index = keys.merged(x, m), m.axis, m.index
    y = values_for(y, rows.shape, m, key.apart)
    n = rows.shape[axis]
    distinct = unique or (m.known is not None and is_distinct(m.known))
    spare = drop and m.known is None
    if not drop:
        index = elementwise.remainder(index, n)
    if not distinct and combine_all is None:
        index, spare = indexing.keep_last(index, size=n, lead=0), True
    if spare:  # one more row, for what is to be dropped
        row = (*rows.shape[:axis], 1, *rows.shape[axis + 1:])
        nothing = families.broadcast_to(constant(pairs.zeros((), x.dtype)), shape=row)
        rows = movement.concatenate(rows, nothing, axis=axis)
    if distinct or combine_all is None:
        if combine is not replace:
            y = combine(indexing.take(rows, index, axis=axis), y)
        out = indexing.scatter(rows, y, index, axis=axis)
    else:
        out = combine_all(rows, y, index, axis=axis)
    if spare:
        out = cut(out, axis, 0, n)
    return out if out.shape == x.shape else movement.reshape(out, shape=x.shape)


def values_for(y, rows, m, apart):
    """Values with the axes of the index in the place of the merged axis."""
    lead, between = m.index.shape[:m.lead], m.index.shape[m.lead:]
    before, after = rows[:m.axis], rows[m.axis + 1:]
    shape = (*lead, *before, *between, *after) if apart else (*before, *m.index.shape, *after)
    fits(y, shape)
    y = y if y.shape == shape else families.broadcast_to(y, shape=shape)
    return keys.lead_back(y, m) if apart else y


def is_distinct(index):
    """Whether no position repeats; cheap for masks, whose positions ascend."""
    index = index.reshape(-1)
    return bool((index[1:] > index[:-1]).all()) or np.unique(index).size == index.size


# --- repeated positions ---------------------------------------------------------------------------


def add_all(x, y, i, axis):
    return families.add(x, indexing.scatter_add(y, i, axis=axis, shape=x.shape))


def multiply_all(x, y, i, axis):
    """The product of all values for one position, by doubling over runs of equal indices; exact
    derivatives of every order follow, also at zeros."""
    m, n = size_of(i.shape), x.shape[axis]
    if m == 0:
        return x
    shape = (*y.shape[:axis], m, *y.shape[axis + len(i.shape):])
    i, y = movement.reshape(i, shape=(m,)), movement.reshape(y, shape=shape)
    order = argsort(i, axis=0, descending=False)
    i, y = indexing.take(i, order, axis=0), indexing.take(y, order, axis=axis)
    step = 1
    while step < m:
        same = repeats(i, step)
        same = movement.reshape(same, shape=(m - step, *(1,) * (len(shape) - axis - 1)))
        one = constant(pairs.ones((), y.dtype))
        earlier = elementwise.where(same, cut(y, axis, 0, m - step), one)
        y = movement.concatenate(
            cut(y, axis, 0, step), cut(y, axis, step, m) * earlier, axis=axis)
        step *= 2
    later = movement.concatenate(repeats(i, 1), constant(mx.zeros(1, mx.bool_)), axis=0)
    i = elementwise.where(later, n, i)  # the last of each run has the whole product
    rows = movement.concatenate(x, cut(x, axis, 0, 1), axis=axis)
    out = indexing.scatter(rows, indexing.take(rows, i, axis=axis) * y, i, axis=axis)
    return cut(out, axis, 0, n)


def cut(x, axis, start, stop):
    return movement.cut(x, index=movement.along(axis, slice(start, stop)))


def repeats(i, step):
    """Whether an index is equal to the one `step` places on."""
    m = i.shape[0]
    return elementwise.equal(cut(i, 0, step, m), cut(i, 0, 0, m - step))


def by_product(combine):
    """Combine an array with the product of all values for one position."""

    def combine_all(x, y, i, axis):
        ones = constant(pairs.ones(x.shape, x.dtype))
        return combine(x, multiply_all(ones, y, i, axis=axis))

    return combine_all
