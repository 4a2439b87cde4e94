"""What an array is like: Array, typeof, and eval_shape, which computes nothing.

The function is traced by MLX's compiler, where arrays have shapes and dtypes but no values; so it
can neither use memory nor look at an element.
"""

import mlx.core as mx

from functape import dtypes, tree
from functape.autograd.checkpoint import generator_key, set_generator_key
from functape.autograd.grad_mode import no_grad
from functape.errors import ArgumentError, check_callable, describe
from functape.numpy.arguments import shape_of, size_of
from functape.op import Value
from functape.pairs import halves, joined, pairs_among, zeros
from functape.tensor import constant
from functape.transforms import boundary
from functape.transforms.jit import tracing


class ShapeDtypeStruct:
    """The shape and dtype of an array that need not exist.

    >>> ShapeDtypeStruct((2, 3), "float32")
    ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype):
        self.shape = shape_of(shape, "ShapeDtypeStruct")
        self.dtype = dtypes.as_dtype(dtype, "ShapeDtypeStruct")

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return size_of(self.shape)

    def __repr__(self):
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={dtypes.dtype_name(self.dtype)})"

    def __eq__(self, other):
        return type(other) is ShapeDtypeStruct and (
            (self.shape, self.dtype) == (other.shape, other.dtype))

    def __hash__(self):
        return hash((self.shape, str(self.dtype)))


class IsArray(type):
    """Asks whether a value stands for an array, inside of transforms too."""

    def __instancecheck__(cls, value):
        return isinstance(value, (Value, mx.array))


class Array(metaclass=IsArray):
    """The type of all arrays, for `isinstance` and annotations: tensors, `mx.array`s, and what
    stands for them while a transform runs.

    >>> import functape as ft
    >>> isinstance(ft.numpy.ones(2), Array), isinstance(1.0, Array)
    (True, False)
    """


def typeof(x):
    """The shape and dtype of an array or a number.

    Args:
      x: array or number.

    >>> import functape as ft
    >>> typeof(ft.numpy.ones(3))
    ShapeDtypeStruct(shape=(3,), dtype=float32)
    """
    return ShapeDtypeStruct(*form_of(x, 0, "typeof"))


class Done(Exception):  # noqa: N818 - it signals success
    """Ends a trace whose results are not wanted."""


def eval_shape(f, *args, **kwargs):
    """The structure, shapes and dtypes of what `f` would return; nothing is computed.

    Args:
      f: function of arrays or pytrees of arrays.
      *args, **kwargs: arrays, numbers, or anything with a shape and a dtype in their place.

    Returns:
      A pytree of `ShapeDtypeStruct`.

    Raises:
      ConcretizationError: `f` asks for the value of an array.

    >>> import functape as ft
    >>> big = ft.ShapeDtypeStruct((1_000_000, 1_000_000), "float32")
    >>> ft.eval_shape(lambda x: (x @ x).sum(0), big)
    ShapeDtypeStruct(shape=(1000000,), dtype=float32)
    """
    check_callable("eval_shape", f)
    leaves, structure = tree.flatten((args, kwargs))
    forms = [form_of(a, i) for i, a in enumerate(leaves)]
    found, given = [], [zeros(*form) for form in forms]

    def trace(arrays):
        arrays = joined(arrays, pairs_among(given))
        args, kwargs = tree.unflatten(structure, [constant(a) for a in arrays])
        with no_grad(), boundary.inside(), tracing():
            outs, form = boundary.outputs("eval_shape", f(*args, **kwargs))
        found.append(tree.unflatten(form, [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]))
        raise Done

    before = generator_key()
    try:
        mx.compile(trace)(halves(given))
    except Done:
        pass
    finally:
        if before is not None:
            set_generator_key(before)
    return found[0]


def form_of(a, i, name="eval_shape"):
    if isinstance(a, boundary.ARRAYS):
        a = constant(a, name, i)
    if not hasattr(a, "shape") or not hasattr(a, "dtype"):
        raise ArgumentError(f"{name} takes arrays, or what has a shape and a dtype, but leaf {i} "
                            f"of the arguments is {describe(a)}.")
    return tuple(a.shape), dtypes.as_dtype(a.dtype, name)
