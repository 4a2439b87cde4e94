"""functape.scipy's signal, fft, ndimage and stats' summaries, against JAX: values, gradients."""

import doctest
import inspect

import numpy as np
import pytest
import scipy.signal

import functape as ft
import functape.numpy as fnp
from functape.errors import ArgumentError, ShapeError
from functape.scipy import fft, integrate, ndimage, signal, stats

RNG = np.random.default_rng(0)


def draw(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def close(ours, want, tolerance=1e-4):
    want = np.asarray(want)
    assert ours.shape == want.shape
    np.testing.assert_allclose(np.asarray(ours), want, rtol=tolerance, atol=tolerance)


def same_as_jax(oracle, ours, theirs, *arrays):
    """Values, and gradients in both modes, to second order in the first array."""
    close(ours(*map(fnp.array, arrays)), theirs(*arrays))
    w = draw(*np.shape(theirs(*arrays)))

    def weighed(f):
        return lambda *xs: (f(*xs) * w).sum()

    every = tuple(range(len(arrays)))
    for mine, jax_ in zip(ft.grad(weighed(ours), every)(*map(fnp.array, arrays)),
                          oracle.grad(weighed(theirs), every)(*arrays), strict=True):
        close(mine, jax_)
    t = draw(*arrays[0].shape)

    def second(f, grad, jvp):
        def slope(x):
            return jvp(lambda x: (f(x, *arrays[1:]) ** 3 * w).sum(), (x,), (t,))[1]
        return grad(slope)

    xs = [fnp.array(a) for a in arrays]
    close(second(lambda x, *_: ours(x, *xs[1:]), ft.grad, lambda f, p, t: ft.jvp(
        f, p, tuple(map(fnp.array, t))))(xs[0]), second(theirs, oracle.grad, oracle.jvp)(
            arrays[0]), 2e-3)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shapes", [((7,), (3,)), ((5, 6), (2, 3)), ((4, 4, 5), (2, 1, 3))])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_convolutions(name, shapes, mode, oracle):
    same_as_jax(oracle, lambda x, y: getattr(signal, name)(x, y, mode=mode),
                lambda x, y: getattr(oracle.scipy.signal, name)(x, y, mode=mode),
                *(draw(*s) for s in shapes))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_matrices_and_complex_numbers(mode, oracle):
    x, y = draw(5, 6), draw(3, 2)
    for name in ("convolve2d", "correlate2d"):
        close(getattr(signal, name)(x, y, mode=mode),
              getattr(oracle.scipy.signal, name)(x, y, mode=mode))
    z, w = x[0] + 1j * x[1], (y[0] + 2j * y[1]).astype(np.complex64)
    for name in ("convolve", "correlate"):
        close(getattr(signal, name)(z, w, mode=mode), getattr(scipy.signal, name)(z, w, mode))


def test_axes_of_a_convolution_by_transforms(oracle):
    x, y = draw(3, 6), draw(3, 4)
    close(signal.fftconvolve(x, y, axes=1), oracle.scipy.signal.fftconvolve(x, y, axes=1))


@pytest.mark.parametrize("options", [{}, {"type": "constant"}, {"bp": [4]}, {"axis": 0}])
def test_detrend(options, oracle):
    x = draw(5, 9)
    same_as_jax(oracle, lambda x: signal.detrend(x, **options),
                lambda x: oracle.scipy.signal.detrend(x, **options), x)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
def test_cosine_transforms(name, norm, oracle):
    same_as_jax(oracle, lambda x: getattr(fft, name)(x, norm=norm),
                lambda x: getattr(oracle.scipy.fft, name)(x, norm=norm), draw(3, 5))
    if name in ("dct", "idct"):
        for n in (3, 8):
            close(getattr(fft, name)(draw(4, 5) * 0 + 1, n=n, axis=1),
                  getattr(oracle.scipy.fft, name)(np.ones((4, 5), np.float32), n=n, axis=1))


@pytest.mark.parametrize("mode", ["constant", "nearest", "wrap", "mirror", "reflect"])
@pytest.mark.parametrize("order", [0, 1])
def test_map_coordinates(order, mode, oracle):
    x, places = draw(4, 5), 3 * draw(2, 11) + 2
    same_as_jax(oracle, lambda x, c: ndimage.map_coordinates(x, [c[0], c[1]], order, mode, 1.5),
                lambda x, c: oracle.scipy.ndimage.map_coordinates(x, [c[0], c[1]], order, mode,
                                                                  1.5), x, places)


def test_summaries(oracle):
    theirs, x = oracle.scipy.stats, (np.arange(24) * 5 % 7).reshape(4, 6)
    for axis in (0, 1, None):
        for keep in (False, True):
            ours, want = stats.mode(x, axis, keepdims=keep), theirs.mode(x, axis, keepdims=keep)
            close(ours.mode, want.mode)
            close(ours.count, want.count)
        for method in ("average", "min", "max", "dense", "ordinal"):
            close(stats.rankdata(x, method, axis=axis), theirs.rankdata(x, method, axis=axis))
        y = draw(4, 6)
        same_as_jax(oracle, lambda x, axis=axis: stats.sem(x, axis),
                    lambda x, axis=axis: theirs.sem(x, axis), y)
    close(integrate.trapezoid(y), oracle.scipy.integrate.trapezoid(y))


@pytest.mark.parametrize("call, error, text", [
    (lambda: signal.convolve(np.ones(3), np.ones((2, 2))), ShapeError, "as many axes"),
    (lambda: signal.convolve(np.ones(3), np.ones(3), "most"), ArgumentError, "mode 'most'"),
    (lambda: signal.convolve(np.ones((2, 3)), np.ones((3, 2)), "valid"), ShapeError, "must fit"),
    (lambda: signal.convolve2d(np.ones(3), np.ones(3)), ShapeError, "two matrices"),
    (lambda: signal.detrend(np.ones(3), type="cubic"), ArgumentError, "type must be"),
    (lambda: fft.dct(np.ones(3), type=3), ArgumentError, "type 2 only"),
    (lambda: ndimage.map_coordinates(np.ones((2, 2)), [np.ones(2)], 1), ShapeError, "one array"),
    (lambda: ndimage.map_coordinates(np.ones(2), [np.ones(2)], 3), ArgumentError, "0 or 1"),
    (lambda: stats.rankdata(np.ones(2), "worst"), ArgumentError, "method 'worst'"),
    (lambda: stats.mode(np.ones(2), nan_policy="omit"), ArgumentError, "nan_policy"),
])
def test_misuse(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("module, name", [
    *((signal, n) for n in signal.__all__), *((fft, n) for n in fft.__all__),
    (ndimage, "map_coordinates"), *((stats, n) for n in ("mode", "rankdata", "sem"))])
def test_examples(module, name):
    function = getattr(module, name)
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(function),
                                               dict(function.__globals__), name, None, 0)
    assert not doctest.DocTestRunner().run(test).failed
