"""Wrong rules must be caught, by the very functions that check the library's ops."""

import functape

# isort: split
import mlx.core as mx
import op_draws
import op_inputs
import pytest
import test_ops

from functape.errors import ArgumentError
from functape.op import Op, Plan, Plans, table
from functape.ops.elementwise import conjugate, cos, sin, stop_gradient
from functape.ops.families import batch_elementwise, batch_same, multiply, total
from functape.test_util import check_grads, check_jvp, check_vjp
from functape.transforms import jvp, vjp


@pytest.fixture
def planted(monkeypatch):
    """Put an op in the place of the library's, with a row of inputs."""

    def plant(kernel=sin.kernel, vjp=(lambda g, x: g * cos(x),), jvp=(lambda t, x: t * cos(x),),
              batch=batch_same, args=("x",), rows=((2, 3),), draw=op_draws.real, name="sin"):
        before = table[name]
        op = Op(name, kernel, args=args, vjp=vjp, jvp=jvp, batch=batch)
        table[name] = before
        monkeypatch.setitem(op_inputs.OPS, name, op)
        monkeypatch.setitem(op_inputs.ROWS, name, [op_draws.row(*[draw(*s) for s in rows])])
        return name, 0

    return plant


def caught(check, case, *more, match=None):
    with pytest.raises(AssertionError, match=match):
        check(*case, *more)


def passes_all(case, oracle):
    test_ops.test_value_is_that_of_jax(*case, oracle)
    for check in (test_ops.test_derivatives_by_finite_differences,
                  test_ops.test_modes_are_transposes_of_each_other,
                  test_ops.test_recorded_pass_gives_the_same_gradient,
                  test_ops.test_constants_cost_no_rule, test_ops.test_batch_rule_is_a_loop,
                  test_ops.test_nested_batch_rule_is_a_double_loop,
                  test_ops.test_derivatives_under_vmap_are_a_loop):
        check(*case)
    for dtype in test_ops.LOW:
        test_ops.test_low_precision(*case, dtype)


def test_a_right_op_passes(planted, oracle):
    passes_all(planted(), oracle)


# --- wrong derivatives ----------------------------------------------------------------------------


def test_wrong_vjp(planted):
    case = planted(vjp=[lambda g, x: g * sin(x)])
    caught(test_ops.test_derivatives_by_finite_differences, case, match="^VJP, .*args.0")
    caught(test_ops.test_modes_are_transposes_of_each_other, case)


def test_wrong_jvp(planted):
    case = planted(jvp=[lambda t, x: t * 1.001 * cos(x)])
    caught(test_ops.test_derivatives_by_finite_differences, case, match="^JVP, tangent")
    caught(test_ops.test_modes_are_transposes_of_each_other, case)


def test_wrong_in_both_modes(planted):
    """Transposes of each other, and still wrong."""
    case = planted(vjp=[lambda g, x: g * sin(x)], jvp=[lambda t, x: t * sin(x)])
    test_ops.test_modes_are_transposes_of_each_other(*case)
    caught(test_ops.test_derivatives_by_finite_differences, case)


def test_wrong_vjp_at_second_order(planted):
    case = planted(vjp=[lambda g, x: g * cos(stop_gradient(x))])
    caught(test_ops.test_derivatives_by_finite_differences, case, match="^(JVP|VJP) of VJP, ")


def test_wrong_jvp_at_second_order(planted):
    case = planted(jvp=[lambda t, x: t * cos(stop_gradient(x))])
    caught(test_ops.test_derivatives_by_finite_differences, case, match="^(JVP|VJP) of JVP, ")


def test_rule_not_linear_in_its_cotangent(planted):
    case = planted(vjp=[lambda g, x: stop_gradient(g) * cos(x)])
    caught(test_ops.test_derivatives_by_finite_differences, case, match="of VJP, .*args.1")


def test_wrong_in_one_of_two_arguments(planted):
    wrong = {"kernel": mx.multiply, "args": ("x", "y"), "name": "multiply", "rows": ((2,), (2,)),
             "batch": batch_elementwise, "jvp": [lambda t, y: t * y, lambda t, x: t * x]}
    planted(vjp=[lambda g, y: g * y, lambda g, x: g * x], **wrong)
    test_ops.test_derivatives_by_finite_differences("multiply", 0)
    case = planted(vjp=[lambda g, y: g * y, lambda g, x: g * x * 2], **wrong)
    caught(test_ops.test_derivatives_by_finite_differences, case, match=r"Wrong along: args\[1\] ")
    case = planted(vjp=[lambda g, y: g * y, None], **wrong)
    with pytest.raises(AssertionError):
        check_grads(op_inputs.OPS["multiply"], op_inputs.ROWS["multiply"][0].values("multiply"), 1)


def test_unbroadcasting_forgotten(planted):
    case = planted(kernel=mx.multiply, args=("x", "y"), name="multiply", rows=((2, 3), (3,)),
                   vjp=[lambda g, y: g * y, lambda g, x: g * x], batch=batch_elementwise,
                   jvp=[lambda t, y: t * y, lambda t, x: t * x])
    caught(test_ops.test_derivatives_by_finite_differences, case, match="the cotangent of args.1")


