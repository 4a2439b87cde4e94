"""Ops that act on each element: a kernel, and one partial derivative per argument.

`unbounded=True` marks partials that can be infinite or NaN where a zero cotangent must stay zero.
Complex derivatives follow JAX: the cotangent of a holomorphic f is g * f'(z), not conjugated.
"""

import math

import mlx.core as mx

from functape.errors import RangeError, describe
from functape.op import Op
from functape.ops import complex_kernels, float32, float64, vector_kernels
from functape.ops.families import (
    WORDS,
    astype,
    batch_elementwise,
    batch_same,
    elementwise,
    linear,
    masked,
    nondiff,
    scale,
    scale_both,
    stretch,
)
from functape.ops.float64 import exact
from functape.ops.vector_kernels import best_of
from functape.pairs import is_complex

FLOATS = (mx.float16, mx.bfloat16, mx.float32, mx.float64, mx.complex64)
LN2, LN10, PI = math.log(2), math.log(10), math.pi
NUMBER = (bool, int, float)

# --- arithmetic ---------------------------------------------------------------------------------


def ratio_kernel(x, y):
    if isinstance(y, NUMBER) and y != 0:
        return mx.divide(x, y)
    return masked(mx.divide(x, y), mx.not_equal(x, 0))



subtract = elementwise("subtract", mx.subtract, 1, -1, doc="x - y.")
negative = elementwise("negative", mx.negative, -1, doc="-x.")
divide = elementwise(
    "divide", mx.divide, lambda g, y: ratio(g, y), lambda g, ans, y: scale(-g, ans / y),
    doc="x / y.",
)
ratio = elementwise(
    "ratio", ratio_kernel, lambda g, y: ratio(g, y),
    lambda g, ans, y: ratio(scale_both(-g, ans), y),
    doc="x / y, and 0 wherever x is 0, also where y is 0, infinite or NaN.",
)
reciprocal = elementwise("reciprocal", mx.reciprocal, lambda g, ans: scale(-g, square(ans)),
                         doc="1 / x.")
square = elementwise("square", mx.square, lambda g, x: (g + g) * x, doc="x * x.")
degrees = elementwise("degrees", mx.degrees, 180 / PI, doc="Radians to degrees.")
radians = elementwise("radians", mx.radians, PI / 180, doc="Degrees to radians.")

# --- powers and roots ---------------------------------------------------------------------------


def power_kernel(x, y):
    """Common exponents without `mx.power`, which is twenty times dearer than a product."""
    if isinstance(y, NUMBER) and isinstance(x, mx.array):
        inexact = x.dtype in FLOATS
        if y in (0, 1, 2, 3, 4) and (inexact or isinstance(y, int)):
            return small_power(x, int(y))
        if y in (-2, -1, -0.5, 0.5) and inexact:
            return NEGATIVE_POWERS[y](x)
        if y < 0 and not inexact and isinstance(y, int):
            raise RangeError(f"power: an integer has no integer power {y}, but x is "
                             f"{describe(x)}. Convert it to a real number first.")
    return mx.power(x, y)


def small_power(x, n):
    if n == 0:
        return mx.ones_like(x)
    if n == 1:
        return x.astype(x.dtype)
    half = mx.square(x)
    return half if n == 2 else half * x if n == 3 else mx.square(half)


NEGATIVE_POWERS = {
    -2: lambda x: mx.reciprocal(mx.square(x)), -1: mx.reciprocal, -0.5: mx.rsqrt, 0.5: mx.sqrt,
}


def power_by_base(g, x, y):
    """g y x^(y-1); 0 for y = 0, also at x = 0."""
    if not isinstance(y, NUMBER):
        return scale(g, scale(y, power(x, y - 1)))
    slope = y * power(x, y - 1) if y else 0.0
    return g * slope if y == 0 or y >= 1 else scale(g, slope)


