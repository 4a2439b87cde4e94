"""Functions in float32 against double precision, over wide ranges: docs/accuracy_table.py."""

import functape as ft

# isort: split
import importlib.util
import operator
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from functape.ops import vector_kernels

special = pytest.importorskip("scipy.special")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


table = load(Path(__file__).parent.parent / "docs" / "accuracy_table.py")
on_linux = pytest.mark.skipif(sys.platform != "linux" or mx.default_device().type != mx.cpu,
                              reason="the table is of MLX's kernels on a CPU under Linux")


@on_linux
@pytest.mark.parametrize("case", table.TABLE, ids=[f"{i} {c.label}" for i, c in
                                                   enumerate(table.TABLE)])
def test_error(case):
    """Within the bound that the documentation states, which is no wider than it must be."""
    error, at = case.error()
    assert error <= case.bound, f"{case.label}: {error:.3g} ulp at {at}"
    assert case.bound <= max(2, 2.5 * error), f"{case.label}: only {error:.3g} ulp, say so"


@on_linux
@pytest.mark.parametrize("name", table.PLANE)
def test_error_of_complex(name):
    error, at = table.error_in_plane(name)
    assert error <= table.PLANE[name], f"{name}: {error:.3g} at {at}"


def test_a_wrong_kernel_is_seen():
    """In units in the last place: the next float is 1 off, also in float32's last digit."""
    want = np.array([1.0, 1e-20, 3.0])
    got = np.nextafter(want.astype(np.float32), np.float32(9))
    assert np.all(table.in_last_place(got, want, 0.0) > 0.4)
    assert table.in_last_place(np.zeros(1, np.float32), np.array([1e-8]), 0.0) > 1e6


def both(f, x):
    """On an array large enough for the other kernel, and on a small one."""
    x = np.asarray(x, np.float32)
    return np.asarray(f(np.tile(x, vector_kernels.MANY))[: x.size]), np.asarray(f(x))


def test_ends():
    """Infinities, NaN and overflow, by both kernels."""
    inf, nan = np.inf, np.nan
    for f, at, want in [
        (ft.numpy.exp, [-inf, inf, nan, 0, 89, -110, 1e38], [0, inf, nan, 1, inf, 0, inf]),
        (ft.nn.sigmoid, [-inf, inf, nan, 0, -1e38, 1e38], [0, 1, nan, 0.5, 0, 1]),
        (ft.scipy.special.erf, [-inf, inf, nan, 0, -1e38, 5], [-1, 1, nan, 0, -1, 1]),
        (lambda x: ft.nn.gelu(x, approximate=False), [-1e38, 1e38, 0], [0, 1e38, 0]),
    ]:
        for got in both(f, at):
            np.testing.assert_array_equal(got, np.asarray(want, np.float32))


@pytest.mark.parametrize("name", [
    *(f"numpy.{name}" for name in ("tan", "sinh", "tanh", "arcsin", "arctan", "arcsinh",
                                   "arctanh", "expm1", "log1p", "sqrt", "cbrt")),
    *(f"scipy.special.{name}" for name in ("erf", "erfinv", "i1", "dawsn")),
    "nn.soft_sign", "nn.silu", "nn.gelu"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_zero_keeps_its_sign(name, dtype):
    """By both kernels, of functions with f(x) ~ c x at 0, c > 0, and of roots. MLX's sine has 0.0
    at -0.0 on a CPU; to mend it would double the time of small arrays."""
    f = operator.attrgetter(name)(ft)
    for size in (1, vector_kernels.MANY):
        zeros = ft.numpy.full(size, -0.0).astype(dtype)
        assert np.signbit(np.asarray(f(zeros).astype("float32"))).all()
        assert not np.signbit(np.asarray(f(-zeros).astype("float32"))).any()


def test_sinc_is_0_at_whole_numbers():
    x = np.array([1, -2, 7, 4096, 5301386], np.float32)
    np.testing.assert_array_equal(np.asarray(ft.numpy.sinc(x)), np.zeros(5))
    slope = np.asarray(ft.vmap(ft.grad(ft.numpy.sinc))(x))  # cos(pi x) / x
    np.testing.assert_allclose(slope, np.where(x % 2 == 0, 1, -1) / x, 1e-6)


def test_divergences_of_close_distributions():
    """p log(p / q) - p + q is (q - p)^2 / 2p to first order, not 0 or negative."""
    p, q = np.float32(3.0), np.float32(3.0) + np.float32(2.0**-20)
    gap = float(q) - float(p)
    np.testing.assert_allclose(float(ft.scipy.special.kl_div(p, q)), gap**2 / 6, 1e-5)
    np.testing.assert_allclose(float(ft.scipy.special.rel_entr(p, q)), -gap, 1e-5)
    dp, dq = ft.grad(ft.scipy.special.kl_div, (0, 1))(p, q)
    np.testing.assert_allclose([float(dp), float(dq)], [-gap / 3, gap / 3], 1e-5)


def test_complex_sigmoid_far_out():
    z = np.array([-200 + 1j, 200 + 1j, 0.3j], np.complex64)
    np.testing.assert_allclose(np.asarray(ft.nn.sigmoid(z)), [0, 1, 1 / (1 + np.exp(-0.3j))],
                               atol=1e-7)


@pytest.mark.parametrize("name", ["exp", "cos", "sin", "cosh"])
def test_float64_to_the_last_digits(name):
    """Also where a rounded e counts most, and where the cosine is nearly 0."""
    x = np.concatenate([np.linspace(-700, 700, 999), np.pi * (np.arange(-40, 40) + 0.5)])
    want = getattr(np, name)(x)
    got = np.asarray(getattr(ft.numpy, name)(ft.numpy.asarray(x)))
    assert (np.abs(got - want) <= 4 * np.spacing(np.abs(want))).all()
