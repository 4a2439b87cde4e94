"""Linear systems, inverses and determinants."""

from typing import NamedTuple

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import ARRAYS, common, integer, size_of, value
from functape.numpy.broadcasting import broadcast_shapes
from functape.numpy.linalg.operands import epsilon, matrix, singular_values, square_matrix, wide
from functape.numpy.linalg.spectra import as_number, rank_of
from functape.numpy.shapes import moveaxis
from functape.op import Value
from functape.ops import linalg as ops
from functape.ops import matrix_functions as functions
from functape.ops.contraction import matmul
from functape.ops.elementwise import absolute, square, where
from functape.ops.linalg import hermitian as hermitian_part
from functape.ops.movement import reshape
from functape.ops.reductions import sum as total
from functape.promotion import agree


class SlogdetResult(NamedTuple):
    """What `slogdet` returns; it unpacks like a pair: det a = sign exp(logabsdet).

    Args:
      sign: (...), 1, -1 or 0; of length 1 where complex.
      logabsdet: (...), the logarithm of the absolute value.

    >>> import functape as ft
    >>> found = ft.numpy.linalg.slogdet(ft.numpy.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> found.sign, found.logabsdet
    (tensor(-1.), tensor(0.))
    """

    sign: Value
    logabsdet: Value


def solve(a, b):
    """The solution x of a x = b.

    Derivatives: M. B. Giles, An extended collection of matrix derivative results for forward and
    reverse mode automatic differentiation (2008).

    Args:
      a: square matrices (..., n, n).
      b: a vector (n,), or matrices (..., n, k). Leading axes broadcast.

    Returns:
      x, of the shape of b; NaN where a matrix is singular.

    >>> from functape.numpy import array, linalg
    >>> linalg.solve(array([[2.0, 0.0], [0.0, 4.0]]), array([2.0, 2.0]))
    tensor([1. , 0.5])
    """
    a, b = common("solve", a, b)
    return with_columns("solve", ops.solve, square_matrix("solve", a), wide(b))


def with_columns(name, op, x, y):
    """Apply a solver of matrices also to a vector."""
    if not y.shape or y.shape[-2 if len(y.shape) > 1 else 0] != x.shape[-1]:
        raise ShapeError(f"{name}: the right-hand side must be a vector or matrices of "
                         f"{x.shape[-1]} rows, for {describe(x)}, but is {describe(y)}.")
    if len(y.shape) == 1:
        solved = op(x, reshape(y, shape=(*y.shape, 1)))
        return reshape(solved, shape=solved.shape[:-1])
    broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return op(x, y)


def inv(a):
    """The inverse of square matrices (..., n, n); NaN where one is singular.

    Derivatives: M. B. Giles, An extended collection of matrix derivative results for forward and
    reverse mode automatic differentiation (2008).

    Args:
      a: matrices; axes before the last two are a batch.

    >>> from functape.numpy import array, linalg
    >>> linalg.inv(array([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5 , 0.  ],
            [0.  , 0.25]])
    """
    return ops.inv(square_matrix("inv", a))


def pinv(a, rtol=None, hermitian=False, *, rcond=None):
    """The pseudo-inverse of matrices.

    Its derivative is that among matrices of the same rank.

    Derivatives: G. H. Golub and V. Pereyra, The differentiation of pseudo-inverses and nonlinear
    least squares problems whose variables separate, SIAM Journal on Numerical Analysis 10 (1973).

    Args:
      a: matrices (..., m, n).
      rtol: singular values up to rtol times the largest count as 0; a number or one for each
        matrix (...,), by default 10 max(m, n) times the rounding error. `rcond` is its older name.
      hermitian: take `a` as Hermitian: use (a + a^H) / 2.

    Returns:
      (..., n, m).

    >>> from functape.numpy import array, linalg
    >>> linalg.pinv(array([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5, 0. ],
            [0. , 0. ]])
    """
    x = hermitian_part(square_matrix("pinv", a)) if hermitian else matrix("pinv", a)
    rtol = rcond if rtol is None else rtol
    if rtol is None:
        rtol = 10.0 * max(x.shape[-2:]) * epsilon(x)
    return functions.pinv(x, cutoff("pinv", x, rtol))


def cutoff(name, x, rtol):
    """A tolerance: a number, or an array with one for each matrix."""
    agree(name, (x, rtol))
    return value(rtol, name, 1) if isinstance(rtol, ARRAYS) else as_number(name, rtol)


