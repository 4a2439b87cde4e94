"""custom_jvp: a forward rule of the user's own, which serves reverse mode too, transposed."""

import functools

from functape import tree
from functape.autograd.saved import by_name
from functape.errors import ArgumentError, GraphError, ShapeError, check_callable, describe
from functape.numpy.arguments import as_type
from functape.op import Op, highest
from functape.tape import RELEASED, Node, freed, mode
from functape.tensor import Tensor, constant, constant_lift
from functape.transforms import boundary
from functape.transforms.custom import (
    Aval,
    Custom,
    below,
    check_closure,
    edges_at,
    put_on_tape,
    saved,
    unpacked,
    within,
)
from functape.transforms.forward import Dual
from functape.transforms.reverse import vjp
from functape.transforms.vmap import Batched, vmap
from functape.tree_keys import structure_differences


class custom_jvp(Custom):
    """A function with its own forward rule, which serves reverse mode too, transposed.

    ``defjvp(rule)``: ``rule(primals, tangents)`` returns ``(out, tangent)`` and is linear in the
    tangents; arguments named in `nondiff_argnums` come before them. ``defjvps(*rules)``: one rule
    ``(tangent, out, *args) -> tangent`` for each argument, or None.

    Args:
      f: function of pytrees.
      nondiff_argnums, nondiff_argnames: the arguments that are not differentiated, by position and
        by name.

    >>> import functape as ft
    >>> @ft.custom_jvp
    ... def f(x):
    ...     return x * x
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return f(x), 100.0 * x * t
    >>> ft.grad(f)(2.0)
    tensor(200.)
    """

    rule = None

    def defjvp(self, rule):
        """Give the function its rule; returns the rule, so that it can be a decorator."""
        check_callable("defjvp", rule)
        self.rule = rule
        return rule

    def defjvps(self, *rules):
        """Give the function a rule for each argument."""
        check_callable("defjvps", *[rule for rule in rules if rule is not None])

        def rule(primals, tangents):
            out = self(*primals)
            parts = [r(t, out, *primals) for r, t in zip(rules, tangents, strict=True) if r]
            return out, functools.reduce(lambda a, b: tree.map(lambda x, y: x + y, a, b), parts)

        self.rule = rule

    def __call__(self, *args, **kwargs):
        if self.rule is None:
            raise self.missing("defjvp(rule)")
        fixed, moving, merge = self.arguments(args, kwargs)
        leaves, structure = tree.flatten(tuple(moving))
        rule = JvpRule(self.__name__, lambda *m: self.f(*merge(m)),
                       lambda p, t: self.rule(*fixed, p, t), structure)
        return rule(leaves)


class JvpRule:
    """One call of a custom_jvp function, on the leaves of its differentiable arguments."""

    def __init__(self, name, f, rule, structure):
        self.name, self.f, self.rule, self.structure = name, f, rule, structure

    def __call__(self, leaves):
        top = highest(leaves)
        if type(top) is Batched:
            return self.mapped(leaves, top)
        if type(top) is Dual:
            return self.pushed(leaves, top.rank)
        if isinstance(top, Tensor):
            if mode.recording and any(edges_at(leaves, top.rank)):
                return self.recorded(leaves, top.rank)
        return self.f(*tree.unflatten(self.structure, leaves))

    def apply_rule(self, primals, tangents):
        """(out leaves, tangent leaves, structure) by the user's rule."""
        pair = self.rule(tree.unflatten(self.structure, primals),
                         tree.unflatten(self.structure, tangents))
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ArgumentError(f"{self.name}: its jvp rule must return a pair (out, tangent), "
                                f"but returned {describe(pair)}.")
        outs, form = boundary.outputs(self.name, pair[0])
        moved, given = tree.flatten(pair[1])
        if given != form:
            lines = structure_differences(form, given, names=("output", "tangent"))
            raise ArgumentError(f"{self.name}: the tangent that its jvp rule returns must have "
                                "the structure of the output, but they differ:\n  "
                                + "\n  ".join(lines))
        moved = [constant(m, f"{self.name}'s jvp rule", i) for i, m in enumerate(moved)]
        for out, m in zip(outs, moved, strict=True):
            if m.shape != out.shape:
                raise ShapeError(f"{self.name}: the tangent that its jvp rule returns must have "
                                 f"the shape of the output, {describe(out)}, but is "
                                 f"{describe(m)}. Multiply it by the derivative, entry by entry.")
        return outs, [as_type(m, o.dtype) for m, o in zip(moved, outs, strict=True)], form

    def pushed(self, leaves, rank):
        """On dual numbers: the user's rule on their halves."""
        own = [type(v) is Dual and v.rank == rank for v in leaves]
        primals = [v.primal if o else v for v, o in zip(leaves, own, strict=True)]
        tangents = [v.tangent if o else Op.zeros(constant(v))
                    for v, o in zip(leaves, own, strict=True)]
        outs, moved, form = self.apply_rule(primals, tangents)
        check_closure(self.name, outs + moved, rank)
        return tree.unflatten(form, [Dual(rank, o, m) for o, m in zip(outs, moved, strict=True)])

    def recorded(self, leaves, rank):
        """On the tape: compute below, and let the node transpose the rule when it runs."""
        outs, form = boundary.outputs(self.name, self(below(leaves, rank)))
        check_closure(self.name, outs, rank)
        return put_on_tape(TransposedNode(self, leaves, outs, rank), outs, form, rank)

    def mapped(self, leaves, top):
        """The same call one level below, with f and its rule mapped."""
        own = [type(v) is Batched and v.rank == top.rank for v in leaves]
        axes = tuple(tree.unflatten(self.structure, [0 if o else None for o in own]))
        lower = JvpRule(self.name, within(self.name, self.f, self.structure, top, own),
                        vmap(self.rule, (axes, axes)), self.structure)
        out = lower([v.data if o else v for v, o in zip(leaves, own, strict=True)])
        return tree.map(lambda o: Batched(top.rank, constant(o), top.count), out)


class TransposedNode(Node):
    """The tape's view of one call with a custom forward rule: its pullback is the transpose of
    that rule, which is linear in the tangents."""

    __slots__ = ("rule", "saved", "avals")

    def __init__(self, rule, leaves, outs, rank):
        self.rule = rule
        self.avals = [(o.shape, o.dtype) for o in outs]
        self.saved = [saved(v) for v in leaves]
        super().__init__(edges_at(leaves, rank))

    @property
    def name(self):
        return f"{self.rule.name}Backward"

    def pullback(self, g, lift, live):
        if self.saved is RELEASED:
            raise GraphError(freed(self.name))
        primals = [unpacked(s, self, lift or constant_lift) for s in self.saved]
        chosen = [i for i, e in enumerate(self.edges)
                  if e is not None and (live is None or e in live)]

        def push(*directions):
            tangents = [Op.zeros(constant(p)) for p in primals]
            for i, t in zip(chosen, directions, strict=True):
                tangents[i] = t
            return tuple(self.rule.apply_rule(primals, tangents)[1])

        _, pull = vjp(push, *[Op.zeros(primals[i]) for i in chosen])
        weights = tuple(constant(g[k]) if k in g else Op.zeros(Aval(*aval))
                        for k, aval in enumerate(self.avals))
        found = pull(weights)
        return list(zip(chosen, [p.array for p in found] if lift is None else found,
                        strict=True))

    def keeps(self):
        return by_name("primals", self.saved)

    def release(self):
        self.saved = RELEASED
