"""Methods of ufuncs, and the segment reductions: values against NumPy, gradients against JAX."""

import doctest
import inspect

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp
from functape import test_util
from functape.errors import ArgumentError, ShapeError
from functape.numpy import segments

X = np.arange(1.0, 25.0, dtype=np.float32).reshape(2, 4, 3) / 7
Y = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]], np.float32)
I = (np.arange(24) * 7 % 13).reshape(2, 4, 3).astype(np.int32)  # noqa: E741
FLOATS = ("add", "multiply", "maximum", "minimum", "logaddexp", "hypot", "subtract", "divide")
INTEGERS = ("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor")


def close(ours, want):
    want = np.asarray(want)
    assert ours.shape == want.shape
    np.testing.assert_allclose(np.asarray(ours), want, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", FLOATS + INTEGERS)
def test_against_numpy(name):
    ours, theirs, x = getattr(fnp, name), getattr(np, name), I if name in INTEGERS else X
    t = fnp.array(x)
    for axis in (0, 1, -1):
        close(ours.reduce(t, axis), theirs.reduce(x, axis))
        close(ours.reduce(t, axis=axis, keepdims=True), theirs.reduce(x, axis, keepdims=True))
        close(ours.accumulate(t, axis), theirs.accumulate(x, axis))
    if name not in ("subtract", "divide"):
        close(ours.reduce(t, axis=None), theirs.reduce(x, axis=None))
        close(ours.reduce(t, axis=(0, 2)), theirs.reduce(x, axis=(0, 2)))
        close(ours.reduceat(t, [0, 2, 1], axis=1), theirs.reduceat(x, [0, 2, 1], axis=1))
        mask = x > x.mean()
        mask[0, :, 0] = False
        close(ours.reduce(t, axis=1, where=mask, initial=2),
              theirs.reduce(x, axis=1, where=mask, initial=2))
    close(ours.outer(t[0], t[1, 0]), theirs.outer(x[0], x[1, 0]))
    assert (ours.nin, ours.nout, ours.nargs) == (theirs.nin, theirs.nout, theirs.nargs)


def test_identities_and_empty_arrays():
    for name in ("add", "multiply", "logical_and", "bitwise_and", "bitwise_or"):
        assert getattr(fnp, name).identity == getattr(np, name).identity
    assert float(fnp.logaddexp.reduce(fnp.zeros(0))) == -np.inf
    assert float(fnp.add.reduce(fnp.zeros(0), initial=3.0)) == 3.0
    with pytest.raises(ShapeError, match="divide.reduce of no elements"):
        fnp.divide.reduce(fnp.zeros(0))


CASES = {
    "reduce": lambda f, x: f.reduce(x, axis=1).sum(),
    "accumulate": lambda f, x: (f.accumulate(x, axis=1) ** 2).sum(),
    "outer": lambda f, x: f.outer(x[0, 0], x[1, 1]).sum(),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["add", "multiply", "logaddexp"])
def test_gradients_are_those_of_jax(name, case, oracle):
    jnp = oracle.numpy
    close(ft.grad(lambda x: CASES[case](getattr(fnp, name), x))(fnp.array(X)),
          oracle.grad(lambda x: CASES[case](getattr(jnp, name), x))(jnp.array(X)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["hypot", "divide", "arctan2", "multiply"])
def test_derivatives_by_finite_differences(name, case):
    x = fnp.array(X[:, :3].astype(np.float64))
    test_util.check_grads(lambda x: CASES[case](getattr(fnp, name), x), (x,), 2)


def test_at():
    x = fnp.array([1.0, 2.0, 3.0])
    close(fnp.add.at(x, [0, 0, 2], 1.0, inplace=False), [3.0, 2.0, 4.0])
    close(fnp.multiply.at(x, [0, 2], fnp.array([5.0, 2.0]), inplace=False), [5.0, 2.0, 6.0])
    close(fnp.negative.at(x, [1], inplace=False), [1.0, -2.0, 3.0])
    close(ft.grad(lambda x: fnp.multiply.at(x, [0, 0], 3.0, inplace=False).sum())(x), [9.0, 1, 1])
    with pytest.raises(ArgumentError, match="inplace=False"):
        fnp.add.at(x, [0], 1.0)
    with pytest.raises(ArgumentError, match="arctan2.at is not defined"):
        fnp.arctan2.at(x, [0], 1.0, inplace=False)


def test_a_function_of_ones_own():
    f = fnp.frompyfunc(lambda x, y: x + 2 * y, 2, 1)
    close(f.reduce(fnp.array([1.0, 2.0, 3.0])), 11.0)
    close(f.accumulate(fnp.array([1.0, 2.0, 3.0])), [1.0, 5.0, 11.0])
    close(ft.grad(lambda x: f.reduce(x))(fnp.array([1.0, 2.0, 3.0])), [1.0, 2.0, 2.0])
    assert isinstance(f, fnp.ufunc) and f.nargs == 3
    with pytest.raises(ArgumentError, match="a function of 2 arguments"):
        fnp.sin.reduce(fnp.ones(3))
    with pytest.raises(ArgumentError, match="takes a function"):
        fnp.frompyfunc(3, 1, 1)


def test_numpys_methods_on_tensors():
    x = fnp.array(X)
    close(np.add.reduce(x), np.add.reduce(X))
    close(np.logaddexp.reduce(x, axis=1), np.logaddexp.reduce(X, axis=1))
    close(np.maximum.accumulate(x, axis=2), np.maximum.accumulate(X, axis=2))
    close(np.hypot.outer(x[0, 0], Y), np.hypot.outer(X[0, 0], Y))
    close(ft.grad(lambda x: np.multiply.reduce(x))(fnp.array([2.0, 3.0])), [3.0, 2.0])
    with pytest.raises(ArgumentError, match="add.at"):
        np.add.at(np.zeros(3), [0], fnp.ones(1))


# --- segments -------------------------------------------------------------------------------------

IDS = np.array([0, 2, 0, 5, -1, 2], np.int32)
ROWS = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 2.0], [9.0, 9.0], [7.0, 7.0], [2.0, 4.0]],
                np.float32)


