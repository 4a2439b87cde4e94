"""The tape: nodes, the edges between them, what they save, and the grad modes.

A node is made where an op is applied to something that requires grad. It points to the nodes of
its inputs (`edges`), never to its outputs, so a tape that nobody looks at is freed by reference
counting alone. Nodes are numbered as they are made; a node's consumers have higher numbers.
"""

import itertools
import threading
import weakref

from functape import pairs
from functape.errors import GraphError, InplaceError, describe

sequence = itertools.count().__next__


class Seen:
    """What happened at any time, in any thread: the usual operation, which is about none of it,
    need only look here."""

    def __init__(self):
        self.special = False  # an attribute of a mode that is seldom set
        self.change = -1  # an array changed in place: the number of the next node at the latest
        self.double = False  # float64, which MLX rounds where it meets complex numbers


seen = Seen()


class Special:
    """An attribute of the mode that is seldom set."""

    def __init__(self, usual):
        self.usual = usual

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, mode, owner=None):
        return self.usual if mode is None else mode.__dict__.get(self.name, self.usual)

    def __set__(self, mode, value):
        mode.__dict__[self.name] = value
        seen.special = True


class Mode(threading.local):
    """What this thread records."""

    def __init__(self):
        # histories that changed while transforms run -> (the number of the next node at the latest
        # change; the tensors, weakly, with their arrays and edges as before the first)
        self.written = weakref.WeakKeyDictionary()

    recording = True  # grad mode
    inference = Special(False)
    functional = 0  # how many transforms are running: inside them arrays are values
    replaying = -1  # when the first run of the checkpointed function that now runs again began
    walk = None  # the schedule of the backward pass that a user started
    allow_mutation = False  # saved values may have been changed in place since
    packing = Special(None)  # saved-tensor hooks; see autograd.saved
    packing_disabled = None  # the message for whoever enters such hooks
    watch = Special(())  # called with each node as it is made: anomaly mode, a profiler
    check = None  # stands around each node of a pass: anomaly mode


mode = Mode()


class History:
    """How often an array was changed in place; shared by the tensors that are aliases of it.

    A tensor has one once it has an alias, was changed, or was made in inference mode. A change
    replaces the array, and is known by the array it replaced: a node need only keep its arrays to
    find out later that one of them is outdated.
    """

    __slots__ = ("version", "by", "aliases", "__weakref__")
    # id of an array -> (itself, weakly; the number of the next node; its version; what changed it;
    # its History)
    replaced: dict = {}

    def __init__(self, tensor):
        self.version = 0  # None: of inference mode, never to be saved
        self.by = None  # what changed it last, for messages
        self.aliases = {}  # id -> the tensor, weakly
        self.share(tensor)

    def share(self, tensor):
        """Let a tensor be one of the aliases; returns it."""
        key = id(tensor)
        self.aliases[key] = weakref.ref(tensor, lambda _: self.aliases.pop(key, None))
        tensor.history = self
        return tensor

    def change(self, tensor, array, by):
        """Put another array in place of a tensor's, in its aliases too."""
        key, replaced = id(tensor.array), self.replaced
        before = weakref.ref(tensor.array, lambda _: replaced.pop(key, None))
        seen.change = sequence()
        replaced[key] = before, seen.change, self.version, by, self
        if self.version is not None:
            self.version += 1
        self.by = by
        if mode.functional:
            _, before_all = mode.written.get(self) or (0, [(weakref.ref(t), t.array, t.edge)
                                                          for t in self.alive()])
            mode.written[self] = seen.change, before_all
        for alias in self.alive():
            alias.array = array

    def alive(self):
        """The tensors that have this array."""
        found = [find() for find in list(self.aliases.values())]
        return [tensor for tensor in found if tensor is not None]

    @staticmethod
    def changed_since(number, kept):
        """The histories that were changed while a transform ran, after this number, and that
        tensors have which are none of `kept`: its function wrote into what is not its own."""
        if seen.change < number:
            return []
        return [history for history, (when, _) in list(mode.written.items()) if when > number
                and not all(any(t is k for k in kept) for t in history.alive())]

    def restore(self):
        """The tensors as they were before the transforms that run began."""
        for find, array, edge in mode.written.pop(self)[1]:
            tensor = find()
            if tensor is not None:
                tensor.array, tensor.edge = array, edge

    @classmethod
    def outdated(cls, array, seq):
        """Whether an array was changed in place after a node saved it."""
        change = cls.replaced.get(id(array))
        return change is not None and seq < change[1] and not mode.allow_mutation

    @classmethod
    def story(cls, array):
        """What became of an outdated array, for a message."""
        _, _, version, by, history = cls.replaced[id(array)]
        return (f"it was changed in place by {by} (saved at version {version}, now at version "
                f"{history.version})")


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
        if not hasattr(self, "notes"):
            self.notes = {}
        return self.notes

    def note(self, key, default=None):
        """An entry of `metadata`, which is not made for the question."""
        return getattr(self, "notes", {}).get(key, default)

    @property
    def sequence_nr(self):
        return self.seq

    def pullback(self, g, lift, live):
        """Pairs (input number, cotangent). `lift` makes values of what was saved (None: plain
        arrays); only edges in `live` are wanted (None: all)."""
        raise NotImplementedError

    def keeps(self):
        """What the node keeps for its pullback, by name: arrays, numbers, or what stands for them;
        None once that is freed."""
        return {}

    def release(self):
        """Drop what was saved."""

    def __repr__(self):
        return f"<{self.name}>"


