"""functape.scipy.stats: values are SciPy's, derivatives JAX's; outside the support 0."""

import functape as ft

# isort: split
import inspect
import math

import mlx.core as mx
import numpy as np
import pytest
from agreement import agree

from functape.errors import ArgumentError, ShapeError
from functape.scipy import stats
from functape.test_util import check_grads

scipy_stats = pytest.importorskip("scipy.stats")
rng = np.random.default_rng(0)
DENSITY = ("logpdf", "pdf")
TAILS = ("cdf", "logcdf", "sf", "logsf")

# name: (shapes, range of the standard variable); what lies outside the support is drawn too
CONTINUOUS = {
    "norm": ((), (-5, 5)),
    "cauchy": ((), (-5, 5)),
    "logistic": ((), (-6, 6)),
    "laplace": ((), (-5, 5)),
    "gumbel_r": ((), (-3, 6)),
    "gumbel_l": ((), (-6, 3)),
    "t": ((3.3,), (-6, 6)),
    "expon": ((), (-1, 5)),
    "gamma": ((2.3,), (-1, 7)),
    "chi2": ((3.1,), (-1, 9)),
    "pareto": ((2.5,), (0, 5)),
    "uniform": ((), (-0.5, 1.5)),
    "beta": ((2.0, 3.5), (-0.2, 1.2)),
    "truncnorm": ((-1.0, 2.0), (-1.5, 2.5)),
    "gennorm": ((1.7,), (-3, 3)),
    "vonmises": ((1.5,), (-3, 3)),
    "wrapcauchy": ((0.6,), (-1, 7)),
}
PLACED = set(CONTINUOUS) - {"gennorm", "vonmises", "wrapcauchy"}
DISCRETE = {
    "bernoulli": (0.3,),
    "binom": (5, 0.3),
    "betabinom": (5, 1.5, 2.5),
    "nbinom": (3.5, 0.4),
    "geom": (0.3,),
    "poisson": (2.7,),
}


def points(name, count=40):
    _, (low, high) = CONTINUOUS[name]
    return rng.uniform(low, high, count)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_values_are_those_of_scipy(name):
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    shapes, _ = CONTINUOUS[name]
    for loc, scale in ((0, 1), (0.3, 1.7)) if name in PLACED else ((0, 1),):
        place = (loc, scale) if name in PLACED else ()
        for kind in (*DENSITY, *TAILS, "ppf", "isf"):
            if not hasattr(ours, kind) or kind == "cdf" and name == "vonmises":
                continue
            x = rng.uniform(0, 1, 40) if kind in ("ppf", "isf") else points(name) * scale + loc
            got = getattr(ours, kind)(x, *shapes, *place)
            with np.errstate(all="ignore"):
                want = getattr(theirs, kind)(x, *shapes, *place)
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13, err_msg=kind)


@pytest.mark.parametrize("name", DISCRETE)
def test_probabilities_are_those_of_scipy(name):
    k = np.array([-1, 0, 1, 2, 3, 5, 8, 2.5])
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    for loc in (0, 1):
        for kind in ("logpmf", "pmf"):
            got = getattr(ours, kind)(k + loc, *DISCRETE[name], loc)
            with np.errstate(all="ignore"):
                want = getattr(theirs, kind)(k + loc, *DISCRETE[name], loc)
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13, err_msg=kind)


def test_distribution_functions_of_counts():
    k, mu = np.array([-1, 0, 1, 2.5, 30]), 2.7
    np.testing.assert_allclose(stats.poisson.cdf(k, mu), scipy_stats.poisson.cdf(k, mu), 1e-12)
    np.testing.assert_allclose(stats.bernoulli.cdf(k, 0.3), scipy_stats.bernoulli.cdf(k, 0.3))
    q = np.array([0.0, 0.5, 0.9, 1.5])
    np.testing.assert_array_equal(stats.bernoulli.ppf(q, 0.3), [0, 0, 1, math.nan])
    means = np.array([0.1, 2.0, 29.0, 31.0, 300.0])
    np.testing.assert_allclose(stats.poisson.entropy(means), scipy_stats.poisson.entropy(means),
                               rtol=1e-7)


