"""MLX's reductions, safe on arrays without elements.

On the CPU (MLX 0.32.4) a reduction over an empty array may never end: it walks over shapes that
were never set. Here such a reduction gives the neutral element at once.
"""

import mlx.core as mx

WIDE = {mx.bool_: mx.int32, mx.int8: mx.int32, mx.int16: mx.int32, mx.uint8: mx.uint32,
        mx.uint16: mx.uint32}  # as MLX sums them


def guarded(kernel, neutral, dtype_of=lambda dtype: dtype):
    """The kernel, and arrays of `neutral` where there is nothing to reduce."""

    def reduce(x, axis=None, keepdims=False):
        if x.size:
            return kernel(x, axis, keepdims)
        shape = shape_after(x.shape, axis, keepdims)
        if neutral is None and 0 not in shape:
            raise ValueError("the largest or smallest of no elements")
        return mx.full(shape, neutral or 0).astype(dtype_of(x.dtype))

    reduce.__name__ = reduce.__qualname__ = kernel.__name__
    return reduce


def shape_after(shape, axis, keepdims):
    """The shape that is left when axes are reduced."""
    n = len(shape)
    axes = range(n) if axis is None else [a % n for a in (axis if isinstance(axis, (tuple, list))
                                                          else (axis,))]
    return [1 if i in axes else size for i, size in enumerate(shape) if keepdims or i not in axes]


def wide(dtype):
    """The dtype of a sum of elements of a dtype."""
    return WIDE.get(dtype, dtype)


def inexact(dtype):
    return dtype if mx.issubdtype(dtype, mx.inexact) else mx.float32


def boolean(dtype):
    return mx.bool_


NAN = float("nan")
sum = guarded(mx.sum, 0, wide)
prod = guarded(mx.prod, 1, wide)
mean = guarded(mx.mean, NAN, inexact)


def var(x, axis, keepdims, ddof):
    return guarded(lambda x, *where: mx.var(x, *where, ddof), NAN, inexact)(x, axis, keepdims)


max = guarded(mx.max, None)
min = guarded(mx.min, None)
logsumexp = guarded(mx.logsumexp, -float("inf"), inexact)
any = guarded(mx.any, 0, boolean)
all = guarded(mx.all, 1, boolean)
