"""functape.numpy.linalg and functape.scipy.linalg against JAX; and where JAX gives NaN, against
mathematics."""

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest

import functape.scipy.linalg as sl
from functape import numpy as fnp
from functape import test_util, tree
from functape.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.standard_normal(shape)


def positive(*shape):
    a = normal(*shape)
    return a @ a.swapaxes(-1, -2) + np.eye(shape[-1])


def cplx(*shape):
    return (normal(*shape) + 1j * normal(*shape)).astype(np.complex64)


QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def agree(oracle, f, g, *args, tolerance=1e-8):
    """`f` with functape is `g` with JAX: value, tangent and cotangent."""
    ours = tuple(map(fnp.array, args))
    moves = test_util.direction(ours, 2)
    out, moved = ft.jvp(f, ours, moves)
    w = test_util.direction(out, 3)
    back = ft.vjp(f, *ours)[1](w)

    def theirs(args, moves, w):
        out, moved = oracle.jvp(g, args, moves)
        return out, moved, oracle.vjp(g, *args)[1](w)

    given = (args, *(tree.map(np.asarray, t) for t in (moves, w)))
    wants = oracle.jit(theirs).lower(*given).compile(compiler_options=QUICK)(*given)
    for what, got, want in zip(("value", "tangent", "cotangent"), (out, moved, back), wants,
                               strict=True):
        for a, b in zip(tree.leaves(got), tree.leaves(want), strict=True):
            a, size = np.asarray(a), float(np.abs(b).max(initial=0))
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, tolerance, tolerance * (1 + size), err_msg=what)


def consistent(f, *args):
    """Both modes to second order by finite differences; under vmap the same as one by one."""
    args = tuple(map(fnp.array, args))
    test_util.check_grads(f, args, 2)
    pairs = [fnp.stack([a, a + a]) for a in args]
    want = [np.asarray(f(*[a[i] for a in pairs])) for i in range(2)]
    np.testing.assert_allclose(ft.vmap(f)(*pairs), want, 1e-9, 1e-9)


# --- against JAX, real --------------------------------------------------------------------------

# Well conditioned, and away from ties and kinks further than finite differences reach.
A = 0.4 * normal(2, 3, 3) + np.diag([1.0, -2.0, 3.0])
S, TALL, WIDE, B = positive(2, 3, 3), normal(4, 3), normal(2, 4), normal(3, 2)
SPREAD = (0.3 + 0.1 * RNG.permutation(18) + 0.04 * RNG.random(18)).reshape(2, 3, 3)
SPREAD = SPREAD * RNG.choice((-1, 1), (2, 3, 3))


def joined(np, *parts):
    return np.concatenate([p.ravel() for p in parts])


def qr(np, a):
    return joined(np, *np.linalg.qr(a))


def eigh(np, a):
    w, v = np.linalg.eigh(a)
    return joined(np, w, v * v)


