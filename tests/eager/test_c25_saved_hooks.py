"""Hooks around what the tape saves, and checkpoints built on them (topics 25 and 26)."""

import threading

import pytest
from eager_helpers import leaf

import functape as ft
from functape.autograd import Function, backward, grad
from functape.autograd.graph import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from functape.errors import FunctapeError, InplaceError

np = ft.numpy


def noting(packed, unpacked):
    def pack(t):
        packed.append(t)
        return t

    def unpack(t):
        unpacked.append(t)
        return t

    return saved_tensors_hooks(pack, unpack)


# --- 25. saved tensor hooks -----------------------------------------------------------------------


def test_c25_pack_is_called_for_each_place_and_unpack_for_each_use():
    x, packed, unpacked = leaf(3.0), [], []
    with noting(packed, unpacked):
        y = x * x
    assert len(packed) == 2 and all(t is x for t in packed) and not unpacked
    y.backward(retain_graph=True)
    assert len(unpacked) == 2
    y.backward()
    assert len(packed) == 2 and len(unpacked) == 4 and x.grad.item() == 12.0


def test_c25_what_saves_nothing_is_not_packed():
    packed = []
    with noting(packed, []):
        y = leaf(3.0) + leaf(2.0)
        z = ft.tensor(3.0) * 2.0
    assert not packed
    y.backward()
    assert z.item() == 6.0


def test_c25_any_object_can_be_kept():
    x, store = leaf([1.0, 2.0]), {}

    def pack(t):
        store[len(store)] = t.detach().numpy()
        return len(store) - 1

    with saved_tensors_hooks(pack, lambda n: ft.asarray(store[n])):
        y = (x.exp() * x).sum()
    y.backward()
    e = [2.718281828, 7.389056099]
    assert x.grad.tolist() == pytest.approx([2 * e[0], 3 * e[1]], rel=1e-6)
    assert sorted(store) == [0, 1, 2]


def test_c25_only_the_innermost_hooks_act():
    outer, inner = [], []
    with noting(outer, []):
        with noting(inner, []):
            y = leaf(1.0) * leaf(1.0)
        assert len(inner) == 2 and not outer
        z = leaf(1.0) * leaf(1.0)
    assert len(outer) == 2 and len(inner) == 2
    (y + z).backward()


def test_c25_threads_have_their_own():
    packed = []

    def work():
        (leaf(1.0) * leaf(1.0)).backward()

    with noting(packed, []):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert not packed


def test_c25_exceptions_end_the_block():
    packed = []
    with pytest.raises(KeyError), noting(packed, []):
        raise KeyError
    (leaf(1.0) * leaf(1.0)).backward()
    assert not packed


@pytest.mark.parametrize("unpack, words", [
    (lambda t: 5, "int"),
    (lambda t: ft.ones(3), r"float32\[3\].*float32\[2\]|float32\[2\].*float32\[3\]"),
    (lambda t: t.double(), "float64.*float32|float32.*float64"),
], ids=["kind", "shape", "dtype"])
def test_c25_what_unpack_returns_is_checked(unpack, words):
    x = leaf([1.0, 2.0])
    with saved_tensors_hooks(lambda t: t, unpack):
        y = (x * x).sum()
    with pytest.raises(FunctapeError, match=words) as caught:
        y.backward()
    assert "unpack" in str(caught.value)


def test_c25_pack_may_not_change_what_it_is_given():
    with saved_tensors_hooks(lambda t: t.detach().mul_(2.0), lambda t: t):
        x = leaf([1.0]) * 1.0
        with pytest.raises(InplaceError):
            (x * x).backward()


def test_c25_results_can_be_differentiated_again():
    x = leaf(2.0)
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x**3
        (g,) = grad(y, x, create_graph=True)
    assert g.item() == 12.0 and grad(g, x)[0].item() == 12.0
    with saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        y = x**3
    (g,) = grad(y, x, create_graph=True)  # what came back was off the tape
    assert g.item() == 12.0


def test_c25_functions_are_packed_too():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 2.0 * ctx.saved_tensors[0]

    x, packed, unpacked = leaf(3.0), [], []
    with noting(packed, unpacked):
        y = Square.apply(x)
    y.backward()
    assert len(packed) == len(unpacked) == 1 and packed[0] is x and x.grad.item() == 6.0


