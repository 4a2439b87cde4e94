"""Models of mlx.nn: training steps, optimizers, freezing, watching layers."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map
from mlx_layers import same_trees

from functape.mlx import functional_call, value_and_grad, watch


class Block(nn.Module):
    def __init__(self, dims, heads):
        super().__init__()
        self.attention = nn.MultiHeadAttention(dims, heads)
        self.norms = [nn.RMSNorm(dims), nn.LayerNorm(dims)]
        self.up, self.gate = nn.Linear(dims, 2 * dims), nn.Linear(dims, 2 * dims, bias=False)
        self.down = nn.Linear(2 * dims, dims)
        self.rope = nn.RoPE(dims // heads)
        self.dropout = nn.Dropout(0.1)

    def __call__(self, x, mask):
        y = self.norms[0](x)
        y = self.rope(y.reshape(*y.shape[:2], 2, -1).transpose(0, 2, 1, 3))
        y = y.transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + self.dropout(self.attention(y, y, y, mask))
        y = self.norms[1](x)
        return x + self.down(nn.silu(self.gate(y)) * self.up(y))


class Transformer(nn.Module):
    """A small language model, written as for MLX."""

    def __init__(self, vocabulary=17, dims=8, heads=2, depth=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dims)
        self.layers = [Block(dims, heads) for _ in range(depth)]
        self.norm = nn.RMSNorm(dims)

    def __call__(self, tokens):
        mask = nn.MultiHeadAttention.create_additive_causal_mask(tokens.shape[1])
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, mask)
        return self.embedding.as_linear(self.norm(x))


def loss_fn(model, tokens):
    logits = model(tokens[:, :-1])
    return nn.losses.cross_entropy(logits, tokens[:, 1:], reduction="mean")


@pytest.fixture(autouse=True, scope="module")
def uncompiled():
    mx.disable_compile()
    yield
    mx.enable_compile()


def batches(count, seed=0):
    rng = np.random.default_rng(seed)
    return [mx.array(np.cumsum(rng.integers(0, 3, (4, 7)), axis=1) % 17) for _ in range(count)]


def curve(step_of, optimizer, steps=20, freeze=None):
    mx.random.seed(4)
    model, losses = Transformer(), []
    if freeze is not None:
        freeze(model)
    step = step_of(model, loss_fn)
    for tokens in batches(steps):
        loss, grads = step(model, tokens)
        optimizer.update(model, grads)
        mx.eval(model.parameters(), optimizer.state)
        losses.append(loss.item())
    return losses, model


def test_a_transformer_learns_as_with_mlx():
    """The same losses, dropout included, over 20 steps."""
    ours, model = curve(value_and_grad, optim.AdamW(1e-2))
    theirs, other = curve(nn.value_and_grad, optim.AdamW(1e-2))
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert ours[-1] < ours[0]
    same_trees(model.parameters(), other.parameters(), 1e-3)


def only_norms(model):
    model.freeze()
    model.apply_to_modules(
        lambda path, m: m.unfreeze(recurse=False) if isinstance(m, nn.RMSNorm) else None)


def test_frozen_parameters_stay():
    ours, model = curve(value_and_grad, optim.SGD(0.1), 5, only_norms)
    theirs, other = curve(nn.value_and_grad, optim.SGD(0.1), 5, only_norms)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    same_trees(model.parameters(), other.parameters())
    step = value_and_grad(model, loss_fn)
    grads = dict(tree_flatten(step(model, batches(1)[0])[1]))
    assert set(grads) == set(dict(tree_flatten(model.trainable_parameters())))
    assert len(grads) == 3


@pytest.mark.nightly
def test_a_compiled_training_step():
    """The whole step under mx.compile, with the model, optimizer and random state as its state."""

    def train(step_of):
        mx.random.seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.BatchNorm(8), nn.Dropout(0.2),
                              nn.Linear(8, 1))
        optimizer = optim.SGD(1e-2, momentum=0.9)
        x, y = mx.random.normal((16, 4)), mx.random.normal((16, 1))
        gradient = step_of(model, lambda x, y: nn.losses.mse_loss(model(x), y))
        state = [model.state, optimizer.state, mx.random.state]

        def step(x, y):
            loss, grads = gradient(x, y)
            optimizer.update(model, grads)
            return loss

        mx.enable_compile()
        step = mx.compile(step, inputs=state, outputs=state)
        losses = [step(x, y).item() for _ in range(4)]
        mx.disable_compile()
        return losses, model.parameters()

    (ours, params), (theirs, others) = train(value_and_grad), train(nn.value_and_grad)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    same_trees(params, others)


def test_aux_results_and_outer_transforms():
    model = nn.Linear(2, 1)
    x = mx.random.normal((3, 2))

    def fn(x):
        out = model(x)
        return out.square().sum(), out, "note"

    (loss, out, note), grads = value_and_grad(model, fn)(x)
    assert (loss.shape, out.shape, note) == ((), (3, 1), "note") and type(out) is mx.array
    same_trees(grads, nn.value_and_grad(model, lambda x: model(x).square().sum())(x)[1])
    rows = ft.vmap(lambda x: value_and_grad(model, fn)(x)[1])(x)
    assert rows["weight"].shape == (3, 1, 2)
    same_trees(tree_map(lambda g: g.sum(0), rows), grads)


OPTIMIZERS = {
    "SGD": lambda: optim.SGD(1e-2, momentum=0.9, nesterov=True), "Adam": lambda: optim.Adam(1e-2),
    "AdamW": lambda: optim.AdamW(1e-2), "Adamax": lambda: optim.Adamax(1e-2),
    "Adagrad": lambda: optim.Adagrad(1e-2), "AdaDelta": lambda: optim.AdaDelta(1e-2),
    "RMSprop": lambda: optim.RMSprop(1e-2), "Lion": lambda: optim.Lion(1e-3),
    "Adafactor": lambda: optim.Adafactor(), "Muon": lambda: optim.Muon(1e-2),
    "MultiOptimizer": lambda: optim.MultiOptimizer(
        [optim.Lion(1e-3), optim.SGD(1e-2)], [lambda path, weight: weight.ndim > 1]),
    "schedule": lambda: optim.SGD(optim.join_schedules(
        [optim.linear_schedule(0.0, 1e-2, 2), optim.cosine_decay(1e-2, 10)], [2])),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name):
    def train(step_of):
        mx.random.seed(2)
        model, optimizer = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), OPTIMIZERS[
            name]()
        x, y = mx.random.normal((6, 3)), mx.random.normal((6, 1))
        step = step_of(model, lambda: nn.losses.mse_loss(model(x), y))
        for _ in range(4):
            _, grads = step()
            grads, norm = optim.clip_grad_norm(grads, 0.5)
            optimizer.update(model, grads)
        return model.parameters()

    same_trees(train(value_and_grad), train(nn.value_and_grad))


def test_results_can_be_saved(tmp_path):
    model, path = nn.Linear(2, 1), str(tmp_path / "grads.safetensors")
    _, grads = value_and_grad(model, lambda: model(mx.ones((1, 2))).sum())()
    mx.save_safetensors(path, dict(tree_flatten(grads)))
    assert mx.load(path)["weight"].tolist() == [[1.0, 1.0]]


def test_checkpointed_layers():
    """mlx.nn's checkpoint writes parameters into the module, again in the backward pass."""
    model, x = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), mx.ones((2, 3))
    first, last = nn.utils.checkpoint(model.layers[0]), model.layers[2]

    def fn(x):
        return last(mx.tanh(first(x))).sum()

    _, grads = value_and_grad(model, fn)(x)
    same_trees(grads, nn.value_and_grad(model, lambda x: model(x).sum())(x)[1])
    own = dict(tree_flatten(model.parameters()))
    value_and_grad(model, fn)(x)
    after = dict(tree_flatten(model.parameters()))
    assert all(after[k] is own[k] for k in own)
    assert all(type(a) is mx.array for a in after.values())


