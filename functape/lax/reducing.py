"""jax.lax's reductions, running reductions and orders."""

import math

from functape import dtypes, numpy, tree
from functape.errors import ArgumentError, ShapeError, describe
from functape.lax.shaping import pad
from functape.numpy.arguments import axes_of, axis_of, integer, value
from functape.numpy.sorting import lexsort, top_k  # noqa: F401 - functape.lax.top_k
from functape.ops import elementwise, families, indexing, movement, reductions
from functape.transforms.associative import associative_scan

# --- over whole axes ----------------------------------------------------------------------------


def reduction(name, function, doc, example="[2.0, 3.0]", result=None):
    def reduced(operand, axes):
        return function(value(operand, name), tuple(axes))

    reduced.__name__ = reduced.__qualname__ = name
    reduced.__doc__ = f"""{doc}

    Args:
      operand: array.
      axes: integers.

    >>> import functape as ft
    >>> ft.lax.{name}(ft.numpy.array({example}), (0,))
    {result}
    """
    return reduced


reduce_sum = reduction("reduce_sum", numpy.sum, "The sum over axes.", result="tensor(5.)")
reduce_prod = reduction("reduce_prod", numpy.prod, "The product over axes.",
                        result="tensor(6.)")
reduce_max = reduction("reduce_max", numpy.max, "The largest element over axes.",
                       result="tensor(3.)")
reduce_min = reduction("reduce_min", numpy.min, "The smallest element over axes.",
                       result="tensor(2.)")
reduce_and = reduction("reduce_and", numpy.all, "Whether all elements over axes hold.",
                       "[True, False]", "tensor(False)")
reduce_or = reduction("reduce_or", numpy.any, "Whether any element over axes holds.",
                      "[True, False]", "tensor(True)")
reduce_xor = reduction(
    "reduce_xor", lambda x, axes: reduce(x, False, elementwise.logical_xor, axes),
    "Whether an odd number of elements over axes holds.", "[True, False]", "tensor(True)",
)
KNOWN = {
    families.add: reduce_sum, families.multiply: reduce_prod, elementwise.maximum: reduce_max,
    elementwise.minimum: reduce_min,
}


def reduce(operands, init_values, computation, dimensions):
    """The elements over some axes combined by a function of two.

    Args:
      operands: array, or pytree of arrays of one shape.
      init_values: where to start, one number for each array.
      computation: associative function of two such pytrees of numbers.
      dimensions: the axes.

    >>> import functape as ft
    >>> ft.lax.reduce(ft.numpy.array([1.0, 2.0, 4.0]), 0.0, ft.lax.add, (0,))
    tensor(7.)
    """
    arrays = tree.map(lambda a: value(a, "reduce"), operands)
    axes = axes_of(tuple(dimensions), len(tree.leaves(arrays)[0].shape), "reduce")
    if computation in KNOWN:
        return computation(KNOWN[computation](arrays, axes), value(init_values, "reduce", 1))
    lanes = tree.map(lambda a: one_lane(a, axes), arrays)
    start = tree.map(like_a_row, init_values, lanes)
    return folded(computation, lanes, start)


def one_lane(x, axes):
    """The axes that are reduced as one, in front."""
    rest = [k for k in range(len(x.shape)) if k not in axes]
    x = movement.transpose(x, axes=(*axes, *rest))
    count = math.prod(x.shape[:len(axes)])
    return movement.reshape(x, shape=(count, *x.shape[len(axes):]))


def like_a_row(init, lane):
    return families.broadcast_to(value(init, "reduce", 1), shape=lane.shape[1:])


def folded(computation, lanes, start):
    """The rows of arrays combined in pairs, pairs of pairs, and so on."""
    n = tree.leaves(lanes)[0].shape[0]
    rows = [tree.map(lambda a, k=k: movement.cut(a, index=(k,)), lanes) for k in range(n)]
    rows.insert(0, start)
    return tree.reduce_associative(computation, rows, is_leaf=lambda node: node is not rows)


