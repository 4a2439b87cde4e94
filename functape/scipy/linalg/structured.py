"""Matrices of a given structure, and famous ones."""

import math

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import alike, common, integer, value, values
from functape.numpy.broadcasting import broadcast_shapes, broadcast_to
from functape.numpy.creation import array
from functape.numpy.diagonals import diag
from functape.numpy.elementwise import conjugate
from functape.numpy.indexing import take
from functape.numpy.joining import concatenate
from functape.numpy.shapes import atleast_2d
from functape.ops.elementwise import absolute
from functape.ops.movement import cut, place

# --- from arrays --------------------------------------------------------------------------------


def block_diag(*arrs):
    """Matrices along the diagonal, zeros elsewhere; a vector is a matrix of one row.

    Args:
      *arrs: matrices.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.block_diag(array([[1.0]]), array([[2.0, 3.0]]))
    tensor([[1., 0., 0.],
            [0., 2., 3.]])
    """
    blocks = [atleast_2d(a) for a in values(list(arrs) or [np.zeros((1, 0))], "block_diag")]
    for i, x in enumerate(blocks):
        if len(x.shape) != 2:
            raise ShapeError(f"block_diag takes matrices, but argument {i} is {describe(x)}.")
    shape = tuple(sum(x.shape[k] for x in blocks) for k in (0, 1))
    found, row, column = None, 0, 0
    for x in blocks:
        m, n = x.shape
        placed = place(x, index=(slice(row, row + m), slice(column, column + n)), shape=shape)
        found = placed if found is None else found + placed
        row, column = row + m, column + n
    return found


def vector(name, a, index=0):
    x = value(a, name, index)
    if not x.shape:
        raise ShapeError(f"{name} takes vectors, but argument {index} is {describe(x)}.")
    return x


def joined(first, second):
    """Two batches of vectors, end to end."""
    first, second = alike([first, second])
    lead = broadcast_shapes(first.shape[:-1], second.shape[:-1])
    parts = [broadcast_to(v, (*lead, v.shape[-1])) for v in (first, second)]
    return concatenate(parts, axis=-1)


def pick(x, positions):
    """A matrix (..., m, n) of the elements at these positions of the last axis."""
    return take(x, np.asarray(positions, np.int32), axis=-1)


def grid(m, n):
    return np.arange(m)[:, None], np.arange(n)[None, :]


def toeplitz(c, r=None):
    """The matrix with equal diagonals: c its first column, r its first row (r[0] is not read).

    Args:
      c: vectors (..., m).
      r: vectors (..., n); None: conj(c).

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.toeplitz(array([1.0, 2.0]), array([0.0, 3.0]))
    tensor([[1., 3.],
            [2., 1.]])
    """
    c = vector("toeplitz", c)
    r = conjugate(c) if r is None else vector("toeplitz", r, 1)
    i, j = grid(c.shape[-1], r.shape[-1])
    return pick(joined(c, r), np.where(i >= j, i - j, c.shape[-1] + j - i))


def hankel(c, r=None):
    """The matrix with equal antidiagonals: c its first column, r its last row (r[0] is not read).

    Args:
      c: vectors (..., m).
      r: vectors (..., n); None: zeros.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.hankel(array([1.0, 2.0]))
    tensor([[1., 2.],
            [2., 0.]])
    """
    c = vector("hankel", c)
    r = c * 0 if r is None else vector("hankel", r, 1)
    i, j = grid(c.shape[-1], r.shape[-1])
    return pick(joined(c, r), np.where(i + j < c.shape[-1], i + j, i + j + 1))


def circulant(c):
    """The matrix whose columns are the vector c, each turned one further.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.circulant(array([1.0, 2.0, 3.0]))
    tensor([[1., 3., 2.],
            [2., 1., 3.],
            [3., 2., 1.]])
    """
    c = vector("circulant", c)
    i, j = grid(c.shape[-1], c.shape[-1])
    return pick(c, (i - j) % c.shape[-1])


def leslie(f, s):
    """The matrix of a population: fecundities f in the first row, survivals s below the diagonal.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.leslie(array([1.0, 2.0]), array([0.5]))
    tensor([[1. , 2. ],
            [0.5, 0. ]])
    """
    f, s = common("leslie", f, s)
    f, s = vector("leslie", f), vector("leslie", s, 1)
    if len(f.shape) != 1 or s.shape != (f.shape[0] - 1,):
        raise ShapeError("leslie takes vectors of lengths n and n - 1, but got "
                         f"{describe(f)} and {describe(s)}.")
    return first_row(f) + diag(s, -1)


def first_row(x):
    n = x.shape[0]
    return place(x, index=(0,), shape=(n, n))


def companion(a):
    """The matrix whose eigenvalues are the roots of the polynomial with coefficients a.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.companion(array([1.0, -3.0, 2.0]))
    tensor([[ 3., -2.],
            [ 1.,  0.]])
    """
    x = vector("companion", a)
    if len(x.shape) != 1 or x.shape[0] < 2:
        raise ShapeError(f"companion takes a vector of two elements or more, not {describe(x)}.")
    n = x.shape[0] - 1
    head, rest = (cut(x, index=i) for i in ((0,), (slice(1, None),)))
    return first_row(-rest / head) + array(np.eye(n, k=-1), x.dtype)


