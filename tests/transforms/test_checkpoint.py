"""checkpoint changes what is kept, and no number."""

import gc

import mlx.core as mx
import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp
from functape.autograd.checkpoint import CheckpointError

X = np.array([0.3, -1.2, 2.0], dtype=np.float32)


def f(x):
    return fnp.sin(x) * fnp.exp(0.5 * x) * x


def total(g):
    return lambda x: g(x).sum()


PROGRAMS = {
    "grad": lambda g: ft.grad(total(g)),
    "second": lambda g: ft.grad(total(ft.grad(total(g)))),
    "third": lambda g: ft.grad(total(ft.grad(total(ft.grad(total(g)))))),
    "vmap_grad": lambda g: ft.vmap(ft.grad(g)),
    "grad_vmap": lambda g: ft.grad(total(ft.vmap(g))),
    "jvp_grad": lambda g: lambda x: ft.jvp(ft.grad(total(g)), (x,), (x,))[1],
    "grad_jvp": lambda g: ft.grad(lambda x: ft.jvp(g, (x,), (x,))[1].sum()),
    "hessian": lambda g: ft.hessian(total(g)),
    "jacrev": lambda g: ft.jacrev(g),
    "jit": lambda g: ft.jit(ft.grad(total(g))),
    "grad_jit": lambda g: ft.grad(ft.jit(total(g))),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("policy", [
    None, "nothing_saveable", "everything_saveable", "dots_saveable",
])
def test_same_numbers(name, policy):
    rule = policy and getattr(ft.checkpoint_policies, policy)
    kept = ft.checkpoint(f, policy=rule)
    nested = ft.checkpoint(lambda x: kept(x))
    want = np.asarray(PROGRAMS[name](f)(fnp.asarray(X)))
    for g in (kept, nested):
        np.testing.assert_allclose(np.asarray(PROGRAMS[name](g)(fnp.asarray(X))), want, rtol=2e-5,
                                   atol=1e-6)


def test_what_is_closed_over_gets_its_gradient():
    w = ft.tensor(2.0, requires_grad=True)
    ft.checkpoint(lambda x: fnp.sin(x * w))(0.5).backward()
    np.testing.assert_allclose(w.grad.item(), 0.5 * np.cos(1.0), rtol=1e-6)


def test_the_function_runs_once_more_and_stops_early():
    runs = []

    def counted(x):
        runs.append("start")
        y = fnp.sin(x)
        z = fnp.sin(y)
        runs.append("end")
        return z

    ft.grad(ft.checkpoint(counted))(0.5)
    assert runs == ["start", "end", "start"]  # the last value is there before the end


def test_names_choose_what_is_kept():
    runs = []

    def g(x):
        runs.append(1)
        y = ft.checkpoint_name(fnp.exp(x), "kept")
        return y * y

    only = ft.checkpoint_policies.save_only_these_names("kept")
    got = ft.grad(ft.checkpoint(g, policy=only))(0.5)
    np.testing.assert_allclose(got.item(), 2 * np.exp(1.0), rtol=1e-6)


def test_random_numbers_are_the_same_in_the_second_run():
    def dropped(x):
        return (x * x * mx.random.bernoulli(0.5, x.shape)).sum()

    grads = []
    for g in (dropped, ft.checkpoint(dropped)):
        mx.random.seed(7)
        grads.append((ft.grad(g)(fnp.ones(64)).tolist(), mx.random.uniform().item()))
    assert grads[0] == grads[1]


def test_a_backward_pass_inside():
    def f(a):
        return ft.grad(lambda x: x**3 * a)(a)  # 3 a^2 a

    np.testing.assert_allclose(ft.grad(ft.checkpoint(f))(2.0).item(), 9 * 2.0**2)


def test_a_second_run_that_differs_is_an_error():
    shapes = iter([(2,), (3,)])
    with pytest.raises(CheckpointError, match="value 0"):
        ft.grad(ft.checkpoint(lambda x: fnp.sin(x * fnp.ones(next(shapes))).sum()))(1.0)
    counts = iter([3, 1])

    def fewer(x):
        for _ in range(next(counts)):
            x = fnp.sin(x)
        return x

    with pytest.raises(CheckpointError, match="first 3"):
        ft.grad(ft.checkpoint(fewer))(1.0)


def test_nothing_is_kept_between_the_passes():
    def block(x):
        for _ in range(8):
            x = fnp.tanh(x)
        return x

    def peak(g):
        gc.collect()
        mx.clear_cache()
        mx.reset_peak_memory()
        x = fnp.ones((256, 1024))

        def loss(v):
            for _ in range(16):
                v = g(v)
            return v.sum()

        ft.grad(loss)(x).block_until_ready()
        return mx.get_peak_memory()

    assert peak(ft.checkpoint(block)) < 0.5 * peak(block)


def test_as_a_decorator_with_options():
    runs = []

    @ft.checkpoint(policy=ft.checkpoint_policies.everything_saveable, static_argnums=(1,))
    def f(x, n):
        runs.append(1)
        return fnp.sin(x) ** n

    np.testing.assert_allclose(ft.grad(f)(0.5, 2).item(), np.sin(1.0), rtol=1e-6)
    assert len(runs) == 1


def around_transforms(x):
    """d/dy of s cos(s) + 2s cos(2s), s = x y, at y = sin(x): by pullbacks under vmap."""

    def inner(s):
        pulled = ft.vmap(lambda a: ft.vjp(fnp.sin, a)[1](a)[0])(fnp.stack([s, 2 * s]))
        return pulled.sum()

    return ft.grad(lambda y: inner(x * y))(fnp.sin(x))


def test_around_a_gradient_of_pullbacks_under_vmap():
    """What a second run gives back stands on the tape of the first, or derivatives get lost."""
    x = 0.7
    s = x * np.sin(x)
    want = x * (np.cos(s) - s * np.sin(s) + 2 * np.cos(2 * s) - 4 * s * np.sin(2 * s))
    found = ft.checkpoint(around_transforms)(x)
    np.testing.assert_allclose(found.item(), want, rtol=1e-5)
    assert not found.requires_grad
    slope = ft.grad(ft.checkpoint(around_transforms))(x).item()
    np.testing.assert_allclose(slope, ft.grad(around_transforms)(x).item(), rtol=1e-5)


def test_around_a_jitted_gradient():
    """The graph saves for itself: nothing of a call around it may become a constant of it."""
    jitted = ft.jit(ft.grad(lambda x: fnp.sin(x) * x))
    for x in (0.3, 1.1):
        want = np.sin(x) + x * np.cos(x)
        np.testing.assert_allclose(ft.checkpoint(jitted)(x).item(), want, rtol=1e-5)
