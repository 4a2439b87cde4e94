"""What went wrong: which operation made the NaN, and why a leaf has no gradient."""

import builtins
import sys
import traceback

import mlx.core as mx
import numpy as np

from functape import calls, tree
from functape.autograd.anomaly import (
    Anomaly,
    Origin,
    arrays_of,
    count,
    install,
    is_users,
    user_stack,
)
from functape.errors import AnomalyError, ArgumentError, describe
from functape.op import Value, highest
from functape.ops.elementwise import absolute
from functape.pairs import is_complex
from functape.suggest import for_names_of
from functape.tape import mode
from functape.tensor import INEXACT, Tensor
from functape.transforms import boundary
from functape.transforms.jit import switched
from functape.transforms.vmap import Batched
from functape.viz.graph import arrays_kept, owner, reachable, values_kept

__all__ = ["breakpoint_on_nan", "explain_none", "inspect", "nans", "print", "watch"]


# --- NaN ------------------------------------------------------------------------------------------


class nans(Anomaly):
    """Within the block, an error is raised where an operation or a backward pass makes a NaN of
    numbers that are none. It names the operation and the line, and describes what went in.
    Jitted functions run as they are, operation by operation, as under `disable_jit`.

    Args:
      inf: stop at infinities too.

    >>> import functape as ft
    >>> x = ft.tensor([0.0, 1.0], requires_grad=True)
    >>> with nans():
    ...     y = x / x  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    functape.errors.AnomalyError: divide made 1 nan of 2 element(s), at line ...
      x float32[2]: from 0 to 1, mean 0.5
      y float32[2]: from 0 to 1, mean 0.5
    """

    def __init__(self, inf=False):
        super().__init__(True, inf)
        self.before = []

    def __enter__(self):
        self.before.append((install(self), switched.off))
        switched.off = True
        calls.enter(self.call)
        return self

    def __exit__(self, *exc):
        calls.leave(self.call)
        anomaly, switched.off = self.before.pop()
        install(anomaly)

    def call(self, call, op, *args, **params):
        """Run an op, and look at what it returns."""
        out = call(op, *args, **params)
        found = self.search(out)
        if found and not any(self.search(a) for a in args):
            names = op.args if not op.variadic else [f"{op.args[0]}[{i}]" for i in range(len(args))]
            given = [f"  {statistics(n, a)}" for n, a in zip(names, args, strict=False)]
            line = Origin(user_stack(), None).line
            self.report(AnomalyError("\n".join([f"{op.name} made {found}, at {line}", *given])))
        return out

    def pullback(self, node, g, lift, live):
        try:
            return super().pullback(node, g, lift, live)
        except AnomalyError as error:
            error.add_note(statistics("the gradient of its output", g))
            for name, value in values_kept(node).items():
                error.add_note(statistics(f"saved {name}", value))
            self.report(error)
            raise

    def report(self, error):
        raise error


class breakpoint_on_nan(nans):
    """As `nans`, but start the debugger there: Python's `breakpoint()`. When it is left, an
    operation goes on with its NaN, and a backward pass ends with the error.

    Args:
      inf: stop at infinities too.

    >>> with breakpoint_on_nan():
    ...     pass
    """

    def report(self, error):
        frames = traceback.walk_stack(sys._getframe())
        up = next((n for n, (frame, _) in enumerate(frames) if is_users(frame)), 0)
        builtins.print(f"{error}\n(up {up}: your line)", file=sys.stderr)
        builtins.breakpoint()


def statistics(name, value):
    """Range and mean of an array, of moduli where it is complex, and how many of its elements are
    not finite."""
    text = f"{name} {describe(value)}"
    for array in arrays_of(value):
        if array.dtype not in INEXACT or not array.size:
            continue
        odd = [(count(test, array), kind) for test, kind in ((mx.isnan, "nan"), (mx.isinf, "inf"))]
        if is_complex(array):
            text, array = text + ", moduli", absolute(Tensor(array)).array
        low, high, mean = (f(array).item() for f in (mx.min, mx.max, mx.mean))
        text += f": from {low:.4g} to {high:.4g}, mean {mean:.4g}"
        text += "".join(f", {n} {kind}" for n, kind in odd if n)
    return text


