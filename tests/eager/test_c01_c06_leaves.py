"""Leaves: their slots, accumulators and gradients (topics 1 to 6 of the eager face)."""

import warnings
import weakref

import pytest
from eager_helpers import Record, accumulator, leaf, no_collector

import functape as ft
from functape.autograd import Function, grad
from functape.errors import ArgumentError, ShapeError


def square_sum(x):
    return (x * x).sum()


# --- 1. slots -------------------------------------------------------------------------------------


def test_c01_a_leaf_never_has_a_grad_fn():
    x = leaf([1.0, 2.0])
    assert x.grad_fn is None and x.is_leaf
    y = x * 2.0
    assert x.grad_fn is None and x.is_leaf
    y.sum().backward()
    x.register_hook(lambda g: None)
    assert x.grad_fn is None and x.is_leaf


def test_c01_is_leaf_is_no_grad_fn():
    x, plain = leaf(1.0), ft.tensor(1.0)
    for t in (x, plain, plain * 2.0, x.detach(), x * 2.0, x.clone(), x.sum()):
        assert t.is_leaf == (t.grad_fn is None)
    assert (plain * 2.0).is_leaf and not (x * 2.0).is_leaf and not x.clone().is_leaf


def test_c01_names_of_nodes():
    x = leaf(1.0)
    assert [f(x).grad_fn.name for f in (lambda x: x * 2, lambda x: x + 2, lambda x: x.exp())] == [
        "MultiplyBackward", "AddBackward", "ExpBackward"]


# --- 2. the accumulator ---------------------------------------------------------------------------


def test_c02_one_accumulator_for_life():
    x = leaf(2.0)
    y = x * x
    node = y.grad_fn.next_functions[0][0]
    assert node is y.grad_fn.next_functions[1][0] is accumulator(x)
    assert node.name == "AccumulateGrad" and node.variable is x and node.next_functions == ()
    number, seen = id(node), []
    node.register_hook(lambda gi, go: seen.append((gi, go[0].item())))
    del y, node  # the graph is gone; the accumulator and its hook stay
    (x * 3.0).backward()
    assert id(accumulator(x)) == number
    assert seen == [((), 3.0)]


def test_c02_hooks_of_the_accumulator_see_the_sum_once():
    x, seen = leaf([1.0, 1.0, 1.0]), []
    accumulator(x).register_hook(lambda gi, go: seen.append((gi, go[0].tolist())))
    (x * 2.0 + x * 3.0).sum().backward()
    assert seen == [((), [5.0, 5.0, 5.0])]


def test_c02_a_dead_leaf_is_skipped_with_its_hooks():
    x, w, record = leaf(2.0), leaf(3.0), Record()
    x.register_hook(record("hook"))
    x.register_post_accumulate_grad_hook(record("after"))
    node, y = accumulator(x), x * w
    ref = weakref.ref(x)
    del x
    assert ref() is None and node.variable is None
    y.backward()
    assert not record and w.grad.item() == 2.0


def test_c02_a_frozen_leaf_gets_nothing_and_loses_nothing():
    x = leaf([1.0, 1.0])
    y = (x * 2.0).sum()
    x.requires_grad_(False)
    y.backward(retain_graph=True)
    assert x.grad is None
    x.requires_grad_(True)  # the same accumulator is still at work
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_c02_the_gradient_is_cast_to_the_dtype_of_the_leaf():
    x = leaf([1.0, 2.0], "float16")
    (x.float() * 3.0).sum().backward()
    assert x.grad.dtype == x.dtype and x.grad.tolist() == [3.0, 3.0]


def test_c02_the_gradient_of_a_real_leaf_is_real():
    x = leaf(2.0)
    z = x * ft.tensor(3.0 + 4.0j)
    ft.numpy.real(z).backward()
    assert x.grad.dtype == x.dtype and x.grad.item() == 3.0


def test_c02_hooks_after_the_accumulation_run():
    x, seen = leaf(1.0), []
    x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.item())))
    (x * 7.0).backward()
    assert seen == [(True, 7.0)]


# --- 3. saved tensors -----------------------------------------------------------------------------


