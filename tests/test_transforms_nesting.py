"""Transforms inside each other, in any order: perturbation confusion."""

import functape as ft

# isort: split
import numpy as np
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


@pytest.mark.parametrize("shape", [(), (300,), (2, 300), (3, 2, 300)])
def test_jit_of_vmap_with_what_is_not_mapped(shape):
    c = np.cos(np.arange(np.prod(shape, dtype=int), dtype=np.float32)).reshape(shape)
    x = np.sin(np.arange(2400, dtype=np.float32)).reshape(4, 2, 300)
    found = ft.jit(ft.vmap(lambda a, c: fnp.sin(c) * a + c, in_axes=(0, None)))(x, c)
    want = np.stack([np.sin(c) * row + c for row in x])
    np.testing.assert_allclose(np.array(found), want, rtol=1e-5, atol=1e-6)


def test_vmap_of_a_matrix_times_vectors_is_one_product():
    a, x = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    mapped = ft.vmap(lambda x: fnp.array(a) @ x)
    np.testing.assert_allclose(np.array(mapped(x)), x @ a.T, rtol=1e-12)
    lines = [line for line in str(ft.make_tape(mapped)(x)).splitlines() if "(" in line]
    assert len(lines) == 1 and "contract(float64[2,3], %0" in lines[0]
    assert "float64[4,2]" in lines[0]
