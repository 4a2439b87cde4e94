"""Arrays of complex128 beneath the tape, each as two of float64: what they are and the kernels
of the ops on them."""

from functape.pairs.array import (
    ARRAYS,
    Pair,
    converted,
    from_numpy,
    full,
    halves,
    joined,
    ones,
    pair,
    pairs_among,
    to_numpy,
    zeros,
)
from functape.pairs.dtype import (
    COMPLEX,
    DTYPES,
    complex128,
    is_complex,
    issubdtype,
    refuse_mixing,
    refuse_rounding,
    result_type,
)

__all__ = [
    "ARRAYS", "COMPLEX", "DTYPES", "Pair", "complex128", "converted", "from_numpy", "full",
    "halves", "is_complex", "issubdtype", "joined", "ones", "pair", "pairs_among",
    "refuse_mixing", "refuse_rounding", "result_type", "to_numpy", "zeros",
]
