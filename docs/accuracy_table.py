"""How exact the functions are in float32: the cases that tests/test_accuracy.py measures, and the
table of their bounds for the documentation. ``python docs/accuracy_table.py`` prints what it
measures."""

import functools
import math
import warnings
from dataclasses import dataclass

import functape as ft

# isort: split
import numpy as np

COUNT = 20000  # points a range: more than vector_kernels.MANY bytes


@dataclass(frozen=True)
class Range:
    """Numbers between two bounds, evenly or by their logarithms; of both signs if `signed`."""

    low: float
    high: float
    by_logarithm: bool = False
    signed: bool = False
    about: float = 0.0  # what they are counted from

    def __call__(self, rng):
        if self.by_logarithm:
            size = 10 ** rng.uniform(math.log10(self.low), math.log10(self.high), COUNT)
        else:
            size = rng.uniform(self.low, self.high, COUNT)
        sign = rng.choice((-1, 1), COUNT) if self.signed else 1
        return (self.about + sign * size).astype(np.float32)

    def __str__(self):
        low, high = (f"{x:g}" for x in (self.low, self.high))
        sign = "±" if self.signed else ""
        about = f"{self.about:g} " + ("± " if self.signed else "+ ") if self.about else sign
        return f"{about}[{low}, {high}]" + (" (log)" if self.by_logarithm else "")


def flat(low, high):
    return Range(low, high)


def wide(low, high, about=0.0):
    return Range(low, high, True, True, about)


def upward(low, high, about=0.0):
    return Range(low, high, True, False, about)


every = wide(1e-38, 3e38)
above_0 = upward(1e-38, 3e38)
tiny = wide(1e-44, 1e-38)
small = wide(1e-37, 0.1)
most = flat(-87, 88)
inside = wide(1e-38, 0.999)
probable = flat(0, 1)
about_1 = wide(1e-6, 0.1, about=1.0)
BIG = 3e38


@dataclass(frozen=True)
class Case:
    """One function on one range.

    Args:
      name: of the function, from functape.
      ranges: of its arguments.
      bound: the largest error, in units in the last place of the exact result.
      scale: where the result is smaller, in units in the last place of this.
      lead, options: arguments before them, and by keyword.
      few: call it on fewer elements at a time, for which there are other kernels.
    """

    name: str
    ranges: tuple
    bound: float
    scale: float = 0.0
    lead: tuple = ()
    options: tuple = ()
    few: bool = False

    @property
    def label(self):
        given = "".join(f", {v}" for v in self.lead)
        given += "".join(f", {k}={v}" for k, v in self.options)
        few = " of few elements" if self.few else ""
        return self.name.rpartition(".")[2] + given + few

    def points(self):
        rng = np.random.default_rng(0)
        return [r(rng) for r in self.ranges]

    def result(self, *args):
        f = functools.partial(functools.reduce(getattr, self.name.split("."), ft), *self.lead,
                              **dict(self.options))
        groups = zip(*(np.array_split(a, 6) for a in args), strict=True) if self.few else [args]
        parts = [f(*map(ft.numpy.array, group)) for group in groups]
        return np.concatenate([np.asarray(p) for p in parts])

    def error(self):
        """(the largest error, the arguments there)."""
        args = self.points()
        got, want = self.result(*args), reference(self.name, *self.lead, *args)
        assert got.dtype == np.float32, got.dtype
        error = in_last_place(got, want, self.scale)
        worst = int(np.argmax(error))
        return error[worst], [float(a[worst]) for a in args]


def in_last_place(got, want, scale):
    """The errors of float32 numbers, in units in the last place."""
    with np.errstate(all="ignore"):
        rounded = want.astype(np.float32)
        size = np.maximum(np.abs(rounded), max(scale, 2.0**-126)).astype(np.float32)
        error = np.abs(got - want) / np.spacing(np.where(np.isfinite(size), size, 1))
    same = (got == rounded) | (np.isnan(got) & np.isnan(want))
    return np.where(same & ~np.isfinite(rounded), 0.0, np.where(np.isnan(error), np.inf, error))


def reference(name, *args):
    """The same function in double precision, by NumPy or SciPy."""
    from scipy import special

    args = [a if isinstance(a, int) else a.astype(np.float64) for a in args]
    last = name.rpartition(".")[2]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if last in FORMULAS:
            return FORMULAS[last](special, *args)
        return getattr(np if hasattr(np, last) else special, last)(*args)


def sinc(special, x):
    """sin(pi x) with the whole part of x taken off first."""
    whole = np.round(x)
    sine = np.sin(np.pi * (x - whole)) * np.where(whole % 2 == 0, 1, -1)
    return np.where(x == 0, 1, sine / np.where(x == 0, 1, np.pi * x))


