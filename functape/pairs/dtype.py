"""complex128, which MLX lacks, beside MLX's dtypes; and what MLX asks of dtypes, asked of all."""

import mlx.core as mx


class Dtype:
    """A dtype that MLX lacks.

    >>> import functape as ft
    >>> ft.complex128, ft.complex128.size, ft.complex128 == ft.complex64
    (functape.complex128, 16, False)
    """

    __slots__ = ("name", "size")

    def __init__(self, name, size):
        self.name, self.size = name, size

    def __repr__(self):
        return f"functape.{self.name}"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return self.name  # copied and pickled as the one that there is


complex128 = Dtype("complex128", 16)
COMPLEX = (mx.complex64, complex128)
DTYPES = (mx.Dtype, Dtype)


class RoundingError(TypeError):
    """What MLX would compute in single precision, although float64 went in."""


def refuse_rounding(x):
    """Refuse to make complex numbers of float64 with MLX, which rounds them to complex64."""
    if x.dtype == mx.float64:
        raise RoundingError("float64 makes complex128")


def refuse_mixing(data):
    """Refuse float64 beside complex numbers, which MLX brings to complex64."""
    dtypes = [a.dtype for a in data if type(a) is mx.array]
    is_complex = mx.complex64 in dtypes or any(isinstance(a, complex) for a in data)
    if is_complex and mx.float64 in dtypes:
        raise RoundingError("float64 and complex numbers make complex128")


def is_complex(a):
    """Whether the elements of an array, or of a value, are complex."""
    return a.dtype in COMPLEX


def issubdtype(a, b):
    """Whether the dtype `a` is of the kind, or is the dtype, `b`."""
    if type(b) is not mx.DtypeCategory:
        return a == b
    return mx.issubdtype(mx.complex64 if a is complex128 else a, b)


def result_type(a, b):
    """The smallest dtype that two dtypes convert to. MLX rounds float64 to complex64."""
    if complex128 in (a, b):
        return complex128
    found = mx.result_type(a, b)
    return complex128 if found == mx.complex64 and mx.float64 in (a, b) else found
