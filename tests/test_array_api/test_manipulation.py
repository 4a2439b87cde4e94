"""The array API's functions on shapes, and reading and writing with brackets."""

import math

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from array_api_draws import (
    ALL, NUMERIC, agree, arrays, axes, elements, few, full_shapes, given_to_us, name_of, shapes,
)
from hypothesis import given
from hypothesis import strategies as st

import functape.numpy as fnp


def arrays_of_one_kind(data, shape_of, kinds=("bool", "iu", "f", "c"), most=3):
    kind = data.draw(st.sampled_from(kinds))
    dtypes = [d for d in ALL if np.dtype(d).kind in kind.replace("bool", "b")
              and not (kind == "iu" and d == "uint64")]
    n = data.draw(st.integers(1, most))
    return [data.draw(arrays(dtypes, shape=st.just(shape_of(data)))) for _ in range(n)]


@few
@given(st.data())
def test_concat(data):
    base = data.draw(full_shapes)
    axis = data.draw(st.none() | st.integers(-len(base), len(base) - 1))

    def shape(data):
        if axis is None:
            return data.draw(shapes)
        i = axis % len(base)
        return (*base[:i], data.draw(st.integers(0, 3)), *base[i + 1:])

    xs = arrays_of_one_kind(data, shape)
    agree(fnp.concat(list(map(given_to_us, xs)), axis=axis), np.concat(xs, axis=axis))


@few
@given(st.data())
def test_stack_and_unstack(data):
    shape = data.draw(shapes)
    xs = arrays_of_one_kind(data, lambda data: shape)
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    want = np.stack(xs, axis=axis)
    out = fnp.stack(tuple(map(given_to_us, xs)), axis=axis)
    agree(out, want)
    parts = fnp.unstack(out, axis=axis)
    assert isinstance(parts, tuple) and len(parts) == len(xs)
    for part, expected in zip(parts, np.unstack(want, axis=axis), strict=True):
        agree(part, expected)


@few
@given(arrays(ALL), st.data())
def test_expand_dims(x, data):
    axis = data.draw(st.integers(-x.ndim - 3, x.ndim + 2))
    if not -x.ndim - 1 <= axis <= x.ndim:
        with pytest.raises(IndexError):
            fnp.expand_dims(given_to_us(x), axis=axis)
        return
    agree(fnp.expand_dims(given_to_us(x), axis=axis), np.expand_dims(x, axis))


@few
@given(st.data())
def test_squeeze(data):
    shape = data.draw(st.lists(st.sampled_from([1, 1, 2]), max_size=4).map(tuple))
    x = data.draw(arrays(ALL, shape=st.just(shape)))
    axis = data.draw(axes(x.ndim).filter(lambda a: a is not None)) if shape else ()
    chosen = axis if isinstance(axis, tuple) else (axis,)
    if any(shape[i] != 1 for i in chosen):
        with pytest.raises(ValueError):
            fnp.squeeze(given_to_us(x), axis)
        return
    agree(fnp.squeeze(given_to_us(x), axis), np.squeeze(x, axis))


@few
@given(arrays(ALL), st.data())
def test_flip(x, data):
    axis = data.draw(axes(x.ndim))
    agree(fnp.flip(given_to_us(x), axis=axis), np.flip(x, axis))


@few
@given(arrays(ALL), st.data())
def test_permute_and_move(x, data):
    order = data.draw(st.permutations(range(x.ndim)).map(tuple))
    agree(fnp.permute_dims(given_to_us(x), order), np.permute_dims(x, order))
    agree(fnp.moveaxis(given_to_us(x), tuple(range(x.ndim)), order),
          np.moveaxis(x, tuple(range(x.ndim)), order))
    if x.ndim >= 2:
        agree(fnp.matrix_transpose(given_to_us(x)), np.matrix_transpose(x))
        agree(given_to_us(x).mT, x.mT)
    if x.ndim == 2:
        agree(given_to_us(x).T, x.T)


@few
@given(arrays(ALL), st.data())
def test_reshape(x, data):
    size = x.size
    shape = data.draw(st.sampled_from([(size,), (-1,) if size else (0,), (1, size), (size, 1, 1)]))
    for copy in (None, True):
        agree(fnp.reshape(given_to_us(x), shape, copy=copy), np.reshape(x, shape))


@few
@given(arrays(ALL), st.data())
def test_roll(x, data):
    axis = data.draw(axes(x.ndim))
    if isinstance(axis, tuple):
        shift = tuple(data.draw(st.integers(-9999, 9999)) for _ in axis)
    else:
        shift = data.draw(st.integers(-9999, 9999))
    agree(fnp.roll(given_to_us(x), shift, axis=axis), np.roll(x, shift, axis))


