"""Convolutions and their transposes against JAX, with all derivatives, and against MLX."""

import functape as ft

# isort: split
import functools

import mlx.core as mx
import numpy as np
import pytest
from agreement import agree, close

from functape.ops import conv as ops
from functape.ops.conv import Geometry
from functape.test_util import check_grads

nn = ft.nn
RNG = np.random.default_rng(2)


def normal(*shape):
    return RNG.normal(size=shape)


def theirs(jax, x, w, stride=1, padding=0, dilation=1, groups=1, input_dilation=1, flip=False):
    n = x.ndim - 2
    letters = "DHW"[-n:]

    def each(a):
        return a if isinstance(a, tuple) else (a,) * n

    if not isinstance(padding, str):
        padding = [p if isinstance(p, tuple) else (p, p) for p in each(padding)]
    w = jax.numpy.flip(w, tuple(range(1, n + 1))) if flip else w
    return jax.lax.conv_general_dilated(
        x, w, each(stride), padding, each(input_dilation), each(dilation),
        (f"N{letters}C", f"O{letters}I", f"N{letters}C"), groups)


CASES = {
    "1d": ((2, 7, 2), (3, 3, 2), {}),
    "1d stride": ((1, 8, 2), (3, 3, 2), {"stride": 2, "padding": 1}),
    "2d": ((2, 5, 6, 2), (3, 3, 2, 2), {"padding": (1, 0)}),
    "2d stride": ((1, 6, 5, 2), (2, 2, 3, 2), {"stride": (2, 1), "padding": ((1, 2), (0, 1))}),
    "2d dilation": ((1, 4, 6, 2), (2, 2, 3, 2), {"dilation": (1, 2)}),
    "2d groups": ((1, 5, 5, 4), (2, 2, 3, 2), {"stride": (1, 2), "padding": 1, "groups": 2}),
    "same": ((1, 5, 6, 1), (2, 2, 3, 1), {"stride": (2, 3), "padding": "SAME"}),
    "depthwise": ((1, 6, 3), (6, 3, 1), {"groups": 3, "padding": "VALID"}),
    "spread": ((1, 4, 2), (3, 3, 2), {"input_dilation": 2, "padding": 2, "flip": True}),
    "cut": ((1, 8, 1), (2, 2, 1), {"padding": ((-1, 2),)}),
    "1x1": ((2, 3, 3, 4), (2, 1, 1, 4), {}),
    "3d": ((1, 3, 4, 3, 2), (2, 2, 2, 2, 1), {"groups": 2, "padding": (1, 0, 0)}),
}


