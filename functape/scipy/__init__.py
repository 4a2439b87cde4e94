"""jax.scipy's namespaces on functape values."""

from functape.scipy import fft, integrate, linalg, ndimage, signal, sparse, special, stats
from functape.suggest import for_names_of

__all__ = ["fft", "integrate", "linalg", "ndimage", "signal", "sparse", "special", "stats"]

__getattr__ = for_names_of(__name__)
