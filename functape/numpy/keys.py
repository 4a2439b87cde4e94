"""What stands between the brackets of ``x[key]``, brought into the form that ops take.

A key becomes a basic part, which `cut` takes, and arrays of positions, each on one axis of what
was cut. The latter are merged into one array of positions on one merged axis, for `take`.
"""

import operator
from typing import NamedTuple

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ConcretizationError, PositionError, ShapeError, describe
from functape.foreign import Foreign
from functape.numpy.arguments import size_of, value
from functape.op import Value
from functape.ops.indexing import ravel_index
from functape.ops.movement import reshape, stack, transpose
from functape.tensor import constant

ALL = slice(None)


class Key(NamedTuple):
    """A key for arrays of one shape."""

    basic: tuple  # integers, slices and None, for `cut`
    arrays: tuple  # pairs (axis of what was cut, positions: NumPy array or value)
    apart: bool  # the arrays are not next to each other: their axes lead the result

    @property
    def cuts(self):
        return any(part is not ALL for part in self.basic)


# --- reading a key ------------------------------------------------------------------------------


def read(key, shape, checked=True):
    """The `Key` that `key` stands for on arrays of a shape.

    Args:
      checked: raise for positions outside; otherwise they are as free as those in values.
    """
    basic, arrays, axis, runs, in_run = [], [], 0, 0, False
    for item in filled([item_of(k) for k in (key if type(key) is tuple else (key,))], shape):
        to = sum(type(b) is not int for b in basic)  # the axis of the cut array that comes next
        in_run, before = item is not Gap and item is not None and type(item) is not slice, in_run
        runs += in_run and not before
        if item is Gap:
            continue
        if item is None:
            basic.append(None)
        elif type(item) is slice:
            basic.append(bounded(item, shape[axis]))
            axis += 1
        elif type(item) is int and (checked or -shape[axis] <= item < shape[axis]):
            basic.append(position(item, axis, shape[axis]))
            axis += 1
        elif is_mask(item):
            where = np.nonzero(mask_at(item, shape, axis))
            basic += [ALL] * item.ndim or [None]
            arrays += [(to + k, i) for k, i in enumerate(where)]
            axis += item.ndim
        else:
            basic.append(ALL)
            arrays.append((to, positions(item, axis, shape[axis], checked)))
            axis += 1
    return Key(tuple(basic), tuple(arrays), runs > 1)


