"""Every public name of functape.numpy has a docstring, with an example that runs."""

import doctest
import inspect

import pytest

import functape.numpy as fnp

CONSTANTS = {"pi", "e", "inf", "nan", "euler_gamma", "newaxis", "fft", "linalg", "ndarray"}
DTYPES = {n for n in fnp.__all__ if type(getattr(fnp, n)).__module__.startswith("mlx")}
NAMES = [n for n in fnp.__all__ if n not in CONSTANTS | DTYPES]


@pytest.mark.parametrize("name", NAMES)
def test_example(name):
    function = getattr(fnp, name)
    doc = inspect.getdoc(function)
    assert doc and ">>>" in doc
    scope = dict(getattr(function, "__globals__", {}), **{name: function})
    test = doctest.DocTestParser().get_doctest(doc, scope, name, None, 0)
    failed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed
    assert not failed


def test_names_are_listed_once_and_exist():
    assert len(set(fnp.__all__)) == len(fnp.__all__)
    assert all(hasattr(fnp, n) for n in fnp.__all__)


def test_an_op_has_the_signature_of_a_function():
    assert str(inspect.signature(fnp.arctan2)) == "(x, y, /)"
