"""Arrays are computed late; this is how to wait for them."""

import mlx.core as mx

from functape import tree
from functape.arrays import reading
from functape.numpy.plain_values import concrete
from functape.op import Value
from functape.pairs import halves


def block_until_ready(x):
    """Wait until all arrays are computed; returns `x`. MLX begins when a value is asked for.

    Args:
      x: array, or pytree of arrays and anything else.

    >>> import functape as ft
    >>> ft.block_until_ready({"step": 3, "loss": ft.numpy.sum(ft.numpy.ones(4))})
    {'step': 3, 'loss': tensor(4.)}
    """
    arrays = [concrete(a, "block_until_ready") for a in tree.leaves(x)
              if isinstance(a, (Value, mx.array))]
    reading("block_until_ready", x, lambda _: mx.eval(halves(arrays)))
    return x
