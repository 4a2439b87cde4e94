"""functape.debug: the operation that made a NaN, and why a leaf has no gradient."""

import re
import sys
import traceback

import pytest

import functape as ft
import functape.numpy as np
from functape import debug
from functape.errors import AnomalyError, ArgumentError
from functape.op import Op
from functape.tape import mode

PLAIN = Op.__call__


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    assert Op.__call__ is PLAIN and mode.watch == () and mode.check is None


def leaf(*values):
    return ft.tensor(list(values), requires_grad=True)


def test_nans_name_the_op_the_line_and_what_went_in():
    x = leaf(0.0, 4.0)
    with debug.nans(), pytest.raises(AnomalyError) as caught:
        y = np.sin(x) + 1.0
        (y * 0.0) / (x * 0.0)  # the culprit
    text = str(caught.value)
    assert text.startswith("divide made 2 nan of 2 element(s), at line")
    assert "# the culprit" in text and "x float32[2]: from 0 to 0, mean 0" in text


def test_a_nan_that_was_given_is_not_blamed_on_an_op():
    with debug.nans():
        y = leaf(float("nan")) * 2.0
    assert not np.isfinite(y)[0]
    with debug.nans(inf=True), pytest.raises(AnomalyError, match="exp made 1 inf"):
        np.exp(leaf(1000.0))


def test_nans_of_a_backward_pass():
    class Bad(ft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    with debug.nans(), pytest.raises(AnomalyError, match="BadBackward|multiply"):
        Bad.apply(leaf(1.0)).sum().backward()
    x = leaf(0.0, 1.0)
    infinite = ft.tensor([float("inf"), 1.0])
    y = (x + 1.0) * infinite
    with debug.nans(), pytest.raises(AnomalyError) as caught:
        y.backward(ft.tensor([0.0, 1.0]))
    assert any("saved y" in n and "inf" in n for n in caught.value.__notes__)


def test_breakpoint(monkeypatch, capsys):
    stopped = []

    def stop():
        stopped.append([frame for frame, _ in traceback.walk_stack(sys._getframe(1))])

    monkeypatch.setattr("builtins.breakpoint", stop)
    with debug.breakpoint_on_nan():
        leaf(0.0) / leaf(0.0)
    said = capsys.readouterr().err
    (frames,) = stopped
    up = int(re.search(r"\(up (\d+): your line\)", said)[1])
    assert "divide made 1 nan" in said and frames[up] is sys._getframe()


def test_explain_none():
    w = leaf(1.0, 2.0)
    assert "requires_grad=True" in debug.explain_none(ft.ones(2))
    assert "retain_grad()" in debug.explain_none(w * 2.0)
    y = (w * w).sum()
    assert "call backward()" in debug.explain_none(w, y)
    y.backward()
    assert debug.explain_none(w, y) == "It has a gradient."
    with pytest.raises(ArgumentError, match="takes a tensor"):
        debug.explain_none(3)


def test_the_line_where_the_way_ends():
    v, w, other = leaf(1.0, 2.0), leaf(1.0, 2.0), leaf(3.0)
    with debug.watch() as seen:
        h = (w * 2.0).detach() * 3.0  # here
        k = np.argmax(v * 1.0)
        with ft.no_grad():
            m = other * 2.0
        y = h.sum() * k + m.sum() + leaf(1.0).sum()
    text = debug.explain_none(w, y, seen)
    assert "multiply off the tape" in text and "# here" in text
    assert "argmax has no derivative" in debug.explain_none(v, y, seen)
    assert "ran in no_grad()" in debug.explain_none(other, y, seen)
    assert "watch()" in debug.explain_none(w, y)


def test_ways_that_end_without_a_further_operation():
    v, w, z = leaf(1.0, 2.0), leaf(1.0, 2.0), leaf(1.0, 2.0)
    with debug.watch() as seen:
        y = leaf(1.0).sum() + (v * v).sum().item()  # read
        y = y + ft.tensor(w.tolist()).sum() + ft.stop_gradient(z).sum()  # stopped
    text = debug.explain_none(v, y, seen)
    assert text.startswith("No operation used what sum made at line") and "# read" in text
    assert debug.explain_none(w, y, seen) == "No operation used it while watch() was on."
    text = debug.explain_none(z, y, seen)  # the user's line, not that of a library between
    assert text.startswith("stop_gradient has no derivative, at line") and "# stopped" in text


def test_nans_are_found_in_jitted_functions():
    f = ft.jit(lambda x: x / x)  # the quotient
    assert f(np.array(1.0)).item() == 1.0  # compiled before
    for g, x in ((f, np.zeros(2)), (ft.jit(ft.grad(f)), np.array(0.0)), (ft.vmap(f), np.zeros(2))):
        with debug.nans(), pytest.raises(AnomalyError, match="divide made .*# the quotient"):
            g(x)
    assert np.isnan(f(np.array(0.0)))


def test_statistics_of_complex_numbers():
    z = np.array([3.0 + 4.0j, 0.0])
    with debug.nans(), pytest.raises(AnomalyError, match="moduli: from 0 to 5, mean 2.5"):
        z / z


def test_anomaly_mode_says_which_compiled_line_it_does_not_check():
    f = ft.jit(lambda x: ft.grad(lambda x: x * x)(x))  # compiled
    with ft.autograd.detect_anomaly(), pytest.warns(UserWarning, match="# compiled"):
        assert f(np.array(3.0)).item() == 6.0


def test_inspect():
    v, w = leaf(1.0, 2.0), leaf(1.0, 2.0)
    gone = leaf(1.0)
    y = (v * v * gone).sum()
    del gone
    found = debug.inspect(y, {"p": {"v": v}, "w": w})
    assert found["nodes"] == 3 and found["leaves"] == ["p['v']"] and found["dead ends"] == 1
    assert found["no gradient"][0].startswith("w: The result was not computed from it")
    assert "dead ends: 1\nno gradient:\n  w: The result" in str(found)
    with pytest.raises(ArgumentError, match="on a tape"):
        debug.inspect(ft.ones(2))
