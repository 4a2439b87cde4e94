"""Kernels of complex128 for linear systems, determinants and triangular factors: by real matrices
of twice the size (see functape.ops.complex_rows)."""

import mlx.core as mx

from functape.ops import elimination, reduce_kernels, reflections
from functape.ops.complex_rows import blocks, halves, rows_of
from functape.ops.factors import cholesky_kernel
from functape.ops.linalg import solve_kernel, tri_inverse, triangle_kernel
from functape.ops.matrix_functions import expm_kernel
from functape.pairs.array import Pair, divide, multiply, pair
from functape.pairs.elementwise import absolute
from functape.pairs.elementwise import sign as phase
from functape.pairs.reductions import prod

NAN = float("nan")


def rows(x):
    x = pair(x)
    return rows_of(x.re, x.im)


def of_rows(x):
    return Pair(*halves(x))


def of_blocks(x):
    return of_rows(x[..., ::2])


def adjoint(x):
    return Pair(mx.swapaxes(x.re, -1, -2), -mx.swapaxes(x.im, -1, -2))


def identity_for(x, size):
    return pair(mx.broadcast_to(mx.eye(size, dtype=mx.float64), (*x.shape[:-2], size, size)))


# --- systems ------------------------------------------------------------------------------------


def solve(x, y):
    if type(x) is mx.array and x.dtype != mx.complex64:
        both = solve_kernel(x.astype(mx.float64), mx.concatenate([y.re, y.im], -1))
        return Pair(*mx.split(both, 2, -1))
    return of_rows(solve_kernel(blocks(rows(x)), rows(y)))


def inv(x):
    return solve(x, identity_for(x, x.shape[-1]))


def solve_triangular(x, y, lower, unit):
    """Each row over its pivot: then the blocks are a triangle too, with a unit diagonal."""
    x, y = pair(x), pair(y)
    beside = Pair(*(triangle_kernel(part, lower, -1 if lower else 1) for part in (x.re, x.im)))
    if not unit:
        pivots = pivots_of(x)
        beside, y = divide(beside, pivots), divide(y, pivots)
    both = blocks(rows(beside))
    return of_rows(tri_inverse(both + mx.eye(both.shape[-1], dtype=both.dtype), lower) @ rows(y))


def pivots_of(x):
    """The diagonal as a column; NaN for a zero."""
    re, im = (mx.diagonal(part, axis1=-2, axis2=-1)[..., None] for part in (x.re, x.im))
    zero = mx.logical_and(re == 0, im == 0)
    return Pair(mx.where(zero, mx.array(NAN, mx.float64), re), im)


# --- determinants and functions -----------------------------------------------------------------


def det(x):
    sign, *pivots = elimination.pivots(rows(x))
    return multiply(product(Pair(*pivots)), sign)


def slogdet(x):
    sign, *pivots = elimination.pivots(rows(x))
    pivots = Pair(*pivots)
    size = reduce_kernels.sum(mx.log(absolute(pivots)), axis=-1)
    return multiply(product(phase(pivots)), sign), size


def product(x):
    """Of the numbers along the last axis."""
    return prod(x, (x.ndim - 1,), False)


def expm(x, max_squarings):
    return of_blocks(expm_kernel(blocks(rows(x)), max_squarings))


# --- factors ------------------------------------------------------------------------------------


def cholesky(x):
    return of_blocks(cholesky_kernel(blocks(rows(x))))


def lu(x):
    permutation, low, up = elimination.lu_matrices(rows(x))
    return permutation, of_rows(low), of_rows(up)


def lu_pivots(x):
    return elimination.lu(rows(x))[1]


def qr(x):
    return tuple(map(of_rows, reflections.qr(rows(x), False)))


def full_qr(x):
    return tuple(map(of_rows, reflections.qr(rows(x), True)))


KERNELS = {
    "identity_for": identity_for, "solve": solve, "inv": inv, "solve_triangular": solve_triangular,
    "det": det, "slogdet": slogdet, "expm": expm, "cholesky": cholesky, "lu": lu,
    "lu_pivots": lu_pivots, "qr": qr, "full_qr": full_qr,
}
