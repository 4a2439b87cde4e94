"""functape.random: one key, one set of numbers, in every transform; distributions; gradients.

Seeds are fixed, so a test that passed passes again.
"""

import functape as ft

# isort: split
import inspect
import math

import mlx.core as mx
import numpy as np
import pytest

from functape import random
from functape.errors import ArgumentError, ShapeError
from functape.test_util import check_grads

scipy_stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")
KEY = random.key(0)
N = 5000


def double(x):
    return ft.asarray(np.asarray(x, np.float64))


# --- keys ---------------------------------------------------------------------------------------


def test_keys_are_those_of_mlx():
    for seed in (0, 7, 2**40 + 3):
        np.testing.assert_array_equal(random.key(seed), mx.random.key(seed))
    np.testing.assert_array_equal(random.key(-1), [2**32 - 1] * 2)
    np.testing.assert_array_equal(random.split(KEY, 3), mx.random.split(mx.random.key(0), 3))
    np.testing.assert_array_equal(random.PRNGKey(3), random.key(3))
    np.testing.assert_array_equal(random.key(np.array(3)), random.key(3))
    assert random.split(KEY, (2, 3)).shape == (2, 3, 2)


def test_a_key_is_a_tensor_or_an_array():
    want = random.normal(KEY, (3,))
    for key in (mx.random.key(0), np.array([0, 0], np.uint32)):
        np.testing.assert_array_equal(random.normal(key, (3,)), want)


def test_fold_in_gives_another_key_for_each_integer():
    keys = {tuple(np.asarray(random.fold_in(KEY, i)).tolist()) for i in range(50)}
    keys |= {tuple(k) for k in np.asarray(random.split(KEY, 50)).tolist()}
    assert len(keys) == 100
    np.testing.assert_array_equal(random.fold_in(KEY, np.array(3)), random.fold_in(KEY, 3))
    many = ft.vmap(random.fold_in, in_axes=(None, 0))(KEY, ft.numpy.arange(3))
    np.testing.assert_array_equal(many, [random.fold_in(KEY, i) for i in range(3)])


def test_bits():
    for dtype, width in (("uint8", 8), ("uint16", 16), ("uint32", 32), ("uint64", 64)):
        words = np.asarray(random.bits(KEY, (4096,), dtype)).astype(np.uint64)
        for bit in range(0, width, 3):
            ones = int(((words >> np.uint64(bit)) & np.uint64(1)).sum())
            assert abs(ones - 2048) < 160  # five standard deviations
    assert random.bits(KEY, (0,)).shape == (0,)


@pytest.mark.parametrize("key", [3, np.zeros(3, np.uint32), np.zeros(2),
                                 np.zeros((2, 2), np.uint32)],
                         ids=["number", "three", "float", "batch"])
def test_what_is_no_key(key):
    with pytest.raises(ArgumentError, match=r"normal takes one key first, uint32\[2\].*random.key"):
        random.normal(key)


# --- the same numbers everywhere ----------------------------------------------------------------

