"""Kernels of complex128 for eigenvalues, singular values and what is made of them."""

import numpy as np

from functape.errors import ConcretizationError
from functape.ops import reflections
from functape.ops.complex_rows import blocks
from functape.ops.matrix_functions import inverses, others_kernel, regular
from functape.ops.spectral import eigh_kernel, eigvalsh_kernel, svd_kernel, svdvals_kernel
from functape.pairs.array import Pair, from_numpy, multiply, pair, to_numpy
from functape.pairs.contraction import matmul
from functape.pairs.elementwise import conjugate
from functape.pairs.linalg import adjoint, det, of_rows, rows

# --- Hermitian eigenvalues ----------------------------------------------------------------------


def hermitian_rows(x):
    x, y = pair(x), adjoint(pair(x))
    return rows(Pair((x.re + y.re) * 0.5, (x.im + y.im) * 0.5))


def eigh(x):
    w, v = reflections.eigh(hermitian_rows(x), eigh_kernel)
    return w, of_rows(v)


def eigvalsh(x):
    """The blocks have each of them twice."""
    return eigvalsh_kernel(blocks(hermitian_rows(x)))[..., ::2]


# --- singular values ----------------------------------------------------------------------------


def svd(x):
    u, s, vt = reflections.svd(rows(x), svd_kernel, False)
    return of_rows(u), s, adjoint(of_rows(vt))


def full_svd(x):
    u, s, v = reflections.svd(rows(x), svd_kernel, True)
    return of_rows(u), s, adjoint(of_rows(v))


def svdvals(x):
    """The blocks have each of them twice."""
    return svdvals_kernel(blocks(rows(x)))[..., ::2]


def is_regular(x):
    return regular(svdvals(x))


def pinv(x, rtol):
    u, s, vt = svd(x)
    return matmul(multiply(adjoint(vt), inverses(s, rtol)[..., None, :]), adjoint(u))


def cofactor(x):
    u, s, vt = svd(x)
    sign = multiply(det(u), det(vt))
    left = multiply(conjugate(u), Pair(sign.re[..., None, None], sign.im[..., None, None]))
    return matmul(left, multiply(conjugate(vt), others_kernel(s)[..., None]))


# --- eigenvalues of any square matrix -----------------------------------------------------------


def by_numpy(function):
    """NumPy's LAPACK, since MLX returns single precision; matrices that are not finite give NaN."""

    def kernel(x):
        try:
            x = to_numpy(x) if type(x) is Pair else np.array(x)
        except RuntimeError as error:
            if "[eval]" not in str(error):
                raise
            raise ConcretizationError(
                "The eigenvalues of a general matrix in double precision are computed by NumPy, "
                "which needs values, and there are none while jit compiles the function. Call it "
                "outside of jit, or convert the matrix to single precision.") from error
        bad = ~np.isfinite(x).all((-2, -1))
        found = function(np.where(bad[..., None, None], 0, x))
        outs = [np.where(bad.reshape(bad.shape + (1,) * (y.ndim - bad.ndim)), np.nan, y)
                for y in (found if isinstance(found, tuple) else (found,))]
        outs = tuple(from_numpy(y.astype(complex)) for y in outs)
        return outs if isinstance(found, tuple) else outs[0]

    return kernel


KERNELS = {
    "eigh": eigh, "eigvalsh": eigvalsh, "svd": svd, "full_svd": full_svd, "svdvals": svdvals,
    "is_regular": is_regular, "pinv": pinv, "cofactor": cofactor, "eig": by_numpy(np.linalg.eig),
    "eigvals": by_numpy(np.linalg.eigvals),
}
