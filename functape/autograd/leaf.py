"""What a tensor owns in the eager face: requires_grad, grad, retained gradients, aliases."""

import warnings

from functape import pairs
from functape.autograd.install import method
from functape.errors import ArgumentError, GraphError, ShapeError, describe
from functape.hooks import Hooks
from functape.sinks import AccumulateGrad, Capture
from functape.tensor import INEXACT, Tensor, handle


class Eager:
    """The eager state of one tensor: its gradient, and its accumulator once it had one."""

    __slots__ = ("grad", "accumulator", "retains")

    def __init__(self):
        self.grad = self.accumulator = None
        self.retains = False


def state(tensor):
    if tensor.eager is None:
        tensor.eager = Eager()
    return tensor.eager


# --- requires_grad ------------------------------------------------------------------------------


def set_requires_grad(self, on):
    if not isinstance(on, bool):
        raise ArgumentError(f"requires_grad is True or False, but was set to {describe(on)}.")
    if self.node is not None:
        if on:
            return
        raise GraphError(
            f"requires_grad can be switched off on leaves only, and this tensor is the result of "
            f"{self.node.name}. Take it off the tape with detach()."
        )
    if isinstance(self.sink, Capture):
        raise GraphError("Inside a transform an argument is differentiated by the transform; its "
                         "requires_grad cannot be set. Use stop_gradient to make it a constant.")
    if on:
        require_inexact(self.dtype)
        own = state(self)
        own.accumulator = own.accumulator or AccumulateGrad(self)
        self.edge = own.accumulator
    else:
        self.edge = None


def require_inexact(dtype):
    if dtype not in INEXACT:
        raise ArgumentError(
            f"Only floating-point and complex tensors can require grad, and this one is {dtype}. "
            "Convert it, x.astype(functape.float32)."
        )


Tensor.requires_grad = Tensor.requires_grad.setter(set_requires_grad)


@method
def requires_grad_(self, requires_grad=True):
    """Switch whether this leaf collects a gradient; returns the tensor itself."""
    self.requires_grad = requires_grad
    return self


# --- grad ---------------------------------------------------------------------------------------


def get_grad(self):
    """The gradient that backward passes added up; None before the first.

    On a tensor that is not a leaf a warning says why it is None.
    """
    grad = None if self.eager is None else self.eager.grad
    if grad is None and self.node is not None and not retains_grad(self):
        warnings.warn(
            f"grad was read on a tensor that is not a leaf (grad_fn={self.grad_fn!r}), where "
            "backward does not keep one. Call retain_grad() on it before the backward pass.",
            UserWarning, stacklevel=2,
        )
    return grad


def set_grad(self, grad):
    if grad is None:
        if self.eager is not None:
            self.eager.grad = None
        return
    if not isinstance(grad, Tensor):
        raise ArgumentError(f"grad is a tensor or None, but was set to {describe(grad)}. Convert "
                            "it with functape.asarray.")
    if grad is self:
        raise ArgumentError("A tensor cannot be its own grad. Assign a clone().")
    if grad.shape != self.shape:
        raise ShapeError(f"grad must have the shape of its tensor, {describe(self)}, but was set "
                         f"to {describe(grad)}.")
    if grad.dtype != self.dtype:
        raise ArgumentError(f"grad must have the dtype of its tensor, {describe(self)}, but was "
                            f"set to {describe(grad)}. Convert it, g.astype(x.dtype).")
    state(self).grad = grad


Tensor.grad = property(get_grad, set_grad, lambda self: set_grad(self, None))


@method
def add_to_grad(self, g):
    """Add a cotangent, plain or recorded, to `grad`; called by the accumulator.

    A recorded one makes a new tensor; a plain one changes the present tensor, so that a handle
    to it sees the sum.
    """
    own, recorded = state(self), isinstance(g, Tensor)
    if g.dtype != self.dtype:
        g = g.astype(self.dtype) if recorded else pairs.converted(g, self.dtype)
    if own.grad is None:
        own.grad = Tensor(g.array, g.rank, g.edge) if recorded else Tensor(handle(g))
    elif recorded:
        own.grad = own.grad + g
    else:
        own.grad.change(own.grad.array + g, "gradient accumulation")


@method
def keep_grad(self, g):
    """Add a retained cotangent to `grad`, out of place; called by the hooks of the node."""
    g = g if isinstance(g, Tensor) else Tensor(g)
    own = state(self)
    own.grad = g.alias() if own.grad is None else own.grad + g


@method
def zero_grad(self, set_to_none=True):
    """Forget the gradient; with ``set_to_none=False`` fill it with zeros in place."""
    own = state(self)
    if set_to_none or own.grad is None:
        own.grad = None
        return
    own.grad.edge = None
    own.grad.change(pairs.zeros(self.shape, self.dtype), "zero_grad")


# --- retain_grad --------------------------------------------------------------------------------


def retains_grad(self):
    """Whether backward passes keep the gradient of this tensor, which is not a leaf."""
    return self.eager is not None and self.eager.retains


Tensor.retains_grad = property(retains_grad)


@method
def retain_grad(self):
    """Keep the gradient of this tensor in `grad` although it is not a leaf."""
    if not self.requires_grad:
        raise GraphError("retain_grad needs a tensor that requires grad, and this one does not.")
    if self.node is None or self.retains_grad:
        return
    state(self).retains = True
    retain_at(self)


def retain_at(tensor):
    import weakref

    hooks_of(tensor.node).retainers.append(weakref.ref(tensor))


def hooks_of(node):
    """The hooks of a node, made on first use."""
    if node.hooks is None:
        node.hooks = Hooks(wrap)
    return node.hooks


def wrap(g, fresh=False):
    """A tensor of what arrives in a pass; the user may change it, so never the object itself."""
    return g.alias() if isinstance(g, Tensor) else g if hasattr(g, "rank") else Tensor(g)


# --- aliases ------------------------------------------------------------------------------------


@method
def alias(self):
    """Another tensor at the same place on the tape, with an array of its own."""
    return Tensor(handle(self.array), self.rank, self.edge)


@method
def detach_(self):
    """Take this tensor off the tape; returns the tensor itself."""
    self.edge = None
    return self


def get_data(self):
    """The same array off the tape, like `detach()`; in-place changes of it are noticed."""
    return self.detach()


def set_data(self, data):
    if not isinstance(data, Tensor):
        raise ArgumentError(f"data is a tensor, but was set to {describe(data)}.")
    self.change(handle(data.array), "assignment to data")


Tensor.data = property(get_data, set_data)


def is_inference(self):
    """Whether the tensor was made in inference mode, and can never be recorded."""
    return self.version is None


Tensor.is_inference = property(is_inference)


@method
def increment_version(self):
    """Count a change that functape could not see."""
    self.change(handle(self.array), "increment_version")
