"""Linear systems, and what the rules of linear algebra are made of.

Matrices stand in the last two axes, and all leading axes are a batch. MLX computes these on the
CPU only. Where a matrix is singular the result is NaN, so one bad matrix leaves the rest of its
batch alone.
"""

import mlx.core as mx

from functape.op import Op
from functape.ops.complex_rows import as_rows, blocks, of_rows
from functape.ops.contraction import flipped, matmul
from functape.ops.elementwise import conjugate
from functape.ops.families import batch_same, fit, linear, nondiff
from functape.ops.movement import reshape, transpose
from functape.pairs import is_complex

CPU: dict = {"stream": mx.cpu}

# --- helpers of rules ---------------------------------------------------------------------------


def star(x):
    """The complex conjugate; x itself if it is real."""
    return conjugate(x) if is_complex(x) else x


def adjoint(x):
    """The conjugate transpose."""
    return flipped(star(x))


def hermitian(x):
    """The nearest Hermitian matrix."""
    return (x + adjoint(x)) * 0.5


# --- triangles ----------------------------------------------------------------------------------


def triangle_kernel(x, lower, offset):
    rows, columns = mx.arange(x.shape[-2])[:, None], mx.arange(x.shape[-1])
    inside = columns - offset <= rows if lower else columns - offset >= rows
    return mx.where(inside, x, mx.zeros((), x.dtype))  # mx.tril multiplies: 0 times inf is NaN


triangle = linear(
    "triangle", triangle_kernel,
    lambda g, lower, offset: triangle(g, lower=lower, offset=offset), batch_same,
    doc="A triangle of a matrix, zeros elsewhere; offset 0 includes the diagonal.",
)
identity_for = nondiff(
    "identity_for",
    lambda x, size: mx.broadcast_to(mx.eye(size, dtype=x.dtype), (*x.shape[:-2], size, size)),
    batch=batch_same, doc="Identity matrices of a size, one for each matrix of x.",
)


def lower_part(x):
    return triangle(x, lower=True, offset=0)


def strictly_lower(x):
    return triangle(x, lower=True, offset=-1)


def upper_part(x):
    return triangle(x, lower=False, offset=0)


def off_diagonal(x):
    return strictly_lower(x) + triangle(x, lower=False, offset=1)


# --- inverse and solve --------------------------------------------------------------------------


def lu_factors(x):
    """MLX's (order, low, up); on matrices without elements LAPACK would end the process."""
    *batch, m, n = x.shape
    if m == n == 1:  # what MLX 0.32.4 computes from its low then writes past a buffer's end
        return mx.zeros((*batch, 1), mx.uint32), mx.ones_like(x), x.astype(x.dtype)
    if x.size:
        return mx.linalg.lu(x, **CPU)
    order, k = mx.broadcast_to(mx.arange(m, dtype=mx.uint32), (*batch, m)), min(m, n)
    return order, mx.zeros((*batch, m, k), x.dtype), mx.zeros((*batch, k, n), x.dtype)


def triangular_inverse(x, upper=False):
    return mx.linalg.tri_inv(x, upper=upper, **CPU) if x.size else mx.zeros_like(x)


def tri_inverse(x, lower):
    """The inverse of a triangular matrix; NaN for a zero on its diagonal, at which LAPACK stops."""
    zero_pivot = mx.logical_and(x == 0, mx.eye(x.shape[-1], dtype=mx.bool_))
    x = mx.where(zero_pivot, mx.array(float("nan"), x.dtype), x)
    return triangular_inverse(x, upper=not lower)


def solve_kernel(x, y):
    if mx.complex64 in (x.dtype, y.dtype):
        return of_rows(solve_kernel(blocks(as_rows(x)), as_rows(y)))
    order, low, up = lu_factors(x)  # x = low[order] @ up
    order = mx.argsort(order, -1)[..., None]
    if x.shape[:-2] != y.shape[:-2]:
        order, y = broadcast_batch(order, y)
    y = mx.take_along_axis(y, order, -2)
    return tri_inverse(up, False) @ (triangular_inverse(low) @ y)


