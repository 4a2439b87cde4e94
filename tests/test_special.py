"""functape.scipy.special against SciPy and JAX: values over wide ranges, edges, derivatives."""

import functape as ft

# isort: split
import functools
import math

import mlx.core as mx
import numpy as np
import pytest
from agreement import agree

from functape.errors import ArgumentError
from functape.ops import approximation
from functape.scipy import special
from functape.test_util import check_grads

scipy_special = pytest.importorskip("scipy.special")
INF, NAN, TINY = math.inf, math.nan, 1e-300
rng = np.random.default_rng(0)
N = 300


def logarithmic(low, high, n=N):
    return 10 ** rng.uniform(low, high, n)


def uniform(low, high, n=N):
    return rng.uniform(low, high, n)


shape_a = logarithmic(-2, 4)
around = shape_a * np.exp(rng.normal(size=N) * np.minimum(2, 2 / np.sqrt(shape_a)))
beta_a, beta_b = logarithmic(-1.5, 3), logarithmic(-1.5, 3)
beta_x = np.clip(rng.beta(beta_a, beta_b), 1e-12, 1 - 1e-9)
both = np.concatenate([logarithmic(-6, 2), -logarithmic(-6, 2)])
positive = np.concatenate([logarithmic(-6, 6), uniform(0, 12)])
poles_apart = -np.floor(uniform(0, 9)) - uniform(0.1, 0.9)

# label: (function of functape.scipy.special, its SciPy twin, arguments)
VALUES = {
    "gammaln": ("gammaln", None, positive),
    "gammaln_below_0": ("gammaln", None, poles_apart),
    "gamma": ("gamma", None, uniform(1e-3, 33)),
    "gamma_below_0": ("gamma", None, poles_apart),
    "gammasgn": ("gammasgn", None, np.concatenate([positive, poles_apart])),
    "factorial": ("factorial", None, uniform(0, 20)),
    "digamma": ("digamma", None, positive[np.abs(positive - 1.46) > 0.05]),
    "digamma_below_0": ("digamma", None, -np.arange(6) - 0.3),
    "polygamma_1": ("polygamma", functools.partial(scipy_special.polygamma, 1), positive),
    "polygamma_3": ("polygamma", functools.partial(scipy_special.polygamma, 3),
                    logarithmic(-2, 3)),
    "zeta": ("zeta", None, uniform(1.05, 20), logarithmic(-1, 2)),
    "beta": ("beta", None, uniform(0.1, 9), uniform(0.1, 9)),
    "betaln": ("betaln", None, logarithmic(-3, 1.5), logarithmic(-3, 1.5)),
    "gammainc": ("gammainc", None, shape_a, around),
    "gammaincc": ("gammaincc", None, shape_a, around),
    "gammaincc_small": ("gammaincc", None, logarithmic(-6, 0), logarithmic(-3, 0.1)),
    "betainc": ("betainc", None, beta_a, beta_b, beta_x),
    "poch": ("poch", None, uniform(0.5, 9), uniform(0.5, 5)),
    "comb": ("comb", None, np.floor(uniform(5, 30)), np.floor(uniform(0, 5))),
    "erf": ("erf", None, uniform(0.2, 4)),
    "erfc": ("erfc", None, uniform(-6, 9)),
    "erfcx": ("erfcx", None, np.concatenate([uniform(-5, 0), logarithmic(-5, 4)])),
    "erfinv": ("erfinv", None, uniform(-0.99, 0.99)),
    "ndtr": ("ndtr", None, uniform(-12, 6)),
    "log_ndtr": ("log_ndtr", None, np.concatenate([uniform(-9, 7), -logarithmic(0, 5)])),
    "ndtri": ("ndtri", None, np.concatenate([uniform(0, 1), logarithmic(-30, -1)])),
    "i0": ("i0", None, uniform(-30, 30)),
    "i0e": ("i0e", None, both),
    "i1": ("i1", None, uniform(-30, 30)),
    "i1e": ("i1e", None, both),
    "exp1": ("exp1", None, logarithmic(-6, 1.5)),
    "expn_0": ("expn", functools.partial(scipy_special.expn, 0), uniform(0.1, 20)),
    "expn_4": ("expn", functools.partial(scipy_special.expn, 4), logarithmic(-6, 1.5)),
    "expi": ("expi", None, np.concatenate([uniform(-20, -0.1), uniform(0.5, 40)])),
    "dawsn": ("dawsn", None, both),
    "spence": ("spence", None, np.concatenate([logarithmic(-8, 4), uniform(0, 3)])),
    "xlogy": ("xlogy", None, positive, positive),
    "xlog1py": ("xlog1py", None, both, logarithmic(-6, 2, 2 * N)),
    "entr": ("entr", None, positive),
    "rel_entr": ("rel_entr", None, logarithmic(-3, 3), logarithmic(-3, 3)),
    "kl_div": ("kl_div", None, uniform(0.1, 1), uniform(2, 3)),
    "expit": ("expit", None, both),
    "logit": ("logit", None, uniform(0.01, 0.45)),
    "boxcox": ("boxcox", None, logarithmic(-2, 2), uniform(-2, 2)),
    "boxcox1p": ("boxcox1p", None, logarithmic(-6, 2), uniform(-2, 2)),
}
LEADING = {"polygamma_1": 1, "polygamma_3": 3, "expn_0": 0, "expn_4": 4}
# float32 to 1e-6 of the value; where it passes through a large exponent, or a zero, less
LOOSE = {"gammaln_below_0": 2e-5, "gamma": 3e-6, "gamma_below_0": 4e-6, "factorial": 5e-6,
         "digamma_below_0": 1e-5, "beta": 5e-6, "betaln": 1e-5, "gammainc": 2e-5,
         "gammaincc": 2e-5, "gammaincc_small": 1e-4, "betainc": 2e-4, "poch": 1e-5, "comb": 1e-5,
         "erf": 3e-6, "erfc": 6e-6, "erfcx": 6e-6, "ndtr": 6e-6, "log_ndtr": 5e-6, "i0": 5e-6,
         "i1": 5e-6, "i1e": 5e-6, "exp1": 6e-6, "expn_0": 6e-6, "expn_4": 6e-6, "expi": 5e-6,
         "dawsn": 3e-6, "kl_div": 5e-6, "boxcox": 1e-5, "boxcox1p": 1e-5, "rel_entr": 1e-5,
         "xlogy": 3e-6, "digamma": 6e-6, "zeta": 3e-6, "entr": 3e-6, "expit": 5e-6, "logit": 3e-6}


