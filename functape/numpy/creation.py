"""Arrays from numbers, lists and other arrays."""

import contextlib

import mlx.core as mx
import numpy as np

from functape import dtypes, pairs
from functape.errors import ArgumentError, RangeError, ShapeError, describe
from functape.foreign import Foreign
from functape.numpy.arguments import (
    ARRAYS,
    as_type,
    common,
    shape_of,
    value,
)
from functape.numpy.broadcasting import broadcast_to
from functape.op import Value
from functape.ops.movement import copy_of, reshape, stack
from functape.tensor import Tensor, as_array, number_array

# --- from data ----------------------------------------------------------------------------------


def array(object, dtype=None, copy=True, order="K", ndmin=0, *, device=None):
    """An array of numbers, nested lists, NumPy or MLX arrays, or values.

    Python's floats become float32, its integers int32; NumPy and MLX arrays keep their dtype.
    Lists may contain tracked values: the array then depends on them.

    Args:
      object: what to make an array of.
      dtype: convert to this dtype.
      copy: kept for NumPy's signature; arrays here are never written into, so none is needed.
      order: "K", "A", "C" or "F"; there is one memory layout only.
      ndmin: put axes of length 1 in front until there are so many.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.array([[1, 2], [3, 4.5]])
    tensor([[1. , 2. ],
            [3. , 4.5]])
    """
    x = made("array", object, dtype, copy, device)
    missing = ndmin - len(x.shape)
    return reshape(x, shape=(*(1,) * missing, *x.shape)) if missing > 0 else x


def asarray(a, dtype=None, order="K", *, copy=None, device=None):
    """A value for anything array-like; a value of the right dtype is returned as it is.

    Args:
      a: array of any library, number or nested list.
      order: accepted for NumPy's signature, without effect.
      copy: True: a new value in any case; False: an error where a conversion would need one.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.asarray(2.5)
    tensor(2.5)
    """
    x = made("asarray", a, dtype, bool(copy), device)
    if copy is False and isinstance(a, ARRAYS) and a.dtype != x.dtype:
        raise RangeError(f"asarray: {describe(a)} cannot become {dtypes.dtype_name(x.dtype)} "
                         "without a copy, which copy=False forbids. Leave `copy` out.")
    return x


def made(name, object, dtype, copy, device):
    dtype = None if dtype is None else dtypes.as_dtype(dtype, name)
    with on(device):
        x = from_any(name, object, dtype)
        x = x if dtype is None else as_type(x, dtype)
    return copy_of(x) if x is object and copy else x


def from_dlpack(x, /, *, device=None, copy=None):
    """A value for another library's array that has `__dlpack__`.

    Args:
      x: an array of any library.
      device: an MLX device to make the array on.
      copy: accepted; arrays are not written into, so none has to be copied.

    >>> import functape as ft, numpy as np
    >>> ft.numpy.from_dlpack(np.ones(2, np.float32))
    tensor([1., 1.])
    """
    if isinstance(x, Value):  # MLX's own from_dlpack makes float64 float32
        part = x.real if x.dtype == dtypes.complex128 else x  # the whole has no DLPack
        part.__dlpack__()  # refuses what would lose a gradient
        return Tensor(as_array(x))
    with on(device):
        return Tensor(as_array(x, "from_dlpack"))


def from_any(name, object, dtype):
    if isinstance(object, Value):
        return object
    if isinstance(object, (list, tuple)):
        return from_list(object, dtype)
    if dtype is not None and isinstance(object, dtypes.WEAK):
        return Tensor(number_array(object, dtype))  # exactly, where float32 would round
    return Tensor(as_array(object, name))


def from_list(items, dtype):
    """By NumPy where there are numbers only; by a stack where there are values."""
    kinds = set()
    collect([items], kinds)
    if any(issubclass(k, (Value, mx.array, Foreign)) for k in kinds):
        return nested(items)
    try:
        found = np.array(items)
        if found.dtype.kind in "fO" and kinds and kinds <= {int, bool}:  # some are 2^63 or more
            found = np.array(items, np.uint64)
    except OverflowError as error:
        raise RangeError("array: no integer dtype of 64 bits holds all integers of this list. Make "
                         "one of them a float.") from error
    except ValueError as error:
        raise ShapeError("array: the lists are not of one length at each depth, so they form no "
                         "array. Pad the short ones.") from error
    if found.dtype.kind not in "biufc":
        names = ", ".join(sorted(k.__name__ for k in kinds))
        raise ArgumentError(f"array takes numbers and arrays, but the list contains: {names}.")
    sized = any(issubclass(k, np.ndarray) or is_sized(k) for k in kinds)
    return Tensor(as_array(found if sized else python_numbers(found, dtype)))


def collect(items, kinds):
    """The types of all that a nested list contains."""
    for a in items:
        if isinstance(a, (list, tuple)):
            collect(a, kinds)
        else:
            kinds.add(type(a))


def is_sized(kind):
    """Whether this is a type of NumPy scalars that keep their size: not float64, a float."""
    return issubclass(kind, np.generic) and not issubclass(kind, dtypes.WEAK)


