"""Tensor: an array with a place on the tape.

Its methods that compute (`x.sum()`, `x @ w`) are installed by functape.numpy on `Value`, so that
the wrappers of `jvp` and `vmap` have them too. What stands here is what only a tensor has.
"""

import functools

import mlx.core as mx
import numpy as np

from functape import pairs
from functape.arrays import as_numpy, from_numpy, is_large, number_array, python_number
from functape.errors import ArgumentError, FunctapeError, GraphError, RangeError, describe
from functape.foreign import Foreign, taken_over
from functape.op import NUMBERS, Op, Value
from functape.pairs import ARRAYS, Pair, complex128, refuse_mixing
from functape.pairs.table import in_double, is_double
from functape.tape import (
    History,
    NodeOfMany,
    OpNode,
    announce,
    mode,
    output_of,
    seen,
    sequence,
)

# the usual one first
INEXACT = (mx.float32, mx.float16, mx.bfloat16, mx.float64, mx.complex64, complex128)
MIXED = (mx.complex64, mx.bool_)  # what MLX makes of float64 and complex64, rounding the former
# what kernels raise on arguments that they do not take; what is no answer to arguments of MLX's
REFUSALS = (ValueError, TypeError, LookupError, RuntimeError, AttributeError)
FAULTS = (FunctapeError, KeyError, AttributeError)


new = object.__new__


class Tensor(Value):
    """An array that remembers how it was computed.

    Leaves (`is_leaf`) are made by the user; with ``requires_grad=True`` a backward pass adds
    their gradients into `grad`. All other tensors that require grad carry a `grad_fn`.

    Args:
      array: the elements.
      rank, edge: its place among transforms and on the tape; the business of functape.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> w.grad
    tensor([2., 4.])
    """

    __slots__ = ("array", "rank", "edge", "history", "eager")

    def __init__(self, array, rank=0, edge=None):
        self.array = array
        self.rank = rank  # 0; above it for tensors made under vmap or jvp (see op.Levels)
        self.edge = edge  # where cotangents go: the node that computed it; a leaf's sink; nowhere
        self.history = None  # of changes in place: see tape.History
        self.eager = None  # what only eager users need: `.grad` and its accumulator

    # --- recording -------------------------------------------------------------------------------

    def interpret(self, op, args, params):
        """Compute on the arrays, and put a node on the tape if anything tracked went in."""
        rank, data, edges, tracked, bit = self.rank, [], [], 0, 1
        for a in args:
            if type(a) is Tensor and a.rank == rank:
                data.append(a.array)
                edge = a.edge
                edges.append(edge)
                if edge is not None:
                    tracked += bit
            else:
                if type(a) not in NUMBERS:
                    if not isinstance(a, Value):
                        a = operand(a, op.name, len(data))
                    elif a.rank > rank:
                        return a.interpret(op, args, params)
                data.append(a)
                edges.append(None)
            bit += bit
        try:
            if rank:
                out = op(*data, **params)
            else:
                out = op.kernel(*data, **params) if params else op.kernel(*data)
                if seen.double and bit > 2 and type(out) is mx.array and out.dtype in MIXED:
                    refuse_mixing(data)
        except REFUSALS as error:
            if rank:
                raise
            if is_double(data, params, error):
                out, tracked = in_double(op, data, params), -tracked
            elif isinstance(error, FAULTS):
                raise
            else:
                out = with_large_integers(op, data, params, error)
        if type(out) is tuple:
            result = tuple(map(Tensor, out, [rank] * len(out)))
        else:  # Tensor(out, rank) without the price of a call
            result = new(Tensor)
            result.array, result.rank = out, rank
            result.edge = result.history = result.eager = None
        if tracked and mode.recording:
            record(op.plans[tracked], args, data, edges, out, params, result)
        elif seen.special and mode.inference:
            forbid_recording(result)
        return result

    # --- facts -----------------------------------------------------------------------------------

    @property
    def shape(self):
        return self.array.shape

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def grad_fn(self):
        """The node that computed this tensor; None for leaves."""
        return None if self.is_leaf else self.edge.owner

    @property
    def is_leaf(self):
        return self.edge is None or self.edge.is_sink

    @property
    def node(self):
        """The node that computed this tensor, of one output where there are several; or None."""
        return None if self.is_leaf else self.edge

    @property
    def sink(self):
        """Where a leaf's cotangents go, while it requires grad."""
        return self.edge if self.is_leaf else None

    @property
    def version(self):
        """How often this tensor's array was changed in place."""
        return 0 if self.history is None else self.history.version

    @property
    def requires_grad(self):
        return self.edge is not None

    def __repr__(self):
        return show(self)

    # --- plain values ----------------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        if self.rank:
            return self.array.__array__(dtype, copy)
        return as_numpy(self.array, dtype)

    # --- aliases ---------------------------------------------------------------------------------

    def detach(self):
        """The same array, off the tape; in-place changes of either show in both. Within vmap or
        jvp, the same value as a constant."""
        return super().detach() if self.rank else self.off_tape()

    def off_tape(self):
        """An alias off the tape of this rank; what lies below, a tangent say, stays."""
        return self.own_history().share(Tensor(self.array, self.rank))

    def own_history(self):
        """The history of this tensor's array, made on first use."""
        if self.history is None:
            History(self)
        return self.history

    def change(self, array, by):
        """Put another array in place of this one; `by` names the op, for messages."""
        self.own_history().change(self, array, by)


