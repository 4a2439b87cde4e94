"""jax.lax's convolutions: any order of the axes, any steps, padding, dilation and groups."""

import typing

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, common, inexact, integer
from functape.ops import conv as ops
from functape.ops.movement import inverse, transpose


class ConvDimensionNumbers(typing.NamedTuple):
    """Where the axes are: of images and results the batch, the channels and the positions; of
    filters the outputs, the inputs and the positions.

    Args:
      lhs_spec: of the images.
      rhs_spec: of the filters.
      out_spec: of the results.

    >>> conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 5), ("NHWC", "HWIO", "NHWC"))
    ConvDimensionNumbers(lhs_spec=(0, 3, 1, 2), rhs_spec=(3, 2, 0, 1), out_spec=(0, 3, 1, 2))
    """

    lhs_spec: tuple
    rhs_spec: tuple
    out_spec: tuple


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    """The places of the axes, from letters such as ``("NHWC", "HWIO", "NHWC")``; by default
    channels come second, as in ``("NCHW", "OIHW", "NCHW")``.

    Args:
      lhs_shape, rhs_shape: of the images and of the filters.
      dimension_numbers: the letters, or None.

    >>> conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 4), ("NHWC", "HWIO", "NHWC")).lhs_spec
    (0, 3, 1, 2)
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    n = len(lhs_shape)
    if len(rhs_shape) != n or n < 2:
        raise ShapeError(f"A convolution takes images and filters of as many axes, two or more, "
                         f"but their shapes are {lhs_shape} and {rhs_shape}.")
    if dimension_numbers is None:
        return ConvDimensionNumbers(*(tuple(range(n)),) * 3)
    if len(dimension_numbers) != 3 or not all(
            isinstance(s, str) and len(set(s)) == len(s) == n and set(pair) <= set(s)
            for s, pair in zip(dimension_numbers, ("NC", "OI", "NC"), strict=False)):
        raise ArgumentError(f"dimension_numbers {dimension_numbers!r} must be three strings of {n} "
                            "different letters, with N and C, O and I, and N and C, such as "
                            "('NHWC', 'HWIO', 'NHWC').")
    lhs, rhs, out = dimension_numbers
    order = [c for c in rhs if c not in "OI"]  # of the positions
    if any({c for c in s if c not in "NC"} != set(order) for s in (lhs, out)):
        raise ArgumentError(f"dimension_numbers {dimension_numbers!r} must use the same letters "
                            "for positions in all three.")
    return ConvDimensionNumbers(*(
        (s.index(first), s.index(second), *map(s.index, order))
        for s, first, second in ((lhs, "N", "C"), (rhs, "O", "I"), (out, "N", "C"))))


def conv_general_dilated(
    lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None,
    dimension_numbers=None, feature_group_count=1, batch_group_count=1, precision=None,
    preferred_element_type=None,
):
    """Filters moved over images; at each position the sum of products, an output a filter.

    Args:
      lhs: images.
      rhs: filters.
      window_strides: steps between positions, one an axis.
      padding: (before, after) for each axis, "SAME", "SAME_LOWER" or "VALID".
      lhs_dilation, rhs_dilation: distances between elements of the images and of the filters.
      dimension_numbers: where the axes are; see `conv_dimension_numbers`.
      feature_group_count: how many groups the channels are split into.
      batch_group_count: must be 1.
      precision: has no effect; accepted for JAX's sake.
      preferred_element_type: the dtype of the result.

    >>> import functape as ft
    >>> x, w = ft.numpy.arange(4.0).reshape(1, 1, 4), ft.numpy.ones((1, 1, 2))
    >>> conv_general_dilated(x, w, (1,), "VALID").reshape(-1)
    tensor([1., 3., 5.])
    """
    name = "conv_general_dilated"
    x, w = map(inexact, common(name, lhs, rhs))
    places = conv_dimension_numbers(x.shape, w.shape, dimension_numbers)
    x = transpose(x, axes=last_channels(places.lhs_spec))
    w = transpose(w, axes=last_channels(places.rhs_spec))
    n, groups = len(x.shape) - 2, integer(feature_group_count, name, "feature_group_count")
    if batch_group_count != 1:
        raise ArgumentError(f"{name}: batch_group_count is {batch_group_count!r}, but there is 1 "
                            "only. Use vmap over the groups.")
    if groups < 1 or w.shape[-1] * groups != x.shape[-1] or w.shape[0] % groups:
        raise ShapeError(f"{name}: {groups} group(s) of {w.shape[-1]} input(s) do not make "
                         f"{x.shape[-1]} channel(s), or do not divide {w.shape[0]} output(s); "
                         f"lhs is {describe(lhs)}, rhs {describe(rhs)}.")
    stride, spread, dilation = (
        per_axis(name, what, given, n) for what, given in (
            ("window_strides", window_strides), ("lhs_dilation", lhs_dilation),
            ("rhs_dilation", rhs_dilation)))
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[1:-1], dilation, strict=True)]
    padding = margins(name, padding, x.shape[1:-1], reach, stride)
    found = ops.conv(x, w, geometry=ops.Geometry(stride, padding, dilation, spread, groups))
    found = transpose(found, axes=inverse(last_channels(places.out_spec)))
    if preferred_element_type is None:
        return found
    return as_type(found, dtypes.as_dtype(preferred_element_type, name))


def last_channels(spec):
    """The axes as functape's convolution wants them: positions between the first and channels."""
    return (spec[0], *spec[2:], spec[1])


def per_axis(name, what, given, n):
    found = (1,) * n if given is None else tuple(integer(k, name, what) for k in given)
    if len(found) != n or min(found, default=1) < 1:
        raise ShapeError(f"{name}: {what} must be {n} positive integer(s), but is {given!r}.")
    return found


def margins(name, padding, lengths, reach, stride):
    """(before, after) for each axis."""
    if padding == "VALID":
        return ((0, 0),) * len(lengths)
    if padding in ("SAME", "SAME_LOWER"):
        missing = [max(0, (-(-k // s) - 1) * s + r - k)
                   for k, r, s in zip(lengths, reach, stride, strict=True)]
        more = padding == "SAME_LOWER"
        return tuple(((m + more) // 2, m - (m + more) // 2) for m in missing)
    if isinstance(padding, str) or len(padding) != len(lengths) or any(
            len(pair) != 2 for pair in padding):
        raise ArgumentError(f"{name}: padding {padding!r} must be 'SAME', 'SAME_LOWER', 'VALID', "
                            f"or {len(lengths)} pair(s) (before, after).")
    return tuple(tuple(integer(k, name, "padding") for k in pair) for pair in padding)


def conv(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None):
    """conv_general_dilated of images (N, C, ...) and filters (O, I, ...), without dilation.

    Arguments as for `conv_general_dilated`.

    >>> import functape as ft
    >>> conv(ft.numpy.ones((1, 2, 5, 5)), ft.numpy.ones((3, 2, 2, 2)), (1, 1), "SAME").shape
    (1, 3, 5, 5)
    """
    return conv_general_dilated(lhs, rhs, window_strides, padding, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                              precision=None, preferred_element_type=None):
    """conv_general_dilated of images (N, C, ...) and filters (O, I, ...).

    Arguments as for `conv_general_dilated`.

    >>> import functape as ft
    >>> x, w = ft.numpy.ones((1, 2, 5)), ft.numpy.ones((3, 2, 2))
    >>> conv_with_general_padding(x, w, (1,), [(1, 1)], None, (2,)).shape
    (1, 3, 5)
    """
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                                precision=precision, preferred_element_type=preferred_element_type)
