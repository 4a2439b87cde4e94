"""Each layer and loss of mlx.nn: values and gradients as mlx.nn.value_and_grad gives them."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten, tree_unflatten
from mlx_layers import ACTIVATIONS, LAYERS, X, away, close, normal, same_trees, weighted


@pytest.fixture(autouse=True, scope="module")
def uncompiled():
    """MLX calls a compiler for each of its activations otherwise: a third of a second each."""
    mx.disable_compile()
    yield
    mx.enable_compile()


NOT_TESTED = {  # for several machines; a base of others; no gradient in MLX either
    "FullyShardedModule", "Module", "QQLinear",
}


@pytest.mark.parametrize("name", [*LAYERS, *ACTIVATIONS])
def test_gradients(name):
    make, draw = (LAYERS | ACTIVATIONS)[name]
    model, args = make(), draw()
    before = dict(tree_flatten(model.parameters()))

    def loss(*args):
        return weighted(model(*args))

    mx.random.seed(7)
    ours, gradient = ft.mlx.value_and_grad(model, loss)(*args)
    after = random_key()
    state = dict(tree_flatten(model.parameters()))
    for key, own in before.items():
        if "running" in key:
            model.update(tree_unflatten([(key, own)]))
        else:
            assert state[key] is own  # a layer gets its own arrays back
    mx.random.seed(7)
    theirs, expected = nn.value_and_grad(model, loss)(*args)
    assert random_key() == after
    assert type(ours) is mx.array
    close(ours, theirs)
    same_trees(gradient, expected)
    for key, new in tree_flatten(model.parameters()):  # the running statistics of BatchNorm
        if "running" in key:
            close(state[key], new)


def random_key():
    return mx.random.state[0].tolist()


def test_no_layer_is_left_out():
    known = {name.partition("-")[0] for name in [*LAYERS, *ACTIVATIONS]}
    layers = {n for n, v in vars(nn).items() if isinstance(v, type) and issubclass(v, nn.Module)}
    assert layers - known - NOT_TESTED == set()


# --- losses ---------------------------------------------------------------------------------------

LOSSES = {
    "binary_cross_entropy": (normal(*X), mx.round(mx.random.uniform(shape=X))),
    "cosine_similarity_loss": (normal(*X), normal(*X)),
    "cross_entropy": (normal(*X), mx.array([0, 3, 1, 1, 2])),
    "gaussian_nll_loss": (normal(*X), normal(*X), 0.5 + mx.random.uniform(shape=X)),
    "hinge_loss": (away(*X), mx.sign(normal(*X))),
    "huber_loss": (normal(*X), 0.3 * normal(*X)),
    "kl_div_loss": (mx.log(mx.softmax(normal(*X), -1)), mx.log(mx.softmax(normal(*X), -1))),
    "l1_loss": (normal(*X), normal(*X)),
    "log_cosh_loss": (normal(*X), normal(*X)),
    "margin_ranking_loss": (normal(*X), normal(*X), mx.sign(normal(*X))),
    "mse_loss": (normal(*X), normal(*X)),
    "nll_loss": (normal(*X), mx.array([0, 3, 1, 1, 2])),
    "smooth_l1_loss": (normal(*X), normal(*X)),
    "triplet_loss": (normal(*X), normal(*X), normal(*X)),
}


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, reduction):
    inputs, *rest = LOSSES[name]

    def loss(x):
        return weighted(getattr(nn.losses, name)(x, *rest, reduction=reduction))

    ours, theirs = (t(loss)(inputs) for t in (lambda f: ft.grad(ft.mlx.traced(f)), mx.grad))
    close(ours, theirs)


def test_no_loss_is_left_out():
    public = {n for n, v in vars(nn.losses).items()
              if n.endswith(("loss", "entropy")) and callable(v)}
    assert public == set(LOSSES)


@pytest.mark.parametrize("options", [{"label_smoothing": 0.1}, {"axis": 0}, {"weights": True}])
def test_options_of_cross_entropy(options):
    x, targets = normal(4, 4), mx.array([0, 3, 1, 1])
    options = {k: mx.array([1.0, 2.0, 0.5, 0.0]) if v is True else v for k, v in options.items()}
    loss = lambda x: nn.losses.cross_entropy(x, targets, reduction="sum", **options)  # noqa: E731
    close(ft.grad(ft.mlx.traced(loss))(x), mx.grad(loss)(x))
