"""Names that are loaded when they are first used: what is there, and what is not loaded yet."""

import builtins
import importlib
import importlib.util
import subprocess
import sys
import threading

import pytest

import functape
from functape.later import Home, later

PACKAGES = ("functape", "functape.autograd", "functape.numpy", "functape.ops")


def fresh(program):
    """What a program of its own prints."""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not run.returncode, run.stderr
    return run.stdout.split()


def test_importing_functape_loads_what_arrays_need_and_no_more():
    loaded = fresh("import sys, functape; print(*sys.modules)")
    rare = {"optree", "dataclasses", "difflib", "fractions", "functape.tree", "functape.transforms",
            "functape.numpy.linalg", "functape.numpy.ufuncs", "functape.autograd.function",
            "functape.ops.linalg", "functape.ops.indexing", "functape.scipy", "functape.nn"}
    assert not rare & {*loaded}
    assert len([name for name in loaded if name.startswith("functape")]) < 60


@pytest.mark.parametrize("use", [
    "functape.numpy.ones(3)[1:].sum()", "functape.numpy.sin.reduce", "functape.numpy.linalg.inv",
    "functape.transforms.vmap", "functape.ops.segment_sum", "functape.ops.linalg.inv",
    "iter(functape.numpy.ones(3))", "functape.numpy.ones(3).at[0].set(2.0)",
    "functape.ones(2, requires_grad=True).sum().backward()", "functape.autograd.graph.Node",
    "functape.stream", "functape.Tensor.argsort", "functape.random.key(0)",
    "functape.autograd.gradcheck(functape.numpy.square, functape.tensor([1.0], requires_grad=True, "
    "dtype='float64'), check_batched_grad=True, check_forward_ad=True)",
    "functape.autograd.functional.jacobian(functape.numpy.exp, functape.ones(2), vectorize=True)",
])
def test_a_program_may_begin_with_anything(use):
    fresh(f"import functape; {use}")


def test_numpy_finds_functions_that_are_not_loaded_yet():
    assert fresh("import functape, numpy; print(*numpy.add.reduce(functape.ones(2, 2)).tolist(),"
                 "numpy.linalg.norm(functape.ones(4)).item())") == ["2.0", "2.0", "2.0"]


@pytest.mark.parametrize("package", PACKAGES)
def test_all_that_is_offered_can_be_had_and_is_listed(package):
    module = importlib.import_module(package)
    values = [getattr(module, name) for name in module.__all__]
    assert not any(isinstance(value, Home) for value in values)
    assert {*module.__all__} <= {*dir(module)}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_is_also_that_of_a_submodule_which_it_is_not(package):
    """Whoever imports the submodule would put it in the place of the name."""
    block = importlib.import_module(package).__getattr__.__self__
    assert not [name for name, home in block.homes.items()
                if importlib.util.find_spec(f"{package}.{name}")
                and home != Home(f"{package}.{name}")]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with one block and three submodules, one of which cannot be imported."""
    home = tmp_path / "distant"
    home.mkdir()
    (home / "__init__.py").write_text(
        "from functape.later import later\n"
        "with later(globals()) as (__getattr__, __dir__):\n"
        "    from distant import near\n"
        "    from distant.near import one, two as pair\n"
        "    uno = one\n"
        "__all__ = ['near', 'one', 'pair', 'uno']\n")
    (home / "near.py").write_text("one, two = object(), (1, 2)\n")
    (home / "broken.py").write_text("import a_module_that_nobody_has\n")
    (home / "apart.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("distant")
    for name in [name for name in sys.modules if name.partition(".")[0] == "distant"]:
        del sys.modules[name]


def test_names_are_loaded_once_by_whatever_name(package):
    assert "distant.near" not in sys.modules and {"one", "pair", "uno", "near"} <= {*dir(package)}
    assert not {"one", "pair", "uno"} & {*vars(package)}
    assert package.uno is package.one is package.near.one
    assert package.pair == (1, 2) and vars(package)["pair"] is package.near.two


def test_submodules_are_found_without_being_listed(package):
    assert package.apart is sys.modules["distant.apart"]
    with pytest.raises(AttributeError, match="distant has no 'pear'. Did you mean 'pair'?"):
        _ = package.pear
    with pytest.raises(ModuleNotFoundError, match="a_module_that_nobody_has"):
        _ = package.broken


def test_only_the_block_of_the_module_itself_is_noted():
    usual, scope, found = builtins.__import__, {"__name__": "functape"}, []
    with later(scope):
        elsewhere = threading.Thread(target=lambda: found.append(importlib.import_module("json")))
        elsewhere.start()
        elsewhere.join()
        import json
        exec("from json import loads", scope)
    assert found == [json] and "loads" not in scope
    assert builtins.__import__ is usual


def test_an_error_in_a_block_ends_it():
    usual = builtins.__import__
    with pytest.raises(ZeroDivisionError), later({"__name__": "functape"}):
        raise ZeroDivisionError
    assert builtins.__import__ is usual


def test_what_stands_around_a_method_that_is_not_loaded_yet_stays_there():
    program = """
import functape, mlx.core as mx
x = functape.numpy.array([2.0, 1.0])
with functape.mlx.dispatch():
    pass
assert x.sort().tolist() == [1.0, 2.0]
with functape.mlx.dispatch():
    print(*x.at[mx.array([0])].minimum(mx.array([1.5])).tolist(), *x.sum(-1, True).shape)
"""
    assert fresh(program) == ["1.5", "1.0", "1"]


def test_methods_that_live_elsewhere_are_those_of_the_class_from_then_on():
    x = functape.numpy.array([2.0, 1.0])
    assert x.sort().tolist() == [1.0, 2.0]
    assert vars(functape.Tensor.__mro__[1])["sort"] is functape.numpy.sort
