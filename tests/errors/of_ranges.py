"""Numbers out of their range and words that nobody knows: (call, error, argument, remedy)."""

import re

from errors.given import KEY, A, leaf, x3

import functape.numpy as np
from functape import nn, optim, random
from functape.errors import ArgumentError, RangeError

TWO = np.ones((2, 2))
HEADS = np.ones((1, 2, 2, 4))


def named(function, args, allowed, **given):
    """A row: a call with one value that is not allowed."""
    (what, value), = given.items()
    return (lambda: function(*args, **given), RangeError,
            rf"{re.escape(what)} must .*{re.escape(repr(value))}", re.escape(allowed))


def table(*rows):
    """Rows by function and argument."""
    return {f"{row[0].__name__}_{'_'.join(row[1])}": named(row[0], row[2], row[3], **row[1])
            for row in rows}


LAYERS = table(
    (nn.gelu, {"approximate": "tan"}, (x3,), "True or False"),
    (nn.celu, {"alpha": 0.0}, (x3,), "above 0"),
    (nn.squareplus, {"b": -1}, (x3,), "0 or more"),
    (nn.one_hot, {"num_classes": -1}, (np.arange(3),), "0 or more"),
    (nn.dropout, {"rate": 1.5}, (KEY, x3), "in [0, 1]"),
    (nn.layer_norm, {"eps": -1.0}, (A,), "0 or more"),
    (nn.rms_norm, {"eps": -1.0}, (A,), "0 or more"),
    (nn.batch_norm, {"momentum": 2.0}, (A,), "in [0, 1]"),
    (nn.standardize, {"algorithm": "slow"}, (A,), "'fast' or 'stable'"),
    (nn.rope, {"base": 0.0}, (TWO,), "above 0"),
    (nn.dot_product_attention, {"implementation": "cudnn"}, (HEADS, HEADS, HEADS),
     "None or 'xla'"),
    (nn.initializers.normal, {"stddev": -1.0}, (), "0 or more"),
    (nn.initializers.truncated_normal, {"stddev": -1.0}, (), "0 or more"),
    (nn.initializers.variance_scaling, {"distribution": "gauss"}, (1.0, "fan_in"),
     "'truncated_normal', 'normal' or 'uniform'"),
)

LOSSES = table(
    (nn.cross_entropy, {"label_smoothing": 1.0}, (A, np.arange(2)), "in [0, 1)"),
    (nn.smooth_labels, {"alpha": 2.0}, (A,), "in [0, 1]"),
    (nn.sigmoid_focal_loss, {"alpha": 1.5}, (x3, x3), "in [0, 1]"),
    (nn.sigmoid_focal_loss, {"gamma": -1.0}, (x3, x3), "0 or more"),
    (nn.huber_loss, {"delta": 0.0}, (x3, x3), "above 0"),
    (nn.smooth_l1_loss, {"beta": -1.0}, (x3, x3), "0 or more"),
    (nn.gaussian_nll_loss, {"eps": -1.0}, (x3, x3, x3), "0 or more"),
    (nn.cosine_similarity, {"epsilon": -1.0}, (x3, x3), "0 or more"),
    (nn.cosine_similarity_loss, {"eps": -1.0}, (A, A), "0 or more"),
    (nn.triplet_loss, {"p": 0}, (A, A, A), "above 0"),
    (nn.kl_div_loss, {"reduction": "avg"}, (x3, x3), "'none', 'mean' or 'sum'"),
)

