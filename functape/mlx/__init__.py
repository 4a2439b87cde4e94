"""At home in MLX: its functions, its layers and its optimizers with functape's derivatives."""

from functape.mlx.lifting import lift

__all__ = ["lift"]
