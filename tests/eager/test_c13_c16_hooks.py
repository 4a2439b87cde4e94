"""Hooks of tensors, nodes and leaves, and kept gradients (topics 13 to 16)."""

import warnings

import pytest
from eager_helpers import Record, accumulator, leaf

import functape as ft
from functape.autograd import Function, grad
from functape.errors import FunctapeError

np = ft.numpy


def retained(value=2.0):
    """x, and y = x * 1 that keeps its gradient."""
    x = leaf(value)
    y = x * 1.0
    y.retain_grad()
    return x, y


# --- 13. hooks of tensors -------------------------------------------------------------------------


def test_c13_hooks_chain_in_the_order_of_registration():
    x, seen = leaf(1.0), []

    def hook(name, result):
        def call(g):
            seen.append((name, g.item()))
            return result(g)
        return call

    x.register_hook(hook("a", lambda g: g * 2.0))
    x.register_hook(hook("b", lambda g: None))
    x.register_hook(hook("c", lambda g: g + 1.0))
    (x * 3.0).backward()
    assert seen == [("a", 3.0), ("b", 6.0), ("c", 6.0)] and x.grad.item() == 7.0


def test_c13_hooks_act_on_a_pass_not_on_the_total():
    x = leaf(1.0)
    x.register_hook(lambda g: g * 2.0)
    for _ in range(2):
        (x * 3.0).backward()
    assert x.grad.item() == 12.0


def test_c13_hooks_run_once_with_the_sum_and_act_upstream():
    x, record = leaf(1.0), Record()
    y = x * 1.0
    y.register_hook(record("y"))
    y.register_hook(lambda g: g * 10.0)
    z = y * 2.0 + y * 3.0
    assert grad(z, x, retain_graph=True)[0].item() == 50.0
    z.backward()
    assert [(n, g.item()) for n, g in record] == [("y", 5.0)] * 2 and x.grad.item() == 50.0


@pytest.mark.parametrize("result, words", [
    (lambda g: 5, "int"),
    (lambda g: g.sum(), r"shape.*2.*float32\[\]"),
    (lambda g: g.double(), "float64.*float32|float32.*float64"),
    (lambda g: (g,), "tuple"),
], ids=["kind", "shape", "dtype", "tuple"])
def test_c13_what_a_hook_returns_is_checked_and_the_hook_is_named(result, words):
    def misbehaved(g):
        return result(g)

    for t in (leaf([1.0, 2.0]), leaf([1.0, 2.0]) * 1.0):
        t.register_hook(misbehaved)
        with pytest.raises(FunctapeError, match=words) as caught:
            (t * 2.0).sum().backward()
        assert "misbehaved" in str(caught.value)


def test_c13_hooks_belong_on_tensors_that_require_grad():
    with pytest.raises(FunctapeError, match="require"):
        ft.tensor(1.0).register_hook(print)
    with pytest.raises(FunctapeError, match="hook.*call|call.*hook"):
        leaf(1.0).register_hook("print")


def test_c13_hooks_do_not_run_where_no_gradient_comes():
    x, record = leaf([1.0, 1.0]), Record()
    a, b = np.split(x * 1.0, 2)
    a.register_hook(record("a"))
    b.register_hook(record("b"))
    b.sum().backward()
    assert record.names == ["b"] and x.grad.tolist() == [0.0, 1.0]


def test_c13_a_hook_may_change_its_gradient_in_place():
    x, y = retained([1.0, 1.0])
    y.register_hook(lambda g: g.mul_(5.0))
    other = x * 1.0
    other.retain_grad()
    (y + other).sum().backward()  # one array of ones for both
    assert y.grad.tolist() == [5.0, 5.0] and other.grad.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [6.0, 6.0]

    def quiet(g):
        g.mul_(5.0)

    w, seen = leaf([1.0, 1.0]), []
    w.register_hook(quiet)
    w.register_hook(lambda g: seen.append(g.tolist()))
    w.sum().backward()
    assert seen == [[1.0, 1.0]] and w.grad.tolist() == [1.0, 1.0]  # it must return a change


def test_c13_handles():
    x, record = leaf(1.0), Record()
    hook = record("x")
    first, second = x.register_hook(hook), x.register_hook(hook)
    (x * 1.0).backward()
    assert record.names == ["x", "x"]
    first.remove()
    first.remove()
    (x * 1.0).backward()
    assert len(record) == 3
    with second, x.register_hook(record("inner")):
        (x * 1.0).backward()
    (x * 1.0).backward()
    assert record.names[3:] == ["x", "inner"]