def test_conjugated_complex_rule(planted, oracle):
    right = planted(draw=op_draws.z)
    test_ops.test_complex_derivatives_are_those_of_jax(*right, oracle)
    wrong = planted(draw=op_draws.z,
                    vjp=[lambda g, x: g * conjugate(cos(x))])
    caught(test_ops.test_complex_derivatives_are_those_of_jax, wrong, oracle)
    caught(test_ops.test_derivatives_by_finite_differences, wrong)


# --- wrong otherwise ------------------------------------------------------------------------------


def test_wrong_value(planted, oracle):
    caught(test_ops.test_value_is_that_of_jax, planted(kernel=mx.cos), oracle)


def test_raw_pass_that_differs_from_the_recorded_one(planted):
    case = planted(vjp=[lambda g, x: g * cos(x) * (1 if isinstance(g, mx.array) else 2)])
    caught(test_ops.test_recorded_pass_gives_the_same_gradient, case)


def test_cotangent_in_another_dtype(planted):
    case = planted(jvp=[lambda t, x: (t * cos(x)).astype(mx.float32)])
    caught(test_ops.test_low_precision, case, "float16")


class BothTracked(Plans):
    def __missing__(self, tracked):
        return Plan(self.op, [0, 1])


def test_rule_that_is_run_in_vain(planted):
    """Both cotangents computed for one."""
    case = planted(kernel=mx.multiply, args=("x", "y"), name="multiply", rows=((2,), (2,)),
                   vjp=[lambda g, y: g * y, lambda g, x: g * x], batch=batch_elementwise,
                   jvp=[lambda t, y: t * y, lambda t, x: t * x])
    op = op_inputs.OPS["multiply"]
    op.plans = BothTracked(op)
    caught(test_ops.test_constants_cost_no_rule, case)


def test_wrong_batch_rule(planted):
    """It sums over the batch as well."""
    case = planted(kernel=mx.sum, name="sum", vjp=[lambda g, x: g + x * 0], jvp="linear",
                   batch=lambda op, size, args, mapped, params: multiply(total(
                       args[0], axis=(0,), keepdims=True), args[0] == args[0]))
    caught(test_ops.test_batch_rule_is_a_loop, case)


def test_batch_rule_that_overlooks_what_is_not_mapped(planted):
    case = planted(kernel=mx.multiply, args=("x", "y"), name="multiply", rows=((3,), (3,)),
                   batch=lambda op, size, args, mapped, params: op(
                       args[0], args[1] if all(mapped) else args[1].reshape((3, 1))))
    caught(test_ops.test_batch_rule_is_a_loop, case, match="mapped: .0,.")


def test_missing_batch_rule(planted):
    caught(test_ops.test_batch_rule_is_a_loop, planted(batch=None), match="no batch rule")


def test_kernel_that_needs_a_value(planted):
    if not hasattr(functape, "jit"):
        pytest.skip("functape.jit is missing")
    case = planted(kernel=lambda x: mx.sin(x) * (1 if mx.any(x != 0).item() else 0))
    with pytest.raises(functape.errors.ConcretizationError):
        test_ops.test_can_be_compiled(*case)


def test_missing_row(monkeypatch):
    monkeypatch.setitem(op_inputs.OPS, "brand_new", object())
    with pytest.raises(AssertionError, match="brand_new"):
        test_ops.test_every_op_has_rows()


# --- the functions that users call ----------------------------------------------------------------


def twice(x):
    return x * 2


def test_check_jvp_and_check_vjp():
    x = (functape.tensor([1.0, 2.0]),)
    check_jvp(twice, lambda p, t: jvp(twice, p, t), x)
    check_vjp(twice, lambda *p: vjp(twice, *p), x)
    with pytest.raises(AssertionError, match="value"):
        check_jvp(twice, lambda p, t: (p[0], t[0] * 2), x)
    with pytest.raises(AssertionError, match="my f, tangent"):
        check_jvp(twice, lambda p, t: (p[0] * 2, t[0]), x, err_msg="my f")
    with pytest.raises(AssertionError, match="value"):
        check_vjp(twice, lambda *p: (p[0], lambda w: (w * 2,)), x)
    with pytest.raises(AssertionError, match="projection"):
        check_vjp(twice, lambda *p: (p[0] * 2, lambda w: (w,)), x)


def test_one_mode_and_pytrees():
    def f(p, x):
        return {"out": p["w"] * x + stop_gradient(p["b"]), "n": [x * x]}

    args = ({"w": functape.tensor([1.0, 2.0]), "b": functape.tensor([3.0, 1.0])},
            functape.tensor([0.5, 0.7]))
    for modes in (("fwd",), "rev", ("fwd", "rev")):
        with pytest.raises(AssertionError, match=r"Wrong along: args\[0\]\['b'\]"):
            check_grads(f, args, 1, modes=modes)
    check_grads(lambda p, x: {"out": p["w"] * x + p["b"], "n": [x * x]}, args, 2)


def test_modes_are_checked():
    with pytest.raises(ArgumentError, match="modes"):
        check_grads(twice, (1.0,), 1, modes=("reverse",))