def test_functions_have_jax_signatures(oracle):
    """The same names, and the same parameters in the same order."""
    for name in set(stats.__all__) - {"ModeResult"}:  # which JAX has in a private module
        theirs = getattr(oracle.scipy.stats, name)
        for kind in (*DENSITY, *TAILS, "ppf", "isf", "logpmf", "pmf", "entropy"):
            if not hasattr(theirs, kind):
                continue
            want = list(inspect.signature(inspect.unwrap(getattr(theirs, kind))).parameters)
            got = list(inspect.signature(getattr(getattr(stats, name), kind)).parameters)
            assert got[1:] == ["beta" if p == "p" and name == "gennorm" else p
                               for p in want[1:]], (name, kind)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_log_densities_have_the_derivatives_of_jax(name, oracle):
    """In all parameters, in both modes, to second order, and under vmap."""
    shapes, (low, high) = CONTINUOUS[name]
    inside = {"pareto": (1.2, 4), "wrapcauchy": (0.5, 6), "beta": (0.1, 0.9),
              "uniform": (0.1, 0.9)}.get(name, (max(low, 0.1), high * 0.7))
    x = rng.uniform(*inside, 3)
    args = (x, *map(np.float64, shapes))
    if name in PLACED:
        args += (np.float64(0.05), np.float64(1.1))
    if name.startswith("gumbel"):  # JAX's refuse to be differentiated in loc and scale
        check_grads(getattr(stats, name).logpdf, args, order=2)
        return
    orders = 1 if name in ("truncnorm", "vonmises") else 2  # JAX's own second order has NaN
    agree(oracle, getattr(stats, name).logpdf, getattr(oracle.scipy.stats, name).logpdf, *args,
          orders=orders, tolerance=1e-6)


@pytest.mark.parametrize("name", ["norm", "logistic", "gamma", "beta", "truncnorm", "gumbel_r"])
def test_distribution_functions_integrate_densities(name):
    """d cdf / dx = pdf, and d log sf / dx = -pdf / sf, in both modes."""
    shapes, (low, high) = CONTINUOUS[name]
    f = getattr(stats, name)
    x = ft.asarray(rng.uniform(max(low, 0.1), min(high, 0.9), 5))
    one = ft.numpy.ones_like(x)
    density = np.asarray(f.pdf(x, *shapes))
    np.testing.assert_allclose(ft.jvp(lambda x: f.cdf(x, *shapes), (x,), (one,))[1], density, 1e-10)
    slope = ft.grad(lambda x: f.logsf(x, *shapes).sum())(x)
    np.testing.assert_allclose(slope, -density / np.asarray(f.sf(x, *shapes)), 1e-9)


@pytest.mark.parametrize("name", ["expon", "gamma", "chi2", "pareto", "uniform", "beta",
                                  "truncnorm", "wrapcauchy"])
def test_outside_the_support(name):
    shapes, (low, _) = CONTINUOUS[name]
    args = tuple(ft.asarray(np.float64(a)) for a in (low, *shapes))
    every = tuple(range(len(args)))
    f = getattr(stats, name)
    assert float(f.logpdf(*args)) == -math.inf
    assert float(f.pdf(*args)) == 0
    for g in (f.logpdf, f.pdf):
        for slope in ft.grad(g, every)(*args):
            assert float(slope) == 0
    _, moved = ft.jvp(f.logpdf, args, tuple(1 + 0 * a for a in args))
    assert float(moved) == 0


@pytest.mark.parametrize("name", DISCRETE)
def test_outside_the_counts(name):
    args = tuple(ft.asarray(np.float64(a)) for a in DISCRETE[name])
    logpmf = getattr(stats, name).logpmf
    for k in (-1.0, 0.5):
        slopes = ft.grad(lambda *a: logpmf(k, *a), tuple(range(len(args))))(*args)  # noqa: B023
        assert all(float(s) == 0 for s in slopes)


@pytest.mark.parametrize("name", DISCRETE)
def test_log_probabilities_have_the_derivatives_of_jax(name, oracle):
    k = np.array([1.0, 0.0] if name == "bernoulli" else [1.0, 2.0, 4.0])
    free = DISCRETE[name][1:] if name in ("binom", "betabinom") else DISCRETE[name]
    fixed = DISCRETE[name][:len(DISCRETE[name]) - len(free)]
    agree(oracle, lambda *a: getattr(stats, name).logpmf(k, *fixed, *a),
          lambda *a: getattr(oracle.scipy.stats, name).logpmf(k, *fixed, *a),
          *map(np.float64, free), orders=1 if name == "betabinom" else 2, tolerance=1e-7)


def test_truncated_normal_far_from_its_mean():
    """The mass of [a, b] by the tail in which it is exact."""
    x, a, b = np.array([30.5]), 30.0, np.inf
    np.testing.assert_allclose(stats.truncnorm.logpdf(x, a, b),
                               scipy_stats.truncnorm.logpdf(x, a, b), rtol=1e-12)
    np.testing.assert_allclose(stats.truncnorm.logsf(-x, -b, -a + 0.0),
                               scipy_stats.truncnorm.logsf(-x, -b, -a), rtol=1e-12,
                               atol=1e-13)
    slopes = ft.grad(lambda x, a: stats.truncnorm.logpdf(x, a, math.inf).sum(), (0, 1))(
        ft.asarray(x), ft.asarray(np.float64(a)))
    assert np.isfinite(slopes[0]).all() and np.isfinite(slopes[1])


