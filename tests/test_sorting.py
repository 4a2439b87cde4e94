"""Sorting, quantiles and searching: values and derivatives against JAX and NumPy."""

import functape as ft
import functape.numpy as fnp

# isort: split
import mlx.core as mx
import numpy as np
import pytest
from agreement import agree, close
from hypothesis import given, settings
from hypothesis import strategies as st

from functape.errors import ArgumentError, ConcretizationError, RangeError, ShapeError
from functape.test_util import check_grads

RNG = np.random.default_rng(11)
X = RNG.normal(size=(3, 4, 5))
NAN, INF = float("nan"), float("inf")

# --- orders ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, -1, None])
@pytest.mark.parametrize("descending", [False, True])
def test_sort(axis, descending, oracle):
    agree(oracle, lambda x: fnp.sort(x, axis, descending=descending),
          lambda x: oracle.numpy.sort(x, axis, descending=descending), X[:, :2])


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16, mx.int8, mx.uint32,
                                   mx.bool_, mx.float64])
def test_orders_are_stable(dtype, oracle):
    x = fnp.array(RNG.integers(0, 3, size=(2, 40))).astype(dtype)
    j = oracle.numpy.asarray(np.asarray(x))
    for descending in (False, True):
        close(fnp.argsort(x, descending=descending), oracle.numpy.argsort(j, descending=descending))
        close(fnp.sort(x, descending=descending), oracle.numpy.sort(j, descending=descending))
    close(ft.vmap(fnp.argsort)(x), oracle.numpy.argsort(j))
    assert fnp.argsort(x).dtype == mx.int32


def test_special_numbers_are_sorted_as_jax_sorts_them(oracle):
    x = np.array([1.0, NAN, -INF, 0.0, INF, 1.0, NAN])
    for descending in (False, True):
        close(fnp.sort(x, descending=descending), oracle.numpy.sort(x, descending=descending))
        close(fnp.argsort(x, descending=descending), oracle.numpy.argsort(x, descending=descending))
    for shape in ((0,), (2, 0), (0, 3)):
        assert fnp.sort(fnp.zeros(shape)).shape == shape
    close(fnp.sort(np.array([1 + 2j, 1 - 1j, 0j])), np.array([0j, 1 - 1j, 1 + 2j]))


def test_equal_elements_pass_on_their_own_cotangents():
    _, pull = ft.vjp(fnp.sort, np.array([2.0, 1.0, 2.0]))
    close(pull(np.array([1.0, 10.0, 100.0])), ([10.0, 1.0, 100.0],))


@pytest.mark.parametrize(("k", "axis"), [(0, -1), (2, 0), (-1, 1)])
def test_partition(k, axis):
    x, at = np.moveaxis(np.asarray(fnp.partition(X, k, axis)), axis, -1), k % X.shape[axis]
    want = np.sort(np.moveaxis(X, axis, -1), -1)
    close(x[..., at], want[..., at])
    close(np.sort(x[..., :at], -1), want[..., :at])
    close(fnp.take_along_axis(X, fnp.argpartition(X, k, axis), axis), fnp.partition(X, k, axis))
    close(ft.grad(lambda v: fnp.partition(v, 1)[1] ** 2)(np.array([3.0, 1.0, 2.0])),
          [0.0, 0.0, 4.0])


def test_top_k(oracle):
    for axis in (-1, 0):
        agree(oracle, lambda x, a=axis: fnp.sorting.top_k(x, 2, axis=a)[0],
              lambda x, a=axis: oracle.lax.top_k(x, 2, axis=a)[0], X)
    x = np.array([1.0, 3.0, 3.0, 2.0])
    close(fnp.sorting.top_k(x, 3), (np.array([3.0, 3.0, 2.0]), np.array([1, 2, 3])))


def test_lexsort():
    keys = RNG.integers(0, 3, size=(3, 2, 20))
    for axis in (-1, 0):
        close(fnp.lexsort(keys, axis), np.lexsort(keys, axis))
    close(ft.vmap(fnp.lexsort, 1)(keys), np.lexsort(keys))


# --- quantiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [
    "linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased",
    "normal_unbiased", "interpolated_inverted_cdf", "inverted_cdf", "averaged_inverted_cdf",
    "closest_observation"])
def test_methods_of_quantile(method):
    for axis, keepdims in ((None, False), (0, True), ((0, 2), False), (-1, False)):
        for q in (0.3, [0.0, 0.25, 1.0], np.array([[0.5, 0.9, 0.125]])):
            options = {"axis": axis, "keepdims": keepdims, "method": method}
            want = np.quantile(X, q, **options)
            close(fnp.quantile(X, q, **options), want, 1e-12)
            close(fnp.quantile(X, fnp.array(np.asarray(q)), **options), want, 1e-6)
            close(fnp.percentile(X, np.multiply(q, 100), **options), want, 1e-12)


@pytest.mark.parametrize(("axis", "shape"), [
    (None, X.shape), (0, X.shape), (1, (4,)), (-1, (5,)), ((0, 2), X.shape), ((2, 0), (5, 3))])
