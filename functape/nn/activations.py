"""Functions of each element, by jax.nn's names."""

import math

from functape.errors import ArgumentError, ShapeError, check_range, check_word, describe
from functape.numpy.arguments import axis_of, inexact, value
from functape.ops import activations as ops
from functape.ops import elementwise, movement
from functape.pairs import is_complex
from functape.promotion import agree


def floating(x, name, *others):
    """The argument in floating point or complex; `others` are of its dtype, or numbers."""
    x = value(x, name)
    agree(name, (x, *others))
    return inexact(x)


def reals(x, name):
    """The argument in floating point: where a loss, a variance or a chance is real."""
    x = floating(x, name)
    if is_complex(x):
        raise ArgumentError(f"{name} takes real numbers, but got {describe(x)}. Give it the real "
                            "and the imaginary part, or the absolute value.")
    return x


# --- rectifiers ---------------------------------------------------------------------------------


def relu(x):
    r"""Rectified linear unit: :math:`\max(x, 0)`; its derivative at 0 is 0.

    Source: V. Nair and G. E. Hinton, Rectified linear units improve restricted Boltzmann machines,
    ICML 2010.

    >>> import functape as ft
    >>> ft.nn.relu(ft.numpy.array([-2.0, 0.0, 3.0]))
    tensor([0., 0., 3.])
    """
    return elementwise.relu(x)


def relu6(x):
    r"""Rectified linear unit up to 6: :math:`\min(\max(x, 0), 6)`; its derivative at 0 and 6 is 0.

    >>> import functape as ft
    >>> ft.nn.relu6(ft.numpy.array([-2.0, 3.0, 9.0]))
    tensor([0., 3., 6.])
    """
    return ops.relu6(x)


def leaky_relu(x, negative_slope=0.01):
    """x, and negative_slope * x where x is negative.

    Source: A. L. Maas, A. Y. Hannun and A. Y. Ng, Rectifier nonlinearities improve neural network
    acoustic models (2013).

    >>> import functape as ft
    >>> ft.nn.leaky_relu(ft.numpy.array([-2.0, 3.0]), 0.5)
    tensor([-1.,  3.])
    """
    return ops.leaky_relu(floating(x, "leaky_relu", negative_slope), negative_slope)


def elu(x, alpha=1.0):
    """Exponential linear unit: x, and alpha (e^x - 1) where x is not positive.

    Source: D.-A. Clevert, T. Unterthiner and S. Hochreiter, Fast and accurate deep network
    learning by exponential linear units, ICLR 2016.

    >>> import functape as ft
    >>> ft.nn.elu(ft.numpy.array([-1.0, 2.0])).round(3)
    tensor([-0.632,  2.   ])
    """
    return ops.elu(floating(x, "elu", alpha), alpha)


def celu(x, alpha=1.0):
    """Continuously differentiable exponential linear unit: max(x, 0) + alpha (e^(min(x, 0) / alpha)
    - 1).

    Source: J. T. Barron, Continuously differentiable exponential linear units (2017).

    >>> import functape as ft
    >>> ft.nn.celu(ft.numpy.array([-1.0, 2.0]), alpha=2.0).round(3)
    tensor([-0.787,  2.   ])
    """
    check_range("celu", "(0, inf)", alpha=alpha)
    x = floating(x, "celu", alpha)
    low = elementwise.expm1(elementwise.minimum(x, 0) / alpha)
    return elementwise.maximum(x, 0) + alpha * low


def selu(x):
    """Self-normalising exponential linear unit, which keeps mean 0 and variance 1.

    Source: G. Klambauer, T. Unterthiner, A. Mayr and S. Hochreiter, Self-normalizing neural
    networks, NeurIPS 2017.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.nn.selu(ft.numpy.array([-1.0, 2.0])).round(3)
    tensor([-1.111,  2.101])
    """
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


def squareplus(x, b=4):
    """A smooth relu without exponentials: (x + sqrt(x^2 + b)) / 2.

    Source: J. T. Barron, Squareplus: a softplus-like algebraic rectifier (2021).

    >>> import functape as ft
    >>> ft.nn.squareplus(0.0)
    tensor(1.)
    """
    check_range("squareplus", "[0, inf)", b=b)
    x = floating(x, "squareplus", b)
    return (x + elementwise.sqrt(elementwise.square(x) + b)) * 0.5


def softplus(x):
    """log(1 + e^x), without overflow.

    >>> import functape as ft
    >>> ft.nn.softplus(ft.numpy.array([0.0, 1000.0])).round(3)
    tensor([6.93e-01, 1.00e+03])
    """
    return ops.softplus(floating(x, "softplus"))


def sparse_plus(x):
    """A relu with a parabola between -1 and 1: 0, (x + 1)^2 / 4, x.

    >>> import functape as ft
    >>> ft.nn.sparse_plus(ft.numpy.array([-2.0, 0.0, 3.0]))
    tensor([0.  , 0.25, 3.  ])
    """
    x = floating(x, "sparse_plus")
    return elementwise.square(elementwise.clip(x, -1, 1) + 1) * 0.25 + elementwise.relu(x - 1)


# --- sigmoids -----------------------------------------------------------------------------------


