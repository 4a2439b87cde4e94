"""The tape: nodes, the edges between them, what they save, and the grad modes.

A node is made where an op is applied to something that requires grad. It points to the nodes of
its inputs (`edges`), never to its outputs, so a tape that nobody looks at is freed by reference
counting alone. Nodes are numbered as they are made; a node's consumers have higher numbers.
"""

import itertools
import threading
import weakref

import mlx.core as mx

from functape.errors import GraphError, InplaceError, describe

sequence = itertools.count().__next__


class Mode(threading.local):
    """What this thread records."""

    recording = True  # grad mode
    inference = False
    functional = 0  # how many transforms are running: inside them arrays are values
    tracing = 0  # how many jit traces are running: there arrays have no values yet
    replaying = -1  # when the first run of the checkpointed function that now runs again began
    walk = None  # the schedule of the backward pass that a user started
    allow_mutation = False  # saved values may have been changed in place since
    packing = None  # saved-tensor hooks; see autograd.saved
    packing_disabled = None  # the message for whoever enters such hooks
    watch = ()  # called with each node as it is made: anomaly mode, a profiler
    check = None  # stands around each node of a pass: anomaly mode
    ordinary = True  # nobody packs, watches or infers: derived, for one look instead of three

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name in ("inference", "packing", "watch"):
            special = self.inference or self.packing is not None or self.watch
            super().__setattr__("ordinary", not special)


mode = Mode()


class Cell:
    """An array and how often it was changed in place; shared by a tensor and its aliases."""

    __slots__ = ("data", "version", "changes", "__weakref__")
    latest = -1  # the number of the next node at the latest change of any cell

    def __init__(self, data):
        self.data = data
        self.version = 0
        self.changes = ()  # (the array before, weakly; its version; what changed it), for messages

    def change(self, data, by):
        """Put another array in place of this one; `by` names the op, for messages."""
        kept = [c for c in self.changes if c[0]() is not None]  # what nobody saved, nobody misses
        self.changes = (*kept, (weakly(self.data), self.version, by))
        self.data = data
        self.version += 1
        Cell.latest = sequence()

    def story(self, array):
        """What became of an array that was in this cell, for a message."""
        found = [(version, by) for before, version, by in self.changes if before() is array]
        version, by = found[0] if found else self.changes[-1][1:]
        return (f"it was changed in place by {by} (saved at version {version}, now at version "
                f"{self.version})")


def weakly(value):
    return weakref.ref(value) if isinstance(value, mx.array) else lambda: None


class Node:
    """Common to all nodes: edges to the nodes of the inputs, and a number.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> (x * 2.0).grad_fn.next_functions
    ((<AccumulateGrad>, 0), (None, 0))
    """

    __slots__ = ("edges", "seq", "hooks", "notes", "outputs", "__weakref__")
    is_sink = False
    open = True  # whether anybody may still ask for what arrives here

    def __init__(self, edges):
        self.edges = edges  # one an input: Node, or None where nothing flows
        self.seq = sequence()
        self.hooks = None  # see functape.hooks
        self.notes = None  # the user's metadata
        if mode.watch:
            announce(self)

    @property
    def owner(self):
        """The node of the op; of one output of several, the node of all."""
        return self

    @property
    def next_functions(self):
        """What the cotangents go to: pairs (node, output number), (None, 0) for constants."""
        return tuple((None, 0) if e is None else e.as_function() for e in self.edges)

    def as_function(self):
        return (self, 0)

    @property
    def metadata(self):
        """A dict for whatever the user wants to keep with the node."""
        if self.notes is None:
            self.notes = {}
        return self.notes

    @property
    def sequence_nr(self):
        return self.seq

    def pullback(self, g, lift, live):
        """Pairs (input number, cotangent). `lift` makes values of what was saved (None: plain
        arrays); only edges in `live` are wanted (None: all)."""
        raise NotImplementedError

    def release(self):
        """Drop what was saved."""

    def __repr__(self):
        return f"<{self.name}>"


def announce(node):
    """Tell those who watch that a node was made."""
    for watcher in mode.watch:
        watcher(node)


RELEASED = object()


