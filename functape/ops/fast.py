"""What MLX has fused kernels for: normalisation, attention, rotary positions, cross-entropy.

Each is written twice, for two machines. The plain formula is made of ops: on a CPU it is what
functape.nn runs, since MLX's fused functions are no faster there and their derivatives slower. On
a GPU functape.nn runs the op, whose kernel is MLX's; its rules use the plain formula's parts.
"""

import mlx.core as mx

from functape.op import LINEAR, Op
from functape.op import twin as raw
from functape.ops import float64
from functape.ops.activations import (
    affine,
    centre,
    exp_below,
    inverse_rms,
    scale_rows,
    sum_rows,
)
from functape.ops.contraction import flipped, matmul
from functape.ops.elementwise import log, stop_gradient, where
from functape.ops.families import (
    add,
    astype,
    broadcast_to,
    fit,
    multiply,
    stretch,
    total,
)
from functape.ops.indexing import add_along_axis, take_along_axis
from functape.ops.movement import along, concatenate, cut, reshape, spread, stack
from functape.ops.reductions import centre_on, maximum_of, softmax

HALF = (mx.float16, mx.bfloat16)
LOW = -0.7 * 3.4028235e38  # in place of -inf where a mask is False: no NaN where all of a row is


def precise(x):
    """Half precision as float32, for sums over many elements."""
    return astype(x, dtype=mx.float32) if x.dtype in HALF else x


def same_type(y, x):
    return y if y.dtype == x.dtype else astype(y, dtype=x.dtype)


# --- normalisation ------------------------------------------------------------------------------


def standard(x, axis, eps):
    """x without its mean, in units of its standard deviation."""
    c = centre(precise(x), axis=axis)
    return scale_rows(c, inverse_rms(c, axis=axis, eps=eps), axis=axis)


def scaled(x, axis, eps):
    """x in units of its root mean square."""
    x = precise(x)
    return scale_rows(x, inverse_rms(x, axis=axis, eps=eps), axis=axis)


def last(x):
    return (len(x.shape) - 1,)


def plain_layer_norm(x, w, b, eps):
    return affine(same_type(standard(x, last(x), eps), x), w, b)


def plain_rms_norm(x, w, eps):
    return same_type(scaled(x, last(x), eps), x) * w


def through_standard(u, x, eps):
    """The Jacobian of `standard`, which is symmetric, applied to u."""
    c = centre(precise(x), axis=last(x))
    return centre(through_rms(u, c, eps), axis=last(x))


def through_rms(u, x, eps):
    """The Jacobian of `scaled`, which is symmetric, applied to u."""
    u, x = precise(u), precise(x)
    r = inverse_rms(x, axis=last(x), eps=eps)
    y = x * r
    return r * (u - y * (sum_rows(u * y, axis=last(x)) * (1 / x.shape[-1])))


def layer_norm_kernel(x, w, b, eps):
    if mx.float64 in (x.dtype, w.dtype, b.dtype):
        return raw(plain_layer_norm)(x, w, b, eps)
    return mx.fast.layer_norm(x, w, b, eps)


def rms_norm_kernel(x, w, eps):
    if mx.float64 in (x.dtype, w.dtype):
        return raw(plain_rms_norm)(x, w, eps)
    return mx.fast.rms_norm(x, w, eps)


def batch_norm_of_rows(op, size, args, mapped, params):
    """MLX's kernels take one weight for all rows; another for each is applied afterwards."""
    x, w, *b = args
    n = x.shape[-1]
    if not any(mapped[1:]):
        return op(x, w, *b, **params)
    plain = op(x, Op.constant(mx.ones((n,), w.dtype)),
               *[Op.constant(mx.zeros((n,), a.dtype)) for a in b], **params)
    if not mapped[0]:
        plain = spread(plain, size)
    w, *b = (a if m else spread(a, size) for a, m in zip(args[1:], mapped[1:], strict=True))
    rows = (size, *(1,) * (len(plain.shape) - 2), n)
    plain = multiply(plain, reshape(w, shape=rows))
    return add(plain, reshape(b[0], shape=rows)) if b else plain


