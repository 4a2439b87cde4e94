"""Making leaves, and taking values out: dtypes, shapes, NumPy, DLPack."""

import mlx.core as mx
import numpy as np
import pytest

import functape as ft
from functape.errors import ArgumentError, ConcretizationError, GraphError, ShapeError

# --- creation -----------------------------------------------------------------------------------


def test_tensor_makes_leaves_that_share_nothing():
    data = np.array([1.0, 2.0], dtype=np.float32)
    x = ft.tensor(data, requires_grad=True)
    data[0] = 9.0
    assert x.tolist() == [1.0, 2.0] and x.is_leaf and x.requires_grad
    y = ft.tensor(ft.tensor([3.0]))
    assert y.tolist() == [3.0] and y.is_leaf
    assert ft.tensor([1, 2]).dtype == ft.tensor(np.array([1, 2], np.int32)).dtype
    assert ft.tensor([[0.1]], dtype="float64").tolist() == [[0.1]]
    assert ft.tensor([1 + 2j]).dtype == mx.complex64
    assert ft.tensor(mx.array([True])).dtype == mx.bool_


def test_tensor_of_tracked_data_never_drops_the_gradient():
    x = ft.tensor(2.0, requires_grad=True)
    y = ft.tensor([x * 3.0, 1.0])
    y.sum().backward()
    assert x.grad.item() == 3.0
    with pytest.raises(GraphError, match="makes a leaf, but the data depends on"):
        ft.tensor([x, x], requires_grad=True)
    assert ft.tensor([x.detach()], requires_grad=True).is_leaf
    assert ft.grad(lambda x: ft.tensor([x, x * x]).sum())(3.0).item() == 7.0


@pytest.mark.parametrize("make, shape, dtype", [
    (lambda **k: ft.zeros(2, 3, **k), (2, 3), "float32"),
    (lambda **k: ft.ones((2, 3), **k), (2, 3), "float32"),
    (lambda **k: ft.zeros(0, **k), (0,), "float32"),
    (lambda **k: ft.empty(4, dtype="float16", **k), (4,), "float16"),
    (lambda **k: ft.full((2,), 7.0, **k), (2,), "float32"),
    (lambda **k: ft.arange(3.0, **k), (3,), "float32"),
    (lambda **k: ft.linspace(0, 1, 5, **k), (5,), "float32"),
    (lambda **k: ft.eye(2, 3, **k), (2, 3), "float32"),
    (lambda **k: ft.rand(2, 3, **k), (2, 3), "float32"),
    (lambda **k: ft.randn(2, dtype="float64", **k), (2,), "float64"),
    (lambda **k: ft.randn(2, dtype="complex64", **k), (2,), "complex64"),
    (lambda **k: ft.rand_like(ft.ones(2, 2), **k), (2, 2), "float32"),
    (lambda **k: ft.randn_like(ft.ones(2, 2), **k), (2, 2), "float32"),
    (lambda **k: ft.zeros_like(ft.ones(2, dtype="float16"), **k), (2,), "float16"),
    (lambda **k: ft.ones_like(ft.ones(2), **k), (2,), "float32"),
    (lambda **k: ft.full_like(ft.ones(2), 3.0, **k), (2,), "float32"),
    (lambda **k: ft.empty_like(ft.ones(2), **k), (2,), "float32"),
    (lambda **k: ft.ones(1).new_zeros(2, 2, **k), (2, 2), "float32"),
    (lambda **k: ft.ones(1, dtype="float16").new_ones(2, **k), (2,), "float16"),
    (lambda **k: ft.ones(1, dtype="float16").new_tensor([1, 2], **k), (2,), "float16"),
])
def test_creators(make, shape, dtype):
    x = make()
    assert x.shape == shape and str(x.dtype).endswith(dtype) and not x.requires_grad
    y = make(requires_grad=True)
    assert y.requires_grad and y.is_leaf
    with pytest.raises(ArgumentError, match="requires_grad is True or False"):
        make(requires_grad=1)