def sigmoid(x):
    """1 / (1 + e^-x).

    >>> import functape as ft
    >>> ft.nn.sigmoid(0.0)
    tensor(0.5)
    """
    return elementwise.sigmoid(floating(x, "sigmoid"))


def tanh(x, /):
    """Hyperbolic tangent.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.nn.tanh(0.0)
    tensor(0.)
    """
    return elementwise.tanh(floating(x, "tanh"))


def log_sigmoid(x):
    """log(1 / (1 + e^-x)), without underflow.

    >>> import functape as ft
    >>> ft.nn.log_sigmoid(ft.numpy.array([-1000.0, 0.0])).round(3)
    tensor([-1.00e+03, -6.93e-01])
    """
    return -ops.softplus(-floating(x, "log_sigmoid"))


def hard_sigmoid(x):
    """relu6(x + 3) / 6.

    >>> import functape as ft
    >>> ft.nn.hard_sigmoid(0.0)
    tensor(0.5)
    """
    return relu6(floating(x, "hard_sigmoid") + 3) * (1 / 6)


def sparse_sigmoid(x):
    """The derivative of sparse_plus: a line from 0 at -1 to 1 at 1.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.nn.sparse_sigmoid(ft.numpy.array([-2.0, 0.0, 0.5]))
    tensor([0.  , 0.5 , 0.75])
    """
    return elementwise.clip(floating(x, "sparse_sigmoid") + 1, 0, 2) * 0.5


def hard_tanh(x):
    """x kept within [-1, 1].

    >>> import functape as ft
    >>> ft.nn.hard_tanh(ft.numpy.array([-3.0, 0.5]))
    tensor([-1. ,  0.5])
    """
    return elementwise.clip(floating(x, "hard_tanh"), -1, 1)


def soft_sign(x):
    """x / (|x| + 1).

    >>> import functape as ft
    >>> ft.nn.soft_sign(-3.0)
    tensor(-0.75)
    """
    x = floating(x, "soft_sign")
    return x / (elementwise.absolute(x) + 1)


# --- gates --------------------------------------------------------------------------------------


def identity(x):
    """x itself.

    >>> import functape as ft
    >>> ft.nn.identity(3.0)
    tensor(3.)
    """
    return value(x, "identity")


def silu(x):
    """x sigmoid(x), also called swish.

    Source: S. Elfwing, E. Uchibe and K. Doya, Sigmoid-weighted linear units for neural network
    function approximation in reinforcement learning, Neural Networks 107 (2018).

    >>> import functape as ft
    >>> ft.nn.silu(2.0).round(3)
    tensor(1.762)
    """
    x = floating(x, "silu")
    return x * elementwise.sigmoid(x)


swish = silu


def hard_silu(x):
    """x hard_sigmoid(x), also called hard swish.

    Source: A. Howard et al., Searching for MobileNetV3, ICCV 2019.

    >>> import functape as ft
    >>> ft.nn.hard_silu(3.0)
    tensor(3.)
    """
    x = floating(x, "hard_silu")
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def gelu(x, approximate=True):
    r"""Gaussian error linear unit: x times the chance that a standard normal number is below x.

    .. math:: x\,\Phi(x) \approx
        \frac x 2 \Bigl(1 + \tanh\bigl(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\bigr)\Bigr)

    Source: D. Hendrycks and K. Gimpel, Gaussian error linear units (2016).

    Args:
      x: the array.
      approximate: use the form with tanh.

    >>> import functape as ft
    >>> ft.nn.gelu(1.0).round(3), ft.nn.gelu(1.0, approximate=False).round(4)
    (tensor(0.841), tensor(0.8413))
    """
    check_word("gelu", (True, False), approximate=approximate)
    x = floating(x, "gelu")
    if approximate:
        inner = x * (elementwise.square(x) * (0.044715 * math.sqrt(2 / math.pi))
                     + math.sqrt(2 / math.pi))
        return x * (elementwise.tanh(inner) * 0.5 + 0.5)
    return x * (elementwise.erf(x * math.sqrt(0.5)) * 0.5 + 0.5)


def mish(x):
    """x tanh(softplus(x)).

    Source: D. Misra, Mish: a self regularized non-monotonic activation function, BMVC 2020.

    >>> import functape as ft
    >>> ft.nn.mish(1.0).round(3)
    tensor(0.865)
    """
    x = floating(x, "mish")
    return x * elementwise.tanh(ops.softplus(x))


def glu(x, axis=-1):
    """Gated linear unit: the first half along an axis, times the sigmoid of the second.

    Source: Y. N. Dauphin, A. Fan, M. Auli and D. Grangier, Language modeling with gated
    convolutional networks, ICML 2017.

    Args:
      x: array.

    >>> import functape as ft
    >>> ft.nn.glu(ft.numpy.array([4.0, 0.0]))
    tensor([2.])
    """
    x = floating(x, "glu")
    axis = axis_of(axis, len(x.shape), "glu")
    n = x.shape[axis]
    if n % 2:
        raise ShapeError(f"glu: {describe(x)} has {n} entries along axis {axis}, which do not make "
                         "two halves. Choose an axis of even length.")
    first, second = movement.split(x, at=(n // 2,), axis=axis)
    return first * elementwise.sigmoid(second)
