"""autograd.functional: products and matrices of derivatives (B90b), against mathematics."""

import numpy as np
import pytest

import functape as ft
from functape.autograd import functional as F  # noqa: N812
from functape.errors import ArgumentError, GraphError, ShapeError


def values(tree):
    return [values(t) for t in tree] if isinstance(tree, tuple) else tree.tolist()


X, Y = [1.0, 2.0], [3.0, 5.0]


def two(x, y):
    return x * x * y


def scalar(x, y):
    return (x * x * y).sum()


def test_vjp():
    x, y = ft.tensor(X), ft.tensor(Y)
    out, g = F.vjp(two, (x, y), ft.tensor([1.0, 10.0]))
    assert values(out) == [3.0, 20.0] and values(g) == [[6.0, 200.0], [1.0, 40.0]]
    out, g = F.vjp(lambda x: (x * x).sum(), x)  # v may be left out
    assert values(out) == 5.0 and values(g) == [2.0, 4.0]


def test_jvp_is_exact_and_takes_two_passes():
    x, y = ft.tensor(X), ft.tensor(Y)
    out, t = F.jvp(two, (x, y), (ft.tensor([1.0, 0.0]), ft.tensor([1.0, 10.0])))
    assert values(out) == [3.0, 20.0] and values(t) == [6.0 + 1.0, 40.0]
    out, t = F.jvp(lambda x: x * ft.tensor(X), ft.tensor(3.0))
    assert values(t) == X


def test_several_outputs_have_their_form():
    x = ft.tensor(X)
    out, g = F.vjp(lambda x: (x, x * x), x, (ft.ones(2), ft.ones(2)))
    assert values(out) == [X, [1.0, 4.0]] and values(g) == [3.0, 5.0]
    out, t = F.jvp(lambda x: (x, x * x), x, ft.ones(2))
    assert values(t) == [[1.0, 1.0], [2.0, 4.0]]


def test_hessian_products():
    x, y = ft.tensor(X), ft.tensor(Y)
    vx, vy = ft.tensor([1.0, 10.0]), ft.tensor([2.0, 3.0])
    # H = [[2y, 2x], [2x, 0]] for each pair of elements
    expected = [[2 * 3 * 1 + 2 * 1 * 2, 2 * 5 * 10 + 2 * 2 * 3], [2 * 1 * 1, 2 * 2 * 10]]
    for product in (F.hvp, F.vhp):
        out, hv = product(scalar, (x, y), (vx, vy))
        assert values(out) == 3.0 + 20.0
        assert values(hv) == expected


