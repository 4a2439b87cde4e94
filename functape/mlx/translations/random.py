"""mlx.core.random: MLX draws; what a distribution depends on differentiably is applied after."""

import mlx.core as mx

from functape import tree
from functape.mlx.lifting import lift
from functape.mlx.translations.registry import table, translation
from functape.numpy.arguments import value
from functape.op import Value
from functape.ops.elementwise import stop_gradient
from functape.tensor import constant

DRAWS = ("bernoulli", "categorical", "permutation", "randint", "truncated_normal",
         "multivariate_normal")


def constant_draw(name):
    """A draw as a lifted function of what it depends on, without a derivative."""
    draw = lift(getattr(mx.random, name), name=name)

    def drawn(*args, **kwargs):
        args, kwargs = tree.map(lambda a: stop_gradient(a) if isinstance(a, Value) else a,
                                (args, kwargs))
        return draw(*args, **kwargs)

    return drawn


table.update({f"random.{name}": constant_draw(name) for name in DRAWS})


@translation("random.normal")
def normal(shape=(), dtype=mx.float32, loc=None, scale=None, key=None):
    drawn = constant(mx.random.normal(shape, dtype, key=key))
    drawn = drawn if scale is None else drawn * scale
    return drawn if loc is None else drawn + loc


@translation("random.uniform")
def uniform(low=0, high=1, shape=(), dtype=mx.float32, key=None):
    low, high = value(low, "uniform"), value(high, "uniform")
    full = shape or mx.broadcast_shapes(low.shape, high.shape)
    return constant(mx.random.uniform(shape=full, dtype=dtype, key=key)) * (high - low) + low
