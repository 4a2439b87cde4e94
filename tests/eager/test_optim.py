"""functape.optim is mlx.optimizers on leaves: equal, bit for bit, to MLX's on arrays."""

import math
import weakref

import mlx.core as mx
import mlx.optimizers
import numpy as np
import pytest

import functape as ft
from functape import optim
from functape.errors import ArgumentError, GraphError, ShapeError

RULES = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
    ("RMSprop", {"lr": 0.01, "alpha": 0.9}),
    ("Adagrad", {"lr": 0.1}),
    ("AdaDelta", {"lr": 1.0}),
    ("Adam", {"lr": 0.1, "betas": [0.8, 0.9]}),
    ("Adam", {"lr": 0.1, "eps": 1e-6}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.1}),
    ("Lion", {"lr": 0.01, "weight_decay": 0.1}),
    ("Adafactor", {}),
    ("Muon", {"lr": 0.1}),
]


def schedule():
    return mlx.optimizers.cosine_decay(0.1, 4)


def start():
    return {"w": mx.random.normal((3, 2)), "b": mx.random.normal((2,))}


def loss(params, x, y):
    return ((ft.numpy.tanh(x @ params["w"]) + params["b"] - y) ** 2).mean()


def batches(n):
    return [(mx.random.normal((5, 3)), mx.random.normal((5, 2))) for _ in range(n)]


def same(leaf, array):
    np.testing.assert_array_equal(np.asarray(leaf), np.array(array))


@pytest.mark.parametrize("name, hyper", [
    *RULES, ("SGD", {"lr": schedule}), ("Adam", {"lr": schedule}),
])
def test_training_equals_the_functional_route_bit_for_bit(name, hyper):
    hyper = {k: v() if v is schedule else v for k, v in hyper.items()}
    arrays, data = start(), batches(6)
    leaves = {k: ft.tensor(a, requires_grad=True) for k, a in arrays.items()}
    ours = getattr(optim, name)(leaves.values(), **hyper)
    usual = {"bias_correction": True} if name in ("Adam", "AdamW") else {}
    theirs = getattr(mlx.optimizers, name)(
        **usual, **{"learning_rate" if k == "lr" else k: v for k, v in hyper.items()})
    identities = {k: id(p) for k, p in leaves.items()}
    for x, y in data:
        ours.zero_grad()
        value = loss(leaves, ft.asarray(x), ft.asarray(y))
        value.backward()
        ours.step()
        expected, grads = ft.value_and_grad(loss)(arrays, x, y)
        arrays = theirs.apply_gradients(grads, arrays)
        same(value.detach(), expected)
    for k, p in leaves.items():
        same(p.detach(), arrays[k])
        assert id(p) == identities[k] and p.is_leaf and p.requires_grad and p.version == len(data)
        for key, a in theirs.state[k].items():
            np.testing.assert_array_equal(np.array(ours.state[p][key]), np.array(a))


def test_one_step_of_sgd_by_hand():
    w = ft.tensor([1.0, -2.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.25)
    (w * w).sum().backward()
    assert optimizer.step() is None
    assert w.tolist() == [0.5, -1.0] and w.grad.tolist() == [2.0, -4.0]


def test_leaves_without_a_gradient_are_left_alone():
    a, b = ft.tensor(1.0, requires_grad=True), ft.tensor(1.0, requires_grad=True)
    optimizer = optim.Adam([a, b], lr=0.1)
    (a * 2.0).backward()
    optimizer.step()
    assert a.item() != 1.0 and b.item() == 1.0 and b.version == 0
    assert list(optimizer.state) == [a]


def test_groups_have_their_own_hyperparameters():
    a, b, c = (ft.tensor(1.0, requires_grad=True) for _ in range(3))
    optimizer = optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5, "weight_decay": 1.0}], lr=0.1)
    optimizer.add_param_group({"params": [c], "lr": 0.25})
    (a + b + c).backward()
    optimizer.step()
    assert a.item() == pytest.approx(0.9) and b.item() == 0.0 and c.item() == 0.75


def test_changing_a_group_takes_effect_and_the_step_count_goes_on():
    w = ft.tensor(1.0, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5)
    w.backward()
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.25
    optimizer.step()
    assert w.item() == 0.25
    assert optimizer.state_dict()["param_groups"][0]["step"] == 2
    optimizer.param_groups[0]["lr"] = mlx.optimizers.step_decay(1.0, 0.5, 1)  # now a schedule
    optimizer.step()
    assert w.item() == 0.25 - 0.25 * 1.0  # 1.0 * 0.5 ** 2 at step 2


def test_closure_runs_with_grad_and_its_value_is_returned():
    w = ft.tensor(1.0, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5)

    def closure():
        optimizer.zero_grad()
        value = w * w
        value.backward()
        return value

    with ft.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert w.item() == 0.0


def test_zero_grad():
    w = ft.tensor(1.0, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5)
    w.backward()
    grad = w.grad
    optimizer.zero_grad(set_to_none=False)
    assert w.grad is grad and grad.item() == 0.0
    optimizer.zero_grad()
    assert w.grad is None


def test_a_step_after_saving_is_noticed():
    w = ft.tensor(2.0, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5)
    y = w * w
    y.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="changed in place by SGD.step"):
        y.backward()


def test_state_dict_round_trip():
    arrays, data = start(), batches(6)

    def run(leaves, optimizer, some):
        for x, y in some:
            optimizer.zero_grad()
            loss(leaves, ft.asarray(x), ft.asarray(y)).backward()
            optimizer.step()

    def leaves_of(values):
        return {k: ft.tensor(a, requires_grad=True) for k, a in values.items()}

    one = leaves_of(arrays)
    first = optim.Adam(one.values(), lr=0.1, betas=[0.8, 0.9])
    run(one, first, data[:3])
    two = leaves_of({k: p.detach() for k, p in one.items()})
    second = optim.Adam(two.values(), lr=99.0)
    second.load_state_dict(first.state_dict())
    run(one, first, data[3:])
    run(two, second, data[3:])
    for k in one:
        same(one[k].detach(), np.asarray(two[k].detach()))
    assert second.param_groups[0]["lr"] == 0.1


