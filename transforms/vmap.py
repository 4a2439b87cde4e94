"""vmap: run the function once, on values that carry a hidden leading batch axis."""

import contextlib
import functools

import mlx.core as mx
import optree

from functape import tree
from functape.errors import ArgumentError, ShapeError, check_callable, describe
from functape.op import NUMBERS, Value, levels
from functape.ops.movement import concatenate, cut, spread, stack, transpose
from functape.pairs import halves
from functape.tensor import Tensor, constant
from functape.transforms import boundary


class Batched(Value):
    """A value with one more leading axis than the function sees."""

    __slots__ = ("rank", "data", "count")

    def __init__(self, rank, data, count):
        self.rank, self.data, self.count = rank, data, count  # `size` is the user's: elements

    @property
    def shape(self):
        return self.data.shape[1:]

    @property
    def dtype(self):
        return self.data.dtype

    def interpret(self, op, args, params):
        """Apply the op's batch rule to the data."""
        rank, data, mapped = self.rank, [], []
        for a in args:
            own = type(a) is Batched and a.rank == rank
            if own:
                a = a.data
            elif isinstance(a, Value):
                if a.rank > rank:
                    return a.interpret(op, args, params)
            elif not isinstance(a, NUMBERS):
                a = constant(a)
            data.append(a)
            mapped.append(own)
        rule = op.batch or batch_by_loop
        out = rule(op, self.count, data, tuple(mapped), params)
        if type(out) is tuple:
            return tuple([Batched(rank, o, self.count) for o in out])
        return Batched(rank, out, self.count)

    def __repr__(self):
        return f"Batched({describe(self)}, size={self.count})"


def batch_by_loop(op, size, args, mapped, params):
    """For an op without a batch rule: one application a row."""
    rows = [op(*[cut(a, index=(i,)) if m else a for a, m in zip(args, mapped, strict=True)],
               **params) for i in range(size)]
    if type(rows[0]) is tuple:
        return tuple(stack(*column, axis=0) for column in zip(*rows, strict=True))
    return stack(*rows, axis=0)


def vmap(f, in_axes=0, out_axes=0, axis_name=None, axis_size=None, chunk_size=None):
    r"""A function that applies `f` to each entry along an axis of its arguments, at once.

    .. math:: \operatorname{vmap}(f)(x)_i = f(x_i)

    Args:
      f: function of arrays or pytrees of arrays.
      in_axes: the axis to map over, None for an argument that is the same for all; an integer
        for all arguments, or a tuple with one entry an argument, each an axis or a pytree of
        axes that is a prefix of the argument.
      out_axes: where the mapped axis goes in the results, likewise.
      axis_name: a name for the axis, for `lax.psum`, `lax.pmean` and `lax.axis_index` in `f`.
      axis_size: the length of the axis; needed where no argument is mapped.
      chunk_size: map this many entries at a time, to bound the memory; None: all at once.

    Returns:
      The mapped function. Keyword arguments are mapped over their leading axis.

    >>> import functape as ft
    >>> ft.vmap(lambda x, y: x * y, in_axes=(0, None))(ft.numpy.arange(3.0), 10.0)
    tensor([ 0., 10., 20.])
    """
    check_callable("vmap", f)
    if not isinstance(in_axes, (int, tuple, list, type(None))):
        raise ArgumentError("vmap: in_axes must be an integer, None, or a tuple with one entry an "
                            f"argument, but is {describe(in_axes)}.")
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
        raise ArgumentError(f"vmap: chunk_size is a positive integer or None, but is "
                            f"{describe(chunk_size)}.")

    @functools.wraps(f)
    def mapped(*args, **kwargs):
        plain = boundary.is_plain(args, kwargs)
        batch = Batch(args, kwargs, in_axes, axis_size)
        step = chunk_size or max(batch.size, 1)
        starts = range(0, batch.size, step) or [0]
        parts = [batch.run(f, out_axes, axis_name, start, step) for start in starts]
        outs, form, axes = parts[0]
        if len(parts) > 1:
            outs = [joined([part[0][i] for part in parts], axis) for i, axis in enumerate(axes)]
        return optree.tree_unflatten(form, [boundary.give(o, plain) for o in outs])

    return mapped


