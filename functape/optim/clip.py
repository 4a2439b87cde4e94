"""Keeping gradients small, in place, between `backward()` and `step()`."""

import math

import mlx.core as mx

from functape.dtypes import PARTS
from functape.errors import ArgumentError, GraphError, check_range, describe
from functape.ops.elementwise import absolute
from functape.pairs import is_complex
from functape.tensor import Tensor


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    r"""Scale all gradients by one factor, so that their common norm is at most `max_norm`.

    .. math:: g \leftarrow g \cdot \min\left(1, \frac{m}{\|g\|_p + 10^{-6}}\right)

    Source: R. Pascanu, T. Mikolov and Y. Bengio, On the difficulty of training recurrent neural
    networks, ICML 2013.

    Args:
      parameters: a leaf or several; those without a gradient are left out.
      max_norm: m.
      norm_type: p, which may be infinity.
      error_if_nonfinite: raise if the norm is NaN or infinite.

    Returns:
      The norm before the change, a tensor.

    >>> import functape as ft
    >>> w = ft.tensor([3.0, 4.0], requires_grad=True)
    >>> w.grad = ft.tensor([3.0, 4.0])
    >>> ft.optim.clip_grad_norm_(w, 1.0)
    tensor(5.)
    """
    grads = gradients(parameters)
    check_range("clip_grad_norm_", "[0, inf]", max_norm=max_norm)
    check_range("clip_grad_norm_", "(0, inf]", norm_type=norm_type)
    if not grads:
        return Tensor(mx.array(0.0))
    sizes = [absolute(g.detach()).array.astype(mx.float32) for g in grads]
    if math.isinf(norm_type):
        norm = mx.max(mx.stack([mx.max(a) for a in sizes if a.size] or [mx.array(0.0)]))
    elif norm_type == 2:
        norm = mx.sqrt(sum(mx.sum(mx.square(a)) for a in sizes))
    else:
        norm = sum(mx.sum(a**norm_type) for a in sizes) ** (1 / norm_type)
    if error_if_nonfinite and not math.isfinite(norm.item()):
        raise GraphError(f"clip_grad_norm_: the norm of the gradients is {norm.item()}, so they "
                         "cannot be scaled. autograd.detect_anomaly() finds where it arose.")
    factor = mx.minimum(max_norm / (norm + 1e-6), 1.0)
    for g in grads:
        scale = Tensor(factor.astype(PARTS.get(g.dtype, g.dtype)))
        g.change((g.detach() * scale).array, "clip_grad_norm_")
    return Tensor(norm)


def clip_grad_value_(parameters, clip_value):
    """Keep each element of the gradients within [-clip_value, clip_value].

    Args:
      parameters: a leaf, or several.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = ft.tensor([-3.0, 0.5])
    >>> ft.optim.clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([-1. ,  0.5])
    """
    check_range("clip_grad_value_", "[0, inf]", clip_value=clip_value)
    for g in gradients(parameters):
        if is_complex(g):
            raise ArgumentError(f"clip_grad_value_: a gradient is {describe(g)}, and complex "
                                "numbers have no order. Use clip_grad_norm_.")
        g.change(mx.clip(g.array, -clip_value, clip_value).astype(g.dtype),
                      "clip_grad_value_")


def gradients(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for i, p in enumerate(parameters):
        if not isinstance(p, Tensor):
            raise ArgumentError(f"clip_grad takes leaves, but parameter {i} is {describe(p)}. For "
                                "a dict give its values().")
    return [p.grad for p in parameters if p.grad is not None]
