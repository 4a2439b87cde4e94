"""Lifetimes, and threads (topics 28 and 29); `test_lifetimes.py` has more of the first."""

import gc
import threading
import weakref

import mlx.core as mx
import pytest
from eager_helpers import leaf, no_collector

import functape as ft
from functape.autograd import Function, grad
from functape.errors import GraphError
from functape.tape import Node

np = ft.numpy


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2.0

    @staticmethod
    def backward(ctx, g):
        ctx.saved_tensors  # noqa: B018
        return g * 2.0


# --- 28. lifetimes --------------------------------------------------------------------------------


def test_c28_nodes_are_small_and_can_be_watched():
    x = leaf(1.0)
    nodes = [(x * x).grad_fn, x.exp().grad_fn, (x * 1.0).grad_fn.next_functions[0][0]]
    for node in nodes:
        assert weakref.ref(node)() is node
        assert not hasattr(node, "__dict__") and not hasattr(type(node), "__del__")
    assert not hasattr(ft.Tensor, "__del__") and not hasattr(x, "__dict__")


def test_c28_a_node_does_not_hold_its_output():
    with no_collector():
        x = leaf([1.0, 2.0])
        for f in (np.exp, np.tanh, Double.apply, lambda x: np.split(x, 2)[0], lambda x: x * x):
            y = f(x)
            node, ref = y.grad_fn, weakref.ref(y)
            del y
            assert ref() is None and node is not None


@pytest.mark.parametrize("make_loss", [
    lambda x: (x.exp() * x).sum(),
    lambda x: Double.apply(x * x).sum(),
    lambda x: ft.checkpoint(lambda x: x.sin() * x)(x).sum(),
    lambda x: np.linalg.norm(x.reshape(1, 2) @ x.reshape(2, 1)),
], ids=["ops", "function", "checkpoint", "linalg"])
def test_c28_ten_recorded_steps_leave_nothing(make_loss):
    with no_collector():
        x, refs = leaf([1.0, 2.0]), []
        for _ in range(10):
            loss = make_loss(x)
            loss.backward(create_graph=True)
            penalty = (x.grad * x.grad).sum()
            refs += [weakref.ref(t) for t in (loss, loss.grad_fn, x.grad, x.grad.grad_fn, penalty)]
            x.grad = None
            penalty.backward()
            x.grad = None
        del loss, penalty
        assert [r() for r in refs] == [None] * 50


def test_c28_a_hook_that_holds_its_own_tensor_is_the_users_cycle_only():
    with no_collector():
        x, log = leaf(1.0), []
        y = x * 2.0
        handle = y.register_hook(log.append)
        ref = weakref.ref(y)
        y.backward()
        del y
        assert ref() is None
        handle.remove()


def long_chain(kind, length):
    x = leaf(1.0)
    y = x * 1.0
    for _ in range(length):
        if kind == "in place":
            y.mul_(1.0)
        elif kind == "function":
            y = Double.apply(y) * 0.5
        else:
            y = y + 1.0
            y.retain_grad()
    return x, y


@pytest.mark.parametrize("kind, length", [("in place", 20_000), ("function", 5_000),
                                          ("kept", 5_000)])
def test_c28_long_chains(kind, length):
    x, y = long_chain(kind, length)
    y.backward()
    assert x.grad.item() == 1.0
    ref = weakref.ref(y.grad_fn)
    del y
    assert ref() is None


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["in place", "kept"])
def test_c28_a_chain_of_a_million(kind):
    x, y = long_chain(kind, 1_000_000)
    assert grad(y, x, retain_graph=True)[0].item() == 1.0
    y.backward()
    assert x.grad.item() == 1.0


# --- 29. threads ----------------------------------------------------------------------------------


def in_threads(count, work):
    """Run `work(i)` in threads that start together; the exceptions they raised."""
    barrier, errors = threading.Barrier(count), []

    def run(i):
        barrier.wait()
        try:
            work(i)
        except Exception as error:  # noqa: BLE001  (handed to the test)
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors


@pytest.mark.parametrize("create_graph", [False, True])
def test_c29_sums_on_a_shared_leaf_are_exact(create_graph):
    x = leaf([1.0, 1.0])

    def work(_):
        for _ in range(50):
            (x * 2.0).sum().backward(create_graph=create_graph)

    assert not in_threads(4, work)
    assert x.grad.tolist() == [400.0, 400.0]


