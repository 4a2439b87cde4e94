"""Ops that move elements without changing them. All are linear: a kernel and its transpose.

Parameters are canonical here: axes are non-negative, shapes are complete tuples.
"""

import mlx.core as mx

from functape.op import LINEAR, Op
from functape.ops.families import batch_reduction, batch_same, broadcast_to, fit, linear, scale

# --- shape --------------------------------------------------------------------------------------


def inverse(axes):
    """The permutation that undoes `axes`."""
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


reshape = linear(
    "reshape", mx.reshape, lambda g, x_shape: reshape(g, shape=x_shape),
    lambda op, size, args, mapped, params: op(*args, shape=(size, *params["shape"])),
    doc="The same elements in another shape.",
)
transpose = linear(
    "transpose", mx.transpose, lambda g, axes: transpose(g, axes=inverse(axes)),
    lambda op, size, args, mapped, params: op(*args, axes=(0, *(a + 1 for a in params["axes"]))),
    doc="The axes in another order.",
)

copy_of = linear(
    "copy", lambda x: mx.array(x), lambda g: g, batch_same,
    doc="Another array of the same elements.",
)
roll = linear(
    "roll", lambda x, shift, axis: mx.roll(x, shift, axis),
    lambda g, shift, axis: roll(g, shift=tuple(-s for s in shift), axis=axis), batch_reduction,
    doc="The elements moved along axes, around the end.",
)

# --- cutting ------------------------------------------------------------------------------------


def cut_kernel(x, index):
    return x[index]


def place_kernel(x, index, shape):
    out = mx.zeros(shape, x.dtype)
    out[index] = x
    return out


def batch_index(op, size, args, mapped, params):
    """The index skips the batch axis."""
    params = {**params, "index": (slice(None), *params["index"])}
    if "shape" in params:
        params["shape"] = (size, *params["shape"])
    return op(*args, **params)


cut = linear(
    "slice", cut_kernel, lambda g, x_shape, index: place(g, index=index, shape=x_shape),
    batch_index, doc="x[index], where the index has integers, slices and None only.",
)
place = linear(
    "unslice", place_kernel, lambda g, index: cut(g, index=index), batch_index,
    doc="Zeros of a shape, with x at the index: the transpose of slice.",
)


def overwrite_kernel(x, y, index):
    out = x.astype(x.dtype)  # a new handle: writing to it leaves x as it is
    out[index] = y.astype(x.dtype) if isinstance(y, mx.array) else y
    return out


def batch_overwrite(op, size, args, mapped, params):
    x, y = (a if m else spread(a, size) for a, m in zip(args, mapped, strict=True))
    region = len(cut_shape(x.shape[1:], params["index"]))
    y = y.reshape((size, *(1,) * (region - len(y.shape) + 1), *y.shape[1:]))
    return batch_index(op, size, (x, y), mapped, params)


def cut_shape(shape, index):
    return mx.zeros(shape)[index].shape


overwrite = Op(
    "slice_update", overwrite_kernel, args=("x", "y"), batch=batch_overwrite,
    vjp=[
        lambda g, index: overwrite(g, 0.0, index=index),
        lambda g, y_shape, y_dtype, index: fit(cut(g, index=index), y_shape, y_dtype),
    ],
    jvp=[
        lambda t, index: overwrite(t, 0.0, index=index),
        lambda t, x, index: overwrite(scale(0.0, x), t, index=index),
    ],
    doc="x with y written at an index of integers, slices and None.",
)

# --- joining and splitting ----------------------------------------------------------------------


def part(g, shapes, axis, *, index):
    """What of g came from argument `index`."""
    start = sum(shape[axis] for shape in shapes[:index])
    return cut(g, index=along(axis, slice(start, start + shapes[index][axis])))


def along(axis, s):
    """The index that applies a slice to one axis."""
    return (*(slice(None),) * axis, s)


def spread(a, size):
    """A value without batch axis, repeated along a new leading one."""
    a = a if hasattr(a, "shape") else Op.constant(a)
    return broadcast_to(a, shape=(size, *a.shape))


def batch_joined(op, size, args, mapped, params):
    args = [a if m else spread(a, size) for a, m in zip(args, mapped, strict=True)]
    return op(*args, axis=params["axis"] + 1)


def shift_axis(op, size, args, mapped, params):
    return op(*args, **{**params, "axis": params["axis"] + 1})


concatenate = Op(
    "concatenate", lambda *xs, axis: mx.concatenate(list(xs), axis), args=("*xs",), vjp=[part],
    jvp=LINEAR, batch=batch_joined, doc="Arrays joined along an axis.",
)
stack = Op(
    "stack", lambda *xs, axis: mx.stack(list(xs), axis), args=("*xs",),
    vjp=[lambda g, axis, *, index: cut(g, index=along(axis, index))],
    jvp=LINEAR, batch=batch_joined, doc="Arrays stacked along a new axis.",
)
split = linear(
    "split", lambda x, at, axis: tuple(mx.split(x, list(at), axis)),
    lambda g, axis: concatenate(*g, axis=axis), shift_axis,
    doc="An array cut into parts at given positions along an axis.",
)
