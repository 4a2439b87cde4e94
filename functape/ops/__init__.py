"""The rules: one statement per op, by kind of mathematics. See families.py for the forms."""

from functape.ops import (
    activations,
    contraction,
    conv,
    elementwise,
    factors,
    families,
    fast,
    fft,
    indexing,
    linalg,
    matrix_functions,
    movement,
    norms,
    pooling,
    reductions,
    sorting,
    spectral,
)

__all__ = [
    "activations", "contraction", "conv", "elementwise", "factors", "families", "fast", "fft",
    "indexing", "linalg", "matrix_functions", "movement", "norms", "pooling", "reductions",
    "sorting", "spectral",
]