layer_norm = Op(
    "layer_norm", layer_norm_kernel, args=("x", "w", "b"), batch=batch_norm_of_rows,
    vjp=[
        lambda g, x, w, x_shape, x_dtype, eps: fit(through_standard(g * w, x, eps), x_shape,
                                                   x_dtype),
        lambda g, x, w_shape, w_dtype, eps: fit(g * standard(x, last(x), eps), w_shape, w_dtype),
        lambda g, b_shape, b_dtype: fit(g, b_shape, b_dtype),
    ],
    jvp=[
        lambda t, x, w, ans_shape, ans_dtype, eps: stretch(through_standard(t, x, eps) * w,
                                                           ans_shape, ans_dtype),
        lambda t, x, ans_shape, ans_dtype, eps: stretch(t * standard(x, last(x), eps), ans_shape,
                                                        ans_dtype),
        lambda t, ans_shape, ans_dtype: stretch(t, ans_shape, ans_dtype),
    ],
    doc="Rows of x standardised, times w, plus b.",
)
rms_norm = Op(
    "rms_norm", rms_norm_kernel, args=("x", "w"), batch=batch_norm_of_rows,
    vjp=[
        lambda g, x, w, x_shape, x_dtype, eps: fit(through_rms(g * w, x, eps), x_shape, x_dtype),
        lambda g, x, w_shape, w_dtype, eps: fit(g * scaled(x, last(x), eps), w_shape, w_dtype),
    ],
    jvp=[
        lambda t, x, w, ans_shape, ans_dtype, eps: stretch(through_rms(t, x, eps) * w, ans_shape,
                                                           ans_dtype),
        lambda t, x, ans_shape, ans_dtype, eps: stretch(t * scaled(x, last(x), eps), ans_shape,
                                                        ans_dtype),
    ],
    doc="Rows of x in units of their root mean square, times w.",
)

# --- attention ------------------------------------------------------------------------------------
#
# q (B, H, T, D), k and v (B, K, S, D), where each of the K heads serves H / K heads of q. Those
# are one longer sequence in the products with k and v.


