"""A Python number as the argument of a transform takes the dtype of what it meets, as in JAX."""

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import functools

import jax
import numpy
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:jit. line:RuntimeWarning")  # loops to a number

DTYPES = ("bfloat16", "float16", "float32", "float64", "int8", "int32", "uint8")
X = [[1, 2, 3], [4, 5, 6]]


class Namespace:
    """The modules of a library by the names that programs use."""

    def __init__(self, root):
        self.root, self.np, self.lax, self.nn = root, root.numpy, root.lax, root.nn


LIBRARIES = {"functape": Namespace(ft), "jax": Namespace(jax)}

# Functions of an array and a number.
OF_FLOAT = {
    "multiply": lambda m, x, s: x * s,
    "from the left": lambda m, x, s: s - x,
    "a chain of numbers": lambda m, x, s: x + (s * 2 + 1) / 3,
    "a function of the number": lambda m, x, s: x * m.np.exp(-s),
    "power": lambda m, x, s: x ** s,
    "number to the power": lambda m, x, s: s ** x,
    "maximum": lambda m, x, s: m.np.maximum(x, s),
    "clip": lambda m, x, s: m.np.clip(x, s, 2 * s),
    "where": lambda m, x, s: m.np.where(x > 2, x, s),
    "comparison": lambda m, x, s: x > s,
    "isclose": lambda m, x, s: m.np.isclose(x, s),
    "stack": lambda m, x, s: m.np.stack([x[0, 0], s]),
    "full_like": lambda m, x, s: m.np.full_like(x, s),
    "at set": lambda m, x, s: x.at[0].set(s),
    "at add": lambda m, x, s: x.at[1, 1].add(s),
    "at multiply": lambda m, x, s: x.at[:, 1].multiply(s),
    "astype": lambda m, x, s: m.np.asarray(s).astype(x.dtype) * x,
    "sum of products": lambda m, x, s: (s * x).sum(),
    "mean": lambda m, x, s: m.np.mean(x * s, axis=0),
    "matmul": lambda m, x, s: (x * s) @ x.T,
    "hypot": lambda m, x, s: m.np.hypot(x, s),
    "arctan2": lambda m, x, s: m.np.arctan2(s, x),
    "logaddexp": lambda m, x, s: m.np.logaddexp(x, s),
    "nan_to_num": lambda m, x, s: m.np.nan_to_num(x / s),
    "leaky_relu": lambda m, x, s: m.nn.leaky_relu(x, s),
    "elu": lambda m, x, s: m.nn.elu(x, s),
    "inner jit": lambda m, x, s: m.root.jit(lambda a, b: a * b)(x, s),
    "vmap": lambda m, x, s: m.root.vmap(lambda row: row * s)(x),
    "vmap of None": lambda m, x, s: m.root.vmap(lambda row, a: row * a, (0, None))(x, s),
    "checkpoint": lambda m, x, s: m.root.checkpoint(lambda a, b: a * b)(x, s),
    "scan": lambda m, x, s: m.lax.scan(lambda c, row: (c * s, row * c), s, x)[1],
    "carry of the array": lambda m, x, s: m.lax.scan(lambda c, row: (c + row * s, c), x[0] * s, x),
    "fori_loop": lambda m, x, s: m.lax.fori_loop(0, 2, lambda i, v: v * s, x * s),
    "while_loop": lambda m, x, s: m.lax.while_loop(
        lambda v: v[0] < 4, lambda v: (v[0] * 2, v[1] * s), (s, x * s))[1],
    "cond": lambda m, x, s: m.lax.cond(True, lambda a: x * a, lambda a: x + a, s),
    "unknown cond": lambda m, x, s: m.lax.cond(s > 1, lambda a: x * a, lambda a: x + a, s),
    "switch": lambda m, x, s: m.lax.switch(1, [lambda a: x + a, lambda a: x * a], s),
    "map": lambda m, x, s: m.lax.map(lambda row: row * s, x),
    "shape facts": lambda m, x, s: x * s.ndim + s.size * m.np.ndim(s),
}
OF_REAL = {  # differentiated: floating-point arrays only
    "grad": lambda m, x, s: m.root.grad(lambda a: (a * a * s).sum())(x),
    "value_and_grad": lambda m, x, s: m.root.value_and_grad(lambda a: (a * s).sum())(x),
    "vjp": lambda m, x, s: m.root.vjp(lambda a: a * s, x)[1](x * s),
    "jvp": lambda m, x, s: m.root.jvp(lambda a: a * s, (x,), (x * s,)),
    "hessian": lambda m, x, s: m.root.hessian(lambda a: (a ** 3 * s).sum())(x[0]),
    "jacfwd": lambda m, x, s: m.root.jacfwd(lambda a: a * s)(x[0]),
    "grad in scan": lambda m, x, s: m.lax.scan(
        lambda c, row: (c - s * m.root.grad(lambda a: (a * a * row).sum())(c), s), x[0], x)[0],
}
OF_INTEGER = {
    "multiply": lambda m, x, n: x * n,
    "power": lambda m, x, n: x ** n,
    "index": lambda m, x, n: x[n],
    "index of a row": lambda m, x, n: x[:, n],
    "take": lambda m, x, n: m.np.take(x, n),
    "dynamic_slice": lambda m, x, n: m.lax.dynamic_slice(x, (0, n), (2, 1)),
    "dynamic_index_in_dim": lambda m, x, n: m.lax.dynamic_index_in_dim(x, n, 0),
    "at set": lambda m, x, n: x.at[n].set(n),
    "roll": lambda m, x, n: m.np.roll(x, n),
    "remainder": lambda m, x, n: x % n,
    "floor_divide": lambda m, x, n: x // n,
    "fori_loop": lambda m, x, n: m.lax.fori_loop(0, n, lambda i, v: v + n, x),
    "where": lambda m, x, n: m.np.where(x > n, x, n),
    "one_hot": lambda m, x, n: m.nn.one_hot(n, 3, dtype=x.dtype) * x,
    "index from arithmetic": lambda m, x, n: x[(n + 3) % 2],
}

