"""Programs of machine learning, as one writes them for JAX: the same text with both, in double
precision, values and derivatives compared. JAX compiles each as a whole; functape runs it as it is.
"""

import functape as ft

# isort: split
import functools
from typing import Any, NamedTuple

import numpy
import pytest
from comparing import agree

DRAWS = numpy.random.default_rng(1)
SMALL = DRAWS.normal(size=(6, 4)) / 2
IMAGES = (DRAWS.uniform(size=(5, 4)) > 0.5).astype("float64")
WORDS = DRAWS.normal(size=(2, 3, 2, 4))  # batch, time, head, feature
TASKS = DRAWS.normal(size=(3, 5, 2))


def layers(np, *sizes):
    """Matrices with fixed entries, and the biases behind them."""
    return [{"w": np.asarray(numpy.cos(numpy.arange(a * b)).reshape(a, b) / a**0.5),
             "b": np.asarray(numpy.sin(numpy.arange(b)) / 4.0)}
            for a, b in zip(sizes, sizes[1:], strict=False)]


def perceptron(np, params, x):
    *hidden, last = params
    for layer in hidden:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


class Moments(NamedTuple):
    count: Any
    mean: Any
    square: Any


def optimiser(t, np):
    """Adam after clipping by the global norm, on a tree, with a schedule; all steps in a scan."""

    def loss(p):
        return np.mean((perceptron(np, p, SMALL) - IMAGES[:1]) ** 2)

    def clipped(g, bound):
        norm = np.sqrt(sum(np.sum(a * a) for a in t.tree.leaves(g)))
        return t.tree.map(lambda a: t.lax.select(norm < bound, a, a * bound / norm), g)

    def step(state, _):
        params, moments = state
        value, g = t.value_and_grad(loss)(params)
        g, count = clipped(g, 0.5), moments.count + 1
        mean = t.tree.map(lambda m, a: 0.9 * m + 0.1 * a, moments.mean, g)
        square = t.tree.map(lambda s, a: 0.99 * s + 0.01 * a**2, moments.square, g)
        rate = 0.1 * np.minimum(1.0, count / 3)
        params = t.tree.map(
            lambda p, m, s: p - rate * m / (1 - 0.9**count) / (np.sqrt(s / (1 - 0.99**count))
                                                               + 1e-8), params, mean, square)
        return (params, Moments(count, mean, square)), value

    params = layers(np, 4, 3, 4)
    zeros = t.tree.map(np.zeros_like, params)
    start = Moments(np.zeros((), SMALL.dtype), zeros, zeros)
    (params, moments), losses = t.lax.scan(step, (params, start), length=5)
    return params, tuple(moments)[1:], losses


def learned_step_size(t, np):
    """The derivative of the loss after some steps of descent, by the size of the steps."""

    def loss(p, x):
        return np.mean(perceptron(np, p, x) ** 2)

    def after(size):
        params, _ = t.lax.scan(lambda p, x: (t.tree.map(
            lambda a, g: a - size * g, p, t.grad(loss)(p, x)), None), layers(np, 2, 1),
            np.asarray(TASKS))
        return loss(params, TASKS[0])

    size = np.sum(np.asarray(SMALL[:1, 1] ** 2))
    return t.value_and_grad(after)(size), t.grad(t.grad(after))(size)


def meta_learning(t, np):
    """MAML: one step of descent on each task, mapped over them, and the gradient through it."""

    def loss(p, task):
        return np.mean((perceptron(np, p, task[:, :1]) - task[:, 1:]) ** 2)

    def adapted(p, task):
        g = t.grad(loss)(p, task[:3])
        return loss(t.tree.map(lambda a, b: a - 0.1 * b, p, g), task[3:])

    def meta(p):
        return np.mean(t.vmap(functools.partial(adapted, p))(np.asarray(TASKS)))

    return t.value_and_grad(meta)(layers(np, 1, 3, 1))


def implicit_meta_learning(t, np):
    """The inner problem solved to its end: its derivative by the implicit function theorem."""
    task = np.asarray(TASKS[0])

    def inner(w, prior):
        return np.mean((task @ w - 1.0) ** 2) + np.sum((w - prior) ** 2)

    def descend(f, w):
        return t.lax.fori_loop(0, 60, lambda _, w: w - 0.2 * f(w), w)

    def outer(prior):
        w = t.lax.custom_root(lambda w: t.grad(inner)(w, prior), prior, descend,
                              lambda g, y: np.linalg.solve(t.jacobian(g)(y), y))
        return np.sum(np.sin(w))

    return t.value_and_grad(outer)(np.asarray(SMALL[0, :2]))