def evaluated(label, dtype):
    """Ours and SciPy's on the same numbers of a dtype."""
    name, twin, *args = VALUES[label]
    args = [np.asarray(a, dtype) for a in args]
    lead = [LEADING[label]] if label in LEADING else []
    got = getattr(special, name)(*lead, *args)
    twin = twin or getattr(scipy_special, name)
    with np.errstate(all="ignore"):
        return np.asarray(got), twin(*(a.astype(np.float64) for a in args))


@pytest.mark.parametrize("label", VALUES)
@pytest.mark.parametrize("wide", [True, False], ids=["at once", "term by term"])
def test_value_in_float64(label, wide, monkeypatch):
    """Relative error 2e-12 (SciPy's own, where it loses more: near the zeros of log Gamma)."""
    if not wide:
        monkeypatch.setattr(approximation, "WIDE", 0)
    got, want = evaluated(label, np.float64)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, want, rtol=2e-12, atol=2e-13 * (label == "gammaln"))


@pytest.mark.parametrize("label", VALUES)
def test_value_in_float32(label):
    got, want = evaluated(label, np.float32)
    assert got.dtype == np.float32
    representable = np.abs(want) > 1e-36  # below it MLX flushes to 0
    np.testing.assert_allclose(got[representable], want[representable],
                               rtol=LOOSE.get(label, 1e-6), atol=1e-37)