def test_c13_hooks_removed_or_added_by_a_running_hook_count_from_the_next_pass():
    x, record = leaf(1.0), Record()

    def first(g):
        later.remove()
        if "first" not in record.names:
            x.register_hook(record("new"))
        record("first")(g)

    x.register_hook(first)
    later = x.register_hook(record("later"))
    (x * 1.0).backward()
    assert record.names == ["first", "later"]
    (x * 1.0).backward()
    assert record.names[2:] == ["first", "new"]


def test_c13_exceptions_pass_unchanged_and_what_was_delivered_stays():
    class Mine(Exception):
        pass

    def fail(g):
        raise error

    error = Mine("here")
    x, w = leaf(2.0), leaf(3.0)
    y = x * 1.0
    y.register_hook(fail)
    z = y * w
    with pytest.raises(Mine) as caught:
        z.backward()
    assert caught.value is error and w.grad.item() == 2.0 and x.grad is None


def test_c13_hooks_do_not_follow_copies():
    x, record = leaf(1.0), Record()
    x.register_hook(record("x"))
    d = x.detach().requires_grad_()
    (d * 1.0).backward()
    (x.clone() * 1.0).backward()
    assert record.names == ["x"]


def test_c13_hooks_of_a_recorded_pass_are_part_of_the_graph():
    x = leaf(2.0)
    x.register_hook(lambda g: g * x)
    (g,) = grad(x**3, x, create_graph=True)  # 3 x^3
    x2 = grad(g, x)[0]
    assert g.item() == 24.0 and x2.item() == 72.0  # 9 x^2 = 36, times x by the hook


# --- 14. hooks of nodes ---------------------------------------------------------------------------


def test_c14_order_of_hooks_on_a_leaf_and_on_a_node():
    x, record = leaf(1.0), Record()
    acc = accumulator(x)
    acc.register_hook(lambda gi, go: record("node").__call__(gi))
    x.register_post_accumulate_grad_hook(record("after"))
    acc.register_prehook(record("pre"))
    x.register_hook(record("tensor"))
    (x * 1.0).backward()
    assert record.names == ["tensor", "pre", "after", "node"]

    class Note(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            record("apply")(g)
            return g

    record.clear()
    y = Note.apply(leaf(1.0))
    y.grad_fn.register_hook(lambda gi, go: record("node")(gi))
    y.grad_fn.register_prehook(record("pre"))
    y.register_hook(record("tensor"))
    y.backward()
    assert record.names == ["tensor", "pre", "apply", "node"]


def test_c14_node_hooks_see_a_place_for_each_input():
    x, seen = leaf(3.0), []
    y = x * ft.tensor(2.0)
    y.grad_fn.register_hook(lambda gi, go: seen.append((gi, go)))
    y.backward(ft.tensor(4.0))
    (gi, go), = seen
    assert isinstance(gi, tuple) and isinstance(go, tuple) and len(gi) == 2 and len(go) == 1
    assert gi[0].item() == 8.0 and gi[1] is None and go[0].item() == 4.0


def test_c14_node_hooks_can_replace_gradients():
    x, w = leaf(3.0), leaf(5.0)
    y = x * w
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10.0, None))
    y.grad_fn.register_prehook(lambda go: (go[0] + 1.0,))
    y.backward()
    assert x.grad.item() == 100.0 and w.grad is None
    z = leaf(2.0)
    out = z.exp()
    out.grad_fn.register_hook(lambda gi, go: (None,))
    out.backward()
    assert z.grad is None


@pytest.mark.parametrize("register, result, words", [
    ("register_hook", lambda gi, go: gi[0], "tuple or None.*float32"),
    ("register_hook", lambda gi, go: (gi[0],) * 3, "3.*2|2.*3"),
    ("register_prehook", lambda go: go[0], "tuple or None.*float32"),
    ("register_prehook", lambda go: go * 2, "2.*1|1.*2"),
    ("register_hook", lambda gi, go: (5, None), "int"),
])
def test_c14_what_node_hooks_return_is_checked(register, result, words):
    def misbehaved(*given):
        return result(*given)

    y = leaf(1.0) * leaf(2.0)
    getattr(y.grad_fn, register)(misbehaved)
    with pytest.raises(FunctapeError, match=words) as caught:
        y.backward()
    assert "misbehaved" in str(caught.value)


