"""custom_vjp and custom_gradient: a reverse rule of the user's own."""

import functools
import threading

from functape import tree
from functape.autograd.saved import by_name
from functape.errors import ArgumentError, GraphError, ShapeError, check_callable, describe
from functape.op import Op, highest
from functape.tape import RELEASED, Node, Parts, freed, mode
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
    through_identity,
    unpacked,
    within,
)
from functape.transforms.forward import Dual
from functape.transforms.vmap import Batched, vmap
from functape.tree_keys import structure_differences


class custom_vjp(Custom):
    """A function with its own reverse rule.

    ``defvjp(fwd, bwd)``: ``fwd(*args)`` returns ``(out, residuals)``; ``bwd(residuals, g)`` returns
    a tuple with one cotangent for each differentiable argument (None: zero). Arguments named in
    `nondiff_argnums` may be anything; `bwd` gets them first. Higher derivatives differentiate
    `fwd` and `bwd`. Forward mode is not defined.

    Args:
      f: function of pytrees.
      nondiff_argnums, nondiff_argnames: the arguments that are not differentiated, by position and
        by name.

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
        check_callable("defvjp", fwd, bwd)
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
    functions: frozenset = frozenset()


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
            return self.pushed(leaves, top.rank)
        tracked = mode.recording and type(top) is Tensor and any(edges_at(leaves, top.rank))
        if not tracked:
            return self.f(*tree.unflatten(self.structure, leaves))
        return (self.deferred if self.within_fwd() else self.recorded)(leaves, top.rank)

    def pushed(self, leaves, rank):
        """On dual numbers."""
        raise ArgumentError(f"{self.name} has a custom reverse rule and no forward rule, so jvp is "
                            "not defined for it. Use custom_jvp, which serves both.")

    def recorded(self, leaves, rank):
        """Run fwd, and put one node in place of all it did."""
        seen = [through_identity(v, rank) for v in leaves]
        out, residuals = self.forward(seen)
        outs, form = boundary.outputs(self.name, out)
        check_closure(self.name, outs, rank, edges_at(seen, rank))
        return put_on_tape(CustomNode(self, leaves, outs, form, rank, residuals), outs, form, rank)

    def deferred(self, leaves, rank):
        """Compute below, and leave fwd to the node, if it ever runs: for calls within fwd."""
        outs, form = boundary.outputs(self.name, self(below(leaves, rank)))
        check_closure(self.name, outs, rank)
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

        def bwd(res, g):
            grads = vmap(self.bwd)(res, g)
            return self.summed(grads, own)

        f, fwd = (within(self.name, f, self.structure, top, own) for f in (self.f, self.fwd))
        lower = type(self)(self.name, f, fwd, bwd, self.structure, self.within_fwd)
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
                                f"cotangent(s), one for each argument (None: zero), but "
                                f"returned {describe(grads)}.")
        leaves = []
        for i, (g, part) in enumerate(zip(grads, parts, strict=True)):
            form = tree.structure(part)
            if g is None:
                leaves += [None] * form.num_leaves
                continue
            found, given = tree.flatten(g)
            if given != form:
                lines = structure_differences(form, given, names=("argument", "cotangent"))
                raise ArgumentError(f"{self.name}: cotangent {i} of bwd must have the structure "
                                    f"of argument {i}, but they differ:\n  " + "\n  ".join(lines))
            leaves += [None if boundary.is_float0(x) else
                       constant(x, f"{self.name}: bwd returns cotangents; it", i) for x in found]
        return leaves


class CustomNode(Node):
    """The tape's view of one call with a custom reverse rule."""

    __slots__ = ("rule", "inputs", "avals", "form", "kept")

    def __init__(self, rule, leaves, outs, form, rank, kept):
        self.rule, self.form = rule, form
        self.inputs = [(getattr(v, "shape", ()), getattr(v, "dtype", None)) for v in leaves]
        self.avals = [(o.shape, o.dtype) for o in outs]
        self.kept = tree.map(saved, kept)
        super().__init__(edges_at(leaves, rank))

    @property
    def name(self):
        return f"{self.rule.name}Backward"

    def pullback(self, g, lift, live):
        if self.kept is RELEASED:
            raise GraphError(freed(self.name))
        given = g if isinstance(g, Parts) else Parts({0: g})
        grads = [constant(given[k]) if k in given else Op.zeros(Aval(*aval))
                 for k, aval in enumerate(self.avals)]
        kept = tree.map(lambda s: unpacked(s, self, lift or constant_lift), self.kept)
        cotangents = self.rule.bwd(self.residuals(kept), tree.unflatten(self.form, grads))
        found = self.rule.cotangents(cotangents)
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
        return part.array if lift is None else part

    def residuals(self, kept):
        return kept

    def keeps(self):
        return by_name("residuals", self.kept)

    def release(self):
        self.kept = RELEASED


class DeferredNode(CustomNode):
    """One that keeps its inputs, and runs fwd when it is its turn."""

    __slots__ = ()

    def __init__(self, rule, leaves, outs, form, rank):
        super().__init__(rule, leaves, outs, form, rank, list(leaves))

    def residuals(self, kept):
        return self.rule.forward(kept)[1]


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
    return functools.wraps(f, updated=())(own)


def as_tuple(pullback, g):
    found = pullback(g)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)
