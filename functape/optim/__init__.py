"""Optimizers for eager leaves: MLX's update rules, applied to `.grad` by `step()`."""

from functape.optim.clip import clip_grad_norm_, clip_grad_value_
from functape.optim.optimizer import Optimizer
from functape.optim.rules import (
    SGD,
    AdaDelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Lion,
    Muon,
    RMSprop,
)
from functape.suggest import for_names_of

Adadelta = AdaDelta  # PyTorch's spelling

__all__ = [
    "AdaDelta", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Lion", "Muon",
    "Optimizer", "RMSprop", "SGD", "clip_grad_norm_", "clip_grad_value_",
]

__getattr__ = for_names_of(__name__)
