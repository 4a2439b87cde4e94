"""lift: MLX functions as single ops."""

import functools
import threading

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest

from functape.mlx import lift
from functape.op import table
from functape.test_util import check_grads

X, Y = mx.array([0.3, 0.5, -1.0]), mx.array([1.0, 2.0, 3.0])


def pair(x, y):
    return mx.sin(x) * y, {"sum": (mx.cos(y) * x).sum(), "name": "kept"}


def combined(f):
    def loss(x, y):
        first, rest = f(x, y)
        assert rest["name"] == "kept"
        return (first * first).sum() * rest["sum"]

    return loss


def close(a, b, tol=1e-5):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


def test_one_node_and_the_gradients_of_mlx():
    found = ft.grad(combined(lift(pair)), argnums=(0, 1))(X, Y)
    for a, b in zip(found, mx.grad(combined(pair), argnums=(0, 1))(X, Y), strict=True):
        assert type(a) is mx.array
        close(a, b)
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    y = lift(lambda x: mx.sin(x) * mx.exp(x), name="chirp")(x)
    assert y.grad_fn.name == "ChirpBackward" and y.grad_fn.next_functions[0][0].is_sink
    assert "chirp" not in table and not any("vjp" in name for name in table)


def test_derivatives_of_orders_and_modes():
    f = lift(lambda x, y: mx.tanh(x * y) + mx.square(x) * x)
    x, y = (np.random.default_rng(0).normal(size=3) for _ in range(2))
    args = tuple(ft.numpy.asarray(a, dtype=mx.float64) for a in (x, y))
    check_grads(f, args, order=2, atol=1e-5, rtol=1e-5)  # MLX's tanh is not exact to 1e-6
    third = lambda g: ft.grad(ft.grad(ft.grad(g)))(2.0).item()  # noqa: E731
    assert third(lift(lambda x: x * x * x * x)) == pytest.approx(48.0)


def test_vmap_of_all_kinds():
    rows = mx.stack([X, Y])
    for options in ({}, {"vmap": True}):
        f = lift(pair, **options)
        expected = [mx.grad(combined(pair))(x, Y) for x in (X, Y)]
        close(ft.vmap(ft.grad(combined(f)), in_axes=(0, None))(rows, Y), mx.stack(expected))
        close(ft.grad(lambda r, f=f: ft.vmap(combined(f), (0, None))(r, Y).sum())(rows),
              mx.stack(expected))
        h = ft.hessian(combined(f))(X, Y)
        close(ft.vmap(ft.hessian(combined(f)), (0, None))(rows, Y)[0], h)


def test_all_cotangents_come_from_one_pass():
    runs = []

    def f(x, y):
        runs.append(1)
        return x * y

    ft.grad(lambda x, y: lift(f)(x, y).sum(), argnums=(0, 1))(X, Y)
    assert len(runs) == 2  # forward, and inside of the vjp


def test_custom_rules_stay():
    @mx.custom_function
    def f(x, y):
        return x * y

    @f.vjp
    def f_vjp(primals, cotangent, output):
        x, y = primals
        return cotangent * 10 * y, cotangent * x

    loss = lambda x, y: lift(f)(x, y).sum()  # noqa: E731
    close(ft.grad(loss)(X, Y), 10 * Y)
    close(ft.vmap(ft.grad(loss))(mx.stack([X, X]), mx.stack([Y, X])), mx.stack([10 * Y, 10 * X]))
    close(ft.hessian(lambda x: (lift(f)(x, Y) * x).sum())(X),
          mx.diag(11 * Y + 0 * X), 1e-4)


def test_jvp_where_mlx_has_none():
    """Of a scatter, say; it is the vjp of the vjp then."""
    hits = mx.array([0, 0, 2])

    def f(x):
        return mx.zeros(4).at[hits].maximum(x) * x.sum()

    t = mx.array([1.0, -2.0, 0.5])
    with pytest.raises((ValueError, RuntimeError)):
        mx.eval(mx.jvp(f, [Y], [t])[1])
    _, moved = ft.jvp(lift(f), (Y,), (t,))
    eps = 1e-3
    close(moved, (f(Y + eps * t) - f(Y - eps * t)) / (2 * eps), 1e-2)


def test_random_numbers_are_drawn_again_in_the_backward_pass():
    def dropped(x):
        return x * mx.random.bernoulli(0.5, x.shape)

    mx.random.seed(3)
    mask, following = mx.random.bernoulli(0.5, (50,)), mx.random.normal((2,))
    mx.random.seed(3)
    value, g = ft.value_and_grad(lambda x: lift(dropped)(x).sum())(mx.ones(50))
    close(g, mask.astype(mx.float32))
    close(value, mask.sum())
    close(mx.random.normal((2,)), following)


def test_complex_convention():
    """JAX's: g f'(z), no conjugation; MLX has it the other way round."""
    z = mx.array([0.5 + 0.2j, -1.0 + 1.0j])
    f = lift(lambda z: mx.exp(z) * z)
    found = ft.grad(lambda z: f(z).sum(), holomorphic=True)(z)
    close(found, mx.exp(z) * (1 + z))
    close(ft.jvp(f, (z,), (z,))[1], mx.exp(z) * (1 + z) * z)


def test_arguments_that_are_no_arrays():
    f = lift(lambda x, how, *, axes: how(x, axis=axes["axis"]) + axes["shift"])
    found = ft.grad(lambda x: f(x, mx.sum, axes={"axis": (0, 1), "shift": None or 1.0}))(
        mx.ones((2, 2)))
    close(found, np.ones((2, 2)))
    integers = lift(lambda x, i: x[i])
    close(ft.grad(lambda x: integers(x, mx.array([0, 0])).sum())(X), [2.0, 0.0, 0.0])


def test_without_values_it_is_the_function():
    assert type(lift(mx.sin)(X)) is mx.array
    assert lift(functools.partial(mx.sum, axis=0))(X).shape == ()


def test_integer_results_are_constants():
    x = ft.tensor([1.0, 3.0, 2.0], requires_grad=True)
    i = lift(mx.argmax)(x)
    assert not i.requires_grad and i.item() == 1
    top, at = lift(lambda x: (mx.max(x), mx.argmax(x)))(x)
    assert top.requires_grad and not at.requires_grad
    top.backward()
    close(x.grad, [0.0, 1.0, 0.0])
    assert ft.jvp(lift(mx.argmax), (X,), (X,))[1].tolist() == 0


def test_threads():
    f, found = lift(lambda x: mx.sin(x) * x), {}

    def work(k):
        x = ft.numpy.array([float(k), 1.0])
        for _ in range(20):
            found[k] = ft.grad(lambda x: f(x).sum())(x).tolist()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for k, g in found.items():
        assert g[0] == pytest.approx(np.sin(k) + k * np.cos(k), abs=1e-5)


def test_errors_name_the_function():
    bad = lift(lambda x, y: x @ y, name="product")
    with pytest.raises(ft.errors.FunctapeError, match=r"product\(float32\[3\], float32\[2"):
        bad(ft.numpy.ones(3), ft.numpy.ones((2, 2)))
