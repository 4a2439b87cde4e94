"""Norms of vectors and matrices, and the condition number. At 0 a norm has the subgradient 0."""

import math

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import axes_of, inexact, value
from functape.numpy.linalg.operands import matrix, singular_values, square_matrix, wide
from functape.numpy.shapes import moveaxis
from functape.ops import norms as ops
from functape.ops.elementwise import absolute, isnan, logical_not, where
from functape.ops.families import astype
from functape.ops.linalg import inv
from functape.ops.movement import reshape
from functape.ops.reductions import any_of, maximum_of, minimum_of
from functape.ops.reductions import sum as total
from functape.pairs import is_complex


def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002 - NumPy's name
    """The norm of vectors or matrices.

    Args:
      x: array.
      ord: of vectors: any number p, for (sum |x|^p)^(1/p), with inf, -inf and 0 their limits. Of
        matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf. None: the root of the sum of squares.
      axis: one axis for vectors, a pair of them for matrices; None: all, of which there may be
        any number if `ord` is None.
      keepdims: keep the axes, with length 1.

    >>> from functape.numpy import array, linalg
    >>> linalg.norm(array([3.0, 4.0]))
    tensor(5.)
    """
    x = inexact(value(x, "norm"))
    axes = axes_of(axis, len(x.shape), "norm")
    if ord is None:
        return vector("norm", x, 2, axes, keepdims)
    if len(axes) == 1:
        return vector("norm", x, ord, axes, keepdims)
    if len(axes) == 2:
        return of_matrices("norm", x, ord, axes, keepdims)
    raise ShapeError(f"norm of order {ord!r} takes one axis or two, but got {len(axes)} of "
                     f"{describe(x)}. Name them with axis, or use vector_norm.")


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
    """The norm of order `ord` over one axis, several, or all, taken as one vector.

    Args:
      x: array.
      keepdims: keep the reduced axes, with length 1.

    >>> from functape.numpy import array, linalg
    >>> linalg.vector_norm(array([[3.0, 0.0], array([0.0, -4.0])]), ord=1)
    tensor(7.)
    """
    x = inexact(value(x, "vector_norm"))
    return vector("vector_norm", x, ord, axes_of(axis, len(x.shape), "vector_norm"), keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):  # noqa: A002
    """The norm of the matrices in the last two axes; `ord` as for norm.

    Args:
      x: matrices; axes before the last two are a batch.
      keepdims: keep the reduced axes, with length 1.

    >>> from functape.numpy import array, linalg
    >>> linalg.matrix_norm(array([[3.0, 0.0], array([0.0, -4.0])]), ord=2)
    tensor(4.)
    """
    x = matrix("matrix_norm", x)
    n = len(x.shape)
    return of_matrices("matrix_norm", x, ord, (n - 2, n - 1), keepdims)


def vector(name, x, order, axis, keepdims):
    over = {"axis": axis, "keepdims": keepdims}
    if isinstance(order, str) or not isinstance(order, (int, float)):
        raise ArgumentError(f"{name}: the order of a vector norm must be a number, but is "
                            f"{order!r}.")
    if is_complex(x) or math.isinf(order):
        x = absolute(x)
    if not axis:
        return absolute(x) if order else astype(x != 0, dtype=x.dtype)
    if order == math.inf:
        return maximum_of(x, **over) if x.size else total(x, **over)
    if order == -math.inf:
        return minimum_of(x, **over)
    if order == 0:
        return total(astype(x != 0, dtype=x.dtype), **over)
    if order == 1:
        return total(absolute(x), **over)
    return ops.norm(x, **over, ord=order)


def of_matrices(name, x, order, axes, keepdims):
    if order in (None, "fro", "f"):
        return vector(name, x, 2, axes, keepdims)
    if order in ("nuc", 2, -2):
        found = of_singular_values(moveaxis(wide(x), axes, (-2, -1)), order)
    elif order in (1, -1, math.inf, -math.inf):
        summed, rest = axes if abs(order) == 1 else axes[::-1]
        sums = total(absolute(x), axis=(summed,), keepdims=True)
        found = (maximum_of if order > 0 else minimum_of)(sums, axis=(rest,), keepdims=True)
    else:
        raise ArgumentError(f"{name}: the order of a matrix norm must be 'fro', 'nuc', 1, -1, 2, "
                            f"-2, inf or -inf, but is {order!r}.")
    keep = [1 if i in axes else n for i, n in enumerate(x.shape)]
    return reshape(found, shape=tuple(
        n for i, n in enumerate(keep) if keepdims or i not in axes))


def of_singular_values(x, order):
    reduce = {"nuc": total, 2: maximum_of, -2: minimum_of}[order]
    s = singular_values(x)
    return reduce(s, axis=(len(s.shape) - 1,), keepdims=False)


def cond(x, p=None):
    """The condition number of matrices: norm(x, p) * norm(inv(x), p).

    Args:
      x: matrices (..., m, n); square unless p is None, 2 or -2.
      p: the order of the norm, as for norm; None: 2.

    >>> from functape.numpy import array, linalg
    >>> linalg.cond(array([[4.0, 0.0], array([0.0, 2.0])]))
    tensor(2.)
    """
    x = matrix("cond", x)
    if p in (None, 2, -2):
        s = singular_values(x)
        largest, smallest = s[..., 0], s[..., -1]
        ratio = smallest / largest if p == -2 else largest / smallest
    else:
        square_matrix("cond", x)
        ratio = norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))
    if p in (None, 2):
        return ratio
    n = len(x.shape)
    given_nan = any_of(isnan(x), axis=(n - 2, n - 1), keepdims=False)
    return where(isnan(ratio) & logical_not(given_nan), math.inf, ratio)  # of a singular x
