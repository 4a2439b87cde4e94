"""copy, deepcopy and pickle of tensors."""

import copy
import pickle

import numpy as np
import pytest

import functape as ft
from functape.errors import GraphError


def trained():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g * 10.0)
    (x * x).sum().backward()
    with ft.no_grad():
        x.add_(1.0)
    return x


def test_deepcopy_of_a_leaf():
    x = trained()
    y = copy.deepcopy(x)
    assert y is not x and y.is_leaf and y.requires_grad and y.version == x.version == 1
    assert y.tolist() == [2.0, 3.0]
    assert y.grad.tolist() == [20.0, 40.0] and y.grad is not x.grad
    y.grad = None
    (y * y).sum().backward()
    assert y.grad.tolist() == [4.0, 6.0]  # no hook came along
    with ft.no_grad():
        y.mul_(0.0)
    assert x.tolist() == [2.0, 3.0]


def test_deepcopy_keeps_identities():
    x = trained()
    a, b, c = copy.deepcopy([x, x, {"k": x.grad}])
    assert a is b and c["k"] is a.grad


def test_nonleaf_cannot_be_deepcopied_or_pickled():
    y = ft.tensor(1.0, requires_grad=True) * 2.0
    for what, act in (("deepcopy", copy.deepcopy), ("pickle", pickle.dumps)):
        with pytest.raises(GraphError, match=f"{what} of float32.*MultiplyBackward.*detach"):
            act(y)
        act(y.detach())


def test_copy_is_an_alias():
    x = trained()
    y = copy.copy(x)
    assert y.is_leaf and y.requires_grad and y.grad is None
    with ft.no_grad():
        y.add_(1.0)
    assert x.tolist() == y.tolist() == [3.0, 4.0] and x.version == y.version == 2
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 40.0] and y.grad.tolist() == [1.0, 1.0]


def test_copy_of_a_result_stays_on_the_tape():
    x = ft.tensor(3.0, requires_grad=True)
    copy.copy(x * x).backward()
    assert x.grad.item() == 6.0


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "complex64",
                                   "int64", "uint8", "bool"])
def test_pickle_keeps_dtype_and_value(dtype):
    value = ft.tensor([0, 1, 1], dtype=dtype) if dtype == "bool" else (
        ft.tensor(np.array([1, 2, 100]), dtype=dtype))
    back = pickle.loads(pickle.dumps(value))
    assert back.dtype == value.dtype and back.tolist() == value.tolist()
    assert not back.requires_grad and back.is_leaf


def test_pickle_keeps_float64_exactly():
    x = ft.tensor([0.1], dtype="float64", requires_grad=True)
    back = pickle.loads(pickle.dumps(x))
    assert back.tolist() == [0.1] and back.requires_grad


def test_pickle_drops_grad_and_hooks():
    back = pickle.loads(pickle.dumps(trained()))
    assert back.requires_grad and back.grad is None and back.version == 0
    back.sum().backward()
    assert back.grad.tolist() == [1.0, 1.0]


def test_inside_transforms_values_are_their_own_copies():
    assert ft.grad(lambda x: copy.deepcopy(x) * copy.copy(x))(3.0).item() == 6.0
    assert ft.jvp(lambda x: copy.deepcopy(x) * copy.copy(x), (3.0,), (1.0,))[1].item() == 6.0
    assert ft.vmap(lambda x: copy.deepcopy({"a": x})["a"] * x)(ft.ones(2)).tolist() == [1.0, 1.0]
