"""custom_vjp, custom_jvp and custom_gradient, against JAX's same functions."""

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp
from functape.errors import ArgumentError

X = np.array([0.3, -1.2, 2.0])


def close(got, want, tol=1e-5):
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=tol, atol=tol)


def scaled(lib, np_like, factor, call_itself=True):
    """x^3 with a reverse rule that is `factor` times too large, so that it shows where it ran."""

    @lib.custom_vjp
    def cube(x):
        return x * x * x

    def fwd(x):
        return cube(x) if call_itself else x * x * x, (x, np_like.sin(x))

    def bwd(residuals, g):
        x, s = residuals
        return (factor * g * 3 * x * x + 0 * s,)

    cube.defvjp(fwd, bwd)
    return cube


def programs(lib, np_like):
    f, plain = scaled(lib, np_like, 10.0), scaled(lib, np_like, 10.0, call_itself=False)
    return {
        "grad": lambda x: lib.grad(lambda v: f(v).sum())(x),
        "grad_of_grad": lambda x: lib.grad(lambda v: lib.grad(lambda u: f(u).sum())(v).sum())(x),
        "vmap_grad": lambda x: lib.vmap(lib.grad(f))(x),
        "grad_vmap": lambda x: lib.grad(lambda v: lib.vmap(f)(v).sum())(x),
        "vmap_grad_grad": lambda x: lib.vmap(lib.grad(lib.grad(f)))(x),
        "hessian": lambda x: lib.hessian(lambda v: plain(v).sum())(x),
        "jacrev": lambda x: lib.jacrev(f)(x),
        "jit": lambda x: lib.jit(lib.grad(lambda v: f(v).sum()))(x),
        "unmapped": lambda x: lib.grad(
            lambda w: lib.vmap(lambda v: f(w) * v)(x).sum())(x[0]),
        "value": lambda x: f(x),
    }


@pytest.mark.parametrize("name", programs(ft, fnp))
def test_custom_vjp_as_jax(name, oracle):
    close(programs(ft, fnp)[name](fnp.asarray(X)),
          programs(oracle, oracle.numpy)[name](oracle.numpy.asarray(X)))


