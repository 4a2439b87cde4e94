"""The rules: one statement per op, by kind of mathematics. See families.py for the forms."""

from functape.ops import (
    contraction,
    elementwise,
    factors,
    families,
    fft,
    indexing,
    linalg,
    matrix_functions,
    movement,
    norms,
    reductions,
    sorting,
    spectral,
)

__all__ = [
    "contraction", "elementwise", "factors", "families", "fft", "indexing", "linalg",
    "matrix_functions", "movement", "norms", "reductions", "sorting", "spectral",
]
