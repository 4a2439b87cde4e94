"""jax.scipy's namespaces on functape values."""

from functape.scipy import linalg, special, stats
from functape.suggest import for_names_of

__all__ = ["linalg", "special", "stats"]

__getattr__ = for_names_of(__name__)
