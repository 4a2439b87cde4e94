"""Data-parallel training: each rank a part of the batch, all ranks the same parameters."""

import functools
import math

import mlx.core as mx

from functape import tree
from functape.distributed import ops
from functape.distributed.collectives import all_mean
from functape.distributed.groups import as_group
from functape.distributed.turns import agree
from functape.errors import ArgumentError, ShapeError, describe
from functape.op import Value
from functape.ops.movement import concatenate, cut, reshape
from functape.tensor import constant
from functape.transforms import boundary
from functape.transforms import value_and_grad as transform

BUCKET = 32 * 2**20  # bytes


def average_gradients(gradients, group=None, *, bucket_bytes=BUCKET):
    r"""The mean of all ranks' gradients, on every rank.

    .. math:: \bar g_r = \frac{1}{R} \sum_s g_s

    Arrays of one dtype are put together into buckets, each of which goes round at once. Before the
    first such tree the ranks compare structures, shapes and dtypes.

    Args:
      gradients: pytree of arrays, of the same structure on all ranks.
      group: `Group`; None: all processes.
      bucket_bytes: a bucket is full when it has as many bytes; 0: no buckets.

    Returns:
      A pytree of the same structure; `mx.array`s stay such. It can be differentiated.

    >>> import functape as ft, mlx.core as mx
    >>> ft.distributed.average_gradients({"w": mx.array([1.0, 2.0]), "b": mx.array(3.0)})
    {'w': array([1, 2], dtype=float32), 'b': array(3, dtype=float32)}
    """
    group = as_group(group, "average_gradients")
    leaves, structure = tree.flatten(gradients)
    paths = tree.paths(gradients)
    for path, leaf in zip(paths, leaves, strict=True):
        if not isinstance(leaf, boundary.ARRAYS):
            raise ArgumentError("average_gradients takes a pytree of arrays, but "
                                f"gradients{path} is {describe(leaf)}. Take it out.")
    values = [constant(a) for a in leaves]
    agree(group, "\n".join([
        f"average_gradients of {len(values)} arrays in buckets of {bucket_bytes} bytes",
        *(f"gradients{p}, {describe(v)}" for p, v in zip(paths, values, strict=True))]))
    means = list(values)
    for bucket in buckets(values, bucket_bytes):
        for i, mean in zip(bucket, averaged([values[i] for i in bucket], group), strict=True):
            means[i] = mean
    plain = [isinstance(a, mx.array) and not isinstance(a, Value) for a in leaves]
    return tree.unflatten(structure, [boundary.give(m, p)
                                      for m, p in zip(means, plain, strict=True)])


def buckets(values, full):
    """The positions of the values, put together by dtype until a bucket is full."""
    done, open_ones = [], {}
    for i, v in enumerate(values):
        bucket, size = open_ones.pop(v.dtype, ([], 0))
        bucket, size = [*bucket, i], size + count(v.shape) * v.dtype.size
        if size >= full:
            done.append(bucket)
        else:
            open_ones[v.dtype] = bucket, size
    return done + [bucket for bucket, _ in open_ones.values()]


def count(shape):
    return math.prod(shape)


def averaged(values, group):
    """The means of some arrays of one dtype, by one collective."""
    if len(values) == 1:
        return [all_mean(values[0], group=group)]
    flat = all_mean(concatenate(*[reshape(v, shape=(count(v.shape),)) for v in values], axis=0),
                    group=group)
    found, start = [], 0
    for v in values:
        stop = start + count(v.shape)
        found.append(reshape(cut(flat, index=(slice(start, stop),)), shape=v.shape))
        start = stop
    return found


def value_and_grad(f, argnums=0, has_aux=False, *, group=None, bucket_bytes=BUCKET):
    """As `functape.value_and_grad`: the means of the values and of the gradients of all ranks.

    With equal parts of a batch and a loss that is a mean over its part, they are those of the whole
    batch. Nothing is communicated but the result, in the buckets of `average_gradients`.

    Args:
      f: function of this rank's part of the batch, which returns a scalar; with `has_aux` a pair
        (scalar, whatever else), of which the latter stays this rank's.
      argnums: which arguments to differentiate, as for `functape.grad`.
      group: `Group`; None: all processes.
      bucket_bytes: as for `average_gradients`.

    >>> import functape as ft, mlx.core as mx
    >>> step = ft.distributed.value_and_grad(lambda w, x: ((x @ w) ** 2).mean())
    >>> step(mx.array([1.0, 0.0]), mx.array([[3.0, 1.0]]))
    (array(9, dtype=float32), array([18, 6], dtype=float32))
    """
    local = transform(f, argnums=argnums, has_aux=has_aux)

    @functools.wraps(f)
    def value_and_gradient(*args, **kwargs):
        out, gradient = local(*args, **kwargs)
        value, *aux = out if has_aux else (out,)
        value, gradient = average_gradients((value, gradient), group, bucket_bytes=bucket_bytes)
        return ((value, *aux) if has_aux else value), gradient

    return value_and_gradient


def shard(batch, group=None):
    """This rank's rows of a batch: as many as any other's, in the order of the ranks.

    Args:
      batch: pytree of arrays ``(R n, ...)``, the same on all ranks; R is the number of ranks.
      group: `Group`; None: all processes.

    Returns:
      A pytree of arrays ``(n, ...)``.

    >>> import functape as ft, mlx.core as mx
    >>> ft.distributed.shard({"x": mx.ones((8, 3))})["x"].shape
    (8, 3)
    """
    group = as_group(group, "shard")

    def rows(leaf):
        shape = getattr(leaf, "shape", ())
        if not shape or shape[0] % group.size:
            raise ShapeError(f"shard cuts the first axis into {group.size} parts, one a rank, but "
                             f"the batch holds {describe(leaf)}. Leave rows out, or pad it.")
        n = shape[0] // group.size
        return leaf[group.rank * n:(group.rank + 1) * n]

    return tree.map(rows, batch)


def broadcast(arrays, src=0, *, group=None):
    """One rank's arrays, on every rank: the same parameters to begin with.

    Args:
      arrays: pytree of arrays, of one structure on all ranks.
      src: rank whose values all get.
      group: `Group`; None: all processes.

    >>> import functape as ft, mlx.core as mx
    >>> ft.distributed.broadcast({"w": mx.array([1.0, 2.0])})
    {'w': array([1, 2], dtype=float32)}
    """
    group = as_group(group, "broadcast")
    if src not in range(group.size):
        raise ArgumentError(f"broadcast: src must be a rank of {group}, but is {src!r}.")

    def one(a):
        value = constant(a, "broadcast")
        mine = value if group.rank == src else constant(mx.zeros(value.shape, value.dtype))
        return boundary.give(ops.all_sum(mine, group=group), boundary.is_plain(a))

    return tree.map(one, arrays)
