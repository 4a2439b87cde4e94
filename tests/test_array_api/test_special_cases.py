"""Special values, as the array API's docstrings state them: NaN, infinities, zeros and their signs.

NumPy follows the standard here, so it says what is expected; where the standard leaves a case open,
or asks for something else, that is said beside the case.
"""

import warnings

import numpy as np
import pytest

import functape.numpy as fnp

INF, NAN = float("inf"), float("nan")
VALUES = np.array([NAN, -INF, -1e10, -3.0, -2.5, -1.5, -1.0, -0.5, -1e-10, -0.0, 0.0, 1e-10, 0.5,
                   1.0, 1.5, 2.5, 3.0, 1e10, INF])
PARTS = np.array([NAN, -INF, -1e5, -2.0, -1.0, -0.3, 0.0, 0.3, 1.0, 2.0, 1e5, INF], np.float32)
UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan
log log1p log2 log10 negative positive reciprocal round sign signbit sin sinh square sqrt tan tanh
trunc"""
BINARY = """add atan2 copysign divide hypot logaddexp maximum minimum multiply nextafter pow
remainder subtract equal not_equal less less_equal greater greater_equal"""
COMPLEX = "acos acosh asin asinh atan atanh cos cosh exp log log2 log10 sin sinh sqrt tan tanh"
UNSIGNED_ZEROS = {("float32", "sin"), ("float32", "logaddexp"), ("float32", "maximum"),
                  ("float32", "minimum"), ("float64", "maximum"), ("float64", "minimum")}


def theirs(name, *args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return getattr(np, name)(*args)


def same(ours, want, rtol, signs=True):
    """Equal up to rounding, NaN with NaN, and zeros with their signs."""
    ours = np.asarray(ours)
    if ours.dtype.kind == "c":
        return same(ours.real, want.real, rtol, signs) & same(ours.imag, want.imag, rtol, signs)
    if ours.dtype.kind == "b":
        return ours == want
    both_nan = np.isnan(ours) & np.isnan(want)
    equal = (ours == want) & ((np.signbit(ours) == np.signbit(want)) | ~np.bool_(signs))
    with np.errstate(all="ignore"):
        near = np.isfinite(ours) & (want != 0) & (abs(ours - want) <= rtol * abs(want))
    return both_nan | equal | near


def check(ours, want, rtol, signs, *args):
    bad = ~same(ours, want, rtol, signs)
    assert not bad.any(), [tuple(a[bad][:5].tolist() for a in (*args, np.asarray(ours), want))]


@pytest.mark.parametrize("dtype, rtol", [("float64", 1e-9), ("float32", 1e-4)])
@pytest.mark.parametrize("name", UNARY.split())
def test_unary(name, dtype, rtol):
    x = VALUES.astype(dtype)
    ours = getattr(fnp, name)(fnp.asarray(x))
    check(ours, theirs(name, x), rtol, (dtype, name) not in UNSIGNED_ZEROS, x)


@pytest.mark.parametrize("dtype, rtol", [("float64", 1e-9), ("float32", 1e-4)])
@pytest.mark.parametrize("name", BINARY.split())
def test_binary(name, dtype, rtol):
    x, y = (a.ravel() for a in np.meshgrid(VALUES.astype(dtype), VALUES.astype(dtype)))
    ours = getattr(fnp, name)(fnp.asarray(x), fnp.asarray(y))
    check(ours, theirs(name, x, y), rtol, (dtype, name) not in UNSIGNED_ZEROS, x, y)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_sign_of_a_nan(dtype):
    """The sign bit counts, whatever else the bits say. MLX makes bfloat16 NaNs positive."""
    x = fnp.asarray([NAN, float("-nan"), -0.0, INF]).astype(dtype)
    assert fnp.signbit(x).tolist() == [False, True, True, False]
    assert fnp.copysign(2, x).tolist() == [2, -2, -2, 2]


def test_the_imaginary_part_of_a_real_number():
    assert not np.signbit(np.asarray(fnp.imag(fnp.asarray([INF, NAN, -1.0])))).any()
    assert fnp.imag(fnp.asarray([INF, NAN, -1.0])).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_floor_divide(dtype):
    """floor(x / y), which the standard prefers to Python's // for infinities."""
    x, y = (a.ravel() for a in np.meshgrid(VALUES.astype(dtype), VALUES.astype(dtype)))
    ours = np.asarray(fnp.floor_divide(fnp.asarray(x), fnp.asarray(y)))
    with np.errstate(all="ignore"):
        bad = ~(same(ours, np.floor(x / y), 1e-4) | same(ours, x // y, 1e-4))
    assert not bad.any()
    edges = np.isfinite(x) & (x != 0) & np.isinf(y)
    assert (ours[edges] == 0).all()


@pytest.mark.parametrize("dtype, rtol", [("complex64", 1e-4), ("complex128", 1e-14)])
@pytest.mark.parametrize("name", COMPLEX.split())
def test_complex(name, dtype, rtol):
    a, b = (p.ravel() for p in np.meshgrid(PARTS, PARTS[PARTS >= 0]))
    z = np.empty(a.size, dtype)
    z.real, z.imag = a, b
    check(getattr(fnp, name)(fnp.asarray(z)), theirs(name, z), rtol, False, z)


@pytest.mark.parametrize("z, want", [
    (0 + 0j, 0j), (1 + INF * 1j, complex(NAN, NAN)), (complex(2, NAN), complex(NAN, NAN)),
    (complex(INF, 0), complex(INF, 0)), (complex(-INF, INF), -1 + 0j),
    (complex(INF, INF), complex(INF, NAN)), (complex(-INF, NAN), -1 + 0j),
    (complex(INF, NAN), complex(INF, NAN)), (complex(NAN, 0), complex(NAN, 0)),
    (complex(NAN, 2), complex(NAN, NAN)), (complex(NAN, NAN), complex(NAN, NAN)),
    (1e-5 + 1e-5j, 1.0000000000e-5 + 1.00001e-5j),
])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_expm1_of_complex_numbers(z, want, dtype):
    """NumPy does not follow the standard where the imaginary part is infinite."""
    ours = np.asarray(fnp.expm1(fnp.asarray([complex(z)], dtype=dtype)))
    check(ours, np.array([want], dtype), 1e-4, False)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("kind", ["int", "uint"])
def test_shifts_past_the_width(kind, bits):
    dtype = f"{kind}{bits}"
    x = np.array([1, 3, 100, -1 if kind == "int" else 200]).astype(dtype)
    for n in (bits - 1, bits, 2 * bits, 100):
        y = np.full(4, n, dtype)
        for name in ("bitwise_left_shift", "bitwise_right_shift"):
            ours = getattr(fnp, name)(fnp.asarray(x), fnp.asarray(y))
            np.testing.assert_array_equal(np.asarray(ours), getattr(np, name)(x, y))
            np.testing.assert_array_equal(np.asarray(getattr(fnp, name)(fnp.asarray(x), n)),
                                          getattr(np, name)(x, y))