def doubled(lib):
    """x^2 with a forward rule that is twice too large, and a second argument that is not."""

    @lib.custom_jvp
    def f(x, y):
        return x * x * y

    @f.defjvp
    def rule(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return f(x, y), 2.0 * (2.0 * x * y * dx) + x * x * dy

    return f


def jvp_programs(lib):
    f = doubled(lib)
    one = lambda v: f(v, 3.0)  # noqa: E731
    return {
        "grad": lambda x: lib.grad(lambda v: one(v).sum())(x),
        "grad_y": lambda x: lib.grad(lambda v, w: f(v, w).sum(), argnums=1)(x, x),
        "jvp": lambda x: lib.jvp(one, (x,), (x,))[1],
        "jvp_of_grad": lambda x: lib.jvp(lib.grad(lambda v: one(v).sum()), (x,), (x,))[1],
        "grad_of_grad": lambda x: lib.grad(
            lambda v: lib.grad(lambda u: one(u).sum())(v).sum())(x),
        "vmap_grad": lambda x: lib.vmap(lib.grad(f), in_axes=(0, None))(x, x[0]),
        "grad_vmap": lambda x: lib.grad(
            lambda w: lib.vmap(lambda v: f(v, w))(x).sum())(x[0]),
        "hessian": lambda x: lib.hessian(lambda v: one(v).sum())(x),
        "jacfwd": lambda x: lib.jacfwd(one)(x),
        "jit": lambda x: lib.jit(lib.grad(lambda v: one(v).sum()))(x),
    }


@pytest.mark.parametrize("name", jvp_programs(ft))
def test_custom_jvp_as_jax(name, oracle):
    close(jvp_programs(ft)[name](fnp.asarray(X)),
          jvp_programs(oracle)[name](oracle.numpy.asarray(X)))


def test_defjvps_gives_a_rule_for_each_argument():
    @ft.custom_jvp
    def f(x, y):
        return x * y

    f.defjvps(lambda t, ans, x, y: 5.0 * t * y, None)
    assert ft.grad(f, argnums=(0, 1))(2.0, 3.0)[0].item() == 15.0
    assert ft.grad(f, argnums=(0, 1))(2.0, 3.0)[1].item() == 0.0


def test_nondiff_arguments_come_first_in_the_rule():
    def apply(f, x):
        return f(x)

    wrapped = ft.custom_vjp(apply, nondiff_argnums=(0,))
    wrapped.defvjp(lambda f, x: (f(x), x), lambda f, x, g: (g * 100.0,))
    assert ft.grad(lambda x: wrapped(fnp.sin, x))(0.5).item() == 100.0


def test_bwd_may_look_at_numbers_where_nothing_is_recorded():
    """Plain ones: reading them does not warn, nor cost a gradient."""
    seen = []

    @ft.custom_vjp
    def watched(x):
        return x

    def bwd(x, g):
        seen.append((float(x), float(g), x.requires_grad))
        return (g,)

    watched.defvjp(lambda x: (x, x), bwd)
    assert float(ft.grad(lambda x: 3.0 * watched(2.0 * x) ** 2)(1.0)) == 24.0
    assert seen == [(2.0, 12.0, False)]


def test_pytrees_and_none_cotangents():
    @ft.custom_vjp
    def f(params, x):
        return params["w"] * x, x

    f.defvjp(lambda params, x: (f(params, x), x),
             lambda x, g: ({"w": g[0] * x, "b": None}, None))
    out = ft.grad(lambda p, x: f(p, x)[0], argnums=(0, 1))({"w": 2.0, "b": None}, 3.0)
    assert out[0]["w"].item() == 3.0 and out[0]["b"] is None and out[1].item() == 0.0


def test_custom_gradient_of_a_closure():
    f = ft.custom_gradient(lambda x, y: (x * y, lambda g: (g * 7.0, g * 11.0)))
    got = ft.grad(f, argnums=(0, 1))(2.0, 3.0)
    assert [g.item() for g in got] == [7.0, 11.0]


@pytest.mark.parametrize("bwd, words", [
    (lambda res, g: g, "tuple of 1"),
    (lambda res, g: (g, g), "tuple of 1"),
    (lambda res, g: (fnp.ones(3),), "shape"),
    (lambda res, g: ({"a": g},), "structure"),
])
def test_wrong_rules_say_what_is_wrong(bwd, words):
    f = ft.custom_vjp(lambda x: x * 2.0)
    f.defvjp(lambda x: (x * 2.0, None), bwd)
    with pytest.raises((ArgumentError, ValueError), match=words):
        ft.grad(f)(1.0)


def test_no_rule_and_forward_mode_are_errors():
    f = ft.custom_vjp(lambda x: x)
    with pytest.raises(ArgumentError, match="defvjp"):
        f(1.0)
    f.defvjp(lambda x: (x, None), lambda res, g: (g,))
    with pytest.raises(ArgumentError, match="custom_jvp"):
        ft.jvp(f, (1.0,), (1.0,))


@pytest.mark.parametrize("name", ["jit", "jit_of_vmap", "jit_of_jit", "custom_of_custom"])
def test_wrappers_keep_rules_apart(name, oracle):
    """A wrapper takes the name of what it wraps, and nothing of its state."""
    def run(lib, x):
        f = scaled(lib, lib.numpy, 10.0)

        def outer(g):
            h = lib.custom_vjp(g)
            h.defvjp(lambda x: (g(x), x), lambda x, c: (c * x,))
            return h

        g = {"jit": lambda: lib.jit(f), "jit_of_vmap": lambda: lib.jit(lib.vmap(f)),
             "jit_of_jit": lambda: lib.jit(lib.vmap(lib.jit(f))),
             "custom_of_custom": lambda: lib.jit(outer(f))}[name]()
        total = lambda x: g(x).sum()  # noqa: E731
        return lib.grad(total)(x), lib.jit(lib.grad(total))(x), g(x)

    for got, want in zip(run(ft, fnp.asarray(X)), run(oracle, oracle.numpy.asarray(X)),
                         strict=True):
        close(got, want)
