"""Function inside transforms: forward mode and mapping (topic 23 and B90d)."""

import pytest
from eager_helpers import leaf

import functape as ft
from functape.autograd import Function

np = ft.numpy


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3.0 * x * x


class WithRules(Function):
    """x -> x * x with rules for forward mode and vmap, which count their calls."""

    calls = []

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * 2.0 * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        WithRules.calls.append("jvp")
        return t * 2.0 * ctx.saved_tensors[0]

    @staticmethod
    def vmap(info, in_dims, x):
        WithRules.calls.append(("vmap", info.batch_size, in_dims))
        return WithRules.apply(x), in_dims[0]


def test_c23_in_transforms():
    f = Cube.apply
    assert ft.grad(f)(2.0).item() == 12.0
    assert ft.grad(ft.grad(f))(2.0).item() == 12.0
    assert ft.vmap(f)(ft.tensor([1.0, 2.0])).tolist() == [1.0, 8.0]
    assert ft.vmap(ft.grad(f))(ft.tensor([1.0, 2.0])).tolist() == [3.0, 12.0]
    assert ft.grad(lambda x: ft.vmap(f)(x).sum())(ft.tensor([1.0, 2.0])).tolist() == [3.0, 12.0]
    assert ft.jacrev(f)(ft.tensor([1.0, 2.0])).tolist() == [[3.0, 0.0], [0.0, 12.0]]


def test_c23_forward_mode_by_backward_where_there_is_no_rule():
    out, tangent = ft.jvp(Cube.apply, (2.0,), (10.0,))
    assert out.item() == 8.0 and tangent.item() == 120.0
    assert ft.grad(lambda x: ft.jvp(Cube.apply, (x,), (1.0,))[1])(2.0).item() == 12.0
    assert ft.hessian(Cube.apply)(2.0).item() == 12.0
    assert ft.jacfwd(Cube.apply)(ft.tensor([1.0, 2.0])).tolist() == [[3.0, 0.0], [0.0, 12.0]]


def test_c23_own_rules():
    WithRules.calls.clear()
    out, tangent = ft.jvp(WithRules.apply, (3.0,), (1.0,))
    assert (out.item(), tangent.item()) == (9.0, 6.0) and WithRules.calls == ["jvp"]
    WithRules.calls.clear()
    assert ft.vmap(WithRules.apply)(ft.tensor([1.0, 2.0])).tolist() == [1.0, 4.0]
    assert WithRules.calls == [("vmap", 2, (0,))]
    assert ft.vmap(ft.grad(WithRules.apply))(ft.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


def test_c23_hooks_run_inside_of_transforms():
    seen = []

    def f(x):
        y = x * 2.0
        y.register_hook(lambda g: seen.append(g.item()) or g * 10.0)
        return y * 3.0

    assert ft.grad(f)(1.0).item() == 60.0 and seen == [3.0]


@pytest.mark.parametrize("transform", [ft.grad, ft.jacfwd, lambda f: ft.vmap(f, axis_size=2)])
def test_c23_a_captured_leaf_stays_connected(transform):
    w = leaf(2.0)
    result = transform(lambda x: Cube.apply(w * x))(ft.tensor([1.0, 1.0])
                                                    if transform not in (ft.grad, ft.jacfwd)
                                                    else ft.tensor(1.0))
    result.sum().backward()
    # 3 w^3 of the derivatives, 2 w^3 of the two mapped values
    assert w.grad.item() == (36.0 if transform in (ft.grad, ft.jacfwd) else 24.0)
