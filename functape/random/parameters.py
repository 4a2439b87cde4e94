"""What users write for shapes, dtypes and parameters of distributions."""

import mlx.core as mx

from functape.errors import ShapeError
from functape.numpy.arguments import as_type, shape_of
from functape.numpy.arguments import floats as as_floats
from functape.numpy.broadcasting import broadcast_shapes, broadcast_to
from functape.op import NUMBERS
from functape.random.keys import float_type

RESOLUTIONS = (None, "low", "high")  # JAX's choice of how fine random bits are; without effect


def parameters(name, shape, dtype, *given):
    """(shape, dtype, parameters): values of the dtype; the shape is theirs unless it is given, and
    the dtype too, if they are arrays."""
    values = as_floats(name, *given)
    if dtype is None:
        kinds = [a.dtype for a, g in zip(values, given, strict=True) if type(g) not in NUMBERS]
        dtype = kinds[0] if kinds else mx.float32
    dtype = float_type(dtype, name)
    values = [as_type(a, dtype) for a in values]
    own = broadcast_shapes(*[a.shape for a in values])
    if shape is None:
        return own, dtype, values
    shape = shape_of(shape, name)
    if not fits(own, shape):
        raise ShapeError(f"{name}: the parameters have the shape {own}, which does not broadcast "
                         f"to shape {shape}. Give a shape that ends with theirs.")
    return shape, dtype, values


def fits(own, shape):
    """Whether an array of shape `own` broadcasts to `shape`."""
    tail = shape[len(shape) - len(own):] if own else ()
    return len(own) <= len(shape) and all(m in (1, n) for m, n in zip(own, tail, strict=True))


def full(a, shape):
    """A parameter in the full shape."""
    return a if a.shape == shape else broadcast_to(a, shape)

