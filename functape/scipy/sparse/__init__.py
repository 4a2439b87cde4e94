"""jax.scipy.sparse's solvers for matrices that are given by their products alone."""

from functape.scipy.sparse import linalg
from functape.suggest import for_names_of

__all__ = ["linalg"]

__getattr__ = for_names_of(__name__)