def test_c29_a_retained_graph_can_be_walked_by_many():
    x = leaf(1.0)
    y = (x * x).exp().log() * 2.0
    y.backward(retain_graph=True)
    one = x.grad.item()
    x.grad = None
    y.block_until_ready()  # MLX computes what is lazy in the thread that made it

    def work(_):
        for _ in range(100):
            y.backward(retain_graph=True)

    assert not in_threads(2, work)
    assert x.grad.item() == pytest.approx(200 * one, rel=1e-6) and one == pytest.approx(4.0)


def test_c29_without_retaining_one_walk_wins():
    for _ in range(20):
        x = leaf(1.0)
        y = x
        for _ in range(20):
            y = y * x
        y.block_until_ready()
        errors = in_threads(2, lambda _, y=y: y.backward())
        assert len(errors) == 1 and isinstance(errors[0], GraphError) and "freed" in str(errors[0])
        assert x.grad.item() == 21.0


def test_c29_the_pass_runs_in_the_calling_thread():
    x, seen = leaf(1.0), []
    y = x * 2.0
    y.register_hook(lambda g: seen.append(threading.get_ident()))
    y.backward(retain_graph=True)
    x.grad.block_until_ready()
    assert not in_threads(1, lambda _: y.backward())
    assert seen[0] == threading.get_ident() != seen[1] and x.grad.item() == 4.0


def test_c29_a_lazy_graph_of_another_thread_is_an_error_with_a_remedy():
    """MLX computes lazily, and in the thread only where an operation was recorded."""
    x = leaf([1.0, 2.0])
    y = (x.exp() * x).sum()
    for error in in_threads(1, lambda _: y.backward()):
        assert isinstance(error, GraphError) and "block_until_ready" in str(error)


def test_c29_modes_of_a_pass_are_those_of_its_thread():
    x, seen = leaf(2.0), []

    def work(i):
        for _ in range(20):
            if i:
                with ft.no_grad():
                    seen.append((x * x).requires_grad)
            else:
                (g,) = grad(x**3, x, create_graph=True)
                seen.append(not g.requires_grad)

    assert not in_threads(2, work) and not any(seen)


def test_c29_tensors_may_outlive_their_thread():
    made = []
    in_threads(1, lambda _: made.append(leaf(3.0)))
    x, = made
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_c29_hooks_are_registered_and_removed_while_others_walk():
    x = leaf(1.0)

    def work(i):
        for _ in range(100):
            if i:
                (x * 1.0).backward()
            else:
                x.register_hook(lambda g: None).remove()

    assert not in_threads(2, work) and x.grad.item() == 100.0


@pytest.mark.nightly
@pytest.mark.parametrize("create_graph", [False, True])
def test_c28_ten_thousand_steps_without_a_collector_leave_nothing(create_graph):
    class Square(ft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    def step(w, i):
        w.grad = None
        h = (w * 0.5).tanh()
        handle = h.register_hook(lambda g: g * 1.0 if i % 3 else 1 / 0)
        try:
            Square.apply(h).sum().backward(create_graph=create_graph)
        except ZeroDivisionError:
            return  # half-way: what was recorded must go all the same
        finally:
            handle.remove()
        with ft.no_grad():
            w.sub_(1e-4 * w.grad)
        w.detach().block_until_ready()

    w = ft.tensor([1.0, -2.0, 0.5], requires_grad=True)
    counts, memory = [], []
    gc.collect()
    gc.disable()
    try:
        for i in range(10_000):
            step(w, i)
            if i % 2_500 == 2_499:
                w.grad = None
                counts.append(sum(issubclass(type(o), (ft.Tensor, Node)) for o in gc.get_objects()))
                memory.append(mx.get_active_memory())
    finally:
        gc.enable()
    assert len(set(counts)) == 1, counts
    assert max(memory) - min(memory) < 4096, memory


def test_c29_eight_threads_add_exactly():
    w = ft.tensor([1.0, 2.0], requires_grad=True)

    def work():
        for _ in range(1_000):
            (w * 2.0).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert w.grad.tolist() == [16_000.0, 16_000.0]
