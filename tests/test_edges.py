"""The public functions at their edges: 0, ties, infinities, NaN, singular matrices, coinciding
eigenvalues, huge and tiny numbers. Values and gradients are from mathematics; where the function
has a kink any subgradient will do. Ops by themselves: test_op_special_values.py."""

import math

import functape as ft

# isort: split
import numpy as np
import pytest
from test_op_special_values import Within, matches

import functape.scipy.linalg  # noqa: F401
import functape.scipy.stats  # noqa: F401
from functape.errors import ArgumentError
from functape.ops import spectral

INF, NAN, PI = math.inf, math.nan, math.pi
EYE = [[1, 0], [0, 1]]
ZERO = [[0, 0], [0, 0]]
SAME = "the same"


def f(path, *after, **options):
    """A function by its name in a library, with further arguments."""

    def call(m, *args):
        for part in path.split("."):
            m = getattr(m, part)
        return m(*args, *after, **options)

    return call


def first(path):
    """The first of a function's results."""
    return lambda m, x: f(path)(m, x)[0]


def weighed(path, *weights, **options):
    """The sum of a function's results times weights."""
    return lambda m, x: (f(path, **options)(m, x) * m.numpy.array(weights)).sum()


def projection(m, x):
    """Of all eigenvectors: the identity, whatever they are."""
    v = m.numpy.linalg.eigh(x)[1]
    return ((v @ v.T) * m.numpy.array([[1.0, 2.0], [3.0, 4.0]])).sum()


special, stats, linalg = "scipy.special.", "scipy.stats.", "numpy.linalg."

