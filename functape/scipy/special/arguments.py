"""What the functions here take: real numbers, in floating point."""

import mlx.core as mx

from functape import dtypes
from functape.numpy.arguments import as_type, inexact, value
from functape.op import NUMBERS
from functape.tensor import constant


def floats(name, *args):
    """Values of one floating-point dtype; Python's numbers take that of the arrays."""
    kept = [a if type(a) in NUMBERS else inexact(value(a, name, i)) for i, a in enumerate(args)]
    dtype = dtypes.result_type(*kept)
    if not dtypes.issubdtype(dtype, dtypes.inexact):
        dtype = dtypes.float32
    return [constant(mx.array(a, dtype=dtype)) if type(a) in NUMBERS else as_type(a, dtype)
            for a in kept]
