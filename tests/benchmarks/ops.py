"""Ops against the same formula in plain MLX, forward and backward, on few elements and on many:
``python -m tests.benchmarks.ops``. It prints a table of times, with their ratios to MLX's."""

import time
from dataclasses import dataclass
from fnmatch import fnmatch

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_list("ops", ["*"], "Which ops, by name or pattern.")
flags.DEFINE_list("elements", ["1048576", "4"], "Numbers of elements.")
flags.DEFINE_integer("turns", 7, "How often each library has its turn.", lower_bound=1)

FULL = 1 << 20
unit, positive, real, above_one = (0.05, 0.95), (0.5, 2.0), (-2.0, 2.0), (1.1, 3.0)


@dataclass(frozen=True)
class Formula:
    """The same formula in both libraries, and the ranges of its arguments.

    Args:
      ours, theirs: functions of functape values, and of MLX's arrays.
      ranges: (low, high) for each argument.
      shape: of all arguments, from the number of elements.
      backward: whether `mx.grad` knows the derivative.
    """

    ours: callable
    theirs: callable
    ranges: tuple = (real,)
    shape: callable = lambda n: (n,)
    backward: bool = True

    def arguments(self, n):
        rng = np.random.default_rng(0)
        shapes = self.shape(n)
        shapes = shapes if isinstance(shapes, list) else [shapes] * len(self.ranges)
        return [mx.array(rng.uniform(*r, s).astype(np.float32))
                for r, s in zip(self.ranges, shapes, strict=True)]


