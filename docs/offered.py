"""What a namespace offers to its users."""

import importlib
import inspect
import types

from functape.op import Op
from functape.scipy.stats.distribution import Distribution


def names(namespace):
    """(name, kind) of what a namespace offers, as autodoc calls the kinds."""
    module = importlib.import_module(namespace)
    listed = getattr(module, "__all__", None) or [
        n for n, v in vars(module).items() if not n.startswith("_")
        and getattr(v, "__module__", "") == namespace]
    for name in sorted(listed):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            continue
        if isinstance(value, Op) or inspect.isfunction(value):
            yield name, "function"
        elif inspect.isclass(value):
            yield name, "class"
        elif isinstance(value, Distribution):
            yield name, "data"
