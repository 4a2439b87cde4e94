"""Arrays of complex128 beneath the tape, each as two of float64: what they are and the kernels
of the ops on them."""

from functape.pairs.array import Pair
from functape.pairs.dtype import complex128

__all__ = ["Pair", "complex128"]
