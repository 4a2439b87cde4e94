"""Derivative rules of the user's own: JAX's jax.custom_derivatives."""

from functape.transforms.custom_jvp import custom_jvp
from functape.transforms.custom_linear import linear_call
from functape.transforms.custom_vjp import custom_gradient, custom_vjp

__all__ = ["custom_gradient", "custom_jvp", "custom_vjp", "linear_call"]
