"""What the tables of numpy_more_cases cannot say: transforms, results JAX lacks, and errors."""

import io

import mlx.core as mx
import numpy
import pytest

import functape as ft
import functape.numpy as fnp
from functape.errors import ArgumentError, ConcretizationError, FunctapeError

Q = numpy.array([1.0, 1.0, 0.0, -2.5, 3.5, 0.5], numpy.float32)
I = numpy.array([3, 1, 3, 0], numpy.int32)  # noqa: E741


def same(got, want):
    numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-5, atol=1e-6)


def test_what_numpy_has_and_jax_lacks():
    tall = numpy.zeros((5, 2), numpy.float32)
    numpy.fill_diagonal(tall, 7.0, wrap=True)
    same(fnp.fill_diagonal(numpy.zeros((5, 2)), 7.0, wrap=True, inplace=False), tall)
    at = numpy.array([True, False, True]), numpy.array([1])
    for got, want in zip(fnp.ix_(*at), numpy.ix_(*at), strict=True):
        same(got, want)
    half = Q.astype("float16")
    same(fnp.nextafter(half, numpy.float16(9)), numpy.nextafter(half, numpy.float16(9)))
    same(fnp.fromiter(iter([1.0, 2.0])), [1.0, 2.0])


@pytest.mark.parametrize("real", ["float16", "float32", "float64"])
def test_extreme_numbers(real):
    limits = numpy.finfo(real)
    x = numpy.array([limits.smallest_subnormal, limits.tiny, limits.tiny / 2, limits.max,
                     -limits.max, 0.0, numpy.inf, numpy.nan], real)
    m, e = fnp.frexp(fnp.asarray(x))
    same(m, numpy.frexp(x)[0])
    assert e.tolist() == numpy.where(numpy.isfinite(x), numpy.frexp(x)[1], 0).tolist()
    for y in (-numpy.inf, numpy.inf, 0.0):
        with numpy.errstate(all="ignore"):
            want = numpy.nextafter(x, numpy.array(y, real))
        got = numpy.asarray(fnp.nextafter(fnp.asarray(x), fnp.asarray(numpy.array(y, real))))
        assert got.tobytes() == want.tobytes() or numpy.array_equal(got, want, equal_nan=True)


TRACED = [
    lambda x: fnp.convolve(x, x[:2], "same"), lambda x: fnp.histogram(x, 3)[0],
    lambda x: fnp.bincount(fnp.astype(x > 0, int), weights=x, length=3),
    lambda x: fnp.isin(x, Q[:3]), lambda x: fnp.extract(x > 0, x, size=4),
    lambda x: fnp.place(x, x > 0, x[:2], inplace=False), lambda x: fnp.nextafter(x, 0.0),
    lambda x: fnp.frexp(x)[0], lambda x: fnp.packbits(x > 0), lambda x: fnp.gradient(x),
    lambda x: fnp.polyval(x, 0.5), lambda x: fnp.unravel_index(fnp.astype(x > 0, int), (2, 2))[1],
    lambda x: fnp.vectorize(lambda a, b: a * b)(x, x[0]), lambda x: fnp.kaiser(5, x[0] ** 2),
    lambda x: fnp.apply_along_axis(fnp.cumsum, 0, x), lambda x: fnp.delete(x, 1),
]


@pytest.mark.parametrize("f", TRACED)
def test_under_jit_and_vmap(f):
    x = fnp.asarray(Q)
    same(ft.jit(f, fallback=False)(x), f(x))
    rows = fnp.stack([x, x * 0.5 + 0.1])
    same(ft.vmap(f)(rows), fnp.stack([f(r) for r in rows]))


def test_sets_are_differentiable():
    x = fnp.asarray(Q)
    g = ft.grad(lambda x: (fnp.setdiff1d(x, numpy.float32([1])) ** 2).sum())(x)
    same(g, [0, 0, 0, -5.0, 7.0, 1.0])
    g = ft.grad(lambda x: (fnp.union1d(x, numpy.float32([9])) ** 2).sum())(x)
    same(g, [2.0, 0, 0, -5.0, 7.0, 1.0])


