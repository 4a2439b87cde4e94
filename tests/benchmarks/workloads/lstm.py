"""The gradient through an LSTM: by `scan` where the library has one, else a Python loop."""

import numpy

from ..workload import Workload


def data(steps, batch, width):
    rng = numpy.random.default_rng(0)
    params = {
        "input": (rng.normal(size=(width, 4 * width)) / width**0.5).astype(numpy.float32),
        "state": (rng.normal(size=(width, 4 * width)) / width**0.5).astype(numpy.float32),
        "bias": numpy.zeros(4 * width, numpy.float32),
    }
    return params, rng.normal(size=(steps, batch, width)).astype(numpy.float32)


def cell(np, sigmoid, params, state, x):
    h, c = state
    gates = x @ params["input"] + h @ params["state"] + params["bias"]
    i, f, g, o = (gates[:, k * h.shape[1]:(k + 1) * h.shape[1]] for k in range(4))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def loop_loss(np, sigmoid, params, xs):
    state = np.zeros(xs.shape[1:]), np.zeros(xs.shape[1:])
    for t in range(xs.shape[0]):
        state = cell(np, sigmoid, params, state, xs[t])
    return np.mean(np.square(state[0]))


def scan_loss(np, sigmoid, scan, params, xs):
    start = np.zeros(xs.shape[1:]), np.zeros(xs.shape[1:])
    state, _ = scan(lambda state, x: (cell(np, sigmoid, params, state, x), None), start, xs)
    return np.mean(np.square(state[0]))


def in_functape(**sizes):
    import functape
    import functape.numpy as np
    from functape import nn

    if hasattr(functape, "lax"):
        return functape.grad(lambda *args: scan_loss(np, nn.sigmoid, functape.lax.scan, *args))
    return functape.grad(lambda *args: loop_loss(np, nn.sigmoid, *args))


def in_mlx(**sizes):
    import mlx.core as mx

    return mx.grad(lambda *args: loop_loss(mx, mx.sigmoid, *args))


def in_jax(**sizes):
    import jax
    import jax.numpy as np
    from jax.nn import sigmoid

    return jax.grad(lambda *args: scan_loss(np, sigmoid, jax.lax.scan, *args))


def in_torch(**sizes):
    import torch

    def step(params, xs):
        for p in params.values():
            p.requires_grad_().grad = None
        loop_loss(torch, torch.sigmoid, params, xs).backward()
        return {name: p.grad for name, p in params.items()}

    return step


def in_autograd(**sizes):
    import autograd
    import autograd.numpy as np

    def sigmoid(x):
        return 0.5 * (np.tanh(0.5 * x) + 1.0)

    return autograd.grad(lambda *args: loop_loss(np, sigmoid, *args))


WORKLOADS = (
    Workload(__name__, "lstm", "LSTM, 200 steps of 64, batch 16",
             {"steps": 200, "batch": 16, "width": 64}, {"steps": 3, "batch": 2, "width": 2}),
)
