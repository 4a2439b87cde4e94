"""A deep network with wide layers: the memory of a gradient, with and without checkpoints."""

import numpy

from ..workload import Skip, Workload


def data(layers, width, batch, **_):
    rng = numpy.random.default_rng(0)
    weights = [(rng.normal(size=(width, width)) / width**0.5).astype(numpy.float32)
               for _ in range(layers)]
    return weights, rng.normal(size=(batch, width)).astype(numpy.float32)


def loss(np, checkpoint, block, weights, x):
    def run(x, weights):
        for w in weights:
            x = np.tanh(x @ w)
        return x

    for i in range(0, len(weights), block):
        x = checkpoint(run)(x, weights[i:i + block])
    return np.mean(np.square(x))


def as_it_is(f):
    return f


def in_functape(block, checkpoints, **sizes):
    import functape
    import functape.numpy as np

    if checkpoints and not hasattr(functape, "checkpoint"):
        raise Skip("functape has no checkpoint yet")
    checkpoint = functape.checkpoint if checkpoints else as_it_is
    return functape.grad(lambda *args: loss(np, checkpoint, block, *args))


def in_mlx(block, checkpoints, **sizes):
    import mlx.core as mx

    checkpoint = mx.checkpoint if checkpoints else as_it_is
    return mx.grad(lambda *args: loss(mx, checkpoint, block, *args))


def in_jax(block, checkpoints, **sizes):
    import jax
    import jax.numpy as np

    checkpoint = jax.checkpoint if checkpoints else as_it_is
    return jax.grad(lambda *args: loss(np, checkpoint, block, *args))


def in_torch(block, checkpoints, **sizes):
    import torch
    from torch.utils.checkpoint import checkpoint

    def remember_less(f):
        return lambda x, weights: checkpoint(f, x, weights, use_reentrant=False)

    def step(weights, x):
        for w in weights:
            w.requires_grad_().grad = None
        loss(torch, remember_less if checkpoints else as_it_is, block, weights, x).backward()
        return [w.grad for w in weights]

    return step


def in_autograd(block, checkpoints, **sizes):
    import autograd
    import autograd.numpy as np

    if checkpoints:
        raise Skip("autograd's checkpoint takes arrays only, not lists of them")
    return autograd.grad(lambda *args: loss(np, as_it_is, block, *args))


FULL = {"layers": 64, "width": 128, "batch": 1024, "block": 8}
TOY = {"layers": 4, "width": 3, "batch": 2, "block": 2}
WORKLOADS = (
    Workload(__name__, "layers", "64 tanh layers of 128, batch 1024",
             {**FULL, "checkpoints": False}, {**TOY, "checkpoints": False}),
    Workload(__name__, "layers-checkpoint", "the same, a checkpoint every 8 layers",
             {**FULL, "checkpoints": True}, {**TOY, "checkpoints": True}),
)
