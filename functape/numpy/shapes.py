"""The same elements in another shape, or with their axes in another order."""

import numpy as np

from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import axes_of, axis_of, filled_in, integer, size_of, value
from functape.ops import movement as ops

# --- shape --------------------------------------------------------------------------------------


def reshape(a, shape, order="C", *, copy=None):
    """The same elements in another shape; one length may be -1.

    Args:
      a: array.
      order: "C": the last axis changes first; "F": the first.
      copy: False: the array itself if it has that shape already, else an error, since arrays of
        different shapes do not share what is written to one of them.

    >>> import functape as ft
    >>> ft.numpy.reshape(ft.numpy.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]], dtype=int32)
    """
    x = value(a, "reshape")
    found = in_shape(x, shape, order, "reshape")
    if copy is not False:
        return found
    if found.shape != x.shape or order == "F" and len(x.shape) > 1:
        raise ShapeError(f"reshape: {describe(x)} cannot get the shape {found.shape} without a "
                         "copy, which copy=False forbids. Leave `copy` out.")
    return x


def in_shape(a, shape, order, name):
    if not isinstance(shape, (tuple, list)):
        shape = tuple(shape) if isinstance(shape, np.ndarray) else (shape,)
    shape = tuple([integer(n, name, "a length in shape") for n in shape])
    shape = filled_in(shape, size_of(a.shape), name)
    if order in ("C", "A", "K"):
        return ops.reshape(a, shape=shape)
    if order != "F":
        raise ArgumentError(f"{name}: order must be 'C', 'F' or 'A', but is {order!r}.")
    return reverse_axes(ops.reshape(reverse_axes(a), shape=shape[::-1]))


def reverse_axes(a):
    return ops.transpose(a, axes=tuple(range(len(a.shape)))[::-1])


def ravel(a, order="C"):
    """All elements along one axis.

    Args:
      a: array.
      order: "C": the last axis changes first; "F": the first.

    >>> import functape as ft
    >>> ft.numpy.ravel(ft.numpy.array([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4], dtype=int32)
    """
    return in_shape(value(a, "ravel"), (-1,) if 0 not in value(a, "ravel").shape else (0,),
                    order, "ravel")


def squeeze(a, axis=None):
    """Without its axes of length 1, or without those named.

    Args:
      a: array.
      axis: integer, or several.

    >>> import functape as ft
    >>> ft.numpy.squeeze(ft.numpy.ones((1, 3, 1))).shape
    (3,)
    """
    a = value(a, "squeeze")
    if axis is None:
        return ops.reshape(a, shape=tuple(n for n in a.shape if n != 1))
    axes = axes_of(axis, len(a.shape), "squeeze")
    for i in axes:
        if a.shape[i] != 1:
            raise ShapeError(f"squeeze: axis {i} of {describe(a)} has length {a.shape[i]}. Only "
                             "axes of length 1 can go.")
    return ops.reshape(a, shape=tuple(n for i, n in enumerate(a.shape) if i not in axes))


def expand_dims(a, axis=0):
    """With new axes of length 1 at the given places of the result.

    Args:
      a: array.
      axis: integer, or several: places in the result.

    >>> import functape as ft
    >>> ft.numpy.expand_dims(ft.numpy.ones(3), (0, -1)).shape
    (1, 3, 1)
    """
    a = value(a, "expand_dims")
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = axes_of(axis, len(a.shape) + count, "expand_dims")
    lengths = iter(a.shape)
    return ops.reshape(a, shape=tuple(1 if i in axes else next(lengths)
                                      for i in range(len(a.shape) + count)))


def atleast_1d(*arrys):
    """Arrays, each with one axis or more.

    Args:
      *arrys: arrays.

    >>> import functape as ft
    >>> ft.numpy.atleast_1d(3.0)
    tensor([3.])
    """
    return each("atleast_1d", arrys, lambda s: s or (1,))


def atleast_2d(*arrys):
    """Arrays, each with two axes or more; new ones come first.

    Args:
      *arrys: arrays.

    >>> import functape as ft
    >>> ft.numpy.atleast_2d(ft.numpy.ones(3)).shape
    (1, 3)
    """
    return each("atleast_2d", arrys, lambda s: s if len(s) > 1 else (*(1,) * (2 - len(s)), *s))


