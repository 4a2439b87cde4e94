"""Derivatives at special points: 0, ties, infinities, masked NaN, empty and 0-d arrays.

The expected numbers come from mathematics: where a derivative or a subgradient exists it is
finite, and what a `where` does not select adds nothing. Both modes must give them, and the pass
on plain arrays, the recorded one and the one under vmap alike.
"""

import math

from functape import grad, jacfwd, jvp, vjp, vmap

# isort: split
import mlx.core as mx
import numpy as np
import pytest

from functape.ops import contraction, elementwise, families, movement, reductions, sinc
from functape.tensor import constant

INF, NAN, PI = math.inf, math.nan, math.pi
e, r = elementwise, reductions


class Within:
    """Any subgradient between two bounds will do."""

    def __init__(self, low, high):
        self.low, self.high = low, high


def masked(f, keep):
    """f where `keep` holds, else 0: what f does elsewhere must not show."""
    return lambda *xs: e.where(keep(*xs), f(*xs), 0.0)


def over(op, axis=(0,), **params):
    return lambda x: op(x, axis=axis, keepdims=False, **params)


def norm(x):
    return e.sqrt(families.total(e.square(x), axis=(0,), keepdims=False))


def positive(x):
    return x > 0


# label: (f, arguments, value, gradient of the sum of f by each argument); None: not checked
POINTS = {
    # a branch that is not selected
    "where_exp_overflow": (masked(e.exp, lambda x: x < 5), [[1000, 0]], [0, 1], [[0, 1]]),
    "where_exp2_overflow": (masked(e.exp2, lambda x: x < 5), [[1e4, 0]], [0, 1],
                            [[0, math.log(2)]]),
    "where_expm1_overflow": (masked(e.expm1, lambda x: x < 5), [[1e4, 0]], [0, 0], [[0, 1]]),
    "where_sinh_overflow": (masked(e.sinh, lambda x: x < 5), [[1e4, 0]], [0, 0], [[0, 1]]),
    "where_cosh_overflow": (masked(e.cosh, lambda x: x < 5), [[1e4, 0]], [0, 1], [[0, 0]]),
    "where_sqrt_at_0": (masked(e.sqrt, positive), [[0, 4]], [0, 2], [[0, 0.25]]),
    "where_sqrt_below_0": (masked(e.sqrt, positive), [[-1, 4]], [0, 2], [[0, 0.25]]),
    "where_rsqrt_at_0": (masked(e.rsqrt, positive), [[0, 4]], [0, 0.5], [[0, -1 / 16]]),
    "where_cbrt_at_0": (masked(e.cbrt, positive), [[0, 8]], [0, 2], [[0, 1 / 12]]),
    "where_log_at_0": (masked(e.log, positive), [[0, -1, 2]], None, [[0, 0, 0.5]]),
    "where_log2_at_0": (masked(e.log2, positive), [[0, 2]], [0, 1], [[0, 0.5 / math.log(2)]]),
    "where_log10_at_0": (masked(e.log10, positive), [[0, 2]], None, [[0, 0.5 / math.log(10)]]),
    "where_log1p_at_-1": (masked(e.log1p, lambda x: x > -1), [[-1, 1]], None, [[0, 0.5]]),
    "where_reciprocal_at_0": (masked(e.reciprocal, positive), [[0, 2]], [0, 0.5], [[0, -0.25]]),
    "where_0_over_0": (masked(e.divide, lambda x, y: y > 0), [[0, 1], [0, 2]], [0, 0.5],
                       [[0, 0.5], [0, -0.25]]),
    "where_x_over_0": (masked(e.divide, lambda x, y: y > 0), [[3, 1], [0, 2]], [0, 0.5],
                       [[0, 0.5], [0, -0.25]]),
    "where_inf_over_inf": (masked(e.divide, lambda x, y: y < 9), [[INF, 1], [INF, 2]], [0, 0.5],
                           [[0, 0.5], [0, -0.25]]),
    "where_power_at_0": (masked(lambda x: e.power(x, -2), positive), [[0, 2]], [0, 0.25],
                         [[0, -0.25]]),
    "where_power_of_negative": (masked(e.power, lambda x, y: x > 0), [[-2, 1], [0.5, 3]], [0, 1],
                                [[0, 3], [0, 0]]),
    "where_arcsin_at_1": (masked(e.arcsin, lambda x: x < 1), [[1, 0]], [0, 0], [[0, 1]]),
    "where_arcsin_beyond_1": (masked(e.arcsin, lambda x: x < 1), [[2, 0]], [0, 0], [[0, 1]]),
    "where_arccos_at_1": (masked(e.arccos, lambda x: x < 1), [[1, 0]], [0, PI / 2], [[0, -1]]),
    "where_arccosh_at_1": (masked(e.arccosh, lambda x: x > 1), [[1, 2]], None,
                           [[0, 1 / math.sqrt(3)]]),
    "where_arctanh_at_1": (masked(e.arctanh, lambda x: x < 1), [[1, 0]], [0, 0], [[0, 1]]),
    "where_erfinv_at_1": (masked(e.erfinv, lambda x: x < 1), [[1, 0]], [0, 0],
                          [[0, math.sqrt(PI) / 2]]),
    "where_arctan2_at_origin": (masked(e.arctan2, lambda x, y: y > 0), [[0, 0], [0, 2]], [0, 0],
                                [[0, 0.5], [0, 0]]),
    "where_tan_overflow": (masked(lambda x: e.tan(e.exp(x)), lambda x: x < 1), [[800, -INF]],
                           [0, 0], [[0, 0]]),
    # a NaN that is itself a factor: the factor is masked, not the product (docs/conventions.md)
    "where_nan": (lambda x: e.square(e.where(x == x, x, 0.0)), [[NAN, 3]], [0, 9], [[0, 6]]),
    "where_missing": (lambda x, w: e.where(x == x, x, 0.0) * w, [[NAN, 3], [5, 7]], [0, 21],
                      [[0, 7], [0, 3]]),
    "where_inf": (lambda x: e.sin(e.where(x < 9, x, 0.0)), [[INF, 0]], [0, 0], [[0, 1]]),
    "where_logaddexp": (masked(e.logaddexp, lambda x, y: x > -9), [[-INF, 0], [-INF, 0]],
                        [0, math.log(2)], [[0, 0.5], [0, 0.5]]),
    "where_sqrt_of_square": (masked(lambda x: e.sqrt(x * x), positive), [[0, 3]], [0, 3], [[0, 1]]),
    "where_inner_and_outer": (lambda x: e.where(x > 0, e.log(e.where(x > 0, x, 1.0)), 0.0),
                              [[0, 2]], None, [[0, 0.5]]),
    # powers
    "x_to_the_0": (lambda x: e.power(x, 0), [[0, 2]], [1, 1], [[0, 0]]),
    "x_to_the_1": (lambda x: e.power(x, 1), [[0, 2]], [0, 2], [[1, 1]]),
    "x_to_the_2": (lambda x: e.power(x, 2), [[0, -3]], [0, 9], [[0, -6]]),
    "x_to_the_3": (lambda x: e.power(x, 3), [[0, -1]], [0, -1], [[0, 3]]),
    "x_to_the_5": (lambda x: e.power(x, 5), [[0, -1]], [0, -1], [[0, 5]]),
    "x_to_the_2.5": (lambda x: e.power(x, 2.5), [[0, 1]], [0, 1], [[0, 2.5]]),
    "x_to_the_-1": (lambda x: e.power(x, -1), [[-2, 1]], [-0.5, 1], [[-0.25, -1]]),
    "x_to_the_y_at_0": (e.power, [[0, 0, 0], [0, 1, 2]], [1, 0, 0], [[0, 1, 0], [0, 0, 0]]),
    "-2_to_the_3": (e.power, [[-2], [3]], [-8], [[12], None]),
    "0_to_the_y": (lambda y: e.power(0.0, y), [[1, 2]], [0, 0], [[0, 0]]),
    "1_to_the_y": (lambda y: e.power(1.0, y), [[0, 2]], [1, 1], [[0, 0]]),
    "-1_to_the_y": (lambda x: e.power(x, 2.0), [[-1]], [1], [[-2]]),
    "square_at_0": (e.square, [[0, -3]], [0, 9], [[0, -6]]),
    "sqrt_at_inf": (e.sqrt, [[INF]], [INF], [[0]]),
    "sqrt_at_0": (e.sqrt, [[0]], [0], [[INF]]),
    "rsqrt_at_inf": (e.rsqrt, [[INF]], [0], [[0]]),
    "reciprocal_at_inf": (e.reciprocal, [[INF, -INF]], [0, 0], [[0, 0]]),
    "divide_by_inf": (e.divide, [[3], [INF]], [0], [[0], [0]]),
    # norms
    "norm_squared_at_0": (lambda x: e.square(norm(x)), [[0, 0]], 0, [[0, 0]]),
    "norm_away_from_0": (norm, [[3, 0]], 3, [[1, 0]]),
    "hypot_at_origin": (e.hypot, [[0], [0]], [0], [[Within(-1, 1)], [Within(-1, 1)]]),
    "hypot_on_axis": (e.hypot, [[0], [-2]], [2], [[0], [-1]]),
    "hypot_large": (e.hypot, [[3e200], [4e200]], [5e200], [[0.6], [0.8]]),
    "std_of_equal": (over(r.deviation, ddof=0), [[2, 2, 2]], 0, [[0, 0, 0]]),
    "std_of_one": (over(r.deviation, ddof=0), [[2]], 0, [[0]]),
    "std_squared_of_equal": (lambda x: e.square(over(r.deviation, ddof=0)(x)), [[2, 2]], 0,
                             [[0, 0]]),
    "var_of_equal": (over(r.variance, ddof=0), [[2, 2, 2]], 0, [[0, 0, 0]]),
    # kinks and ties
    "max_ties": (over(r.maximum_of), [[1, 1, 0]], 1, [[0.5, 0.5, 0]]),
    "max_all_equal": (over(r.maximum_of, axis=(0, 1)), [[[1, 1], [1, 1]]], 1, [[[0.25] * 2] * 2]),
    "max_with_inf": (over(r.maximum_of), [[INF, 1, INF]], INF, [[0.5, 0, 0.5]]),
    "max_of_-inf": (over(r.maximum_of), [[-INF, -INF]], -INF, [[0.5, 0.5]]),
    "min_ties": (over(r.minimum_of), [[1, 0, 0]], 0, [[0, 0.5, 0.5]]),
    "min_of_inf": (over(r.minimum_of), [[INF, 1]], 1, [[0, 1]]),
    "maximum_tie": (e.maximum, [[1, 2], [1, 3]], [1, 3], [[0.5, 0], [0.5, 1]]),
    "maximum_inf_tie": (e.maximum, [[INF], [INF]], [INF], [[0.5], [0.5]]),
    "minimum_tie": (e.minimum, [[1, 2], [1, 3]], [1, 2], [[0.5, 1], [0.5, 0]]),
    "clip_edges": (lambda x: e.clip(x, -1.0, 1.0), [[-1, 0, 1, 2, -3]], [-1, 0, 1, 1, -1],
                   [[1, 1, 1, 0, 0]]),
    "clip_inf": (lambda x: e.clip(x, -1.0, 1.0), [[INF, -INF]], [1, -1], [[0, 0]]),
    "clip_to_bounds": (e.clip, [[0, 5], [1, 1], [2, 2]], [1, 2], [[0, 0], [1, 0], [0, 1]]),
    "relu_at_0": (e.relu, [[0, -1, 2]], [0, 0, 2], [[Within(0, 1), 0, 1]]),
    "abs_at_0": (e.absolute, [[0, -0.0, -3]], [0, 0, 3], [[Within(-1, 1), Within(-1, 1), -1]]),
    "abs_at_inf": (e.absolute, [[INF, -INF]], [INF, INF], [[1, -1]]),
    "floor_at_integer": (e.floor, [[1, 2]], [1, 2], [[0, 0]]),
    "round_half_even": (e.rint, [[0.5, 1.5, 2.5]], [0, 2, 2], [[0, 0, 0]]),
    "sign_at_0": (e.sign, [[0, -2]], [0, -1], [[0, 0]]),
    "remainder_at_multiple": (e.remainder, [[4.0], [2.0]], [0], [[1], None]),
    # exponentials far out
    "exp_underflow": (e.exp, [[-INF, -2000]], [0, 0], [[0, 0]]),
    "expm1_small": (e.expm1, [[1e-12]], [1e-12], [[1]]),
    "log1p_small": (e.log1p, [[1e-12, 0]], [1e-12, 0], [[1, 1]]),
    "log_at_inf": (e.log, [[INF]], [INF], [[0]]),
    "sigmoid_far": (e.sigmoid, [[2000, -2000, INF, -INF]], [1, 0, 1, 0], [[0, 0, 0, 0]]),
    "tanh_far": (e.tanh, [[2000, -2000, INF, -INF]], [1, -1, 1, -1], [[0, 0, 0, 0]]),
    "erf_far": (e.erf, [[2000, -INF, INF]], [1, -1, 1], [[0, 0, 0]]),
    "arctan_far": (e.arctan, [[INF, -INF]], [PI / 2, -PI / 2], [[0, 0]]),
    "arcsinh_far": (e.arcsinh, [[INF]], [INF], [[0]]),
    "arctan2_axes": (e.arctan2, [[0, 1], [2, 0]], [0, PI / 2], [[0.5, 0], [0, -1]]),
    "arctan2_large": (e.arctan2, [[1e200], [1e200]], [PI / 4], [[0], [0]]),
    "sinc_at_0": (lambda x: sinc.sinc_derivative(x, order=0), [[0, 0.5, 1]], [1, 2 / PI, 0],
                  [[0, -4 / PI, -1]]),
    "logaddexp_equal": (e.logaddexp, [[1000], [1000]], [1000 + math.log(2)], [[0.5], [0.5]]),
    "logaddexp_one_-inf": (e.logaddexp, [[-INF], [3]], [3], [[0], [1]]),
    "logaddexp_both_-inf": (e.logaddexp, [[-INF], [-INF]], [-INF], [[Within(0, 1)]] * 2),
    "logaddexp_inf": (e.logaddexp, [[INF], [3]], [INF], [[1], [0]]),
    "logaddexp_nested": (lambda a, b, c: e.logaddexp(e.logaddexp(a, b), c), [[-INF], [-INF], [2]],
                         [2], [[0], [0], [1]]),
    "logsumexp_large": (over(r.logsumexp), [[1000, 1000]], 1000 + math.log(2), [[0.5, 0.5]]),
    "logsumexp_one_-inf": (over(r.logsumexp), [[-INF, 3]], 3, [[0, 1]]),
    "logsumexp_all_-inf": (over(r.logsumexp), [[-INF, -INF]], -INF, [[Within(0, 1)] * 2]),
    "logsumexp_inf": (over(r.logsumexp), [[INF, 3]], INF, [[1, 0]]),
    "softmax_masked": (lambda x: r.softmax(x, axis=(0,)) * constant(mx.array([1.0, 2.0, 3.0])),
                       [[0, 0, -INF]], [0.5, 1, 0], [[-0.25, 0.25, 0]]),
    "softmax_large": (lambda x: e.square(r.softmax(x, axis=(0,))), [[2000, 0]], [1, 0], [[0, 0]]),
    "log_softmax_masked": (lambda x: movement.cut(r.log_softmax(x, axis=(0,)), index=(0,)),
                           [[0, 0, -INF]], -math.log(2), [[0.5, -0.5, 0]]),
    # products
    "prod_one_zero": (over(r.product_of), [[0, 2, 3]], 0, [[6, 0, 0]]),
    "prod_two_zeros": (over(r.product_of), [[0, 2, 0]], 0, [[0, 0, 0]]),
    "prod_of_one": (over(r.product_of), [[5]], 5, [[1]]),
    "prod_of_none": (over(r.product_of), [[]], 1, [[]]),
    "scale_0_by_inf": (families.scale, [[0, 2], [INF, 3]], [0, 6], [None, [0, 2]]),
    "ratio_0_by_0": (e.ratio, [[0, 2], [0, 4]], [0, 0.5], [None, [0, -0.125]]),
    # empty and 0-d arrays
    "sum_of_none": (over(families.total), [[]], 0, [[]]),
    "sum_over_no_axis": (over(families.total, axis=()), [[1, 2]], [1, 2], [[1, 1]]),
    "sum_0d": (over(families.total, axis=()), [4], 4, [1]),
    "max_0d": (over(r.maximum_of, axis=()), [4], 4, [1]),
    "sum_of_empty_rows": (over(families.total, axis=(1,)), [np.zeros((2, 0))], [0, 0],
                          [np.zeros((2, 0))]),
    "logsumexp_one": (over(r.logsumexp), [[2]], 2, [[1]]),
    "sin_of_none": (e.sin, [[]], [], [[]]),
    "add_broadcast_none": (families.add, [np.zeros((0, 2)), [1, 2]], np.zeros((0, 2)),
                           [np.zeros((0, 2)), [0, 0]]),
    "multiply_ones": (families.multiply, [np.ones((1, 1)), [3, 4]], [[3, 4]], [[[7]], [1, 1]]),
    "matmul_inner_0": (contraction.matmul, [np.zeros((2, 0)), np.zeros((0, 3))], np.zeros((2, 3)),
                       [np.zeros((2, 0)), np.zeros((0, 3))]),
    "matmul_outer_0": (contraction.matmul, [np.zeros((0, 2)), np.ones((2, 1))], np.zeros((0, 1)),
                       [np.zeros((0, 2)), np.zeros((2, 1))]),
    "concatenate_none": (lambda x, y: movement.concatenate(x, y, axis=0), [[], [1, 2]], [1, 2],
                         [[], [1, 1]]),
    "slice_of_none": (lambda x: movement.cut(x, index=(slice(2, 2),)), [[1, 2, 3]], [],
                      [[0, 0, 0]]),
    "cumsum_of_none": (lambda x: r.cumsum(x, axis=0, reverse=False), [[]], [], [[]]),
    "cumsum_of_one": (lambda x: r.cumsum(x, axis=0, reverse=True), [[3]], [3], [[1]]),
}

