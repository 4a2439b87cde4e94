"""Eigenvalues, singular values and the rank."""

from typing import NamedTuple

import numpy as np

from functape.errors import ArgumentError, ConcretizationError, ShapeError, describe
from functape.numpy.arguments import value
from functape.numpy.linalg.operands import (
    eigenvalues,
    epsilon,
    from_triangle,
    matrix,
    singular_values,
    square_matrix,
    wide,
)
from functape.op import Value
from functape.ops import spectral as ops
from functape.ops.linalg import hermitian as hermitian_part
from functape.ops.movement import along, cut
from functape.ops.reductions import any_of, maximum_of
from functape.ops.reductions import sum as total
from functape.promotion import agree


class EighResult(NamedTuple):
    """What `eigh` returns; it unpacks like a pair.

    Args:
      eigenvalues: (..., n), real, in ascending order.
      eigenvectors: (..., n, n), one a column, orthonormal.

    >>> import functape as ft
    >>> found = ft.numpy.linalg.eigh(ft.numpy.array([[2.0, 0.0], [0.0, 1.0]]))
    >>> found.eigenvalues
    tensor([1., 2.])
    """

    eigenvalues: Value
    eigenvectors: Value


class EigResult(NamedTuple):
    """What `eig` returns; it unpacks like a pair.

    Args:
      eigenvalues: (..., n), complex, in no order.
      eigenvectors: (..., n, n), one a column, of length 1.

    >>> import functape as ft
    >>> found = ft.numpy.linalg.eig(ft.numpy.array([[2.0, 0.0], [0.0, 2.0]]))
    >>> found.eigenvalues
    tensor([2.+0.j, 2.+0.j], dtype=complex64)
    """

    eigenvalues: Value
    eigenvectors: Value


class SVDResult(NamedTuple):
    """What `svd` returns; it unpacks like a triple: a = U diag(S) Vh.

    Args:
      U: (..., m, k), orthonormal columns; k = min(m, n), or m with all of them.
      S: (..., min(m, n)), the singular values in descending order.
      Vh: (..., k, n), orthonormal rows; k = min(m, n), or n with all of them.

    >>> import functape as ft
    >>> found = ft.numpy.linalg.svd(ft.numpy.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> found.S
    tensor([3., 2.])
    """

    U: Value
    S: Value
    Vh: Value


