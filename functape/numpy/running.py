"""Running sums and products along an axis."""

import mlx.core as mx

from functape.errors import ShapeError, describe
from functape.numpy.arguments import as_type, axis_of, size_of, unsupported, value
from functape.numpy.reductions import converted, wide
from functape.ops import movement
from functape.ops import reductions as ops
from functape.pairs import full
from functape.tensor import constant


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sum along an axis, or of all elements in a row.

    Args:
      a: array.
      dtype: of the result.
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> ft.numpy.cumsum(ft.numpy.array([1, 2, 3]))
    tensor([1, 3, 6], dtype=int32)
    """
    return running("cumsum", ops.cumsum, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running product along an axis, or of all elements in a row; its derivatives are exact with
    any number of zeros.

    Args:
      a: array.
      dtype: of the result.
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> ft.numpy.cumprod(ft.numpy.array([1, 2, 3]))
    tensor([1, 2, 6], dtype=int32)
    """
    return running("cumprod", ops.cumprod, a, axis, dtype, out)


def running(name, op, a, axis, dtype, out):
    unsupported(name, out=out)
    a = converted(name, a, dtype)
    if a.dtype == mx.bool_:
        a = as_type(a, mx.int32)
    if axis is None:
        a, axis = movement.reshape(a, shape=(size_of(a.shape),)), 0
    return op(a, axis=axis_of(axis, len(a.shape), name), reverse=False)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sum along an axis; with include_initial, a zero comes first.

    Args:
      x: array.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.cumulative_sum(ft.numpy.array([1, 2]), include_initial=True)
    tensor([0, 1, 3], dtype=int32)
    """
    return cumulative("cumulative_sum", ops.cumsum, x, axis, dtype, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running product along an axis; with include_initial, a one comes first.

    Args:
      x: array.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.cumulative_prod(ft.numpy.array([2, 3]), include_initial=True)
    tensor([1, 2, 6], dtype=int32)
    """
    return cumulative("cumulative_prod", ops.cumprod, x, axis, dtype, include_initial, 1)


def cumulative(name, op, x, axis, dtype, include_initial, first):
    x = wide(value(x, name), dtype)
    if axis is None:
        if len(x.shape) != 1:
            raise ShapeError(f"{name}: {describe(x)} has {len(x.shape)} axes, so axis must say "
                             "along which to run.")
        axis = 0
    axis = axis_of(axis, len(x.shape), name)
    found = running(name, op, x, axis, dtype, None)
    if not include_initial:
        return found
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1:])
    start = constant(full(shape, first, found.dtype))
    return movement.concatenate(start, found, axis=axis)