def test_c14_node_hooks_can_be_removed():
    x, record = leaf(1.0), Record()
    y = x * 1.0
    with y.grad_fn.register_prehook(record("pre")):
        y.backward(retain_graph=True)
    handle = y.grad_fn.register_hook(lambda gi, go: record("hook")(gi))
    handle.remove()
    y.backward()
    assert record.names == ["pre"]


def test_c14_node_hooks_run_in_grad_too():
    x, record = leaf(1.0), Record()
    y = x * 2.0
    y.grad_fn.register_prehook(record("y"))
    accumulator(x).register_hook(lambda gi, go: record("x")(go))
    grad(y, x)
    assert record.names == ["y"]  # the accumulator does not run


# --- 15. hooks after the accumulation -------------------------------------------------------------


def test_c15_hooks_after_the_accumulation():
    x, seen = leaf(1.0), []
    first = x.register_post_accumulate_grad_hook(lambda t: seen.append(("1", t.grad.item())))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(("2", t is x)))
    (x * 2.0).backward()
    first.remove()
    (x * 2.0).backward()
    grad(x * 2.0, x)
    assert seen == [("1", 2.0), ("2", True), ("2", True)]


def test_c15_they_may_take_the_gradient_away():
    x = leaf(1.0)

    def step(t):
        with ft.no_grad():
            t.sub_(t.grad * 0.5)
        t.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 1.0).backward()
    assert x.grad is None and x.item() == 0.5


def test_c15_what_is_refused():
    x = leaf(1.0)
    for t in (x * 1.0, ft.tensor(1.0)):
        with pytest.raises(FunctapeError, match="lea[fv]|require"):
            t.register_post_accumulate_grad_hook(print)

    def misbehaved(t):
        return 5

    x.register_post_accumulate_grad_hook(misbehaved)
    with pytest.raises(FunctapeError, match="misbehaved.*None|None.*misbehaved"):
        (x * 1.0).backward()


# --- 16. kept gradients ---------------------------------------------------------------------------


def test_c16_where_there_is_nothing_to_keep():
    x = leaf(1.0)
    x.retain_grad()
    assert not x.retains_grad
    with pytest.raises(FunctapeError, match="require"):
        ft.tensor(1.0).retain_grad()


def test_c16_it_runs_after_all_hooks_whatever_the_order():
    x = leaf(1.0)
    y = x * 3.0
    y.register_hook(lambda g: g * 10.0)
    y.retain_grad()
    y.register_hook(lambda g: g * 100.0)
    y.backward()
    assert y.grad.item() == 1000.0 and x.grad.item() == 3000.0 and y.retains_grad


def test_c16_twice_is_once_and_too_late_is_nothing():
    x, y = retained()
    y.retain_grad()
    y.backward()
    assert y.grad.item() == 1.0
    z = x * x
    z.backward()
    z.retain_grad()
    assert z.retains_grad and z.grad is None


def test_c16_it_adds_up_out_of_place():
    x, y = retained()
    y.backward(retain_graph=True)
    first = y.grad
    y.backward(retain_graph=True)
    assert first.item() == 1.0 and y.grad.item() == 2.0 and y.grad is not first
    y.grad = ft.tensor(7.0)
    mine = y.grad
    y.backward()
    assert y.grad.item() == 8.0 and mine.item() == 7.0


def test_c16_it_works_in_grad_and_in_recorded_passes():
    x, y = retained()
    grad(y * 6.0, x)
    assert y.grad.item() == 6.0 and x.grad is None
    x, y = retained(3.0)
    (y**3).backward(create_graph=True)
    assert y.grad.item() == 27.0 and grad(y.grad, x)[0].item() == 18.0


def test_c16_it_follows_the_tensor_and_hooks_stay_with_the_value():
    x = leaf(3.0)
    y = x * 3.0
    y.retain_grad()
    record = Record()
    y.register_hook(record("before"))
    y.mul_(2.0)
    y.backward()
    assert y.grad.item() == 1.0 and x.grad.item() == 6.0
    assert [g.item() for _, g in record] == [2.0]


def test_c16_reading_a_kept_gradient_is_silent():
    _, y = retained()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert y.grad is None
        y.backward()
        assert y.grad.item() == 1.0