@pytest.mark.parametrize("name", ["segment_sum", "segment_prod", "segment_max", "segment_min"])
def test_segments(name, oracle):
    ours, theirs = getattr(ft.ops, name), getattr(oracle.ops, name)
    for count in (None, 4, 7):
        close(ours(ROWS, IDS, count), theirs(ROWS, IDS, count))
    with pytest.raises(ShapeError, match=f"{name}: segment_ids must be one integer"):
        ours(ROWS, IDS[:3])
    close(ours(ROWS[:, 0].astype(np.int32), IDS, 4), theirs(ROWS[:, 0].astype(np.int32), IDS, 4))
    if name == "segment_prod":  # whose gradient JAX does not have
        test_util.check_grads(lambda x: ours(x, IDS, 4), (fnp.array(ROWS.astype(np.float64)),), 2)
        return
    w = np.arange(8.0).reshape(4, 2)
    finite = np.isfinite(theirs(ROWS, IDS, 4))
    w = np.where(finite, w, 0)

    def loss(f, xp, x):
        return (xp.where(finite, f(x, IDS, 4), 0.0) * w).sum()

    close(ft.grad(lambda x: loss(ours, fnp, x))(fnp.array(ROWS)),
          oracle.grad(lambda x: loss(theirs, oracle.numpy, x))(oracle.numpy.array(ROWS)))


@pytest.mark.parametrize("name", ["segment_sum", "segment_prod", "segment_max", "segment_min"])
def test_examples(name):
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(getattr(segments, name)), {}, name,
                                               None, 0)
    assert not doctest.DocTestRunner().run(test).failed
