"""Functions of complex128, element by element: to a few units in the last place, and at infinities,
NaNs and signed zeros as C99's Annex G and the array API standard have them."""

import functape as ft

# isort: split
import numpy as np
import pytest

from functape import numpy as fnp

EPS = 2.0**-52
INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(5)
FUNCTIONS = ("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan", "sinh",
             "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "abs",
             "sign", "square", "reciprocal", "conjugate", "negative", "real", "imag")


def wide(n):
    """Normal numbers; small and large ones; rows of periods; around the unit circle, where
    logarithms cancel; around branch points and cuts."""
    turn = np.exp(2j * np.pi * RNG.uniform(size=n))
    noise = RNG.normal(size=n) + 1j * RNG.normal(size=n)
    return np.concatenate([
        noise, turn * 10 ** RNG.uniform(-12, 2, n), RNG.uniform(-30, 30, n) + 30j * turn.real,
        turn * (1 + 1e-9 * noise.real), RNG.choice([-1, 1, 1j, -1j, -2, 0.5j], n) + 1e-7 * noise])


def exact(name, z):
    """With the 64 bits of C's long double."""
    z = z.astype(np.clongdouble)
    if name == "log1p":
        excess = 2 * z.real + z.real**2 + z.imag**2  # of |1 + z|^2 over 1
        near = np.log1p(excess) / 2 + 1j * np.arctan2(z.imag, 1 + z.real)
        return np.where(np.abs(1 + z) < 0.5, np.log(1 + z), near)
    if name == "expm1":
        half = np.sin(z.imag / 2)
        real = np.expm1(z.real) * np.cos(z.imag) - 2 * half * half
        return real + 1j * np.exp(z.real) * np.sin(z.imag)
    return {"reciprocal": lambda: 1 / z, "sign": lambda: z / np.abs(z)}.get(
        name, lambda: getattr(np, name)(z))()


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="no long double")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_few_units_in_the_last_place(name):
    z = wide(2000)
    got, want = np.asarray(getattr(fnp, name)(fnp.asarray(z))), exact(name, z)
    assert got.dtype == (np.float64 if name in ("abs", "real", "imag") else np.complex128)
    assert (np.abs(got - want) <= (6 if name == "expm1" else 4) * EPS * np.abs(want)).all()
    if name not in ("expm1", "log1p", "square"):  # there parts may cancel, though not the whole
        for part in (np.real, np.imag):
            a, b = part(got), part(want)
            assert (np.abs(a - b) <= 4 * EPS * np.abs(b) + 1e-323).all()


# What is known of these is more than C99 says, or NumPy's answer differs from it.
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INF, -INF, NAN, 3e-200, -1e200]
OUT_OF_REACH = {
    "expm1": lambda a, b: ~np.isfinite(a),  # NumPy's is wrong: see below
    "log1p": lambda a, b: np.abs(a) < 1e-100,  # NumPy's loses small numbers
    "square": lambda a, b: (np.abs(a) > 1e100) | (np.abs(b) > 1e100),  # differ by platform
    "reciprocal": lambda a, b: (a == 0) & (b == 0),  # here inf + nan j
    "sign": lambda a, b: np.isinf(a) | np.isinf(b),
}


@pytest.mark.parametrize("name", FUNCTIONS + ("isfinite", "isinf", "isnan"))
def test_edges_and_signs_of_zeros_are_those_of_numpy(name):
    a, b = (p.ravel() for p in np.meshgrid(PARTS, PARTS))
    z = np.empty(a.size, complex)
    z.real, z.imag = a, b
    with np.errstate(all="ignore"):
        want = np.asarray(getattr(np, name)(z))
    got = np.asarray(getattr(fnp, name)(fnp.asarray(z)))
    open_ = OUT_OF_REACH.get(name, lambda a, b: a != a)(a, b) | signs_are_open(name, a, b)
    for part in (np.real, np.imag):
        g, w = part(got), part(want)
        bad = ~np.isclose(g, w, 1e-14, 0, equal_nan=True)
        bad |= (np.signbit(g) != np.signbit(w)) & ~np.isnan(w) & (w.dtype != bool)
        assert not (bad & ~open_).any(), z[bad & ~open_]


