"""The array API's functions of each element: every dtype, broadcasting, empty arrays, numbers."""

import operator
import warnings

import numpy as np
import pytest
from array_api_draws import (
    KINDS,
    agree,
    arrays,
    elements,
    few,
    given_to_us,
    pairs,
    promoted,
    shapes,
    two_arrays,
)
from hypothesis import given
from hypothesis import strategies as st

import functape.numpy as fnp

UNARY = {
    "abs": "numeric", "acos": "floats", "acosh": "floats", "asin": "floats", "asinh": "floats",
    "atan": "floats", "atanh": "floats", "bitwise_invert": "bits", "ceil": "real",
    "conj": "numeric", "cos": "floats", "cosh": "floats", "exp": "floats", "expm1": "floats",
    "floor": "real", "imag": "complex", "isfinite": "numeric", "isinf": "numeric",
    "isnan": "numeric", "log": "floats", "log1p": "floats", "log2": "floats", "log10": "floats",
    "logical_not": "bool", "negative": "numeric", "positive": "numeric", "real": "numeric",
    "reciprocal": "floats", "round": "numeric", "sign": "numeric", "signbit": "real_floats",
    "sin": "floats", "sinh": "floats", "sqrt": "floats", "square": "numeric", "tan": "floats",
    "tanh": "floats", "trunc": "real",
}
BINARY = {
    "add": "numeric", "atan2": "real_floats", "bitwise_and": "bits", "bitwise_or": "bits",
    "bitwise_xor": "bits", "bitwise_left_shift": "whole", "bitwise_right_shift": "whole",
    "copysign": "real_floats", "divide": "floats", "equal": "all", "floor_divide": "real",
    "greater": "real", "greater_equal": "real", "hypot": "real_floats", "less": "real",
    "less_equal": "real", "logaddexp": "real_floats", "logical_and": "bool", "logical_or": "bool",
    "logical_xor": "bool", "maximum": "real", "minimum": "real", "multiply": "numeric",
    "nextafter": "real_floats", "not_equal": "all", "pow": "numeric", "remainder": "real",
    "subtract": "numeric",
}
OPERATORS = {
    "add": "add", "and_": "bitwise_and", "eq": "equal", "floordiv": "floor_divide",
    "ge": "greater_equal", "gt": "greater", "le": "less_equal", "lshift": "bitwise_left_shift",
    "lt": "less", "mod": "remainder", "mul": "multiply", "ne": "not_equal", "or_": "bitwise_or",
    "pow": "pow", "rshift": "bitwise_right_shift", "sub": "subtract", "truediv": "divide",
    "xor": "bitwise_xor",
}
IN_PLACE = [n for n in OPERATORS if n not in ("eq", "ge", "gt", "le", "lt", "ne")]
BOUNDS = {"pow": {"low": 0, "high": 3}, "bitwise_left_shift": {"low": 0},
          "bitwise_right_shift": {"low": 0}, "floor_divide": {"low": 1},
          "remainder": {"low": 1}, "hypot": {"finite": True}}


