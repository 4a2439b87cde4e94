"""Comparisons, and tests of elements and of whole arrays."""

import numpy as np

from functape.numpy.arguments import ARRAYS, common, is_inexact, value
from functape.numpy.broadcasting import broadcast_shapes
from functape.numpy.creation import asarray
from functape.numpy.elementwise import imag, real
from functape.op import Value
from functape.ops import elementwise as ops
from functape.ops.elementwise import (
    equal,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    signbit,
)
from functape.ops.reductions import all_of
from functape.tensor import NUMBERS, constant

__all__ = [
    "allclose", "array_equal", "array_equiv", "equal", "greater", "greater_equal", "isclose",
    "iscomplex", "iscomplexobj", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal",
    "isrealobj", "isscalar", "less", "less_equal", "logical_and", "logical_not", "logical_or",
    "logical_xor", "not_equal", "signbit",
]


def isposinf(x, /):
    """Where x is plus infinity.

    >>> import functape as ft
    >>> ft.numpy.isposinf(ft.numpy.array([1.0, float("inf"), -float("inf")]))
    tensor([False,  True, False])
    """
    return equal(value(x, "isposinf"), np.inf)


def isneginf(x, /):
    """Where x is minus infinity.

    >>> import functape as ft
    >>> ft.numpy.isneginf(ft.numpy.array([1.0, float("inf"), -float("inf")]))
    tensor([False, False,  True])
    """
    return equal(value(x, "isneginf"), -np.inf)


def isreal(x):
    """Where the imaginary part is 0.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.numpy.isreal(ft.numpy.array([1 + 0j, 2j]))
    tensor([ True, False])
    """
    return equal(imag(value(x, "isreal")), 0)


def iscomplex(x):
    """Where the imaginary part is not 0.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.numpy.iscomplex(ft.numpy.array([1 + 0j, 2j]))
    tensor([False,  True])
    """
    return not_equal(imag(value(x, "iscomplex")), 0)


def iscomplexobj(x):
    """Whether the dtype is complex, whatever the values are.

    Args:
      x: array.

    >>> iscomplexobj(1 + 0j)
    True
    """
    if isinstance(x, NUMBERS):
        return isinstance(x, complex)
    dtype = x.dtype if hasattr(x, "dtype") else asarray(x).dtype
    return "complex" in str(dtype)


def isrealobj(x):
    """Whether the dtype is not complex.

    Args:
      x: array.

    >>> isrealobj(1.0)
    True
    """
    return not iscomplexobj(x)


def isscalar(element):
    """Whether this is a number or an array without axes.

    Args:
      element: anything.

    >>> isscalar(3.0), isscalar([3.0])
    (True, False)
    """
    return isinstance(element, NUMBERS) or (isinstance(element, ARRAYS) and not element.shape)


# --- nearness -----------------------------------------------------------------------------------


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Where ``abs(a - b) <= atol + rtol * abs(b)``; equal infinities are close.

    Args:
      equal_nan: whether NaN equals NaN.

    >>> import functape as ft
    >>> ft.numpy.isclose(ft.numpy.array([1.0, 2.0]), ft.numpy.array([1.0, 2.1]))
    tensor([ True, False])
    """
    a, b = common("isclose", a, b)
    if not (is_inexact(a) or is_inexact(b)):
        a, b = a * 1.0, b * 1.0
    near = ops.absolute(a - b) <= atol + rtol * ops.absolute(b)
    near = logical_or(logical_and(near, logical_and(isfinite(real(a)), isfinite(real(b)))),
                      equal(a, b))
    return logical_or(near, logical_and(isnan(a), isnan(b))) if equal_nan else near


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are close: arguments as for `isclose`.

    >>> import functape as ft
    >>> ft.numpy.allclose(ft.numpy.array([1.0, 2.0]), ft.numpy.array([1.0, 2.0 + 1e-7]))
    tensor(True)
    """
    return whole(isclose(*common("allclose", a, b), rtol, atol, equal_nan))


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have one shape and equal elements.

    Args:
      a1, a2: arrays.
      equal_nan: whether NaN equals NaN.

    >>> import functape as ft
    >>> ft.numpy.array_equal(ft.numpy.array([1, 2]), [1, 2])
    tensor(True)
    """
    a, b = common("array_equal", *[asarray(a) if isinstance(a, (list, tuple)) else a
                                   for a in (a1, a2)])
    if a.shape != b.shape:
        return constant(False)
    same = equal(a, b)
    if equal_nan:
        same = logical_or(same, logical_and(isnan(a), isnan(b)))
    return whole(same)


def array_equiv(a1, a2):
    """Whether two arrays are equal after broadcasting.

    Args:
      a1, a2: arrays.

    >>> import functape as ft
    >>> ft.numpy.array_equiv(ft.numpy.array([1, 1]), 1)
    tensor(True)
    """
    a, b = value(a1, "array_equiv"), value(a2, "array_equiv", 1)
    try:
        broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return constant(False)
    return whole(equal(a, b))


def whole(x: Value):
    return all_of(x, axis=tuple(range(len(x.shape))), keepdims=False)
