"""Attention, rotary positions and embeddings."""

import mlx.core as mx
import numpy as np

from functape.errors import ArgumentError, ShapeError, check_range, check_word, describe
from functape.nn.activations import floating
from functape.nn.exponentials import as_mask
from functape.nn.normalisation import fused
from functape.numpy import indexing
from functape.numpy.arguments import integer, value
from functape.numpy.reductions import logsumexp
from functape.ops import elementwise, fast, movement
from functape.ops.elementwise import where as where_op
from functape.ops.families import add
from functape.ops.reductions import softmax

# --- attention ------------------------------------------------------------------------------------


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False,
                          query_seq_lengths=None, key_value_seq_lengths=None,
                          local_window_size=None, implementation=None, return_residual=False):
    r"""Attention of several heads, with jax.nn's arguments.

    .. math:: \operatorname{softmax}\Bigl(\frac{Q K^T}{\sqrt H} + B\Bigr)\, V

    Source: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    Args:
      query: (B, T, N, H), or (T, N, H).
      key, value: (B, S, K, H), where K divides N: each of its heads serves N / K of the query's.
      bias: added to the scores; broadcasts to (B, N, T, S).
      mask: where it is False a score does not count; broadcasts likewise.
      scale: of the scores, 1 / sqrt(H) by default.
      is_causal: query t sees keys 0 to t only.
      query_seq_lengths, key_value_seq_lengths: (B,) how many positions count; the result is 0 for
        the others.
      local_window_size: how far back and ahead a query sees; a number, or (back, ahead).
      implementation: None or "xla"; MLX's own kernels are used in any case.
      return_residual: also return the logsumexp of the scores, (B, T, N), as a constant.

    Returns:
      (B, T, N, H).

    >>> import functape as ft
    >>> q = ft.numpy.ones((1, 3, 2, 4))
    >>> ft.nn.dot_product_attention(q, q, q, is_causal=True).shape
    (1, 3, 2, 4)
    """
    name = "dot_product_attention"
    check_word(name, (None, "xla"), implementation=implementation)
    given = floating(query, name)
    q, k, v = heads_first(name, given, key, value)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    hidden = restriction(q, k, is_causal, query_seq_lengths, key_value_seq_lengths,
                         local_window_size)
    if mask is not None:
        mask = four(as_mask(mask))
        hidden = mask if hidden is None else elementwise.logical_and(mask, hidden)
    bias = None if bias is None else four(floating(bias, name))
    out = attend(q, k, v, bias, hidden, scale)
    if query_seq_lengths is not None:
        valid = elementwise.less(positions(q.shape[2], 2), lengths(query_seq_lengths))
        out = where_op(valid, out, 0.0)
    out = movement.transpose(out, axes=(0, 2, 1, 3))
    out = movement.reshape(out, shape=(*given.shape[:-1], out.shape[-1]))
    if not return_residual:
        return out
    residual = logsumexp(masked_scores(q, k, bias, hidden, scale), axis=-1)
    residual = movement.transpose(residual, axes=(0, 2, 1))
    return out, elementwise.stop_gradient(movement.reshape(residual, shape=given.shape[:-1]))


def heads_first(name, query, key, value):
    """(B, T, N, H) as (B, N, T, H), after a look at the shapes."""
    arrays = [four(query), four(floating(key, name)), four(floating(value, name))]
    q, k, v = (a.shape for a in arrays)
    if k[:3] != v[:3] or q[0] != k[0] or q[3] != k[3] or k[2] == 0 or q[2] % k[2]:
        raise ShapeError(f"{name} takes query (B, T, N, H), key and value (B, S, K, H), with N "
                         f"divisible by K, but got {', '.join(map(describe, arrays))}.")
    return [movement.transpose(a, axes=(0, 2, 1, 3)) for a in arrays]


def four(a):
    missing = 4 - len(a.shape)
    return a if missing <= 0 else movement.reshape(a, shape=(*(1,) * missing, *a.shape))


def positions(n, axis):
    """0 to n - 1 along an axis of (B, N, T, S)."""
    return mx.arange(n).reshape(-1, *(1,) * (3 - axis))


def lengths(given):
    given = value(given, "dot_product_attention")
    return movement.reshape(given, shape=(*given.shape, 1, 1, 1))


def restriction(q, k, is_causal, q_lengths, k_lengths, window):
    """Which scores count, as a boolean array that broadcasts to (B, N, T, S); None: all."""
    t, s = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])
    seen = None
    if is_causal:
        seen = s <= t
    if window is not None:
        back, ahead = (window, window) if isinstance(window, int) else window
        near = (t - s <= back) & (s - t <= ahead)
        seen = near if seen is None else seen & near
    seen = None if seen is None else pattern(seen)
    for given, axis, n in ((q_lengths, 2, q.shape[2]), (k_lengths, 3, k.shape[2])):
        if given is not None:
            within = elementwise.less(positions(n, axis), lengths(given))
            seen = within if seen is None else elementwise.logical_and(seen, within)
    return seen


def pattern(seen):
    """A mask that is known: an `mx.array` where each row has something to choose, else a value."""
    mask = mx.array(seen)
    return mask if seen.any(axis=-1).all() else value(mask, "attention")


def attend(q, k, v, bias, mask, scale):
    """Attention with heads first; `mask` is boolean."""
    if fused(q) and (bias is None or mask is None):
        extra = bias if mask is None else mask
        return fast.attention(q, k, v, 0.0 if extra is None else extra, scale=scale)
    scores = masked_scores(q, k, bias, mask, scale)
    return fast.mix(softmax(scores, axis=(3,)), v, q)