# label: (scalar f, point, second derivative)
SECOND = {
    "x_to_the_0": (lambda x: e.power(x, 0), 0.0, 0),
    "x_to_the_1": (lambda x: e.power(x, 1), 0.0, 0),
    "x_to_the_2": (lambda x: e.power(x, 2), 0.0, 2),
    "x_to_the_2.0": (lambda x: e.power(x, 2.0), 0.0, 2),
    "x_to_the_3": (lambda x: e.power(x, 3), 0.0, 0),
    "x_to_the_array_2": (lambda x: e.power(x, constant(mx.array(2.0))), 0.0, 2),
    "x_to_the_array_1": (lambda x: e.power(x, constant(mx.array(1.0))), 0.0, 0),
    "square": (e.square, 0.0, 2),
    "sinc": (lambda x: sinc.sinc_derivative(x, order=0), 0.0, -(PI**2) / 3),
    "masked_sqrt": (masked(e.sqrt, positive), 0.0, 0),
    "masked_log": (masked(e.log, positive), 0.0, 0),
    "masked_divide": (masked(lambda x: 1 / x, positive), 0.0, 0),
    "masked_exp": (masked(e.exp, lambda x: x < 5), 1000.0, 0),
    "masked_power": (masked(lambda x: e.power(x, 0.5), positive), 0.0, 0),
    "tanh_far": (e.tanh, 2000.0, 0),
    "sigmoid_far": (e.sigmoid, -2000.0, 0),
    "expm1": (e.expm1, 0.0, 1),
    "log1p": (e.log1p, 0.0, -1),
    "abs": (e.absolute, 2.0, 0),
    "relu": (e.relu, 2.0, 0),
}

