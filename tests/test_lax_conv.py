"""functape.lax's convolutions against JAX's, and their derivatives."""

import jax
import jax.numpy as jnp
import numpy
import pytest

import functape as ft
from functape.errors import ArgumentError, ShapeError
from functape.test_util import check_grads

R = numpy.random.RandomState(0)
PLAIN = ((2, 4, 7, 6), (6, 4, 3, 2))  # images NCHW, filters OIHW
LAST = ("NHWC", "HWIO", "NHWC")
CASES = [
    (*PLAIN, ((1, 1), "VALID"), {}),
    (*PLAIN, ((2, 1), "SAME"), {}),
    (*PLAIN, ((2, 3), "SAME_LOWER"), {"rhs_dilation": (1, 2)}),
    (*PLAIN, ((2, 1), [(1, 2), (0, 3)]), {"lhs_dilation": (2, 1), "rhs_dilation": (1, 2)}),
    ((2, 4, 7, 6), (6, 2, 3, 2), ((1, 2), "SAME"), {"feature_group_count": 2}),
    ((2, 7, 6, 4), (3, 2, 4, 5), ((1, 1), "SAME"), {"dimension_numbers": LAST}),
    ((7, 4, 2, 6), (3, 2, 4, 5), ((1, 2), "VALID"),
     {"dimension_numbers": ("HCNW", "HWIO", "CWHN")}),
    ((2, 3, 9), (4, 3, 2), ((3,), [(1, -1)]), {}),
]


@pytest.mark.parametrize(("x", "w", "args", "more"), CASES)
def test_like_jax(x, w, args, more):
    x, w = (R.randn(*s).astype(numpy.float32) for s in (x, w))
    want = jax.lax.conv_general_dilated(jnp.asarray(x), jnp.asarray(w), *args, **more)
    got = ft.lax.conv_general_dilated(x, w, *args, **more)
    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-4, atol=1e-5)


def test_places_like_jax():
    for spec in (None, LAST, ("HCNW", "WHIO", "CWHN")):
        want = jax.lax.conv_dimension_numbers((1,) * 4, (1,) * 4, spec)
        assert tuple(ft.lax.conv_dimension_numbers((1,) * 4, (1,) * 4, spec)) == (
            want.lhs_spec, want.rhs_spec, want.out_spec)


def test_derivatives():
    x, w = R.randn(1, 3, 4, 2), R.randn(2, 2, 2, 2)

    def f(x, w):
        return ft.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=LAST)

    check_grads(f, (x, w), order=2)


def test_short_forms_are_the_general_one():
    x, w = (R.randn(*s).astype(numpy.float32) for s in PLAIN)
    same = ft.lax.conv_general_dilated(x, w, (1, 1), "SAME")
    for other in (ft.lax.conv(x, w, (1, 1), "SAME"),
                  ft.lax.conv_with_general_padding(x, w, (1, 1), "SAME", None, None)):
        assert other.tolist() == same.tolist()


def test_mistakes():
    x, w = (numpy.ones(s, numpy.float32) for s in PLAIN)
    with pytest.raises(ArgumentError, match="three strings"):
        ft.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHW"))
    with pytest.raises(ArgumentError, match="pair"):
        ft.lax.conv(x, w, (1, 1), "FULL")
    with pytest.raises(ShapeError, match="group"):
        ft.lax.conv(x, w[:, :3], (1, 1), "SAME")
    with pytest.raises(ShapeError, match="window_strides"):
        ft.lax.conv(x, w, (1,), "SAME")
