"""What each op is tested on: op -> rows of arguments and parameters. Adding an op: one line here.

    "sin": unary(real),
    "pad": [row(real(2, 3), width=((1, 0), (0, 2)))],

An argument is a draw, such as `real(2, 3)`, made afresh for each use, or a Python number, passed
as it is. Draws keep away from kinks and poles: their elements are apart from each other and from
zero by more than finite differences reach. Options of a row: `row(...).but(order=1)`, see `Row`.
"""

import zlib
from dataclasses import dataclass, field, replace

import functape  # noqa: F401

# isort: split
import mlx.core as mx
import numpy as np

from functape.op import table
from functape.tensor import INEXACT, as_array, constant

OPS = dict(table)  # as the library defines it: what tests add later does not count


@dataclass(frozen=True)
class Draw:
    """A random argument of a given kind."""

    shape: tuple
    sample: callable
    dtype: object = np.float64

    def __call__(self, rng):
        return np.asarray(self.sample(rng, self.shape)).astype(self.dtype)


@dataclass(frozen=True)
class Row:
    """One set of arguments and parameters of an op.

    order: up to which derivatives are checked.
    low: whether the op is tried on float32, float16 and bfloat16.
    oracle: the same function with JAX, where the op's entry in op_oracles does not fit.
    """

    args: tuple
    params: dict = field(default_factory=dict)
    order: int = 2
    low: bool = True
    oracle: object = None

    def but(self, **options):
        return replace(self, **options)

    def draw(self, name, copy=0):
        """The arguments as arrays and numbers; other copies are other points."""
        shapes = [getattr(a, "shape", a) for a in self.args]
        rng = np.random.default_rng(zlib.crc32(f"{name} {shapes} {copy}".encode()))
        return tuple(a(rng) if isinstance(a, Draw) else a for a in self.args)

    def values(self, name, dtype=None, copy=0):
        """The arguments as constants; floating-point ones in `dtype` if given."""
        arrays = [constant(as_array(a)) if isinstance(a, np.ndarray) else a
                  for a in self.draw(name, copy)]
        if dtype is None:
            return arrays
        return [constant(a.cell.data.astype(dtype)) if is_real(a) else a for a in arrays]

    def differentiable(self, op):
        """The positions of the arguments that can be differentiated by."""
        rules = op.vjp * len(self.args) if op.variadic else op.vjp
        return [i for i, (a, rule) in enumerate(zip(self.values(op.name), rules, strict=True))
                if rule is not None and hasattr(a, "dtype") and a.dtype in INEXACT]

    @property
    def is_complex(self):
        return any(isinstance(a, Draw) and a.dtype == np.complex64 for a in self.args)


def is_real(a):
    return hasattr(a, "dtype") and a.dtype in (mx.float64, mx.float32)


def row(*args, **params):
    """Arguments, and parameters by keyword."""
    return Row(args, params)


# --- draws ----------------------------------------------------------------------------------------


def spaced(low, high):
    """Distinct numbers between two bounds, in random order."""

    def sample(rng, shape):
        n = int(np.prod(shape))
        grid = (rng.permutation(n) + 0.5 + rng.uniform(-0.25, 0.25, n)) / max(n, 1)
        return (low + (high - low) * grid).reshape(shape)

    return lambda *shape: Draw(shape, sample)


def both_signs(small, large):
    """Distinct sizes between two bounds, of either sign."""
    positive = spaced(small, large)

    def sample(rng, shape):
        return positive(*shape)(rng) * rng.choice((-1, 1), shape)

    return lambda *shape: Draw(shape, sample)


real = both_signs(0.2, 1.9)
positive = spaced(0.5, 2.0)
unit = both_signs(0.1, 0.8)  # inside (-1, 1)
above_one = spaced(1.3, 2.5)


def single(*shape):
    """float32."""
    return replace(real(*shape), dtype=np.float32)


def z(*shape):
    """Complex numbers in the right half plane, away from the usual branch cuts."""

    def sample(rng, shape):
        return rng.uniform(0.4, 0.9, shape) * np.exp(1j * rng.uniform(0.4, 1.2, shape))

    return Draw(shape, sample, np.complex64)


def integers(low, high, *shape):
    return Draw(shape, lambda rng, shape: rng.integers(low, high, shape), np.int32)


def indices(n, *shape):
    """Positions in an axis of length n, negative ones included."""
    return integers(-n, n, *shape)


def boolean(*shape):
    return Draw(shape, lambda rng, shape: rng.integers(0, 2, shape), np.bool_)


def permutation(n):
    return Draw((n,), lambda rng, shape: rng.permutation(n), np.int32)


def separated(*shape):
    """Square matrices: well conditioned, singular values apart."""

    def sample(rng, shape):
        u, _, v = np.linalg.svd(rng.normal(size=shape))
        return u * (1 + np.arange(shape[-1])) @ v

    return Draw(shape, sample)


