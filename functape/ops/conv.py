"""Convolutions. Images x (N, ..., I), filters w (O, ..., I / groups), results y (N, ..., O).

The sum over all products x w y that belong together is linear in each of the three. So there are
three ops, one for each array that is left out: `conv` returns y of x and w, `conv_input` x of y
and w, `conv_weight` w of x and y. Each is the transpose of the other two, to any order.
"""

import typing

import mlx.core as mx

from functape.ops.families import bilinear, fit
from functape.ops.movement import reshape, transpose
from functape.ops.pooling import overlapped


class Geometry(typing.NamedTuple):
    """How filters move over images; one entry for each spatial axis.

    stride: steps of the filter.
    padding: (before, after), zeros around the image; negative: it is cut.
    dilation: distances between the elements of the filter.
    spread: distances between the elements of the image, with zeros between them.
    groups: channels are split into so many groups, each with its own filters.
    """

    stride: tuple
    padding: tuple
    dilation: tuple
    spread: tuple
    groups: int

    def counts(self, lengths, window):
        """The lengths of the result, for images and filters of these lengths."""
        return tuple(
            max(0, (full - (k - 1) * d - 1) // s + 1)
            for full, k, d, s in zip(self.extent(lengths), window, self.dilation, self.stride,
                                     strict=True))

    def extent(self, lengths):
        """The lengths of the image once it is spread and padded."""
        return tuple(max(0, (n - 1) * i + 1) + before + after
                     for n, i, (before, after) in zip(lengths, self.spread, self.padding,
                                                      strict=True))

    def places(self, lengths):
        """Where an image lies in the spread and padded one: slices of that, slices of it."""
        there, here = [slice(None)], [slice(None)]
        for n, i, (before, _), full in zip(lengths, self.spread, self.padding,
                                           self.extent(lengths), strict=True):
            first = max(0, -(before // i))
            last = max(first, min(n, -((before - full) // i)))
            start = before + first * i
            there.append(slice(start, start + (last - first) * i, i) if last > first
                         else slice(0, 0))
            here.append(slice(first, last))
        return tuple(there), tuple(here)


# --- kernels: one product of matrices, over patches of the image ----------------------------------


def product(lengths):
    n = 1
    for k in lengths:
        n *= k
    return n


def extended(x, geometry):
    """The image spread out and padded."""
    margins = [n for pair in geometry.padding for n in pair]
    if not is_spread(geometry) and min(margins) >= 0:
        if any(margins):
            return mx.pad(x, [(0, 0), *geometry.padding, (0, 0)])
        return mx.contiguous(x)  # as the strides of `patches` take it to be
    there, here = geometry.places(x.shape[1:-1])
    out = mx.zeros((x.shape[0], *geometry.extent(x.shape[1:-1]), x.shape[-1]), x.dtype)
    out[there] = x[here]
    return out


def patches(x, window, geometry):
    """(groups, N * positions, window * I / groups): what the filter sees at each position."""
    counts, groups = geometry.counts(x.shape[1:-1], window), geometry.groups
    x = extended(x, geometry)
    size, inner = x.shape[0], x.shape[-1] // groups
    if product(window) == 1 and groups == 1 and counts == x.shape[1:-1]:
        return x.reshape(1, -1, inner)
    steps, step = [], x.shape[-1]
    for n in reversed(x.shape[1:-1]):
        steps.insert(0, step)
        step *= n
    seen = mx.as_strided(
        x, (groups, size, *counts, *window, inner),
        (inner, step, *(a * b for a, b in zip(steps, geometry.stride, strict=True)),
         *(a * b for a, b in zip(steps, geometry.dilation, strict=True)), 1))
    return seen.reshape(groups, size * product(counts), product(window) * inner)


def grouped(y, groups):
    """(N, ..., O) as (groups, N * positions, O / groups)."""
    y = y.reshape(-1, groups, y.shape[-1] // groups)
    return y.reshape(1, *y.shape[::2]) if groups == 1 else y.transpose(1, 0, 2)


def conv_kernel(x, w, geometry):
    if fast(x, w, geometry):
        return mlx_conv(x, w, geometry)
    counts, groups = geometry.counts(x.shape[1:-1], w.shape[1:-1]), geometry.groups
    filters = w.reshape(groups, w.shape[0] // groups, -1)
    y = mx.matmul(patches(x, w.shape[1:-1], geometry), mx.swapaxes(filters, 1, 2))
    y = y if groups == 1 else y.transpose(1, 0, 2)
    return y.reshape(x.shape[0], *counts, w.shape[0])


def weight_kernel(x, y, geometry, size):
    groups, inner = geometry.groups, x.shape[-1] // geometry.groups
    if 0 in y.shape:
        return mx.zeros((y.shape[-1], *size, inner), y.dtype)
    if fast(x, y, geometry) and not is_spread(geometry):
        like = mx.zeros((y.shape[-1], *size, inner), x.dtype)
        return mx.vjp(lambda w: mlx_conv(x, w, geometry), [like], [y])[1][0]
    w = mx.matmul(mx.swapaxes(grouped(y, groups), 1, 2), patches(x, size, geometry))
    return w.reshape(y.shape[-1], *size, inner)


def input_kernel(y, w, geometry, size):
    """What each position sends back to its patch. With steps of 1 it is a convolution too, by the
    filters turned around: faster (measured) unless they have many more outputs than inputs."""
    groups, outer = geometry.groups, w.shape[0] // geometry.groups
    channels = groups * w.shape[-1]
    if 0 in y.shape:
        return mx.zeros((y.shape[0], *size, channels), y.dtype)
    if fast(y, w, geometry) and not is_spread(geometry):
        like = mx.zeros((y.shape[0], *size, channels), y.dtype)
        return mx.vjp(lambda x: mlx_conv(x, w, geometry), [like], [y])[1][0]
    steps_of_one = all(s == 1 for s in geometry.stride) and not is_spread(geometry)
    if steps_of_one and outer < 2 * w.shape[-1]:
        return conv_kernel(y, turned(w, groups), backwards(geometry, w.shape[1:-1]))
    return sent_back(y, w, geometry, size)


def sent_back(y, w, geometry, size):
    """Each position's patch, by a product; then the patches added up."""
    groups, outer = geometry.groups, w.shape[0] // geometry.groups
    channels = groups * w.shape[-1]
    window, counts = w.shape[1:-1], y.shape[1:-1]
    sent = mx.matmul(grouped(y, groups), w.reshape(groups, outer, -1))
    sent = sent.reshape(groups, y.shape[0], *counts, *window, w.shape[-1])
    d = len(window)
    order = (1, *(a for i in range(d) for a in (2 + i, 2 + d + i)), 0, 2 + 2 * d)
    sent = sent.transpose(order)
    sent = sent.reshape(*sent.shape[:-2], channels)
    full = geometry.extent(size)
    for i in range(d):
        sent = overlapped(sent, 1 + i, full[i], geometry.stride[i], geometry.dilation[i])
    there, here = geometry.places(size)
    if all(s == slice(0, n) for s, n in zip(here[1:], size, strict=True)):
        return sent[there]
    out = mx.zeros((y.shape[0], *size, channels), sent.dtype)
    out[here] = sent[there]
    return out


def turned(w, groups):
    """Filters for the way back: inputs and outputs exchanged, and turned around."""
    o, i = w.shape[0] // groups, w.shape[-1]
    w = w[(slice(None), *(slice(None, None, -1),) * (len(w.shape) - 2))]
    if groups == 1:
        return mx.swapaxes(w, 0, -1)
    w = mx.swapaxes(w.reshape(groups, o, *w.shape[1:]), 1, -1)
    return w.reshape(groups * i, *w.shape[2:])


def backwards(geometry, window):
    """The geometry of the way back of a convolution with steps of 1."""
    reach = [(k - 1) * d for k, d in zip(window, geometry.dilation, strict=True)]
    padding = tuple((r - before, r - after)
                    for r, (before, after) in zip(reach, geometry.padding, strict=True))
    return geometry._replace(padding=padding)


# --- kernels: MLX's own, on a GPU -----------------------------------------------------------------


def fast(a, b, geometry):
    """Whether to leave it to MLX. On a CPU its forward kernel does what stands above, and those of
    its derivatives are 2 to 50 times slower where stride or dilation is not 1 (measured)."""
    if mx.default_device().type == mx.cpu or not mlx_can(geometry):
        return False
    return a.dtype == b.dtype and a.dtype in (mx.float32, mx.float16, mx.bfloat16)


def is_spread(geometry):
    """MLX's own derivatives are wrong then."""
    return any(i != 1 for i in geometry.spread)


def mlx_can(geometry):
    """MLX has no groups in three dimensions, and cuts before it spreads."""
    cuts = min(min(p) for p in geometry.padding) < 0
    return not cuts and (geometry.groups == 1 or len(geometry.stride) < 3)


def mlx_conv(x, w, geometry):
    return mx.conv_general(
        x, w, geometry.stride, tuple(map(list, zip(*geometry.padding, strict=True))),
        geometry.dilation, geometry.spread, geometry.groups)


# --- vmap -----------------------------------------------------------------------------------------


def fold(a, axis, groups):
    """The batch axis made part of `axis` of the entries: within each group, before the rest."""
    shape = a.shape[1:]
    axis %= len(shape)
    a = reshape(a, shape=(a.shape[0], *shape[:axis], groups, shape[axis] // groups,
                          *shape[axis + 1:]))
    n = len(a.shape)
    a = transpose(a, axes=(*range(1, axis + 2), 0, *range(axis + 2, n)))
    return reshape(a, shape=(*shape[:axis], shape[axis] * a.shape[axis + 1], *shape[axis + 1:]))


def unfold(a, axis, groups, size):
    """What `fold` did, undone."""
    shape = a.shape
    axis %= len(shape)
    a = reshape(a, shape=(*shape[:axis], groups, size, shape[axis] // (groups * size),
                          *shape[axis + 1:]))
    n = len(a.shape)
    a = transpose(a, axes=(axis + 1, *range(axis + 1), *range(axis + 2, n)))
    return reshape(a, shape=(size, *shape[:axis], shape[axis] // size, *shape[axis + 1:]))


def batch_as_channels(first, second, both):
    """A batch rule: the batch becomes part of an axis that only one array and the result have, or
    where both arrays are mapped, groups of channels.

    Each argument says how: the axes of the arrays and of the result, and whether groups stay
    outside.
    """

    def batch(op, size, args, mapped, params):
        geometry = params["geometry"]
        if mapped == (True, True):
            x, y = (fold(a, axis, 1) for a, axis in zip(args, both[:2], strict=True))
            wider = geometry._replace(groups=size * geometry.groups)
            return unfold(op(x, y, **{**params, "geometry": wider}), both[2], 1, size)
        k = mapped.index(True)
        (axis, outside), (out_axis, out_outside) = (first, second)[k]
        args = list(args)
        args[k] = fold(args[k], axis, geometry.groups if outside else 1)
        out = op(*args, **params)
        return unfold(out, out_axis, geometry.groups if out_outside else 1, size)

    return batch


# --- the ops --------------------------------------------------------------------------------------

conv = bilinear(
    "conv", conv_kernel,
    lambda g, y, x_shape, x_dtype, geometry: fit(
        conv_input(g, y, geometry=geometry, size=x_shape[1:-1]), x_shape, x_dtype),
    lambda g, x, y_shape, y_dtype, geometry: fit(
        conv_weight(x, g, geometry=geometry, size=y_shape[1:-1]), y_shape, y_dtype),
    batch_as_channels(((0, False), (0, False)), ((0, True), (-1, True)), (-1, 0, -1)),
    doc="Filters y moved over images x: at each position the sum of products.",
)
conv_input = bilinear(
    "conv_input", input_kernel,
    lambda g, y, x_shape, x_dtype, geometry: fit(conv(g, y, geometry=geometry), x_shape, x_dtype),
    lambda g, x, y_shape, y_dtype, geometry: fit(
        conv_weight(g, x, geometry=geometry, size=y_shape[1:-1]), y_shape, y_dtype),
    batch_as_channels(((0, False), (0, False)), ((-1, False), (-1, True)), (-1, 0, -1)),
    doc="Images of a size, from results x and filters y: the transpose of conv in its images.",
)
conv_weight = bilinear(
    "conv_weight", weight_kernel,
    lambda g, y, x_shape, x_dtype, geometry: fit(
        conv_input(y, g, geometry=geometry, size=x_shape[1:-1]), x_shape, x_dtype),
    lambda g, x, y_shape, y_dtype, geometry: fit(conv(x, g, geometry=geometry), y_shape, y_dtype),
    batch_as_channels(((-1, True), (-1, False)), ((-1, True), (0, True)), (-1, -1, 0)),
    doc="Filters of a size, from images x and results y: the transpose of conv in its filters.",
)