def announce(node):
    """Tell those who watch that a node was made, and has what it keeps."""
    for watcher in mode.watch:
        watcher(node)


RELEASED = object()


class Packed(list):
    """What saved-tensor hooks made of the values that a node saved."""

    __slots__ = ("packing",)

    def __init__(self, values, packing):
        super().__init__(values)
        self.packing = packing


class OpNode(Node):
    """One application of an op: what its rules will read."""

    __slots__ = ("plan", "saved")

    def __init__(self, plan, edges, saved):
        self.edges = edges
        self.seq = sequence()
        self.hooks = None
        self.plan = plan
        self.saved = saved  # a list: arrays, then facts, as the plan has them; or Packed, RELEASED

    @property
    def name(self):
        return self.plan.op.name.title().replace("_", "") + "Backward"

    def pullback(self, g, lift, live):
        saved, plan = self.saved, self.plan
        if type(saved) is not list or self.seq < seen.change:
            saved = self.read_saved(g)
        if lift is None:
            steps = plan.raw_steps
        else:
            steps, saved = plan.value_steps, self.lifted(saved, lift)
        parts = []
        for i, formula, at in steps:
            if live is None or self.edges[i] in live:
                if type(at) is int:  # a call without a star is much cheaper
                    parts.append((i, formula(g, saved[at])))
                else:
                    parts.append((i, formula(g, *(saved if at is None else at(saved)))))
        return parts

    def read_saved(self, g):
        """What was saved, unless it was freed or changed in place since."""
        saved = self.saved
        if saved is RELEASED:
            raise GraphError(freed(self.name))
        if type(saved) is Packed:
            unpack, count = saved.packing.unpack, len(self.plan.arrays)
            return [unpack(v, self.name, g) for v in saved[:count]] + saved[count:]
        for name, value in zip(self.plan.arrays, saved, strict=False):  # facts follow the arrays
            if History.outdated(value, self.seq):
                raise InplaceError(
                    f"{self.name} needs {name!r}, {describe(value)}, as it was, but "
                    f"{History.story(value)}. Use the out-of-place form, or change a clone()."
                )
        return saved

    def pack(self, packing, tensors):
        """Keep what `packing` makes of each saved tensor, in place of the arrays."""
        kept = [self.saved[k] if t is None else packing.pack(t) for k, t in enumerate(tensors)]
        self.saved = Packed(kept + self.saved[len(kept):], packing)

    def lifted(self, saved, lift):
        """The saved arrays as values that know where on the tape they came from."""
        values = list(saved)
        for k, at in enumerate(self.plan.sources):
            values[k] = lift(values[k], self.edges[at] if at >= 0 else self.own_edge(~at))
        return values

    def own_edge(self, k):
        return self

    def keeps(self):
        if self.saved is RELEASED:
            return None
        return dict(zip(self.plan.arrays, self.saved, strict=False))  # facts follow the arrays

    def release(self):
        if self.plan.sources:  # a node that saved no array may be walked again
            self.saved = RELEASED


class NodeOfMany(OpNode):
    """An application of an op with several outputs; cotangents of them come as `Parts`."""

    __slots__ = ("avals",)

    def __init__(self, plan, edges, saved, outs):
        super().__init__(plan, edges, saved)
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
    array = pairs.zeros(*aval)
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
