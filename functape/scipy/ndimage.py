"""jax.scipy.ndimage on functape values."""

import itertools

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, inexact, value
from functape.numpy.broadcasting import broadcast_arrays
from functape.numpy.creation import asarray
from functape.ops import elementwise as ops
from functape.suggest import for_names_of

__all__ = ["map_coordinates"]

__getattr__ = for_names_of(__name__)


def map_coordinates(input, coordinates, order, mode="constant", cval=0.0):  # noqa: A002
    """The values of an array at places between its elements.

    Differentiable in the array, and for order 1 in the coordinates.

    Args:
      input: array of n axes.
      coordinates: n arrays of one shape, the places along each axis.
      order: 0: the nearest element, halfway the one farther from place 0; 1: linear between
        the neighbours.
      mode: what is beyond the edges: "constant": `cval`; "nearest": the edge; "wrap": the array
        again; "mirror" and "reflect": its mirror image, the edge element once or twice.
      cval: the constant.

    >>> import functape as ft
    >>> map_coordinates(ft.numpy.array([0.0, 10.0, 20.0]), [ft.numpy.array([0.5, 1.25])], order=1)
    tensor([ 5. , 12.5])
    """
    x = value(input, "map_coordinates")
    places = [asarray(c) for c in coordinates]
    if len(places) != len(x.shape):
        raise ShapeError(f"map_coordinates: coordinates must have one array for each axis of "
                         f"{describe(x)}, but there are {len(places)}.")
    if mode not in FIXES:
        raise ArgumentError(f"map_coordinates: mode {mode!r} is unknown; choose one of "
                            f"{', '.join(FIXES)}.")
    if order not in (0, 1):
        raise ArgumentError(f"map_coordinates: order must be 0 or 1, but is {order!r}.")
    places = broadcast_arrays(*places)
    beyond = as_type(value(cval, "map_coordinates"), x.dtype)
    neighbours = [nearest(c) if order == 0 else linear(c) for c in places]
    total = None
    for corner in itertools.product(*neighbours):
        index, inside, weight = [], True, 1.0
        for (i, share), n in zip(corner, x.shape, strict=True):
            index.append(FIXES[mode](i, n))
            inside = inside & (i >= 0) & (i < n)
            weight = share * weight
        found = x[tuple(index)]
        found = ops.where(inside, found, beyond) if mode == "constant" else found
        found = found * weight
        total = found if total is None else total + found
    if dtypes.issubdtype(x.dtype, dtypes.integer):
        total = rounded(total)
    return as_type(total, x.dtype)


def nearest(c):
    return [(as_type(rounded(inexact(c)), dtypes.int32), 1.0)]


def rounded(c):
    """Halves go away from zero. Twice the fraction is exact, which c + 0.5 is not."""
    whole = ops.trunc(c)
    return whole + ops.trunc(2 * (c - whole))


def linear(c):
    c = inexact(c)
    low = ops.floor(c)
    upper = c - low
    i = as_type(low, dtypes.int32)
    return [(i, 1 - upper), (i + 1, upper)]


def mirror(i, n):
    span = max(2 * (n - 1), 1)
    i = ops.remainder(i, span)
    return ops.minimum(i, span - i) if n > 1 else i


def reflect(i, n):
    i = ops.remainder(i, 2 * n)
    return ops.minimum(i, 2 * n - 1 - i)


def clamp(i, n):
    return ops.minimum(ops.maximum(i, 0), n - 1)


FIXES = {"constant": clamp, "nearest": clamp, "wrap": ops.remainder, "mirror": mirror,
         "reflect": reflect}