def power_by_exponent(g, x, ans):
    """g x^y log x, whose limit at x = 0 is 0."""
    if isinstance(x, NUMBER):
        slope = math.log(x) if x > 0 else 0.0 if x == 0 else math.nan
        return scale(g, ans * slope)
    return scale(g, ans * log(x + (x == 0)))


def cbrt_kernel(x):
    root = mx.sign(x) * mx.power(mx.abs(x), 1 / 3)
    newton = root - (root - x / mx.square(root)) / 3  # mends the last digits
    return mx.where(x == 2 * x, x.astype(root.dtype), newton)  # 0 and infinities


power = elementwise("power", power_kernel, power_by_base, power_by_exponent, doc="x ** y.")
sqrt = elementwise("sqrt", mx.sqrt, lambda g, ans: ratio(0.5 * g, ans), doc="Square root.")
rsqrt = elementwise("rsqrt", mx.rsqrt, lambda g, ans, x: scale(-0.5 * g, ans / x),
                    doc="1 / sqrt(x).")
cbrt = elementwise("cbrt", cbrt_kernel, lambda g, ans: ratio(g / 3, square(ans)),
                   doc="Cube root, also of negative numbers.")
hypot = elementwise(
    "hypot", lambda x, y: hypot_kernel(x, y),
    lambda g, x, ans: g * ratio(tamed(x), finite(ans)),
    lambda g, y, ans: g * ratio(tamed(y), finite(ans)),
    doc="sqrt(x^2 + y^2), without overflow; its slope at the origin is taken as 0.",
)


def hypot_kernel(x, y):
    x, y = abs(x), abs(y)
    big = mx.maximum(x, y)
    low = mx.minimum(x, y)
    small = masked(low / big, mx.not_equal(low, 0))
    far = mx.logical_or(x == math.inf, y == math.inf)  # also where the other is NaN
    return mx.where(far, math.inf, big * mx.sqrt(1 + mx.square(small)))


# --- exponentials and logarithms ----------------------------------------------------------------

def gap(x, y):
    """x - y, and 0 where they are equal, infinities too."""
    return tamed(x) - tamed(y)


def tamed(x):
    return x if isinstance(x, NUMBER) else finite(x)


def finite_kernel(x):
    most = mx.finfo(x.dtype).max
    return mx.clip(x, -most, most)


finite = elementwise("finite", finite_kernel, 1, doc="x, with its largest number for infinity.")
nonpositive = elementwise("nonpositive", lambda x: mx.minimum(x, 0), 1,
                          doc="An x that is at most 0 but for rounding and infinities.")


def logaddexp_kernel(x, y):
    dtypes = [a.dtype for a in (x, y) if isinstance(a, mx.array)]
    if complex_kernels.among(x, y):
        return complex_kernels.logaddexp(x, y)
    return float64.logaddexp(x, y) if mx.float64 in dtypes else mx.logaddexp(x, y)


exp = elementwise("exp", best_of(mx.exp, vector_kernels.exp, float64.exp),
                  lambda ans: ans, unbounded=True, doc="e ** x.")
exp2 = elementwise("exp2", lambda x: mx.power(2.0, x), lambda ans: LN2 * ans, unbounded=True,
                   doc="2 ** x.")
expm1 = elementwise("expm1", exact(mx.expm1, mx.expm1, complex_kernels.expm1),
                    lambda ans: ans + 1, unbounded=True, doc="e ** x - 1, exact for small x.")
log = elementwise("log", mx.log, lambda g, x: ratio(g, x), doc="Natural logarithm.")
log2 = elementwise("log2", mx.log2, lambda g, x: ratio(g / LN2, x), doc="Logarithm to base 2.")
log10 = elementwise("log10", mx.log10, lambda g, x: ratio(g / LN10, x),
                    doc="Logarithm to base 10.")
log1p = elementwise("log1p", mx.log1p, lambda g, x: ratio(g, 1 + x),
                    doc="log(1 + x), exact for small x.")
