"""Each translated function of mlx.core: same value, dtype and shape as MLX's, on functape values;
and for all others, that they are lifted or passed through."""

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest

from functape.mlx.functions import SPACES, coverage
from functape.mlx.translations import table

rng = np.random.default_rng(0)


def real(*shape, low=-1.0, high=1.0):
    return mx.array(rng.uniform(low, high, shape).astype(np.float32))


def whole(*shape, high=5):
    return mx.array(rng.integers(0, high, shape).astype(np.int32))


A, B = real(3, 4), real(3, 4)
POSITIVE, N, M = real(3, 4, low=0.5, high=2.0), whole(3, 4), whole(3, 4, high=9) + 1
SQUARE = real(3, 3) + 3 * mx.eye(3)
SYMMETRIC = SQUARE + SQUARE.T
COMPLEX = real(3, 4) + 1j * real(3, 4)
TRUTH = A > 0
UNARY = """abs arcsin arccos arctan arcsinh ceil conj cos cosh degrees erf erfinv exp expm1 floor
    isfinite isinf isnan isneginf isposinf logical_not negative positive radians real round sigmoid
    sign sin sinh square stop_gradient tan tanh trunc acos asin asinh atan conjugate arctanh atanh
    """.split()
BINARY = """add arctan2 atan2 divide divmod equal floor_divide greater greater_equal less less_equal
    logaddexp logical_and logical_or maximum minimum multiply not_equal power pow remainder
    subtract""".split()
