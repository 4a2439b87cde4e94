"""functape.numpy.fft against JAX: any length, axes and norm, in both modes."""

import functape as ft

# isort: split
import numpy as np
import pytest

from functape import numpy as fnp
from functape import test_util, tree
from functape.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(5)
REAL = RNG.standard_normal((3, 4, 5)).astype(np.float32)
COMPLEX = (REAL + 1j * RNG.standard_normal((3, 4, 5))).astype(np.complex64)

OPTIONS = {
    "plain": {}, "ortho": {"norm": "ortho"}, "forward": {"norm": "forward", "axis": 0},
    "short": {"n": 3, "axis": 1}, "long": {"n": 7, "axis": -3, "norm": "forward"},
    "even": {"n": 6, "axis": 2},
}
MANY = {
    "plain": {}, "axes": {"axes": (2, 0)}, "s": {"s": (5, 3)}, "both": {"s": (3, 8),
                                                                      "axes": (-1, 0)},
    "ortho": {"norm": "ortho", "axes": (1,)}, "forward": {"norm": "forward", "s": (2, 6),
                                                         "axes": (0, 1)},
}
TWO = {"plain": {}, "axes": {"axes": (0, 1), "norm": "ortho"}, "s": {"s": (6, 4)}}
CASES = [
    (name, x, options)
    for names, table in (("fft ifft rfft irfft hfft ihfft", OPTIONS),
                         ("fftn ifftn rfftn irfftn", MANY), ("fft2 ifft2 rfft2 irfft2", TWO))
    for name in names.split()
    for options in table.values()
    for x in ((REAL,) if name.startswith(("r", "ih")) else (REAL, COMPLEX))
]
IDS = [f"{n}-{'real' if x is REAL else 'complex'}-{o}" for n, x, o in CASES]


def agree(got, want, tolerance=1e-5):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, tolerance, tolerance * (1 + np.abs(want).max(initial=0)))


@pytest.mark.parametrize(("name", "x", "options"), CASES, ids=IDS)
def test_is_that_of_jax(name, x, options, oracle):
    """Value, tangent and cotangent."""
    def f(a):
        return getattr(fnp.fft, name)(a, **options)

    def g(a):
        return getattr(oracle.numpy.fft, name)(a, **options)

    jnp, a = oracle.numpy, fnp.array(x)
    t = test_util.direction(a, 1)
    out, moved = ft.jvp(f, (a,), (t,))
    want, want_moved = oracle.jvp(g, (jnp.asarray(x),), (jnp.asarray(np.asarray(t)),))
    agree(out, want)
    agree(moved, want_moved)
    w = test_util.direction(out, 2)
    agree(ft.vjp(f, a)[1](w)[0], oracle.vjp(g, jnp.asarray(x))[1](jnp.asarray(np.asarray(w)))[0])


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_second_order_and_vmap(name):
    x = fnp.array(REAL[0])

    def energy(a):
        return (fnp.abs(getattr(fnp.fft, name)(a * a, axis=0)) ** 2).sum()

    test_util.check_grads(energy, (x,), 2)
    def f(a):
        return getattr(fnp.fft, name)(a)

    for axis in (0, 1):
        got = ft.vmap(f, axis)(x)
        want = np.stack([np.asarray(f(a)) for a in (x if axis == 0 else x.T)])
        agree(got, want)
        loop = [np.asarray(ft.grad(lambda a: (f(a) * f(a)).real.sum())(a))
                for a in (x if axis == 0 else x.T)]
        agree(ft.vmap(ft.grad(lambda a: (f(a) * f(a)).real.sum()), axis)(x), np.stack(loop))


def test_gradient_of_energy():
    """Parseval: the energy of the spectrum is n times that of the signal."""
    x = fnp.array(REAL)
    for f, n in ((fnp.fft.fft, 5), (fnp.fft.fftn, 60)):
        agree(ft.grad(lambda a, f=f: (fnp.abs(f(a)) ** 2).sum())(x), 2 * n * REAL)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_there_and_back(n):
    x = fnp.array(RNG.standard_normal((2, n)).astype(np.float32))
    agree(fnp.fft.irfft(fnp.fft.rfft(x), n), x)
    agree(fnp.fft.ifft(fnp.fft.fft(x)).real, x)
    agree(fnp.fft.hfft(fnp.fft.ihfft(x), n), x)


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies_and_shifts(n, oracle):
    for name in ("fftfreq", "rfftfreq"):
        want = getattr(np.fft, name)(n, 0.5)
        np.testing.assert_allclose(getattr(fnp.fft, name)(n, d=0.5), want, 1e-6)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 1, (0, -1)):
            f, g = getattr(fnp.fft, name), getattr(np.fft, name)
            np.testing.assert_array_equal(f(REAL, axes), g(REAL, axes))
    g = ft.grad(lambda a: (fnp.fft.fftshift(a) * fnp.arange(n)).sum())(fnp.zeros(n))
    np.testing.assert_array_equal(g, np.fft.ifftshift(np.arange(n)))


def test_integers_and_half_precision():
    assert fnp.fft.rfft(np.arange(4)).shape == (3,)
    x = fnp.array([1.0, 2.0]).astype(ft.numpy.float16)
    agree(fnp.fft.fft(x), np.array([3, -1], np.complex64))


def test_float64_gradients_keep_their_type():
    x = fnp.array(REAL.astype(np.float64))
    g = ft.grad(lambda a: (fnp.abs(fnp.fft.rfft(a)) ** 2).sum())(x)
    assert tree.leaves(g)[0].dtype == x.dtype


ERRORS = [
    (lambda: fnp.fft.fft(REAL, norm="other"), ArgumentError, "'ortho'"),
    (lambda: fnp.fft.fft(REAL, n=0), ShapeError, "1 or more"),
    (lambda: fnp.fft.fft(REAL, axis=3), ShapeError, "axis 3"),
    (lambda: fnp.fft.rfft(COMPLEX), ArgumentError, "Use fft"),
    (lambda: fnp.fft.fftn(REAL, s=(2, 3), axes=(0,)), ShapeError, "one for each"),
    (lambda: fnp.fft.fft2(REAL, axes=(0,)), ShapeError, "two axes"),
    (lambda: fnp.fft.irfft(COMPLEX[..., :1]), ShapeError, "1 or more"),
    (lambda: fnp.fft.fftfreq(0), ShapeError, "1 or more"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_errors_say_what_to_do(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
