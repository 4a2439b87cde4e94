"""MLX's update rules under one name each. What they compute, and their defaults, are MLX's: see
mlx.optimizers. (Adam there leaves bias correction out unless ``bias_correction=True``.)"""

import mlx.optimizers as rules

from functape.optim.optimizer import Optimizer


class SGD(Optimizer):
    r"""Gradient descent, with momentum and weight decay if asked.

    .. math:: w \leftarrow w - \lambda v, \qquad v \leftarrow \mu v + (1 - \tau) g

    Hyperparameters: lr, momentum, weight_decay, dampening, nesterov.

    >>> import functape as ft
    >>> w = ft.tensor(1.0, requires_grad=True)
    >>> optimizer = ft.optim.SGD([w], lr=0.25)
    >>> (w * w).backward()
    >>> optimizer.step()
    >>> w
    tensor(0.5, requires_grad=True)
    """

    rule = rules.SGD


class RMSprop(Optimizer):
    """Gradients divided by a running root of their squares. Hyperparameters: lr, alpha, eps."""

    rule = rules.RMSprop


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares. Hyperparameters: lr, eps."""

    rule = rules.Adagrad


class AdaDelta(Optimizer):
    """Steps of the size of past steps. Hyperparameters: lr, rho, eps."""

    rule = rules.AdaDelta


class Adam(Optimizer):
    """Running means of gradients and of their squares. Hyperparameters: lr, betas, eps,
    bias_correction (False unless given, as in MLX)."""

    rule = rules.Adam


class AdamW(Optimizer):
    """Adam with decoupled weight decay. Hyperparameters: those of Adam, and weight_decay."""

    rule = rules.AdamW


class Adamax(Optimizer):
    """Adam with a running maximum in place of the squares. Hyperparameters: lr, betas, eps."""

    rule = rules.Adamax


class Lion(Optimizer):
    """Steps in the direction of a sign. Hyperparameters: lr, betas, weight_decay."""

    rule = rules.Lion


class Adafactor(Optimizer):
    """Adam with factored squares. Hyperparameters: lr (None: from the step), eps,
    clip_threshold, decay_rate, beta_1, weight_decay, scale_parameter, relative_step,
    warmup_init."""

    rule = rules.Adafactor

    def __init__(self, params, lr=None, **defaults):
        super().__init__(params, lr, **defaults)


class Muon(Optimizer):
    """Momentum made orthogonal, for matrices. Hyperparameters: lr, momentum, weight_decay,
    nesterov, ns_steps."""

    rule = rules.Muon
