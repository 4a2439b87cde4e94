"""functape.scipy's signal, fft, ndimage, integrate and stats' summaries: values against SciPy and
JAX in double precision, derivatives against those of what SciPy computes."""

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.ndimage
import scipy.signal
import scipy.stats

import functape as ft
import functape.numpy as fnp
from functape.errors import ArgumentError, AxisError, ShapeError
from functape.scipy import fft, integrate, ndimage, signal, stats

RNG = np.random.default_rng(0)
MODES = ["full", "same", "valid"]


def draw(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


def complex_draw(*shape):
    return (draw(*shape) + 1j * draw(*shape)).astype(np.complex64)


def close(ours, want, tolerance=1e-9):
    want = np.asarray(want)
    assert ours.shape == want.shape
    np.testing.assert_allclose(np.asarray(ours), want, rtol=tolerance, atol=tolerance)


def linear_in_each(ours, theirs, *arrays, tolerance=1e-9):
    """Values as SciPy's, of a function that is linear in each argument: its derivative along a
    tangent is the function with the tangent in that argument's place, the pullback its adjoint."""
    ans, pull = ft.vjp(ours, *map(fnp.array, arrays))
    close(ans, theirs(*arrays), tolerance)
    g = draw(*ans.shape, dtype=arrays[0].dtype)
    tangents = [draw(*a.shape, dtype=a.dtype) for a in arrays]
    moves = [theirs(*arrays[:i], t, *arrays[i + 1:]) for i, t in enumerate(tangents)]
    t = ft.jvp(ours, tuple(map(fnp.array, arrays)), tuple(map(fnp.array, tangents)))[1]
    close(t, sum(moves), tolerance)
    for slope, tangent, move in zip(pull(fnp.array(g)), tangents, moves, strict=True):
        assert slope.shape == tangent.shape
        close((np.asarray(slope) * tangent).sum(), (g * move).sum(), tolerance)


def same_as_jax(oracle, ours, theirs, *arrays):
    """Values, derivatives in reverse, and forward mode as their transpose."""
    ans, pull = ft.vjp(ours, *map(fnp.array, arrays))
    g = draw(*ans.shape)
    want, slopes = oracle.jit(lambda g, *xs: (lambda y, back: (y, back(g)))(
        *oracle.vjp(theirs, *xs)))(g, *arrays)
    close(ans, want)
    for mine, slope in zip(pull(fnp.array(g)), slopes, strict=True):
        close(mine, slope)
    tangents = [draw(*a.shape) for a in arrays]
    t = ft.jvp(ours, tuple(map(fnp.array, arrays)), tuple(map(fnp.array, tangents)))[1]
    close((np.asarray(t) * g).sum(), sum((s * t).sum() for s, t in zip(slopes, tangents,
                                                                      strict=True)))


# --- signal ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shapes", [((7,), (4,)), ((5, 6), (2, 3)), ((4, 4, 5), (2, 1, 3))])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_convolutions(name, shapes, mode):
    single = name == "fftconvolve"
    arrays = [draw(*s, dtype=np.float32 if single else np.float64) for s in shapes]
    linear_in_each(lambda x, y: getattr(signal, name)(x, y, mode=mode),
                   lambda x, y: getattr(scipy.signal, name)(x, y, mode=mode), *arrays,
                   tolerance=1e-4 if single else 1e-9)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_convolutions_of_matrices(name, mode):
    linear_in_each(lambda x, y: getattr(signal, name)(x, y, mode=mode),
                   lambda x, y: getattr(scipy.signal, name)(x, y, mode=mode),
                   draw(5, 6), draw(3, 2))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shapes", [
    ((5, 6), (3, 2)), ((2, 3), (5, 5)), ((4, 4), (4, 4)), ((3, 6), (4, 2))])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve", "convolve2d",
                                  "correlate2d"])
def test_either_array_may_be_the_longer_one(name, shapes, mode):
    for make in (draw, complex_draw):
        x, y = (make(*s) for s in shapes)
        if mode == "valid" and shapes == ((3, 6), (4, 2)):
            with pytest.raises(ShapeError, match=f"{name}: with mode='valid' one array must fit"):
                getattr(signal, name)(x, y, mode)
            continue
        want = getattr(scipy.signal, name)(x, y, mode)
        if name == "correlate2d" and mode == "valid" and shapes == ((2, 3), (5, 5)):
            want = want.conj()  # SciPy conjugates the wrong one of the two
        close(getattr(signal, name)(x, y, mode), want, 1e-4)


