"""jax.scipy.linalg's functions on functape values, by the same names.

Arguments of SciPy that save memory or check for NaN (`overwrite_a`, `check_finite`, ...) are
accepted and change nothing. MLX has no Schur form, so what needs one is not here.
"""

from functape.scipy.linalg.factors import (
    cho_factor,
    cho_solve,
    cholesky,
    eigh,
    eigh_tridiagonal,
    lu,
    lu_factor,
    lu_solve,
    polar,
    qr,
    svd,
)
from functape.scipy.linalg.solving import (
    det,
    expm,
    expm_frechet,
    inv,
    solve,
    solve_sylvester,
    solve_triangular,
)
from functape.scipy.linalg.structured import (
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    dft,
    fiedler,
    hadamard,
    hankel,
    helmert,
    hilbert,
    invhilbert,
    leslie,
    pascal,
    toeplitz,
)
from functape.suggest import for_names_of

__all__ = [
    "block_diag", "cho_factor", "cho_solve", "cholesky", "circulant", "companion",
    "convolution_matrix", "det", "dft", "eigh", "eigh_tridiagonal", "expm", "expm_frechet",
    "fiedler", "hadamard", "hankel", "helmert", "hilbert", "inv", "invhilbert", "leslie", "lu",
    "lu_factor", "lu_solve", "pascal", "polar", "qr", "solve", "solve_sylvester",
    "solve_triangular", "svd", "toeplitz",
]

__getattr__ = for_names_of(__name__)
