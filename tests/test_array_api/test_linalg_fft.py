"""The array API's linear algebra and Fourier transforms: every dtype, stacks, empty stacks."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from array_api_draws import (
    COMPLEX,
    FLOATS,
    NUMERIC,
    REAL,
    REAL_FLOATS,
    agree,
    arrays,
    axes,
    elements,
    few,
    given_to_us,
    name_of,
    pairs,
    total_dtype,
)
from hypothesis import given
from hypothesis import strategies as st

import functape.numpy as fnp

linalg, fft = fnp.linalg, fnp.fft
REAL_OF = {"complex64": "float32", "complex128": "float64"}
COMPLEX_OF = {real: dtype for dtype, real in REAL_OF.items()}
stacks = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=2)
sides = st.integers(1, 4)


@st.composite
def matrices(draw, dtypes=FLOATS, square=False):
    rows = draw(sides)
    columns = rows if square else draw(sides)
    return draw(arrays(dtypes, st.just((*draw(stacks), rows, columns)), low=-3, high=3))


@st.composite
def regular(draw, dtypes=FLOATS):
    x = draw(matrices(dtypes, square=True))
    return (x + 20 * np.eye(x.shape[-1])).astype(x.dtype)


def real_of(dtype):
    return REAL_OF.get(dtype.name, dtype.name)


def close(out, want, dtype):
    agree(out, want, dtype, rtol=1e-2, atol=1e-2)


@few
@given(regular(), st.booleans())
def test_cholesky(x, upper):
    x = (x @ np.conj(np.swapaxes(x, -1, -2))).astype(x.dtype)
    out = linalg.cholesky(given_to_us(x), upper=upper)
    close(out, np.linalg.cholesky(x, upper=upper), x.dtype.name)
    agree(out, np.asarray((fnp.triu if upper else fnp.tril)(out)))


@few
@given(regular(), st.data())
def test_inverses(x, data):
    dtype = x.dtype.name
    close(linalg.inv(given_to_us(x)), np.linalg.inv(x), dtype)
    close(linalg.det(given_to_us(x)) / 20.0 ** x.shape[-1], np.linalg.det(x) / 20.0 ** x.shape[-1],
          dtype)
    sign, size = linalg.slogdet(given_to_us(x))
    want = np.linalg.slogdet(x)
    close(sign, want.sign, dtype)
    close(size, want.logabsdet, real_of(x.dtype))
    y = data.draw(arrays([dtype], st.just((x.shape[-1],)), low=-3, high=3))
    close(linalg.solve(given_to_us(x), given_to_us(y)), np.linalg.inv(x) @ y, dtype)
    y = data.draw(arrays([dtype], st.just((*x.shape[:-1], 2)), low=-3, high=3))
    close(linalg.solve(given_to_us(x), given_to_us(y)), np.linalg.inv(x) @ y, dtype)


@few
@given(matrices(), st.booleans())
def test_svd(x, full):
    dtype, k = x.dtype.name, min(x.shape[-2:])
    out = linalg.svd(given_to_us(x), full_matrices=full)
    assert out._fields == ("U", "S", "Vh")
    agree(out.U[..., :k] * out.S[..., None, :] @ out.Vh[..., :k, :], x, dtype, 1e-2, 1e-2)
    want = np.linalg.svd(x, full_matrices=full)
    assert out.U.shape == want.U.shape and out.Vh.shape == want.Vh.shape
    close(out.S, want.S, real_of(x.dtype))
    close(linalg.svdvals(given_to_us(x)), want.S, real_of(x.dtype))


@few
@given(matrices(), st.sampled_from(["reduced", "complete"]))
def test_qr(x, mode):
    out, want = linalg.qr(given_to_us(x), mode=mode), np.linalg.qr(x, mode)
    assert out._fields == ("Q", "R")
    assert out.Q.shape == want.Q.shape and out.R.shape == want.R.shape
    agree(out.Q @ out.R, x, x.dtype.name, 1e-2, 1e-2)
    eye = np.broadcast_to(np.eye(out.Q.shape[-1]), (*x.shape[:-2], *(out.Q.shape[-1],) * 2))
    agree(fnp.conj(out.Q.mT) @ out.Q, eye, x.dtype.name, 1e-2, 1e-2)
    agree(out.R, np.asarray(fnp.triu(out.R)), rtol=0, atol=0)


@few
@given(matrices(square=True))
def test_eigh(x):
    x = x + np.conj(np.swapaxes(x, -1, -2))
    out = linalg.eigh(given_to_us(x))
    assert out._fields == ("eigenvalues", "eigenvectors")
    close(out.eigenvalues, np.linalg.eigvalsh(x), real_of(x.dtype))
    close(linalg.eigvalsh(given_to_us(x)), np.linalg.eigvalsh(x), real_of(x.dtype))
    agree(given_to_us(x) @ out.eigenvectors,
          np.asarray(out.eigenvectors * out.eigenvalues[..., None, :]), x.dtype.name, 2e-2, 2e-2)


@few
@given(matrices(), st.sampled_from(["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")]),
       st.booleans())
def test_matrix_norm(x, order, keep):
    want = np.linalg.matrix_norm(x, ord=order, keepdims=keep) if x.size else np.zeros(
        (*x.shape[:-2], 1, 1) if keep else x.shape[:-2])
    close(linalg.matrix_norm(given_to_us(x), ord=order, keepdims=keep), want, real_of(x.dtype))


@few
@given(arrays(FLOATS, low=-3, high=3), st.data(), st.booleans(),
       st.sampled_from([0, 0.5, 1, 2, 3, float("inf"), -float("inf"), -1]))
def test_vector_norm(x, data, keep, order):
    axis = data.draw(axes(x.ndim))
    x = np.where(abs(x) < 0.1, 1, x).astype(x.dtype)
    if x.size:
        want = np.linalg.vector_norm(x, axis=axis, keepdims=keep, ord=order)
        close(linalg.vector_norm(given_to_us(x), axis=axis, keepdims=keep, ord=order), want,
              real_of(x.dtype))


@few
@given(matrices(), st.data())
def test_rank_and_pseudo_inverse(x, data):
    agree(linalg.matrix_rank(given_to_us(x)) * 0, np.zeros(x.shape[:-2]), "int32")
    for rtol in (0.3, data.draw(hnp.arrays("float32", x.shape[:-2], elements=st.floats(
            0.125, 0.5, width=32)))):
        ours = rtol if isinstance(rtol, float) else given_to_us(rtol)
        close(linalg.pinv(given_to_us(x), rtol=ours), np.linalg.pinv(x, rtol=rtol), x.dtype.name)
        assert linalg.matrix_rank(given_to_us(x), rtol=ours).shape == x.shape[:-2]


@few
@given(regular(), st.integers(-3, 4))
def test_matrix_power(x, n):
    x = (x / 20).astype(x.dtype)
    close(linalg.matrix_power(given_to_us(x), n), np.linalg.matrix_power(x, n), x.dtype.name)


@few
@given(matrices(NUMERIC), st.integers(-5, 5), st.data())
def test_diagonal_and_trace(x, offset, data):
    agree(linalg.diagonal(given_to_us(x), offset=offset), np.linalg.diagonal(x, offset=offset))
    dtype = total_dtype(x.dtype)
    close(linalg.trace(given_to_us(x), offset=offset),
          np.linalg.trace(x, offset=offset, dtype=dtype), dtype)
    close(linalg.trace(given_to_us(x), offset=offset, dtype=getattr(fnp, x.dtype.name)),
          np.linalg.trace(x, offset=offset, dtype=x.dtype), x.dtype.name)


@st.composite
def two(draw, first, second, dtypes=NUMERIC):
    a, b = draw(pairs(dtypes))
    return (draw(arrays([a], st.just(first), low=-3, high=3)),
            draw(arrays([b], st.just(second), low=-3, high=3)))


@few
@given(st.data())
def test_matmul(data):
    n, k, m = (data.draw(st.integers(0, 3)) for _ in range(3))
    broad = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=2))
    a, b = broad.input_shapes
    for first, second in (((n,), (n,)), ((n,), (*b, n, m)), ((*a, n, k), (k,)),
                          ((*a, n, k), (*b, k, m))):
        x, y = data.draw(two(first, second))
        close(fnp.matmul(given_to_us(x), given_to_us(y)), np.matmul(x, y),
              np.result_type(x, y).name)
        close(given_to_us(x) @ given_to_us(y), np.matmul(x, y), np.result_type(x, y).name)
    for first, second in (((), ()), ((2,), ()), ((2,), (3,)), ((2, 3), (2, 3)), ((2,), (3, 2))):
        with pytest.raises(ValueError):
            fnp.matmul(fnp.ones(first), fnp.ones(second))


@few
@given(st.data())
def test_other_products(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3))
    axis = data.draw(st.integers(-len(shape), -1))
    x, y = data.draw(two(shape, shape))
    dtype = np.result_type(x, y).name
    close(fnp.vecdot(given_to_us(x), given_to_us(y), axis=axis), np.vecdot(x, y, axis=axis), dtype)
    close(fnp.tensordot(given_to_us(x), given_to_us(y), axes=len(shape)),
          np.tensordot(x, y, len(shape)), dtype)
    close(fnp.tensordot(given_to_us(x), given_to_us(y), axes=((axis,), (axis,))),
          np.tensordot(x, y, ((axis,), (axis,))), dtype)
    close(fnp.tensordot(given_to_us(x), given_to_us(y), axes=0), np.tensordot(x, y, 0), dtype)
    x, y = data.draw(two((data.draw(st.integers(0, 3)),), (data.draw(st.integers(0, 3)),)))
    agree(linalg.outer(given_to_us(x), given_to_us(y)), np.linalg.outer(x, y),
          np.result_type(x, y).name)
    three = list(shape)
    three[axis] = 3
    x, y = data.draw(two(tuple(three), tuple(three)))
    agree(linalg.cross(given_to_us(x), given_to_us(y), axis=axis),
          np.linalg.cross(x, y, axis=axis), np.result_type(x, y).name, 1e-2, 1e-2)
    with pytest.raises(ValueError):
        linalg.cross(fnp.ones((2, 4)), fnp.ones((2, 4)))


# --- Fourier transforms ---------------------------------------------------------------------------

waves = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)


def dtype_of(x, is_real):
    """Of a transform: of the precision of x."""
    return (REAL_OF if is_real else COMPLEX_OF).get(x.dtype.name, x.dtype.name)


@pytest.mark.parametrize("name, dtypes", [
    ("fft", COMPLEX), ("ifft", COMPLEX), ("rfft", REAL_FLOATS), ("irfft", COMPLEX),
    ("hfft", COMPLEX), ("ihfft", REAL_FLOATS)])
@few
@given(st.data())
def test_along_one_axis(name, dtypes, data):
    x = data.draw(arrays(dtypes, waves, low=-3, high=3))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = data.draw(st.integers(2 if name in ("irfft", "hfft") else 1, 9) | st.none())
    if name in ("irfft", "hfft") and n is None and x.shape[axis] == 1:
        n = 3
    norm = data.draw(st.sampled_from(["backward", "ortho", "forward"]))
    want = getattr(np.fft, name)(x, n=n, axis=axis, norm=norm)
    close(getattr(fft, name)(given_to_us(x), n=n, axis=axis, norm=norm), want,
          dtype_of(x, name in ("irfft", "hfft")))


@pytest.mark.parametrize("name, dtypes", [
    ("fftn", COMPLEX), ("ifftn", COMPLEX), ("rfftn", REAL_FLOATS), ("irfftn", COMPLEX)])
@few
@given(st.data())
def test_along_several_axes(name, dtypes, data):
    x = data.draw(arrays(dtypes, waves, low=-3, high=3))
    chosen = data.draw(st.none() | st.permutations(range(x.ndim)))
    lengths = [x.shape[i] for i in (range(x.ndim) if chosen is None else chosen)]
    s = data.draw(st.tuples(*[st.integers(max(n // 2, 1), 2 * n) for n in lengths]) | st.none())
    if chosen is None:
        s = None
    if name == "irfftn" and (s or lengths)[-1] == 1:
        chosen, s = list(range(x.ndim)), (*x.shape[:-1], 4)
    norm = data.draw(st.sampled_from(["backward", "ortho", "forward"]))
    want = getattr(np.fft, name)(x, s=s, axes=chosen, norm=norm)
    close(getattr(fft, name)(given_to_us(x), s=s, axes=chosen, norm=norm), want,
          dtype_of(x, name == "irfftn"))


@few
@given(arrays(FLOATS, waves), st.data(), st.integers(1, 20), elements("float32", 0.125, 5))
def test_frequencies_and_shifts(x, data, n, d):
    chosen = data.draw(st.none() | st.permutations(range(x.ndim)))
    for name in ("fftshift", "ifftshift"):
        agree(getattr(fft, name)(given_to_us(x), axes=chosen), getattr(np.fft, name)(x, chosen))
    for name in ("fftfreq", "rfftfreq"):
        agree(getattr(fft, name)(n, d=d), getattr(np.fft, name)(n, d), "float32")
        assert name_of(getattr(fft, name)(n, dtype=fnp.float64).dtype) == "float64"


def test_the_dtypes_of_products_of_reals():
    for dtype in REAL:
        x = fnp.ones((2, 2), dtype=getattr(fnp, dtype))
        assert name_of((x @ x).dtype) == name_of(fnp.vecdot(x, x).dtype) == dtype
