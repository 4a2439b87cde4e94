"""complex128: arrays of two parts beneath the tape. What they are, how they come and go, and that
nothing rounds them unseen."""

import functape as ft

# isort: split
import copy
import pickle

import mlx.core as mx
import numpy as np
import pytest

from functape import numpy as fnp
from functape.errors import ArgumentError, ConcretizationError, GraphError
from functape.op import table
from functape.pairs import Pair
from functape.pairs.table import kernels
from functape.tensor import constant

Z = np.array([[1 + 2j, 3 - 1j, 0.5j], [2, -1j, 4 + 1e-9j]])
X = Z.real + 0.25
HALF = 0.1 + 0.2j  # has more digits than complex64


def is_exactly(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)


def same(got, want, tolerance=1e-14):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, tolerance, tolerance)


# --- dtypes ---------------------------------------------------------------------------------------


def test_the_dtype():
    assert ft.complex128 is fnp.complex128 is fnp.cdouble
    for name in ("complex128", np.complex128, np.dtype("complex128"), fnp.asarray(Z)):
        assert fnp.dtype(name) is ft.complex128
    assert fnp.dtype(complex) == ft.complex64 == fnp.dtype("complex")
    assert ft.complex128 not in (ft.complex64, ft.float64, "complex128", None)
    for again in (pickle.loads(pickle.dumps(ft.complex128)), copy.deepcopy(ft.complex128)):
        assert again is ft.complex128
    assert (ft.complex128.size, str(ft.complex128)) == (16, "complex128")
    assert fnp.asarray(Z).itemsize == 16 and fnp.asarray(Z).nbytes == Z.nbytes


