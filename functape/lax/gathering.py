"""jax.lax's gather and scatter: windows of an array, read and written at computed places.

Most programs want ``x[i]``, ``x.at[i].set(y)`` or `dynamic_slice`; these are what JAX makes of
them, for programs that call them by name.
"""

import enum
import typing

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import shape_of, value
from functape.numpy.brackets import DEFAULT, filler
from functape.numpy.creation import ones, zeros
from functape.numpy.sequences import arange
from functape.ops import elementwise as ops
from functape.ops import movement
from functape.tensor import constant


class GatherDimensionNumbers(typing.NamedTuple):
    """Which axes of `gather` belong together.

    Args:
      offset_dims: the axes of the result that run within a window.
      collapsed_slice_dims: the axes of the operand, of window length 1, that the result lacks.
      start_index_map: the axes of the operand that the entries of an index vector are for.
      operand_batching_dims, start_indices_batching_dims: axes of both that run together.
    """

    offset_dims: tuple
    collapsed_slice_dims: tuple
    start_index_map: tuple
    operand_batching_dims: tuple = ()
    start_indices_batching_dims: tuple = ()


class ScatterDimensionNumbers(typing.NamedTuple):
    """Which axes of `scatter` belong together.

    Args:
      update_window_dims: the axes of the updates that run within a window.
      inserted_window_dims: the axes of the operand, of window length 1, that the updates lack.
      scatter_dims_to_operand_dims: the axes of the operand that the entries of an index vector
        are for.
      operand_batching_dims, scatter_indices_batching_dims: axes of both that run together.
    """

    update_window_dims: tuple
    inserted_window_dims: tuple
    scatter_dims_to_operand_dims: tuple
    operand_batching_dims: tuple = ()
    scatter_indices_batching_dims: tuple = ()


class GatherScatterMode(enum.Enum):
    """What a window that reaches beyond the array means: it is moved inside; it is filled or left
    out; or there is none."""

    CLIP = "clip"
    FILL_OR_DROP = "fill"
    PROMISE_IN_BOUNDS = "promise_in_bounds"

    @staticmethod
    def from_any(mode):
        """The mode of a name; None is "fill".

        >>> GatherScatterMode.from_any("clip").name
        'CLIP'
        """
        if isinstance(mode, GatherScatterMode):
            return mode
        if mode in (None, "fill", "drop"):
            return GatherScatterMode.FILL_OR_DROP
        try:
            return GatherScatterMode(mode)
        except ValueError as error:
            raise ArgumentError(f"gather and scatter: mode {mode!r} is unknown; choose 'clip', "
                                "'fill', 'drop' or 'promise_in_bounds'.") from error


def gather(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False,
           indices_are_sorted=False, mode=None, fill_value=None):
    """Windows of an array that start at computed places.

    Args:
      operand: array.
      start_indices: integers (..., k): the start along k axes of the operand, one vector a window.
      dimension_numbers: `GatherDimensionNumbers`.
      slice_sizes: the lengths of a window, one for each axis of the operand.
      unique_indices, indices_are_sorted: without effect; accepted for JAX's sake.
      mode: of windows that reach beyond the array, see `GatherScatterMode`; by default there are
        none.
      fill_value: what fills them; by default NaN, or an integer's lowest number.

    >>> import functape as ft
    >>> numbers = GatherDimensionNumbers((1,), (0,), (0,))
    >>> x = ft.numpy.array([[1, 2], [3, 4], [5, 6]])
    >>> gather(x, ft.numpy.array([[2], [0]]), numbers, (1, 2))
    tensor([[5, 6],
            [1, 2]], dtype=int32)
    """
    x, starts, d = value(operand, "gather"), value(start_indices, "gather", 1), dimension_numbers
    sizes = shape_of(slice_sizes, "gather")
    gone = (*d.collapsed_slice_dims, *d.operand_batching_dims)
    check("gather", x, starts, sizes, gone, d.start_index_map)
    mode = GatherScatterMode.from_any(mode or "promise_in_bounds")
    index, inside = windows(x, starts, sizes, d.start_index_map, d.operand_batching_dims,
                            d.start_indices_batching_dims)
    found = x[tuple(index)] if index else x
    batch, kept = starts.shape[:-1], tuple(n for a, n in enumerate(sizes) if a not in gone)
    found = movement.reshape(found, shape=(*batch, *kept))
    if mode is GatherScatterMode.FILL_OR_DROP:
        inside = movement.reshape(inside, shape=(*batch, *(1,) * len(kept)))
        fill = filler(DEFAULT if fill_value is None else fill_value, x.dtype)
        found = ops.where(inside, found, constant(fill))
    return movement.transpose(found, axes=interleaved(len(batch), d.offset_dims))


def scatter(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False,
            unique_indices=False, mode=None):
    """The array with windows that start at computed places replaced by `updates`.

    Args:
      operand: array.
      scatter_indices: integers (..., k): the start along k axes of the operand, one vector a
        window.
      updates: the windows.
      dimension_numbers: `ScatterDimensionNumbers`.
      indices_are_sorted: without effect; accepted for JAX's sake.
      unique_indices: no position is written twice; saves the work that repetition needs.
      mode: of windows that reach beyond the array; see `GatherScatterMode`.

    >>> import functape as ft
    >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter(ft.numpy.zeros(4), ft.numpy.array([[1], [3]]), ft.numpy.array([5.0, 7.0]), numbers)
    tensor([0., 5., 0., 7.])
    """
    return written("scatter", "set", operand, scatter_indices, updates, dimension_numbers,
                   unique_indices, mode)


