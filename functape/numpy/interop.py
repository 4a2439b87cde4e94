"""NumPy's own functions on functape values: ``np.sin(t)`` and ``array * t`` are recorded.

NumPy asks its arguments first (`__array_ufunc__`, `__array_function__`); the answer is
functape.numpy's function of the same name, so no gradient is dropped.
"""

import sys

from functape.errors import ArgumentError
from functape.op import Value

NO_TWIN = (
    "NumPy's {name} was given a functape value, but functape.numpy has no such function, and "
    "NumPy's would drop the gradient. Use other functions, or take the numbers first: "
    "numpy.asarray(t.detach())."
)


def twin(name, module="numpy"):
    """functape.numpy's function for NumPy's; a dotted module names a part of it."""
    found = sys.modules["functape.numpy"]
    for part in module.split(".")[1:]:
        found = getattr(found, part, None)
    found = getattr(found, name, None)
    if found is None:
        raise ArgumentError(NO_TWIN.format(name=name))
    return found


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """A NumPy ufunc, or one of its methods, on values."""
    name = ufunc.__name__
    if kwargs.get("out") is not None:
        raise ArgumentError(
            f"NumPy's {name} was to write a functape value into a NumPy array, which would drop "
            "its gradient. Make the array a value first, a = functape.asarray(a); then a += t "
            "works."
        )
    if method == "__call__":
        return called(name, inputs, kwargs)
    found = getattr(twin(name), method, None)
    if method == "at" or found is None:
        raise ArgumentError(NO_TWIN.format(name=f"{name}.{method}"))
    if kwargs.get("where") is True:
        del kwargs["where"]
    return found(*inputs, **kwargs)


def called(name, inputs, kwargs):
    dtype, where = kwargs.pop("dtype", None), kwargs.pop("where", True)
    if where is not True or kwargs:
        raise ArgumentError(f"NumPy's {name} with {', '.join(kwargs) or 'where'}= is not defined "
                            "for functape values. Use functape.numpy.where on the result.")
    found = twin(name)(*inputs)
    return found if dtype is None else found.astype(dtype)


def array_function(self, function, types, args, kwargs):
    """Any other function of NumPy, on values."""
    return twin(function.__name__, function.__module__ or "numpy")(*args, **kwargs)


Value.__array_ufunc__ = array_ufunc
Value.__array_function__ = array_function
Value.__array_priority__ = 1000
