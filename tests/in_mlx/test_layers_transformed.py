"""Layers of mlx.nn under forward mode, vmap and their compositions with reverse mode."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_layers import ACTIVATIONS, LAYERS, same_trees, weighted

SOME = {name: LAYERS[name] for name in LAYERS} | {
    name: ACTIVATIONS[name] for name in ("GELU", "SELU", "Softshrink", "LogSoftmax")}
PER_EXAMPLE = [n for n in SOME if not n.startswith(("Dropout", "TransformerEncoder-"))]


def evaluating(name):
    """A layer that stores and draws nothing, and two inputs for it."""
    make, draw = SOME[name]
    return make().eval(), draw(), draw()


def loss_of(model):
    return lambda p, *args: weighted_of(model, p, args)


@ft.mlx.traced
def weighted_of(model, params, args):
    return weighted(ft.mlx.functional_call(model, params, *args))


def direction(params):
    return ft.tree.map(lambda p: mx.random.normal(p.shape), params)


def dot(a, b):
    return sum((x * y).sum() for x, y in zip(ft.tree.leaves(a), ft.tree.leaves(b), strict=True))


@pytest.mark.parametrize("name", SOME)
def test_forward_mode(name):
    """The derivative along a direction is its product with the gradient."""
    model, args, _ = evaluating(name)
    params, loss = model.trainable_parameters(), loss_of(model)
    t = direction(params)
    _, moved = ft.jvp(lambda p: loss(p, *args), (params,), (t,))
    assert moved.item() == pytest.approx(dot(ft.grad(loss)(params, *args), t).item(), 1e-3, 1e-3)


@pytest.mark.parametrize("name", PER_EXAMPLE)
def test_gradients_per_example(name):
    """vmap of grad, against one call an example."""
    model, *inputs = evaluating(name)
    params, gradient = model.trainable_parameters(), ft.grad(loss_of(model))
    mapped = [0 if isinstance(a, mx.array) else None for a in inputs[0]]
    args = [mx.stack(pair) if isinstance(pair[0], mx.array) else pair[0]
            for pair in zip(*inputs, strict=True)]
    found = ft.vmap(gradient, in_axes=(None, *mapped))(params, *args)
    expected = [gradient(params, *args) for args in inputs]
    same_trees(found, ft.tree.map(lambda *rows: mx.stack(rows), *expected), 2e-3)


@pytest.mark.parametrize("name", [
    "Linear", "Conv2d", "LayerNorm", "GroupNorm", "MultiHeadAttention", "GRU", "AvgPool2d"])
def test_second_order(name):
    """Hessian-vector products: forward over reverse, reverse over reverse, finite differences."""
    model, args, _ = evaluating(name)
    params, loss = model.trainable_parameters(), loss_of(model)

    def squared(p):
        return mx.square(loss(p, *args)) if type(loss(p, *args)) is mx.array else (
            loss(p, *args) ** 2)

    t = direction(params)
    forward = ft.hvp(squared, (params,), (t,))
    reverse = ft.grad(lambda p: dot(ft.grad(squared)(p), t))(params)
    same_trees(forward, reverse, 1e-3)


def test_stored_statistics_under_vmap_are_refused():
    layer, x = nn.BatchNorm(3), mx.random.normal((2, 4, 3))
    before = layer.running_mean
    with pytest.raises(ft.errors.ConcretizationError, match="running_mean.*eval"):
        ft.vmap(lambda x: ft.mlx.functional_call(layer, {}, x))(x)
    assert layer.running_mean is before
    ft.vmap(lambda x: ft.mlx.functional_call(layer.eval(), {}, x))(x)


def test_jit():
    model, x = nn.Linear(3, 1), mx.random.normal((5, 3))
    gradient = ft.grad(lambda p: ft.mlx.functional_call(model, p, x).sum())
    params = model.parameters()
    same_trees(ft.jit(gradient)(params), gradient(params))
