"""functape: automatic differentiation on MLX arrays, functional and eager, on one tape."""

from functape import blas

blas.preload()  # before anything imports mlx.core

# isort: split
from functape.backend import require_backend

require_backend()

# isort: split
from functape import autograd, numpy, tree, viz
from functape.autograd.creation import tensor
from functape.autograd.grad_mode import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad,
    set_grad_enabled,
)
from functape.blas import show_config
from functape.tensor import constant as asarray
from functape.ops.elementwise import stop_gradient
from functape.tensor import Tensor
from functape.transforms import (
    grad, hessian, hvp, jacfwd, jacrev, jit, jvp, value_and_grad, vjp, vmap,
)

__version__ = "0.1.0"
__all__ = [
    "Tensor", "asarray", "autograd", "enable_grad", "grad", "hessian", "hvp", "inference_mode",
    "is_grad_enabled", "is_inference_mode_enabled", "jacfwd", "jacrev", "jit", "jvp", "no_grad",
    "numpy", "set_grad_enabled", "show_config", "stop_gradient", "tensor", "tree",
    "value_and_grad", "viz", "vjp", "vmap",
]
