"""Names that a namespace loads when they are first used: most programs need few of them.

    with later(globals()) as (__getattr__, __dir__):
        from functape.numpy.shapes import ravel, reshape

Imports in the block are noted instead of carried out. Readers, linters and type checkers see the
imports that they are; Python asks a module's `__getattr__` for names that it lacks (PEP 562), and
from then on the name stands in the module like any other.
"""

import builtins
import importlib
import threading
from typing import NamedTuple

from functape.suggest import for_names_of

one_at_a_time = threading.Lock()


class Home(NamedTuple):
    """Where something is at home: the module, and its name there; None: the module itself."""

    module: str
    name: str | None = None

    def load(self):
        module = importlib.import_module(self.module)
        return module if self.name is None else getattr(module, self.name)


class Module:
    """What stands for a module in the block: all that can be had of it are homes."""

    def __init__(self, name, is_package):
        self.name, self.is_package = name, is_package

    def __getattr__(self, name):
        return Home(f"{self.name}.{name}") if self.is_package else Home(self.name, name)


class later:  # noqa: N801 - a block, as contextlib's are
    """A block whose imports are carried out when their names are first used.

    Args:
      scope: the globals of the module. What it imports from its own package are submodules.

    Returns:
      The module's `__getattr__` and `__dir__`. A name that the block lacks is taken for that of a
      submodule, if there is one.
    """

    def __init__(self, scope):
        self.scope, self.package = scope, scope["__name__"]
        self.homes = {}
        self.missing = for_names_of(self.package)

    def __enter__(self):
        one_at_a_time.acquire()
        self.usual, builtins.__import__ = builtins.__import__, self.note
        return self.get, self.names

    def __exit__(self, *exc):
        builtins.__import__ = self.usual
        one_at_a_time.release()
        self.homes = {name: home for name, home in self.scope.items() if type(home) is Home}
        for name in self.homes:
            del self.scope[name]

    def note(self, name, globals=None, locals=None, fromlist=(), level=0):
        """In place of `__import__`: for this module a stand-in, for others the usual."""
        if globals is self.scope:
            return Module(name, name == self.package)
        return self.usual(name, globals, locals, fromlist, level)

    def get(self, name):
        found = self.homes[name].load() if name in self.homes else self.submodule(name)
        if found is None:
            self.missing(name)
        self.scope[name] = found
        return found

    def submodule(self, name):
        """The submodule of this name; None if there is none."""
        dotted = f"{self.package}.{name}"
        try:
            return importlib.import_module(dotted)
        except ModuleNotFoundError as error:
            if error.name != dotted:
                raise
            return None

    def names(self):
        return sorted({*self.scope, *self.homes})