def masked_scores(q, k, bias, mask, scale):
    """The scores, very low where the mask is False. A known pattern is added, at a tenth of the
    cost of choosing: wrong only where a row has nothing to choose, and scores no influence."""
    scores = fast.scores(q, k, 0.0, scale)
    scores = scores if bias is None else scores + bias
    if mask is None:
        return scores
    if type(mask) is mx.array:
        return scores + mx.where(mask, 0.0, fast.low(scores)).astype(scores.dtype)
    return where_op(mask, scores, fast.low(scores))


def scaled_dot_product_attention(q, k, v, *, scale=None, mask=None):
    """Attention of several heads, with MLX's arguments.

    Source: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    Args:
      q: (B, N, T, D).
      k, v: (B, K, S, D), where K divides N: each of its heads serves N / K of the query's.
      scale: of the scores, 1 / sqrt(D) by default.
      mask: "causal": the last query sees all keys, each earlier one a key less; a boolean array:
        where it is False a score does not count; another array is added. Broadcasts to
        (B, N, T, S).

    Returns:
      (B, N, T, D).

    >>> import functape as ft
    >>> q = ft.numpy.ones((1, 2, 3, 4))
    >>> ft.nn.scaled_dot_product_attention(q, q, q, mask="causal").shape
    (1, 2, 3, 4)
    """
    name = "scaled_dot_product_attention"
    q, k, v = (floating(a, name) for a in (q, k, v))
    shapes = [a.shape for a in (q, k, v)]
    fits = all(len(a) == 4 for a in shapes) and shapes[1][:3] == shapes[2][:3]
    if not fits or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or q.shape[1] % k.shape[1]:
        raise ShapeError(f"{name} takes q (B, N, T, D), k and v (B, K, S, D), with N divisible by "
                         f"K, but got {', '.join(map(describe, (q, k, v)))}.")
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    if isinstance(mask, str):
        if mask != "causal":
            raise ArgumentError(f"{name}: mask is {mask!r}, but as a word it must be 'causal'.")
        t, s = q.shape[2], k.shape[2]
        seen = mx.arange(s) - s <= mx.arange(t).reshape(-1, 1) - t
        return attend(q, k, v, None, seen if t <= s else value(seen, name), scale)
    if mask is None:
        return attend(q, k, v, None, None, scale)
    mask = value(mask, name)
    if mask.dtype == mx.bool_:
        return attend(q, k, v, None, mask, scale)
    return attend(q, k, v, floating(mask, name), None, scale)


# --- positions ----------------------------------------------------------------------------------


def rope(x, dims=None, *, traditional=False, base=10000.0, scale=1.0, offset=0, freqs=None):
    r"""Rotary positions: pairs of entries of each row turned by angles that grow along T.

    .. math:: \theta_{t,j} = \text{scale}\,(t + \text{offset})\,\text{base}^{-2 j / \text{dims}}

    Source: J. Su et al., RoFormer: enhanced transformer with rotary position embedding (2021).

    Args:
      x: (..., T, D).
      dims: how many entries of each row are turned; all by default.
      traditional: pairs are neighbours; otherwise the entries of the first and the second half.
      base: ratio of the slowest to the fastest rotation.
      scale: of the positions.
      offset: the first position: an integer, or one for each example of the batch, (B,).
      freqs: (dims / 2,) in place of ``base ** (2 j / dims)``.

    >>> import functape as ft
    >>> ft.nn.rope(ft.numpy.array([[1.0, 0.0], [1.0, 0.0]])).round(3)
    tensor([[1.   , 0.   ],
            [0.54 , 0.841]])
    """
    check_range("rope", "(0, inf)", base=base)
    x = floating(x, "rope")
    dims = x.shape[-1] if dims is None and x.shape else integer(dims, "rope", "dims")
    if len(x.shape) < 2 or dims % 2 or not 0 < dims <= x.shape[-1]:
        raise ShapeError(f"rope takes (..., T, D) and an even number of dims up to D, but x is "
                         f"{describe(x)} and dims is {dims}.")
    if freqs is None and isinstance(offset, int):
        return fast.rope(x, dims=dims, traditional=bool(traditional), base=float(base),
                         scale=float(scale), offset=offset)
    steps = mx.arange(x.shape[-2]).astype(x.dtype)
    if not isinstance(offset, int):
        offset = value(offset, "rope", 1)
        offset = movement.reshape(offset, shape=(*offset.shape, *(1,) * (len(x.shape) - 2)))
        steps = steps.reshape(*(1,) * (len(x.shape) - 2), -1)
    if freqs is None:
        freqs = elementwise.power(mx.array(base, x.dtype),
                                  mx.arange(dims // 2).astype(x.dtype) * (2 / dims))
    at = add(steps, offset) * scale
    angle = movement.reshape(at, shape=(*at.shape, 1)) / freqs
    return fast.rotated(x, elementwise.cos(angle), elementwise.sin(angle), dims, traditional)


def embedding(table, indices):
    """Rows of a table, one for each index.

    Args:
      table: (entries, D).
      indices: integers of any shape.

    Returns:
      (*indices.shape, D).

    >>> import functape as ft
    >>> ft.nn.embedding(ft.numpy.array([[1.0, 2.0], [3.0, 4.0]]), [1, 1, 0])
    tensor([[3., 4.],
            [3., 4.],
            [1., 2.]])
    """
    return indexing.take(table, indices, axis=0)
