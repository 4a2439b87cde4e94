"""jax.scipy's namespaces on functape values."""

from functape.scipy import linalg, special, stats

__all__ = ["linalg", "special", "stats"]
