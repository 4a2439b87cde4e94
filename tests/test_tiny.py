"""A tour of functape in less than two seconds: every part of it works at all."""

import functape as ft

# isort: split
import mlx.core as mx
import pytest

np = ft.numpy


def loss(w, x):
    """A scalar function of parameters and data."""
    return np.sum(np.tanh(x @ w["a"] + w["b"]) ** 2)


W = {"a": mx.array([0.5, -1.0]), "b": mx.array(0.1)}
X = mx.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])


def cube(x):
    return x**3


def test_grad_is_a_tree_like_its_argument():
    value, g = ft.value_and_grad(loss)(W, X)
    assert set(g) == {"a", "b"} and type(g["a"]) is mx.array
    # a step against the gradient goes down
    less = loss({k: W[k] - 0.01 * g[k] for k in W}, X)
    assert float(less) < float(value)
    assert ft.grad(cube)(2.0).item() == 12


def test_derivatives_of_any_order():
    assert ft.grad(ft.grad(ft.grad(cube)))(2.0).item() == 6


def test_vjp_and_jvp():
    out, pullback = ft.vjp(np.sin, mx.array(0.0))
    assert (out.item(), pullback(mx.array(3.0))[0].item()) == (0, 3)
    assert [a.item() for a in ft.jvp(cube, (2.0,), (1.0,))] == [8, 12]


def test_vmap_maps_over_an_axis():
    per_row = ft.vmap(ft.grad(loss), in_axes=(None, 0))(W, X)
    total = ft.grad(loss)(W, X)
    assert np.allclose(per_row["a"].sum(0), total["a"])


def test_jacobians_and_hessians():
    x = np.array([1.0, 2.0])
    assert ft.jacrev(cube)(x).tolist() == [[3, 0], [0, 12]] == ft.jacfwd(cube)(x).tolist()
    assert ft.hessian(lambda x: np.sum(cube(x)))(x).tolist() == [[6, 0], [0, 12]]
    assert ft.hvp(lambda x: np.sum(cube(x)), (x,), (np.ones(2),)).tolist() == [6, 12]


def test_jit_gives_the_same():
    assert ft.jit(lambda x: x * x + 1)(mx.array(3.0)).item() == 10


def test_transforms_compose():
    """A Laplacian: the sum of the diagonal of the Hessian, for each of many points."""
    laplacian = ft.vmap(lambda x: np.trace(ft.hessian(lambda x: np.sum(cube(x)))(x)))
    assert laplacian(X).tolist() == [18, 12, 6]


def test_eager_tape():
    w = ft.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    y.backward()
    assert w.grad.tolist() == [2, 4]
    (w * 3).sum().backward()  # accumulates
    assert w.grad.tolist() == [5, 7]
    (g,) = ft.autograd.grad((w**3).sum(), w, create_graph=True)
    (h,) = ft.autograd.grad(g.sum(), w)
    assert h.tolist() == [6, 12]


def test_hooks_and_no_grad():
    w = ft.tensor([1.0, 2.0], requires_grad=True)
    w.register_hook(lambda g: g * 10)
    (w * 2).sum().backward()
    assert w.grad.tolist() == [20, 20]
    with ft.no_grad():
        assert not (w * 2).requires_grad
    assert not w.detach().requires_grad


def test_both_faces_share_one_tape():
    """A transform inside an eager program: the inner gradient is on the outer tape."""
    w = ft.tensor(3.0, requires_grad=True)
    inner = ft.grad(lambda x: w * x**2)(np.array(2.0))
    inner.backward()
    assert (inner.item(), w.grad.item()) == (12, 4)


def test_errors_say_what_to_do():
    with pytest.raises(ft.errors.FunctapeError, match=r"scalar.*float32\[2\].*jacrev"):
        ft.grad(cube)(mx.array([1.0, 2.0]))
