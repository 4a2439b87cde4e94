"""dispatch and traced: unmodified MLX code on functape's values."""

import functools
import pathlib
import threading

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.core import sin

from functape.mlx import coverage, dispatch, traced

X, W = mx.array([[1.0, 2.0], [3.0, -1.0]]), mx.array([0.5, -2.0])


def close(a, b, tol=1e-5):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tol, atol=tol)


# --- arrays on either side ------------------------------------------------------------------------

EXPRESSIONS = {
    "matmul": lambda w: X @ w + w @ X,
    "left": lambda w: (X + w) * X - X / (w + 5) + X % 2 * w + (X - w) ** 2,
    "right": lambda w: (w + X) * w - w / X + (w - X) ** 2 + 2.0 * w + 1 - w,
    "power": lambda w: mx.abs(X) ** w,
    "floor": lambda w: X // (w + 3) * w,
    "compare": lambda w: mx.where(X < w, w, X) + (X == w) * w + (X >= w) * w,
    "logic": lambda w: ((X > 0) & (w > 0)) * w + ((X > 0) | (w < 0)) * w,
    "augmented": lambda w: augmented(w),
    "read": lambda w: X[order(w)] * w + X[0, order(w)[0]] * w,
    "at": lambda w: X.at[0].add(w).at[:, 1].multiply(w) + w.at[0].minimum(0.7),
    "methods": lambda w: (w * X).transpose(1, 0).flatten().square().reshape(2, -1).swapaxes(0, 1),
    "more methods": lambda w: w.exp().log1p().astype(mx.float32).cumsum(0, inclusive=False),
    "lists": lambda w: mx.concatenate([w, X[0], w]) * mx.stack([w, w, X[1]]).flatten(),
    "imported": lambda w: sin(w),
    "T": lambda w: (w[:, None] @ w[None]).T @ X.T,
    "loop": lambda w: sum(row * w for row in X) + sum(v * v for v in w),
    "lifted": lambda w: mx.hadamard_transform(w * X),
    "compiled": lambda w: nn.gelu(w) * nn.softmax(X * w) + COMPILED(w, X),
    "custom": lambda w: CUSTOM(w, X),
    "mapped": lambda w: MAPPED(w, X) + CHECKPOINTED(w),
    "unpacked": lambda w: functools.reduce(mx.add, mx.split(w * X, 2, axis=1)),
}


def augmented(w):
    x = X * 1
    x += w
    x *= w
    w = w * 2
    w -= X[0]
    return x + w


def order(w):
    return mx.argsort(mx.stop_gradient(w))


COMPILED = mx.compile(lambda a, b: mx.sin(a) * b)
MAPPED = mx.vmap(lambda a, b: mx.sin(a) * b, in_axes=(None, 1), out_axes=1)
CHECKPOINTED = mx.checkpoint(lambda a: mx.sin(a) * a)
CUSTOM = mx.custom_function(lambda a, b: a * b)
CUSTOM.vjp(lambda primals, g, out: (3 * g.sum(axis=0), g))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_gradients_of_plain_mlx(name):
    f, before = EXPRESSIONS[name], mx.array(X)

    def loss(w):
        out = f(w)
        assert isinstance(out, mx.array) and isinstance(w, (int, mx.array))
        return (out * mx.cos(mx.arange(out.size).reshape(out.shape))).sum()

    found = ft.grad(traced(loss))(W)
    assert type(found) is mx.array
    close(found, mx.grad(loss)(W))
    close(ft.grad(lambda w: traced(loss)(w))(ft.asarray(W)), found)
    t = mx.array([1.0, 0.5])
    if name != "custom":  # whose own rule differs from its derivative
        close(ft.jvp(traced(loss), (W,), (t,))[1], (found * t).sum(), 1e-4)
    close(ft.vmap(ft.grad(traced(loss)))(mx.stack([W, 2 * W])),
          mx.stack([found, mx.grad(loss)(2 * W)]), 1e-4)
    assert mx.array_equal(X, before)


# --- the context ----------------------------------------------------------------------------------


def snapshot():
    spaces = (mx, mx.fast, mx.linalg, mx.fft, mx.random, mx.array, nn.Module, type(nn.relu),
              mx.custom_function, ft.op.Value)
    kept = {f"{s.__name__}.{k}": v for s in spaces for k, v in vars(s).items()}
    return kept | {"sin": globals()["sin"]}


def same(a, b):
    return a.keys() == b.keys() and all(a[k] is b[k] for k in a)


def test_nothing_is_changed_outside():
    import functape.op  # noqa: F401 - for the snapshot

    before = snapshot()
    with dispatch():
        assert not same(snapshot(), before)
        with dispatch():
            pass
        assert sin(ft.tensor(0.0)).item() == 0
        block = dispatch()
        with block, block:  # one object twice
            assert sin(ft.tensor(0.0)).item() == 0
    assert same(snapshot(), before)
    with pytest.raises(ZeroDivisionError), dispatch():
        1 / 0  # noqa: B018
    assert same(snapshot(), before)
    with pytest.raises((TypeError, ft.errors.ArgumentError)):
        mx.sin(ft.tensor([0.0, 1.0], requires_grad=True))
    assert not isinstance(ft.tensor(0.0), mx.array)


def test_methods_of_functape_stay_its_own_outside():
    assert ft.tensor([[1.0]]).flatten("F").shape == (1,)
    with dispatch():
        assert ft.numpy.ones((2, 3, 4)).flatten(1, -1).shape == (2, 12)


