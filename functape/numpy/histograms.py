"""How many elements fall where: bincount and histograms. Differentiable in the weights."""

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy import keys
from functape.numpy.arguments import as_type, beside, common, inexact, integer, size_of, value
from functape.numpy.creation import asarray
from functape.numpy.differences import diff
from functape.numpy.extremes import max, min
from functape.numpy.reductions import sum
from functape.numpy.searching import searchsorted
from functape.numpy.sequences import linspace
from functape.op import NUMBERS, Value
from functape.ops import elementwise, indexing, movement
from functape.tensor import constant

COUNT = "Give the number of bins with length=."


def bincount(x, weights=None, minlength=0, *, length=None, out_sharding=None):
    """How often each of 0, 1, 2, ... occurs among integers; with weights, the sum of theirs.

    Args:
      x: integers, one axis; negative ones count as 0.
      weights: of each; differentiable.
      minlength: the least number of bins.
      length: the number of bins, above which nothing counts. Needed under vmap and jit.
      out_sharding: accepted for JAX's signature, without effect.

    >>> from functape.numpy import array
    >>> bincount(array([0, 2, 2]))
    tensor([1, 0, 2], dtype=int32)
    """
    x = value(x, "bincount")
    if len(x.shape) != 1 or dtypes.issubdtype(x.dtype, dtypes.inexact):
        raise ShapeError(f"bincount takes integers along one axis, but got {describe(x)}.")
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != x.shape:
            raise ShapeError(f"bincount: the weights, {describe(weights)}, must have the shape of "
                             f"x, {describe(x)}.")
    if length is None:
        known = keys.concrete(x, "bincount", COUNT)
        length = int(known.max()) + 1 if known.size else 0
        length = length if length > minlength else integer(minlength, "bincount", "minlength")
    each = counted(x) if weights is None else weights
    at = elementwise.maximum(as_type(x, dtypes.int32), 0)
    return tally(elementwise.minimum(at, length), each, length + 1)[:length]


def counted(x):
    return constant(np.ones(x.shape, np.int32))


def tally(i, weights, n):
    """Sums of weights, one for each index below n."""
    return indexing.scatter_add(weights, i, axis=0, shape=(n,))


def histogram_bin_edges(a, bins=10, range=None, weights=None):  # noqa: A002 - NumPy's name
    """The edges of a histogram's bins: of one width, from the least element to the largest.

    Args:
      a: array.
      bins: their number, or the edges themselves.
      range: (from, to) in place of the extremes of `a`.
      weights: without effect.

    >>> from functape.numpy import array
    >>> histogram_bin_edges(array([0.0, 4.0]), bins=2)
    tensor([0., 2., 4.])
    """
    if isinstance(bins, str):
        raise ArgumentError(f"histogram: rules for the number of bins, such as {bins!r}, do not "
                            "exist here. Give a number or the edges.")
    edges = asarray(bins)
    if edges.shape:
        return edges
    a = value(a, "histogram_bin_edges")
    a = inexact(a)
    n = integer(bins, "histogram", "bins")
    if n < 1:
        raise ArgumentError(f"histogram: bins is {n}; there must be at least one.")
    if range is None:
        empty = not size_of(a.shape)
        low, high = (0.0, 1.0) if empty else (min(a), max(a))
    else:
        low, high = range
        if isinstance(low, NUMBERS) and isinstance(high, NUMBERS) and low > high:
            raise ArgumentError(f"histogram: range goes from its lower end to its upper, but is "
                                f"{range!r}. Swap them.")
    low, high = (as_type(beside(end, a, "histogram", 2), a.dtype) for end in (low, high))
    same = as_type(elementwise.equal(low, high), a.dtype) * 0.5  # all equal: a bin of width 1
    return linspace(low - same, high + same, n + 1)


