"""Gradients through gradients: model-agnostic meta-learning (Finn, Abbeel and Levine, 2017).

A task is a sine wave of unknown amplitude and phase, seen at ten points. Meta-training looks for
parameters from which ONE step of gradient descent on these points fits the wave. So the outer
gradient goes through the inner one, and `vmap` runs all tasks of a batch at once.
"""

import mlx.core as mx
import numpy
from mlx.optimizers import Adam
from tqdm import tqdm

import functape as ft
from functape import tree
from functape.demo import model

RATE, POINTS, TASKS = 0.03, 10, 25


def tasks(random, count):
    """So many waves: (x, y) to learn from and (x, y) to test on, each (count, POINTS, 1)."""
    height = random.uniform(0.1, 5.0, (count, 1, 1))
    phase = random.uniform(0, numpy.pi, (count, 1, 1))
    x = random.uniform(-5, 5, (2, count, POINTS, 1))
    y = height * numpy.sin(x + phase)
    return [mx.array(a.astype("float32")) for a in (x[0], y[0], x[1], y[1])]


def loss(params, x, y):
    return ft.numpy.mean((model.predict(ft.numpy, params, x) - y) ** 2)


def adapt(params, x, y):
    """One step of gradient descent on a task's points."""
    return tree.map(lambda p, g: p - RATE * g, params, ft.grad(loss)(params, x, y))


def losses(params, batch):
    """Mean loss on the test points, before and after adaptation."""

    def of_one(params, x, y, test_x, test_y):
        return loss(params, test_x, test_y), loss(adapt(params, x, y), test_x, test_y)

    each = ft.vmap(of_one, in_axes=(None, 0, 0, 0, 0))(params, *batch)
    return tree.map(ft.numpy.mean, each)


def train(steps, seed=0, reports=4):
    """Meta-train; returns rows (step, loss before, loss after), measured on 200 held-out tasks."""
    random = numpy.random.default_rng(seed)
    held_out = tasks(numpy.random.default_rng(seed + 1), 200)
    params = tree.map(mx.array, model.init(random, 1, 40, 40, 1))
    adam = Adam(learning_rate=3e-3)
    meta_grad = ft.grad(lambda params, batch: losses(params, batch)[1])
    rows = []
    for step in tqdm(range(steps + 1), desc="meta-learning", disable=None):
        if step * reports % steps < reports:
            rows.append((step, *(float(value) for value in losses(params, held_out))))
        params = adam.apply_gradients(meta_grad(params, tasks(random, TASKS)), params)
        mx.eval(params, adam.state)
    return rows
