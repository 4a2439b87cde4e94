"""Random histories of an eager program against a model: each tensor as its value and its
derivatives by all leaves, carried forward with it."""

import math

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

import functape as ft
import functape.numpy as np
from functape.autograd.graph import allow_mutation_on_saved_tensors

NUMBERS = st.floats(-1.5, 1.5).map(lambda v: round(v, 3))
UNARY = {
    "sin": (np.sin, math.sin, math.cos),
    "tanh": (np.tanh, math.tanh, lambda v: 1 - math.tanh(v) ** 2),
    "neg": (lambda t: -t, lambda v: -v, lambda v: -1.0),
}
BINARY = {
    "add": (lambda a, b: a + b, lambda x, y: x + y, lambda x, y: (1.0, 1.0)),
    "sub": (lambda a, b: a - b, lambda x, y: x - y, lambda x, y: (1.0, -1.0)),
    "mul": (lambda a, b: a * b, lambda x, y: x * y, lambda x, y: (y, x)),
}


class Item:
    """A tensor, and what it should be."""

    def __init__(self, tensor, value, slopes, leaf=None):
        self.tensor, self.value, self.slopes, self.leaf = tensor, value, slopes, leaf
        self.grad, self.factor = None, 1.0  # of a leaf
        self.agree()

    def agree(self):
        close(self.tensor.item(), self.value)


def combined(*weighted):
    slopes = {}
    for weight, item in weighted:
        for leaf, slope in item.slopes.items():
            slopes[leaf] = slopes.get(leaf, 0.0) + weight * slope
    return slopes


class Program(RuleBasedStateMachine):
    items = Bundle("items")

    @initialize(target=items, value=NUMBERS)
    def start(self, value):
        self.leaves, self.allowed = [], allow_mutation_on_saved_tensors()
        self.allowed.__enter__()
        return self.leaf(value)

    def teardown(self):
        if hasattr(self, "allowed"):
            self.allowed.__exit__()

    @rule(target=items, value=NUMBERS)
    def leaf(self, value):
        made = Item(ft.tensor(value, dtype=ft.float64, requires_grad=True), value, {})
        made.slopes, made.leaf = {id(made): 1.0}, made
        self.leaves.append(made)
        return made

    @rule(target=items, name=st.sampled_from(sorted(UNARY)), x=items)
    def unary(self, name, x):
        f, g, slope = UNARY[name]
        return Item(f(x.tensor), g(x.value), combined((slope(x.value), x)))

    @rule(target=items, name=st.sampled_from(sorted(BINARY)), x=items, y=items)
    def binary(self, name, x, y):
        f, g, slopes = BINARY[name]
        if abs(g(x.value, y.value)) > 20.0:
            return x
        by_x, by_y = slopes(x.value, y.value)
        return Item(f(x.tensor, y.tensor), g(x.value, y.value), combined((by_x, x), (by_y, y)))

    @rule(target=items, x=items)
    def detach(self, x):
        return Item(x.tensor.detach().clone(), x.value, {})

    @rule(target=items, x=items, factor=NUMBERS)
    def hooked(self, x, factor):
        """A new tensor whose hook scales the gradient on its way."""
        tensor = x.tensor * 1.0
        if tensor.requires_grad:
            tensor.register_hook(lambda g: g * factor)
        return Item(tensor, x.value, combined((factor, x)))

    @rule(x=items, factor=NUMBERS)
    def scale_in_place(self, x, factor):
        if x.leaf is not None:
            return
        x.tensor.mul_(factor)
        x.value, x.slopes = x.value * factor, combined((factor, x))
        self.check_slopes(x)

    @rule(x=items, y=items)
    def add_in_place(self, x, y):
        if x.leaf is None and abs(x.value + y.value) < 20.0:
            slopes = combined((1.0, x), (1.0, y))
            x.tensor.add_(y.tensor)
            x.value, x.slopes = x.value + y.value, slopes
            self.check_slopes(x)

    def check_slopes(self, x):
        """By a pass that touches no .grad."""
        x.agree()
        for leaf in self.leaves:
            self.gradient_of(x, leaf)

    def gradient_of(self, x, leaf):
        if x.tensor.requires_grad:
            (g,) = ft.autograd.grad(x.tensor, leaf.tensor, retain_graph=True,
                                    materialize_grads=True)
            close(g.item(), leaf.factor * x.slopes.get(id(leaf), 0.0))

    @rule(x=items, factor=NUMBERS)
    def hook_on_a_leaf(self, x, factor):
        if x.leaf is not None:
            x.tensor.register_hook(lambda g: g * factor)
            x.factor *= factor

    @rule(x=items, seed=NUMBERS)
    def backward(self, x, seed):
        if x.tensor.requires_grad:
            x.tensor.backward(ft.tensor(seed, dtype=ft.float64), retain_graph=True)
            for leaf in self.leaves:
                if id(leaf) in x.slopes:
                    leaf.grad = (leaf.grad or 0.0) + leaf.factor * seed * x.slopes[id(leaf)]

    @rule(x=items, y=items)
    def gradient(self, x, y):
        """autograd.grad gives the slope and touches no .grad."""
        if y.leaf is not None:
            self.gradient_of(x, y)

    @rule(x=items)
    def forget_the_gradient(self, x):
        if x.leaf is not None:
            x.tensor.grad = x.grad = None

    @rule(x=consumes(items))
    def drop(self, x):
        self.leaves = [leaf for leaf in self.leaves if leaf is not x]

    @invariant()
    def agree(self):
        for leaf in getattr(self, "leaves", ()):
            close(leaf.tensor.item(), leaf.value)
            assert (leaf.tensor.grad is None) == (leaf.grad is None)
            if leaf.grad is not None:
                close(leaf.tensor.grad.item(), leaf.grad)


def close(got, want):
    assert math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9), (got, want)


TestProgram = Program.TestCase
TestProgram.settings = settings(max_examples=40, stateful_step_count=30, deadline=None,
                                suppress_health_check=list(HealthCheck))
