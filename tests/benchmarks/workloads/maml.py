"""Meta-learning (MAML): the gradient, over all tasks at once, of the loss after an inner step."""

import numpy

from ..workload import Workload

RATE = 0.1


def data(tasks, points, width):
    """Sine waves of random amplitude and phase; as many points to judge by as to fit."""
    rng = numpy.random.default_rng(0)
    params = [
        {"w": (rng.normal(size=(m, n)) / m**0.5).astype(numpy.float32),
         "b": numpy.zeros(n, numpy.float32)}
        for m, n in ((1, width), (width, width), (width, 1))
    ]
    x = rng.uniform(-5, 5, size=(2, tasks, points, 1))
    amplitude, phase = rng.uniform(0.1, 5, (tasks, 1, 1)), rng.uniform(0, 3, (tasks, 1, 1))
    y = amplitude * numpy.sin(x + phase)
    return params, *(a.astype(numpy.float32) for a in (*x, *y))


def loss(np, params, x, y):
    for layer in params[:-1]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.mean(np.square(x @ params[-1]["w"] + params[-1]["b"] - y))


def adapted(params, gradient):
    return [{k: p[k] - RATE * g[k] for k in p} for p, g in zip(params, gradient, strict=True)]


def outer_loss(np, grad, vmap, params, x_fit, x_judge, y_fit, y_judge):
    def after_step(params, x_fit, x_judge, y_fit, y_judge):
        gradient = grad(lambda params: loss(np, params, x_fit, y_fit))(params)
        return loss(np, adapted(params, gradient), x_judge, y_judge)

    losses = vmap(after_step, in_axes=(None, 0, 0, 0, 0))
    return losses(params, x_fit, x_judge, y_fit, y_judge).mean()


def in_functape(**sizes):
    import functape
    import functape.numpy as np

    return functape.grad(lambda *args: outer_loss(np, functape.grad, functape.vmap, *args))


def in_mlx(**sizes):
    import mlx.core as mx

    return mx.grad(lambda *args: outer_loss(mx, mx.grad, mx.vmap, *args))


def in_jax(**sizes):
    import jax
    import jax.numpy as np

    return jax.grad(lambda *args: outer_loss(np, jax.grad, jax.vmap, *args))


def in_torch(**sizes):
    import torch
    from torch.func import grad

    def vmap(f, in_axes):
        return torch.func.vmap(f, in_dims=in_axes)

    return grad(lambda *args: outer_loss(torch, grad, vmap, *args))


WORKLOADS = (
    Workload(__name__, "maml", "MAML, second order, 25 tasks",
             {"tasks": 25, "points": 10, "width": 40}, {"tasks": 3, "points": 2, "width": 2}),
)
