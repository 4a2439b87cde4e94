"""Windows: runs of neighbours along axes, and what pooling makes of each.

A window axis follows the axis that it runs along: (..., n, ...) -> (..., positions, size, ...).
"""

import typing

import mlx.core as mx

from functape.op import Op
from functape.ops.elementwise import equal
from functape.ops.families import astype, broadcast_to, linear, total
from functape.ops.movement import reshape


class Windows(typing.NamedTuple):
    """Which axes the windows run along, in rising order; and for each of them their size, the
    step from one to the next, and the distance between their elements."""

    axes: tuple
    size: tuple
    stride: tuple
    dilation: tuple

    def runs(self):
        return tuple(zip(*self, strict=True))

    def apart(self, shape):
        """Whether windows fill the axes side by side: then they need no copy."""
        return all(k == s and d == 1 and shape[a] % k == 0 for a, k, s, d in self.runs())

    def positions(self, shape):
        return tuple((shape[a] - (k - 1) * d - 1) // s + 1 for a, k, s, d in self.runs())

    def shape(self, shape, size=None):
        """The shape of windows over an array; with another size of theirs, if given."""
        out = list(shape)
        found = zip(self.axes, self.positions(shape), size or self.size, strict=True)
        for a, n, k in reversed(list(found)):
            out[a:a + 1] = (n, k)
        return tuple(out)

    def kept(self, shape):
        """That shape, with window axes of length 1."""
        return self.shape(shape, (1,) * len(self.axes))

    def inner(self):
        """The window axes."""
        return tuple(a + 1 + i for i, a in enumerate(self.axes))

    def moved(self):
        """The same with a batch axis in front."""
        return self._replace(axes=tuple(a + 1 for a in self.axes))


# --- kernels ------------------------------------------------------------------------------------


def windows_kernel(x, over):
    shape = over.shape(x.shape)
    if over.apart(x.shape) or 0 in shape:
        return x.reshape(shape)
    steps, step = [], 1
    for n in reversed(x.shape):
        steps.insert(0, step)
        step *= n
    for a, _, s, d in reversed(over.runs()):
        steps[a:a + 1] = (steps[a] * s, steps[a] * d)
    return mx.as_strided(mx.contiguous(x), shape, steps)


def overlap_kernel(x, over, shape):
    for (a, _, s, d), n in zip(over.runs(), (shape[a] for a in over.axes), strict=True):
        x = overlapped(x, a, n, s, d)
    return x


def overlapped(x, axis, length, stride, dilation):
    """Windows along one axis added up into that axis, of a length.

    Elements that land at equal places modulo the stride are added up, shifted against each other;
    then these sums are interleaved. Writing each into place costs two to five times as much.
    """
    count, size = x.shape[axis:axis + 2]
    before, after = x.shape[:axis], x.shape[axis + 2:]
    lead, rows = (slice(None),) * axis, -(-length // stride)
    if size == stride and dilation == 1:
        return resized(x.reshape(*before, count * size, *after), axis, 0, length)
    sums = [None] * stride
    for k in range(size):
        shift, place = divmod(k * dilation, stride)
        part = resized(x[(*lead, slice(None), k)], axis, shift, rows)
        sums[place] = part if sums[place] is None else sums[place] + part
    if stride == 1:
        return sums[0]
    empty = mx.zeros((*before, rows, *after), x.dtype)
    out = mx.stack([empty if part is None else part for part in sums], axis + 1)
    return resized(out.reshape(*before, rows * stride, *after), axis, 0, length)


def resized(x, axis, shift, length):
    """x moved along an axis, with zeros in front of it and behind, or cut off, to a length."""
    missing = length - shift - x.shape[axis]
    if shift or missing > 0:
        width = [(0, 0)] * len(x.shape)
        width[axis] = (shift, max(missing, 0))
        x = mx.pad(x, width)
    return x if missing >= 0 else x[(*(slice(None),) * axis, slice(0, length))]


def neighbours(axis, k, count, stride, dilation):
    """The index of the k-th element of each window along an axis."""
    start = k * dilation
    return (*(slice(None),) * axis, slice(start, start + (count - 1) * stride + 1, stride))


def running(combine):
    """A kernel that combines the elements of each window, one axis after the other."""

    def kernel(x, over):
        for (a, size, s, d), n in zip(over.runs(), over.positions(x.shape), strict=True):
            parts = [x[neighbours(a, k, n, s, d)] for k in range(size)]
            x = parts[0]
            for part in parts[1:]:
                x = combine(x, part)
        return x

    return kernel


# --- the ops ------------------------------------------------------------------------------------


def batch_windows(op, size, args, mapped, params):
    params = {**params, "over": params["over"].moved()}
    if "shape" in params:
        params["shape"] = (size, *params["shape"])
    return op(*args, **params)


windows = linear(
    "windows", windows_kernel, lambda g, x_shape, over: overlap(g, over=over, shape=x_shape),
    batch_windows, doc="All windows over x, each along new axes.",
)
overlap = linear(
    "overlap", overlap_kernel, lambda g, over: windows(g, over=over), batch_windows,
    doc="Windows added up where they overlap: the transpose of windows.",
)
window_sum = linear(
    "window_sum", running(mx.add),
    lambda g, x_shape, over: overlap(spread_out(g, x_shape, over), over=over, shape=x_shape),
    batch_windows, doc="The sum of each window over x.",
)


def spread_out(a, shape, over):
    """One number a window, repeated for each of its elements."""
    return broadcast_to(reshape(a, shape=over.kept(shape)), shape=over.shape(shape))


def hits(x, ans, over):
    """Where the largest elements of each window are: shares that add up to 1."""
    found = equal(windows(x, over=over), reshape(ans, shape=over.kept(x.shape)))
    found = astype(found, dtype=x.dtype)
    return found, total(found, axis=over.inner(), keepdims=True)


def pull_max(g, x, ans, over):
    found, count = hits(x, ans, over)
    share = reshape(g, shape=over.kept(x.shape)) / count
    return overlap(found * share, over=over, shape=x.shape)


def push_max(t, x, ans, over):
    found, count = hits(x, ans, over)
    moved = total(found * windows(t, over=over), axis=over.inner(), keepdims=True) / count
    return reshape(moved, shape=ans.shape)


window_max = Op(
    "window_max", running(mx.maximum), args=("x",), vjp=[pull_max], jvp=[push_max],
    batch=batch_windows, doc="The largest element of each window over x; ties share evenly.",
)
