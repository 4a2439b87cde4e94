"""gradcheck and gradgradcheck: they pass right derivatives, and say what is wrong with others."""

import warnings

import pytest

import functape as ft
from functape.autograd import Function, gradcheck, gradgradcheck
from functape.errors import ArgumentError, GradcheckError


def f64(*values, requires_grad=True):
    return ft.tensor(list(values), dtype="float64", requires_grad=requires_grad)


class Doubled(Function):
    """x * x, whose backward is wrong by a factor."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 2.5


def test_right_derivatives_pass():
    x, y = f64(0.5, -2.0, 3.0), f64(1.5, 0.25, -1.0)
    assert gradcheck(lambda x, y: (x * y + x / y, x * x * x), (x, y))
    assert gradcheck(lambda x: x.sum(), x)
    assert gradcheck(lambda x: x.sum(), x, fast_mode=True)
    assert gradgradcheck(lambda x, y: (x * x * y, x / y), (x, y))
    assert gradgradcheck(lambda x, y: (x * x * y, x / y), (x, y), fast_mode=True)


def test_all_options_pass():
    x = f64(0.5, -2.0)
    assert gradcheck(lambda x: (x * x, x.sum()), x, check_grad_dtypes=True,
                     check_batched_grad=True, check_forward_ad=True,
                     check_batched_forward_grad=True, masked=False)
    assert gradgradcheck(lambda x: x * x * x, x, check_fwd_over_rev=True, check_batched_grad=True)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_wrong_factor_is_reported_with_both_matrices(fast_mode):
    x = f64(1.0, 2.0)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(Doubled.apply, (x,), fast_mode=fast_mode)
    text = str(caught.value)
    assert "Jacobian mismatch for output 0 with respect to input 0" in text
    assert "[1, 1] is 5, but finite differences give 4" in text
    assert "off by 1, relatively 0.25" in text and "atol=1e-05, rtol=0.001" in text
    numerical = text[text.index("numerical:"):text.index("analytical:")]
    assert "2." in numerical and "4." in numerical
    assert "2.5" in text[text.index("analytical:"):]
    assert gradcheck(Doubled.apply, (x,), raise_exception=False, fast_mode=fast_mode) is False


def test_the_output_and_input_are_named():
    x, y = f64(1.0), f64(2.0)
    with pytest.raises(GradcheckError, match="output 1 with respect to input 2"):
        gradcheck(lambda x, k, y: (x * k, Doubled.apply(y)), (x, 3.0, y))


def test_second_derivatives_are_checked_apart_from_first():
    class Cube(Function):  # right first derivative; the tape does not see how it depends on x
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * (x * x).detach()

    x = f64(1.0, 2.0)
    assert gradcheck(Cube.apply, x)
    with pytest.raises(GradcheckError, match="with respect to input 0"):
        gradgradcheck(Cube.apply, x)
    assert gradgradcheck(Cube.apply, x, raise_exception=False) is False


def test_grad_outputs_can_be_given():
    x = f64(1.0, 2.0)
    assert gradgradcheck(lambda x: x * x * x, x, grad_outputs=f64(0.5, -1.0))


def test_detached_output_is_a_mismatch_with_a_remark():
    with pytest.raises(GradcheckError, match="Output 0 is not on the tape"):
        gradcheck(lambda x: x.detach() * 2.0, f64(1.0))
    assert gradcheck(lambda x: f64(3.0, requires_grad=False), f64(1.0))  # truly constant


def test_partly_detached_is_a_mismatch():
    with pytest.raises(GradcheckError, match="is 3, but finite differences give 6"):
        gradcheck(lambda x: x.detach() * x, f64(3.0))


def test_other_arguments_pass_through_and_inputs_stay_as_they_are():
    x, k = f64(1.0, 2.0), f64(5.0, 7.0, requires_grad=False)
    seen = []

    def f(x, k, n, flag):
        seen.append((k, n, flag))
        return x * k * n

    assert gradcheck(f, (x, k, 3, "yes"))
    assert all(s[0] is k and s[1:] == (3, "yes") for s in seen)
    assert x.tolist() == [1.0, 2.0] and x.version == 0
    assert x.grad is None and k.grad is None and x.requires_grad


def test_float32_warns_and_the_user_can_choose_a_larger_step():
    x = ft.tensor([0.5, 2.0], requires_grad=True)
    with pytest.warns(UserWarning, match=r"input 0 is float32\[2\]; steps of 0.001"):
        assert gradcheck(lambda x: x * x, x, eps=1e-3, atol=1e-2, rtol=1e-2)


def test_no_input_requires_grad():
    with pytest.raises(GradcheckError, match="no input requires grad"):
        gradcheck(lambda x: x, f64(1.0, requires_grad=False))


def test_output_that_is_no_tensor():
    with pytest.raises(GradcheckError, match=r"output 1 of the function is 3 \(int\)"):
        gradcheck(lambda x: (x, 3), f64(1.0))


def test_integer_outputs_are_left_out():
    assert gradcheck(lambda x: (x * x, (x > 0).astype("int32")), f64(1.0, 2.0))


def test_masked_and_nothing_to_check_are_refused():
    with pytest.raises(ArgumentError, match="masked=True"):
        gradcheck(lambda x: x, f64(1.0), masked=True)
    with pytest.raises(ArgumentError, match="nothing is left to check"):
        gradcheck(lambda x: x, f64(1.0), check_backward_ad=False)


def test_backward_that_differs_between_passes():
    calls = [0]

    class Moody(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            calls[0] += 1
            return g * (2.0 + 1e-8 * (calls[0] % 3))

    with pytest.raises(GradcheckError, match="is not deterministic.*nondet_tol=0"):
        gradcheck(Moody.apply, f64(1.0))
    assert gradcheck(Moody.apply, f64(1.0), nondet_tol=1e-6)


def test_undefined_gradients():
    class Picky(Function):  # two outputs; backward cannot take None
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2.0, x * 3.0

        @staticmethod
        def backward(ctx, g, h):
            return 2.0 * g + (0.0 if h is None else 3.0 * h)

    with pytest.raises((GradcheckError, TypeError)):
        gradcheck(Picky.apply, f64(1.0))

    class Wrong(Picky):  # None means something else than zeros
        @staticmethod
        def backward(ctx, g, h):
            if g is None or h is None:
                return 5.0 * (h if g is None else g)
            return 2.0 * g + 3.0 * h

    with pytest.raises(GradcheckError):
        gradcheck(Wrong.apply, f64(1.0))


def test_complex_inputs_and_outputs():
    z = ft.tensor([1 + 2j, -0.5 + 0.25j], dtype="complex64", requires_grad=True)
    kw = {"eps": 1e-2, "atol": 1e-2, "rtol": 1e-2}
    assert gradcheck(lambda z: z * z, z, **kw)  # holomorphic
    assert gradcheck(lambda z: z.conj() * z, z, **kw)  # not holomorphic
    assert gradcheck(lambda z: (z.real, z.imag * z.real), z, **kw)
    assert gradcheck(lambda z: z * z, z, check_forward_ad=True, fast_mode=True, **kw)
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert gradcheck(lambda x: x * (1 + 2j), x, **kw)  # real to complex
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(lambda z: z.detach().conj() * z, z, **kw)


def test_empty_and_scalar_inputs():
    assert gradcheck(lambda x: x * 2.0, ft.tensor(1.5, dtype="float64", requires_grad=True))
    empty = ft.zeros(0, dtype="float64", requires_grad=True)
    assert gradcheck(lambda x, y: x.sum() + y, (empty, f64(1.0)))


def test_forward_mode_is_checked_against_differences():
    from functape.op import Op

    wrong = Op("wrong_forward", lambda x: x * x, args=("x",), vjp=[lambda g, x: 2 * g * x],
               jvp=[lambda t, x: 3 * t * x])
    try:
        assert gradcheck(wrong, f64(1.0, 2.0))
        with pytest.raises(GradcheckError, match=r"\(forward mode\)"):
            gradcheck(wrong, f64(1.0, 2.0), check_forward_ad=True)
    finally:
        from functape.op import table
        del table["wrong_forward"]


def test_nan_never_passes():
    assert not gradcheck(lambda x: x * float("nan"), f64(1.0), raise_exception=False)


