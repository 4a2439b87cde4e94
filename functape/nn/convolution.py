"""Convolutions with MLX's layout: images (N, ..., I), filters (O, ..., I / groups), channels last.
"""

from functape.errors import ArgumentError, ShapeError, describe
from functape.nn.activations import floating
from functape.numpy.arguments import integer
from functape.ops import conv as ops
from functape.ops import movement
from functape.ops.conv import Geometry
from functape.ops.movement import cut


def conv(x, w, stride=1, padding=0, dilation=1, groups=1, *, input_dilation=1, flip=False):
    r"""Filters moved over images; at each position the sum of products, an output a filter.

    .. math:: y_{n, p, o} = \sum_{k, i} x_{n,\; s p + d k,\; i}\, w_{o, k, i}

    Args:
      x: images (N, ..., I), with one axis or more for positions.
      w: filters (O, ..., I / groups), with as many.
      stride: steps between positions; a number, or one an axis.
      padding: zeros around the images: a number, one an axis, (before, after) for each axis,
        "VALID" (none) or "SAME" (the result has a position for each stride).
      dilation: distances between the elements of the filters.
      groups: how many groups the channels are split into; each has its own filters.
      input_dilation: distances between the elements of the images.
      flip: turn the filters around, as in a mathematical convolution.

    Returns:
      (N, ..., O).

    >>> import functape as ft
    >>> x = ft.numpy.arange(5.0).reshape(1, 5, 1)
    >>> ft.nn.conv(x, ft.numpy.array([1.0, -1.0]).reshape(1, 2, 1)).reshape(-1)
    tensor([-1., -1., -1., -1.])
    """
    return convolve("conv", x, w, stride, padding, dilation, groups, input_dilation, flip)


def conv1d(x, w, stride=1, padding=0, dilation=1, groups=1):
    """conv along one axis: x (N, L, I), w (O, K, I / groups).

    Arguments as for `conv`.

    >>> import functape as ft
    >>> ft.nn.conv1d(ft.numpy.ones((1, 5, 2)), ft.numpy.ones((3, 2, 2))).shape
    (1, 4, 3)
    """
    return convolve("conv1d", x, w, stride, padding, dilation, groups, ndim=1)


def conv2d(x, w, stride=1, padding=0, dilation=1, groups=1):
    """conv along two axes: x (N, H, W, I), w (O, KH, KW, I / groups).

    Arguments as for `conv`.

    >>> import functape as ft
    >>> ft.nn.conv2d(ft.numpy.ones((1, 8, 8, 2)), ft.numpy.ones((4, 3, 3, 2)), 2, 1).shape
    (1, 4, 4, 4)
    """
    return convolve("conv2d", x, w, stride, padding, dilation, groups, ndim=2)


def conv3d(x, w, stride=1, padding=0, dilation=1, groups=1):
    """conv along three axes: x (N, D, H, W, I), w (O, KD, KH, KW, I / groups).

    Arguments as for `conv`.

    >>> import functape as ft
    >>> ft.nn.conv3d(ft.numpy.ones((1, 4, 4, 4, 1)), ft.numpy.ones((2, 3, 3, 3, 1))).shape
    (1, 2, 2, 2, 2)
    """
    return convolve("conv3d", x, w, stride, padding, dilation, groups, ndim=3)


def convolve(name, x, w, stride, padding, dilation, groups, input_dilation=1, flip=False,
             ndim=None):
    x, w = operands(name, x, w, ndim)
    n = len(x.shape) - 2
    groups = integer(groups, name, "groups")
    if groups < 1 or w.shape[-1] * groups != x.shape[-1] or w.shape[0] % groups:
        raise ShapeError(f"{name} in {groups} group(s) takes filters (O, ..., I / groups) for "
                         f"images (N, ..., I), with O divisible by groups, but the images are "
                         f"{describe(x)} and the filters {describe(w)}.")
    steps, dilation = per_axis(name, stride, n, "stride"), per_axis(name, dilation, n, "dilation")
    spread = per_axis(name, input_dilation, n, "input_dilation")
    lengths = [max(0, (k - 1) * i + 1) for k, i in zip(x.shape[1:-1], spread, strict=True)]
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[1:-1], dilation, strict=True)]
    padding = margins(name, padding, lengths, reach, steps)
    for length, r, margin in zip(lengths, reach, padding, strict=True):
        if length + sum(margin) < r:
            raise ShapeError(f"{name}: filters {describe(w)} reach over {r} elements, but images "
                             f"{describe(x)} have {length + sum(margin)}, padding included. Pad "
                             "more, or use smaller filters.")
    if flip:
        w = cut(w, index=(slice(None), *(slice(None, None, -1),) * n))
    return ops.conv(x, w, geometry=Geometry(steps, padding, dilation, spread, groups))


def operands(name, x, w, ndim):
    x, w = floating(x, name), floating(w, name)
    fewest = 3 if ndim is None else ndim + 2
    if len(x.shape) < fewest or (ndim and len(x.shape) != fewest) or len(w.shape) != len(x.shape):
        raise ShapeError(f"{name} takes images (N, positions..., I) and filters (O, window..., I) "
                         f"of {fewest if ndim else '3 or more'} axes each, but got {describe(x)} "
                         f"and {describe(w)}.")
    return x, w


def per_axis(name, given, n, what, least=1):
    """A number for each axis, from one for all or a sequence."""
    numbers = tuple(given) if isinstance(given, (tuple, list)) else (given,) * n
    numbers = tuple(integer(k, name, what) for k in numbers)
    if len(numbers) != n or min(numbers, default=least) < least:
        raise ShapeError(f"{name}: {what} must be a number, or {n} of them, of {least} or more, "
                         f"but is {given!r}.")
    return numbers


