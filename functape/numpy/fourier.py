"""Arguments of Fourier transforms, brought into the form that ops take."""

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, axes_of, axis_of, inexact, integer, value
from functape.ops import fft as ops
from functape.ops.movement import along, cut, place
from functape.pairs import is_complex


def transform(name, op, a, n, axis, norm):
    x = value(a, name)
    axis = axis_of(axis, len(x.shape), name)
    return apply(name, op, x, None if n is None else (n,), (axis,), norm)


def transforms(name, op, a, s, axes, norm):
    x = value(a, name)
    return apply(name, op, x, *lengths_and_axes(name, x, s, axes), norm)


def apply(name, op, x, lengths, axes, norm):
    norm = norm_of(name, norm)
    x = resized(name, x, lengths or tuple(x.shape[a] for a in axes), axes)
    return op(single(x), axes=axes, norm=norm) if axes else as_type(x, complex_of(x))


def inverse_real(name, x, lengths, axes, norm):
    """Fill up or cut to half of the frequencies of a real result."""
    if not axes:
        raise ShapeError(f"{name} needs an axis to transform, but got none.")
    if lengths is None:
        lengths = (*(x.shape[a] for a in axes[:-1]), 2 * (x.shape[axes[-1]] - 1))
    n = integer(lengths[-1], name, "a length")
    x = resized(name, x, (*lengths[:-1], n // 2 + 1 if n > 0 else n), axes)
    return ops.irfft(as_type(x, complex_of(x)), axes=axes, n=n, norm=norm_of(name, norm))


def lengths_and_axes(name, x, s, axes):
    """The lengths (None: as they are) and the axes as non-negative integers, in their order."""
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    found = axes_of(axes, len(x.shape), name)
    if s is not None and len(s) != len(found):
        raise ShapeError(f"{name}: s has {len(s)} length(s) for {len(found)} axes. Give one for "
                         "each.")
    return (None if s is None else tuple(s)), found


def resized(name, x, lengths, axes):
    """Cut or fill up with zeros along axes."""
    for n, axis in zip(lengths, axes, strict=True):
        n, old = integer(n, name, "a length"), x.shape[axis]
        if n < 1:
            raise ShapeError(f"{name}: axis {axis} of {describe(x)} would be transformed with "
                             f"length {n}. Lengths are 1 or more.")
        if n < old:
            x = cut(x, index=along(axis, slice(0, n)))
        elif n > old:
            shape = (*x.shape[:axis], n, *x.shape[axis + 1:])
            x = place(x, index=along(axis, slice(0, old)), shape=shape)
    return x


def complex_of(x):
    """The dtype of a transform."""
    return dtypes.result_type(x, dtypes.complex64)


def single(x):
    """The precisions that are transformed: single and double."""
    x = inexact(x)
    return as_type(x, dtypes.float32) if x.dtype.size == 2 else x


def real_only(name, a):
    x = value(a, name)
    if is_complex(x):
        raise ArgumentError(f"{name} takes real arrays, but got {describe(x)}. Use "
                            f"{name.replace('r', '', 1)}, or take its real part.")
    return x


def norm_of(name, norm):
    norm = "backward" if norm is None else norm
    if norm not in ops.OPPOSITE:
        raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', but is "
                            f"{norm!r}.")
    return norm


def pair(name, axes):
    if len(axes) != 2:
        raise ShapeError(f"{name} takes two axes, but got {axes!r}. Use the function that ends "
                         "in n for another number of axes.")
    return axes
