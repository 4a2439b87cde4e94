"""Eigenvalues and singular values.

Where eigenvalues coincide, single eigenvectors are not differentiable, but much that is made of
them is: symmetric functions of the eigenvalues, the projection onto an isolated eigenvector or
onto all of a coinciding group. The reverse rules give those their exact gradients. What cannot be
known from one choice of eigenvectors comes out infinite or NaN, never silently wrong.
"""

import mlx.core as mx

from functape.errors import ArgumentError, ShapeError
from functape.op import Op
from functape.ops import reduce_kernels
from functape.ops.contraction import flipped, matmul
from functape.ops.elementwise import absolute, logical_not, ratio, real, sqrt, square
from functape.ops.families import batch_same, fit, total
from functape.ops.linalg import CPU, adjoint, hermitian, identity_for, off_diagonal, solve, star
from functape.pairs import complex128, refuse_rounding

# Eigenvalues closer than this, relative to all of them, coincide.
ROUNDING = {mx.float32: 8 * 2.0**-23, mx.float64: 8 * 2.0**-52, mx.complex64: 8 * 2.0**-23,
            complex128: 8 * 2.0**-52}

# --- helpers of rules ---------------------------------------------------------------------------


def row(w):
    """A vector as a matrix of one row."""
    return w.reshape((*w.shape[:-1], 1, w.shape[-1]))


def column(w):
    return w.reshape((*w.shape, 1))


def column_sums(x, keepdims=False):
    return total(x, axis=(len(x.shape) - 2,), keepdims=keepdims)


def gaps(w):
    """w_j - w_i for all pairs; 0 where the two are equal up to rounding."""
    gap = row(w) - column(w)
    sizes = square(absolute(w))
    size = sqrt(total(sizes, axis=(len(w.shape) - 1,), keepdims=True))
    return gap * (absolute(gap) > ROUNDING[w.dtype] * column(size))


def turn(x, w):
    """How eigenvectors turn into each other: x_ij / (w_j - w_i) off the diagonal."""
    return ratio(off_diagonal(x), gaps(w))


def turn_back(n, g, w):
    """The cotangent of a Hermitian matrix in the basis of its eigenvectors, off the diagonal.

    Args:
      n: the cotangent of the eigenvectors in their own basis.
      g: the cotangent of the eigenvalues w.

    A function that sees a coinciding pair only as a whole leaves it no cotangent, and none is
    what the pair gets. If such a function also depends on the eigenvalues, then how much the pair
    adds depends on more than n and g, and the answer is infinite.
    """
    gap = gaps(w) + identity_for(n, size=n.shape[-1])
    equal = gap == 0
    apart = logical_not(equal)
    turned = off_diagonal(n - adjoint(n)) * 0.5 * apart / (gap + equal)
    unknown = absolute(n) * equal * (row(absolute(g)) + column(absolute(g)))
    return turned + ratio(unknown, apart)


def if_finite(kernel):
    """The kernel on matrices without NaN and infinity, at which LAPACK stops, or never does; NaN
    for the others."""

    def guarded(x):
        bad = reduce_kernels.sum(mx.abs(x) * 0, axis=(-2, -1))  # 0, or NaN
        found = kernel(mx.where(mx.isnan(bad)[..., None, None], mx.array(0, x.dtype), x))
        outs = [y + bad.reshape(bad.shape + (1,) * (y.ndim - bad.ndim)) for y in (
            found if isinstance(found, tuple) else (found,))]
        return tuple(outs) if isinstance(found, tuple) else outs[0]

    return guarded


# --- Hermitian eigenvalues ----------------------------------------------------------------------


def hermitian_kernel(x):
    return (x + mx.conjugate(mx.swapaxes(x, -1, -2))) * 0.5


@if_finite
def eigh_kernel(x):
    return tuple(mx.linalg.eigh(hermitian_kernel(x), **CPU))


@if_finite
def eigvalsh_kernel(x):
    return mx.linalg.eigvalsh(hermitian_kernel(x), **CPU)


def eigh_jvp(t, w, v):
    moved = matmul(hermitian(t), v)
    inner = matmul(adjoint(v), moved)
    return real(column_sums(star(v) * moved)), matmul(v, turn(inner, w))


def eigh_vjp(g, w, v):
    g_w, g_v = g
    n = matmul(flipped(v), g_v)
    back = star(v) * row(g_w) + matmul(star(v), turn_back(n, g_w, w))
    return matmul(back, flipped(v))


eigh = Op(
    "eigh", eigh_kernel, args=("x",), outputs=("w", "v"), vjp=[eigh_vjp], jvp=[eigh_jvp],
    batch=batch_same,
    doc="Eigenvalues in ascending order and eigenvectors of the Hermitian part of x.",
)


def undefined_alone(g):
    raise ArgumentError(
        "eigvalsh and svdvals, as ops, have no derivative: it takes the vectors, and its own "
        "derivative must see on which values they depend. Take eigh(x)[0] or svd(x)[1]."
    )


eigvalsh = Op(
    "eigvalsh", eigvalsh_kernel, args=("x",), vjp=[undefined_alone], jvp=[undefined_alone],
    batch=batch_same,
    doc="Eigenvalues, in ascending order, of the Hermitian part of x; a constant.",
)

# --- singular values ----------------------------------------------------------------------------


@if_finite
def full_svd_kernel(x):
    return tuple(mx.linalg.svd(x, **CPU))


