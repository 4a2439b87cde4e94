"""The array API's creation, dtype and inspection functions, DLPack, and names and signatures."""

import hypothesis.extra.numpy as hnp
import mlx.core as mx
import numpy as np
import pytest
from array_api_draws import (
    ALL,
    COMPLEX,
    FLOATS,
    KINDS,
    NUMERIC,
    REAL,
    REAL_FLOATS,
    WHOLE,
    agree,
    arrays,
    elements,
    few,
    given_to_us,
    name_of,
    pairs,
    promoted,
    shapes,
)
from hypothesis import given
from hypothesis import strategies as st

import functape.numpy as fnp

dtypes = st.sampled_from(ALL)


def ours(dtype):
    return getattr(fnp, dtype)


@pytest.mark.parametrize("name", ["empty", "ones", "zeros"])
@few
@given(shapes | st.integers(0, 9), st.none() | dtypes)
def test_of_a_shape(name, shape, dtype):
    out = getattr(fnp, name)(shape, dtype=None if dtype is None else ours(dtype))
    assert out.shape == ((shape,) if isinstance(shape, int) else shape)
    assert name_of(out.dtype) == (dtype or "float32")
    if name != "empty":
        agree(out, getattr(np, name)(shape, dtype or "float32"))


@pytest.mark.parametrize("name", ["empty_like", "ones_like", "zeros_like"])
@few
@given(arrays(ALL), st.none() | dtypes)
def test_like_another(name, x, dtype):
    out = getattr(fnp, name)(given_to_us(x), dtype=None if dtype is None else ours(dtype))
    assert out.shape == x.shape and name_of(out.dtype) == (dtype or x.dtype.name)


@few
@given(shapes, dtypes.flatmap(lambda d: st.tuples(st.just(d), elements(d))), st.booleans())
def test_full(shape, dtype_and_fill, stated):
    dtype, fill = dtype_and_fill
    out = fnp.full(shape, fill, dtype=ours(dtype) if stated else None)
    default = {bool: "bool", int: "int32", float: "float32", complex: "complex64"}[type(fill)]
    if type(fill) is int and not -2**31 <= fill < 2**31:
        default = "int64" if fill < 2**63 else "uint64"
    agree(out, np.full(shape, fill, dtype), dtype if stated else default)
    agree(fnp.full_like(fnp.zeros(shape, dtype=ours(dtype)), fill), np.full(shape, fill, dtype))


@few
@given(st.integers(-30, 30), st.none() | st.integers(-30, 30), st.sampled_from([1, 2, -1, -3]),
       st.none() | st.sampled_from(NUMERIC))
def test_arange(start, stop, step, dtype):
    if dtype in KINDS["whole"][4:]:
        start, stop, step = abs(start), None if stop is None else abs(stop), abs(step)
    ends = (start,) if stop is None else (start, stop, step)
    agree(fnp.arange(*ends, dtype=None if dtype is None else ours(dtype)),
          np.arange(*ends, dtype=dtype or "int32"))
    assert name_of(fnp.arange(0.5, 3).dtype) == "float32"


@few
@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 20), st.booleans(),
       st.none() | st.sampled_from(FLOATS))
def test_linspace(start, stop, num, endpoint, dtype):
    out = fnp.linspace(start, stop, num, endpoint=endpoint,
                       dtype=None if dtype is None else ours(dtype))
    agree(out, np.linspace(start, stop, num, endpoint=endpoint).astype(dtype or "float32"),
          atol=1e-5)
    if num:
        assert float(out[0].real) == start
    if num > 1 and endpoint:
        assert float(out[-1].real) == stop


@few
@given(st.integers(0, 7), st.none() | st.integers(0, 7), st.integers(-9, 9),
       st.none() | st.sampled_from(NUMERIC))
def test_eye(rows, columns, k, dtype):
    agree(fnp.eye(rows, columns, k=k, dtype=None if dtype is None else ours(dtype)),
          np.eye(rows, columns, k, dtype or "float32"))


@pytest.mark.parametrize("name", ["tril", "triu"])
@few
@given(arrays(NUMERIC, hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=4)),
       st.integers(-6, 6))
def test_triangles(name, x, k):
    agree(getattr(fnp, name)(given_to_us(x), k=k), getattr(np, name)(x, k))


@few
@given(arrays(ALL), dtypes, st.sampled_from([None, True]))
def test_asarray(x, dtype, copy):
    if x.dtype.kind == "c" and dtype not in KINDS["complex"]:
        return
    x = np.where(np.isfinite(x), np.clip(abs(x), 0, 100), 1).astype(x.dtype)
    agree(fnp.asarray(given_to_us(x), copy=copy), x)
    agree(fnp.astype(given_to_us(x), ours(dtype), copy=bool(copy)), x.astype(dtype))
    if x.size:
        agree(fnp.asarray(x.tolist(), dtype=ours(x.dtype.name)), x)


