"""Operators, methods, plain Python values, NumPy's own functions, and messages."""

import mlx.core as mx
import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp
from functape.errors import ArgumentError, ConcretizationError, ShapeError

X = fnp.array([[1.0, 2.0], [3.0, 4.0]])

# --- NumPy on the left, and NumPy's functions ---------------------------------------------------

RECORDED = {
    "array times": lambda t: np.full(3, 2.0, np.float32) * t,
    "array minus": lambda t: np.ones(3, np.float32) - t,
    "array matmul": lambda t: np.ones((2, 3), np.float32) @ t,
    "scalar": lambda t: np.float64(2.0) * t,
    "sized scalar": lambda t: np.float32(2.0) / t,
    "ufunc": lambda t: np.sin(t),
    "ufunc of two": lambda t: np.arctan2(np.ones(3, np.float32), t),
    "reduce": lambda t: np.multiply.reduce(t),
    "accumulate": lambda t: np.add.accumulate(t),
    "outer": lambda t: np.multiply.outer(t, np.ones(2, np.float32)),
    "sum": lambda t: np.sum(t, axis=0),
    "mean": lambda t: np.mean(t),
    "concatenate": lambda t: np.concatenate([t, np.ones(2, np.float32)]),
    "where": lambda t: np.where(np.array([True, False, True]), t, 0.0),
    "norm": lambda t: np.linalg.norm(t),
    "einsum": lambda t: np.einsum("i,i", t, t),
}


@pytest.mark.parametrize("name", RECORDED)
def test_numpys_functions_are_recorded(name):
    f = RECORDED[name]
    point = np.array([0.5, 1.5, 2.5], np.float32)
    t = fnp.array(point)
    np.testing.assert_allclose(np.asarray(f(t)), f(point), rtol=1e-5)
    slope = ft.grad(lambda t: fnp.sum(f(t)))(t)
    e = np.eye(3, dtype=np.float32) * 1e-2
    want = [(np.sum(f(point + d)) - np.sum(f(point - d))) / 2e-2 for d in e]
    np.testing.assert_allclose(np.asarray(slope), want, rtol=2e-3, atol=2e-3)
    assert ft.vmap(f)(fnp.stack([t, t])).shape[0] == 2


def test_numpy_without_a_twin_says_so():
    with pytest.raises(ArgumentError, match="no such function.*numpy.asarray"):
        np.busday_count(X, X)
    with pytest.raises(ArgumentError, match="functape.asarray"):
        a = np.ones(2)
        a += fnp.ones(2)
    with pytest.raises(ArgumentError, match="functape.numpy.where"):
        np.add(X, X, where=np.array([True, False]))


# --- weak numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 2.0, np.float64(2.0), True])
def test_numbers_take_the_type_of_the_array(number):
    half = fnp.ones(2, dtype="float16")
    for found in (half * number, number * half, fnp.maximum(half, number),
                  fnp.maximum(np.ones(2, np.float16), number),
                  ft.vmap(lambda h: h * number)(half)):
        assert found.dtype == fnp.float16


def test_foreign_objects_may_answer():
    class Other:
        def __radd__(self, other):
            return "mine"

        __rmatmul__ = __radd__

    assert X + Other() == "mine" and X @ Other() == "mine"
    assert (X == "text") is False and (X != None) is True  # noqa: E711
    with pytest.raises(TypeError):
        X + [1.0, 2.0]


# --- plain Python values ------------------------------------------------------------------------


def test_plain_values():
    assert float(fnp.array(2.5)) == 2.5 and int(fnp.array(2.5)) == 2 and bool(fnp.array([1]))
    assert complex(fnp.array(1j)) == 1j and [1, 2, 3][fnp.array(1)] == 2
    assert f"{fnp.array(2.5):.2f}" == "2.50" and len(X) == 2 and X.item(1, 0) == 3.0
    assert X.tolist() == [[1.0, 2.0], [3.0, 4.0]] and round(fnp.array(2.6)).dtype == fnp.int32


