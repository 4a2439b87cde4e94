"""A training step of a small transformer: attention, layer norm, embedding, cross-entropy."""

import numpy

from ..workload import Workload


def data(layers, batch, tokens, width, heads, vocabulary):
    rng = numpy.random.default_rng(0)

    def matrix(m, n):
        return (rng.normal(size=(m, n)) / m**0.5).astype(numpy.float32)

    def norm():
        return {"scale": numpy.ones(width, numpy.float32),
                "shift": numpy.zeros(width, numpy.float32)}

    params = {
        "embedding": matrix(vocabulary, width) * width**0.5,
        "position": matrix(tokens, width),
        "layers": [
            {"norm1": norm(), "qkv": matrix(width, 3 * width), "out": matrix(width, width),
             "norm2": norm(), "up": matrix(width, 4 * width), "down": matrix(4 * width, width)}
            for _ in range(layers)
        ],
        "norm": norm(),
        "head": matrix(width, vocabulary),
    }
    text = rng.integers(vocabulary, size=(batch, tokens + 1)).astype(numpy.int32)
    mask = numpy.triu(numpy.full((tokens, tokens), -1e9, numpy.float32), 1)
    return params, numpy.ascontiguousarray(text[:, :-1]), numpy.ascontiguousarray(text[:, 1:]), mask


def layer_norm(np, x, p):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(np.square(centred), axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * p["scale"] + p["shift"]


def attention(np, softmax, x, p, mask, heads):
    batch, tokens, width = x.shape
    qkv = (x @ p["qkv"]).reshape(batch, tokens, 3, heads, width // heads)
    q, k, v = (np.transpose(qkv[:, :, i], (0, 2, 1, 3)) for i in range(3))
    scores = q @ np.swapaxes(k, -1, -2) * (width // heads) ** -0.5 + mask
    mixed = np.transpose(softmax(scores, axis=-1) @ v, (0, 2, 1, 3))
    return mixed.reshape(batch, tokens, width) @ p["out"]


def loss(np, softmax, logsumexp, heads, params, tokens, following, mask):
    x = params["embedding"][tokens] + params["position"]
    for p in params["layers"]:
        x = x + attention(np, softmax, layer_norm(np, x, p["norm1"]), p, mask, heads)
        x = x + np.maximum(layer_norm(np, x, p["norm2"]) @ p["up"], 0.0) @ p["down"]
    logits = layer_norm(np, x, params["norm"]) @ params["head"]
    chosen = np.take_along_axis(logits, following[..., None], axis=-1)[..., 0]
    return np.mean(logsumexp(logits, axis=-1) - chosen)


def in_functape(heads, **sizes):
    import functape
    import functape.numpy as np
    from functape import nn

    return functape.value_and_grad(lambda *args: loss(np, nn.softmax, nn.logsumexp, heads, *args))


def in_mlx(heads, **sizes):
    import mlx.core as mx

    return mx.value_and_grad(lambda *args: loss(mx, mx.softmax, mx.logsumexp, heads, *args))


def in_jax(heads, **sizes):
    import jax
    import jax.numpy as np
    from jax.nn import logsumexp, softmax

    return jax.value_and_grad(lambda *args: loss(np, softmax, logsumexp, heads, *args))


def in_torch(heads, **sizes):
    import torch
    from torch.nn.functional import cross_entropy, layer_norm, relu, softmax
    from torch.utils import _pytree as pytree

    def norm(x, p):
        return layer_norm(x, x.shape[-1:], p["scale"], p["shift"])

    def attend(x, p, mask):
        batch, tokens, width = x.shape
        qkv = (x @ p["qkv"]).reshape(batch, tokens, 3, heads, width // heads)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        scores = q @ k.transpose(-1, -2) * (width // heads) ** -0.5 + mask
        return (softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, tokens, width) @ p["out"]

    def step(params, tokens, following, mask):
        for p in pytree.tree_leaves(params):
            p.requires_grad_().grad = None
        x = params["embedding"][tokens] + params["position"]
        for p in params["layers"]:
            x = x + attend(norm(x, p["norm1"]), p, mask)
            x = x + relu(norm(x, p["norm2"]) @ p["up"]) @ p["down"]
        logits = norm(x, params["norm"]) @ params["head"]
        value = cross_entropy(logits.flatten(0, 1), following.flatten().to(torch.int64))
        value.backward()
        return value.detach(), pytree.tree_map(lambda p: p.grad, params)

    return step


def in_autograd(heads, **sizes):
    import autograd
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    def softmax(x, axis):
        return np.exp(x - logsumexp(x, axis=axis, keepdims=True))

    def cross_entropy(params, tokens, following, mask):
        x = params["embedding"][tokens] + params["position"]
        for p in params["layers"]:
            x = x + attention(np, softmax, layer_norm(np, x, p["norm1"]), p, mask, heads)
            x = x + np.maximum(layer_norm(np, x, p["norm2"]) @ p["up"], 0.0) @ p["down"]
        logits = (layer_norm(np, x, params["norm"]) @ params["head"]).reshape(following.size, -1)
        chosen = logits[np.arange(following.size), following.ravel()]
        return np.mean(logsumexp(logits, axis=-1) - chosen)

    return autograd.value_and_grad(cross_entropy)


WORKLOADS = (
    Workload(
        __name__, "transformer", "transformer, 2 layers of 128, 8 x 64 tokens",
        {"layers": 2, "batch": 8, "tokens": 64, "width": 128, "heads": 4, "vocabulary": 256},
        {"layers": 1, "batch": 2, "tokens": 3, "width": 4, "heads": 2, "vocabulary": 5},
    ),
)