def broadcast_batch(x, y):
    """Two arrays of matrices with one shape of leading axes."""
    batch = mx.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return (mx.broadcast_to(a, (*batch, *a.shape[-2:])) for a in (x, y))


def inv_kernel(x):
    return solve_kernel(x, mx.eye(x.shape[-1], dtype=x.dtype))


def by_matrix(g, ans):
    """How a cotangent of x^-1 y, already solved for, weighs the elements of x."""
    return -matmul(g, flipped(ans))


def batch_solve(op, size, args, mapped, params):
    """One matrix for the whole batch is factored once: the batch joins the columns of y."""
    x, y = args
    if mapped == (False, True) and len(x.shape) == 2 and len(y.shape) == 3:
        n, k = y.shape[1:]
        columns = reshape(transpose(y, axes=(1, 0, 2)), shape=(n, size * k))
        solved = reshape(op(x, columns, **params), shape=(n, size, k))
        return transpose(solved, axes=(1, 0, 2))
    full = max(len(a.shape) - m for a, m in zip(args, mapped, strict=True))
    x, y = (
        a.reshape((size, *(1,) * (full - len(a.shape) + 1), *a.shape[1:])) if m else a
        for a, m in zip(args, mapped, strict=True)
    )
    return op(x, y, **params)


inv = Op(
    "inv", inv_kernel, args=("x",), batch=batch_same, doc="The inverse of a square matrix.",
    vjp=[lambda g, ans: -matmul(flipped(ans), matmul(g, flipped(ans)))],
    jvp=[lambda t, ans: -matmul(ans, matmul(t, ans))],
)
solve = Op(
    "solve", solve_kernel, args=("x", "y"), batch=batch_solve,
    vjp=[
        lambda g, x, ans, x_shape, x_dtype: fit(
            by_matrix(solve(flipped(x), g), ans), x_shape, x_dtype),
        lambda g, x, y_shape, y_dtype: fit(solve(flipped(x), g), y_shape, y_dtype),
    ],
    jvp=[
        lambda t, x, ans: -solve(x, matmul(t, ans)),
        lambda t, x: solve(x, t),
    ],
    doc="x^-1 y, for matrices y; leading axes broadcast.",
)


def solve_triangular_kernel(x, y, lower, unit):
    x = triangle_kernel(x, lower, 0)
    if unit:
        eye = mx.eye(x.shape[-1], dtype=x.dtype)
        x = x * (1 - eye) + eye
    if mx.complex64 in (x.dtype, y.dtype):
        return solve_kernel(x, y)
    return tri_inverse(x, lower) @ y


def in_triangle(x, lower, unit):
    """The elements that a triangular solve reads."""
    return triangle(x, lower=lower, offset=(-1 if lower else 1) if unit else 0)


def solve_transposed(g, x, lower, unit):
    return solve_triangular(flipped(x), g, lower=not lower, unit=unit)


solve_triangular = Op(
    "solve_triangular", solve_triangular_kernel, args=("x", "y"), batch=batch_solve,
    vjp=[
        lambda g, x, ans, x_shape, x_dtype, lower, unit: fit(
            in_triangle(by_matrix(solve_transposed(g, x, lower, unit), ans), lower, unit),
            x_shape, x_dtype),
        lambda g, x, y_shape, y_dtype, lower, unit: fit(
            solve_transposed(g, x, lower, unit), y_shape, y_dtype),
    ],
    jvp=[
        lambda t, x, ans, lower, unit: -solve_triangular(
            x, matmul(in_triangle(t, lower, unit), ans), lower=lower, unit=unit),
        lambda t, x, lower, unit: solve_triangular(x, t, lower=lower, unit=unit),
    ],
    doc="x^-1 y for a triangle of x, its diagonal taken as ones if unit.",
)


def inverse_times(x, y):
    return solve_triangular(x, y, lower=True, unit=False)
