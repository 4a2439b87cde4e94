"""What each op is tested on: op -> rows of arguments and parameters. Adding an op: one line here.

    "sin": unary(real),
    "pad": [row(real(2, 3), width=((1, 0), (0, 2)))],

An argument is a draw, such as `real(2, 3)`, made afresh for each use, or a Python number, passed
as it is. Options of a row: `row(...).but(order=1)`, see `op_draws.Row`.
"""

import importlib
import pkgutil

import functape  # noqa: F401

# isort: split
import mlx.core as mx
from op_draws import (
    above_one,
    ascending,
    binary,
    bitwise,
    boolean,
    comparing,
    distinct,
    indices,
    integers,
    positive,
    real,
    reducing,
    rotating,
    row,
    separated,
    shifting,
    single,
    spaced,
    symmetric,
    unary,
    unit,
    z,
    zpositive,
    zsquare,
)

import functape.lax  # noqa: F401  (its collectives are ops too)
import functape.ops
from functape.op import table
from functape.ops.conv import Geometry
from functape.ops.elementwise import absolute
from functape.ops.pooling import Windows
from functape.pairs import complex128

for module in pkgutil.iter_modules(functape.ops.__path__):
    importlib.import_module(f"functape.ops.{module.name}")
OPS = dict(table)  # as the library defines it: what tests add later does not count

zz = [row(z(2, 3))]
zz2 = [row(z(2, 3), z(3)), row(z(3), real(3)), row(real(2, 3), z())]
s = slice
CUTS = (s(None, None, 2), s(2, None, -1)), (1,), (s(0, 1), None, -1), (s(None), s(1, 3))

inner = spaced(0.1, 0.9)  # probabilities

# x / y away from integers
WITHIN = [row(spaced(2.2, 2.6)(2, 3), spaced(0.9, 1.05)(3)), row(spaced(-2.6, -2.2)(2, 3), 1.0),
          row(-2.4, spaced(0.9, 1.05)(3)), row(real(2, 3), spaced(2.2, 3)(2, 3)),
          row(real(2, 1), spaced(-3, -2.2)(3))]


def sizes(out):
    """Eigenvalues, and the moduli of the eigenvectors."""
    return out[0], absolute(out[1])


def line(stride=1, padding=(0, 0), dilation=1, spread=1, groups=1):
    """How filters move along one axis."""
    return Geometry((stride,), (padding,), (dilation,), (spread,), groups)


def plane():
    return Geometry((2, 1), ((1, 1), (0, 0)), (1, 2), (1, 1), 1)


PAIRS = Windows((1,), (2,), (2,), (1,))  # side by side
RUNS = Windows((0, 1), (2, 3), (1, 2), (2, 1))
LONE = Windows((0,), (3,), (2,), (1,))

SCATTERED = [row(real(3, 2), real(5, 2), indices(3, 5), axis=0),
             row(real(2, 4), real(2, 2, 3), indices(4, 2, 3), axis=1)]