def svd(np, a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return joined(np, u * u, s, u[..., :1] * vt[..., :1, :])


LINALG = {
    "inv": (lambda np, a: np.linalg.inv(a), A),
    "solve": (lambda np, a, b: np.linalg.solve(a, b), A, B),
    "solve vector": (lambda np, a, b: np.linalg.solve(a, b), A[0], B[:, 0]),
    "cholesky": (lambda np, a: np.linalg.cholesky(a), S),
    "cholesky upper": (lambda np, a: np.linalg.cholesky(a, upper=True), S[0] + A[0] / 9),
    "eigh": (eigh, S),
    "eigh of any": (eigh, A[0]),
    "eigvalsh": (lambda np, a: np.linalg.eigvalsh(a), S),
    "svd": (svd, A[0]),
    "svd tall": (svd, TALL),
    "svd wide": (svd, WIDE),
    "svd square full": (lambda np, a: np.linalg.svd(a)[0] ** 2, A[0]),
    "svdvals": (lambda np, a: np.linalg.svdvals(a), TALL),
    "qr": (qr, A[0]),
    "qr tall": (qr, TALL),
    "qr r": (lambda np, a: np.linalg.qr(a, mode="r"), TALL),
    "det": (lambda np, a: np.linalg.det(a), A),
    "slogdet": (lambda np, a: np.linalg.slogdet(a)[1], A),
    "pinv": (lambda np, a: np.linalg.pinv(a), TALL),
    "pinv wide": (lambda np, a: np.linalg.pinv(a), WIDE),
    "pinv hermitian": (lambda np, a: np.linalg.pinv(a, hermitian=True), S[0]),
    "lstsq": (lambda np, a, b: joined(np, *np.linalg.lstsq(a, b)[:2]), TALL, normal(4, 2)),
    "lstsq vector": (lambda np, a, b: np.linalg.lstsq(a, b)[0], WIDE, normal(2)),
    "matrix_power": (lambda np, a: np.linalg.matrix_power(a, 3), A[0]),
    "matrix_power negative": (lambda np, a: np.linalg.matrix_power(a, -2), A[0]),
    "multi_dot": (lambda np, a, b, c: np.linalg.multi_dot([a, b, c]), normal(3), A[0], B),
    "tensorinv": (lambda np, a: np.linalg.tensorinv(a, 1), normal(4, 2, 2)),
    "tensorsolve": (lambda np, a, b: np.linalg.tensorsolve(a, b), normal(2, 2, 4), normal(2, 2)),
    "cross": (lambda np, a, b: np.linalg.cross(a, b), normal(2, 3), normal(2, 3)),
    "outer": (lambda np, a, b: np.linalg.outer(a, b), normal(3), normal(2)),
    "trace": (lambda np, a: np.linalg.trace(a, offset=1), A),
    "diagonal": (lambda np, a: np.linalg.diagonal(a, offset=-1), A),
    "vecdot": (lambda np, a, b: np.linalg.vecdot(a, b), B, B + 1),
    "matrix_transpose": (lambda np, a: np.linalg.matrix_transpose(a), A),
    "cond": (lambda np, a: np.linalg.cond(a), A[0]),
    "cond -2": (lambda np, a: np.linalg.cond(a, -2), A[0]),
    "cond 1": (lambda np, a: np.linalg.cond(a, 1), A[0]),
}
NORMS = {
    "all": {}, "axis": {"axis": 1}, "keepdims": {"axis": (0, 2), "keepdims": True},
    **{f"vector {p}": {"ord": p, "axis": -1}
       for p in (1, 2, 3, 1.5, np.inf, -np.inf, -2)},
    **{f"matrix {p}": {"ord": p, "axis": (0, 2), "keepdims": p in (1, 2)}
       for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)},
}


@pytest.mark.parametrize("name", LINALG)
def test_linalg_is_that_of_jax(name, oracle):
    f, *args = LINALG[name]
    agree(oracle, lambda *a: f(fnp, *a), lambda *a: f(oracle.numpy, *a), *args)
    consistent(lambda *a: f(fnp, *a), *args)


@pytest.mark.parametrize("name", NORMS)
def test_norm_is_that_of_jax(name, oracle):
    def f(np, a):
        return np.linalg.norm(a, **NORMS[name])

    agree(oracle, lambda a: f(fnp, a), lambda a: f(oracle.numpy, a), SPREAD)
    consistent(lambda a: f(fnp, a), SPREAD)


def spd(a):
    """SciPy reads one triangle: symmetric whatever the entries of `a`."""
    return (a + a.T) / 2