def reference(name, *args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return getattr(np, name)(*args)


def small(name, x):
    """Where infinite parts of complex numbers leave the result open, compare finite ones."""
    open_ended = name in ("square", "reciprocal", "sign", "abs", "tan", "sin", "cos", "sinh", "exp",
                          "cosh", "tanh", "expm1", "log1p", "log2", "log10")
    if x.dtype.kind == "c" and open_ended:
        return np.where(np.isfinite(x) & (abs(x) < 20), x, x.dtype.type(1 + 1j))
    return x


@pytest.mark.parametrize("name", UNARY)
@few
@given(st.data())
def test_unary(name, data):
    x = small(name, data.draw(arrays(KINDS[UNARY[name]])))
    out = getattr(fnp, name)(given_to_us(x))
    want = reference(name, x)
    same_kind = name in ("ceil", "floor", "round", "trunc")
    agree(out, want, x.dtype.name if same_kind else None, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", BINARY)
@few
@given(st.data())
def test_binary(name, data):
    bounds = BOUNDS.get(name, {})
    x, y = data.draw(two_arrays(KINDS[BINARY[name]], **bounds))
    if x.dtype.kind == "c" and name in ("divide", "multiply", "pow"):
        x, y = small("square", x), small("square", y)
        y = np.where(y == 0, 1, y)
    if name == "nextafter":
        y = y.astype(x.dtype)
    out = getattr(fnp, name)(given_to_us(x), given_to_us(y))
    tiny = 1e-2 if name == "nextafter" else 1e-5
    agree(out, reference(name, x, y), rtol=2e-4, atol=tiny)


@pytest.mark.parametrize("symbol", OPERATORS)
@few
@given(st.data())
def test_operators_are_the_functions(symbol, data):
    name = OPERATORS[symbol]
    x, y = map(given_to_us, data.draw(two_arrays(KINDS[BINARY[name]], **BOUNDS.get(name, {}))))
    agree(getattr(operator, symbol)(x, y), np.asarray(getattr(fnp, name)(x, y)))


@pytest.mark.parametrize("symbol", OPERATORS)
@few
@given(st.data())
def test_a_number_takes_the_dtype_of_the_array(symbol, data):
    name = OPERATORS[symbol]
    x = data.draw(arrays(KINDS[BINARY[name]], **BOUNDS.get(name, {})))
    number = data.draw(elements(x.dtype, low=1, high=7) if x.dtype != bool else st.booleans())
    for flip in (False, True):
        pair = (number, given_to_us(x)) if flip else (given_to_us(x), number)
        both = tuple(a if isinstance(a, fnp.ndarray) else fnp.full(x.shape, a, dtype=getattr(
            fnp, x.dtype.name)) for a in pair)
        by_operator = getattr(operator, symbol)(*pair)
        want = np.asarray(getattr(fnp, name)(*both))
        agree(by_operator, want, rtol=1e-3, atol=1e-4)
        agree(getattr(fnp, name)(*pair), want, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("symbol", IN_PLACE)
@few
@given(st.data())
def test_in_place_operators_keep_shape_and_dtype(symbol, data):
    name = OPERATORS[symbol]
    a, b = data.draw(pairs(KINDS[BINARY[name]]).filter(lambda p: promoted(*p) == p[0]))
    x = data.draw(arrays([a], **BOUNDS.get(name, {})))
    y = data.draw(arrays([b], shape=st.just(x.shape[1:]), **BOUNDS.get(name, {})))
    want = np.asarray(getattr(fnp, name)(given_to_us(x), given_to_us(y)))
    mine = alias = given_to_us(x)
    mine = getattr(operator, "i" + symbol.strip("_"))(mine, given_to_us(y))
    assert mine is alias
    agree(mine, want, a)


@few
@given(st.data())
def test_clip(data):
    x = data.draw(arrays(KINDS["real"]))
    low, high = (data.draw(st.none() | elements(x.dtype, low=a, high=b)
                           | arrays([x.dtype.name], shape=st.just(x.shape[1:]), low=a, high=b))
                 for a, b in ((0, 3), (4, 9)))
    ours = [given_to_us(b) if isinstance(b, np.ndarray) else b for b in (low, high)]
    want = x if low is None and high is None else np.clip(x, low, high)
    agree(fnp.clip(given_to_us(x), *ours), want, x.dtype.name)
    agree(fnp.clip(given_to_us(x), min=ours[0], max=ours[1]), want, x.dtype.name)


@few
@given(arrays(KINDS["all"], shapes))
def test_unary_operators(x):
    mine = given_to_us(x)
    if x.dtype.kind in "biu":
        agree(~mine, ~x)
    if x.dtype != bool:
        agree(-mine, -x)
        agree(+mine, x)
        agree(abs(small_complex(mine)), abs(np.asarray(small_complex(mine))))


def small_complex(x):
    is_complex = x.dtype in (fnp.complex64, fnp.complex128)
    return fnp.where(fnp.isfinite(x), x, 1.0 + 0j) if is_complex else x
