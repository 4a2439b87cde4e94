# ruff: noqa: I001  (names packed: one a line they would fill this file)
"""functape.numpy: jax.numpy's functions on functape values, by the same names.

They take tensors, NumPy and MLX arrays and numbers, and always return tensors. One file a kind of
mathematics; functions of each element are mostly the ops themselves (functape.ops).
"""

import math

from functape.dtypes import as_dtype as dtype
from functape.dtypes import (
    bfloat16, bool_, can_cast, complex64, complex128, complexfloating, finfo, float16, float32,
    float64, floating, generic, iinfo, inexact, int16, int32, int64, int8, integer, isdtype,
    issubdtype, number, promote_types, result_type, signedinteger, uint16, uint32, uint64, uint8,
    unsignedinteger,
)
from functape.later import later
from functape.tensor import Tensor as ndarray

with later(globals()) as (__getattr__, __dir__):
    from functape.numpy import fft, linalg
    from functape.numpy.arranging import (
        flip, fliplr, flipud, meshgrid, repeat, roll, rot90, tile,
    )
    from functape.numpy.broadcasting import broadcast_arrays, broadcast_shapes, broadcast_to
    from functape.numpy.calls import apply_along_axis, apply_over_axes, fromfunction, vectorize
    from functape.numpy.contraction import (
        cross, dot, inner, kron, matmul, matvec, outer, tensordot, vdot, vecdot, vecmat,
    )
    from functape.numpy.creation import (
        array, asarray, empty, empty_like, from_dlpack, full, full_like, ones, ones_like, zeros,
        zeros_like,
    )
    from functape.numpy.diagonals import diag, diagflat, diagonal, trace
    from functape.numpy.differences import (
        corrcoef, cov, diff, ediff1d, gradient, interp, trapezoid, unwrap,
    )
    from functape.numpy.editing import (
        compress, delete, extract, fill_diagonal, insert, piecewise, place, put, resize, trim_zeros,
    )
    from functape.numpy.subscripts import einsum, einsum_path
    from functape.numpy.elementwise import (
        angle, clip, conjugate, copysign, divmod, fabs, float_power, fmax, fmin, heaviside, imag,
        ldexp, logaddexp2, modf, nan_to_num, positive, real, round, sinc, where,
    )
    from functape.numpy.extremes import argmax, argmin, max, min, ptp
    from functape.numpy.files import (
        array_repr, array_str, frombuffer, fromfile, fromiter, fromstring, get_printoptions, load,
        printoptions, save, savez, set_printoptions,
    )
    from functape.numpy.floats import frexp, nextafter, packbits, spacing, unpackbits
    from functape.numpy.grids import (
        c_, diag_indices_from, index_exp, indices, ix_, mask_indices, mgrid, ogrid, r_,
        ravel_multi_index, s_, unravel_index,
    )
    from functape.numpy.histograms import (
        bincount, histogram, histogram2d, histogram_bin_edges, histogramdd,
    )
    from functape.numpy.indexing import choose, put_along_axis, select, take, take_along_axis
    from functape.numpy.integers import bitwise_count, gcd, lcm
    from functape.numpy.joining import (
        append, array_split, block, column_stack, concat, concatenate, dsplit, dstack, hsplit,
        hstack, split, stack, unstack, vsplit, vstack,
    )
    from functape.numpy.logic import (
        allclose, array_equal, array_equiv, isclose, iscomplex, iscomplexobj, isneginf, isposinf,
        isreal, isrealobj, isscalar,
    )
    from functape.numpy.matrices import (
        diag_indices, eye, identity, tri, tril, tril_indices, tril_indices_from, triu, triu_indices,
        triu_indices_from, vander,
    )
    from functape.numpy.methods import astype, copy
    from functape.numpy.moments import average, mean, std, var
    from functape.numpy.nan_reductions import (
        nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmean, nanmin, nanprod, nanstd,
        nansum, nanvar,
    )
    from functape.numpy.padding import pad
    from functape.numpy.polynomials import (
        poly, polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval, roots,
    )
    from functape.numpy.quantiles import (
        median, nanmedian, nanpercentile, nanquantile, percentile, quantile,
    )
    from functape.numpy.reductions import all, any, count_nonzero, logsumexp, prod, sum
    from functape.numpy.running import cumprod, cumsum, cumulative_prod, cumulative_sum
    from functape.numpy.searching import (
        argwhere, digitize, flatnonzero, nonzero, searchsorted, unique, unique_all, unique_counts,
        unique_inverse, unique_values,
    )
    from functape.numpy.sequences import arange, geomspace, linspace, logspace
    from functape.numpy.sets import intersect1d, isin, setdiff1d, setxor1d, union1d
    from functape.numpy.shapes import (
        atleast_1d, atleast_2d, atleast_3d, expand_dims, matrix_transpose, moveaxis, ndim,
        permute_dims, ravel, reshape, rollaxis, shape, size, squeeze, swapaxes, transpose,
    )
    from functape.numpy.signals import (
        bartlett, blackman, convolve, correlate, hamming, hanning, i0, kaiser,
    )
    from functape.numpy.signatures import (
        absolute, add, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, bitwise_and,
        bitwise_not, bitwise_or, bitwise_xor, cbrt, ceil, cos, cosh, degrees, divide, equal, exp,
        exp2, expm1, floor, floor_divide, fmod, greater, greater_equal, hypot, isfinite, isinf,
        isnan, left_shift, less, less_equal, log, log10, log1p, log2, logaddexp, logical_and,
        logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative, not_equal,
        power, radians, reciprocal, remainder, right_shift, rint, sign, signbit, sin, sinh, sqrt,
        square, subtract, tan, tanh, trunc,
    )
    from functape.numpy.sorting import (
        argpartition, argsort, lexsort, partition, sort, sort_complex, top_k,
    )
    from functape.numpy.standard import array_namespace_info as __array_namespace_info__  # noqa: F401
    from functape.numpy.ufuncs import frompyfunc, ufunc

    # Other names of the same functions: shorter ones, and the array API's.
    abs, amax, amin, conj = absolute, max, min, conjugate
    mod, pow, true_divide = remainder, power, divide
    acos, acosh, asin, asinh, atan, atanh = arccos, arccosh, arcsin, arcsinh, arctan, arctanh
    atan2, deg2rad, rad2deg = arctan2, radians, degrees
    bitwise_invert = invert = bitwise_not
    bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
    around = round