REDUCTIONS = "all any argmax argmin logsumexp max mean median min minmax prod std sum var".split()
RUNNING = "cummax cummin cumprod cumsum cumulative_prod cumulative_sum logcumsumexp".split()
CASES = {
    **{name: [((A,), {})] for name in UNARY if name not in ("real",)},
    **{name: [((POSITIVE, B + 2), {}), ((A, 0.5), {})] for name in BINARY},
    **{name: [((A,), {}), ((A, 1), {}), ((A,), {"axis": [0, 1], "keepdims": True})]
       if name not in ("argmax", "argmin", "median") else [((A,), {}), ((A, -1, True), {})]
       for name in REDUCTIONS},
    **{name: [((A,), {}), ((A, 1), {"reverse": True}), ((A,), {"axis": 0, "inclusive": False})]
       for name in RUNNING},
    "real": [((COMPLEX,), {})], "imag": [((COMPLEX,), {})],
    **{name: [((POSITIVE,), {})] for name in (
        "log", "log10", "log1p", "log2", "reciprocal", "rsqrt", "sqrt")},
    **{name: [((POSITIVE + 1,), {})] for name in ("arccosh", "acosh")},
    **{name: [((N, M), {})] for name in (
        "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
        "bitwise_left_shift", "bitwise_right_shift")},
    "bitwise_invert": [((N,), {})],
    "logical_xor": [((TRUTH, B > 0), {})],
    "where": [((TRUTH, A, B), {}), ((TRUTH, 1.0, A), {})],
    "clip": [((A, -0.5, 0.5), {}), ((A, None, 0.2), {}), ((N, 1, None), {})],
    "nan_to_num": [((A / 0 * mx.array([1, 0, 1, 1]),), {}), ((A,), {"nan": 1.0})],
    "astype": [((A, mx.float16), {}), ((A, mx.int32), {})],
    "isclose": [((A, A + 1e-7), {})], "allclose": [((A, A + 1e-7), {}), ((A, B), {})],
    "array_equal": [((A, A), {}), ((A, B), {})],
    "softmax": [((A,), {}), ((A, -1), {"precise": True})],
    "count_nonzero": [((N,), {}), ((N,), {"axis": 1, "keepdims": True})],
    "sort": [((A,), {}), ((A, 0), {}), ((A, None), {})],
    "argsort": [((A,), {}), ((A, None), {})],
    "argpartition": [((A, 0), {})], "partition": [((real(1, 3), 2), {})],
    "topk": [((A, 1), {}), ((A, 4, -1), {})],
    "searchsorted": [((mx.array([1.0, 2.0, 3.0]), A), {"side": "right"})],
    "reshape": [((A, (2, -1)), {})], "flatten": [((real(2, 3, 4), 1, -1), {}), ((A,), {})],
    "unflatten": [((A, -1, (2, -1)), {})],
    "transpose": [((A,), {}), ((real(2, 3, 4), (1, 0, 2)), {})],
    "permute_dims": [((A, [1, 0]), {})],
    "broadcast_to": [((A, (2, 3, 4)), {})], "contiguous": [((A,), {})],
    "as_strided": [((A, (3, 2, 3), (4, 1, 1)), {}), ((A, (2, 2), (5, 2), 3), {}), ((A,), {})],
    "view": [((A, mx.int32), {})],
    "concatenate": [(([A, B], 1), {}), (([A, N], None), {})], "concat": [(([A, B],), {})],
    "stack": [(([A, B], -1), {})],
    "split": [((A, 2, 1), {}), ((A, [1, 3], -1), {})],
    "meshgrid": [((A[0], B[1]), {"indexing": "ij"}), ((A[0], B[1]), {"sparse": True})],
    "slice": [((A, mx.array([1]), (1,), (3, 2)), {}), ((A, mx.array([1, 2]), (0, 1), (2, 2)), {})],
    "slice_update": [((A, B[:2, :2], mx.array([1]), (0,)), {})],
    **{name: [((A,), {}), ((A,), {"dtype": mx.int32})] for name in (
        "zeros_like", "ones_like")},
    "full": [(((2, 2), A[0, 0]), {}), ((3, A[0, 0], mx.float16), {})],
    "full_like": [((A, B[0, 0]), {})], "asarray": [((A,), {}), ((A, mx.int32), {})],
    **{name: [((A[0, 0], A[0]), {})] for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    "broadcast_arrays": [((A, A[0]), {})],
    "diag": [((A[0], 1), {}), ((SQUARE,), {})], "diagonal": [((A,), {}), ((A, 1), {})],
    "diff": [((A,), {}), ((A, 2, 0), {})],
    "expand_dims": [((A, -1), {}), ((A, (0, 2)), {})], "flip": [((A,), {}), ((A, 1), {})],
    "matrix_transpose": [((A,), {})], "moveaxis": [((real(2, 3, 4), 0, -1), {})],
    "pad": [((A, 1), {}), ((A, ((0, 1), (2, 0))), {"constant_values": 2.0}),
            ((A, (1, 2)), {"mode": "edge"}), ((A, 1), {"mode": "reflect"}),
            ((A, 1), {"mode": "symmetric"})],
    "repeat": [((A, 2), {}), ((A, 2, 0), {})],
    "roll": [((A, 1), {}), ((A, (1, -1), (0, 1)), {})],
    "squeeze": [((A[None, :, None],), {}), ((A[None], 0), {})],
    "swapaxes": [((A, 0, 1), {})], "tile": [((A, (2, 1, 2)), {}), ((A, 2), {})],
    "trace": [((A,), {}), ((A, 1), {})], "tril": [((A, -1), {})], "triu": [((A,), {})],
    "unstack": [((A,), {"axis": 1})],
    "take": [((A, mx.array([[2, -1], [0, 0]])), {}), ((A, mx.array([1, -1]), 1), {}),
             ((A, 1, 0), {})],
    "take_along_axis": [((A, mx.array([[0], [-1], [2]]), 1), {}), ((A, whole(5), None), {})],
    "put_along_axis": [((A, mx.array([[0], [3], [2]]), B[:, :1], 1), {}),
                       ((A, mx.array([0, 5]), mx.array([7.0, 8.0])), {})],
    "einsum": [(("ij,kj->ik", A, B), {}), (("ij->j", A), {})],
    "inner": [((A, B), {})], "outer": [((A, B[0]), {})], "kron": [((A, B), {})],
    "matmul": [((A, B.T), {}), ((A[0], B.T), {}), ((real(2, 3, 4), B.T), {})],
    "vecdot": [((A, B), {}), ((A, B), {"axis": 0})],
    "tensordot": [((A, B), {}), ((A, B, [[1], [1]]), {})],
    "addmm": [((real(3, 3), A, B.T), {}), ((real(3), A, B.T, 0.5, 2.0), {})],
    "conv1d": [((real(2, 9, 4), real(6, 3, 2), 2, 1, 2, 2), {})],
    "conv2d": [((real(2, 5, 6, 4), real(3, 3, 2, 4)), {"stride": (2, 1), "padding": (1, 0)})],
    "conv3d": [((real(1, 3, 4, 3, 2), real(2, 2, 2, 2, 2)), {"padding": 1})],
    "conv_general": [((real(2, 9, 4), real(6, 3, 2), 2, ([1], [2]), 2, 1, 2, True), {}),
                     ((real(2, 5, 6, 4), real(3, 3, 2, 4), 1, (1, 2), 1, (2, 3)), {})],
    "conv_transpose1d": [((real(2, 5, 4), real(6, 3, 2), 2, 1, 1, 1, 2), {})],
    "conv_transpose2d": [((real(2, 4, 5, 4), real(3, 3, 2, 4)), {"stride": (2, 1), "dilation": 2})],
    "conv_transpose3d": [((real(1, 2, 3, 2, 2), real(2, 2, 2, 2, 2)), {"stride": 2})],
    "convolve": [((real(7), real(3), mode), {}) for mode in ("full", "same", "valid")] + [
        ((real(3), real(8)), {}), ((real(8), real(4), "same"), {})],
    "matrix_norm": [((A,), {})],
    "result_type": [((A, N), {}), ((A, mx.float16), {})], "can_cast": [((N, mx.float32), {})],
    "eval": [((A,), {})], "async_eval": [((A,), {})], "depends": [((A, B), {})],
    "fast.layer_norm": [((A, B[0], B[1], 1e-5), {}), ((A, None, None, 1e-5), {})],
    "fast.rms_norm": [((A, B[0], 1e-5), {}), ((A, None, 1e-5), {})],
    "fast.cross_entropy": [((A, mx.array([0, 3, 1])), {})],
    "fast.scaled_dot_product_attention": [
        ((real(2, 4, 3, 6), real(2, 2, 5, 6), real(2, 2, 5, 6)), {"scale": 0.4, "mask": mask})
        for mask in (None, "causal", real(3, 5), real(2, 4, 3, 5) > -0.5)] + [
        ((real(2, 4, 3, 6),) * 3, {"scale": 0.4, "sinks": real(4), "mask": mask})
        for mask in (None, "causal")],
    "fast.rope": [((real(2, 3, 5, 8), 6), dict(traditional=t, base=100.0, scale=0.5, offset=o))
                  for t in (True, False) for o in (0, 3, mx.array(3), mx.array([1, 4]))] + [
        ((real(2, 3, 5, 8), 8), dict(traditional=False, base=None, scale=1.0, offset=2,
                                     freqs=real(4, low=1.0, high=9.0)))],
    **{f"fft.{name}": [((COMPLEX,), {}), ((COMPLEX,), {"n": 6, "axis": 0, "norm": "ortho"})]
       for name in ("fft", "ifft")},
    "fft.rfft": [((A,), {}), ((A, 3), {})], "fft.irfft": [((COMPLEX,), {}), ((COMPLEX, 5), {})],
    **{f"fft.{name}": [((COMPLEX,), {}), ((COMPLEX, (4, 4), (0, 1)), {})]
       for name in ("fft2", "fftn", "ifft2", "ifftn")},
    **{f"fft.{name}": [((A,), {})] for name in ("rfft2", "rfftn", "fftshift", "ifftshift")},
    **{f"fft.{name}": [((COMPLEX,), {})] for name in ("irfft2", "irfftn")},
    "linalg.cross": [((A[:, :3], B[:, :3]), {})], "linalg.det": [((SQUARE,), {})],
    "linalg.inv": [((SQUARE,), {})], "linalg.pinv": [((A,), {})],
    "linalg.slogdet": [((SQUARE,), {})],
    "linalg.solve": [((SQUARE, A), {}), ((SQUARE, A[:, 0]), {})],
    "linalg.solve_triangular": [((SQUARE, A), {"upper": True}), ((SQUARE, A[:, 0]), {})],
    "linalg.tri_inv": [((mx.tril(SQUARE),), {}), ((mx.triu(SQUARE), True), {})],
    "linalg.norm": [((A,), {}), ((A, 2, 1), {}), ((A, "fro"), {}), ((A, 1), {})],
    "linalg.eigvalsh": [((SYMMETRIC,), {})],
    "linalg.cholesky": [((SQUARE @ SQUARE.T,), {}), ((SQUARE @ SQUARE.T, True), {})],
    "linalg.cholesky_inv": [((mx.tril(SQUARE),), {}), ((mx.triu(SQUARE), True), {})],
    "linalg.lu": [((SQUARE - 3 * mx.eye(3),), {})],
    "linalg.lu_factor": [((SQUARE - 3 * mx.eye(3),), {})],
    "random.normal": [(((3,),), {"loc": A[0, :3], "scale": 2.0})],
    "random.uniform": [((A - 2, B + 2, (3, 4)), {})],
    "random.bernoulli": [((mx.abs(A),), {})], "random.categorical": [((A,), {})],
    "random.permutation": [((A,), {}), ((A, 1), {})], "random.randint": [((N, M + 9, (3, 4)), {})],
    "random.truncated_normal": [((A - 2, B + 2), {})],
    "random.multivariate_normal": [((A[0, :3], SQUARE @ SQUARE.T), {})],
}
ELSEWHERE = {  # signs, order or functions: see the other tests
    "linalg.eig", "linalg.eigh", "linalg.eigvals", "linalg.qr", "linalg.svd", "grad", "checkpoint",
    "value_and_grad", "vmap", "vjp", "jvp", "save", "savez", "savez_compressed",
    "save_safetensors", "save_gguf", "empty_like",
}


def function(name):
    prefix, _, short = name.rpartition(".")
    return getattr(SPACES[prefix + "." if prefix else ""], short)


def as_values(args):
    """Every array as a functape value, those in lists too."""
    if isinstance(args, mx.array):
        return ft.asarray(args)
    if isinstance(args, (list, tuple)):
        return type(args)(as_values(a) for a in args)
    return {k: as_values(v) for k, v in args.items()} if isinstance(args, dict) else args


def leaves(out):
    return [a for part in out for a in leaves(part)] if isinstance(out, (list, tuple)) else [out]


@pytest.mark.parametrize("name", CASES)
def test_translation(name):
    for args, kwargs in CASES[name]:
        options = {"stream": mx.cpu} if name.startswith("linalg.") else {}
        mx.random.seed(3)
        expected = function(name)(*args, **kwargs, **options)
        mx.random.seed(3)
        with ft.mlx.dispatch():
            found = function(name)(*as_values(args), **as_values(kwargs), **options)
        assert isinstance(found, tuple) == isinstance(expected, tuple), args
        for ours, theirs in zip(leaves(found), leaves(expected), strict=True):
            if not isinstance(theirs, mx.array):
                assert ours == theirs
                continue
            assert isinstance(ours, ft.Tensor), (args, kwargs)
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), (args, kwargs)
            np.testing.assert_allclose(np.asarray(ours), np.array(theirs), rtol=2e-4, atol=2e-5)


