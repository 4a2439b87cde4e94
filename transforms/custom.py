"""Functions with derivative rules of the user's own.

Both kinds look at the value of highest rank among their arguments, as an op does: under vmap the
function and its rules are mapped; on the tape, or on dual numbers, the user's rule is used there,
and what lies below sees the operations of the rule.
"""

import functools
import inspect
import threading

from functape import tree
from functape.autograd.saved import SavedTensor
from functape.errors import ArgumentError, GraphError, ShapeError, describe
from functape.op import Op, Value
from functape.tape import RELEASED, Node, Output, Parts, freed, mode
from functape.tensor import INEXACT, Tensor, constant, constant_lift
from functape.transforms import boundary
from functape.transforms.forward import Dual
from functape.transforms.reverse import vjp
from functape.transforms.vmap import Batched, vmap


class Custom:
    """A function of the user's, with its rules; common to both kinds."""

    def __init__(self, f, nondiff_argnums=(), nondiff_argnames=()):
        if not callable(f):
            raise ArgumentError(f"{type(self).__name__} decorates a function, but got "
                                f"{describe(f)}.")
        self.f = f
        self.nondiff = ((nondiff_argnums,) if isinstance(nondiff_argnums, int)
                        else tuple(nondiff_argnums))
        if nondiff_argnames:
            names = list(inspect.signature(f).parameters)
            self.nondiff += tuple(names.index(n) for n in nondiff_argnames)
        functools.update_wrapper(self, f)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def arguments(self, args, kwargs):
        """Positional arguments, keywords and defaults included, split into (fixed, moving)."""
        try:
            signature = inspect.signature(self.f)
        except (TypeError, ValueError):
            signature = None
        if signature is not None and (kwargs or len(args) < len(signature.parameters)):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs:
                raise ArgumentError(f"{self.__name__}: keyword-only arguments cannot have a "
                                    f"custom rule; got {', '.join(bound.kwargs)}.")
            args = bound.args
        fixed_at = {i % len(args) for i in self.nondiff}
        fixed = [args[i] for i in sorted(fixed_at)]
        moving = [a for i, a in enumerate(args) if i not in fixed_at]

        def merge(moving):
            rest = iter(moving)
            return [args[i] if i in fixed_at else next(rest) for i in range(len(args))]

        return fixed, moving, merge

    def missing(self, what):
        return ArgumentError(f"{self.__name__} has no rule yet; give it one with {what}.")


def highest(values):
    """The value of highest rank; None if there is none."""
    ranked = [v for v in values if isinstance(v, Value)]
    return max(ranked, key=lambda v: v.rank, default=None)


# --- custom_vjp ---------------------------------------------------------------------------------


class custom_vjp(Custom):
    """A function with its own reverse rule.

    ``defvjp(fwd, bwd)``: ``fwd(*args)`` returns ``(out, residuals)``; ``bwd(residuals, g)`` returns
    a tuple with one cotangent for each differentiable argument (None: zero). Arguments named in
    `nondiff_argnums` may be anything; `bwd` gets them first. Higher derivatives differentiate
    `fwd` and `bwd`. Forward mode is not defined.

    >>> import functape as ft
    >>> @ft.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda res, g: (ft.numpy.clip(g, -1.0, 1.0),))
    >>> ft.grad(lambda x: 10.0 * clipped(x))(2.0)
    tensor(1.)
    """

    fwd = bwd = None

    def defvjp(self, fwd, bwd):
        """Give the function its rule."""
        self.fwd, self.bwd = fwd, bwd

    def __call__(self, *args, **kwargs):
        if self.fwd is None:
            raise self.missing("defvjp(fwd, bwd)")
        fixed, moving, merge = self.arguments(args, kwargs)
        leaves, structure = tree.flatten(tuple(moving))
        rule = VjpRule(
            self.__name__,
            lambda *m: self.f(*merge(m)),
            lambda *m: self.run_fwd(merge(m)),
            lambda res, g: self.bwd(*fixed, res, g),
            structure,
            lambda: id(self) in fwd_running.functions,
        )
        return rule(leaves)

    def run_fwd(self, args):
        """fwd usually calls the function itself; those calls must not run fwd again."""
        outer = fwd_running.functions
        fwd_running.functions = outer | {id(self)}
        try:
            return self.fwd(*args)
        finally:
            fwd_running.functions = outer


class FwdRunning(threading.local):
    functions = frozenset()


fwd_running = FwdRunning()


