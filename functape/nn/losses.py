"""Losses of numbers, distributions and distances, by the names of mlx.nn.losses and optax. Those
with a `reduction` return the losses themselves for "none", or their "mean" or "sum"."""

import math

from functape.errors import ShapeError, check_range, check_word, describe
from functape.nn.activations import reals
from functape.nn.exponentials import as_mask
from functape.numpy import moments, reductions
from functape.numpy.arguments import axis_of, value
from functape.ops import activations as ops
from functape.ops import elementwise, norms
from functape.ops.elementwise import where as where_op
from functape.ops.families import scale

REDUCTIONS = {"none": lambda loss: loss, "mean": moments.mean, "sum": reductions.sum}


def reduced(name, loss, reduction, weights=None):
    check_word(name, REDUCTIONS, reduction=reduction)
    if weights is not None:
        weights = value(weights, name)
        if weights.shape != loss.shape:
            raise ShapeError(f"{name}: weights are {describe(weights)}, but the losses "
                             f"{describe(loss)}. Give one for each loss.")
        loss = loss * weights
    return REDUCTIONS[reduction](loss)


def pair(name, predictions, targets):
    """Predictions and targets of one shape."""
    x, y = reals(predictions, name), reals(targets, name)
    if x.shape != y.shape:
        raise ShapeError(f"{name} compares arrays of one shape, but the predictions are "
                         f"{describe(x)} and the targets {describe(y)}. Reshape or broadcast "
                         "them first.")
    return x, y


# --- numbers --------------------------------------------------------------------------------------


def mse_loss(predictions, targets, reduction="mean"):
    """Squared errors.

    Args:
      predictions: x, what a model gives.
      targets: t, what it should give.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.mse_loss(ft.numpy.array([1.0, 5.0]), ft.numpy.array([1.0, 3.0]))
    tensor(2.)
    """
    x, y = pair("mse_loss", predictions, targets)
    return reduced("mse_loss", elementwise.square(x - y), reduction)


def squared_error(predictions, targets=None):
    """(x - t)^2 for each element; `targets` broadcast, and are 0 if left out.

    Args:
      predictions: x, what a model gives.

    >>> import functape as ft
    >>> ft.nn.squared_error(ft.numpy.array([1.0, 5.0]), 3.0)
    tensor([4., 4.])
    """
    x = reals(predictions, "squared_error")
    return elementwise.square(x if targets is None else x - value(targets, "squared_error", 1))


def l2_loss(predictions, targets=None):
    """Half of squared_error.

    Args:
      predictions: x, what a model gives.
      targets: t, what it should give.

    >>> import functape as ft
    >>> ft.nn.l2_loss(ft.numpy.array([1.0, 5.0]), 3.0)
    tensor([2., 2.])
    """
    return squared_error(predictions, targets) * 0.5


def l1_loss(predictions, targets, reduction="mean"):
    """Absolute errors; their slope at 0 is 0.

    Args:
      predictions: x, what a model gives.
      targets: t, what it should give.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.l1_loss(ft.numpy.array([1.0, 5.0]), ft.numpy.array([1.0, 3.0]))
    tensor(1.)
    """
    x, y = pair("l1_loss", predictions, targets)
    return reduced("l1_loss", elementwise.absolute(x - y), reduction)


def huber_loss(inputs, targets, delta=1.0, reduction="none"):
    """Half the squared error up to delta, and a line of slope delta beyond.

    Source: P. J. Huber, Robust estimation of a location parameter, Annals of Mathematical
    Statistics 35 (1964).

    Args:
      inputs: x, what a model gives.
      targets: t, what it should give.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.huber_loss(ft.numpy.array([0.5, 3.0]), ft.numpy.array([0.0, 0.0]))
    tensor([0.125, 2.5  ])
    """
    check_range("huber_loss", "(0, inf)", delta=delta)
    x, y = pair("huber_loss", inputs, targets)
    return reduced("huber_loss", parabola_and_line(x - y, delta), reduction)


def parabola_and_line(e, delta):
    """The inner part has slope 1 at its ends and 0 beyond, so that no kink shows."""
    inner = elementwise.clip(e, -delta, delta)
    return inner * (e - inner * 0.5)


def smooth_l1_loss(predictions, targets, beta=1.0, reduction="mean"):
    """huber_loss divided by delta, here called beta; for beta = 0, l1_loss.

    Source: R. Girshick, Fast R-CNN, ICCV 2015.

    Args:
      predictions: x, what a model gives.
      targets: t, what it should give.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.smooth_l1_loss(ft.numpy.array([0.5, 3.0]), ft.numpy.array([0.0, 0.0]))
    tensor(1.3125)
    """
    check_range("smooth_l1_loss", "[0, inf)", beta=beta)
    if beta == 0:
        return l1_loss(predictions, targets, reduction)
    x, y = pair("smooth_l1_loss", predictions, targets)
    return reduced("smooth_l1_loss", parabola_and_line(x - y, beta) * (1 / beta), reduction)


