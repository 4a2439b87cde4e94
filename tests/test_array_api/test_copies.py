"""Copies: made where they are asked for, and by default where the standard says so."""

import numpy as np
import pytest

import functape.numpy as fnp

DTYPES = ["bool", "int8", "uint64", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, at", [((3,), 1), ((2, 3), (1, -1)), ((), ())])
@pytest.mark.parametrize("make, copied", [
    (lambda x: fnp.asarray(x, copy=True), True), (lambda x: fnp.asarray(x, copy=False), False),
    (fnp.asarray, False), (lambda x: fnp.astype(x, x.dtype), True),
    (lambda x: x.astype(x.dtype), True), (lambda x: fnp.astype(x, x.dtype, copy=True), True),
    (lambda x: fnp.astype(x, x.dtype, copy=False), False),
    (lambda x: fnp.from_dlpack(x, copy=True), True),
    (lambda x: fnp.reshape(x, x.shape, copy=True), True),
    (lambda x: fnp.reshape(x, x.shape, copy=False), False)])
def test_a_copy_keeps_its_elements(make, copied, shape, at, dtype):
    x = fnp.zeros(shape, dtype=dtype)
    try:
        y = make(x)
    except BufferError as error:
        assert dtype == "complex128" and "DLPack cannot describe" in str(error)
        return
    assert y.dtype == x.dtype and y.shape == shape
    x[at] = 1
    assert y[at] == (0 if copied else 1)


def test_a_conversion_is_a_copy():
    with pytest.raises(ValueError, match="float32.2. cannot become int32.*Leave `copy` out"):
        fnp.asarray(fnp.ones(2), dtype=fnp.int32, copy=False)
    assert np.asarray(fnp.asarray(fnp.ones(2), dtype=fnp.int32)).dtype == np.int32


def test_another_shape_is_a_copy():
    x = fnp.zeros((2, 3))
    for options in {"shape": (3, 2)}, {"shape": -1}, {"shape": (2, 3), "order": "F"}:
        with pytest.raises(ValueError, match=r"reshape: float32\[2,3\] cannot get .*copy=False"):
            fnp.reshape(x, copy=False, **options)
    with pytest.raises(ValueError, match="do not fill"):
        fnp.reshape(x, (4, 2), copy=False)