SCIPY = {
    "cholesky": (lambda sl, a: sl.cholesky(spd(a)), S[0]),
    "cho_solve": (lambda sl, a, b: sl.cho_solve(sl.cho_factor(spd(a)), b), S[0], B),
    "cho_solve lower": (
        lambda sl, a, b: sl.cho_solve(sl.cho_factor(spd(a), True), b), S[0], B[:, 0]),
    "solve pos": (lambda sl, a, b: sl.solve(spd(a), b, assume_a="pos"), S[0], B),
    "solve_triangular": (lambda sl, a, b: sl.solve_triangular(a, b), A[0], B),
    "solve_triangular T": (lambda sl, a, b: sl.solve_triangular(a, b, "T", lower=True), A[0], B),
    "solve_triangular unit": (
        lambda sl, a, b: sl.solve_triangular(a, b, unit_diagonal=True), A[0], B[:, 0]),
    "lu": (lambda sl, a: sl.lu(a)[1] + sl.lu(a)[2], A[0]),
    "lu tall": (lambda sl, a: sl.lu(a, permute_l=True)[0], TALL),
    "lu wide": (lambda sl, a: sl.lu(a)[2], WIDE),
    "lu_solve": (lambda sl, a, b: sl.lu_solve(sl.lu_factor(a), b), A[0], B),
    "lu_solve T": (lambda sl, a, b: sl.lu_solve(sl.lu_factor(a), b, 1), A[0], B[:, 0]),
    "qr": (lambda sl, a: sl.qr(a, mode="economic")[1], TALL),
    "svd": (lambda sl, a: sl.svd(a, compute_uv=False), TALL),
    "eigh": (lambda sl, a: sl.eigh(a, eigvals_only=True), S[0]),
    "expm": (lambda sl, a: sl.expm(a), A[0]),
    "expm large": (lambda sl, a: sl.expm(a), 9 * A[0]),
    "expm_frechet": (lambda sl, a, t: sl.expm_frechet(a, t, compute_expm=False), A[0], A[1]),
    "block_diag": (lambda sl, a, b: sl.block_diag(a, b), B, normal(1, 2)),
    "toeplitz": (lambda sl, c, r: sl.toeplitz(c, r), normal(3), normal(4)),
    "toeplitz batch": (lambda sl, c: sl.toeplitz(c), normal(2, 3)),
    "hankel": (lambda sl, c, r: sl.hankel(c, r), normal(3), normal(4)),
    "circulant": (lambda sl, c: sl.circulant(c), normal(3)),
    "companion": (lambda sl, a: sl.companion(a), SPREAD[0, 0]),
    "leslie": (lambda sl, f, s: sl.leslie(f, s), normal(3), normal(2)),
    "convolution_matrix": (lambda sl, a: sl.convolution_matrix(a, 4, "same"), normal(3)),
}


@pytest.mark.parametrize("name", SCIPY)
def test_scipy_linalg_is_that_of_jax(name, oracle):
    f, *args = SCIPY[name]
    theirs = oracle.scipy.linalg
    agree(oracle, lambda *a: f(sl, *a), lambda *a: f(theirs, *a), *args)
    consistent(lambda *a: f(sl, *a), *args)


@pytest.mark.parametrize("name", ["hilbert", "invhilbert", "pascal", "helmert", "hadamard", "dft"])
def test_famous_matrices(name, oracle):
    np.testing.assert_allclose(getattr(sl, name)(4), getattr(oracle.scipy.linalg, name)(4), 1e-5,
                               1e-6)


# --- against finite differences: what JAX has no derivative of ----------------------------------

BEYOND = {
    "qr wide": (lambda a: fnp.linalg.qr(a), WIDE),
    "polar": (lambda a: sl.polar(a), A[0]),
    "eigh generalised": (lambda a, b: sl.eigh(a, b)[1] ** 2, A[0], S[0]),
    "eigh_tridiagonal": (lambda d, e: sl.eigh_tridiagonal(d, e)[1] ** 2, normal(4), normal(3)),
    "sylvester": (sl.solve_sylvester, A[0], S[0][:2, :2], B),
    "det, twice singular": (fnp.linalg.det, np.ones((3, 3))),
    "det, thrice": (fnp.linalg.det, np.zeros((3, 3))),
    "det, repeated singular values": (fnp.linalg.det, np.eye(3)),
    "svd subset": (lambda a: fnp.linalg.svd(a, False, subset_by_index=(0, 2))[1], TALL),
}


