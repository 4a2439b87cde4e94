"""jax.lax.linalg on functape values: what differs from functape.numpy.linalg is the order of the
results, and the defaults."""

from functape.errors import ArgumentError
from functape.numpy import argmax, linalg, moveaxis
from functape.numpy.arguments import value
from functape.scipy.linalg import lu as factors
from functape.scipy.linalg import lu_factor, solve_triangular
from functape.suggest import for_names_of

__all__ = ["cholesky", "eigh", "lu", "qr", "svd", "triangular_solve"]

__getattr__ = for_names_of(__name__)


def cholesky(x, *, symmetrize_input=True):
    """The lower triangular L with L L^H = x.

    Args:
      x: positive definite matrices (..., n, n).
      symmetrize_input: take the mean of x and x^H.

    >>> import functape as ft
    >>> ft.lax.linalg.cholesky(ft.numpy.array([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    return linalg.cholesky(x, symmetrize_input=symmetrize_input)


def eigh(x, *, lower=True, symmetrize_input=True):
    """The eigenvectors, in columns, and the ascending eigenvalues of Hermitian matrices: in this
    order.

    Args:
      x: Hermitian matrices (..., n, n).
      lower: whether to read the lower triangle or the upper one, if symmetrize_input is false.
      symmetrize_input: take the mean of x and x^H.

    >>> import functape as ft
    >>> ft.lax.linalg.eigh(ft.numpy.array([[2.0, 0.0], [0.0, 1.0]]))[1]
    tensor([1., 2.])
    """
    values, vectors = linalg.eigh(x, "L" if lower else "U", symmetrize_input)
    return vectors, values


def svd(x, *, full_matrices=True, compute_uv=True):
    """U, the singular values and V^H; only the singular values if compute_uv is false.

    Args:
      x: matrices (..., m, n).
      full_matrices: U and V are square, (m, m) and (n, n); else (m, k) and (n, k) with the
        smaller k of m and n.
      compute_uv: whether to compute U and V.

    >>> import functape as ft
    >>> ft.lax.linalg.svd(ft.numpy.diag(ft.numpy.array([1.0, 2.0])), compute_uv=False)
    tensor([2., 1.])
    """
    found = linalg.svd(x, full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


def qr(x, *, full_matrices=True):
    """Q and R with Q R = x.

    Args:
      x: matrices (..., m, n).
      full_matrices: Q is square, (m, m); else (m, k) with the smaller k of m and n.

    >>> import functape as ft
    >>> ft.lax.linalg.qr(ft.numpy.array([[3.0], [4.0]]), full_matrices=False)[1]
    tensor([[-5.]])
    """
    return tuple(linalg.qr(x, "complete" if full_matrices else "reduced"))


def lu(x):
    """L and U in one square matrix, the row exchanges, and the order of rows in which L U is x.

    Args:
      x: matrices (..., m, n).

    >>> import functape as ft
    >>> packed, pivots, rows = ft.lax.linalg.lu(ft.numpy.array([[0.0, 1.0], [2.0, 0.0]]))
    >>> rows
    tensor([1, 0], dtype=int32)
    """
    packed, pivots = lu_factor(x)
    return packed, pivots, argmax(factors(x)[0], axis=-2)


def triangular_solve(a, b, *, left_side=False, lower=False, transpose_a=False, conjugate_a=False,
                     unit_diagonal=False):
    r"""The solution of a triangular system, whose unknown stands on the left of `a` by default.

    .. math:: X A = B, \quad\text{or}\quad A X = B \text{ with left\_side}

    Args:
      a: square matrices (..., n, n), of which one triangle is read.
      b: matrices (..., m, n); with left_side (..., n, m).
      left_side: `a` is on the left.
      lower: read the lower triangle.
      transpose_a, conjugate_a: use the transpose of `a`, or its conjugate.
      unit_diagonal: take the diagonal as ones.

    >>> import functape as ft
    >>> a = ft.numpy.array([[2.0, 1.0], [0.0, 1.0]])
    >>> ft.lax.linalg.triangular_solve(a, ft.numpy.array([[2.0, 2.0]]))
    tensor([[1., 1.]])
    """
    a, b = value(a, "triangular_solve"), value(b, "triangular_solve", 1)
    if len(b.shape) < 2:
        raise ArgumentError("triangular_solve: b must be a matrix, but has the shape "
                            f"{b.shape}. Write b[None] for one row.")
    a = a.conj() if conjugate_a else a
    if left_side:
        return solve_triangular(a, b, int(transpose_a), lower, unit_diagonal)
    found = solve_triangular(a, moveaxis(b, -1, -2), int(not transpose_a), lower, unit_diagonal)
    return moveaxis(found, -1, -2)
