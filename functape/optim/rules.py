"""MLX's update rules under one name each; see mlx.optimizers. Adam and AdamW correct the bias of
their running means, as PyTorch's do; MLX's do so only if asked."""

import mlx.optimizers as rules

from functape.optim.optimizer import Optimizer


class SGD(Optimizer):
    r"""Gradient descent, with momentum and weight decay if asked.

    .. math:: w \leftarrow w - \lambda v, \qquad v \leftarrow \mu v + (1 - \tau) g

    Hyperparameters: lr, momentum, weight_decay, dampening, nesterov.

    Source: I. Sutskever, J. Martens, G. Dahl and G. Hinton, On the importance of initialization
    and momentum in deep learning, ICML 2013.

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

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
    r"""Gradients divided by a running root of their squares.

    .. math:: w \leftarrow w - \lambda \frac{g}{\sqrt{v} + \epsilon},
       \qquad v \leftarrow \alpha v + (1 - \alpha) g^2

    Hyperparameters: lr, alpha, eps.

    Source: T. Tieleman and G. Hinton, Neural Networks for Machine Learning, lecture 6.5, Coursera
    (2012).

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.RMSprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.RMSprop


class Adagrad(Optimizer):
    r"""Gradients divided by the root of the sum of their squares.

    .. math:: w \leftarrow w - \lambda \frac{g}{\sqrt{v} + \epsilon},
       \qquad v \leftarrow v + g^2

    Hyperparameters: lr, eps.

    Source: J. Duchi, E. Hazan and Y. Singer, Adaptive subgradient methods for online learning and
    stochastic optimization, Journal of Machine Learning Research 12 (2011).

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.Adagrad


class AdaDelta(Optimizer):
    r"""Steps of the size of past steps: u and v are running means of d^2 and g^2.

    .. math:: w \leftarrow w - \lambda d,
       \qquad d = \sqrt{\frac{u + \epsilon}{v + \epsilon}}\, g

    Hyperparameters: lr, rho, eps.

    Source: M. D. Zeiler, ADADELTA: an adaptive learning rate method (2012).

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.AdaDelta([w], lr=1.0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.AdaDelta


class Adam(Optimizer):
    r"""Running means m of the gradients and v of their squares.

    .. math:: w \leftarrow w - \lambda \frac{m}{\sqrt{v} + \epsilon}

    Hyperparameters: lr, betas, eps, bias_correction (True: m and v are divided by
    :math:`1 - \beta^t` in step t).

    Source: D. P. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015.

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.Adam
    usual = {"bias_correction": True}


class AdamW(Optimizer):
    r"""Adam with decoupled weight decay.

    .. math:: w \leftarrow (1 - \lambda \delta) w - \lambda \frac{m}{\sqrt{v} + \epsilon}

    Hyperparameters: those of Adam, and weight_decay.

    Source: I. Loshchilov and F. Hutter, Decoupled weight decay regularization, ICLR 2019.

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      lr: the learning rate, or a schedule of mlx.optimizers.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.AdamW([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.AdamW
    usual = {"bias_correction": True}


class Adamax(Optimizer):
    r"""Adam with a running maximum in place of the mean of squares.

    .. math:: w \leftarrow w - \lambda \frac{m}{v + \epsilon},
       \qquad v \leftarrow \max(\beta_2 v, |g|)

    Hyperparameters: lr, betas, eps.

    Source: D. P. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015.

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.Adamax


class Lion(Optimizer):
    r"""Steps in the direction of a sign.

    .. math:: w \leftarrow w - \lambda \operatorname{sign}(\beta_1 m + (1 - \beta_1) g)

    Hyperparameters: lr, betas, weight_decay.

    Source: X. Chen et al., Symbolic discovery of optimization algorithms, NeurIPS 2023.

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.Lion([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.Lion


class Adafactor(Optimizer):
    """Adam with squares kept as a row and a column for each matrix.

    Hyperparameters: lr (None: from the step), eps, clip_threshold, decay_rate, beta_1,
    weight_decay, scale_parameter, relative_step, warmup_init.

    Source: N. Shazeer and M. Stern, Adafactor: adaptive learning rates with sublinear memory cost,
    ICML 2018.

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ft.optim.Adafactor([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.Adafactor

    def __init__(self, params, lr=None, **defaults):
        super().__init__(params, lr, **defaults)


class Muon(Optimizer):
    """Momentum made orthogonal, for matrices.

    Hyperparameters: lr, momentum, weight_decay, nesterov, ns_steps.

    Source: K. Jordan et al., Muon: an optimizer for hidden layers in neural networks (2024).

    Args:
      params: leaves, or groups of them; see `Optimizer`.
      **defaults: the other hyperparameters.

    >>> import functape as ft
    >>> w = ft.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> optimizer = ft.optim.Muon([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.version
    1
    """

    rule = rules.Muon
