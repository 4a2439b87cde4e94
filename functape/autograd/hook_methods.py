"""Registering hooks, on tensors and on nodes."""

import threading
import weakref

from functape.autograd.install import method
from functape.autograd.leaf import hooks_of
from functape.errors import ArgumentError, GraphError, describe
from functape.hooks import RemovableHandle
from functape.sinks import AccumulateGrad
from functape.tape import Node, mode
from functape.tensor import Tensor


def callable_hook(hook):
    if not callable(hook):
        raise ArgumentError(f"A hook must be callable, but is {describe(hook)}.")
    return hook


@method
def register_hook(self, hook):
    """Call ``hook(grad)`` in each pass that reaches this tensor, with the summed gradient; what
    it returns, unless None, takes the gradient's place. Returns a handle with `remove()`.

    >>> import functape as ft
    >>> x = ft.tensor(2.0, requires_grad=True)
    >>> handle = x.register_hook(lambda g: 10 * g)
    >>> (3 * x).backward()
    >>> x.grad
    tensor(30.)
    """
    if self.edge is None:
        raise GraphError("register_hook needs a tensor that requires grad, and this one does not.")
    return RemovableHandle(hooks_of(self.edge).tensor, callable_hook(hook))


@method
def register_post_accumulate_grad_hook(self, hook):
    """Call ``hook(leaf)`` each time its `.grad` was written; it must return None."""
    if not isinstance(self.edge, AccumulateGrad):
        raise GraphError("register_post_accumulate_grad_hook needs a leaf that requires grad; "
                         "on other tensors use register_hook.")
    return RemovableHandle(hooks_of(self.edge).leaf, callable_hook(hook))


def register_node_hook(self, hook):
    """Call ``hook(grad_inputs, grad_outputs)`` after this node ran; a tuple it returns takes the
    place of grad_inputs."""
    return RemovableHandle(hooks_of(self).post, callable_hook(hook))


def register_prehook(self, hook):
    """Call ``hook(grad_outputs)`` before this node runs; a tuple it returns takes their place."""
    return RemovableHandle(hooks_of(self).pre, callable_hook(hook))


Node.register_hook = register_node_hook
Node.register_prehook = register_prehook


class Arrivals(threading.local):
    """What came so far, in the pass that this thread is at."""

    walk, grads, due = None, (), 0


class MultiGradHook:
    """One function for the gradients of several tensors in one pass."""

    def __init__(self, tensors, function, when):
        self.function, self.when = callable_hook(function), when
        for t in tensors:
            if not isinstance(t, Tensor) or t.edge is None:
                raise GraphError(f"register_multi_grad_hook needs tensors that require grad, but "
                                 f"got {describe(t)}.")
        self.edges = [weakref.ref(t.edge) for t in tensors]  # which hold this object as a hook
        self.now = Arrivals()
        self.handles = [t.register_hook(self.at(i)) for i, t in enumerate(tensors)]

    def at(self, i):
        def hook(g):
            self.arrived(i, g)

        return hook

    def arrived(self, i, g):
        now = self.now
        if now.walk is not mode.walk:  # the first of a new pass
            now.walk, now.grads = mode.walk, [None] * len(self.edges)
            reached = set(now.walk.order)
            now.due = sum(edge() in reached for edge in self.edges)
            if self.when == "any":
                self.function(g)
        now.grads[i] = g
        now.due -= 1
        if now.due == 0:
            grads, now.walk, now.grads = now.grads, None, ()
            if self.when == "all":
                self.function(grads)

    def remove(self):
        """Take the hook away from all of its tensors."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` once a pass: with all gradients (None where the pass reaches none), or, with
    ``mode="any"``, with the first that arrives.

    Args:
      tensors: tensors that require grad.

    >>> import functape as ft
    >>> a, b = (ft.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    >>> handle = ft.autograd.graph.register_multi_grad_hook((a, b), print)
    >>> (a * b).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ArgumentError(f"register_multi_grad_hook: mode is 'all' or 'any', but is {mode!r}.")
    return MultiGradHook(tensors, fn, mode)
