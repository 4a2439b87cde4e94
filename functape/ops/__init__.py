"""The rules: one statement per op, by kind of mathematics. See families.py for the forms."""

from functape.later import later

with later(globals()) as (__getattr__, __dir__):
    from functape.numpy.segments import segment_max, segment_min, segment_prod, segment_sum
    from functape.ops import (
        activations,
        bessel,
        contraction,
        conv,
        elementwise,
        entropies,
        factors,
        families,
        fast,
        fft,
        gamma,
        incomplete_beta,
        incomplete_gamma,
        indexing,
        integrals,
        linalg,
        matrix_functions,
        movement,
        normal,
        norms,
        pooling,
        precision,
        random,
        reductions,
        sinc,
        sorting,
        spectral,
    )

__all__ = [
    "activations", "bessel", "contraction", "conv", "elementwise", "entropies", "factors",
    "families", "fast", "fft", "gamma", "incomplete_beta", "incomplete_gamma", "indexing",
    "integrals", "linalg", "matrix_functions", "movement", "normal", "norms", "pooling",
    "precision", "random", "reductions", "segment_max", "segment_min", "segment_prod",
    "segment_sum", "sinc", "sorting", "spectral",
]
