"""Normalisation: numbers brought to mean 0 and variance 1 over some axes. Channels are last."""

import mlx.core as mx

from functape.errors import ArgumentError, ShapeError, check_range, check_word, describe
from functape.nn.activations import reals
from functape.numpy import moments
from functape.numpy.arguments import axes_of, integer, value
from functape.op import NUMBERS
from functape.ops import activations as ops
from functape.ops import elementwise, fast, movement, reductions


def fused(x):
    """Whether MLX's own kernel is the faster one: on a GPU."""
    return mx.default_device().type == mx.gpu and x.dtype != mx.float64


def channel(a, x, name, what):
    """A weight or bias: one number a channel of x."""
    if a is None:
        return None
    a = value(a, name)
    if a.shape != x.shape[-1:]:
        raise ShapeError(f"{name}: {what} is {describe(a)}, but the last axis of {describe(x)} has "
                         f"length {x.shape[-1]}. It needs one number for each of its entries.")
    return a


def affine(y, weight, bias):
    if weight is not None and bias is not None:
        return ops.affine(y, weight, bias)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def rows(x, name, eps):
    check_range(name, "[0, inf)", eps=eps)
    x = reals(x, name)
    if not x.shape:
        raise ShapeError(f"{name} normalises the last axis, and a scalar has none.")
    return x


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    r"""Each row along the last axis, to mean 0 and variance 1, times a weight, plus a bias.

    .. math:: y = \frac{x - \bar x}{\sqrt{\operatorname{var}(x) + \epsilon}} w + b

    Half precision is computed in float32.

    Source: J. L. Ba, J. R. Kiros and G. E. Hinton, Layer normalization (2016).

    Args:
      x: (..., n).
      weight, bias: (n,) or None.
      eps: added to the variance.

    >>> import functape as ft
    >>> ft.nn.layer_norm(ft.numpy.array([1.0, 3.0]), eps=0.0)
    tensor([-1.,  1.])
    """
    x = rows(x, "layer_norm", eps)
    weight = channel(weight, x, "layer_norm", "weight")
    bias = channel(bias, x, "layer_norm", "bias")
    if fused(x):
        weight = mx.ones(x.shape[-1:], x.dtype) if weight is None else weight
        bias = mx.zeros(x.shape[-1:], x.dtype) if bias is None else bias
        return fast.layer_norm(x, weight, bias, eps=eps)
    return affine(fast.same_type(fast.standard(x, fast.last(x), eps), x), weight, bias)


def rms_norm(x, weight=None, eps=1e-5):
    r"""Each row along the last axis, to mean square 1, times a weight.

    .. math:: y = \frac{x}{\sqrt{\overline{x^2} + \epsilon}} w

    Source: B. Zhang and R. Sennrich, Root mean square layer normalization, NeurIPS 2019.

    Args:
      eps: added to the mean square.

    >>> import functape as ft
    >>> ft.nn.rms_norm(ft.numpy.array([1.0, 7.0]), eps=0.0)
    tensor([0.2, 1.4])
    """
    x = rows(x, "rms_norm", eps)
    weight = channel(weight, x, "rms_norm", "weight")
    if fused(x):
        weight = mx.ones(x.shape[-1:], x.dtype) if weight is None else weight
        return fast.rms_norm(x, weight, eps=eps)
    return affine(fast.same_type(fast.scaled(x, fast.last(x), eps), x), weight, None)


