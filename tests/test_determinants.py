"""Derivatives of the determinant, which is a polynomial, also at singular matrices."""

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import numpy as np
import pytest

fnp = ft.numpy


@pytest.mark.parametrize("base", [
    np.zeros((2, 2)), np.ones((2, 2)), np.zeros((3, 3)), np.outer([1, 2, 3], [1, 2, 3]), np.eye(3),
    np.eye(4), np.diag([1.0, 2, 3, 0]), np.diag([5.0, 2, 2, 1]),
], ids=["zero 2", "rank 1 of 2", "zero 3", "rank 1 of 3", "one 3", "one 4", "rank 3 of 4", "pair"])
def test_det_is_a_polynomial_along_a_line(base):
    """Its first three derivatives are the coefficients of det(base + t slope), up to k!."""
    n = len(base)
    slope, t = np.arange(float(n * n)).reshape(n, n) ** 1.5 % 3, np.linspace(-1, 1, n + 1)
    values = [np.linalg.det(base + s * slope) for s in t]
    coefficients = np.polynomial.Polynomial.fit(t, values, n).convert().coef
    f = lambda t: fnp.linalg.det(fnp.asarray(base.astype(float)) + t * slope)  # noqa: E731
    reverse, forward, zero = f, f, fnp.zeros((), fnp.float64)
    for k in (1, 2, 3):
        reverse, forward = ft.grad(reverse), ft.jacfwd(forward)
        expected = np.prod(range(1, k + 1)) * (coefficients[k] if k <= n else 0)
        np.testing.assert_allclose(reverse(zero).item(), expected, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(forward(zero).item(), expected, rtol=1e-8, atol=1e-8)
