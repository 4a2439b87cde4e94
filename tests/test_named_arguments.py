"""Every parameter of every public function is named in its docstring, or in that of a function to
which it points."""

import enum
import functools
import importlib
import inspect
import re

import pytest
from test_docs import NAMESPACES, ROOT

import functape as ft
import functape.numpy as np
from functape.errors import ArgumentError

WORD = re.compile(r"(?<![\w'])(?!a [a-z])\w+")  # no article, and no genitive's s
EXAMPLE = re.compile(r"^ *>>>.*(\n *\S.*)*", re.M)
ELSEWHERE = re.compile(r"\b[Aa]rg(?:ument)?s[\w\s]*\s(?:as\s+for|are\s+those\s+of)\s+`?([\w.]*\w)")
# Subclasses of these take Python's arguments: an enumeration, a message, a text, a function.
PYTHONS = (enum.Enum, Exception, str, functools.partial)


def named(doc):
    """The words of a docstring, besides its examples."""
    return set(WORD.findall(EXAMPLE.sub("", doc)))


def unnamed(f, module):
    """The parameters that neither the words of a docstring name, nor the arguments of the function
    to which they point."""
    doc = inspect.getdoc(f)
    left = [p for p in inspect.signature(f).parameters if p not in named(doc)]
    for pointer in ELSEWHERE.finditer(EXAMPLE.sub("", doc)):
        *path, name = pointer[1].split(".")
        home = importlib.import_module(".".join(path)) if path else module
        there = {"args", "kwargs", *inspect.signature(getattr(home, name)).parameters}
        left = [p for p in left if p not in there]
    return left


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_no_parameter_is_left_out(namespace, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    module = importlib.import_module(namespace)
    left = {}
    for name, kind in importlib.import_module("offered").names(namespace):
        f = getattr(module, name)
        foreign = not getattr(f, "__module__", "functape").startswith("functape")
        if kind == "function" or kind == "class" and not foreign and not issubclass(f, PYTHONS):
            left[name] = unnamed(f, module)
    assert not {name: found for name, found in left.items() if found}


def test_what_names_a_parameter():
    def f(a, n=1, *rest, key=None):
        """Turn a matrix n times.

        >>> f(rest=1)
        """

    assert unnamed(f, None) == ["a", "rest", "key"]
    f.__doc__ = "The matrix `a`, n times; MLX's key and rest."
    assert unnamed(f, None) == []
    f.__doc__ = "Other arguments as for `functape.random.split`: a, n."
    assert unnamed(f, None) == ["rest"]


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
