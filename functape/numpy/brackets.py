"""Reading with brackets, ``x[key]``."""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError
from functape.numpy import keys
from functape.numpy.arguments import size_of
from functape.op import Value
from functape.ops import elementwise, indexing, movement
from functape.tensor import constant, number_array

MODES = (None, "raise", "clip", "promise_in_bounds", "fill", "drop")
DEFAULT = object()


def getitem(x, key):
    """The elements of `x` at `key`, as NumPy reads it: integers, slices, None, Ellipsis, arrays
    of integers, masks, and tuples of these. Arrays of integers whose elements are not known in
    advance read the nearest element where they point outside.

    Raises:
      PositionError (an IndexError): a known position does not exist.
      ConcretizationError: a mask under vmap or jit, where the number of its elements is unknown.

    >>> import functape as ft
    >>> x = ft.numpy.array([[1.0, 2.0], [3.0, 4.0]])
    >>> x[[1, 0], 1]
    tensor([4., 2.])
    """
    if type(key) is int and x.shape:
        return movement.cut(x, index=(keys.position(key, 0, x.shape[0]),))
    if isinstance(key, Value) and x.shape and dtypes.issubdtype(key.dtype, dtypes.integer):
        i = keys.positions(key, 0, x.shape[0], checked=True)
        return indexing.take(x, indexing.ravel_index(i, sizes=x.shape[:1], drop=False), axis=0)
    found = keys.read(key, x.shape)
    return gather(x, found) if found.arrays else movement.cut(x, index=found.basic)


def gather(x, key, fill=None):
    """What a key with arrays reads; with `fill`, that number wherever they point outside."""
    x = movement.cut(x, index=key.basic) if key.cuts else x
    m = keys.merge(key.arrays, x.shape, drop=fill is not None)
    loose = fill is not None and m.known is None
    end = size_of(m.span)
    index = elementwise.minimum(m.index, end - 1) if loose else m.index
    out = indexing.take(keys.merged(x, m), index, axis=m.axis)
    if loose:
        past = elementwise.greater_equal(m.index, end)
        rest = len(out.shape) - m.axis - len(past.shape)
        past = movement.reshape(past, shape=(*past.shape, *(1,) * rest))
        out = elementwise.where(past, constant(filler(fill, out.dtype)), out)
    return keys.lead_first(out, m) if key.apart else out


def filler(fill, dtype):
    """The number that stands for an element that does not exist; by default a conspicuous one."""
    if fill is not DEFAULT:
        return number_array(fill, dtype)
    if dtypes.issubdtype(dtype, dtypes.inexact):
        return number_array(math.nan, dtype)
    limits = None if dtype == dtypes.bool_ else dtypes.iinfo(dtype)
    return mx.array(True if limits is None else limits.min or limits.max, dtype=dtype)


def read(x, key, mode=None, fill_value=None):
    """What a key reads, where `mode` says what positions outside mean."""
    if mode not in MODES:
        raise ArgumentError(f"x.at[...].get: mode {mode!r} is unknown; choose one of "
                            f"{', '.join(MODES[1:])}.")
    found = keys.read(key, x.shape, checked=mode in (None, "raise"))
    if not found.arrays:
        return movement.cut(x, index=found.basic)
    fill = DEFAULT if fill_value is None else fill_value
    return gather(x, found, fill if mode in ("fill", "drop") else None)


def rows(x):
    """The entries along the first axis; one node on the tape for all of them."""
    if not x.shape:
        raise ArgumentError("An array without axes is a single number and cannot be iterated "
                            "over. Use x.reshape(-1) for an array of one element.")
    return iter(indexing.unstack(x, axis=0) if x.shape[0] else ())
