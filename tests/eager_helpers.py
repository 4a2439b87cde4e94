"""Shared by the tests of the eager face: leaves, records of hooks, and freeing by counts alone."""

import contextlib
import gc

import functape as ft
from functape.autograd.graph import get_gradient_edge


def leaf(value, dtype=None):
    """A tensor that requires grad."""
    return ft.tensor(value, dtype=dtype, requires_grad=True)


def accumulator(x):
    """The node that adds into the `.grad` of a leaf."""
    return get_gradient_edge(x).node


class Record(list):
    """A hook, or many: `record("name")` notes its calls, and what they got."""

    def __call__(self, name):
        def hook(*given):
            self.append((name, *given))
        return hook

    @property
    def names(self):
        return [entry[0] for entry in self]


@contextlib.contextmanager
def no_collector():
    """Within the block only reference counts free memory."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
