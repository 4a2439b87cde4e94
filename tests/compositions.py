"""Random programs, and random compositions of transforms around them.

All is written once, in the terms of a library `t` and its numpy `np`, and run with both. Programs
and compositions are maps from arrays of one shape to arrays of that shape, so that they compose.
"""

import random

SHAPES = ((), (3,), (2, 2))
DEPTH = 4


def stop(t):
    return t.stop_gradient if hasattr(t, "stop_gradient") else t.lax.stop_gradient


def softened(t, np):
    """A function with a forward rule of its own, which is not its derivative."""

    @t.custom_jvp
    def f(x):
        return np.sqrt(1 + x * x)

    f.defjvps(lambda dx, ans, x: dx * (x / ans + 0.1 * x))
    return f


STEPS = {
    "sin": lambda t, np, x: np.sin(x),
    "tanh": lambda t, np, x: np.tanh(0.5 - x),
    "gauss": lambda t, np, x: np.exp(-x * x),
    "log": lambda t, np, x: np.log(1.5 + np.sin(x)),
    "ratio": lambda t, np, x: x / (1 + x * x),
    "cube": lambda t, np, x: x**3 / 3,
    "where": lambda t, np, x: np.where(x > 0.2, x * x, np.cos(x)),
    "maximum": lambda t, np, x: np.maximum(x, 0.3 * x * x),
    "normed": lambda t, np, x: x / np.sqrt(1 + np.sum(x * x)),
    "centred": lambda t, np, x: np.mean(x * x) - x,
    "logsumexp": lambda t, np, x: x - np.log(np.sum(np.exp(x))) / 2,
    "scaled": lambda t, np, x: x * np.max(np.cos(x)),
    "flipped": lambda t, np, x: x * np.flip(x),
    "sorted": lambda t, np, x: np.sort(np.ravel(x)).reshape(x.shape) * np.sin(x),
    "taken": lambda t, np, x: x * np.ravel(np.cos(x))[np.arange(x.size)[::-1]].reshape(x.shape),
    "put": lambda t, np, x: np.ravel(x).at[0].multiply(np.sum(x)).reshape(x.shape),
    "cumsum": lambda t, np, x: np.cumsum(np.ravel(x)).reshape(x.shape) / 3,
    "mixed": lambda t, np, x: (mixing(np, x) @ np.ravel(x)).reshape(x.shape),
    "outer": lambda t, np, x: np.outer(x, np.sin(x)).sum(0).reshape(x.shape) / 4,
    "einsum": lambda t, np, x: np.einsum("i,j,j->i", *[np.ravel(x)] * 3).reshape(x.shape) / 4,
    "custom": lambda t, np, x: softened(t, np)(x),
    "scan": lambda t, np, x: t.lax.scan(lambda c, s: (np.sin(c + s), c * s), x,
                                        np.array([0.1, -0.2], x.dtype))[0],
    "fori": lambda t, np, x: t.lax.fori_loop(0, 2, lambda i, c: np.cos(c) * x, x),
    "cond": lambda t, np, x: t.lax.cond(np.sum(x) > 0.4, np.sin, lambda y: y * np.sum(y), x),
}


def mixing(np, x):
    """A fixed matrix as large as x needs."""
    i = np.arange(x.size).astype(x.dtype)
    return np.cos(1.0 + i[:, None] + 2.0 * i[None, :] * i[:, None])


def total(np, f):
    return lambda x: np.sum(f(x))


WRAPS = {
    "grad": lambda t, np, f: t.grad(total(np, f)),
    "grad_closed": lambda t, np, f: lambda x: t.grad(lambda y: np.sum(f(x * y)))(np.sin(x)),
    "grad_twice": lambda t, np, f: lambda x: sum(
        t.grad(lambda a, b: np.sum(f(a) * b), (0, 1))(x, x)),
    "grad_tree": lambda t, np, f: lambda x: t.grad(
        lambda p: np.sum(f(p["a"] * p["b"][0])))({"a": x, "b": [np.cos(x), None]})["b"][0],
    "value_and_grad": lambda t, np, f: lambda x: sum(t.value_and_grad(total(np, f))(x)),
    "vjp": lambda t, np, f: lambda x: t.vjp(f, x)[1](np.sin(x))[0],
    "jvp": lambda t, np, f: lambda x: t.jvp(f, (x,), (np.cos(x),))[1],
    "jvp_closed": lambda t, np, f: lambda x: t.jvp(lambda y: f(x * y), (np.sin(x),), (x,))[1],
    "linearize": lambda t, np, f: lambda x: t.linearize(f, x)[1](x),
    "jacrev": lambda t, np, f: lambda x: np.tensordot(t.jacrev(f)(x), x, x.ndim),
    "jacfwd": lambda t, np, f: lambda x: np.tensordot(x, t.jacfwd(f)(x), x.ndim),
    "vmap": lambda t, np, f: lambda x: np.sum(t.vmap(f)(np.stack([x, 0.5 * x, x * x])), 0),
    "vmap_last": lambda t, np, f: lambda x: np.sum(
        t.vmap(f, in_axes=-1, out_axes=-1)(np.stack([x, x + 1], -1)), -1),
    "vmap_closed": lambda t, np, f: lambda x: np.sum(
        t.vmap(lambda s: f(x * s))(np.array([0.5, -1.0], x.dtype)), 0),
    "vmap_pair": lambda t, np, f: lambda x: np.sum(
        t.vmap(lambda a, b: f(a) * b, (None, 0))(x, np.stack([x, np.sin(x)])), 0),
    "vmap_named": lambda t, np, f: lambda x: t.vmap(
        lambda a: f(a) - t.lax.pmean(np.sin(a), "i"), axis_name="i")(np.stack([x, 0.3 * x]))[1],
    "checkpoint": lambda t, np, f: t.checkpoint(f),
    "stop": lambda t, np, f: lambda x: f(x) * stop(t)(np.sin(x)),
    "product": lambda t, np, f: lambda x: f(x) * np.sum(x),
    "jit": lambda t, np, f: t.jit(f),
}
EAGER = [name for name in WRAPS if name != "jit"]


class Composition:
    """What a seed stands for: a point, the steps of a program, and the transforms around it.

    One in eight has a jit somewhere: compiling is what takes the time.
    """

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed, self.shape = seed, rng.choice(SHAPES)
        self.steps = [rng.choice(sorted(STEPS)) for _ in range(rng.randint(1, 2))]
        self.wraps = [rng.choice(EAGER) for _ in range(rng.randint(1, DEPTH))]
        if seed % 8 == 0:
            self.wraps[rng.randrange(len(self.wraps))] = "jit"
        count = {(): 1, (3,): 3, (2, 2): 4}[self.shape]
        self.point = [rng.uniform(-1, 1) for _ in range(count)]

    def start(self, numpy):
        """The point, in double precision, as an array of NumPy's."""
        return numpy.array(self.point).reshape(self.shape)

    def build(self, t, np):
        def f(x):
            for name in self.steps:
                x = STEPS[name](t, np, x)
            return x

        for name in self.wraps:
            f = WRAPS[name](t, np, f)
        return f

    def __repr__(self):
        return f"seed {self.seed}: {' '.join(self.wraps)} of {' '.join(self.steps)} {self.shape}"
