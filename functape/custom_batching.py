"""Batching rules of the user's own: JAX's jax.custom_batching."""

from functape.transforms.custom_batching import custom_vmap, sequential_vmap

__all__ = ["custom_vmap", "sequential_vmap"]
