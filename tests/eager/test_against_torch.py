"""The same programs on functape and on PyTorch, where that is installed: the same results.

Only topics are here in which functape follows PyTorch; where it does better on purpose, the
tests by topic say so.
"""

import types
import warnings

import programs_passes
import programs_values
import pytest
from comparing_torch import plain

import functape as ft

torch = pytest.importorskip("torch")

PROGRAMS = {name: f for module in (programs_passes, programs_values)
            for name, f in vars(module).items()
            if isinstance(f, types.FunctionType) and f.__module__ == module.__name__}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_torch(name):
    results = []
    for lib in (ft, torch):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(plain(PROGRAMS[name](
                lib, lambda v, lib=lib: lib.tensor(v, requires_grad=True))))
    assert results[0] == results[1]
