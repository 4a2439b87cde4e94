"""lift: any function on MLX arrays as one op, with rules made by MLX's own transforms.

The transpose of a lifted op, and its derivative along a direction, are lifted ops themselves, made
when they are first asked for. So an op can be differentiated as often as MLX can.
"""

import functools
import weakref

import mlx.core as mx

from functape import tree
from functape.errors import check_callable
from functape.op import Op, Rule, Value, levels
from functape.tensor import INEXACT, Tensor


def lift(f, *, name=None, vmap=False):
    """A function of MLX arrays, a Metal kernel with its own vjp say, as one op on the tape.

    Its derivatives are those of `mx.vjp` and `mx.jvp` (or, where MLX has no jvp, of the vjp taken
    twice), to any order that MLX can. Under `functape.vmap` it runs once a row.

    Args:
      f: function of pytrees that hold `mx.array`s, returning a pytree of them. Whatever else
        stands in its arguments is passed on as it is. It must not close over functape values. If
        it draws random numbers, it draws the same ones in its backward pass.
      name: what to call it on the tape and in messages; by default the function's own name.
      vmap: let `mx.vmap` make the rule for `functape.vmap`: faster, and right if MLX's rules are.

    Returns:
      The function, which takes functape values too. Without any of them it is `f` itself.

    >>> import functape as ft, mlx.core as mx
    >>> gate = ft.mlx.lift(lambda x, scale: mx.tanh(scale * x))
    >>> ft.grad(ft.grad(lambda x: gate(x, 2.0)))(0.0)
    tensor(-0.)
    """
    check_callable("lift", f)
    ops, name = {}, name or getattr(f, "__name__", type(f).__name__)

    def lifted(*args, **kwargs):
        leaves, structure = tree.flatten((args, kwargs))
        if not any(isinstance(a, Value) for a in leaves):
            return f(*args, **kwargs)
        at = tuple([i for i, a in enumerate(leaves) if isinstance(a, (Value, mx.array))])
        static = [None if i in at else a for i, a in enumerate(leaves)]
        mask = tuple([leaves[i].dtype in INEXACT for i in at])
        flat = FlatFunction(f, structure, at, static)
        op = remembered(ops, (structure, at, mask, tuple(static)),
                        lambda: Lifted(name, flat, (*mask, False), vmap=vmap))
        return flat.call(op, [leaves[i] for i in at])

    if hasattr(f, "__name__"):  # callable objects need not have what wraps copies
        functools.update_wrapper(lifted, f, assigned=("__module__", "__name__", "__doc__"),
                                 updated=())
    return lifted


def remembered(ops, key, make):
    """One op for all calls of one form; where the form cannot be a key, one a call."""
    try:
        if key not in ops:
            ops[key] = make()
        return ops[key]
    except TypeError:
        return make()


class FlatFunction:
    """A user's function as one from arrays, and a random state, to arrays."""

    def __init__(self, f, structure, at, static):
        self.f, self.structure, self.at, self.static = f, structure, at, static
        self.random = False  # whether it was ever seen to draw random numbers

    def call(self, op, arrays):
        """Apply the op that was made of a function of this form."""
        out, flat = op(*arrays, mx.array(mx.random.state[0])), op.f
        if flat.random and flat.after is not None:
            set_random_state(flat.after)  # as the function would have left it
        outs = iter([constant_if_integer(o) for o in (out if type(out) is tuple else (out,))])
        return tree.unflatten(flat.form, [next(outs) if hole else a for hole, a in flat.holes])

    def __call__(self, *arrays):
        *arrays, state = arrays
        leaves = list(self.static)
        for i, a in zip(self.at, arrays, strict=True):
            leaves[i] = a
        args, kwargs = tree.unflatten(self.structure, leaves)
        found, self.form = tree.flatten(self.run(args, kwargs, state))
        self.holes = [(True, None) if isinstance(a, mx.array) else (False, a) for a in found]
        return single([a for a in found if isinstance(a, mx.array)])

    def run(self, args, kwargs, state):
        """Run it; with the given random state, if it turns out to need one."""
        before = mx.random.state[0]
        if not self.random:
            out = self.f(*args, **kwargs)
            if mx.random.state[0] is before or levels.tracing:
                return out
            self.random = True
        before = mx.array(before)
        set_random_state(state)
        try:
            out = self.f(*args, **kwargs)
            self.after = mx.array(mx.random.state[0])
        finally:
            set_random_state(before)
        return out

    after = None


def constant_if_integer(out):
    """An integer has no derivative, and so no place on the tape."""
    return out.off_tape() if type(out) is Tensor and out.dtype not in INEXACT else out


def set_random_state(key):
    mx.random.bernoulli(shape=(0,))  # MLX puts a new array there, which nobody else holds
    mx.random.state[0][:] = key


# --- the op ---------------------------------------------------------------------------------------


