"""Tensor: an array with a place on the tape.

Its methods that compute (`x.sum()`, `x @ w`) are installed by functape.numpy on `Value`, so that
the wrappers of `jvp` and `vmap` have them too. What stands here is what only a tensor has.
"""

import mlx.core as mx
import numpy as np

from functape.errors import ArgumentError, FunctapeError, GraphError, describe
from functape.op import NUMBERS, Op, Value
from functape.tape import Cell, NodeOfMany, OpNode, announce, mode, output_of

INEXACT = (mx.float16, mx.bfloat16, mx.float32, mx.float64, mx.complex64)


class Tensor(Value):
    """An array that remembers how it was computed.

    Leaves (`is_leaf`) are made by the user; with ``requires_grad=True`` a backward pass adds
    their gradients into `grad`. All other tensors that require grad carry a `grad_fn`.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> w.grad
    tensor([2., 4.])
    """

    __slots__ = ("cell", "rank", "node", "sink", "eager", "__weakref__")

    def __init__(self, data, rank=0, node=None):
        self.cell = Cell(data)
        self.rank = rank  # 0; above it for tensors made under vmap or jvp (see op.Levels)
        self.node = node  # what computed it; None for leaves
        self.sink = None  # where a leaf's cotangents go, while it requires grad
        self.eager = None  # what only eager users need: `.grad` and its accumulator

    # --- recording -------------------------------------------------------------------------------

    def interpret(self, op, args, params):
        """Compute on the data, and put a node on the tape if anything tracked went in."""
        rank, data, edges, tracked, bit = self.rank, [], [], 0, 1
        for a in args:
            edge = None
            if type(a) is Tensor and a.rank == rank:
                data.append(a.cell.data)
                edge = a.node or a.sink
                if edge is not None:
                    tracked += bit
            elif type(a) in NUMBERS:
                data.append(a)
            elif isinstance(a, Value):
                if a.rank > rank:
                    return a.interpret(op, args, params)
                data.append(a)
            else:
                data.append(operand(a, op.name, len(data)))
            edges.append(edge)
            bit += bit
        try:
            if rank:
                out = op(*data, **params)
            else:
                out = op.kernel(*data, **params) if params else op.kernel(*data)
        except (ValueError, TypeError, IndexError, RuntimeError) as error:
            if rank or isinstance(error, FunctapeError):
                raise
            raise op.failed(error, data, params) from error
        several = type(out) is tuple
        outs = tuple([Tensor(o, rank) for o in out]) if several else (Tensor(out, rank),)
        if tracked and op.differentiable and mode.recording:
            record(op, tracked, args, data, edges, outs, several, params, rank)
        elif mode.inference:
            forbid_recording(outs)
        return outs if several else outs[0]

    @property
    def edge(self):
        """Where cotangents of this tensor go: its node, or its sink if it is a leaf."""
        return self.node or self.sink

    # --- facts -----------------------------------------------------------------------------------

    @property
    def shape(self):
        return self.cell.data.shape

    @property
    def dtype(self):
        return self.cell.data.dtype

    @property
    def grad_fn(self):
        """The node that computed this tensor; None for leaves."""
        return None if self.node is None else self.node.owner

    @property
    def is_leaf(self):
        return self.node is None

    @property
    def version(self):
        """How often this tensor's array was changed in place."""
        return self.cell.version

    @property
    def requires_grad(self):
        return self.node is not None or self.sink is not None

    def __repr__(self):
        return show(self)

    # --- plain values ----------------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        if self.rank:
            return self.cell.data.__array__(dtype, copy)
        return as_numpy(self.cell.data, dtype)

    # --- aliases ---------------------------------------------------------------------------------

    def detach(self):
        """The same array, off the tape; in-place changes of either show in both."""
        alias = Tensor(None, self.rank)
        alias.cell = self.cell
        return alias


def record(op, tracked, args, data, edges, outs, several, params, rank):
    """Put one application of an op on the tape."""
    plan = op.plans.get(tracked) or op.plan(tracked, len(args))
    if not plan.steps:
        return
    saved, cells = [], []
    for at in plan.sources:
        source = args[at] if at >= 0 else outs[~at]
        if type(source) is Tensor and source.rank == rank:
            cell = source.cell
            if cell.version is None:
                raise GraphError(inference_text(cell.data))
            cells.append(cell)
            saved.append(cell.data)
        else:
            cells.append(None)
            saved.append(data[at])
    for read in plan.facts:
        saved.append(read(data, outs, params))
    if several:
        node = NodeOfMany(plan, edges, saved, cells, outs)
        place_outputs(outs, node)
    else:
        node = outs[0].node = OpNode(plan, edges, saved, cells)
    if not mode.ordinary:
        special(node, args, data, outs, rank)


