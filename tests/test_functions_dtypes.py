"""Functions of elements and of axes in each dtype and on 0-d, empty and broadcast shapes: results,
gradients and tangents have the dtype and the shape they must, and are those of float64."""

import functape as ft

# isort: split
import functools

import mlx.core as mx
import numpy as np
import pytest

from functape.errors import ArgumentError

ANY, POSITIVE, UNIT, ABOVE = (-1.7, 1.7), (0.3, 2.0), (0.1, 0.9), (1.2, 3.0)

# of one array, by where they are smooth; c: also of complex numbers
ONE = {
    "numpy": {
        ANY: "sin:c cos:c exp:c exp2:c expm1:c sinh:c cosh:c tanh:c arctan:c arcsinh:c square:c "
             "negative:c abs:c conj:c real:c positive:c sinc cbrt degrees radians fabs i0 "
             "nan_to_num:c trunc",
        POSITIVE: "sqrt:c log:c log2:c log10:c log1p:c reciprocal:c angle:c",
        UNIT: "arcsin:c arccos:c arctanh:c tan:c", ABOVE: "arccosh:c",
    },
    "nn": {
        ANY: "sigmoid:c softplus log_sigmoid silu gelu mish elu celu selu soft_sign squareplus "
             "hard_tanh relu leaky_relu sparse_plus sparse_sigmoid hard_sigmoid hard_silu relu6 "
             "identity",
        POSITIVE: "log1mexp",
    },
    "scipy.special": {
        ANY: "erf erfc erfcx ndtr log_ndtr i0 i0e i1 i1e dawsn expit",
        POSITIVE: "gammaln gamma digamma exp1 expi spence entr", UNIT: "erfinv logit ndtri",
    },
}
# of two
TWO = {
    "numpy": {
        ANY: "add:c subtract:c multiply:c maximum minimum logaddexp logaddexp2 hypot fmax fmin "
             "copysign",
        POSITIVE: "divide:c arctan2 power float_power",
    },
    "scipy.special": {POSITIVE: "xlogy xlog1py betaln beta rel_entr kl_div"},
}
# of an axis
AXIS = {
    "numpy": {ANY: "sum:c mean:c max min var std prod logsumexp cumsum:c cumprod median sort ptp "
                   "nansum nanmean nanvar nanmax"},
    "nn": {ANY: "softmax log_softmax logmeanexp standardize"},
}
LOW = {mx.float16: 2e-2, mx.bfloat16: 2e-1, mx.float32: 1e-4}
SHAPES = [(), (0,), (2, 0), (2, 3)]
PAIRS = [((), (3,)), ((2, 1), (3,)), ((0, 1), (3,)), ((1,), ()), ((2, 3), (2, 3))]


def listed(table):
    """(label, function, range, whether complex) of each entry."""
    for namespace, ranges in table.items():
        module = functools.reduce(getattr, namespace.split("."), ft)
        for domain, names in ranges.items():
            for entry in names.split():
                name, _, kind = entry.partition(":")
                yield f"{namespace}.{name}", getattr(module, name), domain, kind == "c"


def each(table):
    entries = list(listed(table))
    return pytest.mark.parametrize(("f", "domain", "of_complex"), [e[1:] for e in entries],
                                   ids=[e[0] for e in entries])


def drawn(domain, shapes, seed=0):
    """NumPy arrays within a range, apart from ties and from 0."""
    rng = np.random.default_rng(seed)
    low, high = domain
    for shape in shapes:
        n = int(np.prod(shape))
        grid = low + (high - low) * (rng.permutation(n) + rng.uniform(0.2, 0.8, n)) / max(n, 1)
        yield np.asarray(np.where(np.abs(grid) < 0.05, 0.1, grid).reshape(shape))


def everything(f, args):
    """Value, gradients of a weighed sum, and tangent; as tensors."""
    out, pullback = ft.vjp(f, *args)
    weights = np.cos(np.arange(out.size)).reshape(out.shape)
    g = ft.numpy.asarray(weights).astype(out.dtype)
    same, moved = ft.jvp(f, tuple(args), tuple(a * 0 + 0.5 for a in args))
    assert (same.dtype, same.shape) == (out.dtype, out.shape)
    assert (moved.dtype, moved.shape) == (out.dtype, out.shape), "the tangent's"
    grads = pullback(g)
    assert [(g.dtype, g.shape) for g in grads] == [(a.dtype, a.shape) for a in args]
    return [out, moved, *grads]


def check(f, arrays, of_complex):
    """All dtypes against float64; complex numbers on the real line too, as far as they go."""
    exact = everything(f, [ft.numpy.array(a) for a in arrays])
    assert exact[0].dtype == mx.float64
    for dtype, tolerance in LOW.items():
        lowered = [ft.numpy.array(a).astype(dtype) for a in arrays]
        want = everything(f, [a.astype(mx.float64) for a in lowered])
        got = everything(f, lowered)
        assert got[0].dtype == dtype, dtype
        close(got, want, tolerance)
    if of_complex:
        got = everything(f, [ft.numpy.array(a).astype(mx.complex64) for a in arrays])
        close([ft.numpy.real(a) for a in got], exact, 1e-4)


def close(got, want, tolerance):
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a.astype(mx.float32)), np.asarray(b)
        np.testing.assert_allclose(a, b, tolerance, tolerance * (1 + np.abs(b).max(initial=0)))


@each(ONE)
def test_of_one_array(f, domain, of_complex):
    for shape in SHAPES:
        (a,) = drawn(domain, [shape])
        check(f, [a], of_complex)
        out = f(ft.numpy.array(a))
        assert out.shape == shape


@each(TWO)
def test_of_two_arrays(f, domain, of_complex):
    for shapes in PAIRS:
        x, y = drawn(domain, shapes)
        check(f, [x, y + 0.011], of_complex)
        assert f(ft.numpy.array(x), ft.numpy.array(y)).shape == np.broadcast_shapes(*shapes)


@each(AXIS)
def test_of_an_axis(f, domain, of_complex):
    """Along each axis, where it has elements; an empty axis beside it does no harm."""
    for shape, axis in [((3,), 0), ((2, 3), 0), ((2, 3), -1), ((0, 3), 1), ((3, 1), 1)]:
        (a,) = drawn(domain, [shape])
        check(lambda x, axis=axis: f(x, axis=axis), [a], of_complex)


@each(ONE)
def test_vmap_is_a_loop(f, domain, of_complex):
    (a,) = drawn(domain, [(3, 2)])
    x = ft.numpy.array(a)
    rows = [np.asarray(ft.grad(lambda r: f(r).sum())(row)) for row in x]
    got = ft.vmap(ft.grad(lambda r: f(r).sum()))(x)
    np.testing.assert_allclose(np.asarray(got), rows, 1e-9, 1e-9)


@each(ONE)
def test_whole_numbers_are_constants(f, domain, of_complex):
    """They are converted, and cannot be differentiated by."""
    whole = ft.numpy.array(np.array([1, 1], np.int32))
    assert np.asarray(f(whole)).shape == (2,)
    with pytest.raises(ArgumentError, match="int32"):
        ft.grad(lambda x: f(x).sum() * 1.0)(whole)
