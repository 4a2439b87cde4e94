"""A training step of a model of mlx.nn: `functape.mlx.functional_call` beside `mlx.nn`'s own."""

import numpy

from ..workload import Workload


def build(layers, width, heads, vocabulary, **sizes):
    """A small transformer language model."""
    import mlx.nn as nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(vocabulary, width)
            self.encoder = nn.TransformerEncoder(layers, width, heads, mlp_dims=4 * width)
            self.head = nn.Linear(width, vocabulary)

        def __call__(self, tokens, following):
            mask = nn.MultiHeadAttention.create_additive_causal_mask(tokens.shape[1])
            scores = self.head(self.encoder(self.embedding(tokens), mask))
            return nn.losses.cross_entropy(scores, following, reduction="mean")

    return Model()


def data(batch, tokens, vocabulary, **sizes):
    from mlx.utils import tree_flatten, tree_unflatten

    rng = numpy.random.default_rng(0)
    shapes = tree_flatten(build(vocabulary=vocabulary, **sizes).parameters())
    params = tree_unflatten([
        (name, (rng.normal(size=a.shape) / 8).astype(numpy.float32)) for name, a in shapes])
    text = rng.integers(vocabulary, size=(batch, tokens + 1)).astype(numpy.int32)
    return params, numpy.ascontiguousarray(text[:, :-1]), numpy.ascontiguousarray(text[:, 1:])


def in_functape(**sizes):
    import functape

    model = build(**sizes)
    return functape.value_and_grad(
        lambda params, *text: functape.mlx.functional_call(model, params, *text))


def in_mlx(**sizes):
    import mlx.core as mx

    model = build(**sizes)

    def loss(params, *text):  # what mlx.nn.value_and_grad does
        model.update(params)
        return model(*text)

    return mx.value_and_grad(loss)


WORKLOADS = (
    Workload(
        __name__, "mlx-model", "model of mlx.nn, 2 layers of 128, 8 x 64 tokens",
        {"layers": 2, "batch": 8, "tokens": 64, "width": 128, "heads": 4, "vocabulary": 256},
        {"layers": 1, "batch": 2, "tokens": 3, "width": 4, "heads": 2, "vocabulary": 5},
    ),
)
