"""Sums of exponentials and what they normalise, by jax.nn's names; and one_hot."""

import math

import mlx.core as mx

from functape import dtypes
from functape.errors import check_range
from functape.nn.activations import floating
from functape.numpy import reductions as sums
from functape.numpy.arguments import as_type, axes_of, axis_of, beside, integer, value
from functape.numpy.broadcasting import broadcast_to
from functape.ops import activations as ops
from functape.ops import elementwise, movement, reductions
from functape.ops.elementwise import where as where_op


def log1mexp(x):
    """log(1 - e^-x) for x > 0, exact near 0 and far from it.

    Source: M. Mächler, Accurately computing log(1 - exp(-|a|)) (2012).

    >>> import functape as ft
    >>> ft.nn.log1mexp(1e-8)
    tensor(-18.420681)
    """
    return ops.log1mexp(floating(x, "log1mexp"))


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    r"""The logarithm of a sum of exponentials, without overflow.

    .. math:: \log \sum_i b_i e^{a_i}

    Args:
      a: the exponents.
      axis: an axis, several, or None: all.
      b: factors, broadcast against `a`; zeros are left out.
      keepdims: keep the reduced axes, with length 1.
      return_sign: also return the sign of the sum, whose size's logarithm is the result; without
        it a negative sum gives NaN.
      where: a mask of the elements that count.

    >>> import functape as ft
    >>> ft.nn.logsumexp(ft.numpy.array([1000.0, 1000.0])).round(3)
    tensor(1000.693)
    """
    if b is None:
        found = sums.logsumexp(a, axis, keepdims=keepdims, where=where)
        one = broadcast_to(as_type(value(1.0, "logsumexp"), found.dtype), found.shape)
        return (found, one) if return_sign else found
    a = floating(a, "logsumexp")
    b = beside(b, a, "logsumexp", 1)
    a = where_op(elementwise.not_equal(b, 0), a, -math.inf)
    a = a if where is None else where_op(as_mask(where), a, -math.inf)
    axes = axes_of(axis, len(a.shape), "logsumexp")
    high = elementwise.stop_gradient(reductions.maximum_of(a, axis=axes, keepdims=True))
    high = where_op(elementwise.isfinite(high), high, 0.0)
    terms = b * elementwise.exp(a - high)
    total = sums.sum(terms, axes, keepdims=True)
    sign = elementwise.stop_gradient(elementwise.sign(total))
    found = elementwise.log(total * sign if return_sign else total) + high
    if not keepdims:
        kept = tuple(n for i, n in enumerate(a.shape) if i not in axes)
        found, sign = movement.reshape(found, shape=kept), movement.reshape(sign, shape=kept)
    return (found, sign) if return_sign else found


def logmeanexp(x, axis=None, where=None, keepdims=False):
    """The logarithm of the mean of exponentials, without overflow.

    Args:
      x: array.
      axis: integer, several, or None for all.
      where: a mask that broadcasts: the elements that count.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.nn.logmeanexp(ft.numpy.array([1000.0, 1000.0]))
    tensor(1000.)
    """
    x = floating(x, "logmeanexp")
    ones = value(mx.ones(x.shape, x.dtype), "logmeanexp")
    count = sums.sum(ones, axis, keepdims=keepdims, where=where)
    return sums.logsumexp(x, axis, keepdims=keepdims, where=where) - elementwise.log(count)


def softmax(x, axis=-1, where=None):
    r"""Exponentials, scaled to sum to one over an axis.

    .. math:: y_i = e^{x_i} / \sum_j e^{x_j}

    Args:
      x: the array.
      axis: an axis, several, or None: all.
      where: a mask of the elements that count; the result is 0 elsewhere.

    >>> import functape as ft
    >>> ft.nn.softmax(ft.numpy.array([0.0, 0.0, -float("inf")]))
    tensor([0.5, 0.5, 0. ])
    """
    x = floating(x, "softmax")
    axes = axes_of(axis, len(x.shape), "softmax")
    if where is None:
        return reductions.softmax(x, axis=axes)
    mask = as_mask(where)
    x = where_op(mask, x, dtypes.finfo(x.dtype).min)
    return where_op(mask, reductions.softmax(x, axis=axes), 0.0)


def log_softmax(x, axis=-1, where=None):
    r"""The logarithm of softmax, without underflow.

    Args:
      x: the array.
      axis: an axis, several, or None: all.
      where: a mask of the elements that count; the result is -inf elsewhere.

    >>> import functape as ft
    >>> ft.nn.log_softmax(ft.numpy.array([0.0, -1000.0]))
    tensor([    0., -1000.])
    """
    x = floating(x, "log_softmax")
    axes = axes_of(axis, len(x.shape), "log_softmax")
    if where is None:
        return reductions.log_softmax(x, axis=axes)
    mask = as_mask(where)
    x = where_op(mask, x, dtypes.finfo(x.dtype).min)
    return where_op(mask, reductions.log_softmax(x, axis=axes), -math.inf)


def as_mask(where):
    mask = value(where, "where")
    return mask if mask.dtype == mx.bool_ else elementwise.not_equal(mask, 0)


def one_hot(x, num_classes, *, dtype=None, axis=-1):
    """Rows of zeros with a one at each index; all zeros for an index outside.

    Args:
      x: integers.
      num_classes: the length of the new axis.
      dtype: of the result; float32 by default.
      axis: where the new axis stands in the result.

    >>> import functape as ft
    >>> ft.nn.one_hot(ft.numpy.array([0, 2]), 3)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    x = value(x, "one_hot")
    n = integer(num_classes, "one_hot", "num_classes")
    check_range("one_hot", "[0, inf)", num_classes=n)
    axis = axis_of(axis, len(x.shape) + 1, "one_hot")
    x = movement.reshape(x, shape=(*x.shape[:axis], 1, *x.shape[axis:]))
    classes = mx.arange(n).reshape(-1, *(1,) * (len(x.shape) - 1 - axis))
    dtype = dtypes.as_dtype(dtypes.float32 if dtype is None else dtype, "one_hot")
    return as_type(elementwise.equal(x, classes), dtype)
