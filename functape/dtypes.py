"""Types of array elements: their names, and how they combine.

The names stand for MLX's own dtypes, so ``x.dtype == functape.float32`` holds for tensors and for
`mx.array`s. Python's numbers are *weak*: they take the type of the array they meet.
"""

from collections.abc import Hashable

import mlx.core as mx
import numpy as np

from functape import pairs
from functape.errors import ArgumentError
from functape.op import Value, is_weak
from functape.pairs import complex128
from functape.promotion import agree
from functape.tape import seen


def with_none(equal):
    """The same comparison, and False of None, of which MLX's makes a TypeError."""

    def __eq__(self, other):
        return other is not None and equal(self, other)

    return __eq__


try:
    mx.float32 == None  # noqa: B015, E711
except TypeError:  # see docs/adr/0023
    mx.Dtype.__eq__ = with_none(mx.Dtype.__eq__)

bool_ = mx.bool_
uint8, uint16, uint32, uint64 = mx.uint8, mx.uint16, mx.uint32, mx.uint64
int8, int16, int32, int64 = mx.int8, mx.int16, mx.int32, mx.int64
float16, bfloat16, float32, float64 = mx.float16, mx.bfloat16, mx.float32, mx.float64
complex64 = mx.complex64
DOUBLE = {float64: float32, complex128: complex64}  # those of the CPU only, and the next best
PARTS = {complex64: float32, complex128: float64}  # what their real and imaginary parts are

float0 = np.dtype([("float0", np.void, 0)])  # JAX's: of derivatives by and of integers

# Kinds, for issubdtype.
generic, number, integer, inexact = mx.generic, mx.number, mx.integer, mx.inexact
signedinteger, unsignedinteger = mx.signedinteger, mx.unsignedinteger
floating, complexfloating = mx.floating, mx.complexfloating

NAMES = (
    "bool_", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)
KINDS = (
    "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating",
    "complexfloating",
)
__all__ = [
    *NAMES, *KINDS, "can_cast", "finfo", "iinfo", "isdtype", "issubdtype", "promote_types",
    "result_type",
]

BY_NAME = {name: globals()[name] for name in NAMES}
BY_NAME |= {"bool": bool_, "int": int32, "float": float32, "complex": complex64}
BY_PYTHON = {bool: bool_, int: int32, float: float32, complex: complex64}
WEAK = (bool, int, float, complex)


def as_dtype(dtype, name="dtype"):
    """The dtype that `dtype` stands for: a dtype, its name, a NumPy dtype or a Python type.

    >>> as_dtype("float32") == as_dtype(float)
    True
    """
    found = dtype if type(dtype) in pairs.DTYPES else by_python(dtype) or by_name(dtype)
    if found is None:
        raise ArgumentError(f"{name}: {dtype!r} is not an array dtype. Use one of functape's, "
                            "such as functape.float32, or its name.")
    if found in DOUBLE:
        seen.double = True
        if mx.default_device().type != mx.cpu:
            raise ArgumentError(f"{name}: {dtype_name(found)} arrays exist on the CPU only. Use "
                                f"{dtype_name(DOUBLE[found])}, or run on the CPU, "
                                "mlx.core.set_default_device(mlx.core.cpu).")
    return found


def by_python(dtype):
    return BY_PYTHON.get(dtype) if isinstance(dtype, Hashable) else None


def by_name(dtype):
    if isinstance(dtype, str) and dtype in BY_NAME:
        return BY_NAME[dtype]
    return by_numpy(getattr(dtype, "dtype", None)) or by_numpy(dtype)


def by_numpy(dtype):
    """What NumPy knows under this name, if MLX has it too."""
    if dtype is None or type(dtype) in pairs.DTYPES:
        return dtype
    try:
        return BY_NAME.get(np.dtype(dtype).name)
    except TypeError:
        return None


def dtype_name(dtype):
    """A dtype's bare name.

    >>> dtype_name(float32)
    'float32'
    """
    return str(dtype).rpartition(".")[2].removesuffix("_")


# --- promotion ----------------------------------------------------------------------------------


def promote_types(a, b):
    """The smallest dtype that both convert to.

    Args:
      a, b: dtypes.

    >>> dtype_name(promote_types("int32", "float16"))
    'float16'
    """
    a, b = as_dtype(a, "promote_types"), as_dtype(b, "promote_types")
    agree("promote_types", [a, b])
    return pairs.result_type(a, b)