def filled(items, shape):
    """One item an axis: an Ellipsis, or the end of the key, stands for full slices."""
    used = sum(item.ndim if is_mask(item) else item is not None and item is not Ellipsis
               for item in items)
    dots = [k for k, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise PositionError(f"x[...]: a key may have one Ellipsis, but this has {len(dots)}.")
    if used > len(shape):
        raise PositionError(f"x[...]: the key indexes {used} axes, but the array has only "
                            f"{len(shape)}: its shape is {shape}. Index fewer, or add axes first.")
    rest = [ALL] * (len(shape) - used)
    if not dots:
        return items + rest
    return items[:dots[0]] + (rest or [Gap]) + items[dots[0] + 1:]


class Gap:
    """An Ellipsis that stands for no axis; like any other, it stands between arrays."""


def item_of(item):
    """One part of a key: None, Ellipsis, slice, int, a NumPy array of integers or booleans, or
    a value of integers."""
    if item is None or item is Ellipsis or type(item) is slice:
        return item
    if type(item) is int:
        return item
    if isinstance(item, (bool, np.bool_)):
        return np.array(bool(item))
    if isinstance(item, (Value, mx.array)):
        return value_item(value(item, "x[...]"))
    if isinstance(item, (list, tuple, range)):
        item = list_item(item)
        if isinstance(item, Value):
            return value_item(item)
    if isinstance(item, np.ndarray) and item.dtype.kind in "iub":
        return int(item) if item.ndim == 0 and item.dtype.kind != "b" else item
    if isinstance(item, Foreign):
        return value_item(value(item, "x[...]"))
    try:
        return operator.index(item)
    except TypeError:
        raise not_an_index(item) from None


def list_item(items):
    if any(isinstance(i, (Value, mx.array)) for i in items):
        return stack(*[constant(i) for i in items], axis=0)
    array = np.asarray(items)
    return array.astype(np.int32) if array.size == 0 else array


def value_item(item):
    if item.dtype == mx.bool_:
        return concrete(item, "x[mask]", "Use functape.numpy.where(mask, x, y), which keeps the "
                        "shape, or x.at[mask].set(number).")
    if not dtypes.issubdtype(item.dtype, dtypes.integer):
        raise not_an_index(item)
    return item


def not_an_index(item):
    return ArgumentError(f"x[...]: an index must be an integer, a slice, None, Ellipsis, or an "
                         f"array of integers or booleans, but got {describe(item)}. Convert it "
                         "first, for example with .astype(functape.int32).")


def is_mask(item):
    return isinstance(item, np.ndarray) and item.dtype == bool


def concrete(a, what, remedy, given=None):
    """An array whose elements decide the shape of the result, as a NumPy array; `given` is what
    the user knows it by."""
    try:
        return np.asarray(value(a, what).detach())
    except (ConcretizationError, RuntimeError, ValueError) as error:
        if not isinstance(error, ConcretizationError) and "[eval]" not in str(error):
            raise
        raise ConcretizationError(
            f"{what}: the shape of the result depends on the elements of "
            f"{describe(a if given is None else given)}, which are unknown while vmap or jit runs "
            f"the function. {remedy}") from error


# --- checking -----------------------------------------------------------------------------------


def position(i, axis, n):
    if not -n <= i < n:
        raise outside(i, axis, n)
    return i % n


def outside(i, axis, n):
    choice = f"valid are {-n} to {n - 1}" if n else "it has no entry"
    return PositionError(f"x[...]: index {i} is out of bounds for axis {axis} of size {n}; "
                         f"{choice}.")


def positions(item, axis, n, checked):
    """An array of positions. Of one that is known, all lie inside; a value may point anywhere."""
    if isinstance(item, Value):
        if n == 0 and size_of(item.shape):
            raise outside("of an array", axis, n)
        return item
    item = np.asarray(item)
    wrong = (item < -n) | (item >= n)
    if not wrong.any():
        return np.where(item < 0, item + n, item) if item.dtype.kind == "i" else item
    if checked or n == 0:
        raise outside(item[wrong][0], axis, n)
    return constant(item)


def mask_at(mask, shape, axis):
    covered = shape[axis:axis + mask.ndim]
    if not all(m in (n, 0) for m, n in zip(mask.shape, covered, strict=True)):
        raise PositionError(f"x[mask]: a mask must have the shape of the axes that it indexes, "
                            f"{covered}, or lengths of 0 there, but has {mask.shape}.")
    return np.atleast_1d(mask)  # a scalar counts as a mask of a new axis


def bounded(s, n):
    """A slice within an axis of length n; `ALL` if it changes nothing."""
    try:
        start, stop, step = s.indices(n)
    except TypeError:
        raise ArgumentError(f"x[...]: the bounds of a slice must be integers, but got {s}. Cut a "
                            "piece at a computed place with x[start + functape.numpy.arange(n)]."
                            ) from None
    except ValueError:
        raise ShapeError(f"x[...]: the step of a slice may not be 0, but got {s}.") from None
    length = len(range(start, stop, step))
    if length == n and step == 1:
        return ALL
    if length == 0:
        return slice(0, 0, 1)
    return slice(start, None if stop < 0 else stop, step)


# --- merging the arrays -------------------------------------------------------------------------


class Merged(NamedTuple):
    """All arrays of a key as positions on one axis, into which their axes are merged."""

    index: Value
    axis: int  # where the merged axis is
    span: tuple  # the lengths of the axes that it merges
    lead: int  # how many axes of the index come from the arrays; the rest stood between them
    known: object  # the index as a NumPy array, if all of it is known


def merge(arrays, shape, drop=False):
    """Positions in `arrays` as positions on one merged axis.

    Args:
      shape: of the array that they index.
      drop: where to send what lies outside: past the end, rather than to the nearest end.
    """
    axes = [axis for axis, _ in arrays]
    first, last = axes[0], axes[-1]
    span = shape[first:last + 1]
    try:
        common = np.broadcast_shapes(*[i.shape for _, i in arrays])
    except ValueError:
        raise PositionError("x[...]: the arrays in a key must broadcast to one shape, but have "
                            f"the shapes {[i.shape for _, i in arrays]}.") from None
    between = [axis for axis in range(first, last) if axis not in axes]
    parts = dict(arrays)
    aligned = []
    for axis in range(first, last + 1):
        if axis in parts:
            i = parts[axis]
            aligned.append(i.reshape((*i.shape, *(1,) * len(between))) if between else i)
        else:
            after = len(between) - between.index(axis) - 1
            aligned.append(np.arange(shape[axis]).reshape((-1, *(1,) * after)))
    lead = len(common)
    if all(isinstance(i, np.ndarray) for i in aligned):
        known = aligned[0] if len(aligned) == 1 else flat(aligned, span)
        dtype = np.int32 if size_of(span) < 2**31 else np.int64
        return Merged(constant(known.astype(dtype)), first, span, lead, known)
    index = ravel_index(*[constant(narrow(i, n)) for i, n in zip(aligned, span, strict=True)],
                        sizes=span, drop=drop)
    return Merged(index, first, span, lead, None)


def narrow(i, n):
    """A known array in MLX's usual type of index."""
    return i.astype(np.int32) if isinstance(i, np.ndarray) and n < 2**31 else i


def flat(aligned, span):
    total = 0
    for i, n in zip(aligned, span, strict=True):
        total = total * n + i.astype(np.int64)
    return total


def merged(x, m):
    """The array with the merged axes as one."""
    s = x.shape
    if len(m.span) == 1:
        return x
    return reshape(x, shape=(*s[:m.axis], size_of(m.span), *s[m.axis + len(m.span):]))


def lead_first(out, m):
    """The result with the axes that come from the arrays in front."""
    own = range(m.axis, m.axis + m.lead)
    rest = [k for k in range(len(out.shape)) if k not in own]
    return transpose(out, axes=(*own, *rest)) if m.axis and m.lead else out


def lead_back(y, m):
    """What `lead_first` undoes."""
    place = (*range(m.lead, m.lead + m.axis), *range(m.lead))
    rest = range(m.lead + m.axis, len(y.shape))
    return transpose(y, axes=(*place, *rest)) if m.axis and m.lead else y
