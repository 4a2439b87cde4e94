"""make_tape: the operations of a function as text, in the order in which they are recorded.

The function runs on values that note each operation before they hand it on. So what a transform
inside does shows as well: the text of `grad(f)` has the operations of the backward pass too.
"""

import functools

from functape import tree
from functape.errors import check_callable, describe
from functape.op import NUMBERS, Value, levels
from functape.tensor import INEXACT, Tensor, constant
from functape.transforms import boundary
from functape.tree_keys import parameter_labels


class Noted(Value):
    """A value with its number in the text; `tracked`: whether it depends on an input smoothly."""

    __slots__ = ("rank", "primal", "number", "tracked", "text")

    def __init__(self, rank, primal, number, tracked, text):
        self.rank, self.primal, self.number = rank, primal, number
        self.tracked, self.text = tracked, text

    @property
    def shape(self):
        return self.primal.shape

    @property
    def dtype(self):
        return self.primal.dtype

    def interpret(self, op, args, params):
        own = [type(a) is Noted and a.rank == self.rank for a in args]
        out = op(*[a.primal if o else a for a, o in zip(args, own, strict=True)], **params)
        bits = [o and a.tracked for a, o in zip(args, own, strict=True)]
        plan = op.plans[sum(bit << i for i, bit in enumerate(bits))]
        smooth = bool(plan.rules)
        outs = out if type(out) is tuple else (out,)
        found = tuple([self.text.value(o, self.rank, smooth) for o in outs])
        self.text.line(op, args, own, params, found, plan.arrays if smooth else ())
        return found if type(out) is tuple else found[0]

    def __repr__(self):
        return f"%{self.number}"


class Tape:
    """The text of a tape: `inputs`, `lines` and `outputs`; printing it shows them all.

    Each line is ``%number = op(arguments, parameters) : type``, and which of the op's arguments
    (x, y, ...) and outputs (ans) the tape keeps for the backward pass. Lines of operations whose
    derivative is zero everywhere keep nothing and make no node.
    """

    def __init__(self):
        self.inputs, self.lines, self.outputs, self.count = [], [], "", 0

    def value(self, primal, rank, tracked):
        """A value with the next number."""
        self.count += 1
        return Noted(rank, primal, self.count - 1, tracked and primal.dtype in INEXACT, self)

    def line(self, op, args, own, params, outs, saves):
        given = [f"%{a.number}" if o else shown(a) for a, o in zip(args, own, strict=True)]
        given += [f"{k}={shown(v)}" for k, v in params.items()]
        names = ", ".join(f"%{o.number}" for o in outs)
        types = ", ".join(map(describe, outs))
        order = (*op.args, *op.outputs)
        kept = f"  saves {', '.join(sorted(saves, key=order.index))}" if saves else ""
        self.lines.append(f"{names} = {op.name}({', '.join(given)}) : {types}{kept}")

    def __repr__(self):
        return "\n".join([*self.inputs, *self.lines, f"return {self.outputs}"])


def make_tape(f):
    """A function that runs `f` and returns the text of what it records.

    Args:
      f: function of arrays or pytrees of arrays. Its positional arguments are the inputs; what it
        closes over, and keyword arguments, are constants.

    Returns:
      A function with the arguments of `f` that returns a `Tape`.

    >>> import functape as ft
    >>> ft.make_tape(lambda w, x: (ft.numpy.tanh(w * x)).sum())(ft.numpy.ones(3), 2.0)
    %0 = w : float32[3]
    %1 = x : float32[]
    %2 = multiply(%0, %1) : float32[3]  saves x, y
    %3 = tanh(%2) : float32[3]  saves ans
    %4 = sum(%3, axis=(0,), keepdims=False) : float32[]
    return %4
    """

    check_callable("make_tape", f)

    @functools.wraps(f)
    def taped(*args, **kwargs):
        text, inputs = Tape(), []
        with levels as rank, boundary.inside():
            for label, arg in zip(parameter_labels(f, len(args)), args, strict=True):
                leaves, structure = tree.flatten(arg)
                made = [text.value(constant(a, "make_tape"), rank, True) for a in leaves]
                text.inputs += [f"%{v.number} = {label}{path} : {describe(v)}"
                                for v, path in zip(made, tree.paths(arg), strict=True)]
                inputs.append(tree.unflatten(structure, made))
            out = f(*inputs, **boundary.enter(kwargs, set()))
            boundary.outputs("make_tape", out)
            out = tree.map(lambda a: boundary.lower(a, rank), out)
            text.outputs = str(tree.map(lambda a: Shown(shown(a)), out))
        return text

    return taped


class Shown(str):
    """Text that stands in a pytree without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def shown(value):
    """A constant or a parameter, as short as it can be."""
    if type(value) is Noted:
        return f"%{value.number}"
    if type(value) is Tensor and value.rank == 0 and value.shape == ():
        return shown(value.item())
    if isinstance(value, NUMBERS):
        return repr(value)
    if hasattr(value, "dtype"):
        return describe(value)
    if isinstance(value, tuple):
        return repr(tuple(Shown(shown(v)) for v in value))
    if isinstance(value, slice):
        bounds = ["" if b is None else str(b) for b in (value.start, value.stop, value.step)]
        return ":".join(bounds[:2] if value.step is None else bounds)
    return str(value).removeprefix("mlx.core.")
