"""Integers that need all 64 bits, as arrays and as Python's numbers beside arrays."""

import operator

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp

LARGE = 2**63 + 1
WORDS = [0, 5, LARGE, 2**64 - 1]
OPERATORS = "add sub mul floordiv mod and_ or_ xor eq ne lt le gt ge"


@pytest.mark.parametrize("items", [LARGE, WORDS, [WORDS, WORDS[::-1]], [True, LARGE]])
def test_are_made_without_rounding(items):
    for x in (fnp.asarray(items), fnp.asarray(items, dtype=fnp.uint64)):
        assert x.dtype == fnp.uint64 and x.tolist() == items


def test_as_floats():
    for x in (fnp.asarray(2**70, dtype=fnp.float32), fnp.asarray([2.0]) ** 70, 2**70 * fnp.ones(1),
              ft.grad(lambda x: x * 2**70)(1.0)):
        assert x.dtype == fnp.float32 and float(x.reshape(())) == 2.0**70


@pytest.mark.parametrize("name", OPERATORS.split())
def test_beside_arrays(name):
    f, x = getattr(operator, name), np.array(WORDS[1:], np.uint64)
    for ours, want in ((f(fnp.asarray(x), LARGE), f(x, LARGE)),
                       (f(LARGE, fnp.asarray(x)), f(LARGE, x))):
        np.testing.assert_array_equal(np.asarray(ours), want, strict=True)


def test_in_functions():
    x = fnp.asarray(WORDS, dtype=fnp.uint64)
    assert fnp.clip(x, 7, LARGE + 5).tolist() == [7, 7, LARGE, LARGE + 5]
    assert fnp.clip(x, LARGE, LARGE + 5).tolist() == [LARGE, LARGE, LARGE, LARGE + 5]
    assert fnp.where(x == 0, LARGE, x).tolist() == [LARGE, *WORDS[1:]]
    assert fnp.full_like(x, LARGE).tolist() == [LARGE] * 4
    assert int(fnp.searchsorted(x, LARGE)) == 2
    assert x.at[0].set(LARGE).tolist() == [LARGE, *WORDS[1:]]
    y = fnp.asarray(x, copy=True)
    y[1], y[2] = LARGE, fnp.asarray(1, dtype=fnp.uint64)
    y += LARGE - 1
    assert y.tolist() == [LARGE - 1, 1, LARGE, LARGE - 2]


@pytest.mark.parametrize("bounds, dtype", [
    ((2**63, 2**63 + 3), "uint64"), ((2**63, 0, -(2**62)), "uint64"),
    ((2**63 - 3, 2**63 - 1), "int64"), ((-(2**31), 0, 2**30), "int32"),
    ((-(2**63), 2**63 - 1, 2**62), "int64"), ((5, -5, -2), "int8"), ((2**62, 2**62), "uint64")])
def test_arange(bounds, dtype):
    found = fnp.arange(*bounds, dtype=dtype)
    assert found.tolist() == list(range(*bounds)) and found.dtype == getattr(fnp, dtype)


def test_arange_is_as_wide_as_it_must_be():
    assert fnp.arange(-(2**31), 2**31 - 1, 2**30).dtype == fnp.int32
    assert fnp.arange(-(2**31) - 1, 0, 2**30).dtype == fnp.int64
    assert fnp.arange(0, 2**32, 2**31).dtype == fnp.int64


def test_linspace_of_integers_is_exact_at_the_ends():
    assert fnp.linspace(0, 2**24 + 1, 96, dtype=fnp.int32)[-1] == 2**24 + 1
    assert fnp.linspace(0, 2**40, 5, dtype=fnp.int64).tolist() == [k * 2**38 for k in range(5)]


@pytest.mark.parametrize("wrong", [
    lambda: fnp.asarray([1], dtype=fnp.int8) + 300, lambda: fnp.asarray([1], dtype=fnp.uint8) + -1,
    lambda: fnp.asarray([1], dtype=fnp.int64) + LARGE,
    lambda: fnp.asarray([1], dtype=fnp.uint64) * 2**64])
def test_that_do_not_fit(wrong):
    with pytest.raises(ft.errors.RangeError, match="does not fit into the array.*wider dtype"):
        wrong()


@pytest.mark.parametrize("items", [[2**70], [-1, LARGE]])
def test_that_no_dtype_holds(items):
    with pytest.raises(ft.errors.RangeError, match="no integer dtype of 64 bits.*Make one"):
        fnp.asarray(items)
