"""The Hessian of a function of n numbers: forward over reverse mode, one row a number."""

import numpy

from ..workload import Curve, Workload


def data(n, width):
    rng = numpy.random.default_rng(0)
    a = (rng.normal(size=(width, n)) / n**0.5).astype(numpy.float32)
    return rng.normal(size=n).astype(numpy.float32), a


def f(np, x, a):
    return np.square(np.tanh(a @ x)).sum() + np.sin(x).sum()


def in_functape(**sizes):
    import functape
    import functape.numpy as np

    return functape.hessian(lambda x, a: f(np, x, a))


def in_mlx(**sizes):
    import mlx.core as mx

    def step(x, a):
        gradient = mx.grad(lambda x: f(mx, x, a))
        row = mx.vmap(lambda v: mx.jvp(gradient, [x], [v])[1][0])
        return row(mx.eye(x.size))

    return step


def in_jax(**sizes):
    import jax
    import jax.numpy as np

    return jax.hessian(lambda x, a: f(np, x, a))


def in_torch(**sizes):
    import torch

    return torch.func.hessian(lambda x, a: f(torch, x, a))


def in_autograd(**sizes):
    import autograd
    import autograd.numpy as np

    def value(x, a):
        return np.sum(np.square(np.tanh(np.dot(a, x)))) + np.sum(np.sin(x))

    return autograd.hessian(value)


WORKLOADS = (
    Workload(__name__, "hessian", "Hessian of 100 inputs", {"n": 100, "width": 64},
             {"n": 3, "width": 2}),
)
CURVES = (
    Curve(WORKLOADS[0], "rows", "Hessian of n inputs", "n", (10, 30, 100, 300, 1000), (2, 3),
          {"autograd": 300}),
)
