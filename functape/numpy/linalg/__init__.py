"""jax.numpy.linalg's functions on functape values, by the same names.

Matrices stand in the last two axes, and leading axes are a batch. All are differentiable to any
order in both modes. What MLX factors in real numbers only, complex matrices are brought to: as real
ones of twice the size, or by reflections and elimination in real arithmetic.
"""

from functape.numpy.contraction import matmul, tensordot, vecdot
from functape.numpy.linalg.factors import QRResult, cholesky, qr
from functape.numpy.linalg.norms import cond, matrix_norm, norm, vector_norm
from functape.numpy.linalg.products import (
    cross,
    diagonal,
    matrix_power,
    multi_dot,
    outer,
    trace,
)
from functape.numpy.linalg.solving import (
    SlogdetResult,
    det,
    inv,
    lstsq,
    pinv,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)
from functape.numpy.linalg.spectra import (
    EighResult,
    EigResult,
    SVDResult,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    matrix_rank,
    svd,
    svdvals,
)
from functape.numpy.shapes import matrix_transpose
from functape.suggest import for_names_of

__all__ = [
    "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
    "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose",
    "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
    "EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult",
]

__getattr__ = for_names_of(__name__)