def test_sizes_fill_up():
    assert fnp.setdiff1d(I, fnp.array([3]), size=3).tolist() == [0, 1, 0]
    assert fnp.intersect1d(I, fnp.array([3, 0]), size=3, fill_value=-1).tolist() == [0, 3, -1]
    assert fnp.intersect1d(I, fnp.array([7]), size=2).tolist() == [0, 0]


def test_slope_of_roots_and_of_a_fit():
    p = fnp.array([1.0, -3.0, 2.0])
    g = ft.grad(lambda p: fnp.roots(p, strip_zeros=False).real.sum())(p)
    same(g, [-3.0, -1.0, 0.0])  # the sum of the roots is -b / a
    x = numpy.arange(5.0, dtype=numpy.float32)
    g = ft.grad(lambda y: fnp.polyfit(x, y, 1)[1])(x**2)
    same(g, numpy.polyfit(x, numpy.eye(5), 1)[1])


def test_files_and_text():
    file = io.BytesIO()
    fnp.savez(file, a=fnp.ones(2), b=Q)
    file.seek(0)
    with fnp.load(file) as found:
        assert found["b"].tolist() == Q.tolist()
    before = fnp.get_printoptions()["precision"]
    with fnp.printoptions(precision=2):
        assert repr(fnp.array([0.123456])) == "tensor([0.12])"
    assert fnp.get_printoptions()["precision"] == before


def test_array_api_standard():
    x = fnp.ones(2)
    assert x.__array_namespace__() is fnp and fnp.__array_api_version__ == "2024.12"
    info = fnp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == mx.float32
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32", "int64"}
    assert mx.cpu in info.devices() and info.default_device() == x.device
    assert fnp.from_dlpack(numpy.ones(2, numpy.float32)).tolist() == [1.0, 1.0]


WRONG = [
    (lambda: fnp.convolve(fnp.ones((2, 2)), Q), "one axis"),
    (lambda: fnp.convolve(Q, Q, "ful"), "full, same, valid"),
    (lambda: fnp.polyint(Q, 2, k=[1.0, 2.0, 3.0]), "2 constant"),
    (lambda: fnp.polyfit(Q, Q[:2], 1), "as many rows"),
    (lambda: fnp.histogram(Q, "auto"), "Give a number"),
    (lambda: fnp.histogram(Q, 2, weights=Q[:2]), "the shape of a"),
    (lambda: fnp.delete(Q, 9), "-6 to 5"), (lambda: fnp.insert(Q, 9, 1.0), "-6 to 5"),
    (lambda: fnp.put(Q, 0, 1.0), "inplace=False"), (lambda: fnp.place(Q, Q > 0, 1.0), "inplace"),
    (lambda: fnp.fill_diagonal(Q, 1.0, inplace=False), "matrix"),
    (lambda: fnp.vectorize(fnp.dot, signature="(n)(n)->()")(Q, Q), "not understood"),
    (lambda: fnp.vectorize(fnp.dot, signature="(n),(n)->(n)")(Q, Q), "returned"),
    (lambda: fnp.frexp(1j), "real and the"), (lambda: fnp.unpackbits(Q), "uint8"),
    (lambda: fnp.packbits(I, bitorder="up"), "'big' or 'little'"),
    (lambda: fnp.ravel_multi_index((I, I), (2, 2)), "mode='clip'"),
    (lambda: fnp.gradient(Q[:1]), "two samples"), (lambda: fnp.gradient(Q, edge_order=2), "1 only"),
    (lambda: fnp.r_["x", Q], "axis,ndim,first"), (lambda: fnp.bincount(Q), "integers"),
]


@pytest.mark.parametrize(("call", "remedy"), WRONG)
def test_mistakes(call, remedy):
    with pytest.raises(FunctapeError, match=remedy):
        call()


@pytest.mark.parametrize("f", [fnp.bincount, lambda i: fnp.union1d(i, i), fnp.trim_zeros,
                               lambda i: fnp.compress(i > 0, i), lambda i: fnp.delete(I, i)])
def test_lengths_unknown_under_vmap(f):
    with pytest.raises(ConcretizationError):
        ft.vmap(f)(fnp.asarray(numpy.stack([I, I])))


def test_arguments_that_write_are_refused():
    with pytest.raises(ArgumentError, match="out"):
        fnp.compress([True], [1.0], out=Q)