# label: (function of a library and arguments, arguments, value, gradient of the sum by each, that
# of JAX if it differs)
EDGES = {
    # norms and deviations
    "norm at 0": (f(linalg + "norm"), [[0, 0]], 0, [[0, 0]], [[NAN, NAN]]),
    "norm of a zero matrix": (f(linalg + "norm"), [ZERO], 0, [ZERO], [[[NAN, NAN]] * 2]),
    "norm of tiny numbers": (f(linalg + "norm"), [[1e-200, 1e-200]], Within(0, 2e-200),
                             [[Within(0, 1)] * 2], [[INF, INF]]),
    "norm next to an axis": (f(linalg + "norm"), [[1e-30, 2]], 2, [[0, 1]]),
    "norm 1 at 0": (f(linalg + "norm", 1), [[0, 3]], 3, [[Within(-1, 1), 1]]),
    "norm inf, a tie": (f(linalg + "norm", INF), [[2, -2, 1]], 2, [[0.5, -0.5, 0]]),
    "nuclear norm of I": (f(linalg + "norm", "nuc"), [EYE], 2, [EYE]),
    "spectral norm of I": (f(linalg + "norm", 2), [EYE], 1, [[[0.5, 0], [0, 0.5]]]),
    "std of equal": (f("numpy.std"), [[2, 2, 2]], 0, [[0, 0, 0]], [[NAN] * 3]),
    "std of equal, some": (lambda m, x: m.numpy.std(x, where=m.numpy.array([True, True, False])),
                           [[2, 2, 5]], 0, [[0, 0, 0]], [[NAN, NAN, 0]]),
    "nanstd of equal": (f("numpy.nanstd"), [[2, 2, NAN]], 0, [[0, 0, 0]], [[NAN, NAN, 0]]),
    "nanvar": (f("numpy.nanvar"), [[2, 3, NAN]], 0.25, [[-0.5, 0.5, 0]]),
    "var of one": (f("numpy.var"), [[5]], 0, [[0]]),
    "std of one": (f("numpy.std"), [[5]], 0, [[0]], [[NAN]]),
    "cov of equal": (f("numpy.cov"), [[1, 1]], 0, [[0, 0]]),
    "average, a weight 0": (lambda m, x, w: m.numpy.average(x, weights=w), [[1, 2], [0, 1]], 2,
                            [[0, 1], [-1, 0]]),
    "standardize equal": (first("nn.standardize"), [[2, 2]], 0,
                          [[Within(0, INF), Within(-INF, 0)]]),
    # order
    "median between ties": (f("numpy.median"), [[1, 1, 2, 2]], 1.5, [[Within(0, 0.5)] * 4]),
    "median of ties": (f("numpy.median"), [[1, 2, 2]], 2, [[0, Within(0, 1), Within(0, 1)]]),
    "nanmedian": (f("numpy.nanmedian"), [[1, 2, 4, NAN]], 2, [[0, 1, 0, 0]]),
    "sort, ties": (weighed("numpy.sort", 1.0, 2.0, 3.0), [[1, 1, 0]], 5,
                   [[Within(2, 3), Within(2, 3), 1]]),
    "ptp, ties": (f("numpy.ptp"), [[1, 1, 0]], 1, [[0.5, 0.5, -1]]),
    "nanmax, ties": (f("numpy.nanmax"), [[2, 2, NAN]], 2, [[0.5, 0.5, 0]]),
    "fmax of NaN": (f("numpy.fmax"), [NAN, 1], 1, [0, 1]),
    "fmax, a tie": (f("numpy.fmax"), [1, 1], 1, [0.5, 0.5], [0, 1]),
    "interp at a knot": (lambda m, x: m.numpy.interp(x, m.numpy.array([0.0, 1.0, 2.0]),
                                                     m.numpy.array([0.0, 1.0, 4.0])),
                         [1], 1, [Within(1, 3)]),
    # products
    "prod of three zeros": (f("numpy.prod"), [[0, 0, 0]], 0, [[0, 0, 0]]),
    "nanprod, a zero": (f("numpy.nanprod"), [[2, 0, NAN]], 0, [[0, 2, 0]]),
    "cumprod, a zero": (weighed("numpy.cumprod", 1.0, 1.0, 1.0), [[2, 0, 3]], 2, [[1, 8, 0]]),
    "cumprod, two zeros": (weighed("numpy.cumprod", 1.0, 1.0, 1.0), [[0, 2, 0]], 0, [[3, 0, 0]]),
    # logarithms of 0
    "xlogy 0, 0": (f(special + "xlogy"), [0, 0], 0, [-INF, 0], [-INF, NAN]),
    "xlogy 0, 1": (f(special + "xlogy"), [0, 1], 0, [0, 0]),
    "xlog1py 0, -1": (f(special + "xlog1py"), [0, -1], 0, [-INF, 0], [-INF, NAN]),
    "entr 0": (f(special + "entr"), [0], 0, [INF]),
    "rel_entr, p 0": (f(special + "rel_entr"), [0, 1], 0, [Within(-INF, 0), 0]),
    "kl_div, p 0": (f(special + "kl_div"), [0, 1], 1, [Within(-INF, 0), 1]),
    "kl_div of equal": (f(special + "kl_div"), [1, 1], 0, [0, 0]),
    "logit 0": (f(special + "logit"), [0], -INF, [INF]),
    "logaddexp2 of -inf": (f("numpy.logaddexp2"), [-INF, -INF], -INF, [Within(0, 1)] * 2,
                           [NAN, NAN]),
    "logsumexp, b 0": (lambda m, x: m.scipy.special.logsumexp(x, b=m.numpy.array([0.0, 1.0])),
                       [[1e3, 0]], 0, [[0, 1]]),
    "logsumexp of -inf": (f(special + "logsumexp"), [[-INF, -INF]], -INF, [[Within(0, 1)] * 2],
                          [[NAN, NAN]]),
    "softmax, one -inf": (weighed("nn.softmax", 1.0, 2.0), [[0, -INF]], 1, [[0, 0]]),
    # the origin and infinity
    "arctan2 of tiny": (f("numpy.arctan2"), [1e-200, 1e-200], PI / 4, [5e199, -5e199],
                        [INF, -INF]),
    "arctan2 on an axis": (f("numpy.arctan2"), [1, 0], PI / 2, [0, -1]),
    "arctan2, unequal": (f("numpy.arctan2"), [1e-200, 1e200], 0, [1e-200, 0]),
    "arctan2 of inf": (f("numpy.arctan2"), [INF, 1], PI / 2, [0, 0], [0, NAN]),
    "sign of NaN": (f("numpy.sign"), [[NAN, -INF, 5e-324]], [NAN, -1, 1], [[0, 0, 0]]),
    "cbrt of inf": (f("numpy.cbrt"), [[INF, -INF, 0]], [INF, -INF, 0], [[0, 0, INF]]),
    "hypot of tiny": (f("numpy.hypot"), [3e-200, 4e-200], 5e-200, [0.6, 0.8], [NAN, -INF]),
    "hypot, one inf": (f("numpy.hypot"), [INF, 1], INF, [1, 0], [NAN, NAN]),
    "i0e at 0": (f(special + "i0e"), [0], 1, [Within(-1, 1)]),
    "i0 at 0": (f("numpy.i0"), [0], 1, [0]),
    "fmod inf": (f("numpy.fmod"), [3, INF], 3, [1, 0]),
    "dawsn inf": (lambda m, x: m.scipy.special.dawsn(x), [INF], 0, [0], None),
    "gammainc 1, 0": (f(special + "gammainc"), [1, 0], 0, [0, 1], [0, NAN]),
    "gammainc 2, 0": (f(special + "gammainc"), [2, 0], 0, [0, 0]),
    "betainc at 0": (f(special + "betainc"), [2, 2, 0], 0, [0, 0, 0], None),
    "gammaln 1": (f(special + "gammaln"), [1], 0, [-0.5772156649015329]),
    "copysign of 0": (f("numpy.copysign"), [0, -1], 0, [Within(-1, 1), 0]),
    "nan_to_num": (f("numpy.nan_to_num", posinf=9.0), [[NAN, INF, 1]], [0, 9, 1], [[0, 0, 1]]),
    "arcsinh of huge": (f("numpy.arcsinh"), [1e200], 200 * math.log(10) + math.log(2), [1e-200]),
    "arccosh of huge": (f("numpy.arccosh"), [1e200], 200 * math.log(10) + math.log(2), [1e-200]),
    # activations
    "relu6 at 6": (f("nn.relu6"), [6], 6, [Within(0, 1)]),
    "elu at 0": (f("nn.elu"), [0], 0, [1]),
    "celu at 0": (f("nn.celu"), [0], 0, [1]),
    "selu at 0": (f("nn.selu"), [0], 0, [Within(1.05, 1.76)]),
    "leaky_relu at 0": (f("nn.leaky_relu"), [0], 0, [Within(0.01, 1)]),
    "soft_sign at 0": (f("nn.soft_sign"), [0], 0, [1]),
    "hard_tanh at 1": (f("nn.hard_tanh"), [1], 1, [Within(0, 1)]),
    "sparse_plus at 1": (f("nn.sparse_plus"), [1], 1, [1]),
    "softplus far": (f("nn.softplus"), [[-INF, INF]], [0, INF], [[0, 1]]),
    "log_sigmoid far": (f("nn.log_sigmoid"), [[-INF, INF]], [-INF, 0], [[1, 0]]),
    "silu far": (f("nn.silu"), [[-1e4, 1e4]], [0, 1e4], [[0, 1]]),
    "mish far": (f("nn.mish"), [[-1e4, 1e4]], [0, 1e4], [[0, 1]]),
    "gelu far": (f("nn.gelu"), [[-1e4, 1e4]], [0, 1e4], [[0, 1]]),
    "gelu, exact, far": (f("nn.gelu", approximate=False), [[-1e200, 1e200]], [0, 1e200], [[0, 1]]),
    # matrices
    "det, singular": (f(linalg + "det"), [[[1, 2], [2, 4]]], 0, [[[4, -2], [-2, 1]]]),
    "det of 0": (f(linalg + "det"), [ZERO], 0, [ZERO]),
    "det of rank 1": (f(linalg + "det"), [np.ones((3, 3))], 0, [np.zeros((3, 3))]),
    "eigvalsh of I": (f(linalg + "eigvalsh"), [EYE], [1, 1], [EYE]),
    "eigh of I": (projection, [EYE], 5, [ZERO], [[[NAN, NAN], [NAN, NAN]]]),
    "singular values of I": (f(linalg + "svd", compute_uv=False), [EYE], [1, 1], [EYE]),
    "singular values of 0": (f(linalg + "svd", compute_uv=False), [ZERO], [0, 0],
                             [[[Within(-1, 1)] * 2] * 2]),
    "expm of 0": (f("scipy.linalg.expm"), [ZERO], EYE, [[[1, 1], [1, 1]]]),
    "matrix_power 0": (f(linalg + "matrix_power", 0), [[[1, 2], [2, 4]]], EYE, [ZERO]),
    # log densities
    "norm.logcdf far": (f(stats + "norm.logcdf"), [-40], -804.6084420137538, [40.02496882845]),
    "bernoulli, p 0": (lambda m, p: m.scipy.stats.bernoulli.logpmf(0, p), [0], 0, [-1], [NAN]),
    "bernoulli, p 1": (lambda m, p: m.scipy.stats.bernoulli.logpmf(1, p), [1], 0, [1], [NAN]),
    "poisson, mu 0": (lambda m, mu: m.scipy.stats.poisson.logpmf(0, mu), [0], 0, [-1], [NAN]),
    "expon at 0": (f(stats + "expon.logpdf"), [0], 0, [-1]),
    "laplace at 0": (f(stats + "laplace.logpdf"), [0], -math.log(2), [Within(-1, 1)]),
    "beta at 0": (f(stats + "beta.logpdf"), [0, 1, 2], math.log(2), [-1, -INF, 0.5],
                  [NAN, -INF, 0.5]),
    "uniform outside": (f(stats + "uniform.logpdf"), [2], -INF, [0]),
}