def scatter_add(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False,
                unique_indices=False, mode=None):
    """The array with `updates` added to windows; arguments as for `scatter`.

    >>> import functape as ft
    >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
    >>> i, y = ft.numpy.array([[1], [1]]), ft.numpy.array([5.0, 7.0])
    >>> scatter_add(ft.numpy.zeros(3), i, y, numbers)
    tensor([ 0., 12.,  0.])
    """
    return written("scatter_add", "add", operand, scatter_indices, updates, dimension_numbers,
                   unique_indices, mode)


def scatter_mul(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False,
                unique_indices=False, mode=None):
    """The array with windows multiplied by `updates`; arguments as for `scatter`.

    >>> import functape as ft
    >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter_mul(ft.numpy.ones(2), ft.numpy.array([[1]]), ft.numpy.array([5.0]), numbers)
    tensor([1., 5.])
    """
    return written("scatter_mul", "multiply", operand, scatter_indices, updates,
                   dimension_numbers, unique_indices, mode)


def scatter_min(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False,
                unique_indices=False, mode=None):
    """The smaller of windows and `updates`; arguments as for `scatter`.

    >>> import functape as ft
    >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter_min(ft.numpy.ones(2), ft.numpy.array([[1]]), ft.numpy.array([-5.0]), numbers)
    tensor([ 1., -5.])
    """
    return written("scatter_min", "min", operand, scatter_indices, updates, dimension_numbers,
                   unique_indices, mode)


def scatter_max(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False,
                unique_indices=False, mode=None):
    """The larger of windows and `updates`; arguments as for `scatter`.

    >>> import functape as ft
    >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
    >>> scatter_max(ft.numpy.ones(2), ft.numpy.array([[1]]), ft.numpy.array([5.0]), numbers)
    tensor([1., 5.])
    """
    return written("scatter_max", "max", operand, scatter_indices, updates, dimension_numbers,
                   unique_indices, mode)


# --- how ------------------------------------------------------------------------------------------


def written(name, method, operand, scatter_indices, updates, d, unique, mode):
    x, starts, y = (value(a, name, i) for i, a in enumerate((operand, scatter_indices, updates)))
    gone, inner = (*d.inserted_window_dims, *d.operand_batching_dims), d.update_window_dims
    mode = GatherScatterMode.from_any(mode)
    if len(inner) + len(gone) != len(x.shape) or len(y.shape) != len(inner) + len(
            starts.shape) - 1:
        raise ShapeError(f"{name}: updates {describe(y)} with {len(inner)} axes of windows do not "
                         f"fit to indices {describe(starts)} and the array {describe(x)}.")
    lengths = iter([y.shape[a] for a in inner])
    sizes = tuple(1 if a in gone else next(lengths) for a in range(len(x.shape)))
    check(name, x, starts, sizes, gone, d.scatter_dims_to_operand_dims)
    batch = len(starts.shape) - 1
    outer = [a for a in range(len(y.shape)) if a not in inner]
    y = movement.transpose(y, axes=(*outer, *inner))
    y = movement.reshape(y, shape=(*y.shape[:batch], *sizes))
    index, inside = windows(x, starts, sizes, d.scatter_dims_to_operand_dims,
                            d.operand_batching_dims, d.scatter_indices_batching_dims)
    if mode is GatherScatterMode.FILL_OR_DROP:
        inside = movement.reshape(inside, shape=(*inside.shape, *(1,) * len(sizes)))
        index = [ops.where(inside, i, n) for i, n in zip(index, x.shape, strict=True)]
    if not index:
        index = [...]
    return getattr(x.at[tuple(index)], method)(y, mode="drop", unique_indices=unique)


def check(name, x, starts, sizes, gone, index_map):
    fits = len(sizes) == len(x.shape) and all(
        m <= n for m, n in zip(sizes, x.shape, strict=True))
    if not fits or any(sizes[a] != 1 for a in gone):
        raise ShapeError(f"{name}: windows of the sizes {tuple(sizes)} do not fit into "
                         f"{describe(x)}. Give one for each axis, none longer than it, and 1 for "
                         f"the axes {tuple(gone)}, which have none in the windows.")
    if not starts.shape or starts.shape[-1] != len(index_map):
        raise ShapeError(f"{name}: an index vector has an entry for each of the axes "
                         f"{tuple(index_map)}, along the last axis, but the indices are "
                         f"{describe(starts)}.")


def windows(x, starts, sizes, index_map, operand_batch, starts_batch):
    """An index array for each axis of x, which broadcast to (windows, positions in a window), and
    which windows lie within x; the others are moved inside."""
    batch, dims = starts.shape[:-1], len(x.shape)
    inside = ones(batch, bool)
    index = []
    for a, (n, size) in enumerate(zip(x.shape, sizes, strict=True)):
        first = zeros((*batch, *(1,) * dims), "int32") if a == 0 else 0
        if a in index_map:
            start = starts[..., index_map.index(a)]
            inside = inside & (start >= 0) & (start <= n - size)
            start = ops.minimum(ops.maximum(start, 0), n - size)
            first = first + movement.reshape(start, shape=(*batch, *(1,) * dims))
        elif a in operand_batch:
            b = starts_batch[operand_batch.index(a)]
            first = first + arange(n).reshape(
                tuple(n if i == b else 1 for i in range(len(batch) + dims)))
        within = arange(size).reshape(tuple(size if i == a else 1 for i in range(dims)))
        index.append(first + within)
    return index, inside


def interleaved(batch, offset_dims):
    """The order of the axes that puts those of windows to their places in the result."""
    outer = iter(range(batch))
    return tuple(batch + offset_dims.index(p) if p in offset_dims else next(outer)
                 for p in range(batch + len(offset_dims)))