logaddexp = elementwise(
    "logaddexp", logaddexp_kernel,
    lambda x, y: sigmoid(gap(x, y)), lambda x, y: sigmoid(gap(y, x)),
    doc="log(exp(x) + exp(y)), without overflow.",
)
sigmoid = elementwise("sigmoid", best_of(mx.sigmoid, vector_kernels.sigmoid, float64.sigmoid,
                                         complex_kernels.sigmoid),
                      lambda ans: ans * (1 - ans), doc="1 / (1 + e^-x).")

# --- trigonometric and hyperbolic ---------------------------------------------------------------

sin = elementwise("sin", exact(mx.sin, float64.sin), lambda g, x: g * cos(x),
                  doc="Sine of x in radians.")
cos = elementwise("cos", exact(mx.cos, float64.cos), lambda g, x: -g * sin(x),
                  doc="Cosine of x in radians.")
tan = elementwise("tan", mx.tan, lambda ans: 1 + square(ans), unbounded=True,
                  doc="Tangent of x in radians.")
arcsin = elementwise("arcsin", mx.arcsin, lambda g, x: ratio(g, sqrt(1 - square(x))),
                     doc="Inverse sine, in [-pi/2, pi/2].")
arccos = elementwise("arccos", mx.arccos, lambda g, x: ratio(-g, sqrt(1 - square(x))),
                     doc="Inverse cosine, in [0, pi].")
arctan = elementwise("arctan", mx.arctan, lambda x: 1 / (1 + square(x)),
                     doc="Inverse tangent, in [-pi/2, pi/2].")


def turned_kernel(x, y, z):
    """In this form no square over- or underflows."""
    return ratio_kernel(x, mx.add(z, mx.multiply(y, mx.divide(y, z))))


turned = elementwise(
    "turned", turned_kernel, lambda g, y, z: turned(g, y, z),
    lambda g, x, y, z: turned(turned(scale_both(-2 * g, x), y, z), z, y),
    lambda g, x, y, z: (turned(turned(scale_both(g, x), z, y), z, y)
                        - turned(turned(scale_both(g, x), y, z), y, z)),
    doc="x z / (y^2 + z^2), and 0 wherever x is 0.",
)
arctan2 = elementwise(
    "arctan2", mx.arctan2, lambda g, x, y: turned(g, x, y), lambda g, x, y: turned(-g, y, x),
    doc="The angle of the point (y, x), in (-pi, pi].",
)
sinh = elementwise("sinh", mx.sinh, lambda x: cosh(x), unbounded=True, doc="Hyperbolic sine.")
cosh = elementwise("cosh", mx.cosh, lambda x: sinh(x), unbounded=True, doc="Hyperbolic cosine.")
tanh = elementwise("tanh", best_of(mx.tanh, vector_kernels.tanh), lambda ans: 1 - square(ans),
                   doc="Hyperbolic tangent.")
arcsinh = elementwise("arcsinh", mx.arcsinh, lambda x: rsqrt(1 + square(x)),
                      doc="Inverse hyperbolic sine.")
arccosh = elementwise("arccosh", mx.arccosh,
                      lambda g, x: ratio(g, sqrt(x - 1) * sqrt(x + 1)),
                      doc="Inverse hyperbolic cosine, x >= 1.")
arctanh = elementwise("arctanh", mx.arctanh, lambda g, x: ratio(g, 1 - square(x)),
                      doc="Inverse hyperbolic tangent, |x| < 1.")

# --- error functions ----------------------------------------------------------------------------

erf = elementwise("erf", exact(float32.erf, float64.erf),
                  lambda x: (2 / math.sqrt(PI)) * exp(-square(x)),
                  doc="Error function.")
erfinv = elementwise("erfinv", exact(mx.erfinv, float64.erfinv),
                     lambda ans: (math.sqrt(PI) / 2) * exp(square(ans)), unbounded=True,
                     doc="Inverse error function.")