EDGES = [
    ("gammaln", [1.0, 2.0, 0.0, -0.0, INF, -INF, -1.0, TINY, -TINY],
     [0.0, 0.0, INF, INF, INF, INF, INF, -math.log(TINY), -math.log(TINY)]),
    ("gamma", [0.0, -0.0, 1.0, INF, 172.0, 1e308, -1.0, -2.0, -171.0, -1e10, -200.5, -INF, NAN],
     [INF, -INF, 1.0, INF, INF, INF, NAN, NAN, NAN, NAN, 0.0, NAN, NAN]),
    ("gamma", [TINY, -TINY, 1e-320, -1e-320], [1 / TINY, -1 / TINY, INF, -INF]),
    ("gammasgn", [0.0, -0.0, -0.5, -1.5, -1.0, NAN], [1.0, -1.0, -1.0, 1.0, NAN, NAN]),
    ("loggamma", [0.0, -0.5, -1.5, -2.0], [INF, NAN, NAN, NAN]),
    ("factorial", [0.0, -1.0, NAN, 1e308], [1.0, 0.0, NAN, INF]),
    ("digamma", [0.0, -0.0, -1.0, -2.0, INF, -INF], [-INF, INF, NAN, NAN, INF, NAN]),
    ("erfc", [-INF, 0.0, INF], [2.0, 1.0, 0.0]),
    ("erfcx", [INF, 0.0], [0.0, 1.0]),
    ("ndtr", [-INF, 0.0, INF], [0.0, 0.5, 1.0]),
    ("log_ndtr", [-INF, INF], [-INF, 0.0]),
    ("ndtri", [0.0, 1.0, -0.1, 1.1], [-INF, INF, NAN, NAN]),
    ("i0e", [0.0, INF], [1.0, 0.0]),
    ("i1e", [0.0, INF], [0.0, 0.0]),
    ("exp1", [0.0, -1.0], [INF, NAN]),
    ("expi", [0.0, -INF], [-INF, 0.0]),
    ("spence", [0.0, 1.0, -1.0], [math.pi**2 / 6, 0.0, NAN]),
    ("dawsn", [0.0, INF], [0.0, 0.0]),
    ("entr", [0.0, 1.0, -1.0], [0.0, 0.0, -INF]),
    ("logit", [0.0, 1.0], [-INF, INF]),
]
POLES = [0.0, -0.0, -1.0, -7.0, 1e-200, -1e-200]


@pytest.mark.parametrize(("name", "x", "want"), EDGES, ids=[e[0] for e in EDGES])
def test_edges(name, x, want):
    np.testing.assert_allclose(getattr(special, name)(np.array(x)), want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("order", "want"), [
    (1, [INF] * 6), (2, [-INF, INF, NAN, NAN, -INF, INF]), (3, [INF] * 6),
    (4, [-INF, INF, NAN, NAN, -INF, INF])])
def test_poles_of_polygamma(order, want):
    """(-1)^(n + 1) n! / x^(n + 1) next to 0: infinities of one sign at all poles for odd n."""
    for dtype in np.float64, np.float32:
        np.testing.assert_array_equal(special.polygamma(order, np.array(POLES, dtype)), want)


def test_between_the_poles_of_polygamma():
    """Halfway the cotangent of the reflection is 0, and the derivative of its square."""
    x = -np.arange(0.5, 2000, 97.0)
    other = scipy_special.polygamma
    np.testing.assert_allclose(special.polygamma(1, x), math.pi**2 - other(1, 1 - x), rtol=1e-14)
    np.testing.assert_allclose(special.polygamma(2, x), other(2, 1 - x), rtol=1e-12)
    np.testing.assert_allclose(special.polygamma(4, x), other(4, 1 - x), rtol=1e-12)


@pytest.mark.parametrize("name", ["gamma", "gammaln", "gammasgn", "digamma"])
def test_gamma_and_its_relatives_in_float32_as_scipys(name):
    x = np.array([-0.0, 0.0, -1, -2, -0.3, -1.5, 1e-20, -1e-20, 30, 35, 36, 171, 1e38, INF, -50.5],
                 np.float32)
    with np.errstate(all="ignore"):
        want = getattr(scipy_special, name)(x)
    np.testing.assert_allclose(getattr(special, name)(x), want, rtol=1e-5)


def test_edges_of_zeta():
    x = np.array([1.0, 1.0, 2.0, INF, INF, INF, 3.0, 0.5])
    q = np.array([0.0, 2.0, 0.0, 2.0, 1.0, 0.5, INF, 1.0])
    np.testing.assert_array_equal(special.zeta(x, q), [INF, INF, INF, 0, 1, INF, 0, NAN])


def test_expn_of_arrays_of_orders():
    n, x = np.array([0, 1, 2, 3, 30])[:, None], np.array([0.0, 1e-3, 0.7, 1.0, 2.5, 60.0, INF])
    np.testing.assert_allclose(special.expn(n, x), scipy_special.expn(n, x), rtol=1e-13)
    undefined = special.expn(np.array([-1, 2, 2, 0.5]), np.array([1, -1, NAN, 1]))
    np.testing.assert_array_equal(undefined, [NAN] * 4)
    n, x = np.array([1, 2, 5]), np.array([0.4, 1.3, 4.0])
    mapped = ft.vmap(special.expn)
    np.testing.assert_allclose(ft.jit(mapped)(n, x), scipy_special.expn(n, x), rtol=1e-13)
    np.testing.assert_allclose(ft.vmap(ft.grad(special.expn, 1))(n, x),
                               -scipy_special.expn(n - 1, x), rtol=1e-13)
    check_grads(functools.partial(mapped, n), (x,), order=2)


