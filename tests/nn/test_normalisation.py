"""Normalisation against formulas in JAX and against MLX's fused kernels."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn
import numpy as np
import pytest
from agreement import agree, close

from functape.nn import normalisation
from functape.test_util import check_grads

nn = ft.nn
RNG = np.random.default_rng(4)
X, W, B = RNG.normal(size=(2, 3, 4)), RNG.normal(size=4) + 1, RNG.normal(size=4)


def standard(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / (x.var(axes, keepdims=True) + eps) ** 0.5


REFERENCES = {
    "layer_norm": lambda x, w, b: standard(x, -1, 1e-5) * w + b,
    "rms_norm": lambda x, w: x / ((x ** 2).mean(-1, keepdims=True) + 1e-5) ** 0.5 * w,
    "group_norm": lambda x, w, b:
        standard(x.reshape(2, 3, 2, 2), (1, 3), 1e-5).reshape(x.shape) * w + b,
    "instance_norm": lambda x, w, b: standard(x, 1, 1e-5) * w + b,
    "batch_norm": lambda x, w, b: standard(x, (0, 1), 1e-5) * w + b,
}
OURS = {
    "layer_norm": nn.layer_norm, "rms_norm": nn.rms_norm,
    "group_norm": lambda x, w, b: nn.group_norm(x, 2, w, b),
    "instance_norm": nn.instance_norm,
    "batch_norm": lambda x, w, b: nn.batch_norm(x, None, None, w, b)[0],
}


@pytest.mark.parametrize("gpu", [False, True], ids=["cpu", "gpu"])
@pytest.mark.parametrize("name", REFERENCES)
def test_is_the_formula(name, gpu, oracle, monkeypatch):
    """By the way of a CPU, and by that of a GPU: one op."""
    if gpu and name not in ("layer_norm", "rms_norm"):
        pytest.skip("there is one way")
    monkeypatch.setattr(normalisation, "fused", lambda x: gpu)
    args = (X, W) if name == "rms_norm" else (X, W, B)
    agree(oracle, OURS[name], REFERENCES[name], *args, tolerance=1e-8)


@pytest.mark.parametrize("gpu", [False, True], ids=["cpu", "gpu"])
def test_is_that_of_mlx(gpu, monkeypatch):
    """Both ways in single precision: values and gradients."""
    monkeypatch.setattr(normalisation, "fused", lambda x: gpu)
    x, w, b = (mx.array(a.astype(np.float32)) for a in (X, W, B))
    for ours, theirs, args in [
        (nn.layer_norm, lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-5), (x, w, b)),
        (nn.rms_norm, lambda x, w: mx.fast.rms_norm(x, w, 1e-5), (x, w)),
        (nn.layer_norm, lambda x: mx.fast.layer_norm(x, None, None, 1e-5), (x,)),
        (nn.rms_norm, lambda x: mx.fast.rms_norm(x, None, 1e-5), (x,)),
    ]:
        close(ours(*args), theirs(*args), 1e-5)
        every = tuple(range(len(args))) if len(args) > 1 else 0
        got = ft.grad(lambda *a: (ours(*a) ** 3).sum(), every)(*args)  # noqa: B023
        want = mx.grad(lambda *a: (theirs(*a) ** 3).sum(), every)(*args)  # noqa: B023
        close(got, want, 1e-4)


def test_half_precision_is_computed_in_single():
    x = (1000 + RNG.normal(size=(2, 64))).astype(np.float16)
    got = nn.layer_norm(ft.numpy.array(x))
    assert got.dtype == ft.numpy.float16
    close(got, standard(x.astype(np.float64), -1, 1e-5), 1e-2)
    big = ft.numpy.array([300.0, 400.0], dtype="float16")  # the squares are beyond float16
    close(nn.rms_norm(big), np.array([300, 400]) / np.sqrt(125000), 1e-3)


def test_constant_rows_are_finite():
    x = ft.numpy.ones((2, 3))
    for f in (nn.layer_norm, nn.rms_norm, nn.standardize):
        assert np.isfinite(np.asarray(ft.grad(lambda x, f=f: (f(x) ** 2).sum())(x))).all()
    check_grads(lambda x: nn.layer_norm(x, eps=0.1), (ft.numpy.ones((2, 3), dtype="float64"),), 2)


def test_batch_norm_moves_its_statistics():
    """Like MLX's layer."""
    layer = mlx.nn.BatchNorm(4)
    x = mx.array(X.astype(np.float32))
    want = layer(x)
    y, (mean, var) = nn.batch_norm(x)
    close((y, mean, var), (want, layer.running_mean, layer.running_var), 1e-5)
    layer.eval()
    again, kept = nn.batch_norm(x, mean, var, training=False)
    close((again, *kept), (layer(x), layer.running_mean, layer.running_var), 1e-5)
    layer.train()
    layer(x)
    _, (mean, var) = nn.batch_norm(x, mean, var)
    close((mean, var), (layer.running_mean, layer.running_var), 1e-5)


def test_statistics_carry_no_gradient():
    slopes = ft.grad(lambda x: sum(s.sum() for s in nn.batch_norm(x)[1]))(ft.numpy.array(X))
    close(slopes, np.zeros_like(X))


def test_errors():
    x = ft.numpy.ones((2, 3, 4))
    for wrong, text in [
        (lambda: nn.layer_norm(x, ft.numpy.ones(3)), r"weight is float32\[3\].*has length 4"),
        (lambda: nn.rms_norm(1.0), "a scalar has none"),
        (lambda: nn.group_norm(x, 3), "groups of equal size"),
        (lambda: nn.instance_norm(x[0]), r"\(N, positions..., C\)"),
        (lambda: nn.batch_norm(x, training=False), "which a training call returns"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            wrong()
