"""What else MLX calls: compiled functions, custom functions, and functions that layers keep."""

import functools
import gc
import sys
import types

import mlx.core as mx

from functape import tree
from functape.errors import ArgumentError
from functape.mlx.functions import FUNCTION, by_original, holds_value
from functape.mlx.lifting import lift
from functape.mlx.state import active
from functape.mlx.translations import table

MADE = type(mx.compile(lambda x: x))  # what compile, grad, vmap and checkpoint return


def called(original, on_values):
    """A `__call__` that asks whether there are values among the arguments."""

    def call(self, *args, **kwargs):
        if active.depth and (holds_value(args) or holds_value(kwargs.values())):
            return on_values(self)(*args, **kwargs)
        return original(self, *args, **kwargs)

    return call


def call_made(original):
    """The `__call__` of what mx.compile and others return."""

    def call(self, *args, **kwargs):
        if not active.depth:
            return original(self, *args, **kwargs)
        *options, function = gc.get_referents(self)[1:]
        values = holds_value(args) or holds_value(kwargs.values())
        if not values and (len(options) != 2 or is_ours(function)):
            return original(self, *args, **kwargs)
        return meaning(self, function, options)(*args, **kwargs)

    return call


def is_ours(function):
    """Whether the library made it: it closes over no values."""
    return str(getattr(function, "__module__", "")).startswith("functape.")


def meaning(made, function, options):
    """What a function made by mx.compile, mx.vmap or mx.checkpoint means for values, which it may
    also close over: a graph that was compiled before would know them as numbers.

    MLX does not show what it was made of, but its garbage collector knows what it refers to: its
    type; inputs and outputs, or axes; and the Python function, which is recorded op by op.
    """
    if len(options) == 2:
        mapped = any(isinstance(a, int) for a in tree.leaves(options))
        return table["vmap"](function, *options) if mapped else function
    if is_checkpoint(made):
        return table["checkpoint"](function)
    raise ArgumentError(
        f"A function made by mx.grad or mx.value_and_grad outside of functape.mlx.dispatch() was "
        f"given functape values: {getattr(made, '__name__', made)!r}. Make it inside, or use "
        "functape.grad.")


def is_checkpoint(made):
    """Whether it is not mx.grad's, which refuses a call without arguments before anything runs."""
    try:
        made(**{" nobody takes this": None})
    except ValueError as error:
        return not str(error).startswith(("[grad]", "[value_and_grad]"))
    except Exception:  # noqa: BLE001 - the user's function has run, and refuses the argument
        return True
    return True


@functools.cache
def lifted_custom(function):
    """A custom_function is one op: its own rules stay."""
    return lift(function, name=gc_name(function))


def gc_name(function):
    inside = [f for f in gc.get_referents(function) if isinstance(f, types.FunctionType)]
    return inside[0].__name__ if inside else "custom_function"


# --- functions that layers keep as attributes -----------------------------------------------------


def replaced(found):
    """MLX's function as one that takes values; lists of layers may hold such functions too."""
    if type(found) is FUNCTION:
        return by_original().get(found, found)
    if type(found) in (list, tuple) and any(type(f) is FUNCTION for f in found):
        return type(found)(replaced(f) for f in found)
    return found


def attribute(original):
    def get(module, name):
        found = original(module, name)
        return replaced(found) if active.depth else found

    return get


def patches():
    """(owner, name, what stands there while anybody dispatches)."""
    yield MADE, "__call__", call_made(MADE.__call__)
    yield (mx.custom_function, "__call__",
           called(mx.custom_function.__call__, lifted_custom))
    from mlx.nn import Module

    yield Module, "__getattribute__", attribute(Module.__getattribute__)
    yield Module, "__getattr__", attribute(Module.__getattr__)


# --- functions that modules imported by name ------------------------------------------------------


def replace_in(namespace):
    """Replace MLX's functions in a namespace (``from mlx.core import sin``); what was there."""
    changed = {}
    for name, found in list(namespace.items()):
        if type(found) is FUNCTION and found in by_original():
            changed[name] = found
            namespace[name] = by_original()[found]
    return changed


def namespace_of(f):
    """The globals that a function, or the class of an object, sees."""
    f = getattr(f, "func", f)
    return f.__globals__ if hasattr(f, "__globals__") else home_of(type(f))


def home_of(cls):
    """The globals of the module that defines a class."""
    home = sys.modules.get(cls.__module__)
    return {} if home is None else vars(home)


def callers_namespace(levels):
    return sys._getframe(levels + 1).f_globals
