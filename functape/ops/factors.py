"""Triangular factorisations: Cholesky, LU and QR. MLX has them for real matrices; complex ones are
factored as real ones of twice the size."""

import mlx.core as mx

from functape.errors import ShapeError
from functape.op import Op
from functape.ops import elimination, reduce_kernels, reflections
from functape.ops.complex_rows import as_rows, blocks, of_rows
from functape.ops.contraction import flipped, matmul
from functape.ops.families import batch_same, nondiff
from functape.ops.linalg import (
    CPU,
    adjoint,
    hermitian,
    identity_for,
    inverse_times,
    lower_part,
    lu_factors,
    solve_transposed,
    solve_triangular,
    star,
    strictly_lower,
    upper_part,
)
from functape.ops.movement import along, concatenate, cut, place

# --- Cholesky -----------------------------------------------------------------------------------


def cholesky_kernel(x):
    if x.dtype == mx.complex64:
        return of_rows(cholesky_kernel(blocks(as_rows(x)))[..., ::2])
    low = mx.linalg.cholesky((x + mx.swapaxes(x, -1, -2)) * 0.5, **CPU)
    pivots = mx.diagonal(low, 0, -2, -1)
    positive = reduce_kernels.all(pivots > 0, axis=-1)[..., None, None]
    return mx.where(positive, mx.tril(low), mx.array(float("nan"), low.dtype))


def lower_half(x):
    """The lower triangle, with half of the diagonal: what makes x from itself and its mirror."""
    return (lower_part(x) + strictly_lower(x)) * 0.5


def cholesky_jvp(t, ans):
    inner = inverse_times(ans, adjoint(inverse_times(ans, hermitian(t))))
    return matmul(ans, lower_half(inner))


def cholesky_vjp(g, ans):
    inner = lower_half(matmul(flipped(ans), g))
    left = solve_transposed(inner, ans, True, False)
    return hermitian(adjoint(solve_transposed(adjoint(left), ans, True, False)))


cholesky = Op(
    "cholesky", cholesky_kernel, args=("x",), vjp=[cholesky_vjp], jvp=[cholesky_jvp],
    batch=batch_same,
    doc="The lower triangular L with L L^H = (x + x^H) / 2; NaN unless that is positive definite.",
)

# --- LU -----------------------------------------------------------------------------------------


def lu_kernel(x):
    if x.dtype == mx.complex64:
        permutation, low, up = elimination.lu_matrices(as_rows(x))
        return permutation, of_rows(low), of_rows(up)
    order, low, up = lu_factors(x)
    rows = mx.arange(x.shape[-2], dtype=order.dtype)
    return (order[..., None] == rows).astype(x.dtype), low, up


def squared(low, up):
    """Both factors as square matrices, continued by an identity."""
    m, n = low.shape[-2], up.shape[-1]
    axis = len(low.shape) - 1
    if m > n:
        rest = cut(identity_for(low, size=m), index=along(axis, slice(n, m)))
        low = concatenate(low, rest, axis=axis)
    if n > m:
        rest = cut(identity_for(up, size=n), index=along(axis - 1, slice(m, n)))
        up = concatenate(up, rest, axis=axis - 1)
    return low, up


def lu_jvp(t, permutation, low, up):
    k, axis = low.shape[-1], len(low.shape) - 1
    full_low, full_up = squared(low, up)
    left = solve_triangular(full_low, matmul(flipped(permutation), t), lower=True, unit=True)
    inner = flipped(solve_transposed(flipped(left), full_up, False, False))
    below = cut(strictly_lower(inner), index=along(axis, slice(0, k)))
    above = cut(upper_part(inner), index=along(axis - 1, slice(0, k)))
    return permutation * 0, matmul(full_low, below), matmul(above, full_up)


def lu_vjp(g, permutation, low, up, x_shape):
    _, g_low, g_up = g
    k, axis = low.shape[-1], len(low.shape) - 1
    full_low, full_up = squared(low, up)
    below = strictly_lower(matmul(flipped(full_low), g_low))
    above = upper_part(matmul(g_up, flipped(full_up)))
    inner = place(below, index=along(axis, slice(0, k)), shape=x_shape)
    inner = inner + place(above, index=along(axis - 1, slice(0, k)), shape=x_shape)
    left = solve_transposed(inner, full_low, True, True)
    both = flipped(solve_triangular(full_up, flipped(left), lower=False, unit=False))
    return matmul(permutation, both)


