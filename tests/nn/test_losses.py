"""Losses against MLX's, optax's definitions, and JAX's derivatives."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn
import numpy as np
import pytest
from agreement import agree, close

from functape.nn import classification
from functape.test_util import check_grads

nn, theirs = ft.nn, mlx.nn.losses
RNG = np.random.default_rng(6)
X, Y = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 3, 4))
I3 = RNG.integers(0, 4, (2, 3)).astype(np.int32)
SIGNS = np.sign(Y)
P, Q = (np.exp(a) / np.exp(a).sum(-1, keepdims=True) for a in (X, Y))
LOG_P, LOG_Q = np.log(P), np.log(Q)
BITS = RNG.integers(0, 2, X.shape).astype(np.float64)
WEIGHTS = RNG.uniform(0.5, 2, (2, 3))
REDUCTIONS = ("none", "mean", "sum")

# name -> (arguments, options), each with the same name and arguments in MLX
CASES = [
    ("cross_entropy", (X, I3), {}),
    ("cross_entropy", (X, I3), {"weights": WEIGHTS, "label_smoothing": 0.1}),
    ("cross_entropy", (X, np.array([[1, 0, 1, 0]] * 3, np.int32)), {"axis": 0}),
    ("cross_entropy", (X, Q), {}),
    ("nll_loss", (LOG_P, I3), {}),
    ("binary_cross_entropy", (X, BITS), {}),
    ("binary_cross_entropy", (P, BITS), {"with_logits": False, "weights": np.abs(Y)}),
    ("hinge_loss", (X, SIGNS), {}),
    ("mse_loss", (X, Y), {}),
    ("l1_loss", (X, Y), {}),
    ("huber_loss", (X, Y), {"delta": 0.7}),
    ("smooth_l1_loss", (X, Y), {"beta": 0.7}),
    ("log_cosh_loss", (X, Y), {}),
    ("gaussian_nll_loss", (X, Y, np.exp(Y)), {"full": True}),
    ("gaussian_nll_loss", (X, Y, np.exp(Y)), {"eps": 1.0}),
    ("kl_div_loss", (LOG_P, LOG_Q), {}),
    ("cosine_similarity_loss", (X, Y), {"axis": 2}),
    ("triplet_loss", (X, Y, Y[::-1]), {}),
    ("triplet_loss", (X, Y, Y[::-1]), {"p": 3, "margin": 2.0, "axis": 1}),
    ("margin_ranking_loss", (X, Y, SIGNS), {"margin": 0.3}),
]


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("name", "args", "options"), CASES,
                         ids=[f"{n}-{'-'.join(o)}" for n, _, o in CASES])
def test_is_that_of_mlx(name, args, options, reduction):
    single = [mx.array(a if a.dtype == np.int32 else a.astype(np.float32)) for a in args]
    options = {k: mx.array(v.astype(np.float32)) if isinstance(v, np.ndarray) else v
               for k, v in options.items()}
    got = getattr(nn, name)(*single, **options, reduction=reduction)
    close(got, getattr(theirs, name)(*single, **options, reduction=reduction), 1e-4)


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


# name -> (arguments, options, value)
DEFINITIONS = [
    ("softmax_cross_entropy", (X, Q), {}, -(Q * log_softmax(X)).sum(-1)),
    ("softmax_cross_entropy_with_integer_labels", (X, I3), {},
     -np.take_along_axis(log_softmax(X), I3[..., None], -1)[..., 0]),
    ("smooth_labels", (Q, 0.2), {}, 0.8 * Q + 0.05),
    ("sigmoid_binary_cross_entropy", (X, BITS), {},
     -BITS * np.log(1 / (1 + np.exp(-X))) - (1 - BITS) * np.log(1 / (1 + np.exp(X)))),
    ("perceptron_loss", (X, SIGNS), {}, np.maximum(0, -X * SIGNS)),
    ("squared_error", (X, Y), {}, (X - Y) ** 2),
    ("squared_error", (X,), {}, X ** 2),
    ("l2_loss", (X, Y), {}, (X - Y) ** 2 / 2),
    ("smooth_l1_loss", (X, Y), {"beta": 0}, np.abs(X - Y).mean()),
    ("kl_divergence", (LOG_P, Q), {}, (Q * (LOG_Q - LOG_P)).sum(-1)),
    ("kl_divergence_with_log_targets", (LOG_P, LOG_Q), {}, (Q * (LOG_Q - LOG_P)).sum(-1)),
    ("cosine_similarity", (X, Y), {"axis": 1},
     (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1)),
    ("cosine_similarity", (X, Y), {"epsilon": 9.0}, (X * Y).sum(-1) / 81),
    ("cosine_distance", (X, Y), {},
     1 - (X * Y).sum(-1) / np.linalg.norm(X, axis=-1) / np.linalg.norm(Y, axis=-1)),
    ("sigmoid_focal_loss", (X, BITS), {"alpha": 0.3, "gamma": 1.5},
     np.where(BITS, 0.3, 0.7) * np.where(BITS, 1 / (1 + np.exp(X)), 1 / (1 + np.exp(-X))) ** 1.5
     * np.log(1 + np.exp(np.where(BITS, -X, X)))),
]


@pytest.mark.parametrize(("name", "args", "options", "want"), DEFINITIONS,
                         ids=[f"{n}-{'-'.join(o)}" for n, _, o, _ in DEFINITIONS])
def test_is_its_definition(name, args, options, want):
    close(getattr(nn, name)(*args, **options), want, 1e-12)


# --- derivatives ----------------------------------------------------------------------------------


@pytest.mark.parametrize("gpu", [False, True], ids=["cpu", "gpu"])
def test_cross_entropy_of_integers(gpu, oracle, monkeypatch):
    monkeypatch.setattr(classification, "fused", lambda x: gpu)

    def theirs(x):
        shifted = oracle.nn.log_softmax(x)
        return -oracle.numpy.take_along_axis(shifted, I3[..., None], -1)[..., 0]

    agree(oracle, lambda x: nn.cross_entropy(x, I3), theirs, X)


def test_cross_entropy_of_probabilities(oracle):
    agree(oracle, nn.cross_entropy, lambda x, p: -(p * oracle.nn.log_softmax(x)).sum(-1), X, Q)


SMOOTH = [
    ("binary_cross_entropy", (X, BITS)), ("huber_loss", (X, Y)), ("log_cosh_loss", (X, Y)),
    ("kl_divergence", (LOG_P, Q)), ("cosine_similarity", (X, Y)), ("triplet_loss", (X, Y, Y[::-1])),
    ("gaussian_nll_loss", (X, Y, np.exp(Y))), ("sigmoid_focal_loss", (X, BITS * 0.8 + 0.1)),
]


@pytest.mark.parametrize(("name", "args"), SMOOTH, ids=[n for n, _ in SMOOTH])
def test_derivatives_by_finite_differences(name, args):
    args = tuple(map(ft.numpy.array, args))

    check_grads(getattr(nn, name), args, 2, eps=1e-3)


# --- edges ----------------------------------------------------------------------------------------


def finite(f, *args):
    """Value and derivatives of first and second order."""
    args = tuple(map(ft.numpy.array, args))
    every = tuple(range(len(args)))
    first = ft.grad(lambda *a: f(*a).sum(), every)
    second = ft.grad(lambda *a: sum((g * g).sum() for g in first(*a)), every)
    return all(np.isfinite(np.asarray(a)).all() for a in (f(*args), *first(*args), *second(*args)))


def test_finite_at_edges():
    zero = np.zeros((2, 3))
    assert finite(nn.cosine_similarity, zero, X[0, :2, :3])
    assert finite(lambda p: nn.kl_divergence(zero, p), np.eye(2, 3))
    assert finite(nn.huber_loss, zero, zero)
    assert finite(nn.l1_loss, zero, zero)
    assert finite(nn.triplet_loss, zero, zero, zero)
    assert finite(lambda p: nn.binary_cross_entropy(p, np.eye(2), with_logits=False), np.eye(2))
    assert finite(lambda x: nn.binary_cross_entropy(x, np.eye(2)), 1e4 * (np.eye(2) - 0.5))
    assert finite(lambda x: nn.sigmoid_focal_loss(x, np.eye(2)), 1e3 * (np.eye(2) - 0.5))
    assert finite(lambda x: nn.cross_entropy(x, np.array([0, 1])), 1e4 * np.eye(2))
    assert finite(lambda x: nn.cross_entropy(x, np.array([0, 1])),
                  np.array([[1.0, -np.inf], [-np.inf, 3.0]]))
    assert finite(lambda x: nn.cross_entropy(x, np.eye(2)), np.array([[1.0, -np.inf], [0.0, 1.0]]))


def test_masked_classes_have_no_part(oracle):
    mask = np.array([True, True, False, True])
    p = np.where(mask, Q, 0)
    f = lambda x: nn.softmax_cross_entropy(x, p, where=mask)  # noqa: E731
    agree(oracle, f, lambda x: -(p[..., mask] * oracle.nn.log_softmax(x[..., mask])).sum(-1), X,
          orders=1)
    i = np.zeros((2, 3), np.int32)
    close(nn.softmax_cross_entropy_with_integer_labels(X, i, where=mask),
          -np.asarray(oracle.nn.log_softmax(X[..., mask]))[..., 0], 1e-9)


def test_under_vmap():
    x, i = ft.numpy.array(X), ft.numpy.array(I3)
    close(ft.vmap(nn.cross_entropy)(x, i), nn.cross_entropy(x, i), 1e-12)
    close(ft.vmap(nn.cross_entropy, (None, 0))(x[0], i), np.stack([
        nn.cross_entropy(x[0], i[k]) for k in range(2)]), 1e-12)


def test_errors():
    x = ft.numpy.array(X)
    for wrong, text in [
        (lambda: nn.mse_loss(x, x[0]), "compares arrays of one shape"),
        (lambda: nn.mse_loss(x, x, "max"), "'none', 'mean' or 'sum', but is 'max'"),
        (lambda: nn.cross_entropy(x, I3[0]), "integers in the shape of the logits without"),
        (lambda: nn.cross_entropy(x, I3, label_smoothing=1.0), r"in \[0, 1\), but is 1.0"),
        (lambda: nn.cross_entropy(x, I3, weights=np.ones(2)), "Give one for each loss"),
        (lambda: nn.nll_loss(x, I3[0]), "without axis 2"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            wrong()
