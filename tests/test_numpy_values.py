"""functape.numpy against JAX and NumPy: values, dtypes and shapes, in single and double precision.

JAX's abstract evaluation gives shapes and dtypes, NumPy the values: compiling each expression
would take minutes. `make nightly` lets JAX compute the values too.
"""

import re

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy
import pytest
from numpy_cases import CREATION, ELEMENTWISE, PRODUCTS, REDUCTIONS, SHAPES, arrays
from numpy_more_cases import COUNTS, EDITING, SEQUENCES

import functape.numpy as fnp
from functape.dtypes import dtype_name
from functape.op import Value

GROUPS = {
    "elementwise": ELEMENTWISE, "reductions": REDUCTIONS, "shapes": SHAPES, "products": PRODUCTS,
    "creation": CREATION, "sequences": SEQUENCES, "counts": COUNTS, "editing": EDITING,
}
TOLERANCE = {"float16": 1e-2, "float64": 1e-6}


def evaluate(expression, np, named):
    return eval(expression, {"np": np, "numpy": numpy, **named})


def by_jax(expression, real):
    return evaluate(expression, jnp, arrays(jnp.asarray, real))


def by_numpy(expression, real):
    """NumPy's values in the shapes and dtypes that JAX states; JAX's where either cannot."""
    traced = []
    try:
        stated = jax.eval_shape(
            lambda named: traced.append(evaluate(expression, jnp, named)) or traced[0],
            arrays(numpy.asarray, real))
        with numpy.errstate(all="ignore"):
            found = evaluate(expression, numpy, arrays(numpy.asarray, real))
        return jax.tree.map(typed, found, stated, traced[0])
    except Exception:
        return by_jax(expression, real)


def typed(value, stated, traced):
    if not isinstance(traced, jax.Array):
        return value
    value = numpy.asarray(value)
    if value.shape != stated.shape or value.dtype == "float16" != stated.dtype:
        raise ValueError("NumPy differs from JAX, or is less exact")
    return value.astype(stated.dtype)


def default_types(expression, dtype):
    """functape's dtype for JAX's in double precision: what does not come from an array of float64
    stays in single precision."""
    double = re.search(r"(?<![\w.])[xymtupcqswve]\b(?![=.]?')", expression)
    if dtype in ("float64", "complex128") and double:
        return dtype
    return {"float64": "float32", "int64": "int32", "uint64": "uint32",
            "complex128": "complex64"}.get(dtype, dtype)


def same(got, want, expression):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want), expression
        for g, w in zip(got, want, strict=True):
            same(g, w, expression)
        return
    if isinstance(want, (jax.Array, numpy.ndarray)):
        assert isinstance(got, Value), f"{expression} is {type(got)}"
        assert got.shape == want.shape, f"{expression}: {got.shape}, not {want.shape}"
        dtype = default_types(expression, want.dtype.name)
        assert dtype_name(got.dtype) == dtype, f"{expression}: {got.dtype}, not {dtype}"
        tol = TOLERANCE.get(dtype, 2e-5)
        numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=tol, atol=tol,
                                      err_msg=expression)
        return
    assert got == want, expression


def compare(group, real, expected):
    wrong = []
    with jax.enable_x64(real == "float64"):
        for expression in GROUPS[group]:
            try:
                got = evaluate(expression, fnp, arrays(fnp.asarray, real))
                same(got, expected(expression, real), expression)
            except Exception as error:  # all of a group are reported at once
                wrong.append(f"{expression}: {type(error).__name__} {str(error)[:300]}")
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong)


COMPILED_LONG = ("counts", "editing")  # by JAX: in one precision, and in the other nightly


@pytest.mark.parametrize("group, real", [
    pytest.param(group, real, marks=[pytest.mark.nightly] * (
        group in COMPILED_LONG and real == "float32"))
    for group in GROUPS for real in ("float32", "float64")])
def test_like_numpy_in_jax_types(group, real):
    compare(group, real, by_numpy)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("group", GROUPS)
def test_like_jax(group, real):
    compare(group, real, by_jax)


def test_mlx_arrays_are_taken_too():
    assert fnp.sum(mx.array([1.0, 2.0])).item() == 3.0
