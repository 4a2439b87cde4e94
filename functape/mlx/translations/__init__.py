"""What each function of mlx.core means for functape's values: functions by MLX's signatures."""

from functape.mlx.translations import (  # noqa: F401 - they fill the table
    elementwise,
    fast,
    functions,
    indexing,
    linalg,
    products,
    random,
    reductions,
    shapes,
)
from functape.mlx.translations.registry import table

__all__ = ["table"]