def test_values():
    assert ft.eye(2, 3).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert ft.full((2,), 7.0).tolist() == [7.0, 7.0]
    r = ft.rand(1000)
    assert 0 <= min(r.tolist()) and max(r.tolist()) < 1
    i = ft.randint(2, 5, (1000,))
    assert set(i.tolist()) == {2, 3, 4} and i.dtype == mx.int32
    assert set(ft.randint(2, (50,), dtype="int64").tolist()) == {0, 1}
    assert sorted(ft.randperm(5).tolist()) == [0, 1, 2, 3, 4]


def test_manual_seed():
    ft.manual_seed(3)
    a = ft.randn(3).tolist()
    ft.manual_seed(3)
    assert ft.randn(3).tolist() == a


def test_integers_cannot_require_grad_one_text_for_all():
    texts = []
    for act in (lambda: ft.tensor([1], requires_grad=True),
                lambda: ft.arange(3, requires_grad=True),
                lambda: ft.tensor([1]).requires_grad_(),
                lambda: setattr(ft.tensor([1]), "requires_grad", True)):
        with pytest.raises(ArgumentError, match="floating-point and complex.*int32") as caught:
            act()
        texts.append(str(caught.value))
    assert len(set(texts)) == 1


def test_as_tensor_from_numpy_from_dlpack():
    x = ft.tensor([1.0])
    assert ft.as_tensor(x) is x and ft.as_tensor(x, "float64").dtype == mx.float64
    a = np.array([0.1, 0.2])
    for make in (ft.from_numpy, ft.from_dlpack, ft.as_tensor):
        y = make(a)
        assert y.dtype == mx.float64 and y.tolist() == [0.1, 0.2]
    with pytest.raises(ArgumentError, match="from_numpy takes a NumPy array"):
        ft.from_numpy([1.0])
    with pytest.raises(ArgumentError, match="DLPack protocol"):
        ft.from_dlpack([1.0])
    assert ft.is_tensor(x) and not ft.is_tensor(a)


def test_inference_mode_makes_inference_tensors():
    with ft.inference_mode():
        assert ft.zeros(2).is_inference and ft.rand(2).is_inference


# --- out ----------------------------------------------------------------------------------------


def test_numpy():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(GraphError, match=r"x.detach\(\).numpy\(\)"):
        x.numpy()
    assert isinstance(x.detach().numpy(), np.ndarray)
    assert x.numpy(force=True).tolist() == [1.0, 2.0]
    assert ft.tensor([0.1], dtype="float64").numpy().dtype == np.float64
    with pytest.raises(ConcretizationError):
        ft.vmap(lambda x: ft.tensor([x]).sum().numpy())(ft.ones(2))


def test_plain_numbers_warn_where_a_gradient_is_left_behind():
    x = ft.tensor(2.5, requires_grad=True)
    for convert in (float, int):
        with pytest.warns(UserWarning, match="requires grad is a plain number"):
            assert convert(x) == convert(2.5)
    assert float(x.detach()) == 2.5 and x.item() == 2.5 and x.tolist() == 2.5  # silent
    assert bool(x) and f"{x:.1f}" == "2.5"
    assert ft.grad(lambda x: x * float(x))(3.0).item() == 3.0  # silent inside a transform


def test_dlpack_out():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(GraphError, match=r"Hand over x.detach\(\)"):
        np.from_dlpack(x)
    assert np.from_dlpack(x.detach()).tolist() == [1.0, 2.0]


def test_graph_facts_are_read_only():
    x = ft.tensor(1.0, requires_grad=True)
    for name in ("grad_fn", "is_leaf"):
        with pytest.raises(AttributeError):
            setattr(x, name, None)


# --- dtypes and shapes ----------------------------------------------------------------------------


@pytest.mark.parametrize("name, dtype", [
    ("float", mx.float32), ("double", mx.float64), ("half", mx.float16),
    ("bfloat16", mx.bfloat16), ("int", mx.int32), ("long", mx.int64), ("short", mx.int16),
    ("byte", mx.uint8), ("bool", mx.bool_), ("cfloat", mx.complex64),
])
def test_casts(name, dtype):
    x = ft.tensor([1.0, 0.0], requires_grad=True)
    y = getattr(x, name)()
    assert y.dtype == dtype
    assert y.requires_grad == (dtype not in (mx.int32, mx.int64, mx.int16, mx.uint8, mx.bool_))
    z = x.to(dtype)
    assert z.dtype == dtype and x.to(dtype=dtype).dtype == dtype


