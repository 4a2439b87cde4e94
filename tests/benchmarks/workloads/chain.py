"""sin applied n times to a few numbers: nothing but the cost of recording and of walking back."""

import numpy

from ..workload import Curve, Workload


def data(n, size=4):
    return (numpy.linspace(0.5, 2.0, size, dtype=numpy.float32),)


def chain(np, n, x):
    for _ in range(n):
        x = np.sin(x)
    return x.sum()


def in_functape(n):
    import functape
    import functape.numpy as np

    return functape.grad(lambda x: chain(np, n, x))


def in_mlx(n):
    import mlx.core as mx

    return mx.grad(lambda x: chain(mx, n, x))


def in_jax(n):
    import jax
    import jax.numpy as np

    return jax.grad(lambda x: chain(np, n, x))


def in_torch(n):
    import torch

    def step(x):
        x = x.detach().requires_grad_()
        chain(torch, n, x).backward()
        return x.grad

    return step


def in_autograd(n):
    import autograd
    import autograd.numpy as np

    return autograd.grad(lambda x: chain(np, n, np.array(x)))


WORKLOADS = (
    Workload(__name__, "chain-100", "sin, 100 times", {"n": 100}, {"n": 3}),
    Workload(__name__, "chain-1000", "sin, 1,000 times", {"n": 1000}, {"n": 4}),
)
CURVES = (
    Curve(WORKLOADS[0], "depth", "sin, n times", "n", (10, 30, 100, 300, 1000, 3000, 10000),
          (2, 4), {"jax": 1000, "mlx-compile": 1000, "functape-jit": 1000}),
)