def test_edges_of_two_arguments():
    a = np.array
    np.testing.assert_array_equal(
        special.gammainc(a([2.0, 2.0, -1.0, 2.0]), a([0.0, INF, 1.0, -1.0])), [0, 1, NAN, NAN])
    np.testing.assert_array_equal(special.gammaincc(2.0, a([0.0, INF])), [1, 0])
    np.testing.assert_array_equal(
        special.betainc(a([2.0, 2.0, -1.0, 2.0]), 3.0, a([0.0, 1.0, 0.5, 1.5])), [0, 1, NAN, NAN])
    np.testing.assert_array_equal(special.xlogy(a([0.0, 0.0, 1.0]), a([0.0, INF, 0.0])),
                                  [0, 0, -INF])
    np.testing.assert_array_equal(special.xlog1py(0.0, a([-1.0, INF])), [0, 0])
    np.testing.assert_array_equal(special.rel_entr(a([0.0, 1.0, 0.0]), a([0.5, 0.0, -1.0])),
                                  [0, INF, INF])
    np.testing.assert_array_equal(special.kl_div(a([0.0, 1.0]), a([0.5, 0.0])), [0.5, INF])
    np.testing.assert_array_equal(special.zeta(a([1.0, INF, 0.5]), a([1.0, 2.0, 1.0])),
                                  [INF, 0, NAN])


def test_derivatives_at_edges():
    x, y = ft.numpy.array(np.array([0.0, 2.0])), ft.numpy.array(np.array([0.5, 0.0]))
    dx, dy = ft.grad(lambda x, y: special.xlogy(x, y)[:1].sum(), (0, 1))(x, y)
    np.testing.assert_allclose(dx, [math.log(0.5), 0])
    np.testing.assert_array_equal(dy, [0, 0])
    dp, dq = ft.grad(lambda p, q: special.rel_entr(p, q).sum(), (0, 1))(
        ft.numpy.array(np.array([0.0, 0.5])), ft.numpy.array(np.array([0.5, 0.5])))
    np.testing.assert_allclose(dp, [0, 1])
    np.testing.assert_allclose(dq, [0, -1])
    np.testing.assert_allclose(ft.grad(special.i1)(ft.asarray(np.float64(0.0))), 0.5)
    masked = ft.grad(lambda x: ft.numpy.where(x > 0, special.gammaln(x), 0.0).sum())
    np.testing.assert_allclose(masked(ft.asarray(np.array([0.0, -1.0, 1.0]))),
                               [0, 0, scipy_special.digamma(1.0)])


def test_log_ndtr_far_to_the_left():
    """Mills' ratio: the derivative is -x - 1/x + ..., the second one -1 + 1/x^2 - ..."""
    x = ft.asarray(np.array([-1e3, -1e6]))
    first = np.asarray(ft.grad(lambda x: special.log_ndtr(x).sum())(x))
    np.testing.assert_allclose(first, [1e3 + 1e-3 - 2e-9, 1e6 + 1e-6], rtol=1e-13)
    second = ft.grad(lambda x: ft.grad(lambda y: special.log_ndtr(y).sum())(x).sum())(x)
    np.testing.assert_allclose(second, [-1 + 1e-6, -1 + 1e-12], rtol=1e-11)
    low = ft.grad(special.log_ndtr)(ft.numpy.array(-100.0))  # float32
    np.testing.assert_allclose(low, 100.0099980, rtol=1e-6)


