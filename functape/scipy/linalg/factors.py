"""Factorisations, with SciPy's arguments and results."""

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import linalg
from functape.numpy.arguments import common, value
from functape.numpy.diagonals import diag
from functape.numpy.linalg.operands import eigenvalues, matrix, square_matrix, wide
from functape.numpy.linalg.solving import with_columns
from functape.ops import factors as ops
from functape.ops import spectral
from functape.ops.contraction import flipped, matmul
from functape.ops.families import astype
from functape.ops.linalg import adjoint, hermitian, solve_triangular, star, strictly_lower

# --- Cholesky -----------------------------------------------------------------------------------


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The triangular factor of positive definite matrices: by default U with U^H U = (a + a^H) / 2.

    Args:
      lower: return L with L L^H = (a + a^H) / 2.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.cholesky(array([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 1.],
            [0., 2.]])
    """
    return linalg.cholesky(a, upper=not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """A pair (factor, lower) for cho_solve.

    Args:
      a: matrices; axes before the last two are a batch.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.cho_solve(linalg.cho_factor(array([[4.0]])), array([2.0]))
    tensor([0.5])
    """
    return cholesky(a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The solution x of a x = b, from cho_factor(a).

    Args:
      c_and_lower: what cho_factor returned.
      b: a vector (n,), or matrices (..., n, k).
      overwrite_b: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.cho_solve((array([[2.0]]), True), array([8.0]))
    tensor([2.])
    """
    if not isinstance(c_and_lower, (tuple, list)) or len(c_and_lower) != 2:
        raise ArgumentError("cho_solve takes the pair (factor, lower) that cho_factor(a) returns, "
                            f"but got {describe(c_and_lower)}.")
    factor, lower = c_and_lower
    x, y = common("cho_solve", factor, b)
    x, y = square_matrix("cho_solve", x), wide(y)
    low, up = (x, adjoint(x)) if lower else (adjoint(x), x)

    def solver(low, y):
        half = solve_triangular(low, y, lower=True, unit=False)
        return solve_triangular(up, half, lower=False, unit=False)

    return with_columns("cho_solve", solver, low, y)


# --- LU -----------------------------------------------------------------------------------------


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """A permutation P, a unit lower triangular L and an upper triangular U with P L U = a.

    Derivatives: F. R. de Hoog, R. S. Anderssen and M. A. Lukas, Differentiation of matrix
    functionals using triangular factorization, Mathematics of Computation 80 (2011).

    Args:
      a: matrices (..., m, n).
      permute_l: return (P L, U) instead.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> p, l, u = linalg.lu(array([[0.0, 1.0], [2.0, 0.0]]))
    >>> u
    tensor([[2., 0.],
            [0., 1.]])
    """
    p, low, up = ops.lu(matrix("lu", a))
    return (matmul(p, low), up) if permute_l else (p, low, up)


def lu_factor(a, overwrite_a=False, check_finite=True):
    """A pair (lu, pivots) for lu_solve: both triangles in one matrix, and the row exchanges.

    Args:
      a: matrices; axes before the last two are a batch.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.lu_solve(linalg.lu_factor(array([[4.0]])), array([2.0]))
    tensor([0.5])
    """
    x = square_matrix("lu_factor", a)
    _, low, up = ops.lu(x)
    return strictly_lower(low) + up, ops.lu_pivots(x)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """The solution x of a x = b, from lu_factor(a).

    Args:
      lu_and_piv: what lu_factor returned.
      b: a vector (n,), or matrices (..., n, k).
      trans: 1: solve with the transpose of `a`; 2: with its adjoint.
      overwrite_b: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.lu_solve((array([[2.0]]), array([0])), array([8.0]))
    tensor([4.])
    """
    if trans not in (0, 1, 2):
        raise ArgumentError(f"lu_solve: trans must be 0, 1 or 2, but is {trans!r}.")
    packed, pivots = lu_and_piv
    x, y = common("lu_solve", packed, b)
    x, y = square_matrix("lu_solve", x), wide(y)
    x = star(x) if trans == 2 else x
    exchange = astype(ops.pivoting(value(pivots, "lu_solve")), dtype=x.dtype)

    def solver(x, y):
        if trans:
            half = solve_triangular(flipped(x), y, lower=True, unit=False)
            whole = solve_triangular(flipped(x), half, lower=False, unit=True)
            return matmul(flipped(exchange), whole)
        half = solve_triangular(x, matmul(exchange, y), lower=True, unit=True)
        return solve_triangular(x, half, lower=False, unit=False)

    return with_columns("lu_solve", solver, x, y)


