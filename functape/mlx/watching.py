"""watch: what a layer of a model returns, and the gradient that comes back to it."""

from functape import tree
from functape.errors import ArgumentError
from functape.mlx.modules import is_module, listed
from functape.tensor import Tensor


def watch(model, path, hook=None):
    """Look at the output of one layer of a model, and at the gradient of the loss by it.

    Args:
      model: `mlx.nn.Module`.
      path: the layer's place, such as ``"layers.3.attention"``.
      hook: called with each gradient that arrives at the layer's output; what it returns, unless
        None, takes the gradient's place.

    Returns:
      A `Watch`: while it is there (until `remove()`, or the end of a with block) its `output` is
      what the layer returned last, and its `grad` the gradient by that, after a backward pass of
      any kind. Of a layer that ran several times it has the last; `outputs` and `grads` have all.

    >>> import functape as ft, mlx.core as mx, mlx.nn as nn
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> step = ft.mlx.value_and_grad(model, lambda x: model(x).sum())
    >>> with ft.mlx.watch(model, "layers.1") as seen:
    ...     _ = step(mx.array([[1.0, 2.0]]))
    >>> seen.output.shape, ft.numpy.allclose(seen.grad, model.layers[2].weight)
    ((1, 3), tensor(True))
    """
    return Watch(layer_at(model, path), hook)


def layer_at(model, path):
    """The module at a path of names and numbers."""
    here, at = model, []
    for name in path.split(".") if path else ():
        key = int(name) if isinstance(here, (list, tuple)) and name.isdigit() else name
        try:
            here = here[key]
        except (KeyError, IndexError, TypeError):
            raise ArgumentError(f"watch: the model has no layer {path!r}: there is no {name!r} in "
                                f"{'.'.join(at) or 'the model'}, but {listed(here)}.") from None
        at.append(name)
    if not is_module(here):
        raise ArgumentError(f"watch: {path!r} is no layer, but {type(here).__name__}. Name a "
                            "mlx.nn.Module.")
    return here


class Watch:
    """The outputs of a layer, and the gradients by them; see `watch`.

    >>> import functape as ft, mlx.nn as nn
    >>> ft.mlx.watch(nn.Sequential(nn.Tanh()), "layers.0").outputs
    []
    """

    def __init__(self, layer, hook):
        self.layer, self.hook = layer, hook
        self.outputs, self.grads = [], []
        self.plain = type(layer)
        layer.__class__ = watched_class(type(layer), self)

    @property
    def output(self):
        """What the layer returned last."""
        return self.outputs[-1] if self.outputs else None

    @property
    def grad(self):
        """The gradient by that; None before a backward pass, or where none comes by."""
        return self.grads[-1] if self.grads else None

    def saw(self, out):
        """Keep an output of the layer, and be there when its gradient arrives."""
        k = len(self.outputs)
        self.outputs.append(tree.map(without_tape, out))
        self.grads.append(None)
        leaves, structure = tree.flatten(out)
        found = [None] * len(leaves)
        for i, leaf in enumerate(leaves):
            if type(leaf) is Tensor and leaf.requires_grad:
                leaf.register_hook(self.at(k, i, found, structure))

    def at(self, k, i, found, structure):
        def arrived(g):
            new = self.hook(g) if self.hook is not None else None
            found[i] = g if new is None else new
            self.grads[k] = tree.unflatten(structure, found)
            return new

        return arrived

    def remove(self):
        """Stop watching; what was seen stays."""
        self.layer.__class__ = self.plain

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def without_tape(value):
    return value.detach() if type(value) is Tensor else value


def watched_class(cls, watch):
    """The class of a layer that reports what it returns."""

    def call(self, *args, **kwargs):
        out = cls.__call__(self, *args, **kwargs)
        watch.saw(out)
        return out

    return type(cls.__name__, (cls,), {"__call__": call, "__module__": cls.__module__,
                                       "__doc__": cls.__doc__})
