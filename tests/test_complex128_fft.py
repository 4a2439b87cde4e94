"""Fourier transforms in double precision: against NumPy, and their derivatives against JAX."""

import functape as ft

# isort: split
import numpy as np
import pytest

from functape import numpy as fnp
from functape import tree
from functape.numpy import fft

RNG = np.random.default_rng(11)
REAL = RNG.standard_normal((3, 4, 6))
COMPLEX = REAL + 1j * RNG.standard_normal(REAL.shape)


def agree(got, want, tolerance=1e-13):
    """In value, shape and dtype, relative to the largest element."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, 0, tolerance * np.abs(want).max(initial=1e-300))


# --- values ---------------------------------------------------------------------------------------

# Products of small primes, primes below and above the length of direct products, and both in one.
LENGTHS = [1, 2, 3, 5, 12, 60, 61, 64, 65, 97, 105, 128, 134, 1000, 1009, 67 * 71, 2**13]


@pytest.mark.parametrize("n", LENGTHS)
def test_any_length(n):
    x, y = RNG.standard_normal((2, 2, n))
    z, half = x + 1j * y, (x + 1j * y)[:, : n // 2 + 1]
    agree(fft.fft(z), np.fft.fft(z))
    agree(fft.fft(x), np.fft.fft(x))
    agree(fft.ifft(z), np.fft.ifft(z))
    agree(fft.rfft(x), np.fft.rfft(x))
    agree(fft.irfft(half, n), np.fft.irfft(half, n))
    agree(fft.ifft(fft.fft(z)), z)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_one_axis(name, norm):
    for options in ({}, {"axis": 0}, {"n": 3, "axis": 1}, {"n": 9, "axis": -3}):
        for x in (REAL,) if name in ("rfft", "ihfft") else (REAL, COMPLEX):
            want = getattr(np.fft, name)(x, **options, norm=norm)
            agree(getattr(fft, name)(fnp.array(x), **options, norm=norm), want)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "irfft2"])
def test_several_axes(name):
    given = (REAL,) if name == "rfftn" else (REAL, COMPLEX)
    for options in ({}, {"axes": (2, 0)}, {"s": (5, 3), "axes": (0, 1), "norm": "ortho"}):
        for x in given:
            want = getattr(np.fft, name)(x, **options)
            agree(getattr(fft, name)(fnp.array(x), **options), want)


def test_precision_is_that_of_the_array():
    for dtype, found in (("float32", "complex64"), ("complex64", "complex64"),
                         ("float64", "complex128"), ("complex128", "complex128")):
        x = fnp.ones(4, dtype=dtype)
        assert fft.fft(x).dtype == fft.ifftn(x, axes=()).dtype == getattr(ft, found)
    assert fft.irfft(fnp.ones(4, dtype="complex128")).dtype == ft.float64


def test_no_elements():
    x = np.zeros((0, 5))
    agree(fft.fft(x + 0j), np.fft.fft(x))
    agree(fft.irfft(fft.rfft(fnp.array(x)), 5), x)


def test_quarter_turns_are_exact():
    np.testing.assert_array_equal(fft.fft(np.array([0.0, 1, 0, 0])), [1, -1j, -1, 1j])
    wave = np.asarray(fft.fft(np.eye(96)[1]))
    np.testing.assert_array_equal(wave[[0, 24, 48, 72]], [1, -1j, -1, 1j])


# --- derivatives ----------------------------------------------------------------------------------

DERIVATIVES = {
    "fft": (lambda fft, z: fft.fft(z * z, axis=0), COMPLEX[0]),
    "fft of reals": (lambda fft, x: fft.fft(x * x, n=5), REAL[0]),
    "ifft": (lambda fft, z: fft.ifftn(z * z, norm="ortho"), COMPLEX[0]),
    "rfft": (lambda fft, x: fft.rfft(x * x), REAL[0]),
    "irfft": (lambda fft, z: fft.irfft(z * z, 7), COMPLEX[0]),
    "irfftn": (lambda fft, z: fft.irfftn(z * z), COMPLEX[0]),
    "rfftn": (lambda fft, x: fft.rfftn(x * x, axes=(1, 0)), REAL[0]),
    "by a chirp": (lambda fft, z: fft.fft(z * z), COMPLEX[0, 0].repeat(23)[:131]),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_are_those_of_jax(name, oracle):
    """To second order: value, cotangent, and how both move."""
    f, x = DERIVATIVES[name]

    def both(library, transforms, weight):
        def found(x):
            out, pull = transforms.vjp(lambda x: f(library.fft, x), x)
            return out, pull(weight)[0]

        return found

    out = np.asarray(f(fft, fnp.array(x)))
    weight = np.cos(np.arange(out.size)).reshape(out.shape).astype(out.dtype)
    move = np.sin(np.arange(x.size)).reshape(x.shape).astype(x.dtype)
    got = ft.jvp(both(fnp, ft, fnp.array(weight)), (fnp.array(x),), (fnp.array(move),))
    want = oracle.jvp(both(oracle.numpy, oracle, weight), (x,), (move,))
    for a, b in zip(tree.leaves(got), tree.leaves(want), strict=True):
        agree(a, b, 1e-12)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_under_vmap_and_jit(name):
    transform = getattr(fft, name)
    x = fnp.array(REAL[0] if name == "rfft" else COMPLEX[0])

    def energy(a):
        return (fnp.abs(transform(a * a)) ** 2).sum()

    want = np.stack([np.asarray(ft.grad(energy)(row)) for row in x])
    agree(ft.vmap(ft.grad(energy))(x), want)
    agree(ft.jit(ft.vmap(ft.grad(energy)))(x), want)
    columns = np.stack([np.asarray(transform(column)) for column in x.T])
    agree(ft.vmap(transform, 1)(x), columns)


def test_backward_through_a_spectrum():
    """Parseval: the energy of the spectrum is n times that of the signal."""
    x = ft.tensor(REAL, requires_grad=True)
    (fnp.abs(fft.fft(x)) ** 2).sum().backward()
    agree(x.grad, 2 * 6 * REAL)
    z = ft.tensor(COMPLEX, requires_grad=True)
    (fnp.abs(fft.ifftn(z)) ** 2).sum().backward()
    agree(z.grad, np.conj(COMPLEX) * 2 / COMPLEX.size)