def test_other_threads_are_not_affected():
    inside, seen, done = threading.Event(), {}, threading.Event()

    def other():
        inside.wait(10)
        seen["plain"] = (mx.sin(X) @ X).tolist()
        seen["isinstance"] = isinstance(ft.tensor(0.0), mx.array)
        try:
            mx.sin(ft.tensor([0.0, 1.0], requires_grad=True))
        except TypeError as error:
            seen["error"] = error
        with dispatch():
            seen["own"] = mx.sin(ft.tensor(0.0)).item()
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with dispatch():
        inside.set()
        assert done.wait(10)
        assert mx.sin(ft.tensor(0.0)).item() == 0
    thread.join()
    assert seen["plain"] == (mx.sin(X) @ X).tolist() and seen["own"] == 0
    assert seen["error"] and not seen["isinstance"]


def test_many_threads_trace_at_once():
    before, found = snapshot(), {}

    def work(k):
        loss = traced(lambda w: mx.sum(mx.sin(X @ w)))
        for _ in range(10):
            found[k] = ft.grad(loss)(W * k)
            mx.eval(found[k])  # streams are a thread's own

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for k, g in found.items():
        close(g, mx.grad(lambda w: mx.sum(mx.sin(X @ w)))(W * k))
    assert same(snapshot(), before)


def test_eager_leaves():
    w = ft.tensor([0.5, -2.0], requires_grad=True)
    with dispatch():
        loss = mx.mean(mx.square(X @ w - mx.array([1.0, 2.0])))
        mx.eval(loss, w)
        mx.async_eval([loss, {"w": w}])
        assert isinstance(loss.item(), float) and isinstance(w.tolist(), list)
        loss.backward()
    close(w.grad, mx.grad(lambda w: mx.mean(mx.square(X @ w - mx.array([1.0, 2.0]))))(W))


def test_values_and_arrays_go_out_as_they_came():
    f = traced(lambda x: (mx.sin(x), mx.ones(2)))
    assert all(type(a) is mx.array for a in f(X))
    assert all(isinstance(a, ft.Tensor) for a in f(ft.asarray(X)))


def test_writing_into_arrays():
    with dispatch(), pytest.raises(ft.errors.ArgumentError, match=r"mx.array.*\.at\[...\]\.add"):
        mx.zeros(3)[0] = ft.tensor(1.0)

    def f(x):
        y = x * 1
        y[0] = x[1] * x[2]
        return y

    x = mx.array([1.0, 2.0, 3.0])
    expected = mx.vjp(f, [x], [mx.ones(3)])[1][0]
    close(ft.grad(traced(lambda x: f(x).sum()))(x), expected)
    close(ft.jvp(traced(f), (x,), (mx.ones(3),))[1], [5.0, 1.0, 1.0])
    close(ft.vmap(traced(f))(mx.stack([x, x]))[1], [6.0, 2.0, 3.0])


def test_functions_out_of_reach_are_named():
    kept = {"f": mx.sin}
    with pytest.raises(ft.errors.ArgumentError, match="lift"), dispatch():
        kept["f"](ft.tensor([1.0, 2.0], requires_grad=True))
    made = mx.grad(lambda x: x * x)
    with pytest.raises(ft.errors.ArgumentError, match="functape.grad"), dispatch():
        made(ft.tensor(1.0))


def test_transforms_of_mlx_inside():
    """mx.grad and its like become functape's, where they are given values."""
    cube = lambda x: (x ** 3).sum()  # noqa: E731

    def f(x):
        both, g = mx.value_and_grad(lambda a: (cube(a), a))(x)
        out, pulled = mx.vjp(mx.sin, [x], [mx.ones_like(x)])
        _, pushed = mx.jvp(mx.sin, [x], [x])
        rows = mx.vmap(lambda a: mx.grad(cube)(a[None])[0])(x)
        kept = mx.checkpoint(lambda a: mx.sin(a) * a)(x)
        return (g * both[1] + pulled[0] + pushed[0] * rows + kept * out[0]).sum()

    expected = lambda x: (  # noqa: E731
        3 * x ** 3 + mx.cos(x) + x * mx.cos(x) * 3 * x ** 2 + mx.sin(x) ** 2 * x).sum()
    close(ft.grad(traced(f))(W), mx.grad(expected)(W), 1e-4)


def test_what_is_saved_is_plain(tmp_path):
    path = str(pathlib.Path(tmp_path) / "w.safetensors")
    with dispatch():
        mx.save_safetensors(path, {"w": ft.tensor([1.0, 2.0], requires_grad=True) * 2})
    assert mx.load(path)["w"].tolist() == [2.0, 4.0]


def test_lifted_functions_are_counted():
    before = coverage()["hadamard_transform"].lifted
    ft.grad(traced(lambda x: mx.hadamard_transform(x).sum()))(X)
    assert coverage()["hadamard_transform"].lifted == before + 1


def test_random_numbers_are_those_of_mlx():
    def f(x):
        return (x * mx.random.normal(x.shape)).sum() + mx.random.uniform() * x[0, 0]

    mx.random.seed(1)
    ours = ft.grad(traced(f))(X)
    mx.random.seed(1)
    close(ours, mx.grad(f)(X))


def test_no_gradient_is_lost_in_a_closure():
    """A value among the arguments of an inner function, not of the outer one."""
    def f(x):
        inner = lambda s: mx.sum(mx.sin(s * x))  # noqa: E731
        return inner(mx.array(2.0))

    close(ft.grad(traced(f))(W), mx.grad(f)(W))