def fiedler(a):
    """The matrix of |a_i - a_j|.

    Args:
      a: vector.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.fiedler(array([1.0, 4.0]))
    tensor([[0., 3.],
            [3., 0.]])
    """
    x = vector("fiedler", a)
    n = x.shape[-1]
    return absolute(x.reshape((*x.shape, 1)) - x.reshape((*x.shape[:-1], 1, n)))


def convolution_matrix(a, n, mode="full"):
    """The matrix m with m @ v = convolve(a, v, mode) for vectors v of length n.

    >>> from functape.numpy import array
    >>> from functape.scipy import linalg
    >>> linalg.convolution_matrix(array([1.0, 2.0]), 2)
    tensor([[1., 0.],
            [2., 1.],
            [0., 2.]])
    """
    x, n = vector("convolution_matrix", a), integer(n, "convolution_matrix", "n")
    k = x.shape[-1]
    if mode not in ("full", "same", "valid") or n < 1 or len(x.shape) != 1:
        raise ArgumentError("convolution_matrix takes a vector, a positive n, and a mode 'full', "
                            f"'same' or 'valid', but got {describe(x)}, {n} and {mode!r}.")
    small, big = sorted((k, n))
    start, length = {"full": (0, k + n - 1), "same": ((small - 1) // 2, big),
                     "valid": (small - 1, big - small + 1)}[mode]
    i, j = grid(length, n)
    at = start + i - j
    inside = (at >= 0) & (at < k)
    return pick(joined(x, cut(x, index=(slice(0, 1),)) * 0), np.where(inside, at, k))


# --- famous ones --------------------------------------------------------------------------------


def constant(entries, dtype=None):
    return array(np.asarray(entries), dtype or dtypes.float32)


def hilbert(n):
    """The matrix of 1 / (i + j + 1).

    Args:
      n: its number of rows.

    >>> from functape.scipy import linalg
    >>> linalg.hilbert(2)
    tensor([[1.        , 0.5       ],
            [0.5       , 0.33333334]])
    """
    i, j = grid(n, n)
    return constant(1 / (i + j + 1))


def invhilbert(n):
    """The inverse of hilbert(n), which has integer entries.

    >>> from functape.scipy import linalg
    >>> linalg.invhilbert(2)
    tensor([[ 4., -6.],
            [-6., 12.]])
    """
    binomial = math.comb
    return constant([[
        float((-1) ** (i + j) * (i + j + 1) * binomial(n + i, n - j - 1)
              * binomial(n + j, n - i - 1) * binomial(i + j, i) ** 2)
        for j in range(n)] for i in range(n)])


def pascal(n, kind=None):
    """The matrix of binomial coefficients.

    Args:
      n: its size.
      kind: None or "symmetric", "lower" or "upper": one triangle holds Pascal's triangle.

    >>> from functape.scipy import linalg
    >>> linalg.pascal(3)
    tensor([[1., 1., 1.],
            [1., 2., 3.],
            [1., 3., 6.]])
    """
    kinds = {None: lambda i, j: math.comb(i + j, i), "lower": math.comb,
             "upper": lambda i, j: math.comb(j, i)}
    kinds["symmetric"] = kinds[None]
    if kind not in kinds:
        raise ArgumentError(f"pascal: kind must be 'symmetric', 'lower' or 'upper', not {kind!r}.")
    return constant([[float(kinds[kind](i, j)) for j in range(n)] for i in range(n)])


def helmert(n, full=False):
    """An orthogonal matrix that takes means off: row i compares element i with those before it.

    Args:
      n: its size.
      full: keep the first row, which is constant.

    >>> from functape.scipy import linalg
    >>> linalg.helmert(2)
    tensor([[ 0.70710677, -0.70710677]])
    """
    i, j = grid(n, n)
    entries = np.where(j < i, 1.0, np.where(j == i, -1.0 * i, 0.0))
    entries[0] = 1.0
    entries /= np.linalg.norm(entries, axis=1, keepdims=True)
    return constant(entries if full else entries[1:])


def hadamard(n, dtype=int):
    """The matrix of signs with orthogonal rows, for a power of two.

    Args:
      n: its number of rows.
      dtype: of the result.

    >>> from functape.scipy import linalg
    >>> linalg.hadamard(2, float)
    tensor([[ 1.,  1.],
            [ 1., -1.]])
    """
    if n < 1 or n & (n - 1):
        raise ShapeError(f"hadamard: n must be a power of two, but is {n}.")
    return constant([[(-1) ** (i & j).bit_count() for j in range(n)] for i in range(n)], dtype)


def dft(n, scale=None, *, dtype=None):
    """The matrix of the discrete Fourier transform.

    Args:
      n: its size.
      scale: None, "sqrtn" or "n": what to divide it by.
      dtype: of the result; complex64 by default.

    >>> from functape.scipy import linalg
    >>> linalg.dft(1)
    tensor([[1.+0.j]], dtype=complex64)
    """
    divisors = {None: 1, "sqrtn": math.sqrt(n), "n": n}
    if scale not in divisors:
        raise ArgumentError(f"dft: scale must be None, 'sqrtn' or 'n', but is {scale!r}.")
    i, j = grid(n, n)
    return constant(np.exp(-2j * np.pi * (i * j % n) / n) / divisors[scale],
                    dtype or dtypes.complex64)