def test_each_translation_has_a_case():
    assert set(table) - set(CASES) - ELSEWHERE == set()
    assert set(CASES) - set(table) == set()


def test_each_function_of_mlx_is_accounted_for():
    kinds = {name: found.kind for name, found in coverage().items()}
    assert set(table) <= set(kinds)
    assert {n for n, k in kinds.items() if k == "lifted"} == {
        "unique", "quantized_matmul", "quantize", "dequantize", "gather_qmm",
        "gather_qqmm", "segmented_mm", "block_masked_mm", "gather_mm", "hadamard_transform", "qqmm",
        "from_fp8", "to_fp8", "fast.gated_delta_update", "fft.stft", "fft.istft",
        *(f"distributed.{name}" for name in (
            "all_gather", "all_max", "all_min", "all_sum", "send", "sum_scatter"))}


# --- spectra: unique up to signs and order --------------------------------------------------------


@pytest.mark.parametrize("rebuild", [
    lambda a: (lambda w, v: (v * w) @ v.T)(*mx.linalg.eigh(a, stream=mx.cpu)),
    lambda a: (lambda q, r: q @ r)(*mx.linalg.qr(a, stream=mx.cpu)),
    lambda a: (lambda u, s, vt: (u * s) @ vt)(*mx.linalg.svd(a, stream=mx.cpu)),
], ids=["eigh", "qr", "svd"])
def test_factors(rebuild):
    """What they multiply to is the matrix, so the derivative is the identity."""
    rebuild = ft.mlx.traced(rebuild)
    x = mx.array([[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 5.0]])
    np.testing.assert_allclose(rebuild(x), x, atol=1e-5)
    weights = real(3, 3) + real(3, 3).T
    weights = (weights + weights.T) / 2
    found = ft.grad(lambda x: (rebuild((x + x.T) / 2) * weights).sum())(x)
    np.testing.assert_allclose(found, weights, atol=1e-4)