@few
@given(arrays(ALL), st.data())
def test_repeat_and_tile(x, data):
    times = data.draw(st.integers(0, 4))
    agree(fnp.repeat(given_to_us(x), times), np.repeat(x, times))
    counts = data.draw(st.lists(st.integers(0, 3), max_size=x.ndim + 1).map(tuple))
    agree(fnp.tile(given_to_us(x), counts), np.tile(x, counts))
    if x.ndim:
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        each = data.draw(hnp.arrays("int32", x.shape[axis], elements=st.integers(0, 3)))
        agree(fnp.repeat(given_to_us(x), times, axis=axis), np.repeat(x, times, axis))
        agree(fnp.repeat(given_to_us(x), given_to_us(each), axis=axis), np.repeat(x, each, axis))


@few
@given(st.data())
def test_broadcast(data):
    found = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=3))
    xs = [data.draw(arrays(ALL, shape=st.just(s))) for s in found.input_shapes]
    outs = fnp.broadcast_arrays(*map(given_to_us, xs))
    for out, want in zip(outs, np.broadcast_arrays(*xs), strict=True):
        agree(out, want)
    agree(fnp.broadcast_to(given_to_us(xs[0]), found.result_shape),
          np.broadcast_to(xs[0], found.result_shape))


@few
@given(st.sampled_from(ALL).flatmap(lambda d: st.lists(
    arrays([d], shape=hnp.array_shapes(max_dims=1, min_side=0, max_side=3)),
    min_size=1, max_size=3)), st.sampled_from(["xy", "ij"]))
def test_meshgrid(xs, indexing):
    outs = fnp.meshgrid(*map(given_to_us, xs), indexing=indexing)
    for out, want in zip(outs, np.meshgrid(*xs, indexing=indexing), strict=True):
        agree(out, want)


# --- brackets -------------------------------------------------------------------------------------


@few
@given(arrays(ALL), st.data())
def test_getitem(x, data):
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))
    agree(given_to_us(x)[key], x[key])


@few
@given(arrays(ALL), st.data())
def test_setitem(x, data):
    key = data.draw(hnp.basic_indices(x.shape))
    y = data.draw(elements(x.dtype))
    mine, copy = fnp.asarray(given_to_us(x), copy=True), x.copy()
    mine[key] = y
    copy[key] = y
    agree(mine, copy)
    mine[key] = fnp.asarray(y, dtype=mine.dtype)
    agree(mine, copy)


@few
@given(arrays(ALL), st.data())
def test_masks(x, data):
    n = data.draw(st.integers(0, x.ndim))
    mask = data.draw(hnp.arrays(bool, x.shape[:n]))
    agree(given_to_us(x)[given_to_us(mask)], x[mask])
    y = data.draw(elements(x.dtype))
    mine, copy = given_to_us(x), x.copy()
    mine[given_to_us(mask)] = y
    copy[mask] = y
    agree(mine, copy)


def test_a_mask_of_the_wrong_shape_is_an_index_error():
    with pytest.raises(IndexError):
        fnp.ones((2, 3))[fnp.ones((3, 2), dtype=bool)]
    with pytest.raises(IndexError):
        fnp.ones(3)[fnp.ones((3, 1), dtype=bool)]


@few
@given(arrays(ALL, full_shapes), st.data())
def test_integer_arrays_as_keys(x, data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    key = tuple(data.draw(hnp.arrays(data.draw(st.sampled_from(["int8", "int32", "int64", "uint8"])),
                                     shape, elements=st.integers(0, n - 1))) for n in x.shape)
    agree(given_to_us(x)[tuple(map(given_to_us, key))], x[key])
    mixed = tuple(int(k.reshape(-1)[0]) if k.size and i % 2 else k for i, k in enumerate(key))
    ours = tuple(k if isinstance(k, int) else given_to_us(k) for k in mixed)
    agree(given_to_us(x)[ours], x[mixed])


@few
@given(arrays(ALL, full_shapes), st.data())
def test_take(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = x.shape[axis]
    kind = st.sampled_from(["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
    index = data.draw(hnp.arrays(data.draw(kind), st.integers(0, 4), elements=st.integers(0, n - 1)))
    agree(fnp.take(given_to_us(x), given_to_us(index), axis=axis), np.take(x, index, axis))
    shape = list(x.shape)
    shape[axis] = data.draw(st.integers(0, 4))
    index = data.draw(hnp.arrays("int32", tuple(shape), elements=st.integers(-n, n - 1)))
    agree(fnp.take_along_axis(given_to_us(x), given_to_us(index), axis=axis),
          np.take_along_axis(x, index, axis))


@few
@given(st.data())
def test_numbers_of_arrays_without_axes(data):
    x = data.draw(arrays(NUMERIC, shape=st.just(()), finite=True))
    mine = given_to_us(x)
    assert complex(mine) == complex(x)
    if x.dtype.kind != "c":
        assert float(mine) == float(x) and int(mine) == int(x) and bool(mine) == bool(x)
    if x.dtype.kind in "iu":
        assert mine.__index__() == int(x)


@few
@given(arrays(ALL, shapes))
def test_facts(x):
    mine = given_to_us(x)
    assert (mine.ndim, mine.shape, mine.size) == (x.ndim, x.shape, math.prod(x.shape))
    assert name_of(mine.dtype) == x.dtype.name
    assert mine.__array_namespace__(api_version="2024.12") is fnp
    assert mine.to_device(mine.device).shape == x.shape
