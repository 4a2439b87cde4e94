"""A pytree of arrays as one vector, and back."""

import mlx.core as mx

from functape import dtypes, tree
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, size_of
from functape.ops.movement import concatenate, reshape, split
from functape.suggest import for_names_of
from functape.tensor import constant

__all__ = ["ravel_pytree"]


def ravel_pytree(pytree):
    r"""All elements of a pytree of arrays in one vector, in the dtype that holds them all.

    Args:
      pytree: pytree of arrays and numbers.

    Returns:
      ``(vector, unravel)``: the vector, and a function that gives any vector of the same length
      the structure and shapes of the pytree. Where all leaves have one dtype they take that of
      the vector; else it must be the promoted one, and each leaf gets its own. Both are
      differentiable.

    >>> import functape as ft
    >>> v, unravel = ravel_pytree({"w": ft.numpy.ones((2, 1)), "b": 3.0})
    >>> v, unravel(2 * v)["b"]
    (tensor([3., 1., 1.]), tensor(6.))
    """
    leaves, structure = tree.flatten(pytree)
    values = [constant(a, "ravel_pytree", i) for i, a in enumerate(leaves)]
    avals = [(v.shape, v.dtype) for v in values]
    dtype = dtypes.result_type(*values) if values else mx.float32
    flat = [as_type(reshape(v, shape=(size_of(v.shape),)), dtype) for v in values]
    vector = concatenate(*flat, axis=0) if flat else constant(mx.zeros(0))

    def unravel(vector):
        return tree.unflatten(structure, pieces(constant(vector, "unravel"), avals, dtype))

    return vector, unravel


def pieces(vector, avals, dtype):
    """Consecutive parts of a vector in the given shapes and dtypes."""
    sizes = [size_of(shape) for shape, _ in avals]
    if vector.shape != (sum(sizes),):
        raise ShapeError(f"unravel takes a vector of {sum(sizes)} element(s), but got "
                         f"{describe(vector)}.")
    if all(kind == dtype for _, kind in avals):
        avals = [(shape, vector.dtype) for shape, _ in avals]
    elif vector.dtype != dtype:
        raise ArgumentError(f"unravel takes a vector of {str(dtype).removeprefix('mlx.core.')}, "
                            f"but got {describe(vector)}. Convert it with astype.")
    if not sizes:
        return []
    at = [sum(sizes[:k]) for k in range(1, len(sizes))]
    parts = split(vector, at=tuple(at), axis=0) if at else (vector,)
    return [as_type(reshape(part, shape=shape), kind)
            for part, (shape, kind) in zip(parts, avals, strict=True)]

__getattr__ = for_names_of(__name__)
