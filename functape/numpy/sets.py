"""Arrays as sets of their elements. What is chosen keeps its derivative; the choice needs to know
the elements, so outside of vmap and jit; `isin` works everywhere."""

import numpy as np

from functape import dtypes
from functape.numpy import keys
from functape.numpy.arguments import as_type, common, size_of, value
from functape.numpy.joining import concatenate
from functape.numpy.searching import resized, unique
from functape.ops import elementwise, indexing, movement, sorting
from functape.tensor import constant

REMEDY = "Call it outside of vmap and jit."


def isin(element, test_elements, assume_unique=False, invert=False, *, method="auto"):
    """Whether each element is among others.

    Args:
      element, test_elements: arrays.
      invert: whether it is not.
      assume_unique, method: taken for JAX's sake, and without effect.

    >>> from functape.numpy import array
    >>> isin(array([1, 5, 2]), array([2, 1]))
    tensor([ True, False,  True])
    """
    x, tests = common("isin", element, test_elements)
    if x.dtype == dtypes.bool_:
        x, tests = as_type(x, dtypes.int32), as_type(tests, dtypes.int32)
    n = size_of(tests.shape)
    if not n:
        return constant(np.full(x.shape, bool(invert)))
    tests = movement.reshape(tests, shape=(n,))
    tests = indexing.take(tests, sorting.argsort(tests, axis=0, descending=False), axis=0)
    at = elementwise.minimum(sorting.searchsorted(tests, x, side="left"), n - 1)
    found = elementwise.equal(indexing.take(tests, at, axis=0), x)
    return elementwise.logical_not(found) if invert else found


def union1d(ar1, ar2, *, size=None, fill_value=None):
    """The distinct elements of two arrays together, in ascending order.

    Args:
      ar1, ar2: arrays.
      size: how many to return: the first ones, filled up with `fill_value`.
      fill_value: the smallest element by default.

    >>> from functape.numpy import array
    >>> union1d(array([3, 1]), array([1, 2]))
    tensor([1, 2, 3], dtype=int32)
    """
    return unique(concatenate(flat("union1d", ar1, ar2)), size=size, fill_value=fill_value)


def flat(name, *arrays):
    return [movement.reshape(a, shape=(size_of(a.shape),))
            for a in common(name, *arrays)]


def chosen(name, x, mask, size, fill_value):
    """The elements of a vector that a mask selects, cut or filled up to a size."""
    at = np.flatnonzero(keys.concrete(mask, name, REMEDY)).astype(np.int32)
    found = indexing.take(x, constant(at), axis=0)
    if size is None:
        return found, at
    fill_value = 0 if fill_value is None and not at.size else fill_value
    if not at.size:
        found = indexing.take(x, constant(np.zeros(1, np.int32)), axis=0)[:0]
        filler = as_type(constant(np.full(size, fill_value)), x.dtype)
        return filler, at
    found, at, _ = resized(found, at, at, 0, size, fill_value)
    return found, at


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None,
                fill_value=None):
    """The distinct elements that two arrays share, in ascending order.

    Args:
      ar1, ar2: arrays.
      assume_unique: taken for JAX's sake, and without effect.
      return_indices: also where each first occurs in either array.
      size, fill_value: as for `union1d`.

    >>> from functape.numpy import array
    >>> intersect1d(array([3, 1, 2]), array([2, 3, 5]))
    tensor([2, 3], dtype=int32)
    """
    (x, first), (y, second) = (unique(a, return_index=True)
                              for a in flat("intersect1d", ar1, ar2))
    found, at = chosen("intersect1d", x, isin(x, y), size, fill_value)
    if not return_indices:
        return found
    there = sorting.searchsorted(y, indexing.take(x, constant(at), axis=0), side="left")
    return (found, indexing.take(first, constant(at), axis=0),
            indexing.take(second, there, axis=0))


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The distinct elements of the first array that the second one lacks, in ascending order.

    With `assume_unique`, in the order of `ar1`. Other arguments as for `union1d`.

    >>> from functape.numpy import array
    >>> setdiff1d(array([3, 1, 2]), array([2]))
    tensor([1, 3], dtype=int32)
    """
    x, y = value(ar1, "setdiff1d"), value(ar2, "setdiff1d", 1)
    x = movement.reshape(x, shape=(size_of(x.shape),)) if assume_unique else unique(x)
    return chosen("setdiff1d", x, isin(x, y, invert=True), size, fill_value)[0]


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The distinct elements that are in one of two arrays only, in ascending order.

    Arguments as for `intersect1d`.

    >>> from functape.numpy import array
    >>> setxor1d(array([3, 1, 2]), array([2, 5]))
    tensor([1, 3, 5], dtype=int32)
    """
    once = [unique(a) for a in flat("setxor1d", ar1, ar2)]
    found, counts = unique(concatenate(once), return_counts=True)
    return chosen("setxor1d", found, elementwise.equal(counts, 1), size, fill_value)[0]