# --- no gradient ----------------------------------------------------------------------------------


class watch:
    """Note which operations use what within the block, tracked or not, so that `explain_none` can
    tell where the way to a leaf ends. It keeps all arrays that it saw: for debugging.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> with watch() as seen:
    ...     y = (w.detach() * 2.0).sum() + ft.ones((), requires_grad=True)
    >>> print("{}", explain_none(w, y, seen))  # doctest: +ELLIPSIS
    The value goes into multiply off the tape, by detach() or no_grad(), at line ...
    """

    def __init__(self):
        self.uses = {}  # cell -> [(op, whether the input is tracked, outputs, line)]

    def __enter__(self):
        calls.enter(self.call)
        return self

    def __exit__(self, *exc):
        calls.leave(self.call)

    def call(self, call, op, *args, **params):
        """Run an op, and note what it used."""
        out = call(op, *args, **params)
        outs = out if isinstance(out, tuple) else (out,)
        line = Origin(user_stack(), None).line
        for a in args:
            if type(a) is Tensor:
                use = (op, a.requires_grad, mode.recording, outs, line)
                self.uses.setdefault(a.own_history(), []).append(use)
        return out

    def ends(self, leaf):
        """Where the ways from a leaf leave the tape."""
        history = leaf.own_history()
        if history not in self.uses:
            return ["No operation used it while watch() was on."]
        stack, done, found = [(history, "")], set(), []
        while stack:
            array, made = stack.pop()
            if array in done:
                continue
            done.add(array)
            if array not in self.uses:
                found.append(f"No operation used {made}. It was left, or read as a number, by "
                             "item(), tolist() or numpy().")
            for op, tracked, recording, outs, line in self.uses.get(array, ()):
                if not tracked:
                    found.append(f"The value goes into {op.name} off the tape, by detach() or "
                                 f"no_grad(), at {line}.")
                elif not recording:
                    found.append(f"{op.name} ran in no_grad(), at {line}.")
                elif not any(o.requires_grad for o in outs):
                    found.append(f"{op.name} has no derivative, at {line}.")
                else:
                    made = f"what {op.name} made at {line}"
                    stack += [(o.own_history(), made) for o in outs]
        return list(dict.fromkeys(found))


def explain_none(leaf, y=None, seen=None):
    """Why `leaf.grad` is None, in a sentence or more.

    Args:
      leaf: the tensor without a gradient.
      y: the result that the backward pass starts from, if there is one.
      seen: a `watch` that was on while `y` was computed: it tells the line.

    >>> import functape as ft
    >>> print("{}", explain_none(ft.ones(2)))
    It does not require grad: make it with requires_grad=True.
    """
    if not isinstance(leaf, Tensor):
        raise ArgumentError(f"explain_none takes a tensor, but got {describe(leaf)}.")
    if leaf.eager is not None and leaf.eager.grad is not None:
        return "It has a gradient."
    if not leaf.requires_grad:
        return "It does not require grad: make it with requires_grad=True."
    if not leaf.is_leaf:
        return (f"It is no leaf: {leaf.grad_fn.name} computed it. Call retain_grad() on it before "
                "the backward pass.")
    ends = seen.ends(leaf) if seen is not None else []
    if isinstance(y, Tensor) and y.edge is None:
        return "\n".join(["The result is not on a tape.", *ends])
    if isinstance(y, Tensor) and leaf.edge in reachable([owner(y.edge)]):
        return "The result depends on it, but no backward pass has run: call backward()."
    if ends:
        return "\n".join(ends)
    if y is None:
        return ("No backward pass has reached it. Give the result, explain_none(leaf, y), and what "
                "watch() saw, to know why.")
    return ("The result was not computed from it, or by way of detach(), no_grad() or an operation "
            "without derivative. Compute it again in a watch() block and give that, to know the "
            "line.")