def rows(n):
    """A matrix: 1024 columns, or 2 for few elements."""
    return (n // 1024, 1024) if n >= FULL else (n // 2, 2)


def square(n):
    """A matrix of a thousand rows stands for many elements."""
    side = 1024 if n >= FULL else 2
    return (side, side)


def same(name, *ranges, **options):
    """A function of one name in functape.numpy and mlx.core."""
    return Formula(getattr(ft.numpy, name), getattr(mx, name), ranges or (real,), **options)


def along(name, **options):
    """A reduction of the rows of a matrix."""
    ours, theirs = getattr(ft.numpy, name), getattr(mx, name)
    return Formula(lambda x: ours(x, axis=-1), lambda x: theirs(x, axis=-1), (positive,), rows,
                   **options)


FORMULAS = {
    **{name: same(name, real, real) for name in ("add", "subtract", "multiply", "maximum",
                                                 "minimum", "logaddexp")},
    "divide": same("divide", real, positive), "arctan2": same("arctan2", real, positive),
    "remainder": same("remainder", real, positive, backward=False),
    "power": same("power", positive, real),
    "x ** 2": Formula(lambda x: x**2, lambda x: mx.power(x, 2)),
    "x ** 3": Formula(lambda x: x**3, lambda x: mx.power(x, 3)),
    "x ** -1": Formula(lambda x: x**-1.0, lambda x: mx.power(x, -1.0), (positive,)),
    **{name: same(name) for name in ("negative", "abs", "square", "exp", "expm1", "sin", "cos",
                                     "tan", "sinh", "cosh", "tanh", "arctan", "arcsinh", "floor",
                                     "sign")},
    **{name: same(name, positive) for name in ("sqrt", "log", "log2", "log10", "log1p",
                                               "reciprocal")},
    **{name: same(name, unit) for name in ("arcsin", "arccos", "arctanh")},
    "arccosh": same("arccosh", above_one),
    "rsqrt": Formula(ft.lax.rsqrt, mx.rsqrt, (positive,)),
    "erf": Formula(ft.scipy.special.erf, mx.erf),
    "erfinv": Formula(ft.scipy.special.erfinv, mx.erfinv, (unit,)),
    "sigmoid": Formula(ft.nn.sigmoid, mx.sigmoid),
    "relu": Formula(ft.nn.relu, lambda x: mx.maximum(x, 0)),
    "softplus": Formula(ft.nn.softplus, lambda x: mx.logaddexp(x, 0)),
    "silu": Formula(ft.nn.silu, lambda x: x * mx.sigmoid(x)),
    "gelu": Formula(lambda x: ft.nn.gelu(x, approximate=False),
                    lambda x: x * (1 + mx.erf(x * 0.5**0.5)) * 0.5),
    "gelu (tanh)": Formula(
        ft.nn.gelu, lambda x: 0.5 * x * (1 + mx.tanh(0.7978845608 * (x + 0.044715 * x**3)))),
    "clip": Formula(lambda x: ft.numpy.clip(x, -1, 1), lambda x: mx.clip(x, -1, 1)),
    "where": Formula(lambda x, y: ft.numpy.where(x > 0, x, y),
                     lambda x, y: mx.where(x > 0, x, y), (real, real)),
    "broadcast": Formula(ft.numpy.multiply, mx.multiply, (real, real),
                         lambda n: [rows(n), rows(n)[1:]]),
    **{name: along(name) for name in ("sum", "mean", "max", "min", "var", "std", "logsumexp")},
    "prod": along("prod", backward=False),
    "softmax": Formula(ft.nn.softmax, lambda x: mx.softmax(x, axis=-1), (real,), rows),
    "log_softmax": Formula(ft.nn.log_softmax,
                           lambda x: x - mx.logsumexp(x, axis=-1, keepdims=True), (real,), rows),
    "cumsum": along("cumsum"), "cumprod": along("cumprod", backward=False),
    "sort": Formula(lambda x: ft.numpy.sort(x, axis=-1), lambda x: mx.sort(x, axis=-1), (real,),
                    rows),
    "transpose": Formula(lambda x: ft.numpy.transpose(x) * 2, lambda x: mx.transpose(x) * 2,
                         (real,), rows),
    "reshape": Formula(lambda x: x.reshape(-1) * 2, lambda x: x.reshape(-1) * 2, (real,), rows),
    "slice": Formula(lambda x: x[:, ::2] * 2, lambda x: x[:, ::2] * 2, (real,), rows),
    "concatenate": Formula(lambda x, y: ft.numpy.concatenate([x, y]),
                           lambda x, y: mx.concatenate([x, y]), (real, real)),
    "take": Formula(lambda x: x[ORDER[len(x)]], lambda x: x[ORDER[len(x)]], (real,), rows),
    "matmul": Formula(ft.numpy.matmul, mx.matmul, (real, real), square),
    "fft": Formula(lambda x: abs(ft.numpy.fft.rfft(x)), lambda x: mx.abs(mx.fft.rfft(x)), (real,),
                   rows),
    "layer norm": Formula(lambda x: ft.nn.layer_norm(x),
                          lambda x: mx.fast.layer_norm(x, None, None, 1e-5), (real,), rows),
    "rms norm": Formula(lambda x, w: ft.nn.rms_norm(x, w),
                        lambda x, w: mx.fast.rms_norm(x, w, 1e-5), (real, real),
                        lambda n: [rows(n), rows(n)[1:]]),
    "conv": Formula(lambda x, w: ft.nn.conv2d(x, w), lambda x, w: mx.conv2d(x, w), (real, real),
                    lambda n: [(4, 32, 32, 16) if n >= FULL else (1, 2, 2, 1),
                               (16, 3, 3, 16) if n >= FULL else (1, 1, 1, 1)]),
}
ORDER = {n: mx.array(np.random.default_rng(1).integers(0, n, n)) for n in (1024, 2)}


def timed(f, args):
    """Of a CPU its own time, on which other programs have less influence."""
    clock = time.process_time if mx.default_device().type == mx.cpu else time.perf_counter
    start = clock()
    mx.eval(f(*args))
    return clock() - start


def ratio(ours, theirs, args, turns):
    """(our time in seconds, its ratio to theirs): turn by turn, the median."""
    calls = max(1, int(0.02 / max(timed(ours, args), timed(theirs, args))))
    mine, ratios = [], []
    for _ in range(turns):
        a, b = (min(timed(f, args) for _ in range(calls)) for f in (ours, theirs))
        mine.append(a)
        ratios.append(a / b)
    return float(np.median(mine)), float(np.median(ratios))


def measured(formula, n, turns):
    """Forward, and backward (None where MLX has no derivative)."""
    args, every = formula.arguments(n), list(range(len(formula.ranges)))
    values = [ft.asarray(a) for a in args]

    def forward(*_):
        return formula.ours(*values).array

    yield ratio(forward, formula.theirs, args, turns)
    if not formula.backward:
        yield None
        return
    ours = ft.grad(lambda *a: formula.ours(*a).sum(), tuple(every))
    yield ratio(ours, mx.grad(lambda *a: formula.theirs(*a).sum(), every), args, turns)


def cells(pairs, few):
    for pair in pairs:
        if pair is None:
            yield "–"
        else:
            seconds, times = pair
            yield f"{seconds * 1e6:.0f} µs ({times:.2f})" if few else (
                f"{seconds * 1e3:.1f} ms ({times:.2f})")


def main(argv):
    sizes = [int(n) for n in FLAGS.elements]
    heads = [f"{what}, {n:,}" for n in sizes for what in ("forward", "backward")]
    print("| formula | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
    for name, formula in FORMULAS.items():
        if any(fnmatch(name, pattern) for pattern in FLAGS.ops):
            line = [cell for n in sizes
                    for cell in cells(measured(formula, n, FLAGS.turns), n < 1000)]
            print(f"| {name} | " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    app.run(main)
