"""Coordinates: grids, positions as rows and columns or counted through, and NumPy's brackets that
make arrays (`r_`, `c_`, `mgrid`, `ogrid`, `s_`)."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import ARRAYS, as_type, integer, shape_of, size_of, value
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.creation import array, asarray
from functape.numpy.joining import concatenate, stack
from functape.numpy.matrices import diag_indices
from functape.numpy.searching import nonzero
from functape.op import Value
from functape.ops import elementwise, movement
from functape.tensor import constant

# --- grids ----------------------------------------------------------------------------------------


def indices(dimensions, dtype=None, sparse=False):
    """The coordinates of each element of an array of a shape, one array an axis.

    Args:
      dimensions: the shape.
      dtype: int32 by default.
      sparse: arrays that broadcast to the grid, in a tuple; otherwise one array holds all.

    >>> indices((2, 2))[0]
    tensor([[0, 0],
            [1, 1]], dtype=int32)
    """
    shape = shape_of(dimensions, "indices")
    dtype = dtypes.int32 if dtype is None else dtypes.as_dtype(dtype, "indices")
    axes = [as_type(constant(np.arange(n, dtype=np.int32)), dtype) for n in shape]
    open_ = opened(axes)
    if sparse:
        return open_
    if not shape:
        return as_type(constant(np.zeros(0, np.float32)), dtype)
    return stack([broadcast_to(a, shape) for a in open_])


def opened(axes):
    """Vectors along one axis each."""
    n = len(axes)
    return tuple(movement.reshape(a, shape=(*(1,) * k, a.shape[0], *(1,) * (n - k - 1)))
                 for k, a in enumerate(axes))


def ix_(*args):
    """Vectors of positions as a key that reads all their combinations; masks are positions too.

    Args:
      *args: vectors, one for each axis.

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> ft.numpy.array([[1, 2, 3], [4, 5, 6]])[ix_(array([0, 1]), array([2, 0]))]
    tensor([[3, 1],
            [6, 4]], dtype=int32)
    """
    found = []
    for i, a in enumerate(args):
        a = value(a, "ix_", i)
        if len(a.shape) != 1:
            raise ShapeError(f"ix_ takes vectors, but got {describe(a)}.")
        if not a.shape[0]:
            a = constant(np.zeros(0, np.int32))
        found.append(nonzero(a)[0] if a.dtype == dtypes.bool_ else a)
    return opened(found)


def diag_indices_from(arr):
    """diag_indices for the shape of an array whose axes have one length.

    Args:
      arr: array.

    >>> import functape as ft
    >>> diag_indices_from(ft.numpy.ones((2, 2)))[0]
    tensor([0, 1], dtype=int32)
    """
    shape = value(arr, "diag_indices_from").shape
    if len(shape) < 2 or len(set(shape)) > 1:
        raise ShapeError(f"diag_indices_from takes an array of two or more axes of one length, but "
                         f"the shape is {shape}.")
    return diag_indices(shape[0], len(shape))


def mask_indices(n, mask_func, k=0, *, size=None):
    """The positions that a function such as triu leaves of an n by n matrix of ones.

    Args:
      mask_func: function of a matrix and `k`.
      k: its second argument, for triu the first diagonal that is kept.
      size: how many to return; needed under vmap and jit.

    >>> import functape as ft
    >>> mask_indices(2, ft.numpy.triu)
    (tensor([0, 0, 1], dtype=int32), tensor([0, 1, 1], dtype=int32))
    """
    n = integer(n, "mask_indices", "n")
    return nonzero(asarray(mask_func(constant(np.ones((n, n), np.int32)), k)), size=size)


# --- positions ------------------------------------------------------------------------------------


def unravel_index(indices, shape):
    """Positions counted through all elements, as one array an axis; outside: the nearest.

    Args:
      indices: integers; negative ones count from the end.
      shape: the lengths of the axes, which need not be known.

    >>> from functape.numpy import array
    >>> unravel_index(array([1, 5]), (2, 3))
    (tensor([0, 1], dtype=int32), tensor([1, 2], dtype=int32))
    """
    i, shape = value(indices, "unravel_index"), lengths_of(shape, "unravel_index")
    total = size_of(shape)
    i = elementwise.where(i < 0, i + total, i)
    i = elementwise.clip(i, 0, at_least(0, total - 1))
    found = []
    for n in shape[::-1]:
        found.append(as_type(elementwise.remainder(i, at_least(1, n)), i.dtype))
        i = elementwise.floor_divide(i, at_least(1, n))
    return tuple(found[::-1])


def lengths_of(shape, name):
    """A shape as a tuple of integers, or of these and values, if it has some."""
    items = tuple(shape) if getattr(shape, "shape", ()) or isinstance(shape, list) else shape
    items = items if isinstance(items, tuple) else (items,)
    if not any(isinstance(n, Value) for n in items):
        return shape_of(items, name)
    return tuple(n if isinstance(n, Value) else integer(n, name, "a length") for n in items)


def at_least(low, n):
    return elementwise.maximum(n, low) if isinstance(n, Value) else max(n, low)


def ravel_multi_index(multi_index, dims, mode="raise", order="C", *, dtype=None):
    """One array of positions an axis, counted through all elements.

    Args:
      multi_index: integers, one array an axis.
      dims: lengths of the axes.
      mode: what is outside: "raise" is an error for known positions, "clip" the nearest, "wrap"
        around the end.
      order: "C": row by row; "F": column by column.
      dtype: of the result; int32 by default.

    >>> from functape.numpy import array
    >>> ravel_multi_index((array([0, 1]), array([1, 2])), (2, 3))
    tensor([1, 5], dtype=int32)
    """
    if not isinstance(multi_index, (list, tuple, *ARRAYS)):
        raise ArgumentError(f"ravel_multi_index takes a tuple of arrays, but got "
                            f"{describe(multi_index)}.")
    at = [value(i, "ravel_multi_index", k) for k, i in enumerate(multi_index)]
    dims = shape_of(dims, "ravel_multi_index")
    if len(at) != len(dims):
        raise ShapeError(f"ravel_multi_index: {len(dims)} axes need as many arrays of positions, "
                         f"but got {len(at)}.")
    if mode not in ("raise", "clip", "wrap") or order not in ("C", "F"):
        raise ArgumentError(f"ravel_multi_index: mode is 'raise', 'clip' or 'wrap' and order 'C' "
                            f"or 'F', but got {mode!r} and {order!r}.")
    if mode == "raise":
        for k, (i, n) in enumerate(zip(at, dims, strict=True)):
            if i.shape == () or size_of(i.shape):
                inside(np.asarray(i), k, n)
    bring = {"clip": lambda i, n: elementwise.clip(i, 0, n - 1), "raise": lambda i, n: i,
             "wrap": elementwise.remainder}[mode]
    pairs = list(zip(at, dims, strict=True))
    total = constant(np.int32(0))
    for i, n in pairs if order == "C" else pairs[::-1]:
        total = total * n + bring(i, n)
    return total if dtype is None else as_type(total, dtypes.as_dtype(dtype, "ravel_multi_index"))


def inside(i, k, n):
    if i.min() < 0 or i.max() >= n:
        raise ShapeError(f"ravel_multi_index: positions along axis {k} must lie between 0 and "
                         f"{n - 1}. For others pass mode='clip' or mode='wrap'.")


# --- brackets -------------------------------------------------------------------------------------


def from_slice(s):
    """start:stop:step as an array; an imaginary step is the number of points."""
    start, step = 0 if s.start is None else s.start, 1 if s.step is None else s.step
    if isinstance(step, complex):
        found = np.linspace(start, s.stop, int(abs(step)))
    else:
        found = np.arange(start, s.stop, step)
    kind = np.float32 if found.dtype.kind == "f" else np.int32
    return constant(found.astype(kind))


class MGrid:
    """``mgrid[0:2, 0:3]``: the coordinates of each point of a grid, one array an axis.

    >>> mgrid[0:2, 0:2][1]
    tensor([[0, 1],
            [0, 1]], dtype=int32)
    """

    def __getitem__(self, key):
        if isinstance(key, slice):
            return from_slice(key)
        axes = opened([from_slice(s) for s in key])
        shape = tuple(a.shape[k] for k, a in enumerate(axes))
        return stack([broadcast_to(a, shape) for a in axes])


class OGrid:
    """``ogrid[0:2, 0:3]``: arrays that broadcast to the coordinates of a grid.

    >>> [a.shape for a in ogrid[0:2, 0:3]]
    [(2, 1), (1, 3)]
    """

    def __getitem__(self, key):
        if isinstance(key, slice):
            return from_slice(key)
        axes = opened([from_slice(s) for s in key])
        dtype = dtypes.result_type(*axes)
        return [as_type(a, dtype) for a in axes]


class RClass:
    """``r_[0:3, 7, [8, 9]]``: slices, numbers and arrays joined along the first axis.

    A string in front, "axis,ndim,first", tells along which axis, how many axes parts have at
    least, and which of these is the first that a part brings along.

    >>> r_[0:3, 7, [8, 9]]
    tensor([0, 1, 2, 7, 8, 9], dtype=int32)
    """

    axis, ndim, first = 0, 1, -1

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        axis, ndim, first = self.axis, self.ndim, self.first
        if key and isinstance(key[0], str):
            axis, ndim, first = self.directive(key[0])
            key = key[1:]
        parts = []
        for item in key:
            a = from_slice(item) if isinstance(item, slice) else array(item)
            parts.append(self.raised(a, ndim, first))
        return concatenate(parts, axis)

    def directive(self, text):
        try:
            numbers = [int(n) for n in text.split(",")]
        except ValueError as error:
            raise ArgumentError(f"{type(self).__name__}: the string {text!r} is not understood; "
                                "it has up to three integers, 'axis,ndim,first'.") from error
        return (*numbers, *(self.axis, self.ndim, self.first)[len(numbers):])

    @staticmethod
    def raised(a, ndim, first):
        missing = ndim - len(a.shape)
        if missing <= 0:
            return a
        before = missing if first == -1 else missing if first < 0 else first
        before = min(before, missing)
        return movement.reshape(a, shape=(*(1,) * before, *a.shape, *(1,) * (missing - before)))


class CClass(RClass):
    """``c_[a, b]``: vectors as the columns of a matrix.

    >>> c_[[1, 2], [3, 4]]
    tensor([[1, 3],
            [2, 4]], dtype=int32)
    """

    axis, ndim, first = -1, 2, 0


class IndexExpression:
    """``s_[1:3, ...]``: what stands between the brackets, as a key for later; of `index_exp`
    always a tuple.

    >>> import functape as ft
    >>> ft.numpy.s_[1:3]
    slice(1, 3, None)
    """

    def __init__(self, as_tuple):
        self.as_tuple = as_tuple

    def __getitem__(self, key):
        return (key,) if self.as_tuple and not isinstance(key, tuple) else key


mgrid, ogrid, r_, c_ = MGrid(), OGrid(), RClass(), CClass()
s_, index_exp = IndexExpression(False), IndexExpression(True)
