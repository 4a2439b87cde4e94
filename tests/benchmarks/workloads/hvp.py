"""A Hessian-vector product of a small tanh network, forward over reverse mode."""

import numpy

from ..workload import Workload


def data(widths, batch):
    rng = numpy.random.default_rng(0)

    def matrices():
        return [(rng.normal(size=(m, n)) / m**0.5).astype(numpy.float32)
                for m, n in zip(widths, widths[1:], strict=False)]

    return matrices(), matrices(), rng.normal(size=(batch, widths[0])).astype(numpy.float32)


def loss(np, params, x):
    out = x
    for w in params:
        out = np.tanh(out @ w)
    return np.mean(np.square(out - x))


def in_functape(**sizes):
    import functape
    import functape.numpy as np

    def step(params, direction, x):
        x = np.asarray(x)  # so that it may stand to the left of a parameter
        return functape.hvp(lambda params: loss(np, params, x), (params,), (direction,))

    return step


def in_mlx(**sizes):
    import mlx.core as mx

    def step(params, direction, x):
        def gradient(*params):
            return mx.grad(lambda params: loss(mx, params, x))(list(params))

        return mx.jvp(gradient, params, direction)[1]

    return step


def in_jax(**sizes):
    import jax
    import jax.numpy as np

    def step(params, direction, x):
        gradient = jax.grad(lambda params: loss(np, params, x))
        return jax.jvp(gradient, (params,), (direction,))[1]

    return step


def in_torch(**sizes):
    import torch

    def step(params, direction, x):
        gradient = torch.func.grad(lambda params: loss(torch, params, x))
        return torch.func.jvp(gradient, (params,), (direction,))[1]

    return step


def in_autograd(**sizes):
    import autograd
    import autograd.numpy as np

    def step(params, direction, x):
        gradient = autograd.grad(lambda params: loss(np, params, x))

        def slope(params):
            return sum(np.sum(g * v) for g, v in zip(gradient(params), direction, strict=True))

        return autograd.grad(slope)(params)

    return step


WORKLOADS = (
    Workload(__name__, "hvp", "Hessian-vector product, tanh 256-64-256, batch 256",
             {"widths": (256, 64, 256), "batch": 256}, {"widths": (3, 2, 3), "batch": 2}),
)