@pytest.mark.parametrize("seed", range(4))
def test_weighted_quantiles_are_those_of_numpy(axis, shape, seed):
    rng = np.random.default_rng(seed)
    x, w = X.round(seed), rng.integers(0, 4, shape) + 0.5 * (rng.random(shape) < 0.3)
    w[(0,) * len(shape)] += 1
    q = np.array([[0, 0.1, 0.25], [0.5, 0.8, 1]])
    options = {"axis": axis, "method": "inverted_cdf", "weights": w, "keepdims": seed > 1}
    if seed % 2:
        x[1, 2, 3] = NAN
    want = np.quantile(x, q, **options)
    close(fnp.quantile(x, q, **options), want, 1e-12)
    close(fnp.percentile(x, 100 * q, **options), want, 1e-12)
    close(ft.jit(lambda x, q: fnp.quantile(x, q, **options))(x, q), want, 1e-12)
    if w.shape == x.shape:
        want = np.nanquantile(x, q, **options)
        close(fnp.nanquantile(x, q, **options), want, 1e-12)
        close(fnp.nanpercentile(x, 100 * q, **options), want, 1e-12)


def test_weighted_quantiles_under_transforms_and_at_edges():
    x, w = X[0], np.array([1.0, 0, 2, 1, 0])

    def f(x):
        return fnp.quantile(x, 0.6, axis=-1, method="inverted_cdf", weights=w)

    close(ft.vmap(f)(x), np.quantile(x, 0.6, axis=-1, method="inverted_cdf", weights=w), 1e-12)
    check_grads(f, (x,), order=2)
    close(ft.grad(lambda w: fnp.quantile(x[0], 0.6, method="inverted_cdf", weights=w))(w), 0 * w)
    none = fnp.quantile(x, 0.5, axis=1, method="inverted_cdf", weights=np.zeros(5))
    assert np.isnan(np.asarray(none)).all()
    all_nan = fnp.nanquantile(np.full(5, NAN), 0.5, method="inverted_cdf", weights=w)
    assert np.isnan(float(all_nan))
    with pytest.raises(RangeError, match="quantile: weights have .*'inverted_cdf' only.*'linear'"):
        fnp.quantile(x, 0.5, weights=w)
    with pytest.raises(ShapeError, match="percentile: weights are .*They must have its shape"):
        fnp.percentile(x, 50, weights=w, method="inverted_cdf")


def test_derivatives_of_quantile(oracle):
    q = np.array([0.13, 0.57])  # none falls on an element, where the slope in q jumps
    agree(oracle, lambda x, q: fnp.quantile(x, q, axis=1),
          lambda x, q: oracle.numpy.quantile(x, q, axis=1), X[0], q)
    agree(oracle, lambda x: fnp.quantile(x, 0.3, axis=(0, 2), keepdims=True),
          lambda x: oracle.numpy.quantile(x, 0.3, axis=(0, 2), keepdims=True), X)
    for axis in (None, 1, 2):
        agree(oracle, lambda x, a=axis: fnp.median(x, a),
              lambda x, a=axis: oracle.numpy.median(x, a), X)


def test_quantiles_with_nan(oracle):
    x = np.array(X[0])
    x[0, 1] = x[2, 3] = x[2, 0] = NAN
    x[3] = NAN
    close(fnp.median(x, 1), oracle.numpy.median(x, 1), 1e-12)
    for q in (0.4, [0.2, 0.9]):
        close(fnp.nanquantile(x, q, axis=1), oracle.numpy.nanquantile(x, np.array(q), axis=1),
              1e-12)
        close(fnp.nanpercentile(x, np.multiply(q, 100), keepdims=True),
              np.nanquantile(x, q, keepdims=True), 1e-12)
    agree(oracle, lambda x: fnp.nanmedian(fnp.where(x > 1, NAN, x), 1),
          lambda x: oracle.numpy.nanmedian(oracle.numpy.where(x > 1, NAN, x), 1), X[0])


def test_infinite_neighbours_do_no_harm_where_they_weigh_nothing():
    close(fnp.median(np.array([1.0, INF, 3.0])), 3.0)
    close(ft.grad(fnp.median)(np.array([1.0, INF, 3.0])), [0.0, 0.0, 1.0])
    assert fnp.median(fnp.array([1, 2])).dtype == mx.float32


# --- searching ------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=7), st.lists(st.integers(-4, 4), max_size=5),
       st.sampled_from(["left", "right"]))
def test_searchsorted(a, v, side):
    a, v = np.sort(np.array(a, np.float32)), np.array(v, np.float32)
    want = np.searchsorted(a, v, side)
    close(fnp.searchsorted(a, v, side), want)
    both = ft.vmap(lambda a, v: fnp.searchsorted(a, v, side))
    close(both(np.stack([a, 2 * a]), np.stack([v, v])),
          np.stack([want, np.searchsorted(2 * a, v, side)]))


