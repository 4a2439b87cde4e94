"""functape.lax's operations against jax.lax's: one row each, checked under all transforms."""

import functape as ft

# isort: split
import numpy as np
import pytest
from agreement import agree, close

from functape.errors import ArgumentError

rng = np.random.default_rng(0)


def real(*shape):
    return rng.normal(size=shape)


def apart(*shape):
    """Numbers that differ from each other and from integers by a good margin."""
    return rng.permutation(np.arange(np.prod(shape)) * 0.7 + 0.3).reshape(shape) - 1.0


# A row: how to call it, given lax and numpy of either library; the arguments.
DIFFERENTIABLE = {
    "rem": (lambda lax, np: lax.rem, np.array([7.3, -7.3]), np.array([2.1, 2.1])),
    "clamp": (lambda lax, np: lambda x: lax.clamp(-0.5, x, 0.5), apart(5)),
    "round": (lambda lax, np: lambda x: x * lax.round(x), apart(5)),
    "select": (lambda lax, np: lambda x, y: lax.select(x > 0, x * x, y), real(4), real(4)),
    "select_n": (lambda lax, np: lambda x, y: lax.select_n(x > 0, x * x, y), real(4), real(4)),
    "pad": (lambda lax, np: lambda x, v: lax.pad(x, v, [(1, 2, 1), (-1, 0, 0), (0, -1, 2)]),
            real(2, 3, 3), real()),
    "dot_general": (lambda lax, np: lambda x, y: lax.dot_general(
        x, y, (((3, 1), (0, 2)), ((0,), (3,)))), real(2, 3, 4, 5), real(5, 2, 3, 2)),
    "dynamic_slice": (lambda lax, np: lambda x: lax.dynamic_slice(
        x, (np.asarray(1), np.asarray(7)), (2, 3)), real(4, 5)),
    "dynamic_slice_by_value": (lambda lax, np: lambda x: lax.dynamic_slice_in_dim(
        x, np.argmax(x), 2), np.array([0.1, 0.9, 0.3, -0.4])),
    "dynamic_index": (lambda lax, np: lambda x: lax.dynamic_index_in_dim(
        x, np.asarray(-1), 1, keepdims=False), real(2, 3)),
    "dynamic_update_slice": (lambda lax, np: lambda x, y: lax.dynamic_update_slice(
        x, y, (0, 2)), real(3, 4), real(2, 3)),
    "dynamic_update_by_value": (lambda lax, np: lambda x, y: lax.dynamic_update_slice_in_dim(
        x, y, np.argmax(x), axis=0), np.array([0.1, 0.9, 0.3, -0.4]), real(2)),
    "dynamic_update_index": (lambda lax, np: lambda x, y: lax.dynamic_update_index_in_dim(
        x, y, np.asarray(1), axis=1), real(2, 3), real(2)),
    "reduce": (lambda lax, np: lambda x: lax.reduce(x, np.asarray(0.0), lax.add, (0, 1)),
               real(2, 3, 2)),
    "pool_max": (lambda lax, np: lambda x: lax.reduce_window(
        x, -np.inf, lax.max, (2, 2), (2, 1), "SAME"), apart(3, 4)),
    "pool_sum": (lambda lax, np: lambda x: lax.reduce_window(
        x, 0.0, lax.add, (2,), (2,), [(1, 2)], (2,), (3,)), real(7)),
    "cummax": (lambda lax, np: lambda x: lax.cummax(x, 0), apart(5)),
    "cumlogsumexp": (lambda lax, np: lambda x: lax.cumlogsumexp(x, 0), real(5)),
    "sort_by_key": (lambda lax, np: lambda k, v: lax.sort_key_val(k, v)[1] * 2.0, apart(4),
                    real(4)),
    "sort_by_two": (lambda lax, np: lambda k, v: lax.sort(
        (np.round(k), v), num_keys=2)[1], real(6), apart(6)),
    "top_k": (lambda lax, np: lambda x: lax.top_k(x, 2)[0], apart(2, 5)),
}