NUMBERS = table(
    (random.bernoulli, {"p": 1.5}, (KEY,), "in [0, 1]"),
    (random.bernoulli, {"mode": "fast"}, (KEY,), "'high'"),
    (random.geometric, {"p": 0.0}, (KEY,), "in (0, 1]"),
    (random.poisson, {"lam": -1.0}, (KEY,), "0 or more"),
    (random.binomial, {"p": -0.5}, (KEY, 3), "in [0, 1]"),
    (random.gamma, {"a": 0.0}, (KEY,), "above 0"),
    (random.beta, {"b": -1.0}, (KEY, 1.0), "above 0"),
    (random.chisquare, {"df": 0}, (KEY,), "above 0"),
    (random.t, {"df": -1}, (KEY,), "above 0"),
    (random.f, {"dfden": 0}, (KEY, 1), "above 0"),
    (random.ball, {"d": 0}, (KEY,), "1 or more"),
    (random.generalized_normal, {"p": 0.0}, (KEY,), "above 0"),
    (random.lognormal, {"sigma": -1.0}, (KEY,), "0 or more"),
    (random.rayleigh, {"scale": -1.0}, (KEY,), "0 or more"),
    (random.pareto, {"b": 0.0}, (KEY,), "above 0"),
    (random.weibull_min, {"concentration": 0.0}, (KEY, 1.0), "above 0"),
    (random.wald, {"mean": 0.0}, (KEY,), "above 0"),
    (random.multivariate_normal, {"method": "lu"}, (KEY, x3, np.eye(3)),
     "'cholesky', 'eigh' or 'svd'"),
    (random.gumbel, {"mode": "middle"}, (KEY,), "'low' or 'high'"),
) | {
    "triangular": (lambda: random.triangular(KEY, 1.0, 0.0, 2.0), RangeError, r"1\.0, 0\.0, 2\.0",
                   "left <= mode <= right must hold"),
    "truncated_normal": (lambda: random.truncated_normal(KEY, 1.0, 0.0), RangeError, r"1\.0, 0\.0",
                         "lower <= upper must hold"),
}


def optimizer(kind, **given):
    return lambda: kind([leaf([1.0])], **{"lr": 0.1, **given})


def lowered_later():
    sgd = optimizer(optim.SGD)()
    sgd.param_groups[0]["lr"] = -1.0
    sgd.step()


OPTIMIZERS = {
    "lr": (optimizer(optim.SGD, lr=-1), RangeError, "SGD: lr.*-1", "0 or more"),
    "lr_nan": (optimizer(optim.Adam, lr=float("nan")), RangeError, "Adam: lr.*nan", "0 or more"),
    "lr_text": (optimizer(optim.SGD, lr="0.1"), ArgumentError, "lr.*'0.1'", "a number"),
    "lr_later": (lowered_later, RangeError, r"SGD: lr.*-1\.0", "0 or more"),
    "lr_of_a_group": (lambda: optim.SGD([{"params": [leaf(1.0)], "lr": -2.0}], lr=0.1), RangeError,
                      r"lr.*-2\.0", "0 or more"),
    "momentum": (optimizer(optim.SGD, momentum=-0.9), RangeError, "momentum.*-0.9", "0 or more"),
    "dampening": (optimizer(optim.SGD, dampening=2.0), RangeError, "dampening.*2.0", "in \\[0, 1]"),
    "nesterov": (optimizer(optim.SGD, nesterov=True), RangeError, "nesterov=True",
                 "momentum above 0"),
    "betas": (optimizer(optim.AdamW, betas=(0.9, 1.0)), RangeError, r"betas\[1\].*1\.0",
              r"in \[0, 1\)"),
    "betas_one": (optimizer(optim.Lion, betas=0.9), ArgumentError, "betas.*0.9", "two numbers"),
    "eps": (optimizer(optim.Adamax, eps=-1e-8), RangeError, "eps.*-1e-08", "0 or more"),
    "eps_zero": (optimizer(optim.Adagrad, eps=0.0), RangeError, "eps.*0.0", "above 0"),
    "alpha": (optimizer(optim.RMSprop, alpha=1.5), RangeError, "alpha.*1.5", r"in \[0, 1\]"),
    "rho": (optimizer(optim.AdaDelta, rho=-0.1), RangeError, "rho.*-0.1", r"in \[0, 1\]"),
    "decay": (optimizer(optim.Adafactor, decay_rate=0.8), RangeError, "decay_rate.*0.8",
              r"\(-inf, 0\]"),
    "weight_decay": (optimizer(optim.Muon, weight_decay=-1.0), RangeError, "weight_decay.*-1.0",
                     "0 or more"),
    "ns_steps": (optimizer(optim.Muon, ns_steps=0), RangeError, "ns_steps.*0", "1 or more"),
    "clip_value": (lambda: optim.clip_grad_value_([leaf(1.0)], -1.0), RangeError,
                   r"clip_value.*-1\.0", "0 or more"),
    "norm_type": (lambda: optim.clip_grad_norm_([leaf(1.0)], 1.0, 0.0), RangeError,
                  r"norm_type.*0\.0", "above 0"),
}
