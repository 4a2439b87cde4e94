"""Arrays of numbers and of NumPy's arrays, and back."""

import mlx.core as mx
import numpy as np

from functape import pairs
from functape.errors import ArgumentError, ConcretizationError, describe
from functape.op import NUMBERS, levels
from functape.pairs import Pair, complex128
from functape.tape import seen


def python_number(a):
    """The number itself of a subclass, such as np.float64: it has no size of its own either."""
    return next(kind(a) for kind in NUMBERS if isinstance(a, kind))


def number_array(a, dtype=None):
    """The array of a Python number. MLX reads integers of 64 bits with a sign: larger ones
    become uint64, or floats where the dtype is one of floats."""
    a = python_number(a)
    if dtype is complex128:
        return pairs.pair(a)
    if is_large(a):
        if dtype is not None and mx.issubdtype(dtype, mx.inexact):
            a = float(a)
        elif 0 <= a < 2**64:
            a = np.uint64(a)
        else:
            raise ArgumentError(f"The integer {a} does not fit into 64 bits. Make it a float.")
    return mx.array(a) if dtype is None else mx.array(a, dtype)


def is_large(a):
    return type(a) is int and not -2**63 <= a < 2**63


def from_numpy(a):
    """The array with the dtype of a NumPy array or scalar."""
    if a.dtype.kind not in "biufc" and a.dtype.name != "bfloat16" or a.dtype.itemsize > 16 or (
            a.dtype.kind == "f" and a.dtype.itemsize > 8):
        raise ArgumentError(f"There is no array of dtype {a.dtype}; numbers and booleans only, of "
                            "64 bits at most. Convert it with astype.")
    if not a.dtype.isnative:  # as files have them that other machines wrote
        a = a.astype(a.dtype.newbyteorder("="))
    if any(step < 0 for step in a.strides):  # MLX takes no mirrored arrays
        a = a.copy()
    if not a.size:  # MLX's sum over an empty array from NumPy may never end
        return pairs.zeros(a.shape, from_numpy(np.zeros(1, a.dtype)).dtype)
    if a.dtype == np.float64:
        seen.double = True
        return mx.array(a, dtype=mx.float64)
    if a.dtype == np.complex128:
        return pairs.from_numpy(a)
    return mx.array(a)


def as_numpy(data, dtype=None):
    if data.dtype == mx.bfloat16:
        data = data.astype(mx.float32)
    out = reading("numpy.asarray", data, pairs.to_numpy if type(data) is Pair else np.array)
    return out if dtype is None else out.astype(dtype)


NOT_YET = (
    "{what} needs the value of {x} while jit compiles the function, when there is none yet. Use "
    "functape.numpy.where or functape.lax.cond in place of Python's if, mark the argument with "
    "static_argnums, or call the function outside of jit."
)
NO_MORE = (
    "{what} needs the value of {x}, which depends on what a jitted function left behind: there it "
    "stood for whatever the graph is given. Return it from the function, in place of keeping it in "
    "a list or a global."
)


def reading(what, data, read):
    """``read(data)``; where MLX says that there is nothing to read, why that is so."""
    try:
        return read(data)
    except (RuntimeError, ValueError) as error:
        if "[eval]" not in str(error):
            raise
        text = NOT_YET if levels.tracing else NO_MORE
        raise ConcretizationError(text.format(what=what, x=describe(data))) from error
