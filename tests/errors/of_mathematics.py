"""Wrong uses of linalg, fft, nn, special functions, distributions and random numbers."""

from errors.given import I3, KEY, A, x3

import functape as ft
import functape.numpy as np
from functape import nn, random
from functape.errors import ArgumentError, ConcretizationError, ShapeError
from functape.numpy import fft, linalg
from functape.scipy import linalg as sl
from functape.scipy import special, stats

IMAGES, FILTERS = np.ones((1, 8, 8, 3)), np.ones((4, 3, 3, 3))
HEADS = np.ones((1, 2, 2, 4))

MATRICES = {
    "inv": (lambda: linalg.inv(A), ShapeError, r"argument 0 is float32\[2,3\]", "square"),
    "inv_vector": (lambda: linalg.inv(x3), ShapeError, r"float32\[3\]", "Give it two axes"),
    "inv_text": (lambda: linalg.inv("a"), ArgumentError, "argument 0 is str", "array or a number"),
    "solve_rows": (lambda: linalg.solve(I3, np.ones(2)), ShapeError, r"float32\[2\]", "of 3 rows"),
    "eigh_triangle": (lambda: linalg.eigh(I3, UPLO="X"), ArgumentError, "UPLO.*'X'", "'L' or 'U'"),
    "qr_mode": (lambda: linalg.qr(I3, mode="best"), ArgumentError, "mode.*'best'", "'reduced'"),
    "norm_order": (lambda: linalg.norm(A, ord="max"), ArgumentError, "order.*'max'", "'fro'"),
    "norm_of_vector": (lambda: linalg.norm(x3, ord="fro"), ArgumentError, "'fro'", "a number"),
    "power": (lambda: linalg.matrix_power(I3, 0.5), ArgumentError, r"n must.*0\.5", "integer"),
    "lstsq": (lambda: linalg.lstsq(A, x3), ShapeError, r"float32\[3\]", "as many"),
    "multi_dot": (lambda: linalg.multi_dot([A, A]), ShapeError, "array 1", "as many"),
    "vecdot": (lambda: linalg.vecdot(x3, np.ones(2)), ShapeError, r"float32\[2\]", "one length"),
    "svd_of_full": (lambda: ft.grad(lambda a: np.sum(linalg.svd(a, full_matrices=True)[0]))(A),
                    ShapeError, "full_matrices=True", "full_matrices=False"),
    "triangular": (lambda: sl.solve_triangular(I3, x3, trans="Q"), ArgumentError, "trans.*'Q'",
                   "0, 1, 2"),
    "cho_solve": (lambda: sl.cho_solve(I3, x3), ArgumentError, r"float32\[3,3\]",
                  r"cho_factor\(a\)"),
    "fft_length": (lambda: fft.fft(x3, n=0), ShapeError, "length 0", "1 or more"),
    "fft_norm": (lambda: fft.fft(x3, norm="half"), ArgumentError, "norm.*'half'", "'ortho'"),
    "rfft": (lambda: fft.rfft(x3 * 1j), ArgumentError, "complex64", "Use fft"),
    "fftn": (lambda: fft.fftn(A, s=(2,), axes=(0, 1)), ShapeError, "s has 1", "one for each"),
}

LAYERS = {
    "channels": (lambda: nn.conv2d(IMAGES, np.ones((4, 3, 3, 2))), ShapeError,
                 r"filters float32\[4,3,3,2\]", r"filters \(O, \.\.\., I / groups\)"),
    "rank": (lambda: nn.conv2d(x3, FILTERS), ShapeError, r"float32\[3\]", r"images \(N,"),
    "stride": (lambda: nn.conv2d(IMAGES, FILTERS, stride=0), ShapeError, "stride", "1 or more"),
    "padding": (lambda: nn.conv2d(IMAGES, FILTERS, padding="SAMEE"), ArgumentError, "'SAMEE'",
                "'SAME' or 'VALID'"),
    "window": (lambda: nn.conv2d(np.ones((1, 2, 2, 3)), FILTERS), ShapeError, "reach over 3",
               "Pad more"),
    "groups": (lambda: nn.conv2d(IMAGES, FILTERS, groups=2), ShapeError, "2 group", "divisible"),
    "pool": (lambda: nn.max_pool(IMAGES, (2,) * 5), ShapeError, "window of 5", "as many axes"),
    "pool_padding": (lambda: nn.avg_pool(IMAGES, (2, 2), padding="FULL"), ArgumentError, "'FULL'",
                     "'SAME' or 'VALID'"),
    "layer_norm": (lambda: nn.layer_norm(A, weight=np.ones(5)), ShapeError,
                   r"weight is float32\[5\]", "one number for each"),
    "group_norm": (lambda: nn.group_norm(IMAGES, 2), ShapeError, "num_groups is 2", "equal size"),
    "attention": (lambda: nn.dot_product_attention(HEADS, np.ones((1, 2, 2, 5)), HEADS), ShapeError,
                  r"float32\[1,2,2,5\]", r"key and value \(B, S, K, H\)"),
    "attention_mask": (lambda: nn.scaled_dot_product_attention(HEADS, HEADS, HEADS, scale=1.0,
                                                               mask="diag"), ArgumentError,
                       "mask is 'diag'", "'causal'"),
    "rope": (lambda: nn.rope(A, 7), ShapeError, "dims is 7", "even number"),
    "embedding": (lambda: nn.embedding(x3, A), ArgumentError, r"float32\[2,3\]", "astype"),
    "glu": (lambda: nn.glu(x3), ShapeError, "3 entries", "even length"),
    "softmax": (lambda: nn.softmax(A, axis=3), ShapeError, "axis 3", "choose one"),
    "targets": (lambda: nn.cross_entropy(A, np.arange(3)), ShapeError, r"targets int32\[3\]",
                "without their class axis"),
    "reduction": (lambda: nn.mse_loss(A, A, reduction="avg"), ArgumentError, "'avg'", "'mean'"),
    "loss_shapes": (lambda: nn.mse_loss(A, np.ones((2, 4))), ShapeError, r"targets float32\[2,4\]",
                    "Reshape or broadcast"),
    "relu": (lambda: nn.relu([1.0]), ArgumentError, "list of 1", r"functape\.asarray"),
    "initializer": (lambda: nn.initializers.he_normal()(KEY, (3,)), ShapeError, r"\(3,\)",
                    "two axes or more"),
    "fan": (lambda: nn.initializers.variance_scaling(1.0, "fan", "normal")(KEY, (3, 3)),
            ArgumentError, "mode.*'fan'", "fan_in"),
}

