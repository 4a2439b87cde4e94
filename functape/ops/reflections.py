"""Unitary reductions of complex matrices, in real arithmetic: on rows and blocks, as
functape.ops.complex_rows has them.

Householder's reflections come in LAPACK's form, 1 - t v v^H with a complex t, which makes a column
real beside zeros; here v is two real columns and t a block. A product of them is 1 - v t v^T too.
R. Schreiber and C. Van Loan, A storage-efficient WY representation for products of Householder
transformations (1989); E. Elmroth and F. Gustavson, Applying recursion to serial and parallel QR
factorization leads to better performance (2000).
"""

import mlx.core as mx

from functape.ops.complex_rows import (
    above,
    adjoint_rows,
    behind,
    below,
    blocks,
    transposed,
    unit_rows,
)

# --- reflections --------------------------------------------------------------------------------


def reflection(column):
    """(v, t) and the real number, (..., 1, 1), which 1 - v t^T v^T makes of a column, with
    LAPACK's choice of sign. The column is scaled first, so that no square over- or underflows."""
    most = mx.max(mx.abs(column), axis=-2, keepdims=True)
    most = mx.maximum(most, mx.finfo(column.dtype).smallest_normal)
    column = column / most
    re, rest = column[..., :1, :], column[..., 1:, :]
    beside = sum_of_squares(rest)
    settled = beside == 0  # a real number above zeros already
    size = mx.sqrt(beside + mx.square(re))
    end = mx.where(mx.not_equal(re < 0, settled), size, -size)
    v = mx.concatenate([re - end, rest], -2)
    first = v[..., :2, :]
    t = first / mx.where(settled, 1, -end * sum_of_squares(first))
    both = blocks(mx.concatenate([v, t], -2))
    return (both[..., :-2, :], both[..., -2:, :]), end * most


def sum_of_squares(column):
    return mx.sum(mx.square(column), axis=-2, keepdims=True)


def joined(first, second):
    """The product of two reflections, of which the second leaves the uppermost rows alone."""
    (v, t), (w, u) = first, second
    w = below(v.shape[-2] - w.shape[-2], w)
    corner = -(t @ (transposed(v) @ w) @ u)
    upper, lower = mx.concatenate([t, corner], -1), behind(t.shape[-1], u)
    return mx.concatenate([v, w], -1), mx.concatenate([upper, lower], -2)


def product(reflections):
    """All of a list, each of fewer rows than the one before it, as one."""
    if len(reflections) == 1:
        return reflections[0]
    half = len(reflections) // 2
    return joined(product(reflections[:half]), product(reflections[half:]))


def applied(reflected, rows):
    """A product of reflections times rows; those above it stay."""
    v, t = reflected
    v = below(rows.shape[-2] - v.shape[-2], v)
    return rows - v @ (t @ (transposed(v) @ rows))


def adjoint_applied(reflected, rows):
    v, t = reflected
    return rows - v @ (transposed(t) @ (transposed(v) @ rows))


# --- QR -----------------------------------------------------------------------------------------


def triangularised(rows):
    """Reflections whose product is Q, and the rows of R, of a matrix that is not wide."""
    n = rows.shape[-1]
    if n == 1:
        reflected, end = reflection(rows)
        return reflected, above(end, 1)
    half = n // 2
    first, left = triangularised(rows[..., :half])
    right = adjoint_applied(first, rows[..., half:])
    second, corner = triangularised(right[..., 2 * half:, :])
    upper = mx.concatenate([left, right[..., : 2 * half, :]], -1)
    return joined(first, second), mx.concatenate([upper, behind(half, corner)], -2)


def qr(rows, full):
    """The rows of Q, of as many columns as x has or of as many as it has rows, and those of R."""
    *batch, height, n = rows.shape
    m = height // 2
    eye = unit_rows(batch, m, m if full else n, rows.dtype)
    if not rows.size:
        return eye, mx.zeros((*batch, 2 * eye.shape[-1], n), rows.dtype)
    reflected, r = triangularised(rows)
    if full and m > n:
        r = above(r, height - 2 * n)
    return applied(reflected, eye), r


