"""Ops, dtypes and distributions exist once: copies and pickles of them are they themselves."""

import copy
import dataclasses
import pickle
import subprocess
import sys
import types
from collections.abc import Callable

import mlx.core as mx
import pytest

import functape as ft
import functape.numpy as np
from functape import dtypes
from functape.op import Op, table

SPACES = {
    "functape": ft, "numpy": np, "linalg": np.linalg, "fft": np.fft, "lax": ft.lax, "nn": ft.nn,
    "initializers": ft.nn.initializers, "random": ft.random, "special": ft.scipy.special,
    "stats": ft.scipy.stats, "scipy.linalg": ft.scipy.linalg, "optim": ft.optim, "tree": ft.tree,
}
SINGLE = (Op, types.FunctionType, type, type(ft.scipy.stats.norm))


def twice(x):
    return [copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))]


@pytest.mark.parametrize("space", SPACES)
def test_public_functions_go_by_name(space):
    for name in dir(SPACES[space]):
        x = getattr(SPACES[space], name)
        if isinstance(x, SINGLE) and not name.startswith("_"):
            assert all(y is x for y in twice(x)), name


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_dtypes(name):
    dtype = getattr(ft, name)
    assert twice(dtype) == [dtype] * 3


def test_functions_of_a_distribution():
    assert pickle.loads(pickle.dumps(ft.scipy.stats.norm.logpdf)) is ft.scipy.stats.norm.logpdf


@dataclasses.dataclass
class Layer:
    w: ft.Tensor
    activation: Callable
    dtype: mx.Dtype

    def __call__(self, x):
        return self.activation(x.astype(self.dtype) @ self.w)


def test_a_model_is_copied_and_saved():
    layer = Layer(ft.tensor([[1.0, -2.0], [0.5, 0.25]], requires_grad=True), np.tanh, ft.float32)
    x = np.asarray([1, 2])
    for other in twice(layer)[1:]:
        assert other.activation is np.tanh and other.w is not layer.w
        assert other(x).tolist() == layer(x).tolist()
        other(x).sum().backward()
        assert other.w.grad is not None and layer.w.grad is None


def test_an_op_that_is_not_loaded_yet_is_found():
    code = "import pickle, functape; print(pickle.loads({!r}))"
    for name in ("zeta", "solve", "sin"):
        run = subprocess.run([sys.executable, "-c", code.format(pickle.dumps(table[name]))],
                             capture_output=True, text=True, check=True)
        assert run.stdout == f"{table[name]!r}\n"


def test_an_op_without_a_name_is_refused():
    own = Op("sin", mx.sin, args=("x",), register=False)
    with pytest.raises(pickle.PicklingError, match="made for one user's function"):
        pickle.dumps(own)


def test_without_docstrings():
    """Under -OO Python drops them: nothing may need them."""
    code = ("import functape as ft\n"
            "for space in (ft, ft.numpy, ft.numpy.linalg, ft.numpy.fft, ft.lax, ft.nn, ft.random,\n"
            "              ft.scipy.special, ft.scipy.stats, ft.scipy.linalg, ft.optim, ft.viz):\n"
            "    for name in dir(space): getattr(space, name)\n"
            "print(ft.jit(ft.grad(lambda x: ft.numpy.sin(x) * x))(0.0))")
    run = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert run.stdout == "tensor(0.)\n", run.stderr
