"""mlx.core's functions that read and write at positions."""

from functape.mlx.translations.registry import translation
from functape.numpy import indexing as fnp
from functape.numpy.arguments import axis_of, size_of, value
from functape.ops import indexing
from functape.ops.movement import reshape


def lane(a, axis, name):
    a = value(a, name)
    if axis is None:
        return reshape(a, shape=(size_of(a.shape),)), 0
    return a, axis_of(axis, len(a.shape), name)


@translation("take")
def take(a, indices, axis=None):
    a, axis = lane(a, axis, "take")
    i = indexing.ravel_index(value(indices, "take"), sizes=(a.shape[axis],), drop=False)
    return indexing.take(a, i, axis=axis)


@translation("take_along_axis")
def take_along_axis(a, indices, axis=-1):
    return fnp.take_along_axis(value(a, "take_along_axis"), value(indices, "take_along_axis"),
                               axis)


@translation("put_along_axis")
def put_along_axis(a, indices, values, axis=None):
    return fnp.put_along_axis(value(a, "put_along_axis"), value(indices, "put_along_axis"),
                              value(values, "put_along_axis"), axis)