def log_cosh_loss(inputs, targets, reduction="none"):
    """log(cosh(x - t)), without overflow.

    Args:
      inputs: x, what a model gives.
      targets: t, what it should give.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> ft.nn.log_cosh_loss(ft.numpy.array([1000.0]), ft.numpy.array([0.0])).round(3)
    tensor([999.307])
    """
    x, y = pair("log_cosh_loss", inputs, targets)
    e = x - y
    return reduced("log_cosh_loss", ops.softplus(-2 * e) + e - math.log(2), reduction)


def gaussian_nll_loss(inputs, targets, vars, full=False, eps=1e-6, reduction="mean"):
    """The negative log-likelihood of normal distributions with the inputs for means.

    Args:
      inputs, targets: of one shape.
      vars: variances; those below eps count as eps.
      full: add the constant log(2 pi) / 2.
      eps: the least variance.
      reduction: "none", "mean" or "sum".

    >>> import functape as ft
    >>> one = ft.numpy.ones(3)
    >>> ft.nn.gaussian_nll_loss(one, 3 * one, one)
    tensor(2.)
    """
    check_range("gaussian_nll_loss", "[0, inf)", eps=eps)
    x, y = pair("gaussian_nll_loss", inputs, targets)
    v = elementwise.maximum(reals(vars, "gaussian_nll_loss"), eps)
    loss = (elementwise.log(v) + elementwise.square(y - x) / v) * 0.5
    return reduced("gaussian_nll_loss", loss + 0.5 * math.log(2 * math.pi) if full else loss,
                   reduction)


# --- distributions --------------------------------------------------------------------------------


def kl_div_loss(inputs, targets, axis=-1, reduction="none"):
    r"""The Kullback-Leibler divergence of log-probabilities: :math:`\sum e^t (t - x)`.

    Args:
      inputs: x, what a model gives.
      targets: t, what it should give.
      axis: that of the classes.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> half = ft.numpy.log(ft.numpy.array([0.5, 0.5]))
    >>> ft.nn.kl_div_loss(half, half)
    tensor(0.)
    """
    x, t = pair("kl_div_loss", inputs, targets)
    gap = scale(elementwise.exp(t), t - x)
    return reduced("kl_div_loss", reductions.sum(gap, axis), reduction)


def kl_divergence(log_predictions, targets, axis=-1, where=None):
    r"""The Kullback-Leibler divergence of targets from log-probabilities:
    :math:`\sum t (\log t - x)`, where a target of 0 adds nothing.

    Source: S. Kullback and R. A. Leibler, On information and sufficiency, Annals of Mathematical
    Statistics 22 (1951).

    Args:
      log_predictions: x, logarithms of probabilities.
      axis: that of the classes.

    >>> import functape as ft
    >>> half = ft.numpy.array([0.5, 0.5])
    >>> ft.nn.kl_divergence(ft.numpy.log(half), ft.numpy.array([1.0, 0.0])).round(3)
    tensor(0.693)
    """
    x, t = pair("kl_divergence", log_predictions, targets)
    return reductions.sum(scale(t, log_of(t) - x), axis, where=where)


def kl_divergence_with_log_targets(log_predictions, log_targets, axis=-1, where=None):
    """kl_div_loss without reduction; `where` masks what counts.

    Args:
      log_predictions: x, logarithms of probabilities.
      log_targets: logarithms of probabilities.
      axis: that of the classes.

    >>> import functape as ft
    >>> half = ft.numpy.log(ft.numpy.array([0.5, 0.5]))
    >>> ft.nn.kl_divergence_with_log_targets(half, half)
    tensor(0.)
    """
    x, t = pair("kl_divergence_with_log_targets", log_predictions, log_targets)
    return reductions.sum(scale(elementwise.exp(t), t - x), axis, where=where)


def log_of(t):
    """log t, and 0 at 0."""
    return elementwise.log(where_op(elementwise.equal(t, 0), 1.0, t))


# --- directions and distances ---------------------------------------------------------------------


