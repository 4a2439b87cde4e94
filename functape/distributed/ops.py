"""The collectives as ops. All but the extremes are linear: a kernel and its transpose.

Seen over all ranks together they are linear maps of all their arrays, and what is differentiated is
the sum of what all ranks return. So a value that every rank gets from every rank sends its
cotangent back to every rank: the transpose of all_sum is all_sum.
"""

import mlx.core as mx

from functape.distributed import kernels
from functape.op import LINEAR, Op, Rule
from functape.ops.families import astype, batch_same, broadcast_to
from functape.ops.movement import transpose


def collective(name, kernel, *, vjp, jvp=LINEAR, batch=batch_same, args=("x",), doc=""):
    return Op(name, kernel, args=args, vjp=vjp, jvp=jvp, batch=batch, doc=doc, register=False)


# --- sums -----------------------------------------------------------------------------------------


def batch_leading(op, size, args, mapped, params):
    """The collective acts on the first axis, so the batch axis has to stand behind it."""
    (x,) = args
    swap = (1, 0, *range(2, len(x.shape)))
    return transpose(op(transpose(x, axes=swap), **params), axes=swap)


all_sum = collective(
    "all_sum", kernels.of_mlx("all_sum"), vjp=[lambda g, group: all_sum(g, group=group)],
    doc="The sum of all ranks' arrays, on every rank.",
)
all_gather = collective(
    "all_gather", kernels.of_mlx("all_gather"), batch=batch_leading,
    vjp=[lambda g, group: sum_scatter(g, group=group)],
    doc="All ranks' arrays along the first axis, on every rank.",
)
sum_scatter = collective(
    "sum_scatter", kernels.collective("sum_scatter", kernels.scattered), batch=batch_leading,
    vjp=[lambda g, group: all_gather(g, group=group)],
    doc="The sum of all ranks' arrays, each rank a part of it.",
)

# --- extremes -------------------------------------------------------------------------------------


def reached(x, ans, group):
    """How much of the extreme is each rank's: those that reach it share it evenly."""
    here = astype(x == ans, dtype=x.dtype)
    return here / all_sum(here, group=group)


def extreme(name):
    rule = Rule(lambda g, x, ans, group: all_sum(g, group=group) * reached(x, ans, group))
    move = Rule(lambda t, x, ans, group: all_sum(t * reached(x, ans, group), group=group))
    return collective(name, kernels.of_mlx(name), vjp=[rule], jvp=[move],
                      doc=f"The {name[-3:]}imum of all ranks' arrays, on every rank.")


all_max, all_min = extreme("all_max"), extreme("all_min")

# --- from one to one ------------------------------------------------------------------------------
# An array leaves the tape of one rank and enters that of another. What comes back depends on what
# went out, but by way of the other rank, which this tape does not see: `tie` puts that on the tape,
# so that the next derivative goes the whole way too.


def batch_shape(op, size, args, mapped, params):
    return op(*args, **{**params, "shape": (size, *params["shape"])})


nothing = collective(
    "nothing", kernels.nothing, batch=batch_shape,
    vjp=[lambda g, x_shape, x_dtype: nothing(g, shape=x_shape, dtype=x_dtype)],
    doc="Zeros of a shape, that are there once x is.",
)


def batch_tie(op, size, args, mapped, params):
    x, y = args
    return op(x if mapped[0] else broadcast_to(x, shape=(size, *x.shape)), y)


tie = collective(
    "tie", lambda x, y: mx.depends(x, y), args=("x", "y"), batch=batch_tie,
    vjp=[lambda g: g, lambda g, y_shape, y_dtype: nothing(g, shape=y_shape, dtype=y_dtype)],
    jvp=[lambda t: t, lambda t, x_shape, x_dtype: nothing(t, shape=x_shape, dtype=x_dtype)],
    doc="x, with a place on the tape wherever y has one; the derivative by y is zero.",
)


def batch_send(op, size, args, mapped, params):
    return broadcast_to(op(*args, **params), shape=(size,))


send = collective(
    "send", kernels.send, batch=batch_send,
    vjp=[lambda g, ans, x_shape, x_dtype, dst, group: recv(
        tie(g, ans), shape=x_shape, dtype=x_dtype, src=dst, group=group)],
    doc="Send an array to another rank; 0, once it is sent.",
)
recv = collective(
    "recv", kernels.recv, batch=batch_shape,
    vjp=[lambda g, ans, x_shape, x_dtype, src, group: nothing(
        send(tie(g, ans), dst=src, group=group), shape=x_shape, dtype=x_dtype)],
    doc="Receive an array from another rank, once x is there; x's elements have no part in it.",
)
