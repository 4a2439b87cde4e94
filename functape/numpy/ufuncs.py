"""What functions of each element do beyond their call, as NumPy's ufuncs: ``add.reduce(x)``.

Ops that functape.numpy has as they are get these methods, and so do the functions that
`frompyfunc` makes. All are made of ops, and differentiable where the function is.
"""

import math
import types

import numpy as np

from functape.dtypes import int32, integer, issubdtype
from functape.errors import ArgumentError, ConcretizationError, ShapeError, describe
from functape.numpy import extremes, keys, reductions, running
from functape.numpy.arguments import as_type, axes_of, axis_of, beside, unsupported, value
from functape.numpy.calls import vectorize
from functape.numpy.creation import asarray
from functape.numpy.reductions import converted, masked
from functape.numpy.shapes import moveaxis
from functape.op import NUMBERS
from functape.ops import elementwise as ops
from functape.ops import families, indexing, movement
from functape.ops.movement import along
from functape.tensor import constant

REDUCTIONS = {
    families.add: reductions.sum, families.multiply: reductions.prod, ops.maximum: extremes.max,
    ops.minimum: extremes.min, ops.logical_and: reductions.all, ops.logical_or: reductions.any,
}
ACCUMULATIONS = {families.add: running.cumsum, families.multiply: running.cumprod}
IDENTITIES = {
    families.add: 0, families.multiply: 1, ops.logical_and: True, ops.logical_or: False,
    ops.logical_xor: False, ops.bitwise_and: -1, ops.bitwise_or: 0, ops.bitwise_xor: 0,
    ops.logaddexp: -math.inf, ops.hypot: 0.0,
}
ASSOCIATIVE = {*REDUCTIONS, *IDENTITIES}
WRITERS = {
    families.add: "add", ops.subtract: "subtract", families.multiply: "multiply",
    ops.divide: "divide", ops.power: "power", ops.maximum: "max", ops.minimum: "min",
}
LOGICAL = (ops.logical_and, ops.logical_or, ops.logical_xor)


