"""lax.gather and lax.scatter against JAX: values, gradients, and windows beyond the array."""

import doctest
import inspect

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp
from functape import lax
from functape.errors import ArgumentError, ShapeError

X = np.arange(60.0, dtype=np.float32).reshape(3, 4, 5)
CASES = {  # indices, numbers of gather, sizes
    "rows": ([[2], [0], [1]], ((1, 2), (0,), (0,)), (1, 4, 5)),
    "points": ([[2, 3, 4], [0, 0, 0]], ((), (0, 1, 2), (0, 1, 2)), (1, 1, 1)),
    "blocks": ([[0, 1], [1, 2], [2, 4]], ((0, 2, 3), (), (0, 2)), (2, 4, 2)),
    "crossed": ([[[1, 0], [3, 2]]], ((2, 3), (1,), (1, 0)), (2, 1, 5)),
    "outside": ([[-1], [7], [2]], ((1, 2), (0,), (0,)), (1, 4, 5)),
    "batches": ([[[3], [0]], [[1], [1]], [[2], [9]]], ((2,), (1,), (1,), (0,), (0,)), (1, 1, 5)),
}
MODES = ["clip", "fill", None]


def close(ours, want):
    want = np.asarray(want)
    assert ours.shape == want.shape
    np.testing.assert_allclose(np.asarray(ours), want, rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_gather(case, mode, oracle):
    if mode is None and case not in ("rows", "points"):
        pytest.skip("JAX promises nothing of windows beyond the array")
    indices, numbers, sizes = CASES[case]
    i = np.array(indices)

    def read(lax, x):
        return lax.gather(x, lax_array(lax, i), lax.GatherDimensionNumbers(*numbers), sizes,
                          mode=mode, fill_value=-1.0)

    def lax_array(lax_, i):
        return fnp.array(i) if lax_ is lax else oracle.numpy.array(i)

    close(read(lax, fnp.array(X)), read(oracle.lax, oracle.numpy.array(X)))
    close(ft.grad(lambda x: (read(lax, x) ** 2).sum())(fnp.array(X)),
          oracle.grad(lambda x: (read(oracle.lax, x) ** 2).sum())(oracle.numpy.array(X)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["scatter", "scatter_add", "scatter_mul", "scatter_min",
                                  "scatter_max"])
def test_scatter(name, case, mode, oracle):
    indices, numbers, sizes = CASES[case]
    if name == "scatter" and case in ("outside", "blocks", "batches"):
        pytest.skip("which of two values wins is open")
    i, jnp = np.array(indices), oracle.numpy
    shape = oracle.lax.gather(jnp.array(X), jnp.array(i), oracle.lax.GatherDimensionNumbers(
        *numbers), sizes).shape
    y = np.linspace(-30, 90, int(np.prod(shape)), dtype=np.float32).reshape(shape)

    def write(lax_, array, x, y):
        return getattr(lax_, name)(x, array(i), y, lax_.ScatterDimensionNumbers(*numbers),
                                   mode=mode)

    close(write(lax, fnp.array, fnp.array(X), fnp.array(y)),
          write(oracle.lax, jnp.array, jnp.array(X), jnp.array(y)))
    if name in ("scatter", "scatter_add"):
        ours = ft.grad(lambda x, y: (write(lax, fnp.array, x, y) ** 2).sum(), (0, 1))(
            fnp.array(X), fnp.array(y))
        want = oracle.grad(lambda x, y: (write(oracle.lax, jnp.array, x, y) ** 2).sum(), (0, 1))(
            jnp.array(X), jnp.array(y))
        for mine, theirs in zip(ours, want, strict=True):
            close(mine, theirs)


@pytest.mark.parametrize("call, error, text", [
    (lambda d: lax.gather(X, np.zeros((1, 1), int), d, (1, 9, 5)), ShapeError, "do not fit into"),
    (lambda d: lax.gather(X, np.zeros((1, 2), int), d, (1, 4, 5)), ShapeError, "an index vector"),
    (lambda d: lax.gather(X, np.zeros((1, 1), int), d, (1, 4, 5), mode="most"), ArgumentError,
     "mode 'most'"),
    (lambda d: lax.scatter(X, np.zeros((1, 1), int), X, lax.ScatterDimensionNumbers((1,), (0,),
                                                                                   (0,))),
     ShapeError, "do not fit to indices"),
])
def test_misuse(call, error, text):
    with pytest.raises(error, match=text):
        call(lax.GatherDimensionNumbers((1, 2), (0,), (0,)))


@pytest.mark.parametrize("name", ["gather", "scatter", "scatter_add", "scatter_mul", "scatter_min",
                                  "scatter_max"])
def test_examples(name):
    function = getattr(lax, name)
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(function),
                                               dict(function.__globals__), name, None, 0)
    assert not doctest.DocTestRunner().run(test).failed