class Square(Function):
    """x -> x * x, which notes what came back from the tape."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        Square.back = ctx.saved_tensors[0]
        return g * 2.0 * Square.back


def test_c03_a_living_tensor_comes_back_itself():
    for make in (leaf, lambda v: leaf(v) * 1.0):
        x = make(3.0)
        Square.apply(x).backward()
        assert Square.back is x


def test_c03_a_dead_tensor_comes_back_at_its_place():
    x = leaf(3.0)
    y = x * x
    z = Square.apply(y)
    del y
    (g,) = grad(z, x, create_graph=True)  # x^4
    assert g.item() == 108.0 and grad(g, x)[0].item() == 108.0
    Square.back = None


def test_c03_a_changed_tensor_does_not_come_back():
    x = leaf(3.0)
    with ft.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1.0
        z = Square.apply(y)
        y.mul_(100.0)
        z.backward()
    assert Square.back is not y and Square.back.item() == 3.0 and x.grad.item() == 6.0


@pytest.mark.parametrize("f", [
    lambda x: (x * x * x).sum(),
    lambda x: (x.exp() * x.tanh()).sum(),  # saved outputs
    lambda x: (x[1:] * x[:2]).sum() ** 2,
    lambda x: Square.apply(Square.apply(x)).sum(),
], ids=["product", "outputs", "slices", "function"])
def test_c03_gradients_with_a_graph_make_no_cycle(f):
    with no_collector(), warnings.catch_warnings():
        warnings.simplefilter("error")
        x = leaf([1.0, 2.0, 3.0])
        y = f(x)
        y.backward(create_graph=True)
        grad(x.grad.sum(), x, create_graph=True)
        refs = [weakref.ref(t) for t in (x, y, x.grad, y.grad_fn, x.grad.grad_fn)]
        Square.back = None
        del x, y
        assert [r() for r in refs] == [None] * 5


def test_c03_a_graph_does_not_keep_its_leaf():
    with no_collector():
        x = leaf(2.0)
        y = x * x
        ref = weakref.ref(x)
        del x
        assert ref() is None
        y.backward()


# --- 4. whose is .grad ----------------------------------------------------------------------------


@pytest.mark.parametrize("root", [lambda x: x, lambda x: x.view(2, 1).view(2), lambda x: x + 0.0],
                         ids=["leaf", "view", "add"])
def test_c04_the_gradient_is_never_the_seed(root):
    x, seed = leaf([1.0, 1.0]), ft.tensor([2.0, 3.0])
    root(x).backward(seed)
    assert x.grad is not seed and x.grad.tolist() == [2.0, 3.0]
    seed.mul_(10.0)
    assert x.grad.tolist() == [2.0, 3.0]
    x.grad.mul_(7.0)
    assert seed.tolist() == [20.0, 30.0]
    root(x).backward(ft.ones(2))
    assert x.grad.tolist() == [15.0, 22.0] and seed.tolist() == [20.0, 30.0]


def test_c04_the_gradient_is_never_that_of_another_leaf():
    a, b = leaf([1.0, 1.0]), leaf([1.0, 1.0])
    (a + b).sum().backward()
    a.grad.mul_(5.0)
    assert a.grad.tolist() == [5.0, 5.0] and b.grad.tolist() == [1.0, 1.0]


def test_c04_the_gradient_is_never_what_a_hook_has():
    x, mine, got = leaf([1.0]), ft.tensor([4.0]), []
    x.register_hook(got.append)
    x.register_hook(lambda g: mine)
    (x * 2.0).backward()
    (x * 2.0).backward()
    assert x.grad.tolist() == [8.0] and mine.tolist() == [4.0]
    assert [g.tolist() for g in got] == [[2.0], [2.0]]
    assert x.grad is not mine and all(x.grad is not g for g in got)


def test_c04_later_passes_keep_the_object_and_count_versions():
    x = leaf([1.0, 1.0])
    square_sum(x).backward()
    held = x.grad
    assert held.version == 0 and not held.requires_grad and held.is_leaf
    square_sum(x).backward()
    assert x.grad is held and held.version == 1 and held.tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match="version"):
        y = (held * x).sum()  # saves the gradient, which the next pass changes
        square_sum(x).backward()
        y.backward()


def test_c04_zero_grad_leaves_a_held_gradient_alone():
    x = leaf([1.0, 1.0])
    optimizer = ft.optim.SGD([x], 0.1)
    for clear in (x.zero_grad, optimizer.zero_grad):
        x.grad = None
        square_sum(x).backward()
        held = x.grad
        clear()
        assert x.grad is None and held.tolist() == [2.0, 2.0]
        square_sum(x).backward()
        assert x.grad is not held and held.tolist() == [2.0, 2.0]
    for clear in (x.zero_grad, optimizer.zero_grad):
        x.grad = None
        square_sum(x).backward(create_graph=True)
        held = x.grad
        clear(set_to_none=False)
        assert x.grad is held and held.tolist() == [0.0, 0.0] and not held.requires_grad


def test_c04_a_recorded_pass_makes_a_new_object():
    x = leaf(2.0)
    (x * x).backward()
    old = x.grad
    (x * x).backward(create_graph=True)
    assert x.grad is not old and old.item() == 4.0 and x.grad.item() == 8.0
    assert x.grad.requires_grad and x.grad.grad_fn is not None


def test_c04_a_plain_pass_after_a_recorded_one_adds_a_constant():
    x = leaf(2.0)
    (x**3).backward(create_graph=True)
    first = x.grad
    (x**3).backward()
    assert x.grad is first and x.grad.item() == 24.0 and x.grad.grad_fn is not None
    assert grad(x.grad, x)[0].item() == 12.0  # of the first part alone


def test_c04_an_assigned_gradient_is_added_to():
    x, g = leaf([1.0]), ft.tensor([1.0])
    x.grad = g
    assert x.grad is g
    (x * 2.0).backward()
    assert x.grad is g and g.tolist() == [3.0] and g.version == 1
    x.grad = leaf([1.0])
    (x * 2.0).backward()
    assert x.grad.tolist() == [3.0] and x.grad.requires_grad


def test_c04_nothing_aliases_inside_a_pass():
    x = leaf([1.0, 1.0, 1.0])
    h = x * 2.0
    h.retain_grad()
    square_sum(h).backward()
    assert h.grad.tolist() == [4.0] * 3 and x.grad.tolist() == [8.0] * 3 and not h.is_leaf


# --- 5. setting .grad -----------------------------------------------------------------------------


@pytest.mark.parametrize("given, error, words", [
    (lambda x: ft.ones(2), ShapeError, [r"float32\[1\]", r"float32\[2\]"]),
    (lambda x: ft.ones(1, dtype="float64"), ArgumentError, [r"float32", "float64", "astype"]),
    (lambda x: 5, ArgumentError, ["5", "int", "tensor"]),
    (lambda x: x, ArgumentError, ["its own grad"]),
], ids=["shape", "dtype", "kind", "itself"])
def test_c05_what_grad_can_be_set_to(given, error, words):
    x = leaf([1.0])
    for word in words:
        with pytest.raises(error, match=word):
            x.grad = given(x)
    assert x.grad is None


def test_c05_grad_can_be_set_on_any_tensor_and_deleted():
    for t in (leaf([1.0]), ft.tensor([1.0]), leaf([1.0]) * 2.0):
        g = ft.tensor([3.0])
        t.grad = g
        assert t.grad is g
        del t.grad
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert t.grad is None
        t.grad = g
        t.grad = None


# --- 6. reading .grad of other tensors ------------------------------------------------------------


def test_c06_each_read_warns_where_it_is_and_names_the_op():
    y = leaf(1.0) * 2.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [y.grad for _ in range(3)] == [None] * 3
    assert len(caught) == 3
    assert all(w.category is UserWarning and w.filename == __file__ for w in caught)
    text = str(caught[0].message)
    assert "MultiplyBackward" in text and "retain_grad" in text


def test_c06_no_warning_where_a_gradient_is_kept_or_impossible():
    y = leaf(1.0) * 2.0
    y.retain_grad()
    assert y.grad is None
    z = leaf(1.0) * 2.0
    z.grad = ft.tensor(1.0)
    assert z.grad.item() == 1.0
    assert ft.tensor(1.0).grad is None and leaf(1.0).grad is None
    assert (ft.tensor(1.0) * 2.0).grad is None
