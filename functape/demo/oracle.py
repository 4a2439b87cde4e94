"""The same gradients by JAX, which functape follows but never imports elsewhere."""

import functools
from importlib.util import find_spec

import numpy

import functape as ft
from functape import tree
from functape.demo import model
from functape.demo.digits import load, loss

available = find_spec("jax") is not None


def largest_difference(params):
    """The largest difference from JAX's gradient of the training loss, relative to the largest
    entry of each parameter's gradient."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    train, _ = load()
    ours = tree.leaves(ft.grad(loss)(params, *train))
    jax_loss = functools.partial(model.cross_entropy, jax.numpy)
    theirs = tree.leaves(jax.grad(jax_loss)(*tree.map(numpy.array, (params, *train))))
    return max(relative(a, b) for a, b in zip(ours, theirs, strict=True))


def relative(a, b):
    a, b = numpy.array(a), numpy.array(b)
    return float(numpy.abs(a - b).max() / numpy.abs(b).max())
