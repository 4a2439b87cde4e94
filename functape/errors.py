"""Exceptions and warnings. Every message states the rule, what was given, and what to do."""

import functools
import math
import numbers

from functape.suggest import for_names_of

__all__ = [
    "AnomalyError", "ArgumentError", "AxisError", "CommunicationError", "ConcretizationError",
    "FunctapeError", "GradcheckError", "GraphError", "InplaceError", "LinearityError",
    "PositionError", "RangeError", "ShapeError",
]


class FunctapeError(Exception):
    """The base of all exceptions that functape raises on purpose."""


class ArgumentError(FunctapeError, TypeError):
    """An argument is of a kind, structure or dtype that the function cannot take."""


class RangeError(ArgumentError, ValueError):
    """A number is out of its range, or a word is not one of those that are known."""


class TypePromotionError(ArgumentError, ValueError):
    """Arrays of different dtypes met where promotion is strict."""


class ShapeError(ArgumentError, ValueError):
    """Shapes, axes, structures or positions do not fit together."""


class PositionError(FunctapeError, IndexError):
    """An index does not exist in the array."""


class AxisError(ShapeError, IndexError):
    """An axis does not exist in the array, or is named twice."""


class UnboundAxisError(ArgumentError, NameError):
    """No running vmap has an axis of this name."""


class GraphError(FunctapeError, RuntimeError):
    """The tape cannot answer: freed, unreachable, or nothing on it requires grad."""


class LinearityError(GraphError, NotImplementedError):
    """The transpose of a function that is not linear was asked for."""


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


def check_range(name, interval, **given):
    """Refuse numbers outside an interval; arrays pass, since a look at them would compute them.

    >>> check_range("dropout", "[0, 1]", rate=0.5)
    """
    low, high, accepts = parsed(interval)
    for what, number in given.items():
        if isinstance(number, numbers.Real) and not (
                low < number < high or number == low and accepts[0]
                or number == high and accepts[1]):
            rule = (f"in {interval}" if high < math.inf else
                    f"{low:g} or more" if accepts[0] else f"above {low:g}")
            raise RangeError(f"{name}: {what} must be {rule}, but is {describe(number)}.")


@functools.lru_cache(64)
def parsed(interval):
    """(low, high, whether each belongs to it).

    >>> parsed("[0, inf)")
    (0.0, inf, (True, False))
    """
    low, high = map(float, interval[1:-1].split(","))
    return low, high, (interval[0] == "[", interval[-1] == "]")


def check_order(name, **given):
    """Refuse numbers that fall from one to the next; arrays pass.

    >>> check_order("triangular", left=0.0, mode=1.0, right=1.0)
    """
    values = list(given.values())
    if all(isinstance(v, numbers.Real) for v in values) and not all(
            a <= b for a, b in zip(values, values[1:], strict=False)):
        raise RangeError(f"{name}: {' <= '.join(given)} must hold, but they are "
                         f"{', '.join(map(repr, values))}.")


def check_word(name, words, **given):
    """Refuse what is not one of the words that an argument may be.

    >>> check_word("mse_loss", ("none", "mean"), reduction="mean")
    """
    for what, word in given.items():
        if not any(word is w or type(word) is type(w) and word == w for w in words):
            *most, last = map(repr, words)
            raise RangeError(f"{name}: {what} must be {', '.join(most)} or {last}, but is "
                             f"{word!r}.")


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