@pytest.mark.parametrize("name", BEYOND)
def test_derivatives_by_finite_differences(name):
    f, *args = BEYOND[name]
    test_util.check_grads(f, tuple(map(fnp.array, args)), 2)


@pytest.mark.parametrize("dtype", [mx.float32, mx.complex64])
def test_eigenvalues_of_any_matrix(dtype):
    """What does not depend on the order and scale of eigenvectors, in both modes."""
    a = fnp.array(np.diag([1.0, 4.0, 8.0]) + 0.3 * A[1]).astype(dtype)
    c = fnp.array(normal(3))

    def f(x):
        w, v = fnp.linalg.eig(x)
        return fnp.abs((v.T @ c) * w).sum(), (fnp.linalg.eigvals(x) ** 3).sum()

    test_util.check_grads(f, (a,), 2)


# --- against JAX, complex -----------------------------------------------------------------------


def projection(np, v):
    return v[:, :1] @ v[:, :1].conj().T


C = cplx(3, 3)
COMPLEX = {
    "inv": (lambda np, a: np.linalg.inv(a), C),
    "solve": (lambda np, a, b: np.linalg.solve(a, b), C, cplx(3, 2)),
    "solve, real matrix": (lambda np, a, b: np.linalg.solve(a, b), A[0].astype("f4"), cplx(3, 2)),
    "det": (lambda np, a: np.linalg.det(a), C),
    "slogdet": (lambda np, a: tuple(np.linalg.slogdet(a)), C),
    "pinv": (lambda np, a: np.linalg.pinv(a), cplx(4, 3)),
    "eigvalsh": (lambda np, a: np.linalg.eigvalsh(a), C),
    "eigh": (lambda np, a: projection(np, np.linalg.eigh(a)[1]), C),
    "eigh phase": (lambda np, a: abs(np.linalg.eigh(a)[1]), C),
    "svdvals": (lambda np, a: np.linalg.svdvals(a), cplx(2, 3)),
    "svd": (lambda np, a: projection(np, np.linalg.svd(a, full_matrices=False)[0]), cplx(4, 3)),
    "svd phase": (lambda np, a: abs(np.linalg.svd(a, full_matrices=False)[2]), cplx(2, 3)),
    "eigvals": (lambda np, a: (np.linalg.eigvals(a) ** 2).sum(), C),
    "norm": (lambda np, a: np.linalg.norm(a), C),
    "norm 3": (lambda np, a: np.linalg.norm(a, 3, axis=0), C),
    "nuclear": (lambda np, a: np.linalg.norm(a, "nuc"), C),
    "vecdot": (lambda np, a, b: np.linalg.vecdot(a, b), C, cplx(3, 3)),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_is_that_of_jax(name, oracle):
    f, *args = COMPLEX[name]
    agree(oracle, lambda *a: f(fnp, *a), lambda *a: f(oracle.numpy, *a), *args, tolerance=1e-4)


@pytest.mark.parametrize("size", [1e-38, 1e-30, 1e25, 3e37])
@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (2, 4, 3)])
def test_complex_qr_of_huge_and_tiny_numbers(size, shape):
    rng = np.random.default_rng(3)
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    q, r = (np.asarray(a) for a in fnp.linalg.qr((x * size).astype(np.complex64)))
    one = np.broadcast_to(np.eye(shape[-1]), r.shape)
    np.testing.assert_allclose(np.conj(np.swapaxes(q, -1, -2)) @ q, one, atol=2e-6)
    np.testing.assert_allclose(q @ (r / size), x, atol=1e-5)


def test_complex_expm(oracle):
    agree(oracle, sl.expm, oracle.scipy.linalg.expm, C, tolerance=1e-4)


# --- where values coincide ----------------------------------------------------------------------

Q = np.linalg.qr(normal(4, 4))[0]
REPEATED = Q @ np.diag([1.0, 1.0, 3.0, 5.0]) @ Q.T


