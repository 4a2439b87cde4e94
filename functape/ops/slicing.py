"""Ops that read and write one block of an array, at a place that is itself an array.

The start has one integer for each axis, and the block lies within the array: functape.lax moves
it there.
"""

import mlx.core as mx

from functape.op import Op
from functape.ops.families import astype
from functape.ops.indexing import product, scatter, scatter_add, take, wide_enough
from functape.ops.movement import place, reshape, spread

# --- kernels ------------------------------------------------------------------------------------


def axes_of(shape):
    return tuple(range(len(shape)))


def block_kernel(x, i, sizes):
    return mx.slice(x, i, axes_of(x.shape), sizes)


def place_block_kernel(y, i, shape):
    return mx.slice_update(mx.zeros(shape, y.dtype), y, i, axes_of(shape))


def overwrite_block_kernel(x, y, i, sizes):
    y = y.astype(x.dtype) if isinstance(y, mx.array) else mx.full(sizes, y, x.dtype)
    return mx.slice_update(x, y, i, axes_of(x.shape))


# --- vmap: a start for each example makes positions in the examples laid end to end --------------


def positions(i, size, shape, sizes):
    """(size, *sizes): where each element of each example's block is."""
    total = product(shape)
    kind = wide_enough(size * total)
    strides = [product(shape[k + 1:]) for k in range(len(shape))]
    steps = zip((size, *sizes), (total, *strides), strict=True)
    grid = mx.meshgrid(*[mx.arange(m, dtype=kind) * stride for m, stride in steps],
                       sparse=True, indexing="ij")
    first = (i * Op.constant(mx.array(strides, dtype=kind))).sum(1)
    return reshape(first, shape=(size, *(1,) * len(shape))) + Op.constant(sum(grid))


def with_batch(i):
    """The start with a zero for the batch axis in front."""
    return place(i, index=(slice(1, None),), shape=(i.shape[0] + 1,))


def flat(a):
    return reshape(a, shape=(product(a.shape),))


def batch_block(op, size, args, mapped, params):
    (x, i), sizes = args, params["sizes"]
    if not mapped[1]:
        return op(x, with_batch(i), sizes=(size, *sizes))
    x = x if mapped[0] else spread(x, size)
    return take(flat(x), positions(i, size, x.shape[1:], sizes), axis=0)


def batch_place_block(op, size, args, mapped, params):
    (y, i), shape = args, params["shape"]
    if not mapped[1]:
        return op(y, with_batch(i), shape=(size, *shape))
    y = y if mapped[0] else spread(y, size)
    at = positions(i, size, shape, y.shape[1:])
    return reshape(scatter_add(y, at, axis=0, shape=(size * product(shape),)), shape=(size, *shape))


def batch_overwrite_block(op, size, args, mapped, params):
    (x, y, i), sizes = args, params["sizes"]
    x = x if mapped[0] else spread(x, size)
    y = y if mapped[1] or not hasattr(y, "shape") else spread(y, size)
    if not mapped[2]:
        return op(x, y, with_batch(i), sizes=(size, *sizes))
    at = positions(i, size, x.shape[1:], sizes)
    return reshape(scatter(flat(x), y, at, axis=0), shape=x.shape)


# --- the ops ------------------------------------------------------------------------------------

block = Op(
    "dynamic_slice", block_kernel, args=("x", "i"), batch=batch_block,
    vjp=[lambda g, i, x_shape: place_block(g, i, shape=x_shape), None],
    jvp=[lambda t, i, sizes: block(t, i, sizes=sizes), None],
    doc="The block of x of the given sizes that starts at i.",
)
place_block = Op(
    "dynamic_unslice", place_block_kernel, args=("y", "i"), batch=batch_place_block,
    vjp=[lambda g, i, y_shape: block(g, i, sizes=y_shape), None],
    jvp=[lambda t, i, shape: place_block(t, i, shape=shape), None],
    doc="Zeros of a shape, with y as a block that starts at i: the transpose of dynamic_slice.",
)
overwrite_block = Op(
    "dynamic_update_slice", overwrite_block_kernel, args=("x", "y", "i"),
    batch=batch_overwrite_block,
    vjp=[
        lambda g, i, sizes: overwrite_block(g, 0.0, i, sizes=sizes),
        lambda g, i, y_dtype, sizes: astype(block(g, i, sizes=sizes), dtype=y_dtype),
        None,
    ],
    jvp=[
        lambda t, i, sizes: overwrite_block(t, 0.0, i, sizes=sizes),
        lambda t, i, x_shape, ans_dtype: place_block(astype(t, dtype=ans_dtype), i, shape=x_shape),
        None,
    ],
    doc="x with the block of the given sizes that starts at i replaced by y.",
)
