"""Kernels of complex128 for ops that reduce or run along axes and are not linear."""

import math

import mlx.core as mx

from functape.op import table
from functape.ops import reduce_kernels
from functape.ops.sorting import places
from functape.pairs.array import Pair, add, divide, multiply, pair, subtract
from functape.pairs.elementwise import truth
from functape.pairs.exponentials import exp, log
from functape.pairs.structure import apart


def cut(z, index):
    return Pair(z.re[index], z.im[index])


def joined(arrays, axis):
    return Pair(mx.concatenate([z.re for z in arrays], axis),
                mx.concatenate([z.im for z in arrays], axis))


# --- products -----------------------------------------------------------------------------------


def prod(z, axis, keepdims):
    """By pairs: halves of the axes, as one, are multiplied until one element is left."""
    shape = reduce_kernels.shape_after(z.shape, axis, keepdims)
    kept = [i for i in range(z.ndim) if i not in axis]
    lengths = [z.shape[i] for i in kept]
    order = [*kept, *axis]
    z = Pair(*[mx.transpose(part, order).reshape(*lengths, math.prod(z.shape[i] for i in axis))
               for part in (z.re, z.im)])
    n = z.shape[-1]
    if n == 0:
        return pair(mx.ones(shape, mx.float64))
    while n > 1:
        half = n // 2
        rest = [cut(z, (..., slice(2 * half, n)))] if n % 2 else []
        z = multiply(cut(z, (..., slice(0, half))), cut(z, (..., slice(half, 2 * half))))
        z = joined([z, *rest], -1)
        n = half + len(rest)
    return Pair(z.re.reshape(shape), z.im.reshape(shape))


def cumprod(z, axis, reverse):
    """Each element times the one 1, 2, 4, ... places before it."""
    before = (slice(None),) * axis
    flip = (*before, slice(None, None, -1))
    z = cut(z, flip) if reverse else z
    n, step = z.shape[axis], 1
    while step < n:
        moved = multiply(cut(z, (*before, slice(step, n))), cut(z, (*before, slice(0, n - step))))
        z = joined([cut(z, (*before, slice(0, step))), moved], axis)
        step *= 2
    return cut(z, flip) if reverse else z


# --- exponential sums ---------------------------------------------------------------------------


def shifted(z, axis):
    """exp(z - high), and high, the largest real part."""
    high = reduce_kernels.max(z.re, axis=axis, keepdims=True)
    high = mx.where(mx.isfinite(high), high, 0)
    return exp(subtract(z, high)), high


def logsumexp(z, axis, keepdims):
    e, high = shifted(z, axis)
    found = add(log(apart("sum")(e, axis=axis, keepdims=True)), high)
    shape = reduce_kernels.shape_after(z.shape, axis, keepdims)
    return Pair(found.re.reshape(shape), found.im.reshape(shape))


def softmax(z, axis):
    e, _ = shifted(z, axis)
    return divide(e, apart("sum")(e, axis=axis, keepdims=True))


def log_softmax(z, axis):
    return subtract(z, logsumexp(z, axis, True))


# --- order --------------------------------------------------------------------------------------


def at_extreme(extreme, worst):
    """Where an element is the extreme one over axes, by the real and then the imaginary part, and
    that element."""

    def find(z, axis):
        re = extreme(z.re, axis, True)
        level = z.re == re
        im = extreme(mx.where(level, z.im, worst), axis, True)
        return mx.logical_and(level, z.im == im), Pair(re, im)

    return find


LARGEST = at_extreme(reduce_kernels.max, -math.inf)
SMALLEST = at_extreme(reduce_kernels.min, math.inf)


def extreme(find):
    def kernel(z, axis, keepdims):
        shape = reduce_kernels.shape_after(z.shape, axis, keepdims)
        found = find(z, axis)[1]
        unknown = mx.any(mx.isnan(z.re + z.im), axis, True)
        return Pair(*[mx.where(unknown, math.nan, part).reshape(shape)
                      for part in (found.re, found.im)])

    return kernel


def position(find):
    def kernel(z, axis, keepdims):
        return table["argmax"].kernel(find(z, axis)[0].astype(mx.int32), axis=axis,
                                      keepdims=keepdims)

    return kernel


def argsort(z, axis, descending):
    """By the imaginary, then by the real part: both sorts are stable."""
    sort = table["argsort"].kernel
    order = sort(z.im, axis=axis, descending=descending)
    again = sort(mx.take_along_axis(z.re, order, axis), axis=axis, descending=descending)
    return mx.take_along_axis(order, again, axis)


def searchsorted(x, y, side):
    x, y = pair(x), pair(y)
    flat = Pair(*[part.reshape(*x.shape[:-1], -1) for part in (y.re, y.im)])
    both = joined([flat, x] if side == "left" else [x, flat], -1)
    order = argsort(both, axis=both.ndim - 1, descending=False)
    return places(order, x.shape[-1], flat.shape[-1], side).reshape(y.shape)


KERNELS = {
    "searchsorted": searchsorted,
    "prod": prod, "cumprod": cumprod, "logsumexp": logsumexp, "softmax": softmax,
    "log_softmax": log_softmax, "max": extreme(LARGEST), "min": extreme(SMALLEST),
    "argmax": position(LARGEST), "argmin": position(SMALLEST), "argsort": argsort,
    "all": lambda x, **over: reduce_kernels.all(truth(x), **over),
    "any": lambda x, **over: reduce_kernels.any(truth(x), **over),
}
