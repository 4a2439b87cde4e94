"""Exceptions and warnings. Every message states the rule, what was given, and what to do."""

from functape.suggest import for_names_of


class FunctapeError(Exception):
    """The base of all exceptions that functape raises on purpose."""


class ArgumentError(FunctapeError, TypeError):
    """An argument is of a kind, structure or dtype that the function cannot take."""


class ShapeError(FunctapeError, ValueError):
    """Shapes, axes or positions do not fit together."""


class PositionError(FunctapeError, IndexError):
    """An index does not exist in the array."""


class AxisError(ShapeError, IndexError):
    """An axis does not exist in the array, or is named twice."""


class GraphError(FunctapeError, RuntimeError):
    """The tape cannot answer: freed, unreachable, or nothing on it requires grad."""


class InplaceError(FunctapeError, RuntimeError):
    """An in-place change that would make a gradient wrong."""


class AnomalyError(FunctapeError, RuntimeError):
    """A backward pass made a NaN, or an infinity, while anomaly mode was on."""


class GradcheckError(FunctapeError, RuntimeError):
    """Derivatives that a function's backward gives differ from finite differences."""


class CommunicationError(FunctapeError, RuntimeError):
    """Another process of the group is gone, or was waited for in vain."""


class ConcretizationError(FunctapeError, TypeError):
    """A plain Python value was asked of an array that stands for many, or for none yet."""


def check_callable(name, *functions):
    """Refuse what cannot be called, where `name` takes functions.

    >>> check_callable("grad", abs)
    """
    for f in functions:
        if not callable(f):
            raise ArgumentError(f"{name} takes a function, but got {describe(f)}. Give it the "
                                "function itself, f, not its result, f(x).")


def describe(value):
    """Say what a value is, for a message: ``float32[3,4]``, ``3 (int)``, ``tuple of 2``.

    >>> describe(3)
    '3 (int)'
    """
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{str(dtype).removeprefix('mlx.core.')}[{','.join(map(str, shape))}]"
    if isinstance(value, (bool, int, float, complex)):
        return f"{value!r} ({type(value).__name__})"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return type(value).__name__

__getattr__ = for_names_of(__name__)
