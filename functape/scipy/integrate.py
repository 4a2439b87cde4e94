"""jax.scipy.integrate on functape values."""

from functape.numpy.differences import trapezoid
from functape.suggest import for_names_of

__all__ = ["trapezoid"]

__getattr__ = for_names_of(__name__)