# --- functional_call ------------------------------------------------------------------------------


def test_parameters_in_part_and_restored():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    own = dict(tree_flatten(model.parameters()))
    x = mx.array([[1.0, 2.0]])
    out = functional_call(model, {"layers": [{}, {"weight": mx.zeros((1, 2))}]}, x)
    assert out.tolist() == [model.layers[1].bias.tolist()]
    for wrong, error in (({"w": x}, "no parameter 'w'.*'layers'"),
                         ({"layers": [{"wieght": x}]}, "no parameter 'layers.0.wieght'"),
                         ({"layers": [{"bias": x}]}, r"'layers.0.bias' is float32\[2\]"),
                         ({"layers": x}, "same structure"),
                         ({"layers": [{}, {}, {"w": x}]}, "layers.2")):
        with pytest.raises(ft.errors.FunctapeError, match=error):
            functional_call(model, wrong, x)
    with pytest.raises(Exception, match="match|broadcast|shape|addmm|matmul"):
        functional_call(model, model.parameters(), mx.ones((1, 5)))
    after = dict(tree_flatten(model.parameters()))
    assert all(after[k] is own[k] for k in own) and len(after) == len(own)
    with pytest.raises(ft.errors.ArgumentError, match="Module"):
        functional_call(lambda x: x, {}, x)


