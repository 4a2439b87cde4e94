"""Kernels for float32 that are more exact than MLX's on an x86 CPU.

There MLX's `exp` loses |x| / 2 units in the last place (44 at 88) and overflows from 88.4 on; its
`erf` has an absolute error of 1e-7, so that erf(1e-8) is 0. On a GPU, and on a Mac, these two stay.
"""

import mlx.core as mx

from functape.op import levels
from functape.ops.vector_kernels import SCALAR_CPU, horner

LARGE = 4096  # elements from which the time of the arithmetic exceeds that of starting the kernels
HALF = (mx.float16, mx.bfloat16)


def inexact_here():
    return SCALAR_CPU and mx.default_device().type == mx.cpu


def plain(x):
    """Whether MLX computes x by those kernels."""
    return x.dtype == mx.float32 and inexact_here()


# --- e^x ----------------------------------------------------------------------------------------

E = 2.718281745910645  # the number of float32 next to e
REST = 3.036785981835655e-08  # 1 - log(E)


def exp(x):
    """E^x (1 + REST x): to 1.5 units in the last place, since `mx.power` is exact to half a one.
    For kernels that are made of many operations; it takes five in place of one."""
    if not plain(x):
        return mx.exp(x)
    power = mx.power(E, x)
    return power + power * (mx.clip(x, -104, 89) * REST)


# --- sin ----------------------------------------------------------------------------------------


def sin(x):
    """On a CPU MLX's sine of -0.0 is 0.0. The mask adds 4% to the time for 1M elements."""
    found = mx.sin(x)
    return mx.where(x, found, x) if mx.default_device().type == mx.cpu else found


# --- erf ----------------------------------------------------------------------------------------

# erf(x) / x = P(x^2) / Q(x^2) for |x| < 3.93, beyond which erf is 1 in float32: the rational
# function of least relative error, 2e-8, by weighted least squares (Lawson) in double precision.
# All coefficients are positive, so nothing cancels.
ERF_P = [2.041958767369844e-06, 0.0002848084072624142, 0.003779629359508347, 0.052790351666546775,
         0.19078438182619656, 1.1283791453639815]
ERF_Q = [3.800393888227203e-05, 0.0011652162707421, 0.014997480353735984, 0.11425774279970576,
         0.5024109758618577, 1.0]
ERF_END = 4.13  # where x P / Q has risen above 1, to be clipped


def erf(x):
    if not plain(x):
        half = x.dtype in HALF and inexact_here()
        return erf(x.astype(mx.float32)).astype(x.dtype) if half else mx.erf(x)
    x = mx.clip(x, -ERF_END, ERF_END)
    square = mx.square(x)
    if x.size >= LARGE or levels.tracing:
        ratio = horner(square, ERF_P) / horner(square, ERF_Q)
    else:  # fewer kernels
        powers = mx.power(square[..., None], mx.arange(len(ERF_P) - 1, -1, -1, dtype=x.dtype))
        both = powers @ mx.array([ERF_P, ERF_Q]).T
        ratio = both[..., 0] / both[..., 1]
    return mx.clip(x * ratio, -1, 1)
