"""custom_root and custom_linear_solve: the derivatives of the solution, not of the solver."""

import functape as ft

# isort: split
import numpy as np
import pytest
from agreement import QUICK, agree, close, everything

rng = np.random.default_rng(1)
A = rng.normal(size=(3, 3)) + 4 * np.eye(3)
B = rng.normal(size=3)
jnp = ft.numpy


def newton(f, x, jacobian=None):
    """Newton's method for functions of one variable, or of a vector."""
    for _ in range(6):
        if x.ndim == 0:
            x = x - f(x) / ft.grad(f)(x)
        else:
            x = x - ft.numpy.linalg.solve(ft.jacrev(f)(x), f(x))
    return x


def dense(g, y):
    """A linear system solved by its matrix; scalars by division."""
    if y.ndim == 0:
        return y / g(jnp.ones_like(y))
    matrix = jnp.stack([g(row) for row in jnp.eye(y.shape[0]).astype(y.dtype)], axis=1)
    return jnp.linalg.solve(matrix, y)


def cube_root(a):
    return ft.lax.custom_root(lambda x: x ** 3 - a, jnp.ones_like(a), newton, dense)


def test_a_root_has_the_derivatives_of_the_function_it_is(oracle):
    agree(oracle, cube_root, lambda a: a ** (1 / 3), np.float64(2.7))


def coupled(m, a, b):
    """x with x + 0.1 x^3 A = b, elementwise in the cube: a system that couples its unknowns."""

    def f(x):
        return x + 0.1 * a @ (x * x * x) - b

    if m is ft:
        return ft.lax.custom_root(f, jnp.zeros_like(b), newton, dense)
    return m.lax.fori_loop(0, 6, lambda _, x: x - m.numpy.linalg.solve(m.jacfwd(f)(x), f(x)), b)


def test_a_system(oracle):
    """JAX differentiates the Newton iteration instead, which converges to the same."""
    agree(oracle, lambda a, b: coupled(ft, a, b), lambda a, b: coupled(oracle, a, b),
          0.3 * A, B, tolerance=1e-7)


def linear_solve(m, a, b, **options):
    solve = m.numpy.linalg.solve
    return m.lax.custom_linear_solve(
        lambda x: a @ x, b, lambda _, b: solve(a, b),
        **(options or {"transpose_solve": lambda _, b: solve(a.T, b)}))


def test_linear_solve(oracle):
    agree(oracle, lambda a, b: linear_solve(ft, a, b), oracle.numpy.linalg.solve, A, B)


def test_symmetric_linear_solve(oracle):
    def of(m):
        return lambda a, b: linear_solve(m, a @ a.T, b, symmetric=True)

    agree(oracle, of(ft), lambda a, b: oracle.numpy.linalg.solve(a @ a.T, b), A, B)


def test_pytrees(oracle):
    """Two unknowns in a dict, one of them a matrix: u t = sum(v), v = s^2."""

    def solution(s, t):
        def f(x):
            return {"u": x["u"] * t - x["v"].sum(), "v": x["v"] - s * s}

        def tangent_solve(g, y):
            moved = g({"u": jnp.ones_like(t), "v": jnp.zeros_like(s)})["v"]
            if (moved != 0).any():  # u moves v: the transposed system
                return {"u": y["u"] / t, "v": y["v"] + y["u"] / t}
            return {"u": (y["u"] + y["v"].sum()) / t, "v": y["v"]}

        def solve(f, x):
            return {"u": (s * s).sum() / t, "v": s * s}

        guess = {"u": jnp.zeros_like(t), "v": jnp.zeros_like(s)}
        return ft.lax.custom_root(f, guess, solve, tangent_solve)

    def loss(s, t):
        x = solution(s, t)
        return (x["u"] * x["v"]).sum()

    s, t = np.array([[0.3, 0.8]]), np.array(1.7)
    got = ft.grad(loss, argnums=(0, 1))(jnp.array(s), jnp.array(t))
    close(tuple(got), oracle.grad(lambda s, t: ((s * s).sum() / t * s * s).sum(), (0, 1))(s, t),
          1e-12)
    assert isinstance(solution(jnp.array(s), jnp.array(t)), dict)


def test_compositions():
    """Levels in every order around and inside one another."""
    a = jnp.array([1.5, 2.0, 3.5])
    d1, d2 = a ** (-2 / 3) / 3, a ** (-5 / 3) * (-2 / 9)
    hess = ft.hessian(cube_root)
    programs = {
        "vmap(grad)": (ft.vmap(ft.grad(cube_root))(a), d1),
        "grad(vmap)": (ft.grad(lambda a: ft.vmap(cube_root)(a).sum())(a), d1),
        "vmap(jvp)": (ft.vmap(lambda x: ft.jvp(cube_root, (x,), (jnp.ones_like(x),))[1])(a), d1),
        "jvp(vmap)": (ft.jvp(ft.vmap(cube_root), (a,), (jnp.ones_like(a),))[1], d1),
        "vmap(hessian)": (ft.vmap(hess)(a), d2),
        "grad(vmap(grad))": (ft.grad(lambda a: ft.vmap(ft.grad(cube_root))(a).sum())(a), d2),
        "grad(vmap(jvp))": (ft.grad(lambda a: ft.vmap(
            lambda x: ft.jvp(cube_root, (x,), (jnp.ones_like(x),))[1])(a).sum())(a), d2),
        "jacrev(vmap)": (ft.jacrev(ft.vmap(cube_root))(a), jnp.diag(d1)),
        "jacfwd(vmap)": (ft.jacfwd(ft.vmap(cube_root))(a), jnp.diag(d1)),
        "jacrev(jacrev(vmap))": (
            ft.jacrev(ft.jacrev(ft.vmap(cube_root)))(a).sum((1, 2)), d2),
        "jit(vmap(grad))": (ft.jit(ft.vmap(ft.grad(cube_root)))(a), d1),
    }
    for name, (got, want) in programs.items():
        assert np.allclose(got, want, rtol=1e-4), name