class VjpRule:
    """One call of a custom_vjp function, on the leaves of its differentiable arguments."""

    def __init__(self, name, f, fwd, bwd, structure, within_fwd):
        self.name, self.f, self.fwd, self.bwd, self.structure = name, f, fwd, bwd, structure
        self.within_fwd = within_fwd

    def __call__(self, leaves):
        top = highest(leaves)
        if type(top) is Batched:
            return self.mapped(leaves, top)
        if type(top) is Dual:
            raise ArgumentError(f"{self.name} has a custom reverse rule and no forward rule, so "
                                "jvp is not defined for it. Use custom_jvp, which serves both.")
        tracked = mode.recording and type(top) is Tensor and any(edges_at(leaves, top.rank))
        if not tracked:
            return self.f(*tree.unflatten(self.structure, leaves))
        return (self.deferred if self.within_fwd() else self.recorded)(leaves, top.rank)

    def recorded(self, leaves, rank):
        """Run fwd, and put one node in place of all it did."""
        out, residuals = self.forward(leaves)
        outs, form = boundary.outputs(self.name, out)
        return put_on_tape(CustomNode(self, leaves, outs, form, rank, residuals), outs, form, rank)

    def deferred(self, leaves, rank):
        """Compute below, and leave fwd to the node, if it ever runs: for calls within fwd."""
        outs, form = boundary.outputs(self.name, self(below(leaves, rank)))
        return put_on_tape(DeferredNode(self, leaves, outs, form, rank), outs, form, rank)

    def forward(self, leaves):
        """(out, residuals) by the user's fwd."""
        result = self.fwd(*tree.unflatten(self.structure, leaves))
        if not isinstance(result, tuple) or len(result) != 2:
            raise ArgumentError(f"{self.name}: fwd must return a pair (out, residuals), but "
                                f"returned {describe(result)}.")
        return result

    def mapped(self, leaves, top):
        """The same call one level below, with f and its rule mapped."""
        own = [type(v) is Batched and v.rank == top.rank for v in leaves]
        axes = tuple(tree.unflatten(self.structure, [0 if o else None for o in own]))

        def bwd(res, g):
            grads = vmap(self.bwd)(res, g)
            return self.summed(grads, own)

        lower = VjpRule(self.name, vmap(self.f, axes), vmap(self.fwd, axes), bwd, self.structure,
                        self.within_fwd)
        out = lower([v.data if o else v for v, o in zip(leaves, own, strict=True)])
        return tree.map(lambda o: Batched(top.rank, constant(o), top.count), out)

    def summed(self, grads, own):
        """Cotangents of arguments that were not mapped are sums over the mapped axis."""
        leaves = self.cotangents(grads)
        return tuple(tree.unflatten(self.structure, [
            g if o or g is None else g.sum(0) for g, o in zip(leaves, own, strict=True)
        ]))

    def cotangents(self, grads):
        """The leaves of what bwd returned; None stands for zeros of a whole argument."""
        grads = tuple(grads) if isinstance(grads, (tuple, list)) else grads
        parts = tree.unflatten(self.structure, list(range(self.structure.num_leaves)))
        if not isinstance(grads, tuple) or len(grads) != len(parts):
            raise ArgumentError(f"{self.name}: bwd must return a tuple of {len(parts)} "
                                f"cotangent(s), one for each argument, but returned "
                                f"{describe(grads)}.")
        leaves = []
        for i, (g, part) in enumerate(zip(grads, parts, strict=True)):
            form = tree.structure(part)
            if g is None:
                leaves += [None] * form.num_leaves
                continue
            found, given = tree.flatten(g)
            if given != form:
                raise ArgumentError(f"{self.name}: cotangent {i} of bwd must have the structure "
                                    f"of argument {i}, {form}, but has {given}.")
            leaves += [constant(x) for x in found]
        return leaves


class CustomNode(Node):
    """The tape's view of one call with a custom reverse rule."""

    __slots__ = ("rule", "inputs", "avals", "form", "kept")

    def __init__(self, rule, leaves, outs, form, rank, kept):
        super().__init__(edges_at(leaves, rank))
        self.rule, self.form = rule, form
        self.inputs = [(getattr(v, "shape", ()), getattr(v, "dtype", None)) for v in leaves]
        self.avals = [(o.shape, o.dtype) for o in outs]
        self.kept = tree.map(saved, kept)

    @property
    def name(self):
        return f"{self.rule.name}Backward"

    def pullback(self, g, lift, live):
        if self.kept is RELEASED:
            raise GraphError(freed(self.name))
        given = g if isinstance(g, Parts) else Parts({0: g})
        grads = [constant(given[k]) if k in given else Op.zeros(Aval(*aval))
                 for k, aval in enumerate(self.avals)]
        residuals = self.residuals(tree.map(lambda s: unpacked(s, self, lift), self.kept))
        found = self.rule.cotangents(self.rule.bwd(residuals, tree.unflatten(self.form, grads)))
        parts = []
        for i, (part, edge) in enumerate(zip(found, self.edges, strict=True)):
            if part is not None and edge is not None and (live is None or edge in live):
                parts.append((i, self.fitted(i, part, lift)))
        return parts

    def fitted(self, i, part, lift):
        shape, dtype = self.inputs[i]
        if part.shape != shape:
            raise ShapeError(f"{self.name}: cotangent {i} of bwd must have the shape of "
                                      f"its argument, {shape}, but is {describe(part)}.")
        part = part if part.dtype == dtype else part.astype(dtype)
        return part.cell.data if lift is None else part

    def residuals(self, kept):
        return kept

    def release(self):
        self.kept = RELEASED