@pytest.mark.parametrize("name", CASES)
def test_conv_is_that_of_jax(name, oracle):
    x, w, options = CASES[name]
    agree(oracle, lambda x, w: nn.conv(x, w, **options),
          lambda x, w: theirs(oracle, x, w, **options), normal(*x), normal(*w) * 0.5,
          tolerance=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_conv_is_that_of_mlx(n):
    """In single precision: forward and both derivatives."""
    x, w = (mx.array(normal(*s).astype(np.float32)) for s in ((2, *(6,) * n, 2), (4, *(3,) * n, 2)))
    f, g = getattr(nn, f"conv{n}d"), getattr(mx, f"conv{n}d")
    close(f(x, w, 2, 1), g(x, w, 2, 1), 1e-4)
    got = ft.grad(lambda x, w: (f(x, w, 2, 1) ** 2).sum(), argnums=(0, 1))(x, w)
    want = mx.grad(lambda x, w: (g(x, w, 2, 1) ** 2).sum(), argnums=(0, 1))(x, w)
    close(tuple(got), tuple(want), 1e-3)


@pytest.mark.parametrize("mapped", [(0, None), (None, 0), (0, 0), (1, 2)], ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_vmap(mapped, groups, oracle):
    """Without a loop: the batch becomes part of an axis, or groups."""
    shapes = [(2, 5, 4, 2 * groups), (2 * groups, 2, 3, 2)]
    for shape, axis in zip(shapes, mapped, strict=True):
        shape_ = list(shape)
        if axis is not None:
            shape_.insert(axis, 3)
        shapes[shapes.index(shape)] = tuple(shape_)
    x, w = (normal(*s) for s in shapes)

    def everything(m, conv):
        def slopes(x, w):
            return m.grad(lambda x, w: (conv(x, w) ** 2).sum(), argnums=(0, 1))(x, w)

        x_, w_ = m.numpy.asarray(x), m.numpy.asarray(w)
        return (m.vmap(conv, mapped)(x_, w_), *m.vmap(slopes, mapped)(x_, w_))

    got = everything(ft, lambda x, w: nn.conv(x, w, (2, 1), 1, groups=groups))
    want = everything(oracle, lambda x, w: theirs(oracle, x, w, (2, 1), 1, groups=groups))
    close(got, want, 1e-9)


def random_geometry(n):
    """Any, of those with a result."""
    def draw(low, high):
        return tuple(int(k) for k in RNG.integers(low, high, n))

    return Geometry(draw(1, 4), tuple(zip(draw(-1, 3), draw(0, 3), strict=True)), draw(1, 3),
                    draw(1, 4), int(RNG.integers(1, 4)))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_kernels_on_random_geometries(n, oracle):
    """The kernels of functape in double precision, and those of MLX, which run on a GPU, where
    they are asked."""
    for _ in range(4):
        geometry = random_geometry(n)
        x = normal(2, *RNG.integers(4, 7, n), 2 * geometry.groups)
        w = normal(3 * geometry.groups, *RNG.integers(1, 4, n), 2)
        reference = functools.partial(
            theirs, oracle, stride=geometry.stride, padding=geometry.padding,
            dilation=geometry.dilation, input_dilation=geometry.spread, groups=geometry.groups)
        y, pull = oracle.vjp(reference, x, w)
        g = normal(*y.shape)
        of_x, of_w = pull(g)
        double = [mx.array(a, dtype=mx.float64) for a in (x, w, g)]
        close(results(geometry, *double), (y, of_x, of_w), 1e-9)
        if ops.mlx_can(geometry) and not ops.is_spread(geometry) and y.size:
            single = [a.astype(mx.float32) for a in double]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ops, "fast", lambda *_: True)
                close(results(geometry, *single), (y, of_x, of_w), 1e-3)


def results(geometry, x, w, g):
    return (ops.conv_kernel(x, w, geometry),
            ops.input_kernel(g, w, geometry, x.shape[1:-1]),
            ops.weight_kernel(x, g, geometry, w.shape[1:-1]))


@pytest.mark.parametrize(("n", "stride", "padding", "dilation", "extra"), [
    (1, 1, 0, 1, 0), (1, 2, 1, 1, 1), (2, 2, 1, 1, 0), (2, (2, 1), (1, 0), (1, 2), (1, 0)),
    (3, 2, 0, 1, 1)])
def test_conv_transpose_is_that_of_mlx(n, stride, padding, dilation, extra):
    x, w = (mx.array(normal(*s).astype(np.float32)) for s in ((2, *(4,) * n, 3), (2, *(3,) * n, 3)))
    options = stride, padding, dilation, extra
    want = getattr(mx, f"conv_transpose{n}d")(x, w, *options)
    close(getattr(nn, f"conv_transpose{n}d")(x, w, *options), want, 1e-4)


def test_conv_transpose_is_the_transpose():
    """<conv(x), y> = <x, conv_transpose(y)>, in groups too; and all its derivatives are right."""
    x, y, w = normal(1, 7, 4), normal(1, 3, 6), normal(6, 3, 2)
    turned = np.concatenate([np.swapaxes(part, 0, 2) for part in np.split(w, 2)])
    forward = nn.conv(ft.numpy.array(x), ft.numpy.array(w), 2, groups=2)
    back = nn.conv_transpose(ft.numpy.array(y), ft.numpy.array(turned), 2, groups=2)
    close((forward * y).sum(), (back * x).sum(), 1e-12)
    check_grads(lambda y, w: nn.conv_transpose(y, w, 2, 1, groups=2),
                             (ft.numpy.array(y), ft.numpy.array(turned)), 2)


def test_low_precision_and_complex(oracle):
    x, w = normal(1, 5, 2), normal(3, 3, 2)
    half = nn.conv(ft.numpy.array(x, dtype="float16"), ft.numpy.array(w, dtype="float16"))
    assert half.dtype == ft.numpy.float16
    z = (x + 1j * x[:, ::-1]).astype(np.complex64)
    got = nn.conv(ft.numpy.array(z), ft.numpy.array(w.astype(np.complex64)))
    close(got, theirs(oracle, z, w.astype(np.complex64)), 1e-5)


def test_under_jit():
    x, w = ft.numpy.array(normal(1, 5, 5, 2)), ft.numpy.array(normal(3, 3, 3, 2))
    f = ft.value_and_grad(lambda x, w: (nn.conv2d(x, w, 2, 1) ** 2).sum())
    for a, b in zip(ft.jit(f)(x, w), f(x, w), strict=True):
        close(a, b, 1e-9)


def test_errors():
    x, w = ft.numpy.ones((1, 5, 2)), ft.numpy.ones((3, 3, 2))
    for wrong, text in [
        (lambda: nn.conv(x, ft.numpy.ones((3, 3, 3))), r"in 1 group\(s\) takes filters"),
        (lambda: nn.conv2d(x, w), r"of 4 axes each, but got float32\[1,5,2\]"),
        (lambda: nn.conv(x, w, padding="FULL"), "must be 'SAME' or 'VALID'"),
        (lambda: nn.conv(x, w, stride=0), "stride must be a number, or 1 of them, of 1 or more"),
        (lambda: nn.conv(x, w, dilation=3), "reach over 7 elements.*have 5.*Pad more"),
        (lambda: nn.conv_transpose(x, w, 2, output_padding=2), "must be less than the stride"),
        (lambda: nn.conv_transpose(x, w, padding=4), "Pad less"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            wrong()


@pytest.mark.parametrize("free", [0, 1])
def test_one_constant_operand(free):
    x, w = ft.numpy.array(normal(1, 5, 2)), ft.numpy.array(normal(3, 3, 2))
    f = lambda *a: (nn.conv(*a) ** 2).sum()  # noqa: E731
    whole = ft.grad(f, argnums=(0, 1))(x, w)[free]
    close(ft.grad(f, argnums=free)(x, w), whole, 1e-12)
