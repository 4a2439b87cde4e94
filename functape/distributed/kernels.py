"""MLX's collectives on plain arrays, each in its turn."""

import mlx.core as mx
import numpy as np

from functape.distributed.turns import after_last, agree, in_turn, signature
from functape.errors import ConcretizationError, ShapeError, describe
from functape.op import levels
from functape.tensor import handle


def collective(name, function):
    """A kernel that all ranks of a group call with arrays of one shape."""

    def kernel(x, group):
        x = x if isinstance(x, mx.array) else mx.array(x)
        if group.size == 1:
            return handle(x)
        agree(group, signature(name, x))
        return in_turn(group, name, lambda x: function(x, group), x)

    return kernel


def of_mlx(name):
    """The one of that name in mlx.core.distributed."""
    function = getattr(mx.distributed, name)
    return collective(name, lambda x, group: function(x, group=group.raw))


def scattered(x, group):
    """This rank's part of the sum; where MLX's back end cannot, cut from the whole sum."""
    if group.scatters:
        return mx.distributed.sum_scatter(x, group=group.raw)
    n = x.shape[0] // group.size
    return mx.distributed.all_sum(x, group=group.raw)[group.rank * n:(group.rank + 1) * n]


# --- from one to one ------------------------------------------------------------------------------

HEADER = 16  # integers that go ahead of an array: its dtype, its number of axes, their lengths
DTYPES = (mx.bool_, mx.uint8, mx.uint16, mx.uint32, mx.uint64, mx.int8, mx.int16, mx.int32,
          mx.int64, mx.float16, mx.bfloat16, mx.float32, mx.float64, mx.complex64)


def header(shape, dtype):
    if len(shape) > HEADER - 2:
        raise ShapeError(f"send and recv take arrays of at most {HEADER - 2} axes, but the shape "
                         f"is {tuple(shape)}. Reshape it first.")
    lengths = [*shape, *[0] * (HEADER - 2 - len(shape))]
    return mx.array([DTYPES.index(dtype), len(shape), *lengths], mx.int32)


def nothing(x, shape, dtype):
    return mx.depends(mx.zeros(shape, dtype), x)


def send(x, dst, group):
    """A number, 0, that is there once the array is sent."""
    x = x if isinstance(x, mx.array) else mx.array(x)

    def communicate(a):
        return mx.distributed.send(a, dst, group=group.raw)

    in_turn(group, "send", communicate, header(x.shape, x.dtype))
    sent = in_turn(group, "send", communicate, x)
    return nothing(sent, (), mx.float32)


def recv(x, shape, dtype, src, group):
    """The array that was sent; `x` is a number that must be there first.

    MLX's recv takes no array, and so would wait for none: what came before is evaluated here.
    """
    if levels.tracing:
        raise ConcretizationError("recv has no place in a compiled graph, since MLX's takes no "
                                  "array that would say when it is its turn. Call it outside.")

    def receive(shape, dtype):
        mx.eval(after_last(group, x))
        return in_turn(group, "recv", lambda _: mx.distributed.recv(
            shape, dtype, src, group=group.raw), x)

    kind, axes, *lengths = np.array(receive((HEADER,), mx.int32)).tolist()
    came = receive(tuple(lengths[:axes]), DTYPES[kind])
    if (came.shape, came.dtype) != (tuple(shape), dtype):
        raise ShapeError(f"recv: rank {src} has sent {describe(came)}, but rank {group.rank} "
                         f"expects {describe(mx.zeros(shape, dtype))}. Give recv the shape and "
                         "dtype of what is sent.")
    return came