points = pytest.mark.parametrize("label", POINTS)


def given(label):
    f, args, value, grads = POINTS[label]
    return f, [constant(np.asarray(a, np.float64)) for a in args], value, grads


def matches(got, want, what):
    """Numbers equal the expected ones; a `Within` allows a range, None anything."""
    if want is None:
        return
    got = np.asarray(got)
    wanted = np.asarray(want, object)
    assert got.shape == wanted.shape, what
    for at in np.ndindex(wanted.shape):
        w, g = wanted[at], got[at]
        if isinstance(w, Within):
            assert w.low <= g <= w.high, f"{what} at {at}: {g} is not in [{w.low}, {w.high}]"
        else:
            np.testing.assert_allclose(g, w, 1e-6, 1e-12, err_msg=f"{what} at {at}")


def total(out):
    return families.total(out, axis=tuple(range(len(out.shape))), keepdims=False)


@points
def test_value(label):
    f, args, value, _ = given(label)
    matches(f(*args), value, label)


def gradients(f, args):
    out, pullback = vjp(f, *args)
    return pullback(constant(mx.ones(out.shape, out.dtype)))


@points
def test_reverse(label):
    """On plain arrays, recorded, and with a batch axis."""
    f, args, _, want = given(label)
    plain = gradients(f, args)
    recorded, _ = vjp(lambda *a: gradients(f, a), *args)
    twice = [constant(mx.stack([a.array] * 2)) for a in args]
    batched = vmap(lambda *a: gradients(f, a))(*twice)
    for k, w in enumerate(want):
        matches(plain[k], w, f"argument {k}")
        matches(recorded[k], w, f"argument {k}, recorded")
        for row in np.asarray(batched[k]):
            matches(row, w, f"argument {k}, under vmap")


