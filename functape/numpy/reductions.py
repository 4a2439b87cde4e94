"""Functions that reduce axes: sums, moments, extremes, tests of all elements."""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import (
    as_type,
    axes_of,
    axis_of,
    inexact,
    is_inexact,
    size_of,
    unsupported,
    value,
)
from functape.numpy.arranging import broadcast_shapes, broadcast_to
from functape.ops import elementwise, families, movement
from functape.ops import reductions as ops
from functape.ops.elementwise import where as where_op

# --- sums and products --------------------------------------------------------------------------


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):  # noqa: A001
    """Sum over axes; small integers and booleans are summed as int32.

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
    a = converted("sum", a, dtype)
    a = a if where is None else masked("sum", a, where, 0)
    axes = axes_of(axis, len(a.shape), "sum")
    total = families.total(a, axis=axes, keepdims=keepdims)
    total = total if dtype is None or total.dtype == a.dtype else as_type(total, a.dtype)
    return total if initial is None else total + initial


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Product over axes. Its derivatives are exact with any number of zeros.

    >>> import functape as ft
    >>> ft.grad(ft.numpy.prod)(ft.numpy.array([2.0, 0.0, 3.0]))
    tensor([0., 6., 0.])
    """
    unsupported("prod", out=out)
    a = converted("prod", a, dtype)
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


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sum along an axis, or of all elements in a row.

    >>> import functape as ft
    >>> ft.numpy.cumsum(ft.numpy.array([1, 2, 3]))
    tensor([1, 3, 6], dtype=int32)
    """
    return running("cumsum", ops.cumsum, a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running product along an axis, or of all elements in a row; its derivatives are exact with
    any number of zeros.

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

    >>> import functape as ft
    >>> ft.numpy.cumulative_sum(ft.numpy.array([1, 2]), include_initial=True)
    tensor([0, 1, 3], dtype=int32)
    """
    return cumulative("cumulative_sum", ops.cumsum, x, axis, dtype, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running product along an axis; with include_initial, a one comes first.

    >>> import functape as ft
    >>> ft.numpy.cumulative_prod(ft.numpy.array([2, 3]), include_initial=True)
    tensor([1, 2, 6], dtype=int32)
    """
    return cumulative("cumulative_prod", ops.cumprod, x, axis, dtype, include_initial, 1)


def cumulative(name, op, x, axis, dtype, include_initial, first):
    x = value(x, name)
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
    start = mx.full(shape, first, dtype=found.dtype)
    return movement.concatenate(start, found, axis=axis)


def count_nonzero(a, axis=None, keepdims=False):
    """How many elements are not 0, over axes.

    >>> import functape as ft
    >>> ft.numpy.count_nonzero(ft.numpy.array([0, 3, 4]))
    tensor(2, dtype=int32)
    """
    return sum(elementwise.not_equal(value(a, "count_nonzero"), 0), axis, keepdims=keepdims)


# --- moments ------------------------------------------------------------------------------------


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    """Mean over axes; integers as float32.

    >>> import functape as ft
    >>> ft.numpy.mean(ft.numpy.array([1, 2, 4, 5]))
    tensor(3.)
    """
    unsupported("mean", out=out)
    a = inexact(converted("mean", a, dtype))
    if where is not None:
        count = counted(a, where, axis, keepdims)
        return sum(masked("mean", a, where, 0), axis, keepdims=keepdims) / count
    return ops.mean(a, axis=axes_of(axis, len(a.shape), "mean"), keepdims=keepdims)


def counted(a, where, axis, keepdims):
    """How many elements a mask lets count, in the dtype of `a`."""
    mask = broadcast_to(value(where, "where"), a.shape)
    return sum(mask, axis, real_of(a), keepdims=keepdims)


def real_of(a):
    return mx.float32 if a.dtype == mx.complex64 else a.dtype


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """Mean over axes, weighted.

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      weights: in the shape of `a`, or of one axis of it.
      returned: also return the sum of the weights.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.average(ft.numpy.array([1.0, 5.0]), weights=ft.numpy.array([3.0, 1.0]))
    tensor(2.)
    """
    a = inexact(value(a, "average"))
    if weights is None:
        found = mean(a, axis, keepdims=keepdims)
        count = families.count_of(a.shape, axes_of(axis, len(a.shape), "average"))
        return (found, broadcast_to(as_type(value(count, "average"), found.dtype), found.shape)
                ) if returned else found
    w = weights_for(a, value(weights, "average", 1), axis)
    total = sum(w, axis, keepdims=keepdims)
    found = sum(a * w, axis, keepdims=keepdims) / total
    return (found, broadcast_to(total, found.shape)) if returned else found


def weights_for(a, w, axis):
    """Weights along one axis, in line with that axis."""
    if w.shape == a.shape:
        return w
    axes = axes_of(axis, len(a.shape), "average")
    if axis is None or w.shape != tuple(a.shape[i] for i in axes):
        raise ShapeError(f"average: weights are {describe(w)}, but the array is {describe(a)}. "
                         "They must have its shape, or that of the axes to reduce.")
    if axes != tuple(sorted(axes)):
        w = movement.transpose(w, axes=tuple(sorted(range(len(axes)), key=axes.__getitem__)))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
    return broadcast_to(movement.reshape(w, shape=shape), a.shape)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None,
        correction=None):
    r"""Variance over axes; of complex numbers, of their distance to the mean.

    .. math:: \frac{1}{n - \mathrm{ddof}} \sum_i |a_i - \bar a|^2

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      dtype: convert to it first.
      out: not supported.
      ddof: what is subtracted from the number of elements.
      keepdims: keep the reduced axes, with length 1.
      where: a mask of the elements that count.
      mean: the mean, if it is known, with the reduced axes kept.
      correction: another name of ddof.

    >>> import functape as ft
    >>> ft.numpy.var(ft.numpy.array([1.0, 2.0, 3.0]), ddof=1)
    tensor(1.)
    """
    unsupported("var", out=out)
    ddof = ddof if correction is None else correction
    return variance("var", a, axis, dtype, ddof, keepdims, where, mean)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None,
        correction=None):
    """Standard deviation over axes: the root of var, with the same arguments.

    Where it is 0, its derivative is taken as 0.

    >>> import functape as ft
    >>> ft.numpy.std(ft.numpy.array([1.0, 2.0, 3.0]), ddof=1)
    tensor(1.)
    """
    unsupported("std", out=out)
    ddof = ddof if correction is None else correction
    x = inexact(converted("std", a, dtype))
    if where is None and mean is None and isinstance(ddof, int) and x.dtype != mx.complex64:
        return ops.deviation(x, axis=axes_of(axis, len(x.shape), "std"), keepdims=keepdims,
                             ddof=ddof)
    return elementwise.sqrt(variance("std", x, axis, None, ddof, keepdims, where, mean))


def variance(name, a, axis, dtype, ddof, keepdims, where, centre):
    a = inexact(converted(name, a, dtype))
    axes = axes_of(axis, len(a.shape), name)
    if where is None and centre is None and isinstance(ddof, int) and a.dtype != mx.complex64:
        return ops.variance(a, axis=axes, keepdims=keepdims, ddof=ddof)
    if centre is None:
        centre = mean(a, axes, keepdims=True, where=where)
    squares = squared_size(a - centre)
    if where is None:
        count = families.count_of(a.shape, axes)
    else:
        count = counted(a, where, axes, keepdims)
        squares = masked(name, squares, where, 0)
    return sum(squares, axes, keepdims=keepdims) / (count - ddof)


def squared_size(z):
    """|z|^2, real."""
    if z.dtype != mx.complex64:
        return elementwise.square(z)
    return elementwise.square(elementwise.real(z)) + elementwise.square(elementwise.imag(z))


# --- extremes -----------------------------------------------------------------------------------


def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):  # noqa: A001
    """The largest element over axes; equal ones share the derivative evenly.

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      out: not supported.
      keepdims: keep the reduced axes, with length 1.
      initial: the result is at least this; needed where there are no elements.
      where: a mask of the elements that count; needs `initial`.

    >>> import functape as ft
    >>> ft.grad(ft.numpy.max)(ft.numpy.array([1.0, 3.0, 3.0]))
    tensor([0. , 0.5, 0.5])
    """
    unsupported("max", out=out)
    return extreme("max", ops.maximum_of, elementwise.maximum, a, axis, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):  # noqa: A001
    """The smallest element over axes; arguments as for max.

    >>> import functape as ft
    >>> ft.numpy.min(ft.numpy.array([[4, 2], [1, 3]]), axis=1)
    tensor([2, 1], dtype=int32)
    """
    unsupported("min", out=out)
    return extreme("min", ops.minimum_of, elementwise.minimum, a, axis, keepdims, initial, where)


def extreme(name, op, pair, a, axis, keepdims, initial, where):
    a = value(a, name)
    axes = axes_of(axis, len(a.shape), name)
    if where is not None:
        if initial is None:
            raise ArgumentError(f"{name} with where= needs initial=, the result where the mask "
                                "leaves no element.")
        a = masked(name, a, where, initial)
    if 0 in [a.shape[i] for i in axes]:
        if initial is None:
            raise ShapeError(f"{name}: {describe(a)} has no elements along axis {axes}, so there "
                             "is none to return. Give initial=, the result of none.")
        shape = families.total(a, axis=axes, keepdims=keepdims).shape
        return broadcast_to(as_type(value(initial, name), a.dtype), shape)
    found = op(a, axis=axes, keepdims=keepdims) if axes else a
    return found if initial is None else pair(found, initial)


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest minus the smallest element over axes.

    >>> import functape as ft
    >>> ft.numpy.ptp(ft.numpy.array([4.0, 1.0, 3.0]))
    tensor(3.)
    """
    unsupported("ptp", out=out)
    a = value(a, "ptp")
    return max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)