TO_REAL = {  # an integer that becomes a real number
    "plus a real number": lambda m, x, n: x * (n + 0.1),
    "a quotient": lambda m, x, n: x * (n / 3),
    "a quotient of two": lambda m, x, n: x * (n / (n + 2)),
    "a function of it": lambda m, x, n: x * m.np.exp(n),
    "power": lambda m, x, n: x * (n + 1) ** 0.5,
    "rows and a carry": lambda m, x, n: m.lax.scan(lambda c, row: (c / 3, row * c), n, x)[1],
}
CARRIES = {
    "becomes real": lambda m: m.lax.fori_loop(0, 3, lambda i, c: c * 1.5, 1),
    "becomes complex": lambda m: m.lax.fori_loop(0, 3, lambda i, c: (c[0] + 1, c[1] * 1j), (1, 1)),
    "of a scan": lambda m: m.lax.scan(lambda c, _: (c + 1.5, c), 0, None, length=3),
    "of a while_loop": lambda m: m.lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 0.5, c[1] + 1), (0, 1)),
    "with rows": lambda m: m.lax.scan(lambda c, x: (c + x, c / 2), 0, m.np.ones(3)),
}


def array(m, dtype):
    kind = getattr(m.np, dtype)
    return m.np.asarray(X, dtype=kind)


def kind_of(a):
    return str(a.dtype).removeprefix("mlx.core.").rstrip("_")


def expected_kinds(f, dtype, number):
    """The dtypes of JAX's results; its 64 bits by default are functape's 32."""
    m = LIBRARIES["jax"]
    x = jax.ShapeDtypeStruct((2, 3), getattr(m.np, dtype))
    with jax.enable_x64(True):
        kinds = [kind_of(a) for a in jax.tree.leaves(jax.eval_shape(
            lambda x, s: f(m, x, s), x, number))]
    return kinds if dtype == "float64" else [DEFAULTS.get(kind, kind) for kind in kinds]


def results(library, f, dtype, number):
    m = LIBRARIES[library]
    return m.root.tree.leaves(m.root.jit(functools.partial(f, m))(array(m, dtype), number))


def same_values(f, dtype, number):
    with jax.enable_x64(True):
        expected = results("jax", f, dtype, number)
    for ours, theirs in zip(results("functape", f, dtype, number), expected, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(ours), numpy.asarray(theirs), rtol=1e-14,
                                      atol=1e-14)


DEFAULTS = {"float64": "float32", "int64": "int32"}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_FLOAT)
def test_dtypes_beside_a_float(name, dtype):
    if name.startswith("at ") and "int" in dtype:
        pytest.skip("JAX warns: a float does not go into an array of integers")
    found = [kind_of(a) for a in results("functape", OF_FLOAT[name], dtype, 1.1)]
    assert found == expected_kinds(OF_FLOAT[name], dtype, 1.1)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if "float" in d])
@pytest.mark.parametrize("name", OF_REAL)
def test_dtypes_of_derivatives_beside_a_float(name, dtype):
    found = [kind_of(a) for a in results("functape", OF_REAL[name], dtype, 1.1)]
    assert found == expected_kinds(OF_REAL[name], dtype, 1.1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_INTEGER)
def test_dtypes_beside_an_integer(name, dtype):
    found = [kind_of(a) for a in results("functape", OF_INTEGER[name], dtype, 1)]
    assert found == expected_kinds(OF_INTEGER[name], dtype, 1)


@pytest.mark.parametrize("f", [*OF_FLOAT.values(), *OF_REAL.values()],
                         ids=[*OF_FLOAT, *OF_REAL])
def test_nothing_is_rounded_beside_float64(f):
    same_values(f, "float64", 1.1)


@pytest.mark.parametrize("name", OF_INTEGER)
def test_values_beside_an_integer(name):
    same_values(OF_INTEGER[name], "int32", 1)


@pytest.mark.parametrize("name", TO_REAL)
def test_an_integer_that_becomes_real_is_not_rounded(name):
    same_values(TO_REAL[name], "float64", 2)


@pytest.mark.parametrize("name", CARRIES)
def test_a_number_that_is_carried_becomes_what_a_step_makes_of_it(name):
    with jax.enable_x64(False):
        ours, theirs = (m.root.tree.leaves(CARRIES[name](m)) for m in LIBRARIES.values())
    assert [kind_of(a) for a in ours] == [kind_of(a) for a in theirs]
    for a, b in zip(ours, theirs, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-6)