def test_asarray_copy():
    x = fnp.asarray([1, 2, 3])
    y = fnp.asarray(x, copy=True)
    x[0] = 9
    assert y.tolist() == [1, 2, 3]
    assert name_of(fnp.asarray([1, 2.5]).dtype) == "float32"
    assert name_of(fnp.asarray(2**40).dtype) == "int64"
    assert fnp.asarray(1 + 2j).dtype == fnp.complex64


# --- dtypes ---------------------------------------------------------------------------------------


@few
@given(pairs(ALL), shapes)
def test_result_type(pair, shape):
    a, b = pair
    want = ours(promoted(a, b))
    assert fnp.result_type(ours(a), ours(b)) == want
    assert fnp.result_type(fnp.zeros(shape, dtype=ours(a)), ours(b)) == want
    assert fnp.can_cast(ours(a), ours(b)) is (promoted(a, b) == b)


@pytest.mark.parametrize("number, kinds", [(True, ALL), (1, NUMERIC),
                                           (1.0, FLOATS),
                                           (1j, COMPLEX)])
def test_result_type_with_numbers(number, kinds):
    for dtype in kinds:
        assert fnp.result_type(ours(dtype), number) == ours(dtype)
        assert fnp.result_type(number, fnp.zeros(2, dtype=ours(dtype)), number) == ours(dtype)


def test_isdtype_of_the_kinds():
    kinds = {"bool": ("bool",), "signed integer": WHOLE[:4], "unsigned integer": WHOLE[4:],
             "integral": WHOLE, "real floating": REAL_FLOATS, "complex floating": COMPLEX,
             "numeric": NUMERIC}
    for dtype in ALL:
        for kind, members in kinds.items():
            assert fnp.isdtype(ours(dtype), kind) is (dtype in members)
        assert fnp.isdtype(ours(dtype), (fnp.bool, "numeric"))
        assert fnp.isdtype(ours(dtype), ours(dtype)) and not fnp.isdtype(ours(dtype), ())


def test_limits():
    for dtype in WHOLE:
        info = fnp.iinfo(ours(dtype))
        want = np.iinfo(dtype)
        assert (info.bits, info.min, info.max) == (want.bits, want.min, want.max)
        assert info.dtype == ours(dtype)
        assert fnp.iinfo(fnp.zeros(1, dtype=ours(dtype))).max == want.max
    for dtype in FLOATS:
        info, want = fnp.finfo(ours(dtype)), np.finfo(dtype)
        for name in ("bits", "eps", "max", "min", "smallest_normal"):
            assert type(getattr(info, name)) in (int, float)
            assert getattr(info, name) == getattr(want, name)
        assert fnp.finfo(fnp.zeros(1, dtype=ours(dtype))).eps == want.eps
    assert fnp.finfo(fnp.complex64).dtype == fnp.float32
    assert fnp.finfo(fnp.complex128).dtype == fnp.float64


# --- about the namespace --------------------------------------------------------------------------


def test_inspection():
    info = fnp.__array_namespace_info__()
    capabilities = info.capabilities()
    assert capabilities["boolean indexing"] is True
    assert capabilities["data-dependent shapes"] is True
    assert type(capabilities["max dimensions"]) is int
    deep = fnp.ones((1,) * capabilities["max dimensions"])
    assert float(fnp.sum(deep + deep)) == 2
    assert info.default_device() in info.devices()
    for device in (None, *info.devices()):
        assert {"real floating", "complex floating", "integral", "indexing"} <= set(
            info.default_dtypes(device=device))
        for kind in (None, "bool", "integral", "numeric", ("signed integer", "real floating")):
            for name, dtype in info.dtypes(kind=kind, device=device).items():
                assert name in ALL
                assert fnp.empty(1, dtype=dtype, device=device).dtype == dtype
    assert set(info.dtypes()) == set(ALL)


def test_constants():
    assert (fnp.e, fnp.pi, fnp.newaxis) == (np.e, np.pi, None)
    assert fnp.inf == float("inf") and fnp.nan != fnp.nan


@few
@given(arrays(ALL, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=2)),
       st.sampled_from([None, True, False]), st.sampled_from([None, (1, 0), (2, 0)]))
def test_dlpack(x, copy, version):
    mine = given_to_us(x)
    kind, number = mine.__dlpack_device__()
    assert (int(kind), number) == (1, 0)
    if x.dtype == complex:
        with pytest.raises(BufferError, match="two of float64.*Hand over numpy.asarray"):
            mine.__dlpack__(copy=copy)
        return
    assert mine.__dlpack__(copy=copy, max_version=version, dl_device=(1, 0), stream=None)
    agree(fnp.from_dlpack(mine, copy=copy), x)
    agree(fnp.from_dlpack(mine, device=mx.cpu), x)
    assert fnp.from_dlpack(mine).device == mine.device
    if x.size:
        np.testing.assert_array_equal(np.from_dlpack(mine), x)


@pytest.mark.parametrize("name", ["real", "imag"])
def test_real_and_imag_of_reals(name):
    for dtype in REAL:
        assert getattr(fnp, name)(fnp.ones(2, dtype=ours(dtype))).dtype == ours(dtype)
