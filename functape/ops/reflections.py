"""Unitary reductions of complex matrices, in real arithmetic.

A complex number a + ib stands as [[a, -b], [b, a]], a matrix as such blocks: products stay
products and adjoints become transposes. The first columns of the blocks say it all: these *rows*,
(..., 2m, n), are a complex m by n matrix, and a real matrix of 2m rows acts on them from the left.

Householder's reflections come in LAPACK's form, 1 - t v v^H with a complex t, which makes a column
real beside zeros; here v is two real columns and t a block. A product of them is 1 - v t v^T too.
R. Schreiber and C. Van Loan, A storage-efficient WY representation for products of Householder
transformations (1989); E. Elmroth and F. Gustavson, Applying recursion to serial and parallel QR
factorization leads to better performance (2000).
"""

import mlx.core as mx

from functape.ops import reduce_kernels

# --- complex matrices as real ones --------------------------------------------------------------


def rows_of(re, im):
    """(..., m, n) twice as the rows (..., 2m, n)."""
    *batch, m, n = re.shape
    return mx.stack([re, im], -2).reshape(*batch, 2 * m, n)


def halves(rows):
    """The real and the imaginary part of rows."""
    return rows[..., ::2, :], rows[..., 1::2, :]


def blocks(rows):
    """Rows (..., 2m, n) as the whole real matrix (..., 2m, 2n)."""
    re, im = halves(rows)
    *batch, m, n = rows.shape
    return mx.stack([rows, rows_of(-im, re)], -1).reshape(*batch, m, 2 * n)


def transposed(x):
    return mx.swapaxes(x, -1, -2)


def unit_rows(batch, m, n, dtype):
    """The first n columns of an identity of m rows."""
    return mx.broadcast_to(rows_of(mx.eye(m, n, dtype=dtype), mx.zeros((m, n), dtype)),
                           (*batch, 2 * m, n))


# --- reflections --------------------------------------------------------------------------------


def reflection(column):
    """(v, t) and the real number, (..., 1, 1), which 1 - v t^T v^T makes of a column, with
    LAPACK's choice of sign. The column is scaled first, so that no square over- or underflows."""
    most = mx.max(mx.abs(column), axis=-2, keepdims=True)
    column = column / mx.where(most == 0, 1, most)
    re, im = column[..., :1, :], column[..., 1:2, :]
    rest = mx.sum(mx.square(column[..., 1:, :]), axis=-2, keepdims=True)
    settled = rest == 0  # a real number above zeros already
    size = mx.sqrt(rest + mx.square(re))
    end = mx.where(settled, re, mx.where(re < 0, size, -size))
    v = mx.concatenate([re - end, column[..., 1:, :]], -2)
    weight = mx.where(settled, 1, end * (mx.square(re - end) + mx.square(im)))
    t = mx.concatenate([end - re, -im], -2) / weight
    return (blocks(v), blocks(t)), end * most


def joined(first, second):
    """The product of two reflections, of which the second leaves the uppermost rows alone."""
    (v, t), (w, u) = first, second
    w = below(v.shape[-2] - w.shape[-2], w)
    corner = -(t @ (transposed(v) @ w) @ u)
    upper, lower = mx.concatenate([t, corner], -1), beside(t.shape[-1], u)
    return mx.concatenate([v, w], -1), mx.concatenate([upper, lower], -2)


def product(reflections):
    """All of a list, each of fewer rows than the one before it, as one."""
    if len(reflections) == 1:
        return reflections[0]
    half = len(reflections) // 2
    return joined(product(reflections[:half]), product(reflections[half:]))


def below(count, x):
    """x under rows of zeros."""
    zeros = mx.zeros((*x.shape[:-2], count, x.shape[-1]), x.dtype)
    return mx.concatenate([zeros, x], -2)


def beside(count, x):
    """x behind columns of zeros."""
    return mx.concatenate([mx.zeros((*x.shape[:-1], count), x.dtype), x], -1)


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
        return reflected, mx.concatenate([end, mx.zeros_like(end)], -2)
    half = n // 2
    first, left = triangularised(rows[..., :half])
    right = adjoint_applied(first, rows[..., half:])
    second, corner = triangularised(right[..., 2 * half:, :])
    upper = mx.concatenate([left, right[..., : 2 * half, :]], -1)
    return joined(first, second), mx.concatenate([upper, beside(half, corner)], -2)


def qr(rows, full):
    """The rows of Q, of as many columns as x has or of as many as it has rows, and those of R."""
    *batch, height, n = rows.shape
    m = height // 2
    eye = unit_rows(batch, m, m if full else n, rows.dtype)
    if not rows.size:
        return eye, mx.zeros((*batch, 2 * eye.shape[-1], n), rows.dtype)
    reflected, r = triangularised(rows)
    if full and m > n:
        r = mx.concatenate([r, mx.zeros((*batch, height - 2 * n, n), r.dtype)], -2)
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


def svd(rows, decompose):
    """The rows of u and of v, and the singular values, of a square matrix; `decompose` finds those
    of real ones."""
    *batch, _, n = rows.shape
    eye = unit_rows(batch, n, n, rows.dtype)
    if not rows.size:
        return eye, mx.zeros((*batch, n), rows.dtype), eye
    diagonal, side, left, right = bidiagonalised(blocks(rows))
    u, s, vt = decompose(banded(diagonal, side, False))
    turned = applied(product(right), eye) if n > 1 else eye
    return applied(product(left), eye) @ u, s, turned @ transposed(vt)
