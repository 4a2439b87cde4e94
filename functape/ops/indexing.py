"""Ops that read and write at positions given by integer arrays.

All of them work along one axis; functape.numpy merges axes where a key indexes several. Indices
count from the start, or from the end if negative, and lie within the axis: see `ravel_index`.
"""

import math

import mlx.core as mx

from functape.op import Op
from functape.ops.elementwise import equal
from functape.ops.families import astype, batch_elementwise, fit, linear, nondiff
from functape.ops.movement import reshape, shift_axis, spread, stack, transpose

NARROW = 8  # rows shorter than this are moved faster element by element (measured on a CPU)

# --- along one axis: the kernels ------------------------------------------------------------------


def product(lengths):
    n = 1
    for k in lengths:
        n *= k
    return n


def three(shape, axis):
    """A shape as (before the axis, the axis, after it)."""
    return product(shape[:axis]), shape[axis], product(shape[axis + 1:])


def column(i, shape):
    """An index as (1, m, 1), which broadcasts over what is before and after the axis."""
    return mx.broadcast_to(i.reshape(1, -1, 1), shape)


def take_kernel(x, i, axis):
    (pre, n, post), shape = three(x.shape, axis), (*x.shape[:axis], *i.shape, *x.shape[axis + 1:])
    if 0 in shape:
        return mx.zeros(shape, x.dtype)
    if i.dtype == mx.uint64:  # which an offset would promote to a float
        i = i.astype(mx.int64)
    if post < NARROW:
        return mx.take_along_axis(x.reshape(pre, n, post), i.reshape(1, -1, 1), 1).reshape(shape)
    if pre == 1:
        return mx.take(x.reshape(n, post), i, axis=0).reshape(shape)
    row = offset_kernel(mx.broadcast_to(i.reshape(1, -1), (pre, i.size)), n, 0)
    return mx.take(x.reshape(pre * n, post), row, axis=0).reshape(shape)


def scatter_add_kernel(y, i, axis, shape):
    pre, n, post = three(shape, axis)
    y = y.reshape(pre, i.size, post)
    return add_along_kernel(y, column(i, y.shape), 1, (pre, n, post)).reshape(shape)


def add_along_kernel(y, i, axis, shape):
    """MLX has this sum, twenty times faster than its scatter, but only as a cotangent."""
    out = mx.zeros(shape, y.dtype)
    if 0 in y.shape:
        return out
    return mx.vjp(lambda x: mx.take_along_axis(x, i, axis), [out], [y])[1][0]


def scatter_kernel(x, y, i, axis):
    pre, n, post = three(x.shape, axis)
    region = (pre, i.size, post)
    if 0 in region:
        return mx.array(x)
    y = y.astype(x.dtype).reshape(region) if isinstance(y, mx.array) else mx.array(y, x.dtype)
    out = x.reshape(pre, n, post)
    return mx.put_along_axis(out, column(i, region), y, 1).reshape(x.shape)


def extreme_kernel(method):
    """By MLX's scatter, which forgets a NaN when a number follows: they are put back."""

    def kernel(x, y, i, axis):
        if 0 in x.shape or 0 in y.shape:
            return mx.array(x)
        y = y.astype(x.dtype)
        out = getattr(x.at[(*(slice(None),) * axis, i)], method)(y)
        if not mx.issubdtype(x.dtype, mx.inexact):
            return out
        unknown = scatter_add_kernel(mx.isnan(y).astype(mx.int32), i, axis, x.shape)
        return mx.where(mx.isnan(x) | (unknown > 0), mx.array(math.nan, x.dtype), out)

    return kernel


def take_along_kernel(x, i, axis):
    return mx.zeros(i.shape, x.dtype) if 0 in i.shape else mx.take_along_axis(x, i, axis)


# --- along one axis: vmap -------------------------------------------------------------------------


def offset_kernel(i, n, axis):
    at = mx.arange(i.shape[axis], dtype=wide_enough(i.shape[axis] * n))
    return i % n + n * at.reshape(-1, *(1,) * (len(i.shape) - axis - 1))


offset_index = nondiff(
    "offset_index", offset_kernel, batch=shift_axis,
    doc="Indices into an axis of length n, for many such axes laid end to end.",
)


def inward(a, axis):
    """The leading batch axis moved to just before `axis`."""
    n = len(a.shape)
    return transpose(a, axes=(*range(1, axis + 1), 0, *range(axis + 1, n))) if axis else a