def together(a, heads):
    """(B, H, T, n) as (B, K, H / K * T, n)."""
    b, h, t, n = a.shape
    return a if h == heads else reshape(a, shape=(b, heads, h // heads * t, n))


def apart(a, like):
    """What `together` joined, with the heads and lengths of `like`."""
    return a if a.shape[1] == like.shape[1] else reshape(a, shape=(*like.shape[:3], a.shape[-1]))


def scores(q, k, mask, scale):
    """How well each query fits each key; a mask is added, or a boolean one chooses."""
    s = apart(matmul(together(q * scale, k.shape[1]), flipped(k)), q)
    if isinstance(mask, (int, float)):
        return s
    return where(mask, s, low(s)) if mask.dtype == mx.bool_ else s + mask


def low(s):
    """In place of -inf."""
    return LOW if s.dtype in (mx.float32, mx.float64, mx.bfloat16) else -45000.0


def plain_attention(q, k, v, mask, scale):
    p = softmax(scores(q, k, mask, scale), axis=(3,))
    return mix(p, v, q)


def mix(p, v, q):
    return apart(matmul(together(p, v.shape[1]), v), q)


def attention_kernel(q, k, v, mask, scale):
    number = isinstance(mask, (int, float))
    if q.dtype == k.dtype == v.dtype != mx.float64 and (
            number or mask.dtype in (mx.bool_, q.dtype)):
        return mx.fast.scaled_dot_product_attention(
            q, k, v, scale=scale, mask=None if number else mask)
    return raw(plain_attention)(q, k, v, mask, scale)


def weights(q, k, mask, scale):
    return softmax(scores(q, k, mask, scale), axis=(3,))


def through_scores(g, q, k, v, mask, scale):
    """The cotangent of the scores; none passes where a boolean mask is False."""
    dp = apart(matmul(together(g, v.shape[1]), flipped(v)), q)
    ds = centre_on(dp, weights(q, k, mask, scale), (3,))
    if isinstance(mask, (int, float)) or mask.dtype != mx.bool_:
        return ds
    return where(mask, ds, 0.0)


def pull_q(g, q, k, v, mask, q_shape, q_dtype, scale):
    ds = through_scores(g, q, k, v, mask, scale)
    return fit(apart(matmul(together(ds, k.shape[1]), k), q) * scale, q_shape, q_dtype)


def pull_k(g, q, k, v, mask, k_shape, k_dtype, scale):
    ds = together(through_scores(g, q, k, v, mask, scale), k.shape[1])
    return fit(matmul(flipped(ds), together(q * scale, k.shape[1])), k_shape, k_dtype)


def pull_v(g, q, k, v, mask, v_shape, v_dtype, scale):
    p = together(weights(q, k, mask, scale), v.shape[1])
    return fit(matmul(flipped(p), together(g, v.shape[1])), v_shape, v_dtype)


def pull_mask(g, q, k, v, mask, mask_shape, mask_dtype, scale):
    return fit(through_scores(g, q, k, v, mask, scale), mask_shape, mask_dtype)


def push_scores(ds, q, k, v, mask, scale):
    """The tangent of the output for one of the scores."""
    if not isinstance(mask, (int, float)) and mask.dtype == mx.bool_:
        ds = where(mask, ds, 0.0)
    return mix(centre_on(ds, weights(q, k, mask, scale), (3,)), v, q)


def push_q(t, q, k, v, mask, ans_dtype, ans_shape, scale):
    ds = apart(matmul(together(t * scale, k.shape[1]), flipped(k)), q)
    return stretch(push_scores(ds, q, k, v, mask, scale), ans_shape, ans_dtype)


def push_k(t, q, k, v, mask, ans_dtype, ans_shape, scale):
    ds = apart(matmul(together(q * scale, k.shape[1]), flipped(t)), q)
    return stretch(push_scores(ds, q, k, v, mask, scale), ans_shape, ans_dtype)


def push_v(t, q, k, v, mask, ans_dtype, ans_shape, scale):
    return stretch(mix(weights(q, k, mask, scale), t, q), ans_shape, ans_dtype)


def push_mask(t, q, k, v, mask, ans_dtype, ans_shape, scale):
    ds = broadcast_to(t, shape=(*q.shape[:3], k.shape[2]))
    return stretch(push_scores(ds, q, k, v, mask, scale), ans_shape, ans_dtype)


def batch_attention(op, size, args, mapped, params):
    """The batch axis joins the batch of sequences."""
    *qkv, mask = (a if m or not hasattr(a, "shape") else spread(a, size)
                  for a, m in zip(args, mapped, strict=True))
    b = qkv[0].shape[1]
    qkv = [reshape(a, shape=(size * b, *a.shape[2:])) for a in qkv]
    if hasattr(mask, "shape"):
        entry = mask.shape[1:]
        entry = (*(1,) * (4 - len(entry)), *entry)
        mask = broadcast_to(reshape(mask, shape=(size, *entry)), shape=(size, b, *entry[1:]))
        mask = reshape(mask, shape=(size * b, *entry[1:]))
    out = op(*qkv, mask, **params)
    return reshape(out, shape=(size, b, *out.shape[1:]))


attention = Op(
    "attention", attention_kernel, args=("q", "k", "v", "mask"), batch=batch_attention,
    vjp=[pull_q, pull_k, pull_v, pull_mask], jvp=[push_q, push_k, push_v, push_mask],
    doc="softmax(scale q k' + mask) v, for each head; a boolean mask chooses, 0.0 is none.",
)

# --- rotary positions -----------------------------------------------------------------------------


def rotated(x, cosine, sine, dims, traditional):
    """Pairs of the first `dims` entries of each row, turned by angles; the pairs are neighbours if
    traditional, otherwise the entries of the first and the second half."""
    axis, half = len(x.shape) - 1, dims // 2
    if traditional:
        at = slice(0, dims, 2), slice(1, dims, 2)
    else:
        at = slice(0, half), slice(half, dims)
    a, b = (cut(x, index=along(axis, s)) for s in at)
    parts = a * cosine - b * sine, a * sine + b * cosine
    if traditional:
        out = reshape(stack(*parts, axis=axis + 1), shape=(*x.shape[:-1], dims))
    else:
        out = concatenate(*parts, axis=axis)
    if dims == x.shape[-1]:
        return out
    return concatenate(out, cut(x, index=along(axis, slice(dims, x.shape[-1]))), axis=axis)


def rope_kernel(x, dims, traditional, base, scale, offset):
    if x.dtype == mx.float64:
        half = dims // 2
        at = (mx.arange(x.shape[-2]) + offset).astype(mx.float64) * scale
        rate = mx.power(float64.number(base), mx.arange(half).astype(mx.float64) / -half)
        angle = at.reshape(-1, 1) * rate
        return raw(rotated)(x, float64.cos(angle), float64.sin(angle), dims, traditional)
    lead = x.shape[:-2] or (1,)
    out = mx.fast.rope(x.reshape(*lead, *x.shape[-2:]), dims, traditional=traditional, base=base,
                       scale=scale, offset=offset)
    return out.reshape(x.shape)


def unrotated(g, dims, traditional, base, scale, offset):
    """Turned back: by the opposite angles."""
    return rope(g, dims=dims, traditional=traditional, base=base, scale=-scale, offset=offset)


rope = Op(
    "rope", rope_kernel, args=("x",), vjp=[unrotated], jvp=LINEAR,
    batch=lambda op, size, args, mapped, params: op(*args, **params),
    doc="Rows of x (..., T, D), turned pair by pair by angles that grow along T.",
)

# --- cross-entropy --------------------------------------------------------------------------------


def plain_cross_entropy(x, i, axis):
    """By one exponential, which the derivative uses again. Nothing flows through the maximum: the
    result does not depend on it."""
    fixed = stop_gradient(x)
    c = x - maximum_of(fixed, axis=(axis,), keepdims=True)
    whole = log(sum_rows(exp_below(c), axis=(axis,)))
    return drop(whole - take_along_axis(c, keep_axis(i, axis), axis=axis), axis)


def keep_axis(i, axis):
    return reshape(i, shape=(*i.shape[:axis], 1, *i.shape[axis:]))


def drop(a, axis):
    return reshape(a, shape=(*a.shape[:axis], *a.shape[axis + 1:]))


def cross_entropy_kernel(x, i):
    if x.dtype == mx.float64:
        return raw(plain_cross_entropy)(x, i, len(x.shape) - 1)
    return mx.fast.cross_entropy(x, i).astype(x.dtype)


def pull_cross_entropy(g, x, i):
    """g (softmax(x) - 1 at i)."""
    axis = len(x.shape) - 1
    g, hit = keep_axis(g, axis), keep_axis(i, axis)
    return g * softmax(x, axis=(axis,)) - add_along_axis(g, hit, axis=axis, shape=x.shape)


def push_cross_entropy(t, x, i):
    axis = len(x.shape) - 1
    picked = drop(take_along_axis(t, keep_axis(i, axis), axis=axis), axis)
    return total(softmax(x, axis=(axis,)) * t, axis=(axis,), keepdims=False) - picked


def batch_cross_entropy(op, size, args, mapped, params):
    return op(*[a if m else spread(a, size) for a, m in zip(args, mapped, strict=True)])


cross_entropy = Op(
    "cross_entropy", cross_entropy_kernel, args=("x", "i"), batch=batch_cross_entropy,
    vjp=[pull_cross_entropy, None], jvp=[push_cross_entropy, None],
    doc="logsumexp of each row of x, minus its entry at i.",
)
