"""Methods and properties of arrays, installed on `Value`: tensors and the wrappers of jvp and vmap
share them. Those that live in other files are loaded when they are first asked for."""

import sys

import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError, describe
from functape.later import Home, later
from functape.numpy import elementwise, shapes
from functape.numpy.arguments import as_type, size_of, value
from functape.numpy.plain_values import concrete
from functape.op import Value
from functape.ops import elementwise as ops
from functape.ops import movement
from functape.pairs import Pair, halves

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


def astype(x, dtype, /, *, copy=True, device=None):
    """The array in another dtype; differentiable if that is floating-point or complex.

    Args:
      x: array.
      copy: False returns an array that has the dtype already as it is.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.numpy.array([1.7, -1.7]).astype(int)
    tensor([ 1, -1], dtype=int32)
    """
    x = value(x, "astype")
    found = as_type(x, dtypes.as_dtype(dtype, "astype"))
    return movement.copy_of(x) if copy and found is x else found


def copy(a, order=None):
    """Another array of the same elements. Arrays are never written into, so it is seldom needed.

    Args:
      a: array.
      order: accepted for NumPy's signature, without effect.

    >>> import functape as ft
    >>> ft.numpy.copy(ft.numpy.array([1.0, 2.0]))
    tensor([1., 2.])
    """
    return movement.copy_of(value(a, "copy"))


def view(self, dtype=None):
    """The same bits read as another dtype of the same size. Nothing is differentiated."""
    dtype = dtypes.as_dtype(dtype, "view")
    if dtype.size != self.dtype.size:
        raise ArgumentError(f"view: {describe(self)} has elements of {self.dtype.size} bytes, "
                            f"{dtypes.dtype_name(dtype)} of {dtype.size}. The sizes must agree.")
    return ops.bits(self, dtype=dtype)


def detach(self):
    """The same value as a constant: every derivative by it is zero."""
    return ops.stop_gradient(self)


def to_device(self, device, /, *, stream=None):
    """The array itself: MLX's arrays live in memory that all devices share."""
    return self


def namespace(self, *, api_version=None):
    """The module of functions for these arrays, as the array API standard asks."""
    return sys.modules["functape.numpy"]


def dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """For other libraries' from_dlpack: the data, without its place on the tape."""
    data = concrete(self, "__dlpack__")
    if type(data) is Pair:  # a copy by NumPy is no way out: MLX would read it as complex64
        raise BufferError("__dlpack__: complex128 arrays are kept as two of float64, which DLPack "
                          "cannot describe. Hand over numpy.asarray(x), or x.real and x.imag.")
    if dl_device not in (None, data.__dlpack_device__()):
        raise BufferError(f"__dlpack__: the array is on the device {data.__dlpack_device__()}, "
                          f"not on {tuple(dl_device)}. Leave dl_device out.")
    return (mx.array(data) if copy else data).__dlpack__()


def dlpack_device(self):
    data = concrete(self, "__dlpack_device__")
    return halves([data])[0].__dlpack_device__()


def copied(self):
    """Another array of the same elements."""
    return movement.copy_of(self)


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
with later(globals()):
    from functape.numpy.arranging import repeat
    from functape.numpy.brackets import getitem, rows
    from functape.numpy.contraction import dot
    from functape.numpy.diagonals import diagonal, trace
    from functape.numpy.editing import compressed
    from functape.numpy.extremes import argmax, argmin, max, min, ptp
    from functape.numpy.indexing import choose, take
    from functape.numpy.moments import mean, std, var
    from functape.numpy.reductions import all, any, prod, sum
    from functape.numpy.running import cumprod, cumsum
    from functape.numpy.searching import nonzero, searchsorted
    from functape.numpy.sorting import argpartition, argsort, partition, sort
    from functape.numpy.updates import at
    from functape.numpy.waiting import block_until_ready

    METHODS = {
        "reshape": reshape, "transpose": transpose, "astype": astype, "view": view,
        "flatten": flatten, "clip": clip, "detach": detach, "copy": copied,
        "block_until_ready": block_until_ready, "to_device": to_device,
        "__array_namespace__": namespace, "__dlpack__": dlpack,
        "__dlpack_device__": dlpack_device, "__getitem__": getitem, "__iter__": rows, "at": at,
        "ravel": shapes.ravel, "squeeze": shapes.squeeze, "swapaxes": shapes.swapaxes,
        "conj": elementwise.conjugate, "conjugate": elementwise.conjugate,
        "round": elementwise.round, "repeat": repeat, "dot": dot, "diagonal": diagonal,
        "trace": trace, "compress": compressed, "argmax": argmax, "argmin": argmin, "max": max,
        "min": min, "ptp": ptp, "choose": choose, "take": take, "mean": mean, "std": std,
        "var": var, "all": all, "any": any, "prod": prod, "sum": sum, "cumprod": cumprod,
        "cumsum": cumsum, "nonzero": nonzero, "searchsorted": searchsorted,
        "argpartition": argpartition, "argsort": argsort, "partition": partition, "sort": sort,
    }


class Unloaded:
    """Stands on `Value` for a method that lives elsewhere, and gives its place to it when somebody
    asks for it first; unless functape.mlx has put something else there."""

    def __init__(self, name, home):
        self.name, self.found = name, home

    def __get__(self, value, kind=None):
        if isinstance(self.found, Home):
            self.found = self.found.load()
            if vars(Value)[self.name] is self:
                setattr(Value, self.name, self.found)
        return self.found.__get__(value, kind)


def install():
    """Give `Value` its methods and properties."""
    for name, found in METHODS.items():
        setattr(Value, name, Unloaded(name, found) if isinstance(found, Home) else found)
    for name, (getter, doc) in PROPERTIES.items():
        setattr(Value, name, property(getter, doc=doc))


install()
