"""MLX's transforms of functions that close over a model, whose parameters are values: the arguments
alone do not show it."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_layers import close, same_trees

x = mx.random.normal((5, 4), key=mx.random.key(0))


def model():
    mx.random.seed(1)
    return nn.Sequential(nn.Linear(4, 3), nn.Tanh())


LOSSES = {
    "vmap": lambda m, x: mx.vmap(lambda row: m(row).sum())(x).mean(),
    "grad": lambda m, x: mx.square(mx.grad(lambda x: m(x).sum())(x)).sum(),
    "value_and_grad": lambda m, x: mx.value_and_grad(lambda x: m(x).sum())(x)[1].sum(),
    "vjp": lambda m, x: mx.vjp(m, [x], [mx.ones((5, 3))])[1][0].sum(),
    "jvp": lambda m, x: mx.jvp(m, [x], [mx.ones((5, 4))])[1][0].sum(),
    "compile": lambda m, x: mx.compile(lambda x: m(x).sum())(x),
    "all_sum": lambda m, x: mx.distributed.all_sum(m(x).sum()),
    "all_gather": lambda m, x: mx.distributed.all_gather(m(x)).sum(),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_those_of_mlx(name):
    m = model()
    value, gradient = ft.mlx.value_and_grad(m, lambda x: LOSSES[name](m, x))(x)
    expected, theirs = nn.value_and_grad(m, lambda x: LOSSES[name](m, x))(x)
    close(value, expected)
    same_trees(gradient, theirs)
    assert mx.abs(gradient["layers"][0]["weight"]).max() > 1e-3  # and not zero on both sides


def test_what_was_compiled_before_knows_no_old_numbers():
    m = model()
    compiled = mx.compile(lambda x: m(x).sum())
    compiled(x)
    gradient = ft.mlx.value_and_grad(m, compiled)(x)[1]
    same_trees(gradient, nn.value_and_grad(m, lambda x: m(x).sum())(x)[1])


def test_what_a_layer_stores_while_jit_traces():
    """Statistics would be tracers, which nobody can read later: it runs uncompiled, or raises."""
    m = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm(3))
    params, before = m.trainable_parameters(), m.layers[1].running_mean

    def loss(params, x):
        return ft.numpy.sum(ft.mlx.functional_call(m, params, x) ** 3)

    with pytest.raises(ft.errors.ConcretizationError):
        ft.jit(ft.grad(loss), fallback=False)(params, x)
    assert m.layers[1].running_mean is before
    with pytest.warns(RuntimeWarning, match="uncompiled"):
        gradient = ft.jit(ft.grad(loss))(params, x)
    assert mx.isfinite(m.layers[1].running_mean).all()
    same_trees(gradient, ft.grad(loss)(params, x))
    m.eval()
    same_trees(ft.jit(ft.grad(loss), fallback=False)(params, x), ft.grad(loss)(params, x))