def svd_kernel(x):
    u, s, vt = full_svd_kernel(x)
    k = s.shape[-1]
    return u[..., :k], s, vt[..., :k, :]


def svd_jvp(t, u, s, vt):
    v = adjoint(vt)
    right, left = matmul(t, v), matmul(adjoint(t), u)
    inner = matmul(adjoint(u), right)
    same = turn(hermitian(inner), s)
    opposed = ratio((inner - adjoint(inner)) * 0.5, row(s) + column(s))
    phase = opposed - off_diagonal(opposed)  # of complex vectors: all of it goes to u, as in JAX
    d_u = matmul(u, same + opposed + phase)
    d_v = matmul(v, same - opposed + phase)
    if u.shape[-2] > s.shape[-1]:
        d_u = d_u + ratio(right - matmul(u, inner), row(s))
    if v.shape[-2] > s.shape[-1]:
        d_v = d_v + ratio(left - matmul(v, adjoint(inner)), row(s))
    return d_u, real(column_sums(star(u) * right)), adjoint(d_v)


def svd_vjp(g, u, s, vt):
    g_u, g_s, g_vt = star(g[0]), g[1], star(g[2])
    v, g_v = adjoint(vt), adjoint(g_vt)
    n_u, n_v = matmul(adjoint(u), g_u), matmul(adjoint(v), g_v)
    both = n_u + n_v
    opposed = n_u - n_v + (both - off_diagonal(both))
    inner = turn_back(both, g_s, s)
    inner = inner + ratio((opposed - adjoint(opposed)) * 0.5, row(s) + column(s))
    left = u * row(g_s) + matmul(u, inner)
    if u.shape[-2] > s.shape[-1]:
        left = left + ratio(g_u - matmul(u, n_u), row(s))
    out = matmul(left, vt)
    if v.shape[-2] > s.shape[-1]:
        out = out + matmul(u, adjoint(ratio(g_v - matmul(v, n_v), row(s))))
    return star(out)


svd = Op(
    "svd", svd_kernel, args=("x",), outputs=("u", "s", "vt"), vjp=[svd_vjp], jvp=[svd_jvp],
    batch=batch_same, doc="u, s and vt with u diag(s) vt = x, where s has min(m, n) entries.",
)


@if_finite
def svdvals_kernel(x):
    return mx.linalg.svd(x, compute_uv=False, **CPU)


svdvals = Op(
    "svdvals", svdvals_kernel, args=("x",), vjp=[undefined_alone], jvp=[undefined_alone],
    batch=batch_same, doc="Singular values, in descending order, of a constant.",
)


def undefined(g):
    raise ShapeError(
        "svd: with full_matrices=True the last columns of u, or rows of vh, of a matrix that is "
        "not square are any basis of what is left over, and have no derivative. Pass "
        "full_matrices=False."
    )


full_svd = Op(
    "full_svd", full_svd_kernel, args=("x",), outputs=("u", "s", "vt"), vjp=[undefined],
    jvp=[undefined], batch=batch_same, doc="The singular value decomposition with square u and vt.",
)

# --- eigenvalues of any square matrix -----------------------------------------------------------


@if_finite
def eig_kernel(x):
    """MLX 0.32 conjugates the vectors of complex matrices: keep what fits better."""
    refuse_rounding(x)
    w, v = mx.linalg.eig(x, **CPU)
    if x.dtype != mx.complex64:
        return w, v
    other = mx.conjugate(v)
    misfit, other_misfit = (
        reduce_kernels.sum(mx.square(mx.abs(x @ u - u * w[..., None, :])), axis=(-2, -1),
                           keepdims=True)
        for u in (v, other)
    )
    return w, mx.where(misfit <= other_misfit, v, other)


def eig_jvp(t, w, v):
    inner = solve(v, matmul(t, v))
    d_v = matmul(v, turn(inner, w))
    stretch = real(column_sums(star(v) * d_v, keepdims=True))  # eigenvectors keep length 1
    return diagonal_of(inner), d_v - v * stretch


def eig_vjp(g, w, v, x_shape, x_dtype):
    g_w, g_v = g
    stretch = real(column_sums(g_v * v, keepdims=True))
    n = matmul(flipped(v), g_v - star(v) * stretch)
    vt = flipped(v)
    back = column(g_w) * vt + matmul(turn(n, w), vt)
    return fit(solve(vt, back), x_shape, x_dtype)


def diagonal_of(x):
    return column_sums(x - off_diagonal(x))


eig = Op(
    "eig", eig_kernel, args=("x",), outputs=("w", "v"), vjp=[eig_vjp], jvp=[eig_jvp],
    batch=batch_same, doc="Complex eigenvalues and right eigenvectors of length 1.",
)


@if_finite
def eigvals_kernel(x):
    refuse_rounding(x)
    return mx.linalg.eigvals(x, **CPU)


def eigvals_jvp(t, x):
    _, v = eig(x)
    return diagonal_of(solve(v, matmul(t, v)))


def eigvals_vjp(g, x, x_shape, x_dtype):
    vt = flipped(eig(x)[1])
    return fit(solve(vt, column(g) * vt), x_shape, x_dtype)


eigvals = Op(
    "eigvals", eigvals_kernel, args=("x",), vjp=[eigvals_vjp],
    jvp=[eigvals_jvp], batch=batch_same, doc="Complex eigenvalues.",
)