def test_searchsorted_on_other_arrays(oracle):
    a, v = np.array([1.0, 2.0, NAN]), np.array([NAN, 5.0, 2.0, -INF])
    for side in ("left", "right"):
        close(fnp.searchsorted(a, v, side), np.searchsorted(a, v, side))
    close(fnp.searchsorted(np.array([3, 1, 2]), 2.5, sorter=np.array([1, 2, 0])), 2)
    close(ft.vmap(lambda a, v: fnp.searchsorted(a, v), (0, None))(np.sort(X[0], 1), 0.1),
          [np.searchsorted(row, 0.1) for row in np.sort(X[0], 1)])
    bins = np.array([-1.0, 0.0, 0.5])
    for edges in (bins, bins[::-1], bins[:1]):
        for right in (False, True):
            close(fnp.digitize(X, edges, right), np.digitize(X, edges, right))
    for edges in (bins, bins[::-1]):
        for right in (False, True):  # what lies on an edge
            close(fnp.digitize(bins, edges, right), np.digitize(bins, edges, right))


@pytest.mark.parametrize("size", [None, 2, 4, 9])
def test_nonzero(size, oracle):
    x = np.array([[0.0, 2.0, 0.0], [NAN, 0.0, -1.0]])
    if size is None:
        close(fnp.nonzero(x), np.nonzero(x))
        close(fnp.argwhere(x), np.argwhere(x))
        close(fnp.flatnonzero(x), np.flatnonzero(x))
        assert fnp.argwhere(3.0).shape == (1, 0)
        return
    for fill in (None, -1, (7, 8)):
        close(fnp.nonzero(x, size=size, fill_value=fill),
              oracle.numpy.nonzero(x, size=size, fill_value=fill))
    close(ft.vmap(lambda r: fnp.flatnonzero(r, size=size, fill_value=-1))(x),
          np.stack([oracle.numpy.flatnonzero(r, size=size, fill_value=-1) for r in x]))


def test_unique():
    x = np.array([[3.0, 1.0, NAN], [1.0, 2.0, NAN]])
    for equal_nan in (True, False):
        close(fnp.unique(x, True, True, True, equal_nan=equal_nan),
              np.unique(x, True, True, True, equal_nan=equal_nan))
    rows = np.array([[1, 2], [0, 3], [1, 2]])
    for axis in (0, 1):
        close(fnp.unique(rows, True, True, True, axis), np.unique(rows, True, True, True, axis))
    y = np.array([3.0, 1.0, 1.0, 2.0])  # as JAX fills up
    for size, fill, want in (
        (1, None, ([1.0], [1], [2])),
        (5, None, ([1.0, 2.0, 3.0, 1.0, 1.0], [1, 3, 0, 1, 1], [2, 1, 1, 0, 0])),
        (4, 9.0, ([1.0, 2.0, 3.0, 9.0], [1, 3, 0, 1], [2, 1, 1, 0])),
    ):
        close(fnp.unique(y, True, return_counts=True, size=size, fill_value=fill), want)
    close(fnp.unique_all(x[0, :2]).values, [1.0, 3.0])
    close(fnp.unique_counts(x[:, 0]).counts, [1, 1])
    close(fnp.unique_inverse(x[:, 0]).inverse_indices, [1, 0])
    close(fnp.unique_values(rows), [0, 1, 2, 3])
    close(ft.grad(lambda v: (fnp.unique(v) ** 2).sum())(np.array([3.0, 1.0, 3.0])),
          [6.0, 2.0, 0.0])


# --- errors and compilation -----------------------------------------------------------------------


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: fnp.sort(X, 3), ShapeError, "axis 3 does not exist"),
    (lambda: fnp.sort(X, kind="heapsort"), ArgumentError, "does not take kind"),
    (lambda: fnp.partition(X, 5), ShapeError, "kth is 5.*5 entries; choose one of -5 to 4"),
    (lambda: fnp.sorting.top_k(X, 6), ShapeError, "k is 6.*5 entries"),
    (lambda: fnp.lexsort(()), ShapeError, "at least one key"),
    (lambda: fnp.quantile(X, 1.5), ShapeError, r"q must lie in \[0, 1\]"),
    (lambda: fnp.percentile(X, -1), ShapeError, r"q must lie in \[0, 100\]"),
    (lambda: fnp.quantile(X, 0.5, method="best"), ArgumentError, "method 'best' is unknown"),
    (lambda: fnp.median(fnp.zeros(0)), ShapeError, "of no elements"),
    (lambda: fnp.searchsorted(X, 1.0), ShapeError, "one axis.*vmap"),
    (lambda: fnp.searchsorted(X[0, 0], 1.0, "up"), ArgumentError, "'left' or 'right'"),
    (lambda: fnp.nonzero(1.0), ShapeError, "scalar"),
    (lambda: ft.vmap(fnp.nonzero)(X), ConcretizationError, "nonzero.*vmap or jit.*size="),
    (lambda: ft.vmap(fnp.unique)(X), ConcretizationError, "unique.*outside of vmap"),
])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_compiled_is_eager():
    x = mx.array(X[0].astype(np.float32))

    def f(x):
        return ft.grad(lambda x: (fnp.sort(x)[1:] @ fnp.sorting.top_k(x.T, 2)[0]).sum())(x)

    close(mx.compile(f)(x), f(x), 1e-6)
