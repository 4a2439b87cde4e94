"""functape.lax.linalg: results in JAX's order, and derivatives with them."""

import functape as ft

# isort: split
import numpy as np
import pytest
from comparing import agree

rng = np.random.default_rng(5)
A = rng.normal(size=(2, 3, 3)) + 2 * np.eye(3)
TALL = rng.normal(size=(4, 3))
B = rng.normal(size=(2, 3, 4))
triangles = [(left, lower, transposed, unit) for left in (False, True) for lower in (False, True)
             for transposed in (False, True) for unit in (False, True)]

CASES = {
    "cholesky": lambda m, a: m.cholesky(a @ a.swapaxes(-1, -2)),
    "eigenvalues": lambda m, a: m.eigh(a)[1],
    "eigenvectors": lambda m, a: m.eigh(a)[0] ** 2,
    "singular": lambda m, a: m.svd(a, compute_uv=False),
    "svd": lambda m, a: (lambda u, s, v: (u * s[..., None, :]) @ v)(*m.svd(a, full_matrices=False)),
    "qr": lambda m, a: m.qr(a)[1],
    "lu": lambda m, a: m.lu(a)[0],
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name, oracle):
    f = CASES[name]
    weights = np.asarray(f(oracle.lax.linalg, oracle.numpy.asarray(A)))

    def results(t, np):
        a = np.asarray(A)
        return f(t.lax.linalg, a), t.grad(lambda a: np.sum(weights * f(t.lax.linalg, a)))(a)

    agree(results(ft, ft.numpy), results(oracle, oracle.numpy), 1e-8)


@pytest.mark.parametrize("lower", [True, False])
def test_the_triangle_that_eigh_reads(lower, oracle):
    options = {"lower": lower, "symmetrize_input": False}
    agree(ft.lax.linalg.eigh(A, **options)[1], oracle.lax.linalg.eigh(A, **options)[1], 1e-9)


def test_shapes_and_integers(oracle):
    agree(ft.lax.linalg.lu(A)[1:], tuple(oracle.lax.linalg.lu(A)[1:]))
    for lib in (ft, oracle):
        m = lib.lax.linalg
        assert [x.shape for x in m.qr(TALL)] == [(4, 4), (4, 3)]
        assert [x.shape for x in m.qr(TALL, full_matrices=False)] == [(4, 3), (3, 3)]
        assert [x.shape for x in m.svd(TALL)] == [(4, 4), (3,), (3, 3)]
        assert [x.shape for x in m.eigh(A)] == [(2, 3, 3), (2, 3)]


@pytest.mark.parametrize("left, lower, transposed, unit", triangles)
def test_triangular_solve(left, lower, transposed, unit, oracle):
    b = B if left else B.swapaxes(-1, -2)
    options = {"left_side": left, "lower": lower, "transpose_a": transposed,
               "unit_diagonal": unit}

    def results(t, np):
        def loss(a, b):
            return np.sum(t.lax.linalg.triangular_solve(a, b, **options) ** 2)

        return t.lax.linalg.triangular_solve(A, b, **options), t.grad(loss, (0, 1))(A, b)

    agree(results(ft, ft.numpy), results(oracle, oracle.numpy), 1e-8)


def test_triangular_solve_of_a_vector_and_of_complex_matrices(oracle):
    with pytest.raises(ft.errors.ArgumentError, match="b must be a matrix"):
        ft.lax.linalg.triangular_solve(A[0], B[0, :, 0])
    a = (A[0] + 1j * A[1]).astype(np.complex64)
    b = B[0].astype(np.complex64)
    for transposed in (False, True):
        options = {"left_side": True, "conjugate_a": True, "transpose_a": transposed}
        agree(ft.lax.linalg.triangular_solve(a, b, **options),
              oracle.lax.linalg.triangular_solve(a, b, **options), 1e-4)