def lstsq(a, b, rcond=None, *, numpy_resid=False):
    """The x of least norm that minimises |a x - b|.

    Derivatives as for `pinv`.

    Args:
      a: a matrix (m, n).
      b: a vector (m,) or a matrix (m, k).
      rcond: singular values up to rcond times the largest count as 0; by default max(m, n) times
        the rounding error.
      numpy_resid: no residuals where NumPy gives none: for m <= n, or where the rank is below n.

    Returns:
      (x, residuals, rank, s): the solution, of shape (n,) or (n, k); the squared distance for
      each column of b; the rank and the singular values of `a`.

    >>> from functape.numpy import array, linalg
    >>> x, *_ = linalg.lstsq(array([[2.0], [0.0]]), array([4.0, 1.0]))
    >>> x
    tensor([2.])
    """
    a, b = common("lstsq", a, b)
    x, y = matrix("lstsq", a), wide(b)
    if len(x.shape) != 2 or len(y.shape) not in (1, 2) or x.shape[0] != y.shape[0]:
        raise ShapeError("lstsq takes a matrix and as many right-hand sides' rows, but got "
                         f"{describe(x)} and {describe(y)}. Use vmap for batches.")
    rcond = epsilon(x) * max(x.shape) if rcond is None else cutoff("lstsq", x, rcond)
    if isinstance(rcond, Value):
        rcond = where(rcond < 0, epsilon(x), rcond)
    elif rcond < 0:
        rcond = epsilon(x)
    columns = y if len(y.shape) == 2 else reshape(y, shape=(*y.shape, 1))
    found = matmul(functions.pinv(x, rcond), columns)
    s = singular_values(x)
    rank = rank_of(s, rcond)
    misfit = total(square(absolute(columns - matmul(x, found))), axis=(0,), keepdims=False)
    if numpy_resid and (x.shape[0] <= x.shape[1] or int(as_number("lstsq", rank)) < x.shape[1]):
        misfit = misfit[:0]
    return reshape(found, shape=(x.shape[1], *y.shape[1:])), misfit, rank, s


def det(a):
    """The determinant of square matrices (..., n, n).

    Its gradient is the matrix of cofactors, also where `a` is singular.

    Derivatives: M. B. Giles, An extended collection of matrix derivative results for forward and
    reverse mode automatic differentiation (2008).

    >>> from functape.numpy import array, linalg
    >>> linalg.det(array([[2.0, 1.0], [1.0, 3.0]]))
    tensor(5.)
    """
    return functions.det(square_matrix("det", a))


def slogdet(a, *, method=None):
    """The sign and the logarithm of the modulus of the determinant.

    Derivatives: M. B. Giles, An extended collection of matrix derivative results for forward and
    reverse mode automatic differentiation (2008).

    Args:
      a: square matrices (..., n, n).
      method: "lu" or "qr", for JAX's signature; MLX uses LU.

    Returns:
      A named tuple (sign, logabsdet) of shapes (...,).

    >>> from functape.numpy import array, linalg
    >>> linalg.slogdet(array([[0.0, 1.0], [1.0, 0.0]])).sign
    tensor(-1.)
    """
    if method not in (None, "lu", "qr"):
        raise ArgumentError(f"slogdet: method must be 'lu' or 'qr', but is {method!r}.")
    return SlogdetResult(*functions.slogdet(square_matrix("slogdet", a)))


def tensorinv(a, ind=2):
    """The inverse of `a` as a map from its last axes to its first `ind`.

    >>> from functape.numpy import ones, linalg
    >>> linalg.tensorinv(ones((1, 1, 1)), ind=2).shape
    (1, 1, 1)
    """
    x, ind = value(a, "tensorinv"), integer(ind, "tensorinv", "ind")
    if ind <= 0:
        raise ShapeError(f"tensorinv: ind must be positive, but is {ind}.")
    rows, columns = x.shape[:ind], x.shape[ind:]
    if size_of(rows) != size_of(columns):
        raise ShapeError(f"tensorinv: the first {ind} and the other axes of {describe(x)} must "
                         "have one size.")
    flat = reshape(x, shape=(size_of(rows), size_of(columns)))
    return reshape(inv(flat), shape=(*columns, *rows))


def tensorsolve(a, b, axes=None):
    """The x with tensordot(a, x, x.ndim) = b.

    Args:
      a: array whose first axes have the shape of b.
      b: array.
      axes: axes of `a` to move to its end first.

    >>> from functape.numpy import eye, ones, linalg
    >>> linalg.tensorsolve(2 * eye(4).reshape((2, 2, 4)), ones((2, 2)))
    tensor([0.5, 0.5, 0.5, 0.5])
    """
    x, y = common("tensorsolve", a, b)
    for axis in axes or ():
        x = moveaxis(x, axis, -1)
    shape = x.shape[len(y.shape):]
    if size_of(shape) != size_of(y.shape):
        raise ShapeError(f"tensorsolve: {describe(x)} must map as many numbers as "
                         f"{describe(y)} has.")
    flat = reshape(x, shape=(size_of(y.shape), size_of(shape)))
    return reshape(solve(flat, reshape(y, shape=(size_of(y.shape),))), shape=shape)