def test_densities_at_the_ends_of_the_support():
    np.testing.assert_allclose(stats.expon.logpdf(np.array([0.0])), [0])
    np.testing.assert_allclose(stats.gamma.logpdf(np.array([0.0]), 1.0), [0])
    np.testing.assert_allclose(stats.beta.logpdf(np.array([0.0, 1.0]), 1.0, 1.0), [0, 0])
    np.testing.assert_allclose(ft.grad(stats.laplace.cdf)(ft.asarray(np.float64(0.0))), 0.5)


# --- vectors ------------------------------------------------------------------------------------


def test_multivariate_normal(oracle):
    root = rng.normal(size=(3, 3))
    x, mean, cov = rng.normal(size=(4, 3)), rng.normal(size=3), root @ root.T + np.eye(3)
    want = scipy_stats.multivariate_normal.logpdf(x, mean, cov)
    np.testing.assert_allclose(stats.multivariate_normal.logpdf(x, mean, cov), want, 1e-12)
    np.testing.assert_allclose(stats.multivariate_normal.pdf(x, mean, cov), np.exp(want), 1e-12)

    def symmetric(f):  # its own derivative in cov is up to conventions
        return lambda x, mean, root: f(x, mean, root @ root.T + 1.5)

    shifted = root + 2 * np.eye(3)
    agree(oracle, symmetric(stats.multivariate_normal.logpdf),
          symmetric(oracle.scipy.stats.multivariate_normal.logpdf), x, mean, shifted,
          tolerance=1e-7)
    scalar = stats.multivariate_normal.logpdf(0.5, 0.2, 2.0)
    np.testing.assert_allclose(scalar, scipy_stats.norm.logpdf(0.5, 0.2, math.sqrt(2)), 1e-6)
    with pytest.raises(ShapeError, match=r"\(..., 3, 3\)"):
        stats.multivariate_normal.logpdf(x, mean, np.eye(2))


def test_dirichlet(oracle):
    x, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.5, 2.0, 3.0])
    want = scipy_stats.dirichlet.logpdf(x, alpha)
    np.testing.assert_allclose(stats.dirichlet.logpdf(x, alpha), want, 1e-12)
    np.testing.assert_allclose(stats.dirichlet.logpdf(x[:2], alpha), want, 1e-12)
    np.testing.assert_allclose(stats.dirichlet.pdf(np.stack([x, x], 1), alpha), np.exp([want] * 2))
    assert float(stats.dirichlet.logpdf(x + 0.1, alpha)) == -math.inf
    agree(oracle, lambda a: stats.dirichlet.logpdf(x, a),
          lambda a: oracle.scipy.stats.dirichlet.logpdf(x, a), alpha, tolerance=1e-8)
    with pytest.raises(ShapeError, match="k or k - 1 components"):
        stats.dirichlet.logpdf(x, np.ones(5))


def test_multinomial(oracle):
    x, p = np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.3, 0.5])
    want = scipy_stats.multinomial.logpmf(x, 6, p)
    np.testing.assert_allclose(stats.multinomial.logpmf(x, 6, p), want, 1e-12)
    np.testing.assert_allclose(stats.multinomial.pmf(x, 6, p), np.exp(want), 1e-12)
    assert float(stats.multinomial.logpmf(x, 7, p)) == -math.inf
    zero = ft.grad(lambda p: stats.multinomial.logpmf(np.array([0.0, 6.0]), 6, p))(
        ft.asarray(np.array([0.0, 1.0])))
    np.testing.assert_allclose(zero, [0, 6])


# --- arguments ----------------------------------------------------------------------------------


def test_arguments():
    assert stats.norm.logpdf(0).dtype == mx.float32
    assert stats.norm.logpdf(np.zeros(2), scale=2).dtype == mx.float64
    assert stats.gamma.logpdf(1.0, a=2.0, scale=3.0).shape == ()
    with pytest.raises(ArgumentError, match=r"gamma.logpdf.*missing.*\(x, a, loc=0, scale=1\)"):
        stats.gamma.logpdf(1.0)
    with pytest.raises(ArgumentError, match="norm.cdf.*unexpected"):
        stats.norm.cdf(1.0, sigma=2.0)
    assert repr(stats.norm) == "<distribution norm>"