def autoencoder(t, np):
    """A variational one: reparametrised draws, a binomial likelihood, KL in closed form."""
    noise = np.asarray(SMALL[:5, :2])

    def loss(p):
        mean, spread = np.split(perceptron(np, p["in"], IMAGES), 2, axis=-1)
        var = t.nn.softplus(spread)
        logits = perceptron(np, p["out"], mean + np.sqrt(var) * noise)
        fit = -np.sum(np.logaddexp(0.0, np.where(IMAGES > 0, -1.0, 1.0) * logits))
        return 0.5 * np.sum(mean**2 + var - np.log(var) - 1) - fit

    return t.value_and_grad(loss)({"in": layers(np, 4, 3, 4), "out": layers(np, 2, 3, 4)})


def flow(t, np):
    """The density behind an invertible map, by the determinant of its Jacobian."""

    def stretched(p, z):
        for layer in p:
            z = z + 0.3 * np.tanh(z @ layer["w"] + layer["b"])
        return z

    def log_density(p, z):
        _, size = np.linalg.slogdet(t.jacfwd(stretched, argnums=1)(p, z))
        return t.scipy.stats.norm.logpdf(z).sum() - size

    def mean(p):
        return np.mean(t.vmap(log_density, (None, 0))(p, np.asarray(SMALL[:, :3])))

    return t.value_and_grad(mean)(layers(np, 3, 3, 3))


def runge_kutta(t, np, f, y, times):
    def step(y, ends):
        a, b = ends
        h = b - a
        k = f(a, y)
        m = f(a + h / 2, t.tree.map(lambda y, k: y + h / 2 * k, y, k))
        n = f(b, t.tree.map(lambda y, k, m: y - h * k + 2 * h * m, y, k, m))
        return t.tree.map(lambda y, k, m, n: y + h / 6 * (k + 4 * m + n), y, k, m, n), None

    return t.lax.scan(step, y, (times[:-1], times[1:]))[0]


def neural_ode(t, np):
    """The derivative by the adjoint equation, backwards in time: a rule that solves again."""
    times = np.asarray(numpy.linspace(0.0, 1.0, 9))

    def field(p, at, y):
        return perceptron(np, p, y) * np.cos(at)

    @t.custom_vjp
    def solve(p, y):
        return runge_kutta(t, np, functools.partial(field, p), y, times)

    def forward(p, y):
        end = solve(p, y)
        return end, (p, end)

    def backward(saved, g):
        p, end = saved

        def augmented(at, state):
            y, a, _ = state
            out, pull = t.vjp(lambda p, y: field(p, at, y), p, y)
            dp, dy = pull(a)
            return out, -dy, t.tree.map(lambda x: -x, dp)

        zeros = t.tree.map(np.zeros_like, p)
        _, dy, dp = runge_kutta(t, np, augmented, (end, g, zeros), times[::-1])
        return dp, dy

    solve.defvjp(forward, backward)
    return t.value_and_grad(lambda p, y: np.sum(solve(p, y) ** 2), (0, 1))(
        layers(np, 2, 3, 2), np.asarray(SMALL[0, :2]))


def differential_equation(t, np):
    """The residual of u'' + u at some points, its boundary values, and the gradient of both."""

    def u(p, x):
        return perceptron(np, p, np.reshape(x, (1,)))[0]

    first = t.grad(u, 1)
    second = t.grad(first, 1)

    def loss(p):
        at = np.asarray(numpy.linspace(0.0, 1.0, 5))
        rest = t.vmap(lambda x: second(p, x) + u(p, x))(at)
        return np.mean(rest**2) + u(p, at[0]) ** 2 + (first(p, at[0]) - 1) ** 2

    return t.value_and_grad(loss)(layers(np, 1, 3, 1))


def score_matching(t, np):
    """The trace of a Jacobian and the square of a field, by rows and in random directions."""

    def exact(p, x):
        s = perceptron(np, p, x)
        return np.trace(t.jacfwd(perceptron, argnums=2)(np, p, x)) + 0.5 * s @ s

    def sliced(p, x, v):
        s, moved = t.jvp(functools.partial(perceptron, np, p), (x,), (v,))
        return v @ moved + 0.5 * (v @ s) ** 2

    def loss(p):
        x, v = np.asarray(SMALL[:3]), np.asarray(SMALL[3:])
        return (t.vmap(exact, (None, 0))(p, x).mean()
                + t.vmap(sliced, (None, 0, 0))(p, x, v).mean())

    return t.value_and_grad(loss)(layers(np, 4, 3, 4))


