"""functape.nn's functions of elements and rows against jax.nn: values, all derivatives, edges."""

import functape as ft

# isort: split
import numpy as np
import pytest
from agreement import agree, close

from functape.errors import ArgumentError

nn = ft.nn
RNG = np.random.default_rng(1)
X = RNG.permutation(np.linspace(-3.7, 3.4, 12)).reshape(3, 4)

PLAIN = [
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_tanh", "identity",
    "leaky_relu", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu",
    "soft_sign", "softmax", "softplus", "sparse_plus", "sparse_sigmoid", "squareplus",
    "standardize", "tanh",
]
WITH = {
    "gelu": {"approximate": False}, "elu": {"alpha": 0.7}, "celu": {"alpha": 0.7},
    "leaky_relu": {"negative_slope": 0.3}, "squareplus": {"b": 2.5}, "glu": {"axis": 1},
    "softmax": {"axis": (0, 1)}, "log_softmax": {"axis": 0},
    "standardize": {"axis": 0, "epsilon": 0.1}, "logsumexp": {"axis": 1, "keepdims": True},
    "logmeanexp": {"axis": 0},
}


@pytest.mark.parametrize("name", PLAIN)
def test_is_that_of_jax(name, oracle):
    agree(oracle, getattr(nn, name), getattr(oracle.nn, name), X, tolerance=1e-8)


DOUBLE = ["celu", "gelu", "log_sigmoid", "log_softmax", "mish", "sigmoid", "silu", "soft_sign",
          "softmax", "softplus", "squareplus", "tanh"]
SINGLE = [*DOUBLE, "elu", "hard_tanh", "leaky_relu", "log1mexp", "relu", "selu"]
Z = np.array([0.3 + 0.5j, -1.2 - 2j, 2.1 + 3j, -0.7 + 4j, 1.4 - 5j])


@pytest.mark.parametrize(("name", "dtype", "tolerance"), [
    *((name, "complex64", 2e-5) for name in SINGLE),
    *((name, "complex128", 1e-12) for name in DOUBLE)])
def test_of_complex_numbers_is_that_of_jax(name, dtype, tolerance, oracle):
    z = Z.astype(dtype)
    f, g = getattr(nn, name), getattr(oracle.nn, name)
    close(f(z), g(z), tolerance)
    np_, jnp = ft.numpy, oracle.numpy
    close(ft.grad(lambda z: np_.sum(np_.real(f(z) * z)))(z),
          oracle.grad(lambda z: jnp.sum(jnp.real(g(z) * z)))(z), tolerance)


def test_softplus_of_complex_numbers_has_a_principal_value():
    z = np.concatenate([Z, 30 * Z, [0, 1000 + 9j, -1000 + 9j]])
    with np.errstate(all="ignore"):
        want = np.log(1 + np.exp(z))
    want[-2] = 1000 + 1j * (9 - 2 * np.pi)
    for dtype, tolerance in ("complex64", 2e-5), ("complex128", 1e-12):
        close(nn.softplus(z.astype(dtype)), want, tolerance)
        close(ft.numpy.logaddexp(z.astype(dtype), 0), want, tolerance)
    close(ft.grad(nn.softplus, holomorphic=True)(Z[1]), 1 / (1 + np.exp(-Z[1])), 1e-6)


@pytest.mark.parametrize("f", [
    nn.standardize, nn.layer_norm, nn.rms_norm, lambda z: nn.mse_loss(z, z),
    lambda z: nn.cross_entropy(z, np.int32(1)), lambda z: nn.sigmoid_binary_cross_entropy(z, 1.0)])
def test_variances_and_losses_are_real(f):
    with pytest.raises(ArgumentError, match=r"takes real numbers, but got complex64\[5\]. Give"):
        f(Z.astype(np.complex64))


@pytest.mark.parametrize("name", WITH)
def test_with_arguments_is_that_of_jax(name, oracle):
    options = WITH[name]
    agree(oracle, lambda x: getattr(nn, name)(x, **options),
          lambda x: getattr(oracle.nn, name)(x, **options), X, orders=1, tolerance=1e-7)


@pytest.mark.parametrize("name", ["logsumexp", "logmeanexp"])
def test_over_everything(name, oracle):
    agree(oracle, getattr(nn, name), getattr(oracle.nn, name), X, tolerance=1e-8)


def test_log1mexp(oracle):
    agree(oracle, nn.log1mexp, oracle.nn.log1mexp, abs(X), tolerance=1e-7)


def test_parameters_have_derivatives(oracle):
    agree(oracle, nn.elu, oracle.nn.elu, X, np.array(0.7), orders=1)
    agree(oracle, nn.leaky_relu, oracle.nn.leaky_relu, X, np.array(0.3), orders=1)


MASK = np.array([[1, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]], bool)


@pytest.mark.parametrize("name", ["softmax", "logsumexp", "logmeanexp", "standardize"])
def test_where(name, oracle):
    def masked(m):
        return lambda x: getattr(m.nn, name)(x, axis=1, where=m.numpy.asarray(MASK))

    agree(oracle, masked(ft), masked(oracle), X, tolerance=1e-8)


def test_log_softmax_where_is_minus_infinity_outside(oracle):
    got = nn.log_softmax(ft.numpy.array(X), where=MASK)
    close(got, oracle.nn.log_softmax(X, where=MASK), 1e-9)
    slopes = ft.grad(lambda x: ft.numpy.where(MASK, nn.log_softmax(x, where=MASK), 0).sum())(X)
    assert np.isfinite(np.asarray(slopes)).all() and not np.asarray(slopes)[~MASK].any()


