"""Pooling against JAX's reduce_window and MLX's layers; ties share evenly."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn
import numpy as np
import pytest
from agreement import agree, close

from functape.test_util import check_grads

nn = ft.nn
RNG = np.random.default_rng(3)


def distinct(*shape):
    n = int(np.prod(shape))
    return (RNG.permutation(n) / n).reshape(shape)


CASES = [
    ((2, 6, 3), 2, {}),
    ((1, 4, 6, 2), (2, 3), {}),
    ((1, 5, 5, 1), (3, 2), {"stride": (2, 1)}),
    ((2, 7, 2), 3, {"stride": 2, "padding": 1}),
    ((1, 5, 6, 1), (3, 2), {"stride": 2, "padding": "SAME"}),
    ((1, 8, 2), 3, {"stride": 1, "dilation": 2}),
    ((1, 2, 3, 4, 1), (2, 2, 2), {"stride": 1}),
]
KINDS = {"max_pool": ("max", -np.inf), "min_pool": ("min", np.inf), "sum_pool": ("add", 0.0)}


def reference(jax, x, window, kind, start, stride=None, padding="VALID", dilation=1):
    n = len(window) if isinstance(window, tuple) else 1

    def each(a):
        return (1, *(a if isinstance(a, tuple) else (a,) * n), 1)

    padding = padding if isinstance(padding, str) else ((0, 0), *((padding,) * 2,) * n, (0, 0))
    stride = window if stride is None else stride
    return jax.lax.reduce_window(x, start, getattr(jax.lax, kind), each(window), each(stride),
                                 padding, None, each(dilation))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("shape", "window", "options"), CASES, ids=str)
def test_is_that_of_jax(name, shape, window, options, oracle):
    kind, start = KINDS[name]
    x, f = distinct(*shape), getattr(nn, name)
    g = lambda x: reference(oracle, x, window, kind, start, **options)  # noqa: E731
    close(f(x, window, **options), g(x), 1e-12)
    if "dilation" in options and name != "sum_pool":
        check_grads(lambda x: f(x, window, **options) ** 2, (ft.numpy.array(x),), 2, eps=1e-3)
        return  # JAX has no derivative
    w = RNG.normal(size=g(x).shape)
    slopes = ft.grad(lambda x: (f(x, window, **options) ** 2 * w).sum())(x)
    close(slopes, oracle.grad(lambda x: (g(x) ** 2 * w).sum())(x), 1e-12)


@pytest.mark.parametrize("name", [*KINDS, "avg_pool"])
def test_all_derivatives_and_vmap(name):
    x = ft.numpy.array(distinct(2, 5, 4, 2))
    f = lambda x: getattr(nn, name)(x, (3, 2), (2, 1), 1) ** 3  # noqa: E731
    check_grads(f, (x,), 2, eps=1e-3)
    check_grads(ft.vmap(f, in_axes=3, out_axes=1), (ft.numpy.stack([x, 2 * x], 3),), 1, eps=1e-3)
    close(ft.vmap(f)(ft.numpy.stack([x, 2 * x])), np.stack([f(x), f(2 * x)]), 1e-12)


def test_mean_with_and_without_padding(oracle):
    x = RNG.normal(size=(1, 5, 6, 2))
    close(nn.avg_pool(x, 2), nn.sum_pool(x, 2) / 2, 1e-12)

    def mean(m):
        def f(x):
            if m is ft:
                return nn.avg_pool(x, (3, 2), 2, "SAME", count_include_pad=False)
            total, count = (reference(oracle, a, (3, 2), "add", 0.0, 2, "SAME")
                            for a in (x, m.numpy.ones_like(x)))
            return total / count

        return f

    agree(oracle, mean(ft), mean(oracle), x)


def test_ties_share():
    x = ft.numpy.array([2.0, 2.0, 1.0, 2.0]).reshape(1, 4, 1)
    slopes = ft.grad(lambda x: nn.max_pool(x, 3, 1).sum())(x)
    close(slopes.reshape(-1), [0.5, 1.0, 0.0, 0.5])
    flat = ft.grad(lambda x: nn.min_pool(x, 2).sum())(x * 0)
    close(flat.reshape(-1), [0.5, 0.5, 0.5, 0.5])


def test_is_that_of_mlx():
    x = mx.array(RNG.normal(size=(2, 6, 6, 3)).astype(np.float32))
    close(nn.max_pool(x, (2, 2)), mlx.nn.MaxPool2d(2)(x))
    close(nn.max_pool(x, (3, 3), 2, 1), mlx.nn.MaxPool2d(3, 2, 1)(x))
    close(nn.avg_pool(x, (2, 2)), mlx.nn.AvgPool2d(2)(x), 1e-6)


def test_integers():
    x = ft.numpy.array([3, -1, 2, 7]).reshape(1, 4, 1)
    assert nn.max_pool(x, 2, padding=1).reshape(-1).tolist() == [3, 2, 7]
    assert nn.sum_pool(x, 2).dtype == x.dtype


def section(i, n, m):
    return slice(i * n // m, -(-(i + 1) * n // m))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_adaptive(size):
    """Windows from floor(i n / m) to ceil((i + 1) n / m), along two axes."""
    x = distinct(2, 5, 7, 3)
    for f, kind in ((nn.adaptive_avg_pool, np.mean), (nn.adaptive_max_pool, np.max)):
        want = np.stack([np.stack([kind(x[:, section(i, 5, size), section(j, 7, 4)], (1, 2))
                                   for j in range(4)], 1) for i in range(size)], 1)
        close(f(x, (size, 4)), want, 1e-12)
        check_grads(lambda x, f=f: f(x, (size, 4)) ** 2, (ft.numpy.array(x),), 2, eps=1e-4)


def test_errors():
    x = ft.numpy.ones((1, 4, 1))
    for wrong, text in [
        (lambda: nn.max_pool(x[0], (2, 2)), r"positions, C\) with as many axes"),
        (lambda: nn.max_pool(x, 5), "does not fit into 4, padding included"),
        (lambda: nn.avg_pool(x, 2, padding="FULL"), "'SAME' or 'VALID'"),
        (lambda: nn.adaptive_avg_pool(x[0], (2, 2)), r"with 2 output size\(s\)"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            wrong()


def test_windows_of_a_stretched_array():
    """Such as the cotangent of a sum: its elements are not side by side in memory."""
    from functape.ops.families import broadcast_to
    from functape.ops.pooling import Windows, overlap, windows

    over = Windows((0,), (3,), (1,), (1,))
    x = broadcast_to(ft.numpy.ones(()), shape=(5,))
    close(windows(x, over=over), np.ones((3, 3)), 0)
    g = ft.grad(lambda y: overlap(y, over=over, shape=(5,)).sum())(ft.numpy.zeros((3, 3)))
    close(g, np.ones((3, 3)), 0)