def margins(name, padding, lengths, reach, stride):
    """(before, after) for each axis."""
    n = len(lengths)
    if isinstance(padding, str):
        kind = padding.upper()
        if kind == "VALID":
            return ((0, 0),) * n
        if kind != "SAME":
            raise ArgumentError(f"{name}: padding is {padding!r}, but as a word it must be 'SAME' "
                                "or 'VALID'.")
        missing = [max(0, (-(-k // s) - 1) * s + r - k)
                   for k, r, s in zip(lengths, reach, stride, strict=True)]
        return tuple((m // 2, m - m // 2) for m in missing)
    if isinstance(padding, (tuple, list)) and all(isinstance(p, (tuple, list)) for p in padding):
        pairs = tuple(tuple(integer(k, name, "padding") for k in p) for p in padding)
        if len(pairs) == n and all(len(p) == 2 for p in pairs):
            return pairs
        raise ShapeError(f"{name}: padding {padding!r} must have a pair (before, after) for each "
                         f"of {n} axes.")
    return tuple((k, k) for k in per_axis(name, padding, n, "padding", least=0))


# --- transposed -----------------------------------------------------------------------------------


def conv_transpose(x, w, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """What a convolution with the same arguments makes of images, made back into images: each
    entry of x adds its filter, times itself, to the result.

    Args:
      x: (N, ..., I).
      w: filters (O, ..., I / groups).
      stride: steps between the places to which neighbours in x add.
      padding: how much of the result to leave out at its ends; a number, one an axis, or
        (before, after) for each axis.
      dilation: distances between the elements of the filters.
      output_padding: entries added after the result; less than the stride.
      groups: how many groups the channels are split into.

    Returns:
      (N, ..., O).

    >>> import functape as ft
    >>> x = ft.numpy.array([1.0, 2.0]).reshape(1, 2, 1)
    >>> ft.nn.conv_transpose(x, ft.numpy.ones((1, 2, 1)), stride=2).reshape(-1)
    tensor([1., 1., 2., 2.])
    """
    return transposed("conv_transpose", x, w, stride, padding, dilation, output_padding, groups)


def conv_transpose1d(x, w, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """conv_transpose along one axis: x (N, L, I), w (O, K, I / groups).

    Arguments as for `conv_transpose`.

    >>> import functape as ft
    >>> ft.nn.conv_transpose1d(ft.numpy.ones((1, 4, 2)), ft.numpy.ones((3, 2, 2)), 2).shape
    (1, 8, 3)
    """
    return transposed("conv_transpose1d", x, w, stride, padding, dilation, output_padding, groups,
                      1)


def conv_transpose2d(x, w, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """conv_transpose along two axes: x (N, H, W, I), w (O, KH, KW, I / groups).

    Arguments as for `conv_transpose`.

    >>> import functape as ft
    >>> ft.nn.conv_transpose2d(ft.numpy.ones((1, 4, 4, 2)), ft.numpy.ones((3, 2, 2, 2)), 2).shape
    (1, 8, 8, 3)
    """
    return transposed("conv_transpose2d", x, w, stride, padding, dilation, output_padding, groups,
                      2)


def conv_transpose3d(x, w, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """conv_transpose along three axes: x (N, D, H, W, I), w (O, KD, KH, KW, I / groups).

    Arguments as for `conv_transpose`.

    >>> import functape as ft
    >>> ft.nn.conv_transpose3d(ft.numpy.ones((1, 2, 2, 2, 1)), ft.numpy.ones((1, 2, 2, 2, 1))).shape
    (1, 3, 3, 3, 1)
    """
    return transposed("conv_transpose3d", x, w, stride, padding, dilation, output_padding, groups,
                      3)


def transposed(name, x, w, stride, padding, dilation, output_padding, groups, ndim=None):
    x, w = operands(name, x, w, ndim)
    n = len(x.shape) - 2
    groups = integer(groups, name, "groups")
    if groups < 1 or w.shape[-1] * groups != x.shape[-1] or w.shape[0] % groups:
        raise ShapeError(f"{name} in {groups} group(s) takes filters (O, ..., I / groups) for x "
                         f"(N, ..., I), with O divisible by groups, but x is {describe(x)} and "
                         f"the filters {describe(w)}.")
    steps, dilation = per_axis(name, stride, n, "stride"), per_axis(name, dilation, n, "dilation")
    extra = per_axis(name, output_padding, n, "output_padding", least=0)
    if any(e >= s for e, s in zip(extra, steps, strict=True)):
        raise ShapeError(f"{name}: output_padding {output_padding!r} must be less than the stride "
                         f"{stride!r}.")
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[1:-1], dilation, strict=True)]
    if isinstance(padding, str):
        raise ArgumentError(f"{name}: padding is given in numbers, but is {padding!r}.")
    padding = margins(name, padding, x.shape[1:-1], reach, steps)
    size = tuple((k - 1) * s + r - sum(margin) + e for k, s, r, margin, e in
                 zip(x.shape[1:-1], steps, reach, padding, extra, strict=True))
    if min(size) < 1:
        raise ShapeError(f"{name}: with padding {padding} nothing is left of the result: its "
                         f"lengths would be {size}. Pad less.")
    geometry = Geometry(steps, padding, dilation, (1,) * n, groups)
    return ops.conv_input(x, exchanged(w, groups), geometry=geometry, size=size)


def exchanged(w, groups):
    """Filters with the channels of their two sides exchanged, group by group."""
    o, i = w.shape[0] // groups, w.shape[-1]
    w = movement.reshape(w, shape=(groups, o, *w.shape[1:]))
    n = len(w.shape)
    w = movement.transpose(w, axes=(0, n - 1, *range(2, n - 1), 1))
    return movement.reshape(w, shape=(groups * i, *w.shape[2:]))
