"""Means, variances and standard deviations over axes."""


from functape.dtypes import PARTS
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, axes_of, floats, inexact, unsupported, value
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.reductions import converted, masked, sum
from functape.ops import elementwise, families, movement
from functape.ops import reductions as ops
from functape.pairs import is_complex


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    """Mean over axes; integers as float32.

    Args:
      a: array.
      axis: integer, several, or None for all.
      dtype: convert to it first.
      out: not supported: arrays are not written into; use the result.
      keepdims: keep the reduced axes, with length 1.
      where: a mask that broadcasts: the elements that count.

    >>> import functape as ft
    >>> ft.numpy.mean(ft.numpy.array([1, 2, 4, 5]))
    tensor(3.)
    """
    unsupported("mean", out=out)
    a = inexact(converted("mean", a, dtype))
    if where is not None:
        count = counted(a, where, axis, keepdims)
        return sum(masked("mean", a, where, 0), axis, keepdims=keepdims) / count
    return ops.mean(a, axis=axes_of(axis, len(a.shape), "mean"), keepdims=keepdims)


def counted(a, where, axis, keepdims):
    """How many elements a mask lets count, in the dtype of `a`."""
    mask = broadcast_to(value(where, "where"), a.shape)
    return sum(mask, axis, real_of(a), keepdims=keepdims)


def real_of(a):
    return PARTS.get(a.dtype, a.dtype)


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """Mean over axes, weighted.

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      weights: in the shape of `a`, or of one axis of it.
      returned: also return the sum of the weights.
      keepdims: keep the reduced axes, with length 1.

    >>> import functape as ft
    >>> ft.numpy.average(ft.numpy.array([1.0, 5.0]), weights=ft.numpy.array([3.0, 1.0]))
    tensor(2.)
    """
    a, w = (*floats("average", a), None) if weights is None else floats("average", a, weights)
    axes = axes_of(axis, len(a.shape), "average")
    if w is None:
        found = mean(a, axis, keepdims=keepdims)
        count = families.count_of(a.shape, axes)
        return (found, broadcast_to(as_type(value(count, "average"), found.dtype), found.shape)
                ) if returned else found
    w = weights_for("average", a, w, axis)
    total = sum(w, axis, keepdims=keepdims)
    found = sum(a * w, axis, keepdims=keepdims) / total
    return (found, broadcast_to(total, found.shape)) if returned else found


def weights_for(name, a, w, axis):
    """Weights along some axes, in line with these."""
    if w.shape == a.shape:
        return w
    axes = axes_of(axis, len(a.shape), name)
    if axis is None or w.shape != tuple(a.shape[i] for i in axes):
        raise ShapeError(f"{name}: weights are {describe(w)}, but the array is {describe(a)}. "
                         "They must have its shape, or that of the axes to reduce.")
    if axes != tuple(sorted(axes)):
        w = movement.transpose(w, axes=tuple(sorted(range(len(axes)), key=axes.__getitem__)))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
    return broadcast_to(movement.reshape(w, shape=shape), a.shape)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None,
        correction=None):
    r"""Variance over axes; of complex numbers, of their distance to the mean.

    .. math:: \frac{1}{n - \mathrm{ddof}} \sum_i |a_i - \bar a|^2

    Args:
      a: the array.
      axis: an axis, several, or None: all.
      dtype: convert to it first.
      out: not supported.
      ddof: what is subtracted from the number of elements.
      keepdims: keep the reduced axes, with length 1.
      where: a mask of the elements that count.
      mean: the mean, if it is known, with the reduced axes kept.
      correction: another name of ddof.

    >>> import functape as ft
    >>> ft.numpy.var(ft.numpy.array([1.0, 2.0, 3.0]), ddof=1)
    tensor(1.)
    """
    unsupported("var", out=out)
    ddof = ddof if correction is None else correction
    return variance("var", a, axis, dtype, ddof, keepdims, where, mean)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None,
        correction=None):
    """Standard deviation over axes: the root of var. Arguments as for `var`.

    Where it is 0, its derivative is taken as 0.

    >>> import functape as ft
    >>> ft.numpy.std(ft.numpy.array([1.0, 2.0, 3.0]), ddof=1)
    tensor(1.)
    """
    unsupported("std", out=out)
    ddof = ddof if correction is None else correction
    x = inexact(converted("std", a, dtype))
    if where is None and mean is None and isinstance(ddof, int) and not is_complex(x):
        return ops.deviation(x, axis=axes_of(axis, len(x.shape), "std"), keepdims=keepdims,
                             ddof=ddof)
    return root(variance("std", x, axis, None, ddof, keepdims, where, mean))


def root(variance):
    """The square root; where it is 0, its slope is taken as 0."""
    none = elementwise.equal(variance, 0)
    safe = elementwise.sqrt(elementwise.where(none, 1.0, variance))
    return elementwise.where(none, 0.0, safe)


def variance(name, a, axis, dtype, ddof, keepdims, where, centre):
    if isinstance(ddof, str):
        raise ArgumentError(f"{name}: ddof is a number, taken off the count, but is {ddof!r}.")
    a = inexact(converted(name, a, dtype))
    axes = axes_of(axis, len(a.shape), name)
    if where is None and centre is None and isinstance(ddof, int) and not is_complex(a):
        return ops.variance(a, axis=axes, keepdims=keepdims, ddof=ddof)
    if centre is None:
        centre = mean(a, axes, keepdims=True, where=where)
    squares = squared_size(a - centre)
    if where is None:
        count = families.count_of(a.shape, axes)
    else:
        count = counted(a, where, axes, keepdims)
        squares = masked(name, squares, where, 0)
    return sum(squares, axes, keepdims=keepdims) / (count - ddof)


def squared_size(z):
    """|z|^2, real."""
    if not is_complex(z):
        return elementwise.square(z)
    return elementwise.square(elementwise.real(z)) + elementwise.square(elementwise.imag(z))
