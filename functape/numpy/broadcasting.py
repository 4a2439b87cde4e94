"""The shapes to which arrays stretch where they meet."""

from functape.errors import ShapeError, describe
from functape.numpy.arguments import shape_of, value
from functape.ops.families import broadcast_to as broadcast_op


def broadcast_shapes(*shapes):
    """The shape that arrays of these shapes broadcast to.

    >>> broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    shapes = [shape_of(s, "broadcast_shapes") for s in shapes]
    found = []
    for lengths in zip(*[(1,) * (max(map(len, shapes)) - len(s)) + s for s in shapes],
                       strict=True):
        wide = {n for n in lengths if n != 1}
        if len(wide) > 1:
            raise ShapeError(f"The shapes {', '.join(map(str, shapes))} do not broadcast: where "
                             "lengths differ, all but one must be 1. Reshape one of them.")
        found.append(wide.pop() if wide else 1)
    return tuple(found)


def broadcast_to(array, shape):
    """An array stretched along its axes of length 1, and new leading ones, to a shape.

    >>> import functape as ft
    >>> ft.numpy.broadcast_to(ft.numpy.array([1.0, 2.0]), (2, 2))
    tensor([[1., 2.],
            [1., 2.]])
    """
    array, shape = value(array, "broadcast_to"), shape_of(shape, "broadcast_to")
    if array.shape == shape:
        return array
    if len(array.shape) > len(shape) or any(
        n not in (1, m) for n, m in zip(array.shape[::-1], shape[::-1], strict=False)
    ):
        raise ShapeError(f"broadcast_to: {describe(array)} does not broadcast to {shape}. Each "
                         "of its lengths, from the last, must be 1 or that of the shape.")
    return broadcast_op(array, shape=shape)


def broadcast_arrays(*args):
    """Arrays stretched to their common shape; a list.

    Args:
      *args: arrays.

    >>> import functape as ft
    >>> [a.shape for a in ft.numpy.broadcast_arrays(ft.numpy.ones((2, 1)), ft.numpy.ones(3))]
    [(2, 3), (2, 3)]
    """
    found = [value(a, "broadcast_arrays", i) for i, a in enumerate(args)]
    shape = broadcast_shapes(*[a.shape for a in found]) if found else ()
    return [broadcast_to(a, shape) for a in found]