def record(plan, args, data, edges, out, params, result):
    """Put one application of an op on the tape."""
    if not plan.rules:
        return
    if seen.special:
        refuse_inference(plan, args)
    outs = out if type(out) is tuple else (out,)
    if plan.whole:
        saved = data
    else:
        saved = []
        for at in plan.sources:
            saved.append(data[at] if at >= 0 else outs[~at])
        for read in plan.facts:
            saved.append(read(data, outs, params))
    if out is outs:
        node = NodeOfMany(plan, edges, saved, outs)
        place_outputs(result, node)
    else:  # OpNode(plan, edges, saved) without the price of a call
        node = result.edge = new(OpNode)
        node.plan, node.edges, node.saved = plan, edges, saved
        node.seq, node.hooks = sequence(), None
    if seen.special:
        special(node, args, data, result)


def refuse_inference(plan, args):
    """Nothing that was made in inference mode is saved."""
    for at in plan.sources:
        if at >= 0 and type(args[at]) is Tensor and args[at].version is None:
            raise GraphError(inference_text(args[at]))


def special(node, args, data, result):
    """What saved-tensor hooks, anomaly mode and profilers want of a new node."""
    if mode.packing is not None:
        pack(node, args, data, result)
    if mode.watch:
        announce(node)


def pack(node, args, data, result):
    """Hand what the node saved to the saved-tensor hooks; numbers are kept as they are."""
    outs = result if type(result) is tuple else (result,)
    rank, tensors = outs[0].rank, []
    for at in node.plan.sources:
        source = outs[~at].off_tape() if at < 0 else args[at]
        own = type(source) is Tensor and source.rank == rank
        number = at >= 0 and type(data[at]) in NUMBERS
        tensors.append(None if number else source if own else Tensor(data[at], rank))
    node.pack(mode.packing, tensors)


def forbid_recording(result):
    """Mark what is made in inference mode: it can never be saved for a backward pass."""
    for tensor in result if type(result) is tuple else (result,):
        tensor.own_history().version = None


def inference_text(value):
    return (f"A tensor made in inference mode, {describe(value)}, cannot be saved for a backward "
            "pass. Use a clone() of it made outside of inference mode.")


def place_outputs(outs, node):
    for k, out in enumerate(outs):
        if out.dtype in INEXACT:
            out.edge = output_of(node, k)


# --- from arrays to tensors and back -------------------------------------------------------------


def as_array(a, name="asarray", index=0):
    """The array, MLX's or a Pair, of anything array-like; NumPy arrays keep their type."""
    if type(a) in ARRAYS:
        return handle(a)  # the caller may change theirs in place
    if isinstance(a, Tensor) and a.rank == 0:
        return a.array
    if isinstance(a, NUMBERS):
        return number_array(a)
    if isinstance(a, (np.ndarray, np.generic)):
        return from_numpy(a)
    place = index if isinstance(index, str) else f"argument {index}"
    if isinstance(a, Foreign):
        return as_array(taken_over(a, name, place))
    remedy = ("Make it an array with functape.asarray(...) first." if isinstance(a, (list, tuple))
              else "Give it an array or a number.")
    raise ArgumentError(f"{name} takes arrays and numbers, but {place} is {describe(a)}. {remedy}")