def eigh(a, UPLO=None, symmetrize_input=True):  # noqa: N803 - NumPy's name
    r"""The eigenvalues and eigenvectors of Hermitian matrices.

    .. math:: a\, v_{:,i} = w_i\, v_{:,i}

    Where eigenvalues coincide, what does not depend on the choice of their eigenvectors still has
    its exact gradient, for example a projection onto another eigenvector, or onto all of them.

    Derivatives: J. R. Magnus, On differentiating eigenvalues and eigenvectors, Econometric Theory
    1 (1985).

    Args:
      a: matrices (..., n, n).
      UPLO: "L" or "U": the triangle to read, if symmetrize_input is false.
      symmetrize_input: use (a + a^H) / 2.

    Returns:
      A named tuple (eigenvalues, eigenvectors): (..., n), real and ascending, and (..., n, n),
      whose columns are the vectors.

    >>> from functape.numpy import array, linalg
    >>> linalg.eigh(array([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return EighResult(*ops.eigh(hermitian_of("eigh", a, UPLO, symmetrize_input)))


def hermitian_of(name, a, UPLO, symmetrize_input):  # noqa: N803
    if UPLO not in (None, "L", "U"):
        raise ArgumentError(f"{name}: UPLO must be 'L' or 'U', but is {UPLO!r}.")
    x = square_matrix(name, a)
    return x if symmetrize_input else from_triangle(x, UPLO != "U")


def eigvalsh(a, UPLO="L", *, symmetrize_input=True):  # noqa: N803 - NumPy's name
    """The eigenvalues of Hermitian matrices, in ascending order; arguments as for eigh.

    >>> import functape as ft
    >>> from functape.numpy import eye, linalg
    >>> ft.grad(lambda m: (linalg.eigvalsh(m) ** 2).sum())(eye(2))
    tensor([[2., 0.],
            [0., 2.]])
    """
    return eigenvalues(hermitian_of("eigvalsh", a, UPLO, symmetrize_input))


def eig(a):
    """The eigenvalues and right eigenvectors of square matrices, complex.

    Derivatives: M. B. Giles, An extended collection of matrix derivative results for forward and
    reverse mode automatic differentiation (2008).

    Args:
      a: matrices (..., n, n).

    Returns:
      A named tuple (eigenvalues, eigenvectors): (..., n) in no order, and (..., n, n), whose
      columns are vectors of length 1.

    >>> from functape.numpy import array, linalg
    >>> linalg.eig(array([[1.0, 0.0], [0.0, 2.0]])).eigenvalues
    tensor([1.+0.j, 2.+0.j], dtype=complex64)
    """
    return EigResult(*ops.eig(square_matrix("eig", a)))


def eigvals(a):
    """The eigenvalues of square matrices, complex, in no order.

    Derivatives as for `eig`.

    Args:
      a: matrices; axes before the last two are a batch.

    >>> from functape.numpy import array, linalg
    >>> linalg.eigvals(array([[0.0, -1.0], [1.0, 0.0]]))
    tensor([0.+1.j, 0.-1.j], dtype=complex64)
    """
    return ops.eigvals(square_matrix("eigvals", a))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False, subset_by_index=None):
    r"""The singular value decomposition.

    .. math:: a = U \operatorname{diag}(S)\, V^H

    Derivatives: M. B. Giles, An extended collection of matrix derivative results for forward and
    reverse mode automatic differentiation (2008).

    Args:
      a: matrices (..., m, n).
      full_matrices: square U and V^H. What that adds has no derivative: pass False to
        differentiate by U or V^H of a matrix that is not square.
      compute_uv: whether to return U and V^H too.
      hermitian: take `a` as Hermitian: use (a + a^H) / 2.
      subset_by_index: (start, end), the singular values to return; needs full_matrices=False
        or compute_uv=False.

    Returns:
      A named tuple (U, S, Vh): (..., m, k), (..., k), real and descending, and (..., k, n),
      with k = min(m, n); or just S.

    >>> from functape.numpy import array, linalg
    >>> linalg.svd(array([[0.0, 3.0], [2.0, 0.0]]), compute_uv=False)
    tensor([3., 2.])
    """
    x = matrix("svd", a)
    if hermitian:
        x = hermitian_part(square_matrix("svd", x))
    full = full_matrices and compute_uv and x.shape[-1] != x.shape[-2]
    if full and subset_by_index is not None:
        raise ArgumentError("svd: subset_by_index needs full_matrices=False.")
    if not compute_uv:
        return subset(singular_values(x), subset_by_index, 1)
    u, s, vt = (ops.full_svd if full else ops.svd)(x)
    return SVDResult(subset(u, subset_by_index, 1), subset(s, subset_by_index, 1),
                     subset(vt, subset_by_index, 2))


def subset(x, bounds, from_last):
    """The entries between two bounds of an axis, counted from the last."""
    if bounds is None:
        return x
    axis = len(x.shape) - from_last
    start, end = bounds
    if not 0 <= start <= end <= x.shape[axis]:
        raise ShapeError(f"svd: subset_by_index {tuple(bounds)} must lie within 0 and "
                         f"{x.shape[axis]}.")
    return cut(x, index=along(axis, slice(start, end)))


def svdvals(x, /):
    """The singular values of matrices (..., m, n), in descending order.

    Derivatives as for `svd`.

    Args:
      x: matrices; axes before the last two are a batch.

    >>> from functape.numpy import array, linalg
    >>> linalg.svdvals(array([[0.0, 3.0], [2.0, 0.0]]))
    tensor([3., 2.])
    """
    return singular_values(matrix("svdvals", x))


def matrix_rank(M, rtol=None, *, hermitian=False, tol=None):  # noqa: N803 - NumPy's name
    """The number of singular values above rtol times the largest.

    Args:
      M: matrices (..., m, n).
      rtol: by default max(m, n) times the rounding error; a number, or (...,).
      tol: in its place, the bound itself, whatever the largest singular value is.
      hermitian: take M as Hermitian: use (M + M^H) / 2.

    Returns:
      int32 (...,).

    >>> from functape.numpy import array, linalg
    >>> int(linalg.matrix_rank(array([[1.0, 1.0], [1.0, 1.0]])))
    1
    """
    if tol is not None and rtol is not None:
        raise ArgumentError("matrix_rank: give rtol, relative to the largest singular value, or "
                            "tol, absolute, not both.")
    x = wide(value(M, "matrix_rank"))
    if len(x.shape) < 2:
        return any_of(x != 0, axis=tuple(range(len(x.shape))), keepdims=False) * 1
    agree("matrix_rank", (x, *(t for t in (rtol, tol) if t is not None)))
    s = svd(x, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        return count_above(s, of_each("tol", tol))
    return rank_of(s, epsilon(x) * max(x.shape[-2:]) if rtol is None else of_each("rtol", rtol))


def of_each(what, tolerance):
    """A tolerance for each matrix, to be compared with rows of singular values."""
    if isinstance(tolerance, (int, float)):
        return tolerance
    tolerance = value(tolerance, f"matrix_rank's {what}")
    return tolerance.reshape((*tolerance.shape, 1))


def rank_of(s, rtol):
    """How many singular values are above rtol times the largest."""
    if not s.shape[-1]:
        return count_above(s, 0)
    return count_above(s, rtol * maximum_of(s, axis=(len(s.shape) - 1,), keepdims=True))


def count_above(s, bound):
    return total(s > bound, axis=(len(s.shape) - 1,), keepdims=False)


def as_number(name, x):
    """A tolerance as a Python number."""
    if isinstance(x, (bool, int, float)):
        return float(x)
    try:
        return float(np.asarray(x))
    except (TypeError, ValueError, ConcretizationError) as error:
        raise ArgumentError(f"{name}: a tolerance must be a number that is known now, but is "
                            f"{describe(x)}.") from error