def python_numbers(found, dtype):
    """Floats as float32, and integers as int32 where they fit, unless the dtype says more."""
    if found.dtype.kind in "fc" and dtype not in dtypes.DOUBLE:
        return found.astype(np.float32 if found.dtype.kind == "f" else np.complex64)
    if found.dtype.kind in "iu" and dtype is None:
        fits = not found.size or (found.max() < 2**31 and found.min() >= -(2**31))
        return found.astype(np.int32) if fits else found
    return found


def nested(items):
    """A stack of lists that contain values."""
    leaves = [nested(a) if isinstance(a, (list, tuple)) else a for a in items]
    rows = common("array", *leaves)
    for i, row in enumerate(rows):
        if row.shape != rows[0].shape:
            raise ShapeError(f"array: entry 0 of a list is {describe(rows[0])}, but entry {i} is "
                             f"{describe(row)}. All entries must have one shape.")
    return stack(*rows, axis=0)


def on(device):
    """MLX's context for a device; of nothing, where it is None."""
    if device is None:
        return contextlib.nullcontext()
    if isinstance(device, str):
        device = {"cpu": mx.cpu, "gpu": mx.gpu}.get(device, device)
    if not isinstance(device, (mx.Device, mx.DeviceType, mx.Stream)):
        raise ArgumentError(f"device must be one of MLX's, but is {describe(device)}. Use "
                            "mlx.core.cpu or mlx.core.gpu.")
    return mx.stream(device)


# --- of one number ------------------------------------------------------------------------------


def zeros(shape, dtype=None, *, device=None):
    """An array of zeros, float32 unless a dtype is given.

    Args:
      shape: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.zeros((2, 2))
    tensor([[0., 0.],
            [0., 0.]])
    """
    with on(device):
        return Tensor(pairs.zeros(shape_of(shape, "zeros"), real_dtype(dtype, "zeros")))


def ones(shape, dtype=None, *, device=None):
    """An array of ones, float32 unless a dtype is given.

    Args:
      shape: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.ones(3)
    tensor([1., 1., 1.])
    """
    with on(device):
        return Tensor(pairs.ones(shape_of(shape, "ones"), real_dtype(dtype, "ones")))


def empty(shape, dtype=None, *, device=None):
    """An array whose elements do not matter; they are zeros.

    Args:
      shape: of the result.
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.empty((2, 3)).shape
    (2, 3)
    """
    with on(device):
        return Tensor(pairs.zeros(shape_of(shape, "empty"), real_dtype(dtype, "empty")))


def full(shape, fill_value, dtype=None, *, device=None):
    """An array filled with a value, which may be tracked, and may itself be an array.

    Args:
      shape: of the result.
      fill_value: number or array; it broadcasts.
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.full(3, 2.5)
    tensor([2.5, 2.5, 2.5])
    """
    with on(device):
        return broadcast_to(array(fill_value, dtype, copy=False), shape_of(shape, "full"))


def zeros_like(a, dtype=None, shape=None, *, device=None):
    """Zeros in the shape and dtype of another array, or in those given.

    Args:
      a: array, or a ShapeDtypeStruct.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.zeros_like(ft.numpy.array([1, 2]))
    tensor([0, 0], dtype=int32)
    """
    return zeros(*like(a, dtype, shape, "zeros_like"), device=device)


def ones_like(a, dtype=None, shape=None, *, device=None):
    """Ones in the shape and dtype of another array, or in those given.

    Args:
      a: array, or a ShapeDtypeStruct.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.ones_like(ft.numpy.array([0.5, 2.0]))
    tensor([1., 1.])
    """
    return ones(*like(a, dtype, shape, "ones_like"), device=device)


def empty_like(prototype, dtype=None, shape=None, *, device=None):
    """An array whose elements do not matter, in the shape and dtype of another.

    Args:
      prototype: array, or a ShapeDtypeStruct.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.empty_like(ft.numpy.ones((2, 3))).shape
    (2, 3)
    """
    return empty(*like(prototype, dtype, shape, "empty_like"), device=device)


def full_like(a, fill_value, dtype=None, shape=None, *, device=None):
    """An array filled with a value, in the shape and dtype of another.

    Args:
      a: array, or a ShapeDtypeStruct.
      fill_value: number or array; it broadcasts.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.full_like(ft.numpy.ones(2), 7)
    tensor([7., 7.])
    """
    shape, dtype = like(a, dtype, shape, "full_like")
    return full(shape, fill_value, dtype, device=device)


def real_dtype(dtype, name):
    return mx.float32 if dtype is None else dtypes.as_dtype(dtype, name)


def like(a, dtype, shape, name):
    a = a if is_form(a) else value(a, name)
    return a.shape if shape is None else shape, a.dtype if dtype is None else dtype


def is_form(a):
    """Whether it is no array, but has a shape and a dtype as one: a ShapeDtypeStruct."""
    return not isinstance(a, ARRAYS) and hasattr(a, "shape") and hasattr(a, "dtype")
