"""Initializers: their distributions by jax.nn.initializers' definitions; dropout."""

import functape as ft

# isort: split
import math

import mlx.core as mx
import numpy as np
import pytest
from agreement import close

init = ft.nn.initializers
KEY = ft.random.key(7)


def test_constants():
    close(init.zeros(KEY, (2, 3)), np.zeros((2, 3)))
    close(init.ones(KEY, (2,), ft.numpy.float16), np.ones(2))
    close(init.constant(2.5)(KEY, (2,)), np.full(2, 2.5))
    close(init.constant(np.array([1.0, 2.0]))(KEY, (3, 2)), [[1, 2]] * 3)


SHAPES = {"fan_in": 40, "fan_out": 90, "fan_avg": 65, "fan_geo_avg": 60}


@pytest.mark.parametrize("mode", SHAPES)
@pytest.mark.parametrize("distribution", ["normal", "truncated_normal", "uniform"])
def test_variance_scaling(mode, distribution):
    x = np.asarray(init.variance_scaling(1.7, mode, distribution)(KEY, (40, 90)))
    spread = math.sqrt(1.7 / SHAPES[mode])
    assert abs(x.mean()) < 0.06 * spread and abs(x.std() / spread - 1) < 0.05
    reach = {"normal": 9, "truncated_normal": 2 / 0.8796, "uniform": math.sqrt(3)}[distribution]
    assert abs(x).max() <= reach * spread * 1.0001


NAMED = {"glorot_normal": 2 / 110, "glorot_uniform": 2 / 110, "xavier_uniform": 2 / 110,
         "lecun_normal": 1 / 40, "lecun_uniform": 1 / 40, "he_normal": 2 / 40,
         "he_uniform": 2 / 40, "kaiming_normal": 2 / 40}


@pytest.mark.parametrize("name", NAMED)
def test_named(name):
    x = np.asarray(getattr(init, name)()(KEY, (40, 70)))
    assert abs(x.var() / NAMED[name] - 1) < 0.1


def test_fans_of_convolutions(oracle):
    """MLX's filters (O, window, I), by naming the axes; the same numbers as JAX counts."""
    options = {"in_axis": -1, "out_axis": 0}
    for shape in ((8, 3, 3, 16), (40, 5, 20)):
        ours = np.asarray(init.he_normal(**options)(KEY, shape)).std()
        theirs = oracle.nn.initializers.he_normal(**options)(oracle.random.key(0), shape).std()
        assert abs(ours / theirs - 1) < 0.1


def test_simple_distributions():
    uniform = np.asarray(init.uniform(3.0)(KEY, (1000,)))
    assert 0 <= uniform.min() < 0.1 and 2.9 < uniform.max() < 3
    assert abs(np.asarray(init.normal(2.0)(KEY, (1000,))).std() - 2) < 0.2
    cut = np.asarray(init.truncated_normal(2.0, lower=-1.0, upper=0.5)(KEY, (1000,)))
    assert cut.min() >= -2 and cut.max() <= 1


@pytest.mark.parametrize(("shape", "axis"), [((4, 4), -1), ((6, 3), -1), ((3, 6), -1),
                                             ((2, 3, 4), -1), ((4, 3, 2), 0)])
def test_orthogonal(shape, axis):
    x = np.moveaxis(np.asarray(init.orthogonal(1.5, axis)(KEY, shape)), axis, -1)
    x = x.reshape(-1, x.shape[-1])
    small = x.T @ x if x.shape[0] >= x.shape[1] else x @ x.T
    close(small, 2.25 * np.eye(len(small)), 1e-5)


def test_delta_orthogonal():
    w = np.asarray(init.delta_orthogonal()(KEY, (3, 3, 2, 4)))
    close(w[1, 1] @ w[1, 1].T, np.eye(2), 1e-5)
    assert np.count_nonzero(w) == 8


def test_dtypes_and_keys():
    for f in (init.normal(), init.he_uniform(), init.orthogonal()):
        assert f(KEY, (3, 3), ft.numpy.float16).dtype == ft.numpy.float16
        assert f(KEY, (3, 3), ft.numpy.float64).dtype == ft.numpy.float64
        close(f(KEY, (3, 3)), f(KEY, (3, 3)))
        assert not np.allclose(f(KEY, (3, 3)), f(mx.random.key(8), (3, 3)))
    assert init.normal(dtype=ft.numpy.bfloat16)(KEY, (2,)).dtype == ft.numpy.bfloat16


def test_errors():
    for wrong, text in [
        (lambda: init.he_normal()(KEY, (3,)), "two axes or more"),
        (lambda: init.variance_scaling(1.0, "fan", "normal"), "mode must be .fan_in"),
        (lambda: init.variance_scaling(1.0, "fan_in", "gamma"), "'truncated_normal'"),
        (lambda: init.orthogonal()(KEY, (3,)), "two axes or more"),
        (lambda: init.delta_orthogonal()(KEY, (3, 4, 2)), "I at most O"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            wrong()


# --- dropout ------------------------------------------------------------------------------------


def test_dropout():
    x = ft.numpy.full((100, 100), 3.0)
    y = np.asarray(ft.nn.dropout(KEY, x, 0.25))
    assert set(np.unique(y)) == {0.0, 4.0} and abs((y == 0).mean() - 0.25) < 0.02
    slopes = ft.grad(lambda x: ft.nn.dropout(KEY, x, 0.25).sum())(x)
    close(slopes, y / 3, 1e-6)
    close(ft.nn.dropout(KEY, x, 0.0), x)
    close(ft.nn.dropout(KEY, x, 0.9, deterministic=True), x)
    close(ft.nn.dropout(KEY, x, 1.0), x * 0)
    rows = np.asarray(ft.nn.dropout(KEY, x, 0.5, broadcast_dims=(1,)))
    assert (rows == rows[:, :1]).all() and 0 < rows.mean() < 6


def test_dropout_under_vmap():
    keys, x = ft.random.split(KEY, 3), ft.numpy.ones(20)
    got = ft.vmap(ft.nn.dropout, (0, None))(keys, x)
    close(got, np.stack([ft.nn.dropout(k, x) for k in keys]))


def test_dropped_infinity_is_zero():
    y = np.asarray(ft.nn.dropout(KEY, ft.numpy.full(50, float("inf")), 0.5))
    assert set(y) == {0.0, math.inf}


def test_dropout_error():
    with pytest.raises(TypeError, match=r"rate must be in \[0, 1\], but is 2"):
        ft.nn.dropout(KEY, ft.numpy.ones(2), 2)
