"""MLX's own generator inside jit: new numbers at each call, the same from the same seed."""

import mlx.core as mx

import functape as ft


def noisy(x):
    return (x * mx.random.uniform(shape=x.shape)).sum()


def test_each_call_draws_anew_and_a_seed_repeats_them():
    f = ft.jit(noisy)
    mx.random.seed(3)
    first = [f(mx.ones(4)).item() for _ in range(3)]
    assert len(set(first)) == 3
    mx.random.seed(3)
    assert [f(mx.ones(4)).item() for _ in range(3)] == first
    mx.random.seed(3)
    assert [noisy(mx.ones(4)).item() for _ in range(3)] == first


def test_nested_jit_and_gradients_draw_anew_too():
    f = ft.jit(lambda x: ft.jit(noisy)(x) + ft.grad(noisy)(x).sum())
    assert len({f(mx.ones(4)).item() for _ in range(3)}) == 3