DRAWS = {
    "split": lambda k: random.split(k, 3),
    "fold_in": lambda k: random.fold_in(k, 5),
    "bits": lambda k: random.bits(k, (3,), "uint64"),
    "uniform": lambda k: random.uniform(k, (2, 3)),
    "normal": lambda k: random.normal(k, (3,)),
    "truncated_normal": lambda k: random.truncated_normal(k, 0.5, 2.0, (3,)),
    "randint": lambda k: random.randint(k, (5,), -3, 9),
    "bernoulli": lambda k: random.bernoulli(k, 0.4, (5,)),
    "gamma": lambda k: random.gamma(k, ft.numpy.array([0.3, 2.0, 30.0])),
    "beta": lambda k: random.beta(k, 2.0, 0.5, (3,)),
    "dirichlet": lambda k: random.dirichlet(k, ft.numpy.array([0.3, 2.0, 30.0]), (2,)),
    "poisson": lambda k: random.poisson(k, ft.numpy.array([0.3, 2.0, 30.0])),
    "binomial": lambda k: random.binomial(k, 100, ft.numpy.array([0.03, 0.2, 0.7])),
    "multinomial": lambda k: random.multinomial(k, 9, ft.numpy.array([0.3, 0.5, 0.2])),
    "categorical": lambda k: random.categorical(k, ft.numpy.zeros((4, 3))),
    "permutation": lambda k: random.permutation(k, 6),
    "choice": lambda k: random.choice(k, 9, (4,), p=np.full(9, 1 / 9)),
    "multivariate_normal": lambda k: random.multivariate_normal(
        k, np.zeros(2, np.float32), np.eye(2, dtype=np.float32)),
    "ball": lambda k: random.ball(k, 3, shape=(2,)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_key_gives_the_same_numbers(name):
    """Again, under vmap (also nested), in jit's trace, and where checkpoint runs twice."""
    draw = DRAWS[name]
    keys = random.split(random.key(11), 4)
    want = np.stack([np.asarray(draw(k)) for k in keys])
    np.testing.assert_array_equal(draw(keys[0]), want[0])
    assert (want[0] != want[1]).any()
    exact = want.dtype.kind in "iub"  # a sum may be ordered otherwise
    compare = np.testing.assert_array_equal if exact else (
        lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-6))
    compare(ft.vmap(draw)(keys), want)
    nested = ft.vmap(ft.vmap(draw))(keys.reshape((2, 2, 2)))
    compare(nested, want.reshape((2, 2, *want.shape[1:])))
    compiled = ft.jit(draw, fallback=False)  # traced, which calls no C++ compiler
    assert compiled(keys[0]).shape == want.shape[1:]


def test_jit_gives_the_same_numbers():
    keys = random.split(KEY, 2)
    draw = ft.jit(lambda k: random.uniform(k, (5,)))
    for k in keys:
        np.testing.assert_array_equal(draw(k), random.uniform(k, (5,)))


def test_checkpoint_draws_the_same_numbers_again():
    def f(a, k):
        return (random.gamma(k, a, (4,)) * random.normal(k, (4,)) * a).sum()

    plain = ft.grad(f)(ft.numpy.array(2.0), KEY)
    np.testing.assert_allclose(ft.grad(ft.checkpoint(f))(ft.numpy.array(2.0), KEY), plain)


# --- distributions ------------------------------------------------------------------------------

# name: (draw of a shape and dtype, the distribution as SciPy has it)
s = scipy_stats
CONTINUOUS = {
    "uniform": (lambda k, n, d: random.uniform(k, n, d, -2.0, 3.0), s.uniform(-2, 5)),
    "normal": (random.normal, s.norm),
    "truncated_normal": (lambda k, n, d: random.truncated_normal(k, -0.5, 1.5, n, d),
                         s.truncnorm(-0.5, 1.5)),
    "truncated_tail": (lambda k, n, d: random.truncated_normal(k, 4.0, math.inf, n, d),
                       s.truncnorm(4, math.inf)),
    "laplace": (random.laplace, s.laplace),
    "gumbel": (random.gumbel, s.gumbel_r),
    "logistic": (random.logistic, s.logistic),
    "cauchy": (random.cauchy, s.cauchy),
    "exponential": (random.exponential, s.expon),
    "rayleigh": (lambda k, n, d: random.rayleigh(k, 2.0, n, d), s.rayleigh(scale=2)),
    "pareto": (lambda k, n, d: random.pareto(k, 2.5, n, d), s.pareto(2.5)),
    "weibull": (lambda k, n, d: random.weibull_min(k, 2.0, 1.5, n, d), s.weibull_min(1.5, scale=2)),
    "maxwell": (random.maxwell, s.maxwell),
    "double_maxwell": (lambda k, n, d: abs(random.double_sided_maxwell(k, 1.0, 2.0, n, d) - 1),
                       s.maxwell(scale=2)),
    "lognormal": (lambda k, n, d: random.lognormal(k, 0.7, n, d), s.lognorm(0.7)),
    "wald": (lambda k, n, d: random.wald(k, 1.5, n, d), s.invgauss(1.5)),
    "triangular": (lambda k, n, d: random.triangular(k, 1.0, 2.0, 5.0, n, d), s.triang(0.25, 1, 4)),
    "gamma": (lambda k, n, d: random.gamma(k, 2.5, n, d), s.gamma(2.5)),
    "gamma_small": (lambda k, n, d: random.gamma(k, 0.3, n, d), s.gamma(0.3)),
    "gamma_large": (lambda k, n, d: random.gamma(k, 500.0, n, d), s.gamma(500)),
    "loggamma": (lambda k, n, d: random.loggamma(k, 0.01, n, d), s.loggamma(0.01)),
    "beta": (lambda k, n, d: random.beta(k, 0.5, 2.0, n, d), s.beta(0.5, 2)),
    "chisquare": (lambda k, n, d: random.chisquare(k, 3.0, n, d), s.chi2(3)),
    "t": (lambda k, n, d: random.t(k, 3.0, n, d), s.t(3)),
    "f": (lambda k, n, d: random.f(k, 3.0, 5.0, n, d), s.f(3, 5)),
    "generalized_normal": (lambda k, n, d: random.generalized_normal(k, 1.5, n, d), s.gennorm(1.5)),
    "ball_radius": (lambda k, n, d: (random.ball(k, 3, 2, n, d) ** 2).sum(-1) ** 1.5, s.uniform),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_kolmogorov_distance(name, dtype):
    """Of 5000 samples: below what one of a million true sets would exceed."""
    draw, theirs = CONTINUOUS[name]
    x = np.asarray(draw(random.key(3), (N,), dtype))
    assert x.dtype == dtype and np.isfinite(x).all()
    assert s.kstest(x.astype(np.float64), theirs.cdf).statistic < 2.7 / math.sqrt(N)


P = np.array([0.2, 0.3, 0.5])
COUNTS = {
    "poisson_small": (lambda k, n: random.poisson(k, 2.5, n), s.poisson(2.5)),
    "poisson_large": (lambda k, n: random.poisson(k, 40.0, n), s.poisson(40)),
    "binomial_small": (lambda k, n: random.binomial(k, 8, 0.3, n), s.binom(8, 0.3)),
    "binomial_large": (lambda k, n: random.binomial(k, 200, 0.8, n), s.binom(200, 0.8)),
    "geometric": (lambda k, n: random.geometric(k, 0.3, n), s.geom(0.3)),
    "randint": (lambda k, n: random.randint(k, n, -2, 9), s.randint(-2, 9)),
    "rademacher": (lambda k, n: (random.rademacher(k, n) + 1) // 2, s.bernoulli(0.5)),
    "bernoulli": (lambda k, n: random.bernoulli(k, 0.3, n), s.bernoulli(0.3)),
    "categorical": (lambda k, n: random.categorical(k, np.log(P), shape=n),
                    s.rv_discrete(values=([0, 1, 2], [0.2, 0.3, 0.5]))),
    "choice": (lambda k, n: random.choice(k, 3, n, p=P),
               s.rv_discrete(values=([0, 1, 2], [0.2, 0.3, 0.5]))),
    "first_of_permutation": (
        lambda k, n: ft.vmap(lambda k: random.permutation(k, 5)[0])(random.split(k, n[0])),
        s.randint(0, 5)),
    "multinomial": (lambda k, n: random.multinomial(k, 10, P, shape=(*n, 3))[:, 1],
                    s.binom(10, 0.3)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_frequencies(name):
    """The largest gap between the distribution functions, as for continuous ones."""
    draw, theirs = COUNTS[name]
    x = np.asarray(draw(random.key(5), (N,))).astype(np.float64)
    assert (x == np.floor(x)).all()
    at = np.arange(x.min() - 1, x.max() + 1)
    gap = (x[:, None] <= at).mean(0) - theirs.cdf(at)
    assert np.abs(gap).max() < 2.7 / math.sqrt(N)


def test_moments_of_vectors():
    cov = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
    mean = np.array([1.0, -1.0, 0.5])
    for method in ("cholesky", "eigh", "svd"):
        x = np.asarray(random.multivariate_normal(KEY, mean, cov, (N,), method=method))
        np.testing.assert_allclose(x.mean(0), mean, atol=0.1)
        np.testing.assert_allclose(np.cov(x.T), cov, atol=0.15)
    alpha = np.array([0.5, 2.0, 3.5])
    p = np.asarray(random.dirichlet(KEY, alpha, (N,)))
    np.testing.assert_allclose(p.sum(-1), 1)
    np.testing.assert_allclose(p.mean(0), alpha / alpha.sum(), atol=0.02)
    q = np.asarray(random.orthogonal(KEY, 3, (500,)))
    np.testing.assert_allclose(q @ q.swapaxes(-1, -2), np.broadcast_to(np.eye(3), q.shape),
                               atol=1e-5)
    np.testing.assert_allclose(q.mean(0), np.zeros((3, 3)), atol=0.15)
    assert random.orthogonal(KEY, 4, (2,), m=3).shape == (2, 4, 3)
    z = np.asarray(random.normal(KEY, (N,), "complex64"))
    np.testing.assert_allclose([(abs(z) ** 2).mean(), (z**2).mean()], [1, 0], atol=0.1)


def test_low_precision():
    for dtype in ("float16", "bfloat16"):
        u = random.uniform(KEY, (N,), dtype)
        assert u.dtype == getattr(mx, dtype)
        u = np.asarray(u).astype(np.float32)
        assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.03
        x = np.asarray(random.gamma(KEY, 2.0, (N,), dtype)).astype(np.float32)
        assert abs(x.mean() - 2) < 0.15
        assert np.isfinite(np.asarray(random.gumbel(KEY, (N,), dtype)).astype(np.float32)).all()


# --- gradients ----------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [
    lambda a, b: random.uniform(KEY, (5,), "float64", a, b),
    lambda a, b: random.truncated_normal(KEY, a, b, (5,), "float64"),
    lambda a, b: random.truncated_normal(KEY, a + 3, b + 3, (5,), "float64"),
    lambda a, b: random.triangular(KEY, a - 1, a, b, (5,), "float64"),
    lambda a, b: random.weibull_min(KEY, a, b, (5,), "float64"),
    lambda a, b: random.lognormal(KEY, a * b, (5,), "float64"),
    lambda a, b: random.pareto(KEY, a + b, (5,), "float64"),
], ids=["uniform", "truncated_normal", "truncated_tail", "triangular", "weibull_min", "lognormal",
        "pareto"])
def test_samples_are_reparameterised(draw):
    check_grads(draw, (double(0.6), double(1.7)), order=2, atol=1e-6, rtol=1e-6)


def quantile_slopes(a, u, h=1e-3):
    """First and second derivative in a of the gamma quantile of u, by differences."""
    z = [special.gammaincinv(a + k * h, u) for k in (-2, -1, 0, 1, 2)]
    first = (8 * (z[3] - z[1]) - (z[4] - z[0])) / (12 * h)
    second = (16 * (z[3] + z[1]) - (z[4] + z[0]) - 30 * z[2]) / (12 * h * h)
    return first, second


@pytest.mark.parametrize("a", [0.4, 1.0, 3.5, 60.0])
def test_gamma_gradients_are_implicit(a):
    """A sample moves so that its probability stays: with the quantile function."""
    z = np.asarray(random.gamma(KEY, double(a), (20,)))
    first, second = quantile_slopes(a, special.gammainc(a, z), 1e-3 * a)

    def slope(a):
        one = ft.numpy.ones_like(a)
        return ft.jvp(lambda a: random.gamma(KEY, a, (20,)), (a,), (one,))[1]

    np.testing.assert_allclose(slope(double(a)), first, rtol=1e-6, atol=1e-9)
    one = double(1.0)
    np.testing.assert_allclose(ft.jvp(slope, (double(a),), (one,))[1], second, rtol=2e-3, atol=1e-5)
    by_element = ft.jacrev(lambda a: random.gamma(KEY, a, (20,)))(double(a))
    np.testing.assert_allclose(by_element, first, rtol=1e-6, atol=1e-9)


def test_loggamma_gradient_where_the_sample_underflows():
    a = ft.numpy.array(1e-4)
    logs, pull = ft.vjp(lambda a: random.loggamma(KEY, a, (50,)), a)
    assert float(logs.min()) < -1000  # e^logs is 0 in float32
    np.testing.assert_allclose(pull(ft.numpy.ones(50))[0], -(logs / a).sum(), rtol=1e-3)


def test_gradients_of_expectations():
    """E[x^2] of gamma, E[x] of beta and of Dirichlet, by 4000 samples."""
    n = (4000,)
    a, b = double(1.5), double(2.5)
    got = ft.grad(lambda a: (random.gamma(KEY, a, n) ** 2).mean())(a)
    np.testing.assert_allclose(got, 2 * 1.5 + 1, rtol=0.1)
    got = ft.grad(lambda a, b: random.beta(KEY, a, b, n).mean(), (0, 1))(a, b)
    np.testing.assert_allclose(got, [2.5 / 16, -1.5 / 16], rtol=0.1)
    alpha = double([0.5, 1.0, 2.5])
    got = ft.grad(lambda alpha: random.dirichlet(KEY, alpha, n)[:, 0].mean())(alpha)
    np.testing.assert_allclose(got, [3.5 / 16, -0.5 / 16, -0.5 / 16], rtol=0.1)
    got = ft.grad(lambda df: (random.t(KEY, df, n) ** 2).mean())(double(9.0))
    np.testing.assert_allclose(got, -2 / 49, rtol=0.5)


def test_multivariate_normal_gradients():
    root = np.array([[1.5, 0.0], [0.4, 0.9]])

    def draw(mean, root):
        return random.multivariate_normal(KEY, mean, root @ root.T + 0.1 * np.eye(2), (3,))

    check_grads(draw, (double([0.3, -0.2]), double(root)), order=2)


def test_no_gradient_passes_through_keys_or_counts():
    def f(p):
        counts = random.poisson(KEY, p, (5,)) + random.bernoulli(KEY, p / 9, (5,))
        return (counts * p).sum()

    p = ft.numpy.array(2.0)
    total = random.poisson(KEY, p, (5,)) + random.bernoulli(KEY, p / 9, (5,))
    np.testing.assert_allclose(ft.grad(f)(p), float(total.sum()))


# --- choices ------------------------------------------------------------------------------------


def test_permutation_and_choice(oracle):
    x = ft.numpy.arange(12.0).reshape((4, 3))
    rows = np.asarray(random.permutation(KEY, x))
    assert sorted(rows[:, 0].tolist()) == [0, 3, 6, 9] and (np.diff(rows, axis=1) == 1).all()
    lines = np.asarray(random.permutation(KEY, x, axis=1, independent=True))
    np.testing.assert_array_equal(np.sort(lines, axis=1), x)
    picked = random.choice(KEY, 10, (10,), replace=False)
    assert sorted(picked.tolist()) == list(range(10))
    weighted = random.choice(KEY, 4, (3,), replace=False, p=np.array([0.5, 0.5, 0.0, 1e-9]))
    assert 2 not in weighted.tolist() and len(set(weighted.tolist())) == 3
    columns = random.choice(KEY, x, (2, 2), axis=1)
    assert columns.shape == (4, 2, 2)
    top = random.categorical(KEY, np.zeros((2, 5)), shape=(3, 2), replace=False)
    assert top.shape == (3, 2) and all(len(set(c)) == 3 for c in np.asarray(top).T.tolist())
    gradient = ft.grad(lambda x: random.choice(KEY, x, (2,), replace=False).sum())(x)
    assert float(gradient.sum()) == 6  # two rows of three


def test_randint():
    x = np.asarray(random.randint(KEY, (2000,), 0, 2**31 - 1))
    assert x.dtype == np.int32 and x.min() >= 0 and abs(x.mean() / 2**30 - 1) < 0.1
    low = np.array([0, 10], np.int32)
    x = np.asarray(random.randint(KEY, (50, 2), low, low + 3))
    assert set(x[:, 0]) == {0, 1, 2} and set(x[:, 1]) == {10, 11, 12}
    x = np.asarray(random.randint(KEY, (500,), 0, 256, "uint8"))
    assert x.dtype == np.uint8 and x.max() > 250
    wide = np.asarray(random.randint(KEY, (50,), -(2**62), 2**62, "int64"))
    assert wide.dtype == np.int64 and wide.std() > 2**60
    np.testing.assert_array_equal(random.randint(KEY, (3,), 5, 5), [5, 5, 5])


# --- arguments ----------------------------------------------------------------------------------


def test_functions_have_jax_signatures(oracle):
    """Names, order and defaults of the parameters; what places arrays on devices is left out."""
    for name in random.__all__:
        theirs = inspect.signature(inspect.unwrap(getattr(oracle.random, name))).parameters
        want = [p for p in theirs if p not in ("out_sharding", "dtype" if name in (
            "key", "wrap_key_data") else "")]
        assert list(inspect.signature(getattr(random, name)).parameters) == want, name


def test_messages():
    with pytest.raises(ShapeError, match="gamma: the parameters have the shape"):
        random.gamma(KEY, np.ones(3), (2,))
    with pytest.raises(ArgumentError, match="uniform: dtype must be a floating-point type"):
        random.uniform(KEY, (2,), "int32")
    with pytest.raises(ArgumentError, match="randint: dtype must be an integer type"):
        random.randint(KEY, (2,), 0, 3, "float32")
    with pytest.raises(ShapeError, match="cannot be chosen from 3 without replacement"):
        random.choice(KEY, 3, (4,), replace=False)
    with pytest.raises(ShapeError, match="p must have the shape"):
        random.choice(KEY, 3, (4,), p=np.full(2, 0.5))
    with pytest.raises(ShapeError, match="must end with"):
        random.categorical(KEY, np.zeros((4, 3)), shape=(3,))
    with pytest.raises(ArgumentError, match="one generator"):
        random.key(0, impl="rbg")
    with pytest.raises(ArgumentError, match="method must be 'cholesky'"):
        random.multivariate_normal(KEY, np.zeros(2), np.eye(2), method="lu")
    assert random.gamma(KEY, np.ones(3)).shape == (3,)  # by default that of the parameters
    assert random.gamma(KEY, np.ones(3)).dtype == mx.float64
    assert random.gamma(KEY, 1.0).dtype == mx.float32
