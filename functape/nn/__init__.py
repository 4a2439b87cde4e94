"""functape.nn: jax.nn's functions by the same names; layers' mathematics with MLX's layouts and
fused kernels; losses by the names of mlx.nn.losses and optax."""

from functape.nn import initializers
from functape.nn.activations import (
    celu,
    elu,
    gelu,
    glu,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    hard_tanh,
    identity,
    leaky_relu,
    log_sigmoid,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    soft_sign,
    softplus,
    sparse_plus,
    sparse_sigmoid,
    squareplus,
    swish,
    tanh,
)
from functape.nn.attention import (
    dot_product_attention,
    embedding,
    rope,
    scaled_dot_product_attention,
)
from functape.nn.classification import (
    binary_cross_entropy,
    cross_entropy,
    hinge_loss,
    nll_loss,
    perceptron_loss,
    sigmoid_binary_cross_entropy,
    sigmoid_focal_loss,
    smooth_labels,
    softmax_cross_entropy,
    softmax_cross_entropy_with_integer_labels,
)
from functape.nn.convolution import (
    conv,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from functape.nn.dropout import dropout
from functape.nn.exponentials import (
    log1mexp,
    log_softmax,
    logmeanexp,
    logsumexp,
    one_hot,
    softmax,
)
from functape.nn.losses import (
    cosine_distance,
    cosine_similarity,
    cosine_similarity_loss,
    gaussian_nll_loss,
    huber_loss,
    kl_div_loss,
    kl_divergence,
    kl_divergence_with_log_targets,
    l1_loss,
    l2_loss,
    log_cosh_loss,
    margin_ranking_loss,
    mse_loss,
    smooth_l1_loss,
    squared_error,
    triplet_loss,
)
from functape.nn.normalisation import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    rms_norm,
    standardize,
)
from functape.nn.pooling import (
    adaptive_avg_pool,
    adaptive_max_pool,
    avg_pool,
    max_pool,
    min_pool,
    sum_pool,
)
from functape.suggest import for_names_of

__all__ = [
    # Activations
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "identity", "leaky_relu", "log_sigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu",
    "soft_sign", "softplus", "sparse_plus", "sparse_sigmoid", "squareplus", "swish", "tanh",
    # Exponentials that are normalised
    "log1mexp", "log_softmax", "logmeanexp", "logsumexp", "one_hot", "softmax", "standardize",
    # Convolutions and pooling
    "adaptive_avg_pool", "adaptive_max_pool", "avg_pool", "conv", "conv1d", "conv2d", "conv3d",
    "conv_transpose", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "max_pool",
    "min_pool", "sum_pool",
    # Normalisation
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm",
    # Attention and what goes with it
    "dot_product_attention", "dropout", "embedding", "rope", "scaled_dot_product_attention",
    # Losses
    "binary_cross_entropy", "cosine_distance", "cosine_similarity", "cosine_similarity_loss",
    "cross_entropy", "gaussian_nll_loss", "hinge_loss", "huber_loss", "kl_div_loss",
    "kl_divergence", "kl_divergence_with_log_targets", "l1_loss", "l2_loss", "log_cosh_loss",
    "margin_ranking_loss", "mse_loss", "nll_loss", "perceptron_loss",
    "sigmoid_binary_cross_entropy", "sigmoid_focal_loss", "smooth_l1_loss", "smooth_labels",
    "softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels", "squared_error",
    "triplet_loss",
    # First values
    "initializers",
]

__getattr__ = for_names_of(__name__)
