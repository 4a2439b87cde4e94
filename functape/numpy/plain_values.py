"""Plain Python values of arrays: ``float(x)``, ``if x > 0:``, ``x.item()``, ``numpy.asarray(x)``.

Inside a transform an array may stand for many values, or for none yet. Then there is no plain
value, and the message says what to do instead.
"""

import numpy as np

from functape import dtypes
from functape.arrays import reading
from functape.errors import ArgumentError, ConcretizationError, ShapeError, describe
from functape.numpy.arguments import value
from functape.op import Value
from functape.tensor import Tensor

UNDER = {
    "Dual": "under jvp, where it would lose its tangent. Compute with functape.numpy functions, "
            "or mark the value with stop_gradient first.",
    "Batched": "under vmap, where it stands for many values. Compute with functape.numpy "
               "functions (where or functape.lax.cond in place of Python's if), or leave the "
               "argument out of the mapping, in_axes=None.",
}


def concrete(x, what):
    """The array behind a value, if it is one plain array."""
    outer = x = x.strong() if isinstance(x, Value) else x
    while type(x) is Tensor and x.rank:
        x = x.array
    if type(x) is Tensor:
        return x.array
    if isinstance(x, Value):
        if what == "bool" and hasattr(x, "primal"):
            return concrete(x.primal, what)  # a choice is constant along the tangent
        where = UNDER.get(type(x).__name__, "while it is transformed.")
        raise ConcretizationError(f"{what} needs the value of {describe(outer)} {where}")
    return value(x, what).array


def item_of(x, what):
    """The one element of an array, as a Python number."""
    data = concrete(x, what)
    if data.size != 1:
        hint = "Use .any() or .all()" if what == "bool" else "Choose one by its index"
        raise ShapeError(f"{what} takes an array of one element, but this is {describe(x)}. "
                         f"{hint}.")
    return reading(what, data, lambda data: data.item())


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
    return reading("tolist", concrete(self, "tolist"), lambda data: data.tolist())


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


METHODS = {
    "__bool__": to_bool, "__int__": to_int, "__float__": to_float, "__complex__": to_complex,
    "__index__": to_index, "__array__": to_array, "__format__": to_format, "__len__": length,
    "item": item, "tolist": tolist,
}
for name, function in METHODS.items():
    setattr(Value, name, function)
