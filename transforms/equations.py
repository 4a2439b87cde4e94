"""The implicit function theorem, level by level, on lists of leaves.

What an equation f(x) = 0 depends on may live on any level (tape, dual numbers, vmap), since f may
close over anything. The residual f(x) shows which is highest. That level is taken off, the root is
attached to the levels below, and what the theorem says is put on this one. The linear equations
in it are solved by the user's solver and attached in turn to whatever they depend on: so there are
derivatives of every order.
"""

import contextlib

from functape import engine
from functape.autograd.grad_mode import enable_grad, no_grad
from functape.autograd.saved import by_name
from functape.errors import GraphError
from functape.op import Op, highest, levels
from functape.ops.elementwise import stop_gradient
from functape.sinks import Capture, Extent
from functape.tape import RELEASED, Identity, Node, freed, mode, output_of, sequence
from functape.tensor import Tensor, constant, constant_lift
from functape.transforms import boundary
from functape.transforms.crossing import BatchLevel, DualLevel, TapeLevel, down, up
from functape.transforms.forward import Dual, jvp
from functape.transforms.reverse import vjp
from functape.transforms.vmap import Batched


def attach(f, root, forward, backward):
    """The leaves of `root`, with the derivatives that f(root) = 0 implies.

    Args:
      f: from leaves to leaves.
      root: detached leaves.
      forward, backward: ``(linear, b)`` on leaves: solve linear(x) = b, and likewise for the
        transposed function.
    """
    top = highest(f(root))
    if type(top) is Batched:
        return mapped(f, root, forward, backward, top)
    if type(top) is Dual:
        return moving(f, root, forward, backward, top.rank)
    if type(top) is Tensor:
        return on_tape(f, root, forward, backward, top.rank)
    return root


def solution(linear, right, forward, backward):
    """x with linear(x) = right, attached to whatever these two depend on."""
    with no_grad():
        x = [stop_gradient(a) for a in forward(linear, right)]
    return attach(lambda x: [p - q for p, q in zip(linear(x), right, strict=True)], x, forward,
                  backward)


def one_level_down(level, f, root, forward, backward):
    """The same problem for the values that a level wraps."""

    def onto(leaves):
        return [up(a, level=level) for a in leaves]

    def off(leaves):
        return [down(a, level=level) for a in leaves]

    def below(solve):
        return lambda linear, b: off(solve(lambda x: onto(linear(off(x))), onto(b)))

    return lambda x: off(f(onto(x))), off(root), below(forward), below(backward)


def mapped(f, root, forward, backward, top):
    """Under vmap: one larger system, of all examples, below it."""
    level = BatchLevel(top.rank, top.count)
    return [level.up(a) for a in attach(*one_level_down(level, f, root, forward, backward))]


def moving(f, root, forward, backward, rank):
    """On dual numbers: A dx = -df."""
    level = DualLevel(rank)
    f_below, root, forward, backward = one_level_down(level, f, root, forward, backward)
    x = attach(f_below, root, forward, backward)
    out = [boundary.lower(r, rank) for r in f([level.up(a) for a in x])]
    right = [-r.tangent if level.owns(r) else Op.zeros(r) for r in out]

    def pushed(t):
        return jvp(lambda *a: f_below(list(a)), tuple(x), tuple(t))[1]

    moved = solution(pushed, right, forward, backward)
    return [Dual(rank, a, t) for a, t in zip(x, moved, strict=True)]


