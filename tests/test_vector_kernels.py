"""Kernels for many numbers, exp to where: over the whole range, special values too."""

import functape as ft
import functape.numpy as fnp
from functape.ops import vector_kernels

# isort: split
import mlx.core as mx
import numpy as np
import pytest
import scipy.special

WIDE = np.concatenate([
    np.linspace(-105, 90, 200_001), np.geomspace(1e-30, 1, 20_001), -np.geomspace(1e-30, 1, 20_001),
]).astype(np.float32)
FUNCTIONS = {
    "exp": (fnp.exp, np.exp, vector_kernels.exp),
    "tanh": (fnp.tanh, np.tanh, vector_kernels.tanh),
    "sigmoid": (ft.nn.sigmoid, scipy.special.expit, vector_kernels.sigmoid),
}
each = pytest.mark.parametrize("name", FUNCTIONS)
scalar_cpu = pytest.mark.skipif(
    not vector_kernels.many(mx.zeros(100_000)), reason="MLX's own kernels are as fast here"
)


def ulps(found, exact):
    """Errors in units in the last place of the exact results."""
    least = np.finfo(np.float32).smallest_normal  # below it the unit no longer shrinks
    unit = np.spacing(np.maximum(np.abs(exact), least).astype(np.float32))
    return np.abs(found.astype(np.float64) - exact) / unit


@each
def test_a_few_units_in_the_last_place_over_the_whole_range(name):
    _, reference, kernel = FUNCTIONS[name]
    with np.errstate(over="ignore"):
        exact = reference(WIDE.astype(np.float64))
    inside = exact < np.finfo(np.float32).max
    if name == "sigmoid":  # 1 / (1 + e^-x) is 0 where e^-x overflows
        inside &= exact > np.finfo(np.float32).smallest_normal
    assert ulps(np.array(kernel(mx.array(WIDE)))[inside], exact[inside]).max() < 6


@each
def test_special_values(name):
    _, reference, kernel = FUNCTIONS[name]
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 200.0, -200.0, 1e-42], np.float32)
    found = np.array(kernel(mx.array(x)))
    with np.errstate(over="ignore", under="ignore"):
        exact = reference(x)
    np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-44)
    assert (np.signbit(found) == np.signbit(exact))[~np.isnan(exact)].all()
    assert np.abs(np.array(vector_kernels.tanh(mx.array(WIDE)))).max() == 1.0


@scalar_cpu
@each
def test_large_arrays_take_them_and_keep_dtype_and_derivatives(name):
    f, reference, kernel = FUNCTIONS[name]
    x = np.linspace(-3, 3, 40_000, dtype=np.float32)
    assert np.array_equal(np.array(f(mx.array(x))), np.array(kernel(mx.array(x))))
    found = ft.jit(ft.grad(lambda x: f(x).sum()))(mx.array(x))
    step = 1e-6 * np.ones(x.size)
    slope = (reference(x + step) - reference(x - step)) / (2 * step)
    np.testing.assert_allclose(np.array(found), slope, rtol=3e-6, atol=6e-7)  # 1 - ans^2
    assert f(mx.zeros(40_000, mx.float16)).dtype == mx.float16
    wide = f(ft.asarray(x.astype(np.float64)))
    assert wide.dtype == mx.float64
    np.testing.assert_allclose(np.array(wide), reference(x.astype(np.float64)), rtol=1e-12)


@scalar_cpu
def test_softmax_and_logsumexp_of_rows():
    x = np.random.default_rng(0).normal(size=(400, 100)).astype(np.float32) * 10
    x[0], x[1, 3], x[2, 0] = -np.inf, np.inf, np.nan
    found = np.array(ft.nn.logsumexp(mx.array(x), axis=-1))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found, scipy.special.logsumexp(x.astype(np.float64), axis=-1),
                                   rtol=1e-6)
    x = x[3:] - x[3:].max(axis=-1, keepdims=True)  # rounded here, not in what is tested
    found = np.array(ft.nn.softmax(mx.array(x), axis=-1))
    np.testing.assert_allclose(found, scipy.special.softmax(x.astype(np.float64), axis=-1),
                               rtol=2e-6, atol=1e-38)


@pytest.mark.parametrize("other", ["array", "number", "row", "half"])
def test_where_is_exact_to_the_bit(other):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 100)).astype(np.float32)
    x[0, :6] = np.inf, -np.inf, np.nan, -0.0, 1e-42, 6e4
    y = {"array": x[::-1].copy(), "number": -2.5, "row": x[:1],
         "half": x[::-1].astype(np.float16)}[other]
    condition = rng.integers(2, size=x.shape) > 0
    for c in (condition, condition[:, :1], condition.astype(np.int32) * 2):
        for a, b in ((x, y), (y, x)):
            found = fnp.where(c, a, b)
            exact = np.where(c, a, np.float32(b) if other == "number" else b)
            if other == "number":
                exact = exact.astype(np.float32)
            assert found.dtype == mx.float32
            assert np.array_equal(np.array(found).view(np.int32), exact.view(np.int32))
