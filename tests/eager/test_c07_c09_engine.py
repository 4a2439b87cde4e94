"""The walk: one rule for all orders, its order, and what it frees (topics 7 to 9)."""

import pytest
from eager_helpers import Record, accumulator, leaf

import functape as ft
from functape.autograd import Function, grad
from functape.autograd.graph import get_gradient_edge
from functape.errors import GraphError

np = ft.numpy
FREED = "freed"


# --- 7. one backward formula ----------------------------------------------------------------------

FUNCTIONS = {
    "power": lambda x: x**3,
    "quotient": lambda x: 1.0 / (1.0 + x * x),
    "outputs": lambda x: x.exp() * x.tanh() * x.sqrt(),
    "maximum": lambda x: np.maximum(x, 2.0) * x,
    "norm": lambda x: np.linalg.norm(x) * x,
    "product": lambda x: np.prod(x) * x,
    "sort": lambda x: np.sort(x)[::-1] * x,
    "matmul": lambda x: (x[:, None] @ x[None, :]).sum(axis=0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_c07_recorded_and_plain_passes_agree(name):
    x = leaf([1.0, 3.0, 2.0], "float64")
    y = FUNCTIONS[name](x).sum()
    (plain,) = grad(y, x, retain_graph=True)
    (recorded,) = grad(y, x, create_graph=True)
    assert recorded.tolist() == pytest.approx(plain.tolist(), rel=1e-14)
    assert not plain.requires_grad and plain.is_leaf and plain.grad_fn is None
    assert recorded.requires_grad and recorded.grad_fn is not None


def test_c07_backward_runs_with_the_mode_of_create_graph():
    seen = []

    class Look(Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(("forward", ft.is_grad_enabled()))
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            seen.append(("backward", ft.is_grad_enabled()))
            return g * 2.0

    x = leaf(1.0)
    y = Look.apply(x)
    y.register_hook(lambda g: seen.append(("hook", ft.is_grad_enabled())))
    y.backward(retain_graph=True)
    with ft.no_grad():
        y.backward(create_graph=True)
    assert seen == [("forward", False), ("hook", False), ("backward", False),
                    ("hook", True), ("backward", True)]
    assert ft.is_grad_enabled()


def test_c07_four_derivatives_in_turn():
    x = leaf(2.0)
    y, values = x**4, []
    for _ in range(4):
        (y,) = grad(y, x, create_graph=True)
        values.append(y.item())
    assert values == [32.0, 48.0, 48.0, 24.0]


# --- 8. the walk ----------------------------------------------------------------------------------


def test_c08_what_was_made_last_comes_first():
    x, record = leaf(1.0), Record()
    y = x * 1.0
    a = y * 2.0
    b = y * 3.0
    for name, t in (("y", y), ("a", a), ("b", b)):
        t.register_hook(record(name))
    (a + b).backward()
    assert record.names == ["b", "a", "y"] and record[-1][1].item() == 5.0


def test_c08_leaves_run_as_soon_as_they_are_ready():
    x, w, record = leaf(1.0), leaf(1.0), Record()
    a = x * 2.0
    b = a * w
    a.register_hook(record("a"))
    for name, t in (("x", x), ("w", w)):
        t.register_post_accumulate_grad_hook(record(name))
    b.exp().backward()
    assert record.names == ["w", "a", "x"]


def test_c08_order_does_not_depend_on_how_a_node_is_reached():
    x, record = leaf(1.0), Record()
    early = x * 2.0
    late = x * 3.0
    early.register_hook(record("early"))
    late.register_hook(record("late"))
    for out in (early + late, late + early):
        record.clear()
        out.backward(retain_graph=True)
        assert record.names == ["late", "early"]


def test_c08_a_node_runs_once_when_all_has_arrived():
    calls = []

    class Count(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            calls.append(g.item())
            return g

    x = leaf(1.0)
    y = Count.apply(x)
    z = y * 2.0
    (z + z * 3.0 + y).backward()  # 2 + 6 + 1
    assert calls == [9.0] and x.grad.item() == 9.0


def test_c08_a_million_paths():
    x = leaf(1.0)
    y = x
    for _ in range(20):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**20


def test_c08_places_without_a_gradient_stay_none():
    got = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1.0, x * 2.0

        @staticmethod
        def backward(ctx, a, b):
            got.append((a, b.item()))
            return b * 2.0

    x = leaf(1.0)
    a, b = Two.apply(x)
    (b * 3.0).backward()
    assert got == [(None, 3.0)] and x.grad.item() == 6.0


def test_c08_sums_do_not_write_to_what_arrived():
    x, kept = leaf([1.0, 1.0]), []
    a, b = x * 2.0, x * 3.0
    for t in (a, b):
        t.register_hook(kept.append)
        t.retain_grad()
    (a + b + a).sum().backward()
    assert [g.tolist() for g in kept] == [[1.0, 1.0], [2.0, 2.0]]
    assert a.grad.tolist() == [2.0, 2.0] and b.grad.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [7.0, 7.0]


# --- 9. freeing -----------------------------------------------------------------------------------


def test_c09_a_second_pass_over_freed_values_names_the_node():
    x = leaf(2.0)
    y = x.exp() * x
    y.backward()
    with pytest.raises(GraphError, match="MultiplyBackward.*freed.*retain_graph=True"):
        y.backward()
    with pytest.raises(GraphError, match=FREED):
        grad(y, x)


def test_c09_graphs_that_saved_nothing_can_be_walked_again():
    x = leaf([1.0, 1.0])
    y = (x + x).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_c09_a_sibling_of_a_freed_node():
    x = leaf(2.0)
    shared = x * x
    a, b = shared * 3.0, shared + 1.0
    a.backward()
    with pytest.raises(GraphError, match="MultiplyBackward.*" + FREED):
        b.backward()
    assert x.grad.item() == 12.0


def test_c09_only_walked_nodes_are_freed():
    x = leaf(2.0)
    inner = x * x
    outer = inner * inner
    assert grad(outer, inner)[0].item() == 8.0
    inner.backward()  # its own node was not walked
    assert x.grad.item() == 4.0
    with pytest.raises(GraphError, match=FREED):
        outer.backward()


@pytest.mark.parametrize("first, again", [
    ({"retain_graph": True}, True), ({"create_graph": True}, True),
    ({"create_graph": True, "retain_graph": False}, False), ({}, False),
    ({"retain_graph": False}, False)])
def test_c09_retaining_is_the_default_of_recorded_passes(first, again):
    x = leaf(2.0)
    y = x**3
    (g,) = grad(y, x, **first)
    if first.get("create_graph"):
        assert grad(g, x, retain_graph=True)[0].item() == 12.0
    else:
        assert not g.requires_grad
    if again:
        assert grad(y, x)[0].item() == 12.0
    else:
        with pytest.raises(GraphError, match=FREED):
            grad(y, x)


def test_c09_a_pass_that_fails_has_used_up_what_it_walked():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            raise KeyError("mine")

    x, w = leaf(3.0), leaf(1.0)
    y = Fails.apply(x) * w
    y.retain_grad()
    with pytest.raises(KeyError, match="mine"):
        y.backward()
    assert w.grad.item() == 3.0 and x.grad is None and y.grad.item() == 1.0  # as delivered
    with pytest.raises(GraphError, match="MultiplyBackward.*" + FREED):
        y.backward()


def test_c09_edges_stay_after_the_pass():
    x = leaf(2.0)
    y = x * x
    node = y.grad_fn
    y.backward()
    assert y.grad_fn is node and not y.is_leaf and y.requires_grad
    assert node.next_functions[0][0] is accumulator(x)
    assert grad(y, get_gradient_edge(y))[0].item() == 1.0


def test_c09_saved_values_cannot_be_read_after_they_were_freed():
    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf(2.0)
    y = Keep.apply(x)
    assert y.grad_fn.saved_tensors[0] is x
    y.backward()
    with pytest.raises(GraphError, match="KeepBackward.*" + FREED):
        y.grad_fn.saved_tensors  # noqa: B018
    with pytest.raises(GraphError, match="KeepBackward.*" + FREED):
        y.backward()


def test_c09_the_remedy_works_also_after_a_recorded_pass():
    x = leaf(2.0)
    y = x * x
    y.backward(create_graph=True)
    y.backward()
    assert x.grad.item() == 8.0
    with pytest.raises(GraphError, match=FREED):
        y.backward()


def test_c08_a_diamond_of_a_million_paths_is_walked_by_nodes():
    x = ft.tensor(1.0, dtype=ft.float64, requires_grad=True)
    y = x
    for _ in range(20):
        y = y + y  # 2^20 paths, 20 nodes
    calls = []
    y.grad_fn.register_prehook(lambda g: calls.append(1))
    y.backward()
    assert x.grad.item() == 2.0**20 and len(calls) == 1


def test_c08_a_thousand_wide_fan_in_is_summed_once():
    x = ft.tensor(2.0, dtype=ft.float64, requires_grad=True)
    arrived = []
    x.register_hook(lambda g: arrived.append(g.item()))
    total = x * 0.0
    for k in range(1, 1001):
        total = total + x * float(k)
    total.backward()
    assert arrived == [500_500.0] and x.grad.item() == 500_500.0


def test_c10_backward_inside_a_transform_is_refused_where_no_leaf_could_take_it():
    def f(x):
        y = x * x
        y.backward()
        return y

    with pytest.raises(GraphError, match="autograd.grad"):
        ft.grad(f)(3.0)
    w = leaf(2.0)
    ft.grad(lambda x: ((w * w).backward(), x * x)[1])(3.0)  # w is a leaf outside: as ever
    assert w.grad.item() == 4.0
