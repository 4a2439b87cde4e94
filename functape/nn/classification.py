"""Losses of classes and of yes-or-no answers, by the names of mlx.nn.losses and optax."""

import math

import mlx.core as mx

from functape.errors import ShapeError, check_range, describe
from functape.nn.activations import reals
from functape.nn.exponentials import as_mask
from functape.nn.losses import pair, reduced
from functape.nn.normalisation import fused
from functape.numpy.arguments import axis_of, value
from functape.ops import activations as ops
from functape.ops import elementwise, fast, indexing
from functape.ops.elementwise import where as where_op
from functape.ops.families import scale, total
from functape.ops.reductions import maximum_of

# --- classes --------------------------------------------------------------------------------------


def cross_entropy(logits, targets, weights=None, axis=-1, label_smoothing=0.0, reduction="none"):
    r"""The negative logarithm of the probability that softmax gives to the target.

    .. math:: \log \sum_j e^{x_j} - x_t \quad\text{or}\quad
        -\sum_j p_j \log \operatorname{softmax}(x)_j

    Args:
      logits: scores, classes along `axis`.
      targets: integers, without that axis; or probabilities, in the shape of the logits.
      weights: a factor for each loss.
      axis: of the classes.
      label_smoothing: this part of the target is spread over all classes.
      reduction: "none", "mean" or "sum".

    >>> import functape as ft
    >>> ft.nn.cross_entropy(ft.numpy.zeros((2, 2)), ft.numpy.array([0, 1])).round(3)
    tensor([0.693, 0.693])
    """
    name = "cross_entropy"
    check_range(name, "[0, 1)", label_smoothing=label_smoothing)
    x, targets = reals(logits, name), value(targets, name, 1)
    axis = axis_of(axis, len(x.shape), name)
    if targets.shape == x.shape:
        targets = reals(targets, name)
        if label_smoothing:
            targets = smooth_labels(targets, label_smoothing, axis)
        return reduced(name, of_probabilities(x, targets, axis), reduction, weights)
    loss = of_indices(name, x, targets, axis)
    if label_smoothing:
        whole = of_probabilities(x, mx.full(x.shape, 1 / x.shape[axis], x.dtype), axis)
        loss = loss * (1 - label_smoothing) + whole * label_smoothing
    return reduced(name, loss, reduction, weights)


def of_indices(name, x, i, axis):
    """Cross-entropy with classes by number; one outside counts as the nearest."""
    if i.shape != (*x.shape[:axis], *x.shape[axis + 1:]) or mx.issubdtype(i.dtype, mx.inexact):
        raise ShapeError(f"{name} takes targets that are integers in the shape of the logits "
                         f"without their class axis {axis}, or probabilities in their shape, but "
                         f"the logits are {describe(x)} and the targets {describe(i)}.")
    i = indexing.ravel_index(i, sizes=(x.shape[axis],), drop=False)
    if fused(x) and axis == len(x.shape) - 1:
        return fast.cross_entropy(x, i)
    return fast.plain_cross_entropy(x, i, axis)


def of_probabilities(x, p, axis, mask=None):
    """-sum p log softmax(x), by one exponential; a class with p = 0 adds nothing, whatever x is."""
    axes = (axis,)
    x = x if mask is None else where_op(mask, x, -math.inf)
    high = maximum_of(elementwise.stop_gradient(x), axis=axes, keepdims=True)
    c = x - high
    p = p if mask is None else where_op(mask, p, 0.0)
    whole = elementwise.log(total(ops.exp_below(c), axis=axes, keepdims=False))
    return (whole * total(p, axis=axes, keepdims=False)
            - total(scale(p, c), axis=axes, keepdims=False))


def softmax_cross_entropy(logits, labels, axis=-1, where=None):
    """cross_entropy with probabilities for labels; `where` masks the classes that count.

    Other arguments as for `cross_entropy`.

    >>> import functape as ft
    >>> ft.nn.softmax_cross_entropy(ft.numpy.array([0.0, 0.0]), ft.numpy.array([0.5, 0.5])).round(3)
    tensor(0.693)
    """
    x, p = reals(logits, "softmax_cross_entropy"), reals(labels, "softmax_cross_entropy")
    axis = axis_of(axis, len(x.shape), "softmax_cross_entropy")
    return of_probabilities(x, p, axis, None if where is None else as_mask(where))


def softmax_cross_entropy_with_integer_labels(logits, labels, axis=-1, where=None):
    """cross_entropy with integers for labels; `where` masks the classes that count.

    Other arguments as for `cross_entropy`.

    >>> import functape as ft
    >>> ft.nn.softmax_cross_entropy_with_integer_labels(ft.numpy.array([0.0, 0.0]), 1).round(3)
    tensor(0.693)
    """
    name = "softmax_cross_entropy_with_integer_labels"
    x = reals(logits, name)
    x = x if where is None else where_op(as_mask(where), x, -math.inf)
    return of_indices(name, x, value(labels, name, 1), axis_of(axis, len(x.shape), name))


