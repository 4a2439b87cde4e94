"""What kernels of special functions are made of: series, quadrature, and the choice of precision.

MLX has none of these functions. The kernels compose its arithmetic, with iteration counts that do
not depend on values, in float64 for float64 arrays and in float32 for all others. Coefficients
are computed here, when a kernel first needs them, from formulas that hold to double precision.
"""

import functools
import math

import mlx.core as mx
import numpy as np

from functape.errors import ArgumentError, describe
from functape.ops import float32, float64, reduce_kernels
from functape.ops.float64 import exact

F32, F64 = mx.float32, mx.float64
HALVES = (mx.float16, mx.bfloat16)
# Up to so many elements, the terms of a sum are computed at once along a trailing axis: fewer
# operations to schedule, and to compile under jit, which calls a C++ compiler for each few. Larger
# arrays take them one by one, which needs no memory.
WIDE = 1 << 14

exp = exact(float32.exp, float64.exp)
sin = exact(mx.sin, float64.sin)
cos = exact(mx.cos, float64.cos)


def on_floats(kernel):
    """A kernel on arrays of one dtype, float32 or float64, made to take any real arguments. The
    result has the dtype that the arguments have in common."""

    @functools.wraps(kernel)
    def run(*args, **params):
        dtypes = {a.dtype for a in args if isinstance(a, mx.array)} or {F32}
        if mx.complex64 in dtypes:
            given = ", ".join(describe(a) for a in args)
            raise ArgumentError(f"{kernel.__name__.removesuffix('_kernel')} takes real numbers, "
                                f"but got {given}. Pass the real part.")
        common = functools.reduce(mx.result_type, dtypes)
        dtype = F64 if common == F64 else F32
        arrays = [a.astype(dtype) if isinstance(a, mx.array) else mx.array(a, dtype=dtype)
                  for a in args]
        out = kernel(*arrays, **params)
        return out.astype(common) if common in HALVES else out

    return run


def precise(x):
    """Whether a kernel computes in float64."""
    return x.dtype == F64


# --- series -------------------------------------------------------------------------------------


def polynomial(x, coefficients):
    """c0 + c1 x + c2 x^2 + ..."""
    if x.size <= WIDE and len(coefficients) > 3:
        powers, step = mx.ones_like(x)[..., None], x[..., None]
        while powers.shape[-1] < len(coefficients):
            powers = mx.concatenate([powers, powers * step], -1)
            step = mx.square(step)
        return weighted(powers, coefficients)
    *rest, total = coefficients
    for c in reversed(rest):  # Horner's scheme
        total = c + x * total
    return total


def weighted(terms, coefficients):
    """The sum over a trailing axis, the first terms times these coefficients."""
    c = mx.array(coefficients, dtype=terms.dtype)
    return reduce_kernels.sum(terms[..., :len(coefficients)] * c, axis=-1)


def trailing(x, n, start=0):
    """x with a new last axis, and start, start + 1, ... (n of them) along that axis."""
    return x[..., None], mx.arange(start, start + n).astype(x.dtype)


def whole_power(x, n):
    """x^n by products, for n = 0, 1, 2, ..."""
    out = mx.ones_like(x)
    for _ in range(n):
        out = out * x
    return out


@functools.cache
def chebyshev_coefficients(f, degree, *params):
    """Of a smooth NumPy function on [-1, 1]; also where its float32 series may end."""
    c = np.polynomial.chebyshev.chebinterpolate(lambda t: f(t, *params), degree)
    short = 1 + int(np.flatnonzero(np.abs(c) > 2e-9 * np.abs(c).max())[-1])
    return tuple(c.tolist()), short


def chebyshev(t, f, degree, *params):
    """The interpolant of f through the Chebyshev points, at t in [-1, 1], by Clenshaw's sum."""
    coefficients, short = chebyshev_coefficients(f, degree, *params)
    if not precise(t):
        coefficients = coefficients[:short]
    if t.size <= WIDE:
        basis = mx.stack([mx.ones_like(t), t], axis=-1)  # T_0, T_1, ...
        while (m := basis.shape[-1] - 1) + 1 < len(coefficients):
            # T_(m+i) = 2 T_m T_i - T_(m-i)
            more = 2 * basis[..., m:] * basis[..., 1:] - basis[..., :m][..., ::-1]
            basis = mx.concatenate([basis, more], -1)
        return weighted(basis, coefficients)
    two, b, after = 2 * t, 0.0, 0.0
    for c in coefficients[:0:-1]:
        b, after = c + two * b - after, b
    return coefficients[0] + t * b - after


@functools.cache
def bernoulli(n):
    """The Bernoulli number B_n, n even or 0."""
    numbers = [1.0, -0.5]
    for m in range(2, n + 1):
        total = sum(math.comb(m + 1, k) * numbers[k] for k in range(m))
        numbers.append(0.0 if m % 2 else -total / (m + 1))
    return numbers[n]


# --- quadrature ---------------------------------------------------------------------------------


@functools.cache
def gauss(n):
    """Nodes and weights of Gauss and Legendre on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


def integrate(f, n, *arrays):
    """The integral over u in [0, 1] of f(u, *arrays), by n nodes along a trailing axis; for large
    arrays some at a time, which bounds the memory."""
    group = n if arrays[0].size <= WIDE else 8
    nodes, weights = gauss(n)
    expanded = [a[..., None] for a in arrays]
    total = 0.0
    for i in range(0, n, group):
        u, w = (mx.array(part[i:i + group].tolist(), dtype=arrays[0].dtype)
                for part in (nodes, weights))
        total = total + reduce_kernels.sum(w * f(u, *expanded), axis=-1)
    return total


# --- elementary functions where they cancel -------------------------------------------------------


def log1p_minus(x):
    """log(1 + x) - x, by 2 artanh(s) with s = x / (2 + x) for small x."""
    near = mx.abs(x) < 0.5
    s = mx.where(near, x, 0) / (2 + mx.where(near, x, 0))
    terms = 17 if precise(x) else 8
    tail = polynomial(mx.square(s), [2 / (2 * k + 3) for k in range(terms)])
    return mx.where(near, s * (mx.square(s) * tail - x), mx.log1p(x) - x)


def sin_pi(x, quarters=0):
    """sin(pi x + quarters pi / 2), exactly 0 at integers if that is sin(pi x)."""
    whole = mx.round(x)
    odd = mx.abs(mx.remainder(whole, 2))
    turned = (sin, cos)[quarters % 2](math.pi * (x - whole))
    return (1 - 2 * odd) * (-turned if quarters % 4 > 1 else turned)
