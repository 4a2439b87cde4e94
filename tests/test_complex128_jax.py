"""Derivatives of functions of complex128, to second order, in both modes, under vmap and jit: as
JAX has them in double precision. The single ops are tested so in tests/test_ops.py."""

import functape as ft

# isort: split
import numpy as np
import pytest

from functape import numpy as fnp
from functape.autograd import gradcheck, gradgradcheck
from functape.errors import AnomalyError
from functape.test_util import check_grads

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
W = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
X = RNG.normal(size=(3, 3))

# Real functions of a complex matrix z and a real one, x.
REAL = {
    "modulus": lambda np, z, x: np.sum(np.abs(z) ** 3),
    "angles": lambda np, z, x: np.sum(np.angle(z) * x),
    "parts": lambda np, z, x: np.sum(np.real(z) * np.imag(np.exp(z)) * x),
    "products": lambda np, z, x: np.real(np.prod(z @ (x + 1j))),
    "branches": lambda np, z, x: np.sum(np.abs(np.where(x > 0, np.sqrt(z), z * z)) ** 2),
    "quotients": lambda np, z, x: np.sum(np.real(np.conj(z) / (z * z + 2 + x))),
    "powers": lambda np, z, x: np.sum(np.abs(z ** (1.5 + 0.5j) + x ** 2 * 1j)),
    "inverses": lambda np, z, x: np.sum(np.real(np.arctan(z) * np.arcsinh(z * x))),
    "indices": lambda np, z, x: np.sum(np.abs(z[::-1, 1:] * z[:, [0, 2]]) ** 2 * x[0, 0]),
    "joined": lambda np, z, x: np.real(np.sum(np.cumsum(np.concatenate([z, x]), 0) ** 2)),
    "waves": lambda np, z, x: np.sum(np.abs(np.fft.fft(np.tanh(z)) * np.fft.fft(x)) ** 2),
    "matrices": lambda np, z, x: np.real(np.linalg.det(z) + np.sum(np.linalg.inv(z) * x)),
}


def agree(got, want, tolerance=1e-10):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, tolerance, tolerance * np.abs(want).max(initial=1.0))


def both(oracle, name):
    """The function with functape and with JAX."""
    f = REAL[name]
    return (lambda z, x: f(fnp, z, x)), (lambda z, x: f(oracle.numpy, z, x))


@pytest.mark.parametrize("name", REAL)
def test_first_and_second_derivatives(name, oracle):
    """Both gradients, and the tangent of both: forward over reverse."""
    ours, theirs = both(oracle, name)
    got = ft.jvp(ft.grad(ours, (0, 1)), (Z, X), (W, X + 1))
    want = oracle.jvp(oracle.grad(theirs, (0, 1)), (Z, X), (W, X + 1))
    for a, b in zip(ft.tree.leaves(got), oracle.tree.leaves(want), strict=True):
        agree(a, b)


@pytest.mark.parametrize("name", REAL)
def test_reverse_over_reverse_under_vmap(name):
    """The same second derivatives in other ways, of each of two points; no oracle but ourselves."""
    def f(z, x):
        return REAL[name](fnp, z, x)

    def second(z, x):
        return ft.grad(lambda z: fnp.real(fnp.sum(ft.grad(f)(z, x) * W)))(z)

    z, x = np.stack([Z, 0.5 * W]), np.stack([X, 1 - X])
    one_by_one = [np.asarray(second(a, b)) for a, b in zip(z, x, strict=True)]
    agree(ft.vmap(second)(fnp.asarray(z), fnp.asarray(x)), np.stack(one_by_one))
    forward = ft.jvp(lambda z: f(z, X), (Z,), (W,))[1]
    agree(forward, np.real(np.sum(np.asarray(ft.grad(f)(Z, X)) * W)))


HOLOMORPHIC = {
    "elementary": lambda np, z: np.exp(z) * np.sin(z) / (2 + np.cosh(z)),
    "roots": lambda np, z: np.sqrt(1 + z * z) + np.log(3 + z),
    "matrix": lambda np, z: np.outer(z, z) @ (z * 1j),
    "running": lambda np, z: np.cumprod(z) - np.cumsum(z[::-1]),
}


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_holomorphic_matrices_of_derivatives(name, oracle):
    def ours(z):
        return HOLOMORPHIC[name](fnp, z)

    def theirs(z):
        return HOLOMORPHIC[name](oracle.numpy, z)

    z = Z[0]
    want = oracle.jacfwd(theirs, holomorphic=True)(z)
    agree(ft.jacfwd(ours, holomorphic=True)(z), want)
    agree(ft.jacrev(ours, holomorphic=True)(z), want)
    agree(ft.hessian(lambda z: fnp.sum(ours(z)), holomorphic=True)(z),
          oracle.hessian(lambda z: oracle.numpy.sum(theirs(z)), holomorphic=True)(z))


def test_control_flow(oracle):
    def ours(lax, np):
        def f(z):
            carry, rows = lax.scan(lambda c, a: (c * a + 1j, np.abs(c)), z[0], z)
            last = lax.cond(np.real(carry) > 0, lambda a: a * a, lambda a: a, carry)
            return np.sum(rows) + np.abs(lax.fori_loop(0, 3, lambda i, a: a * (1 + 2j), last))

        return f

    z = Z[0]
    agree(ft.grad(ours(ft.lax, fnp))(z), oracle.grad(ours(oracle.lax, oracle.numpy))(z))


