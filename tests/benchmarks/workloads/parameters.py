"""A gradient over very many small parameters: the cost of each, whatever its size."""

import numpy

from ..workload import Curve, Workload


def data(count, size=8):
    rng = numpy.random.default_rng(0)
    params = [rng.normal(size=size).astype(numpy.float32) for _ in range(count)]
    return params, rng.normal(size=size).astype(numpy.float32)


def loss(np, params, x):
    return sum(np.square(p * x - 1.0).sum() for p in params)


def in_functape(count):
    import functape
    import functape.numpy as np

    return functape.grad(lambda params, x: loss(np, params, x))


def in_mlx(count):
    import mlx.core as mx

    return mx.grad(lambda params, x: loss(mx, params, x))


def in_jax(count):
    import jax
    import jax.numpy as np

    return jax.grad(lambda params, x: loss(np, params, x))


def in_torch(count):
    import torch

    def step(params, x):
        for p in params:
            p.requires_grad_().grad = None
        loss(torch, params, x).backward()
        return [p.grad for p in params]

    return step


def in_autograd(count):
    import autograd
    import autograd.numpy as np

    def step(params, x):
        return autograd.grad(lambda params: sum(np.sum(np.square(p * x - 1.0)) for p in params))(
            params)

    return step


WORKLOADS = (
    Workload(__name__, "parameters", "300 parameters of 8 numbers", {"count": 300}, {"count": 3}),
)
CURVES = (
    Curve(WORKLOADS[0], "count", "n parameters of 8 numbers", "count",
          (1, 10, 30, 100, 300, 1000, 3000), (1, 3),
          {"jax": 300, "mlx-compile": 300, "functape-jit": 300}),
)
