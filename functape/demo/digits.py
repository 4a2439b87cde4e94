"""First order: a network learns handwritten digits. MLX's optimizers take the gradients as they
are: the parameters are `mx.array`s, so the gradients are, too."""

import functools

import mlx.core as mx
import numpy
from mlx.optimizers import Adam
from tqdm import tqdm

import functape as ft
from functape import tree
from functape.data import digits
from functape.demo import model

BATCH = 64

loss = functools.partial(model.cross_entropy, ft.numpy)


def load():
    """((images, one-hot targets), (test images, test labels)) as `mx.array`s."""
    (images, labels), test = digits()
    targets = numpy.eye(10, dtype="float32")[labels]
    return tree.map(mx.array, ((images, targets), test))


def train(steps, seed=0):
    """Train for so many batches; returns the parameters and the accuracy on the test images."""
    random = numpy.random.default_rng(seed)
    (images, targets), (test_images, test_labels) = load()
    params = tree.map(mx.array, model.init(random, 64, 64, 32, 10))
    adam = Adam(learning_rate=3e-3)
    value_and_grad = ft.value_and_grad(loss)
    progress = tqdm(range(steps), desc="digits", disable=None)
    for _ in progress:
        rows = mx.array(random.integers(len(images), size=BATCH))
        value, grads = value_and_grad(params, images[rows], targets[rows])
        params = adam.apply_gradients(grads, params)
        mx.eval(params, adam.state)
        progress.set_postfix(loss=f"{value.item():.3f}", refresh=False)
    guesses = ft.numpy.argmax(model.predict(ft.numpy, params, test_images), axis=1)
    return params, float(ft.numpy.mean(guesses == test_labels))
