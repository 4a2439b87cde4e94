"""Powers and products of matrices; and what numpy.linalg has of numpy, with other defaults."""

from functape.errors import ShapeError, describe
from functape.numpy import contraction, diagonals
from functape.numpy.arguments import axis_of, integer, value, values
from functape.numpy.linalg.operands import square_matrix
from functape.ops.contraction import matmul
from functape.ops.linalg import identity_for, inv
from functape.ops.movement import reshape


def matrix_power(a, n):
    """Square matrices to an integer power; a negative one takes the inverse.

    Args:
      a: matrices; axes before the last two are a batch.
      n: integer.

    >>> from functape.numpy import array, linalg
    >>> linalg.matrix_power(array([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    x, n = square_matrix("matrix_power", a), integer(n, "matrix_power", "n")
    if n == 0:
        return identity_for(x, size=x.shape[-1])
    if n < 0:
        x, n = inv(x), -n
    found = None
    while n:
        if n & 1:
            found = x if found is None else matmul(found, x)
        n >>= 1
        if n:
            x = matmul(x, x)
    return found


def multi_dot(arrays, *, precision=None):
    """The product of matrices, in the order that takes the fewest multiplications.

    Args:
      arrays: list of matrices; the first and the last may be vectors.
      precision: accepted for JAX's signature.

    >>> from functape.numpy import ones, linalg
    >>> linalg.multi_dot([ones((2, 3)), ones((3, 4)), ones(4)])
    tensor([12., 12.])
    """
    found = values(arrays, "multi_dot")
    if len(found) < 2:
        raise ShapeError("multi_dot takes two arrays or more.")
    first, last = len(found[0].shape) == 1, len(found[-1].shape) == 1
    if first:
        found[0] = reshape(found[0], shape=(1, *found[0].shape))
    if last:
        found[-1] = reshape(found[-1], shape=(*found[-1].shape, 1))
    for i, x in enumerate(found):
        if len(x.shape) != 2 or (i and found[i - 1].shape[1] != x.shape[0]):
            raise ShapeError(f"multi_dot: array {i} is {describe(x)}; it must be a matrix whose "
                             "rows are as many as the columns before it.")
    lengths = [x.shape[0] for x in found] + [found[-1].shape[1]]
    product = chain(found, cheapest_splits(lengths), 0, len(found) - 1)
    shape = product.shape[1:] if first else product.shape
    return reshape(product, shape=shape[:-1] if last else shape)


def cheapest_splits(lengths):
    """For each run i..j of a chain of matrices, where its last product splits it."""
    n = len(lengths) - 1
    cost, split = {(i, i): 0 for i in range(n)}, {}
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1], k)
                for k in range(i, j))
    return split


def chain(arrays, split, i, j):
    if i == j:
        return arrays[i]
    k = split[i, j]
    return matmul(chain(arrays, split, i, k), chain(arrays, split, k + 1, j))


def outer(x1, x2, /):
    """The product of each element of one vector with each of another.

    Args:
      x1, x2: vectors.

    >>> from functape.numpy import array, linalg
    >>> linalg.outer(array([1.0, 2.0]), array([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    x, y = value(x1, "outer"), value(x2, "outer", 1)
    if len(x.shape) != 1 or len(y.shape) != 1:
        raise ShapeError(f"linalg.outer takes two vectors, but got {describe(x)} and "
                         f"{describe(y)}. numpy.outer flattens its arguments.")
    return contraction.outer(x, y)


def cross(x1, x2, /, *, axis=-1):
    """The vector product of vectors of three elements along an axis.

    Args:
      x1, x2: arrays that broadcast.

    >>> from functape.numpy import array, linalg
    >>> linalg.cross(array([1.0, 0.0, 0.0]), array([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    x, y = value(x1, "cross"), value(x2, "cross", 1)
    if any(a.shape[axis_of(axis, len(a.shape), "linalg.cross")] != 3 for a in (x, y)):
        raise ShapeError(f"linalg.cross: axis {axis} of {describe(x)} and of {describe(y)} must "
                         "have length 3.")
    return contraction.cross(x, y, axis=axis)


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices in the last two axes.

    Args:
      x: matrices; axes before the last two are a batch.
      offset: which diagonal: 0 is the main one, positive ones are above it.

    >>> from functape.numpy import array, linalg
    >>> linalg.diagonal(array([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    return diagonals.diagonal(value(x, "diagonal"), offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sum of the diagonal of the matrices in the last two axes.

    Args:
      x: matrices; axes before the last two are a batch.
      offset: which diagonal: 0 is the main one, positive ones are above it; it need not be known.
      dtype: of the result.

    >>> from functape.numpy import array, linalg
    >>> linalg.trace(array([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    return diagonals.trace(value(x, "trace"), offset, -2, -1, dtype)