@pytest.mark.parametrize("vectorize", [False, True])
def test_jacobian_has_the_shape_of_output_then_input(vectorize):
    x, y = ft.tensor([[1.0, 2.0, 3.0]]), ft.tensor([4.0, 5.0])
    def f(x, y):
        return x.T * y  # (3, 2)

    jx, jy = F.jacobian(f, (x, y), vectorize=vectorize)
    assert jx.shape == (3, 2, 1, 3) and jy.shape == (3, 2, 2)
    expected = np.zeros((3, 2, 2))
    for i in range(3):
        for j in range(2):
            expected[i, j, j] = i + 1
    np.testing.assert_array_equal(np.asarray(jy), expected)
    one = F.jacobian(lambda x: (x * x, x.sum()), ft.tensor(X), vectorize=vectorize)
    assert values(one) == [[[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0]]


@pytest.mark.parametrize("vectorize", [False, True])
def test_hessian(vectorize):
    x, y = ft.tensor(X), ft.tensor(Y)
    (xx, xy), (yx, yy) = F.hessian(scalar, (x, y), vectorize=vectorize)
    assert values(xx) == [[6.0, 0.0], [0.0, 10.0]]
    assert values(xy) == values(yx) == [[2.0, 0.0], [0.0, 4.0]]
    assert values(yy) == [[0.0, 0.0], [0.0, 0.0]]
    assert values(F.hessian(lambda x: (x * x * x).sum(), x)) == [[6.0, 0.0], [0.0, 12.0]]


def test_create_graph_gives_results_that_can_be_differentiated():
    x = ft.tensor(X, requires_grad=True)
    _, g = F.vjp(lambda x: (x * x * x).sum(), x, create_graph=True)
    (h,) = ft.autograd.grad(g.sum(), x)
    assert values(h) == [6.0, 12.0]
    _, t = F.jvp(lambda x: x * x * x, x, ft.tensor([1.0, 1.0]), create_graph=True)
    assert values(ft.autograd.grad(t.sum(), x)) == [[6.0, 12.0]]
    j = F.jacobian(lambda x: x * x * x, x, create_graph=True)
    assert values(ft.autograd.grad(j.sum(), x)) == [[6.0, 12.0]]
    h = F.hessian(lambda x: (x * x * x).sum(), x, create_graph=True)
    assert values(ft.autograd.grad(h.sum(), x)) == [[6.0, 6.0]]
    _, hv = F.hvp(lambda x: (x * x * x).sum(), x, ft.tensor([1.0, 2.0]), create_graph=True)
    assert values(ft.autograd.grad(hv.sum(), x)) == [[6.0, 12.0]]
    assert x.grad is None


@pytest.mark.parametrize("vectorize", [False, True])
def test_without_create_graph_results_and_inputs_are_left_alone(vectorize):
    for requires_grad in (False, True):
        x = ft.tensor(X, requires_grad=requires_grad)
        for out in (*F.vjp(lambda x: (x * x).sum(), x), *F.jvp(lambda x: x * x, x, x.detach()),
                    F.jacobian(lambda x: x * x, x, vectorize=vectorize),
                    F.hessian(lambda x: (x * x).sum(), x, vectorize=vectorize)):
            assert not out.requires_grad
        assert x.requires_grad is requires_grad and x.grad is None and x.version == 0


def test_also_under_no_grad():
    with ft.no_grad():
        _, g = F.vjp(lambda x: (x * x).sum(), ft.tensor(X))
        _, t = F.jvp(lambda x: x * x, ft.tensor(X), ft.ones(2))
        h = F.hessian(lambda x: (x * x).sum(), ft.tensor(X))
    assert values(g) == [2.0, 4.0] and values(t) == [2.0, 4.0]
    assert values(h) == [[2.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("strict", [False, True])
def test_independence_is_zero_or_an_error(strict):
    x, y = ft.tensor(X), ft.tensor(Y)

    def check(compute, expected):
        if strict:
            with pytest.raises(GraphError, match="independent of input"):
                compute()
        else:
            assert values(compute()) == expected

    check(lambda: F.vjp(lambda x, y: x * 2.0, (x, y), ft.ones(2), strict=strict)[1],
          [[2.0, 2.0], [0.0, 0.0]])
    check(lambda: F.jvp(lambda x, y: x * 2.0, (x, y), (x, y), strict=strict)[1], [2.0, 4.0])
    check(lambda: F.jacobian(lambda x, y: x * 2.0, (x, y), strict=strict)[1],
          [[0.0, 0.0], [0.0, 0.0]])
    check(lambda: F.jacobian(lambda x: ft.tensor(1.0), x, strict=strict), [0.0, 0.0])
    check(lambda: F.hessian(lambda x: x.sum(), x, strict=strict), [[0.0, 0.0], [0.0, 0.0]])
    check(lambda: F.hvp(lambda x, y: (x * x).sum(), (x, y), (x, y), strict=strict)[1],
          [[2.0, 4.0], [0.0, 0.0]])


def test_messages():
    x = ft.tensor(X)
    with pytest.raises(GraphError, match="v may be left out only if there is one output of one"):
        F.vjp(lambda x: x * x, x)
    with pytest.raises(GraphError, match="one input of one element"):
        F.jvp(lambda x: x * x, x)
    with pytest.raises(ShapeError, match=r"v\[0\] must have the shape of output 0, \(2,\)"):
        F.vjp(lambda x: x * x, x, ft.ones(1))
    with pytest.raises(ShapeError, match="v has 2 tensor"):
        F.vjp(lambda x: x * x, x, (ft.ones(2), ft.ones(2)))
    with pytest.raises(GraphError, match="must return one tensor of one element"):
        F.hessian(lambda x: x * x, x)
    with pytest.raises(ArgumentError, match=r"each input must be a tensor, but input 1 is 3 \(int"):
        F.jacobian(lambda x, y: x, (x, 3))
    with pytest.raises(ArgumentError, match="each output must be a tensor"):
        F.jacobian(lambda x: 3.0, x)
    with pytest.raises(ArgumentError, match="floating-point"):
        F.jacobian(lambda x: x * 2, ft.tensor([1, 2]))


def test_in_place_changes_in_the_function_do_not_reach_the_inputs():
    x = ft.tensor(X)

    def f(x):
        with ft.no_grad():
            x.add_(10.0)
        return x * x

    F.vjp(f, x, ft.ones(2))
    assert values(x) == X
