"""Operators and methods of arrays, installed on `Value`: tensors and the wrappers of jvp and vmap
share them."""

from functape.op import Value
from functape.ops import contraction, elementwise, families, movement

BINARY = {
    "add": families.add,
    "sub": elementwise.subtract,
    "mul": families.multiply,
    "truediv": elementwise.divide,
    "floordiv": elementwise.floor_divide,
    "mod": elementwise.remainder,
    "pow": elementwise.power,
    "matmul": contraction.matmul,
    "and": elementwise.bitwise_and,
    "or": elementwise.bitwise_or,
    "xor": elementwise.bitwise_xor,
    "lshift": elementwise.left_shift,
    "rshift": elementwise.right_shift,
}
COMPARISON = {
    "eq": elementwise.equal,
    "ne": elementwise.not_equal,
    "lt": elementwise.less,
    "le": elementwise.less_equal,
    "gt": elementwise.greater,
    "ge": elementwise.greater_equal,
}
for name, op in BINARY.items():
    setattr(Value, f"__{name}__", lambda a, b, op=op: op(a, b))
    setattr(Value, f"__r{name}__", lambda a, b, op=op: op(b, a))
for name, op in COMPARISON.items():
    setattr(Value, f"__{name}__", lambda a, b, op=op: op(a, b))
Value.__neg__ = lambda a: elementwise.negative(a)
Value.reshape = lambda a, shape: movement.reshape(a, shape=tuple(shape))
Value.astype = lambda a, dtype: families.astype(a, dtype=dtype)
Value.__hash__ = object.__hash__