ROWS = {
    # families
    "multiply": binary(real, real, *zz2),
    "add": binary(real, real, *zz2),
    "scale": binary(real, real, *zz2),
    "scale_both": binary(real, real, *zz2),
    "astype": [row(real(2, 3), dtype=mx.float64), row(single(2), dtype=mx.float64),
               row(single(3), dtype=mx.complex64), row(z(2, 3), dtype=mx.float32),
               row(real(3), dtype=complex128), row(single(3), dtype=complex128),
               row(z(3), dtype=complex128)],
    "broadcast_to": [row(real(3), shape=(2, 3)), row(real(2, 1, 3), shape=(2, 4, 3)),
                     row(real(), shape=(2,)), row(real(2), shape=(2,)), row(z(3), shape=(2, 3))],
    "sum_to": [row(real(2, 3), shape=(3,)), row(real(2, 4, 3), shape=(2, 1, 1)),
               row(real(2, 2), shape=()), row(real(2), shape=(2,)), row(z(2, 3), shape=(3,))],
    "sum": reducing(real, row(real(2, 2), axis=(), keepdims=False),
                    row(z(2, 3), axis=(1,), keepdims=False)),
    # movement
    "reshape": [row(real(2, 3), shape=(3, 2)), row(real(4), shape=(2, 1, 2)),
                row(real(1), shape=()), row(z(2, 3), shape=(6,))],
    "transpose": [row(real(2, 3), axes=(1, 0)), row(real(2, 3, 4), axes=(2, 0, 1)),
                  row(z(2, 3), axes=(1, 0))],
    "slice": [row(real(3, 4), index=i) for i in CUTS] + [row(z(3, 4), index=(1,))],
    "unslice": [row(real(2, 3), index=CUTS[0], shape=(3, 4)),
                row(real(4), index=(1,), shape=(3, 4)),
                row(real(1, 1), index=CUTS[2], shape=(3, 4)), row(z(4), index=(1,), shape=(3, 4))],
    "slice_update": [row(real(3, 4), real(2, 3), index=CUTS[0]), row(real(3, 4), 2.0, index=(1,)),
                     row(real(3, 4), real(4), index=CUTS[0][:1]), row(real(3), real(), index=(1,)),
                     row(z(3, 4), z(4), index=(1,)), row(real(3, 4), real(2), index=CUTS[3])],
    "concatenate": [row(real(2, 3), real(1, 3), real(2, 3), axis=0), row(real(2), axis=0),
                    row(real(2, 1), real(2, 3), axis=1), row(z(2), z(3), axis=0)],
    "stack": [row(real(2, 3), real(2, 3), axis=1), row(real(), real(), real(), axis=0),
              row(z(2), z(2), axis=0)],
    "split": [row(real(5, 2), at=(2, 3), axis=0), row(real(2, 4), at=(2,), axis=1),
              row(z(4), at=(1,), axis=0)],
    # contraction
    "matmul": [row(real(2, 3), real(3, 4)), row(real(4, 2, 3), real(3, 2)),
               row(real(2, 3), real(2, 3, 2)), row(real(2, 1, 2, 3), real(4, 3, 1)),
               row(real(2, 3), real(3)), row(real(3), real(3, 2)), row(real(3), real(3)),
               row(z(2, 3), z(3, 2)), row(z(2, 2, 2), z(2, 2)), row(z(2, 3), z(3))],
    # arithmetic
    "subtract": binary(real, real, *zz2),
    "negative": unary(real, *zz),
    "divide": binary(real, positive, *zz2),
    "ratio": binary(real, positive, *zz2),
    "reciprocal": unary(real, *zz),
    "square": unary(real, *zz),
    "degrees": unary(real),
    "radians": unary(real),
    # powers and roots
    "power": binary(positive, real, row(positive(2, 3), 3), row(real(2, 3), 2), row(real(3), -1),
                    row(real(3), 5), row(positive(3), 0.5), row(positive(3), -0.5),
                    row(real(3), 0), row(real(3), 1), row(z(2, 3), 2), row(z(2, 3), z(3)),
                    row(z(3), 1.5)),
    "sqrt": unary(positive, *zz),
    "rsqrt": unary(positive, *zz),
    "cbrt": unary(real),
    "hypot": binary(real),
    # exponentials and logarithms
    "exp": unary(real, *zz),
    "exp2": unary(real, *zz),
    "expm1": unary(real, *zz),
    "log": unary(positive, *zz),
    "log2": unary(positive, *zz),
    "log10": unary(positive, *zz),
    "log1p": unary(positive, row(unit(3)), *zz),
    "logaddexp": binary(real),
    "finite": unary(real),
    "reduced": [row(real(2, 3), exponent=11, mantissa=52)],
    "nonpositive": unary(spaced(-2, -0.2)),
    "sigmoid": unary(real, *zz),
    # trigonometric and hyperbolic
    "sin": unary(real, *zz),
    "cos": unary(real, *zz),
    "tan": unary(unit, *zz),
    "arcsin": unary(unit, *zz),
    "arccos": unary(unit, *zz),
    "arctan": unary(real, *zz),
    "arctan2": binary(real),
    "turned": [row(real(2, 3), real(3), real(2, 1)), row(2.0, real(3), 1.5),
               row(real(), -1.0, real())],
    "sinh": unary(real, *zz),
    "cosh": unary(real, *zz),
    "tanh": unary(real, *zz),
    "arcsinh": unary(real, *zz),
    "arccosh": unary(above_one, *zz),
    "arctanh": unary(unit, *zz),
    "erf": unary(real),
    "erfinv": unary(unit),
    "sinc": [row(real(2, 3), order=0), row(real(), order=0), row(real(4), order=1),
             row(spaced(-4, 4)(8), order=0), row(spaced(-0.1, 0.1)(3), order=2)],
    # kinks
    "maximum": binary(real),
    "minimum": binary(real),
    "clip": [row(spaced(-2, 2)(6), -0.8, 0.8), row(spaced(-2, 2)(2, 3), spaced(-1, -0.5)(3), 0.7),
             row(spaced(-2, 2)(3), -0.7, positive(2, 3)), row(spaced(-2, 2)(), -0.5, 0.5)],
    "relu": unary(real),
    "gate": [row(boolean(2, 3), real(2, 3)), row(boolean(3), real(2, 1)),
             row(boolean(2, 3), z(2, 3))],
    "where": [row(boolean(2, 3), real(2, 3), real(2, 3)), row(boolean(3), real(2, 1), 0.0),
              row(boolean(2, 3), 1.0, real()), row(boolean(2), z(2), z(2))],
    "remainder": WITHIN,
    "fmod": WITHIN,
    "abs": unary(real, *zz),
    # complex numbers
    "real": unary(real, *zz),
    "imag": zz,
    "conjugate": unary(real, *zz),
    # constant wherever differentiable
    "above": [row(real(2, 3), real(2, 3)), row(real(2, 1), real(3)), row(real(3), 0.5)],
    "sign": unary(real, *zz),
    "floor": unary(real),
    "ceil": unary(real),
    "round": unary(real),
    "trunc": unary(real),
    "floor_divide": binary(real, positive),
    "stop_gradient": unary(real, *zz),
    "cast": [row(real(2, 3), dtype=mx.int32), row(real(3), dtype=mx.bool_)],
    "equal": comparing(),
    "not_equal": comparing(),
    "less": comparing(),
    "less_equal": comparing(),
    "greater": comparing(),
    "greater_equal": comparing(),
    "isfinite": unary(real),
    "isnan": unary(real),
    "isinf": unary(real),
    "signbit": unary(real),
    "logical_not": unary(boolean),
    "logical_and": comparing(boolean)[:2],
    "logical_or": comparing(boolean)[:2],
    "logical_xor": comparing(boolean)[:2],
    "bitwise_not": unary(boolean, row(integers(0, 9, 3))),
    "bitwise_and": bitwise(),
    "bitwise_or": bitwise(),
    "bitwise_xor": bitwise(),
    "left_shift": shifting(),
    "right_shift": shifting(),
    # reductions
    "mean": reducing(real, row(z(2, 3), axis=(1,), keepdims=False)),
    "var": reducing(real, row(real(4), axis=(0,), keepdims=True, ddof=1), ddof=0),
    "std": reducing(real, row(real(4), axis=(0,), keepdims=True, ddof=1), ddof=0),
    "max": reducing(real),
    "min": reducing(real),
    "prod": [row(real(2, 3), axis=(1,), keepdims=False), row(real(5, 2), axis=(0,), keepdims=True),
             row(real(1, 2), axis=(0,), keepdims=False), row(real(4), axis=(0,), keepdims=False)],
    "logsumexp": reducing(real),
    "softmax": [row(real(2, 3), axis=(1,)), row(real(2, 3, 2), axis=(0, 2))],
    "log_softmax": [row(real(2, 3), axis=(1,)), row(real(2, 3, 2), axis=(0, 2))],
    "cumsum": [row(real(2, 3), axis=1, reverse=False), row(real(4), axis=0, reverse=True),
               row(z(2, 3), axis=0, reverse=False)],
    "cumprod": [row(real(2, 3), axis=1, reverse=False), row(real(4), axis=0, reverse=True)],
    "argmax": [row(real(2, 3), axis=None, keepdims=False), row(real(2, 3), axis=1, keepdims=True)],
    "argmin": [row(real(2, 3), axis=None, keepdims=False), row(real(2, 3), axis=0, keepdims=False)],
    "all": reducing(boolean),
    "any": reducing(boolean),
    # indexing
    "copy": unary(real, *zz),
    "roll": [row(real(2, 3), shift=(1,), axis=(1,)), row(real(3, 4), shift=(-1, 5), axis=(0, 1)),
             row(z(4), shift=(2,), axis=(0,))],
    "bits": [row(integers(0, 99, 2, 3), dtype=mx.uint32)],
    "contract": [
        row(real(2, 3), real(3, 4), x_labels=(0, 1), y_labels=(1, 2), labels=(0, 2)),
        row(real(2, 3), real(2, 3), x_labels=(0, 1), y_labels=(0, 1), labels=(1,)),
        row(real(2, 3, 2), real(3, 4), x_labels=(0, 1, 2), y_labels=(1, 3), labels=(3, 0, 2)),
        row(real(2), real(3), x_labels=(0,), y_labels=(1,), labels=(1, 0)),
        row(z(2, 3), z(3), x_labels=(0, 1), y_labels=(1,), labels=(0,))],
    "offset_index": [row(integers(-3, 3, 2, 4), n=3, axis=1),
                     row(integers(0, 3, 2, 4), n=3, axis=0)],
    "take": [row(real(3, 4), indices(4, 2, 2), axis=1), row(real(3, 2), indices(3, 5), axis=0),
             row(real(2, 9), indices(2, 3), axis=0), row(real(2, 3, 8), indices(3, 4), axis=1),
             row(real(3), indices(3), axis=0), row(z(3, 2), indices(3, 4), axis=0)],
    "scatter_add": [row(real(5, 2), indices(3, 5), axis=0, shape=(3, 2)),
                    row(real(2, 2, 3), indices(4, 2, 3), axis=1, shape=(2, 4)),
                    row(z(4), indices(3, 4), axis=0, shape=(3,))],
    "scatter": [row(real(4, 2), real(3, 2), distinct(4, 3), axis=0),
                row(real(2, 5), real(2, 2, 2), distinct(5, 2, 2), axis=1),
                row(real(4), 0.5, distinct(4, 2), axis=0), row(z(4), z(2), distinct(4, 2), axis=0)],
    "dynamic_slice": [row(real(3, 4), integers(0, 2, 2), sizes=(2, 2)),
                      row(z(5), integers(0, 3, 1), sizes=(3,))],
    "dynamic_unslice": [row(real(2, 2), integers(0, 2, 2), shape=(3, 4))],
    "dynamic_update_slice": [row(real(3, 4), real(2, 2), integers(0, 2, 2), sizes=(2, 2)),
                             row(real(4), 2.0, integers(0, 3, 1), sizes=(2,))],
    "scatter_max": SCATTERED,
    "scatter_min": SCATTERED,
    "take_along_axis": [row(real(3, 4), indices(4, 3, 2), axis=1),
                        row(real(3, 4), indices(3, 5, 4), axis=0),
                        row(z(3, 2), indices(3, 2, 2), axis=0)],
    "add_along_axis": [row(real(3, 2), indices(4, 3, 2), axis=1, shape=(3, 4)),
                       row(real(5, 4), indices(3, 5, 4), axis=0, shape=(3, 4)),
                       row(z(2, 2), indices(3, 2, 2), axis=0, shape=(3, 2))],
    "unstack": [row(real(3, 2), axis=0), row(real(2, 3), axis=1), row(z(2), axis=0)],
    "ravel_index": [row(integers(-2, 2, 3), integers(-3, 3, 4, 1), sizes=(2, 3), drop=False),
                    row(integers(-9, 9, 8), sizes=(5,), drop=True)],
    "keep_last": [row(integers(0, 4, 6), size=4, lead=0),
                  row(integers(0, 3, 2, 5), size=3, lead=1)],
    # orders
    "argsort": [row(real(2, 3), axis=1, descending=False), row(integers(0, 3, 6), axis=0,
                                                              descending=True)],
    "argpartition": [row(real(2, 3), kth=1, axis=1)],  # all of the order is determined
    "searchsorted": [row(ascending(4), real(2, 3), side="left"),
                     row(ascending(2, 4), real(2, 3), side="right"),
                     row(integers(0, 1, 3), integers(0, 2, 4), side="right")],
    # Fourier transforms
    "fft": [row(z(4), axes=(0,), norm="backward"), row(z(2, 3), axes=(0, 1), norm="ortho"),
            row(real(2, 4), axes=(1,), norm="forward")],
    "ifft": [row(z(4), axes=(0,), norm="backward"), row(z(2, 3), axes=(0, 1), norm="ortho")],
    "rfft": [row(real(5), axes=(0,), norm="backward"), row(real(2, 4), axes=(0, 1), norm="ortho")],
    "irfft": [row(z(3), axes=(0,), n=5, norm="backward"),
              row(z(2, 3), axes=(0, 1), n=4, norm="ortho")],
    # convolutions: x (N, ..., I), y (O, ..., I / groups)
    "conv": [row(real(2, 5, 2), real(3, 3, 2), geometry=line()),
             row(real(1, 6, 4), real(2, 2, 2), geometry=line(stride=2, padding=(1, 2), groups=2)),
             row(real(1, 4, 5, 1), real(2, 2, 3, 1), geometry=plane()),
             row(real(1, 4, 1), real(1, 2, 1),
                 geometry=line(dilation=2, spread=2, padding=(2, -1)))],
    "conv_input": [row(real(2, 3, 3), real(3, 3, 2), geometry=line(), size=(5,)),
                   row(real(1, 4, 2), real(2, 2, 2), size=(6,),
                       geometry=line(stride=2, padding=(1, 2), groups=2)),
                   row(real(1, 3, 1, 2), real(2, 2, 3, 1), geometry=plane(), size=(4, 5))],
    "conv_weight": [row(real(2, 5, 2), real(2, 3, 3), geometry=line(), size=(3,)),
                    row(real(1, 6, 4), real(1, 4, 2), size=(2,),
                        geometry=line(stride=2, padding=(1, 2), groups=2))],
    # windows
    "windows": [row(real(2, 4, 2), over=PAIRS), row(real(4, 6), over=RUNS), row(real(8), over=LONE),
                row(z(8), over=LONE)],
    "overlap": [row(real(2, 2, 2, 2), over=PAIRS, shape=(2, 4, 2)),
                row(real(2, 2, 2, 3), over=RUNS, shape=(4, 6)),
                row(real(3, 3), over=LONE, shape=(8,)), row(z(3, 3), over=LONE, shape=(8,))],
    "window_sum": [row(real(2, 4, 2), over=PAIRS), row(real(4, 6), over=RUNS),
                   row(z(8), over=LONE)],
    "window_max": [row(real(2, 4, 2), over=PAIRS), row(real(4, 6), over=RUNS),
                   row(real(8), over=LONE)],
    # neural networks
    "softplus": unary(real),
    "exp_below": unary(spaced(-3, -0.1)),
    "elu": binary(real, positive),
    "relu6": unary(real, row(spaced(3.1, 8.9)(4))),
    "leaky_relu": binary(real, positive),
    "log1mexp": unary(positive),
    "affine": [row(real(2, 3), real(3), real(3)), row(real(2, 1), 0.5, real(2, 3)),
               row(real(2, 3), real(), 1.5)],
    "sum_rows": [row(real(2, 3), axis=(1,)), row(real(2, 3, 2), axis=(0, 2)),
                 row(z(3), axis=(0,))],
    "scale_rows": [row(real(2, 3), real(2, 1), axis=(1,)),
                   row(real(2, 3, 2), real(1, 3, 1), axis=(0, 2))],
    "centre": [row(real(2, 3), axis=(1,)), row(real(2, 3, 2), axis=(0, 2)), row(z(3), axis=(0,))],
    "inverse_rms": [row(real(2, 3), axis=(1,), eps=1e-2),
                    row(real(2, 3, 2), axis=(0, 2), eps=0.0)],
    "layer_norm": [row(real(2, 3), positive(3), real(3), eps=1e-2),
                   row(real(2, 2, 3), real(3), real(3), eps=1e-5)],
    "rms_norm": [row(real(2, 3), positive(3), eps=1e-2), row(real(2, 2, 3), real(3), eps=1e-5)],
    "attention": [row(real(1, 2, 3, 2), real(1, 2, 4, 2), real(1, 2, 4, 3), 0.0, scale=0.7),
                  row(real(2, 4, 3, 2), real(2, 2, 3, 2), real(2, 2, 3, 2), real(3, 3), scale=1.0),
                  row(real(1, 2, 2, 2), real(1, 1, 3, 2), real(1, 1, 3, 1), boolean(1, 1, 2, 3),
                      scale=0.5)],
    "rope": [row(real(2, 3, 4), dims=4, traditional=False, base=100.0, scale=1.0, offset=0),
             row(real(1, 2, 3, 6), dims=4, traditional=True, base=100.0, scale=0.5, offset=3)],
    "cross_entropy": [row(real(2, 3), integers(0, 3, 2)), row(real(3, 2, 4), integers(0, 4, 3, 2))],
    # collectives
    "psum": [row(real(2, 3), rank=-1, size=3)],
    # linear algebra
    "triangle": [row(real(3, 3), lower=True, offset=0), row(real(2, 3, 4), lower=False, offset=1),
                 row(z(2, 2), lower=True, offset=-1)],
    "identity_for": [row(real(2, 3, 3), size=3)],
    "floored": [row(positive(2, 3), power=0.5)],
    "norm": [row(real(2, 3), axis=(1,), keepdims=False, ord=2),
             row(real(4), axis=(0,), keepdims=True, ord=1),
             row(real(2, 3), axis=(0, 1), keepdims=False, ord=3)],
    # special functions
    "gammaln": unary(positive, row(spaced(-2.8, -2.2)(3)), row(spaced(9, 30)(3))),
    "gamma": unary(positive, row(spaced(-1.8, -1.2)(3)), row(spaced(6, 8)(3))),
    "logit": unary(inner, row(spaced(0.32, 0.6)(3))),
    "log_ratio": binary(positive),
    "divergence": binary(positive),
    "gammasgn": unary(real),
    "digamma": unary(positive, row(spaced(-1.8, -1.2)(3)), row(spaced(9, 30)(3))),
    "polygamma": [row(positive(2, 3), n=1), row(positive(), n=2), row(spaced(-1.8, -1.2)(3), n=1),
                  row(spaced(9, 30)(3), n=3)],
    "zeta": [row(above_one(2, 3), positive(2, 3), order=0),
             row(above_one(2, 1, 3), positive(4, 1), order=0), row(2.2, positive(3), order=0),
             row(spaced(2, 9)(3), 1.5, order=0), row(above_one(3), positive(), order=1)],
    "betaln": binary(positive, positive, row(positive(3), spaced(9, 20)(3)),
                     row(spaced(9, 20)(3), spaced(9, 20)(3))),
    "gamma_density": [row(positive(2, 3), positive(2, 3)), row(positive(2, 1), positive(3)),
                      row(spaced(9, 12)(3), spaced(9, 12)(3)), row(1.7, positive(3))],
    "gamma_moment": [row(positive(2, 3), spaced(0.3, 3)(2, 3), order=0, upper=False),
                     row(positive(2, 1), spaced(0.3, 3)(3), order=0, upper=True),
                     row(spaced(9, 12)(3), spaced(8, 13)(3), order=0, upper=False),
                     row(1.7, spaced(0.3, 3)(3), order=0, upper=False),
                     row(spaced(1, 3)(2), spaced(0.3, 3)(2), order=1, upper=False),
                     row(spaced(1, 3)(2), spaced(0.3, 3)(2), order=2, upper=True).but(order=1)],
    "gamma_ratio": [row(positive(2, 3), spaced(-2, 1)(2, 3), order=1),
                    row(positive(2, 1), spaced(-2, 1)(3), order=0),
                    row(spaced(9, 12)(2), spaced(2, 2.5)(2), order=1)],
    "beta_density": [row(positive(2, 3), positive(2, 3), spaced(0.2, 0.8)(2, 3)),
                     row(positive(2, 1), 2.5, spaced(0.2, 0.8)(3)),
                     row(spaced(9, 12)(3), spaced(9, 12)(3), spaced(0.3, 0.7)(3))],
    "beta_moment": [row(positive(3), positive(3), spaced(0.2, 0.8)(3), order=(0, 0)),
                    row(positive(2, 1), 2.5, spaced(0.2, 0.8)(3), order=(0, 0)).but(order=1),
                    row(spaced(9, 12)(2), spaced(9, 12)(2), spaced(0.3, 0.7)(2),
                        order=(0, 0)).but(order=1),
                    row(2.5, spaced(1, 3)(2), spaced(0.2, 0.8)(2), order=(1, 0)).but(order=1)],
    "erfcx": [row(real(2, 3), order=0), row(spaced(-4, 9)(4), order=0), row(real(), order=2)],
    "erfc": unary(real),
    "ndtr": unary(real, row(spaced(-5, 5)(4))),
    "log_ndtr": unary(real, row(spaced(-9, 5)(6))),
    "ndtri": unary(spaced(0.1, 0.9), row(spaced(0.06, 0.1)(2))),
    "iv": [row(real(2, 3), order=0), row(real(), order=1), row(spaced(8.2, 9)(2), order=2)],
    "ive": [row(real(2, 3), order=0), row(real(), order=1), row(spaced(-9.5, 9)(4), order=2)],
    "expn": [row(1, positive(2, 3)), row(0, positive()), row(integers(0, 5, 3), spaced(0.3, 3)(3))],
    "expi": unary(positive, row(spaced(-2, -1)(2)), row(spaced(6.2, 8)(2))),
    "si": unary(real, row(spaced(4.2, 6)(2))),
    "ci": unary(positive, row(spaced(4.2, 6)(2))),
    "dawsn": unary(real),
    "spence": unary(positive, row(spaced(0.1, 0.4)(2)), row(spaced(2.2, 4)(2))),
    "loggamma_sample": [row(positive(3), inner(11, 3)).but(differentiate=False)],
    "poisson_sample": [row(positive(3), inner(21, 3)), row(spaced(9, 30)(3), inner(21, 3))],
    "binomial_sample": [row(integers(2, 20, 3), inner(3), inner(21, 3)),
                        row(integers(60, 90, 3), inner(3), inner(21, 3))],
    "random_bits": [row(integers(0, 99, 2), shape=(3,)), row(integers(0, 99, 3, 2), shape=(2, 2))],
}

