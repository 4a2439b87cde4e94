"""associative_scan: running combinations in logarithmically many steps."""

from functape import tree
from functape.errors import ShapeError, check_callable, describe
from functape.numpy.arguments import axis_of
from functape.ops.movement import along, concatenate, cut, reshape, stack
from functape.tensor import constant
from functape.transforms.loops import call, kept


def associative_scan(fn, elems, reverse=False, axis=0):
    r"""Running combinations by an associative function, in logarithmically many steps.

    .. math:: y_0 = x_0, \qquad y_i = y_{i-1} \circ x_i

    Source: G. E. Blelloch, Prefix sums and their applications (1990).

    Args:
      fn: associative function of two pytrees like `elems`, which combines them entry by entry
        along `axis`.
      elems: pytree of arrays.
      reverse: from the end: y_i combines x_i and all after it.
      axis: the axis to run along.

    >>> import functape as ft
    >>> ft.lax.associative_scan(ft.numpy.multiply, ft.numpy.array([1.0, 2.0, 3.0, 4.0]))
    tensor([ 1.,  2.,  6., 24.])
    """
    check_callable("associative_scan", fn)
    leaves, structure = tree.flatten(elems)
    leaves = [constant(a, "associative_scan", i) for i, a in enumerate(leaves)]
    if not leaves:
        return elems
    axes = [axis_of(axis, len(a.shape), "associative_scan") for a in leaves]
    if len({a.shape[k] for a, k in zip(leaves, axes, strict=True)}) > 1:
        raise ShapeError(f"associative_scan: all arrays must have one length along axis {axis}, "
                         f"but they are {', '.join(describe(a) for a in leaves)}.")

    def pick(arrays, s):
        return [cut(a, index=along(k, s)) for a, k in zip(arrays, axes, strict=True)]

    def combine(a, b):
        out = call(fn, tree.unflatten(structure, a), tree.unflatten(structure, b))
        found = kept("associative_scan", "result of fn", tree.unflatten(structure, a), out)
        return tree.leaves(found)

    def running(arrays):
        n = arrays[0].shape[axes[0]]
        if n < 2:
            return arrays
        odd = running(combine(pick(arrays, slice(0, n - 1, 2)), pick(arrays, slice(1, n, 2))))
        if n == 2:
            even = pick(arrays, slice(0, 1))
        else:
            before = pick(odd, slice(0, (n - 1) // 2))
            even = joined(pick(arrays, slice(0, 1)), combine(before, pick(arrays,
                                                                          slice(2, n, 2))))
        return [interleaved(a, b, k) for a, b, k in zip(even, odd, axes, strict=True)]

    def joined(a, b):
        return [concatenate(x, y, axis=k) for x, y, k in zip(a, b, axes, strict=True)]

    backwards = slice(None, None, -1)
    out = running(pick(leaves, backwards) if reverse else leaves)
    return tree.unflatten(structure, pick(out, backwards) if reverse else out)


def interleaved(even, odd, axis):
    """Entries by turns; `even` has as many as `odd`, or one more."""
    n, m = even.shape[axis], odd.shape[axis]
    both = stack(cut(even, index=along(axis, slice(0, m))), odd, axis=axis + 1)
    both = reshape(both, shape=(*odd.shape[:axis], 2 * m, *odd.shape[axis + 1:]))
    if n == m:
        return both
    return concatenate(both, cut(even, index=along(axis, slice(m, n))), axis=axis)
