"""jax.scipy.integrate on functape values."""

from functape.numpy.differences import trapezoid

__all__ = ["trapezoid"]