def smooth_labels(labels, alpha, axis=-1):
    """Labels mixed with a uniform distribution over classes: (1 - alpha) p + alpha / n.

    Source: C. Szegedy et al., Rethinking the Inception architecture for computer vision, CVPR
    2016.

    Args:
      labels: probabilities p.
      axis: that of the classes.

    >>> import functape as ft
    >>> ft.nn.smooth_labels(ft.numpy.array([1.0, 0.0]), 0.2).round(3)
    tensor([0.9, 0.1])
    """
    check_range("smooth_labels", "[0, 1]", alpha=alpha)
    p = reals(labels, "smooth_labels")
    return p * (1 - alpha) + alpha / p.shape[axis_of(axis, len(p.shape), "smooth_labels")]


def nll_loss(inputs, targets, axis=-1, reduction="none"):
    """The negative of the log-probabilities of the targets, which are integers.

    Args:
      inputs: x, what a model gives.
      axis: that of the classes.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.nll_loss(ft.numpy.array([[-1.0, -2.0]]), ft.numpy.array([1]))
    tensor([2.])
    """
    x, i = reals(inputs, "nll_loss"), value(targets, "nll_loss", 1)
    axis = axis_of(axis, len(x.shape), "nll_loss")
    if i.shape != (*x.shape[:axis], *x.shape[axis + 1:]):
        raise ShapeError(f"nll_loss takes targets in the shape of the inputs without axis {axis}, "
                         f"but the inputs are {describe(x)} and the targets {describe(i)}.")
    i = indexing.ravel_index(i, sizes=(x.shape[axis],), drop=False)
    picked = indexing.take_along_axis(x, fast.keep_axis(i, axis), axis=axis)
    return reduced("nll_loss", -fast.drop(picked, axis), reduction)


# --- yes or no ------------------------------------------------------------------------------------


def binary_cross_entropy(inputs, targets, weights=None, with_logits=True, reduction="mean"):
    r"""The negative logarithm of the probability of a yes-or-no target.

    .. math:: -t \log p - (1 - t) \log(1 - p), \quad p = \operatorname{sigmoid}(x)

    Args:
      inputs: logits x, or probabilities p if not `with_logits`; logarithms of those are kept above
        -100.
      targets: 0, 1 or between, in the shape of the inputs.
      weights: a factor for each loss.
      with_logits: what the inputs are.
      reduction: "none", "mean" or "sum".

    >>> import functape as ft
    >>> ft.nn.binary_cross_entropy(ft.numpy.array([0.0, 0.0]), ft.numpy.array([0.0, 1.0])).round(3)
    tensor(0.693)
    """
    x, t = pair("binary_cross_entropy", inputs, targets)
    if with_logits:
        loss = ops.softplus(x) - x * t
    else:
        yes = elementwise.maximum(elementwise.log(x), -100)
        no = elementwise.maximum(elementwise.log1p(-x), -100)
        loss = -(t * yes + (1 - t) * no)
    return reduced("binary_cross_entropy", loss, reduction, weights)


def sigmoid_binary_cross_entropy(logits, labels):
    """binary_cross_entropy of logits, without reduction; labels broadcast.

    >>> import functape as ft
    >>> ft.nn.sigmoid_binary_cross_entropy(0.0, 1.0).round(3)
    tensor(0.693)
    """
    x = reals(logits, "sigmoid_binary_cross_entropy")
    return ops.softplus(x) - x * value(labels, "sigmoid_binary_cross_entropy", 1)


def sigmoid_focal_loss(logits, labels, alpha=None, gamma=2.0):
    r"""Binary cross-entropy that gives less weight to what is right already.

    .. math:: -(1 - p_t)^\gamma \log p_t, \quad p_t = p\,t + (1 - p)(1 - t)

    Source: T.-Y. Lin et al., Focal loss for dense object detection, ICCV 2017.

    Args:
      logits: scores.
      labels: 0, 1 or between.
      alpha: weight of ones, 1 - alpha of zeros; None: both 1.
      gamma: how fast the weight falls.

    >>> import functape as ft
    >>> ft.nn.sigmoid_focal_loss(0.0, 1.0).round(3)
    tensor(0.173)
    """
    check_range("sigmoid_focal_loss", "[0, 1]", alpha=alpha)
    check_range("sigmoid_focal_loss", "[0, inf)", gamma=gamma)
    x, t = reals(logits, "sigmoid_focal_loss"), value(labels, "sigmoid_focal_loss", 1)
    p = elementwise.sigmoid(x)
    wrong = p + t - 2 * p * t
    loss = (ops.softplus(x) - x * t) * elementwise.power(wrong, gamma)
    return loss if alpha is None else loss * (alpha * t + (1 - alpha) * (1 - t))


def hinge_loss(inputs, targets, reduction="none"):
    """max(1 - x t, 0), for targets of -1 and 1.

    Args:
      inputs: x, what a model gives.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.hinge_loss(ft.numpy.array([0.5, 2.0]), ft.numpy.array([1.0, 1.0]))
    tensor([0.5, 0. ])
    """
    x, t = pair("hinge_loss", inputs, targets)
    return reduced("hinge_loss", elementwise.relu(1 - x * t), reduction)


def perceptron_loss(inputs, targets, reduction="none"):
    """max(-x t, 0), for targets of -1 and 1.

    Args:
      inputs: x, what a model gives.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.perceptron_loss(ft.numpy.array([0.5, -2.0]), ft.numpy.array([1.0, 1.0]))
    tensor([0., 2.])
    """
    x, t = pair("perceptron_loss", inputs, targets)
    return reduced("perceptron_loss", elementwise.relu(-(x * t)), reduction)