# --- kinks: ties share evenly -------------------------------------------------------------------

maximum = elementwise(
    "maximum", mx.maximum,
    lambda x, y: above(x, y), lambda x, y: above(y, x), doc="The larger of x and y.",
)
minimum = elementwise(
    "minimum", mx.minimum,
    lambda x, y: above(y, x), lambda x, y: above(x, y), doc="The smaller of x and y.",
)
clip = elementwise(
    "clip", mx.clip,
    lambda x, low, high: (x >= low) * (x <= high), lambda x, low: x < low,
    lambda x, high: x > high, args=("x", "low", "high"),
    doc="x kept within [low, high]; at the bounds the slope is 1.",
)
relu = elementwise("relu", lambda x: mx.maximum(x, 0), lambda x: x > 0,
                   doc="max(x, 0); its slope at 0 is 0.")
where = elementwise(
    "where", vector_kernels.where,
    None, lambda g, condition: gate(condition, g),
    lambda g, condition: gate(logical_not(condition), g), args=("condition", "x", "y"),
    doc="x where the condition holds, else y.",
)


def gate_kernel(condition, x):
    truth = condition if type(condition) is mx.array else mx.array(condition)
    return masked(x, truth if truth.dtype == mx.bool_ else mx.not_equal(truth, 0))


gate = elementwise(
    "gate", gate_kernel, None, lambda g, condition: gate(condition, g), args=("condition", "x"),
    doc="x where the condition holds, else 0.",
)


def remainder_kernel(x, y):
    """MLX's, with the sign of y at zeros too."""
    rest = mx.remainder(x, y)
    if not mx.issubdtype(rest.dtype, mx.floating):
        return rest
    return mx.where(rest == 0, mx.where(mx.less(y, 0), mx.array(-0.0, rest.dtype), 0), rest)


remainder = elementwise("remainder", remainder_kernel, 1, lambda x, y: -floor_divide(x, y),
                        doc="x - y floor(x / y): the sign of y.")


def fmod_kernel(x, y):
    rest = mx.remainder(abs(x), abs(y))  # Python's abs: MLX's would round a number to float32
    return mx.where(x < 0, -rest, rest)


fmod = elementwise("fmod", fmod_kernel, 1, lambda x, y: -trunc(x / y),
                   doc="x - y trunc(x / y): the sign of x.")


def unit(z):
    """The conjugate of z / |z|, and 0 at 0; the sign of a real z."""
    return ratio(conjugate(z), absolute(z)) if is_complex(z) else sign(z)


absolute = Op(
    "abs", mx.abs, args=("x",),
    vjp=[lambda g, x: g * unit(x)],
    jvp=[lambda t, x, ans_shape, ans_dtype: stretch(t * unit(x), ans_shape, ans_dtype)],
    batch=batch_same, doc="|x|; of a complex number, its modulus.",
)

# --- complex numbers ----------------------------------------------------------------------------

real = linear("real", mx.real, lambda g, x_dtype: astype(g, dtype=x_dtype), batch_same,
              doc="The real part.")
imag = linear("imag", mx.imag, lambda g: g * -1j, batch_same, doc="The imaginary part.")
conjugate = linear("conjugate", mx.conjugate, lambda g: conjugate(g), batch_same,
                   doc="The complex conjugate.")

# --- no derivative ------------------------------------------------------------------------------


def flat(name, kernel, args=("x",), doc=""):
    """An elementwise op that is constant wherever it has a derivative."""
    return nondiff(name, kernel, args, batch=batch_elementwise, doc=doc)


def above_kernel(x, y):
    if complex_kernels.among(x, y):
        return mx.greater(x, y) * 0.5 + mx.greater_equal(x, y) * 0.5
    apart = x if isinstance(y, NUMBER) and y == 0 else mx.subtract(x, y)
    return mx.sign(apart) * 0.5 + 0.5