def test_methods_agree():
    x, y = draw(2, 3, 4), draw(2, 2, 2)
    close(signal.convolve(x, y, method="fft"), scipy.signal.convolve(x, y), 1e-4)
    x, y = draw(2, 3, 2, 3), draw(2, 2, 1, 2)
    close(signal.correlate(x, y), scipy.signal.correlate(x, y), 1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_axes_of_a_convolution_by_transforms(mode):
    for x, y in ((draw(3, 6), draw(3, 4)), (draw(1, 6), draw(3, 4)), (draw(3, 2), draw(1, 4))):
        rows = [np.broadcast_to(a, (3, a.shape[1])) for a in (x, y)]
        close(signal.fftconvolve(x, y, mode, axes=1),
              scipy.signal.fftconvolve(*rows, mode, axes=1), 1e-4)


@pytest.mark.parametrize("options", [
    {}, {"type": "constant"}, {"bp": [4, 5]}, {"axis": 0}, {"type": "constant", "bp": [4]}])
def test_detrend(options):
    means = {"type": "constant", "bp": 0}  # of which SciPy would take one for each piece
    theirs = options | means if "type" in options else options
    linear_in_each(lambda x: signal.detrend(x, **options),
                   lambda x: scipy.signal.detrend(x, **theirs), draw(5, 9))
    assert signal.detrend(np.ones((0, 3)), **options | {"bp": 0}).shape == (0, 3)


# --- fft, ndimage, integrate ----------------------------------------------------------------------


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
def test_cosine_transforms(name, norm):
    sizes = [{}, {"n": 3}, {"n": 8, "axis": 0}] if name in ("dct", "idct") else [
        {}, {"s": (2, 8)}, {"axes": (0,)}, {"s": (7,), "axes": (-2,)}]
    for size in sizes:
        linear_in_each(lambda x, size=size: getattr(fft, name)(x, norm=norm, **size),
                       lambda x, size=size: getattr(scipy.fft, name)(x, norm=norm, **size),
                       draw(4, 5))


@pytest.mark.parametrize("n", [fft.LONG + 1, fft.LONG + 2])
@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("name", ["dct", "idct"])
def test_long_cosine_transforms(name, norm, n):
    linear_in_each(lambda x: getattr(fft, name)(x, norm=norm),
                   lambda x: getattr(scipy.fft, name)(x, norm=norm),
                   draw(2, n, dtype=np.float32), tolerance=1e-4)


def test_fewer_lengths_than_axes_are_of_the_last_ones():
    x = draw(2, 3, 4)
    close(fft.dctn(x, s=(2, 5)), scipy.fft.dctn(x, s=(2, 5)))


@pytest.mark.parametrize("mode, scipys", [
    ("constant", "grid-constant"), ("nearest", "nearest"), ("wrap", "grid-wrap"),
    ("mirror", "mirror"), ("reflect", "reflect")])
@pytest.mark.parametrize("order", [0, 1])
def test_map_coordinates(order, mode, scipys):
    def theirs(x, c, beyond):
        return scipy.ndimage.map_coordinates(x, [c[0], c[1]], order=order, mode=scipys, cval=beyond)

    x, c = draw(4, 5), 3 * draw(2, 11) + 2
    linear_in_each(lambda x: ndimage.map_coordinates(x, [c[0], c[1]], order, mode),
                   lambda x: theirs(x, c, 0.0), x)
    at = lambda c: ndimage.map_coordinates(x, [c[0], c[1]], order, mode, 1.5)  # noqa: E731
    ans, pull = ft.vjp(at, fnp.array(c))
    close(ans, theirs(x, c, 1.5))
    t, g = draw(2, 11), draw(11)
    step = (theirs(x, c + 1e-7 * t, 1.5) - theirs(x, c - 1e-7 * t, 1.5)) / 2e-7  # of straight lines
    close(ft.jvp(at, (fnp.array(c),), (fnp.array(t),))[1], step, 1e-6)
    close((np.asarray(pull(fnp.array(g))[0]) * t).sum(), (g * step).sum(), 1e-6)


def test_halfway_between_elements():
    x, places = np.array([1, 4, 8]), np.array([0.5, 1.5, 1.25])
    assert ndimage.map_coordinates(x, [places], 0).tolist() == [4, 8, 4]
    assert ndimage.map_coordinates(x, [places], 1).tolist() == [3, 6, 5]  # 2.5, 6, 5
    assert ndimage.map_coordinates(-x, [places], 1).tolist() == [-3, -6, -5]
    assert ndimage.map_coordinates(x, [np.array([-0.5])], 0, cval=7).tolist() == [7]


def test_map_coordinates_in_the_constant():
    places = np.array([-2.0, -0.25, 1.0])
    at = lambda c: ndimage.map_coordinates(fnp.ones(3), [places], 1, cval=c)  # noqa: E731
    assert at(3.0).tolist() == [3, 1.5, 1]
    assert ft.jacrev(at)(0.0).tolist() == ft.jacfwd(at)(0.0).tolist() == [1, 0.25, 0]


def test_the_number_next_to_a_half_is_nearer_to_zero():
    below = np.nextafter(np.float32(0.5), np.float32(0))
    assert ndimage.map_coordinates(np.array([1.0, 2.0]), [np.array([below, 0.5])], 0).tolist() == [
        1, 2]


def test_trapezoid():
    linear_in_each(lambda y: integrate.trapezoid(y, dx=0.5, axis=0),
                   lambda y: scipy.integrate.trapezoid(y, dx=0.5, axis=0), draw(4, 3))
    linear_in_each(integrate.trapezoid, scipy.integrate.trapezoid, draw(2, 5), draw(5))


# --- stats ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, -1, None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_mode(axis, keepdims):
    x = (np.arange(24) * 5 % 7).reshape(4, 6)
    ours = stats.mode(x, axis, keepdims=keepdims)
    want = scipy.stats.mode(x, axis, keepdims=keepdims)
    close(ours.mode, want.mode)
    close(ours.count, want.count)


def test_mode_follows_one_of_the_equal_elements():
    g = ft.grad(lambda x: stats.mode(x).mode)(fnp.array([3.0, 1.0, 2.0, 1.0]))
    assert g.tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("x, mode, count", [
    ([np.nan, np.nan, 1.0], np.nan, 2), ([np.nan, 1.0, 1.0], 1.0, 2), ([np.nan], np.nan, 1),
    ([2.0], 2.0, 1)])
def test_not_a_number(x, mode, count):
    found = stats.mode(np.array(x))
    close(found.mode, mode)
    close(found.count, count)
    close(stats.rankdata(np.array(x)), scipy.stats.rankdata(x))


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_rankdata(method):
    x = (np.arange(24) * 5 % 7).reshape(4, 6)
    for axis in (0, 1, None):
        found = stats.rankdata(x, method, axis=axis)
        close(found, scipy.stats.rankdata(x, method, axis=axis))
        assert found.dtype == fnp.float32
    rows = np.array([[1.0, np.nan, 0.0], [3.0, 1.0, 3.0]])
    close(stats.rankdata(rows, method, axis=1), scipy.stats.rankdata(rows, method, axis=1))


@pytest.mark.parametrize("options", [{}, {"axis": 1, "ddof": 0}, {"axis": None, "keepdims": True}])
def test_sem(options, oracle):
    same_as_jax(oracle, lambda x: stats.sem(x, **options),
                lambda x: oracle.scipy.stats.sem(x, **options), draw(4, 6))


@pytest.mark.parametrize("call, error, text", [
    (lambda: signal.convolve(np.ones(3), np.ones((2, 2))), ShapeError, "as many axes"),
    (lambda: signal.correlate(np.ones(3), np.ones(0)), ShapeError, "not empty"),
    (lambda: signal.convolve(np.ones(3), np.ones(3), "most"), ArgumentError, "mode 'most'"),
    (lambda: signal.convolve(np.ones(3), np.ones(3), method="slow"), ArgumentError, "'slow'"),
    (lambda: signal.convolve(np.ones((1,) * 4), np.ones((1,) * 4), method="direct"),
     ArgumentError, "no direct sums"),
    (lambda: signal.convolve2d(np.ones(3), np.ones(3)), ShapeError, "two matrices"),
    (lambda: signal.correlate2d(np.ones((1, 1)), np.ones((1, 1)), boundary="wrap"), ArgumentError,
     "boundary must be 'fill'"),
    (lambda: signal.fftconvolve(np.ones(3), np.ones(3), axes=1), AxisError, "axis 1"),
    (lambda: signal.fftconvolve(np.ones((2, 3)), np.ones((3, 3)), axes=1), ShapeError,
     "axis 0 is not in axes"),
    (lambda: signal.detrend(np.ones(3), type="cubic"), ArgumentError, "type must be"),
    (lambda: signal.detrend(np.ones(3), bp=[5]), ShapeError, "breakpoints must lie in 0 to 3"),
    (lambda: fft.dct(np.ones(3), type=3), ArgumentError, "type 2 only"),
    (lambda: fft.idct(np.ones(3), norm="forward"), ArgumentError, "norm must be None or 'ortho'"),
    (lambda: fft.dct(np.ones(0)), ShapeError, "dct: axis 0"),
    (lambda: fft.dctn(np.ones(3, complex)), ArgumentError, "dctn takes real arrays"),
    (lambda: fft.idctn(np.ones((3, 3)), s=(2,), axes=(0, 1)), ShapeError, "a length for each axis"),
    (lambda: ndimage.map_coordinates(np.ones((2, 2)), [np.ones(2)], 1), ShapeError, "one array"),
    (lambda: ndimage.map_coordinates(np.ones(2), [np.ones(2)], 3), ArgumentError, "0 or 1"),
    (lambda: ndimage.map_coordinates(np.ones(2), [np.ones(2)], 1, "edge"), ArgumentError,
     "mode 'edge'"),
    (lambda: integrate.trapezoid(np.ones(3), axis=1), AxisError, "axis 1"),
    (lambda: stats.rankdata(np.ones(2), "worst"), ArgumentError, "method 'worst'"),
    (lambda: stats.rankdata(np.ones(2), axis=1), AxisError, "axis 1"),
    (lambda: stats.mode(np.ones(2), nan_policy="omit"), ArgumentError, "nan_policy"),
    (lambda: stats.mode(np.ones(0)), ShapeError, "at least one element"),
    (lambda: stats.sem(np.ones((2, 0))), ShapeError, "at least one element"),
    (lambda: signal.convolv, AttributeError, "Did you mean 'convolve'"),
    (lambda: fft.fft, AttributeError, "has no 'fft'"),
])
def test_misuse(call, error, text):
    with pytest.raises(error, match=text):
        call()
