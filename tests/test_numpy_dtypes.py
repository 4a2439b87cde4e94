"""Small floats stay small through values and derivatives; empty arrays; mixed precision."""

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp
from functape import dtypes
from functape.dtypes import dtype_name

KEEPS = """
h.prod() h.cumprod(1) h.var() h.std() h.max() h**2 h@h.T np.einsum('ij,kj->ik',h,h)
np.logsumexp(h) np.pad(h,1,mode='reflect') np.sinc(h) np.linspace(h,2*h,3) np.linspace(h,2.0,3)
np.logaddexp2(h,1.0) np.cov(h) np.nanmean(h) np.median(h) np.average(h,weights=h)
np.geomspace(h,2*h,3) np.unwrap(h) np.copysign(h,2.0) np.heaviside(h,0.5) np.hypot(h,1.0)
np.cbrt(h) np.mean(h,where=h>0) np.clip(h,0,1) np.fmax(h,0.5) np.nan_to_num(h)
np.interp(h,h[0],h[0]) np.trapezoid(h) np.round(h,2) np.where(h>0,h,0.0) np.angle(h) np.ldexp(h,2)
np.float_power(h,2) np.modf(h)[0] np.tril(h) np.kron(h,h) np.cross(h,h) np.dot(2.0,h)
np.outer(h,2.0) np.array([h[0,0],1.0]) np.concatenate([h,h]) np.append(h,1.0) np.diff(h)
""".split()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("expression", KEEPS)
def test_dtype_is_kept(expression, dtype):
    def f(h):
        return eval(expression, {"np": fnp, "h": h})

    h = fnp.ones((2, 3), dtype=dtype)
    out, tangent = ft.jvp(f, (h,), (h,))
    slope = ft.grad(lambda h: f(h).sum())(h)
    assert [dtype_name(a.dtype) for a in (f(h), out, tangent, slope)] == [dtype] * 4


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1, 1), ()])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "cumsum", "cumprod", "var", "std", "flip"])
def test_empty_and_single(name, shape):
    a = np.full(shape, 2.0, np.float32)
    function = getattr(fnp, name)
    with np.errstate(all="ignore"), pytest.warns() if 0 in shape and name in ("mean", "var", "std"
                                                                             ) else np.errstate():
        want = getattr(np, name)(a)
    x = fnp.asarray(a)
    np.testing.assert_allclose(np.asarray(function(x)), want)
    assert ft.grad(lambda x: function(x).sum())(x).shape == shape
    assert ft.jvp(function, (x,), (x,))[1].shape == np.shape(want)


def test_mixed_precision_gives_each_argument_its_own_dtype():
    half, single = fnp.ones((2, 2), dtype="float16"), fnp.ones((2, 2))
    for f in (fnp.matmul, fnp.multiply, lambda x, y: fnp.einsum("ij,kj->ik", x, y),
              lambda x, y: fnp.concatenate([x, y])):
        slopes = ft.grad(lambda x, y, f=f: f(x, y).sum(), argnums=(0, 1))(half, single)
        assert [g.dtype for g in slopes] == [fnp.float16, fnp.float32]
        assert f(half, single).dtype == fnp.float32


@pytest.mark.parametrize("dtype", [getattr(ft, name) for name in dtypes.NAMES], ids=dtype_name)
def test_a_dtype_is_not_none(dtype):
    """MLX's raise a TypeError there; libraries ask it of any dtype."""
    assert not dtype == None and dtype != None  # noqa: E711
    assert not None == dtype and None != dtype  # noqa: E711
    assert dtype not in (None, "auto") and dtype in (None, dtype)
    assert {dtype: 1}.get(None) is None and {dtype: 1}[fnp.zeros(2, dtype=dtype).dtype] == 1
    assert [dtype == getattr(ft, name) for name in dtypes.NAMES].count(True) == 1