class OpNode(Node):
    """One application of an op: what its rules will read."""

    __slots__ = ("plan", "saved", "cells", "packing")

    def __init__(self, plan, edges, saved, cells):
        self.edges = edges
        self.seq = sequence()
        self.hooks = self.notes = self.packing = None
        self.plan = plan
        self.saved = saved  # arrays, then facts, as the plan lists them
        self.cells = cells  # of the arrays: where a change in place shows

    @property
    def name(self):
        return self.plan.op.name.title().replace("_", "") + "Backward"

    def pullback(self, g, lift, live):
        saved, edges, plan = self.read_saved(g), self.edges, self.plan
        if lift is None:
            steps = plan._raw_steps or plan.raw_steps
        else:
            steps = plan.value_steps
            saved = self.lifted(saved, lift)
        parts = []
        for i, formula, at in steps:
            if live is None or edges[i] in live:
                if type(at) is int:  # a call without a star is much cheaper
                    part = formula(g, saved[at])
                else:
                    part = formula(g, *(saved if at is None else at(saved)))
                parts.append((i, part))
        return parts

    def read_saved(self, g):
        """What was saved, unless it was freed or changed in place since."""
        if self.saved is RELEASED:
            raise GraphError(freed(self.name))
        if self.seq < Cell.latest:  # something was changed in place since: was it one of these?
            self.check_versions()
        return self.saved if self.packing is None else self.unpacked(g)

    def check_versions(self):
        """Refuse saved arrays that were changed in place since."""
        for cell, value in zip(self.cells, self.saved):  # noqa: B905 - facts follow the arrays
            if cell is not None and cell.data is not value and not mode.allow_mutation:
                raise InplaceError(modified(self))

    def pack(self, packing, tensors):
        """Keep what `packing` makes of each saved tensor, in place of the arrays."""
        self.packing, self.cells = packing, ()
        for k, tensor in enumerate(tensors):
            if tensor is not None:
                self.saved[k] = packing.pack(tensor)

    def unpacked(self, g):
        saved = list(self.saved)
        for k in range(len(self.plan.arrays)):
            saved[k] = self.packing.unpack(saved[k], self.name, g)
        return saved

    def lifted(self, saved, lift):
        """The saved arrays as values that know where on the tape they came from."""
        values = list(saved)
        for k, at in enumerate(self.plan.sources):
            values[k] = lift(values[k], self.edges[at] if at >= 0 else self.own_edge(~at))
        return values

    def own_edge(self, k):
        return self

    def release(self):
        if self.plan.arrays:  # a node that saved no array may be walked again
            self.saved = RELEASED
            self.cells = ()


class NodeOfMany(OpNode):
    """An application of an op with several outputs; cotangents of them come as `Parts`."""

    __slots__ = ("avals",)

    def __init__(self, plan, edges, saved, cells, outs):
        super().__init__(plan, edges, saved, cells)
        self.avals = [(o.shape, o.dtype) for o in outs]

    def pullback(self, g, lift, live):
        full = tuple(g[k] if k in g else zeros(aval, lift) for k, aval in enumerate(self.avals))
        return super().pullback(full, lift, live)

    def own_edge(self, k):
        return output_of(self, k)


def output_of(node, k):
    """The node of one output of a node that has several: the same while anybody holds it."""
    known = getattr(node, "outputs", None)
    if known is None:
        known = node.outputs = {}
    found = known[k]() if k in known else None
    if found is None:
        found = Output(node, k)
        known[k] = weakref.ref(found)
    return found


class Output(Node):
    """One output of a node that has several; made by `output_of`."""

    __slots__ = ("index",)

    def __init__(self, node, index):
        super().__init__((node,))
        self.index = index

    @property
    def name(self):
        return self.edges[0].name

    def as_function(self):
        return (self.edges[0], self.index)

    @property
    def owner(self):
        return self.edges[0]

    def pullback(self, g, lift, live):
        return [(0, Parts({self.index: g}))]


class Parts(dict):
    """Cotangents of some outputs of one node, by output number."""

    def __add__(self, other):
        both = Parts(self)
        for k, g in other.items():
            both[k] = both[k] + g if k in both else g
        return both


def zeros(aval, lift):
    array = mx.zeros(*aval)
    return array if lift is None else lift(array, None)


class Identity(Node):
    """An alias of a tensor that is on the tape already."""

    __slots__ = ()
    name = "AliasBackward"

    def pullback(self, g, lift, live):
        return [(0, g)]


def freed(name):
    return (
        f"The values that {name} saved were freed by an earlier backward pass. "
        "Pass retain_graph=True to the first pass, or build the graph again."
    )


def modified(node):
    names = node.plan.arrays
    k = next(k for k, c in enumerate(node.cells) if c is not None and c.data is not node.saved[k])
    return (
        f"{node.name} needs {names[k]!r}, {describe(node.saved[k])}, as it was, but "
        f"{node.cells[k].story(node.saved[k])}. Use the out-of-place form, or change a clone()."
    )
