"""A catalogue of wrong uses. Each is answered with an error of the right kind whose message names
what was given and what to do, and leaves all state as it was."""

import functape as ft

# isort: split
import re
from types import SimpleNamespace

import mlx.core as mx
import pytest
from errors import (
    of_mathematics,
    of_numpy,
    of_ranges,
    of_the_rest,
    of_the_tape,
    of_transforms,
)

from functape.errors import FunctapeError
from functape.op import levels
from functape.tape import mode

TABLES = {f"{module.__name__.removeprefix('errors.of_')}-{theme.lower()}": table
          for module in (of_numpy, of_mathematics, of_ranges, of_transforms, of_the_tape,
                         of_the_rest)
          for theme, table in vars(module).items() if theme.isupper() and isinstance(table, dict)}
USES = {f"{theme}-{label}": use for theme, table in TABLES.items() for label, use in table.items()}


def state():
    """What a wrong use could leave behind."""
    x = BYSTANDER
    return SimpleNamespace(
        modes={name: getattr(mode, name) for name in vars(type(mode)) if name[0] != "_"},
        levels=(levels.depth, dict(levels.axes)),
        tensor=(x.tolist(), x.version, x.requires_grad, x.is_leaf),
        grad=(x.grad.tolist(), x.grad.version),
        random=[key.tolist() for key in mx.random.state],
        device=(mx.default_device(), mx.default_stream(mx.default_device())),
        ops=len(ft.op.table),
    )


BYSTANDER = ft.tensor([1.0, 2.0], requires_grad=True)
(BYSTANDER * 3.0).sum().backward()


@pytest.mark.parametrize("label", USES)
def test_wrong_use(label):
    call, error, given, remedy = USES[label]
    before = state()
    with pytest.raises(error) as caught:
        call()
    assert state() == before
    message = str(caught.value)
    assert error is AttributeError or isinstance(caught.value, FunctapeError)
    assert re.search(given, message, re.S), f"does not name what was given ({given}): {message}"
    assert re.search(remedy, message, re.S), f"does not say what to do ({remedy}): {message}"
    assert len(message) < 500, "a message is to be read"
    assert ft.grad(lambda x: (x * BYSTANDER).sum())(mx.ones(2)).tolist() == [1, 2]


def test_there_are_enough():
    assert len(USES) >= 120


def test_the_catalogue_sees_what_is_left_behind():
    before = state()
    try:
        for change in (lambda: levels.__enter__(), lambda: mx.random.normal((2,)),
                       lambda: BYSTANDER.grad.add_(1.0), lambda: setattr(mode, "recording", False)):
            change()
            assert state() != before
            before = state()
    finally:
        mode.recording = True
        levels.__exit__()
        BYSTANDER.grad.sub_(1.0)
