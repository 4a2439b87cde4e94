"""mlx.core's functions that act on each element: mostly functape's ops, whose kernels they are."""

from functape.mlx.translations.registry import table, translation
from functape.numpy import elementwise as fnp
from functape.numpy import logic
from functape.numpy.arguments import as_type, is_inexact, value
from functape.ops import elementwise as ops
from functape.ops import families
from functape.ops.movement import copy_of
from functape.ops.reductions import all_of

SAME_NAME = (
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "bitwise_and",
    "bitwise_or", "bitwise_xor", "ceil", "conjugate", "cos", "cosh", "degrees", "divide", "equal",
    "erf", "erfinv", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal", "imag",
    "isfinite", "isinf", "isnan", "left_shift", "less", "less_equal", "log", "log10", "log1p",
    "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "maximum", "minimum",
    "negative", "not_equal", "power", "radians", "real", "reciprocal", "remainder", "right_shift",
    "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "stop_gradient", "subtract",
    "tan", "tanh", "trunc", "where",
)
RENAMED = {
    "abs": ops.absolute, "add": families.add, "bitwise_invert": ops.bitwise_not,
    "logical_xor": ops.logical_xor, "multiply": families.multiply, "positive": copy_of,
    "isposinf": logic.isposinf, "isneginf": logic.isneginf,
}
OTHER_NAMES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "conj": "conjugate", "pow": "power",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
}
table.update({name: getattr(ops, name) for name in SAME_NAME} | RENAMED)
table.update({name: table[other] for name, other in OTHER_NAMES.items()})


@translation("round")
def rounded(a, decimals=0):
    return fnp.round(a, decimals) if decimals else ops.rint(a)


@translation("divmod")
def divmod_of(a, b):
    return list(fnp.divmod(a, b))


@translation("clip")
def clip(a, a_min, a_max):
    """Where both bounds are given, at once: the slope at a bound is 1 then."""
    if a_min is not None and a_max is not None:
        return ops.clip(a, a_min, a_max)
    if a_min is None and a_max is None:
        raise ValueError("[clip] At most one of a_min and a_max may be None")
    if is_inexact(value(a, "clip")):
        low, high = -float("inf") if a_min is None else a_min, a_max
        return ops.clip(a, low, float("inf") if high is None else high)
    return ops.maximum(a, a_min) if a_max is None else ops.minimum(a, a_max)


@translation("nan_to_num")
def nan_to_num(a, nan=0, posinf=None, neginf=None):
    return fnp.nan_to_num(a, nan=nan, posinf=posinf, neginf=neginf)


@translation("astype")
def astype(a, dtype):
    return as_type(value(a, "astype"), dtype)


@translation("isclose")
def isclose(a, b, rtol=1e-5, atol=1e-8, *, equal_nan=False):
    return logic.isclose(a, b, rtol, atol, equal_nan)


@translation("allclose")
def allclose(a, b, rtol=1e-5, atol=1e-8, *, equal_nan=False):
    close = isclose(a, b, rtol, atol, equal_nan=equal_nan)
    return all_of(close, axis=tuple(range(len(close.shape))), keepdims=False)


@translation("array_equal")
def array_equal(a, b, equal_nan=False):
    return logic.array_equal(a, b, equal_nan)
