"""mlx.core's reductions, running sums, sorting and searching."""

import math

import mlx.core as mx

from functape import lax
from functape import numpy as fnp
from functape.mlx.translations.registry import table, translation
from functape.numpy.arguments import as_type, axes_of, axis_of, is_inexact, size_of, value
from functape.ops import indexing, reductions, sorting
from functape.ops.movement import along, cut, place, reshape

# --- reductions -----------------------------------------------------------------------------------


def over_axes(name, op):
    def reduced(a, axis=None, keepdims=False):
        a = value(a, name)
        return op(a, axis=axes_of(axis, len(a.shape), name), keepdims=keepdims)

    table[name] = reduced


for name, op in {
    "sum": reductions.sum, "mean": reductions.mean, "max": reductions.maximum_of,
    "min": reductions.minimum_of, "all": reductions.all_of, "any": reductions.any_of,
    "logsumexp": reductions.logsumexp,
}.items():
    over_axes(name, op)


@translation("prod")
def prod(a, axis=None, keepdims=False):
    a = value(a, "prod")
    return as_type(fnp.prod(a, axis, keepdims=keepdims), mx.prod(mx.ones((1,), a.dtype)).dtype)


def spread_of(name, op):
    def moment(a, axis=None, keepdims=False, ddof=0, *, correction=None):
        a = value(a, name)
        ddof = ddof if correction is None else correction
        return op(a, axis=axes_of(axis, len(a.shape), name), keepdims=keepdims, ddof=ddof)

    table[name] = moment


spread_of("var", reductions.variance)
spread_of("std", reductions.deviation)


@translation("minmax")
def minmax(a, axis=None, keepdims=False):
    return table["min"](a, axis, keepdims), table["max"](a, axis, keepdims)


@translation("softmax")
def softmax(a, axis=None, *, precise=False):
    a = value(a, "softmax")
    a = a if is_inexact(a) else as_type(a, mx.float32)
    return reductions.softmax(a, axis=axes_of(axis, len(a.shape), "softmax"))


@translation("median")
def median(a, axis=None, keepdims=False):
    return fnp.median(a, axis, keepdims=keepdims)


@translation("count_nonzero")
def count_nonzero(a, *, axis=None, keepdims=False):
    return as_type(fnp.count_nonzero(a, axis, keepdims), mx.count_nonzero(mx.zeros(1)).dtype)


@translation("argmax")
def argmax(a, axis=None, keepdims=False):
    return position(reductions.argmax, a, axis, keepdims)


@translation("argmin")
def argmin(a, axis=None, keepdims=False):
    return position(reductions.argmin, a, axis, keepdims)


def position(op, a, axis, keepdims):
    a = value(a, op.name)
    axis = axis if axis is None else axis_of(axis, len(a.shape), op.name)
    return as_type(op(a, axis=axis, keepdims=keepdims), mx.uint32)


# --- running sums ---------------------------------------------------------------------------------


def running(name, op, first):
    """MLX's running reductions; `first` is what an exclusive one begins with."""

    def accumulated(a, axis=None, *, reverse=False, inclusive=True, dtype=None):
        a = value(a, name)
        a = a if dtype is None else as_type(a, dtype)
        if axis is None:
            a, axis = reshape(a, shape=(size_of(a.shape),)), 0
        axis = axis_of(axis, len(a.shape), name)
        out = op(a, axis=axis, reverse=reverse)
        return out if inclusive else shifted(out, axis, reverse, first)

    table[name] = accumulated


def shifted(x, axis, reverse, first):
    """Each result one place further on, behind what the sum, say, of nothing is."""
    n = x.shape[axis]
    kept, to = (slice(0, n - 1), slice(1, n)) if not reverse else (slice(1, n), slice(0, n - 1))
    out = place(cut(x, index=along(axis, kept)), index=along(axis, to), shape=x.shape)
    if not first:
        return out
    edge = slice(0, 1) if not reverse else slice(n - 1, n)
    return out.at[along(axis, edge)].set(first)


running("cumsum", reductions.cumsum, 0)
running("cumprod", reductions.cumprod, 1)
table["cumulative_sum"], table["cumulative_prod"] = table["cumsum"], table["cumprod"]
running("cummax", lax.cummax, -math.inf)
running("cummin", lax.cummin, math.inf)
running("logcumsumexp", lax.cumlogsumexp, -math.inf)

# --- sorting and searching ------------------------------------------------------------------------


def lanes(a, axis, name):
    a = value(a, name)
    if axis is None:
        return reshape(a, shape=(size_of(a.shape),)), 0
    return a, axis_of(axis, len(a.shape), name)


@translation("sort")
def sort(a, axis=-1):
    a, axis = lanes(a, axis, "sort")
    order = sorting.argsort(a, axis=axis, descending=False)
    return indexing.take_along_axis(a, order, axis=axis)


@translation("argsort")
def argsort(a, axis=-1):
    a, axis = lanes(a, axis, "argsort")
    return as_type(sorting.argsort(a, axis=axis, descending=False), mx.uint32)


@translation("argpartition")
def argpartition(a, kth, axis=-1):
    a, axis = lanes(a, axis, "argpartition")
    return as_type(sorting.argpartition(a, kth=kth % max(a.shape[axis], 1), axis=axis), mx.uint32)


@translation("partition")
def partition(a, kth, axis=-1):
    a, axis = lanes(a, axis, "partition")
    order = sorting.argpartition(a, kth=kth % max(a.shape[axis], 1), axis=axis)
    return indexing.take_along_axis(a, order, axis=axis)


@translation("topk")
def topk(a, k, axis=-1):
    a, axis = lanes(a, axis, "topk")
    n = a.shape[axis]
    return cut(partition(a, n - k, axis) if k < n else a, index=along(axis, slice(n - k, n)))


@translation("searchsorted")
def searchsorted(a, v, side="left"):
    return as_type(sorting.searchsorted(value(a, "searchsorted"), value(v, "searchsorted"),
                                        side=side), mx.uint32)