# label: (function, argument, Hessian)
SECOND = {
    "var of equal": (f("numpy.var"), [2, 2], [[0.5, -0.5], [-0.5, 0.5]]),
    "cov of equal": (f("numpy.cov"), [1, 1], [[1, -1], [-1, 1]]),
    "sum of squares at 0": (lambda m, x: (x * x).sum(), [0, 0], [[2, 0], [0, 2]]),
    "vdot at 0": (lambda m, x: m.numpy.vdot(x, x), [0, 0], [[2, 0], [0, 2]]),
    "arctan2 on an axis": (lambda m, x: m.numpy.arctan2(x[0], x[1]), [0, 2], [[0, -0.25],
                                                                              [-0.25, 0]]),
    "arctan2 on the other": (lambda m, x: m.numpy.arctan2(x[0], x[1]), [2, 0], [[0, 0.25],
                                                                                [0.25, 0]]),
    "kl_div of equal": (lambda m, x: m.scipy.special.kl_div(x[0], x[1]), [1, 1],
                        [[1, -1], [-1, 1]]),
    "logaddexp of -inf": (lambda m, x: m.numpy.logaddexp(x[0], x[1]), [-INF, -INF],
                          [[0.25, -0.25], [-0.25, 0.25]]),
    "prod, a zero": (f("numpy.prod"), [0, 2, 3], [[0, 3, 2], [3, 0, 0], [2, 0, 0]]),
    "cumprod, a zero": (weighed("numpy.cumprod", 1.0, 1.0, 1.0), [2, 0, 3],
                        [[0, 4, 0], [4, 0, 2], [0, 2, 0]]),
    "det, singular": (lambda m, x: m.numpy.linalg.det(x.reshape(2, 2)), [1, 2, 2, 4],
                      [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]),
    "i0 at 0": (lambda m, x: m.numpy.i0(x[0]), [0], [[0.5]]),
    "soft_sign at 0": (lambda m, x: m.nn.soft_sign(x[0]), [0], [[Within(-2, 2)]]),
}