def test_spectral_functions_at_repeated_eigenvalues():
    g = ft.grad(lambda m: fnp.log(fnp.linalg.eigvalsh(m)).sum())(fnp.array(REPEATED))
    np.testing.assert_allclose(g, np.linalg.inv(REPEATED), 1e-9, 1e-9)
    g = ft.grad(lambda m: (fnp.linalg.eigh(m)[0] ** 2).sum())(fnp.array(REPEATED))
    np.testing.assert_allclose(g, 2 * REPEATED, 1e-9, 1e-9)
    g = ft.grad(lambda m: fnp.linalg.norm(m, "nuc"))(fnp.array(REPEATED))
    np.testing.assert_allclose(g, np.eye(4), 1e-9, 1e-9)
    g = ft.grad(lambda m: (fnp.linalg.svd(m)[1] ** 2).sum())(fnp.array(REPEATED))
    np.testing.assert_allclose(g, 2 * REPEATED, 1e-9, 1e-9)


@pytest.mark.parametrize("dtype", [mx.float32, mx.float64])
@pytest.mark.parametrize("kept", [slice(3, 4), slice(2, 3), slice(0, 2), slice(2, 4)])
def test_projections_at_repeated_eigenvalues(kept, dtype):
    """Onto one isolated eigenvector, or all of a repeated value: P' = sum of
    (v v^T T u u^T + transposed) / (w_v - w_u) over v kept, u not."""
    w = np.array([1.0, 1.0, 3.0, 5.0])
    g = normal(4, 4)

    def f(m):
        v = fnp.linalg.eigh(m)[1][:, kept]
        return (v @ v.T * fnp.array(g).astype(dtype)).sum()

    inside = np.arange(4)[kept]
    want = np.zeros((4, 4))
    for i in inside:
        for j in set(range(4)) - set(inside.tolist()):
            half = Q[:, [i]] @ (Q[:, i] @ g @ Q[:, j] * Q[:, [j]].T) / (w[i] - w[j])
            want += half + half.T
            half = Q[:, [i]] @ (Q[:, j] @ g @ Q[:, i] * Q[:, [j]].T) / (w[i] - w[j])
            want += half + half.T
    got = ft.grad(f)(fnp.array(REPEATED).astype(dtype))
    tolerance = 1e-8 if dtype == mx.float64 else 1e-4
    np.testing.assert_allclose(np.asarray(got), want / 2, tolerance, tolerance)


def test_singular_vectors_at_repeated_singular_values():
    """The orthogonal factor u vt is smooth; of -I, along T, it moves by (T - T^T) / 2."""
    t = fnp.array(normal(3, 3))

    def f(m):
        u, _, vt = fnp.linalg.svd(m)
        return (u @ vt * t).sum()

    np.testing.assert_allclose(ft.grad(f)(-fnp.eye(3, dtype=mx.float64)), (t - t.T) / 2, 1e-9, 1e-9)


def test_what_is_not_known_is_not_finite():
    """V f(w) V^T at a repeated value: its gradient depends on f' beyond this choice of V."""
    t = fnp.array(positive(4, 4))

    def f(m):
        w, v = fnp.linalg.eigh(m)
        return ((v * w ** 2) @ v.T * t).sum()

    assert not np.isfinite(np.asarray(ft.grad(f)(fnp.array(REPEATED)))).all()


def test_hessian_of_det_is_exact():
    """d^2 det of a 2 by 2 matrix: a_11 a_22 - a_12 a_21."""
    h = ft.hessian(fnp.linalg.det)(fnp.zeros((2, 2)))
    want = np.zeros((2, 2, 2, 2))
    want[0, 0, 1, 1] = want[1, 1, 0, 0] = 1
    want[0, 1, 1, 0] = want[1, 0, 0, 1] = -1
    np.testing.assert_allclose(h, want, atol=1e-6)