class Findings(dict):
    """What `inspect` found; prints as lines."""

    def __str__(self):
        return "\n".join(f"{name}:{''.join(f'{chr(10)}  {line}' for line in v) or ' none'}"
                         if isinstance(v, list) else f"{name}: {v}" for name, v in self.items())

    __repr__ = __str__


def inspect(y, leaves=None, seen=None):
    """Facts about the tape behind a result: how large it is, and which leaves it does not reach.

    Args:
      y: a tensor on a tape, or a pytree of them.
      leaves: a mapping from names to leaves, or to pytrees of leaves.
      seen: a `watch` that was on while `y` was computed.

    >>> import functape as ft
    >>> v, w = ft.ones(3, requires_grad=True), ft.ones(3, requires_grad=True)
    >>> print("{}", inspect((v * v).sum(), {"v": v, "w": w}))  # doctest: +ELLIPSIS
    nodes: 2
    saved bytes: 12
    leaves:
      v
    dead ends: 0
    no gradient:
      w: The result was not computed from it, or by way of ...
    """
    roots = [r for r in tree.leaves(y) if isinstance(r, Value)]
    if not roots or any(type(r) is not Tensor or r.edge is None for r in roots):
        raise ArgumentError(f"inspect takes tensors on a tape, but got {describe(y)}. Compute it "
                            "from tensors with requires_grad=True.")
    nodes = reachable([owner(r.edge) for r in roots])
    sinks = [n for n in nodes if n.is_sink]
    arrays = {id(a): a.nbytes for n in nodes for a in arrays_kept(n)}
    named = {name + path: leaf for name, value in (leaves or {}).items()
             for path, leaf in zip(tree.paths(value), tree.leaves(value), strict=True)}
    reached = [name for name, leaf in named.items() if leaf.edge in sinks]
    return Findings({
        "nodes": len(nodes) - len(sinks), "saved bytes": sum(arrays.values()),
        "leaves": reached if named else len(sinks),
        "dead ends": sum(getattr(n, "gone", False) for n in sinks),
        "no gradient": [f"{name}: {explain_none(leaf, roots[0], seen)}"
                        for name, leaf in named.items() if name not in reached]})


# --- printing inside of transforms ----------------------------------------------------------------


def print(fmt, *args, ordered=False, **kwargs):
    """Print values, inside of transforms too: primals under `jvp`, a line for each entry under
    `vmap`.

    Args:
      fmt: a format string, as for `str.format`.
      *args, **kwargs: what goes into it, arrays or pytrees of arrays among them.
      ordered: no effect, as everything runs in order.

    A function that prints values cannot be compiled: `jit` runs it as it is, with a warning.

    >>> import functape as ft
    >>> _ = ft.vmap(ft.grad(lambda x: ft.debug.print("x = {x:.1f}", x=x) or x * x))(
    ...     ft.numpy.array([1.0, 2.0]))
    x = 1.0
    x = 2.0
    """
    leaves, structure = tree.flatten((args, kwargs))
    for line in rows(leaves):
        args, kwargs = tree.unflatten(structure, line)
        builtins.print(fmt.format(*args, **kwargs))


def rows(leaves):
    """The leaves as plain arrays, once for each entry of each `vmap` they are under."""
    top = highest(leaves)
    if top is None or not top.rank:
        yield [np.asarray(a.detach()) if isinstance(a, Value)
               else np.asarray(a) if isinstance(a, mx.array) else a for a in leaves]
    elif type(top) is Batched:
        for i in range(top.count):
            yield from rows([a.data[i] if is_at(a, top) else a for a in leaves])
    else:
        yield from rows([boundary.bare(a) if type(a) is Tensor and is_at(a, top)
                         else a.primal if is_at(a, top) else a for a in leaves])


def is_at(value, top):
    return type(value) is type(top) and value.rank == top.rank


__getattr__ = for_names_of(__name__)
