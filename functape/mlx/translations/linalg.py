"""mlx.core.linalg and mlx.core.fft: functape's functions of the same names."""

import mlx.core as mx

from functape.mlx.translations.registry import table, translation
from functape.numpy import fft, linalg
from functape.numpy.arguments import as_type, value
from functape.ops import factors
from functape.ops import linalg as ops
from functape.ops.contraction import flipped, matmul
from functape.ops.reductions import argmax
from functape.tensor import constant

table.update({f"fft.{name}": getattr(fft, name) for name in (
    "fft", "fft2", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft", "irfft2",
    "irfftn", "rfft", "rfft2", "rfftn",
)})
table.update({f"linalg.{name}": getattr(linalg, name) for name in (
    "cross", "det", "eigvals", "eigvalsh", "inv", "norm", "pinv", "qr", "slogdet", "solve",
)})


@translation("linalg.cholesky")
def cholesky(a, upper=False):
    return linalg.cholesky(a, upper=upper)


@translation("linalg.eigh")
def eigh(a, UPLO="L"):  # noqa: N803 - MLX's name
    return tuple(linalg.eigh(a, UPLO))


@translation("linalg.eig")
def eig(a):
    return tuple(linalg.eig(a))


@translation("linalg.svd")
def svd(a, compute_uv=True):
    return tuple(linalg.svd(a, full_matrices=True)) if compute_uv else linalg.svdvals(a)


@translation("linalg.solve_triangular")
def solve_triangular(a, b, *, upper=False):
    a, b = value(a, "solve_triangular"), value(b, "solve_triangular")
    if len(b.shape) == 1:
        return solve_triangular(a, b.reshape((-1, 1)), upper=upper).reshape(b.shape)
    return ops.solve_triangular(a, b, lower=not upper, unit=False)


@translation("linalg.tri_inv")
def tri_inv(a, upper=False):
    a = value(a, "tri_inv")
    n = a.shape[-1]
    return solve_triangular(a, constant(mx.broadcast_to(mx.eye(n, dtype=a.dtype), a.shape)),
                            upper=upper)


@translation("linalg.cholesky_inv")
def cholesky_inv(a, upper=False):
    """The inverse of the matrix that has this factor."""
    root = tri_inv(a, upper)
    return matmul(root, flipped(root)) if upper else matmul(flipped(root), root)


@translation("linalg.lu")
def lu(a):
    """With the permutation as MLX gives it: the rows of a in the order of those of L U."""
    p, low, up = factors.lu(value(a, "lu"))
    return as_type(argmax(p, axis=len(p.shape) - 2, keepdims=False), mx.uint32), low, up


@translation("linalg.lu_factor")
def lu_factor(a):
    a = value(a, "lu_factor")
    _, low, up = factors.lu(a)
    low = ops.triangle(low, lower=True, offset=-1)
    return low + up, as_type(factors.lu_pivots(a), mx.uint32)


table["matrix_norm"] = linalg.norm
