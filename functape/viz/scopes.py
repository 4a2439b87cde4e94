"""Names for parts of a program, which pictures show as groups."""

import functools
import inspect
import itertools
import threading

from functape.autograd.grad_mode import of_coroutine, of_function, of_generator
from functape.errors import ArgumentError, describe
from functape.tape import mode

SCOPE = "scope"  # the key in Node.metadata
numbers = itertools.count().__next__


class Path(threading.local):
    """The scopes that this thread is in, outermost first: pairs (name, number of the entry)."""

    entries = ()


path = Path()


def note(node):
    node.metadata[SCOPE] = path.entries


def scope_of(node):
    """The scopes in which a node was made: pairs (name, number of the entry)."""
    return node.note(SCOPE, ())


class name_scope:
    """Name a part of the program: the nodes made in it are a group in pictures.

    A context manager, and a decorator of functions. Scopes nest.

    Args:
      name: what to call the group; for a decorator without one: the function's name.

    >>> import functape as ft
    >>> def f(x):
    ...     with ft.viz.name_scope("square"):
    ...         y = x * x
    ...     return y + 1.0
    >>> "square" in ft.viz.draw(f, 3.0)
    True
    """

    def __new__(cls, name):
        if inspect.isfunction(name):
            return cls(name.__name__)(name)
        return super().__new__(cls)

    def __init__(self, name):
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"name_scope takes a name, but got {describe(name)}.")
        self.name, self.before = name, []

    def __enter__(self):
        self.before.append(path.entries)
        if not path.entries:
            mode.watch += (note,)
        path.entries += ((self.name, numbers()),)
        return self

    def __exit__(self, *exc):
        path.entries = self.before.pop()
        if not path.entries:
            mode.watch = tuple(w for w in mode.watch if w is not note)

    def __call__(self, f):
        wrap = (of_generator if inspect.isgeneratorfunction(f)
                else of_coroutine if inspect.iscoroutinefunction(f) else of_function)
        return functools.wraps(f)(wrap(f, lambda: type(self)(self.name)))
