"""Transforms inside each other, in any order: perturbation confusion, and random compositions."""

import random

import functape as ft

# isort: split
import pytest
from comparing import agree

fnp = ft.numpy


def derivative(f):
    """By forward mode."""
    return lambda x: ft.jvp(f, (x,), (fnp.ones_like(x),))[1]


def by_vjp(f):
    return lambda x: ft.vjp(f, x)[1](fnp.ones_like(f(x)))[0]


D = {"grad": ft.grad, "jvp": derivative, "vjp": by_vjp, "jacrev": ft.jacrev, "jacfwd": ft.jacfwd,
     "vmap": lambda f: lambda x: ft.vmap(ft.grad(f))(fnp.stack([x, x]))[0],
     "jit": lambda f: lambda x: ft.jit(ft.grad(f), fallback=False)(x)}
pairs = pytest.mark.parametrize(("outer", "inner"), [(a, b) for a in D for b in D])
two = fnp.array(2.0)


def number(value):
    """A result of outermost transforms: nothing is left on the tape."""
    assert not value.requires_grad
    return float(value)


# --- perturbation confusion -----------------------------------------------------------------------


@pairs
def test_constant_of_the_inner_derivative(outer, inner):
    """d/dx x (d/dy (x + y)) = 1: the inner derivative must not see x move."""
    f = D[outer](lambda x: x * D[inner](lambda y: x + y)(x))
    assert number(f(two)) == 1


@pairs
def test_product_with_the_outer_variable(outer, inner):
    """d/dx (d/dy x y) at y = 3 is 1."""
    f = D[outer](lambda x: D[inner](lambda y: x * y)(fnp.array(3.0)))
    assert number(f(two)) == 1


@pairs
def test_inner_derivative_at_the_outer_variable(outer, inner):
    """d/dx [d/dy x y^2 at y = x] = d/dx 2 x^2 = 4 x."""
    f = D[outer](lambda x: D[inner](lambda y: x * y * y)(x))
    assert number(f(two)) == 8


@pairs
def test_second_derivative(outer, inner):
    f = D[outer](D[inner](lambda x: x**4))
    assert number(f(two)) == pytest.approx(48)


@pairs
def test_inner_point_is_stopped(outer, inner):
    """d/dx [d/dy y^3 at a constant] = 0, times x: 12."""
    f = D[outer](lambda x: x * D[inner](lambda y: y**3)(ft.stop_gradient(x)))
    assert number(f(two)) == pytest.approx(12)


@pairs
def test_inner_result_is_stopped(outer, inner):
    f = D[outer](lambda x: x * ft.stop_gradient(D[inner](lambda y: y**3)(x)))
    assert number(f(two)) == pytest.approx(12)


def test_three_levels_with_one_variable_each():
    """d/dx d/dy d/dz x y^2 z^3 at (2, 3, 1)."""
    for a in D.values():
        f = a(lambda x: ft.grad(lambda y: derivative(lambda z: x * y**2 * z**3)(fnp.array(1.0)))(
            fnp.array(3.0)))
        assert number(f(two)) == pytest.approx(18)


def test_same_function_at_two_levels():
    """f is used inside its own derivative: d/dx f(x) f'(x) for f = x^3 is 15 x^4."""

    def f(x):
        return x**3

    for outer in D.values():
        for inner in D.values():
            assert number(outer(lambda x: f(x) * inner(f)(x))(two)) == pytest.approx(240)  # noqa: B023


def test_pullback_that_outlives_its_level():
    """A pullback made outside, used inside another transform."""
    _, pullback = ft.vjp(lambda x: x**3, two)
    assert number(ft.grad(lambda g: pullback(g)[0] * g)(fnp.array(1.0))) == pytest.approx(24)
    assert number(derivative(lambda g: pullback(g)[0] * g)(fnp.array(1.0))) == pytest.approx(24)
    got = ft.vmap(lambda g: pullback(g)[0])(fnp.array([1.0, 2.0]))
    agree(got, fnp.array([12.0, 24.0]))


def test_pullback_of_an_outer_variable():
    """d/dx [pullback of y -> x y^2 at y = 3 applied to x] = d/dx 6 x^2."""
    f = ft.grad(lambda x: ft.vjp(lambda y: x * y**2, fnp.array(3.0))[1](x)[0])
    assert number(f(two)) == pytest.approx(24)


def test_tangent_that_is_the_outer_variable():
    for outer in D.values():
        f = outer(lambda x: ft.jvp(lambda y: y**3, (fnp.array(2.0),), (x * x,))[1])
        assert number(f(two)) == pytest.approx(48)


