"""The collectives for the user: any array in, the same kind of array out."""

import mlx.core as mx

from functape.distributed import ops
from functape.distributed.groups import as_group
from functape.dtypes import as_dtype
from functape.errors import ArgumentError, ShapeError, describe
from functape.ops.movement import reshape
from functape.tensor import constant
from functape.transforms import boundary


def apply(name, op, x, group):
    """An op on any array; MLX's arrays come back as such."""
    value = op(constant(x, name), group=as_group(group, name))
    return boundary.give(value, boundary.is_plain(x))


def all_sum(x, *, group=None):
    r"""The sum of all ranks' arrays, on every rank.

    .. math:: y_r = \sum_s x_s

    Its transpose is itself: the derivative is that of the sum of what all ranks return, so the
    cotangents of all ranks are summed. (MLX's own rule takes this rank's alone.)

    Args:
      x: array, of one shape and dtype on all ranks.
      group: `Group`; None: all processes.

    >>> import functape as ft
    >>> ft.distributed.all_sum(ft.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    return apply("all_sum", ops.all_sum, x, group)


def all_mean(x, *, group=None):
    r"""The mean of all ranks' arrays, on every rank.

    .. math:: y_r = \frac{1}{R} \sum_s x_s

    Its transpose is itself. Arguments as for `all_sum`.

    >>> import functape as ft
    >>> ft.distributed.all_mean(ft.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    group = as_group(group, "all_mean")
    return apply("all_mean", lambda x, group: ops.all_sum(x, group=group) / group.size, x, group)


def all_max(x, *, group=None):
    r"""The largest of all ranks' arrays, element by element, on every rank.

    .. math:: y_r = \max_s x_s

    Ranks that reach the maximum share the derivative evenly. Arguments as for `all_sum`.

    >>> import functape as ft
    >>> ft.distributed.all_max(ft.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    return apply("all_max", ops.all_max, x, group)


def all_min(x, *, group=None):
    r"""The smallest of all ranks' arrays, element by element, on every rank.

    .. math:: y_r = \min_s x_s

    Ranks that reach the minimum share the derivative evenly. Arguments as for `all_sum`.

    >>> import functape as ft
    >>> ft.distributed.all_min(ft.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    return apply("all_min", ops.all_min, x, group)


def all_gather(x, *, group=None):
    """All ranks' arrays along the first axis, in the order of the ranks, on every rank.

    ``(n, ...) -> (R n, ...)``; numbers, ``()``, give ``(R,)``. Its transpose is `sum_scatter`.
    Arguments as for `all_sum`.

    >>> import functape as ft
    >>> ft.distributed.all_gather(ft.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    def gather(x, group):
        return ops.all_gather(x if x.shape else reshape(x, shape=(1,)), group=group)

    return apply("all_gather", gather, x, group)


def sum_scatter(x, *, group=None):
    """The sum of all ranks' arrays, of which each rank gets its part of the first axis.

    ``(R n, ...) -> (n, ...)``. Its transpose is `all_gather`. Where MLX's back end has no such
    collective (the ring has none) the whole sum goes round. Arguments as for `all_sum`.

    >>> import functape as ft
    >>> ft.distributed.sum_scatter(ft.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    def scatter(x, group):
        if not x.shape or x.shape[0] % group.size:
            raise ShapeError(f"sum_scatter cuts the first axis into {group.size} parts, one a "
                             f"rank, but the array is {describe(x)}. Pad it.")
        return ops.sum_scatter(x, group=group)

    return apply("sum_scatter", scatter, x, group)


def send(x, dst, *, group=None):
    """Send an array to another rank, which calls `recv`.

    Its transpose is `recv`: the derivative by `x` comes back from `dst`. So the stages of a
    pipeline each differentiate what they return, all but the last the result of `send`.

    Args:
      x: array.
      dst: rank to send to; on MLX's ring a neighbour.
      group: `Group`; None: all processes.

    Returns:
      0, as a number that carries the derivative; the array is sent once this is evaluated, or
      anything that is communicated later.

    >>> import functape as ft
    >>> ft.distributed.send(ft.tensor([1.0]), dst=1)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ArgumentError: send: dst must be another rank, but is 1 in a group of 1.
    """
    group = as_group(group, "send")
    check_peer("send", "dst", dst, group)
    return apply("send", lambda x, group: ops.send(x, dst=dst, group=group), x, group)


def recv(shape, dtype, src, *, after=None, group=None):
    """Receive an array that another rank sends.

    Its transpose is `send`: the cotangent goes back to `src`. It is a constant, and nothing goes
    back, unless `after` is something that is differentiated here, such as one of this rank's
    parameters; then `src` must wait for the derivative of what it sent. Not inside `functape.jit`.

    Args:
      shape, dtype: those of the array that is sent.
      src: rank that sends it; on MLX's ring a neighbour.
      after: array that must be there first; its elements have no part in the result.
      group: `Group`; None: all processes.

    >>> import functape as ft
    >>> ft.distributed.recv((1,), "float32", src=1)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ArgumentError: recv: src must be another rank, but is 1 in a group of 1.
    """
    group = as_group(group, "recv")
    check_peer("recv", "src", src, group)
    first = constant(mx.zeros(()) if after is None else after, "recv")
    out = ops.recv(first, shape=tuple(shape), dtype=as_dtype(dtype, "recv"), src=src, group=group)
    return boundary.give(out, boundary.is_plain(after))


def check_peer(name, word, rank, group):
    others = [r for r in range(group.size) if r != group.rank]
    if rank not in others:
        raise ArgumentError(f"{name}: {word} must be another rank, but is {rank!r} in a group of "
                            f"{group.size}.")
    if group.backend == "ring" and (rank - group.rank) % group.size not in (1, group.size - 1):
        raise ArgumentError(f"{name}: on MLX's ring, rank {group.rank} of {group.size} reaches its "
                            f"two neighbours only, but {word} is {rank}. Go by them, or use "
                            "mlx.launch --backend mpi.")
