"""What a backward pass keeps: JAX's jax.ad_checkpoint."""

from functape.autograd.checkpoint import checkpoint, checkpoint_name, checkpoint_policies
from functape.autograd.checkpoint import checkpoint as remat
from functape.suggest import for_names_of

__all__ = ["checkpoint", "checkpoint_name", "checkpoint_policies", "remat"]

__getattr__ = for_names_of(__name__)