def special(node, args, data, outs, rank):
    """What saved-tensor hooks, anomaly mode and profilers want of a new node."""
    if mode.packing is not None:
        pack(node, args, data, outs, rank)
    if mode.watch:
        announce(node)


def pack(node, args, data, outs, rank):
    """Hand what the node saved to the saved-tensor hooks; numbers are kept as they are."""
    tensors = []
    for at in node.plan.sources:
        source = outs[~at].detach() if at < 0 else args[at]
        own = type(source) is Tensor and source.rank == rank
        number = at >= 0 and type(data[at]) in NUMBERS
        tensors.append(None if number else source if own else Tensor(data[at], rank))
    node.pack(mode.packing, tensors)


def forbid_recording(outs):
    """Mark what is made in inference mode: it can never be saved for a backward pass."""
    for out in outs:
        out.cell.version = None


def inference_text(value):
    return (f"A tensor made in inference mode, {describe(value)}, cannot be saved for a backward "
            "pass. Use a clone() of it made outside of inference mode.")


def place_outputs(outs, node):
    for k, out in enumerate(outs):
        if out.dtype in INEXACT:
            out.node = output_of(node, k)


# --- from arrays to tensors and back -------------------------------------------------------------


def as_array(a, name="asarray", index=0):
    """An `mx.array` of anything array-like; float64 and complex NumPy arrays keep their type."""
    if type(a) is mx.array:
        return handle(a)  # the caller may change theirs in place
    if isinstance(a, Tensor) and a.rank == 0:
        return a.cell.data
    if isinstance(a, NUMBERS):
        return mx.array(python_number(a))
    if isinstance(a, (np.ndarray, np.generic)):
        return from_numpy(a)
    place = index if isinstance(index, str) else f"argument {index}"
    remedy = ("Make it an array with functape.asarray(...) first." if isinstance(a, (list, tuple))
              else "Give it an array or a number.")
    raise ArgumentError(f"{name} takes arrays and numbers, but {place} is {describe(a)}. {remedy}")


def handle(array):
    """Another handle on the same array; unlike `mx.array(a)` it copies nothing."""
    return array.astype(array.dtype)


def operand(a, name, index):
    """What a kernel gets for an argument that is no tensor: an array, or a Python number."""
    return python_number(a) if isinstance(a, NUMBERS) else as_array(a, name, index)


def python_number(a):
    """The number itself of a subclass, such as np.float64: it has no size of its own either."""
    return next(kind(a) for kind in NUMBERS if isinstance(a, kind))


def from_numpy(a):
    """An `mx.array` with the dtype of a NumPy array or scalar."""
    if any(step < 0 for step in a.strides):  # MLX takes no mirrored arrays
        a = a.copy()
    if not a.size:  # MLX's sum over an empty array from NumPy may never end
        return mx.zeros(a.shape, from_numpy(np.zeros(1, a.dtype)).dtype)
    if a.dtype == np.float64:
        return mx.array(a, dtype=mx.float64)
    if a.dtype == np.complex128:
        return mx.array(a.astype(np.complex64))
    if a.dtype.kind not in "biufc" and a.dtype.name != "bfloat16":
        raise ArgumentError(f"There is no array of dtype {a.dtype}; numbers and booleans only.")
    return mx.array(a)


def as_numpy(data, dtype=None):
    if data.dtype == mx.bfloat16:
        data = data.astype(mx.float32)
    out = np.array(data)
    return out if dtype is None else out.astype(dtype)


def constant(a, name="asarray", index=0):
    """A value that depends on nothing."""
    return a if isinstance(a, Value) else Tensor(as_array(a, name, index))


Op.constant = staticmethod(constant)


def show(tensor):
    """The values, and the dtype and place on the tape where they are not the usual ones."""
    if tensor.rank:
        return f"Tensor({describe(tensor)})"
    array = as_numpy(tensor.cell.data)
    text = np.array2string(array, separator=", ", prefix="tensor(")
    if tensor.dtype not in (mx.float32, mx.bool_):
        text += f", dtype={str(tensor.dtype).removeprefix('mlx.core.')}"
    if tensor.node is not None:
        text += f", grad_fn={tensor.grad_fn!r}"
    elif tensor.sink is not None:
        text += ", requires_grad=True"
    return f"tensor({text})"


def constant_lift(data, edge):
    """For a pass that is not recorded: saved values as constants."""
    return constant(data) if type(data) is mx.array else data


def recorded_lift(rank):
    """For a pass that is recorded: saved values that know where they came from."""

    def lift(data, edge):
        if edge is None:
            return constant_lift(data, edge)
        return Tensor(data, rank, edge)

    return lift
