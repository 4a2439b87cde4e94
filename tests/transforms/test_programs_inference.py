"""Programs of statistics and control, as one writes them for JAX: the same text with both, in
double precision, values and derivatives compared. JAX compiles each as a whole; functape runs it
as it is.
"""

import functape as ft

# isort: split
import functools

import numpy
import pytest
from comparing import agree

DRAWS = numpy.random.default_rng(0)
X, Y = DRAWS.normal(size=(12, 3)), DRAWS.integers(0, 2, 12).astype("float64")
LINE = numpy.sort(DRAWS.uniform(-3, 3, (9, 1)), 0)
SERIES = DRAWS.normal(size=(7, 1))
CLOUDS = DRAWS.normal(size=(5, 2)), DRAWS.normal(size=(4, 2))
NOISE = DRAWS.normal(size=(6, 2)), DRAWS.uniform(size=6)


def scalar(np, x):
    """An array of double precision; NumPy's scalars are Python's numbers to functape."""
    return np.asarray(numpy.asarray(x))


def log_loss(np, w, x, y):
    return np.logaddexp(0.0, (1 - 2 * y) * (x @ w))


def gaussian_process(t, np):
    """Evidence of the hyperparameters, its gradient, and the posterior, by a Cholesky factor."""
    linalg, targets = t.scipy.linalg, np.sin(LINE[:, 0])

    def kernel(p, a, b):
        scale = t.nn.softplus(p["scale"])
        return t.vmap(lambda x: t.vmap(lambda z: np.exp(-np.sum((x - z) ** 2) / scale))(b))(a)

    def factor(p):
        noise = t.nn.softplus(p["noise"]) * np.eye(len(LINE), dtype=LINE.dtype)
        chol = np.linalg.cholesky(kernel(p, LINE, LINE) + noise)
        return chol, linalg.cho_solve((chol, True), targets)

    def evidence(p):
        chol, weights = factor(p)
        return -0.5 * targets @ weights - np.sum(np.log(np.diagonal(chol)))

    def posterior(p, at):
        chol, weights = factor(p)
        across = kernel(p, LINE, at)
        half = linalg.solve_triangular(chol, across, lower=True)
        return across.T @ weights, kernel(p, at, at) - half.T @ half

    start = {"scale": scalar(np, LINE[0, 0]), "noise": scalar(np, LINE[3, 0])}
    return t.value_and_grad(evidence)(start), posterior(start, LINE[::3] + 0.1)


def laplace_evidence(t, np):
    """Newton's method to the mode, the curvature there, and the derivative of all by the prior."""

    def evidence(log_precision):
        def energy(w):
            return np.sum(log_loss(np, w, X, Y)) + 0.5 * np.exp(log_precision) * w @ w

        def newton(_, w):
            return w - np.linalg.solve(t.hessian(energy)(w), t.grad(energy)(w))

        mode = t.lax.fori_loop(0, 5, newton, np.zeros(3, X.dtype))
        sign, size = np.linalg.slogdet(t.hessian(energy)(mode))
        return 1.5 * log_precision - energy(mode) - 0.5 * size

    return t.value_and_grad(evidence)(scalar(np, X[0, 0]))


def influence(t, np):
    """What each example does to one prediction, by conjugate gradients on Hessian products."""
    w = np.asarray(X[0])

    def risk(w):
        return np.mean(log_loss(np, w, X, Y)) + 0.1 * w @ w

    each = t.vmap(t.grad(functools.partial(log_loss, np)), (None, 0, 0))(w, X, Y)
    target = t.grad(functools.partial(log_loss, np))(w, X[0], Y[0])
    solved, _ = t.scipy.sparse.linalg.cg(
        lambda v: t.jvp(t.grad(risk), (w,), (v,))[1], target, maxiter=20)
    return -each @ solved


def private_gradient(t, np):
    """Per-example gradients, each scaled to a bounded norm over the whole tree, then summed."""
    params = {"w": np.asarray(X[0]), "b": scalar(np, Y[0])}

    def clipped(p, x, y):
        g = t.grad(lambda p: log_loss(np, p["w"], x, y) + p["b"] * y)(p)
        norm = np.sqrt(sum(np.sum(a * a) for a in t.tree.leaves(g)))
        return t.tree.map(lambda a: a / np.maximum(norm / 0.5, 1.0), g)

    return t.tree.map(lambda g: g.sum(0), t.vmap(clipped, (None, 0, 0))(params, X, Y))


def motion(np):
    return np.array([[1.0, 0.1], [0.0, 0.9]], X.dtype), np.array([[1.0, 0.0]], X.dtype)


def kalman_filter(t, np):
    """The filter as a scan; the derivative of its likelihood by the noise of the motion."""
    move, see = motion(np)
    eye = np.eye(2, dtype=X.dtype)

    def step(noise, state, y):
        mean, cov, total = state
        mean, cov = move @ mean, move @ cov @ move.T + noise * eye
        spread = see @ cov @ see.T + 0.2
        gain = cov @ see.T / spread
        wrong = y - see @ mean
        total = total - 0.5 * np.sum(wrong**2 / spread + np.log(spread))
        return (mean + gain @ wrong, cov - gain @ see @ cov, total), mean

    def likelihood(noise):
        start = np.zeros(2, X.dtype), eye, np.zeros((), X.dtype)
        (_, _, total), means = t.lax.scan(functools.partial(step, noise), start, SERIES)
        return total, means

    noise = scalar(np, Y[0] + 0.1)
    return t.grad(likelihood, has_aux=True)(noise)