def test_softmax_of_nothing_is_zero():
    x = ft.numpy.array([[1.0, 2.0]])
    none = np.zeros((1, 2), bool)
    close(nn.softmax(x, where=none), np.zeros((1, 2)))
    close(ft.grad(lambda x: nn.softmax(x, where=none)[0, 0])(x), np.zeros((1, 2)))


@pytest.mark.parametrize("options", [
    {"mean": np.full((3, 1), 0.4)}, {"mean": np.full((3, 1), 0.4), "algorithm": "stable"},
    {"variance": np.full((3, 1), 1.4)}, {"mean": 0.1, "variance": 2.0},
], ids=str)
def test_standardize_with_moments(options, oracle):
    agree(oracle, lambda x: nn.standardize(x, **options),
          lambda x: oracle.nn.standardize(x, **options), X, orders=1)


def test_logsumexp_with_factors(oracle):
    b = np.array([[1.0, -2.0, 0.0, 3.0]])
    for options in ({}, {"axis": 1}, {"axis": 1, "keepdims": True}):
        got = nn.logsumexp(ft.numpy.array(X), b=b, return_sign=True, **options)
        want = oracle.nn.logsumexp(X, b=b, return_sign=True, **options)
        close(tuple(got), tuple(want), 1e-9)
    agree(oracle, lambda x, b: nn.logsumexp(x, b=b, axis=1),
          lambda x, b: oracle.nn.logsumexp(x, b=b, axis=1), X, abs(b) + 0.1)


@pytest.mark.parametrize(("axis", "shape"), [(-1, (2, 3)), (0, (4,)), (1, (2, 2, 2))])
def test_one_hot(axis, shape, oracle):
    x = RNG.integers(-1, 6, shape).astype(np.int32)
    got = nn.one_hot(ft.numpy.array(x), 5, axis=axis)
    close(got, oracle.nn.one_hot(x, 5, axis=axis))
    assert got.dtype == ft.numpy.float32
    assert nn.one_hot(ft.numpy.array(x), 5, dtype=bool).dtype == ft.numpy.bool_
    mapped = ft.vmap(lambda i: nn.one_hot(i, 5))(ft.numpy.array(x))
    close(mapped, oracle.nn.one_hot(x, 5))


# --- edges ----------------------------------------------------------------------------------------

KINKS = {"relu": (0.0, 0.0), "hard_tanh": (1.0, 1.0), "leaky_relu": (0.0, 1.0), "elu": (0.0, 1.0),
         "relu6": (6.0, 0.0), "sparse_plus": (1.0, 1.0), "selu": (0.0, 1.7580993)}


@pytest.mark.parametrize("name", KINKS)
def test_slope_at_a_kink(name, oracle):
    at, slope = KINKS[name]
    close(ft.grad(getattr(nn, name))(at), slope, 1e-6)
    close(oracle.grad(getattr(oracle.nn, name))(at), slope, 1e-6)


LARGE = ["celu", "elu", "hard_sigmoid", "hard_tanh", "leaky_relu", "log_sigmoid", "relu", "relu6",
         "selu", "sigmoid", "softplus", "sparse_plus", "sparse_sigmoid", "tanh", "gelu", "silu",
         "mish", "squareplus", "soft_sign"]


@pytest.mark.parametrize("name", LARGE)
def test_finite_far_out(name, oracle):
    f, g = getattr(nn, name), getattr(oracle.nn, name)
    for x in (-1e4, 1e4):
        close(f(ft.numpy.array(x)), g(np.float32(x)), 1e-5)
        close(ft.grad(f)(x), oracle.grad(g)(np.float64(x)), 1e-5)
        assert np.isfinite(float(ft.grad(ft.grad(f))(x)))


@pytest.mark.parametrize("name", ["softplus", "log_sigmoid", "sigmoid", "relu", "elu", "tanh"])
def test_infinity(name, oracle):
    x = np.array([-np.inf, np.inf])
    close(getattr(nn, name)(ft.numpy.array(x)), getattr(oracle.nn, name)(x), 1e-6)


def test_softmax_of_infinities():
    x = ft.numpy.array([[-float("inf"), 1.0], [0.0, 0.0]])
    close(nn.softmax(x), [[0.0, 1.0], [0.5, 0.5]])
    slopes = np.asarray(ft.grad(lambda x: (nn.log_softmax(x)[:, 1]).sum())(x))
    close(slopes, [[0.0, 0.0], [-0.5, 0.5]], 1e-6)


def test_dtypes():
    for name in PLAIN:
        half = getattr(nn, name)(ft.numpy.array([1.0, 2.0], dtype="float16"))
        assert half.dtype == ft.numpy.float16, name
    assert nn.sigmoid(ft.numpy.array([1, 2])).dtype == ft.numpy.float32
    assert nn.relu(ft.numpy.array([1, -2])).dtype == ft.numpy.int32


def test_errors():
    with pytest.raises(ValueError, match="two halves. Choose an axis of even length"):
        nn.glu(ft.numpy.ones(3))
    with pytest.raises(TypeError, match="'fast' or 'stable'"):
        nn.standardize(ft.numpy.ones(3), algorithm="quick")
