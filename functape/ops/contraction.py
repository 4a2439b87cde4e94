"""Ops that multiply and sum: bilinear, two transposes each."""

import mlx.core as mx

from functape.ops.families import bilinear, fit
from functape.ops.movement import reshape, transpose

# --- matmul -------------------------------------------------------------------------------------


def matmul_kernel(x, y):
    """MLX multiplies matrices of floats only; integers go through float64, exact below 2^53."""
    try:
        return mx.matmul(x, y)
    except ValueError:
        if mx.issubdtype(mx.result_type(x.dtype, y.dtype), mx.inexact):
            raise
    product = mx.matmul(x.astype(mx.float64, stream=mx.cpu), y.astype(mx.float64, stream=mx.cpu),
                        stream=mx.cpu)
    dtype = mx.result_type(x.dtype, y.dtype)
    product = mx.not_equal(product, 0, stream=mx.cpu) if dtype == mx.bool_ else product
    return product.astype(dtype, stream=mx.cpu)


def flipped(x):
    """The last two axes exchanged."""
    n = len(x.shape)
    return transpose(x, axes=(*range(n - 2), n - 1, n - 2))


def rows(x):
    """All leading axes as one: a matrix."""
    n = x.shape[-1]
    size = 1
    for k in x.shape[:-1]:
        size *= k
    return reshape(x, shape=(size, n))


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
    if mapped == (False, True) and len(x.shape) == 2 and y.shape[1:] == (x.shape[1], 1):
        product = op(reshape(y, shape=y.shape[:2]), flipped(x))  # columns, as the rows of a matrix
        return reshape(product, shape=(*product.shape, 1))
    full = max(len(a.shape) - m for a, m in zip(args, mapped, strict=True))
    x, y = (
        a.reshape((size, *(1,) * (full - len(a.shape) + 1), *a.shape[1:])) if m else a
        for a, m in zip(args, mapped, strict=True)
    )
    return op(x, y)


matmul = bilinear("matmul", matmul_kernel, left_of_matmul, right_of_matmul, batch_matmul,
                  doc="Matrix product over the last two axes; leading axes broadcast.")

# --- contraction --------------------------------------------------------------------------------
#
# x, y and the result each have an axis for some labels, every label once. A label in x and y but
# not in the result is summed over. No label stands in one of the three only: then both transposes
# are contractions with the roles exchanged, and so are theirs.


def contract_kernel(x, y, x_labels, y_labels, labels):
    """One product of matrices (a batch of them, for labels that all three have)."""
    batch = tuple(k for k in x_labels if k in y_labels and k in labels)
    inner = tuple(k for k in x_labels if k in y_labels and k not in labels)
    left = tuple(k for k in x_labels if k not in y_labels)
    right = tuple(k for k in y_labels if k not in x_labels)
    lengths = dict(zip((*x_labels, *y_labels), (*x.shape, *y.shape), strict=True))
    found = batch + left + right
    if inner or not (batch or not left or not right):
        product = matmul_kernel(as_matrix(x, x_labels, batch, left, inner, lengths),
                                as_matrix(y, y_labels, batch, inner, right, lengths))
    else:
        product = mx.multiply(as_matrix(x, x_labels, batch, left, (), lengths),
                              as_matrix(y, y_labels, batch, (), right, lengths))
    product = mx.reshape(product, [lengths[k] for k in found])
    if found == labels:
        return product
    return mx.transpose(product, [found.index(k) for k in labels])


def as_matrix(x, labels, batch, row, column, lengths):
    """x with three axes: the batch, and two groups of labels. A group that needs no copy gets
    none: where the groups stand the other way round, they are exchanged as a whole."""
    def grouped(groups):
        return [size_of(lengths[k] for k in group) for group in groups]

    if labels == batch + column + row and row and column:
        return mx.swapaxes(mx.reshape(x, grouped((batch, column, row))), 1, 2)
    order = batch + row + column
    if labels != order:
        x = mx.transpose(x, [labels.index(k) for k in order])
    return mx.reshape(x, grouped((batch, row, column)))


def size_of(lengths):
    n = 1
    for k in lengths:
        n *= k
    return n


def left_of_contract(g, y, x_shape, x_dtype, x_labels, y_labels, labels):
    found = contract(g, y, x_labels=labels, y_labels=y_labels, labels=x_labels)
    return fit(found, x_shape, x_dtype)


def right_of_contract(g, x, y_shape, y_dtype, x_labels, y_labels, labels):
    found = contract(x, g, x_labels=x_labels, y_labels=labels, labels=y_labels)
    return fit(found, y_shape, y_dtype)


def batch_contract(op, size, args, mapped, params):
    """The batch axis is one more label."""
    new = 1 + max((-1, *params["x_labels"], *params["y_labels"]))
    x_labels, y_labels = (
        (new, *params[key]) if m else params[key]
        for key, m in zip(("x_labels", "y_labels"), mapped, strict=True)
    )
    return op(*args, x_labels=x_labels, y_labels=y_labels, labels=(new, *params["labels"]))


contract = bilinear(
    "contract", contract_kernel, left_of_contract, right_of_contract, batch_contract,
    doc="Two arrays multiplied and summed over the labels that the result lacks.",
)
