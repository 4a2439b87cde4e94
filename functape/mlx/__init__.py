"""At home in MLX: its functions, its layers and its optimizers with functape's derivatives."""

from functape.mlx.dispatching import dispatch, traced
from functape.mlx.functions import coverage
from functape.mlx.lifting import lift
from functape.mlx.streams import default_device, stream

__all__ = ["coverage", "default_device", "dispatch", "lift", "stream", "traced"]