class Lifted(Op):
    """A function of arrays as an op; `mask` says which arguments it is differentiable in."""

    def __init__(self, name, f, mask, vmap=False):
        self.f, self.mask, self.vmap = f, mask, vmap
        self.inputs = tuple(i for i, inexact in enumerate(mask) if inexact)
        args = tuple(f"x{i}" for i in range(len(mask)))
        shared = Shared(self)
        rules = [Rule(Part(shared, self.inputs.index(i)), args) if m else None
                 for i, m in enumerate(mask)]
        super().__init__(name, f, args=args, vjp=rules, register=False,
                         batch=self.by_vmap if vmap else None,
                         doc=f"The function `{name}` of MLX arrays.")
        self.made = {}

    def derived(self, key, suffix, function, mask):
        """An op that follows from this one; made once."""
        if key not in self.made:
            self.made[key] = Lifted(f"{self.name}_{suffix}", function, mask, self.vmap)
        return self.made[key]

    def transpose(self, cotangents):
        """The op from cotangents of the outputs and the arguments to cotangents of the latter."""
        mask = tuple([g.dtype in INEXACT for g in cotangents])
        return self.derived(("vjp", mask), "vjp", Transpose(self.f, self.inputs, mask),
                            (*mask, *self.mask))

    def push(self, tangents, primals, outs, params):
        """All tangents at once, rather than one rule an argument."""
        moves = [self.zeros(primals[i]) if tangents[i] is None else tangents[i]
                 for i in self.inputs]
        push = self.derived("jvp", "jvp", Push(self.f, self.inputs),
                            (*(True for _ in moves), *self.mask))
        if not any(o.dtype in INEXACT for o in outs):
            return None
        found = push(*moves, *primals)
        if len(outs) == 1 and type(found) is not tuple:
            return found
        found = iter(found if type(found) is tuple else (found,))
        return tuple([next(found) if o.dtype in INEXACT else None for o in outs])

    def by_vmap(self, op, size, args, mapped, params):
        axes = tuple([0 if m else None for m in mapped])
        mapped_op = self.derived(("vmap", mapped), "vmap", mx.vmap(self.f, in_axes=axes), self.mask)
        return mapped_op(*args)


class Part:
    """The rule for one argument: its share of what is computed once for all of them."""

    def __init__(self, shared, place):
        self.shared, self.place = shared, place

    def __call__(self, g, *xs):
        return self.shared(g if type(g) is tuple else (g,), xs)[self.place]


class Shared:
    """The cotangents of all arguments, kept from the first rule that asks to the last."""

    def __init__(self, op):
        self.op, self.kept = op, {}

    def __call__(self, gs, xs):
        key = id(gs[0])
        refs, seen, found, left = self.kept.get(key, ((), (), None, 0))
        known = found is not None and len(refs) == len(gs) and all(
            ref() is g for ref, g in zip(refs, gs, strict=True)) and all(
            a is b for a, b in zip(seen, xs, strict=True))
        if not known:
            found, left = self.compute(gs, xs), len(self.op.inputs)
            try:
                refs = [weakref.ref(g) for g in gs]
                weakref.finalize(gs[0], self.kept.pop, key, None).atexit = False
            except TypeError:  # a wrapper of jvp or vmap
                return found
        if left > 1:
            self.kept[key] = (refs, xs, found, left - 1)
        else:
            self.kept.pop(key, None)
        return found

    def compute(self, gs, xs):
        transpose = self.op.transpose(gs)
        raw = not any(isinstance(a, Value) for a in (*gs, *xs))
        found = (transpose.kernel if raw else transpose)(*gs, *xs)
        return found if type(found) is tuple else (found,)


# --- what MLX derives -----------------------------------------------------------------------------


def narrowed(f, xs, inputs):
    """A function of the differentiable arguments alone, to the differentiable outputs."""

    def g(*chosen):
        full = list(xs)
        for i, a in zip(inputs, chosen, strict=True):
            full[i] = a
        outs = f(*full)
        return [o for o in (outs if type(outs) is tuple else (outs,)) if o.dtype in INEXACT]

    return g


def single(found):
    return found[0] if len(found) == 1 else tuple(found)


def conjugates(arrays):
    """MLX's cotangents are conjugates of ours."""
    return [mx.conjugate(a) if a.dtype == mx.complex64 else a for a in arrays]


class Transpose:
    """(cotangents, arguments) -> cotangents of the differentiable arguments."""

    def __init__(self, f, inputs, mask):
        self.f, self.inputs, self.mask = f, inputs, mask

    def __call__(self, *arrays):
        n = len(self.mask)
        gs, xs = [g for g, m in zip(arrays, self.mask, strict=False) if m], arrays[n:]
        g = narrowed(self.f, xs, self.inputs)
        found = mx.vjp(g, [xs[i] for i in self.inputs], conjugates(gs))[1]
        return single(conjugates(found))


class Push:
    """(tangents, arguments) -> tangents of the differentiable outputs."""

    def __init__(self, f, inputs):
        self.f, self.inputs = f, inputs

    def __call__(self, *arrays):
        n = len(self.inputs)
        ts, xs = list(arrays[:n]), arrays[n:]
        f, primals = narrowed(self.f, xs, self.inputs), [xs[i] for i in self.inputs]
        try:
            return single(mx.jvp(f, primals, ts)[1])
        except (RuntimeError, ValueError):  # MLX has no jvp of something in it
            return single(transposed_twice(f, primals, ts))


def transposed_twice(f, primals, ts):
    """The jvp as the vjp of the vjp, which is linear in its cotangent."""
    zeros = [mx.zeros_like(o) for o in f(*primals)]
    found = mx.vjp(lambda *gs: mx.vjp(f, primals, list(gs))[1], zeros, conjugates(ts))[1]
    return conjugates(found)