DTYPES = ("bool", "int8", "int64", "uint16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("other", DTYPES)
def test_promotion_is_that_of_numpy(other):
    """Of dtypes and of arrays, in both orders; integers stay apart, which JAX leaves small."""
    ours = ft.complex128
    assert fnp.promote_types(ours, other) is fnp.promote_types(other, ours) is ours
    a, b = fnp.asarray(Z), fnp.zeros(3, dtype=other)
    for f in (fnp.add, fnp.multiply, fnp.divide, fnp.power, lambda x, y: x - y):
        assert f(a, b).dtype is f(b, a).dtype is ours
    assert fnp.concatenate([b, a[0]]).dtype is ours
    assert fnp.can_cast(other, ours) and fnp.can_cast(ours, other) is (other == "complex128")


@pytest.mark.parametrize("f", [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y,
    lambda x, y: y ** x, lambda x, y: fnp.where(x > 1, x, y), lambda x, y: x @ y.T,
    lambda x, y: fnp.concatenate([x, y]), lambda x, y: fnp.einsum("ij,kj->ik", x, y),
    lambda x, y: fnp.stack([x, y]), lambda x, y: fnp.dot(x, y.T)])
def test_float64_and_complex64_make_complex128(f):
    """MLX makes complex64 of them."""
    z = Z.astype(np.complex64)
    got = f(fnp.asarray(X), fnp.asarray(z))
    assert got.dtype is ft.complex128
    same(got, f(fnp.asarray(X.astype(np.complex128)), fnp.asarray(z.astype(np.complex128))))


def test_float64_and_complex64_are_compared_as_they_are():
    x, z = np.array([0.1, 0.5]), np.array([0.1, 0.5], np.complex64)
    is_exactly(fnp.asarray(x) == fnp.asarray(z), np.array([False, True]))
    is_exactly(fnp.asarray(z) != fnp.asarray(x), np.array([True, False]))
    is_exactly(fnp.asarray(x) == 0.1 + 0j, np.array([True, False]))


def test_python_numbers_are_weak():
    assert (fnp.asarray(X) * 1j).dtype is ft.complex128 is (1j - fnp.asarray(X)).dtype
    is_exactly(fnp.asarray(X) * HALF, X * HALF)
    assert (fnp.asarray(Z) + 1).dtype is (fnp.asarray(Z) * 1j).dtype is ft.complex128
    is_exactly(fnp.asarray(Z) + HALF, Z + HALF)
    assert (fnp.ones(2) * 1j).dtype == (fnp.asarray([1j]) * 2j).dtype == ft.complex64
    for number in (1j, [1j, 2.0], np.complex128(1j)):
        assert fnp.asarray(number).dtype == ft.complex64
    is_exactly(fnp.asarray(HALF, dtype=ft.complex128), np.array(HALF))
    is_exactly(fnp.asarray([HALF, 0.1], dtype="complex128"), np.array([HALF, 0.1]))
    assert fnp.result_type(ft.float64, 1j) is ft.complex128
    assert fnp.result_type(ft.float32, 1j) == fnp.result_type(ft.complex64, 1j) == ft.complex64


def test_float64_inside_jit_and_of_mlx_is_seen():
    """Also where MLX's own array is the first float64 that functape meets."""
    z = mx.array([1j, 2.0])
    for x in (mx.array([1.0, 2.0], dtype=mx.float64), constant(mx.zeros(2, mx.float64))):
        assert ft.jit(lambda x, z: x * z)(x, z).dtype is ft.complex128
        assert ft.vjp(lambda x, z: x * z, x, z)[0].dtype is ft.complex128


# --- coming and going -----------------------------------------------------------------------------


@pytest.mark.parametrize("a", [
    Z, np.array(1j), np.zeros((0, 2), complex), Z.T, Z[::-1, ::2], Z.astype(">c16"),
    np.array([complex(np.inf, -0.0), complex(np.nan, 1)])])
def test_numpy_arrays_keep_their_type(a):
    x = fnp.asarray(a)
    assert x.dtype is ft.complex128 and x.shape == a.shape
    for b in (np.asarray(x), pickle.loads(pickle.dumps(x)), copy.deepcopy(x), ft.tensor(a)):
        is_exactly(b, a.astype(complex))
    assert str(x.tolist()) == str(a.tolist())
    assert np.array_equal(np.signbit(np.asarray(x).imag), np.signbit(a.imag))


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(dtype):
    """The imaginary part goes, as NumPy has it; a complex number is true unless both are 0."""
    z = np.array([1.5 + 2j, 0, 2j, -0.0])
    is_exactly(fnp.asarray(z).astype(dtype), z.astype(dtype))
    is_exactly(fnp.asarray(z.astype(dtype)).astype(ft.complex128), z.astype(dtype).astype(complex))


def test_items_and_formats():
    x = fnp.asarray(Z)
    assert x[0, 0].item() == complex(x[0, 0]) == 1 + 2j and bool(x[0, 0]) and not bool(x[0, 0] * 0)
    assert f"{x[0, 0]:.1f}" == "1.0+2.0j"
    assert repr(x[0]) == "tensor([1.+2.j , 3.-1.j , 0.+0.5j], dtype=complex128)"
    for plain in (float, int):
        with pytest.raises(ArgumentError, match="real number.*complex128"):
            plain(x[0, 0])
    with pytest.raises(ConcretizationError, match="vmap"):
        ft.vmap(bool)(x[0])


def test_creation():
    is_exactly(fnp.zeros(2, dtype=ft.complex128), np.zeros(2, complex))
    is_exactly(fnp.ones((2, 0), dtype="complex128"), np.ones((2, 0), complex))
    is_exactly(fnp.full((2,), HALF, dtype=ft.complex128), np.full(2, HALF))
    is_exactly(fnp.full_like(fnp.asarray(Z), HALF), np.full_like(Z, HALF))
    is_exactly(fnp.eye(2, 3, 1, dtype=ft.complex128), np.eye(2, 3, 1, complex))
    is_exactly(fnp.tri(2, dtype=ft.complex128), np.tri(2, dtype=complex))
    is_exactly(fnp.arange(3, dtype=ft.complex128), np.arange(3, dtype=complex))
    same(fnp.linspace(0, HALF, 5, dtype=ft.complex128), np.linspace(0, HALF, 5))
    is_exactly(ft.lax.iota(ft.complex128, 3), np.arange(3, dtype=complex))
    for x in (fnp.empty_like(fnp.asarray(Z)), ft.zeros_like(fnp.asarray(Z)),
              ft.randn(2, 3, dtype="complex128"),
              ft.random.normal(ft.random.key(0), (2, 3), ft.complex128)):
        assert x.dtype is ft.complex128 and x.shape == Z.shape
    is_exactly(fnp.asarray([fnp.asarray(Z[0]), Z[1]]), Z)


def test_dlpack_is_for_functape_only():
    """MLX would read it as complex64."""
    x = fnp.asarray(Z)
    is_exactly(fnp.from_dlpack(x), Z)
    with pytest.raises(GraphError, match="requires grad.*detach"):
        fnp.from_dlpack(ft.tensor(Z, requires_grad=True))
    with pytest.raises(BufferError, match="two of float64.*Hand over numpy.asarray"):
        np.from_dlpack(x)
    with pytest.raises(ArgumentError, match="drop its gradient"):
        mx.array([1.0, 2.0, 3.0]) * x


def test_in_place():
    x, a = ft.tensor(Z), Z.copy()
    alias = x.detach()
    x += 1
    x[0] = HALF
    x[1, 1:] *= 1j
    x.mul_(2)
    a += 1
    a[0] = HALF
    a[1, 1:] *= 1j
    is_exactly(x, a * 2)
    is_exactly(alias, a * 2)
    with pytest.raises(ArgumentError, match="keep the kind of numbers.*float64"):
        ft.tensor(X).add_(1j)


def test_files(tmp_path):
    path = tmp_path / "z.npy"
    fnp.save(path, fnp.asarray(Z))
    is_exactly(fnp.load(path), Z)


# --- what there is no kernel for ------------------------------------------------------------------


def test_every_kernel_of_mlx_refuses_a_pair():
    """Or the op's own would run in place of that of complex128."""
    pair = fnp.asarray(Z).array
    assert type(pair) is Pair
    for name, op in table.items():
        if name in kernels():
            with pytest.raises((TypeError, ValueError, AttributeError, RuntimeError, LookupError)):
                op.kernel(*[pair] * len(op.args))


@pytest.mark.parametrize("f, name", [
    (fnp.floor, "floor"), (lambda x: fnp.hypot(x, x), "hypot"), (ft.nn.relu, "relu"),
    (fnp.sinc, "sinc"), (lambda x: fnp.remainder(x, 2), "remainder"),
    (lambda x: fnp.bitwise_and(x, x), "bitwise_and")])
def test_an_op_without_a_kernel_says_so(f, name):
    x = fnp.asarray(Z)
    with pytest.raises(ArgumentError, match=rf"{name}\(complex128.*no kernel for complex128. Take"):
        f(x)
    is_exactly(x, Z)


def test_mlx_code_says_that_there_is_no_complex128():
    with pytest.raises(ArgumentError, match="MLX has no complex128. Write it with functape's"):
        ft.mlx.lift(mx.exp)(fnp.asarray(Z))
    with pytest.raises(ArgumentError, match="rules are MLX's.*two leaves"):
        ft.optim.SGD([ft.tensor(Z, requires_grad=True)], 0.1)
    with pytest.raises(ArgumentError, match="no order. Use clip_grad_norm_"):
        w = ft.tensor(Z, requires_grad=True)
        w.grad = ft.tensor(Z)
        ft.optim.clip_grad_value_(w, 1.0)
    norm = ft.optim.clip_grad_norm_(w, 1.0)
    np.testing.assert_allclose(float(norm), np.linalg.norm(Z), 1e-6)
    np.testing.assert_allclose(np.asarray(w.grad), Z / np.linalg.norm(Z), 1e-6)


def test_unmodified_mlx_code():
    x = fnp.asarray(Z)
    with ft.mlx.dispatch():
        is_exactly(mx.exp(x), np.asarray(fnp.exp(x)))
        is_exactly(mx.array([1.0, 2.0, 3.0]) * x, Z * [1, 2, 3])
        assert mx.zeros_like(x).dtype is mx.result_type(x, x) is ft.complex128
