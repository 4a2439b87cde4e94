"""The eager face: backward passes, hooks, grad modes, custom functions and their checks."""

from functape.autograd import conversion, copying, hook_methods, inplace  # noqa: F401
from functape.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from functape.autograd.passes import backward, grad
from functape.later import later

with later(globals()) as (__getattr__, __dir__):
    from functape.autograd import function, functional, graph, profiler
    from functape.autograd.anomaly import (
        detect_anomaly,
        is_anomaly_check_nan_enabled,
        is_anomaly_enabled,
        set_detect_anomaly,
    )
    from functape.autograd.comparison import gradcheck, gradgradcheck
    from functape.autograd.function import Function
    from functape.autograd.parameters import functional_call, named_tensors

__all__ = [
    "Function", "backward", "conversion", "copying", "detect_anomaly", "enable_grad", "function",
    "functional", "functional_call", "grad", "gradcheck", "gradgradcheck", "graph",
    "inference_mode", "inplace", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
    "is_grad_enabled", "is_inference_mode_enabled", "named_tensors", "no_grad", "profiler",
    "set_detect_anomaly", "set_grad_enabled",
]
