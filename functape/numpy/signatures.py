"""Ops that are functions of functape.numpy as they are: their signatures, and an example each."""

import inspect

from functape.ops import elementwise, families

EXAMPLES = {
    "absolute": ("-3.0", "tensor(3.)"),
    "add": ("1.0, 2.0", "tensor(3.)"),
    "arccos": ("1.0", "tensor(0.)"),
    "arccosh": ("1.0", "tensor(0.)"),
    "arcsin": ("0.0", "tensor(0.)"),
    "arcsinh": ("0.0", "tensor(0.)"),
    "arctan": ("0.0", "tensor(0.)"),
    "arctan2": ("0.0, 1.0", "tensor(0.)"),
    "arctanh": ("0.0", "tensor(0.)"),
    "bitwise_and": ("6, 3", "tensor(2, dtype=int32)"),
    "bitwise_not": ("6", "tensor(-7, dtype=int32)"),
    "bitwise_or": ("6, 3", "tensor(7, dtype=int32)"),
    "bitwise_xor": ("6, 3", "tensor(5, dtype=int32)"),
    "cbrt": ("-8.0", "tensor(-2.)"),
    "ceil": ("1.2", "tensor(2.)"),
    "conjugate": ("1.0 - 2.0j", "tensor(1.+2.j, dtype=complex64)"),
    "cos": ("0.0", "tensor(1.)"),
    "cosh": ("0.0", "tensor(1.)"),
    "degrees": ("0.0", "tensor(0.)"),
    "divide": ("1.0, 4.0", "tensor(0.25)"),
    "equal": ("1.0, 2.0", "tensor(False)"),
    "exp": ("0.0", "tensor(1.)"),
    "exp2": ("3.0", "tensor(8.)"),
    "expm1": ("0.0", "tensor(0.)"),
    "floor": ("1.7", "tensor(1.)"),
    "floor_divide": ("-7, 2", "tensor(-4, dtype=int32)"),
    "fmod": ("-7.0, 2.0", "tensor(-1.)"),
    "greater": ("1.0, 2.0", "tensor(False)"),
    "greater_equal": ("2.0, 2.0", "tensor(True)"),
    "hypot": ("3.0, 4.0", "tensor(5.)"),
    "isfinite": ("1.0", "tensor(True)"),
    "isinf": ("1.0", "tensor(False)"),
    "isnan": ("1.0", "tensor(False)"),
    "left_shift": ("1, 3", "tensor(8, dtype=int32)"),
    "less": ("1.0, 2.0", "tensor(True)"),
    "less_equal": ("2.0, 2.0", "tensor(True)"),
    "log": ("1.0", "tensor(0.)"),
    "log10": ("100.0", "tensor(2.)"),
    "log1p": ("0.0", "tensor(0.)"),
    "log2": ("8.0", "tensor(3.)"),
    "logaddexp": ("-1000.0, 1000.0", "tensor(1000.)"),
    "logical_and": ("True, False", "tensor(False)"),
    "logical_not": ("True", "tensor(False)"),
    "logical_or": ("True, False", "tensor(True)"),
    "logical_xor": ("True, True", "tensor(False)"),
    "maximum": ("1.0, 2.0", "tensor(2.)"),
    "minimum": ("1.0, 2.0", "tensor(1.)"),
    "multiply": ("2.0, 3.0", "tensor(6.)"),
    "negative": ("2.0", "tensor(-2.)"),
    "not_equal": ("1.0, 2.0", "tensor(True)"),
    "power": ("2.0, 3.0", "tensor(8.)"),
    "radians": ("0.0", "tensor(0.)"),
    "reciprocal": ("4.0", "tensor(0.25)"),
    "remainder": ("-7.0, 2.0", "tensor(1.)"),
    "right_shift": ("8, 3", "tensor(1, dtype=int32)"),
    "rint": ("2.5", "tensor(2.)"),
    "sign": ("-3.0", "tensor(-1.)"),
    "signbit": ("-0.0", "tensor(True)"),
    "sin": ("0.0", "tensor(0.)"),
    "sinh": ("0.0", "tensor(0.)"),
    "sqrt": ("9.0", "tensor(3.)"),
    "square": ("3.0", "tensor(9.)"),
    "subtract": ("5.0, 3.0", "tensor(2.)"),
    "tan": ("0.0", "tensor(0.)"),
    "tanh": ("0.0", "tensor(0.)"),
    "trunc": ("-1.7", "tensor(-1.)"),
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


for name, (call, result) in EXAMPLES.items():
    found = getattr(elementwise, name, None) or getattr(families, name)
    document(found, "numpy", name, call, result)