labels = pytest.mark.parametrize("label", EDGES)


def given(label):
    function, args, value, gradient, *jax = EDGES[label]
    return function, [np.asarray(a, np.float64) for a in args], value, gradient, *(jax or [SAME])


def gradient_of(m, function, args):
    """In the library m: by all arguments, of the sum of all results."""
    every = tuple(range(len(args)))
    return m.grad(lambda *a: function(m, *a).sum(), every)(*map(m.numpy.array, args))


@labels
def test_value_and_gradient(label):
    function, args, value, gradient, _ = given(label)
    matches(function(ft, *map(ft.numpy.array, args)), value, label)
    for k, (got, want) in enumerate(zip(gradient_of(ft, function, args), gradient, strict=True)):
        matches(got, want, f"{label}, argument {k}")


@pytest.mark.parametrize("label", sorted(EDGES.keys() - {"eigh of I"}))
def test_forward(label):
    """Along each element alone, and along zero, where infinite slopes must not show. (Of single
    eigenvectors that coincide there are no tangents, only cotangents: see spectral.py.)"""
    function, args, _, gradient, _ = given(label)
    args = tuple(map(ft.numpy.array, args))
    for k, want in enumerate(gradient):
        got = ft.jacfwd(lambda *a: function(ft, *a).sum(), k)(*args)
        matches(got, want, f"{label}, argument {k}")
    still = tuple(ft.numpy.zeros_like(a) for a in args)
    moved = ft.jvp(lambda *a: function(ft, *a), args, still)[1]
    np.testing.assert_array_equal(np.asarray(moved), np.zeros(moved.shape))


