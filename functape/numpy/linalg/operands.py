"""The matrices that users pass, checked and in a dtype that MLX factors; and their values.

The derivative of an eigenvalue takes the vectors, so only those of constants are computed alone.
"""

from functape import dtypes
from functape.errors import ShapeError, describe
from functape.numpy.arguments import as_type, inexact, value
from functape.ops import spectral
from functape.ops.linalg import adjoint, triangle
from functape.tensor import is_constant

HALF = (dtypes.float16, dtypes.bfloat16)


def wide(x):
    """A value in single or double precision: what factorisations take."""
    x = inexact(x)
    return as_type(x, dtypes.float32) if x.dtype in HALF else x


def matrix(name, a, index=0):
    """A matrix, or a batch of them."""
    x = wide(value(a, name, index))
    if len(x.shape) < 2:
        raise ShapeError(f"{name} takes matrices, but argument {index} is {describe(x)}. Give it "
                         "two axes, or more for a batch.")
    return x


def square_matrix(name, a, index=0):
    x = matrix(name, a, index)
    if x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name} takes square matrices, but argument {index} is {describe(x)}: "
                         "its last two axes differ.")
    return x


def from_triangle(x, lower):
    """The Hermitian matrix with this triangle, whatever the other one holds."""
    off = triangle(x, lower=lower, offset=-1 if lower else 1)
    return triangle(x, lower=lower, offset=0) + adjoint(off)


def epsilon(x):
    return dtypes.finfo(x.dtype).eps


def eigenvalues(x):
    """Those of Hermitian matrices, in ascending order."""
    return spectral.eigvalsh(x) if is_constant(x) else spectral.eigh(x)[0]


def singular_values(x):
    """In descending order."""
    return spectral.svdvals(x) if is_constant(x) else spectral.svd(x)[1]