lu = Op(
    "lu", lu_kernel, args=("x",), outputs=("permutation", "low", "up"), batch=batch_same,
    vjp=[lu_vjp], jvp=[lu_jvp],
    doc="A real permutation matrix, a unit lower and an upper triangular one, whose product is x.",
)

# --- QR -----------------------------------------------------------------------------------------


def qr_jvp(t, q, r):
    scaled = flipped(solve_transposed(flipped(t), r, False, False))  # t r^-1
    inner = matmul(adjoint(q), scaled)
    low = lower_half(inner)  # of half the diagonal only the imaginary part is left below
    turn = low - adjoint(low)
    return scaled + matmul(q, turn - inner), matmul(inner - turn, r)


def qr_vjp(g, q, r):
    g_q, g_r = g
    inner = matmul(star(r), adjoint(g_r)) - matmul(adjoint(g_q), star(q))
    low = lower_half(inner)
    right = g_q + matmul(star(q), low + adjoint(low))
    return flipped(solve_triangular(r, flipped(right), lower=False, unit=False))


def qr_kernel(x):
    if x.dtype == mx.complex64:
        return tuple(map(of_rows, reflections.qr(as_rows(x), False)))
    return tuple(mx.linalg.qr(x, **CPU))


qr = Op(
    "qr", qr_kernel, args=("x",), outputs=("q", "r"),
    batch=batch_same, vjp=[qr_vjp], jvp=[qr_jvp],
    doc="Orthonormal columns q and an upper triangular r, whose product is x; x is not wide.",
)


def full_qr_kernel(x):
    """Further columns of an identity give Q the columns that are missing."""
    if x.dtype == mx.complex64:
        return tuple(map(of_rows, reflections.qr(as_rows(x), True)))
    m, n = x.shape[-2:]
    rest = mx.broadcast_to(mx.eye(m, m - n, dtype=x.dtype), (*x.shape[:-1], m - n))
    q, r = mx.linalg.qr(mx.concatenate([x, rest], -1), **CPU)
    return q, r[..., :n]


def undefined_qr(g):
    raise ShapeError(
        "qr: with mode='complete' the last columns of Q, of a matrix with more rows than columns, "
        "are any basis of what is left over, and have no derivative. Use mode='reduced'."
    )


full_qr = Op(
    "full_qr", full_qr_kernel, args=("x",), outputs=("q", "r"), batch=batch_same,
    vjp=[undefined_qr], jvp=[undefined_qr], doc="The QR factors of a tall x, with a square q.",
)

# --- LU in LAPACK's packed form -----------------------------------------------------------------


def pivoting_kernel(pivots):
    """The permutation matrix of a sequence of row exchanges."""
    n = pivots.shape[-1]
    rows = mx.broadcast_to(mx.arange(n, dtype=mx.int32), pivots.shape)
    here = mx.arange(n)
    for i in range(n):
        other = pivots[..., i : i + 1].astype(mx.int32)
        there = mx.take_along_axis(rows, other, -1)
        rows = mx.where(here == other, rows[..., i : i + 1], rows)
        rows = mx.where(here == i, there, rows)
    return (rows[..., None] == here).astype(mx.float32)


def lu_pivots_kernel(x):
    if x.dtype == mx.complex64:
        return elimination.lu(as_rows(x))[1]
    if not x.size:  # LAPACK would end the process
        return mx.zeros((*x.shape[:-2], min(x.shape[-2:])), mx.int32)
    return mx.linalg.lu_factor(x, **CPU)[1].astype(mx.int32)


lu_pivots = nondiff(
    "lu_pivots", lu_pivots_kernel, batch=batch_same,
    doc="The row exchanges of an LU factorisation: row i with row pivots[i].",
)
pivoting = nondiff(
    "pivoting", pivoting_kernel, batch=batch_same,
    doc="The permutation matrix p of a sequence of row exchanges: p x has them done.",
)
