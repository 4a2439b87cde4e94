"""Complex matrices as real ones, where there is a kernel for real matrices only.

A number a + ib stands as [[a, -b], [b, a]], a matrix as such blocks: products stay products,
adjoints become transposes, and triangles with a real diagonal stay triangles. The first columns of
the blocks say it all: these *rows*, (..., 2m, n), are a complex m by n matrix, and the real blocks
of another one multiply it from the left.
"""

import mlx.core as mx


def rows_of(re, im):
    """The rows (..., 2m, n) of a real and an imaginary part (..., m, n)."""
    *batch, m, n = re.shape
    return mx.stack([re, im], -2).reshape(*batch, 2 * m, n)


def halves(rows):
    """The real and the imaginary part of rows."""
    return rows[..., ::2, :], rows[..., 1::2, :]


def as_rows(x):
    """The rows of a matrix of complex64, or of a real one."""
    return rows_of(mx.real(x), mx.imag(x))


def of_rows(rows):
    """The matrix of complex64 whose rows these are."""
    return of_parts(*halves(rows))


def of_parts(re, im):
    """The array of complex64: with the parts beside each other, infinities stay apart."""
    if not re.size:
        return mx.zeros(re.shape, mx.complex64)
    return mx.view(mx.stack([re, im], -1), mx.complex64).squeeze(-1)


def blocks(rows):
    """Rows (..., 2m, n) as the whole real matrix (..., 2m, 2n)."""
    *batch, m, n = rows.shape
    numbers = rows.reshape(*batch, m // 2, 2, n)
    turned = numbers[..., ::-1, :] * mx.array([[-1.0], [1.0]], rows.dtype)  # times i
    return mx.stack([numbers, turned], -1).reshape(*batch, m, 2 * n)


def transposed(x):
    return mx.swapaxes(x, -1, -2)


def adjoint_rows(rows):
    re, im = halves(rows)
    return rows_of(transposed(re), -transposed(im))


def unit_rows(batch, m, n, dtype):
    """The first n columns of an identity of m rows."""
    eye = rows_of(mx.eye(m, n, dtype=dtype), mx.zeros((m, n), dtype))
    return mx.broadcast_to(eye, (*batch, 2 * m, n))


def above(x, count):
    """x over rows of zeros."""
    return mx.concatenate([x, mx.zeros((*x.shape[:-2], count, x.shape[-1]), x.dtype)], -2)


def below(count, x):
    """x under rows of zeros."""
    return mx.concatenate([mx.zeros((*x.shape[:-2], count, x.shape[-1]), x.dtype), x], -2)


def before(x, count):
    """x in front of columns of zeros."""
    return mx.concatenate([x, mx.zeros((*x.shape[:-1], count), x.dtype)], -1)


def behind(count, x):
    """x behind columns of zeros."""
    return mx.concatenate([mx.zeros((*x.shape[:-1], count), x.dtype), x], -1)
