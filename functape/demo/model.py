"""A multi-layer perceptron. `np` is functape.numpy or jax.numpy: the code is the same."""

import math

import numpy


def init(random, *widths):
    """Weights and zero biases for layers of these widths, as NumPy arrays."""
    layers = [
        {
            "w": random.normal(0, 1 / math.sqrt(n), (n, m)).astype("float32"),
            "b": numpy.zeros(m, "float32"),
        }
        for n, m in zip(widths, widths[1:], strict=False)
    ]
    return {"layers": layers}  # a dict, since MLX's optimizers take no list here


def predict(np, params, x):
    """The network's outputs, ``(rows, widths[-1])``, for inputs ``(rows, widths[0])``."""
    *hidden, last = params["layers"]
    for layer in hidden:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


def cross_entropy(np, params, images, targets):
    """Mean negative log-likelihood of one-hot targets."""
    scores = predict(np, params, images)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(log_norm - np.sum(scores * targets, axis=1))
