"""Ops that multiply and sum: bilinear, two transposes each."""

import functools
import itertools
from collections.abc import Callable
from typing import NamedTuple

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


# Of a vector and a vector, or a matrix: the labels of x, y and the product, as for `contract`.
VECTORS = {(1, 1): ((0,), (0,), ()), (1, 2): ((0,), (0, 1), (1,)), (2, 1): ((0, 1), (1,), (0,))}
LABELS = ("x_labels", "y_labels", "labels")


def left_of_matmul(g, y, x_shape, x_dtype):
    axes = VECTORS.get((len(x_shape), len(y.shape)))
    if axes is not None:
        return left_of_contract(g, y, x_shape, x_dtype, *axes)
    return fit(matmul(g, flipped(y)), x_shape, x_dtype)


def right_of_matmul(g, x, y_shape, y_dtype):
    axes = VECTORS.get((len(x.shape), len(y_shape)))
    if axes is not None:
        return right_of_contract(g, x, y_shape, y_dtype, *axes)
    if len(y_shape) == 2 and len(x.shape) > 2:  # one product, rather than a batch and a sum
        return fit(matmul(flipped(rows(x)), rows(g)), y_shape, y_dtype)
    return fit(matmul(flipped(x), g), y_shape, y_dtype)


def batch_matmul(op, size, args, mapped, params):
    """A matrix that is not mapped serves the whole batch in one product."""
    x, y = args
    axes = VECTORS.get(tuple(len(a.shape) - m for a, m in zip(args, mapped, strict=True)))
    if axes is not None:
        return batch_contract(contract, size, args, mapped, dict(zip(LABELS, axes, strict=True)))
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
                  doc="Matrix product over the last two axes; leading axes broadcast. Beside a "
                      "matrix or a vector, a vector on the left is a row, on the right a column.")

# --- contraction --------------------------------------------------------------------------------
#
# x, y and the result each have an axis for some labels, every label once. A label in x and y but
# not in the result is summed over. No label stands in one of the three only: then both transposes
# are contractions with the roles exchanged, and so are theirs.


def contract_kernel(x, y, x_labels, y_labels, labels):
    """One product of matrices (a batch of them, for labels that all three have)."""
    way = way_to(x_labels, y_labels, labels)
    product = way.multiply(as_matrix(x, *way.x), as_matrix(y, *way.y))
    if way.apart is not None:
        lengths = dict(zip((*x_labels, *y_labels), (*x.shape, *y.shape), strict=True))
        product = mx.reshape(product, [lengths[k] for k in way.apart])
    return product if way.axes is None else mx.transpose(product, way.axes)


class Way(NamedTuple):
    """How to contract: for x and y the arguments of `as_matrix`; what to do with the matrices; the
    labels of the product, if its axes stand for groups of them; the order of axes in which to
    return it (None in both: as it is)."""

    x: tuple
    y: tuple
    multiply: Callable
    apart: tuple | None
    axes: list | None


@functools.lru_cache(4096)
def way_to(x_labels, y_labels, labels):
    """How to contract arrays with these labels."""
    batch = tuple(k for k in x_labels if k in y_labels and k in labels)
    inner = tuple(k for k in x_labels if k in y_labels and k not in labels)
    left = tuple(k for k in labels if k not in y_labels)
    right = tuple(k for k in labels if k not in x_labels)
    multiply = matmul_kernel if inner or not (batch or not left or not right) else mx.multiply
    leading = [batch] if batch else []
    vectors = inner and not batch  # which have no other axis
    rows, columns = ([] if vectors and not group else [group] for group in (left, right))
    x = grouped(x_labels, [*leading, *rows, inner])
    y = grouped(y_labels, [*leading, inner, *columns])
    groups = leading + rows + columns
    if left and right and inner and labels == (*batch, *right, *left):
        groups = leading + columns + rows
        multiply = flipped_product
    found = joined(groups)
    apart = None if all(len(group) == 1 for group in groups) else found
    axes = None if found == labels else [found.index(k) for k in labels]
    return Way(x, y, multiply, apart, axes)


def flipped_product(x, y):
    """The transpose of x y, in the order of its axes in memory."""
    return matmul_kernel(mx.swapaxes(y, -1, -2), mx.swapaxes(x, -1, -2))


def grouped(labels, groups):
    """(axes, cuts, flipped): how to give an array one axis for each group. Two that need no copy
    get none: where they stand the other way round, they are exchanged as a whole."""
    exchanged = [*groups[:-2], *reversed(groups[-2:])]
    flipped = labels == joined(exchanged) != joined(groups)
    groups = exchanged if flipped else groups
    order, ends = joined(groups), [*itertools.accumulate(map(len, groups))]
    axes = None if labels == order else [labels.index(k) for k in order]
    apart = all(len(group) == 1 for group in groups)
    return axes, None if apart else [*zip([0, *ends], ends, strict=False)], flipped


def joined(groups):
    return tuple(itertools.chain.from_iterable(groups))


def as_matrix(x, axes, cuts, flipped):
    if axes is not None:
        x = mx.transpose(x, axes)
    if cuts is not None:
        shape = x.shape
        x = mx.reshape(x, [size_of(shape[i:j]) for i, j in cuts])
    return mx.swapaxes(x, -1, -2) if flipped else x


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
