"""dispatch: while it is active, MLX's functions, operators and layers take functape's values."""

import functools
import threading

import mlx.core as mx

from functape import tree
from functape.errors import ArgumentError
from functape.mlx import arrays, callables
from functape.mlx.functions import names, wrappers
from functape.mlx.state import active
from functape.op import MIXED, Value
from functape.tensor import constant

MISSING = object()
BOUND_EARLIER = (
    "An MLX function was given a functape value, but was out of reach of functape.mlx.dispatch(): "
    "it is kept in a variable, a default argument or another module. Call it by its module, as in "
    "mx.sin(x), or wrap it: functape.mlx.lift(f)."
)


class Patches:
    """What stands in MLX's place while at least one thread dispatches."""

    def __init__(self):
        self.lock, self.users, self.namespaces, self.undo = threading.Lock(), 0, {}, []

    def enter(self, namespaces):
        with self.lock:
            if not self.users:
                self.install()
            self.users += 1
            for space in namespaces:
                users, changed, _ = self.namespaces.get(id(space), (0, None, space))
                changed = callables.replace_in(space) if changed is None else changed
                self.namespaces[id(space)] = (users + 1, changed, space)

    def leave(self, namespaces):
        with self.lock:
            for space in namespaces:
                users, changed, _ = self.namespaces.pop(id(space))
                if users > 1:
                    self.namespaces[id(space)] = (users - 1, changed, space)
                else:
                    space.update(changed)
            self.users -= 1
            if not self.users:
                self.restore()

    def install(self):
        for module, replacements in of_modules():
            own = vars(module)
            self.undo.append((module, {name: own[name] for name in replacements}))
            own.update(replacements)
        for owner, name, new in of_classes():
            self.undo.append((owner, (name, vars(owner).get(name, MISSING))))
            setattr(owner, name, new)

    def restore(self):
        while self.undo:
            owner, kept = self.undo.pop()
            if type(kept) is dict:
                vars(owner).update(kept)
            elif kept[1] is MISSING:
                delattr(owner, kept[0])
            else:
                setattr(owner, *kept)


patches = Patches()


@functools.cache
def of_modules():
    """(module, what stands there by which name while anybody dispatches)."""
    found: dict = {}
    for name, module, short in names():
        found.setdefault(id(module), (module, {}))[1][short] = wrappers()[name]
    return list(found.values())


@functools.cache
def of_classes():
    return [*arrays.patches(), *callables.patches()]


class dispatch:  # noqa: N801 - used like a function
    """While active, MLX's functions and layers accept functape's values and are recorded op by op.

    In a block, in this thread, mlx.core's functions, the operators of `mx.array` with a value on
    the other side, the methods of arrays, and so mlx.nn's layers and losses do on functape's
    values what they do on arrays. What functape has an op for runs as that op; anything else is
    lifted as one op with MLX's derivatives (see `coverage`). Calls without a functape value run as
    ever, in all threads; outside of all blocks nothing of MLX is changed. Blocks may be nested.

    MLX's functions that were imported by name are found in the module of the caller. One that is
    kept elsewhere is out of reach: write ``mx.sin(x)``.

    Args:
      *namespaces: the dicts of further modules that imported MLX's functions by name; by default
        that of the caller.

    >>> import functape as ft, mlx.core as mx
    >>> X = mx.array([[1.0, 2.0], [3.0, 4.0]])
    >>> w = ft.tensor([1.0, -1.0], requires_grad=True)
    >>> with ft.mlx.dispatch():
    ...     loss = mx.square(X @ w).mean()
    >>> loss.backward()
    >>> w.grad
    tensor([-4., -6.])
    """

    def __init__(self, *namespaces):
        self.namespaces = list(namespaces)
        self.entered = []

    def __enter__(self):
        spaces = self.namespaces or [callables.callers_namespace(1)]
        patches.enter(spaces)
        self.entered.append(spaces)
        active.depth += 1
        return self

    def __exit__(self, kind, error, trace):
        active.depth -= 1
        patches.leave(self.entered.pop())
        text = str(error) if isinstance(error, TypeError) else ""
        if text == MIXED or ("incompatible function arguments" in text and "functape." in text):
            raise ArgumentError(BOUND_EARLIER) from error


def traced(f):
    """The function, run under `dispatch`: MLX code that functape can differentiate.

    Args:
      f: function of pytrees, written with mlx.core and mlx.nn. It may close over `mx.array`s.

    Returns:
      The function. Called with functape values (by a transform, say) it returns values, called
      with MLX's arrays it returns those.

    >>> import functape as ft, mlx.core as mx
    >>> @ft.mlx.traced
    ... def loss(w):
    ...     return mx.mean(mx.square(mx.array([[1.0, 2.0]]) @ w))
    >>> ft.grad(loss)(mx.array([1.0, -1.0]))
    array([-2, -4], dtype=float32)
    """

    def run(*args, **kwargs):
        with dispatch(callables.namespace_of(f)):
            out = f(*args, **kwargs)
        if not any(isinstance(a, Value) for a in tree.leaves((args, kwargs))):
            return out
        return tree.map(lambda a: constant(a) if isinstance(a, mx.array) else a, out)

    if hasattr(f, "__name__"):
        functools.update_wrapper(run, f)
    return run
