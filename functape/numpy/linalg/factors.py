"""Cholesky and QR factors."""

from typing import NamedTuple

from functape.errors import ArgumentError
from functape.numpy.linalg.operands import from_triangle, matrix, square_matrix
from functape.op import Value
from functape.ops import factors as ops
from functape.ops.contraction import matmul
from functape.ops.linalg import adjoint
from functape.ops.movement import along, concatenate, cut


class QRResult(NamedTuple):
    """What `qr` returns; it unpacks like a pair: a = Q R.

    Args:
      Q: (..., m, k), orthonormal columns; k = min(m, n), or m in the mode "complete".
      R: (..., k, n), upper triangular.

    >>> import functape as ft
    >>> found = ft.numpy.linalg.qr(ft.numpy.ones((3, 2)))
    >>> found.Q.shape, found.R.shape
    ((3, 2), (2, 2))
    """

    Q: Value
    R: Value


def cholesky(a, *, upper=False, symmetrize_input=True):
    """The triangular factor L of a positive definite matrix, with L L^H = a.

    Derivatives: I. Murray, Differentiation of the Cholesky decomposition (2016).

    Args:
      a: matrices (..., n, n).
      upper: return L^H instead.
      symmetrize_input: factor (a + a^H) / 2; if not, the lower triangle of `a` says it all.

    Returns:
      (..., n, n); NaN where `a` is not positive definite.

    >>> from functape.numpy import array, linalg
    >>> linalg.cholesky(array([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    x = square_matrix("cholesky", a)
    low = ops.cholesky(x if symmetrize_input else from_triangle(x, not upper))
    return adjoint(low) if upper else low


def qr(a, mode="reduced"):
    """Orthonormal columns Q and an upper triangular R with Q R = a.

    Derivatives: S. F. Walter and L. Lehmann, Algorithmic differentiation of linear algebra
    functions with application in optimum experimental design (2010).

    Args:
      a: matrices (..., m, n).
      mode: "reduced", with k = min(m, n) columns; "r", R only; "complete" (or "full"), with m
        columns, of which the last m - n have no derivative.

    Returns:
      A named tuple (Q, R) of shapes (..., m, k) and (..., k, n); for "r" just R.

    >>> from functape.numpy import array, linalg
    >>> q, r = linalg.qr(array([[3.0], [4.0]]))
    >>> r
    tensor([[-5.]])
    """
    x = matrix("qr", a)
    if mode not in ("reduced", "r", "complete", "full"):
        raise ArgumentError(f"qr: mode must be 'reduced', 'r' or 'complete', but is {mode!r}. "
                            "(MLX does not keep the reflections that 'raw' returns.)")
    m, n = x.shape[-2:]
    if mode in ("complete", "full") and m > n:
        return QRResult(*ops.full_qr(x))
    q, r = ops.qr(x) if m >= n else wide_qr(x)
    return r if mode == "r" else QRResult(q, r)


def wide_qr(x):
    """The first columns give Q, and Q^H the rest of R."""
    m, axis = x.shape[-2], len(x.shape) - 1
    q, r = ops.qr(cut(x, index=along(axis, slice(0, m))))
    rest = cut(x, index=along(axis, slice(m, None)))
    return q, concatenate(r, matmul(adjoint(q), rest), axis=axis)
