"""mlx.nn's layers as functions of their parameters."""

import contextlib

import mlx.core as mx

from functape import tree
from functape.errors import ArgumentError, ConcretizationError, ShapeError, describe
from functape.mlx.callables import home_of, namespace_of
from functape.mlx.dispatching import dispatch
from functape.op import Value, levels
from functape.tensor import Tensor, constant
from functape.transforms import value_and_grad as transform


def functional_call(module, params, *args, **kwargs):
    """Call an mlx.nn module with other parameters than its own.

    The module gets the parameters for the time of the call, and its own back afterwards, also
    after an error. What the layers store meanwhile, such as the running statistics of BatchNorm,
    stays stored, as `mx.array`s, except in the places that `params` names. The same module must
    not be called in two threads at once.

    Args:
      module: `mlx.nn.Module`.
      params: nested dicts and lists as `module.parameters()` has them, or a part of that; arrays
        or functape values. A name that the module does not have is an error.
      *args, **kwargs: passed to the module.

    Returns:
      What the module returns. So `functape.hvp`, `functape.vmap` and all others work on models.

    >>> import functape as ft, mlx.core as mx, mlx.nn as nn
    >>> layer = nn.Linear(2, 1, bias=False)
    >>> x = mx.array([[1.0, 2.0]])
    >>> ft.grad(lambda p: ft.mlx.functional_call(layer, p, x).sum())(layer.parameters())
    {'weight': array([[1, 2]], dtype=float32)}
    """
    check_module("functional_call", module)
    values = any(isinstance(a, Value) for a in tree.leaves((params, args, kwargs)))
    layers = list(layers_of(module))
    with bound(module, layers, params), dispatch(*namespaces(layers)):
        out = module(*args, **kwargs)
    return tree.map(lambda a: constant(a) if isinstance(a, mx.array) else a, out) if values else out


def value_and_grad(model, fn):
    """As `mlx.nn.value_and_grad`: value and gradient of a loss in the model's parameters.

    Args:
      model: `mlx.nn.Module`; its trainable parameters are differentiated, frozen ones are not.
      fn: function that runs the model and returns a scalar, or a tuple of a scalar and more.

    Returns:
      A function with the arguments of `fn` that returns ``(what fn returns, gradient)``. The
      gradient has the structure of `model.trainable_parameters()`, as `mlx.optimizers` takes it.

    >>> import functape as ft, mlx.core as mx, mlx.nn as nn
    >>> model = nn.Linear(2, 1, bias=False)
    >>> step = ft.mlx.value_and_grad(model, lambda x: model(x).sum())
    >>> step(mx.array([[1.0, 2.0]]))[1]
    {'weight': array([[1, 2]], dtype=float32)}
    """
    check_module("value_and_grad", model)

    def run(params, *args, **kwargs):
        layers = list(layers_of(model))
        with bound(model, layers, params), dispatch(namespace_of(fn), *namespaces(layers)):
            out = fn(*args, **kwargs)
        return (out[0] if isinstance(out, (tuple, list)) else out), out

    def value_and_gradient(*args, **kwargs):
        differentiated = transform(lambda p: run(p, *args, **kwargs), has_aux=True)
        (_, out), gradient = differentiated(model.trainable_parameters())
        return out, gradient

    return value_and_gradient


def is_module(value):
    from mlx.nn import Module

    return isinstance(value, Module)


def layers_of(node, path=()):
    """Pairs (path, module): a module and all below it. As `named_modules`, but faster."""
    if is_module(node):
        yield path, node
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(child, (dict, list)):
            yield from layers_of(child, (*path, key))


def namespaces(layers):
    """The globals that the layers' own code sees."""
    found = [home_of(kind) for kind in {type(m) for _, m in layers}]
    return list({id(space): space for space in found}.values())


def check_module(name, module):
    if not is_module(module):
        raise ArgumentError(f"{name} takes a mlx.nn.Module, but got {describe(module)}. For a "
                            "function of parameters use functape's own transforms.")


# --- other arrays for the time of a call ----------------------------------------------------------


@contextlib.contextmanager
def bound(module, layers, params):
    """The module, which has these layers, with these parameters in place of its own."""
    before = [(m, dict(m)) for _, m in layers]
    changed = []
    try:
        place(module, params, (), changed)
        yield
        for container, key, own in reversed(changed):
            container[key] = own
        for path, m in layers:
            settle(m, path)
    except BaseException:
        for container, key, own in reversed(changed):
            container[key] = own
        for m, items in before:
            m.clear()
            dict.update(m, items)  # Module.update is for parameters
        raise


def place(container, new, path, changed):
    """Put arrays into a module, a dict or a list, and note what was there."""
    for key, value in new.items() if isinstance(new, dict) else enumerate(new):
        if isinstance(container, dict):
            own = container.get(key)
        else:
            own = container[key] if key < len(container) else None
        nested = isinstance(value, (dict, list))
        if nested and isinstance(own, (dict, list)):
            place(own, value, (*path, key), changed)
        elif not nested and value is not None and isinstance(own, (mx.array, Value)):
            value = value if type(value) is mx.array else constant(value)
            if value.shape != own.shape:
                raise ShapeError(f"functional_call: the parameter {dotted(path, key)!r} is "
                                 f"{describe(own)}, but {describe(value)} was given. Give it the "
                                 "same shape.")
            changed.append((container, key, own))
            container[key] = value
        elif tree.leaves(value):  # MLX writes without leaves what is no parameter: lists of names
            refuse(container, own, value, dotted(path, key))


def refuse(container, own, value, path):
    if own is None:
        raise ArgumentError(f"functional_call: the module has no parameter {path!r}. It has "
                            f"{listed(container)} there.")
    raise ArgumentError(f"functional_call: {path!r} is {describe(own)} in the module, but "
                        f"{describe(value)} was given. Give it the same structure.")


def dotted(path, key):
    return ".".join(map(str, (*path, key)))


def listed(container):
    keys = container if isinstance(container, dict) else range(len(container))
    return ", ".join(repr(k) for k in keys) or "nothing"


CONTAINERS = (list, tuple, dict)


def settle(module, path):
    """What a layer stored during the call, as plain arrays."""
    for store in (module, vars(module)):
        for key, kept in store.items():
            kind = type(kept)
            if kind is mx.array or not (kind in CONTAINERS or issubclass(kind, Value)):
                continue
            if any(isinstance(a, Value) for a in tree.leaves(kept)):
                store[key] = tree.map(lambda a, k=key: stored(a, dotted(path, k)), kept)


def stored(value, path):
    if levels.tracing:
        raise ConcretizationError(
            f"The layer stores {path!r} while functape.jit traces it, where it has no value yet. "
            "Call model.eval() first, so that nothing is stored, or compile the whole training "
            "step, with the model's state among its inputs and outputs, by mx.compile.")
    while isinstance(value, Value):
        if type(value) is Tensor:
            value = value.array
        elif hasattr(value, "primal"):
            value = value.primal
        else:
            raise ConcretizationError(
                f"The layer stores {path!r} while vmap runs it, where it stands for many values. "
                "Call model.eval() first, so that nothing is stored, or leave the layer's input "
                "out of the mapping.")
    return value
