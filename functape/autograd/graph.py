"""Looking at, and standing between, the parts of the tape."""

from functape.autograd.hook_methods import register_multi_grad_hook
from functape.autograd.passes import GradientEdge, get_gradient_edge
from functape.autograd.saved import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from functape.errors import ArgumentError, describe
from functape.suggest import for_names_of
from functape.tape import Node
from functape.tensor import Tensor


def increment_version(tensors):
    """Count a change that functape could not see, so that the tape notices it.

    Args:
      tensors: a tensor, or several.

    >>> import functape as ft
    >>> x = ft.tensor(1.0)
    >>> increment_version(x)
    >>> x.version
    1
    """
    for tensor in tensors if isinstance(tensors, (list, tuple)) else [tensors]:
        if not isinstance(tensor, Tensor):
            raise ArgumentError(f"increment_version takes tensors, but got {describe(tensor)}.")
        tensor.increment_version()


__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]

__getattr__ = for_names_of(__name__)
