"""linear_transpose takes linear functions, and says which operation is none."""

import functape as ft

# isort: split
import jax
import jax.numpy as jnp
import mlx.core as mx
import pytest

import functape.numpy as np
from functape.errors import LinearityError

W = [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 0.25, 1.0]]
NONLINEAR = {
    "sin": (lambda np, x: np.sin(x), "sin"),
    "exp": (lambda np, x: np.exp(x), "exp"),
    "power": (lambda np, x: x**2, "power"),
    "product": (lambda np, x: 3.0 * (x * x[::-1]), "multiply"),
    "form": (lambda np, x: (x @ np.asarray(W)) @ x, "matmul"),
    "reciprocal": (lambda np, x: 1.0 / x, "divide"),
    "norm": (lambda np, x: np.linalg.norm(x), "norm"),
    "max": (lambda np, x: np.max(np.cumsum(x)), "max"),
    "maximum": (lambda np, x: np.maximum(x, 1.0), "maximum"),
}
LINEAR = {
    "matmul": lambda np, x: np.asarray(W) @ x,
    "scaled": lambda np, x: (2.0 * x[::-1] - x) / 4.0,
    "offset": lambda np, x: x + 1.0,
    "where": lambda np, x: np.where(np.asarray([True, False, True]), x, 3.0 * x),
    "pieces": lambda np, x: np.concatenate([x[1:], np.cumsum(x)])[:3],
    "solve": lambda np, x: np.linalg.solve(np.asarray(W), x),
    "einsum": lambda np, x: np.einsum("i,ij->j", x, np.asarray(W)),
    "constants": lambda np, x: np.sin(np.asarray(W)) @ (x / np.exp(np.asarray(W[0]))),
}


@pytest.mark.parametrize("case", NONLINEAR)
def test_what_is_not_linear_is_named(case):
    f, name = NONLINEAR[case]
    with pytest.raises(NotImplementedError) as caught:
        ft.linear_transpose(lambda x: f(np, x), np.ones(3))
    assert isinstance(caught.value, LinearityError)
    assert f"applies {name} to" in str(caught.value) and "vjp" in str(caught.value)
    with pytest.raises((NotImplementedError, AssertionError)):
        jax.linear_transpose(lambda x: f(jnp, x), jnp.ones(3))(f(jnp, jnp.ones(3)))


@pytest.mark.parametrize("case", LINEAR)
def test_what_is_linear_is_transposed(case):
    f = LINEAR[case]
    ours, = ft.linear_transpose(lambda x: f(np, x), np.ones(3))(np.arange(3.0))
    theirs, = jax.linear_transpose(lambda x: f(jnp, x), jnp.ones(3))(jnp.arange(3.0))
    assert ours.tolist() == pytest.approx(theirs.tolist(), rel=1e-5)


def test_what_is_tracked_outside_is_a_constant():
    w = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    found, = ft.linear_transpose(lambda x: np.sum(np.exp(w) * x / w), np.ones(3))(1.0)
    assert found.tolist() == pytest.approx((mx.exp(w.detach().array) / w.detach().array).tolist())

    def through(a):
        return np.sum(ft.linear_transpose(lambda x: a * a * x, 1.0)(2.0)[0])

    assert ft.grad(through)(3.0).item() == 12.0  # d/da 2 a^2
    assert ft.vmap(through)(np.arange(3.0)).tolist() == [0.0, 2.0, 8.0]


def test_of_several_arguments_each_must_be_linear_with_the_others():
    x, y = np.ones(2), np.ones(2)
    assert ft.linear_transpose(lambda x, y: x - 2.0 * y, x, y)(np.ones(2))[1].tolist() == [-2, -2]
    with pytest.raises(LinearityError, match="applies multiply"):
        ft.linear_transpose(lambda x, y: x * y, x, y)
