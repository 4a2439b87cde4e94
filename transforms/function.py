"""An autograd.Function under vmap and jvp: the same operation one level below.

Under vmap the Function is applied, below, to whole batches: its forward and backward run there on
mapped values. Under jvp it is applied to the primals; the tangent comes from its `jvp`, or else
from its backward, which is linear, transposed.
"""

from typing import NamedTuple

from functape.autograd.function import Function, call_forward
from functape.errors import ArgumentError, describe
from functape.op import Op, Value, levels
from functape.tensor import INEXACT, constant
from functape.transforms.forward import Dual
from functape.transforms.reverse import vjp
from functape.transforms.vmap import Batched, front, unbatch


class BatchInfo(NamedTuple):
    """What a Function's own `vmap` is told."""

    batch_size: int
    randomness: str


def apply_function(cls, args, top):
    """Apply a Function where the value of highest rank is mapped or dual."""
    return mapped(cls, args, top) if type(top) is Batched else pushed(cls, args, top)


def each(f, out):
    """f of the output, or of each where there are several."""
    return tuple(map(f, out)) if isinstance(out, (tuple, list)) else f(out)


# --- vmap ---------------------------------------------------------------------------------------


def mapped(cls, args, top):
    """Apply it to the data of mapped values."""
    own = [type(a) is Batched and a.rank == top.rank for a in args]
    data = [a.data if o else a for a, o in zip(args, own, strict=True)]
    if cls.vmap is not None:
        return by_own_rule(cls, data, own, top)
    out = batched_function(cls, own, top).apply(*data)
    return each(lambda o: Batched(top.rank, o, top.count) if isinstance(o, Value) else o, out)


def by_own_rule(cls, data, own, top):
    dims = tuple(0 if o else None for o in own)
    result = cls.vmap(BatchInfo(top.count, "error"), dims, *data)
    if not isinstance(result, tuple) or len(result) != 2:
        raise ArgumentError(f"{cls.__name__}.vmap must return a pair (outputs, out_dims), but "
                            f"returned {describe(result)}.")
    out, out_dims = result

    def wrapped(o, dim):
        return o if dim is None else Batched(top.rank, front(constant(o), dim), top.count)

    if not isinstance(out, (tuple, list)):
        return wrapped(out, out_dims)
    dims = out_dims if isinstance(out_dims, (tuple, list)) else (out_dims,) * len(out)
    return tuple(wrapped(o, d) for o, d in zip(out, dims, strict=True))


def batched_function(cls, own, top):
    """The Function that acts on whole batches as `cls` acts on each entry."""
    rank, count, depth = top.rank, top.count, levels.depth

    def wrap(values, flags):
        return [Batched(rank, v, count) if m else v for v, m in zip(values, flags, strict=True)]

    def whole(value):
        return unbatch(value, rank, count, 0) if isinstance(value, Value) else value

    def forward(ctx, *data):
        """Run the user's forward on mapped values."""
        ctx.inner = cls.node_type(())
        ctx.inner.needs_input_grad = ctx.needs_input_grad
        with At(depth):
            out = call_forward(cls, ctx.inner, wrap(data, own))
            saved = ctx.inner._to_save
            ctx.flags = [type(s) is Batched and s.rank == rank for s in saved]
            ctx.save_for_backward(*[s.data if m else s
                                    for s, m in zip(saved, ctx.flags, strict=True)])
            return each(whole, out)

    def backward(ctx, *grads):
        """Run the user's backward on mapped values; what was not mapped is summed."""
        ctx.inner.needs_input_grad = ctx.needs_input_grad
        saved = tuple(wrap(ctx.saved_tensors, ctx.flags))
        grads = [None if g is None else Batched(rank, g, count) for g in grads]
        with At(depth), Given(ctx.inner, saved):
            found = cls.backward(ctx.inner, *grads)
            found = found if isinstance(found, (tuple, list)) else (found,)
            whole_grads = [None if g is None else whole(g) for g in found]
        return tuple(g if g is None or o else g.sum(0)
                     for g, o in zip(whole_grads, own, strict=False))

    return type(cls.__name__, (Function,), {
        "forward": staticmethod(forward), "backward": staticmethod(backward),
    })


class At:
    """The nesting depth at which mapped values of a call live, for code that runs later."""

    def __init__(self, depth):
        self.depth = depth

    def __enter__(self):
        self.before, levels.depth = levels.depth, self.depth

    def __exit__(self, *exc):
        levels.depth = self.before


class Given:
    """While backward runs, its context has these saved tensors."""

    def __init__(self, ctx, saved):
        self.ctx, self.saved = ctx, saved

    def __enter__(self):
        self.ctx.given = self.saved

    def __exit__(self, *exc):
        self.ctx.given = None


# --- jvp ----------------------------------------------------------------------------------------


def pushed(cls, args, top):
    """Apply it to the primals, and push the tangents through."""
    own = [type(a) is Dual and a.rank == top.rank for a in args]
    primals = [a.primal if o else a for a, o in zip(args, own, strict=True)]
    tangents = [a.tangent if o else None for a, o in zip(args, own, strict=True)]
    out = cls.apply(*primals)
    moved = by_jvp(cls, primals, tangents) if cls.jvp else by_backward(cls, primals, tangents, out)
    if not isinstance(out, (tuple, list)):
        return paired(out, moved[0], top.rank)
    return tuple(paired(o, t, top.rank) for o, t in zip(out, moved, strict=True))


def paired(out, tangent, rank):
    if not isinstance(out, Value) or out.dtype not in INEXACT or tangent is None:
        return out
    return Dual(rank, out, constant(tangent))


def by_jvp(cls, primals, tangents):
    """The tangents by the user's jvp, whose context knows what forward left there."""
    ctx = cls.node_type(())
    call_forward(cls, ctx, primals)
    with Given(ctx, tuple(ctx._for_forward or ctx._to_save)):
        moved = cls.jvp(ctx, *tangents)
    return moved if isinstance(moved, (tuple, list)) else (moved,)


def by_backward(cls, primals, tangents, out):
    """The tangents by the transpose of the user's backward."""
    ctx = cls.node_type(())
    call_forward(cls, ctx, primals)
    chosen = [i for i, t in enumerate(tangents) if t is not None]
    outs = out if isinstance(out, (tuple, list)) else (out,)
    real = [k for k, o in enumerate(outs) if isinstance(o, Value) and o.dtype in INEXACT]

    def pull(*weights):
        grads = [None] * len(outs)
        for k, w in zip(real, weights, strict=True):
            grads[k] = w
        with Given(ctx, tuple(ctx._to_save)):
            found = cls.backward(ctx, *grads)
        found = found if isinstance(found, (tuple, list)) else (found,)
        return tuple(Op.zeros(primals[i]) if found[i] is None else found[i] for i in chosen)

    _, push = vjp(pull, *[Op.zeros(outs[k]) for k in real])
    moved = dict(zip(real, push(tuple(tangents[i] for i in chosen)), strict=True))
    return [moved.get(k) for k in range(len(outs))]
