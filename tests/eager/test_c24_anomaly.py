"""Anomaly mode: which operation made the NaN, and where it stands in the program."""

import threading
import traceback
import warnings

import pytest

import functape as ft
from functape.autograd import Function, detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from functape.errors import AnomalyError, ArgumentError, GraphError


class Bad(Function):
    """The identity, whose backward returns something else."""

    value = float("nan")

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, g):
        return g * Bad.value


def notes(error):
    return "\n".join(getattr(error, "__notes__", []))


def test_names_the_op_the_input_and_the_line():
    x = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with detect_anomaly():
        y = Bad.apply(x)  # the culprit
        z = (y * y).sum()
        with pytest.raises(AnomalyError) as caught:
            z.backward()
    text = str(caught.value)
    assert "BadBackward returned 3 nan of 3 element(s) in the gradient of its input 0" in text
    assert "float32[3]" in text and "the gradient of its output was without any" in text
    assert "y = Bad.apply(x)  # the culprit" in text and __file__ in text
    assert "y = Bad.apply(x)  # the culprit" in notes(caught.value)
    assert "functape/tensor.py" not in notes(caught.value)  # the user's frames only
    assert isinstance(caught.value, RuntimeError)


def test_an_op_names_its_argument():
    x = ft.tensor([0.0, 4.0], requires_grad=True)
    infinite = ft.tensor([float("inf"), 1.0])
    with detect_anomaly():
        y = (x * infinite) * 0.0
        with pytest.raises(AnomalyError, match=r"Multiply.* 1 nan of 2 .*input 0 \('x'\)"):
            y.sum().backward()


def test_works_in_grad_and_in_transforms():
    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly():
        y = Bad.apply(x)
        with pytest.raises(AnomalyError, match="BadBackward"):
            ft.autograd.grad(y, x)
        with pytest.raises(AnomalyError, match="BadBackward"):
            ft.grad(Bad.apply)(1.0)
        with pytest.raises(AnomalyError, match="BadBackward"):
            ft.vmap(ft.grad(Bad.apply))(ft.ones(2))


def test_infinity_only_if_asked(monkeypatch):
    monkeypatch.setattr(Bad, "value", float("inf"))
    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly():
        Bad.apply(x).backward()
    assert x.grad.item() == float("inf")
    with detect_anomaly(check_inf=True):
        with pytest.raises(AnomalyError, match="1 inf of 1"):
            Bad.apply(x).backward()


def test_check_nan_false_only_notes_lines():
    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly(check_nan=False):
        Bad.apply(x).backward()
        assert not ft.autograd.is_anomaly_check_nan_enabled()


def test_seeds_come_first_and_are_blamed_themselves():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with detect_anomaly():
        y = x * 2.0
        with pytest.raises(AnomalyError, match=r"seed of output 0, float32\[2\], contains 1 nan"):
            y.backward(ft.tensor([1.0, float("nan")]))


def test_hooks_are_blamed():
    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly():
        y = x * 2.0
        y.register_hook(lambda g: g * float("nan"))
        with pytest.raises(AnomalyError, match="arrives at MultiplyBackward.*a hook returned it"):
            (y * 3.0).backward()
        x.register_hook(lambda g: g * float("nan"))
        with pytest.raises(AnomalyError, match="arrives at AccumulateGrad.*a hook returned it"):
            (x * 3.0).backward()


def test_a_sum_of_finite_gradients():
    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly():
        y = x * 1.0
        z = ft.autograd.backward
        a, b = y * float("inf"), y * float("-inf")
        with pytest.raises(AnomalyError, match="it is the sum of gradients without any"):
            z([a, b])


def test_without_a_forward_record():
    x = ft.tensor(1.0, requires_grad=True)
    y = Bad.apply(x)
    with detect_anomaly(), pytest.raises(AnomalyError) as caught:
        y.backward()
    assert "enter detect_anomaly() before the forward pass" in notes(caught.value)


def test_induced_by():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return Bad.apply(g * 2.0 * ctx.saved_tensors[0])

    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly():
        y = Square.apply(x)  # the forward line
        (g,) = ft.autograd.grad(y, x, create_graph=True)
        with pytest.raises(AnomalyError, match="BadBackward") as caught:
            g.backward()
    text = notes(caught.value)
    assert "BadBackward was made while the backward pass ran SquareBackward" in text
    assert "y = Square.apply(x)  # the forward line" in text


def test_other_errors_get_the_line_too():
    x = ft.tensor(1.0, requires_grad=True)
    with detect_anomaly():
        y = x * x  # freed below
        y.backward()
        with pytest.raises(GraphError, match="were freed") as caught:
            y.backward()
    assert "y = x * x  # freed below" in notes(caught.value)


def test_no_warning_and_no_error_where_nothing_is_wrong():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with detect_anomaly(check_inf=True):
            a, b = ft.numpy.split(x * x, 2)
            (a * b).sum().backward()
    assert x.grad.tolist() == [8.0, 8.0 * 0.5]


def test_flag_is_restored_nested_and_per_thread():
    assert not is_anomaly_enabled()
    seen = []
    again = detect_anomaly()
    with again:
        with again, set_detect_anomaly(False):
            assert not is_anomaly_enabled()
        assert is_anomaly_enabled()
        thread = threading.Thread(target=lambda: seen.append(is_anomaly_enabled()))
        thread.start()
        thread.join()
    assert seen == [False] and not is_anomaly_enabled()
    with pytest.raises(KeyError):
        with detect_anomaly():
            raise KeyError
    assert not is_anomaly_enabled() and ft.tape.mode.watch == ()


def test_as_a_function():
    set_detect_anomaly(True)
    try:
        assert is_anomaly_enabled()
        with pytest.raises(AnomalyError):
            Bad.apply(ft.tensor(1.0, requires_grad=True)).backward()
    finally:
        set_detect_anomaly(False)
    assert not is_anomaly_enabled() and ft.tape.mode.watch == ()
    with pytest.raises(ArgumentError, match="True or False"):
        set_detect_anomaly(1)


def test_other_watchers_stay():
    seen = []
    watcher = seen.append
    ft.tape.mode.watch += (watcher,)
    try:
        with detect_anomaly():
            ft.tensor(1.0, requires_grad=True) * 2.0
    finally:
        ft.tape.mode.watch = ()
    assert [n.name for n in seen] == ["AccumulateGrad", "MultiplyBackward"]


def test_traceback_prints():
    with detect_anomaly():
        try:
            Bad.apply(ft.tensor(1.0, requires_grad=True)).backward()
        except AnomalyError as error:
            assert "BadBackward was made here" in "".join(traceback.format_exception(error))


def test_a_compiled_function_is_not_checked_and_a_warning_says_so():
    f = ft.jit(ft.grad(lambda x: (x * x).sum()))
    with pytest.warns(UserWarning, match="while a function is being compiled") as caught:
        with detect_anomaly():
            assert f(ft.tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert len(caught) == 1


def test_works_under_forward_mode_and_vmap():
    def f(x):
        return (x * x * x).sum()

    x = ft.ones(3)
    with detect_anomaly():
        hessian = ft.jacfwd(ft.jacrev(f))(x)
        rows = ft.vmap(ft.grad(f))(ft.ones((2, 3)))
    assert hessian.sum().item() == 18 and rows.sum().item() == 18