def test_statistics_stay_as_arrays_unless_given():
    layer, x = nn.BatchNorm(3), mx.random.normal((4, 3))
    given = layer.parameters()
    ft.grad(lambda p: functional_call(layer, p, x).sum())(
        {k: given[k] for k in ("weight", "bias")})
    assert type(layer.running_mean) is mx.array and type(layer["running_mean"]) is mx.array
    np.testing.assert_allclose(layer.running_mean, 0.1 * x.mean(0), rtol=1e-5)
    kept = layer.running_mean
    ft.grad(lambda p: functional_call(layer, p, x).sum())(layer.parameters())
    assert layer.running_mean is kept


def test_functions_among_layers():
    """mlx.nn.value_and_grad itself cannot update such a model."""
    model = nn.Sequential(nn.Linear(2, 3), nn.relu, mx.tanh, nn.Linear(3, 1))
    x = mx.random.normal((5, 2))
    first, last = model.layers[0], model.layers[3]

    def direct(w):
        return last(mx.tanh(mx.maximum(x @ w.T + first.bias, 0))).sum()

    found = ft.grad(lambda p: functional_call(model, p, x).sum())(
        {"layers": [{"weight": first.weight}]})
    np.testing.assert_allclose(found["layers"][0]["weight"], mx.grad(direct)(first.weight),
                               rtol=1e-4, atol=1e-5)


def test_eager_leaves():
    model, x = nn.Linear(2, 1), mx.array([[1.0, 2.0]])
    leaves = ft.tree.map(lambda p: ft.asarray(p).detach().requires_grad_(), model.parameters())
    functional_call(model, leaves, x).sum().backward()
    assert leaves["weight"].grad.tolist() == [[1.0, 2.0]]


# --- watch ----------------------------------------------------------------------------------------


def test_watch_a_layer():
    mx.random.seed(0)
    model, tokens = Transformer().eval(), batches(1)[0]
    step = value_and_grad(model, loss_fn)
    plain = step(model, tokens)
    kind = type(model.layers[1].attention)
    with watch(model, "layers.1.attention") as seen:
        watched = step(model, tokens)
        step(model, tokens)
    assert type(model.layers[1].attention) is kind
    assert watched[0].item() == plain[0].item()
    assert seen.output.shape == (4, 6, 8) and len(seen.outputs) == len(seen.grads) == 2
    assert not seen.output.requires_grad

    layer = model.layers[1].attention  # the gradient by a shift of the layer's output

    def shifted(shift):
        class Shifted(nn.Module):
            def __call__(self, *args):
                return layer(*args) + shift

        model.layers[1].attention = Shifted()
        try:
            return loss_fn(model, tokens)
        finally:
            model.layers[1].attention = layer

    expected = mx.grad(shifted)(mx.zeros((4, 6, 8)))
    np.testing.assert_allclose(seen.grad, expected, rtol=1e-3, atol=1e-6)


def test_hooks_change_the_gradient():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1))
    step = value_and_grad(model, lambda: model(mx.ones((1, 2))).sum())
    before = step()[1]["layers"][0]["weight"]
    with watch(model, "layers.0", hook=lambda g: 10 * g):
        changed = step()[1]["layers"][0]["weight"]
    np.testing.assert_allclose(changed, 10 * before, rtol=1e-6)
    for path, error in (("layers.5", "there is no '5'"), ("layers", "no layer, but list"),
                        ("layer", "there is no 'layer' in the model, but 'layers'")):
        with pytest.raises(ft.errors.ArgumentError, match=error):
            watch(model, path)