def log1mexp(special, x):
    return np.where(x < 0.7, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


FORMULAS = {
    "rsqrt": lambda s, x: 1 / np.sqrt(x), "sigmoid": lambda s, x: s.expit(x),
    "softplus": lambda s, x: np.logaddexp(x, 0), "sinc": sinc, "log1mexp": log1mexp,
    "log_sigmoid": lambda s, x: -np.logaddexp(-x, 0), "silu": lambda s, x: x * s.expit(x),
    "mish": lambda s, x: x * np.tanh(np.logaddexp(x, 0)), "gelu": lambda s, x: x * s.ndtr(x),
    "elu": lambda s, x: np.where(x > 0, x, np.expm1(x)),
}


def case(name, bound, *ranges, scale=0.0, few=False, lead=(), **options):
    return Case(name, ranges, bound, scale, lead, tuple(options.items()), few)


TABLE = [
    # powers and roots
    case("numpy.sqrt", 0.51, above_0),
    case("lax.rsqrt", 1.5, above_0),
    case("numpy.cbrt", 1, every),
    case("numpy.power", 1, upward(1e-3, 1e3), flat(-10, 10)),
    case("numpy.power", 1, flat(0.5, 2), flat(-80, 80)),
    case("numpy.hypot", 2, every, every),
    # exponentials and logarithms
    case("numpy.exp", 3.5, flat(-103, 88.7)),
    case("numpy.exp", 64, most, few=True),
    case("numpy.exp", 2, flat(-1, 1), few=True),
    case("numpy.exp2", 1, flat(-126, 127.9)),
    case("numpy.expm1", 1, most),
    case("numpy.expm1", 1, small),
    case("numpy.expm1", 1, tiny),
    case("numpy.log", 1, above_0),
    case("numpy.log", 1, about_1),
    case("numpy.log2", 1, above_0),
    case("numpy.log2", 1, about_1),
    case("numpy.log10", 2, above_0),
    case("numpy.log10", 3, about_1),
    case("numpy.log1p", 1, upward(1e-38, BIG)),
    case("numpy.log1p", 1, small),
    case("numpy.log1p", 1, tiny),
    case("numpy.logaddexp", 1, flat(-20, 20), flat(-20, 20), scale=1.0),
    case("numpy.logaddexp2", 2.5, flat(-20, 20), flat(-20, 20), scale=1.0),
    # angles
    case("numpy.sin", 2, flat(-10, 10)),
    case("numpy.sin", 1, every, scale=1.0),
    case("numpy.sin", 1, tiny),
    case("numpy.cos", 2, flat(-10, 10)),
    case("numpy.cos", 1, every, scale=1.0),
    case("numpy.tan", 1.5, every),
    case("numpy.tan", 1, tiny),
    case("numpy.arcsin", 1, inside),
    case("numpy.arccos", 1, inside),
    case("numpy.arctan", 1, every),
    case("numpy.arctan2", 1.5, every, every),
    case("numpy.sinc", 3, wide(1e-37, 1e6)),
    # hyperbolic functions
    case("numpy.sinh", 2, most),
    case("numpy.sinh", 2, small),
    case("numpy.cosh", 2, most),
    case("numpy.tanh", 3.5, every),
    case("numpy.tanh", 1, tiny),
    case("numpy.arcsinh", 2, every),
    case("numpy.arccosh", 2, upward(1e-6, 1e38, 1.0)),
    case("numpy.arctanh", 2, inside),
    case("numpy.arctanh", 2, upward(1e-7, 1e-1, -1.0)),
    # activations
    case("nn.sigmoid", 4, flat(-87, 88)),
    case("nn.sigmoid", 64, most, few=True),
    case("nn.softplus", 3.5, most),
    case("nn.log_sigmoid", 3.5, most),
    case("nn.silu", 4, most),
    case("nn.mish", 4, most),
    case("nn.elu", 1, most),
    case("nn.gelu", 3, upward(1e-37, BIG), approximate=False),
    case("nn.gelu", 5, wide(1e-37, 10), scale=1.0, approximate=False),
    case("nn.log1mexp", 3.5, upward(1e-37, 80)),
    # error functions
    case("scipy.special.erf", 6, every),
    case("scipy.special.erf", 6, every, few=True),
    case("scipy.special.erf", 1, tiny),
    case("scipy.special.erfc", 9, flat(-6, 9)),
    case("scipy.special.erfcx", 8, flat(-9, 9)),
    case("scipy.special.erfcx", 8, upward(1e-38, BIG)),
    case("scipy.special.erfinv", 3, inside),
    case("scipy.special.ndtr", 8, flat(-12.8, 10)),
    case("scipy.special.log_ndtr", 8, flat(-13, 12)),
    case("scipy.special.log_ndtr", 2, flat(-1e9, -13)),
    case("scipy.special.ndtri", 8, probable),
    case("scipy.special.ndtri", 8, upward(1e-37, 0.1)),
    case("scipy.special.dawsn", 12, every),
    # gamma functions
    case("scipy.special.gammaln", 5, upward(1e-37, 1e36)),
    case("scipy.special.gammaln", 4, flat(-20, 0), scale=16.0),
    case("scipy.special.gamma", 6, flat(0.01, 35)),
    case("scipy.special.gamma", 7, flat(-20, 0)),
    case("scipy.special.digamma", 4, upward(1e-37, 1e37), scale=1.0),
    case("scipy.special.polygamma", 5, upward(1e-18, 1e37), lead=(1,)),
    case("scipy.special.zeta", 14, flat(1.001, 20), upward(0.1, 100)),
    case("scipy.special.betaln", 16, upward(1e-5, 1e5), upward(1e-5, 1e5), scale=1.0),
    case("scipy.special.gammainc", 800, upward(0.01, 100), upward(0.01, 100)),
    case("scipy.special.gammaincc", 130, upward(0.01, 100), upward(0.01, 100)),
    case("scipy.special.betainc", 900, upward(0.1, 100), upward(0.1, 100), probable),
    # Bessel functions
    case("scipy.special.i0", 7, most),
    case("scipy.special.i0e", 7, every),
    case("scipy.special.i1", 20, most),
    case("scipy.special.i1e", 12, every),
    # integrals
    case("scipy.special.exp1", 5, upward(1e-30, 80)),
    case("scipy.special.expi", 9, flat(-80, 80), scale=1.0),
    case("scipy.special.spence", 6, upward(1e-30, 1e30)),
    # entropies
    case("scipy.special.entr", 2, above_0),
    case("scipy.special.xlogy", 2, upward(1e-19, 1e18), above_0),
    case("scipy.special.xlog1py", 2, upward(1e-19, 1e18), above_0),
    case("scipy.special.rel_entr", 2, upward(1e-10, 1e10), upward(1e-10, 1e10)),
    case("scipy.special.kl_div", 7, upward(1e-10, 1e10), upward(1e-10, 1e10)),
    case("scipy.special.logit", 3, probable),
    case("scipy.special.logit", 2, upward(1e-37, 0.1)),
]


# Of complex64: the largest error of the modulus, relative to it, in units of 2^-23.
PLANE = {
    "log": 1.5, "log2": 1.5, "log10": 2, "sqrt": 1.5, "reciprocal": 1, "square": 1.5, "exp": 1.5,
    "expm1": 3, "sin": 2, "cos": 2, "tan": 3, "arcsin": 3, "arccos": 2, "arctan": 3, "sinh": 2,
    "cosh": 2, "tanh": 3, "arcsinh": 3, "arccosh": 2, "arctanh": 3, "absolute": 1, "log1p": 3,
}


def error_in_plane(name):
    """(the largest error of a complex function, the number there)."""
    rng = np.random.default_rng(0)
    size = 10 ** rng.uniform(-4, 1.3, COUNT)
    z = (size * np.exp(1j * rng.uniform(-np.pi, np.pi, COUNT))).astype(np.complex64)
    got = np.asarray(getattr(ft.numpy, name)(ft.numpy.array(z)))
    want = getattr(np, name)(z.astype(np.complex128))
    error = np.abs(got - want) / np.abs(want) * 2.0**23
    worst = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
    return error[worst], z[worst]


def markdown():
    """The bounds as Markdown."""
    lines = ["| function | arguments | error, at most |", "|---|---|---|"]
    for c in TABLE:
        unit = f" ulp of {c.scale:g}, or of the result" if c.scale else " ulp"
        where = ", ".join(map(str, c.ranges))
        lines.append(f"| `{c.name.rpartition('.')[0]}` {c.label} | {where} | {c.bound:g}{unit} |")
    of_complex = ", ".join(f"{name} {bound:g}" for name, bound in PLANE.items())
    return "\n".join(lines) + f"\n\nOf complex64, in the plane from 1e-4 to 20: {of_complex}."


def main():
    for c in TABLE:
        error, at = c.error()
        where = ", ".join(map(str, c.ranges))
        print(f"{c.label:28} {where:44} {error:10.3g} of {c.bound:<6g} {at}")
    for name, bound in PLANE.items():
        error, at = error_in_plane(name)
        print(f"complex {name:20} {error:10.3g} of {bound:<6g} {at}")


if __name__ == "__main__":
    main()