class DeferredNode(CustomNode):
    """One that keeps its inputs, and runs fwd when it is its turn."""

    __slots__ = ()

    def __init__(self, rule, leaves, outs, form, rank):
        super().__init__(rule, leaves, outs, form, rank, list(leaves))

    def residuals(self, kept):
        return self.rule.forward(kept)[1]


def edges_at(leaves, rank):
    return tuple(v.edge if type(v) is Tensor and v.rank == rank else None for v in leaves)


def below(leaves, rank):
    """The leaves without the tape of this rank."""
    return [boundary.bare(v) if type(v) is Tensor and v.rank == rank else v for v in leaves]


def put_on_tape(node, outs, form, rank):
    """The outputs as tensors of this rank that come from one node."""
    finished = []
    for k, o in enumerate(outs):
        own = Tensor(o.cell.data if type(o) is Tensor and o.rank == rank else o, rank)
        if own.dtype in INEXACT:
            own.node = Output(node, k)
        finished.append(own)
    return tree.unflatten(form, finished)


class Aval:
    """A shape and dtype without values."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def saved(residual):
    return SavedTensor(residual) if type(residual) is Tensor else residual


def unpacked(kept, node, lift):
    return kept.unpack(node, lift) if isinstance(kept, SavedTensor) else kept


# --- custom_jvp ---------------------------------------------------------------------------------


class custom_jvp(Custom):
    """A function with its own forward rule, which serves reverse mode too, transposed.

    ``defjvp(rule)``: ``rule(primals, tangents)`` returns ``(out, tangent)`` and is linear in the
    tangents; arguments named in `nondiff_argnums` come before them. ``defjvps(*rules)``: one rule
    ``(tangent, out, *args) -> tangent`` for each argument, or None.

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
        self.rule = rule
        return rule

    def defjvps(self, *rules):
        """Give the function a rule for each argument."""

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
            raise ArgumentError(f"{self.name}: the tangent that its jvp rule returns must have "
                                f"the structure of the output, {form}, but has {given}.")
        return outs, [constant(m) for m in moved], form

    def pushed(self, leaves, rank):
        """On dual numbers: the user's rule on their halves."""
        own = [type(v) is Dual and v.rank == rank for v in leaves]
        primals = [v.primal if o else v for v, o in zip(leaves, own, strict=True)]
        tangents = [v.tangent if o else Op.zeros(constant(v))
                    for v, o in zip(leaves, own, strict=True)]
        outs, moved, form = self.apply_rule(primals, tangents)
        return tree.unflatten(form, [Dual(rank, o, m.astype(o.dtype) if m.dtype != o.dtype else m)
                                     for o, m in zip(outs, moved, strict=True)])

    def recorded(self, leaves, rank):
        """On the tape: compute below, and let the node transpose the rule when it runs."""
        outs, form = boundary.outputs(self.name, self(below(leaves, rank)))
        return put_on_tape(TransposedNode(self, leaves, outs, rank), outs, form, rank)

    def mapped(self, leaves, top):
        """The same call one level below, with f and its rule mapped."""
        own = [type(v) is Batched and v.rank == top.rank for v in leaves]
        axes = tuple(tree.unflatten(self.structure, [0 if o else None for o in own]))
        lower = JvpRule(self.name, vmap(self.f, axes), vmap(self.rule, (axes, axes)),
                        self.structure)
        out = lower([v.data if o else v for v, o in zip(leaves, own, strict=True)])
        return tree.map(lambda o: Batched(top.rank, constant(o), top.count), out)


class TransposedNode(Node):
    """The tape's view of one call with a custom forward rule: its pullback is the transpose of
    that rule, which is linear in the tangents."""

    __slots__ = ("rule", "saved", "avals")

    def __init__(self, rule, leaves, outs, rank):
        super().__init__(edges_at(leaves, rank))
        self.rule = rule
        self.avals = [(o.shape, o.dtype) for o in outs]
        self.saved = [saved(v) for v in leaves]

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
        return list(zip(chosen, [p.cell.data for p in found] if lift is None else found,
                        strict=True))

    def release(self):
        self.saved = RELEASED


# --- custom_gradient ----------------------------------------------------------------------------


def custom_gradient(f):
    """A function that returns its own pullback: ``f(*args) -> (out, pullback)``.

    ``pullback(g)`` returns the cotangent of the argument, or a tuple with one for each.

    >>> import functape as ft
    >>> f = ft.custom_gradient(lambda x: (x * x, lambda g: (10.0 * g * x,)))
    >>> ft.grad(f)(3.0)
    tensor(30.)
    """
    own = custom_vjp(lambda *args: f(*args)[0])
    own.defvjp(lambda *args: f(*args), as_tuple)
    return functools.wraps(f)(own)


def as_tuple(pullback, g):
    found = pullback(g)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)
