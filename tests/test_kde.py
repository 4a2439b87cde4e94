"""scipy.stats.gaussian_kde against JAX: values, derivatives in samples, weights and points."""

import functape as ft
import functape.numpy as fnp

# isort: split
import numpy as np
import pytest
from agreement import agree, close

from functape.errors import ArgumentError, RangeError, ShapeError
from functape.scipy.stats import gaussian_kde
from functape.test_util import check_grads

rng, A = np.random.default_rng(3), fnp.array
W = rng.uniform(0.5, 2, 6)
METHODS = {"scott": None, "silverman": "silverman", "number": 0.4,
           "function": lambda kde: kde.neff ** -0.3}


def data(d):
    return rng.normal(size=(d, 6)), rng.normal(size=(d, 4))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_is_that_of_jax(d, method, weights, oracle):
    x, points = data(d)
    theirs = oracle.scipy.stats.gaussian_kde
    ours, wanted = gaussian_kde(x, METHODS[method], weights), theirs(x, METHODS[method], weights)
    for name in "neff", "weights", "covariance", "inv_cov", "d", "n":
        close(np.asarray(getattr(ours, name)), np.asarray(getattr(wanted, name)), 1e-10)
    for name in "evaluate", "pdf", "logpdf", "__call__":
        close(getattr(ours, name)(points), getattr(wanted, name)(points), 1e-10)
    mean, cov = points[:, 0], np.cov(rng.normal(size=(d, 9))).reshape(d, d)
    close(ours.integrate_gaussian(mean, cov), wanted.integrate_gaussian(mean, cov), 1e-10)
    close(ours.integrate_kde(gaussian_kde(points, 0.5)), wanted.integrate_kde(theirs(points, 0.5)),
          1e-10)
    if d == 1:
        close(ours(points[0]), wanted(points[0]), 1e-10)
        close(ours.integrate_box_1d(-0.4, 1), wanted.integrate_box_1d(-0.4, 1.0), 1e-10)


@pytest.mark.parametrize("name", ["pdf", "logpdf"])
def test_derivatives_in_samples_points_and_weights(name, oracle):
    x, points = data(2)

    def with_(kde):
        return lambda x, points, w: getattr(kde(x, "silverman", w), name)(points)

    agree(oracle, with_(gaussian_kde), with_(oracle.scipy.stats.gaussian_kde), x, points, W,
          orders=1, tolerance=1e-9)
    check_grads(lambda x, w: gaussian_kde(x, None, w).logpdf(points).sum(), (x, W), order=2)


def test_derivatives_of_integrals():
    x, points = data(1)
    check_grads(lambda x, m, c: gaussian_kde(x).integrate_gaussian(m, c),
                (x, np.array(0.3), np.array(0.8)), order=2)
    check_grads(lambda x, y: gaussian_kde(x).integrate_kde(gaussian_kde(y)), (x, points), order=2)
    check_grads(lambda x, a, b: gaussian_kde(x).integrate_box_1d(a, b),
                (x, np.array(-0.3), np.array(0.8)), order=2)


def test_a_weight_of_0_has_a_slope():
    """d log p / dw_i = p_i / p - 1 for weights that sum to 1, with a bandwidth of its own."""
    x, w = np.array([[-1.0, 0.5, 2.0]]), np.array([0.5, 0.0, 0.5])

    def f(w):
        kde = gaussian_kde(x, 1.0, np.ones(3))
        kde.weights = w / w.sum()
        return kde.logpdf(np.array([0.2]))[0]

    h = 1e-6
    slope = (float(f(w + np.array([0, h, 0]))) - float(f(w))) / h
    close(ft.grad(f)(w)[1], slope, 1e-5)


def test_far_points_have_a_logarithm():
    kde = gaussian_kde(np.array([-1.0, 0.0, 1.0]))
    assert float(kde(1e3)[0]) == 0 and -1e6 < float(kde.logpdf(1e3)[0]) < -1e5


def test_under_transforms_and_as_a_pytree():
    x, points = data(2)
    kde = gaussian_kde(x)
    close(ft.jit(lambda kde, p: kde.logpdf(p))(kde, points), kde.logpdf(points), 1e-12)
    mapped = ft.vmap(lambda x: gaussian_kde(x)(points[0]))(np.stack([x[:1], x[1:]]))
    close(mapped[1], gaussian_kde(x[1:])(points[0]), 1e-12)
    slope = ft.grad(lambda kde: kde.logpdf(points).sum())(kde)
    assert isinstance(slope, gaussian_kde) and slope.dataset.shape == x.shape
    assert gaussian_kde(A([1, 2, 4])).dataset.dtype == ft.float32


def test_new_samples():
    x = np.array([[0.0, 4.0], [1.0, -1.0]])
    kde = gaussian_kde(x + 0.1 * rng.normal(size=(2, 2)), 0.3, np.array([3.0, 1.0]))
    kde.covariance = 0.04 * np.eye(2)
    kde.dataset = fnp.asarray(x)
    new = np.asarray(kde.resample(ft.random.key(1), (4000,)))
    assert new.shape == (2, 4000) and kde.resample(ft.random.key(1), (3, 2)).shape == (2, 3, 2)
    assert kde.resample(ft.random.key(1)).shape == (2,)
    left = new[0] < 2
    assert abs(left.mean() - 0.75) < 0.03
    np.testing.assert_allclose(new[:, left].mean(1), [0, 1], atol=0.02)
    np.testing.assert_allclose(np.cov(new[:, left]), 0.04 * np.eye(2), atol=0.004)
    key = ft.random.key(0)
    check_grads(lambda x: gaussian_kde(x, 0.3).resample(key, (5,)), (data(2)[0],), order=1)


PAIR = gaussian_kde(A([1.0, 2.0]))


@pytest.mark.parametrize(("call", "error", "match"), [
    (lambda: gaussian_kde(A([1.0])), ShapeError, r"two samples or more.*float32\[1,1\]"),
    (lambda: gaussian_kde(np.ones((1, 1, 3))), ArgumentError, "vector or a matrix of real"),
    (lambda: gaussian_kde(A([1j, 2.0])), ArgumentError, "vector or a matrix of real"),
    (lambda: gaussian_kde(A([1.0, 2.0]), weights=A([1.0])), ShapeError, "must be 2 numbers"),
    (lambda: gaussian_kde(A([1.0, 2.0]), "scot"), RangeError, "'scott', 'silverman', a number"),
    (lambda: gaussian_kde(A([1.0, 2.0]), np.ones(2)), ShapeError, "bw_method must be one number"),
    (lambda: PAIR(np.ones((2, 3))), ShapeError, r"points must have .*\(1, m\)"),
    (lambda: gaussian_kde(np.eye(2)).integrate_box_1d(0, 1), ShapeError, "one coordinate"),
    (lambda: PAIR.integrate_box_1d(0, A([1.0, 2.0])), ShapeError, "two numbers"),
    (lambda: PAIR.integrate_gaussian(A([1.0, 2.0]), 1.0), ShapeError, "shapes"),
    (lambda: PAIR.integrate_kde(3), ShapeError, "takes a gaussian_kde of 1"),
])
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()