def argmax(a, axis=None, out=None, keepdims=None):
    """The position of the first largest element, along an axis or among all in a row.

    >>> import functape as ft
    >>> ft.numpy.argmax(ft.numpy.array([1.0, 3.0, 3.0]))
    tensor(1, dtype=int32)
    """
    unsupported("argmax", out=out)
    return position("argmax", ops.argmax, a, axis, keepdims)


def argmin(a, axis=None, out=None, keepdims=None):
    """The position of the first smallest element, along an axis or among all in a row.

    >>> import functape as ft
    >>> ft.numpy.argmin(ft.numpy.array([3.0, 1.0, 1.0]))
    tensor(1, dtype=int32)
    """
    unsupported("argmin", out=out)
    return position("argmin", ops.argmin, a, axis, keepdims)


def position(name, op, a, axis, keepdims):
    a = value(a, name)
    ndim = len(a.shape)
    if (size_of(a.shape) if axis is None else a.shape[axis_of(axis, ndim, name)]) == 0:
        raise ShapeError(f"{name}: {describe(a)} has no elements to choose from along axis "
                         f"{axis}.")
    if axis is None:
        found = op(movement.reshape(a, shape=(size_of(a.shape),)), axis=0, keepdims=False)
        return movement.reshape(found, shape=(1,) * ndim) if keepdims else found
    return op(a, axis=axis_of(axis, ndim, name), keepdims=bool(keepdims))


# --- truth --------------------------------------------------------------------------------------


def all(a, axis=None, out=None, keepdims=False, *, where=None):  # noqa: A001
    """Whether all elements are true (not 0), over axes.

    >>> import functape as ft
    >>> ft.numpy.all(ft.numpy.array([[True, False], [True, True]]), axis=1)
    tensor([False,  True])
    """
    unsupported("all", out=out)
    return truth("all", ops.all_of, a, axis, keepdims, where, True)


def any(a, axis=None, out=None, keepdims=False, *, where=None):  # noqa: A001
    """Whether any element is true (not 0), over axes.

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


def masked(name, a, where, neutral):
    """`a`, with `neutral` in place of what does not count."""
    mask = value(where, name)
    if mask.dtype != mx.bool_:
        mask = elementwise.not_equal(mask, 0)
    shape = broadcast_shapes(a.shape, mask.shape)
    if shape != a.shape:
        a = broadcast_to(a, shape)
    if isinstance(neutral, float) and not is_inexact(a):
        neutral = int(neutral)
    return where_op(mask, a, neutral)