def signs_are_open(name, a, b):
    """Where the standard leaves the sign of a zero or an infinity open."""
    if name in ("exp", "tan", "tanh"):
        return ~np.isfinite(a) & ~np.isfinite(b)
    if name in ("arcsin", "arccos", "arctan", "arctanh", "sin", "cos", "sinh", "cosh", "sqrt"):
        return np.isnan(a) | np.isnan(b)
    return np.zeros(a.shape, bool)


@pytest.mark.parametrize("z, want", [
    (complex(INF, 0.0), complex(INF, 0.0)), (complex(-INF, 2.0), complex(-1.0, 0.0)),
    (complex(INF, INF), complex(INF, NAN)), (complex(-INF, INF), complex(-1.0, 0.0)),
    (complex(INF, NAN), complex(INF, NAN)), (complex(-INF, NAN), complex(-1.0, 0.0)),
    (complex(INF, 1.0), complex(INF, INF)), (1e-300 + 1e-300j, 1e-300 + 1e-300j)])
def test_expm1_at_its_ends(z, want):
    """By the standard; NumPy has NaN at most of them."""
    np.testing.assert_equal(np.asarray(fnp.expm1(fnp.asarray(np.array(z)))), np.array(want))


@pytest.mark.parametrize("z", [1e-310 + 2e-310j, 3e-200 - 4e-200j])
def test_log1p_of_small_numbers(z):
    np.testing.assert_equal(np.asarray(fnp.log1p(fnp.asarray(np.array(z)))), np.array(z))


@pytest.mark.parametrize("name, sign", [("sin", -1), ("tan", -1), ("arcsin", -1), ("sinh", -1),
                                        ("cos", 1), ("cosh", 1), ("arctan", -1), ("arcsinh", -1)])
def test_parity_and_conjugates(name, sign):
    z = fnp.asarray(wide(50))
    f = getattr(fnp, name)
    np.testing.assert_array_equal(np.asarray(f(-z)), np.asarray(sign * f(z)))
    np.testing.assert_array_equal(np.asarray(f(fnp.conj(z))), np.asarray(fnp.conj(f(z))))


# --- two arguments --------------------------------------------------------------------------------


def test_arithmetic():
    x, y = wide(200), RNG.permutation(wide(200))
    a, b = fnp.asarray(x), fnp.asarray(y)
    for got, want in ((a + b, x + y), (a - b, x - y), (a + 2, x + 2), (1 - a, 1 - x),
                      (a * b.real, x * y.real), (2 * a, 2 * x), (a == b, x == y)):
        np.testing.assert_array_equal(np.asarray(got), want)
    np.testing.assert_allclose(np.asarray(a * b), x * y, 4 * EPS)
    for got, want in ((a / b, x / y), (1 / a, 1 / x), (a / b.real, x / y.real), (2j / a, 2j / x)):
        np.testing.assert_allclose(np.asarray(got), want, 4 * EPS)


def test_division_where_squares_overflow():
    for x, y in ((1e300 + 1e300j, 2e300 - 1e300j), (1e-300j, 1e-300 + 2e-300j), (1.0, 1e308j)):
        got = fnp.asarray(np.array(x, complex)) / fnp.asarray(np.array(y))
        np.testing.assert_allclose(np.asarray(got), np.array(x) / np.array(y), 4 * EPS)


def test_division_by_zero():
    z = np.array([1 + 2j, -1j, 0, complex(INF, 1)])
    with np.errstate(all="ignore"):
        want = z / np.zeros(4, complex)
    np.testing.assert_equal(np.asarray(fnp.asarray(z) / np.zeros(4, complex)), want)


