"""Arrays from numbers, lists and other arrays."""

import contextlib
import math

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.foreign import Foreign
from functape.numpy.arguments import (
    ARRAYS,
    as_type,
    axis_of,
    common,
    integer,
    shape_of,
    value,
    with_dtype,
)
from functape.numpy.arranging import broadcast_to
from functape.numpy.shapes import moveaxis
from functape.op import Value
from functape.ops.elementwise import floor, power
from functape.ops.movement import copy_of, reshape, stack
from functape.tensor import Tensor, as_array

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
      copy: True: a new value in any case.

    >>> import functape as ft
    >>> ft.numpy.asarray(2.5)
    tensor(2.5)
    """
    return made("asarray", a, dtype, bool(copy), device)


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

    >>> import functape as ft, numpy as np
    >>> ft.numpy.from_dlpack(np.ones(2, np.float32))
    tensor([1., 1.])
    """
    if isinstance(x, Value):  # MLX's own from_dlpack makes float64 float32
        x.__dlpack__()  # refuses what would lose a gradient
        return Tensor(as_array(x))
    with on(device):
        return Tensor(as_array(x, "from_dlpack"))


def from_any(name, object, dtype):
    if isinstance(object, Value):
        return object
    if isinstance(object, (list, tuple)):
        return from_list(object, dtype)
    if dtype is not None and dtype.size == 8 and isinstance(object, (int, float)):
        return from_list(object, dtype)  # exactly, where float32 would round
    return Tensor(as_array(object, name))


