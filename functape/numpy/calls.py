"""Functions of scalars and vectors, mapped over arrays by vmap."""

import functools
import re

import numpy as np

from functape.errors import ArgumentError, RangeError, ShapeError, check_callable, describe
from functape.numpy.arguments import axis_of, shape_of, value
from functape.numpy.creation import asarray
from functape.numpy.sequences import arange
from functape.numpy.shapes import expand_dims
from functape.ops import movement


def vmap(f, in_axes=0, out_axes=0):
    from functape.transforms.vmap import vmap as mapped  # it stands above this package

    return mapped(f, in_axes=in_axes, out_axes=out_axes)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors, applied to each vector along an axis.

    What it returns takes the place of that axis.

    Args:
      func1d: function of a vector.
      arr: array.
      *args, **kwargs: further arguments of it.

    >>> import functape as ft
    >>> apply_along_axis(ft.numpy.sum, 0, ft.numpy.ones((2, 3)))
    tensor([2., 2., 2.])
    """
    check_callable("apply_along_axis", func1d)
    x = value(arr, "apply_along_axis", 2)
    axis = axis_of(axis, len(x.shape), "apply_along_axis")

    def f(vector):
        return asarray(func1d(vector, *args, **kwargs))

    for k in range(1, len(x.shape) - axis):
        f = vmap(f, k, -1)
    for _ in range(axis):
        f = vmap(f)
    return f(x)


def apply_over_axes(func, a, axes):
    """A reduction ``func(a, axis)``, applied along one axis after the other; they stay, length 1.

    Args:
      axes: integer, or several.

    >>> import functape as ft
    >>> apply_over_axes(ft.numpy.sum, ft.numpy.ones((2, 3)), (0, 1))
    tensor([[6.]])
    """
    check_callable("apply_over_axes", func)
    x = value(a, "apply_over_axes", 1)
    for k in (axes,) if isinstance(axes, int) else axes:
        k = axis_of(k, len(x.shape), "apply_over_axes")
        found = asarray(func(x, k))
        if len(found.shape) == len(x.shape) - 1:
            found = expand_dims(found, k)
        if len(found.shape) != len(x.shape):
            raise ShapeError(f"apply_over_axes: the function must keep the axes or drop the one it "
                             f"reduces, but made {describe(found)} of {describe(x)}.")
        x = found
    return x


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """An array whose elements are a function of their coordinates.

    Args:
      function: takes one scalar an axis.
      shape: the shape.
      dtype: of the coordinates.
      **kwargs: further arguments of it.

    >>> fromfunction(lambda i, j: 10 * i + j, (2, 2), dtype=int)
    tensor([[ 0,  1],
            [10, 11]], dtype=int32)
    """
    check_callable("fromfunction", function)
    shape = shape_of(shape, "fromfunction")
    f = functools.partial(function, **kwargs)
    for k in reversed(range(len(shape))):
        f = vmap(f, tuple(0 if k == j else None for j in range(len(shape))))
    return f(*[arange(n, dtype=dtype) for n in shape])


# --- vectorize ------------------------------------------------------------------------------------


def vectorize(pyfunc, *, excluded=frozenset(), signature=None):
    """A function of scalars, or of arrays with the axes in `signature`, that broadcasts.

    Args:
      pyfunc: function of arrays.
      excluded: positions and names of arguments that are handed over as they are.
      signature: such as "(m,n),(n)->(m)"; all scalars if None.

    >>> import functape as ft
    >>> f = vectorize(ft.numpy.dot, signature="(n),(n)->()")
    >>> f(ft.numpy.ones((2, 3)), ft.numpy.ones(3))
    tensor([3., 3.])
    """
    core = None if signature is None else parsed(signature)

    @functools.wraps(pyfunc)
    def wrapped(*args, **kwargs):
        fixed = {k for k in range(len(args)) if k in excluded or args[k] is None}
        names = {n: a for n, a in kwargs.items() if n not in excluded and a is not None}
        moving = [k for k in range(len(args)) if k not in fixed]
        arrays = [asarray(args[k]) for k in moving] + [asarray(a) for a in names.values()]

        def f(*values):
            full = list(args)
            for k, v in zip(moving, values, strict=False):
                full[k] = v
            named = dict(zip(names, values[len(moving):], strict=True))
            out = pyfunc(*full, **{**kwargs, **named})
            return checked(out, core, values)

        dims = [()] * len(arrays) if core is None else core[0]
        if len(dims) != len(arrays):
            raise ArgumentError(f"vectorize: the signature {signature!r} has {len(dims)} "
                                f"argument(s), but {len(arrays)} were given.")
        return broadcasting(f, arrays, dims)

    return wrapped


def parsed(signature):
    """The axes that each argument and each result has, by name."""
    sides = signature.replace(" ", "").split("->")
    if len(sides) != 2 or not all(re.fullmatch(r"(\([\w,]*\)(,|$))*", s) for s in sides):
        raise RangeError(f"vectorize: the signature {signature!r} is not understood. Write "
                         "the axes of arguments and results, such as '(m,n),(n)->(m)'.")
    return [[tuple(n for n in part.split(",") if n) for part in re.findall(r"\(([\w,]*)\)", side)]
            for side in sides]


def checked(out, core, values):
    """Results whose axes are those of the signature."""
    several = isinstance(out, (tuple, list))
    found = [asarray(o) for o in (out if several else (out,))]
    wanted = [()] * len(found) if core is None else core[1]
    known = {}
    if core is not None:
        for names, v in zip(core[0], values, strict=True):
            known.update(zip(names, v.shape, strict=True))
    fits = len(wanted) == len(found) and all(
        len(names) == len(o.shape)
        and all(known.setdefault(n, m) == m for n, m in zip(names, o.shape, strict=True))
        for names, o in zip(wanted, found, strict=True))
    if not fits:
        raise ShapeError(f"vectorize: the function must return arrays with the axes {wanted}, but "
                         f"returned {', '.join(map(describe, found))}.")
    return tuple(found) if several else found[0]


def broadcasting(f, arrays, dims):
    """Map f over the axes in front of each array's own."""
    fronts = []
    for a, names in zip(arrays, dims, strict=True):
        if len(a.shape) < len(names):
            raise ShapeError(f"vectorize: {describe(a)} lacks axes; the signature asks for "
                             f"{len(names)}.")
        fronts.append(a.shape[:len(a.shape) - len(names)])
    try:
        shape = np.broadcast_shapes(*fronts)
    except ValueError as error:
        raise ShapeError(f"vectorize: the shapes {', '.join(map(str, fronts))} do not "
                         "broadcast.") from error
    # Axes of length 1 that broadcast are dropped; those that are mapped come in one after another.
    axes = []
    for k, (a, front) in enumerate(zip(arrays, fronts, strict=True)):
        lead = len(shape) - len(front)
        mapped = [False] * lead + [n == m for n, m in zip(front, shape[lead:], strict=True)]
        kept = [n for n, m in zip(front, mapped[lead:], strict=True) if m]
        arrays[k] = movement.reshape(a, shape=(*kept, *a.shape[len(front):]))
        axes.append(mapped)
    for j in reversed(range(len(shape))):
        in_axes = tuple(0 if mapped[j] else None for mapped in axes)
        f = vmap(f, in_axes)
    return f(*arrays)
