"""Functions that reduce axes: sums, products, tests of all elements; and what the other reductions
share with them."""

import math

import mlx.core as mx

from functape import dtypes
from functape.numpy.arguments import (
    as_type,
    axes_of,
    inexact,
    is_inexact,
    size_of,
    unsupported,
    value,
)
from functape.numpy.broadcasting import broadcast_shapes, broadcast_to
from functape.ops import elementwise, families, movement, reduce_kernels
from functape.ops import reductions as ops
from functape.ops.elementwise import where as where_op

# --- sums and products --------------------------------------------------------------------------


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):  # noqa: A001
    """Sum over axes; small integers and booleans are summed as int32, unsigned ones as uint32.

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      dtype: convert to it first.
      out: not supported.
      keepdims: keep the reduced axes, with length 1.
      initial: added to the sum.
      where: a mask of the elements that count.

    >>> import functape as ft
    >>> ft.numpy.sum(ft.numpy.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    tensor([4., 6.])
    """
    unsupported("sum", out=out)
    a = wide(converted("sum", a, dtype), dtype)
    a = a if where is None else masked("sum", a, where, 0)
    axes = axes_of(axis, len(a.shape), "sum")
    total = families.total(a, axis=axes, keepdims=keepdims)
    total = total if dtype is None or total.dtype == a.dtype else as_type(total, a.dtype)
    return total if initial is None else total + initial


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Product over axes. Its derivatives are exact with any number of zeros.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      initial: one element more, and the result where there is none.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.grad(ft.numpy.prod)(ft.numpy.array([2.0, 0.0, 3.0]))
    tensor([0., 6., 0.])
    """
    unsupported("prod", out=out)
    a = wide(converted("prod", a, dtype), dtype)
    a = a if where is None else masked("prod", a, where, 1)
    axes = axes_of(axis, len(a.shape), "prod")
    flat = one_axis(a, axes)
    product = ops.product_of(flat, axis=(len(flat.shape) - 1,), keepdims=False)
    if keepdims:
        product = families.keep(product, a.shape, axes)
    product = product if dtype is None or product.dtype == a.dtype else as_type(product, a.dtype)
    return product if initial is None else product * initial


def one_axis(a, axes):
    """An array whose last axis holds all that is to be reduced."""
    rest = tuple(i for i in range(len(a.shape)) if i not in axes)
    if rest + axes != tuple(range(len(a.shape))):
        a = movement.transpose(a, axes=rest + axes)
    kept = a.shape[:len(rest)]
    return movement.reshape(a, shape=(*kept, size_of(a.shape[len(rest):])))


def count_nonzero(a, axis=None, keepdims=False):
    """How many elements are not 0, over axes.

    Args:
      a: array.
      axis: integer, several, or None for all.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.count_nonzero(ft.numpy.array([0, 3, 4]))
    tensor(2, dtype=int32)
    """
    hits = elementwise.not_equal(value(a, "count_nonzero"), 0)
    return sum(hits, axes_of(axis, len(hits.shape), "count_nonzero"), keepdims=keepdims)


# --- truth --------------------------------------------------------------------------------------


def all(a, axis=None, out=None, keepdims=False, *, where=None):  # noqa: A001
    """Whether all elements are true (not 0), over axes.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.all(ft.numpy.array([[True, False], [True, True]]), axis=1)
    tensor([False,  True])
    """
    unsupported("all", out=out)
    return truth("all", ops.all_of, a, axis, keepdims, where, True)


def any(a, axis=None, out=None, keepdims=False, *, where=None):  # noqa: A001
    """Whether any element is true (not 0), over axes.

    Args:
      a: array.
      axis: integer, several, or None for all.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.any(ft.numpy.array([[True, False], [False, False]]), axis=1)
    tensor([ True, False])
    """
    unsupported("any", out=out)
    return truth("any", ops.any_of, a, axis, keepdims, where, False)


def truth(name, op, a, axis, keepdims, where, neutral):
    a = value(a, name)
    if a.dtype != mx.bool_:
        a = elementwise.not_equal(a, 0)
    a = a if where is None else masked(name, a, where, neutral)
    return op(a, axis=axes_of(axis, len(a.shape), name), keepdims=keepdims)


# --- exponential sums ---------------------------------------------------------------------------


def logsumexp(a, axis=None, keepdims=False, where=None):
    """log(sum(exp(a))) over axes, without overflow.

    Args:
      axis: integer, several, or None for all.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.logsumexp(ft.numpy.array([1000.0, -float("inf")]))
    tensor(1000.)
    """
    a = inexact(value(a, "logsumexp"))
    a = a if where is None else masked("logsumexp", a, where, -math.inf)
    axes = axes_of(axis, len(a.shape), "logsumexp")
    if 0 in [a.shape[i] for i in axes]:
        return families.total(a, axis=axes, keepdims=keepdims) - math.inf
    return ops.logsumexp(a, axis=axes, keepdims=keepdims) if axes else a


# --- shared -------------------------------------------------------------------------------------


def converted(name, a, dtype):
    a = value(a, name)
    return a if dtype is None else as_type(a, dtypes.as_dtype(dtype, name))


def wide(a, dtype):
    """A small integer or boolean whose dtype nobody states, in the dtype of its total."""
    return as_type(a, reduce_kernels.wide(a.dtype)) if dtype is None else a


def masked(name, a, where, neutral):
    """`a`, with `neutral` in place of what does not count."""
    mask = value(where, name, "where")
    if mask.dtype != mx.bool_:
        mask = elementwise.not_equal(mask, 0)
    shape = broadcast_shapes(a.shape, mask.shape)
    if shape != a.shape:
        a = broadcast_to(a, shape)
    if isinstance(neutral, float) and not is_inexact(a):
        neutral = int(neutral)
    return where_op(mask, a, neutral)