def test_to():
    x = ft.tensor([1.0], requires_grad=True)
    assert x.to("cpu") is x and x.to(mx.cpu) is x and x.cpu() is x and x.contiguous() is x
    assert x.to(x.dtype) is x and x.to(x.dtype, copy=True) is not x
    assert x.to(ft.tensor([1.0], dtype="float64")).dtype == mx.float64
    assert x.type_as(ft.tensor([1.0], dtype="float16")).dtype == mx.float16
    x.double().sum().backward()
    assert x.grad.dtype == mx.float32 and x.grad.tolist() == [1.0]
    with pytest.raises(ArgumentError, match="is not a device"):
        x.to(device="cuda:0")
    with pytest.raises(ArgumentError, match="not an array dtype"):
        x.to("tpu")


def test_clone_is_differentiable():
    x = ft.tensor([1.0], requires_grad=True)
    y = x.clone()
    assert y is not x and y.grad_fn is not None and y.version == 0
    y.sum().backward()
    assert x.grad.tolist() == [1.0]


def test_shapes():
    x = ft.arange(6.0, requires_grad=True)
    assert x.view(2, 3).shape == x.view((2, 3)).shape == x.view(-1, 3).shape == (2, 3)
    assert x.view("int32").dtype == mx.int32 and x.view(dtype=mx.int32).shape == (6,)
    assert x.view_as(ft.ones(3, 2)).shape == x.reshape_as(ft.ones(3, 2)).shape == (3, 2)
    assert x.unsqueeze(0).shape == (1, 6) and x.unsqueeze(-1).shape == (6, 1)
    assert x.expand(2, -1).shape == x.expand((2, 6)).shape == (2, 6)
    assert x.expand_as(ft.ones(3, 6)).shape == (3, 6)
    m = x.view(2, 3)
    assert m.t().shape == m.permute(1, 0).shape == (3, 2) and x.t().shape == (6,)
    assert m.dim() == 2 and m.numel() == 6
    assert m.is_floating_point() and not m.is_complex()
    with pytest.raises(ShapeError, match="cannot be stretched"):
        m.expand(3)
    with pytest.raises(ShapeError, match="more than two axes"):
        ft.ones(1, 1, 1).t()
    x.view(2, 3).unsqueeze(0).expand(4, -1, -1).sum().backward()
    assert x.grad.tolist() == [4.0] * 6


def test_compute_methods():
    x = ft.tensor([1.0, 4.0], requires_grad=True)
    assert x.sqrt().tolist() == [1.0, 2.0] and x.neg().tolist() == [-1.0, -4.0]
    assert x.mul(2.0).tolist() == [2.0, 8.0] and x.pow(2).tolist() == [1.0, 16.0]
    assert x.clamp(min=2.0).tolist() == [2.0, 4.0]
    assert x.square().relu().sum().item() == 17.0


def test_methods_work_inside_transforms():
    def f(x):
        return x.view(2, 1).expand(2, 3).clone().square().unsqueeze(0).sum()

    x = ft.tensor([1.0, 2.0])
    assert ft.grad(f)(x).tolist() == [6.0, 12.0]
    assert ft.jvp(f, (x,), (ft.ones(2),))[1].item() == 18.0
    assert ft.vmap(f)(ft.ones(3, 2)).tolist() == [6.0, 6.0, 6.0]


def test_empty_arrays_keep_shape_and_dtype():
    for dtype in (np.float64, np.float32, np.int16, np.complex64, np.bool_):
        a = np.zeros((0, 3), dtype)
        x = ft.from_numpy(a)
        assert x.shape == (0, 3) and x.dtype == ft.from_numpy(np.zeros(1, dtype)).dtype
        assert x.detach().numpy().dtype == dtype
    x = ft.from_numpy(np.array(mx.zeros((0,), dtype=mx.float64))).requires_grad_()
    x.sum().backward()
    assert x.grad.shape == (0,)
