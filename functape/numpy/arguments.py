"""What users write for axes, shapes and arrays, brought into the one form that ops take."""

import operator

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, AxisError, ShapeError, describe
from functape.foreign import Foreign
from functape.op import Value, is_weak
from functape.ops.elementwise import cast
from functape.ops.families import astype
from functape.promotion import agree
from functape.tensor import INEXACT, constant, number_array

ARRAYS = (Value, mx.array, np.ndarray, np.generic, Foreign)


def value(a, name, index=0):
    """Anything array-like as a value."""
    return a if isinstance(a, Value) else constant(a, name, index)


def values(arrays, name):
    """A sequence of arrays, as a list of values of one dtype."""
    if isinstance(arrays, ARRAYS):
        return list(value(arrays, name))
    if not isinstance(arrays, (list, tuple)):
        raise ArgumentError(f"{name} takes a list or tuple of arrays, but got "
                            f"{describe(arrays)}.")
    if not arrays:
        raise ShapeError(f"{name} needs at least one array, but the list is empty.")
    return common(name, *arrays)


def common(name, *arrays):
    """Arrays and numbers as values of one dtype, on which the numbers have no say beyond their
    kind."""
    return alike(together(name, arrays))


def floats(name, *arrays):
    """As `common`, in floating point or complex: what integers meet says in which."""
    given = together(name, arrays)
    dtype = dtypes.result_type(*given)
    dtype = dtype if dtypes.issubdtype(dtype, dtypes.inexact) else dtypes.float32
    return [with_dtype(a, dtype) for a in given]


def together(name, arrays):
    """Arguments as values, numbers as they are; where promotion is strict, of one dtype, which no
    conversion may hide: so all go through here before any is converted."""
    given = [a if is_weak(a) else value(a, name, i) for i, a in enumerate(arrays)]
    agree(name, given)
    return given


def beside(a, x, name, index=0):
    """An argument as a value; a Python number in the dtype that it takes beside the value x."""
    return with_dtype(a, dtypes.result_type(x, a)) if is_weak(a) else value(
        a, name, index)


def alike(arrays):
    """Values and numbers, as values of their common dtype."""
    dtype = dtypes.result_type(*arrays)
    return [with_dtype(a, dtype) for a in arrays]


def with_dtype(a, dtype):
    """A value or a number in a dtype; the number is not rounded to float32 on the way."""
    if isinstance(a, dtypes.WEAK):
        return constant(number_array(a, dtype))
    return as_type(a if isinstance(a, Value) else constant(a), dtype)


def as_type(x, dtype):
    """A value in another dtype: differentiable if that is floating-point or complex."""
    if x.dtype == dtype and not x.weak:
        return x
    return (astype if dtypes.issubdtype(dtype, dtypes.inexact) else cast)(x, dtype=dtype)


def inexact(x):
    """A value in floating point or complex."""
    return x if is_inexact(x) else astype(x, dtype=dtypes.float32)


def is_inexact(x):
    return x.dtype in INEXACT


# --- axes and shapes ----------------------------------------------------------------------------


def integer(n, name, what):
    """An integer argument."""
    try:
        return operator.index(n)
    except TypeError as error:
        if isinstance(n, Value):
            raise
        raise ArgumentError(f"{name}: {what} must be an integer, but is {describe(n)}.") from error


def axis_of(axis, ndim, name, what="axis"):
    """One axis, as a non-negative integer."""
    i = integer(axis, name, what)
    if not -ndim <= i < ndim:
        choice = f"choose one of {-ndim} to {ndim - 1}" if ndim else "a scalar has none"
        raise AxisError(f"{name}: {what} {i} does not exist in an array of {ndim} "
                        f"dimension(s); {choice}.")
    return i % ndim


def axes_of(axis, ndim, name):
    """None (all), one axis or several, as a tuple of non-negative integers."""
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis % ndim,)
    if not isinstance(axis, (tuple, list)):
        return (axis_of(axis, ndim, name),)
    found = tuple([axis_of(a, ndim, name) for a in axis])
    if len(set(found)) != len(found):
        raise AxisError(f"{name}: axis {axis!r} names an axis twice. Name each once.")
    return found


def shape_of(shape, name, what="shape"):
    """A shape as a tuple of non-negative integers; an integer is a shape of one axis."""
    if isinstance(shape, (tuple, list)):
        found = tuple([integer(n, name, f"a length in {what}") for n in shape])
    elif isinstance(shape, (np.ndarray, mx.array, Value)) and len(shape.shape) == 1:
        found = tuple(int(n) for n in np.asarray(shape))
    else:
        found = (integer(shape, name, what),)
    if any(n < 0 for n in found):
        raise ShapeError(f"{name}: {what} {found} has a negative length. Lengths are 0 or more.")
    return found


def filled_in(shape, size, name):
    """A shape for `size` elements, where one length may be -1."""
    known, open_ = 1, []
    for i, n in enumerate(shape):
        if n == -1:
            open_.append(i)
        else:
            known *= n
    if len(open_) > 1:
        raise ShapeError(f"{name}: only one length may be -1, but shape is {shape}.")
    if open_ and known and size % known == 0:
        return tuple(size // known if n == -1 else n for n in shape)
    if open_ or known != size:
        raise ShapeError(f"{name}: {size} element(s) do not fill the shape {shape}. Choose "
                         f"lengths whose product is {size}.")
    return shape


def size_of(shape):
    n = 1
    for k in shape:
        n *= k
    return n


def unsupported(name, **given):
    """Refuse arguments that exist in NumPy for writing into arrays or for memory layout."""
    for key, what in given.items():
        if what is not None:
            raise ArgumentError(f"{name} does not take {key}: functape's arrays are not written "
                                "into. Use the result that it returns.")
