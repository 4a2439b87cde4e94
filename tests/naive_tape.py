"""The eager tape in its simplest form, as a model: NumPy values, closures, no tricks."""

import numpy as np


class Freed(Exception):
    """A node was walked a second time after its values were dropped."""


class Var:
    """A number with the closures that send its cotangent on; `count` orders them by age."""

    count = 0

    def __init__(self, value, sources=(), saves=False, leaf=False):
        Var.count += 1
        self.age, self.value = Var.count, np.asarray(value, np.float64)
        self.sources = [(v, f) for v, f in sources if v.tracked]
        self.leaf, self.tracked = leaf, leaf or bool(self.sources)
        self.saves, self.freed = saves, False
        self.grad, self.retains = None, leaf


def unsum(g, shape):
    """Sum a cotangent over what was broadcast."""
    while g.ndim > len(shape):
        g = g.sum(0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(i, keepdims=True)
    return g


OPS = {  # name -> (value, whether the node saves an array, cotangent by each argument)
    "add": (np.add, False, [lambda g, x, y: g, lambda g, x, y: g]),
    "sub": (np.subtract, False, [lambda g, x, y: g, lambda g, x, y: -g]),
    "mul": (np.multiply, True, [lambda g, x, y: g * y, lambda g, x, y: g * x]),
    "neg": (np.negative, False, [lambda g, x: -g]),
    "sin": (np.sin, True, [lambda g, x: g * np.cos(x)]),
    "tanh": (np.tanh, True, [lambda g, x: g * (1 - np.tanh(x) ** 2)]),
    "square": (np.square, True, [lambda g, x: 2 * g * x]),
    "sum": (np.sum, False, [lambda g, x: np.broadcast_to(g, x.shape)]),
}


def apply(name, *args):
    """One operation, recorded."""
    f, saves, rules = OPS[name]
    values = [a.value for a in args]
    sources = [(a, lambda g, r=r, a=a: unsum(r(g, *values), a.value.shape))
               for a, r in zip(args, rules, strict=True)]
    return Var(f(*values), sources, saves)


def detach(x):
    return Var(x.value)


def pull(root, seed, retain, inputs=None):
    """The cotangents of all that lies between a root and the inputs (None: everything)."""
    found, stack = {root}, [root]
    while stack:
        for v, _ in stack.pop().sources:
            if v not in found:
                found.add(v)
                stack.append(v)
    order = sorted(found, key=lambda v: v.age)
    live = set(order) if inputs is None else set(inputs)
    for v in order:
        if any(source in live for source, _ in v.sources):
            live.add(v)
    total = {root: seed}
    for v in reversed(order):
        sources = [(s, rule) for s, rule in v.sources if s in live]
        if sources and v.freed:
            raise Freed
        for source, rule in sources:
            part = rule(total[v])
            total[source] = total[source] + part if source in total else part
        v.freed = v.freed or bool(sources) and v.saves and not retain
    return {v: g for v, g in total.items() if v in live}


def backward(root, retain=False):
    """Add cotangents into `.grad` of leaves and of what retains it."""
    keep(pull(root, np.ones_like(root.value), retain))


def grad(root, inputs, retain=False):
    """Cotangents of the inputs, None where there is no path; leaves keep their `.grad`."""
    total = pull(root, np.ones_like(root.value), retain, inputs)
    keep({v: g for v, g in total.items() if not v.leaf})
    return [total.get(v) for v in inputs]


def keep(total):
    for v in (v for v in total if v.retains):
        v.grad = total[v] if v.grad is None else v.grad + total[v]