def affine_maps_in_parallel(t, np):
    """The states of x' = a x + b by an associative scan of (a, b), with its Jacobian."""

    def after(first, second):
        (a, b), (c, d) = first, second
        return c @ a, np.einsum("...ij,...j->...i", c, b) + d

    def states(shrink):
        maps = shrink * np.stack([motion(np)[0]] * len(NOISE[0]))
        return t.lax.associative_scan(after, (maps, np.asarray(NOISE[0])))[1]

    shrink = scalar(np, X[1, 1])
    return states(shrink), t.jacfwd(states)(shrink), t.jacrev(states)(shrink)


def hidden_markov_model(t, np):
    """The forward algorithm in logarithms, for two sequences at once, and its gradient."""
    rows = numpy.array([[0, 1, 2, 1], [2, 2, 0, 0]])
    logits = {"move": np.asarray(X[:3]), "see": np.asarray(X[3:6])}

    def likelihood(p, sequence):
        move, see = (t.nn.log_softmax(p[k], axis=1) for k in ("move", "see"))

        def step(alpha, k):
            return t.nn.logsumexp(alpha[:, None] + move, axis=0) + see[:, k], None

        return t.nn.logsumexp(t.lax.scan(step, see[:, sequence[0]], sequence[1:])[0])

    def both(p):
        return t.vmap(likelihood, (None, 0))(p, np.asarray(rows))

    return both(logits), t.grad(lambda p: both(p).sum())(logits)


def hamiltonian_monte_carlo(t, np):
    """Leapfrog steps and acceptance with random numbers that are given."""

    def energy(q):
        return 0.5 * np.sum(q * q) + 0.1 * np.sum(np.cosh(q))

    def leap(_, state):
        q, p = state
        p = p - 0.1 * t.grad(energy)(q)
        q = q + 0.2 * p
        return q, p - 0.1 * t.grad(energy)(q)

    def step(q, draw):
        kick, coin = draw
        moved, p = t.lax.fori_loop(0, 3, leap, (q, kick))
        rise = energy(moved) + 0.5 * p @ p - energy(q) - 0.5 * kick @ kick
        taken = np.log(coin) < -rise
        return t.lax.select(taken, moved, q), (q, taken)

    return t.lax.scan(step, np.asarray(X[0, :2]), tuple(map(np.asarray, NOISE)))


def optimal_transport(t, np):
    """Sinkhorn's iteration until it settles, mapped over two widths; and unrolled, its gradient."""

    def halves(cost, width, f, g):
        f = -width * t.nn.logsumexp((g - cost) / width, axis=1)
        return f, -width * t.nn.logsumexp((f[:, None] - cost) / width, axis=0)

    def costs(a, b):
        return np.sum((a[:, None] - b) ** 2, -1)

    def settled(width):
        cost = costs(*map(np.asarray, CLOUDS))

        def step(state):
            f, g, _, k = state
            f, new = halves(cost, width, f, g)
            return f, new, np.max(np.abs(new - g)), k + 1

        start = np.zeros(5, X.dtype), np.zeros(4, X.dtype), scalar(np, X.max()), 0
        f, g, _, k = t.lax.while_loop(lambda s: (s[2] > 1e-3) & (s[3] < 50), step, start)
        return f, g, k

    def price(a, b):
        cost = costs(a, b)
        start = np.zeros(5, X.dtype), np.zeros(4, X.dtype)
        f, g = t.lax.fori_loop(0, 4, lambda _, s: halves(cost, 2.0, *s), start)
        return np.sum(np.exp((f[:, None] + g - cost) / 2.0) * cost)

    return (t.vmap(settled)(np.array([1.0, 3.0], X.dtype)),
            t.grad(price, (0, 1))(*map(np.asarray, CLOUDS)))


def regulator(t, np):
    """Riccati's recursion, backwards in time, and the derivative of its cost by the dynamics."""
    eye, push = np.eye(2, dtype=X.dtype), np.array([[0.0], [0.5]], X.dtype)

    def solve(move):
        def back(cost, _):
            gain = np.linalg.solve(1.0 + push.T @ cost @ push, push.T @ cost @ move)
            return eye + move.T @ cost @ (move - push @ gain), gain

        return t.lax.scan(back, eye, None, length=6)

    def spent(move):
        _, gains = solve(move)
        start = np.ones(2, X.dtype)
        return t.lax.scan(lambda x, gain: (move @ x - push @ (gain @ x), x @ x), start, gains,
                          reverse=True)[1].sum()

    return solve(motion(np)[0]), t.jacrev(spent)(motion(np)[0])


PROGRAMS = (
    gaussian_process, laplace_evidence, influence, private_gradient, kalman_filter,
    affine_maps_in_parallel, hidden_markov_model, hamiltonian_monte_carlo, optimal_transport,
    regulator,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_program_gives_what_jax_gives(program, oracle):
    agree(program(ft, ft.numpy), oracle.jit(lambda: program(oracle, oracle.numpy))(), 1e-9)