# Matrix factorisations, which MLX has in single and double precision only. What is free in them,
# the phases of eigenvectors, is taken away before derivatives are compared.
FACTORS = {
    "inv": [row(separated(3, 3)), row(separated(2, 2, 2)), row(zsquare(2))],
    "solve": [row(separated(3, 3), real(3, 2)), row(separated(2, 1, 2, 2), real(3, 2, 1)),
              row(zsquare(2), z(2, 2)), row(separated(2, 2), real(2, 2, 3))],
    "solve_triangular": [row(separated(3, 3), real(3, 2), lower=True, unit=False),
                         row(separated(2, 2, 2), real(2, 1), lower=False, unit=False),
                         row(separated(3, 3), real(3, 2), lower=True, unit=True)],
    "cholesky": [row(symmetric(3, 3)), row(symmetric(2, 2, 2)), row(zpositive(3))],
    "lu": [row(separated(3, 3)), row(separated(2, 2, 2)), row(zsquare(3)), row(zsquare(3, 2))],
    "lu_pivots": [row(separated(4, 4)), row(separated(2, 3, 3)), row(zsquare(3))],
    "pivoting": [row(integers(0, 4, 4)), row(integers(0, 3, 2, 3))],
    "qr": [row(separated(3, 3)), row(real(4, 2)), row(separated(2, 2, 2)), row(zsquare(2)),
           row(zsquare(3, 2))],
    "full_qr": [row(real(3, 2)).but(differentiate=False)],
    "eigh": [row(symmetric(3, 3)), row(symmetric(2, 2, 2))],
    "eigvalsh": [r.but(differentiate=False) for r in (
        row(symmetric(3, 3)), row(symmetric(2, 2, 2)), row(zpositive(3)))],
    "svd": [row(separated(3, 3)), row(separated(2, 3, 2)), row(separated(2, 3))],
    "svdvals": [r.but(differentiate=False) for r in (
        row(separated(3, 3)), row(separated(2, 3, 2)), row(separated(2, 3)), row(zsquare(3, 2)))],
    "full_svd": [row(separated(3, 2)).but(differentiate=False)],
    "eig": [row(rotating(n)).but(through=sizes) for n in (2, 3)],
    "eigvals": [row(rotating(2)), row(rotating(3))],
    "det": [row(separated(3, 3)), row(separated(2, 2, 2)), row(zsquare(2))],
    "is_regular": [row(separated(3, 3)), row(separated(2, 2, 2))],
    "cofactor": [row(separated(3, 3)), row(separated(2, 2, 2))],
    "slogdet": [row(separated(3, 3)), row(separated(2, 2, 2)), row(zsquare(2))],
    "pinv": [row(separated(3, 3), 1e-6), row(separated(2, 3, 2), 1e-6),
             row(separated(2, 3), 1e-6)],
    "expm": [row(real(2, 2), max_squarings=16), row(unit(2, 3, 3), max_squarings=16)],
}
ROWS |= {name: [r.but(low=("float32",)) for r in rows] for name, rows in FACTORS.items()}