def outward(a, axis):
    """The batch axis, which is at `axis`, moved to the front."""
    n = len(a.shape)
    return transpose(a, axes=(axis, *range(axis), *range(axis + 1, n))) if axis else a


def fold(a, axis):
    """Batch axis and `axis` as one: the examples laid end to end."""
    a = inward(a, axis)
    s = a.shape
    return reshape(a, shape=(*s[:axis], s[axis] * s[axis + 1], *s[axis + 2:]))


def unfold(a, size, axis):
    s = a.shape
    return outward(reshape(a, shape=(*s[:axis], size, s[axis] // size, *s[axis + 1:])), axis)


def batch_take(op, size, args, mapped, params):
    (x, i), axis = args, params["axis"]
    if not mapped[1]:
        return op(x, i, axis=axis + 1)
    if mapped[0]:
        x, i = fold(x, axis), offset_index(i, n=x.shape[axis + 1], axis=0)
    return outward(op(x, i, axis=axis), axis)


def batch_scatter_add(op, size, args, mapped, params):
    (y, i), axis, shape = args, params["axis"], params["shape"]
    if not mapped[1]:
        return op(y, i, axis=axis + 1, shape=(size, *shape))
    n = shape[axis]
    y, i = inward(y if mapped[0] else spread(y, size), axis), offset_index(i, n=n, axis=0)
    out = op(y, i, axis=axis, shape=(*shape[:axis], size * n, *shape[axis + 1:]))
    return unfold(out, size, axis)


def batch_scatter(op, size, args, mapped, params):
    (x, y, i), axis = args, params["axis"]
    x = x if mapped[0] else spread(x, size)
    number = not hasattr(y, "shape")
    y = y if mapped[1] or number else spread(y, size)
    if not mapped[2]:
        return op(x, y, i, axis=axis + 1)
    i = offset_index(i, n=x.shape[axis + 1], axis=0)
    return unfold(op(fold(x, axis), y if number else inward(y, axis), i, axis=axis), size, axis)


def batch_along(op, size, args, mapped, params):
    x, i = (a if m else spread(a, size) for a, m in zip(args, mapped, strict=True))
    params = {**params, "axis": params["axis"] + 1}
    if "shape" in params:
        params["shape"] = (size, *params["shape"])
    return op(x, i, **params)


# --- along one axis: the ops ----------------------------------------------------------------------

take = Op(
    "take", take_kernel, args=("x", "i"), batch=batch_take,
    vjp=[lambda g, i, x_shape, axis: scatter_add(g, i, axis=axis, shape=x_shape), None],
    jvp=[lambda t, i, axis: take(t, i, axis=axis), None],
    doc="The entries of x at the indices i along an axis, whose place the axes of i take.",
)
scatter_add = Op(
    "scatter_add", scatter_add_kernel, args=("y", "i"), batch=batch_scatter_add,
    vjp=[lambda g, i, axis: take(g, i, axis=axis), None],
    jvp=[lambda t, i, axis, shape: scatter_add(t, i, axis=axis, shape=shape), None],
    doc="Zeros of a shape, with y added at the indices i along an axis: the transpose of take.",
)
scatter = Op(
    "scatter", scatter_kernel, args=("x", "y", "i"), batch=batch_scatter,
    vjp=[
        lambda g, i, axis: scatter(g, 0.0, i, axis=axis),
        lambda g, i, y_shape, y_dtype, axis: fit(take(g, i, axis=axis), y_shape, y_dtype),
        None,
    ],
    jvp=[
        lambda t, i, axis: scatter(t, 0.0, i, axis=axis),
        lambda t, i, x_shape, x_dtype, y_shape, axis: scatter_add(
            fit(t, y_shape, x_dtype), i, axis=axis, shape=x_shape),
        None,
    ],
    doc="x with y written at the indices i along an axis; the indices are distinct.",
)


def shares(x, y, i, ans, axis):
    """Which part of a change each candidate for an extreme passes on: ties share evenly."""
    mine = astype(equal(x, ans), dtype=ans.dtype)
    y = fit(y, y.shape, ans.dtype)
    theirs = astype(equal(y, take(ans, i, axis=axis)), dtype=ans.dtype)
    count = mine + scatter_add(theirs, i, axis=axis, shape=ans.shape)
    return mine / count, theirs / take(count, i, axis=axis)


def from_target(g, x, y, i, ans, axis):
    return g * shares(x, y, i, ans, axis)[0]


def from_values(g, x, y, i, ans, axis):
    return fit(take(g, i, axis=axis) * shares(x, y, i, ans, axis)[1], y.shape, y.dtype)


def into_result(t, x, y, i, ans, axis):
    moved = fit(t * shares(x, y, i, ans, axis)[1], y.shape, ans.dtype)
    return scatter_add(moved, i, axis=axis, shape=ans.shape)


def scatter_extreme(name, method, doc):
    return Op(name, extreme_kernel(method), args=("x", "y", "i"), batch=batch_scatter, doc=doc,
              vjp=[from_target, from_values, None], jvp=[from_target, into_result, None])


scatter_max = scatter_extreme(
    "scatter_max", "maximum",
    "The larger of x and every y at the indices i along an axis.",
)
scatter_min = scatter_extreme(
    "scatter_min", "minimum",
    "The smaller of x and every y at the indices i along an axis.",
)
take_along_axis = Op(
    "take_along_axis", take_along_kernel, args=("x", "i"), batch=batch_along,
    vjp=[lambda g, i, x_shape, axis: add_along_axis(g, i, axis=axis, shape=x_shape), None],
    jvp=[lambda t, i, axis: take_along_axis(t, i, axis=axis), None],
    doc="One entry along an axis for each index in i, whose other axes are those of x.",
)
add_along_axis = Op(
    "add_along_axis", add_along_kernel, args=("y", "i"), batch=batch_along,
    vjp=[lambda g, i, axis: take_along_axis(g, i, axis=axis), None],
    jvp=[lambda t, i, axis, shape: add_along_axis(t, i, axis=axis, shape=shape), None],
    doc="Zeros of a shape, with y added along an axis at i: the transpose of take_along_axis.",
)
unstack = linear(
    "unstack", lambda x, axis: tuple(mx.moveaxis(x, axis, 0)[k] for k in range(x.shape[axis])),
    lambda g, axis: stack(*g, axis=axis), shift_axis,
    doc="The entries along an axis, each an array without it.",
)

# --- indices --------------------------------------------------------------------------------------


def wide_enough(count):
    return mx.int32 if count < 2**31 else mx.int64


def signed(i):
    return mx.issubdtype(i.dtype, mx.signedinteger)


def ravel_kernel(*xs, sizes, drop):
    """Row by row; an index that is negative after wrapping is, without its sign, a huge one."""
    total, flat, inside = product(sizes), 0, True
    xs = [i.astype(mx.int32) if i.dtype.size < 4 else i for i in xs]
    if len(xs) == 1 and not drop:
        return mx.clip(xs[0], -total, total - 1) if signed(xs[0]) else mx.minimum(xs[0], total - 1)
    for i, n in zip(xs, sizes, strict=True):
        i = i + n * (i < 0) if signed(i) else i
        if not drop:
            i = mx.clip(i, 0, n - 1)
        else:
            i = i.astype(mx.uint32 if i.dtype.size == 4 else mx.uint64)
            if len(xs) == 1:
                return mx.minimum(i, total).astype(wide_enough(total + 1))
            inside = (i < n) & inside
        flat = flat * n + i.astype(wide_enough(total + 1))
    return mx.where(inside, flat, total) if drop else flat


ravel_index = nondiff(
    "ravel_index", ravel_kernel, args=("*xs",), batch=batch_elementwise,
    doc="Indices into axes of the given sizes, one array an axis, as positions within those axes "
    "taken together. What lies outside goes to the nearest end, or with `drop` past the end.",
)


def keep_last_kernel(i, size, lead):
    """By writing each update's number at its index and seeing whose number stays."""
    if i.size == 0:
        return i
    flat = i.reshape(*i.shape[:lead], -1)
    mine = mx.broadcast_to(mx.arange(flat.shape[-1]), flat.shape)
    last = mx.put_along_axis(mx.zeros((*flat.shape[:-1], size + 1), mx.int32), flat, mine, -1)
    return mx.where(mx.take_along_axis(last, flat, -1) == mine, flat, size).reshape(i.shape)


def batch_keep_last(op, size, args, mapped, params):
    return op(*args, size=params["size"], lead=params["lead"] + 1)


keep_last = nondiff(
    "keep_last", keep_last_kernel, batch=batch_keep_last,
    doc="Indices into an axis of a size, with every repetition but one sent past its end.",
)
