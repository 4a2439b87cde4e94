"""In-place changes: computed out of place, then put into the tensor and its aliases.

The array is replaced, never written to, so what the tape saved stays exact; the history of an array
tells a later backward pass that a value it needs was changed. The tensor moves on to the node of
the change; a leaf that requires grad may be changed only where nothing is recorded.
"""

import mlx.core as mx

from functape.autograd.install import method
from functape.autograd.leaf import retain_at
from functape.errors import ArgumentError, InplaceError, ShapeError, describe
from functape.op import Value
from functape.ops import elementwise as ew
from functape.ops import families, movement
from functape.pairs import issubdtype
from functape.tape import mode
from functape.tensor import Tensor, constant


def change(tensor, name, compute):
    """Replace a tensor's array by ``compute(the tensor as it was)``; returns the tensor."""
    if tensor.sink is not None and mode.recording:
        raise InplaceError(
            f"{name} would change a leaf that requires grad, {describe(tensor)}, while operations "
            "are recorded. Wrap it in no_grad(), or use the out-of-place form."
        )
    new = constant(compute(tensor.alias()))
    if new.shape != tensor.shape:
        raise ShapeError(f"{name} must keep the shape of the tensor it changes, "
                         f"{describe(tensor)}, but the result is {describe(new)}.")
    if new.dtype != tensor.dtype:
        if kind(new.dtype) > kind(tensor.dtype):
            raise ArgumentError(f"{name} must keep the kind of numbers of the tensor it changes, "
                                f"{describe(tensor)}, but the result is {describe(new)}. Convert "
                                "the tensor first, x.astype(...).")
        new = new.astype(tensor.dtype)
    if new.rank > tensor.rank:
        raise InplaceError(f"{name} would write a value of a running vmap or jvp into a tensor "
                           "from outside of it. Use the out-of-place form.")
    tensor.change(new.array, name)
    if mode.recording:
        move(tensor, new.edge)
    return tensor


def kind(dtype):
    """Booleans, integers, real and complex numbers, in this order."""
    kinds = (mx.integer, mx.floating, mx.complexfloating)
    return sum(k + 1 for k, c in enumerate(kinds) if issubdtype(dtype, c))


def move(tensor, node):
    """Let the tensor stand at another node; a retained gradient follows it."""
    if tensor.node is not None and tensor.retains_grad:
        hooks = tensor.node.hooks
        hooks.retainers = [r for r in hooks.retainers if r() is not tensor]
    tensor.edge = node
    if node is not None and tensor.retains_grad:
        retain_at(tensor)


def everywhere(x):
    return (slice(None),) * len(x.shape)


def filled(x, value):
    return movement.overwrite(x, value, index=everywhere(x))


BINARY = {
    "add_": families.add, "sub_": ew.subtract, "mul_": families.multiply, "div_": ew.divide,
    "pow_": ew.power, "remainder_": ew.remainder, "fmod_": ew.fmod,
    "floor_divide_": ew.floor_divide, "bitwise_and_": ew.bitwise_and,
    "bitwise_or_": ew.bitwise_or, "bitwise_xor_": ew.bitwise_xor,
    "bitwise_left_shift_": ew.left_shift, "bitwise_right_shift_": ew.right_shift,
}
UNARY = {
    f"{name}_": getattr(ew, op)
    for name, op in {
        "neg": "negative", "abs": "absolute", "square": "square", "sqrt": "sqrt",
        "rsqrt": "rsqrt", "reciprocal": "reciprocal", "exp": "exp", "expm1": "expm1", "log": "log",
        "log1p": "log1p", "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos",
        "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh",
        "cosh": "cosh", "tanh": "tanh", "sigmoid": "sigmoid", "relu": "relu", "erf": "erf",
        "floor": "floor", "ceil": "ceil", "round": "rint", "trunc": "trunc", "sign": "sign",
    }.items()
}


def install(name, f, doc):
    f.__name__, f.__qualname__, f.__doc__ = name, f"Tensor.{name}", doc
    method(f)
    refuse(name)


def refuse(name):
    """The values of a running vmap or jvp have no place of their own to be changed in."""

    def inplace(self, *args, **kwargs):
        raise InplaceError(f"{name} changes a tensor in place, but this is a value of a running "
                           f"vmap or jvp, {describe(self)}. Use the out-of-place form: x = x * y, "
                           "or x.at[i].set(v).")

    setattr(Value, name, inplace)


def binary(name, op):
    def inplace(self, other):
        return change(self, name, lambda x: op(x, x if other is self else other))

    install(name, inplace, f"In place: {op.__doc__}")


def unary(name, op):
    def inplace(self):
        return change(self, name, op)

    install(name, inplace, f"In place: {op.__doc__}")


for name in ("clamp_", "clip_", "fill_", "zero_", "copy_", "__setitem__"):
    refuse(name)
for name, op in BINARY.items():
    binary(name, op)
for name, op in UNARY.items():
    unary(name, op)


@method
def clamp_(self, min=None, max=None):
    """In place: the elements kept within [min, max]."""
    low = -float("inf") if min is None else min
    high = float("inf") if max is None else max
    return change(self, "clamp_", lambda x: ew.clip(x, low, high))


Tensor.clip_ = clamp_


@method
def fill_(self, value):
    """In place: every element becomes `value`, a number or a tensor of shape ()."""
    if isinstance(value, Value) and value.shape != ():
        raise ShapeError(f"fill_ takes one value, but got {describe(value)}.")
    return change(self, "fill_", lambda x: filled(x, value))


@method
def zero_(self):
    """In place: every element becomes 0."""
    return change(self, "zero_", lambda x: filled(x, 0.0))


@method
def copy_(self, source):
    """In place: the elements of `source`, broadcast and cast."""
    return change(self, "copy_", lambda x: filled(x, constant(source)))


@method
def __setitem__(self, key, value):
    change(self, "x[...] = v", lambda x: x.at[key].set(value))


def augmented(name):
    """``x += y``: in place in the eager face. Inside a transform arrays are values, as in JAX:
    Python then computes ``x = x + y``."""
    inplace = getattr(Tensor, name)

    def operator(self, other):
        return NotImplemented if mode.functional else inplace(self, other)

    return operator


for python_name, name in {"iadd": "add_", "isub": "sub_", "imul": "mul_", "itruediv": "div_",
                          "ipow": "pow_", "ifloordiv": "floor_divide_",
                          "imod": "remainder_", "iand": "bitwise_and_", "ior": "bitwise_or_",
                          "ixor": "bitwise_xor_", "ilshift": "bitwise_left_shift_",
                          "irshift": "bitwise_right_shift_"}.items():
    setattr(Tensor, f"__{python_name}__", augmented(name))
