"""What the array API's tests share: draws of dtypes, shapes and arrays, and the comparison.

NumPy, which follows the standard itself, is the reference for values and shapes; the dtypes follow
from the standard's own rules, stated here.
"""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import functape.numpy as fnp

INTEGERS = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL_FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATS = REAL_FLOATS + COMPLEX
WHOLE = INTEGERS + UNSIGNED
REAL = WHOLE + REAL_FLOATS
NUMERIC = REAL + COMPLEX
ALL = ("bool", *NUMERIC)
KINDS = {"bool": ("bool",), "whole": WHOLE, "bits": ("bool", *WHOLE), "real": REAL,
         "real_floats": REAL_FLOATS, "floats": FLOATS, "complex": COMPLEX, "numeric": NUMERIC,
         "all": ALL}

few = settings(max_examples=25, deadline=None)
"""Settings for tests with one function each; the many dtypes and shapes come together."""

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
full_shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)


def arrays(dtypes, shape=shapes, **bounds):
    """NumPy arrays of one of these dtypes, large numbers left out that overflow when squared."""
    return st.sampled_from(dtypes).flatmap(
        lambda d: hnp.arrays(d, shape, elements=elements(d, **bounds)))


def elements(dtype, low=None, high=None, finite=False):
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return st.booleans()
    if kind.kind in "iu":
        root = int(np.iinfo(kind).max ** 0.5)
        least = 0 if kind.kind == "u" else -root
        return st.integers(least if low is None else max(low, least),
                           root if high is None else min(high, root))
    if kind.kind == "c":
        part = elements("float32", low, high, finite)
        return st.builds(complex, part, part)
    width = 8 * kind.itemsize
    special = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 3.5, float("inf"), float("-inf"),
                               float("nan")])
    plain = st.floats(-100 if low is None else low, 100 if high is None else high, width=width,
                      allow_subnormal=False)
    return plain if finite or low is not None or high is not None else plain | special


def pairs(dtypes):
    """Two dtypes that promote to each other by the standard: of one kind, or both integers but
    not uint64 with a signed one, or real and complex floating point."""
    return st.sampled_from([(a, b) for a in dtypes for b in dtypes if promoted(a, b)])


def promoted(a, b):
    """The standard's result dtype of two dtypes; None where it leaves that open."""
    kinds = {np.dtype(a).kind, np.dtype(b).kind}
    alike = len(kinds) == 1 or kinds in ({"i", "u"}, {"f", "c"})
    if not alike or {"uint64"} < {a, b} and "i" in kinds:
        return None
    return np.result_type(a, b).name


def two_arrays(dtypes, **bounds):
    """Two NumPy arrays whose shapes broadcast and whose dtypes promote."""

    def draw(dtypes_and_shapes):
        (a, b), found = dtypes_and_shapes
        x, y = found.input_shapes
        return st.tuples(hnp.arrays(a, x, elements=elements(a, **bounds)),
                         hnp.arrays(b, y, elements=elements(b, **bounds)))

    both = hnp.mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_dims=4, max_side=4)
    return st.tuples(pairs(dtypes), both).flatmap(draw)


def given_to_us(x):
    """A functape array of a NumPy array, dtype kept."""
    return fnp.asarray(x, dtype=getattr(fnp, x.dtype.name))


def name_of(dtype):
    return str(dtype).removeprefix("mlx.core.").removesuffix("_")


def agree(out, want, dtype=None, rtol=1e-4, atol=1e-6):
    """Shape, dtype and values; NaN where NumPy has NaN, and the signs of zeros left out."""
    want = np.asarray(want)
    assert out.shape == want.shape, (out.shape, want.shape)
    assert name_of(out.dtype) == (want.dtype.name if dtype is None else dtype)
    np.testing.assert_allclose(np.asarray(out), want.astype(np.asarray(out).dtype), rtol, atol)


def axes(ndim):
    """None, an axis, or a tuple of distinct axes."""
    if not ndim:
        return st.none()
    return (st.none() | st.integers(-ndim, ndim - 1) | hnp.valid_tuple_axes(ndim))


def total_dtype(dtype):
    """The dtype of a sum: at least the default of its kind, int32 or uint32, by the standard."""
    kind = np.dtype(dtype)
    if kind.kind in "iu" and kind.itemsize < 4:
        return "int32" if kind.kind == "i" else "uint32"
    return kind.name
