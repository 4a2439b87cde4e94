"""At home in MLX: its functions, its layers and its optimizers with functape's derivatives."""

from functape.mlx import checkpoints  # noqa: F401 - it says what mx.checkpoint means
from functape.mlx.dispatching import dispatch, traced
from functape.mlx.functions import coverage
from functape.mlx.lifting import lift
from functape.mlx.modules import functional_call, value_and_grad
from functape.mlx.streams import default_device, stream
from functape.mlx.watching import watch
from functape.suggest import for_names_of

__all__ = [
    "coverage", "default_device", "dispatch", "functional_call", "lift", "stream", "traced",
    "value_and_grad", "watch",
]

__getattr__ = for_names_of(__name__)
