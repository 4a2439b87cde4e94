"""The makings of tests/op_inputs.py: random arguments by kind, rows, and common sets of rows.

Draws keep away from kinks and poles: their elements are apart from each other and from zero by
more than finite differences reach.
"""

import zlib
from dataclasses import dataclass, field, replace

import functape  # noqa: F401

# isort: split
import mlx.core as mx
import numpy as np

from functape.tensor import INEXACT, as_array, constant

COMPLEX = (np.complex64, np.complex128)


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
    low: the dtypes of less precision that the op is tried on.
    through: a function of the output whose derivatives are checked in place of the output's.
    differentiate: False for an op without derivatives that says so by an error.
    oracle: the same function with JAX, where the op's entry in op_oracles does not fit.
    """

    args: tuple
    params: dict = field(default_factory=dict)
    order: int = 2
    low: tuple = ("float32", "float16", "bfloat16")
    through: object = None
    differentiate: bool = True
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
        return [constant(a.array.astype(dtype)) if is_real(a) else a for a in arrays]

    def differentiable(self, op):
        """The positions of the arguments that can be differentiated by."""
        if not self.differentiate:
            return []
        rules = op.vjp * len(self.args) if op.variadic else op.vjp
        return [i for i, (a, rule) in enumerate(zip(self.values(op.name), rules, strict=True))
                if rule is not None and hasattr(a, "dtype") and a.dtype in INEXACT]

    @property
    def is_complex(self):
        return any(isinstance(a, Draw) and a.dtype in COMPLEX for a in self.args)

    @property
    def is_double(self):
        return any(isinstance(a, Draw) and a.dtype == np.complex128 for a in self.args)

    def in_double(self):
        """The same row with complex128 for complex64."""
        return self.but(args=tuple(
            replace(a, dtype=np.complex128) if isinstance(a, Draw) and a.dtype == np.complex64
            else a for a in self.args))


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


def distinct(n, *shape):
    """Positions in an axis of length n, no two the same."""
    return Draw(shape, lambda rng, shape: rng.permutation(n)[:int(np.prod(shape))].reshape(shape),
                np.int32)


def ascending(*shape):
    """Sorted along the last axis."""
    return Draw(shape, lambda rng, shape: np.sort(rng.normal(size=shape)))


def separated(*shape):
    """Matrices with singular values 1, 2, ..."""

    def sample(rng, shape):
        u, s, v = np.linalg.svd(rng.normal(size=shape), full_matrices=False)
        return u * (1.0 + np.arange(s.shape[-1])) @ v

    return Draw(shape, sample)


def rotating(n):
    """A matrix with the eigenvalues 1 + 2i, 1 - 2i, 3, 4, ..."""

    def sample(rng, shape):
        core = np.diag(1.0 + np.arange(n))
        core[:2, :2] = [[1, 2], [-2, 1]]
        basis = np.eye(n) + 0.3 * rng.uniform(-1, 1, (n, n))
        return basis @ core @ np.linalg.inv(basis)

    return Draw((n, n), sample)


def zsquare(n, columns=None):
    """A well conditioned complex matrix, square or not."""
    shape = (n, columns or n)
    return Draw(shape, lambda rng, shape: np.eye(*shape) * 2 + z(*shape)(rng), np.complex64)


def zpositive(n):
    """A Hermitian positive definite matrix."""

    def sample(rng, shape):
        x = zsquare(n)(rng)
        return x @ x.conj().T

    return Draw((n, n), sample, np.complex64)


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
