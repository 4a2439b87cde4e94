"""Collectives: what an entry of a named vmap axis can know of the others."""

from functape.errors import UnboundAxisError
from functape.op import LINEAR, Op, Value, levels
from functape.ops.families import batch_same, total
from functape.tensor import constant
from functape.transforms.vmap import Batched


class AxisSum(Op):
    """The sum over a named axis; its own transpose. At the level of that axis it is a plain sum,
    the same for all entries; what is not mapped there counts once for each entry."""

    def __call__(self, x, *, rank, size):
        if type(x) is Batched and x.rank == rank:
            return total(x.data, axis=(0,), keepdims=False)
        if not isinstance(x, Value) or x.rank < rank:
            return constant(x) * size
        return super().__call__(x, rank=rank, size=size)


axis_sum = AxisSum(
    "psum", lambda x, rank, size: x * size, args=("x",), jvp=LINEAR, batch=batch_same,
    vjp=[lambda g, rank, size: axis_sum(g, rank=rank, size=size)], doc="Sum over a named axis.",
)


def frame(name, axis_name):
    """(rank, size) of a named axis of a vmap that runs."""
    if axis_name not in levels.axes:
        known = ", ".join(map(repr, levels.axes)) or "none"
        raise UnboundAxisError(f"{name}: no running vmap has an axis named {axis_name!r} (there: "
                               f"{known}). Pass axis_name to vmap.")
    return levels.axes[axis_name]


def over_axes(name, f, x, axis_name):
    """f for one name, or for each of a tuple in turn; on each leaf of a pytree."""
    from functape import tree

    names = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
    for one in names:
        rank, size = frame(name, one)
        x = tree.map(lambda a, r=rank, n=size: f(a, r, n), x)
    return x


def psum(x, axis_name):
    r"""The sum of `x` over all entries of a mapped axis.

    .. math:: y_i = \sum_j x_j

    Args:
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: x / ft.lax.psum(x, "i"), axis_name="i")(ft.numpy.array([1.0, 3.0]))
    tensor([0.25, 0.75])
    """
    return over_axes("psum", lambda a, rank, size: axis_sum(a, rank=rank, size=size), x, axis_name)


def pmean(x, axis_name):
    """The mean of `x` over all entries of a mapped axis.

    Args:
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: x - ft.lax.pmean(x, "i"), axis_name="i")(ft.numpy.array([1.0, 3.0]))
    tensor([-1.,  1.])
    """
    return over_axes("pmean", lambda a, rank, size: axis_sum(a, rank=rank, size=size) / size, x,
                     axis_name)


def all_gather(x, axis_name):
    """The values of all entries of a mapped axis, along a new leading axis.

    Args:
      x: array.
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: ft.lax.all_gather(x, "i"), axis_name="i")(ft.numpy.array([1.0, 3.0]))
    tensor([[1., 3.],
            [1., 3.]])
    """

    def gather(a, rank, size):
        from functape.numpy import arange, expand_dims

        a = constant(a)
        here = arange(size) == Batched(rank, arange(size), size)
        here = here.reshape((size, *(1,) * len(a.shape)))
        return axis_sum(here * expand_dims(a, 0), rank=rank, size=size)

    return over_axes("all_gather", gather, x, axis_name)


def pmax(x, axis_name):
    """The largest of `x` over all entries of a mapped axis.

    Args:
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: ft.lax.pmax(x, "i"), axis_name="i")(ft.numpy.array([1.0, 3.0]))
    tensor([3., 3.])
    """
    return all_gather(x, axis_name).max(0)


def pmin(x, axis_name):
    """The smallest of `x` over all entries of a mapped axis.

    Args:
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: ft.lax.pmin(x, "i"), axis_name="i")(ft.numpy.array([1.0, 3.0]))
    tensor([1., 1.])
    """
    return all_gather(x, axis_name).min(0)


def axis_index(axis_name):
    """The position of an entry along a mapped axis.

    Args:
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: ft.lax.axis_index("i"), axis_name="i")(ft.numpy.zeros(3))
    tensor([0, 1, 2])
    """
    from functape.numpy import arange

    rank, size = frame("axis_index", axis_name)
    return Batched(rank, arange(size), size)


def axis_size(axis_name):
    """The length of a mapped axis, a Python integer.

    Args:
      axis_name: the name that `vmap` gave the axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x: x / ft.lax.axis_size("i"), axis_name="i")(ft.numpy.ones(4))
    tensor([0.25, 0.25, 0.25, 0.25])
    """
    return frame("axis_size", axis_name)[1]
