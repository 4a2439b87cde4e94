"""Diagonals: read, written and summed. A diagonal is a slice, with a step, of a flat matrix."""

from functape.errors import ShapeError, describe
from functape.numpy import reductions
from functape.numpy.arguments import axis_of, integer, size_of, unsupported, value
from functape.numpy.matrices import diagonal_numbers
from functape.numpy.shapes import moveaxis
from functape.op import Value
from functape.ops import movement
from functape.ops.elementwise import equal, where


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonals of the matrices that two axes form; they become the last axis.

    Args:
      a: array.
      offset: which diagonal: 0 is the main one, positive ones are above it.
      axis1: one of the two axes.
      axis2: the other.

    >>> import functape as ft
    >>> diagonal(ft.numpy.array([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    x, offset = value(a, "diagonal"), integer(offset, "diagonal", "offset")
    n = len(x.shape)
    if n < 2:
        raise ShapeError(f"diagonal takes arrays of two or more axes, but got {describe(x)}. For "
                         "a matrix with this diagonal use diag.")
    one, two = axis_of(axis1, n, "diagonal", "axis1"), axis_of(axis2, n, "diagonal", "axis2")
    if one == two:
        raise ShapeError(f"diagonal: axis1 and axis2 are both axis {one}. Name two axes.")
    rest = [k for k in range(n) if k not in (one, two)]
    if (one, two) != (n - 2, n - 1):
        x = movement.transpose(x, axes=(*rest, one, two))
    *lead, rows, columns = x.shape
    x = movement.reshape(x, shape=(*lead, rows * columns))
    found = diagonal_slice(rows, columns, offset)
    return movement.cut(x, index=movement.along(len(lead), found))


def diagonal_slice(rows, columns, offset):
    """The place of a diagonal among the elements of a matrix, row by row."""
    length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    start = offset if offset >= 0 else -offset * columns
    step = columns + 1
    return slice(start, start + (length - 1) * step + 1, step) if length else slice(0, 0, 1)


def diag(v, k=0):
    """A matrix with `v` on its k-th diagonal; of a matrix, that diagonal.

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> diag(array([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    x = value(v, "diag")
    if len(x.shape) != 1:
        if len(x.shape) != 2:
            raise ShapeError(f"diag takes an array of one or two axes, but got {describe(x)}. Use "
                             "diagonal for several matrices, diagflat for all elements.")
        return diagonal(x, k)
    n = x.shape[0] + abs(integer(k, "diag", "k"))
    flat = movement.place(x, index=(diagonal_slice(n, n, k),), shape=(n * n,))
    return movement.reshape(flat, shape=(n, n))


def diagflat(v, k=0):
    """A matrix with all elements of `v` on its k-th diagonal.

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> diagflat(array([[1.0], [2.0]]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    x = value(v, "diagflat")
    return diag(movement.reshape(x, shape=(size_of(x.shape),)), k)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal.

    Args:
      a: array.
      offset: which diagonal: 0 is the main one, positive ones are above it; it need not be known.
      axis1: one of the two axes.
      axis2: the other.
      dtype: of the result.
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> trace(ft.numpy.array([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    unsupported("trace", out=out)
    x = value(a, "trace")
    if isinstance(offset, Value):
        x = moveaxis(x, (axis1, axis2), (-2, -1))
        kept = equal(diagonal_numbers(*x.shape[-2:]), offset)
        return reductions.sum(where(kept, x, 0), axis=(-2, -1), dtype=dtype)
    x = diagonal(x, offset, axis1, axis2)
    return reductions.sum(x, axis=(len(x.shape) - 1,), dtype=dtype)
