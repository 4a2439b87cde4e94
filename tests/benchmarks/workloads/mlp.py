"""A training step of a small classifier: matrix products, and little else."""

import numpy

from ..workload import Curve, Workload


def data(widths, batch):
    rng = numpy.random.default_rng(0)
    widths = (784, *[widths] * 2, 10) if isinstance(widths, int) else widths
    params = [
        {"w": (rng.normal(size=(m, n)) / m**0.5).astype(numpy.float32),
         "b": (0.1 * rng.normal(size=n)).astype(numpy.float32)}  # no ties in max(x, 0)
        for m, n in zip(widths, widths[1:], strict=False)
    ]
    x = rng.normal(size=(batch, widths[0])).astype(numpy.float32)
    labels = numpy.eye(widths[-1], dtype=numpy.float32)[rng.integers(widths[-1], size=batch)]
    return params, x, labels


def loss(np, logsumexp, params, x, labels):
    *hidden, last = params
    for layer in hidden:
        x = np.maximum(x @ layer["w"] + layer["b"], 0.0)
    logits = x @ last["w"] + last["b"]
    return np.mean(logsumexp(logits, axis=-1) - (logits * labels).sum(axis=-1))


def in_functape(widths, batch):
    import functape
    import functape.numpy as np
    from functape import nn

    return functape.value_and_grad(lambda *args: loss(np, nn.logsumexp, *args))


def in_mlx(widths, batch):
    import mlx.core as mx

    return mx.value_and_grad(lambda *args: loss(mx, mx.logsumexp, *args))


def in_jax(widths, batch):
    import jax
    import jax.numpy as np
    from jax.nn import logsumexp

    return jax.value_and_grad(lambda *args: loss(np, logsumexp, *args))


def in_torch(widths, batch):
    from torch.nn.functional import cross_entropy, linear, relu

    def step(params, x, labels):
        for layer in params:
            for p in layer.values():
                p.requires_grad_().grad = None
        *hidden, last = params
        for layer in hidden:
            x = relu(linear(x, layer["w"].T, layer["b"]))
        value = cross_entropy(linear(x, last["w"].T, last["b"]), labels)
        value.backward()
        return value.detach(), [{"w": p["w"].grad, "b": p["b"].grad} for p in params]

    return step


def in_autograd(widths, batch):
    import autograd
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    return autograd.value_and_grad(lambda *args: loss(np, logsumexp, *args))


WORKLOADS = (
    Workload(__name__, "mlp", "MLP 784-512-512-10, batch 128",
             {"widths": (784, 512, 512, 10), "batch": 128}, {"widths": (5, 4, 4, 3), "batch": 6}),
)
CURVES = (
    Curve(WORKLOADS[0], "width", "MLP 784-n-n-10, batch 128", "widths",
          (32, 64, 128, 256, 512, 1024, 2048), (2, 3), {"mlx-stock": 512}),
)
