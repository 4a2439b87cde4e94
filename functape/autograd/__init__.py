"""The eager face: backward passes, hooks, grad modes, custom functions and their checks."""

from functape.autograd import function, graph, inplace
from functape.autograd.function import Function
from functape.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from functape.autograd.passes import backward, grad

__all__ = [
    "Function", "backward", "enable_grad", "function", "grad", "graph", "inference_mode",
    "inplace", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_grad_enabled",
]
