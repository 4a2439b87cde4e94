"""A near miss among names is answered with the name that was meant."""

import importlib
import importlib.util
import operator
import re
from pathlib import Path

import pytest

import functape as ft
from functape.absent import INSTEAD

PAGE = (Path(__file__).parent.parent / "docs" / "coming_from_jax.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("namespace, given, meant", [
    (ft.numpy, "sumn", "sum"), (ft.numpy, "logsumexpp", None), (ft.numpy, "argmaxx", "argmax"),
    (ft, "gradd", "grad"), (ft, "value_and_grads", "value_and_grad"), (ft, "xyz", None),
    (ft, "hesian", "hessian"),
])
def test_names_are_suggested(namespace, given, meant):
    with pytest.raises(AttributeError, match=f"has no '{given}'") as caught:
        getattr(namespace, given)
    text = str(caught.value)
    assert meant is None or text.endswith(f"Did you mean {meant!r}?")
    assert caught.value.name == given


def test_what_asks_politely_gets_its_answer():
    assert not hasattr(ft.numpy, "sumn") and getattr(ft, "gradd", 3) == 3
    with pytest.raises(ImportError):
        from functape.numpy import sumn  # noqa: F401


ABSENT = [(home, name) for home, names in INSTEAD.items() for name in names]


@pytest.mark.parametrize(("home", "name"), ABSENT)
def test_names_of_jax_s_that_are_absent_are_answered_and_on_the_page(home, name, oracle):
    with pytest.raises(AttributeError, match=f"has no '{name}'") as caught:
        getattr(importlib.import_module(home), name)
    assert str(caught.value).endswith(INSTEAD[home][name])
    theirs = home.replace("functape", "jax")
    there = hasattr(importlib.import_module(theirs), name)
    assert there or importlib.util.find_spec(f"{theirs}.{name}")
    assert re.search(rf"`[^`]*\b{name}\b[^`]*`", PAGE)


def test_what_the_answers_name_exists():
    for answers in INSTEAD.values():
        for dotted in re.findall(r"functape\.([a-z]\w*(?:\.\w+)*)", " ".join(answers.values())):
            operator.attrgetter(dotted)(ft)