def test_state_dict_must_fit():
    a, b = ft.tensor(1.0, requires_grad=True), ft.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ShapeError, match=r"groups of \[1\] leaves, but the state has \[2\]"):
        optim.SGD([a], lr=0.1).load_state_dict(optim.SGD([a, b], lr=0.1).state_dict())
    c = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    c.grad = ft.ones(3)
    other = optim.Adam([c], lr=0.1)
    other.step()
    with pytest.raises(ShapeError, match="does not belong to parameter"):
        optim.Adam([b], lr=0.1).load_state_dict(other.state_dict())


def test_half_precision_stays():
    w = ft.tensor([1.0], dtype="float16", requires_grad=True)
    (w * w).sum().backward()
    optim.Adam([w], lr=0.1).step()
    assert w.dtype == mx.float16


def test_optimizer_keeps_no_graph():
    w = ft.tensor(1.0, requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
    y = w * w
    gone = weakref.ref(y.grad_fn)
    y.backward()
    del y
    optimizer.step()
    assert gone() is None


def test_messages():
    w = ft.tensor(1.0, requires_grad=True)
    with pytest.raises(ArgumentError, match=r"Write \[p\]"):
        optim.SGD(w, lr=0.1)
    with pytest.raises(ShapeError, match="no parameters"):
        optim.SGD([], lr=0.1)
    with pytest.raises(ArgumentError, match="parameter 0 is an mx.array"):
        optim.SGD([mx.array(1.0)], lr=0.1)
    with pytest.raises(GraphError, match="parameter 1 is the result of MultiplyBackward"):
        optim.SGD([w, w * 2.0], lr=0.1)
    with pytest.raises(ArgumentError, match="is given twice"):
        optim.SGD([w, w], lr=0.1)
    with pytest.raises(ArgumentError, match="no hyperparameter 'betas'; it has lr, momentum"):
        optim.SGD([w], lr=0.1, betas=(0.9, 0.9))
    with pytest.raises(ArgumentError, match="an entry 'params'"):
        optim.SGD([{"lr": 0.1}], lr=0.1)
    with pytest.raises(ArgumentError, match="got a dict"):
        optim.SGD({"w": w}, lr=0.1)
    with pytest.raises(ArgumentError, match="base class"):
        optim.Optimizer([w], lr=0.1)
    assert repr(optim.SGD([w], lr=0.1)) == "SGD(lr=0.1, 1 leaves)"


# --- clipping -----------------------------------------------------------------------------------


def graded(*rows):
    leaves = []
    for row in rows:
        leaf = ft.tensor([0.0] * len(row), requires_grad=True)
        leaf.grad = ft.tensor(list(row))
        leaves.append(leaf)
    return leaves


@pytest.mark.parametrize("p, norm", [
    (2.0, 13.0), (1.0, 19.0), (math.inf, 12.0), (3.0, 1819 ** (1 / 3)),
])
def test_clip_grad_norm(p, norm):
    a, b, c = *graded([3.0, -4.0], [12.0]), ft.tensor(1.0, requires_grad=True)
    grad = a.grad
    total = optim.clip_grad_norm_([a, b, c], norm / 2, norm_type=p)
    assert total.item() == pytest.approx(norm)
    np.testing.assert_allclose(a.grad.tolist(), [1.5, -2.0], rtol=1e-5)
    np.testing.assert_allclose(b.grad.tolist(), [6.0], rtol=1e-5)
    assert a.grad is grad and grad.version == 1 and c.grad is None
    before = a.grad.tolist()
    optim.clip_grad_norm_(a, 100.0)
    assert a.grad.tolist() == before


def test_clip_grad_norm_of_nothing_and_of_nan():
    assert optim.clip_grad_norm_([], 1.0).item() == 0.0
    (a,) = graded([float("nan")])
    with pytest.raises(GraphError, match="norm of the gradients is nan"):
        optim.clip_grad_norm_(a, 1.0, error_if_nonfinite=True)
    with pytest.raises(ArgumentError, match="norm_type must be above 0"):
        optim.clip_grad_norm_(a, 1.0, norm_type=0)


def test_clip_grad_value():
    (a,) = graded([-3.0, 0.5, 7.0])
    optim.clip_grad_value_(a, 1.0)
    assert a.grad.tolist() == [-1.0, 0.5, 1.0] and a.grad.version == 1


@pytest.mark.parametrize("make", [optim.Adam, optim.AdamW])
def test_the_first_step_of_adam_is_the_learning_rate(make):
    """m / sqrt(v) is g / |g| once both are rid of their bias, as in PyTorch."""
    w = ft.tensor([2.0, -3.0], requires_grad=True)
    (w * w).sum().backward()
    make([{"params": [w], **({"weight_decay": 0.0} if make is optim.AdamW else {})}], lr=0.1).step()
    np.testing.assert_allclose(np.asarray(w.detach()), [1.9, -2.9], rtol=1e-6)


def test_a_step_under_jit_is_refused():
    w = ft.tensor([2.0], requires_grad=True)
    w.grad = ft.ones(1)
    optimizer = optim.SGD([w], lr=0.1)

    def step(x):
        optimizer.step()
        return x

    with pytest.raises(GraphError, match="SGD.step.*jit"):
        ft.jit(step)(ft.ones(1))
    assert w.detach().tolist() == [2.0] and w.version == 0
