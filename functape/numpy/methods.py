"""Operators, methods and properties of arrays, installed on `Value`: tensors and the wrappers of
jvp and vmap share them."""

import sys

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ConcretizationError, ShapeError, describe
from functape.numpy import arranging, contraction, elementwise, reductions, shapes
from functape.numpy.arguments import as_type, size_of, value
from functape.op import Value
from functape.ops import contraction as products
from functape.ops import elementwise as ops
from functape.ops import families, movement
from functape.tensor import NUMBERS, Tensor

# --- operators ----------------------------------------------------------------------------------

def matmul(a, b):
    """a @ b. Matrices go straight to the op, which checks their shapes."""
    if type(a) is type(b) is Tensor and a.cell.data.ndim > 1 and b.cell.data.ndim > 1:
        return products.matmul(a, b)
    return contraction.matmul_of(a, b)


BINARY = {
    "add": families.add,
    "sub": ops.subtract,
    "mul": families.multiply,
    "truediv": ops.divide,
    "floordiv": ops.floor_divide,
    "mod": ops.remainder,
    "pow": ops.power,
    "matmul": matmul,
    "and": ops.bitwise_and,
    "or": ops.bitwise_or,
    "xor": ops.bitwise_xor,
    "lshift": ops.left_shift,
    "rshift": ops.right_shift,
}
COMPARISON = {
    "eq": ops.equal,
    "ne": ops.not_equal,
    "lt": ops.less,
    "le": ops.less_equal,
    "gt": ops.greater,
    "ge": ops.greater_equal,
}
FAMILIAR = {Tensor, mx.array, np.ndarray, *NUMBERS}


def forward(op):
    """``a . b`` for a value a; objects that are no arrays may answer themselves."""

    def operator(a, b):
        return op(a, b) if type(b) in FAMILIAR or is_operand(b) else NotImplemented

    return operator


def reflected(op):
    """``b . a`` for a value a."""

    def operator(a, b):
        return op(b, a) if type(b) in FAMILIAR or is_operand(b) else NotImplemented

    return operator


def is_operand(b):
    return isinstance(b, (Value, np.generic, *NUMBERS))


def rounded(a, ndigits=None):
    """As Python's round: without a number of digits an integer."""
    found = elementwise.round(a, ndigits or 0)
    return as_type(found, dtypes.int32) if ndigits is None else found


def install_operators():
    for name, op in (BINARY | COMPARISON).items():
        setattr(Value, f"__{name}__", forward(op))
    for name, op in BINARY.items():
        setattr(Value, f"__r{name}__", reflected(op))
    Value.__divmod__ = forward(elementwise.divmod)
    Value.__rdivmod__ = reflected(elementwise.divmod)
    Value.__neg__ = lambda a: ops.negative(a)
    Value.__pos__ = lambda a: a
    Value.__abs__ = lambda a: ops.absolute(a)
    Value.__invert__ = lambda a: ops.bitwise_not(a)
    Value.__round__ = rounded
    Value.__hash__ = object.__hash__


# --- plain Python values ------------------------------------------------------------------------

UNDER = {
    "Dual": "under jvp, where it would lose its tangent. Compute with functape.numpy functions, "
            "or mark the value with stop_gradient first.",
    "Batched": "under vmap, where it stands for many values. Compute with functape.numpy "
               "functions (where or functape.lax.cond in place of Python's if), or leave the "
               "argument out of the mapping, in_axes=None.",
}
UNDER_JIT = (
    "{what} needs the value of {x} while jit compiles the function, when there is none yet. Use "
    "functape.numpy.where or functape.lax.cond in place of Python's if, mark the argument with "
    "static_argnums, or call the function outside of jit."
)


def concrete(x, what):
    """The array behind a value, if it is one plain array."""
    outer = x
    while type(x) is Tensor and x.rank:
        x = x.cell.data
    if type(x) is Tensor:
        return x.cell.data
    if isinstance(x, Value):
        if what == "bool" and hasattr(x, "primal"):
            return concrete(x.primal, what)  # a choice is constant along the tangent
        where = UNDER.get(type(x).__name__, "while it is transformed.")
        raise ConcretizationError(f"{what} needs the value of {describe(outer)} {where}")
    return value(x, what).cell.data


def item_of(x, what):
    """The one element of an array, as a Python number."""
    data = concrete(x, what)
    if data.size != 1:
        hint = "Use .any() or .all()" if what == "bool" else "Choose one by its index"
        raise ShapeError(f"{what} takes an array of one element, but this is {describe(x)}. "
                         f"{hint}.")
    try:
        return data.item()
    except (RuntimeError, ValueError) as error:
        if "eval" not in str(error):
            raise
        raise ConcretizationError(UNDER_JIT.format(what=what, x=describe(x))) from error


def to_bool(self):
    return bool(item_of(self, "bool"))


def to_int(self):
    return int(real_item(self, "int"))


def to_float(self):
    return float(real_item(self, "float"))


def to_complex(self):
    return complex(item_of(self, "complex"))


def real_item(self, what):
    found = item_of(self, what)
    if isinstance(found, complex):
        raise ArgumentError(f"{what} takes a real number, but this is {describe(self)}. Take "
                            ".real or .imag first.")
    return found


def to_index(self):
    if not dtypes.issubdtype(self.dtype, dtypes.integer) or self.shape != ():
        raise ArgumentError(f"An index is one integer, but this is {describe(self)}. Convert it, "
                            "x.astype(functape.int32), or use int(x).")
    return item_of(self, "index")


