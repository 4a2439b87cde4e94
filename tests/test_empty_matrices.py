"""Matrices without elements: LAPACK ends the process on some, so that no kernel may hand it one."""

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import numpy as np
import pytest

fnp, sl = ft.numpy, ft.scipy.linalg
SHAPES = [(0, 0), (2, 0, 0), (0, 3, 3)]


def shapes(result):
    return [np.shape(a) for a in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "svd",
                                  "qr", "pinv", "eigvals"])
def test_functions_of_one_matrix(name, shape):
    x = np.zeros(shape, np.float32)
    ours, theirs = getattr(fnp.linalg, name)(x), getattr(np.linalg, name)(x)
    assert shapes(tuple(map(np.asarray, ours)) if isinstance(ours, tuple) else np.asarray(ours)
                  ) == shapes(tuple(theirs) if isinstance(theirs, tuple) else theirs)


@pytest.mark.parametrize("shape", SHAPES)
def test_solutions(shape):
    x, y = fnp.zeros(shape), fnp.zeros((*shape[:-1], 2))
    for solve in (fnp.linalg.solve, sl.solve, sl.solve_triangular):
        assert np.asarray(solve(x, y)).shape == y.shape
    assert np.asarray(sl.cho_solve((x, True), y)).shape == y.shape
    assert np.asarray(sl.expm(x)).shape == shape
    assert ft.grad(lambda x: fnp.linalg.solve(x, y).sum())(x).shape == shape


@pytest.mark.parametrize("m, n", [(0, 0), (0, 3), (3, 0)])
def test_lu(m, n):
    ours = [np.asarray(a) for a in sl.lu(np.zeros((m, n), np.float32))]
    assert [a.shape for a in ours] == [(m, m), (m, 0), (0, n)]
    np.testing.assert_array_equal(ours[0], np.eye(m))
    assert np.asarray(sl.lu_factor(np.zeros((m, m), np.float32))[1]).shape == (m,)


def test_determinants_are_1():
    np.testing.assert_array_equal(fnp.linalg.det(np.zeros((2, 0, 0), np.float32)), [1, 1])


def test_matrices_of_one_number():
    x, y = np.array([[4.0]], np.float32), np.array([[2.0, 3.0]], np.float32)
    assert np.asarray(fnp.linalg.inv(x)).tolist() == [[0.25]]
    assert np.asarray(fnp.linalg.solve(x, y)).tolist() == [[0.5, 0.75]]
    assert [np.asarray(a).tolist() for a in sl.lu(x)] == [[[1.0]], [[1.0]], [[4.0]]]
    assert np.isnan(np.asarray(fnp.linalg.inv(0 * x))).all()


@pytest.mark.parametrize("kind", ["uint8", "uint32", "uint64", "int8", "int64"])
def test_take_by_indices_of_any_integer_type(kind):
    x, i = np.arange(240.0, dtype=np.float32).reshape(2, 3, 40), np.array([2, 0], kind)
    np.testing.assert_array_equal(fnp.take(x, i, axis=1), np.take(x, i, axis=1))