# --- orthogonal factors -------------------------------------------------------------------------


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """Q and R with Q R = a.

    Args:
      a: matrices (..., m, n).
      overwrite_a: accepted for SciPy's signature, without effect.
      lwork: accepted for SciPy's signature, without effect.
      mode: "full", "economic", or "r" for a tuple of R only.
      pivoting: not supported.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.qr(array([[3.0], [4.0]]), mode="economic")[1]
    tensor([[-5.]])
    """
    if pivoting:
        raise ArgumentError("qr: pivoting is not supported. Leave it False.")
    if mode not in ("full", "economic", "r"):
        raise ArgumentError(f"qr: mode must be 'full', 'economic' or 'r', but is {mode!r}.")
    if mode == "r":
        return (linalg.qr(a, "r"),)
    return tuple(linalg.qr(a, "complete" if mode == "full" else "reduced"))


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True,
        lapack_driver="gesdd"):
    """The singular value decomposition; see functape.numpy.linalg.svd.

    Args:
      a: matrices; axes before the last two are a batch.
      full_matrices, compute_uv: as there.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.
      lapack_driver: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.svd(array([[0.0, 3.0], [2.0, 0.0]]), compute_uv=False)
    tensor([3., 2.])
    """
    found = linalg.svd(a, full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


def polar(a, side="right", *, method="svd", eps=None, max_iterations=None):
    """A matrix with orthonormal columns or rows, and a positive semidefinite one.

    Args:
      a: matrices (..., m, n).
      side: "right": u p = a; "left": p u = a.
      method, eps, max_iterations: for JAX's signature; they change nothing.

    Returns:
      (u, p).

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.polar(array([[-2.0]]))
    (tensor([[-1.]]), tensor([[2.]]))
    """
    if side not in ("right", "left"):
        raise ArgumentError(f"polar: side must be 'right' or 'left', but is {side!r}.")
    x = matrix("polar", a)
    left, _, right = spectral.svd(x)
    u = matmul(left, right)
    p = matmul(adjoint(u), x) if side == "right" else matmul(x, adjoint(u))
    return u, hermitian(p)


# --- eigenvalues --------------------------------------------------------------------------------


def eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False,
         turbo=True, eigvals=None, type=1, check_finite=True):  # noqa: A002 - SciPy's name
    """Eigenvalues and eigenvectors of Hermitian matrices: a v = w b v.

    Args:
      a: matrices (..., n, n).
      b: positive definite matrices; None: the identity. Eigenvectors have v^H b v = 1.
      lower: for SciPy's signature; of both the Hermitian part is used.
      eigvals_only: return the eigenvalues only.
      overwrite_a: accepted for SciPy's signature, without effect.
      overwrite_b: accepted for SciPy's signature, without effect.
      turbo: accepted for SciPy's signature, without effect.
      eigvals, type: not supported: leave them None and 1.
      check_finite: accepted for SciPy's signature, without effect.

    Returns:
      (w, v), or w.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.eigh(array([[8.0]]), array([[4.0]]))[0]
    tensor([2.])
    """
    if eigvals is not None or type != 1:
        raise ArgumentError("eigh solves a v = w b v for all eigenvalues: leave `eigvals` None "
                            "and `type` 1.")
    x = square_matrix("eigh", a)
    low = None
    if b is not None:
        low = ops.cholesky(square_matrix("eigh", b, 1))
        half = solve_triangular(low, hermitian(x), lower=True, unit=False)
        x = adjoint(solve_triangular(low, adjoint(half), lower=True, unit=False))
    if eigvals_only:
        return eigenvalues(x)
    w, v = spectral.eigh(x)
    return w, v if low is None else solve_triangular(adjoint(low), v, lower=False, unit=False)


def eigh_tridiagonal(d, e, *, eigvals_only=False, select="a", select_range=None, tol=None,
                     key=None):
    """Eigenvalues of a symmetric matrix with diagonal d and off-diagonal e.

    Args:
      d, e: real vectors of lengths n and n - 1.
      eigvals_only: return the eigenvalues only.
      select: "a", all of them.
      select_range, tol, key: for JAX's signature; they change nothing.

    Returns:
      (w, v), or w.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.eigh_tridiagonal(array([2.0, 1.0]), array([0.0]), eigvals_only=True)
    tensor([1., 2.])
    """
    if select != "a":
        raise ArgumentError(f"eigh_tridiagonal: select must be 'a', but is {select!r}. Cut the "
                            "eigenvalues to those that you need.")
    x, y = map(wide, common("eigh_tridiagonal", d, e))
    if len(x.shape) != 1 or y.shape != (x.shape[0] - 1,):
        raise ShapeError("eigh_tridiagonal takes vectors of lengths n and n - 1, but got "
                         f"{describe(x)} and {describe(y)}.")
    full = diag(x) + diag(y, 1) + diag(y, -1)
    return eigenvalues(full) if eigvals_only else spectral.eigh(full)
