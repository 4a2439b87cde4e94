"""MLX's own generator inside jit: new numbers at each call, the same from the same seed."""

import contextlib

import mlx.core as mx
import pytest

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


@pytest.mark.parametrize("fallback", [True, False])
@pytest.mark.filterwarnings("ignore:jit")
def test_a_trace_that_ends_early_leaves_the_generator_as_it_was(fallback):
    """MLX leaves a tracer there, of which the next draw would make an error."""
    mx.random.seed(7)
    expected = mx.random.normal((3,)).tolist()
    for f in (lambda x: x if x[0] > 0 else -x, lambda x: ft.jit(lambda y: y[y > 0])(x)):
        mx.random.seed(7)
        with contextlib.nullcontext() if fallback else pytest.raises(ft.errors.FunctapeError):
            ft.jit(f, fallback=fallback)(mx.ones(3))
        assert mx.random.normal((3,)).tolist() == expected


def test_an_error_of_the_function_leaves_the_generator_as_it_was():
    mx.random.seed(7)
    before = mx.random.state[0].tolist()
    with pytest.raises(ZeroDivisionError):
        ft.jit(lambda x: x / (1 // 0))(mx.ones(3))
    assert mx.random.state[0].tolist() == before


def test_so_does_an_error_in_a_later_trace():
    @ft.jit
    def f(x):
        if len(x) == 2:
            raise ValueError("no")
        return noisy(x)

    mx.random.seed(7)
    f(mx.ones(1))
    expected = mx.random.normal((3,)).tolist()
    mx.random.seed(7)
    f(mx.ones(1))
    with pytest.raises(ValueError, match="no"):
        f(mx.ones(2))
    assert mx.random.normal((3,)).tolist() == expected