def result_type(*arrays_and_dtypes):
    """The dtype of a result computed from these arrays, numbers and dtypes.

    A Python number has no size of its own: it only decides between integer, real and complex.

    Args:
      *arrays_and_dtypes: arrays, numbers and dtypes.

    >>> dtype_name(result_type("float16", 2.0)), dtype_name(result_type("int8", 2.0))
    ('float16', 'float32')
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type needs at least one array, number or dtype.")
    weak = [a for a in arrays_and_dtypes if is_weak(a)]
    strong = [dtype_of(a) for a in arrays_and_dtypes if not is_weak(a)]
    agree("result_type", strong)
    if not strong:
        strong, weak = [BY_PYTHON[python_type(weak[0])]], weak[1:]
    found = strong[0]
    for dtype in strong[1:]:
        found = pairs.result_type(found, dtype)
    for n in weak:
        found = with_number(found, python_type(n))
    return found


def dtype_of(a):
    if isinstance(a, (Value, mx.array, pairs.Pair)):
        return a.dtype
    return as_dtype(a.dtype if isinstance(a, (np.ndarray, np.generic)) else a, "result_type")


def python_type(n):
    """bool, int, float or complex: also of NumPy's subclasses, and of weak values."""
    return n.kind if isinstance(n, Value) else next(t for t in WEAK if isinstance(n, t))


def with_number(dtype, kind):
    """The dtype of an array of `dtype` after it met a Python number of this type."""
    rank = 0 if dtype == bool_ else 1 if issubdtype(dtype, integer) else 2
    if dtype in pairs.COMPLEX or WEAK.index(kind) <= rank:
        return dtype
    return complex128 if dtype == float64 else BY_PYTHON[kind]


def issubdtype(a, b):
    """Whether the dtype `a` is of the kind, or is the dtype, `b`.

    >>> issubdtype("float32", floating), issubdtype("int8", floating)
    (True, False)
    """
    return pairs.issubdtype(kind_of(a), kind_of(b))


def kind_of(a):
    """A dtype or a kind, of MLX's or NumPy's: `numpy.floating` is `floating`."""
    if type(a) is mx.DtypeCategory:
        return a
    if isinstance(a, type) and issubclass(a, np.generic) and a.__name__ in KINDS:
        return getattr(mx, a.__name__)
    return as_dtype(a, "issubdtype")


ARRAY_API_KINDS = {
    "bool": (bool_,), "signed integer": (signedinteger,), "unsigned integer": (unsignedinteger,),
    "integral": (integer,), "real floating": (floating,), "complex floating": (complexfloating,),
    "numeric": (number,),
}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind, in the array API's words: ``"real floating"``.

    >>> isdtype(int8, "integral"), isdtype(int8, ("bool", "real floating"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind in ARRAY_API_KINDS:
        return any(issubdtype(dtype, k) for k in ARRAY_API_KINDS[kind])
    return as_dtype(dtype, "isdtype") == as_dtype(kind, "isdtype")


def can_cast(from_, to):
    """Whether every value survives the conversion: `to` is what both promote to.

    Args:
      from_: dtype, or an array for its dtype.

    >>> can_cast("int8", "int32"), can_cast("float32", "int32")
    (True, False)
    """
    source = from_.dtype if isinstance(from_, (Value, mx.array)) else from_
    source, to = as_dtype(source, "can_cast"), as_dtype(to, "can_cast")
    return pairs.result_type(source, to) == to


# --- limits -------------------------------------------------------------------------------------

FLOAT_FORMATS = {float16: (16, 10), bfloat16: (16, 7), float32: (32, 23), float64: (64, 52)}


class finfo:  # noqa: N801 - NumPy's name
    """Limits of a floating-point dtype; of a complex one, those of its parts.

    >>> finfo("float32").eps
    1.1920928955078125e-07
    """

    def __init__(self, dtype):
        dtype = as_dtype(dtype, "finfo")
        dtype = PARTS.get(dtype, dtype)
        if dtype not in FLOAT_FORMATS:
            raise ArgumentError(f"finfo: {dtype_name(dtype)} is not a floating-point dtype. Use "
                                "iinfo for integers.")
        self.dtype = dtype
        self.bits, self.nmant = FLOAT_FORMATS[dtype]
        self.nexp = self.bits - 1 - self.nmant
        self.maxexp = 2 ** (self.nexp - 1)
        self.minexp = 2 - self.maxexp
        self.eps = 2.0 ** -self.nmant
        self.epsneg = self.eps / 2
        self.max = (2.0 - self.eps) * 2.0 ** (self.maxexp - 1)
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** self.minexp
        self.smallest_subnormal = self.tiny * self.eps
        self.precision = int(self.nmant * 0.30103)
        self.resolution = 10.0 ** -self.precision

    def __repr__(self):
        return f"finfo({dtype_name(self.dtype)}: eps={self.eps}, min={self.min}, max={self.max})"


class iinfo:  # noqa: N801 - NumPy's name
    """Limits of an integer dtype.

    >>> iinfo("int8").max
    127
    """

    def __init__(self, dtype):
        dtype = as_dtype(dtype, "iinfo")
        if not issubdtype(dtype, integer):
            raise ArgumentError(f"iinfo: {dtype_name(dtype)} is not an integer dtype. Use finfo "
                                "for floating-point dtypes.")
        self.dtype, self.bits = dtype, dtype.size * 8
        signed = issubdtype(dtype, signedinteger)
        self.min = -(2 ** (self.bits - 1)) if signed else 0
        self.max = 2 ** (self.bits - signed) - 1

    def __repr__(self):
        return f"iinfo({dtype_name(self.dtype)}: min={self.min}, max={self.max})"