def test_tree_of_levels_keeps_aux_of_each():
    def f(x):
        g, aux = ft.grad(lambda y: (x * y**2, {"y": y * x}), has_aux=True)(x)
        return g, aux

    out, aux = ft.grad(f, has_aux=True)(two)
    assert number(out) == 8 and number(aux["y"]) == 4


# --- random compositions --------------------------------------------------------------------------


def base(np, k):
    """Smooth functions from R^2 to R^2."""
    return [
        lambda x: np.sin(x) * x[0],
        lambda x: np.tanh(np.array([[0.5, -1.0], [2.0, 0.3]]) @ x),
        lambda x: np.stack([np.sum(x**3), x[0] * np.exp(-x[1] ** 2)]),
        lambda x: x / (1 + np.sum(x**2)),
        lambda x: np.concatenate([np.cos(x[1:]), x[:1] * x[1:]]),
    ][k]


# From a function of R^2 to another, in the terms of a library `t` and its numpy. What they return
# is brought back to R^2 by sums, so that they compose.
WRAPS = {
    "grad": lambda t, np, f: t.grad(lambda x: np.sum(f(x))),
    "value_and_grad": lambda t, np, f: lambda x: sum(t.value_and_grad(lambda y: np.sum(f(y)))(x)),
    "jvp": lambda t, np, f: lambda x: t.jvp(f, (x,), (np.cos(x),))[1],
    "vjp": lambda t, np, f: lambda x: t.vjp(f, x)[1](np.sin(x))[0],
    "jacrev": lambda t, np, f: lambda x: np.sum(t.jacrev(f)(x) * x, 0),
    "jacfwd": lambda t, np, f: lambda x: np.sum(t.jacfwd(f)(x), 1),
    "vmap": lambda t, np, f: lambda x: np.sum(t.vmap(f)(np.stack([x, 2 * x, x * x])), 0),
    "vmap_closed": lambda t, np, f: lambda x: np.sum(
        t.vmap(lambda s: f(x * s), in_axes=0)(np.array([0.5, 1.0, -1.0])), 0),
    "vmap_axis": lambda t, np, f: lambda x: np.sum(
        t.vmap(f, in_axes=1, out_axes=1)(np.stack([x, x + 1], 1)) * x[0], 1),
    "closed_grad": lambda t, np, f: lambda x: t.grad(lambda y: np.sum(f(x * y)))(x + 1),
    "closed_jvp": lambda t, np, f: lambda x: t.jvp(lambda y: f(x * y), (x[::-1],), (x,))[1],
    "linearize": lambda t, np, f: lambda x: t.linearize(f, x)[1](x),
    "checkpoint": lambda t, np, f: t.checkpoint(f),
    "stop": lambda t, np, f: lambda x: f(x) * (
        t.stop_gradient if hasattr(t, "stop_gradient") else t.lax.stop_gradient)(np.sin(x)),
    "outer_product": lambda t, np, f: lambda x: f(x) * np.sum(x),
    "jit": lambda t, np, f: t.jit(f),
}


def composition(seed):
    """Indices of a base function and of the wraps around it; jit, which compiles C++, is rare."""
    rng = random.Random(seed)
    names = [n for n in WRAPS if n != "jit"]
    wraps = [rng.choice(names) for _ in range(rng.randint(2, 4))]
    if seed % 10 == 0:
        wraps.insert(rng.randrange(len(wraps)), "jit")
    return rng.randrange(5), wraps


def build(t, np, k, wraps):
    f = base(np, k)
    for name in wraps:
        f = WRAPS[name](t, np, f)
    return f


@pytest.mark.parametrize("seed", range(60))
def test_random_composition_is_that_of_jax(seed, oracle):
    k, wraps = composition(seed)
    f = build(ft, fnp, k, wraps)
    want = oracle.jit(build(oracle, oracle.numpy, k, wraps))(oracle.numpy.array([0.7, -0.4]))
    agree(f(fnp.array([0.7, -0.4])), want, 2e-4)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(60, 600))
def test_more_random_compositions(seed, oracle):
    test_random_composition_is_that_of_jax(seed, oracle)


@pytest.mark.parametrize("wraps", [("grad", "jvp", "vmap", "jacrev"),
                                   ("vmap", "vmap", "grad", "grad"),
                                   ("jvp", "jvp", "jvp", "jvp"), ("grad", "grad", "grad", "grad"),
                                   ("jacfwd", "jacrev", "jacfwd", "jacrev"),
                                   ("closed_grad", "closed_jvp", "closed_grad", "closed_jvp")])
def test_depth_four(wraps, oracle):
    f, g = build(ft, fnp, 0, wraps), build(oracle, oracle.numpy, 0, wraps)
    agree(f(fnp.array([0.7, -0.4])), oracle.jit(g)(oracle.numpy.array([0.7, -0.4])), 2e-4)
