"""The rules: one statement per op, by kind of mathematics. See families.py for the forms."""

from functape.ops import (
    contraction,
    elementwise,
    families,
    fft,
    linalg,
    matrix_functions,
    movement,
    norms,
    reductions,
    spectral,
)

__all__ = [
    "contraction", "elementwise", "families", "fft", "linalg", "matrix_functions", "movement",
    "norms", "reductions", "spectral",
]