def on_tape(f, root, forward, backward, rank):
    """On the tape: one node in place of the solver."""
    level, x = TapeLevel(rank), root
    if rank:
        with at_depth(rank // 2 + 1):  # tapes that begin there are later than this one
            x = attach(*one_level_down(level, f, root, forward, backward))
    if not mode.recording:
        return x
    mark = sequence()
    edges = own_edges(f([level.up(a) for a in x] if rank else x), rank)
    edges = tuple(origins(edges, mark))
    if not edges:
        return x
    node = ImplicitNode(edges, f, (forward, backward), x, rank)
    return [Tensor(below_tape(a, rank), rank, output_of(node, k)) for k, a in enumerate(x)]


def is_own(value, rank):
    return type(value) is Tensor and value.rank == rank


def below_tape(value, rank):
    """What a tensor of this rank holds for a value: the array itself at the bottom."""
    return value.array if rank == 0 else value


def own_edges(leaves, rank):
    return [a.edge if is_own(a, rank) else None for a in leaves]


def origins(edges, mark):
    """Where the tape that a function made begins: the nodes that were there before `mark`, and
    the leaves."""
    stack, seen, found = [e for e in edges if e is not None], set(), {}
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.seq < mark or node.is_sink:
            if node.seq < mark or type(node) is not Capture:  # not a transform's inside f
                found[node] = None
        else:
            stack += [e for e in node.edges if e is not None]
    return found


def rerouted(edges, mark, to):
    """The same edges, with the tape behind them ending at `to[node]` for each old `node`."""
    stack, seen = [e for e in edges if e is not None and e not in to], set()
    while stack:
        node = stack.pop()
        if node not in seen and node.seq >= mark and not node.is_sink:
            seen.add(node)
            stack += [e for e in node.edges if e is not None and e not in to]
            node.edges = type(node.edges)(to.get(e, e) for e in node.edges)
    return [to.get(e, e) for e in edges]


class ImplicitNode(Node):
    """The tape's view of an equation f(x) = 0: its inputs are what f depends on."""

    __slots__ = ("f", "solvers", "saved", "rank", "depth")
    name = "ImplicitBackward"

    def __init__(self, edges, f, solvers, x, rank):
        self.f, self.solvers, self.rank, self.depth = f, solvers, rank, levels.depth
        self.saved = [below_tape(a, rank) for a in x]
        super().__init__(edges)

    def pullback(self, g, lift, live):
        """A' y = -g, and y goes back through f, which runs again for this."""
        if self.saved is RELEASED:
            raise GraphError(freed(self.name))
        recorded = lift is not None and lift is not constant_lift
        with at_depth(self.depth), boundary.inside():
            x = [constant(a) if lift is None else lift(a, output_of(self, k))
                 for k, a in enumerate(self.saved)]
            weights = [-constant(g[k]) if k in g else Op.zeros(a) for k, a in enumerate(x)]
            with no_grad() if lift is None else contextlib.nullcontext():
                pull = vjp(lambda *a: self.f(list(a)), *x)[1]
                y = solution(lambda w: list(pull(w)), weights, *self.solvers[::-1])
            if not recorded:
                y = [boundary.off_tape(a, self.rank) for a in y]
            return self.through_f(x, y, lift, live)

    def through_f(self, x, y, lift, live):
        knots = [Identity((e,)) for e in self.edges]
        with enable_grad():
            extent = Extent()
            x = [boundary.alias(a, self.rank, extent) for a in x]
            mark = sequence()
            edges = own_edges(self.f(x), self.rank)
            extent.close()
            edges = rerouted(edges, mark, dict(zip(self.edges, knots, strict=True)))
            pairs = [(e, s) for e, s in zip(edges, y, strict=True) if e is not None]
            roots = [e for e, _ in pairs]
            seeds = [s.array if lift is None else s for _, s in pairs]
            ends = {*knots, *(a.edge for a in x)}
            plan = engine.schedule(roots, ends, through=False)
            found = engine.run(plan, roots, seeds, wanted=ends, lift=lift, retain=True)
        return [(i, found[knot]) for i, knot in enumerate(knots)
                if knot in found and (live is None or self.edges[i] in live)]

    def keeps(self):
        return by_name("x", self.saved)

    def release(self):
        self.saved = self.f = self.solvers = RELEASED


@contextlib.contextmanager
def at_depth(depth):
    """Levels that begin inside lie above those that were running at this depth."""
    before, levels.depth = levels.depth, max(levels.depth, depth)
    try:
        yield
    finally:
        levels.depth = before