bool, single, double, csingle, cdouble = bool_, float32, float64, complex64, complex128
int_, uint, float_, complex_ = int32, uint32, float32, complex64

pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
euler_gamma = 0.5772156649015329  # the limit of 1 + 1/2 + ... + 1/n - log n
newaxis = None
__array_api_version__ = "2024.12"

# isort: split
# What arrays can do themselves.
from functape.numpy import interop, methods, operators  # noqa: F401, E402

__all__ = [
    # Types
    "bfloat16", "bool_", "can_cast", "complex128", "complex64", "complexfloating", "finfo",
    "float16", "float32", "float64", "floating", "generic", "iinfo", "inexact", "int16", "int32",
    "int64", "int8", "integer", "isdtype", "issubdtype", "number", "promote_types", "result_type",
    "signedinteger", "uint16", "uint32", "uint64", "uint8", "unsignedinteger",
    # Element by element: the ops themselves
    "absolute", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "cos", "cosh",
    "degrees", "divide", "equal", "exp", "exp2", "expm1", "floor", "floor_divide", "fmod",
    "greater", "greater_equal", "hypot", "isfinite", "isinf", "isnan", "left_shift", "less",
    "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not",
    "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "not_equal", "power",
    "radians", "reciprocal", "remainder", "right_shift", "rint", "sign", "signbit", "sin", "sinh",
    "sqrt", "square", "subtract", "tan", "tanh", "trunc",
    # Creation
    "arange", "array", "asarray", "empty", "empty_like", "from_dlpack", "full", "full_like",
    "geomspace", "linspace", "logspace", "ones", "ones_like", "zeros", "zeros_like",
    # Matrices
    "diag_indices", "eye", "identity", "tri", "tril", "tril_indices", "tril_indices_from", "triu",
    "triu_indices", "triu_indices_from", "vander",
    # Diagonals
    "diag", "diagflat", "diagonal", "trace",
    # Shapes
    "atleast_1d", "atleast_2d", "atleast_3d", "expand_dims", "matrix_transpose", "moveaxis", "ndim",
    "permute_dims", "ravel", "reshape", "rollaxis", "shape", "size", "squeeze", "swapaxes",
    "transpose",
    # Arranging
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "flip", "fliplr", "flipud", "meshgrid",
    "repeat", "roll", "rot90", "tile",
    # Joining and cutting
    "append", "array_split", "block", "column_stack", "concat", "concatenate", "dsplit", "dstack",
    "hsplit", "hstack", "split", "stack", "unstack", "vsplit", "vstack",
    # Padding
    "pad",
    # Indexing
    "choose", "put_along_axis", "select", "take", "take_along_axis",
    # Sorting and searching
    "argpartition", "argsort", "argwhere", "digitize", "flatnonzero", "lexsort", "nonzero",
    "partition", "searchsorted", "sort", "sort_complex", "top_k", "unique", "unique_all",
    "unique_counts", "unique_inverse", "unique_values",
    # Products
    "cross", "dot", "einsum", "einsum_path", "inner", "kron", "matmul", "matvec", "outer",
    "tensordot", "vdot", "vecdot", "vecmat",
    # Reductions
    "all", "any", "argmax", "argmin", "average", "count_nonzero", "logsumexp", "max", "mean",
    "median", "min", "nanmedian", "nanpercentile", "nanquantile", "percentile", "prod", "ptp",
    "quantile", "std", "sum", "var",
    # Running sums and products
    "cumprod", "cumsum", "cumulative_prod", "cumulative_sum",
    # Reductions that pass over NaN
    "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod",
    "nanstd", "nansum", "nanvar",
    # Along an axis
    "corrcoef", "cov", "diff", "ediff1d", "gradient", "interp", "trapezoid", "unwrap",
    # Comparisons and tests
    "allclose", "array_equal", "array_equiv", "isclose", "iscomplex", "iscomplexobj", "isneginf",
    "isposinf", "isreal", "isrealobj", "isscalar",
    # Element by element, made of ops
    "angle", "clip", "conjugate", "copysign", "divmod", "fabs", "float_power", "fmax", "fmin",
    "heaviside", "imag", "ldexp", "logaddexp2", "modf", "nan_to_num", "positive", "real", "round",
    "sinc", "where",
    # Integers
    "bitwise_count", "gcd", "lcm",
    # Other names, and constants
    "abs", "acos", "acosh", "amax", "amin", "asin", "asinh", "astype", "atan", "atan2", "atanh",
    "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift", "conj", "deg2rad", "e",
    "euler_gamma", "inf", "invert", "mod", "nan", "ndarray", "newaxis", "pi", "pow", "rad2deg",
    "true_divide",
    "around", "bool", "cdouble", "complex_", "copy", "csingle", "double", "dtype", "float_", "int_",
    "single", "uint",
    # Sequences and windows
    "bartlett", "blackman", "convolve", "correlate", "hamming", "hanning", "i0", "kaiser",
    # Polynomials
    "poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval",
    "roots",
    # Counts
    "bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd",
    # Sets
    "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d",
    # Elements put in, taken out and replaced
    "compress", "delete", "extract", "fill_diagonal", "insert", "piecewise", "place", "put",
    "resize", "trim_zeros",
    # Coordinates
    "c_", "diag_indices_from", "index_exp", "indices", "ix_", "mask_indices", "mgrid", "ogrid",
    "r_", "ravel_multi_index", "s_", "unravel_index",
    # Functions of scalars and vectors, mapped
    "apply_along_axis", "apply_over_axes", "fromfunction", "frompyfunc", "ufunc", "vectorize",
    # Floating-point numbers and bits
    "frexp", "nextafter", "packbits", "spacing", "unpackbits",
    # Files and text
    "array_repr", "array_str", "frombuffer", "fromfile", "fromiter", "fromstring",
    "get_printoptions", "load", "printoptions", "save", "savez", "set_printoptions",
    # Parts
    "fft", "linalg",
]
