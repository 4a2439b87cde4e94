"""What is said once of arguments that many functions share stands in the docstrings."""

import importlib
import inspect
import re

import pytest

import functape as ft
import functape.numpy as np
from functape.errors import ArgumentError
from functape.shared_arguments import FILLING, LINALG, LOSSES, SHARED, TREES, completed

NAMESPACES = {"numpy": SHARED, "numpy.linalg": SHARED, "numpy.fft": SHARED, "random": SHARED,
              "lax": SHARED, "nn": SHARED | LOSSES, "scipy.linalg": SHARED | LINALG,
              "tree": TREES}


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_no_shared_argument_is_left_out(namespace):
    module = importlib.import_module(f"functape.{namespace}")
    functions = {n: getattr(module, n) for n in module.__all__}
    left = []
    for name, f in functions.items():
        if not inspect.isfunction(f) or re.search("[Aa]rguments (as|are)", f.__doc__):
            continue
        left += [(name, p) for p in inspect.signature(f).parameters
                 if p in NAMESPACES[namespace] and not re.search(rf"\b{p}\b", f.__doc__)]
    assert not left


def test_where_the_lines_go():
    doc = """Sum.

    Args:
      a: array.

    >>> 1
    1
    """
    assert completed(doc, ["a", "out"], {"out": "no."}) == (
        "Sum.\n\nArgs:\n  a: array.\n  out: no.\n\n>>> 1\n1")
    assert completed("Sum.", ["a", "out"], {"out": "no."}) == "Sum.\n\nArgs:\n  out: no."
    assert completed("Arguments as for sum.", ["out"], {"out": "no."}) == "Arguments as for sum."
    assert completed("Sum, into out.", ["out"], {"out": "no."}) == "Sum, into out."
    assert FILLING["size"] in completed("Where.", ["size", "fill_value"], {})
    assert "Args" not in completed("Ones.", ["size"], {})  # there it is a shape


def test_out_is_refused_wherever_it_is_an_argument():
    x = np.ones((2, 2))
    calls = {"choose": (np.zeros(2, np.int32), [np.ones(2)]), "outer": (x, x), "stack": ([x, x],),
             "take": (x, 0), "compress": ([True], x), "percentile": (x, 50), "quantile": (x, 0.5),
             "nanpercentile": (x, 50), "nanquantile": (x, 0.5), "concatenate": ([x],),
             "dot": (x, x), "clip": (x, 0.0, 1.0), "cross": (x, x)}
    names = [n for n in np.__all__ if inspect.isfunction(getattr(np, n))
             and "out" in inspect.signature(getattr(np, n)).parameters]
    assert len(names) > 30
    for name in names:
        with pytest.raises(ArgumentError, match="does not take out"):
            getattr(np, name)(*calls.get(name, (x,)), out=x)
    with pytest.raises(ArgumentError, match="does not take out"):
        ft.lax.stack([x], out=x)