def equilibrium(t, np):
    """A layer that is a fixed point: found by a loop, differentiated by another."""

    def layer(p, x, z):
        return np.tanh(0.4 * z @ p["w"] + x)

    def settle(f, z):
        return t.lax.while_loop(lambda s: np.max(np.abs(s[1] - s[0])) > 1e-12,
                                lambda s: (s[1], f(s[1])), (z, f(z)))[1]

    @t.custom_vjp
    def fixed(p, x):
        return settle(lambda z: layer(p, x, z), np.zeros_like(x))

    def forward(p, x):
        z = fixed(p, x)
        return z, (p, x, z)

    def backward(saved, g):
        p, x, z = saved
        _, by_state = t.vjp(lambda z: layer(p, x, z), z)
        total = settle(lambda a: g + by_state(a)[0], g)
        return t.vjp(lambda p, x: layer(p, x, z), p, x)[1](total)

    fixed.defvjp(forward, backward)
    p, x = layers(np, 4, 4)[0], np.asarray(SMALL)

    def loss(p, x):
        return np.sum(t.vmap(fixed, (None, 0))(p, x) ** 2)

    return fixed(p, x[0]), t.grad(lambda *a: np.sum(fixed(*a) ** 2), (0, 1))(p, x[1]), t.grad(
        loss)(p, x)


def recurrent(t, np):
    """An LSTM over a sequence of batches, by a scan whose steps are checkpointed."""
    p = layers(np, 7, 12)[0]

    def cell(state, x):
        h, c = state
        i, f, g, o = np.split(np.concatenate([x, h], -1) @ p["w"] + p["b"], 4, axis=-1)
        c = t.nn.sigmoid(f + 1) * c + t.nn.sigmoid(i) * np.tanh(g)
        h = t.nn.sigmoid(o) * np.tanh(c)
        return (h, c), h

    def outputs(xs):
        zeros = np.zeros((3, 3), xs.dtype)
        return t.lax.scan(t.checkpoint(cell), (zeros, zeros), xs)[1]

    xs = np.asarray(WORDS.transpose(1, 0, 2, 3).reshape(3, 4, 4)[:, :3])
    return outputs(xs), t.grad(lambda xs: np.sum(outputs(xs)[-1] ** 2))(xs)


def attention(t, np):
    """Masked attention by einsum, beside jax.nn's, and a cross entropy behind it."""
    labels, mask = numpy.array([[1, 0, 3], [2, 2, 1]]), numpy.tri(3, dtype=bool)

    def attend(q, k, v):
        scores = np.einsum("bqhd,bkhd->bhqk", q, k) / 2
        scores = np.where(mask, scores, np.finfo(scores.dtype).min)
        return np.einsum("bhqk,bkhd->bqhd", t.nn.softmax(scores), v)

    def loss(q, k, v):
        logits = t.nn.log_softmax(attend(q, k, v).mean(2))
        return -np.take_along_axis(logits, np.asarray(labels)[..., None], -1).mean()

    qkv = [np.asarray(WORDS), np.asarray(WORDS[::-1].copy()), np.asarray(WORDS**2)]
    fused = t.nn.dot_product_attention(*qkv, is_causal=True)  # JAX takes float32 for its softmax
    return (attend(*qkv), np.max(np.abs(fused - attend(*qkv))) < 1e-6,
            t.value_and_grad(loss, (0, 1, 2))(*qkv))


def choices(t, np):
    """A straight-through estimator, and a target that is held constant."""
    logits, scores = np.asarray(SMALL), np.arange(4).astype(SMALL.dtype)

    def hard(x):
        soft = t.nn.softmax(x)
        picked = t.nn.one_hot(np.argmax(soft, -1), 4, dtype=x.dtype)
        return np.sum((soft + t.lax.stop_gradient(picked - soft)) @ scores)

    def bootstrapped(w, now, then):
        return (1.0 + t.lax.stop_gradient(w @ then) - w @ now) ** 2

    each = t.vmap(t.grad(bootstrapped), (None, 0, 0))
    return t.value_and_grad(hard)(logits), each(logits[0], logits, logits[::-1])


PROGRAMS = (
    optimiser, learned_step_size, meta_learning, implicit_meta_learning, autoencoder, flow,
    neural_ode, differential_equation, score_matching, equilibrium, recurrent, attention, choices,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_program_gives_what_jax_gives(program, oracle):
    agree(program(ft, ft.numpy), oracle.jit(lambda: program(oracle, oracle.numpy))(), 1e-9)
