# ruff: noqa: I001  (names packed, as in functape.numpy)
"""Ops that are functions of functape.numpy as they are: their signatures, and an example each."""

import inspect

from functape.numpy.ufuncs import equip
from functape.ops.elementwise import (
    absolute, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, bitwise_and, bitwise_not,
    bitwise_or, bitwise_xor, cbrt, ceil, conjugate, cos, cosh, degrees, divide, equal, exp, exp2,
    expm1, floor, floor_divide, fmod, greater, greater_equal, hypot, isfinite, isinf, isnan,
    left_shift, less, less_equal, log, log10, log1p, log2, logaddexp, logical_and, logical_not,
    logical_or, logical_xor, maximum, minimum, negative, not_equal, power, radians, reciprocal,
    remainder, right_shift, rint, sign, signbit, sin, sinh, sqrt, square, subtract, tan, tanh,
    trunc,
)
from functape.ops.families import add, multiply

EXAMPLES = {
    "absolute": (absolute, "-3.0", "tensor(3.)"),
    "add": (add, "1.0, 2.0", "tensor(3.)"),
    "arccos": (arccos, "1.0", "tensor(0.)"),
    "arccosh": (arccosh, "1.0", "tensor(0.)"),
    "arcsin": (arcsin, "0.0", "tensor(0.)"),
    "arcsinh": (arcsinh, "0.0", "tensor(0.)"),
    "arctan": (arctan, "0.0", "tensor(0.)"),
    "arctan2": (arctan2, "0.0, 1.0", "tensor(0.)"),
    "arctanh": (arctanh, "0.0", "tensor(0.)"),
    "bitwise_and": (bitwise_and, "6, 3", "tensor(2, dtype=int32)"),
    "bitwise_not": (bitwise_not, "6", "tensor(-7, dtype=int32)"),
    "bitwise_or": (bitwise_or, "6, 3", "tensor(7, dtype=int32)"),
    "bitwise_xor": (bitwise_xor, "6, 3", "tensor(5, dtype=int32)"),
    "cbrt": (cbrt, "-8.0", "tensor(-2.)"),
    "ceil": (ceil, "1.2", "tensor(2.)"),
    "conjugate": (conjugate, "1.0 - 2.0j", "tensor(1.+2.j, dtype=complex64)"),
    "cos": (cos, "0.0", "tensor(1.)"),
    "cosh": (cosh, "0.0", "tensor(1.)"),
    "degrees": (degrees, "0.0", "tensor(0.)"),
    "divide": (divide, "1.0, 4.0", "tensor(0.25)"),
    "equal": (equal, "1.0, 2.0", "tensor(False)"),
    "exp": (exp, "0.0", "tensor(1.)"),
    "exp2": (exp2, "3.0", "tensor(8.)"),
    "expm1": (expm1, "0.0", "tensor(0.)"),
    "floor": (floor, "1.7", "tensor(1.)"),
    "floor_divide": (floor_divide, "-7, 2", "tensor(-4, dtype=int32)"),
    "fmod": (fmod, "-7.0, 2.0", "tensor(-1.)"),
    "greater": (greater, "1.0, 2.0", "tensor(False)"),
    "greater_equal": (greater_equal, "2.0, 2.0", "tensor(True)"),
    "hypot": (hypot, "3.0, 4.0", "tensor(5.)"),
    "isfinite": (isfinite, "1.0", "tensor(True)"),
    "isinf": (isinf, "1.0", "tensor(False)"),
    "isnan": (isnan, "1.0", "tensor(False)"),
    "left_shift": (left_shift, "1, 3", "tensor(8, dtype=int32)"),
    "less": (less, "1.0, 2.0", "tensor(True)"),
    "less_equal": (less_equal, "2.0, 2.0", "tensor(True)"),
    "log": (log, "1.0", "tensor(0.)"),
    "log10": (log10, "100.0", "tensor(2.)"),
    "log1p": (log1p, "0.0", "tensor(0.)"),
    "log2": (log2, "8.0", "tensor(3.)"),
    "logaddexp": (logaddexp, "-1000.0, 1000.0", "tensor(1000.)"),
    "logical_and": (logical_and, "True, False", "tensor(False)"),
    "logical_not": (logical_not, "True", "tensor(False)"),
    "logical_or": (logical_or, "True, False", "tensor(True)"),
    "logical_xor": (logical_xor, "True, True", "tensor(False)"),
    "maximum": (maximum, "1.0, 2.0", "tensor(2.)"),
    "minimum": (minimum, "1.0, 2.0", "tensor(1.)"),
    "multiply": (multiply, "2.0, 3.0", "tensor(6.)"),
    "negative": (negative, "2.0", "tensor(-2.)"),
    "not_equal": (not_equal, "1.0, 2.0", "tensor(True)"),
    "power": (power, "2.0, 3.0", "tensor(8.)"),
    "radians": (radians, "0.0", "tensor(0.)"),
    "reciprocal": (reciprocal, "4.0", "tensor(0.25)"),
    "remainder": (remainder, "-7.0, 2.0", "tensor(1.)"),
    "right_shift": (right_shift, "8, 3", "tensor(1, dtype=int32)"),
    "rint": (rint, "2.5", "tensor(2.)"),
    "sign": (sign, "-3.0", "tensor(-1.)"),
    "signbit": (signbit, "-0.0", "tensor(True)"),
    "sin": (sin, "0.0", "tensor(0.)"),
    "sinh": (sinh, "0.0", "tensor(0.)"),
    "sqrt": (sqrt, "9.0", "tensor(3.)"),
    "square": (square, "3.0", "tensor(9.)"),
    "subtract": (subtract, "5.0, 3.0", "tensor(2.)"),
    "tan": (tan, "0.0", "tensor(0.)"),
    "tanh": (tanh, "0.0", "tensor(0.)"),
    "trunc": (trunc, "-1.7", "tensor(-1.)"),
}


def document(op, namespace, name, call, result):
    """Give an op that acts on each element the signature of a function, and an example."""
    op.__signature__ = inspect.Signature(
        [inspect.Parameter(a, inspect.Parameter.POSITIONAL_ONLY) for a in op.args])
    op.__name__ = op.__qualname__ = name
    x, *others = op.args
    about = f"Element by element of {x}." if not others else (
        f"Element by element; {', '.join(op.args[:-1])} and {op.args[-1]} broadcast.")
    about += "" if op.differentiable else " It has no derivative."
    op.__doc__ += (f"\n\n{about}\n\n>>> import functape as ft\n"
                   f">>> ft.{namespace}.{name}({call})\n{result}\n")


for name, (op, call, result) in EXAMPLES.items():
    document(op, "numpy", name, call, result)
    equip(op)
