"""What goes into a transform comes out: arrays of MLX, or tensors. And what it leaves behind."""

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest
from comparing import agree

from functape import tree

fnp = ft.numpy


def f(x):
    return (x * x).sum()


def g(x):
    return x * x


# each transform on one argument; all results in a tree
CALLS = {
    "grad": lambda x: ft.grad(f)(x),
    "value_and_grad": lambda x: ft.value_and_grad(f)(x),
    "grad_aux": lambda x: ft.grad(lambda x: (f(x), {"a": g(x)}), has_aux=True)(x),
    "grad_tree": lambda x: ft.grad(lambda p: f(p["a"]) + f(p["b"][0]))({"a": x, "b": [x]}),
    "vjp": lambda x: (lambda r: (r[0], r[1](x)))(ft.vjp(g, x)),
    "jvp": lambda x: ft.jvp(g, (x,), (x,)),
    "jacrev": lambda x: ft.jacrev(g)(x),
    "jacfwd": lambda x: ft.jacfwd(g)(x),
    "hessian": lambda x: ft.hessian(f)(x),
    "hvp": lambda x: ft.hvp(f, (x,), (x,)),
    "vmap": lambda x: ft.vmap(g)(x),
    "vmap_grad": lambda x: ft.vmap(ft.grad(lambda a: a * a))(x),
    "linearize": lambda x: (lambda r: (r[0], r[1](x)))(ft.linearize(g, x)),
    "linear_transpose": lambda x: ft.linear_transpose(lambda a: 2 * a, x)(x),
    "jit": lambda x: ft.jit(g)(x),
    "checkpoint": lambda x: ft.grad(lambda x: f(ft.checkpoint(g)(x)))(x),
}
every = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def leaves(result):
    return tree.leaves(result)


@every
def test_mlx_in_mlx_out(call):
    assert {type(a) for a in leaves(call(mx.array([1.0, 2.0])))} == {mx.array}


@every
@pytest.mark.parametrize("make", [
    lambda: fnp.array([1.0, 2.0]), lambda: np.array([1.0, 2.0], np.float32),
    lambda: ft.tensor([1.0, 2.0])], ids=["numpy", "ndarray", "tensor"])
def test_others_in_tensors_out(call, make):
    result = leaves(call(make()))
    assert {type(a) for a in result} == {ft.Tensor}
    assert not any(a.requires_grad for a in result)


@pytest.mark.parametrize("name", ["grad", "value_and_grad", "vjp", "jvp", "jacrev", "hessian",
                                  "jit"])
def test_numbers_in_tensors_out(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "f", g)
        assert {type(a) for a in leaves(CALLS[name](3.0))} == {ft.Tensor}


@every
def test_float64_and_half_keep_their_dtype(call):
    for dtype in (mx.float64, mx.float16, mx.bfloat16):
        assert {a.dtype for a in leaves(call(mx.array([1.0, 2.0]).astype(dtype)))} == {dtype}


def test_numpy_float64_stays_float64():
    assert ft.grad(f)(np.ones(2)).dtype == mx.float64


def test_mixed_arguments_give_tensors():
    """One tensor among MLX's arrays is enough."""
    out = ft.grad(lambda x, y: (x * y).sum(), (0, 1))(mx.ones(2), fnp.ones(2))
    assert {type(a) for a in out} == {ft.Tensor}


def test_kwargs_count_too():
    out = ft.grad(lambda x, *, y: (x * y).sum())(mx.ones(2), y=mx.ones(2))
    assert type(out) is mx.array
    assert type(ft.grad(lambda x, *, y: (x * y).sum())(mx.ones(2), y=fnp.ones(2))) is ft.Tensor


def test_function_sees_tensors():
    """Whatever went in, the function can use operators, methods and functape.numpy."""
    seen = []

    def h(x, y, n, s, *, k):
        seen.extend([x, y, n, s, k])
        return (x @ y + k).sum() * n

    ft.grad(h)(mx.ones((2, 2)), mx.ones(2), 3, "text", k=mx.ones(2))
    x, y, n, s, k = seen
    assert all(isinstance(a, ft.Tensor) for a in (x, y, k))
    assert n == 3 and s == "text"


def test_arguments_are_left_alone():
    x = mx.array([1.0, 2.0])
    for call in CALLS.values():
        call(x)
    assert x.tolist() == [1, 2]


def test_function_may_change_its_argument_in_place():
    """What the function does to its argument stays within."""
    x = mx.array([1.0, 2.0])
    t = fnp.array([1.0, 2.0])

    def h(a):
        b = a * 1
        b += 1
        return (b * b).sum()

    agree(ft.grad(h)(x), np.array([4.0, 6.0]))
    agree(ft.grad(h)(t), np.array([4.0, 6.0]))
    assert x.tolist() == [1, 2] and t.tolist() == [1, 2]


# --- closures over tracked tensors ----------------------------------------------------------------


@pytest.fixture
def w():
    return ft.tensor([1.0, 2.0], requires_grad=True)


def test_closure_stays_connected(w):
    """The inner gradient depends on w, and knows it."""
    x = fnp.array([3.0, 4.0])
    inner = ft.grad(lambda x: (w * x * x).sum())(x)
    assert inner.requires_grad
    agree(inner.detach(), np.array([6.0, 16.0]))
    inner.sum().backward()
    agree(w.grad, np.array([6.0, 8.0]))