@points
def test_forward(label):
    """The tangent of the sum along each element alone, and zero along zero."""
    f, args, _, want = given(label)
    for k, w in enumerate(want):
        if args[k].array.size == 0:
            continue
        partial = jacfwd(lambda *a: total(f(*a)), argnums=k)  # noqa: B023
        matches(partial(*args), w, f"argument {k}")
    zeros = tuple(constant(mx.zeros(a.shape, a.dtype)) for a in args)
    moved = np.asarray(jvp(f, tuple(args), zeros)[1])
    np.testing.assert_array_equal(moved, np.zeros(moved.shape), "zero tangents stay zero")


@points
def test_zero_cotangent_stays_zero(label):
    """Whatever the slope: the rules must not make 0 * inf of it."""
    f, args, _, _ = given(label)
    out, pullback = vjp(f, *args)
    for k, g in enumerate(pullback(constant(mx.zeros(out.shape, out.dtype)))):
        np.testing.assert_array_equal(np.asarray(g), np.zeros(g.shape), f"argument {k}")


@pytest.mark.parametrize("label", SECOND)
def test_second_derivative(label):
    """Reverse over reverse, forward over reverse, reverse over forward, forward twice."""
    f, at, want = SECOND[label]
    x = constant(mx.array(at, mx.float64))
    one = constant(mx.array(1.0, mx.float64))

    def f0(x):
        return movement.reshape(f(x), shape=())

    def push(g):
        return lambda x: jvp(g, (x,), (one,))[1]

    for name, second in {"rev rev": grad(grad(f0)), "fwd rev": push(grad(f0)),
                         "rev fwd": grad(push(f0)), "fwd fwd": push(push(f0))}.items():
        np.testing.assert_allclose(np.asarray(second(x)), want, 1e-6, 1e-9, err_msg=name)


def test_hessian_of_a_product_with_two_zeros():
    """The pair of zeros couples through the rest."""
    x = constant(np.array([2.0, 3.0, 0.0, 0.0]))
    hessian = jacfwd(grad(over(r.product_of)))(x)
    want = np.zeros((4, 4))
    want[2, 3] = want[3, 2] = 6
    np.testing.assert_array_equal(np.asarray(hessian), want)


def test_complex_abs_at_zero():
    z = constant(mx.array([0j, 3 + 4j]))
    out, pullback = vjp(e.absolute, z)
    got = np.asarray(pullback(constant(mx.ones(2)))[0])
    np.testing.assert_allclose(got, [0, 0.6 - 0.8j], 1e-6)