def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
    """Each group of neighbouring channels of each example, to mean 0 and variance 1.

    Source: Y. Wu and K. He, Group normalization, ECCV 2018.

    Args:
      x: (N, ..., C).
      num_groups: into how many groups the channels are split.
      weight, bias: (C,) or None.
      eps: added to the variance.

    >>> import functape as ft
    >>> ft.nn.group_norm(ft.numpy.array([[1.0, 3.0, 0.0, 8.0]]), 2, eps=0.0)
    tensor([[-1.,  1., -1.,  1.]])
    """
    x = rows(x, "group_norm", eps)
    groups = integer(num_groups, "group_norm", "num_groups")
    if len(x.shape) < 2 or groups < 1 or x.shape[-1] % groups:
        raise ShapeError(f"group_norm splits the channels of (N, ..., C) into groups of equal "
                         f"size, but x is {describe(x)} and num_groups is {groups}.")
    split = movement.reshape(x, shape=(*x.shape[:-1], groups, x.shape[-1] // groups))
    axes = (*range(1, len(x.shape) - 1), len(x.shape))
    y = movement.reshape(fast.standard(split, axes, eps), shape=x.shape)
    return affine(fast.same_type(y, x), channel(weight, x, "group_norm", "weight"),
                  channel(bias, x, "group_norm", "bias"))


def instance_norm(x, weight=None, bias=None, eps=1e-5):
    """Each channel of each example, to mean 0 and variance 1 over its positions.

    Source: D. Ulyanov, A. Vedaldi and V. Lempitsky, Instance normalization: the missing ingredient
    for fast stylization (2016).

    Args:
      x: (N, positions..., C).
      weight, bias: (C,), what the result is multiplied by and what is added then.
      eps: added to the variance.

    >>> import functape as ft
    >>> ft.nn.instance_norm(ft.numpy.array([[[1.0], [3.0]]]), eps=0.0).reshape(-1)
    tensor([-1.,  1.])
    """
    x = rows(x, "instance_norm", eps)
    if len(x.shape) < 3:
        raise ShapeError(f"instance_norm takes (N, positions..., C), but x is {describe(x)}.")
    y = fast.same_type(fast.standard(x, tuple(range(1, len(x.shape) - 1)), eps), x)
    return affine(y, channel(weight, x, "instance_norm", "weight"),
                  channel(bias, x, "instance_norm", "bias"))


def batch_norm(x, running_mean=None, running_var=None, weight=None, bias=None, *, training=True,
               momentum=0.1, eps=1e-5):
    r"""Each channel, to mean 0 and variance 1 over the batch and all positions.

    In training the statistics are those of the batch, and the running ones move towards them:
    :math:`r \leftarrow (1 - m)\,r + m\,s`, for the variance with s corrected for n - 1. Otherwise
    the running ones are used, and stay. Nothing is changed in place.

    Source: S. Ioffe and C. Szegedy, Batch normalization: accelerating deep network training by
    reducing internal covariate shift, ICML 2015.

    Args:
      x: (..., C).
      running_mean, running_var: (C,), or None in training: start from 0 and 1.
      weight, bias: (C,) or None.
      training: which statistics to use.
      momentum: how far the running statistics move.
      eps: added to the variance.

    Returns:
      (y, (running_mean, running_var)).

    >>> import functape as ft
    >>> y, (mean, var) = ft.nn.batch_norm(ft.numpy.array([[1.0], [3.0]]), eps=0.0)
    >>> y.reshape(-1), mean
    (tensor([-1.,  1.]), tensor([0.2]))
    """
    check_range("batch_norm", "[0, 1]", momentum=momentum)
    x = rows(x, "batch_norm", eps)
    old_mean = channel(running_mean, x, "batch_norm", "running_mean")
    old_var = channel(running_var, x, "batch_norm", "running_var")
    weight = channel(weight, x, "batch_norm", "weight")
    bias = channel(bias, x, "batch_norm", "bias")
    if not training:
        if old_mean is None or old_var is None:
            raise ArgumentError("batch_norm with training=False needs running_mean and "
                                "running_var, which a training call returns.")
        y = (fast.precise(x) - old_mean) * elementwise.rsqrt(old_var + eps)
        return affine(fast.same_type(y, x), weight, bias), (old_mean, old_var)
    axes = tuple(range(len(x.shape) - 1))
    wide = fast.precise(x)
    y = affine(fast.same_type(fast.standard(wide, axes, eps), x), weight, bias)
    count = 1
    for n in x.shape[:-1]:
        count *= n
    still = elementwise.stop_gradient(wide)
    mean = reductions.mean(still, axis=axes, keepdims=False)
    var = reductions.variance(still, axis=axes, keepdims=False, ddof=1 if count > 1 else 0)
    old_mean = mx.zeros(x.shape[-1:], wide.dtype) if old_mean is None else old_mean
    old_var = mx.ones(x.shape[-1:], wide.dtype) if old_var is None else old_var
    return y, (mean * momentum + old_mean * (1 - momentum),
               var * momentum + old_var * (1 - momentum))


def like(a, x):
    """An array as it is; a number with the dtype of x."""
    return value(mx.array(a, x.dtype) if isinstance(a, NUMBERS) else a, "standardize")


def standardize(x, axis=-1, mean=None, variance=None, epsilon=1e-5, where=None, *,
                algorithm="fast"):
    """Numbers to mean 0 and variance 1 over axes.

    Args:
      x: the array.
      axis: an axis, several, or None: all.
      mean, variance: used in place of those of x, with the reduced axes kept.
      epsilon: added to the variance.
      where: a mask of the elements that count in mean and variance.
      algorithm: what the variance is where the mean is given: "fast": mean(x^2) - mean^2, or
        "stable": mean((x - mean)^2). With the mean of x they are one, and computed as the latter.

    >>> import functape as ft
    >>> ft.nn.standardize(ft.numpy.array([1.0, 3.0]), epsilon=0.0)
    tensor([-1.,  1.])
    """
    check_word("standardize", ("fast", "stable"), algorithm=algorithm)
    check_range("standardize", "[0, inf)", epsilon=epsilon)
    x = reals(x, "standardize")
    axes = axes_of(axis, len(x.shape), "standardize")
    if mean is None and variance is None and where is None:
        return fast.same_type(fast.standard(x, axes, epsilon), x)
    own = mean is None
    mean = moments.mean(x, axes, keepdims=True, where=where) if own else mean
    c = x - mean
    if variance is None and (own or algorithm == "stable"):
        variance = moments.mean(elementwise.square(c), axes, keepdims=True, where=where)
    elif variance is None:
        squares = moments.mean(elementwise.square(x), axes, keepdims=True, where=where)
        variance = elementwise.maximum(squares - elementwise.square(like(mean, x)), 0)
    return c * elementwise.rsqrt(like(variance, x) + epsilon)
