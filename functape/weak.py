"""Python numbers inside a transform: arrays that have no size of their own.

Beside an array a Python number takes that array's dtype. Where a transform makes it an array, the
argument of a jitted function or a loop's first carry, it stays *weak*: in each operation it takes
the dtype of what it meets. Inside it has double precision where there is any, so that beside
float64 nothing is rounded; by itself it is the default, float32, as soon as it leaves the
transform or meets a function that takes one array.
"""

import math

import mlx.core as mx

from functape.dtypes import BY_PYTHON, result_type
from functape.op import NUMBERS, Value, is_weak
from functape.ops.elementwise import cast
from functape.ops.families import astype, batch_elementwise
from functape.pairs import complex128, issubdtype
from functape.tensor import Tensor, constant, number_array, python_number

CONVERSIONS = (astype, cast)
DOUBLE = {float: mx.float64, complex: complex128}


class Weak(Value):
    """A value without a size of its own; every operation sees it before all other values do."""

    __slots__ = ("value",)
    rank = math.inf
    weak = True

    def __init__(self, value):
        self.value = value

    @property
    def shape(self):
        return self.value.shape

    @property
    def kind(self):
        """The Python type of its numbers."""
        dtype = self.value.dtype
        if issubdtype(dtype, mx.integer):
            return int
        return float if issubdtype(dtype, mx.floating) else complex

    @property
    def dtype(self):
        """What it has by itself."""
        return self.value.dtype if self.kind is int else BY_PYTHON[self.kind]

    def interpret(self, op, args, params):
        """Apply the op where weak arguments have the dtype of what they meet; their own, in an op
        whose arguments do not take each other's, such as an array and an index."""
        if op in CONVERSIONS:
            return op(self.value, **params)
        if all([is_weak(a) for a in args]):
            values = [beneath(a) for a in args]
            out = op(*values, **params)
            if rounded(out):
                out = op(*map(real, values), **params)
            return tuple(map(weakened, out)) if type(out) is tuple else weakened(out)
        dtype = result_type(*args) if op.batch is batch_elementwise else None
        return op(*[a.strong(dtype) if type(a) is Weak else a for a in args], **params)

    def promoted(self, other):
        """The same numbers, of the greater of two kinds: their own, and that of a weak value."""
        kind = max(self.kind, lifted(other).kind, key=list(BY_PYTHON).index)
        return self if kind is self.kind else Weak(self.strong(held_in(kind)))

    def strong(self, dtype=None):
        """The value with a dtype; None: its own."""
        dtype = dtype or self.dtype
        if self.value.dtype == dtype:
            return self.value
        return (astype if issubdtype(dtype, mx.inexact) else cast)(self.value, dtype=dtype)

    def __repr__(self):
        return repr(self.strong())


def beneath(a):
    """What a weak value holds, or a number; MLX has no complex number of double precision."""
    if type(a) is Weak:
        return a.value
    return lifted(a).value if isinstance(a, complex) else a


def rounded(out):
    """Whether a result of integers is real, and not in double precision although there is any."""
    outs = out if type(out) is tuple else (out,)
    return held_in(float) != mx.float32 and any([o.dtype == mx.float32 for o in outs])


def real(a):
    """An integer as a real number of double precision."""
    return astype(a, dtype=held_in(float)) if isinstance(a, Value) and a.dtype != mx.bool_ else a


def weakened(value):
    """A value without size; booleans have none."""
    return value if value.dtype == mx.bool_ else Weak(value)


def is_number(a):
    """Whether it is a Python number that has no size of its own; a boolean has."""
    return isinstance(a, NUMBERS) and not isinstance(a, bool)


def held_in(kind):
    """The dtype of a weak value of a kind, that of a Python type: double precision where there is
    any."""
    on_cpu = mx.default_device().type == mx.cpu
    return DOUBLE[kind] if on_cpu and kind in DOUBLE else BY_PYTHON[kind]


def array_of(number):
    """An `mx.array` of a Python number, in double precision where there is any."""
    number = python_number(number)
    kind = type(number)
    return number_array(number, held_in(kind)) if kind in DOUBLE else number_array(number)


def lifted(a, name="asarray", index=0):
    """An argument as a value: weak if it is a Python number, or weak already."""
    if is_number(a):
        return Weak(Tensor(array_of(a)))
    return a if isinstance(a, Value) else constant(a, name, index)