@pytest.mark.parametrize("label", SECOND)
def test_hessian(label):
    function, at, want = SECOND[label]
    x = ft.numpy.array(np.asarray(at, np.float64))
    for inner, outer in [(ft.grad, ft.jacfwd), (ft.grad, ft.jacrev), (ft.jacfwd, ft.jacrev)]:
        got = outer(inner(lambda x: function(ft, x)))(x)
        matches(got, want, f"{label}, {outer.__name__} of {inner.__name__}")


VALUES = {
    "eigvalsh": lambda x: ft.numpy.linalg.eigvalsh(x), "eigh": lambda x: ft.numpy.linalg.eigh(x)[0],
    "svdvals": lambda x: ft.numpy.linalg.svdvals(x), "svd": lambda x: ft.numpy.linalg.svd(x)[1],
}


@pytest.mark.parametrize("name", VALUES)
def test_second_derivatives_where_values_coincide(name):
    """The gradient of sum(w^3) turns with the matrix within a coinciding pair, as much as the
    second derivative of w^3 says, which one choice of vectors does not show: the answer is not
    finite, never less than the truth. Elsewhere it is exact: 2 f'[2, 1], a divided difference."""
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    for outer in (ft.jacrev, ft.jacfwd):
        hessian = outer(ft.jacrev(lambda x: (VALUES[name](x) ** 3).sum()))

        def along_turn(x, hessian=hessian):
            return np.einsum("ij,ijkl,kl", turn, np.asarray(hessian(ft.numpy.array(x))), turn)

        assert not np.isfinite(along_turn(np.eye(2)))
        np.testing.assert_allclose(along_turn(np.diag([2.0, 1.0])), 2 * (12 - 3) / (2 - 1), 1e-12)


@pytest.mark.parametrize("op", [spectral.eigvalsh, spectral.svdvals], ids=lambda op: op.name)
def test_values_without_vectors_are_refused_a_derivative(op):
    for derivative in (ft.jacrev, ft.jacfwd):
        with pytest.raises(ArgumentError, match=r"Take eigh\(x\)\[0\] or svd\(x\)\[1\]"):
            derivative(op)(ft.numpy.eye(2))


@pytest.mark.nightly
@labels
def test_what_jax_gives(label, oracle):
    """The last column of the table: JAX's gradient, where it is not ours."""
    function, args, _, gradient, theirs = given(label)
    if theirs is None:
        pytest.skip("JAX does not have it")
    want = gradient if theirs == SAME else theirs
    for k, (got, w) in enumerate(zip(gradient_of(oracle, function, args), want, strict=True)):
        matches(got, w, f"{label}, argument {k}")
