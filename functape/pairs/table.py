"""The kernels of complex128, by the names of their ops, and when they run."""

import functools
import importlib

from functape.errors import ArgumentError, describe
from functape.op import table
from functape.pairs.array import Pair
from functape.pairs.dtype import RoundingError, complex128

MODULES = ("structure", "elementwise", "reductions", "contraction", "linalg", "spectral", "fft")


@functools.cache
def kernels():
    """Name of an op -> its kernel; loaded when the first Pair is computed with."""
    modules = [importlib.import_module(f"functape.pairs.{name}") for name in MODULES]
    return {name: kernel for module in modules for name, kernel in module.KERNELS.items()}


def is_double(data, params, error):
    """Whether an op that MLX's kernel refused is one of complex128."""
    return isinstance(error, RoundingError) or any(type(a) is Pair for a in data) or any(
        v is complex128 for v in params.values())


def in_double(op, data, params):
    """What the op's kernel for complex128 computes."""
    kernel = kernels().get(op.name) if table.get(op.name) is op else None
    if kernel is None:
        given = ", ".join(map(describe, data))
        if table.get(op.name) is not op:
            raise ArgumentError(f"{op.name}({given}) is not defined: it is made of MLX's kernels, "
                                "and MLX has no complex128. Write it with functape's, or convert "
                                "to single precision, x.astype(functape.complex64).") from None
        raise ArgumentError(f"{op.name}({given}) is not defined: it has no kernel for complex128. "
                            "Take the real and the imaginary part, or convert to single precision, "
                            "x.astype(functape.complex64).") from None
    try:
        return kernel(*data, **params)
    except (ValueError, TypeError, IndexError) as error:
        raise op.failed(error, data, params) from error
