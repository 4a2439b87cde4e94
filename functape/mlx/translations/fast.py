"""mlx.core.fast: on a GPU the fused kernels as ops; on a CPU the plain formulas, as MLX does."""

import mlx.core as mx

from functape.mlx.translations.registry import translation
from functape.numpy.arguments import value
from functape.op import Value
from functape.ops import fast as ops
from functape.ops.elementwise import cos, sin
from functape.ops.families import broadcast_to
from functape.ops.movement import concatenate, cut, reshape
from functape.ops.reductions import softmax
from functape.tensor import constant


def fused():
    return mx.default_device().type == mx.gpu


@translation("fast.layer_norm")
def layer_norm(x, weight, bias, eps):
    x = value(x, "layer_norm")
    if fused():
        n, dtype = x.shape[-1], x.dtype
        return ops.layer_norm(x, filled(weight, n, 1, dtype), filled(bias, n, 0, dtype), eps=eps)
    return affine(ops.same_type(ops.standard(x, ops.last(x), eps), x), weight, bias)


@translation("fast.rms_norm")
def rms_norm(x, weight, eps):
    x = value(x, "rms_norm")
    if fused():
        return ops.rms_norm(x, filled(weight, x.shape[-1], 1, x.dtype), eps=eps)
    return affine(ops.same_type(ops.scaled(x, ops.last(x), eps), x), weight, None)


def filled(a, n, number, dtype):
    return constant(mx.full((n,), number, dtype)) if a is None else a


def affine(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@translation("fast.scaled_dot_product_attention")
def attention(q, k, v, *, scale, mask=None, sinks=None, force_fused=False):
    q, k, v = (value(a, "scaled_dot_product_attention") for a in (q, k, v))
    mask = mask_of(mask, q, k)
    if sinks is not None:
        return with_sinks(q, k, v, mask, scale, sinks)
    op = ops.attention if fused() else ops.plain_attention
    return op(q, k, v, mask, scale=scale)


def mask_of(mask, q, k):
    """An additive or boolean mask with the heads of q; 0.0 for none."""
    if mask is None:
        return 0.0
    if isinstance(mask, str):  # "causal": the last query sees all keys
        rows, columns = q.shape[2], k.shape[2]
        at = mx.arange(columns - rows, columns).reshape(-1, 1)
        return constant(at >= mx.arange(columns))
    return value(mask, "scaled_dot_product_attention")


def with_sinks(q, k, v, mask, scale, sinks):
    """One more score a head, which takes part in the softmax and leads nowhere."""
    s = ops.scores(q, k, mask, scale)
    sink = reshape(value(sinks, "sinks"), shape=(1, q.shape[1], 1, 1))
    sink = broadcast_to(sink, shape=(*s.shape[:3], 1))
    p = softmax(concatenate(sink, s, axis=3), axis=(3,))
    p = cut(p, index=(slice(None),) * 3 + (slice(1, None),))
    return ops.mix(p, v, q)


@translation("fast.rope")
def rope(a, dims, *, traditional, base, scale, offset, freqs=None):
    a = value(a, "rope")
    simple = freqs is None and not isinstance(offset, (Value, mx.array))
    if simple:
        return ops.rope(a, dims=dims, traditional=traditional, base=base, scale=scale,
                        offset=offset)
    return by_angles(a, dims, traditional, base, scale, value(offset, "rope"), freqs)


def by_angles(a, dims, traditional, base, scale, offset, freqs):
    """Frequencies, or an offset for each sequence, that are arrays."""
    if freqs is None:
        steps = mx.arange(0, dims, 2) * (-1 / dims)
        rate = constant(mx.exp(steps * mx.log(mx.array(base))))
    else:
        rate = 1 / value(freqs, "rope")
    at = constant(mx.arange(a.shape[-2]))
    if offset.shape:
        at = reshape(offset, shape=(*offset.shape, *(1,) * (len(a.shape) - 2))) + at
        at = reshape(at, shape=(*at.shape, 1))
    else:
        at = reshape(at + offset, shape=(a.shape[-2], 1))
    angle = at * scale * rate
    return ops.same_type(ops.rotated(a, cos(angle), sin(angle), dims, traditional), a)


@translation("fast.cross_entropy")
def cross_entropy(logits, targets):
    logits, targets = value(logits, "cross_entropy"), value(targets, "cross_entropy")
    if fused():
        return ops.cross_entropy(logits, targets)
    return ops.plain_cross_entropy(logits, targets, len(logits.shape) - 1)