class Batch:
    """The arguments of one call of a mapped function, flattened, with the axis of each leaf."""

    def __init__(self, args, kwargs, in_axes, axis_size):
        if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
            raise ShapeError(f"vmap: in_axes has {len(in_axes)} entries, but the function was "
                             f"called with {len(args)} positional argument(s). Give one entry "
                             "for each.")
        axes = tuple(in_axes) if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        axes = 0 if type(in_axes) is int and in_axes == 0 else (axes, 0)  # keywords: always 0
        leaves, self.structure, self.axes = spread_axes("in_axes", axes, (args, kwargs))
        values = [a if axis is None else constant(a, "vmap", i)
                  for i, (a, axis) in enumerate(zip(leaves, self.axes, strict=True))]
        self.size = common_size(values, self.axes, axis_size)
        self.values = [v if axis is None else front(v, axis)
                       for v, axis in zip(values, self.axes, strict=True)]

    def run(self, f, out_axes, name, start, step):
        """(leaves, structure, axes) of the results for some of the entries."""
        count = min(step, self.size - start)
        with levels as rank, boundary.inside(), named(name, rank, count):
            inner = [v if axis is None else Batched(rank, part(v, start, count), count)
                     for v, axis in zip(self.values, self.axes, strict=True)]
            args, kwargs = optree.tree_unflatten(self.structure, inner)
            out = f(*boundary.enter(args, set()), **kwargs)
            boundary.outputs("vmap", out)
            outs, form, axes = spread_axes("out_axes", out_axes, out)
            done = [unbatch(boundary.lower(o, rank), rank, count, axis)
                    for o, axis in zip(outs, axes, strict=True)]
        if count < self.size:
            evaluate(done)
        return done, form, axes


def part(value, start, count):
    if value.shape[0] == count:
        return value
    return cut(value, index=(slice(start, start + count),))


def joined(parts, axis):
    """The results of all chunks; one that is not mapped is the same in each."""
    if axis is None or parts[0] is None:
        return parts[0]
    return concatenate(*parts, axis=axis % len(parts[0].shape))


def evaluate(values):
    """Compute a chunk before the next one starts, where the values are there to be computed."""
    arrays = [v.array for v in values if type(v) is Tensor and v.rank == 0]
    if levels.depth == 0 and not levels.tracing:
        mx.eval(halves(arrays))


@contextlib.contextmanager
def named(name, rank, size):
    """While it runs, collectives know the axis by its name."""
    if name is None:
        yield
        return
    outer = levels.axes.get(name)
    levels.axes = {**levels.axes, name: (rank, size)}
    try:
        yield
    finally:
        levels.axes = {k: v for k, v in levels.axes.items() if k != name}
        if outer is not None:
            levels.axes[name] = outer


def spread_axes(name, axes, args):
    """Leaves of `args`, their structure, and the axis of each."""
    options = {"none_is_leaf": True, "namespace": tree.NAMESPACE}
    leaves, structure = optree.tree_flatten(args, **options)
    if type(axes) is int:  # what broadcast_prefix would find, in a tenth of the time
        leaf_axes = [axes] * len(leaves)
    else:
        try:
            leaf_axes = optree.broadcast_prefix(axes, args, **options)
        except ValueError as error:
            raise ShapeError(f"vmap: {name} must be a prefix of what it belongs to: {error}"
                             ) from None
    for axis in leaf_axes:
        if axis is not None and type(axis) is not int:
            raise ArgumentError(f"vmap: an entry of {name} must be an integer or None, but is "
                                f"{describe(axis)}.")
    axes = [None if leaf is None else axis for leaf, axis in zip(leaves, leaf_axes, strict=True)]
    return leaves, structure, axes


def common_size(values, axes, axis_size):
    sizes = {}
    for i, (v, axis) in enumerate(zip(values, axes, strict=True)):
        if axis is None:
            continue
        n = len(v.shape)
        if not -n <= axis < n:
            raise ShapeError(f"vmap: leaf {i} of the arguments is {describe(v)} and has no axis "
                             f"{axis}. Map over one of its {n} axes, or give it the axis None.")
        sizes.setdefault(v.shape[axis], []).append(i)
    if axis_size is not None:
        sizes.setdefault(axis_size, []).append(None)
    if not sizes:
        raise ShapeError("vmap: no argument is mapped. Give at least one an axis in in_axes, or "
                         "pass axis_size.")
    if len(sizes) > 1:
        def name(i):
            return "axis_size" if i is None else f"leaf {i} ({describe(values[i])}, axis {axes[i]})"

        listed = "; ".join(f"{n}: {', '.join(map(name, found))}" for n, found in sizes.items())
        raise ShapeError(f"vmap: all mapped axes must have one length, but there are {listed}.")
    return next(iter(sizes))


def front(value, axis):
    """The mapped axis first."""
    n = len(value.shape)
    axis %= n
    if axis == 0:
        return value
    return transpose(value, axes=(axis, *[i for i in range(n) if i != axis]))


def unbatch(value, rank, size, axis):
    """A result with its mapped axis where out_axes wants it; constants are repeated."""
    if value is None:
        return None
    value = constant(value)
    own = type(value) is Batched and value.rank == rank
    if axis is None:
        if own:
            raise ShapeError("vmap: out_axes is None for a result that differs along the mapped "
                             "axis. Give it an axis, or reduce the result.")
        return value
    data = value.data if own else spread(value, size)
    n = len(data.shape)
    if not -n <= axis < n:
        raise ShapeError(f"vmap: out_axes {axis} does not exist in a result of {n} axes.")
    axis %= n
    rest = list(range(1, n))
    return data if axis == 0 else transpose(data, axes=(*rest[:axis], 0, *rest[axis:]))
