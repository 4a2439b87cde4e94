"""The rules: one statement per op, by kind of mathematics. See families.py for the forms."""

from functape.ops import contraction, elementwise, families, movement, reductions

__all__ = ["contraction", "elementwise", "families", "movement", "reductions"]
