"""A near miss among names is answered with the name that was meant."""

import pytest

import functape as ft


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