@pytest.mark.parametrize(("ask", "message"), [
    (lambda: bool(X), r"one element.*float32\[2,2\].*\.any\(\) or \.all\(\)"),
    (lambda: X.item(), "one element"),
    (lambda: float(fnp.array(1j)), r"real number.*\.real"),
    (lambda: [1, 2][fnp.array(1.0)], "one integer.*astype"),
    (lambda: len(fnp.array(1.0)), "without axes"),
    (lambda: X.reshape(3), "reshape"),
    (lambda: X.reshape(-1, -1), "only one length may be -1"),
    (lambda: X.sum(axis=2), "sum: axis 2 does not exist.*-2 to 1"),
    (lambda: X.sum(axis=(0, 0)), "names an axis twice"),
    (lambda: X.sum(axis=0.5), "axis must be an integer"),
    (lambda: fnp.sum(X, out=X), "does not take out"),
    (lambda: fnp.concatenate([X, fnp.ones(2)]), r"array 1 is float32\[2\].*along axis 0 only"),
    (lambda: fnp.concatenate([]), "at least one array"),
    (lambda: fnp.stack([X, fnp.ones(2)]), "one shape"),
    (lambda: fnp.matmul(X, fnp.ones(3)), "one length"),
    (lambda: X @ fnp.ones((3, 2)), "matmul"),
    (lambda: fnp.array([[1.0], [1.0, 2.0]]), "one length at each depth"),
    (lambda: fnp.array([X, fnp.ones(2)]), "entry 1"),
    (lambda: fnp.array([None]), "NoneType"),
    (lambda: fnp.sin([1.0]), "sin takes arrays and numbers.*list"),
    (lambda: fnp.zeros(3, dtype="number"), "not an array dtype"),
    (lambda: fnp.zeros((2, -1)), "negative length"),
    (lambda: fnp.max(fnp.zeros((0, 2)), axis=0), "no elements.*initial="),
    (lambda: fnp.argmax(fnp.zeros(0)), "no elements"),
    (lambda: fnp.max(X, where=X > 1), "needs initial="),
    (lambda: fnp.clip(fnp.array(1j), 0, 1), "no order"),
    (lambda: fnp.where(True, X), "both x and y"),
    (lambda: fnp.einsum("ij,jk", X), r"2 term\(s\)"),
    (lambda: fnp.einsum("ij,jk", X, fnp.ones((3, 3))), "'j' stands for axes of length 2 and 3"),
    (lambda: fnp.einsum("ij->ik", X), "result.*'k'"),
    (lambda: fnp.einsum("ijk", X), "a letter for each"),
    (lambda: fnp.tensordot(X, X, 3), "axes is 3"),
    (lambda: fnp.broadcast_to(X, (3, 3)), "does not broadcast"),
    (lambda: fnp.squeeze(X, 0), "length 2"),
    (lambda: fnp.transpose(X, (0,)), "each of the 2 axes"),
    (lambda: fnp.split(X, 3), "array_split"),
    (lambda: fnp.pad(X, -1), "Cut elements off"),
    (lambda: fnp.pad(X, 1, mode="mirror"), "'mirror' is not one of"),
    (lambda: fnp.pad(X, 1, mode="edge", constant_values=1), "does not take constant_values"),
    (lambda: fnp.arange(0, 1, 0), "step is 0"),
    (lambda: fnp.cross(fnp.ones(4), fnp.ones(4)), "2 or 3 elements"),
    (lambda: fnp.finfo("int32"), "iinfo"),
])
def test_messages(ask, message):
    with pytest.raises((ShapeError, ArgumentError), match=message):
        ask()


ASK = {
    "bool": bool, "int": int, "float": float, "complex": complex, "item": lambda v: v.item(),
    "tolist": lambda v: v.tolist(), "numpy.asarray": np.asarray,
}


@pytest.mark.parametrize("name", ASK)
def test_no_plain_value_under_vmap(name):
    with pytest.raises(ConcretizationError, match=f"{name} needs the value.*vmap.*in_axes=None"):
        ft.vmap(lambda v: ASK[name](v))(fnp.ones(2))
    with pytest.raises(ConcretizationError, match="vmap"):
        ft.vmap(ft.grad(lambda v: ASK[name](v) * v))(fnp.ones(2))


@pytest.mark.parametrize("name", [n for n in ASK if n != "bool"])
def test_no_plain_value_under_jvp(name):
    with pytest.raises(ConcretizationError, match="tangent.*stop_gradient"):
        ft.jvp(lambda v: ASK[name](v) * v, (1.0,), (1.0,))


