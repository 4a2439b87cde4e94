"""Matrices of ones and zeros, triangles, and matrices of powers."""

import mlx.core as mx
import numpy as np

from functape.errors import ShapeError, describe
from functape.numpy.arguments import as_type, integer, shape_of, value
from functape.numpy.creation import array, on, real_dtype
from functape.op import Value
from functape.ops import movement
from functape.ops.elementwise import equal, less_equal, logical_and, where
from functape.pairs import converted
from functape.tensor import Tensor, constant

# --- ones on a diagonal ---------------------------------------------------------------------------


def eye(N, M=None, k=0, dtype=None, *, device=None):  # noqa: N803 - NumPy's name
    """Ones on the k-th diagonal of N by M zeros.

    Args:
      k: which diagonal; it need not be known.
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    (n,) = shape_of(integer(N, "eye", "N"), "eye", "N")
    (m,) = (n,) if M is None else shape_of(integer(M, "eye", "M"), "eye", "M")
    with on(device):
        if isinstance(k, Value):
            return as_type(equal(diagonal_numbers(n, m), k), real_dtype(dtype, "eye"))
        return Tensor(converted(mx.eye(n, m, within("eye", k, n, m)), real_dtype(dtype, "eye")))


def diagonal_numbers(n, m):
    """The number of the diagonal on which each of n x m elements lies."""
    return constant(np.arange(m, dtype=np.int32) - np.arange(n, dtype=np.int32)[:, None])


def within(name, k, n, m):
    """The number of a diagonal of n x m elements; of one outside, that of the first outside."""
    return max(-n, min(integer(k, name, "k"), m))


def identity(n, dtype=None):
    """The identity matrix.

    Args:
      n: its number of rows.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.identity(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    return eye(integer(n, "identity", "n"), dtype=dtype)




# --- triangles ----------------------------------------------------------------------------------


def tri(N, M=None, k=0, dtype=None):  # noqa: N803 - NumPy's name
    """Ones on and below the k-th diagonal of N by M zeros.

    Args:
      k: which diagonal; it need not be known.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.numpy.tri(2)
    tensor([[1., 0.],
            [1., 1.]])
    """
    n = integer(N, "tri", "N")
    m = n if M is None else integer(M, "tri", "M")
    if isinstance(k, Value):
        return as_type(less_equal(diagonal_numbers(n, m), k), real_dtype(dtype, "tri"))
    return Tensor(converted(mx.tri(n, m, within("tri", k, n, m)), real_dtype(dtype, "tri")))


def tril(m, k=0):
    """A matrix with zeros above its k-th diagonal.

    Args:
      m: matrices; axes before the last two are a batch.

    >>> import functape as ft
    >>> ft.numpy.tril(ft.numpy.ones((2, 2)))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return kept_part("tril", m, lambda n, m: np.tri(n, m, within("tril", k, n, m), dtype=bool))


def triu(m, k=0):
    """A matrix with zeros below its k-th diagonal.

    Args:
      m: matrices; axes before the last two are a batch.

    >>> import functape as ft
    >>> ft.numpy.triu(ft.numpy.ones((2, 2)))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return kept_part("triu", m, lambda n, m: ~np.tri(n, m, within("triu", k, n, m) - 1, dtype=bool))


def kept_part(name, m, mask):
    m = value(m, name)
    if len(m.shape) < 2:
        raise ShapeError(f"{name} takes matrices, but got {describe(m)}.")
    kept = Tensor(mx.array(mask(*m.shape[-2:])))
    return logical_and(kept, m) if m.dtype == mx.bool_ else where(kept, m, 0)


def tril_indices(n, k=0, m=None):
    """The row and column numbers of the elements on and below a diagonal.

    Args:
      n: how many rows.
      k: which diagonal: 0 is the main one, positive ones are above it.
      m: how many columns; as many by default.

    >>> import functape as ft
    >>> ft.numpy.tril_indices(2)
    (tensor([0, 1, 1], dtype=int32), tensor([0, 0, 1], dtype=int32))
    """
    return positions(np.tril_indices(*sides("tril_indices", n, k, m)))


def triu_indices(n, k=0, m=None):
    """The row and column numbers of the elements on and above a diagonal.

    Args:
      n: how many rows.
      k: which diagonal: 0 is the main one, positive ones are above it.
      m: how many columns; as many by default.

    >>> import functape as ft
    >>> ft.numpy.triu_indices(2)
    (tensor([0, 0, 1], dtype=int32), tensor([0, 1, 1], dtype=int32))
    """
    return positions(np.triu_indices(*sides("triu_indices", n, k, m)))


def tril_indices_from(arr, k=0):
    """tril_indices for the shape of a matrix.

    Args:
      arr: array.
      k: which diagonal: 0 is the main one, positive ones are above it.

    >>> import functape as ft
    >>> [i.shape for i in ft.numpy.tril_indices_from(ft.numpy.ones((2, 2)))]
    [(3,), (3,)]
    """
    n, m = value(arr, "tril_indices_from").shape[-2:]
    return tril_indices(n, k, m)


def triu_indices_from(arr, k=0):
    """triu_indices for the shape of a matrix.

    Args:
      arr: array.
      k: which diagonal: 0 is the main one, positive ones are above it.

    >>> import functape as ft
    >>> [i.shape for i in ft.numpy.triu_indices_from(ft.numpy.ones((2, 2)))]
    [(3,), (3,)]
    """
    n, m = value(arr, "triu_indices_from").shape[-2:]
    return triu_indices(n, k, m)


def diag_indices(n, ndim=2):
    """The positions of the main diagonal: the same numbers for each axis.

    Args:
      n: the length of each axis.
      ndim: how many axes.

    >>> import functape as ft
    >>> ft.numpy.diag_indices(2)
    (tensor([0, 1], dtype=int32), tensor([0, 1], dtype=int32))
    """
    n, ndim = (integer(k, "diag_indices", what) for k, what in ((n, "n"), (ndim, "ndim")))
    return positions((np.arange(n),) * ndim)


def sides(name, n, k, m):
    n, k = integer(n, name, "n"), integer(k, name, "k")
    return n, k, m if m is None else integer(m, name, "m")


def positions(arrays):
    return tuple(array(a.astype(np.int32)) for a in arrays)


def vander(x, N=None, increasing=False):  # noqa: N803 - NumPy's name
    """The matrix of powers of a vector, the highest first.

    Args:
      x: vector.
      N: how many columns; as many as elements by default.
      increasing: the lowest power first.

    >>> import functape as ft
    >>> ft.numpy.vander(ft.numpy.array([2.0, 3.0]), 3)
    tensor([[4., 2., 1.],
            [9., 3., 1.]])
    """
    x = value(x, "vander")
    if len(x.shape) != 1:
        raise ShapeError(f"vander takes a vector, but got {describe(x)}.")
    n = x.shape[0] if N is None else integer(N, "vander", "N")
    powers = range(n) if increasing else range(n)[::-1]
    if not n:
        return movement.reshape(x, shape=(-1, 1))[:, :0]
    return movement.stack(*[x ** p for p in powers], axis=1)