def item(self, *args):
    """The one element of the array, or that at a position, as a Python number."""
    return item_of(self[args] if args else self, "item")


def tolist(self):
    """The elements as nested lists of Python numbers."""
    return concrete(self, "tolist").tolist()


def to_array(self, dtype=None, copy=None):
    """For numpy.asarray; only tensors that stand for one plain array have it."""
    return np.asarray(Tensor(concrete(self, "numpy.asarray")), dtype)


def to_format(self, spec):
    """As Python formats the number in an array without axes."""
    if self.shape == () and type(self) is Tensor and not self.rank:
        return format(self.item(), spec)
    return format(repr(self), spec)


def length(self):
    if not self.shape:
        raise ArgumentError("len() of an array without axes; it is a single number.")
    return self.shape[0]


# --- shape and dtype ----------------------------------------------------------------------------


def reshape(self, *shape, order="C"):
    """The same elements in another shape; one length may be -1. See functape.numpy.reshape."""
    if len(shape) == 1 and type(shape[0]) in (tuple, list):
        shape = shape[0]
    if order == "C":
        for n in shape:
            if type(n) is not int or n < 0:
                break
        else:
            return movement.reshape(self, shape=tuple(shape))
    return shapes.in_shape(self, shape, order, "reshape")


def transpose(self, *axes):
    """The axes in another order; reversed if none is given."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        axes = axes[0]
    return shapes.transpose(self, axes or None)


def astype(x, dtype, /, *, copy=False, device=None):
    """The array in another dtype; differentiable if that is floating-point or complex.

    >>> import functape as ft
    >>> ft.numpy.array([1.7, -1.7]).astype(int)
    tensor([ 1, -1], dtype=int32)
    """
    return as_type(value(x, "astype"), dtypes.as_dtype(dtype, "astype"))


def view(self, dtype=None):
    """The same bits read as another dtype of the same size. Nothing is differentiated."""
    dtype = dtypes.as_dtype(dtype, "view")
    if dtype.size != self.dtype.size:
        raise ArgumentError(f"view: {describe(self)} has elements of {self.dtype.size} bytes, "
                            f"{dtypes.dtype_name(dtype)} of {dtype.size}. The sizes must agree.")
    return ops.bits(self, dtype=dtype)


def block_until_ready(self):
    """Wait until the array is computed; returns it."""
    mx.eval(concrete(self, "block_until_ready"))
    return self


def to_device(self, device, /, *, stream=None):
    """The array itself: MLX's arrays live in memory that all devices share."""
    return self


def namespace(self, *, api_version=None):
    """The module of functions for these arrays, as the array API standard asks."""
    return sys.modules["functape.numpy"]


def dlpack(self, **options):
    """For other libraries' from_dlpack: the data, without its place on the tape."""
    return concrete(self, "__dlpack__").__dlpack__()


def dlpack_device(self):
    return concrete(self, "__dlpack_device__").__dlpack_device__()


def flatten(self, order="C"):
    """All elements along one axis."""
    return shapes.ravel(self, order)


def clip(self, min=None, max=None):
    """Elements kept within [min, max]. See functape.numpy.clip."""
    return elementwise.clip(self, min, max)


def swap_last(self):
    return shapes.matrix_transpose(self)


PROPERTIES = {
    "ndim": (lambda self: len(self.shape), "The number of axes."),
    "size": (lambda self: size_of(self.shape), "The number of elements."),
    "itemsize": (lambda self: self.dtype.size, "Bytes of one element."),
    "nbytes": (lambda self: size_of(self.shape) * self.dtype.size, "Bytes of all elements."),
    "device": (lambda self: mx.default_device(), "The device that computes."),
    "T": (lambda self: shapes.reverse_axes(self), "The axes in reverse order."),
    "mT": (swap_last, "The last two axes exchanged."),
    "real": (lambda self: elementwise.real(self), "The real part."),
    "imag": (lambda self: elementwise.imag(self), "The imaginary part."),
}
METHODS = {
    "reshape": reshape, "transpose": transpose, "astype": astype, "view": view, "item": item,
    "tolist": tolist, "flatten": flatten, "clip": clip, "block_until_ready": block_until_ready,
    "__bool__": to_bool, "__int__": to_int, "__float__": to_float, "__complex__": to_complex,
    "__index__": to_index, "__array__": to_array, "__format__": to_format, "__len__": length,
    "to_device": to_device, "__array_namespace__": namespace,
    "__dlpack__": dlpack, "__dlpack_device__": dlpack_device,
    "ravel": shapes.ravel, "squeeze": shapes.squeeze, "swapaxes": shapes.swapaxes,
    "copy": movement.copy_of, "repeat": arranging.repeat,
    "dot": contraction.dot, "conj": elementwise.conjugate, "conjugate": elementwise.conjugate,
    "round": elementwise.round,
    **{name: getattr(reductions, name) for name in (
        "all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "min", "prod",
        "ptp", "std", "sum", "var")},
}


def install():
    """Give `Value` its operators, methods and properties."""
    install_operators()
    for name, function in METHODS.items():
        setattr(Value, name, function if callable_as_method(function) else method_of(function))
    for name, (getter, doc) in PROPERTIES.items():
        setattr(Value, name, property(getter, doc=doc))


def callable_as_method(function):
    return hasattr(function, "__get__")


def method_of(op):
    """An op as a method: ops are no functions, and would not bind `self`."""

    def method(self):
        return op(self)

    method.__name__, method.__doc__ = op.name, op.__doc__
    return method


install()