def cosine_similarity(predictions, targets, *, epsilon=0.0, axis=-1, where=None):
    """The cosine of the angle between rows; 0 for a row of zeros.

    Args:
      predictions, targets: of one shape, or that broadcast.
      epsilon: lengths below it count as it.
      axis: along which the rows run.
      where: a mask of the elements that count.

    >>> import functape as ft
    >>> ft.nn.cosine_similarity(ft.numpy.array([1.0, 0.0]), ft.numpy.array([3.0, 4.0]))
    tensor(0.6)
    """
    name = "cosine_similarity"
    check_range(name, "[0, inf)", epsilon=epsilon)
    x, y = reals(predictions, name), reals(targets, name)
    if where is not None:
        mask = as_mask(where)
        x, y = where_op(mask, x, 0.0), where_op(mask, y, 0.0)
    axis = axis_of(axis, max(len(x.shape), len(y.shape)), name) - max(len(x.shape), len(y.shape))
    return reductions.sum(direction(x, epsilon, axis) * direction(y, epsilon, axis), axis)


def direction(x, epsilon, axis):
    """Rows of length 1; rows of zeros stay, with a finite slope."""
    size = length(x, axis)
    return x / (elementwise.maximum(size, epsilon) if epsilon else size + (size == 0))


def length(x, axis, keepdims=True, order=2):
    return norms.norm(x, axis=(axis % len(x.shape),), keepdims=keepdims, ord=order)


def cosine_distance(predictions, targets, *, epsilon=0.0, axis=-1, where=None):
    """1 - cosine_similarity; arguments as for `cosine_similarity`.

    >>> import functape as ft
    >>> ft.nn.cosine_distance(ft.numpy.array([1.0, 0.0]), ft.numpy.array([3.0, 4.0])).round(3)
    tensor(0.4)
    """
    return 1 - cosine_similarity(predictions, targets, epsilon=epsilon, axis=axis, where=where)


def cosine_similarity_loss(x1, x2, axis=1, eps=1e-8, reduction="none"):
    """The cosine of the angle between rows, with MLX's arguments: the product of the lengths counts
    as eps where it is less.

    Args:
      x1, x2: arrays that broadcast.
      axis: that of the vectors' components.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> x = ft.numpy.array([[3.0, 4.0]])
    >>> ft.nn.cosine_similarity_loss(x, x)
    tensor([1.])
    """
    check_range("cosine_similarity_loss", "[0, inf)", eps=eps)
    x, y = pair("cosine_similarity_loss", x1, x2)
    axis = axis_of(axis, len(x.shape), "cosine_similarity_loss")
    size = elementwise.maximum(length(x, axis, False) * length(y, axis, False), eps)
    return reduced("cosine_similarity_loss", reductions.sum(x * y, axis) / size, reduction)


def triplet_loss(anchors, positives, negatives, axis=-1, p=2, margin=1.0, eps=1e-6,
                 reduction="none"):
    """How much nearer negatives are than positives, beyond a margin.

    Source: F. Schroff, D. Kalenichenko and J. Philbin, FaceNet: a unified embedding for face
    recognition and clustering, CVPR 2015.

    Args:
      anchors, positives, negatives: of one shape.
      axis: along which distances are taken.
      p: the order of the norm.
      margin: by how much positives should be nearer.
      eps: added to the sum of powers.
      reduction: "none", "mean" or "sum".

    >>> import functape as ft
    >>> a = ft.numpy.zeros((1, 2))
    >>> ft.nn.triplet_loss(a, a + 3.0, a)
    tensor([5.241641])
    """
    check_range("triplet_loss", "(0, inf)", p=p)
    check_range("triplet_loss", "[0, inf)", eps=eps)
    a, x = pair("triplet_loss", anchors, positives)
    a, y = pair("triplet_loss", a, negatives)

    def distance(b):
        powers = elementwise.power(elementwise.absolute(a - b), p)
        return elementwise.power(reductions.sum(powers, axis) + eps, 1 / p)

    loss = elementwise.relu(distance(x) - distance(y) + margin)
    return reduced("triplet_loss", loss, reduction)


def margin_ranking_loss(inputs1, inputs2, targets, margin=0.0, reduction="none"):
    """max(-t (x1 - x2) + margin, 0): t = 1 says that x1 should rank above x2, -1 below.

    Args:
      inputs1, inputs2: x1 and x2.
      targets: t, what it should give.
      reduction: "none": the losses themselves; "mean" or "sum" of them.

    >>> import functape as ft
    >>> one = ft.numpy.ones(1)
    >>> ft.nn.margin_ranking_loss(one, 3 * one, one)
    tensor([2.])
    """
    x, y = pair("margin_ranking_loss", inputs1, inputs2)
    x, t = pair("margin_ranking_loss", x, targets)
    return reduced("margin_ranking_loss", elementwise.relu(margin - t * (x - y)), reduction)
