"""Every public name of functape.nn has a docstring, with an example that runs."""

import doctest
import inspect

import functape as ft

# isort: split
import pytest

from functape.nn import initializers

INITIALIZERS = [n for n, f in vars(initializers).items()
                if inspect.isfunction(f) and f.__module__ == initializers.__name__
                and inspect.getdoc(f) and ">>>" in inspect.getdoc(f)]
PLACES = [(ft.nn, n) for n in ft.nn.__all__ if n != "initializers"]
PLACES += [(initializers, n) for n in INITIALIZERS]


@pytest.mark.parametrize(("module", "name"), PLACES, ids=[n for _, n in PLACES])
def test_example(module, name):
    doc = inspect.getdoc(getattr(module, name))
    assert doc and ">>>" in doc
    test = doctest.DocTestParser().get_doctest(doc, {}, name, None, 0)
    failed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed
    assert not failed


def test_names_are_listed_once_and_exist():
    assert len(set(ft.nn.__all__)) == len(ft.nn.__all__)
    assert all(hasattr(ft.nn, n) for n in ft.nn.__all__)


def test_all_names_of_jax_exist(oracle):
    """But those for matrix formats of certain GPUs."""
    special = {"get_scaled_dot_general_config", "scaled_dot_general", "scaled_matmul"}
    theirs = {n for n in dir(oracle.nn) if not n.startswith("_")} - special
    assert theirs <= set(ft.nn.__all__)
    theirs = {n for n in dir(oracle.nn.initializers) if not n.startswith("_")} - {"Initializer"}
    assert theirs <= set(dir(initializers))