# --- the eager face -------------------------------------------------------------------------------


def test_backward_adds_up():
    w = ft.tensor(Z, requires_grad=True)
    y = w * w
    y.retain_grad()
    for k in (1, 2):
        fnp.real(y.sum()).backward(retain_graph=True)
        agree(w.grad, 2 * k * Z)
    agree(y.grad, np.full_like(Z, 2))
    (g,) = ft.autograd.grad((fnp.abs(w) ** 2).sum(), w, create_graph=True)
    agree(g.detach(), 2 * Z.conj())
    (fnp.abs(g) ** 2).sum().backward()
    agree(w.grad, 4 * Z + 8 * Z.conj())


def test_gradients_of_mixed_precision_have_the_dtypes_of_the_leaves():
    leaves = [ft.tensor(Z.astype(d) if d[0] == "c" else X.astype(d), requires_grad=True)
              for d in ("complex128", "complex64", "float64", "float32")]
    a, b, c, d = leaves
    fnp.abs(a * b * c + d).sum().backward()
    assert [x.grad.dtype for x in leaves] == [x.dtype for x in leaves]
    whole = [ft.tensor(np.asarray(x.detach()).astype(complex), requires_grad=True) for x in leaves]
    a, b, c, d = whole
    fnp.abs(a * b * c + d).sum().backward()
    for x, y in zip(leaves, whole, strict=True):
        want = np.asarray(y.grad)
        want = want if fnp.issubdtype(x.dtype, fnp.complexfloating) else want.real
        np.testing.assert_allclose(np.asarray(x.grad), want, 1e-6)


def test_hooks_checkpoints_and_saved_values():
    def loss(w, f=lambda w: fnp.exp(w) * w):
        return fnp.real(f(w)).sum()

    want = np.asarray(ft.grad(loss)(Z))
    w = ft.tensor(Z, requires_grad=True)
    loss(w, lambda w: ft.checkpoint(lambda a: fnp.exp(a) * a)(w)).backward()
    agree(w.grad, want)
    w.grad = None
    with ft.autograd.graph.saved_tensors_hooks(lambda t: np.asarray(t.detach()), fnp.asarray):
        y = loss(w)
    w.register_hook(lambda g: g * 2j)
    y.backward()
    agree(w.grad, 2j * want)


def test_the_testers_know_it():
    w = ft.tensor(Z[0], requires_grad=True)
    f = lambda z: fnp.exp(z) * fnp.conj(z)  # noqa: E731
    assert gradcheck(f, w, check_batched_grad=True, check_forward_ad=True) and gradgradcheck(f, w)
    check_grads(f, (Z[0],), order=2)
    with pytest.raises(AssertionError, match="differs from"):
        check_grads(ft.custom_gradient(lambda z: (z * z, lambda g: (g * z,))), (Z[0],), 1, "rev")


def test_anomalies_are_found():
    w = ft.tensor(np.array([0j, 1]), requires_grad=True)
    said = pytest.raises(AnomalyError, match="1 nan of 2 element.*complex128")
    with said, ft.autograd.detect_anomaly():
        fnp.real(fnp.log(w)).sum().backward()
    text = ft.debug.statistics("z", fnp.asarray(np.array([3 + 4j, complex(np.inf, np.nan), 0])))
    assert text.startswith("z complex128[3], moduli: from 0 to inf")
    assert text.endswith("1 nan, 1 inf")


# --- jit's border ---------------------------------------------------------------------------------


def test_a_compiled_gradient():
    """Of few operations: on a CPU, MLX calls a C++ compiler for each run of them."""
    f = ft.grad(lambda z: fnp.sum(fnp.real(fnp.tan(z) @ z)))
    agree(ft.jit(f)(fnp.asarray(Z)), f(Z))


def test_jit_tells_pairs_from_arrays():
    calls = []

    @ft.jit
    def f(tree):
        calls.append(1)
        return {"sum": tree["a"] + tree["b"], "real": fnp.real(tree["a"])}

    z, x = fnp.asarray(Z), fnp.asarray(X)
    for a, b in ((z, z), (z, x), (x, z), (x, x), (z, z), (x, z)):
        out = f({"a": a, "b": b})
        agree(out["sum"], np.asarray(a) + np.asarray(b))
        agree(out["real"], np.asarray(a).real)
    assert len(calls) == 4


def test_what_goes_in_comes_out_where_it_can():
    """There is no mx.array of complex128: such results are tensors."""
    import mlx.core as mx

    x = mx.array([1.0, 2.0], dtype=mx.float64)
    for transform in (ft.jit, lambda f: lambda x: ft.vjp(f, x)[0], ft.vmap):
        z, r = transform(lambda x: (x * 1j, x * 2))(x)
        assert (type(z), type(r)) == (ft.Tensor, mx.array)
        agree(z, np.array([1j, 2j]))
    assert type(ft.grad(lambda x: fnp.abs(x * 1j).sum())(x)) is mx.array
