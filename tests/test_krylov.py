"""cg, bicgstab and gmres: solutions and derivatives are those of dense linear algebra."""

import functape as ft

# isort: split
import importlib

import numpy as np
import pytest
from comparing import agree

rng = np.random.default_rng(3)
N = 6
ROUGH = rng.normal(size=(N, N))
SYMMETRIC = ROUGH @ ROUGH.T + N * np.eye(N)
GENERAL = ROUGH + 2 * N * np.eye(N)
B = rng.normal(size=N)
METHODS = {"cg": SYMMETRIC, "bicgstab": GENERAL, "gmres": GENERAL}
each_method = pytest.mark.parametrize("name", METHODS)


def solver(name, lib=ft, **options):
    method = getattr(importlib.import_module(f"{lib.__name__}.scipy.sparse.linalg"), name)
    return lambda a, b: method(a, b, tol=1e-12, **options)[0]


@each_method
def test_the_solution_is_that_of_the_matrix(name):
    a = METHODS[name]
    for given in (a, lambda x: ft.numpy.asarray(a) @ x):
        agree(solver(name)(given, B), np.linalg.solve(a, B), 1e-9)
    inverse = np.diag(1 / np.diag(a))
    agree(solver(name, M=inverse, x0=B)(a, B), np.linalg.solve(a, B), 1e-9)


@each_method
def test_derivatives_are_those_of_a_dense_solution(name, oracle):
    a, tangents = METHODS[name], (METHODS[name][::-1].copy(), B[::-1].copy())
    if name == "cg":
        tangents = (SYMMETRIC @ SYMMETRIC, tangents[1])

    def losses(t, np, solve):
        def loss(a, b):
            return np.sum(solve(a, b) ** 3)

        return (t.value_and_grad(loss, (0, 1))(a, B), t.jvp(loss, (a, B), tangents),
                t.hessian(loss, 1)(a, B),
                t.vmap(t.grad(loss, 1), (None, 0))(a, np.stack([B, 2 * B, 0 * B])))

    got = losses(ft, ft.numpy, solver(name))
    agree(got, losses(oracle, oracle.numpy, oracle.numpy.linalg.solve), 1e-8)


@each_method
def test_trees(name, oracle):
    b = {"u": B[:2].reshape(1, 2), "v": (np.array(B[2]),)}

    def solve(t, np):
        def product(x):
            mean = (np.sum(x["u"]) + x["v"][0]) / 3
            return {"u": 4 * x["u"] + mean, "v": (5 * x["v"][0] + mean,)}

        return lambda b: solver(name, t)(product, b)

    agree(solve(ft, ft.numpy)(b), solve(oracle, oracle.numpy)(b), 1e-9)


def test_complex_systems(oracle):
    a = (SYMMETRIC + 1j * (ROUGH - ROUGH.T)).astype(np.complex64)
    b = (B + 1j * B[::-1]).astype(np.complex64)
    for name in ("cg", "bicgstab"):
        method = getattr(ft.scipy.sparse.linalg, name)
        agree(method(a, b, tol=1e-6)[0], np.linalg.solve(a, b), 1e-4)
        gradient = ft.grad(lambda b, m=method: ft.numpy.abs(m(a, b, tol=1e-6)[0]).sum())(b)
        agree(gradient, oracle.grad(
            lambda b: oracle.numpy.abs(oracle.numpy.linalg.solve(a, b)).sum())(b), 1e-4)


@each_method
def test_edges(name, oracle):
    """Nothing to solve; nothing to do; a matrix for which one step is enough; few steps."""
    solve = solver(name)
    agree(solve(METHODS[name], np.zeros(N)), np.zeros(N))
    agree(solver(name, x0=np.linalg.solve(METHODS[name], B))(METHODS[name], B),
          np.linalg.solve(METHODS[name], B), 1e-9)
    agree(solve(lambda x: 2 * x, B), B / 2, 1e-12)
    agree(solve(np.diag([1.0, 2.0, 2.0, 1.0, 2.0, 1.0]), B), B / [1, 2, 2, 1, 2, 1], 1e-12)
    if name == "cg":
        few = {"maxiter": 2}
        agree(solver(name, **few)(SYMMETRIC, B), solver(name, oracle, **few)(SYMMETRIC, B), 1e-9)


def test_gmres_restarts(oracle):
    got = solver("gmres", restart=2, maxiter=3)(GENERAL, B)
    agree(got, solver("gmres", oracle, restart=2, maxiter=3)(GENERAL, B), 1e-9)
    agree(solver("gmres", restart=2)(GENERAL, B), np.linalg.solve(GENERAL, B), 1e-9)


@pytest.mark.parametrize("given, words", [
    (lambda cg: cg("A", B), "A must be a matrix or a function.*str"),
    (lambda cg: cg(GENERAL[:2], B), r"square.*float64\[2,6\]"),
    (lambda cg: cg(GENERAL, B, x0=(B,)), "x0 must have the structure of b"),
    (lambda cg: cg(GENERAL, B, M=2), "square"),
    (lambda cg: ft.scipy.sparse.linalg.gmres(GENERAL, B, restart=0), "restart must be"),
    (lambda cg: ft.scipy.sparse.linalg.gmres(GENERAL, B, solve_method="x"), "batched"),
])
def test_mistakes(given, words):
    with pytest.raises(ft.errors.ArgumentError, match=words):
        given(ft.scipy.sparse.linalg.cg)
