"""Strict promotion, on request: arrays of different dtypes then do not meet unseen.

Only what the user's code does is looked at: each operation it calls, and the functions' own search
for a common dtype. Inside, functape's functions may convert as they like.
"""

import contextlib
import sys
import threading

from functape import calls
from functape.errors import RangeError, TypePromotionError
from functape.op import is_weak

MODES = ("standard", "strict")
OPERATORS = ("functape.op", "functape.calls", "functape.numpy.operators",
             "functape.autograd.inplace")  # between an operation and the line that asks for it


class Promotion(threading.local):
    """How arrays of different dtypes meet in this thread."""

    mode = "standard"


promotion = Promotion()


@contextlib.contextmanager
def numpy_dtype_promotion(mode):
    """While it is active, in this thread, "strict" refuses to combine arrays of different dtypes.

    Python's numbers still take the dtype of the array that they meet, unless that would change its
    kind. What `jit` has compiled before stays as it is.

    Args:
      mode: "strict", or "standard" for the usual promotion inside a strict block.

    >>> import functape as ft
    >>> with ft.numpy_dtype_promotion("strict"):
    ...     ft.numpy.concatenate([ft.numpy.ones(2), ft.numpy.arange(2)])
    Traceback (most recent call last):
    functape.errors.TypePromotionError: concatenate: the dtypes float32, int32 differ...
    """
    if mode not in MODES:
        raise RangeError(f"numpy_dtype_promotion: the mode is {mode!r}; choose one of "
                         f"{', '.join(MODES)}.")

    def around(call, op, *args, **params):
        if promotion.mode == "strict" and op.args == ("x", "y") and asked_from_outside():
            agree(op.name, args)
        return call(op, *args, **params)

    before, promotion.mode = promotion.mode, mode
    calls.enter(around)
    try:
        yield
    finally:
        calls.leave(around)
        promotion.mode = before


def asked_from_outside():
    """Whether the operation that is called stands in a line of the user's."""
    frame = sys._getframe(1)
    while module_of(frame) != calls.__name__:  # others may stand around the same call
        frame = frame.f_back
    while module_of(frame) in OPERATORS:
        frame = frame.f_back
    return module_of(frame).partition(".")[0] != "functape"


def module_of(frame):
    return frame.f_globals.get("__name__", "")


def agree(name, args):
    """Raise if, in strict mode, these arrays, dtypes and numbers need a conversion."""
    if promotion.mode != "strict":
        return
    names = dict.fromkeys(dtype_name(a) for a in args if not is_weak(a))
    highest = max(map(rank, names), default=len(KINDS))
    numbers = [getattr(a, "kind", type(a)).__name__ for a in args if is_weak(a)]
    other = [name for name in numbers if rank(name) > highest]
    if len(names) + len(other) > 1:
        raise TypePromotionError(
            f"{name}: the dtypes {', '.join([*names, *other])} differ, and promotion is strict. "
            'Convert with x.astype(...), or leave numpy_dtype_promotion("strict").')


KINDS = ("bool", "int", "float", "complex")  # in the order in which numbers change them


def dtype_name(a):
    return str(getattr(a, "dtype", a)).removeprefix("mlx.core.")


def rank(name):
    return next(i for i, kind in enumerate(KINDS) if kind in name)