def histogram(a, bins=10, range=None, weights=None, density=None):  # noqa: A002 - NumPy's name
    """How many elements fall into each bin, and the edges of the bins.

    Args:
      a: array.
      bins, range: as for `histogram_bin_edges`. The last bin includes its upper edge.
      weights: of each element; differentiable.
      density: divide by the total and the widths, so that the area is 1.

    Returns:
      (counts, edges), one edge more than counts.

    >>> from functape.numpy import array
    >>> histogram(array([0.0, 1.0, 1.5, 4.0]), bins=2)
    (tensor([3., 1.]), tensor([0., 2., 4.]))
    """
    a = value(a, "histogram")
    edges = histogram_bin_edges(a, bins, range)
    n = edges.shape[0] - 1
    flat = movement.reshape(a, shape=(size_of(a.shape),))
    if weights is None:
        each = as_type(constant(np.ones(flat.shape, np.float32)), inexact(a).dtype)
    else:
        each = asarray(weights)
        if each.shape != a.shape:
            raise ShapeError(f"histogram: the weights, {describe(each)}, must have the shape of "
                             f"a, {describe(a)}.")
        each = movement.reshape(each, shape=flat.shape)
    counts = tally(bins_of(flat, edges), each, n + 2)[1:n + 1]
    if density:
        counts = counts / sum(counts) / diff(edges)
    return counts, edges


def bins_of(x, edges):
    """The number of each element's bin, from 1; 0 and n + 1 lie outside of n bins."""
    x, edges = common("histogram", elementwise.stop_gradient(x), elementwise.stop_gradient(edges))
    n = edges.shape[0] - 1
    found = searchsorted(edges, x, side="right")
    return elementwise.where(elementwise.equal(x, edges[n]), n, found)


def histogramdd(sample, bins=10, range=None, weights=None, density=None):  # noqa: A002
    """How many points fall into each cell of a grid, and the edges along each axis.

    Args:
      sample: points, one a row (n, d).
      bins: number of bins, or a list with a number or edges for each axis.
      range: a list with (from, to) or None for each axis.
      weights: of each point; differentiable.
      density: divide by the total and the volumes.

    Returns:
      (counts, list of edges).

    >>> from functape.numpy import array
    >>> histogramdd(array([[0.0, 0.0], [1.0, 3.0]]), bins=2)[0]
    tensor([[1, 0],
            [0, 1]], dtype=int32)
    """
    points = inexact(value(sample, "histogramdd"))
    if len(points.shape) != 2:
        raise ShapeError(f"histogramdd takes a matrix with one point a row, but got "
                         f"{describe(points)}.")
    n, d = points.shape
    bins = [bins] * d if isinstance(bins, int) else list(bins)
    ranges = [None] * d if range is None else list(range)
    if len(bins) != d or len(ranges) != d:
        raise ShapeError(f"histogramdd: bins and range need one entry for each of the {d} "
                         f"coordinates, but have {len(bins)} and {len(ranges)}.")
    columns = [movement.cut(points, index=(slice(None), k)) for k in np.arange(d).tolist()]
    edges = [histogram_bin_edges(c, b, r) for c, b, r in zip(columns, bins, ranges, strict=True)]
    each = constant(np.ones(n, np.int32)) if weights is None else asarray(weights)
    lengths = tuple(e.shape[0] + 1 for e in edges)
    at = constant(np.zeros(n, np.int32))
    for column, edge, length in zip(columns, edges, lengths, strict=True):
        at = at * length + bins_of(column, edge)
    counts = movement.reshape(tally(at, each, size_of(lengths)), shape=lengths)
    counts = movement.cut(counts, index=tuple(slice(1, m - 1) for m in lengths))
    if density:
        counts = counts / sum(counts)
        for k, edge in enumerate(edges):
            width = diff(edge)
            counts = counts / movement.reshape(width, shape=(*width.shape, *(1,) * (d - k - 1)))
    return counts, edges


def histogram2d(x, y, bins=10, range=None, weights=None, density=None):  # noqa: A002
    """How many points (x, y) fall into each cell of a grid, and the edges along both axes.

    Arguments as for `histogramdd`; one vector of edges as `bins` is for both axes.

    >>> from functape.numpy import array
    >>> histogram2d(array([0.0, 1.0]), array([0.0, 3.0]), bins=2)[0]
    tensor([[1, 0],
            [0, 1]], dtype=int32)
    """
    points = [value(a, "histogram2d", i) for i, a in enumerate((x, y))]
    points = movement.stack(*map(inexact, common("histogram2d", *points)), axis=1)
    if not isinstance(bins, int):
        vector = isinstance(bins, (Value, np.ndarray)) or len(bins) not in (1, 2)
        bins = [bins, bins] if vector else list(bins) * (2 if len(bins) == 1 else 1)
    counts, (first, second) = histogramdd(points, bins, range, weights, density)
    return counts, first, second
