"""Ops that multiply and sum: bilinear, two transposes each."""

import mlx.core as mx

from functape.ops.families import bilinear, fit
from functape.ops.movement import reshape, spread, transpose

# --- matmul -------------------------------------------------------------------------------------


def flipped(x):
    """The last two axes exchanged."""
    n = len(x.shape)
    return transpose(x, axes=(*range(n - 2), n - 1, n - 2))


def rows(x):
    """All leading axes as one: a matrix."""
    return reshape(x, shape=(-1, x.shape[-1]))


def left_of_matmul(g, y, x_shape, x_dtype):
    return fit(matmul(g, flipped(y)), x_shape, x_dtype)


def right_of_matmul(g, x, y_shape, y_dtype):
    if len(y_shape) == 2 and len(x.shape) > 2:  # one product, rather than a batch and a sum
        return fit(matmul(flipped(rows(x)), rows(g)), y_shape, y_dtype)
    return fit(matmul(flipped(x), g), y_shape, y_dtype)


def batch_matmul(op, size, args, mapped, params):
    """A matrix that is not mapped serves the whole batch in one product."""
    x, y = args
    if mapped == (True, False) and len(y.shape) == 2:
        return op(x, y)
    full = max(len(a.shape) - m for a, m in zip(args, mapped, strict=True))
    x, y = (
        a.reshape((size, *(1,) * (full - len(a.shape) + 1), *a.shape[1:])) if m else a
        for a, m in zip(args, mapped, strict=True)
    )
    return op(x, y)


matmul = bilinear("matmul", mx.matmul, left_of_matmul, right_of_matmul, batch_matmul,
                  doc="Matrix product over the last two axes; leading axes broadcast.")
