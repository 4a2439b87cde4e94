"""Methods that PyTorch's users expect: other dtypes, other shapes, and the way out to NumPy.

Those that compute stand on `Value`, so that they work inside transforms too.
"""

import warnings

import mlx.core as mx

from functape import dtypes
from functape.autograd import inplace
from functape.autograd.install import method
from functape.errors import (
    ArgumentError,
    ConcretizationError,
    GraphError,
    ShapeError,
    describe,
)
from functape.numpy import broadcasting, methods, shapes
from functape.numpy.arguments import as_type
from functape.op import MIXED, Value
from functape.ops.movement import copy_of
from functape.pairs import complex128
from functape.tape import mode
from functape.tensor import Tensor


def shared(f):
    """Make a function a method of all values, under its own name."""
    setattr(Value, f.__name__, f)
    return f


# --- to plain Python, NumPy and others ------------------------------------------------------------


@shared
def numpy(self, force=False):
    """A NumPy array of the elements; of a tensor that requires grad only with ``force=True``, or
    after detach(), since NumPy cannot track it.

    >>> import functape as ft
    >>> ft.tensor([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    if getattr(self, "requires_grad", False) and not force:
        raise GraphError(f"numpy() of a tensor that requires grad, {describe(self)}, would leave "
                         "the tape. Write x.detach().numpy().")
    return self.detach().__array__()


plain_array = Tensor.__array__


@method
def __array__(self, dtype=None, copy=None):
    """For NumPy's functions that take the numbers: of a tensor that requires grad only outside of
    transforms, with a warning, since nothing computed from them has a gradient."""
    found = plain_array(self, dtype, copy)
    if self.requires_grad:
        text = (f"NumPy takes the numbers of {describe(self)}, which requires grad, and its "
                "gradient is lost. Compute with functape.numpy, or pass x.detach() if you mean it.")
        if mode.functional:
            raise ConcretizationError(text)
        warnings.warn(text, UserWarning, stacklevel=2)
    return found


@method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    if self.requires_grad:
        raise GraphError(f"A tensor that requires grad, {describe(self)}, cannot be handed to "
                         "another library by DLPack. Hand over x.detach().")
    return methods.dlpack(self, stream=stream, max_version=max_version, dl_device=dl_device,
                          copy=copy)


@method
def __dlpack_device__(self):
    return methods.dlpack_device(self)


def number(name):
    """`float(x)` and the like: with a warning where a gradient is left behind."""
    plain = getattr(Value, name)

    def convert(self):
        if self.requires_grad and not mode.functional:
            warnings.warn(f"{name.strip('_')}(x) of a tensor that requires grad is a plain number "
                          "without gradient. If that is meant, write x.item() or x.detach().",
                          UserWarning, stacklevel=2)
        return plain(self)

    convert.__name__ = name
    return method(convert)


for name in ("__float__", "__int__"):
    number(name)

plain_complex = Value.__complex__


@method
def __complex__(self):
    """A number, of a tensor that nothing depends on: MLX's functions ask for one where they are
    given a tensor without axes, and would compute on without its gradient."""
    number = plain_complex(self)
    if self.requires_grad:
        raise GraphError(f"complex(x) of {describe(self)} that requires grad loses its gradient. "
                         f"If that is meant, write x.item() or x.detach(). {MIXED}")
    return number


# --- other dtypes ---------------------------------------------------------------------------------


@shared
def clone(self):
    """Another array of the same elements; differentiable.

    >>> import functape as ft
    >>> x = ft.tensor([1.0])
    >>> x.clone() is x
    False
    """
    return copy_of(self)


@shared
def to(self, *args, dtype=None, device=None, copy=False):
    """In another dtype: ``x.to(functape.float64)``, ``x.to(other_tensor)``, ``x.to(dtype=...)``.

    A device may be named too, and changes nothing: MLX's arrays are in memory that all devices
    share, and the device is chosen for an operation, not for an array.

    >>> import functape as ft
    >>> ft.tensor([1.5]).to("int32")
    tensor([1], dtype=int32)
    """
    for given in args:
        if isinstance(given, (Value, mx.array)):
            dtype = given.dtype
        elif is_device(given):
            device = given
        elif isinstance(given, bool):
            continue  # PyTorch's non_blocking
        else:
            dtype = dtypes.as_dtype(given, "to")
    if device is not None and not is_device(device):
        raise ArgumentError(f"to: {device!r} is not a device. Name one of MLX's, or 'cpu' or "
                            "'gpu'.")
    out = self if dtype is None else as_type(self, dtypes.as_dtype(dtype, "to"))
    return copy_of(out) if copy and out is self else out


def is_device(given):
    return given in ("cpu", "gpu") if isinstance(given, str) else isinstance(
        given, (mx.Device, mx.DeviceType, mx.Stream))


def converter(name, dtype):
    def convert(self):
        return as_type(self, dtypes.as_dtype(dtype, name))

    convert.__name__, convert.__qualname__ = name, f"Tensor.{name}"
    convert.__doc__ = f"The array in {dtypes.dtype_name(dtype)}."
    shared(convert)


for name, dtype in {
    "float": mx.float32, "double": mx.float64, "half": mx.float16, "bfloat16": mx.bfloat16,
    "int": mx.int32, "long": mx.int64, "short": mx.int16, "byte": mx.uint8, "bool": mx.bool_,
    "cfloat": mx.complex64, "cdouble": complex128,
}.items():
    converter(name, dtype)


@shared
def type_as(self, other):
    """The array in the dtype of another."""
    return as_type(self, other.dtype)


@shared
def cpu(self):
    """The array itself: MLX's memory is shared by all devices."""
    return self


