"""Dropout: noise by a key."""

from functape import random
from functape.errors import check_range
from functape.nn.activations import floating
from functape.numpy.arguments import as_type, axes_of
from functape.ops.families import scale


def dropout(key, x, rate=0.5, *, broadcast_dims=(), deterministic=False):
    """Each element 0 with probability `rate`; the others scaled up, so that the mean stays.

    Source: N. Srivastava et al., Dropout: a simple way to prevent neural networks from
    overfitting, Journal of Machine Learning Research 15 (2014).

    Args:
      key: decides which; the same key, the same elements.
      x: the array.
      rate: in [0, 1].
      broadcast_dims: axes along which all elements share one fate.
      deterministic: return x, as for evaluation.

    >>> import functape as ft
    >>> y = ft.nn.dropout(ft.random.key(0), ft.numpy.ones(8), 0.5)
    >>> bool(((y == 0) | (y == 2)).all())
    True
    """
    x = floating(x, "dropout")
    check_range("dropout", "[0, 1]", rate=rate)
    if deterministic or rate == 0:
        return x
    if rate == 1:
        return x * 0
    shared = axes_of(broadcast_dims or (), len(x.shape), "dropout")
    shape = tuple(1 if i in shared else n for i, n in enumerate(x.shape))
    kept = random.bernoulli(key, 1 - rate, shape)
    return scale(as_type(kept, x.dtype) * (1 / (1 - rate)), x)