def handle(array):
    """Another handle on the same array, or on the same value of a transform; unlike `mx.array(a)`
    it copies nothing. What replaces the one in place leaves the other as it is."""
    if type(array) is mx.array:
        if array.itemsize == 8 and array.dtype == mx.float64:  # the size first: it costs less
            seen.double = True
        return array.__copy__()
    if type(array) is Pair:
        return Pair(array.re, array.im)  # whose parts are never written to
    if type(array) is Tensor:
        return Tensor(array.array, array.rank, array.edge)
    other = new(type(array))
    for name in type(array).__slots__:
        setattr(other, name, getattr(array, name))
    return other


def operand(a, name, index):
    """What a kernel gets for an argument that is no tensor: an array, or a Python number."""
    return python_number(a) if isinstance(a, NUMBERS) else as_array(a, name, index)


def with_large_integers(op, data, params, error):
    """What the kernel makes of the arrays that large integers take the dtype of; it has failed on
    the integers themselves, if that was the error."""
    large = [a for a in data if is_large(a)]
    dtypes = [a.dtype for a in data if type(a) is mx.array]
    if not large or not dtypes:
        raise op.failed(error, data, params) from error
    dtype = functools.reduce(mx.result_type, dtypes)
    if not mx.issubdtype(dtype, mx.inexact) and not (dtype == mx.uint64 and min(large) >= 0
                                                      and max(large) < 2**64):
        raise RangeError(f"{op.name}: the integer {large[0]} does not fit into the arrays' "
                         f"{str(dtype).removeprefix('mlx.core.')}. Use a wider dtype, or a float."
                         ) from error
    data[:] = [number_array(a, dtype) if is_large(a) else a for a in data]
    return op.kernel(*data, **params)


def is_constant(value):
    """Whether nothing differentiates or maps a value: it is on no tape and of no transform."""
    return type(value) is Tensor and value.rank == 0 and value.edge is None


def constant(a, name="asarray", index=0):
    """A value that depends on nothing."""
    if type(a) is mx.array:  # the usual case
        return Tensor(handle(a))
    return a.strong() if isinstance(a, Value) else Tensor(as_array(a, name, index))


def zeros(like):
    """The tangent or cotangent 0 of a value."""
    return Tensor(pairs.zeros(like.shape, like.dtype))


def through_values(formula):
    """The formula on plain arrays, computed on values: MLX's operators do not know Pairs."""

    def compute(g, *saved, **index):
        return formula(as_values(g), *map(as_values, saved), **index).array

    return compute


def as_values(a):
    """The arrays among what a formula reads as constants, and those of several outputs."""
    return tuple(map(as_values, a)) if type(a) is tuple else constant_lift(a, None)


Op.constant, Op.zeros = staticmethod(constant), staticmethod(zeros)
Op.through_values = staticmethod(through_values)


def show(tensor):
    """The values, and the dtype and place on the tape where they are not the usual ones."""
    if tensor.rank:
        return f"Tensor({describe(tensor)})"
    array = as_numpy(tensor.array)
    text = np.array2string(array, separator=", ", prefix="tensor(")
    if tensor.dtype not in (mx.float32, mx.bool_):
        text += f", dtype={str(tensor.dtype).removeprefix('mlx.core.')}"
    if tensor.grad_fn is not None:
        text += f", grad_fn={tensor.grad_fn!r}"
    elif tensor.requires_grad:
        text += ", requires_grad=True"
    return f"tensor({text})"


def constant_lift(data, edge):
    """For a pass that is not recorded: saved values as constants."""
    return constant(data) if type(data) in ARRAYS else data


def recorded_lift(rank):
    """For a pass that is recorded: saved values that know where they came from."""

    def lift(data, edge):
        if edge is None:
            return constant_lift(data, edge)
        return Tensor(data, rank, edge)

    return lift
