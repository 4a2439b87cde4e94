"""Subgradients, utilities of the graph, and messages (topics 37, 38 and 40)."""

import math
import threading
import time
import weakref

import pytest
from eager_helpers import Record, accumulator, leaf, no_collector

import functape as ft
from functape.autograd import Function, backward, grad
from functape.autograd.graph import (
    GradientEdge,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
)
from functape.errors import FunctapeError

np = ft.numpy


# --- 37. subgradients -----------------------------------------------------------------------------


SUBGRADIENTS = {  # name: (function, at, gradient)
    "abs": (np.abs, [0.0], [0.0]),
    "relu": (lambda x: x.relu(), [0.0], [0.0]),
    "max": (np.max, [3.0, 3.0, 1.0], [0.5, 0.5, 0.0]),
    "min": (np.min, [3.0, 1.0, 1.0], [0.0, 0.5, 0.5]),
    "maximum of a constant": (lambda x: np.maximum(x, 2.0), [2.0], [0.5]),
    "maximum of itself": (lambda x: np.maximum(x, x), [2.0], [1.0]),
    "minimum of a constant": (lambda x: np.minimum(x, 2.0), [2.0], [0.5]),
    "norm": (np.linalg.norm, [0.0, 0.0], [0.0, 0.0]),
    "power 0": (lambda x: x**0, [0.0, 2.0], [0.0, 0.0]),
    "power 0.0": (lambda x: x**0.0, [0.0, 2.0], [0.0, 0.0]),
    "power 2": (lambda x: x**2, [0.0, -3.0], [0.0, -6.0]),
    "prod": (np.prod, [0.0, 2.0], [2.0, 0.0]),
    "prod of zeros": (np.prod, [0.0, 0.0], [0.0, 0.0]),
    "cumprod": (lambda x: np.cumprod(x), [0.0, 2.0], [3.0, 0.0]),
    "std": (np.std, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
    "where": (lambda x: np.where(x > 0, np.sqrt(x), 0.0), [0.0, 4.0], [0.0, 0.25]),
    "positions twice": (lambda x: x[ft.tensor([0, 0, 1])], [5.0, 6.0], [2.0, 1.0]),
    "exponent of 0": (lambda y: 0.0**y, [2.0], [0.0]),
}


@pytest.mark.parametrize("name", SUBGRADIENTS)
def test_c37_subgradients(name):
    f, at, expected = SUBGRADIENTS[name]
    x = leaf(at)
    f(x).sum().backward()
    assert x.grad.tolist() == expected


@pytest.mark.parametrize("f", [np.sign, np.floor, np.round, np.ceil])
def test_c37_steps_have_derivative_zero(f):
    assert ft.grad(lambda x: f(x).sum())(ft.tensor([0.0, 0.5, 2.0])).tolist() == [0.0] * 3
    x = leaf([0.0, 0.5])
    assert not f(x).requires_grad  # no node for nothing
    (f(x) * x).sum().backward()
    assert x.grad.tolist() == f(x).tolist()


def test_c37_clip_at_its_edges():
    """Torch gives 1 at both edges, JAX shares; MLX's 0 is the one that is wrong."""
    x = leaf([1.0, 2.0, 3.0, 0.0, 4.0])
    x.clamp(1.0, 3.0).sum().backward()
    low, inside, high, below, above = x.grad.tolist()
    assert (inside, below, above) == (1.0, 0.0, 0.0) and low == high and low in (0.5, 1.0)


def test_c37_infinite_where_the_derivative_is():
    assert ft.grad(np.sqrt)(0.0).item() == math.inf
    assert ft.grad(np.log)(0.0).item() == math.inf


def test_c37_complex_gradients():
    z = leaf(1.0 + 2.0j)
    np.real(z * np.conj(z)).backward()
    assert z.grad.item() == 2.0 - 4.0j  # x^2 + y^2, by JAX's convention
    z = leaf(1.0 + 2.0j)
    np.real(z * z).backward()
    assert z.grad.item() == 2.0 + 4.0j


# --- 38. utilities of the graph -------------------------------------------------------------------


def test_c38_nodes_can_be_read():
    x = leaf(2.0)
    y = x * ft.tensor(3.0)
    z = y.exp()
    node = z.grad_fn
    assert node.name == "ExpBackward" and node.next_functions == ((y.grad_fn, 0),)
    assert y.grad_fn.next_functions == ((accumulator(x), 0), (None, 0))
    assert node.sequence_nr > y.grad_fn.sequence_nr
    node.metadata["note"] = 1
    assert node.metadata == {"note": 1} and y.grad_fn.metadata == {}
    assert "ExpBackward" in repr(node)
    assert repr(x) == "tensor(2., requires_grad=True)"
    assert "grad_fn=<ExpBackward" in repr(z)


def test_c38_outputs_of_a_node_have_numbers():
    parts = np.split(leaf([1.0, 2.0]) * 1.0, 2)
    edges = [get_gradient_edge(p) for p in parts]
    assert [e.output_nr for e in edges] == [0, 1] and edges[0].node is edges[1].node
    assert (parts[1] * 2.0).grad_fn.next_functions[0] == (edges[1].node, 1)


def test_c38_edges():
    x = leaf(3.0)
    edge = get_gradient_edge(x)
    assert isinstance(edge, GradientEdge) and edge.node is accumulator(x) and edge.output_nr == 0
    y = x * x
    assert grad(y, [get_gradient_edge(y), edge], retain_graph=True)[1].item() == 6.0
    with pytest.raises(FunctapeError, match="require"):
        get_gradient_edge(ft.tensor(1.0))


def test_c38_multi_grad_hooks():
    a, b, c = leaf(1.0), leaf(3.0), leaf(5.0)
    seen, first = [], []
    handle = register_multi_grad_hook(
        (b, c), lambda gs: seen.append([g if g is None else g.item() for g in gs]))
    register_multi_grad_hook((b, c), lambda g: first.append(g.item()), mode="any")
    (a * b + c).backward()
    assert seen == [[1.0, 1.0]] and first == [1.0]
    (b * 2.0).backward()
    assert seen[1:] == [[2.0, None]] and first == [1.0, 2.0]
    (a * 2.0).backward()
    assert len(seen) == 2 and len(first) == 2
    handle.remove()
    (b * 2.0).backward()
    assert len(seen) == 2 and len(first) == 3
    with pytest.raises(FunctapeError, match="mode.*some"):
        register_multi_grad_hook((a,), print, mode="some")


def test_c38_multi_grad_hooks_keep_nothing():
    with no_collector():
        a = leaf(1.0)
        b = a * 2.0
        c = b * 3.0
        refs = [weakref.ref(t) for t in (a, b, b.grad_fn, c.grad_fn)]
        register_multi_grad_hook((a, b), lambda gs: None)
        c.backward()
        del a, b, c
        assert [r() for r in refs] == [None] * 4
    with pytest.raises(FunctapeError, match="require grad"):
        register_multi_grad_hook((ft.tensor(1.0),), print)


def test_c38_multi_grad_hooks_in_passes_of_other_threads():
    b, c, seen = leaf(1.0), leaf(1.0), []
    register_multi_grad_hook((b, c), lambda gs: seen.append([g is not None for g in gs]))

    def work():
        for _ in range(20):
            (b * 2.0 + c).backward()
            time.sleep(0.0001)  # let the passes overlap

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert seen == [[True, True]] * 40


def test_c38_increment_version():
    a, b = ft.tensor(1.0), ft.tensor(2.0)
    increment_version(a)
    increment_version((a, b))
    assert (a.version, b.version) == (2, 1)
    with pytest.raises(FunctapeError):
        increment_version("a")


def test_c38_a_walk_over_the_graph():
    x, w = leaf(2.0), leaf(3.0)
    todo, names = [((x * w).exp() + x).grad_fn], set()
    while todo:
        node = todo.pop()
        names.add(node.name)
        todo += [n for n, _ in node.next_functions if n is not None]
    assert names == {"AddBackward", "ExpBackward", "MultiplyBackward", "AccumulateGrad"}


# --- 40. messages ---------------------------------------------------------------------------------


def used_up():
    y = leaf(2.0).exp()
    y.backward()
    return y


def changed():
    y = leaf([1.0, 2.0]) * 1.0
    z = y.exp() * y
    y.add_(1.0)
    return z


class Wrong(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g


MESSAGES = {  # what is done: words for the place, for what was given, and for a remedy
    "freed": (lambda: used_up().backward(), ["ExpBackward", "retain_graph=True"]),
    "changed": (lambda: changed().sum().backward(), ["Backward", "float32[2]", "clone"]),
    "no seed": (lambda: (leaf([1.0, 2.0]) * 1.0).backward(), ["backward", "float32[2]", "sum()"]),
    "seed": (lambda: (leaf([1.0, 2.0]) * 1.0).backward(ft.ones(3)), ["float32[2]", "float32[3]"]),
    "no grad": (lambda: backward([leaf(1.0), ft.ones(1)]), ["output 1", "float32[1]"]),
    "unused": (lambda: grad(leaf(1.0) * 1.0, leaf([1.0])), ["input 0", "float32[1]",
                                                            "allow_unused=True"]),
    "constant": (lambda: grad(leaf(1.0) * 1.0, ft.ones(2)), ["input 0", "float32[2]"]),
    "leaf": (lambda: leaf([1.0]).mul_(2.0), ["mul_", "float32[1]", "no_grad()"]),
    "position": (lambda: leaf([1.0]).__setitem__(0, 2.0), ["x[...]", "float32[1]", "no_grad()"]),
    "flag": (lambda: (leaf(1.0) * 1.0).requires_grad_(False), ["Multiply", "detach()"]),
    "arity": (lambda: Wrong.apply(leaf(1.0), leaf(1.0)).backward(), ["WrongBackward", "2", "1"]),
    "shapes": (lambda: leaf([1.0, 2.0]) + ft.ones(3), ["add", "float32[2]", "float32[3]"]),
    "product": (lambda: ft.ones((2, 3)) @ ft.ones((2, 3)), ["matmul", "float32[2,3]"]),
    "grad": (lambda: setattr(leaf([1.0]), "grad", ft.ones(2)), ["grad", "float32[1]",
                                                                 "float32[2]"]),
}
BORROWED = ["a second time", "Hint: enable anomaly", "one of the variables needed",
            "is being used in an in-place operation", "grad can be implicitly created",
            "appears to not have been used", "only be deep", "does not have a grad_fn",
            "explicitly by the user", "leaf Variable", "Gradient only defined for"]


@pytest.mark.parametrize("name", MESSAGES)
def test_c40_messages_name_place_given_and_remedy(name):
    act, words = MESSAGES[name]
    with pytest.raises(FunctapeError) as caught:
        act()
    text = str(caught.value)
    for word in words:
        assert word in text.replace("[2,]", "[2]"), (word, text)
    assert not any(phrase in text for phrase in BORROWED)
    assert "Variable" not in text and len(text) < 500


def test_c40_hooks_are_named_by_their_qualified_name():
    x, record = leaf(1.0), Record()
    x.register_hook(record("first"))

    class Holder:
        def hook(self, g):
            return "text"

    x.register_hook(Holder().hook)
    with pytest.raises(FunctapeError, match="Holder.hook.*str"):
        (x * 1.0).backward()