def reduce_window(operand, init_value, computation, window_dimensions, window_strides=None,
                  padding="VALID", base_dilation=None, window_dilation=None):
    """The elements in each position of a moving window combined by a function of two.

    Args:
      operand: array.
      init_value: where to start; it also fills what the padding adds.
      computation: associative function of two arrays, such as `lax.add` or `lax.max`.
      window_dimensions: the size of the window along each axis.
      window_strides: how far it moves; 1 by default.
      padding: "VALID", "SAME", or (before, after) for each axis.
      base_dilation, window_dilation: how far apart the elements of the array, and those in the
        window, are; 1 by default.

    >>> import functape as ft
    >>> ft.lax.reduce_window(ft.numpy.arange(4.0), 0.0, ft.lax.add, (2,))
    tensor([1., 3., 5.])
    """
    x = value(operand, "reduce_window")
    ones = (1,) * len(x.shape)
    size, stride, base, apart = (tuple(given or ones) for given in (
        window_dimensions, window_strides, base_dilation, window_dilation))
    if any(len(given) != len(x.shape) for given in (size, stride, base, apart)):
        raise ShapeError(f"reduce_window: the window, strides and dilations need one entry for "
                         f"each axis of {describe(x)}.")
    reach = [(m - 1) * d + 1 for m, d in zip(size, apart, strict=True)]
    spread_out = [n + (n - 1) * (b - 1) if n else 0 for n, b in zip(x.shape, base, strict=True)]
    ends = padding_of("reduce_window", padding, spread_out, reach, stride)
    x = pad(x, init_value, [(*end, b - 1) for end, b in zip(ends, base, strict=True)])
    counts = [max(0, (n - r) // s + 1) for n, r, s in zip(x.shape, reach, stride, strict=True)]
    pieces = []
    for place in range(math.prod(size)):
        index = []
        for m, d, s, count in zip(size[::-1], apart[::-1], stride[::-1], counts[::-1], strict=True):
            place, k = divmod(place, m)
            index.append(slice(k * d, k * d + (count - 1) * s + 1, s) if count else slice(0, 0))
        pieces.append(movement.cut(x, index=tuple(index[::-1])))
    return reduce(movement.stack(*pieces, axis=0), init_value, computation, (0,))


def padding_of(name, padding, lengths, window, stride):
    """(before, after) for each axis."""
    if not isinstance(padding, str):
        return [tuple(end) for end in padding]
    if padding.upper() == "VALID":
        return [(0, 0)] * len(lengths)
    if padding.upper() != "SAME":
        raise ArgumentError(f"{name}: padding must be 'VALID', 'SAME' or (before, after) for each "
                            f"axis, but is {padding!r}.")
    missing = [max(0, (-(-n // s) - 1) * s + m - n)
               for n, m, s in zip(lengths, window, stride, strict=True)]
    return [(k // 2, k - k // 2) for k in missing]


# --- positions and orders -----------------------------------------------------------------------


def argmax(operand, axis, index_dtype):
    """The position of the first largest element along an axis.

    Args:
      operand: array.
      index_dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.argmax(ft.numpy.array([1.0, 3.0, 2.0]), 0, ft.numpy.int32)
    tensor(1, dtype=int32)
    """
    return numpy.argmax(operand, axis).astype(dtypes.as_dtype(index_dtype))


def argmin(operand, axis, index_dtype):
    """The position of the first smallest element along an axis.

    Args:
      operand: array.
      index_dtype: of the result.

    >>> import functape as ft
    >>> ft.lax.argmin(ft.numpy.array([1.0, 3.0, 2.0]), 0, ft.numpy.int32)
    tensor(0, dtype=int32)
    """
    return numpy.argmin(operand, axis).astype(dtypes.as_dtype(index_dtype))


def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    """The elements in ascending order; of a sequence of arrays, all in the order of the first
    `num_keys` of them.

    Args:
      operand: array.
      dimension: the axis.
      is_stable: equal elements stay in order; they always do.

    >>> import functape as ft
    >>> ft.lax.sort([ft.numpy.array([2, 1]), ft.numpy.array([5.0, 6.0])])
    (tensor([1, 2], dtype=int32), tensor([6., 5.]))
    """
    if not isinstance(operand, (tuple, list)):
        return numpy.sort(operand, dimension)
    arrays = [value(a, "sort", k) for k, a in enumerate(operand)]
    axis = axis_of(dimension, len(arrays[0].shape), "sort", "dimension")
    order = lexsort(arrays[:integer(num_keys, "sort", "num_keys")][::-1], axis=axis)
    return tuple(indexing.take_along_axis(a, order, axis=axis) for a in arrays)


def sort_key_val(keys, values, dimension=-1, is_stable=True):
    """Keys in ascending order, and the values in the order of their keys.

    Args:
      dimension: the axis.
      is_stable: equal elements stay in order; they always do.

    >>> import functape as ft
    >>> ft.lax.sort_key_val(ft.numpy.array([2, 1]), ft.numpy.array([5.0, 6.0]))
    (tensor([1, 2], dtype=int32), tensor([6., 5.]))
    """
    return sort((keys, values), dimension)


def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95,
                 reduction_input_size_override=-1, aggregate_to_topk=True):
    """The k largest elements along an axis, the largest first, and their indices. It is `top_k`:
    exact, so that any recall is met.

    Args:
      operand: array.
      k: how many.
      reduction_dimension: the axis.
      recall_target, reduction_input_size_override, aggregate_to_topk: accepted for JAX's signature,
        without effect.

    >>> import functape as ft
    >>> approx_max_k(ft.numpy.array([3.0, 1.0, 2.0]), 2)
    (tensor([3., 2.]), tensor([0, 2], dtype=int32))
    """
    return top_k(operand, k, axis=reduction_dimension)


def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95,
                 reduction_input_size_override=-1, aggregate_to_topk=True):
    """The k smallest elements along an axis, the smallest first, and their indices. Arguments as
    for `approx_max_k`.

    >>> import functape as ft
    >>> approx_min_k(ft.numpy.array([3.0, 1.0, 2.0]), 2)
    (tensor([1., 2.]), tensor([1, 2], dtype=int32))
    """
    x = value(operand, "approx_min_k")
    axis = axis_of(reduction_dimension, len(x.shape), "approx_min_k", "reduction_dimension")
    k, n = integer(k, "approx_min_k", "k"), x.shape[axis]
    if not 0 <= k <= n:
        raise ShapeError(f"approx_min_k: k is {k}, but axis {axis} of {describe(x)} has {n} "
                         f"entries; choose one of 0 to {n}.")
    first = movement.cut(numpy.argsort(x, axis), index=movement.along(axis, slice(0, k)))
    return indexing.take_along_axis(x, first, axis=axis), first


# --- running ------------------------------------------------------------------------------------


def running(name, op, doc, result):
    def scanned(operand, axis=0, reverse=False):
        x = value(operand, name)
        axis = axis_of(axis, len(x.shape), name)
        return associative_scan(op, x, reverse=reverse, axis=axis)

    scanned.__name__ = scanned.__qualname__ = name
    scanned.__doc__ = f"""{doc}

    Args:
      operand: array.
      axis: the axis along which; negative ones count from the end.
      reverse: start at the end.

    >>> import functape as ft
    >>> ft.lax.{name}(ft.numpy.array([2.0, 1.0, 3.0]))
    {result}
    """
    return scanned


cummax = running("cummax", elementwise.maximum, "The largest element so far along an axis.",
                 "tensor([2., 2., 3.])")
cummin = running("cummin", elementwise.minimum, "The smallest element so far along an axis.",
                 "tensor([2., 1., 1.])")
cumlogsumexp = running("cumlogsumexp", elementwise.logaddexp,
                       "log of the running sum of exp along an axis.",
                       "tensor([2.       , 2.3132617, 3.407606 ])")


def cumsum(operand, axis=0, reverse=False):
    """The running sum along an axis, from its end if reverse.

    Args:
      operand: array.

    >>> import functape as ft
    >>> ft.lax.cumsum(ft.numpy.array([1.0, 2.0, 3.0]), reverse=True)
    tensor([6., 5., 3.])
    """
    x = value(operand, "cumsum")
    return reductions.cumsum(x, axis=axis_of(axis, len(x.shape), "cumsum"), reverse=bool(reverse))


def cumprod(operand, axis=0, reverse=False):
    """The running product along an axis, from its end if reverse.

    Args:
      operand: array.

    >>> import functape as ft
    >>> ft.lax.cumprod(ft.numpy.array([1.0, 2.0, 3.0]))
    tensor([1., 2., 6.])
    """
    x = value(operand, "cumprod")
    return reductions.cumprod(x, axis=axis_of(axis, len(x.shape), "cumprod"), reverse=bool(reverse))
