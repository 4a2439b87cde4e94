"""A training step of a convolutional classifier of 28 x 28 images, channels last."""

import numpy

from ..workload import Skip, Workload

CLASSES = 10


def data(channels, batch, side):
    rng = numpy.random.default_rng(0)
    first, second = channels
    flat = (side // 4) ** 2 * second

    def weights(*shape, fan_in):
        return (rng.normal(size=shape) / fan_in**0.5).astype(numpy.float32)

    params = {
        "conv1": weights(first, 3, 3, 1, fan_in=9),
        "conv2": weights(second, 3, 3, first, fan_in=9 * first),
        "w": weights(flat, CLASSES, fan_in=flat),
    }
    images = rng.normal(size=(batch, side, side, 1)).astype(numpy.float32)
    labels = numpy.eye(CLASSES, dtype=numpy.float32)[rng.integers(CLASSES, size=batch)]
    return params, images, labels


def loss(np, logsumexp, conv, params, x, labels):
    """`conv` takes channels last, weights (out, height, width, in), stride 2 and padding 1."""
    x = np.maximum(conv(x, params["conv1"]), 0.0)
    x = np.maximum(conv(x, params["conv2"]), 0.0)
    logits = x.reshape(x.shape[0], -1) @ params["w"]
    return np.mean(logsumexp(logits, axis=-1) - (logits * labels).sum(axis=-1))


def in_functape(**sizes):
    import functape
    import functape.numpy as np
    from functape import nn

    if not hasattr(nn, "conv2d"):
        raise Skip("functape.nn has no conv2d yet")

    def conv(x, w):
        return nn.conv2d(x, w, stride=2, padding=1)

    return functape.value_and_grad(lambda *args: loss(np, nn.logsumexp, conv, *args))


def in_mlx(**sizes):
    import mlx.core as mx

    def conv(x, w):
        return mx.conv2d(x, w, stride=2, padding=1)

    return mx.value_and_grad(lambda *args: loss(mx, mx.logsumexp, conv, *args))


def in_jax(**sizes):
    import jax
    import jax.numpy as np
    from jax.nn import logsumexp

    def conv(x, w):
        return jax.lax.conv_general_dilated(
            x, w, (2, 2), ((1, 1), (1, 1)), dimension_numbers=("NHWC", "OHWI", "NHWC"))

    return jax.value_and_grad(lambda *args: loss(np, logsumexp, conv, *args))


def in_torch(**sizes):
    from torch.nn.functional import conv2d, cross_entropy, relu

    def conv(x, w):
        return conv2d(x, w.permute(0, 3, 1, 2), stride=2, padding=1)

    def step(params, x, labels):
        for p in params.values():
            p.requires_grad_().grad = None
        x = relu(conv(relu(conv(x.permute(0, 3, 1, 2), params["conv1"])), params["conv2"]))
        value = cross_entropy(x.permute(0, 2, 3, 1).flatten(1) @ params["w"], labels)
        value.backward()
        return value.detach(), {name: p.grad for name, p in params.items()}

    return step


WORKLOADS = (
    Workload(__name__, "convnet", "convnet, 3 x 3, 16 and 32 channels, batch 64",
             {"channels": (16, 32), "batch": 64, "side": 28},
             {"channels": (2, 3), "batch": 2, "side": 8}),
)