def from_list(items, dtype):
    """By NumPy where there are numbers only; by a stack where there are values."""
    kinds = set()
    collect([items], kinds)
    if any(issubclass(k, (Value, mx.array, Foreign)) for k in kinds):
        return nested(items)
    try:
        found = np.array(items)
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
    if found.dtype.kind == "f" and (dtype is None or dtype != mx.float64):
        return found.astype(np.float32)
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

    >>> import functape as ft
    >>> ft.numpy.zeros((2, 2))
    tensor([[0., 0.],
            [0., 0.]])
    """
    with on(device):
        return Tensor(mx.zeros(shape_of(shape, "zeros"), real_dtype(dtype, "zeros")))


def ones(shape, dtype=None, *, device=None):
    """An array of ones, float32 unless a dtype is given.

    >>> import functape as ft
    >>> ft.numpy.ones(3)
    tensor([1., 1., 1.])
    """
    with on(device):
        return Tensor(mx.ones(shape_of(shape, "ones"), real_dtype(dtype, "ones")))


def empty(shape, dtype=None, *, device=None):
    """An array whose elements do not matter; they are zeros.

    >>> import functape as ft
    >>> ft.numpy.empty((2, 3)).shape
    (2, 3)
    """
    with on(device):
        return Tensor(mx.zeros(shape_of(shape, "empty"), real_dtype(dtype, "empty")))


def full(shape, fill_value, dtype=None, *, device=None):
    """An array filled with a value, which may be tracked, and may itself be an array.

    >>> import functape as ft
    >>> ft.numpy.full(3, 2.5)
    tensor([2.5, 2.5, 2.5])
    """
    with on(device):
        return broadcast_to(array(fill_value, dtype, copy=False), shape_of(shape, "full"))


def zeros_like(a, dtype=None, shape=None, *, device=None):
    """Zeros in the shape and dtype of another array, or in those given.

    >>> import functape as ft
    >>> ft.numpy.zeros_like(ft.numpy.array([1, 2]))
    tensor([0, 0], dtype=int32)
    """
    return zeros(*like(a, dtype, shape, "zeros_like"), device=device)


def ones_like(a, dtype=None, shape=None, *, device=None):
    """Ones in the shape and dtype of another array, or in those given.

    >>> import functape as ft
    >>> ft.numpy.ones_like(ft.numpy.array([0.5, 2.0]))
    tensor([1., 1.])
    """
    return ones(*like(a, dtype, shape, "ones_like"), device=device)


def empty_like(prototype, dtype=None, shape=None, *, device=None):
    """An array whose elements do not matter, in the shape and dtype of another.

    >>> import functape as ft
    >>> ft.numpy.empty_like(ft.numpy.ones((2, 3))).shape
    (2, 3)
    """
    return empty(*like(prototype, dtype, shape, "empty_like"), device=device)


def full_like(a, fill_value, dtype=None, shape=None, *, device=None):
    """An array filled with a value, in the shape and dtype of another.

    >>> import functape as ft
    >>> ft.numpy.full_like(ft.numpy.ones(2), 7)
    tensor([7., 7.])
    """
    shape, dtype = like(a, dtype, shape, "full_like")
    return full(shape, fill_value, dtype, device=device)


def real_dtype(dtype, name):
    return mx.float32 if dtype is None else dtypes.as_dtype(dtype, name)


def like(a, dtype, shape, name):
    a = value(a, name)
    return a.shape if shape is None else shape, a.dtype if dtype is None else dtype


# --- sequences ----------------------------------------------------------------------------------


def arange(start, stop=None, step=None, dtype=None, *, device=None):
    """Numbers from `start` (0 if there is one argument) up to, but without, `stop`.

    Args:
      step: from one number to the next; 1 by default.

    >>> import functape as ft
    >>> ft.numpy.arange(2, 10, 3)
    tensor([2, 5, 8], dtype=int32)
    """
    start, stop, step = (a if a is None else plain(a, "arange") for a in (start, stop, step))
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise ArgumentError("arange: step is 0, so stop is never reached. Use linspace for a "
                            "number of points.")
    dtype = dtypes.result_type(start, stop, step) if dtype is None else dtypes.as_dtype(dtype)
    count = max(0, math.ceil((stop - start) / step))
    with on(device):
        if dtypes.issubdtype(dtype, dtypes.integer):
            start, step = int(start), int(step)
        points = np.arange(count) * step + start  # in double precision, rounded once
        return array(points, fit_sequence(points, dtype))


def fit_sequence(points, dtype):
    wide = dtype == mx.int32 and points.size and max(abs(points[0]), abs(points[-1])) >= 2**31
    return mx.int64 if wide else dtype


def plain(a, name):
    """A Python number."""
    if type(a) in dtypes.WEAK:
        return a
    if isinstance(a, ARRAYS) and not a.shape:
        return a.item()
    raise ArgumentError(f"{name} takes numbers, but got {describe(a)}.")


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *,
             device=None):
    """`num` evenly spaced numbers from `start` to `stop`, which may be arrays.

    Args:
      start, stop: the first and the last number; differentiable.
      num: how many.
      endpoint: whether `stop` is one of them.
      retstep: return ``(numbers, step)``.
      dtype: of the result; floating-point by default.
      axis: where the numbers lie, if start or stop are arrays.

    >>> import functape as ft
    >>> ft.numpy.linspace(0.0, 1.0, 5)
    tensor([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = integer(num, "linspace", "num")
    if num < 0:
        raise ShapeError(f"linspace: num is {num}; it must be 0 or more.")
    with on(device):
        dtype = None if dtype is None else dtypes.as_dtype(dtype, "linspace")
        found, step = between(start, stop, num, endpoint, axis, dtype)
        if dtype is not None:
            rounded = dtypes.issubdtype(dtype, dtypes.integer)
            found = as_type(floor(found) if rounded else found, dtype)
    return (found, step) if retstep else found


def between(start, stop, num, endpoint, axis, wanted):
    dtype, start, stop = ends("linspace", start, stop, wanted)
    steps = max(num - 1 if endpoint else num, 0)
    ndim = max(len(start.shape), len(stop.shape))
    t = np.arange(num) / max(steps, 1)
    t = array(t.reshape((num, *(1,) * ndim)), real_part_of(dtype))
    found = start * (1 - t) + stop * t  # exact at both ends
    step = (stop - start) / steps if steps else full(start.shape, math.nan, dtype)
    return moveaxis(found, 0, axis_of(axis, ndim + 1, "linspace")) if axis else found, step


def ends(name, start, stop, wanted):
    """The dtype to compute in, inexact and no narrower than what is wanted, and both ends in it."""
    given = [a if isinstance(a, dtypes.WEAK) else value(a, name, what)
             for a, what in ((start, "start"), (stop, "stop"))]
    given_types = given if wanted is None else [*given, wanted]
    dtype = dtypes.result_type(dtypes.result_type(*given_types), 1.0)
    return dtype, *[with_dtype(a, dtype) for a in given]


def real_part_of(dtype):
    return mx.float32 if dtype == mx.complex64 else dtype


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` numbers from base**start to base**stop, evenly spaced on a logarithmic scale.

    Args:
      axis: that of the numbers in the result, where `start` or `stop` is an array.

    >>> import functape as ft
    >>> ft.numpy.logspace(0, 3, 4, base=2.0)
    tensor([1., 2., 4., 8.])
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype, "logspace")
    _, start, stop = ends("logspace", start, stop, dtype)
    base = base if isinstance(base, dtypes.WEAK) else value(base, "logspace", "base")
    found = power(base, linspace(start, stop, num, endpoint))
    found = moveaxis(found, 0, axis_of(axis, len(found.shape), "logspace"))
    return found if dtype is None else as_type(found, dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop`, each the same multiple of the one before.

    Args:
      axis: that of the numbers in the result, where `start` or `stop` is an array.

    >>> import functape as ft
    >>> ft.numpy.geomspace(1.0, 8.0, 4).shape
    (4,)
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype, "geomspace")
    working, start, stop = ends("geomspace", start, stop, dtype)
    t = linspace(0.0, 1.0, num, endpoint, dtype=real_part_of(working))
    t = t.reshape((num, *(1,) * max(len(start.shape), len(stop.shape))))
    found = start * power(stop / start, t)
    found = moveaxis(found, 0, axis_of(axis, len(found.shape), "geomspace"))
    return found if dtype is None else as_type(found, dtype)