def test_a_choice_is_free_under_grad_and_jvp():
    def f(v):
        return v * v if v > 0 else -v

    assert ft.grad(f)(3.0).item() == 6.0
    assert ft.jvp(f, (-2.0,), (1.0,))[1].item() == -1.0


def test_no_plain_value_under_jit():
    f = ft.jit(lambda v: v if v > 0 else -v, fallback=False)
    with pytest.raises(ConcretizationError, match="where"):
        f(fnp.array(1.0))


# --- attributes ---------------------------------------------------------------------------------


def test_attributes_are_those_of_the_value_inside_transforms():
    seen = []

    def look(v):
        seen.append((v.shape, v.ndim, v.size, v.nbytes, v.itemsize, v.T.shape, v.mT.shape))
        return v.sum()

    look(X)
    ft.vmap(look)(fnp.stack([X, X, X]))
    ft.jvp(look, (X,), (X,))
    ft.vmap(ft.grad(look))(fnp.stack([X, X, X]))
    assert len(set(seen)) == 1


def test_array_api_entry_points():
    assert X.__array_namespace__() is fnp
    assert np.from_dlpack(X).tolist() == X.tolist()
    assert fnp.from_dlpack(mx.ones(2)).tolist() == [1.0, 1.0]
    assert X.to_device(X.device) is X and X.block_until_ready() is X
    tree = {"x": X, "raw": [X.array, None], "word": "a"}
    assert ft.block_until_ready(tree) is tree


# --- arrays that contain values -----------------------------------------------------------------


def test_lists_of_values_are_recorded():
    f = lambda s: (fnp.array([[s, 1.0], [2.0, s * s]]) ** 2).sum()  # noqa: E731
    assert ft.grad(f)(2.0).item() == 2 * 2.0 + 4 * 2.0**3
    assert ft.jvp(f, (2.0,), (1.0,))[1].item() == 36.0
    assert ft.vmap(lambda s: fnp.array([s, 0.0]))(fnp.ones(3)).shape == (3, 2)


def test_float64_is_exact_and_kept():
    assert fnp.array(0.1, dtype="float64").item() == 0.1
    assert fnp.array([0.1, 1 / 3], dtype="float64").tolist() == [0.1, 1 / 3]
    assert fnp.array(np.array([0.1])).dtype == fnp.float64
    assert fnp.array(2**40, dtype="int64").item() == 2**40
    assert fnp.linspace(fnp.array(0.0, "float64"), 1.0, 4).tolist()[1] == 1 / 3


def test_a_copy_is_on_the_tape():
    w = ft.tensor([1.0, 2.0], requires_grad=True)
    copy = fnp.array(w)
    assert copy is not w and fnp.asarray(w) is w
    (copy * 3.0).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


def test_pad_by_a_function():
    def ends(row, width, axis, kwargs):
        inner = row[width[0]:row.shape[0] - width[1]]
        return fnp.concatenate([fnp.full(width[0], inner[0]), inner, fnp.full(width[1], inner[-1])])

    assert fnp.pad(X, 1, mode=ends).tolist() == fnp.pad(X, 1, mode="edge").tolist()
    assert ft.grad(lambda x: fnp.pad(x, 1, mode=ends).sum())(X).tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_integer_products_are_exact():
    a = np.array([[2**26 + 1, 3], [5, -7]], np.int64)
    assert (fnp.array(a) @ fnp.array([[1, 2], [3, 4]])).tolist() == (a @ [[1, 2], [3, 4]]).tolist()


def test_promotion():
    assert fnp.result_type("float16", 2.0) == fnp.float16
    assert fnp.result_type("int8", 2.0) == fnp.float32
    assert fnp.result_type(1, 2.0, True) == fnp.float32
    assert fnp.promote_types(np.int32, float) == fnp.float32
    assert fnp.issubdtype("bfloat16", fnp.floating) and fnp.isdtype("int8", ("bool", "integral"))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_compress_as_a_method(axis):
    keep = [True, False]
    expected = np.compress(keep, np.array(X), axis)
    assert X.compress(fnp.array(keep), axis).tolist() == expected.tolist()
