"""Functions of whole matrices: determinant, pseudo-inverse, exponential."""

import math

import mlx.core as mx

from functape.op import Op
from functape.ops import elimination, reduce_kernels
from functape.ops.complex_rows import as_rows, of_parts
from functape.ops.contraction import flipped, matmul
from functape.ops.elementwise import imag, real, where
from functape.ops.families import batch_same, nondiff, total
from functape.ops.linalg import CPU, adjoint, identity_for, inv, off_diagonal, solve_kernel, star
from functape.ops.movement import along, concatenate, cut, reshape, roll, spread
from functape.ops.reductions import others
from functape.ops.spectral import column_sums, row, svd, svd_kernel, svdvals_kernel
from functape.pairs import is_complex

# --- determinant --------------------------------------------------------------------------------


def det_kernel(x):
    """The product of the pivots; MLX's, an exponential of logarithms, has half of float64's
    digits."""
    if not x.size:
        return mx.ones(x.shape[:-2], x.dtype)
    if x.dtype == mx.complex64:
        sign, pivots = complex_pivots(x)
        return sign * reduce_kernels.prod(pivots, axis=-1)
    factors, pivots = mx.linalg.lu_factor(x, **CPU)
    product = mx.prod(mx.diagonal(factors, axis1=-2, axis2=-1), axis=-1, **CPU)
    swaps = mx.not_equal(pivots, mx.arange(x.shape[-1], dtype=pivots.dtype))
    return product * (1 - 2 * (mx.sum(swaps, axis=-1) % 2)).astype(x.dtype)


def complex_pivots(x):
    sign, *pivots = elimination.pivots(as_rows(x))
    return sign, of_parts(*pivots)


def as_matrix(g):
    """A scalar a matrix, ready to multiply it."""
    return g.reshape((*g.shape, 1, 1))


def entry_sum(x):
    """The sum over each matrix."""
    n = len(x.shape)
    return total(x, axis=(n - 2, n - 1), keepdims=False)


def cofactor_kernel(x):
    u, s, vt = svd_kernel(x)
    orientation = (det_kernel(u) * det_kernel(vt))[..., None, None]
    return orientation * mx.conjugate(u) @ (others_kernel(s)[..., None] * mx.conjugate(vt))


def others_kernel(s):
    """For each entry the product of all others."""
    n = s.shape[-1]
    rows = mx.where(mx.eye(n, dtype=mx.bool_), mx.array(1, s.dtype), s[..., None, :])
    return reduce_kernels.prod(rows, axis=-1)


def cofactor_slope(t, x):
    """How the cofactors move with x; as a map of t its own transpose. Where x is regular, by its
    inverse, whose own derivatives are exact to any order; elsewhere by its singular vectors."""
    regular = is_regular(x)
    safe = where(regular, x, identity_for(x, size=x.shape[-1]))
    return where(regular, slope_by_inverse(t, safe), slope_by_singular_vectors(t, x))


def slope_by_inverse(t, x):
    """d(det(x) x^-T) = det(x) (tr(x^-1 t) x^-T - x^-T t^T x^-T)."""
    y = flipped(inv(x))
    return as_matrix(det(x)) * (as_matrix(entry_sum(y * t)) * y - matmul(y, matmul(flipped(t), y)))


def slope_by_singular_vectors(t, x):
    """In the basis of singular vectors, where x is diagonal, this takes the products of all
    singular values but two. It divides by nothing, so it holds for singular matrices too."""
    u, s, vt = svd(x)
    eye = real(identity_for(u, size=s.shape[-1]))
    without = row(s) * (1 - eye) + eye  # row i: s, with a 1 for entry i
    pairs = off_diagonal(others(without, (len(without.shape) - 1,)))
    inner = matmul(matmul(adjoint(u), t), adjoint(vt))
    diagonal = column_sums(inner * eye, keepdims=True)
    weights = total(pairs * diagonal, axis=(len(inner.shape) - 1,), keepdims=True)
    moved = matmul(matmul(star(u), weights * eye - pairs * flipped(inner)), star(vt))
    return as_matrix(det(u) * det(vt)) * moved


def det_slope(x):
    """The cofactors of x. For up to three rows they are written out: polynomials, whose
    derivatives are right to any order, of singular matrices too."""
    n, axes = x.shape[-1], (len(x.shape) - 2, len(x.shape) - 1)

    def moved(i, j):
        return roll(x, shift=(-i, -j), axis=axes)

    if n == 1:
        return x * 0 + 1
    if n == 2:
        return moved(1, 1) * (2 * identity_for(x, size=2) - 1)
    if n == 3:
        return moved(1, 1) * moved(2, 2) - moved(1, 2) * moved(2, 1)
    return cofactor(x)


det = Op(
    "det", det_kernel, args=("x",), batch=batch_same,
    vjp=[lambda g, x: as_matrix(g) * det_slope(x)],
    jvp=[lambda t, x: entry_sum(t * det_slope(x))],
    doc="The determinant of a square matrix.",
)


def is_regular_kernel(x):
    """Whether a matrix is so far from a singular one that half the digits of its inverse hold."""
    return regular(svdvals_kernel(x))


def regular(s):
    bound = math.sqrt(mx.finfo(s.dtype).eps)
    return (s[..., -1] > bound * s[..., 0])[..., None, None]


is_regular = nondiff("is_regular", is_regular_kernel, ("x",), batch=batch_same,
                     doc="Whether each matrix may be inverted; shape (..., 1, 1).")
