"""Names and signatures of the array API standard 2024.12. Arguments before `/` are positional, so
their names are free; those after `*` are keywords; others have both the name and the place."""

import inspect

import pytest

import functape.numpy as fnp

NAMESPACE = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing='xy')
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
astype(x, dtype, /, *, copy=True, device=None)
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(*arrays_and_dtypes)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
matmul(x1, x2, /)
matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
broadcast_arrays(*arrays)
broadcast_to(x, /, shape)
concat(arrays, /, *, axis=0)
expand_dims(x, /, *, axis=0)
flip(x, /, *, axis=None)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
tile(x, repetitions, /)
unstack(x, /, *, axis=0)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
count_nonzero(x, /, *, axis=None, keepdims=False)
nonzero(x, /)
searchsorted(x1, x2, /, *, side='left', sorter=None)
where(condition, x1, x2, /)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
argsort(x, /, *, axis=-1, descending=False, stable=True)
sort(x, /, *, axis=-1, descending=False, stable=True)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
clip(x, /, min=None, max=None)
__array_namespace_info__()
linalg.cholesky(x, /, *, upper=False)
linalg.cross(x1, x2, /, *, axis=-1)
linalg.det(x, /)
linalg.diagonal(x, /, *, offset=0)
linalg.eigh(x, /)
linalg.eigvalsh(x, /)
linalg.inv(x, /)
linalg.matmul(x1, x2, /)
linalg.matrix_norm(x, /, *, keepdims=False, ord='fro')
linalg.matrix_power(x, n, /)
linalg.matrix_rank(x, /, *, rtol=None)
linalg.matrix_transpose(x, /)
linalg.outer(x1, x2, /)
linalg.pinv(x, /, *, rtol=None)
linalg.qr(x, /, *, mode='reduced')
linalg.slogdet(x, /)
linalg.solve(x1, x2, /)
linalg.svd(x, /, *, full_matrices=True)
linalg.svdvals(x, /)
linalg.tensordot(x1, x2, /, *, axes=2)
linalg.trace(x, /, *, offset=0, dtype=None)
linalg.vecdot(x1, x2, /, *, axis=-1)
linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
fft.fft(x, /, *, n=None, axis=-1, norm='backward')
fft.ifft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftn(x, /, *, s=None, axes=None, norm='backward')
fft.ifftn(x, /, *, s=None, axes=None, norm='backward')
fft.rfft(x, /, *, n=None, axis=-1, norm='backward')
fft.irfft(x, /, *, n=None, axis=-1, norm='backward')
fft.rfftn(x, /, *, s=None, axes=None, norm='backward')
fft.irfftn(x, /, *, s=None, axes=None, norm='backward')
fft.hfft(x, /, *, n=None, axis=-1, norm='backward')
fft.ihfft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftfreq(n, /, *, d=1.0, dtype=None, device=None)
fft.rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
fft.fftshift(x, /, *, axes=None)
fft.ifftshift(x, /, *, axes=None)
"""
UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor
imag isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round
sign signbit sin sinh square sqrt tan tanh trunc"""
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp
logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder
subtract"""
METHODS = """
__abs__()
__array_namespace__(*, api_version=None)
__bool__()
__complex__()
__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)
__dlpack_device__()
__float__()
__getitem__(key, /)
__index__()
__int__()
__invert__()
__neg__()
__pos__()
__setitem__(key, value, /)
to_device(device, /, *, stream=None)
"""
OPERATORS = "add and eq floordiv ge gt le lshift lt matmul mod mul ne or pow rshift sub truediv xor"

FUNCTIONS = ([line for line in NAMESPACE.split("\n") if line]
             + [f"{n}(x, /)" for n in UNARY.split()] + [f"{n}(x1, x2, /)" for n in BINARY.split()])
OF_ARRAYS = ([line for line in METHODS.split("\n") if line]
             + [f"__{n}__(other, /)" for n in OPERATORS.split()])


def stated(text):
    """The signature that a line states."""
    scope = {}
    exec(f"def f{text[text.index('('):]}: pass", scope)  # noqa: S102
    return inspect.signature(scope["f"]).parameters.values()


def conforms(ours, line):
    params = list(ours.parameters.values())
    for i, want in enumerate(stated(line)):
        if want.kind is want.KEYWORD_ONLY:
            found = ours.parameters[want.name]
            assert found.kind in (found.KEYWORD_ONLY, found.POSITIONAL_OR_KEYWORD)
        else:
            found = params[i]
            if want.kind is want.VAR_POSITIONAL:
                assert found.kind is found.VAR_POSITIONAL
                continue
            assert found.kind in (found.POSITIONAL_ONLY, found.POSITIONAL_OR_KEYWORD)
            if want.kind is want.POSITIONAL_OR_KEYWORD:
                assert found.name == want.name and found.kind is want.kind
        if want.default is not want.empty:
            assert found.default is not found.empty
    known = {p.name for p in stated(line)} | {p.name for p in params[:len(stated(line))]}
    for p in params:
        if p.name not in known and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
            assert p.default is not p.empty


@pytest.mark.parametrize("line", FUNCTIONS)
def test_functions(line):
    found = fnp
    for part in line[:line.index("(")].split("."):
        found = getattr(found, part)
    conforms(inspect.signature(found), line)


@pytest.mark.parametrize("line", OF_ARRAYS)
def test_methods(line):
    method = getattr(fnp.ones((1, 1)), line[:line.index("(")])
    conforms(inspect.signature(method), line)


def test_attributes():
    x = fnp.ones((2, 2))
    for name in ("dtype", "device", "mT", "ndim", "shape", "size", "T"):
        assert hasattr(x, name)
    for name in ("e", "inf", "nan", "newaxis", "pi", "bool", "__array_api_version__"):
        assert hasattr(fnp, name)
    assert fnp.__array_api_version__ == "2024.12"