def test_eager_leaves_hooks_and_release():
    a = ft.tensor(2.0, requires_grad=True)
    seen = []
    a.register_hook(lambda g: seen.append(float(g)))
    x = cube_root(a)
    x.backward(retain_graph=True)
    assert len(seen) == 1 and np.isclose(float(a.grad), 2.0 ** (-2 / 3) / 3)
    x.backward()
    with pytest.raises(RuntimeError, match="freed"):
        x.backward()


def test_the_solver_is_not_recorded():
    a = ft.tensor(2.0, requires_grad=True)
    node = cube_root(a).grad_fn
    assert [n for n, _ in node.next_functions] == [a.grad_fn or a.sink]


def test_aux(oracle):
    root, aux = ft.lax.custom_root(lambda x: x - 2.0, 0.0, lambda f, x: (x + 2.0, {"steps": 1}),
                                   dense, has_aux=True)
    assert float(root) == 2.0 and aux == {"steps": 1}
    x, aux = ft.lax.custom_linear_solve(lambda x: 2.0 * x, 6.0, lambda f, b: (b / 2.0, "exact"),
                                        symmetric=True, has_aux=True)
    assert float(x) == 3.0 and aux == "exact"


def test_errors():
    with pytest.raises(TypeError, match="transpose_solve"):
        ft.grad(lambda b: ft.lax.custom_linear_solve(
            lambda x: 2.0 * x, b, lambda f, b: b / 2.0))(1.0)
    with pytest.raises(TypeError, match="structure and shapes"):
        ft.lax.custom_root(lambda x: x, 1.0, lambda f, x: {"x": x}, dense)


# --- solvers that differentiate the linear function they are given -------------------------------

def by_jacfwd(g, y):
    return jnp.linalg.solve(ft.jacfwd(g)(y), y)


def by_jacrev(g, y):
    return jnp.linalg.solve(ft.jacrev(g)(y), y)


def by_vjp(g, y):
    pull = ft.vjp(g, jnp.zeros_like(y))[1]
    return jnp.linalg.solve(jnp.stack([pull(row)[0] for row in unit(y)]), y)


def by_linear_transpose(g, y):
    transposed = ft.linear_transpose(g, y)
    return jnp.linalg.solve(ft.vmap(transposed)(unit(y))[0], y)


def unit(y):
    return jnp.eye(y.shape[0]).astype(y.dtype)


DIFFERENTIATING = [by_jacfwd, by_linear_transpose,
                   *(pytest.param(by, marks=pytest.mark.nightly) for by in (by_jacrev, by_vjp))]


@pytest.mark.parametrize("by", DIFFERENTIATING)
def test_a_tangent_solve_may_differentiate_its_function(transformed, by):
    def root(a, b):
        return ft.lax.custom_root(
            lambda x: a @ x - b, jnp.zeros_like(b), lambda f, x: jnp.linalg.solve(a, b), by)

    compare(transformed, root)


@pytest.mark.parametrize("by", DIFFERENTIATING)
def test_a_linear_solver_may_differentiate_its_function(transformed, by):
    def solution(a, b):
        return ft.lax.custom_linear_solve(lambda x: a @ x, b, by, by)

    compare(transformed, solution)


@pytest.fixture(scope="module")
def transformed(oracle):
    """What JAX makes of the solution of a x = b, which it differentiates itself."""
    lowered = oracle.jit(lambda a, b: all_of(oracle, oracle.numpy.linalg.solve, a, b)).lower(A, B)
    return lowered.compile(compiler_options=QUICK)(A, B)


def all_of(m, h, a, b):
    def loss(t):
        return (h(a + t[0] * a @ a, b * t[1]) ** 3).sum()

    found = everything(m, h, (a, b), 2)
    t = m.numpy.stack([b[0], b[1] + 1.0])
    for name, second in {"hessian": m.hessian(loss), "jacrev^2": m.jacrev(m.jacrev(loss)),
                         "jacfwd^2": m.jacfwd(m.jacfwd(loss))}.items():
        found |= {name: second(t), f"vmap({name})": m.vmap(second)(m.numpy.stack([t, 2.0 * t]))}
    return found | {"jit(grad)": m.jit(m.grad(loss))(t), "jit(jacfwd)": m.jit(m.jacfwd(loss))(t)}


def compare(wants, f):
    gots = all_of(ft, f, jnp.array(A), jnp.array(B))
    for name, want in wants.items():
        try:
            close(tuple(ft.tree.leaves(gots[name])), tuple(ft.tree.leaves(want)), 1e-9)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
