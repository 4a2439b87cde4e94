"""Linear systems, and functions of matrices."""

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import linalg
from functape.numpy.arguments import common, integer
from functape.numpy.contraction import kron
from functape.numpy.creation import asarray
from functape.numpy.linalg.operands import matrix, square_matrix, wide
from functape.numpy.linalg.solving import with_columns
from functape.numpy.matrices import eye
from functape.ops import linalg as ops
from functape.ops import matrix_functions as functions
from functape.ops.contraction import flipped
from functape.ops.linalg import adjoint
from functape.ops.movement import reshape
from functape.scipy.linalg.factors import cho_factor, cho_solve

TRANSPOSES = {0: lambda x: x, "N": lambda x: x, 1: flipped, "T": flipped, 2: adjoint,
              "C": adjoint}


def inv(a, overwrite_a=False, check_finite=True):
    """The inverse of square matrices (..., n, n).

    Args:
      a: matrices; axes before the last two are a batch.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.inv(array([[2.0]]))
    tensor([[0.5]])
    """
    return linalg.inv(a)


def det(a, overwrite_a=False, check_finite=True):
    """The determinant of square matrices (..., n, n).

    Args:
      a: matrices; axes before the last two are a batch.
      overwrite_a: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.det(array([[2.0]]))
    tensor(2.)
    """
    return linalg.det(a)


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, debug=False, check_finite=True,
          assume_a="gen"):
    """The solution x of a x = b.

    Args:
      a: square matrices (..., n, n).
      b: a vector (n,), or matrices (..., n, k).
      lower: for assume_a="pos", the triangle to read.
      overwrite_a: accepted for SciPy's signature, without effect.
      overwrite_b: accepted for SciPy's signature, without effect.
      debug: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.
      assume_a: "gen", "sym" or "her"; "pos" for positive definite matrices, by Cholesky factors.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.solve(array([[4.0]]), array([2.0]), assume_a="pos")
    tensor([0.5])
    """
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ArgumentError("solve: assume_a must be 'gen', 'sym', 'her' or 'pos', but is "
                            f"{assume_a!r}.")
    if assume_a == "pos":
        return cho_solve(cho_factor(a, lower), b)
    return linalg.solve(a, b)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False,
                     debug=None, check_finite=True):
    """The solution x of a x = b for a triangle of `a`; the other one is not read.

    Args:
      a: square matrices (..., n, n).
      b: a vector (n,), or matrices (..., n, k).
      trans: 0 or "N": a; 1 or "T": its transpose; 2 or "C": its conjugate transpose.
      lower: read the lower triangle, not the upper one.
      unit_diagonal: take the diagonal as ones.
      overwrite_b: accepted for SciPy's signature, without effect.
      debug: accepted for SciPy's signature, without effect.
      check_finite: accepted for SciPy's signature, without effect.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.solve_triangular(array([[2.0, 0.0], [1.0, 1.0]]), array([2.0, 2.0]), lower=True)
    tensor([1., 1.])
    """
    if trans not in TRANSPOSES:
        raise ArgumentError("solve_triangular: trans must be 0, 1, 2 or 'N', 'T', 'C', but is "
                            f"{trans!r}.")
    x, y = common("solve_triangular", a, b)
    x, y = square_matrix("solve_triangular", x), wide(y)
    x = TRANSPOSES[trans](x)
    lower = bool(lower) != (trans not in (0, "N"))

    def solver(x, y):
        return ops.solve_triangular(x, y, lower=lower, unit=bool(unit_diagonal))

    return with_columns("solve_triangular", solver, x, y)


def solve_sylvester(A, B, C, *, method="schur", tol=1e-8):  # noqa: N803 - SciPy's names
    """The solution X of A X + X B = C, as one linear system of m n unknowns.

    Args:
      A, B, C: matrices (m, m), (n, n) and (m, n).
      method, tol: for JAX's signature; they change nothing.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.solve_sylvester(array([[1.0]]), array([[3.0]]), array([[8.0]]))
    tensor([[2.]])
    """
    a, b, c = common("solve_sylvester", A, B, C)
    a, b = square_matrix("solve_sylvester", a), square_matrix("solve_sylvester", b, 1)
    c = matrix("solve_sylvester", c, 2)
    m, n = a.shape[-1], b.shape[-1]
    if c.shape != (m, n):
        raise ShapeError(f"solve_sylvester: C must have the shape {(m, n)} for {describe(a)} and "
                         f"{describe(b)}, but is {describe(c)}.")
    system = kron(a, eye(n, dtype=a.dtype)) + kron(eye(m, dtype=a.dtype), flipped(b))
    return reshape(linalg.solve(system, reshape(c, shape=(m * n,))), shape=(m, n))


def expm(A, *, upper_triangular=False, max_squarings=16):  # noqa: N803 - SciPy's name
    """The exponential of square matrices (..., n, n).

    Source: N. J. Higham, The scaling and squaring method for the matrix exponential revisited,
    SIAM Journal on Matrix Analysis and Applications 26 (2005).

    Args:
      A: matrices.
      upper_triangular: for JAX's signature; it changes nothing.
      max_squarings: matrices that need more give NaN.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.expm(array([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return functions.expm(square_matrix("expm", asarray(A)),
                          max_squarings=integer(max_squarings, "expm", "max_squarings"))


def expm_frechet(A, E, *, method=None, compute_expm=True):  # noqa: N803 - SciPy's names
    """The exponential of A and its derivative along E.

    Source: R. Mathias, A chain rule for matrix functions and applications, SIAM Journal on Matrix
    Analysis and Applications 17 (1996).

    Args:
      A, E: matrices (..., n, n).
      method: for JAX's signature; it changes nothing.
      compute_expm: whether to return the exponential too.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.expm_frechet(array([[0.0]]), array([[2.0]]))
    (tensor([[1.]]), tensor([[2.]]))
    """
    x, t = common("expm_frechet", A, E)
    x, t = square_matrix("expm_frechet", x), square_matrix("expm_frechet", t, 1)
    if x.shape != t.shape:
        raise ShapeError(f"expm_frechet: A and E must have one shape, but are {describe(x)} and "
                         f"{describe(t)}.")
    slope = functions.frechet(t, x, 16)
    return (functions.expm(x, max_squarings=16), slope) if compute_expm else slope