def test_eigenvalues():
    """Their sum is the trace."""
    for f in (lambda a: mx.linalg.eig(a, stream=mx.cpu)[0],
              lambda a: mx.linalg.eigvals(a, stream=mx.cpu)):
        found = ft.grad(ft.mlx.traced(lambda a, f=f: mx.real(f(a)).sum()))(SQUARE)
        np.testing.assert_allclose(found, mx.eye(3), atol=1e-4)


# --- derivatives of what is translated by hand ----------------------------------------------------


@pytest.mark.parametrize("f", [
    lambda x: mx.cummax(x, axis=1),
    lambda x: mx.cumsum(x, axis=0, inclusive=False, reverse=True),
    lambda x: mx.cumprod(x, axis=1, inclusive=False),
    lambda x: mx.as_strided(x, (3, 2, 3), (4, 1, 1)),
    lambda x: mx.topk(x, 2), lambda x: mx.partition(x, 2),
    lambda x: mx.fast.rope(x[None, None], 4, traditional=False, base=100.0, scale=1.0,
                           offset=mx.array([2])),
    lambda x: mx.logcumsumexp(x, axis=1),
    lambda x: mx.slice_update(x, 2 * x[:2, :2], mx.array([1]), (0,)),
    lambda x: mx.fast.scaled_dot_product_attention(
        *(x[None, None],) * 3, scale=0.3, sinks=x[0, :1]),
    lambda x: x.at[mx.array([0, 0, 2])].add(x * x), lambda x: x.at[:, 1].maximum(0.1),
    lambda x: mx.zeros((5, 4)).at[mx.array([0, 0, 2])].add(x),
    lambda x: x.split(2, axis=1)[0].square().flatten(0, -1),
    lambda x: x.var(1, ddof=1) + x.std(axis=1, keepdims=True).squeeze(-1),
])
def test_derivatives(f):
    from functape.test_util import check_grads

    x = np.random.default_rng(2).uniform(0.2, 1.0, (3, 4))
    check_grads(ft.mlx.traced(f), (ft.numpy.asarray(x, dtype=mx.float64),), order=2)
