"""autograd.Function inside transforms: the user's own rule holds on every level."""

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp


class Tenfold(ft.autograd.Function):
    """x^3 with a gradient that is ten times too large, so that it shows where it ran."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 30 * x * x


class Two(ft.autograd.Function):
    """(x y, x + y)."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h


f = Tenfold.apply
X = fnp.array([1.0, 2.0])


@pytest.mark.parametrize("program, want", [
    (lambda: ft.grad(lambda x: ft.vmap(f)(x).sum())(X), [30.0, 120.0]),
    (lambda: ft.vmap(ft.grad(f))(X), [30.0, 120.0]),
    (lambda: ft.vmap(ft.grad(ft.grad(f)))(X), [60.0, 120.0]),
    (lambda: ft.jvp(f, (X,), (fnp.ones(2),))[1], [30.0, 120.0]),
    (lambda: ft.grad(lambda x: ft.jvp(f, (x,), (1.0,))[1])(2.0), 120.0),
    (lambda: ft.jvp(ft.grad(f), (2.0,), (1.0,))[1], 120.0),
    (lambda: ft.hessian(lambda x: f(x).sum())(X), [[60.0, 0.0], [0.0, 120.0]]),
    (lambda: ft.jacfwd(f)(X), [[30.0, 0.0], [0.0, 120.0]]),
    (lambda: ft.jit(ft.vmap(ft.grad(f)))(X), [30.0, 120.0]),
    (lambda: ft.grad(ft.checkpoint(lambda x: f(x) * x))(2.0), 8.0 + 240.0),
])
def test_the_rule_holds(program, want):
    np.testing.assert_allclose(np.asarray(program()), want, rtol=1e-6)


def test_what_is_not_mapped_is_summed():
    def loss(w):
        return ft.vmap(lambda x: Two.apply(w, x)[0] * Two.apply(w, x)[1])(X).sum()

    assert ft.grad(loss)(3.0).item() == sum(2 * 3 * x + x * x for x in (1.0, 2.0))


def test_own_jvp_and_vmap_are_used():
    calls = []

    class Own(ft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2.0

        @staticmethod
        def jvp(ctx, t):
            calls.append("jvp")
            return 7.0 * t

        @staticmethod
        def vmap(info, in_dims, x):
            calls.append((info.batch_size, in_dims))
            return x * 5.0, 0

    assert ft.jvp(Own.apply, (1.0,), (1.0,))[1].item() == 7.0
    assert ft.vmap(Own.apply)(X).tolist() == [5.0, 10.0]
    assert calls == ["jvp", (2, (0,))]
