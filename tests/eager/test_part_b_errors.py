"""Every misuse that the facts about PyTorch (part B) list has an error of our own, and leaves the
grad mode and the levels as they were. What the messages say is tested topic by topic."""

import copy
import pickle

import pytest

import functape as ft
from functape import autograd as ag
from functape.errors import FunctapeError
from functape.op import levels
from functape.tape import mode


def T(v):
    return ft.tensor(v, requires_grad=True)


class TooMany(ag.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g


class WrongShape(TooMany):
    @staticmethod
    def backward(ctx, g):
        return ft.ones(3)


class NoForward(ag.Function):
    pass


class NoBackward(ag.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


def frozen_after_use():
    x = T(2.0)
    y = x * 2
    x.requires_grad = False
    ag.grad(y, x)


def own_grad():
    x = T(1.0)
    x.grad = x


def tensor_hook(f):
    y = T([1.0, 2.0]) * 2
    y.register_hook(f)
    y.sum().backward()


def node_hook(f):
    y = T([1.0, 2.0]) * 2
    y.grad_fn.register_hook(f)
    y.sum().backward()


def post_hook_that_returns():
    x = T(1.0)
    x.register_post_accumulate_grad_hook(lambda p: 1)
    (x * 2).backward()


def freed():
    x = T(2.0)
    y = x * x
    y.backward()
    y.backward()


def saved_in_inference():
    with ft.inference_mode():
        a = ft.tensor(1.0)
    T(2.0) * a


def unpacked_to_a_number():
    x = T(2.0)
    with ag.graph.saved_tensors_hooks(lambda t: t, lambda t: 1):
        y = x * x
    y.backward()


CASES = {
    "B7": frozen_after_use,
    "B9": lambda: setattr(T([1.0]), "grad", ft.ones(2)),
    "B10a": lambda: setattr(T(1.0), "grad", ft.tensor(1.0, dtype=ft.float64)),
    "B10b": lambda: setattr(T(1.0), "grad", 5),
    "B10c": own_grad,
    "B15": lambda: ft.tensor(1.0).retain_grad(),
    "B20a": lambda: ft.tensor(1.0).register_hook(print),
    "B20b": lambda: tensor_hook(lambda g: 1),
    "B20c": lambda: tensor_hook(lambda g: ft.ones(3)),
    "B20d": lambda: tensor_hook(lambda g: g.astype(ft.float64)),
    "B27a": lambda: node_hook(lambda a, b: a[0]),
    "B27b": lambda: node_hook(lambda a, b: (1, 2, 3)),
    "B28a": lambda: (T(1.0) * 2).register_post_accumulate_grad_hook(print),
    "B28b": post_hook_that_returns,
    "B34a": lambda: ag.grad(T(1.0) * 2, T(1.0)),
    "B34b": lambda: ag.grad(T(1.0) * 2, T(1.0), materialize_grads=True, allow_unused=False),
    "B34c": lambda: ag.grad(T(1.0) * 2, ft.tensor(1.0)),
    "B35a": lambda: (T([1.0, 2.0]) * 2).backward(),
    "B35b": lambda: (T([1.0, 2.0]) * 2).backward(ft.ones(3)),
    "B35c": lambda: ag.backward([T(1.0) * 2, T(1.0) * 2], [None]),
    "B35d": lambda: (T(1.0) * 2).backward(5.0),
    "B37a": lambda: ag.grad(T(1.0) * 2, []),
    "B37b": lambda: ag.grad(T(1.0) * 2, "a"),
    "B37c": lambda: ag.grad(T(1.0) * 2, None),
    "B37d": lambda: ft.tensor(1.0).backward(),
    "B37e": lambda: (T(1.0) > 0).backward(),
    "B40": freed,
    "B48a": lambda: T(1.0).add_(1.0),
    "B48b": lambda: T([1.0, 2.0]).__setitem__(0, 5.0),
    "B55": lambda: setattr(T(1.0) * 2, "requires_grad", False),
    "B56a": lambda: ft.tensor(1, requires_grad=True),
    "B56b": lambda: setattr(ft.tensor(1), "requires_grad", True),
    "B56c": lambda: setattr(ft.tensor(1.0), "requires_grad", 1),
    "B57": lambda: T(1.0).numpy(),
    "B58a": lambda: setattr(T(1.0), "grad_fn", 1),
    "B58b": lambda: setattr(T(1.0), "is_leaf", 1),
    "B63": saved_in_inference,
    "B65a": lambda: TooMany.apply(T([1.0, 2.0])).sum().backward(),
    "B65b": lambda: WrongShape.apply(T([1.0, 2.0])).sum().backward(),
    "B69a": lambda: NoForward.apply(T(1.0)),
    "B69b": lambda: NoBackward.apply(T(1.0)).backward(),
    "B69c": lambda: NoBackward(),
    "B71": unpacked_to_a_number,
    "B74": lambda: ag.gradcheck(lambda x: x * 2, (ft.tensor(1.0, dtype=ft.float64),)),
    "B79a": lambda: copy.deepcopy(T(1.0) * 2),
    "B79b": lambda: pickle.dumps(T(1.0) * 2),
    "B80a": lambda: ft.grad(lambda x: x)(ft.ones(2)),
    "B80b": lambda: ft.grad(lambda x: 1 if False else "s")(1.0),
    "B80c": lambda: ft.grad(lambda x: x)(1),
    "B81a": lambda: ft.grad(lambda x: x, argnums=(0, 0))(1.0),
    "B81b": lambda: ft.grad(lambda x: x, argnums=2)(1.0),
    "B81c": lambda: ft.grad(lambda x: x, argnums=())(1.0),
    "B81d": lambda: ft.grad(lambda x: x, argnums="a")(1.0),
    "B82": lambda: ft.grad(lambda x: x, has_aux=True)(1.0),
    "B87a": lambda: ft.jvp(lambda x: x, 1.0, 1.0),
    "B87b": lambda: ft.jvp(lambda x: x, (1.0,), (ft.ones(2),)),
    "B86": lambda: ft.vjp(lambda x: x, 1.0)[1](ft.ones(2)),
    "B89a": lambda: ft.vmap(lambda x: x, in_axes=5)(ft.ones(2, 2)),
    "B89b": lambda: ft.vmap(lambda x, y: x)(ft.ones(3), ft.ones(4)),
    "B89c": lambda: ft.vmap(lambda x: x, in_axes=None)(ft.ones(2)),
    "B89d": lambda: ft.vmap(lambda x: x.item())(ft.ones(2)),
    "B89e": lambda: ft.vmap(lambda x: x if x > 0 else -x)(ft.ones(2)),
    "B90a": lambda: ag.functional.vjp(lambda x: x * 2, ft.ones(2)),
    "B90b": lambda: ag.functional.hessian(lambda x: x * 2, ft.ones(2)),
    "B90c": lambda: ag.functional.vjp(lambda x: x * 2, ft.ones(2), ft.ones(1)),
}


@pytest.mark.parametrize("case", CASES)
def test_misuse_is_an_error_of_our_own(case):
    read_only = case.startswith("B58")  # Python's own refusal to set a property
    with pytest.raises(AttributeError if read_only else FunctapeError):
        CASES[case]()
    assert mode.recording and not mode.inference and levels.depth == 0 and mode.packing is None