@shared
def contiguous(self):
    """The array itself: arrays here have no memory layout of their own."""
    return self


@shared
def is_floating_point(self):
    """Whether the elements are real floating-point numbers."""
    return dtypes.issubdtype(self.dtype, dtypes.floating)


@shared
def is_complex(self):
    """Whether the elements are complex numbers."""
    return dtypes.issubdtype(self.dtype, dtypes.complexfloating)


# --- other shapes ---------------------------------------------------------------------------------


@shared
def dim(self):
    """The number of axes."""
    return len(self.shape)


@shared
def numel(self):
    """The number of elements."""
    return self.size


@shared
def view(self, *shape, dtype=None):
    """The same elements in another shape, which may contain one -1; with a dtype, the same bits
    read as that dtype. Nothing is shared: writing into the result does not reach the original.

    >>> import functape as ft
    >>> ft.tensor([1.0, 2.0]).view(2, 1)
    tensor([[1.],
            [2.]])
    """
    if dtype is None and len(shape) == 1 and not isinstance(shape[0], (tuple, list, int)):
        dtype, shape = shape[0], ()
    return self.reshape(*shape) if dtype is None else methods.view(self, dtype)


@shared
def view_as(self, other):
    """The same elements in the shape of another array."""
    return self.reshape(other.shape)


reshape_as = view_as
Value.reshape_as = view_as


@shared
def unsqueeze(self, dim):
    """With an axis of length 1 put in at a position.

    >>> import functape as ft
    >>> ft.tensor([1.0, 2.0]).unsqueeze(0).shape
    (1, 2)
    """
    return shapes.expand_dims(self, dim)


@shared
def expand(self, *sizes):
    """Stretched to a shape; -1 keeps the length of an axis.

    >>> import functape as ft
    >>> ft.tensor([1.0, 2.0]).expand(3, -1).shape
    (3, 2)
    """
    sizes = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    lead = len(sizes) - len(self.shape)
    if lead < 0 or -1 in sizes[:lead]:
        raise ShapeError(f"expand: {describe(self)} cannot be stretched to {sizes}. Name a length "
                         "for each axis, and real lengths for new ones in front.")
    full = tuple(self.shape[i - lead] if n == -1 else n for i, n in enumerate(sizes))
    return broadcasting.broadcast_to(self, full)


@shared
def expand_as(self, other):
    """Stretched to the shape of another array."""
    return broadcasting.broadcast_to(self, other.shape)


@shared
def permute(self, *dims):
    """The axes in another order."""
    return self.transpose(*dims)


@shared
def t(self):
    """The transpose of a matrix; an array of fewer axes is returned as it is."""
    if len(self.shape) > 2:
        raise ShapeError(f"t: {describe(self)} has more than two axes. Use permute.")
    return self.T


# --- the out-of-place twins of in-place methods ---------------------------------------------------


def twin(name, op, binary):
    if hasattr(Value, name):
        return

    def of_two(self, other):
        return op(self, other)

    def of_one(self):
        return op(self)

    compute = of_two if binary else of_one
    compute.__name__, compute.__qualname__, compute.__doc__ = name, f"Tensor.{name}", op.__doc__
    shared(compute)


for names, binary in ((inplace.BINARY, True), (inplace.UNARY, False)):
    for name, op in names.items():
        twin(name.rstrip("_"), op, binary)


@shared
def clamp(self, min=None, max=None):
    """Elements kept within [min, max]."""
    return self.clip(min, max)