RANDOM = {
    "no_key": (lambda: random.normal((3,)), ArgumentError, "tuple of 1", r"random\.key\(seed\)"),
    "seed_as_key": (lambda: random.normal(0, (3,)), ArgumentError, "0", r"random\.key\(seed\)"),
    "none_as_key": (lambda: random.bernoulli(None), ArgumentError, "None", r"random\.key\(seed\)"),
    "many_keys": (lambda: random.normal(random.split(KEY, 3), (2,)), ArgumentError,
                  r"uint32\[3,2\]", "vmap over several"),
    "shape": (lambda: random.normal(KEY, -3), ShapeError, r"shape \(-3,\)", "0 or more"),
    "dtype": (lambda: random.normal(KEY, (2,), dtype=ft.int32), ArgumentError, "dtype.*int32",
              "floating-point"),
    "seed": (lambda: random.key(1.5), ArgumentError, r"seed.*1\.5", "integer"),
    "split": (lambda: random.split(KEY, -1), ShapeError, r"\(-1,\)", "0 or more"),
    "fold_in": (lambda: random.fold_in(KEY, "a"), ArgumentError, "data.*str", "integer"),
    "parameters": (lambda: random.uniform(KEY, (3,), minval=np.ones(2)), ShapeError, r"\(2,\)",
                   "ends with theirs"),
    "choice": (lambda: random.choice(KEY, 3, (5,), replace=False), ShapeError, "5 entries",
               "without replacement"),
    "choice_weights": (lambda: random.choice(KEY, x3, p=np.ones(2)), ShapeError, "p must",
                       "one probability an entry"),
    "categorical": (lambda: random.categorical(KEY, A, axis=5), ShapeError, "axis 5", "choose one"),
    "covariance": (lambda: random.multivariate_normal(KEY, x3, np.eye(2)), ShapeError,
                   r"float32\[2,2\]", r"cov \(\.\.\., n, n\)"),
    "dirichlet": (lambda: random.dirichlet(KEY, 1.0), ShapeError, "alpha", r"numpy\.full"),
    "multinomial": (lambda: random.multinomial(KEY, 3, 1.0), ShapeError, "p must", "binomial"),
    "bits": (lambda: random.bits(KEY, (2,), dtype=ft.float32), ArgumentError, "dtype.*float32",
             "unsigned integer"),
    "randint": (lambda: ft.randint(5, 5, (2,)), ArgumentError, "5 and 5", "low must be below"),
    "randperm": (lambda: ft.randperm(-1), ShapeError, r"n \(-1,\)", "0 or more"),
    "manual_seed": (lambda: ft.manual_seed("s"), ArgumentError, "seed.*str", "integer"),
}

FUNCTIONS = {
    "gammaln": (lambda: special.gammaln("a"), ArgumentError, "argument 0 is str", "array or a"),
    "polygamma": (lambda: special.polygamma(-1, 1.0), ArgumentError, "order.*-1", "0 or more"),
    "factorial": (lambda: special.factorial(3, exact=True), ArgumentError, "exact",
                  r"math\.factorial"),
    "logsumexp": (lambda: special.logsumexp(A, axis=4), ShapeError, "axis 4", "choose one"),
    "logpdf": (lambda: stats.norm.logpdf("a"), ArgumentError, "argument 0 is str", "array or a"),
    "mvn": (lambda: stats.multivariate_normal.logpdf(x3, x3, np.eye(2)), ShapeError,
            r"cov.*float32\[2,2\]", r"\(\.\.\., 3, 3\)"),
    "distribution": (lambda: stats.norm.lgpdf, AttributeError, "'lgpdf'", "mean 'logpdf'"),
    "nonzero_mapped": (lambda: ft.vmap(np.nonzero)(A), ConcretizationError, r"float32\[3\]",
                       "size="),
}