cofactor = Op(
    "cofactor", cofactor_kernel, args=("x",), vjp=[cofactor_slope], jvp=[cofactor_slope],
    batch=batch_same, doc="The matrix of cofactors: the derivative of the determinant.",
)


def slogdet_kernel(x):
    if x.dtype != mx.complex64:
        return tuple(mx.linalg.slogdet(x, **CPU))
    sign, pivots = complex_pivots(x)
    size = reduce_kernels.sum(mx.log(mx.abs(pivots)), axis=-1)
    return sign * reduce_kernels.prod(mx.sign(pivots), axis=-1), size


def slogdet_jvp(t, x, phase):
    trace = entry_sum(t * flipped(inv(x)))
    if not is_complex(x):
        return phase * 0, trace
    return phase * imag(trace) * 1j, real(trace)


def slogdet_vjp(g, x, phase):
    g_phase, g_size = g
    if is_complex(x):
        g_size = g_size + imag(g_phase * phase) * 1j
    return as_matrix(g_size) * flipped(inv(x))


slogdet = Op(
    "slogdet", slogdet_kernel, args=("x",), outputs=("phase", "size"), vjp=[slogdet_vjp],
    jvp=[slogdet_jvp], batch=batch_same,
    doc="The sign (for complex x: the phase) and the logarithm of the modulus of det(x).",
)

# --- pseudo-inverse -----------------------------------------------------------------------------


def pinv_kernel(x, rtol):
    u, s, vt = svd_kernel(x)
    u, v = mx.conjugate(u), mx.swapaxes(mx.conjugate(vt), -1, -2)
    return (v * inverses(s, rtol)[..., None, :]) @ mx.swapaxes(u, -1, -2)


def inverses(s, rtol):
    """1 / s, and 0 for singular values that count as 0; a tolerance for all, or for each matrix."""
    kept = s > (rtol[..., None] if hasattr(rtol, "shape") else rtol) * s[..., :1]
    return mx.where(kept, 1 / mx.where(kept, s, 1), 0)


def pinv_jvp(t, x, ans):
    """Golub and Pereyra (1973): the derivative where the rank does not change."""
    th, ph = adjoint(t), adjoint(ans)
    left = matmul(ans, matmul(ph, th))
    right = matmul(matmul(th, ph), ans)
    out = left - matmul(matmul(left, x), ans) + right - matmul(ans, matmul(x, right))
    return out - matmul(ans, matmul(t, ans))


def pinv_vjp(g, x, ans):
    """The transpose of pinv_jvp, worked out for conjugate cotangents."""
    ph, gh = adjoint(ans), flipped(g)
    left = matmul(gh - matmul(x, matmul(ans, gh)), matmul(ans, ph))
    right = matmul(matmul(ph, ans), gh - matmul(matmul(gh, ans), x))
    return star(left + right - matmul(ph, matmul(star(g), ph)))


def batch_pinv(op, size, args, mapped, params):
    x, rtol = args
    x = x if mapped[0] else spread(x, size)
    if mapped[1]:
        between = (1,) * (len(x.shape) - 2 - len(rtol.shape))
        rtol = reshape(rtol, shape=(size, *between, *rtol.shape[1:]))
    return op(x, rtol)


pinv = Op(
    "pinv", pinv_kernel, args=("x", "rtol"), vjp=[pinv_vjp, None], jvp=[pinv_jvp, None],
    batch=batch_pinv,
    doc="The pseudo-inverse; singular values up to rtol times the largest count as 0.",
)

# --- exponential --------------------------------------------------------------------------------

PADE = tuple(math.factorial(26 - k) // (math.factorial(k) * math.factorial(13 - k))
             for k in range(14))
PADE_RADIUS = 5.37  # up to this 1-norm the approximant is exact to double precision


def expm_kernel(x, max_squarings):
    """Scale by a power of two, apply the Pade approximant of order 13, square back (Higham 2005).
    The number of squarings is data, so all are computed and those not needed are dropped."""
    if not x.size:
        return mx.zeros_like(x)
    size = reduce_kernels.max(reduce_kernels.sum(mx.abs(x), axis=-2), axis=-1)[..., None, None]
    count = mx.maximum(mx.ceil(mx.log2(size / PADE_RADIUS)), 0)
    odd, even = pade(x * mx.power(2.0, -count).astype(size.dtype))
    out = solve_kernel(even - odd, even + odd)
    for i in range(max_squarings):
        out = mx.where(count > i, out @ out, out)
    return mx.where(count > max_squarings, mx.array(float("nan"), out.dtype), out)


def pade(x):
    """The odd and the even terms of the numerator."""
    b, eye = [c / PADE[0] for c in PADE], mx.eye(x.shape[-1], dtype=x.dtype)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    odd = x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2
    even = x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2
    return x @ (odd + b[1] * eye), even + b[0] * eye


def frechet(t, x, max_squarings):
    """The derivative along t: the upper right block of the exponential of [[x, t], [0, x]]."""
    n, axis = x.shape[-1], len(x.shape) - 1
    top = concatenate(x, t, axis=axis)
    bottom = concatenate(x * 0, x, axis=axis)
    block = expm(concatenate(top, bottom, axis=axis - 1), max_squarings=max_squarings)
    upper = cut(block, index=along(axis - 1, slice(0, n)))
    return cut(upper, index=along(axis, slice(n, 2 * n)))


expm = Op(
    "expm", expm_kernel, args=("x",), batch=batch_same, doc="The exponential of a square matrix.",
    vjp=[lambda g, x, max_squarings: frechet(g, flipped(x), max_squarings)],
    jvp=[lambda t, x, max_squarings: frechet(t, x, max_squarings)],
)
