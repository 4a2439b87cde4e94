"""What a picture of a tape shows: boxes for nodes, leaves and results, and lines between them."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain

import mlx.core as mx

from functape import tree
from functape.autograd.checkpoint import Slot
from functape.autograd.saved import Packed
from functape.errors import ArgumentError, GraphError, describe
from functape.op import Value
from functape.ops.families import batch_elementwise
from functape.pairs import ARRAYS, issubdtype
from functape.sinks import AccumulateGrad, Capture
from functape.tape import Identity, OpNode, Output
from functape.tensor import Tensor, constant
from functape.tree_keys import parameter_labels
from functape.viz.folding import Unit, by_repeats, by_scope, counted
from functape.viz.gradients import measure, shown
from functape.viz.gradients import size as size_of
from functape.viz.scopes import scope_of


@dataclass
class Box:
    """One box of the picture.

    `kind` is op, fold (several nodes), leaf, again (a leaf that stands elsewhere), result, or more
    (what the limit cut off). `type` says what comes out, as in ``[64,10]``. `saved` has a row
    (name, type, bytes, is_constant) for each saved value, `facts` the parameters that the rules
    read, `marks` the hooks. `above` lists the boxes whose values go in, `flows` the sizes of the
    gradients that go back to each. `freed`: a pass has used up what was saved. `scope`: as in
    scopes.scope_of.
    """

    kind: str
    title: str
    type: str = ""
    note: str = ""
    saved: list = field(default_factory=list)
    facts: list = field(default_factory=list)
    above: list = field(default_factory=list)
    flows: list = field(default_factory=list)
    marks: list = field(default_factory=list)
    freed: bool = False
    scope: tuple = ()


@dataclass
class Graph:
    """The boxes, inputs before what uses them; the sum of the saved bytes; how many nodes and
    leaves there are, those in folded boxes too."""

    boxes: list
    saved_bytes: int
    nodes: int
    leaves: int

    def count(self, kind):
        return sum(box.kind == kind for box in self.boxes)


def trace(f, args, kwargs):
    """Run `f`, its positional arguments as leaves and the others as constants.

    Returns:
      (result, names of the leaves).

    >>> y, names = trace(lambda w, x: (w["a"] * x).sum(), ({"a": mx.ones(3)}, 2.0), {})
    >>> list(names)
    ["w['a']", 'x']
    """
    names, inputs = {}, []
    for label, arg in zip(parameter_labels(f, len(args)), args, strict=True):
        leaves, structure = tree.flatten(arg)
        made = [tracked(a) for a in leaves]
        inputs.append(tree.unflatten(structure, made))
        names.update((label + path, t) for path, t in zip(tree.paths(arg), made, strict=True))
    return f(*inputs, **tree.map(constant, kwargs)), names


def tracked(a):
    """A leaf that requires grad; integers and booleans stay constants."""
    value = constant(a)
    if not issubdtype(value.dtype, mx.inexact):
        return value
    leaf = Tensor(value.array)
    leaf.edge = AccumulateGrad(leaf)
    return leaf


def read(y, names=None, limit=200, fold=True, gradients=None):
    """The graph behind the tensors in `y`.

    Args:
      y: a tensor, or a pytree of tensors.
      names: a mapping from names to leaves, or to pytrees of leaves.
      limit: draw at most so many boxes of nodes, the last ones of the tape.
      fold: fold repeated blocks of long tapes; "scopes": each outermost name_scope; False: nothing.
      gradients: what `watch_gradients` saw; True: look now.
    """
    found = zip(tree.paths(y), tree.leaves(y), strict=True)
    roots = {path: v for path, v in found if isinstance(v, Value)}
    off = [v for v in roots.values() if type(v) is not Tensor or v.edge is None]
    if off or not roots:
        given = describe(off[0]) if off else describe(y)
        raise GraphError(f"A picture shows the tape behind a tensor, but {given} is not on a tape. "
                         "Compute it from tensors with requires_grad=True, or draw the function: "
                         "functape.viz.draw(f, *args).")
    if fold not in (True, False, "scopes"):
        raise ArgumentError(f'fold is True, False or "scopes", but got {describe(fold)}.')
    nodes = reachable([owner(r.edge) for r in roots.values()])
    if gradients is True:
        gradients = measure(roots.values(), [n for n in nodes if n.is_sink])
    return Reader(naming(names or {}), limit, fold, gradients or None).graph(roots, nodes)


def naming(names):
    """From the identity of a leaf to its name."""
    if not isinstance(names, dict):
        raise ArgumentError(f"names maps names to tensors, but is {describe(names)}. Write "
                            "names={'w': w}.")
    return {id(leaf): name + path for name, value in names.items()
            for path, leaf in zip(tree.paths(value), tree.leaves(value), strict=True)}


class Reader:
    """Makes boxes of nodes."""

    def __init__(self, names, limit, fold=False, gradients=None):
        self.names, self.limit, self.fold, self.gradients = names, limit, fold, gradients
        self.shapes = {}  # node -> shape of what it computed, where anything tells
        self.arrays = {}  # id of a saved array -> its size, so that none counts twice

    def graph(self, roots, nodes):
        ops = [n for n in nodes if not n.is_sink]
        for root in roots.values():
            self.shapes.setdefault(owner(root.edge), root.shape)
        for node in reversed(ops):
            self.learn(node)
        units = self.units(ops)[-self.limit:]
        shown = [n for unit in units for n in unit.nodes]
        place = {n: i for i, unit in enumerate(units) for n in unit.nodes}
        last = {owner(r.edge) for r in roots.values()}
        single = {n for unit in units if len(unit.nodes) == 1 for n in unit.nodes}
        users = {}
        for node in shown:
            for edge in node.edges:
                users.setdefault(edge, set()).add(None if node in single else place[node])
        # A leaf that only one folded box uses is folded with it.
        leaves = [n for n in nodes if n.is_sink and (n in last or n in users)]
        sinks = [n for n in leaves if n in last or None in users[n] or len(users[n]) > 1]
        inside = Counter(min(users[n]) for n in set(leaves).difference(sinks))
        boxes = []
        missing = len(ops) - len(shown)
        if missing:
            boxes.append(Box("more", f"\N{HORIZONTAL ELLIPSIS} {missing:,} earlier nodes"))
        first = len(boxes) + len(sinks)
        place = {n: i + first for n, i in place.items()}
        place.update((n, i + len(boxes)) for i, n in enumerate(sinks))
        boxes += [self.sink(n) for n in sinks]
        for i, unit in enumerate(units):
            boxes.append(self.op(unit.nodes[0]) if len(unit.nodes) == 1
                         else self.folded(unit, inside[i]))
            self.connect(boxes[-1], unit, place, missing)
        for path, root in roots.items():
            boxes.append(Box("result", "result" + path, describe(root),
                             above=[place[owner(root.edge)]],
                             flows=[()]))
        boxes = repeat_leaves(boxes)
        adopt(boxes)
        return Graph(boxes, sum(self.arrays.values()), len(shown), len(leaves))

    def units(self, ops):
        if self.fold == "scopes":
            return by_scope(ops, scope_of)
        if self.fold:
            return by_repeats(ops, lambda n: (n.name, self.shapes.get(n)), scope_of)
        return [Unit([n]) for n in ops]

    def connect(self, box, unit, place, missing):
        """The lines into a box, and what flows along them."""
        own, lines = set(unit.nodes), {}
        for node in unit.nodes:
            for i, edge in enumerate(node.edges):
                source = None if edge is None else owner(edge)
                if source is None or source in own or (source.is_sink and source not in place):
                    continue
                if source in place or missing:
                    flow = () if self.gradients is None else self.gradients.flow(node, i)
                    lines.setdefault(place.get(source, 0), []).append(flow)
        for above, flows in lines.items():
            if len(unit.nodes) > 1:  # one line for all
                flows = [tuple(chain(*flows))]
            box.above += [above] * len(flows)
            box.flows += flows

    def folded(self, unit, leaves):
        """One box for several nodes, and for the leaves that no other uses."""
        boxes = [self.op(n) for n in unit.nodes]
        arrays = [a for n in unit.nodes for a in arrays_kept(n)]
        size = sum({id(a): a.nbytes for a in arrays}.values())
        facts = [", ".join(f"{box.title}" for box in boxes[:4])
                 + (", \N{HORIZONTAL ELLIPSIS}" if len(boxes) > 4 else "")]
        note = ", ".join(filter(None, [unit.note, counted(leaves, "leaf") if leaves else ""]))
        saved = [(note, "", size, False)] if note or size else []
        return Box("fold", unit.title, bracket(self.shapes.get(unit.nodes[-1])), saved=saved,
                   facts=facts if self.fold == "scopes" else [],
                   freed=any(b.freed for b in boxes))

    def learn(self, node):
        """Note the shapes of the inputs that this node knows of."""
        if isinstance(node, OpNode):
            known = input_shapes(node, self.shapes.get(node))
        else:
            known = [self.shapes.get(node) if type(node) is Identity else None] * len(node.edges)
        for edge, shape in zip(node.edges, known, strict=True):
            if edge is not None and shape is not None:
                self.shapes.setdefault(owner(edge), shape)

    def sink(self, node):
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            notes = [".grad", *hooks_at(node)]
            if self.gradients is not None and leaf.grad is not None:
                notes[0] = f".grad {shown(*size_of(leaf.grad.array))}"
            return Box("leaf", self.names.get(id(leaf), "leaf"), describe(leaf), ", ".join(notes))
        if type(node) is Capture:
            return Box("leaf", "input", bracket(self.shapes.get(node)), "of a transform")
        return Box("leaf", "leaf", bracket(self.shapes.get(node)), "gone")

    def op(self, node):
        box = Box("op", node.name.removesuffix("Backward"), bracket(self.shapes.get(node)),
                  scope=scope_of(node), marks=hooks_at(node))
        if isinstance(node, OpNode):
            box.title = node.plan.op.name
        if hasattr(node, "avals"):
            box.type = ", ".join(bracket(aval and aval[0]) for aval in node.avals)
        kept = node.keeps()
        if kept is None:
            box.freed = True
            box.facts.append("what it saved is freed")
            return box
        for name, fixed in in_order(node, kept):
            value, kind = standing_for(kept[name])
            box.saved.append((name, kind, self.size(value), fixed))
        if isinstance(node, OpNode):
            box.facts = [f"{name}={short(value)}" for name, value in facts(node).items()
                         if not name.endswith(("_shape", "_dtype", "_space", "shapes"))]
        return box

    def size(self, value):
        """Bytes of a saved array."""
        size = getattr(value, "nbytes", 0)
        self.arrays[id(value)] = size
        return size


def in_order(node, kept):
    """Pairs (name, is constant) of what a node keeps; of an op, inputs first."""
    if not isinstance(node, OpNode):
        return [(name, False) for name in kept]
    rows = sorted(zip(kept, node.plan.sources, strict=True), key=lambda r: (r[1] < 0, abs(r[1])))
    return [(name, at >= 0 and node.edges[at] is None) for name, at in rows]


def standing_for(value):
    """(the array that is kept, or None; what to call it)."""
    if isinstance(value, Slot):  # of a checkpoint
        value = value.value
        return value, "computed again" if value is None else describe(value)
    if isinstance(value, Packed):
        return value.object, f"{describe(value)}, packed"
    return value, describe(value)


def values_kept(node):
    """The values that a node keeps, by name."""
    return {name: standing_for(value)[0] for name, value in (node.keeps() or {}).items()}


def arrays_kept(node):
    """The arrays among them."""
    return [value for value in values_kept(node).values() if type(value) in ARRAYS]


def hooks_at(node):
    """What stands at a node: ``["2 hooks", "keeps its gradient"]``."""
    places = [node, *(r() for r in (getattr(node, "outputs", None) or {}).values())]
    hooks = [n.hooks for n in places if n is not None and n.hooks is not None]
    count = sum(len(d) for h in hooks for d in (h.tensor, h.pre, h.post, h.leaf))
    marks = [f"{count} hook{'s' * (count != 1)}"] if count else []
    return marks + ["keeps its gradient"] * any(h.retainers for h in hooks)


def owner(edge):
    """The node that an edge leads to; of several outputs, the node that made them."""
    return edge.edges[0] if type(edge) is Output else edge


def reachable(roots):
    """All nodes behind the roots, in the order of their making, sinks first."""
    found, stack = dict.fromkeys(roots), list(roots)  # a dict, since it keeps an order
    while stack:
        for edge in stack.pop().edges:
            node = None if edge is None else owner(edge)
            if node is not None and node not in found:
                found[node] = None
                stack.append(node)
    return sorted(found, key=lambda n: n.seq)


def repeat_leaves(boxes):
    """The boxes, where a leaf with many users stands again, by name, at each but the first."""
    users = {}
    for i, box in enumerate(boxes):
        for above in dict.fromkeys(box.above):
            users.setdefault(above, []).append(i)
    again = {(above, user): boxes[above].title for above, found in users.items()
             if boxes[above].kind == "leaf" and len(found) > 2 for user in found[1:]}
    numbers = {place: n for n, place in enumerate(again)}
    for i, box in enumerate(boxes):
        box.above = [numbers.get((above, i), above + len(again)) for above in box.above]
    return [*(Box("again", title) for title in again.values()), *boxes]


def adopt(boxes):
    """Leaves that only one scope uses belong to it."""
    users = {}
    for box in boxes:
        for above in box.above:
            users.setdefault(above, set()).add(box.scope[:1])
    for i, box in enumerate(boxes):
        if box.kind in ("leaf", "again") and len(users.get(i, ())) == 1:
            (box.scope,) = users[i]


def facts(node):
    """The parameters that the rules of a node read, by name."""
    names = dict.fromkeys(n for _, rule in node.plan.rules for n in rule.reads)
    arrays = node.plan.arrays
    return dict(zip([n for n in names if n not in arrays], node.saved[len(arrays):], strict=True))


def input_shapes(node, out_shape):
    """The shape of each input, or None, by what the node saved."""
    op = node.plan.op
    arrays = node.keeps()
    if arrays is None:
        return [None] * len(node.edges)
    known = facts(node)
    if op.variadic:
        return list(known.get("shapes", [None] * len(node.edges)))
    if op.batch is batch_elementwise:
        spaces = [known.get(f"{name}_space") for name in op.args]
        return [out_shape if space is None else space[0] for space in spaces]
    return [known.get(f"{name}_shape", getattr(arrays.get(name), "shape", None))
            for name in op.args]


def bracket(shape):
    return "" if shape is None else f"[{','.join(map(str, shape))}]"


def short(value, most=28):
    text = str(value).replace(" ", "").removeprefix("mlx.core.")
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"
