"""Ops that reduce axes: a kernel, and the weight of each element (see families.reduction)."""

import mlx.core as mx

from functape.op import LINEAR, Op
from functape.ops import float64, reduce_kernels, vector_kernels
from functape.ops.elementwise import exp, finite, nonpositive, ratio
from functape.ops.families import (
    astype,
    batch_reduction,
    count_of,
    nondiff,
    reduction,
    total,
    unreduce,
)
from functape.ops.movement import (
    along,
    concatenate,
    cut,
    overwrite,
    place,
    reshape,
    shift_axis,
    stack,
)

# --- sums and moments ---------------------------------------------------------------------------

sum = total
mean = Op(
    "mean", reduce_kernels.mean, args=("x",), jvp=LINEAR, batch=batch_reduction,
    doc="Mean over axes.",
    vjp=[lambda g, x_shape, axis: unreduce(
        g * (1 / max(count_of(x_shape, axis), 1)), x_shape, axis)],
)


def centred(x, axis):
    return x - mean(x, axis=axis, keepdims=True)


def variance_kernel(x, axis, keepdims, ddof):
    return reduce_kernels.var(x, axis=axis, keepdims=keepdims, ddof=ddof)


def deviation_kernel(x, axis, keepdims, ddof):
    return mx.sqrt(variance_kernel(x, axis, keepdims, ddof))


variance = reduction(
    "var", variance_kernel,
    lambda x, axis, ddof, count: centred(x, axis) * (2 / (count - ddof) if count > ddof else 0.0),
    doc="Variance over axes.",
)
deviation = reduction(
    "std", deviation_kernel,
    lambda x, ans, axis, ddof, count: ratio(
        centred(x, axis) * (1 / (count - ddof) if count > ddof else 0.0), ans),
    doc="Standard deviation over axes; where it is 0 its slope is taken as 0.",
)

# --- extremes: ties share evenly ----------------------------------------------------------------


def share(x, ans, axis):
    hits = astype(x == ans, dtype=ans.dtype)
    return hits / total(hits, axis=axis, keepdims=True)


maximum_of = reduction("max", reduce_kernels.max, share, doc="The largest element over axes.")
minimum_of = reduction("min", reduce_kernels.min, share, doc="The smallest element over axes.")

# --- products -----------------------------------------------------------------------------------


def product_kernel(x, axis, keepdims):
    return reduce_kernels.prod(x, axis=axis, keepdims=keepdims)


