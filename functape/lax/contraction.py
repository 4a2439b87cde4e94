"""jax.lax's products."""

from functape.errors import ShapeError, describe
from functape.numpy import contraction as products
from functape.numpy.arguments import axes_of, value
from functape.ops.contraction import contract


def dot(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None):
    """The product of vectors or matrices; with dimension_numbers, `dot_general`.

    Args:
      lhs: array, the left factor.
      rhs: array, the right factor.
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.lax.dot(ft.numpy.array([1.0, 2.0]), ft.numpy.array([3.0, 4.0]))
    tensor(11.)
    """
    if dimension_numbers is not None:
        return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)
    return products.dot(lhs, rhs, preferred_element_type=preferred_element_type)


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None):
    """The sum of products over some axes, for each entry along others.

    Args:
      lhs, rhs: arrays.
      dimension_numbers: ``((lhs_summed, rhs_summed), (lhs_batch, rhs_batch))``, axes that belong
        to each other by position.
      precision: has no effect; accepted for JAX's sake.
      preferred_element_type: the dtype of the result.

    Returns:
      An array with the batch axes, then the remaining ones of lhs, then those of rhs.

    >>> import functape as ft
    >>> x, y = ft.numpy.ones((2, 3, 4)), ft.numpy.ones((2, 4, 5))
    >>> ft.lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))).shape
    (2, 3, 5)
    """
    x, y = value(lhs, "dot_general"), value(rhs, "dot_general", 1)
    summed, batch = dimension_numbers
    places = [tuple(axes_of(tuple(axes), len(a.shape), "dot_general") for axes, a in
                    zip(pair, (x, y), strict=True)) for pair in (summed, batch)]
    labels = {k: [None] * len(a.shape) for k, a in enumerate((x, y))}
    for mine, theirs in places:
        if [x.shape[i] for i in mine] != [y.shape[j] for j in theirs]:
            raise ShapeError(f"dot_general: the axes {mine} of {describe(x)} and {theirs} of "
                             f"{describe(y)} belong to each other and must have equal lengths.")
    count = 0
    for mine, theirs in places:
        for i, j in zip(mine, theirs, strict=True):
            labels[0][i] = labels[1][j] = count
            count += 1
    for own in labels.values():
        for i, label in enumerate(own):
            if label is None:
                own[i], count = count, count + 1
    shared = set(labels[0]) & set(labels[1])
    result = [labels[0][i] for i in places[1][0]]
    result += [k for own in labels.values() for k in own if k not in shared]
    out = contract(x, y, x_labels=tuple(labels[0]), y_labels=tuple(labels[1]),
                   labels=tuple(result))
    return products.in_type(out, preferred_element_type)


def batch_matmul(lhs, rhs, precision=None):
    """Matrix products over the last two axes.

    Args:
      lhs: array, the left factor.
      rhs: array, the right factor.
      precision: accepted for JAX's signature; MLX has one precision for each dtype.

    >>> import functape as ft
    >>> ft.lax.batch_matmul(ft.numpy.ones((2, 3, 4)), ft.numpy.ones((2, 4, 5))).shape
    (2, 3, 5)
    """
    return products.matmul(lhs, rhs)
