"""Random programs: pure ones against JAX, eager ones against a naive tape."""

import random

import functape as ft

# isort: split
import mlx.core as mx
import naive_tape as naive
import numpy as np
import pytest
from comparing import agree

from functape.errors import GraphError

fnp = ft.numpy
LENGTH = 30

# --- pure programs, against JAX -------------------------------------------------------------------

UNARY = {
    "sin": lambda np, x: np.sin(x),
    "tanh": lambda np, x: np.tanh(x),
    "exp": lambda np, x: np.exp(-x * x),
    "log": lambda np, x: np.log(1.5 + np.sin(x)),
    "sqrt": lambda np, x: np.sqrt(1 + x * x),
    "power": lambda np, x: x**3 / (1 + x**4),
    "ratio": lambda np, x: x / (1 + np.abs(x)),
    "mean": lambda np, x: x - np.mean(x),
    "norm": lambda np, x: x / np.sqrt(1 + np.sum(x * x)),
    "softmax": lambda np, x: np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))),
    "flip": lambda np, x: np.flip(x),
    "cumsum": lambda np, x: np.cumsum(x) / 3,
    "roll": lambda np, x: np.roll(x, 1),
    "part": lambda np, x: np.concatenate([x[1:], x[:1] * 2]),
    "strided": lambda np, x: np.concatenate([x[::2], x[1::2]]),
    "gather": lambda np, x: x[np.array([2, 0, 0, 3])],
    "outer": lambda np, x: np.outer(x, x).sum(0) / 4,
    "matrix": lambda np, x: np.reshape(x, (2, 2)) @ np.reshape(x,
        (2, 2)).T @ np.ones(2) @ np.ones((2,)) * x / 9,
    "sort": lambda np, x: np.sort(x),
    "relu": lambda np, x: np.maximum(x, 0.1),
    "clip": lambda np, x: np.clip(x, -0.6, 0.7),
    "where": lambda np, x: np.where(x > 0.2, x * x, np.sin(x)),
    "split": lambda np, x: np.concatenate(np.split(x, 2)[::-1]),
    "transpose": lambda np, x: np.reshape(np.transpose(np.reshape(x, (2, 2))), (4,)),
}
BINARY = {
    "add": lambda np, x, y: x + y,
    "sub": lambda np, x, y: x - 0.5 * y,
    "mul": lambda np, x, y: x * y,
    "div": lambda np, x, y: x / (1.2 + np.cos(y)),
    "arctan2": lambda np, x, y: np.arctan2(x, 1.5 + y * y),
    "dot": lambda np, x, y: x * np.dot(x, y) / 4,
    "maximum": lambda np, x, y: np.maximum(x, y + 0.05),
    "hypot": lambda np, x, y: np.hypot(x, y + 2),
    "logaddexp": lambda np, x, y: np.logaddexp(x, y),
    "einsum": lambda np, x, y: np.einsum("i,j->i", x, y) / 4,
    "where": lambda np, x, y: np.where(x > y, x, y * y),
}


def program(seed):
    """Instructions: (function, positions of the operands among all values so far)."""
    rng = random.Random(seed)
    steps = []
    for k in range(LENGTH):
        recent = range(max(0, k + 2 - 8), k + 2)
        table = rng.choice((UNARY, BINARY))
        f = table[rng.choice(sorted(table))]
        steps.append((f, [rng.choice(recent) for _ in range(1 if table is UNARY else 2)]))
    return steps


def interpreted(np, steps):
    """The program as a function of two vectors of length 4; the sum of its last values."""

    def run(x, y):
        values = [x, y]
        for f, operands in steps:
            values.append(f(np, *[values[i] for i in operands]))
        return np.sum(values[-1] + values[-2] * values[-3])

    return run


def everything(t, np, f):
    """Value, gradients, a directional derivative and a Hessian product of a program."""

    def run(x, y):
        value, grads = t.value_and_grad(f, (0, 1))(x, y)
        moved = t.jvp(f, (x, y), (y, x))[1]
        hvp = t.jvp(lambda a: t.grad(f)(a, y), (x,), (y,))[1]
        return value, grads, moved, hvp

    return run


POINT = np.array([0.31, -0.52, 0.83, 0.17]), np.array([-0.44, 0.65, 0.28, -0.71])


@pytest.mark.parametrize("seed", [*range(8), *[
    pytest.param(seed, marks=pytest.mark.nightly) for seed in range(8, 24)]])
def test_program_is_that_of_jax(seed, oracle):
    steps = program(seed)
    run = everything(ft, fnp, interpreted(fnp, steps))
    want = oracle.jit(everything(oracle, oracle.numpy, interpreted(oracle.numpy, steps)))(*POINT)
    agree(run(*POINT), want, 1e-5)


