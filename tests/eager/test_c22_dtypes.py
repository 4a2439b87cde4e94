"""Shapes and dtypes of gradients are those of the values (topic 22)."""

import pytest
from eager_helpers import leaf

import functape as ft
from functape.autograd import Function, grad
from functape.errors import FunctapeError

np = ft.numpy


def returning(make, size=1):
    """A function of one argument whose backward returns `make(g)`."""

    class Returning(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            return make(g)

    return Returning.apply


def test_c22_gradients_have_the_dtype_of_each_argument():
    x, y = leaf([1.0, 2.0], "float16"), leaf([3.0, 4.0])
    z = x * y
    assert z.dtype == np.float32
    z.sum().backward()
    assert x.grad.dtype == np.float16 and x.grad.tolist() == [3.0, 4.0]
    assert y.grad.dtype == np.float32 and y.grad.tolist() == [1.0, 2.0]


def test_c22_all_that_meets_at_a_value_has_its_dtype():
    x, got = leaf([1.0, 2.0], "float16"), []
    y = x * 1.0
    y.register_hook(lambda g: got.append(g.dtype))
    y.retain_grad()
    (y.float() * 3.0 + y.double() * 2.0 + y).sum().backward()
    assert got == [np.float16] and y.grad.dtype == np.float16 and x.grad.tolist() == [6.0, 6.0]


def test_c22_broadcasting_is_undone():
    x = leaf([2.0])
    (x * ft.ones((4, 3))).sum().backward()
    assert x.grad.shape == (1,) and x.grad.tolist() == [12.0]
    y, z = leaf([[1.0], [2.0]]), leaf([1.0, 1.0, 1.0])
    (y * z).sum().backward()
    assert y.grad.tolist() == [[3.0], [3.0]] and z.grad.tolist() == [3.0] * 3
    scalar = leaf(2.0)
    (scalar + ft.ones((2, 2))).sum().backward()
    assert scalar.grad.shape == () and scalar.grad.item() == 4.0


def test_c22_empty_arrays():
    x = leaf([])
    (x * 2.0).sum().backward()
    assert x.grad.shape == (0,) and x.grad.dtype == x.dtype


@pytest.mark.parametrize("make, expected", [
    (lambda g: g.double() * 3.0, [3.0, 3.0]),
    (lambda g: np.ones((3, 2)) * g, [3.0, 3.0]),  # summed, as under broadcasting
    (lambda g: np.ones((2, 1, 2)), [2.0, 2.0]),
], ids=["cast", "summed", "summed twice"])
def test_c22_what_a_function_returns_is_made_to_fit(make, expected):
    x = leaf([1.0, 1.0])
    returning(make)(x).sum().backward()
    assert x.grad.tolist() == expected and x.grad.dtype == x.dtype


def test_c22_the_gradient_of_a_real_value_is_the_real_part():
    x = leaf([1.0, 2.0])
    returning(lambda g: g * ft.tensor(3.0 + 4.0j))(x).sum().backward()
    assert x.grad.dtype == np.float32 and x.grad.tolist() == [3.0, 3.0]
    z = leaf(1.0 + 2.0j)
    (np.real(z * z) * 1.0).backward()
    assert z.grad.item() == 2.0 + 4.0j  # JAX's convention: no conjugate


@pytest.mark.parametrize("make, words", [
    (lambda g: np.ones(3), [r"ReturningBackward", r"float32\[3\]", r"\(2,\)", "0"]),
    (lambda g: np.ones((2, 3)), [r"float32\[2, ?3\]", r"\(2,\)"]),
    (lambda g: 5, ["ReturningBackward", "5|int", "tensor|Tensor", "None"]),
    (lambda g: "one", ["str|one"]),
], ids=["shape", "rank", "int", "str"])
def test_c22_what_cannot_fit_is_named(make, words):
    y = returning(make)(leaf([1.0, 1.0])).sum()
    with pytest.raises(FunctapeError) as caught:
        y.backward()
    for word in words:
        assert caught.match(word)


def test_c22_a_gradient_that_could_be_stretched():
    """Torch refuses a single number for a vector; functape may stretch it, but nothing else."""
    x = leaf([1.0, 1.0])
    y = returning(lambda g: g.sum())(x).sum()
    try:
        y.backward()
    except FunctapeError as error:
        assert "ReturningBackward" in str(error)
    else:
        assert x.grad.tolist() == [2.0, 2.0]


def test_c22_higher_orders_keep_the_dtype():
    x = leaf([1.0, 2.0], "float16")
    (g,) = grad((x.float() ** 3).sum(), x, create_graph=True)
    (h,) = grad(g.sum(), x)
    assert g.dtype == h.dtype == np.float16 and h.tolist() == [6.0, 12.0]