# --- two-sided reductions -----------------------------------------------------------------------


def tridiagonalised(x):
    """The diagonals of a real symmetric tridiagonal matrix and the reflections that make it of a
    Hermitian x, given as blocks: x = Q T Q^H."""
    diagonal, side, reflections = [x[..., 0, 0]], [], []
    while x.shape[-1] > 2:
        (v, t), end = reflection(x[..., 2:, :1])
        x = x[..., 2:, 2:]
        p = x @ v @ t
        y = p - v @ (transposed(t) @ (transposed(v) @ p)) * 0.5
        x = x - mx.concatenate([v, y], -1) @ transposed(mx.concatenate([y, v], -1))
        diagonal.append(x[..., 0, 0])
        side.append(end[..., 0, 0])
        reflections.append((v, t))
    return diagonal, side, reflections


def bidiagonalised(x):
    """The diagonals of a real upper bidiagonal matrix and the reflections, on its left and on its
    right, that make it of a square x, given as blocks: x = Q B P^H."""
    diagonal, side, left, right = [], [], [], []
    while True:
        (v, t), end = reflection(x[..., :1])
        diagonal.append(end[..., 0, 0])
        left.append((v, t))
        if x.shape[-1] == 2:
            return diagonal, side, left, right
        x = x[..., 2:]
        x = x - v @ (transposed(t) @ (transposed(v) @ x))
        (v, t), end = reflection(transposed(x)[..., :1])
        side.append(end[..., 0, 0])
        right.append((v, t))
        x = x[..., 2:, :]
        x = x - (x @ v) @ (t @ transposed(v))


def banded(diagonal, side, below):
    """A matrix of its diagonal and of the one above, which stands below too if asked."""
    n = len(diagonal)
    diagonal = mx.stack(diagonal, -1)
    x = diagonal[..., None] * mx.eye(n, dtype=diagonal.dtype)
    if n == 1:
        return x
    side = mx.stack([*side, mx.zeros_like(side[0])], -1)
    above = side[..., None] * mx.eye(n, k=1, dtype=side.dtype)
    return x + above + transposed(above) if below else x + above


def eigh(rows, decompose):
    """Eigenvalues, and the rows of eigenvectors, of a Hermitian matrix; `decompose` finds those of
    real symmetric ones."""
    *batch, _, n = rows.shape
    eye = unit_rows(batch, n, n, rows.dtype)
    if not rows.size:
        return mx.zeros((*batch, n), rows.dtype), eye
    diagonal, side, reflections = tridiagonalised(blocks(rows))
    w, v = decompose(banded(diagonal, side, True))
    return w, (applied(product(reflections), eye) if n > 1 else eye) @ v


def svd(rows, decompose, full):
    """The rows of u, the singular values, and the rows of v; `full`: of square u and v. `decompose`
    finds those of real square matrices, u, s and vt."""
    *_, height, n = rows.shape
    if height < 2 * n:
        v, s, u = svd(adjoint_rows(rows), decompose, full)
        return u, s, v
    if height == 2 * n:
        return square_svd(rows, decompose)
    q, r = qr(rows, full)
    u, s, v = square_svd(r[..., : 2 * n, :], decompose)
    return mx.concatenate([blocks(q[..., :n]) @ u, q[..., n:]], -1), s, v


def square_svd(rows, decompose):
    *batch, _, n = rows.shape
    eye = unit_rows(batch, n, n, rows.dtype)
    if not rows.size:
        return eye, mx.zeros((*batch, n), rows.dtype), eye
    diagonal, side, left, right = bidiagonalised(blocks(rows))
    u, s, vt = decompose(banded(diagonal, side, False))
    turned = applied(product(right), eye) if n > 1 else eye
    return applied(product(left), eye) @ u, s, turned @ transposed(vt)