@pytest.mark.parametrize("y", [0, 1, 2, 3, 5, -1, -2, 0.5, -0.5, 1.5, 2j, 0.3 - 0.2j, 7, 64])
def test_powers(y):
    x = wide(200)
    x = x[np.abs(x) < 40]
    rtol = 1e-13 * max(1, abs(y))
    np.testing.assert_allclose(np.asarray(fnp.asarray(x) ** y), x**y, rtol, 1e-300)
    np.testing.assert_allclose(np.asarray(fnp.power(fnp.asarray(x), np.array(y, complex))), x**y,
                               10 * rtol, 1e-300)


def test_powers_of_zero():
    for y, want in ((0j, 1), (2 + 1j, 0), (0.5, 0), (3, 0)):
        assert complex(fnp.power(fnp.asarray(np.array(0j)), np.array(y, complex))) == want
    assert np.isnan(complex(fnp.asarray(np.array(0j)) ** fnp.asarray(np.array(1j))))


def test_order_is_by_the_real_and_then_the_imaginary_part():
    x = np.array([1 + 2j, 1 + 1j, 2, 2 - 1j, 0, 1 + 2j])
    y = np.roll(x, 1)
    a, b = fnp.asarray(x), fnp.asarray(y)
    for name in ("less", "less_equal", "greater", "greater_equal", "maximum", "minimum"):
        np.testing.assert_array_equal(np.asarray(getattr(fnp, name)(a, b)),
                                      getattr(np, name)(x, y))
    for name in ("sort", "argmax", "argmin", "max", "min", "unique"):
        np.testing.assert_array_equal(np.asarray(getattr(fnp, name)(a)), getattr(np, name)(x))
    for side in ("left", "right"):
        np.testing.assert_array_equal(
            np.asarray(fnp.searchsorted(fnp.sort(a), b + 0.5j, side=side)),
            np.searchsorted(np.sort(x), y + 0.5j, side=side))
    assert np.isnan(complex(fnp.max(fnp.asarray(np.array([1, complex(NAN, 1), 3])))))


# --- reductions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape, axis", [((3, 4), 0), ((3, 4), (0, 1)), ((2, 0, 3), 1),
                                         ((2, 3, 5), (0, 2)), ((7,), 0), ((2, 3), ())])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "all", "any", "var", "std"])
@pytest.mark.filterwarnings("ignore:Mean of empty", "ignore:invalid value", "ignore:Degrees of")
def test_reductions(name, shape, axis):
    z = RNG.normal(size=shape) + 1j * RNG.normal(size=shape)
    for keepdims in (False, True):
        want = getattr(np, name)(z, axis=axis, keepdims=keepdims)
        got = np.asarray(getattr(fnp, name)(fnp.asarray(z), axis=axis, keepdims=keepdims))
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, 1e-14, 1e-15)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_running_sums_and_products(n):
    z = RNG.normal(size=(n, 3)) + 1j * RNG.normal(size=(n, 3))
    for name in ("cumsum", "cumprod"):
        np.testing.assert_allclose(np.asarray(getattr(fnp, name)(fnp.asarray(z), axis=0)),
                                   getattr(np, name)(z, axis=0), 1e-14)


def test_exponential_sums():
    z = np.array([[1 + 2j, 900 + 1j, 899.0], [-1e4, -1e4 + 1j, -1e4 - 2j]])
    high = z.real.max(1, keepdims=True)
    e = np.exp(z - high)
    total = np.log(e.sum(1, keepdims=True)) + high
    x = fnp.asarray(z)
    np.testing.assert_allclose(np.asarray(ft.nn.logsumexp(x, axis=1)), total[:, 0], 1e-14)
    np.testing.assert_allclose(np.asarray(ft.nn.softmax(x, axis=1)), e / e.sum(1, keepdims=True),
                               1e-14)
    np.testing.assert_allclose(np.asarray(ft.nn.log_softmax(x, axis=1)), z - total, 1e-12, 1e-13)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_search_of_float64_among_complex64_is_in_double_precision(side):
    a, near = np.array([1, 2], np.complex64), np.array([1 - 1e-12, 1, 1 + 1e-12])
    for x, y in (a, near), (near, a):
        np.testing.assert_array_equal(fnp.searchsorted(x, y, side=side),
                                      np.searchsorted(x, y, side=side))
