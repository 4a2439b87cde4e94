"""Operators of arrays, installed on `Value`: tensors and the wrappers of jvp and vmap share them.

They go to the ops without detours, since they run for every line of user code.
"""

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.foreign import Foreign
from functape.numpy import contraction, elementwise
from functape.numpy.arguments import as_type
from functape.op import Value
from functape.ops import contraction as products
from functape.ops import elementwise as ops
from functape.ops import families
from functape.tensor import NUMBERS, Tensor


def matmul(a, b):
    """a @ b. Matrices go straight to the op, which checks their shapes."""
    if type(a) is type(b) is Tensor and a.array.ndim > 1 and b.array.ndim > 1:
        return products.matmul(a, b)
    return contraction.matmul_of(a, b)


BINARY = {
    "add": families.add,
    "sub": ops.subtract,
    "mul": families.multiply,
    "truediv": ops.divide,
    "floordiv": ops.floor_divide,
    "mod": ops.remainder,
    "pow": ops.power,
    "matmul": matmul,
    "and": ops.bitwise_and,
    "or": ops.bitwise_or,
    "xor": ops.bitwise_xor,
    "lshift": ops.left_shift,
    "rshift": ops.right_shift,
}
COMPARISON = {
    "eq": ops.equal,
    "ne": ops.not_equal,
    "lt": ops.less,
    "le": ops.less_equal,
    "gt": ops.greater,
    "ge": ops.greater_equal,
}
FAMILIAR = {Tensor, mx.array, np.ndarray, *NUMBERS}


def forward(op):
    """``a . b`` for a value a; objects that are no arrays may answer themselves."""

    def operator(a, b):
        return op(a, b) if type(b) in FAMILIAR or is_operand(b) else NotImplemented

    return operator


def reflected(op):
    """``b . a`` for a value a."""

    def operator(a, b):
        return op(b, a) if type(b) in FAMILIAR or is_operand(b) else NotImplemented

    return operator


def is_operand(b):
    return isinstance(b, (Value, np.generic, *NUMBERS, Foreign))


def rounded(a, ndigits=None):
    """As Python's round: without a number of digits an integer."""
    found = elementwise.round(a, ndigits or 0)
    return as_type(found, dtypes.int32) if ndigits is None else found


def install():
    """Give `Value` its operators."""
    for name, op in (BINARY | COMPARISON).items():
        setattr(Value, f"__{name}__", forward(op))
    for name, op in BINARY.items():
        setattr(Value, f"__r{name}__", reflected(op))
    Value.__divmod__ = forward(elementwise.divmod)
    Value.__rdivmod__ = reflected(elementwise.divmod)
    Value.__neg__ = lambda a: ops.negative(a)
    Value.__pos__ = lambda a: a
    Value.__abs__ = lambda a: ops.absolute(a)
    Value.__invert__ = lambda a: ops.bitwise_not(a)
    Value.__round__ = rounded
    Value.__hash__ = object.__hash__


install()