# Made of operations that are tested elsewhere: the value tells all.
MADE_OF_OTHERS = {
    "integer_pow": (lambda lax, np: lambda x: lax.integer_pow(x, 3), real(4)),
    "div": (lambda lax, np: lax.div, real(4), real(4) + 3),
    "rsqrt": (lambda lax, np: lax.rsqrt, np.array([0.5, 2.0])),
    "logistic": (lambda lax, np: lax.logistic, real(4)),
    "reshape": (lambda lax, np: lambda x: lax.reshape(x, (3, 2), (1, 0)), real(2, 3)),
    "broadcast": (lambda lax, np: lambda x: lax.broadcast(x, (2, 3)), real(4)),
    "broadcast_in_dim": (lambda lax, np: lambda x: lax.broadcast_in_dim(x, (2, 4, 3), (0, 2)),
                         real(2, 1)),
    "broadcast_to_rank": (lambda lax, np: lambda x: lax.broadcast_to_rank(x, 3), real(2)),
    "broadcast_like": (lambda lax, np: lambda x: lax.broadcast_like(x, np.ones((3, 2))), real(2)),
    "expand_dims": (lambda lax, np: lambda x: lax.expand_dims(x, (0, 2)), real(3)),
    "squeeze": (lambda lax, np: lambda x: lax.squeeze(x, (0, 2)), real(1, 3, 1)),
    "collapse": (lambda lax, np: lambda x: lax.collapse(x, 1, 3), real(2, 3, 4)),
    "collapse_to_end": (lambda lax, np: lambda x: lax.collapse(x, 1), real(2, 3, 4)),
    "rev": (lambda lax, np: lambda x: lax.rev(x, (0, 1)), real(2, 3)),
    "tile": (lambda lax, np: lambda x: lax.tile(x, (2, 3)), real(2, 3)),
    "transpose": (lambda lax, np: lambda x: lax.transpose(x, (2, 0, 1)), real(2, 3, 4)),
    "concatenate": (lambda lax, np: lambda x, y: lax.concatenate([x, y], 1), real(2, 1),
                    real(2, 3)),
    "split": (lambda lax, np: lambda x: lax.split(x, (1, 2), 1)[1], real(2, 3)),
    "slice": (lambda lax, np: lambda x: lax.slice(x, (1, 0), (4, 3), (2, 1)), real(5, 4)),
    "slice_in_dim": (lambda lax, np: lambda x: lax.slice_in_dim(x, 1, -1, 2, axis=1), real(2, 6)),
    "index_in_dim": (lambda lax, np: lambda x: lax.index_in_dim(x, -2, 1, keepdims=False),
                     real(2, 3)),
    "dot": (lambda lax, np: lax.dot, real(2, 3), real(3)),
    "outer": (lambda lax, np: lambda x, y: lax.dot_general(x, y, (((), ()), ((), ()))), real(2),
              real(3)),
    "batch_matmul": (lambda lax, np: lax.batch_matmul, real(2, 3, 4), real(2, 4, 2)),
    "reduce_sum": (lambda lax, np: lambda x: lax.reduce_sum(x, (0, 2)), real(2, 3, 2)),
    "reduce_prod": (lambda lax, np: lambda x: lax.reduce_prod(x, (0,)), real(3, 2)),
    "reduce_max": (lambda lax, np: lambda x: lax.reduce_max(x, (1,)), apart(2, 3)),
    "reduce_min": (lambda lax, np: lambda x: lax.reduce_min(x, (1,)), apart(2, 3)),
    "cumsum": (lambda lax, np: lambda x: lax.cumsum(x, 1, reverse=True), real(2, 3)),
    "cumprod": (lambda lax, np: lambda x: lax.cumprod(x, 0), real(3, 2)),
    "cummin": (lambda lax, np: lambda x: lax.cummin(x, 1, reverse=True), apart(2, 4)),
    "sort": (lambda lax, np: lax.sort, apart(2, 5)),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_with_all_derivatives(name, oracle):
    make, *args = DIFFERENTIABLE[name]
    agree(oracle, make(ft.lax, ft.numpy), make(oracle.lax, oracle.numpy), *args)


@pytest.mark.parametrize("name", MADE_OF_OTHERS)
def test_value(name, oracle):
    make, *args = MADE_OF_OTHERS[name]
    got = make(ft.lax, ft.numpy)(*map(ft.numpy.asarray, args))
    close(got, make(oracle.lax, oracle.numpy)(*map(oracle.numpy.asarray, args)), 1e-12)


FLOATS = np.array([1.2, 1.125, 1.375, -1.75, 2.0**-14, 1.99999 * 2.0**-15, 2.0**-15, 6.1e4, 5.7e4,
                   1e6, 3e-39, 1e300, np.nan, np.inf, -0.0, -1e-9, 0.3, 3.4e38])


@pytest.mark.parametrize("bits", [(5, 2), (5, 10), (8, 7), (8, 0), (2, 3), (1, 2), (11, 52),
                                  (12, 60), (4, 40)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_reduce_precision(bits, dtype, oracle):
    with np.errstate(over="ignore"):
        theirs = oracle.numpy.asarray(FLOATS).astype(dtype)
    wanted = oracle.lax.reduce_precision(theirs, *bits)
    x = ft.numpy.asarray(np.asarray(theirs.astype("float64"))).astype(dtype)
    found = ft.lax.reduce_precision(x, *bits)
    assert found.dtype == x.dtype
    found, wanted = (np.asarray(a.astype("float64")) for a in (found, wanted))
    kept = np.abs(wanted) > 1e-37  # MLX and XLA differ in what they flush to 0
    np.testing.assert_array_equal(found[kept | (FLOATS == 0)], wanted[kept | (FLOATS == 0)])


def test_reduce_precision_under_transforms(oracle):
    x = np.array([1.2, 0.3, -1e6, 7.7])
    for m in ft, oracle:
        np.testing.assert_array_equal(
            m.vmap(m.grad(lambda x, m=m: 1.1 * m.lax.reduce_precision(x, 5, 2)))(x),
            np.full(4, 1.0))  # a cotangent is held in the format too
    value, slope = ft.jvp(lambda x: ft.lax.reduce_precision(x, 5, 2), (x,), (0.3 * x,))
    want = oracle.jvp(lambda x: oracle.lax.reduce_precision(x, 5, 2), (x,), (0.3 * x,))
    np.testing.assert_array_equal(value, want[0])
    np.testing.assert_array_equal(slope, want[1])
    close(ft.hessian(lambda x: ft.lax.reduce_precision(x, 5, 2).sum())(x), np.zeros((4, 4)))
    for wrong, match in (((1j, 5, 2), "takes floating-point"), ((1.0, 0, 2), "exponent_bits must"),
                         ((1.0, 5, -1), "mantissa_bits must"), ((1, 5, 2), "takes floating-point")):
        with pytest.raises(ArgumentError, match=match):
            ft.lax.reduce_precision(*wrong)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                                   "uint64"])
def test_clz(dtype, oracle):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 2, 3, 100, info.max, info.max // 2, info.min], dtype)
    found, wanted = ft.lax.clz(x), oracle.lax.clz(x)
    assert str(found.dtype).endswith(dtype)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(ft.jit(ft.vmap(ft.lax.clz))(x), wanted)
    with pytest.raises(ArgumentError, match="clz takes integers, but got float32"):
        ft.lax.clz(1.0)


VALUES = {
    "div": lambda m: m.lax.div(m.numpy.array([-7, 7, -7]), m.numpy.array([2, 2, -2])),
    "rem": lambda m: m.lax.rem(m.numpy.array([-7, 7, -7]), m.numpy.array([2, 2, -2])),
    "round": lambda m: m.lax.round(m.numpy.array([0.5, -1.5, 2.4])),
    "round_even": lambda m: m.lax.round(m.numpy.array([0.5, -1.5, 2.5]), m.lax.RoundingMethod(1)),
    "complex": lambda m: m.lax.complex(m.numpy.array([1.0]), m.numpy.array([2.0])),
    "select_n": lambda m: m.lax.select_n(m.numpy.array([2, 0, 1]), *[
        m.numpy.full(3, float(k)) for k in range(3)]),
    "iota": lambda m: m.lax.iota(m.numpy.float32, 4),
    "broadcasted_iota": lambda m: m.lax.broadcasted_iota(m.numpy.int32, (2, 3), 1),
    "full": lambda m: m.lax.full((2, 3), 7.0),
    "full_like": lambda m: m.lax.full_like(m.numpy.ones(3), 2.0, shape=(2,)),
    "convert": lambda m: m.lax.convert_element_type(m.numpy.array([1.7, -1.7]), m.numpy.int32),
    "bits": lambda m: m.lax.bitcast_convert_type(
        m.numpy.array([1.5], dtype="float32"), m.numpy.int32),
    "shift_left": lambda m: m.lax.shift_left(m.numpy.array([3, -3]), m.numpy.array([1, 2])),
    "shift_arithmetic": lambda m: m.lax.shift_right_arithmetic(
        m.numpy.array([8, -8], dtype="int32"), m.numpy.array([1, 2], dtype="int32")),
    "shift_logical": lambda m: m.lax.shift_right_logical(
        m.numpy.array([8, -8], dtype="int32"), m.numpy.array([1, 2], dtype="int32")),
    "argmax": lambda m: m.lax.argmax(m.numpy.array([[1.0, 3.0], [2.0, 0.0]]), 1, "int32"),
    "argmin": lambda m: m.lax.argmin(m.numpy.array([[1.0, 3.0], [2.0, 0.0]]), 0, "int32"),
    "reduce_and": lambda m: m.lax.reduce_and(m.numpy.array([[True, False], [True, True]]), (1,)),
    "reduce_or": lambda m: m.lax.reduce_or(m.numpy.array([[True, False], [False] * 2]), (1,)),
    "reduce_xor": lambda m: m.lax.reduce_xor(m.numpy.array([[True, True], [True, False]]), (1,)),
    "reduce_two": lambda m: m.lax.reduce(
        (m.numpy.arange(6.0).reshape(3, 2), m.numpy.arange(6).reshape(3, 2)),
        (m.numpy.asarray(-1.0), m.numpy.asarray(0)),
        lambda a, b: (m.numpy.maximum(a[0], b[0]), a[1] + b[1]), (0,)),
    "top_k": lambda m: m.lax.top_k(m.numpy.array([[1.0, 5.0, 3.0]]), 2)[1],
    "population_count": lambda m: m.lax.population_count(m.numpy.array([0, 7, -1], "int16")),
    "eq": lambda m: m.lax.eq(m.numpy.arange(3), m.numpy.array([0, 2, 2])),
    "empty_slice": lambda m: m.lax.dynamic_slice(m.numpy.ones((2, 3)), (1, 1), (0, 2)),
    "negative_start": lambda m: m.lax.dynamic_slice(m.numpy.arange(5), (-2,), (2,)),
    "scalar_update": lambda m: m.lax.dynamic_update_slice(m.numpy.ones(()), m.numpy.zeros(()), ()),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name, oracle):
    got, want = VALUES[name](ft), VALUES[name](oracle)
    if isinstance(want, list):
        want = tuple(want)
    close(got, want)
    for a, b in zip(ft.tree.leaves(got), oracle.tree.leaves(want), strict=True):
        kinds = np.asarray(a).dtype.kind, np.asarray(b).dtype.kind
        assert kinds[0] == kinds[1]


@pytest.mark.parametrize("compiled", [False, True])
def test_unknown_starts_under_vmap_and_jit(compiled):
    """Each example has its own start, and its own update."""
    x, y, i = map(ft.numpy.asarray, (real(3, 4, 5), real(3, 2, 2), [[0, 1], [2, 3], [9, -9]]))

    def cut(x, i):
        return ft.lax.dynamic_slice(x, (i[0], i[1]), (2, 2))

    def put(x, y, i):
        return ft.lax.dynamic_update_slice(x, y, (i[0], i[1]))

    change = ft.jit if compiled else lambda f: f
    for f, args in ((cut, (x, i)), (put, (x, y, i))):
        rows = [f(*row) for row in zip(*args, strict=True)]
        close(change(ft.vmap(f))(*args), ft.numpy.stack(rows))


ERRORS = {
    "block too large": (lambda: ft.lax.dynamic_slice(ft.numpy.ones(3), (0,), (4,)), "fit"),
    "starts": (lambda: ft.lax.dynamic_slice(ft.numpy.ones(3), (0, 1), (2,)), "one index for each"),
    "dimensions": (lambda: ft.lax.broadcast_in_dim(ft.numpy.ones(3), (3, 2), (1,)), "rising order"),
    "dot axes": (lambda: ft.lax.dot_general(ft.numpy.ones(3), ft.numpy.ones(2),
                                            (((0,), (0,)), ((), ()))), "equal lengths"),
    "limits": (lambda: ft.lax.slice(ft.numpy.ones(3), (0,), (4,)), "start <= limit"),
    "sizes": (lambda: ft.lax.split(ft.numpy.ones(3), (1, 1)), "must sum"),
    "padding": (lambda: ft.lax.pad(ft.numpy.ones(3), 0.0, []), "padding_config"),
    "window": (lambda: ft.lax.reduce_window(ft.numpy.ones(3), 0.0, ft.lax.add, (2,),
                                            padding="HALF"), "VALID"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, text = ERRORS[name]
    with pytest.raises((ValueError, TypeError), match=text):
        call()


X, Y, UNIT = np.array([1.3, 2.6]), np.array([1.7, 3.2]), np.array([0.2, 0.7])
SPECIAL = {
    "lgamma": (X,), "digamma": (X,), "erfc": (X,), "bessel_i0e": (X,), "bessel_i1e": (X,),
    "igamma": (X, Y), "igammac": (X, Y), "zeta": (X, Y), "betainc": (X, Y, UNIT),
    "polygamma": (np.array([1.0, 2.0]), X),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_have_jax_s_names(name, oracle):
    got, want = (np.asarray(getattr(lib.lax, name)(*SPECIAL[name])) for lib in (ft, oracle))
    np.testing.assert_allclose(got, want, rtol=1e-9)