def test_closure_gets_no_gradient_by_itself(w):
    ft.grad(lambda x: (w * x).sum())(fnp.ones(2))
    assert w.grad is None
    for call in CALLS.values():
        call(w)
    assert w.grad is None and w.requires_grad and w.is_leaf


def test_value_and_aux_stay_connected(w):
    value, aux = ft.value_and_grad(lambda x: ((w * x).sum(), w * 2), has_aux=True)(fnp.ones(2))[0]
    assert value.requires_grad and aux.requires_grad
    (value + aux.sum()).backward()
    agree(w.grad, np.array([3.0, 3.0]))


def test_mlx_in_tensor_out_where_something_tracks(w):
    assert type(ft.grad(lambda x: (w * x * x).sum())(mx.ones(2))) is ft.Tensor


def test_tracked_argument(w):
    """Differentiating by a tensor on a tape: the result depends on it."""
    g1 = ft.grad(lambda x: (x**3).sum())(w)
    g1.sum().backward()
    agree(w.grad, np.array([6.0, 12.0]))


@pytest.mark.parametrize("name", ["vjp", "jvp", "jacrev", "jacfwd", "vmap", "linearize"])
def test_each_transform_stays_connected(name, w):
    result = leaves(CALLS[name](w))
    sum(a.sum() for a in result).backward()
    assert w.grad is not None and w.grad.shape == (2,)


def test_no_grad_cuts_outside_but_not_inside(w):
    with ft.no_grad():
        g1 = ft.grad(lambda x: (w * x * x).sum())(fnp.ones(2))
    assert not g1.requires_grad
    agree(g1, np.array([2.0, 4.0]))


def test_no_grad_inside_the_function_cuts():
    def h(x):
        with ft.no_grad():
            y = x * x
        return (x * y).sum()

    agree(ft.grad(h)(fnp.array([3.0])), np.array([9.0]))


def test_detach_inside_the_function_cuts():
    agree(ft.grad(lambda x: (x * x.detach()).sum())(fnp.array([3.0])), np.array([3.0]))


def test_backward_inside_a_transform(w):
    """An eager pass within a transform reaches the outer leaf, as it would outside."""

    def h(x):
        (w * w).sum().backward()
        return (x * x).sum()

    agree(ft.grad(h)(fnp.ones(2)), np.array([2.0, 2.0]))
    agree(w.grad, np.array([2.0, 4.0]))


# --- pullbacks ------------------------------------------------------------------------------------


def test_pullback_can_be_used_again():
    out, pullback = ft.vjp(lambda x, y: x * y, mx.array([2.0]), mx.array([3.0]))
    for _ in range(3):
        x, y = pullback(mx.array([1.0]))
        assert (x.item(), y.item()) == (3, 2)
    many = ft.vmap(pullback)(mx.array([[1.0], [2.0]]))
    assert many[0].tolist() == [[3], [6]]


def test_pullback_survives_its_arguments():
    def make():
        return ft.vjp(lambda x: x * x, mx.array([3.0]))[1]

    assert make()(mx.array([1.0]))[0].item() == 6


def test_linearized_function_can_be_used_again():
    _, push = ft.linearize(lambda x: x**3, fnp.array(2.0))
    assert [float(push(fnp.array(t))) for t in (1.0, 2.0, -1.0)] == [12, 24, -12]


def test_transformed_functions_can_be_used_again():
    d = ft.grad(f)
    assert d(mx.ones(2)).tolist() == [2, 2] and d(mx.ones(3)).tolist() == [2, 2, 2]


def test_names_and_docstrings_are_kept():
    def energy(x):
        """Half of the square."""
        return x * x / 2

    for transform in (ft.grad, ft.value_and_grad, ft.jacrev, ft.jacfwd, ft.hessian, ft.vmap,
                      ft.jit):
        assert transform(energy).__name__ == "energy"
        assert transform(energy).__doc__ == "Half of the square."


def test_methods_can_be_transformed():
    class Model:
        def __init__(self, w):
            self.w = w

        def loss(self, x):
            return (self.w * x * x).sum()

    agree(ft.grad(Model(fnp.array([2.0])).loss)(fnp.array([3.0])), np.array([12.0]))


def test_as_decorators():
    @ft.grad
    def slope(x):
        return x**2

    @ft.jit
    @ft.vmap
    def squares(x):
        return x * x

    assert float(slope(3.0)) == 6
    assert squares(mx.array([1.0, 2.0])).tolist() == [1, 4]


def test_jit_whose_results_depend_on_shapes():
    runs = []

    @ft.jit
    def f(x):
        runs.append(x.shape)
        return {"a": x.sum()} if x.shape[0] == 2 else (x.sum(), [x.dtype == ft.float32, x * 2])

    for _ in range(3):
        assert f(mx.ones(2))["a"].item() == 2
        total, (single, double) = f(mx.ones(3))
        assert total.item() == 3 and bool(single) and double.tolist() == [2, 2, 2]
        assert not bool(f(mx.ones(3, mx.float16))[1][0])
    assert len(runs) <= 6  # each shape and dtype once, and once more when they are told apart