# What MLX does not compute of complex64, or not well.
OF_DOUBLE = {
    "prod": [row(z(2, 3), axis=(1,), keepdims=False)],
    "cumprod": [row(z(2, 3), axis=1, reverse=False), row(z(4), axis=0, reverse=True)],
    "logsumexp": [row(z(2, 3), axis=(1,), keepdims=False), row(z(3), axis=(0,), keepdims=True)],
    "softmax": [row(z(2, 3), axis=(1,))], "log_softmax": [row(z(2, 3), axis=(0,))],
    "logaddexp": [row(z(2, 3), z(3))], "softplus": zz, "exp_below": zz,
    "affine": [row(z(2, 3), z(3), z())], "scale_rows": [row(z(2, 3), z(2, 1), axis=(1,))],
    "degrees": zz, "radians": zz, "turned": [row(z(2, 3), z(3), z(2, 1))],
    "conv": [row(z(2, 5, 2), z(3, 3, 2), geometry=line())],
    "conv_input": [row(z(2, 3, 3), z(3, 3, 2), geometry=line(), size=(5,))],
    "conv_weight": [row(z(2, 5, 2), z(2, 3, 3), geometry=line(), size=(3,))],
    "solve_triangular": [row(zsquare(3), z(3, 2), lower=True, unit=False)],
    "eigvalsh": [row(zpositive(3)).but(differentiate=False)],
    "svdvals": [row(zsquare(3)).but(differentiate=False)],
    "pinv": [row(zsquare(3), 1e-6)], "expm": [row(zsquare(2), max_squarings=16)],
}
ROWS = {name: [*rows, *[r.in_double() for r in (*rows, *OF_DOUBLE.get(name, ())) if r.is_complex]]
        for name, rows in ROWS.items()}

CASES = [(name, i) for name, rows in ROWS.items() if name in OPS for i in range(len(rows))]
IDS = [f"{name}-{i}" for name, i in CASES]


def case(name, i):
    """(op, row) of an entry of CASES."""
    return OPS[name], ROWS[name][i]
