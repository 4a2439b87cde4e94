"""Attention against its formula and jax.nn; rotary positions; embeddings."""

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest
from agreement import agree, close

from functape.nn import attention
from functape.test_util import check_grads

nn = ft.nn
RNG = np.random.default_rng(5)
WAYS = pytest.mark.parametrize("gpu", [False, True], ids=["cpu", "gpu"])


def normal(*shape):
    return RNG.normal(size=shape)


def formula(jax, q, k, v, bias=None, mask=None, scale=None):
    """(B, T, N, H) arrays, in double precision throughout, where jax.nn uses single."""
    jnp = jax.numpy
    k, v = (jnp.repeat(a, q.shape[2] // a.shape[2], axis=2) for a in (k, v))
    s = jnp.einsum("btnh,bsnh->bnts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    s = s if bias is None else s + bias
    s = s if mask is None else jnp.where(mask, s, -1e38)
    p = jnp.exp(s - jax.lax.stop_gradient(s.max(-1, keepdims=True)))
    return jnp.einsum("bnts,bsnh->btnh", p / p.sum(-1, keepdims=True), v)


CAUSAL = np.tril(np.ones((3, 4), bool))
PADDED = np.array([[[[True, True, True, False]]]])
CASES = {
    "plain": ({}, {}),
    "scale": ({"scale": 0.3}, {"scale": 0.3}),
    "causal": ({"is_causal": True}, {"mask": CAUSAL}),
    "mask": ({"mask": PADDED}, {"mask": PADDED}),
    "causal mask": ({"is_causal": True, "mask": PADDED}, {"mask": PADDED & CAUSAL}),
    "window": ({"local_window_size": (1, 0)},
               {"mask": CAUSAL & (np.arange(3)[:, None] - np.arange(4) <= 1)}),
    "lengths": ({"key_value_seq_lengths": np.array([3])}, {"mask": PADDED}),
}


@WAYS
@pytest.mark.parametrize("name", CASES)
def test_is_the_formula(name, gpu, oracle, monkeypatch):
    """With 4 heads of queries on 2 of keys."""
    if gpu and name in ("scale", "lengths", "window", "causal"):
        pytest.skip("nothing that the other cases lack")
    monkeypatch.setattr(attention, "fused", lambda x: gpu)
    ours, theirs = CASES[name]
    args = normal(1, 3, 4, 2), normal(1, 4, 2, 2), normal(1, 4, 2, 2)
    agree(oracle, lambda *a: nn.dot_product_attention(*a, **ours),
          lambda *a: formula(oracle, *a, **theirs), *args, orders=2 if gpu else 1)


@WAYS
def test_bias_has_derivatives(gpu, oracle, monkeypatch):
    monkeypatch.setattr(attention, "fused", lambda x: gpu)
    args = normal(1, 2, 2, 2), normal(1, 3, 2, 2), normal(1, 3, 2, 2), normal(1, 1, 2, 3)
    agree(oracle, nn.dot_product_attention, lambda *a: formula(oracle, *a), *args)


@pytest.mark.parametrize("options", [
    {}, {"is_causal": True}, {"local_window_size": 1}, {"scale": 0.2},
    {"query_seq_lengths": [2, 4], "key_value_seq_lengths": [5, 1]},
    {"mask": RNG.integers(0, 2, (2, 1, 4, 5)).astype(bool)}, {"bias": normal(1, 4, 4, 5)},
], ids=lambda options: "+".join(options))
def test_is_that_of_jax(options, oracle):
    options = {k: np.array(v, np.int32) if "lengths" in k else v for k, v in options.items()}
    q, k, v = normal(2, 4, 4, 3), normal(2, 5, 2, 3), normal(2, 5, 2, 3)
    got = nn.dot_product_attention(q, k, v, return_residual=True, **options)
    want = oracle.nn.dot_product_attention(q, k, v, return_residual=True, **options)
    close(got, want, 1e-5)
    close(nn.dot_product_attention(q[0], k[0], v[0]), oracle.nn.dot_product_attention(
        q[0], k[0], v[0]), 1e-5)


@WAYS
@pytest.mark.parametrize("mask", [None, "causal", "boolean", "added"])
def test_scaled_dot_product_attention_is_that_of_mlx(mask, gpu, monkeypatch):
    monkeypatch.setattr(attention, "fused", lambda x: gpu)
    q, k, v = (mx.array(normal(*s).astype(np.float32)) for s in
               ((2, 4, 3, 8), (2, 2, 5, 8), (2, 2, 5, 8)))
    mask = {"boolean": mx.array(RNG.integers(0, 2, (3, 5)) | np.eye(3, 5, dtype=int)) > 0,
            "added": mx.array(normal(3, 5).astype(np.float32))}.get(mask, mask)
    def ours(q, k, v):
        return nn.scaled_dot_product_attention(q, k, v, mask=mask)

    def theirs(q, k, v):
        return mx.fast.scaled_dot_product_attention(q, k, v, scale=8 ** -0.5, mask=mask)

    close(ours(q, k, v), theirs(q, k, v), 1e-5)
    got = ft.grad(lambda *a: (ours(*a) ** 2).sum(), (0, 1, 2))(q, k, v)
    want = mx.grad(lambda *a: (theirs(*a) ** 2).sum(), (0, 1, 2))(q, k, v)
    close(tuple(got), tuple(want), 1e-4)


def test_a_row_without_anything_to_see_is_finite():
    """As with jax.nn, the mean of all values; nothing flows to its scores."""
    q, k, v = (ft.numpy.array(normal(1, 2, 1, 2)) for _ in range(3))
    mask = np.array([[False, False], [True, False]])
    f = lambda q, k, v: nn.dot_product_attention(q, k, v, mask=mask)  # noqa: E731
    close(f(q, k, v)[0, 0], v.mean((0, 1)), 1e-9)
    of_q = np.asarray(ft.grad(lambda q: (f(q, k, v) ** 2).sum())(q))
    assert np.isfinite(of_q).all() and not of_q[0, 0].any()
    q, k, v = (a.reshape(1, 1, -1, 2) for a in (q, k[:, :1], v[:, :1]))
    late = nn.scaled_dot_product_attention(q, k, v, mask="causal")  # the first query sees nothing
    close(late, np.broadcast_to(v, (1, 1, 2, 2)), 1e-12)


def test_vmap_of_attention(oracle):
    q, k, v = normal(3, 2, 2, 2), normal(2, 2, 2), normal(3, 2, 2, 2)
    got = ft.vmap(nn.dot_product_attention, (0, None, 0))(q, k, v)
    close(got, oracle.vmap(lambda *a: formula(oracle, *(x[None] for x in a))[0],
                           (0, None, 0))(q, k, v), 1e-9)


# --- rotary positions -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [
    {}, {"dims": 4}, {"traditional": True}, {"offset": 3, "scale": 0.5}, {"base": 100.0},
    {"dims": 4, "traditional": True}, {"offset": np.array([1, 4], np.int32)},
    {"freqs": np.array([1.0, 5.0, 20.0], np.float32)},
], ids=lambda options: "+".join(options) or "plain")
def test_rope_is_that_of_mlx(options):
    x = mx.array(normal(2, 2, 3, 6).astype(np.float32))
    arrays = {k: mx.array(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    full = {"dims": 6, "traditional": False, "base": None if "freqs" in options else 10000.0,
            "scale": 1.0, "offset": 0, **arrays}
    close(nn.rope(x, **options), mx.fast.rope(x, **full), 1e-5)
    check_grads(lambda x: nn.rope(x, **options) ** 2, (np.array(x).astype(np.float64),), 2)


def test_rope_keeps_lengths_and_relative_positions():
    x, y = ft.numpy.array(normal(5, 4)), ft.numpy.array(normal(5, 4))
    close((nn.rope(x) ** 2).sum(-1), (x ** 2).sum(-1), 1e-12)
    here = (nn.rope(x) * nn.rope(y)).sum(-1)
    close((nn.rope(x, offset=7) * nn.rope(y, offset=7)).sum(-1), here, 1e-9)
    close(ft.vmap(nn.rope)(ft.numpy.stack([x, y])), np.stack([nn.rope(x), nn.rope(y)]), 1e-12)


def test_embedding(oracle):
    table, i = normal(5, 3), np.array([[1, 4], [1, -1]])
    agree(oracle, lambda t: nn.embedding(t, i), lambda t: t[i], table)
    close(ft.vmap(nn.embedding, (None, 0))(table, ft.numpy.array(i)), table[i])


def test_errors():
    x = ft.numpy.ones((1, 3, 4, 2))
    for wrong, text in [
        (lambda: nn.dot_product_attention(x, x[:, :, :3], x), "with N divisible by K"),
        (lambda: nn.dot_product_attention(x, x, x, implementation="cudnn"), "None or 'xla'"),
        (lambda: nn.scaled_dot_product_attention(x, x, x, mask="full"), "must be 'causal'"),
        (lambda: nn.scaled_dot_product_attention(x, x[:, :2], x[:, :2]), "N divisible by K"),
        (lambda: nn.rope(x, 3), "an even number of dims"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            wrong()