@pytest.mark.parametrize("order", [1.5, 2, 3, "fro"])
def test_norm_at_zero(order):
    """The subgradient 0 in both modes; and a norm that a `where` drops leaves nothing behind."""
    axis = (0, 1) if order == "fro" else 1

    def f(x):
        return fnp.linalg.norm(x, order, axis=axis).sum()

    x = fnp.zeros((2, 2))
    np.testing.assert_array_equal(ft.grad(f)(x), np.zeros((2, 2)))
    assert float(ft.jvp(f, (x,), (x + 1,))[1]) == 0
    dropped = ft.hessian(lambda x: fnp.where(False, f(x), 0.0))(x)
    np.testing.assert_array_equal(dropped, np.zeros((2, 2, 2, 2)))


# --- values that have no derivative, and edges --------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_full_factors(shape):
    a = normal(*shape)
    u, s, vt = (np.asarray(x) for x in fnp.linalg.svd(a))
    np.testing.assert_allclose(u[:, :len(s)] * s @ vt[:len(s)], a, 1e-9, 1e-9)
    q, r = (np.asarray(x) for x in fnp.linalg.qr(a, mode="complete"))
    np.testing.assert_allclose(q @ r, a, 1e-9, 1e-9)
    for x in (u, vt, q):
        np.testing.assert_allclose(x @ x.T, np.eye(len(x)), atol=1e-9)
    p, low, up = sl.lu(a)
    np.testing.assert_allclose(p @ low @ up, a, 1e-9, 1e-9)


@pytest.mark.parametrize("f", [lambda a: fnp.linalg.svd(a)[0].sum(),
                               lambda a: fnp.linalg.qr(a, mode="complete")[0].sum()])
def test_full_factors_have_no_derivative(f):
    with pytest.raises(ShapeError, match="no derivative"):
        ft.grad(f)(fnp.array(TALL))
    with pytest.raises(ShapeError, match="no derivative"):
        ft.jvp(f, (fnp.array(TALL),), (fnp.array(TALL),))


def test_a_bad_matrix_leaves_its_batch_alone():
    a, ones = np.stack([np.zeros((2, 2)), np.eye(2)]), np.ones((2, 1))
    for f in (fnp.linalg.inv, fnp.linalg.cholesky, lambda x: fnp.linalg.solve(x, ones),
              lambda x: sl.solve_triangular(x, ones)):
        bad, good = np.isfinite(np.asarray(f(a)))
        assert not bad.all() and good.all()


def test_rank_and_its_kin():
    ranks = fnp.linalg.matrix_rank(np.stack([np.ones((2, 3)), np.eye(2, 3)]))
    np.testing.assert_array_equal(ranks, [1, 2])
    for size in (1e-3, 1.0, 1e3):  # rtol is relative, as in NumPy; JAX's is not
        assert int(fnp.linalg.matrix_rank(size * np.diag([1.0, 0.1]), rtol=0.5)) == 1
    pair = np.stack([np.diag([4.0, 1.0])] * 2)
    assert fnp.linalg.matrix_rank(pair, rtol=np.array([0.1, 0.5])).tolist() == [2, 1]
    assert fnp.linalg.matrix_rank(pair, tol=np.array([0.5, 2.0])).tolist() == [2, 1]
    assert int(fnp.linalg.matrix_rank(pair[0], tol=5)) == 0
    assert int(fnp.linalg.matrix_rank(np.zeros(3))) == 0
    assert int(fnp.linalg.lstsq(np.ones((3, 2)), np.ones(3))[2]) == 1
    assert fnp.linalg.lstsq(np.ones((3, 2)), np.ones(3), numpy_resid=True)[1].shape == (0,)
    assert float(fnp.linalg.cond(np.zeros((2, 2)), 1)) == np.inf
    np.testing.assert_array_equal(fnp.linalg.vector_norm(np.array([3.0, 0.0, 1.0]), ord=0), 2)