@pytest.mark.parametrize(("name", "args"), [
    ("gammainc", ([0.7, 3.0, 12.0], [0.9, 4.0, 9.0])),
    ("betainc", ([0.7, 3.0, 9.0], [1.5, 0.6, 12.0], [0.3, 0.7, 0.4])),
])
def test_second_derivatives_of_incomplete_functions_in_all_arguments(name, args):
    check_grads(getattr(special, name), tuple(map(np.array, args)), order=2, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("name", ["gammaln", "digamma", "erfc", "i0e", "i1e", "ndtr", "logit",
                                  "xlogy", "betaln", "expi", "entr"])
def test_transforms_agree_with_jax(name, oracle):
    f, g = getattr(special, name), getattr(oracle.scipy.special, name)
    x, y = np.array([0.3, 0.6, 0.9]), np.array([1.2, 0.4, 2.5])
    args = (x, y) if name in ("xlogy", "betaln") else (x,)
    agree(oracle, f, g, *args, tolerance=2e-6)  # JAX computes some of them less exactly


def test_gammainc_by_a_is_that_of_jax(oracle):
    a, x = np.array([0.5, 2.0, 30.0]), np.array([0.8, 1.0, 33.0])
    want = oracle.grad(lambda a: oracle.scipy.special.gammainc(a, x).sum())(a)
    np.testing.assert_allclose(ft.grad(lambda a: special.gammainc(a, x).sum())(a), want, 1e-9)


def test_polygamma_of_an_array_of_orders():
    n, x = np.array([0, 1, 2]), np.array([0.5, 1.5, 2.5])
    np.testing.assert_allclose(special.polygamma(n, x), scipy_special.polygamma(n, x), 1e-12)
    with pytest.raises(ArgumentError, match="whole number"):
        special.polygamma(0.5, x)


def test_sums_of_exponentials(oracle):
    a = rng.normal(size=(3, 4))
    b = rng.normal(size=(3, 4))
    out, sign = special.logsumexp(a, axis=1, b=b, return_sign=True)
    want, want_sign = scipy_special.logsumexp(a, axis=1, b=b, return_sign=True)
    np.testing.assert_allclose(out, want, 1e-12)
    np.testing.assert_array_equal(sign, want_sign)
    agree(oracle, lambda a: special.logsumexp(a, axis=0, b=np.abs(b)),
          lambda a: oracle.scipy.special.logsumexp(a, axis=0, b=np.abs(b)), a)
    np.testing.assert_allclose(special.softmax(a, axis=0), scipy_special.softmax(a, axis=0))
    np.testing.assert_allclose(special.log_softmax(a), scipy_special.log_softmax(a), 1e-12)
    assert special.logsumexp(a, axis=(0, 1), keepdims=True).shape == (1, 1)


def test_other_functions():
    x = uniform(0.1, 30, 20)
    for got, want in zip(special.sici(x), scipy_special.sici(x), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-11)
    np.testing.assert_allclose(special.bernoulli(8), scipy_special.bernoulli(8), rtol=1e-6)
    np.testing.assert_allclose(special.multigammaln(x + 2, 3),
                               [scipy_special.multigammaln(v + 2, 3) for v in x], rtol=1e-12)
    negative = special.loggamma(np.array([-0.5, 0.5]))
    np.testing.assert_allclose(negative, [NAN, scipy_special.gammaln(0.5)])
    lambdas = np.array([0.0, 1e-9, -0.02])
    np.testing.assert_allclose(special.boxcox(2.0, lambdas), scipy_special.boxcox(2.0, lambdas))
    check_grads(special.boxcox, (np.array([2.0, 0.5]), np.array([0.0, 0.3])), order=2)


def test_betaln_where_gammaln_cancels():
    """B(3, b) = 2 / (b (b + 1) (b + 2)); SciPy loses four digits."""
    b = logarithmic(1, 9)
    want = math.log(2) - np.log(b) - np.log(b + 1) - np.log(b + 2)
    np.testing.assert_allclose(special.betaln(3.0, b), want, rtol=1e-14)
    low = special.betaln(np.float32(3.0), b.astype(np.float32))
    np.testing.assert_allclose(low, want, rtol=2e-6)


def test_arguments():
    assert special.gammaln(3).dtype == mx.float32  # integers become floating-point numbers
    assert special.gammaln(mx.array([1.5], dtype=mx.float16)).dtype == mx.float16
    assert special.xlogy(np.array([1.0]), 2).dtype == mx.float64
    assert float(special.xlogy(np.array([1.0]), 0.1)[0]) == math.log(0.1)  # in full precision
    with pytest.raises(ArgumentError, match="real numbers"):
        special.gammaln(1j)
    with pytest.raises(ArgumentError, match="expn: the order must be a whole number"):
        special.expn(1.5, 1.0)
    with pytest.raises(ArgumentError, match="exact"):
        special.factorial(3, exact=True)


def test_large_arrays_take_the_terms_one_by_one():
    x = uniform(0.5, 5, approximation.WIDE + 1)
    np.testing.assert_allclose(special.gammainc(x, x[::-1].copy()),
                               scipy_special.gammainc(x, x[::-1]), rtol=2e-12)