class ufunc:  # noqa: N801 - NumPy's name
    """A function of nin scalars with nout results, as one of arrays that broadcast; its methods
    apply it along an axis, to all pairs and at positions.

    Args:
      func: function of scalars.
      identity: what `reduce` gives where there are no elements.

    >>> import functape as ft
    >>> product = ft.numpy.frompyfunc(lambda x, y: x * y, 2, 1, identity=1)
    >>> product([1.0, 2.0], 3.0), product.reduce(ft.numpy.array([1.0, 2.0, 4.0]))
    (tensor([3., 6.]), tensor(8.))
    """

    def __init__(self, func, nin, nout, identity=None):
        self.__name__ = getattr(func, "__name__", "ufunc")
        self.__doc__ = func.__doc__
        self.function, self.nin, self.nout, self.identity = vectorize(func), nin, nout, identity

    def __call__(self, *args):
        if len(args) != self.nin:
            raise ArgumentError(f"frompyfunc: the function takes {self.nin} array(s), but got "
                                f"{len(args)}.")
        return self.function(*args)

    @property
    def nargs(self):
        """Arguments and results together."""
        return self.nin + self.nout

    def reduce(self, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
        """The function of all elements along an axis, from the first to the last.

        Args:
          a: array.
          axis: an axis, several, or None: all.
          dtype: convert to it first.
          keepdims: keep the reduced axes, with length 1.
          initial: what to start with.
          where: a mask of the elements that count.
        """
        name = named(self, "reduce", 2)
        unsupported(name, out=out)
        x = prepared(self, "reduce", a, dtype)
        options = {} if initial is None else {"initial": initial}
        if self in REDUCTIONS and not (options and self in LOGICAL):
            options |= {"dtype": dtype} if self in ACCUMULATIONS else {}
            return REDUCTIONS[self](x, axis=axis, keepdims=keepdims, where=where, **options)
        axes = axes_of(axis, len(x.shape), name)
        shape = x.shape
        if where is not None:
            if self.identity is None:
                raise ArgumentError(f"{name}: the function has no identity to put where the mask "
                                    "is False. Put a value of your own there, numpy.where.")
            x = masked(name, x, where, self.identity)
        start = self.identity if initial is None else initial
        found = fold(self, reductions.one_axis(x, axes), start)
        if initial is not None:
            found = self(initial, found)
        return families.keep(found, shape, axes) if keepdims else found

    def accumulate(self, a, axis=0, dtype=None, out=None):
        """The function of all elements up to each, along an axis."""
        unsupported(named(self, "accumulate", 2), out=out)
        known = ACCUMULATIONS.get(self)
        if known is not None:
            return known(a, axis=axis, dtype=dtype)
        x = prepared(self, "accumulate", a, dtype)
        axis = axis_of(axis, len(x.shape), f"{self.__name__}.accumulate")
        return moveaxis(scan(self, moveaxis(x, axis, 0)), 0, axis)

    def outer(self, A, B, /):  # noqa: N803 - NumPy's names
        """The function of each element of A with each of B: shape A.shape + B.shape."""
        name = named(self, "outer", 2)
        x = A if isinstance(A, NUMBERS) else value(A, name)
        y = beside(B, x, name, 1)
        x = beside(x, y, name)
        return self(movement.reshape(x, shape=(*x.shape, *(1,) * len(y.shape))), y)

    def reduceat(self, a, indices, axis=0, dtype=None, out=None):
        """The function of the elements from each index to the next, along an axis; one element
        where the next index is not larger."""
        unsupported(named(self, "reduceat", 2), out=out)
        x, starts = value(a, "reduceat"), asarray(indices)
        if len(starts.shape) != 1 or not issubdtype(starts.dtype, integer):
            raise ArgumentError(f"{self.__name__}.reduceat: indices must be a sequence of "
                                f"integers, but are {describe(indices)}.")
        axis = axis_of(axis, len(x.shape), f"{self.__name__}.reduceat")
        n = x.shape[axis]
        try:
            starts = keys.concrete(starts, "reduceat", "")
        except ConcretizationError:
            return moveaxis(in_windows(self, moveaxis(x, axis, 0), starts, dtype), 0, axis)
        if starts.size and not 0 <= starts.min() <= starts.max() < n:
            raise ShapeError(f"{self.__name__}.reduceat: indices must lie in 0 to {n - 1}, but are "
                             f"{starts.tolist()}.")
        ends = [*starts[1:].tolist(), n]
        parts = [movement.cut(x, index=along(axis, slice(i, max(j, i + 1))))
                 for i, j in zip(starts.tolist(), ends, strict=True)]
        return movement.stack(*[self.reduce(p, axis, dtype) for p in parts], axis=axis)

    def at(self, a, indices, b=None, /, *, inplace=True):
        """A copy of `a` with the function applied at positions; where one repeats, repeatedly.

        Args:
          a, indices: an array and a key, as in ``a[indices]``.
          b: the second argument, of a function of two.
          inplace: must be False: arrays are not changed; use the result.
        """
        if inplace:
            raise ArgumentError(f"{self.__name__}.at returns a changed copy and leaves the array "
                                "as it is. Say so with inplace=False, and use the result.")
        place = value(a, f"{self.__name__}.at").at[indices]
        if self.nin == 1:
            return place.apply(self)
        if self not in WRITERS:
            raise ArgumentError(f"{self.__name__}.at is not defined. There are "
                                f"{', '.join(sorted(op.__name__ for op in WRITERS))}.")
        return getattr(place, WRITERS[self])(b)


def named(self, method, nin):
    """The method's name for messages; it must be a function of so many arguments."""
    if (self.nin, self.nout) != (nin, 1):
        raise ArgumentError(f"{self.__name__}.{method} is not defined: it needs a function of "
                            f"{nin} arguments with one result.")
    return f"{self.__name__}.{method}"


def prepared(self, method, a, dtype):
    x = converted(named(self, method, 2), a, dtype)
    return ops.not_equal(x, 0) if self in LOGICAL and dtype is None else x


def part(x, start, stop, axis):
    return movement.cut(x, index=along(axis, slice(start, stop)))


def in_windows(f, x, starts, dtype):
    """`reduceat` along the first axis, where the indices are unknown: of all that follows each of
    them the running result, and of this the last that counts."""
    n, m = x.shape[0], starts.shape[0]
    starts = ops.clip(as_type(starts, int32), 0, n - 1)
    ends = movement.concatenate(part(starts, 1, None, 0), constant(np.full(1, n, np.int32)), axis=0)
    after = movement.reshape(starts, shape=(m, 1)) + constant(np.arange(n, dtype=np.int32))
    windows = indexing.take(x, ops.minimum(after, n - 1), axis=0)
    found = f.accumulate(windows, 1, dtype)
    last = ops.maximum(ends - starts - 1, 0) + constant(n * np.arange(m, dtype=np.int32))
    return indexing.take(movement.reshape(found, shape=(m * n, *x.shape[1:])), last, axis=0)


def fold(f, x, start):
    """f of all elements of the last axis; by halves where the order of application is free."""
    axis = len(x.shape) - 1
    if not x.shape[axis]:
        if start is None:
            raise ShapeError(f"{f.__name__}.reduce of no elements has no value: the function has "
                             "no identity. Say what to start with: initial=.")
        shape = x.shape[:-1]
        return families.broadcast_to(as_type(value(start, f.__name__), x.dtype), shape=shape)
    while f in ASSOCIATIVE and x.shape[axis] > 1:
        half, odd = divmod(x.shape[axis], 2)
        pairs = f(part(x, 0, half, axis), part(x, half, 2 * half, axis))
        rest = [part(x, 2 * half, None, axis)] if odd else []
        x = movement.concatenate(pairs, *rest, axis=axis) if rest else pairs
    found = movement.cut(x, index=along(axis, 0))
    for i in range(1, x.shape[axis]):
        found = f(found, movement.cut(x, index=along(axis, i)))
    return found


def scan(f, x):
    """f of all elements up to each, along the first axis; in log2(n) steps where f may be
    applied in any order."""
    n = x.shape[0]
    if f in ASSOCIATIVE:
        step = 1
        while step < n:
            later = f(part(x, 0, n - step, 0), part(x, step, n, 0))
            x = movement.concatenate(part(x, 0, step, 0), later, axis=0)
            step *= 2
        return x
    rows = [movement.cut(x, index=(i,)) for i in range(n)]
    for i in range(1, n):
        rows[i] = f(rows[i - 1], rows[i])
    return movement.stack(*rows, axis=0) if rows else x


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A function of nin scalars with nout results, as a ufunc, which broadcasts.

    Args:
      func: function of scalars.
      identity: what `reduce` gives where there are no elements.

    >>> f = frompyfunc(lambda x, y: x * y, 2, 1)
    >>> f([1.0, 2.0], 3.0)
    tensor([3., 6.])
    """
    if not callable(func):
        raise ArgumentError(f"frompyfunc takes a function, but got {describe(func)}.")
    return ufunc(func, nin, nout, identity)


def equip(op):
    """Give an op the methods and facts of a ufunc."""
    facts = {"nin": len(op.args), "nout": 1, "nargs": len(op.args) + 1,
             "identity": IDENTITIES.get(op)}
    for name, fact in facts.items():
        setattr(op, name, fact)
    for name in ("reduce", "accumulate", "outer", "reduceat", "at"):
        setattr(op, name, types.MethodType(getattr(ufunc, name), op))