TWO = ("x", "y")
above = flat("above", above_kernel, TWO, doc="1 where x > y, 0.5 where they are equal, else 0.")


def sign_kernel(x):
    """MLX's, and NaN of NaN: the lesser of x and -2 is below every sign, unless it is NaN."""
    if not mx.issubdtype(x.dtype, mx.floating):
        return mx.sign(x)
    return mx.maximum(mx.sign(x), mx.minimum(x, -2))


sign = flat("sign", sign_kernel, doc="-1, 0 or 1; z / |z| of a complex number.")
floor = flat("floor", mx.floor, doc="The largest integer not above x.")
ceil = flat("ceil", mx.ceil, doc="The smallest integer not below x.")
rint = flat("round", mx.round, doc="The nearest integer, ties to even.")
trunc = flat("trunc", mx.trunc, doc="x without its fraction.")
floor_divide = flat("floor_divide", mx.floor_divide, TWO, doc="floor(x / y).")
stop_gradient = flat("stop_gradient", lambda x: x.astype(x.dtype), doc="x as a constant.")
cast = flat("cast", lambda x, dtype: x.astype(dtype), doc="x in an integer or boolean dtype.")
bits = flat("bits", lambda x, dtype: mx.view(x, dtype), doc="The bits of x read as another dtype.")

equal = flat("equal", mx.equal, TWO, doc="x == y.")
not_equal = flat("not_equal", mx.not_equal, TWO, doc="x != y.")
less = flat("less", mx.less, TWO, doc="x < y.")
less_equal = flat("less_equal", mx.less_equal, TWO, doc="x <= y.")
greater = flat("greater", mx.greater, TWO, doc="x > y.")
greater_equal = flat("greater_equal", mx.greater_equal, TWO, doc="x >= y.")

isfinite = flat("isfinite", mx.isfinite, doc="Neither infinite nor NaN.")
isnan = flat("isnan", mx.isnan, doc="NaN.")
isinf = flat("isinf", mx.isinf, doc="Infinite.")
signbit = flat("signbit", lambda x: mx.less(mx.view(x, WORDS.get(x.dtype, x.dtype)), 0),
               doc="Whether the sign bit is set: negative, -0.0 and NaNs with a sign included.")

logical_not = flat("logical_not", mx.logical_not, doc="not x.")
logical_and = flat("logical_and", mx.logical_and, TWO, doc="x and y.")
logical_or = flat("logical_or", mx.logical_or, TWO, doc="x or y.")
logical_xor = flat("logical_xor", lambda x, y: mx.logical_not(x) != mx.logical_not(y), TWO,
                   doc="Either x or y.")
bitwise_not = flat("bitwise_not", mx.bitwise_invert, doc="~x, bit by bit.")
bitwise_and = flat("bitwise_and", mx.bitwise_and, TWO, doc="x & y, bit by bit.")
bitwise_or = flat("bitwise_or", mx.bitwise_or, TWO, doc="x | y, bit by bit.")
bitwise_xor = flat("bitwise_xor", mx.bitwise_xor, TWO, doc="x ^ y, bit by bit.")


def left_shift_kernel(x, y):
    """MLX's, whose shift wraps around at the width of the type; here all bits leave."""
    moved = mx.left_shift(x, y)
    return moved * mx.less(y, 8 * moved.itemsize)


def right_shift_kernel(x, y):
    """MLX's, in two steps: the second moves out what the first, short of the width, has left."""
    most = 8 * mx.right_shift(x, y).itemsize - 1
    first = min(y, most) if isinstance(y, int) else mx.minimum(y, most)
    return mx.right_shift(mx.right_shift(x, first), y > first)


left_shift = flat("left_shift", left_shift_kernel, TWO, doc="x << y.")
right_shift = flat("right_shift", right_shift_kernel, TWO, doc="x >> y.")
