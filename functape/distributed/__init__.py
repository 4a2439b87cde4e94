"""More than one machine: MLX's collectives as differentiable ops, and data-parallel training.

Programs are started by ``mlx.launch -n 4 program.py``; each of its processes is a *rank*.
"""

from functape.distributed.collectives import (
    all_gather,
    all_max,
    all_mean,
    all_min,
    all_sum,
    recv,
    send,
    sum_scatter,
)
from functape.distributed.groups import Group, init
from functape.distributed.training import average_gradients, broadcast, shard, value_and_grad

__all__ = [
    "Group", "all_gather", "all_max", "all_mean", "all_min", "all_sum", "average_gradients",
    "broadcast", "init", "recv", "send", "shard", "sum_scatter", "value_and_grad",
]
