"""Reading and writing along an axis: `take` and its relatives; and the methods that index."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import keys
from functape.numpy.arguments import alike, axis_of, size_of, unsupported, value
from functape.numpy.brackets import read
from functape.numpy.creation import asarray
from functape.numpy.keys import ALL
from functape.ops import elementwise, indexing, movement

MODES = ("raise", "clip", "wrap", "fill")

# --- along an axis --------------------------------------------------------------------------------


def take(a, indices, axis=None, out=None, mode=None, unique_indices=False,
         indices_are_sorted=False, fill_value=None):
    r"""The entries of `a` at `indices` along an axis; of all elements in a row if axis is None.

    .. math:: y_{p,\,\mathbf{k},\,q} = a_{p,\,i_{\mathbf{k}},\,q}

    Args:
      a: array.
      indices: integer or array of integers; its axes take the place of `axis`.
      axis: integer or None.
      out: not supported: arrays are not written into; use the result.
      mode: what indices outside mean. None: an error where the indices are known (numbers, lists,
        NumPy arrays), and the nearest entry otherwise. ``"clip"``: the nearest entry, which for
        negative indices is the first; ``"wrap"``: around the end; ``"fill"``: `fill_value`.
      unique_indices: accepted for JAX's signature, without effect.
      indices_are_sorted: accepted for JAX's signature, without effect.
      fill_value: NaN by default, for integers their lowest number.

    Raises:
      PositionError (an IndexError): an index that is known does not exist.

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> take(array([10.0, 20.0, 30.0]), array([2, 0, 2]))
    tensor([30., 10., 30.])
    """
    unsupported("take", out=out)
    x, axis = along("take", value(a, "take"), axis)
    i = in_mode("take", indices, x.shape[axis], mode)
    mode = None if mode in ("clip", "wrap") else mode
    return read(x, (*(ALL,) * axis, i), mode, fill_value)


def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None):
    r"""One entry along an axis for each index: what `argsort` and `argmax` return, applied.

    .. math:: y_{p,k,q} = a_{p,\,i_{p,k,q},\,q}

    Args:
      arr: array.
      indices: integers, with as many axes as `arr`; axes other than `axis` broadcast.
      axis: integer; None for all elements in a row, with indices of one axis.
      mode, fill_value: as for `take`, but with "clip" too, negative indices count from the end.

    >>> import functape as ft
    >>> take_along_axis(ft.numpy.array([[3.0, 1.0], [5.0, 9.0]]), [[1], [0]], axis=1)
    tensor([[1.],
            [5.]])
    """
    x, axis = along("take_along_axis", value(arr, "take_along_axis"), axis)
    i = in_mode("take_along_axis", indices, x.shape[axis], None if mode == "clip" else mode)
    x, i = matched("take_along_axis", x, i, axis)
    if mode == "fill":
        return read(x, grid(i, axis), mode, fill_value)
    i = keys.positions(i, axis, x.shape[axis], checked=mode in (None, "raise"))
    return indexing.take_along_axis(x, keys.merge(((axis, i),), x.shape).index, axis=axis)


def put_along_axis(arr, indices, values, axis, inplace=False, *, mode=None):
    """`arr` with `values` written along an axis, one for each index.

    Args:
      arr, indices, axis: as for `take_along_axis`; what of the indices lies outside is dropped.
      values: broadcast to the shape of the indices.
      inplace: must be False: arrays are not changed in place; use the result.
      mode: what indices outside mean, as for ``x.at[...].set``.

    >>> import functape as ft
    >>> put_along_axis(ft.numpy.zeros((2, 2)), [[1], [0]], 7.0, axis=1, inplace=False)
    tensor([[0., 7.],
            [7., 0.]])
    """
    if inplace:
        raise ArgumentError("put_along_axis returns its result and does not change arr in place. "
                            "Pass inplace=False and use the result.")
    full = value(arr, "put_along_axis")
    x, axis = along("put_along_axis", full, axis)
    x, i = matched("put_along_axis", x, keys.item_of(indices), axis)
    return movement.reshape(x.at[grid(i, axis)].set(values, mode=mode), shape=full.shape)


def along(name, x, axis):
    """Array and axis; with None, all elements in a row."""
    if axis is None:
        return movement.reshape(x, shape=(size_of(x.shape),)), 0
    return x, axis_of(axis, len(x.shape), name)


def in_mode(name, indices, n, mode):
    """Indices as an array; with the modes "clip" and "wrap", brought inside."""
    if mode not in (None, *MODES):
        raise ArgumentError(f"{name}: mode {mode!r} is unknown; choose one of {', '.join(MODES)}.")
    i = np.asarray(indices) if type(indices) is int else keys.item_of(indices)
    i = np.asarray(i) if type(i) is int else i
    if not hasattr(i, "shape") or keys.is_mask(i):
        raise ArgumentError(f"{name}: indices must be integers, but got {describe(indices)}. Put "
                            "masks and slices in brackets, x[mask].")
    if mode == "wrap":
        return i % n
    if mode == "clip":
        return (np if isinstance(i, np.ndarray) else elementwise).clip(i, 0, max(n - 1, 0))
    return i


def matched(name, x, i, axis):
    """Array and indices with all axes but one broadcast to each other."""
    s, r = list(x.shape), list(i.shape)
    if len(s) == len(r):
        n, m = s[axis], r[axis]
        s[axis] = r[axis] = 1
        try:
            s = list(np.broadcast_shapes(s, r))
        except ValueError:
            r = None
    if len(s) != len(i.shape) or r is None:
        raise ShapeError(f"{name}: the indices must have the axes of the array, {describe(x)}, and "
                         f"broadcast with it except along axis {axis}, but they are "
                         f"{describe(i)}. Reshape them first.")
    before, after = s[:axis], s[axis + 1:]
    return stretched(x, (*before, n, *after)), stretched(i, (*before, m, *after))


def stretched(a, shape):
    if a.shape == shape:
        return a
    return np.broadcast_to(a, shape) if isinstance(a, np.ndarray) else movement.broadcast_to(
        a, shape=shape)


def grid(i, axis):
    """The key that reads along an axis: on the other axes, each index its own place."""
    shape = i.shape
    places = [np.arange(n).reshape((-1, *(1,) * (len(shape) - k - 1)))
              for k, n in enumerate(shape)]
    return (*places[:axis], i, *places[axis + 1:])


# --- by condition ---------------------------------------------------------------------------------


def select(condlist, choicelist, default=0):
    """Element by element, the first choice whose condition holds, or the default.

    Args:
      condlist: list of masks.
      choicelist: list of arrays, one for each mask; all broadcast.

    >>> import functape as ft
    >>> x = ft.numpy.array([-1.0, 0.5, 3.0])
    >>> select([x < 0, x > 1], [0.0, 1.0], x)
    tensor([0. , 0.5, 1. ])
    """
    if not isinstance(condlist, (list, tuple)):
        raise ArgumentError(f"select takes condlist, a list of arrays of booleans, but got "
                            f"{describe(condlist)}.")
    if len(condlist) != len(choicelist) or not condlist:
        raise ShapeError(f"select takes as many choices as conditions, and at least one, but got "
                         f"{len(condlist)} condition(s) and {len(choicelist)} choice(s).")
    *choices, out = alike([c if type(c) in dtypes.WEAK else asarray(c)
                           for c in (*choicelist, default)])
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        out = elementwise.where(asarray(condition), choice, out)
    return out


def choose(a, choices, out=None, mode="raise"):
    """Element by element, the choice that the integer in `a` names.

    Args:
      a: integers; known ones lie between 0 and the number of choices.
      choices: sequence of arrays, broadcast with `a`.
      out: not supported: arrays are not written into; use the result.
      mode: what integers outside mean: an error ("raise"), the nearest ("clip"), or around the
        end ("wrap").

    >>> from functape.numpy import array
    >>> import functape as ft
    >>> choose(array([1, 0, 1]), array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    tensor([10.,  2., 30.])
    """
    unsupported("choose", out=out)
    a = value(a, "choose")
    options = alike([c if type(c) in dtypes.WEAK else asarray(c) for c in choices])
    i = in_mode("choose", a, len(options), mode)
    shape = np.broadcast_shapes(i.shape, *[c.shape for c in options])
    table = movement.stack(*[stretched(c, shape) for c in options], axis=0)
    i = stretched(i, shape).reshape((1, *shape))
    return movement.reshape(take_along_axis(table, i, axis=0), shape=shape)
