"""Gaussian elimination of complex matrices, in real arithmetic: on rows and blocks, as
functape.ops.complex_rows has them.

S. Toledo, Locality of reference in LU decomposition with partial pivoting (1997).
"""

import mlx.core as mx

from functape.ops import reduce_kernels
from functape.ops.complex_rows import before, behind, blocks, halves, transposed, unit_rows
from functape.ops.linalg import triangular_inverse


def lu(rows):
    """The order of the rows of x in L U, the row exchanges one by one, and the rows of L and U."""
    *batch, height, n = rows.shape
    m, k = height // 2, min(height // 2, n)
    if not rows.size:
        order = mx.broadcast_to(mx.arange(m, dtype=mx.int32), (*batch, m))
        low, up = (unit_rows(batch, *shape, rows.dtype) for shape in ((m, k), (k, n)))
        return order, order[..., :k], low, up
    order, pivots, low, up = eliminated(rows[..., :k])
    if k < n:
        right = solved(low, permuted(rows[..., k:], order))
        up = mx.concatenate([up, right], -1)
    return order, pivots, low, up


def lu_matrices(rows):
    """The permutation matrix P and the rows of L and U, with P L U = x."""
    order, _, low, up = lu(rows)
    places = mx.arange(order.shape[-1], dtype=order.dtype)[:, None]
    return (order[..., None, :] == places).astype(rows.dtype), low, up


def pivots(rows):
    """The sign of the permutation, and the diagonal of U: its real and its imaginary part."""
    _, exchanges, _, up = lu(rows)
    moved = exchanges != mx.arange(exchanges.shape[-1], dtype=exchanges.dtype)
    sign = 1 - 2 * (reduce_kernels.sum(moved, axis=-1) % 2)
    return sign.astype(rows.dtype), *(mx.diagonal(part, axis1=-2, axis2=-1) for part in halves(up))


def eliminated(rows):
    """The same for a matrix that is not wide: first its left half, then what that leaves."""
    n = rows.shape[-1]
    if n == 1:
        return pivoted(rows)
    half = n // 2
    order, pivots, low, up = eliminated(rows[..., :half])
    right = permuted(rows[..., half:], order)
    low, rest_low = low[..., : 2 * half, :], low[..., 2 * half:, :]
    upper = solved(low, right[..., : 2 * half, :])
    rest = right[..., 2 * half:, :] - blocks(rest_low) @ upper
    last, last_pivots, corner_low, corner_up = eliminated(rest)
    order = mx.concatenate(
        [order[..., :half], mx.take_along_axis(order[..., half:], last, -1)], -1)
    low = mx.concatenate([before(low, n - half),
                          mx.concatenate([permuted(rest_low, last), corner_low], -1)], -2)
    up = mx.concatenate([mx.concatenate([up, upper], -1), behind(half, corner_up)], -2)
    return order, mx.concatenate([pivots, last_pivots + half], -1), low, up


def pivoted(column):
    """One column over its largest number, which comes first; a column of zeros stays."""
    *batch, height, _ = column.shape
    numbers = column.reshape(*batch, height // 2, 2)
    row = mx.arange(height // 2, dtype=mx.int32)
    pivot = mx.argmax(mx.sum(mx.abs(numbers), axis=-1), axis=-1, keepdims=True).astype(mx.int32)
    order = mx.where(row == 0, pivot, mx.where(row == pivot, 0, row))
    numbers = mx.take_along_axis(numbers, order[..., None], -2)
    up, rest = numbers[..., :1, :], numbers[..., 1:, :]
    tiny = mx.finfo(column.dtype).smallest_normal
    most = mx.maximum(mx.max(mx.abs(up), axis=-1, keepdims=True), tiny)
    over = up / most
    over = over / mx.maximum(mx.sum(mx.square(over), axis=-1, keepdims=True), tiny)
    low = (rest / most) @ blocks(transposed(over))  # times the conjugate, as rows
    one = mx.broadcast_to(mx.array([[1.0], [0.0]], column.dtype), (*batch, 2, 1))
    low = mx.concatenate([one, low.reshape(*batch, height - 2, 1)], -2)
    return order, pivot, low, transposed(up)


def permuted(rows, order):
    """The pairs of rows in another order."""
    *batch, height, n = rows.shape
    numbers = rows.reshape(*batch, height // 2, 2 * n)
    return mx.take_along_axis(numbers, order[..., None], -2).reshape(rows.shape)


def solved(low, rows):
    """L^-1 times rows, for the unit lower triangle L in the first rows of `low`."""
    n = low.shape[-1]
    return triangular_inverse(blocks(low[..., : 2 * n, :])) @ rows

