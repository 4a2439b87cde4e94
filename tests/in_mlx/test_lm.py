"""A llama of mlx-lm, small and with random weights, fine-tuned on text that comes with Python."""

import codecs
import contextlib
import io
import warnings

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
import pytest
from mlx.utils import tree_flatten
from mlx_layers import same_trees

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def lm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("mlx_lm", exc_type=ImportError)
        import mlx_lm.models.llama
        import mlx_lm.tuner.trainer
        import mlx_lm.tuner.utils
    return mlx_lm


def text():
    """The Zen of Python, as bytes."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return np.frombuffer(codecs.decode(this.s, "rot13").encode(), np.uint8)


def batches(count, length=32, size=4):
    data, rng = text(), np.random.default_rng(0)
    for _ in range(count):
        starts = rng.integers(0, len(data) - length - 1, size)
        yield mx.array(np.stack([data[s:s + length + 1] for s in starts]).astype(np.int32))


def llama(lm):
    mx.random.seed(0)
    model = lm.models.llama.Model(lm.models.llama.ModelArgs(
        model_type="llama", hidden_size=32, num_hidden_layers=3, intermediate_size=64,
        num_attention_heads=4, num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=256,
        tie_word_embeddings=True))
    mx.eval(model.parameters())
    return model


def full(lm, model):
    """All parameters."""


def lora(lm, model):
    model.freeze()
    lm.tuner.utils.linear_to_lora_layers(model, 2, {"rank": 4, "dropout": 0.1, "scale": 4.0})


def quantized_lora(lm, model):
    nn.quantize(model, 32, 8, class_predicate=lambda path, m: isinstance(m, nn.Linear))
    lora(lm, model)


def checkpointed(lm, model):
    lm.tuner.trainer.grad_checkpoint(model.layers[0])


def loss_fn(model, tokens):
    return nn.losses.cross_entropy(model(tokens[:, :-1]), tokens[:, 1:], reduction="mean")


def curve(lm, step_of, prepare, steps=20):
    model, losses = llama(lm), []
    prepare(lm, model)
    optimizer, step = optim.AdamW(2e-3), step_of(model, loss_fn)
    mx.random.seed(1)
    for tokens in batches(steps):
        loss, grads = step(model, tokens)
        optimizer.update(model, grads)
        mx.eval(model.parameters(), optimizer.state)
        losses.append(loss.item())
    return losses, model


@pytest.mark.parametrize("prepare", [full, lora, quantized_lora])
def test_fine_tuning(lm, prepare):
    ours, model = curve(lm, ft.mlx.value_and_grad, prepare)
    theirs, other = curve(lm, nn.value_and_grad, prepare)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert ours[-1] < ours[0]
    same_trees(model.trainable_parameters(), other.trainable_parameters(), 1e-2)
    if prepare is not full:
        names = [name for name, _ in tree_flatten(model.trainable_parameters())]
        assert names and all("lora" in name for name in names)


def test_mlx_lms_own_checkpointing(lm):
    """It replaces the `__call__` of a layer's class for good, so it comes last."""
    plain, _ = curve(lm, ft.mlx.value_and_grad, full, 3)
    call = lm.models.llama.TransformerBlock.__call__
    try:
        ours, _ = curve(lm, ft.mlx.value_and_grad, checkpointed, 3)
    finally:
        lm.models.llama.TransformerBlock.__call__ = call
    np.testing.assert_allclose(ours, plain, rtol=1e-5)


def test_per_example_gradients_and_hessian_vector_products(lm):
    model, (tokens,) = llama(lm), batches(1, 8, 3)
    params = model.trainable_parameters()

    @ft.mlx.traced
    def loss(params, row):
        logits = ft.mlx.functional_call(model, params, row[None, :-1])
        return nn.losses.cross_entropy(logits, row[None, 1:], reduction="mean")

    rows = ft.vmap(ft.grad(loss), in_axes=(None, 0))(params, tokens)
    mean = ft.tree.map(lambda g: g.mean(0), rows)
    same_trees(mean, nn.value_and_grad(model, loss_fn)(model, tokens)[1], 1e-3)
    t = ft.tree.map(lambda p: mx.random.normal(p.shape), params)
    h = ft.hvp(lambda p: loss(p, tokens[0]), (params,), (t,))
    eps = 1e-3
    ahead, behind = (ft.grad(loss)(ft.tree.map(lambda p, d, s=s: p + s * eps * d, params, t),
                                   tokens[0]) for s in (1, -1))
    numeric = ft.tree.map(lambda a, b: (a - b) / (2 * eps), ahead, behind)
    ours, expected = (mx.concatenate([a.reshape(-1) for a in ft.tree.leaves(x)])
                      for x in (h, numeric))
    assert (mx.linalg.norm(ours - expected) / mx.linalg.norm(expected)).item() < 2e-2