def symmetric(*shape):
    """Symmetric positive definite matrices, eigenvalues apart."""

    def sample(rng, shape):
        u, _, _ = np.linalg.svd(rng.normal(size=shape))
        return u * (1 + np.arange(shape[-1])) @ np.swapaxes(u, -1, -2)

    return Draw(shape, sample)


# --- common sets of rows --------------------------------------------------------------------------


def unary(kind, *more):
    return [row(kind(2, 3)), row(kind()), *more]


def binary(x, y=None, *more):
    """Equal shapes, broadcasting both ways, and a Python number on either side."""
    y = y or x
    number = lambda kind: float(np.round(kind()(np.random.default_rng(3)), 2))  # noqa: E731
    return [row(x(2, 3), y(2, 3)), row(x(2, 1, 3), y(4, 1)), row(x(), y(2, 2)),
            row(x(2, 3), number(y)), row(number(x), y(2, 3)), *more]


def reducing(kind, *more, **params):
    """One axis, two, all; with axes kept and not."""
    return [row(kind(2, 3), axis=(0,), keepdims=False, **params),
            row(kind(2, 3, 2), axis=(0, 2), keepdims=True, **params),
            row(kind(3, 2), axis=(0, 1), keepdims=False, **params), *more]


def comparing(kind=real):
    return [row(kind(2, 3), kind(2, 3)), row(kind(2, 1, 3), kind(4, 1)),
            row(integers(-2, 3, 4), integers(-2, 3, 4)), row(kind(3), 0.5)]


def bitwise():
    return [row(integers(0, 9, 2, 3), integers(0, 5, 3)), row(boolean(4), boolean(4))]


def shifting():
    return [row(integers(0, 99, 2, 3), integers(0, 5, 3)), row(integers(0, 9, 3), 2)]


zz = [row(z(2, 3))]
zz2 = [row(z(2, 3), z(3)), row(z(3), real(3)), row(real(2, 3), z())]
s = slice
CUTS = (s(None, None, 2), s(2, None, -1)), (1,), (s(0, 1), None, -1), (s(None), s(1, 3))

# x / y away from integers
WITHIN = [row(spaced(2.2, 2.6)(2, 3), spaced(0.9, 1.05)(3)), row(spaced(-2.6, -2.2)(2, 3), 1.0),
          row(-2.4, spaced(0.9, 1.05)(3)), row(real(2, 3), spaced(2.2, 3)(2, 3)),
          row(real(2, 1), spaced(-3, -2.2)(3))]

ROWS = {
    # families
    "multiply": binary(real, real, *zz2),
    "add": binary(real, real, *zz2),
    "scale": binary(real, real, *zz2),
    "astype": [row(real(2, 3), dtype=mx.float64), row(single(2), dtype=mx.float64),
               row(single(3), dtype=mx.complex64), row(z(2, 3), dtype=mx.float32)],
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
    "unslice": [row(real(2, 3), index=CUTS[0], shape=(3, 4)), row(real(4), index=(1,), shape=(3, 4)),
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
               row(z(2, 3), z(3, 2)), row(z(2, 2, 2), z(2, 2))],
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
    "expm1": unary(real),
    "log": unary(positive, *zz),
    "log2": unary(positive, *zz),
    "log10": unary(positive, *zz),
    "log1p": unary(positive, row(unit(3)), *zz),
    "logaddexp": binary(real),
    "sigmoid": unary(real),
    # trigonometric and hyperbolic
    "sin": unary(real, *zz),
    "cos": unary(real, *zz),
    "tan": unary(unit, *zz),
    "arcsin": unary(unit, *zz),
    "arccos": unary(unit, *zz),
    "arctan": unary(real, *zz),
    "arctan2": binary(real),
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
    "softmax": [row(real(2, 3), axis=(1,)), row(real(2, 3, 2), axis=(0, 2)), row(real(3), axis=(0,))],
    "log_softmax": [row(real(2, 3), axis=(1,)), row(real(2, 3, 2), axis=(0, 2))],
    "cumsum": [row(real(2, 3), axis=1, reverse=False), row(real(4), axis=0, reverse=True),
               row(z(2, 3), axis=0, reverse=False)],
    "argmax": [row(real(2, 3), axis=None, keepdims=False), row(real(2, 3), axis=1, keepdims=True)],
    "argmin": [row(real(2, 3), axis=None, keepdims=False), row(real(2, 3), axis=0, keepdims=False)],
    "all": reducing(boolean),
    "any": reducing(boolean),
}

CASES = [(name, i) for name, rows in ROWS.items() if name in OPS for i in range(len(rows))]
IDS = [f"{name}-{i}" for name, i in CASES]


def case(name, i):
    """(op, row) of an entry of CASES."""
    return OPS[name], ROWS[name][i]
