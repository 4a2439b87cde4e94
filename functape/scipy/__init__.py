"""jax.scipy's namespaces on functape values."""

from functape.scipy import linalg

__all__ = ["linalg"]
