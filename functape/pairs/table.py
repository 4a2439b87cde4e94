"""The kernels of complex128, by the names of their ops, and when they run."""

import mlx.core as mx

from functape.errors import ArgumentError, describe
from functape.op import table
from functape.pairs import contraction, elementwise, fft, linalg, reductions, spectral, structure
from functape.pairs.array import Pair
from functape.pairs.dtype import Rounding, complex128

FAMILIES = (structure, elementwise, reductions, contraction, linalg, spectral, fft)
kernels = {name: kernel for family in FAMILIES for name, kernel in family.KERNELS.items()}


def is_double(error, data, params):
    """Whether an op computes in complex128, which its kernel for MLX's arrays refused: by an
    argument, a parameter, because a float64 meets a complex number or becomes one."""
    if type(error) is Rounding:
        return True
    if any(type(a) is Pair for a in data) or any(v is complex128 for v in params.values()):
        return True
    return any(map(is_complex, data)) and any(map(is_float64, data))


def is_complex(a):
    return isinstance(a, complex) or type(a) is mx.array and a.dtype == mx.complex64


def is_float64(a):
    return type(a) is mx.array and a.dtype == mx.float64


def refuse_rounding(out, data):
    """Refuse what MLX makes of float64 and complex numbers: it rounds to complex64."""
    if out.dtype == mx.complex64 and any(map(is_float64, data)):
        raise Rounding("float64 and complex numbers make complex128")


def in_double(op, data, params):
    """What the op's kernel for complex128 computes."""
    kernel = kernels.get(op.name) if table.get(op.name) is op else None
    if kernel is None:
        given = ", ".join(map(describe, data))
        raise ArgumentError(f"{op.name}({given}) is not defined: it has no kernel for complex128. "
                            "Convert to single precision, x.astype(functape.complex64).") from None
    try:
        return kernel(*data, **params)
    except (ValueError, TypeError, IndexError) as error:
        raise op.failed(error, data, params) from error
