"""All layers of mlx.nn with inputs for them, for the tests in tests/mlx."""

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten


def normal(*shape):
    return mx.random.normal(shape)


def away(*shape):
    """Numbers that keep clear of the kinks at 0, 1, 3 and 6."""
    return mx.random.uniform(0.1, 0.4, shape) * mx.where(mx.random.bernoulli(0.5, shape), 1, -1)


X = (5, 4)
IMAGE = (2, 6, 5, 4)
LAYERS = {
    "Linear": (lambda: nn.Linear(4, 3), lambda: (normal(*X),)),
    "Linear-no-bias": (lambda: nn.Linear(4, 3, bias=False), lambda: (normal(2, *X),)),
    "Bilinear": (lambda: nn.Bilinear(4, 3, 2), lambda: (normal(5, 4), normal(5, 3))),
    "Identity": (lambda: nn.Sequential(nn.Identity(), nn.Linear(4, 2)), lambda: (normal(*X),)),
    "Sequential": (lambda: nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)),
                   lambda: (normal(*X),)),
    "Embedding": (lambda: nn.Embedding(7, 3), lambda: (mx.array([[0, 6, 2], [2, 2, 1]]),)),
    "Conv1d": (lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2),
               lambda: (normal(2, 9, 4),)),
    "Conv2d": (lambda: nn.Conv2d(4, 3, (3, 2), stride=(2, 1), padding=1, dilation=2),
               lambda: (normal(*IMAGE),)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2, stride=1, padding=1), lambda: (normal(1, 4, 3, 4, 2),)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(4, 3, 3, stride=2, padding=1, output_padding=1),
                        lambda: (normal(2, 5, 4),)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1),
                        lambda: (normal(2, 4, 3, 4),)),
    "ConvTranspose3d": (lambda: nn.ConvTranspose3d(2, 3, 2, stride=2),
                        lambda: (normal(1, 2, 3, 2, 2),)),
    "LayerNorm": (lambda: nn.LayerNorm(4), lambda: (normal(*X),)),
    "LayerNorm-plain": (lambda: nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4, affine=False)),
                        lambda: (normal(*X),)),
    "RMSNorm": (lambda: nn.RMSNorm(4), lambda: (normal(*X),)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), lambda: (normal(*IMAGE),)),
    "GroupNorm-pytorch": (lambda: nn.GroupNorm(2, 4, pytorch_compatible=True),
                          lambda: (normal(*IMAGE),)),
    "InstanceNorm": (lambda: nn.InstanceNorm(4, affine=True), lambda: (normal(*IMAGE),)),
    "BatchNorm": (lambda: nn.BatchNorm(4), lambda: (normal(*IMAGE),)),
    "BatchNorm-deep": (lambda: nn.Sequential(nn.Linear(4, 4), nn.BatchNorm(4), nn.Linear(4, 2)),
                       lambda: (normal(*X),)),
    "Dropout": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5)), lambda: (normal(*X),)),
    "Dropout2d": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout2d(0.5)),
                  lambda: (normal(*IMAGE),)),
    "Dropout3d": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout3d(0.5)),
                  lambda: (normal(2, 2, 2, 2, 4),)),
    "MultiHeadAttention": (lambda: nn.MultiHeadAttention(8, 2, bias=True),
                           lambda: (normal(2, 3, 8), normal(2, 5, 8), normal(2, 5, 8))),
    "MultiHeadAttention-mask": (
        lambda: nn.MultiHeadAttention(8, 2),
        lambda: (*(normal(2, 4, 8),) * 3,
                 nn.MultiHeadAttention.create_additive_causal_mask(4))),
    "TransformerEncoder": (lambda: nn.TransformerEncoder(2, 8, 2, mlp_dims=12, dropout=0.2),
                           lambda: (normal(2, 4, 8), None)),
    "TransformerEncoder-post": (
        lambda: nn.TransformerEncoder(1, 8, 2, norm_first=False, activation=nn.gelu),
        lambda: (normal(2, 4, 8), None)),
    "TransformerDecoder": (lambda: nn.TransformerDecoder(1, 8, 2),
                           lambda: (normal(2, 4, 8), normal(2, 3, 8), None, None)),
    "Transformer": (lambda: nn.Transformer(8, 2, 1, 1, 12),
                    lambda: (normal(2, 4, 8), normal(2, 3, 8), None, None, None)),
    "RNN": (lambda: nn.RNN(4, 3), lambda: (normal(2, 5, 4),)),
    "GRU": (lambda: nn.GRU(4, 3), lambda: (normal(2, 5, 4),)),
    "LSTM": (lambda: nn.LSTM(4, 3), lambda: (normal(2, 5, 4),)),
    "RoPE": (lambda: nn.Sequential(nn.Linear(4, 8), nn.RoPE(6)), lambda: (normal(2, 3, 4),)),
    "RoPE-traditional": (lambda: nn.Sequential(nn.Linear(4, 8), nn.RoPE(8, traditional=True)),
                         lambda: (normal(2, 3, 4),)),
    "ALiBi": (lambda: nn.Sequential(nn.Linear(4, 4), nn.ALiBi()), lambda: (normal(2, 2, 4, 4),)),
    "SinusoidalPositionalEncoding": (
        lambda: nn.Sequential(nn.Linear(4, 1), nn.SinusoidalPositionalEncoding(8)),
        lambda: (normal(*X),)),
    "MaxPool1d": (lambda: nn.Sequential(nn.Linear(4, 4), nn.MaxPool1d(3, 2)),
                  lambda: (normal(2, 8, 4),)),
    "MaxPool2d": (lambda: nn.Sequential(nn.Linear(4, 4), nn.MaxPool2d(3, 2, padding=1)),
                  lambda: (normal(*IMAGE),)),
    "MaxPool2d-apart": (lambda: nn.Sequential(nn.Linear(4, 4), nn.MaxPool2d(2)),
                        lambda: (normal(1, 4, 4, 4),)),
    "MaxPool3d": (lambda: nn.Sequential(nn.Linear(2, 2), nn.MaxPool3d(2, 1)),
                  lambda: (normal(1, 3, 3, 3, 2),)),
    "AvgPool1d": (lambda: nn.Sequential(nn.Linear(4, 4), nn.AvgPool1d(2)),
                  lambda: (normal(2, 8, 4),)),
    "AvgPool2d": (lambda: nn.Sequential(nn.Linear(4, 4), nn.AvgPool2d(3, 1, padding=1)),
                  lambda: (normal(*IMAGE),)),
    "AvgPool3d": (lambda: nn.Sequential(nn.Linear(2, 2), nn.AvgPool3d(2)),
                  lambda: (normal(1, 4, 4, 4, 2),)),
    "Upsample-nearest": (lambda: nn.Sequential(nn.Linear(4, 2), nn.Upsample(2.0)),
                         lambda: (normal(2, 3, 3, 4),)),
    "Upsample-linear": (lambda: nn.Sequential(nn.Linear(4, 2), nn.Upsample(2.0, "linear", True)),
                        lambda: (normal(2, 3, 3, 4),)),
    "Upsample-cubic": (lambda: nn.Sequential(nn.Linear(4, 2), nn.Upsample(2.0, "cubic")),
                       lambda: (normal(2, 4, 4, 4),)),
    "PReLU": (lambda: nn.PReLU(), lambda: (away(*X),)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2),
                                lambda: (normal(2, 4, 8), None)),
    "TransformerDecoderLayer": (lambda: nn.TransformerDecoderLayer(8, 2),
                                lambda: (normal(2, 4, 8), normal(2, 3, 8), None, None)),
    "AllToShardedLinear": (lambda: nn.AllToShardedLinear(4, 3), lambda: (normal(*X),)),
    "ShardedToAllLinear": (lambda: nn.ShardedToAllLinear(4, 3), lambda: (normal(*X),)),
    "QuantizedAllToShardedLinear": (
        lambda: nn.Sequential(nn.Linear(4, 64), nn.QuantizedAllToShardedLinear(64, 32)),
        lambda: (normal(*X),)),
    "QuantizedShardedToAllLinear": (
        lambda: nn.Sequential(nn.Linear(4, 64), nn.QuantizedShardedToAllLinear(64, 32)),
        lambda: (normal(*X),)),
    "QuantizedLinear": (
        lambda: nn.Sequential(nn.Linear(4, 64), nn.QuantizedLinear(64, 32), nn.Linear(32, 2)),
        lambda: (normal(*X),)),
    "QuantizedEmbedding": (
        lambda: nn.Sequential(nn.QuantizedEmbedding(5, 64), nn.Linear(64, 2)),
        lambda: (mx.array([0, 4, 2]),)),
}


def activation(cls, *options):
    return lambda: nn.Sequential(nn.Linear(4, 6), cls(*options)), lambda: (normal(*X),)


ACTIVATIONS = {name: activation(getattr(nn, name)) for name in (
    "CELU", "ELU", "GELU", "GLU", "HardShrink", "HardTanh", "Hardswish", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "ReLU", "ReLU2", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Step", "Tanh")}
ACTIVATIONS |= {f"GELU-{kind}": activation(nn.GELU, kind) for kind in ("precise", "fast")}


def weighted(out):
    """A scalar in which every element counts differently."""
    outs = out if isinstance(out, tuple) else (out,)
    return sum((o * mx.cos(mx.arange(o.size).reshape(o.shape))).sum() for o in outs)


def close(a, b, tol=1e-4):
    scale = 1 + mx.abs(b).max().item() if b.size else 1
    assert a.shape == b.shape and a.dtype == b.dtype
    assert mx.abs(a - b).max().item() < tol * scale if b.size else True


def same_trees(a, b, tol=1e-4):
    a, b = (dict(tree_flatten(t)) for t in (a, b))
    assert a.keys() == b.keys()
    for key in a:
        assert type(a[key]) is mx.array
        close(a[key], b[key], tol)
