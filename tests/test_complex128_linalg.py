"""Linear algebra of complex128: values against NumPy and SciPy, derivatives against JAX."""

import functape as ft

# isort: split
import numpy as np
import pytest
import scipy.linalg

import functape.scipy.linalg as sl
from functape import numpy as fnp
from functape import tree
from functape.errors import ArgumentError
from functape.numpy import linalg

RNG = np.random.default_rng(12)


def cplx(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def positive(*shape):
    a = cplx(*shape)
    return a @ adjoint(a) + np.eye(shape[-1])


def agree(got, want, tolerance=1e-12):
    """In value, shape and dtype, relative to the largest element."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, 0, tolerance * np.abs(want).max(initial=1e-300))


def orthonormal(q):
    np.testing.assert_allclose(adjoint(q) @ q - np.eye(q.shape[-1]), 0, atol=1e-14)


# --- values ---------------------------------------------------------------------------------------

BATCHES = pytest.mark.parametrize("batch", [(), (2, 3), (0,)])
SQUARE = {
    "matmul": (lambda a, b: a @ b, lambda a, b: a @ b),
    "real times": (lambda a, b: a.real @ b, lambda a, b: a.real @ b),
    "solve": (linalg.solve, np.linalg.solve),
    "solve real": (lambda a, b: linalg.solve(a.real, b), lambda a, b: np.linalg.solve(a.real, b)),
    "solve for real": (lambda a, b: linalg.solve(a, b.real),
                       lambda a, b: np.linalg.solve(a, b.real)),
    "inv": (lambda a, b: linalg.inv(a), lambda a, b: np.linalg.inv(a)),
    "det": (lambda a, b: linalg.det(a), lambda a, b: np.linalg.det(a)),
    "slogdet": (lambda a, b: linalg.slogdet(a), lambda a, b: tuple(np.linalg.slogdet(a))),
    "pinv": (lambda a, b: linalg.pinv(a), lambda a, b: np.linalg.pinv(a)),
    "cholesky": (lambda a, b: linalg.cholesky(a @ fnp.conj(a.mT) + fnp.eye(a.shape[-1])),
                 lambda a, b: np.linalg.cholesky(a @ adjoint(a) + np.eye(a.shape[-1]))),
    "qr": (lambda a, b: linalg.qr(a), lambda a, b: tuple(np.linalg.qr(a))),
    "eigvalsh": (lambda a, b: linalg.eigvalsh(a),
                 lambda a, b: np.linalg.eigvalsh((a + adjoint(a)) / 2)),
    "svdvals": (lambda a, b: linalg.svdvals(a), lambda a, b: np.linalg.svdvals(a)),
    "matrix_power": (lambda a, b: linalg.matrix_power(a, -3),
                     lambda a, b: np.linalg.matrix_power(a, -3)),
    "norm": (lambda a, b: linalg.norm(a, "nuc", axis=(-2, -1)),
             lambda a, b: np.linalg.norm(a, "nuc", axis=(-2, -1))),
    "lower": (lambda a, b: sl.solve_triangular(a, b, lower=True),
              lambda a, b: np.linalg.solve(np.tril(a), b)),
    "upper, adjoint": (lambda a, b: sl.solve_triangular(a, b, 2),
                       lambda a, b: np.linalg.solve(adjoint(np.triu(a)), b)),
    "unit": (lambda a, b: sl.solve_triangular(a, b, 1, unit_diagonal=True),
             lambda a, b: np.linalg.solve(
                 np.swapaxes(np.triu(a, 1), -1, -2) + np.eye(a.shape[-1]), b)),
    "einsum": (lambda a, b: fnp.einsum("...ij,...kj->...ik", a, a),
               lambda a, b: np.einsum("...ij,...kj->...ik", a, a)),
    "tensordot": (lambda a, b: fnp.tensordot(a, b, ((-2,), (-2,))),
                  lambda a, b: np.tensordot(a, b, ((-2,), (-2,)))),
}


@BATCHES
@pytest.mark.parametrize("name", SQUARE)
def test_square_matrices(name, batch):
    ours, theirs = SQUARE[name]
    for n in (1, 2, 7):
        a, b = 0.2 * cplx(*batch, n, n) + np.diag(1j ** np.arange(n) * 2), cplx(*batch, n, 2)
        found, want = ours(fnp.array(a), fnp.array(b)), theirs(a, b)
        for x, y in zip(tree.leaves(found), tree.leaves(want), strict=True):
            agree(x, y)


SHAPES = [(3, 5), (5, 3), (6, 1), (1, 4), (5, 5), (4, 0), (0, 3)]


@BATCHES
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_of_any_shape(shape, batch):
    """Factors that are what they should be, and whose product is the matrix."""
    a, (m, n) = cplx(*batch, *shape), shape
    k = min(m, n)
    for full in (False, True):
        u, s, vh = map(np.asarray, linalg.svd(fnp.array(a), full))
        assert (u.shape[-1], vh.shape[-2]) == ((m, n) if full else (k, k))
        orthonormal(u)
        orthonormal(adjoint(vh))
        agree(s, np.linalg.svdvals(a))
        agree((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a)
        q, r = map(np.asarray, linalg.qr(fnp.array(a), "complete" if full else "reduced"))
        agree(q @ r, a)
        orthonormal(q)
        agree(r, np.triu(r), 0)
    p, low, up = map(np.asarray, sl.lu(fnp.array(a)))
    agree(p @ low @ up, a)
    agree(low, np.tril(low, -1) + np.eye(m, k), 0)
    agree(up, np.triu(up), 0)
    assert p.dtype == np.float64
    assert np.abs(low).max(initial=0) < 1.5  # of what LAPACK calls the largest, |re| + |im|


@pytest.mark.parametrize("n", [1, 2, 3, 8, 31])
def test_hermitian_eigenvectors_are_those_of_lapack(n):
    a = cplx(n, n)
    w, v = linalg.eigh(fnp.array(a))
    want_w, want_v = np.linalg.eigh((a + adjoint(a)) / 2)
    agree(w, want_w)
    agree(v, want_v)


def test_repeated_eigenvalues():
    """Of a projection, of multiples of the identity, and of what is block diagonal already."""
    q = np.linalg.qr(cplx(6, 6))[0]
    for w in ([0, 0, 0, 1, 1, 1], [2] * 6, [-1, 0, 0, 0, 1e-9, 1]):
        for basis in (q, np.eye(6)):
            a = (basis * np.array(w, float)) @ adjoint(basis)
            a = (a + adjoint(a)) / 2
            found, v = map(np.asarray, linalg.eigh(fnp.array(a)))
            np.testing.assert_allclose(found, sorted(w), 0, 1e-14)
            orthonormal(v)
            np.testing.assert_allclose((v * found) @ adjoint(v), a, 0, 1e-14)
            u, s, vh = map(np.asarray, linalg.svd(fnp.array(a)))
            np.testing.assert_allclose((u * s) @ vh, a, 0, 1e-14)
            orthonormal(u)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_huge_and_tiny_numbers(size):
    a = cplx(4, 3)
    q, r = map(np.asarray, linalg.qr(fnp.array(a * size)))
    agree(q @ (r / size), a)
    u, s, vh = map(np.asarray, linalg.svd(fnp.array(a * size), False))
    agree((u * (s / size)) @ vh, a)
    w, v = map(np.asarray, linalg.eigh(fnp.array(a[:3] * size)))
    agree(w / size, np.linalg.eigvalsh((a[:3] + adjoint(a[:3])) / 2))
    p, low, up = map(np.asarray, sl.lu(fnp.array(a * size)))
    agree(p @ low @ (up / size), a)


def test_eigenvalues_of_any_matrix():
    """In LAPACK's order, which is NumPy's; of real matrices too, which become complex."""
    a = cplx(2, 4, 4)
    for x in (a, a.real):
        w, v = map(np.asarray, linalg.eig(fnp.array(x)))
        agree(w, np.linalg.eigvals(x).astype(complex))
        agree(x @ v, v * w[..., None, :])
        agree(linalg.eigvals(fnp.array(x)), w)


def test_singular_matrices():
    ones = fnp.ones((2, 2), dtype=ft.complex128)
    assert np.isnan(np.asarray(linalg.inv(ones))).all()
    assert np.isnan(np.asarray(sl.solve_triangular(fnp.triu(ones - fnp.eye(2)), ones))).any()
    assert complex(linalg.det(ones)) == 0
    phase, size = linalg.slogdet(ones)
    assert (complex(phase), float(size)) == (0, -np.inf)
    assert np.isnan(np.asarray(linalg.cholesky(-ones))).all()
    agree(linalg.pinv(ones), np.full((2, 2), 0.25 + 0j))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_matrix_that_is_not_finite_leaves_the_rest_of_its_batch_alone(bad, dtype):
    a = np.stack([np.eye(3), np.diag([1, 2, 3])]).astype(dtype)
    a[0, 0, 1] = bad
    x = fnp.array(a)
    for f in (linalg.inv, linalg.det, linalg.cholesky, linalg.eigh, linalg.eigvalsh, linalg.eig,
              linalg.eigvals, linalg.svd, linalg.svdvals, linalg.pinv, sl.expm):
        for out in tree.leaves(f(x)):
            first, second = np.asarray(out)
            assert np.isnan(first).any()
            assert np.isfinite(second).all()


def test_lu_solve_and_expm():
    a, b = cplx(5, 5), cplx(5, 2)
    packed = sl.lu_factor(fnp.array(a))
    want, pivots = scipy.linalg.lu_factor(a)
    agree(packed[0], want)
    np.testing.assert_array_equal(packed[1], pivots)
    agree(sl.lu_factor(a.astype(np.complex64))[0], want.astype(np.complex64), 1e-5)
    for trans in (0, 1, 2):
        agree(sl.lu_solve(packed, fnp.array(b), trans),
              scipy.linalg.lu_solve((want, pivots), b, trans))
    for size in (0.1, 3.0, 20.0):
        agree(sl.expm(fnp.array(size * a)), scipy.linalg.expm(size * a), 1e-11)


# --- derivatives ----------------------------------------------------------------------------------

A, B, S, TALL = 0.4 * cplx(3, 3) + np.diag([1, 2j, -3]), cplx(3, 2), positive(3, 3), cplx(4, 3)


def projection(np, v):
    return v[:, :1] @ np.conj(v[:, :1].T)


DERIVATIVES = {
    "matmul": (lambda np, sl, a, b: a @ b, A, B),
    "einsum": (lambda np, sl, a, b: np.einsum("ij,jk,lj->ikl", a, b, a), A, B),
    "inv": (lambda np, sl, a: np.linalg.inv(a), A),
    "solve": (lambda np, sl, a, b: np.linalg.solve(a, b), A, B),
    "solve real": (lambda np, sl, a, b: np.linalg.solve(a, b), A.real.copy(), B),
    "solve_triangular": (lambda np, sl, a, b: sl.solve_triangular(a, b, 2), A, B),
    "det": (lambda np, sl, a: np.linalg.det(a), A),
    "det of four": (lambda np, sl, a: np.linalg.det(a), cplx(4, 4)),
    "slogdet": (lambda np, sl, a: tuple(np.linalg.slogdet(a)), A),
    "pinv": (lambda np, sl, a: np.linalg.pinv(a), TALL),
    "cholesky": (lambda np, sl, a: np.linalg.cholesky(a), S),
    "qr": (lambda np, sl, a: tuple(np.linalg.qr(a)), TALL),
    "lu": (lambda np, sl, a: tuple(sl.lu(a)[1:]), TALL),
    "eigh": (lambda np, sl, a: (np.linalg.eigh(a)[0], projection(np, np.linalg.eigh(a)[1])), A),
    "eigvalsh": (lambda np, sl, a: np.linalg.eigvalsh(a), A),
    "svd": (lambda np, sl, a: projection(np, np.linalg.svd(a, full_matrices=False)[0]), TALL),
    "svdvals": (lambda np, sl, a: np.linalg.svdvals(a), TALL),
    "norm": (lambda np, sl, a: np.linalg.norm(a, "nuc"), TALL),
    "expm": (lambda np, sl, a: sl.expm(a), A),
}


def second_order(f, vjp, weight):
    """The value and the cotangents."""
    def found(*args):
        out, pull = vjp(f, *args)
        return out, pull(weight)

    return found


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_are_those_of_jax(name, oracle):
    """To second order: value, cotangents, and how both move."""
    f, *args = DERIVATIVES[name]
    ours = tuple(map(fnp.array, args))
    weight = tree.map(lambda a: waves(a, np.cos), f(fnp, sl, *ours))
    moves = tuple(waves(a, np.sin) for a in args)
    got = ft.jvp(second_order(lambda *a: f(fnp, sl, *a), ft.vjp, tree.map(fnp.array, weight)),
                 ours, tuple(map(fnp.array, moves)))

    def theirs(args, moves, weight):
        g = second_order(lambda *a: f(oracle.numpy, oracle.scipy.linalg, *a), oracle.vjp, weight)
        return oracle.jvp(g, args, moves)

    want = oracle.jit(theirs)(tuple(args), moves, weight)
    for a, b in zip(tree.leaves(got), tree.leaves(want), strict=True):
        agree(a, b, 1e-11)


def test_derivatives_of_eigenvalues():
    """What eigenvalues and eigenvectors make together is a polynomial of the matrix."""
    def f(a):
        w, v = linalg.eig(a)
        return (v * w**2) @ linalg.inv(v), (linalg.eigvals(a) ** 3).sum()

    def want(a):
        return a @ a, fnp.trace(a @ a @ a)

    a, move = fnp.array(A), fnp.array(waves(A, np.sin))
    weight = tree.map(lambda a: fnp.array(waves(a, np.cos)), want(a))
    found, wanted = (ft.jvp(second_order(g, ft.vjp, weight), (a,), (move,)) for g in (f, want))
    for x, y in zip(tree.leaves(found), tree.leaves(wanted), strict=True):
        agree(x, y, 1e-11)


def waves(a, function):
    """Some numbers in the space of an array."""
    x = np.arange(a.size).reshape(a.shape)
    dtype = np.asarray(a).dtype
    return np.array(function(x) + (1j * function(x + 0.5) if dtype.kind == "c" else 0), dtype)


@pytest.mark.parametrize("name", ["solve", "det of four", "cholesky", "qr", "eigh", "svd", "expm"])
def test_under_vmap(name):
    f, *args = DERIVATIVES[name]

    def size(*args):
        return sum((abs(a) ** 4).sum() for a in tree.leaves(f(fnp, sl, *args)))

    pairs = [fnp.array(np.stack([a, 2 * a])) for a in args]
    want = np.stack([np.asarray(ft.grad(size)(*[a[i] for a in pairs])) for i in range(2)])
    agree(ft.vmap(ft.grad(size))(*pairs), want)


def test_under_jit():
    a, b = fnp.array(A), fnp.array(B)
    agree(ft.jit(linalg.solve)(a, b), np.linalg.solve(A, B))
    with pytest.warns(RuntimeWarning, match="uncompiled"):  # NumPy needs the numbers
        agree(ft.jit(linalg.eigvals)(a), np.linalg.eigvals(A))


def test_gradients_at_repeated_eigenvalues():
    q = np.linalg.qr(cplx(4, 4))[0]
    a = (q * np.array([1.0, 1, 3, 5])) @ adjoint(q)
    g = ft.grad(lambda m: fnp.log(linalg.eigvalsh(m)).sum())(fnp.array(a))
    agree(g, np.conj(np.linalg.inv(a)))
    g = ft.grad(lambda m: (linalg.svd(m)[1] ** 2).sum())(fnp.array(a))
    agree(g, 2 * np.conj(a))


def test_what_has_no_derivative_says_so():
    x = fnp.array(cplx(4, 2))
    with pytest.raises(ft.errors.ShapeError, match="full_matrices=False"):
        ft.grad(lambda a: abs(linalg.svd(a)[0]).sum())(x)
    with pytest.raises(ArgumentError, match="square"):
        linalg.det(x)
