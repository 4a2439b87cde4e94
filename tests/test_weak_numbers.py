"""Python numbers are weak: beside float64 arrays they are not rounded to float32 on the way."""

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import numpy
import pytest
import scipy.special
import scipy.stats

np = ft.numpy
X = numpy.array([0.1, 0.2, 0.7])

CASES = {
    "searchsorted": lambda n, x: n.searchsorted(x, 0.1),
    "fmod": lambda n, x: n.fmod(x, 0.1),
    "isclose": lambda n, x: n.isclose(x, 0.1, rtol=0, atol=1e-12),
    "allclose": lambda n, x: n.allclose(x[0], 0.1, rtol=0, atol=1e-12),
    "array_equal": lambda n, x: n.array_equal(x[0], 0.1),
    "isin": lambda n, x: n.isin(x, 0.1),
    "diff": lambda n, x: n.diff(x, prepend=0.1, append=0.3),
    "pad": lambda n, x: n.pad(x, 1, constant_values=0.1),
    "gradient": lambda n, x: n.gradient(x, 0.1),
    "interp": lambda n, x: n.interp(0.15, x, x),
    "ediff1d": lambda n, x: n.ediff1d(x, to_begin=0.1, to_end=0.3),
    "linspace": lambda n, x: n.linspace(0.1, 0.7, 7, dtype=n.float64),
    "logspace": lambda n, x: n.logspace(0.1, 0.7, 5, dtype=n.float64),
    "geomspace": lambda n, x: n.geomspace(0.1, 0.7, 5, dtype=n.float64),
    "histogram": lambda n, x: n.histogram(x, bins=3, range=(0.1, 0.7))[1],
    "append": lambda n, x: n.append(x, 0.1),
    "insert": lambda n, x: n.insert(x, 1, 0.1),
    "hstack": lambda n, x: n.hstack([x, 0.1]),
    "block": lambda n, x: n.block([x, 0.1]),
    "select": lambda n, x: n.select([x > 1], [x], 0.1),
    "piecewise": lambda n, x: n.piecewise(x, [x > 0.5], [0.3, 0.1]),
    "dot": lambda n, x: n.dot(0.1, x),
    "outer": lambda n, x: n.outer(0.1, x),
    "kron": lambda n, x: n.kron(0.1, x),
    "tensordot": lambda n, x: n.tensordot(0.1, x, axes=0),
    "einsum": lambda n, x: n.einsum(",i->i", 0.1, x),
    "multiply.outer": lambda n, x: n.multiply.outer(0.1, x),
    "NumPy's scalars": lambda n, x: n.hstack([x, numpy.float64(0.1)]),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers_beside_float64(name):
    got, want = numpy.asarray(CASES[name](np, np.asarray(X))), CASES[name](numpy, X)
    numpy.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-16)


def test_numbers_beside_float64_in_lax_and_scipy():
    x = np.asarray(X)
    numpy.testing.assert_allclose(numpy.asarray(ft.lax.pad(x, 0.1, [(1, 0, 0)])), [0.1, *X])
    numpy.testing.assert_allclose(
        numpy.asarray(ft.scipy.special.logsumexp(x, b=0.1)), scipy.special.logsumexp(X, b=0.1),
        rtol=1e-14)
    numpy.testing.assert_allclose(
        numpy.asarray(ft.scipy.stats.norm.logpdf(x, 0.1, 0.3)),
        scipy.stats.norm.logpdf(X, 0.1, 0.3), rtol=1e-14)


@pytest.mark.parametrize("first", [0.1, numpy.float64(0.1)])
def test_numbers_that_loops_carry(first):
    x = np.asarray(X)
    numpy.testing.assert_allclose(
        numpy.asarray(ft.lax.scan(lambda c, a: (c * a, c), first, x)[1]), [0.1, 0.01, 0.002],
        rtol=1e-14)
    found = ft.lax.fori_loop(0, 2, lambda k, c: c * x[0] + 0.1, first)
    assert abs(found.item() - 0.111) < 1e-15
    found = ft.lax.while_loop(lambda c: c < 0.25, lambda c: c + x[0], first)
    assert abs(found.item() - 0.3) < 1e-15
