"""A chain of a million operations: the time and memory of its gradient and of its release.

MLX's own autodiff and HIPS autograd walk such a graph recursively and end the process; for JAX's
compiler it is too long.
"""

import gc
import time

import numpy

from ..workload import Curve, Workload


def data(n):
    return (numpy.full(4, 0.5, numpy.float32),)


def staged(forward, backward):
    """A step that times the parts of a gradient: recording, walking back, letting go."""

    def step(x):
        gc.collect()
        start = time.perf_counter()
        tape = forward(x)
        recorded = time.perf_counter()
        backward(tape)
        walked = time.perf_counter()
        del tape
        released = time.perf_counter()
        return {"record": recorded - start, "backward": walked - recorded,
                "release": released - walked}

    return step


def in_functape(n):
    import mlx.core as mx

    import functape
    import functape.numpy as np

    def f(x):
        for _ in range(n):
            x = np.sin(x)
        return x

    def forward(x):
        return functape.vjp(f, x)

    def backward(tape):
        out, pullback = tape
        mx.eval(pullback(mx.ones(out.shape)))

    return staged(forward, backward)


def in_torch(n):
    import torch

    def forward(x):
        x = x.detach().requires_grad_()
        out = x
        for _ in range(n):
            out = torch.sin(out)
        return x, out

    def backward(tape):
        x, out = tape
        out.backward(torch.ones_like(out), retain_graph=True)

    return staged(forward, backward)


WORKLOADS = (
    Workload(__name__, "long-chain", "sin, 1,000,000 times", {"n": 1_000_000}, {"n": 10},
             compiled=False, staged=True),
)
CURVES = (
    Curve(WORKLOADS[0], "length", "sin, n times, stage by stage", "n",
          (10_000, 30_000, 100_000, 300_000, 1_000_000), (3, 6)),
)
