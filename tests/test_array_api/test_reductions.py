"""The array API's reductions, sorting, searching and sets: every dtype, axis and empty arrays."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from array_api_draws import (
    ALL,
    FLOATS,
    KINDS,
    NUMERIC,
    REAL,
    REAL_FLOATS,
    agree,
    arrays,
    axes,
    elements,
    few,
    full_shapes,
    given_to_us,
    name_of,
    shapes,
    total_dtype,
    two_arrays,
)
from hypothesis import assume, given
from hypothesis import strategies as st

import functape.numpy as fnp

INDEX = "int32"
finite = {"finite": True}


def settled(x):
    """Large floats make sums of float32 differ; compare moderate ones."""
    return np.where(np.isfinite(x), x, 1).astype(x.dtype) if x.dtype.kind in "fc" else x


@pytest.mark.parametrize("name", ["sum", "prod"])
@few
@given(st.data())
def test_totals(name, data):
    x = settled(data.draw(arrays(NUMERIC, low=-3, high=3)))
    axis, keep = data.draw(axes(x.ndim)), data.draw(st.booleans())
    dtype = total_dtype(x.dtype)
    want = getattr(np, name)(x, axis=axis, keepdims=keep, dtype=dtype)
    agree(getattr(fnp, name)(given_to_us(x), axis=axis, keepdims=keep), want, dtype, rtol=1e-3,
          atol=1e-3)
    wider = {"f": "float64", "c": "complex128"}.get(x.dtype.kind, "int64")
    if x.dtype != np.uint64:
        want = getattr(np, name)(x, axis=axis, keepdims=keep, dtype=wider)
        out = getattr(fnp, name)(given_to_us(x), axis=axis, keepdims=keep,
                                 dtype=getattr(fnp, wider))
        agree(out, want, wider, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["max", "min"])
@few
@given(st.data())
def test_extremes(name, data):
    x = data.draw(arrays(REAL, full_shapes))
    axis, keep = data.draw(axes(x.ndim)), data.draw(st.booleans())
    agree(getattr(fnp, name)(given_to_us(x), axis=axis, keepdims=keep),
          getattr(np, name)(x, axis=axis, keepdims=keep), x.dtype.name)


@pytest.mark.parametrize("name", ["mean", "std", "var"])
@few
@given(st.data())
def test_moments(name, data):
    x = settled(data.draw(arrays(REAL_FLOATS, full_shapes)))
    axis, keep = data.draw(axes(x.ndim)), data.draw(st.booleans())
    options = {}
    if name != "mean":
        chosen = range(x.ndim) if axis is None else np.atleast_1d(axis)
        count = int(np.prod([x.shape[i] for i in chosen]))
        options = {"correction": data.draw(st.sampled_from([0, 0.0, 0.5, max(count - 1, 0)]))}
    agree(getattr(fnp, name)(given_to_us(x), axis=axis, keepdims=keep, **options),
          getattr(np, name)(x, axis=axis, keepdims=keep, **options), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("name", ["all", "any"])
@few
@given(st.data())
def test_truth(name, data):
    x = data.draw(arrays(ALL))
    axis, keep = data.draw(axes(x.ndim)), data.draw(st.booleans())
    agree(getattr(fnp, name)(given_to_us(x), axis=axis, keepdims=keep),
          getattr(np, name)(x, axis=axis, keepdims=keep), "bool")


@few
@given(st.data())
def test_count_nonzero(data):
    x = data.draw(arrays(ALL))
    axis, keep = data.draw(axes(x.ndim)), data.draw(st.booleans())
    agree(fnp.count_nonzero(given_to_us(x), axis=axis, keepdims=keep),
          np.count_nonzero(x, axis=axis, keepdims=keep), INDEX)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@few
@given(st.data())
def test_running_totals(name, data):
    x = settled(data.draw(arrays(NUMERIC, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0,
                                                           max_side=4), low=-3, high=3)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1) | (st.none() if x.ndim == 1 else st.just(0)))
    initial = data.draw(st.booleans())
    dtype = total_dtype(x.dtype)
    want = getattr(np, name)(x, axis=axis, include_initial=initial, dtype=dtype)
    agree(getattr(fnp, name)(given_to_us(x), axis=axis, include_initial=initial), want, dtype,
          rtol=1e-3, atol=1e-3)
    out = getattr(fnp, name)(given_to_us(x), axis=axis, include_initial=initial,
                             dtype=getattr(fnp, x.dtype.name))
    assert name_of(out.dtype) == x.dtype.name


@pytest.mark.parametrize("name, empty", [("mean", np.nan), ("prod", 1.0), ("std", np.nan),
                                         ("sum", 0.0), ("var", np.nan)])
def test_of_nothing(name, empty):
    agree(getattr(fnp, name)(fnp.asarray([], dtype=fnp.float32)), np.float32(empty))


@pytest.mark.parametrize("name", ["max", "mean", "min", "prod", "std", "sum", "var"])
@few
@given(st.data())
def test_nan_is_passed_on(name, data):
    x = data.draw(arrays(REAL_FLOATS, full_shapes))
    where = data.draw(st.integers(0, x.size - 1))
    x.reshape(-1)[where] = np.nan
    assert bool(fnp.isnan(getattr(fnp, name)(given_to_us(x))))


# --- sorting and searching ------------------------------------------------------------------------


@few
@given(st.data())
def test_sorting(data):
    x = data.draw(arrays(REAL, hnp.array_shapes(max_dims=3, min_side=0, max_side=5)))
    assume(not np.isnan(x).any())
    axis, down, stable = (data.draw(s) for s in (
        st.integers(-x.ndim, x.ndim - 1), st.booleans(), st.booleans()))
    want = np.sort(x, axis=axis)
    want = np.flip(want, axis) if down else want
    options = {"axis": axis, "descending": down, "stable": stable}
    agree(fnp.sort(given_to_us(x), **options), want)
    order = fnp.argsort(given_to_us(x), **options)
    assert name_of(order.dtype) == INDEX and order.shape == x.shape
    order = np.asarray(order)
    np.testing.assert_array_equal(np.take_along_axis(x, order, axis), want)
    if stable:
        values = np.take_along_axis(x, order, axis)
        same = np.diff(values, axis=axis) == 0
        assert (np.diff(order, axis=axis)[same] > 0).all()


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@few
@given(st.data())
def test_places_of_extremes(name, data):
    x = data.draw(arrays(REAL, full_shapes))
    assume(not np.isnan(x).any())
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    keep = data.draw(st.booleans())
    agree(getattr(fnp, name)(given_to_us(x), axis=axis, keepdims=keep),
          getattr(np, name)(x, axis=axis, keepdims=keep), INDEX)


@few
@given(arrays(ALL))
def test_nonzero(x):
    if not x.ndim:
        with pytest.raises(ValueError):
            fnp.nonzero(given_to_us(x))
        return
    outs = fnp.nonzero(given_to_us(x))
    assert isinstance(outs, tuple)
    for out, want in zip(outs, np.nonzero(x), strict=True):
        agree(out, want, INDEX)


@few
@given(st.data())
def test_searchsorted(data):
    x = np.sort(data.draw(arrays(REAL, hnp.array_shapes(max_dims=1, min_side=1), finite=True)))
    y = data.draw(arrays([x.dtype.name], shapes, finite=True))
    side = data.draw(st.sampled_from(["left", "right"]))
    agree(fnp.searchsorted(given_to_us(x), given_to_us(y), side=side),
          np.searchsorted(x, y, side=side), INDEX)
    mixed = data.draw(st.permutations(range(len(x))))
    order = np.argsort(x[mixed])
    agree(fnp.searchsorted(given_to_us(x[mixed]), given_to_us(y), side=side,
                           sorter=given_to_us(order)),
          np.searchsorted(x[mixed], y, side=side, sorter=order), INDEX)


@few
@given(st.data())
def test_where(data):
    x, y = data.draw(two_arrays(ALL))
    condition = data.draw(hnp.arrays(bool, np.broadcast_shapes(x.shape, y.shape)))
    agree(fnp.where(given_to_us(condition), given_to_us(x), given_to_us(y)),
          np.where(condition, x, y))
    number = data.draw(elements(x.dtype))
    agree(fnp.where(given_to_us(condition), given_to_us(x), number),
          np.where(condition, x, np.asarray(number, x.dtype)), x.dtype.name)
    agree(fnp.where(given_to_us(condition), number, given_to_us(x)),
          np.where(condition, np.asarray(number, x.dtype), x), x.dtype.name)


@few
@given(st.data())
def test_diff(data):
    x = data.draw(arrays(NUMERIC, hnp.array_shapes(max_dims=3, min_side=0, max_side=4)))
    axis, n = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.integers(0, 3))
    edge = list(x.shape)
    edge[axis] = 1
    first = data.draw(arrays([x.dtype.name], shape=st.just(tuple(edge))))
    x, first = settled(x), settled(first)
    agree(fnp.diff(given_to_us(x), axis=axis, n=n), np.diff(x, n, axis), atol=1e-3)
    agree(fnp.diff(given_to_us(x), axis=axis, n=n, prepend=given_to_us(first),
                   append=given_to_us(first)),
          np.diff(x, n, axis, prepend=first, append=first), atol=1e-3)


# --- sets -----------------------------------------------------------------------------------------


@few
@given(arrays(ALL, shapes))
def test_unique(x):
    out, want = fnp.unique_all(given_to_us(x)), np.unique_all(x)
    assert out._fields == ("values", "indices", "inverse_indices", "counts")
    distinct = np.unique(x, equal_nan=False)
    agree(out.values, distinct)
    for name in ("indices", "inverse_indices", "counts"):
        assert name_of(getattr(out, name).dtype) == INDEX
    assert out.inverse_indices.shape == x.shape
    if not (x.dtype.kind in "fc" and np.isnan(x).any()):
        agree(out.indices, want.indices, INDEX)
        agree(out.inverse_indices, want.inverse_indices, INDEX)
    agree(out.counts, want.counts, INDEX)
    np.testing.assert_array_equal(np.asarray(out.values)[np.asarray(out.inverse_indices)], x)
    agree(fnp.unique_values(given_to_us(x)), distinct)
    assert fnp.unique_counts(given_to_us(x))._fields == ("values", "counts")
    assert fnp.unique_inverse(given_to_us(x))._fields == ("values", "inverse_indices")


def test_dtypes_of_the_kinds_are_all_there():
    assert set(KINDS["floats"]) == set(FLOATS)