def others(x, axis):
    """For each element the product of all others: by a tree, so zeros need no case."""
    shape, axis = x.shape, axis[-1]
    n = shape[axis]
    if n < 2:
        return overwrite(x, 1.0, index=along(axis, slice(0, n)))
    odd = n % 2
    even_part = cut(x, index=along(axis, slice(0, n - odd, 2)))
    odd_part = cut(x, index=along(axis, slice(1, n, 2)))
    pairs = even_part * odd_part
    if odd:
        pairs = concatenate(pairs, cut(x, index=along(axis, slice(n - 1, n))), axis=axis)
    outside = others(pairs, (axis,))
    rest = cut(outside, index=along(axis, slice(0, n // 2)))
    both = stack(rest * odd_part, rest * even_part, axis=axis + 1)
    both = reshape(both, shape=(*shape[:axis], n - odd, *shape[axis + 1:]))
    if odd:
        last = cut(outside, index=along(axis, slice(n // 2, n // 2 + 1)))
        both = concatenate(both, last, axis=axis)
    return both


product_of = reduction(
    "prod", product_kernel, others,
    doc="Product over one axis; the derivative is exact with any number of zeros.",
)

# --- exponential sums ---------------------------------------------------------------------------


def softmax_kernel(x, axis):
    if vector_kernels.many(x):
        return vector_kernels.softmax(x, axis)
    return float64.softmax(x, axis) if x.dtype == mx.float64 else mx.softmax(x, axis, precise=True)


def centre_on(g, ans, axis):
    """The Jacobian of softmax applied to g: ans (g - <ans, g>)."""
    product = ans * g
    return product - ans * total(product, axis=axis, keepdims=True)


def logsumexp_kernel(x, axis, keepdims):
    if vector_kernels.many(x):
        return vector_kernels.logsumexp(x, axis, keepdims)
    log_total = float64.logsumexp if x.dtype == mx.float64 else reduce_kernels.logsumexp
    return log_total(x, axis, keepdims)


logsumexp = reduction(
    "logsumexp", logsumexp_kernel, lambda x, ans: exp(nonpositive(x - finite(ans))),
    doc="log of the sum of exp over axes, without overflow.",
)
softmax = Op(
    "softmax", softmax_kernel, args=("x",), batch=batch_reduction,
    vjp=[lambda g, ans, axis: centre_on(g, ans, axis)],
    jvp=[lambda t, ans, axis: centre_on(t, ans, axis)],
    doc="exp(x), scaled to sum to one over axes.",
)
log_softmax = Op(
    "log_softmax", lambda x, axis: x - logsumexp_kernel(x, axis=axis, keepdims=True), args=("x",),
    vjp=[lambda g, x, axis: g - softmax(x, axis=axis) * total(g, axis=axis, keepdims=True)],
    jvp=[lambda t, x, axis: t - total(softmax(x, axis=axis) * t, axis=axis, keepdims=True)],
    batch=batch_reduction, doc="log of softmax over axes.",
)

# --- running sums -------------------------------------------------------------------------------

cumsum = Op(
    "cumsum", mx.cumsum, args=("x",), jvp=LINEAR, batch=shift_axis,
    vjp=[lambda g, axis, reverse: cumsum(g, axis=axis, reverse=not reverse)],
    doc="Running sum along an axis, from its end if reverse.",
)


# --- running products ---------------------------------------------------------------------------


def linear_scan(a, b, axis):
    """s_j = a_j s_{j-1} + b_j along an axis, from s_{-1} = 0: by pairs, in O(n) products."""
    shape = b.shape
    n = shape[axis]
    if n < 2:
        return b
    half, odd = n // 2, n % 2
    a_even, a_odd = every_other(a, axis, 0), every_other(a, axis, 1)
    b_even, b_odd = every_other(b, axis, 0), every_other(b, axis, 1)
    paired = along(axis, slice(0, half))
    at_odd = linear_scan(a_odd * cut(a_even, index=paired),
                         a_odd * cut(b_even, index=paired) + b_odd, axis)
    at_even = a_even * delayed(at_odd, axis, half + odd) + b_even
    both = stack(cut(at_even, index=paired), at_odd, axis=axis + 1)
    both = reshape(both, shape=(*shape[:axis], n - odd, *shape[axis + 1:]))
    if odd:
        last = cut(at_even, index=along(axis, slice(half, half + 1)))
        both = concatenate(both, last, axis=axis)
    return both


def every_other(x, axis, start):
    return cut(x, index=along(axis, slice(start, x.shape[axis], 2)))


def delayed(x, axis, n):
    """n elements: a zero, then those of x."""
    shape = (*x.shape[:axis], n, *x.shape[axis + 1:])
    before = cut(x, index=along(axis, slice(0, n - 1)))
    return place(before, index=along(axis, slice(1, n)), shape=shape)


def backwards(x, axis, reverse=True):
    return cut(x, index=along(axis, slice(None, None, -1))) if reverse else x


def before(ans, axis):
    """The running product without the element itself."""
    delay = delayed(ans, axis, ans.shape[axis])
    return overwrite(delay, 1.0, index=along(axis, slice(0, 1)))


def cumprod_pull(g, x, ans, axis, reverse):
    """What each element meets: the product before it, times the sum over all later results of
    their cotangents and of the elements between. No division, so zeros need no case."""
    g, x, ans = (backwards(a, axis, reverse) for a in (g, x, ans))
    factors = delayed(backwards(x, axis), axis, x.shape[axis])
    after = backwards(linear_scan(factors, backwards(g, axis), axis), axis)
    return backwards(before(ans, axis) * after, axis, reverse)


def cumprod_push(t, x, ans, axis, reverse):
    t, x, ans = (backwards(a, axis, reverse) for a in (t, x, ans))
    return backwards(linear_scan(x, t * before(ans, axis), axis), axis, reverse)


cumprod = Op(
    "cumprod", mx.cumprod, args=("x",), batch=shift_axis, vjp=[cumprod_pull], jvp=[cumprod_push],
    doc="Running product along an axis, from its end if reverse.",
)

# --- no derivative ------------------------------------------------------------------------------


def position(name, kernel, doc):
    """An op that finds a position: axis is None (all elements) or one axis."""

    def batch(op, size, args, mapped, params):
        (x,), axis = args, params["axis"]
        if axis is None:
            x = x.reshape((size, -1))
            return op(x, axis=1, keepdims=False)
        return op(x, axis=axis + 1, keepdims=params["keepdims"])

    return nondiff(name, kernel, batch=batch, doc=doc)


argmax = position("argmax", lambda x, **at: mx.argmax(x, **at).astype(mx.int32),
                  "The position of the first largest element.")
argmin = position("argmin", lambda x, **at: mx.argmin(x, **at).astype(mx.int32),
                  "The position of the first smallest element.")
all_of = nondiff("all", reduce_kernels.all, batch=batch_reduction, doc="Whether all elements hold.")
any_of = nondiff("any", reduce_kernels.any, batch=batch_reduction, doc="Whether any element holds.")
