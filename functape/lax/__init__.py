"""functape.lax: jax.lax's functions by the same names, control flow included.

This package stands above functape.transforms, since `scan`, `cond` and their relatives run the
user's functions as transforms do: nothing below the functional layer imports it.
"""

from functape.lax import linalg
from functape.lax.contraction import batch_matmul, dot, dot_general
from functape.lax.convolution import (
    ConvDimensionNumbers,
    conv,
    conv_dimension_numbers,
    conv_general_dilated,
    conv_with_general_padding,
)
from functape.lax.dynamic import (
    dynamic_index_in_dim,
    dynamic_slice,
    dynamic_slice_in_dim,
    dynamic_update_index_in_dim,
    dynamic_update_slice,
    dynamic_update_slice_in_dim,
)
from functape.lax.elementwise import (
    Precision,
    RoundingMethod,
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitcast_convert_type,
    clamp,
    clz,
    complex,
    conj,
    convert_element_type,
    div,
    eq,
    erf_inv,
    ge,
    gt,
    integer_pow,
    is_finite,
    le,
    logistic,
    lt,
    max,
    min,
    mul,
    ne,
    neg,
    optimization_barrier,
    population_count,
    pow,
    reduce_precision,
    rem,
    round,
    select,
    select_n,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
    sub,
)
from functape.lax.gathering import (
    GatherDimensionNumbers,
    GatherScatterMode,
    ScatterDimensionNumbers,
    gather,
    scatter,
    scatter_add,
    scatter_max,
    scatter_min,
    scatter_mul,
)
from functape.lax.reducing import (
    approx_max_k,
    approx_min_k,
    argmax,
    argmin,
    cumlogsumexp,
    cummax,
    cummin,
    cumprod,
    cumsum,
    reduce,
    reduce_and,
    reduce_max,
    reduce_min,
    reduce_or,
    reduce_prod,
    reduce_sum,
    reduce_window,
    reduce_xor,
    sort,
    sort_key_val,
)
from functape.lax.shaping import (
    broadcast,
    broadcast_in_dim,
    broadcast_like,
    broadcast_to_rank,
    broadcasted_iota,
    collapse,
    concatenate,
    expand_dims,
    full,
    full_like,
    index_in_dim,
    iota,
    pad,
    reshape,
    rev,
    slice,
    slice_in_dim,
    split,
    squeeze,
    tile,
    transpose,
)
from functape.numpy import broadcast_shapes, empty, imag, nextafter, real, stack, top_k, unstack
from functape.ops.elementwise import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    cbrt,
    ceil,
    cos,
    cosh,
    erf,
    exp,
    exp2,
    expm1,
    floor,
    log,
    log1p,
    reciprocal,
    rsqrt,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from functape.ops.families import add
from functape.scipy.special import betainc, digamma, erfc, polygamma, zeta
from functape.scipy.special import gammainc as igamma
from functape.scipy.special import gammaincc as igammac
from functape.scipy.special import gammaln as lgamma
from functape.scipy.special import i0e as bessel_i0e
from functape.scipy.special import i1e as bessel_i1e
from functape.suggest import for_names_of
from functape.transforms.associative import associative_scan
from functape.transforms.collectives import (
    all_gather,
    axis_index,
    axis_size,
    pmax,
    pmean,
    pmin,
    psum,
)
from functape.transforms.constants import stop_gradient
from functape.transforms.control import cond, switch
from functape.transforms.implicit import custom_linear_solve, custom_root
from functape.transforms.loops import fori_loop, map, scan, while_loop

__all__ = [
    "abs", "acos", "acosh", "add", "all_gather", "approx_max_k", "approx_min_k", "argmax", "argmin",
    "asin", "asinh", "associative_scan", "atan", "atan2", "atanh", "axis_index", "axis_size",
    "batch_matmul", "bessel_i0e", "bessel_i1e", "betainc", "bitcast_convert_type", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast", "broadcast_in_dim", "broadcast_like",
    "broadcast_shapes", "broadcast_to_rank", "broadcasted_iota", "cbrt", "ceil", "clamp", "clz",
    "collapse", "complex", "concatenate", "cond", "conj", "conv", "conv_dimension_numbers",
    "conv_general_dilated", "conv_with_general_padding", "ConvDimensionNumbers",
    "convert_element_type", "cos", "cosh", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum",
    "custom_linear_solve", "custom_root", "digamma", "div", "dot", "dot_general",
    "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "empty", "eq", "erf", "erf_inv", "erfc",
    "exp", "exp2", "expand_dims", "expm1", "floor", "fori_loop", "full", "full_like", "gather",
    "GatherDimensionNumbers", "GatherScatterMode", "ge", "gt", "igamma", "igammac", "imag",
    "index_in_dim", "integer_pow", "iota", "is_finite", "le", "lgamma", "linalg", "log", "log1p",
    "logistic", "lt", "map", "max", "min", "mul", "ne", "neg", "nextafter", "optimization_barrier",
    "pad", "pmax", "pmean", "pmin", "polygamma", "population_count", "pow", "Precision", "psum",
    "real", "reciprocal", "reduce", "reduce_and", "reduce_max", "reduce_min", "reduce_or",
    "reduce_precision", "reduce_prod", "reduce_sum", "reduce_window", "reduce_xor", "rem",
    "reshape", "rev", "round", "RoundingMethod", "rsqrt", "scan", "scatter", "scatter_add",
    "scatter_max", "scatter_min", "scatter_mul", "ScatterDimensionNumbers", "select", "select_n",
    "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh", "slice",
    "slice_in_dim", "sort", "sort_key_val", "split", "sqrt", "square", "squeeze", "stack",
    "stop_gradient", "sub", "switch", "tan", "tanh", "tile", "top_k", "transpose", "unstack",
    "while_loop", "zeta",
]

__getattr__ = for_names_of(__name__)