def atleast_3d(*arrys):
    """Arrays, each with three axes or more.

    Args:
      *arrys: arrays.

    >>> import functape as ft
    >>> ft.numpy.atleast_3d(ft.numpy.ones((2, 3))).shape
    (2, 3, 1)
    """
    forms = {0: lambda s: (1, 1, 1), 1: lambda s: (1, *s, 1), 2: lambda s: (*s, 1)}
    return each("atleast_3d", arrys, lambda s: forms.get(len(s), lambda s: s)(s))


def each(name, arrays, shape):
    found = [ops.reshape(a, shape=shape(a.shape))
             for a in (value(a, name, i) for i, a in enumerate(arrays))]
    return found[0] if len(found) == 1 else found


# --- order of the axes --------------------------------------------------------------------------


def transpose(a, axes=None):
    """The axes in another order; without one, reversed.

    Args:
      a: array.

    >>> import functape as ft
    >>> ft.numpy.transpose(ft.numpy.ones((2, 3, 4)), (1, 2, 0)).shape
    (3, 4, 2)
    """
    a = value(a, "transpose")
    if axes is None:
        return reverse_axes(a)
    order = axes_of(axes, len(a.shape), "transpose")
    if len(order) != len(a.shape):
        raise ShapeError(f"transpose: axes {axes!r} must name each of the {len(a.shape)} axes of "
                         f"{describe(a)} once.")
    return ops.transpose(a, axes=order)


def permute_dims(a, /, axes):
    """The axes in the given order.

    Args:
      a: array.

    >>> import functape as ft
    >>> ft.numpy.permute_dims(ft.numpy.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return transpose(value(a, "permute_dims"), axes)


def matrix_transpose(x, /):
    """The last two axes exchanged.

    Args:
      x: matrices; axes before the last two are a batch.

    >>> import functape as ft
    >>> ft.numpy.matrix_transpose(ft.numpy.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    x = value(x, "matrix_transpose")
    if len(x.shape) < 2:
        raise ShapeError(f"matrix_transpose takes an array of two axes or more, but got "
                         f"{describe(x)}.")
    return swapaxes(x, -1, -2)


def swapaxes(a, axis1, axis2):
    """Two axes exchanged.

    Args:
      a: array.
      axis1, axis2: integers.

    >>> import functape as ft
    >>> ft.numpy.swapaxes(ft.numpy.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    a = value(a, "swapaxes")
    n = len(a.shape)
    i, j = axis_of(axis1, n, "swapaxes", "axis1"), axis_of(axis2, n, "swapaxes", "axis2")
    order = list(range(n))
    order[i], order[j] = j, i
    return ops.transpose(a, axes=tuple(order))


def moveaxis(a, source, destination):
    """Axes taken out, and put in at new places.

    Args:
      a: array.
      source, destination: integers, or as many of the one as of the other.

    >>> import functape as ft
    >>> ft.numpy.moveaxis(ft.numpy.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    a = value(a, "moveaxis")
    n = len(a.shape)
    sources, places = axes_of(source, n, "moveaxis"), axes_of(destination, n, "moveaxis")
    if len(sources) != len(places):
        raise ShapeError(f"moveaxis: source {source!r} and destination {destination!r} must name "
                         "equally many axes.")
    order = [i for i in range(n) if i not in sources]
    for place, i in sorted(zip(places, sources, strict=True)):
        order.insert(place, i)
    return ops.transpose(a, axes=tuple(order))


def rollaxis(a, axis, start=0):
    """An axis moved to stand before another.

    Args:
      a: array.
      start: the axis before which it comes to stand.

    >>> import functape as ft
    >>> ft.numpy.rollaxis(ft.numpy.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = value(a, "rollaxis")
    n = len(a.shape)
    axis = axis_of(axis, n, "rollaxis")
    start = n if start == n else axis_of(start, n, "rollaxis", "start")
    return moveaxis(a, axis, start - (start > axis))


# --- facts ----------------------------------------------------------------------------------------


def ndim(a):
    """The number of axes.

    Args:
      a: array.

    >>> ndim([[1, 2], [3, 4]])
    2
    """
    return len(shape(a))


def shape(a):
    """The lengths of the axes.

    Args:
      a: array.

    >>> shape(3.0)
    ()
    """
    if not hasattr(a, "shape"):
        from functape.numpy.creation import array

        a = array(a)
    return tuple(a.shape)


def size(a, axis=None):
    """The number of elements, or the length of an axis.

    Args:
      a: array.

    >>> size([[1, 2, 3], [4, 5, 6]]), size([[1, 2, 3], [4, 5, 6]], axis=1)
    (6, 3)
    """
    lengths = shape(a)
    axes = axes_of(axis, len(lengths), "size")
    return size_of(lengths[i] for i in axes)


