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
    """The base of all exceptions that functape raises on purpose.

    >>> import functape as ft
    >>> try:
    ...     ft.numpy.ones(2) + ft.numpy.ones(3)
    ... except FunctapeError as error:
    ...     print(type(error).__name__)
    ShapeError
    """


class ArgumentError(FunctapeError, TypeError):
    """An argument is of a kind, structure or dtype that the function cannot take.

    >>> import functape as ft
    >>> ft.numpy.sum("text")
    Traceback (most recent call last):
    functape.errors.ArgumentError: sum takes arrays and numbers, but argument 0 is str. ...
    """


class RangeError(ArgumentError, ValueError):
    """A number is out of its range, or a word is not one of those that are known.

    >>> import functape as ft
    >>> ft.nn.mse_loss(1.0, 2.0, reduction="median")
    Traceback (most recent call last):
    functape.errors.RangeError: mse_loss: reduction must be ...
    """


class TypePromotionError(ArgumentError, ValueError):
    """Arrays of different dtypes met where promotion is strict.

    >>> import functape as ft
    >>> with ft.numpy_dtype_promotion("strict"):
    ...     ft.numpy.result_type(ft.float32, ft.int32)
    Traceback (most recent call last):
    functape.errors.TypePromotionError: result_type: the dtypes float32, int32 differ...
    """


class ShapeError(ArgumentError, ValueError):
    """Shapes, axes, structures or positions do not fit together.

    >>> import functape as ft
    >>> ft.numpy.ones(2) + ft.numpy.ones(3)
    Traceback (most recent call last):
    functape.errors.ShapeError: add(float32[2], float32[3]) is not defined: these shapes do not ...
    """


class PositionError(FunctapeError, IndexError):
    """An index does not exist in the array.

    >>> import functape as ft
    >>> ft.numpy.ones(2)[5]
    Traceback (most recent call last):
    functape.errors.PositionError: x[...]: index 5 is out of bounds for axis 0 of size 2; ...
    """


class AxisError(ShapeError, IndexError):
    """An axis does not exist in the array, or is named twice.

    >>> import functape as ft
    >>> ft.numpy.sum(ft.numpy.ones(2), axis=3)
    Traceback (most recent call last):
    functape.errors.AxisError: sum: axis 3 does not exist in an array of 1 dimension(s); ...
    """


class UnboundAxisError(ArgumentError, NameError):
    """No running vmap has an axis of this name.

    >>> import functape as ft
    >>> ft.lax.psum(1.0, "batch")
    Traceback (most recent call last):
    functape.errors.UnboundAxisError: ...
    """


class GraphError(FunctapeError, RuntimeError):
    """The tape cannot answer: freed, unreachable, or nothing on it requires grad.

    >>> import functape as ft
    >>> ft.tensor(1.0).backward()
    Traceback (most recent call last):
    functape.errors.GraphError: backward: output 0, float32[], does not depend on anything that ...
    """


class LinearityError(GraphError, NotImplementedError):
    """The transpose of a function that is not linear was asked for.

    >>> import functape as ft
    >>> ft.linear_transpose(ft.numpy.sin, 1.0)(1.0)
    Traceback (most recent call last):
    functape.errors.LinearityError: linear_transpose takes a linear function, but this one ...
    """


class InplaceError(FunctapeError, RuntimeError):
    """An in-place change that would make a gradient wrong.

    >>> import functape as ft
    >>> x = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> y = ft.numpy.exp(x)
    >>> z = y.add_(1.0)
    >>> z.sum().backward()
    Traceback (most recent call last):
    functape.errors.InplaceError: ExpBackward needs 'ans', float32[2], as it was, but it was ...
    """


class AnomalyError(FunctapeError, RuntimeError):
    """A backward pass made a NaN, or an infinity, while anomaly mode was on.

    >>> import functape as ft
    >>> x = ft.tensor(-1.0, requires_grad=True)
    >>> with ft.autograd.detect_anomaly():
    ...     ft.numpy.sqrt(x).backward()
    Traceback (most recent call last):
    functape.errors.AnomalyError: SqrtBackward returned 1 nan of 1 element(s) in the gradient of ...
    """


class GradcheckError(FunctapeError, RuntimeError):
    """Derivatives that a function's backward gives differ from finite differences.

    >>> import functape as ft
    >>> f = ft.custom_gradient(lambda x: (2.0 * x, lambda g: (g,)))
    >>> ft.autograd.gradcheck(f, ft.tensor(1.0, dtype=ft.float64, requires_grad=True))
    Traceback (most recent call last):
    functape.errors.GradcheckError: Jacobian mismatch for output 0 with respect to input 0 ...
    """


class CommunicationError(FunctapeError, RuntimeError):
    """Another process of the group is gone, or was waited for in vain.

    How long to wait: `timeout` of `functape.distributed.init`.
    """


class ConcretizationError(FunctapeError, TypeError):
    """A plain Python value was asked of an array that stands for many, or for none yet.

    >>> import functape as ft
    >>> ft.vmap(lambda x: x if x > 0 else -x)(ft.numpy.ones(2))
    Traceback (most recent call last):
    functape.errors.ConcretizationError: bool needs the value of bool[] under vmap, where it ...
    """


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