def test_c25_hooks_can_be_forbidden():
    with disable_saved_tensors_hooks("not in here, please"):
        with pytest.raises(RuntimeError, match="not in here, please"):
            with saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
        x = leaf(2.0)
        (x * x).backward()
    assert x.grad.item() == 4.0
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


def test_c25_save_on_cpu_keeps_things_as_they_are():
    x = leaf(3.0)
    with save_on_cpu(pin_memory=True):
        y = x * x
    y.backward()
    assert x.grad.item() == 6.0


def test_c25_two_arguments_that_can_be_called():
    with pytest.raises(FunctapeError, match="call"):
        saved_tensors_hooks(None, lambda t: t)


# --- 26. checkpoint -------------------------------------------------------------------------------


def noted():
    """A function of x that closes over w, and the list of its runs."""
    runs, w = [], leaf([2.0, 3.0], "float64")

    def f(x):
        runs.append(ft.is_grad_enabled())
        return np.sin(x * w) * x

    return f, w, runs


def test_c26_backward_reaches_arguments_and_what_is_closed_over():
    f, w, runs = noted()
    x = leaf([1.0, 2.0], "float64")
    plain = grad(f(x).sum(), (x, w))
    runs.clear()
    y = ft.checkpoint(f)(x)
    assert runs == [True]
    y.sum().backward()
    assert runs == [True, True]
    assert x.grad.tolist() == plain[0].tolist() and w.grad.tolist() == plain[1].tolist()


def test_c26_constant_arguments_are_enough():
    f, w, runs = noted()
    ft.checkpoint(f)(ft.tensor([1.0, 2.0], dtype="float64")).sum().backward()
    assert w.grad is not None and runs == [True, True]


def test_c26_grad_and_higher_orders():
    f, w, _ = noted()
    x = leaf([1.0, 2.0], "float64")
    results = []
    for g in (f, ft.checkpoint(f), ft.checkpoint(ft.checkpoint(f))):
        (a,) = grad(g(x).sum(), x, create_graph=True)
        results.append([t.tolist() for t in grad((a * a).sum(), (x, w))])
    assert results[1] == results[0] and results[2] == results[0]
    assert x.grad is None and w.grad is None


def test_c26_nothing_is_run_again_without_a_pass_and_each_retained_pass_works():
    f, w, runs = noted()
    x = leaf([1.0, 2.0], "float64")
    with ft.no_grad():
        ft.checkpoint(f)(x)
    assert runs == [False]
    y = ft.checkpoint(f)(x).sum()
    y.backward(retain_graph=True)
    once = x.grad.tolist()
    y.backward()
    assert x.grad.tolist() == [2 * v for v in once]


def test_c26_tuples_and_trees():
    x = leaf(3.0)
    a, rest = ft.checkpoint(lambda d: (d["x"] * d["x"], {"b": d["x"] * 2.0}))({"x": x})
    backward([a, rest["b"]])
    assert x.grad.item() == 8.0


def test_c26_the_error_names_the_first_difference():
    from functape.autograd.checkpoint import CheckpointError

    sizes = iter([2, 3])
    f = ft.checkpoint(lambda x: (np.ones(next(sizes)) * x).sum())
    y = f(leaf(1.0) * 1.0) * 1.0
    with pytest.raises(CheckpointError, match=r"\[2\].*\[3\]|\[3\].*\[2\]"):
        y.backward()


@pytest.mark.parametrize("which", ["argument", "closed over"])
def test_c26_a_change_between_the_runs_is_never_silent(which):
    x0, w0 = leaf([1.0]), leaf([2.0])
    x, w = x0 * 1.0, w0 * 1.0
    y = ft.checkpoint(lambda x: (x * x * w).sum())(x)
    (x if which == "argument" else w).mul_(3.0)
    try:
        y.backward()
    except FunctapeError as error:
        assert "changed in place" in str(error)
    else:
        assert x0.grad.tolist() == [4.0] and w0.grad.tolist() == [1.0]