@pytest.mark.parametrize("seed", range(25, 31))
def test_program_under_vmap_is_a_loop(seed):
    run = everything(ft, fnp, interpreted(fnp, program(seed)))
    xs, ys = (np.stack([p, p[::-1], p * 0.5]) for p in POINT)
    rows = [run(x, y) for x, y in zip(xs, ys, strict=True)]
    want = ft.tree.map(lambda *r: np.stack([np.asarray(a) for a in r]), *rows)
    agree(ft.vmap(run)(xs, ys), want, 1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 400))
def test_more_programs(seed, oracle):
    test_program_is_that_of_jax(seed, oracle)


# --- eager programs, against the naive tape -------------------------------------------------------

OURS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "neg": lambda x: -x, "sin": fnp.sin, "tanh": fnp.tanh, "square": fnp.square, "sum": fnp.sum,
}


class Pair:
    """One program, run on both tapes in step."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        numbers = np.random.default_rng(seed)
        start = [numbers.normal(size=s) for s in ((3,), (2, 3), (1,))]
        self.ours = [ft.tensor(mx.array(a, dtype=mx.float64), requires_grad=True) for a in start]
        self.theirs = [naive.Var(a, leaf=True) for a in start]
        self.ended = False

    def pick(self):
        """A recent value more often than an old one."""
        n = len(self.ours)
        return max(self.rng.randrange(n), self.rng.randrange(n))

    def compute(self):
        name = self.rng.choice(sorted(OURS))
        at = [self.pick() for _ in naive.OPS[name][2]]
        if self.rng.random() < 0.1:
            with ft.no_grad():
                self.ours.append(OURS[name](*[self.ours[i] for i in at]))
            self.theirs.append(naive.detach(naive.apply(name, *[self.theirs[i] for i in at])))
        else:
            self.ours.append(OURS[name](*[self.ours[i] for i in at]))
            self.theirs.append(naive.apply(name, *[self.theirs[i] for i in at]))

    def detach(self):
        i = self.pick()
        self.ours.append(self.ours[i].detach())
        self.theirs.append(naive.detach(self.theirs[i]))

    def retain_grad(self):
        i = self.pick()
        if self.theirs[i].tracked:
            self.ours[i].retain_grad()
            self.theirs[i].retains = True

    def zero(self):
        i = self.rng.randrange(3)
        self.ours[i].grad = self.theirs[i].grad = None

    def roots(self):
        i = self.pick()
        while not self.theirs[i].tracked:
            i = self.rng.randrange(len(self.ours))
        retain = self.rng.random() < 0.7
        # the sum as a root of its own, which saves nothing
        return fnp.sum(self.ours[i]), naive.apply("sum", self.theirs[i]), retain

    def both(self, ours, theirs):
        """Results of both, or None if both find the graph freed, which ends the program."""
        try:
            want = theirs()
        except naive.Freed:
            with pytest.raises(GraphError, match="retain_graph"):
                ours()
            self.ended = True
            return None
        return ours(), want

    def backward(self):
        a, b, retain = self.roots()
        self.both(lambda: a.backward(retain_graph=retain), lambda: naive.backward(b, retain))

    def grad(self):
        a, b, retain = self.roots()
        at = [i for i in {self.pick(), self.pick()} if self.theirs[i].tracked] or [0]
        found = self.both(
            lambda: ft.autograd.grad(a, [self.ours[i] for i in at], retain_graph=True,
                                     allow_unused=True),
            lambda: naive.grad(b, [self.theirs[i] for i in at], True))
        for g, h in zip(*(found or ((), ())), strict=True):
            same(g, h)

    def check(self):
        for k, (a, b) in enumerate(zip(self.ours, self.theirs, strict=True)):
            np.testing.assert_allclose(a.detach(), b.value, 1e-6, 1e-6, err_msg=f"value {k}")
            assert a.requires_grad == b.tracked and a.is_leaf == (not b.sources), f"value {k}"
            if b.retains:
                same(a.grad, b.grad, f"gradient of value {k}")


def same(g, h, what=""):
    assert (g is None) == (h is None), what
    if g is not None:
        np.testing.assert_allclose(g.detach(), h, 1e-5, 1e-5, err_msg=what)


STEPS = {Pair.compute: 20, Pair.detach: 1, Pair.retain_grad: 2, Pair.zero: 1, Pair.backward: 3,
         Pair.grad: 2}


def run_eager(seed):
    pair = Pair(seed)
    for _ in range(LENGTH):
        step, = pair.rng.choices(list(STEPS), STEPS.values())
        step(pair)
        if pair.ended:
            return pair
        pair.check()
    return pair


@pytest.mark.parametrize("seed", range(80))
def test_eager_program_is_that_of_the_naive_tape(seed):
    run_eager(seed)


def test_eager_programs_cover_what_they_should():
    """Some end at a freed graph, most do not."""
    ended = sum(run_eager(seed).ended for seed in range(30))
    assert 1 <= ended <= 25


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 2000))
def test_more_eager_programs(seed):
    run_eager(seed)
