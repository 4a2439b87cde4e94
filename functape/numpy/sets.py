"""Arrays as sets of their elements. What is chosen keeps its derivative. How many there are depends
on the elements: under vmap and jit, give `size`; `isin` works everywhere."""

import numpy as np

from functape import dtypes
from functape.numpy.arguments import as_type, common, size_of, value
from functape.numpy.creation import asarray
from functape.numpy.joining import concatenate
from functape.numpy.searching import classes, places, unique
from functape.ops import elementwise, indexing, movement, sorting
from functape.tensor import constant


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
      size: how many to return: the first ones, filled up with `fill_value`. Needed under vmap and
        jit.
      fill_value: the smallest element by default.

    >>> from functape.numpy import array
    >>> union1d(array([3, 1]), array([1, 2]))
    tensor([1, 2, 3], dtype=int32)
    """
    return unique(concatenate(flat("union1d", ar1, ar2)), size=size, fill_value=fill_value)


def flat(name, *arrays):
    return [movement.reshape(a, shape=(size_of(a.shape),))
            for a in common(name, *arrays)]


def ascending(x):
    """The order that sorts a vector, its elements in this order, and which are the first of their
    kind."""
    order, new = classes(x)
    return order, indexing.take(x, order, axis=0), new


def chosen(name, x, mask, size, fill_value):
    """The elements of a vector that a mask selects, filled up to a size, where they are, and
    which of them exist. By default the first one fills up; 0 if there is none."""
    if not x.shape[0]:
        x, mask = as_type(constant(np.zeros(1, np.int32)), x.dtype), constant(np.zeros(1, bool))
    at, exists = places(name, x, mask, size)
    found = indexing.take(x, at, axis=0)
    if size is not None:
        first, any_ = (movement.cut(a, index=(slice(0, 1),)) for a in (found, exists))
        filler = elementwise.where(any_, first, 0) if fill_value is None else as_type(
            asarray(fill_value), x.dtype)
        found = elementwise.where(exists, found, filler)
    return found, at, exists


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None,
                fill_value=None):
    """The distinct elements that two arrays share, in ascending order.

    Args:
      ar1, ar2: arrays.
      assume_unique: taken for JAX's sake, and without effect.
      return_indices: also where each first occurs in either array; for what fills up, its size.
      size, fill_value: as for `union1d`; 0 fills up if there is no element.

    >>> from functape.numpy import array
    >>> intersect1d(array([3, 1, 2]), array([2, 3, 5]))
    tensor([2, 3], dtype=int32)
    """
    (order, x, new), (other, y, _) = map(ascending, flat("intersect1d", ar1, ar2))
    found, at, exists = chosen("intersect1d", x, new & isin(x, y), size, fill_value)
    if not return_indices:
        return found
    there = sorting.searchsorted(y, indexing.take(x, at, axis=0), side="left")
    return found, *[elementwise.where(exists, indexing.take(i, k, axis=0), i.shape[0])
                    for i, k in ((order, at), (other, there))]


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The distinct elements of the first array that the second one lacks, in ascending order.

    With `assume_unique`, in the order of `ar1`. Other arguments as for `union1d`, but 0 fills up by
    default.

    >>> from functape.numpy import array
    >>> setdiff1d(array([3, 1, 2]), array([2]))
    tensor([1, 3], dtype=int32)
    """
    x, y = value(ar1, "setdiff1d"), value(ar2, "setdiff1d", 1)
    x = movement.reshape(x, shape=(size_of(x.shape),))
    _, x, new = (None, x, True) if assume_unique else ascending(x)
    mask = isin(x, y, invert=True) & new
    return chosen("setdiff1d", x, mask, size, 0 if fill_value is None else fill_value)[0]


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The distinct elements that are in one of two arrays only, in ascending order.

    Arguments as for `intersect1d`.

    >>> from functape.numpy import array
    >>> setxor1d(array([3, 1, 2]), array([2, 5]))
    tensor([1, 3, 5], dtype=int32)
    """
    x, y = flat("setxor1d", ar1, ar2)
    _, both, new = ascending(concatenate([x, y]))
    mask = new & ~(isin(both, x) & isin(both, y))
    return chosen("setxor1d", both, mask, size, fill_value)[0]