def test_only_one_triangle():
    a = np.array([[2.0, 9.0], [1.0, 3.0]])
    lower, upper = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[2.0, 9.0], [9.0, 3.0]])
    for triangle, full in (("L", lower), ("U", upper)):
        w, _ = fnp.linalg.eigh(a, triangle, symmetrize_input=False)
        np.testing.assert_allclose(w, np.linalg.eigvalsh(full), 1e-12)
    np.testing.assert_allclose(fnp.linalg.cholesky(a, symmetrize_input=False),
                               np.linalg.cholesky(lower), 1e-12)


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.int32, mx.float32])
def test_other_dtypes_are_computed_in_single(dtype):
    a = fnp.array([[2.0, 1.0], [1.0, 3.0]]).astype(mx.float32)
    a = a if dtype == mx.float32 else a.astype(dtype)
    assert fnp.linalg.inv(a).dtype == mx.float32
    np.testing.assert_allclose(fnp.linalg.det(a), 5, 1e-6)


def test_one_factorisation_serves_a_batch_of_right_hand_sides():
    a, b = fnp.array(A[0]), fnp.array(normal(5, 3, 2))
    got = ft.vmap(fnp.linalg.solve, (None, 0))(a, b)
    np.testing.assert_allclose(got, np.linalg.solve(A[0], np.asarray(b)), 1e-9, 1e-9)


def test_jit():
    a = fnp.array(S[0])

    def f(x):
        return fnp.linalg.cholesky(x).sum() + fnp.linalg.solve(x, x[0]).sum() + sl.expm(x)[0, 1]

    plain, compiled = ft.grad(f)(a), ft.jit(ft.grad(f), fallback=False)(a)
    np.testing.assert_allclose(compiled, plain, 1e-9, 1e-9)


def test_pivots_of_a_larger_matrix(oracle):
    a = normal(40, 40)
    packed, pivots = sl.lu_factor(a)
    want, want_pivots = oracle.scipy.linalg.lu_factor(a)
    np.testing.assert_array_equal(pivots, want_pivots)
    np.testing.assert_allclose(packed, want, 1e-9, 1e-9)


# --- errors ---------------------------------------------------------------------------------------

ERRORS = [
    (lambda: fnp.linalg.inv(np.ones((2, 3))), ShapeError, r"square.*\[2,3\]"),
    (lambda: fnp.linalg.det(np.ones(3)), ShapeError, "two axes"),
    (lambda: fnp.linalg.solve(np.eye(2), np.ones(3)), ShapeError, "2 rows"),
    (lambda: fnp.linalg.qr(np.eye(2), "raw"), ArgumentError, "mode must be"),
    (lambda: fnp.linalg.eigh(np.eye(2), "X"), ArgumentError, "UPLO"),
    (lambda: fnp.linalg.norm(np.ones((2, 2, 2)), 2), ShapeError, "one axis or two"),
    (lambda: fnp.linalg.norm(np.ones((2, 2)), 3), ArgumentError, "'fro', 'nuc'"),
    (lambda: fnp.linalg.norm(np.ones(2), "fro"), ArgumentError, "must be a number"),
    (lambda: fnp.linalg.slogdet(np.eye(2), method="x"), ArgumentError, "'lu' or 'qr'"),
    (lambda: fnp.linalg.lstsq(np.ones((2, 2, 2)), np.ones(2)), ShapeError, "vmap"),
    (lambda: fnp.linalg.multi_dot([np.ones((2, 3)), np.ones((2, 3))]), ShapeError, "array 1"),
    (lambda: fnp.linalg.tensorinv(np.ones((2, 3))), ShapeError, "one size"),
    (lambda: fnp.linalg.outer(np.eye(2), np.ones(2)), ShapeError, "two vectors"),
    (lambda: fnp.linalg.cross(np.ones(2), np.ones(2)), ShapeError, "length 3"),
    (lambda: sl.solve(np.eye(2), np.ones(2), assume_a="x"), ArgumentError, "assume_a"),
    (lambda: sl.qr(np.eye(2), pivoting=True), ArgumentError, "pivoting"),
    (lambda: sl.hadamard(3), ShapeError, "power of two"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_errors_say_what_to_do(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
