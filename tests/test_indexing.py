"""Reading and writing at positions: values against NumPy, derivatives against JAX."""

import functape as ft
import functape.numpy as fnp

# isort: split
import mlx.core as mx
import numpy as np
import pytest
from agreement import agree, close
from hypothesis import given, settings
from hypothesis import strategies as st

from functape.errors import ArgumentError, ConcretizationError, PositionError, ShapeError

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4, 5))
ROWS = np.array([1, 0, 1, -2], np.int32)  # repeats, leaves out, counts from the end
METHODS = {"add": np.add, "multiply": np.multiply, "max": np.maximum, "min": np.minimum}


def as_values(key):
    """The key with arrays of integers whose elements the library does not look at."""
    if isinstance(key, tuple):
        return tuple(map(as_values, key))
    return fnp.array(key) if isinstance(key, np.ndarray) else key


def cases(*rows):
    return pytest.mark.parametrize("key", rows, ids=[str(r).replace("\n", "") for r in rows])


# --- any key at all, against NumPy ----------------------------------------------------------------


@st.composite
def keys(draw):
    """An array's shape, and a key that NumPy takes for it."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=4)))
    common = draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,)]))

    def part(n):
        inside = st.integers(-n, n - 1)
        kind = draw(st.sampled_from(["slice", "int", "array", "array", "mask"]))
        if kind == "slice":
            bound = st.none() | st.integers(-n - 2, n + 2)
            return slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, -1, -3])))
        if kind == "int":
            return draw(inside)
        if kind == "mask" and common in ((), (1,)):
            return np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
        size = draw(st.sampled_from([common, common[-1:], (1,) * len(common)]))
        m = int(np.prod(size))
        flat = draw(st.lists(inside, min_size=m, max_size=m))
        return np.array(flat, np.int32).reshape(size)

    start = draw(st.integers(0, len(shape)))
    stop = draw(st.integers(start, len(shape)))
    key = [part(n) for n in shape[:start]]
    if draw(st.booleans()):  # else the key ends where the Ellipsis would be
        key += [Ellipsis, *[part(n) for n in shape[stop:]]]
    for extra in draw(st.lists(st.sampled_from([None, None, True, False]), max_size=2)):
        key.insert(draw(st.integers(0, len(key))), extra)
    return shape, tuple(key)


@settings(max_examples=200, deadline=None)
@given(keys())
def test_reads_and_writes_as_numpy(drawn):
    shape, key = drawn
    x = np.arange(1.0, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    try:
        want = x[key]
    except IndexError:  # masks that do not broadcast with the arrays
        with pytest.raises(IndexError):
            fnp.array(x)[key]
        return
    y = 3 * np.sin(np.arange(want.size, dtype=np.float32)).reshape(want.shape)
    for k in (key, as_values(key)):
        close(fnp.array(x)[k], want)
        written = x.copy()
        written[key] = y
        close(fnp.array(x).at[k].set(y), written)
        for name, ufunc in METHODS.items():
            written = x.copy()
            ufunc.at(written, key, y)
            close(getattr(fnp.array(x).at[k], name)(y), written, 1e-5)


# --- derivatives ----------------------------------------------------------------------------------

MASK = X[:, :, 0] > 0
SOME_KEYS = [
    1, slice(None, None, -2), (slice(None), -1, None), (Ellipsis, 2), (1, slice(3, 0, -1)),
    ROWS, (slice(None), ROWS), (Ellipsis, ROWS), (ROWS, ROWS), (ROWS[:, None], slice(1, 3), ROWS),
    (slice(1, 3), ROWS, 2), (0, slice(None), ROWS), (slice(None), ROWS[None], ROWS[:, None]),
    (ROWS[1], Ellipsis), MASK, (slice(None), np.array([True, False, True, True])),
]


@cases(*SOME_KEYS)
def test_derivatives_of_reading(key, oracle):
    agree(oracle, lambda x: x[as_values(key)], lambda x: x[key], X)


WRITTEN = [1, (slice(None), slice(0, 4, 2)), (Ellipsis, np.array([4, 1])),
           (np.array([0, 2]), slice(1, 3), np.array([1, 4]))]


@pytest.mark.parametrize(("key", "method"), [
    *[(key, method) for key in WRITTEN for method in ("set", "add", "multiply", "max")],
    *[(WRITTEN[-1], method) for method in ("subtract", "divide", "power", "min")],
], ids=str)
def test_derivatives_of_writing(key, method, oracle):
    x = np.abs(X) + 0.5
    y = 2 * RNG.random(size=X[key].shape[-2:]) + 0.1
    agree(oracle, lambda x, y: getattr(x.at[as_values(key)], method)(y),
          lambda x, y: getattr(x.at[key], method)(y, unique_indices=True), x, y)
    close(getattr(fnp.array(x).at[key], method)(y),
          getattr(fnp.array(x).at[as_values(key)], method)(y))


@pytest.mark.parametrize(("key", "method"), [
    (ROWS, "add"), (ROWS, "max"), ((slice(None), ROWS), "subtract"), ((ROWS, ROWS), "add"),
    ((ROWS, ROWS), "min"),
], ids=str)
def test_derivatives_of_writing_again(key, method, oracle):
    y = RNG.normal(size=X[key].shape)
    for k in (key, as_values(key)):
        agree(oracle, lambda x, y, k=k: getattr(x.at[k], method)(y),
              lambda x, y: getattr(x.at[key], method)(y), X, y, orders=1 if k is key else 2)


def test_the_winner_has_the_gradient():
    i = np.array([1, 0, 1, 1])
    for k in (i, fnp.array(i)):
        out, pull = ft.vjp(lambda x, y, k=k: x.at[k].set(y), np.zeros(3), np.arange(1.0, 5.0))
        close(out, [2.0, 4.0, 0.0])
        close(pull(np.array([10.0, 20.0, 30.0])), ([0.0, 0.0, 30.0], [0.0, 10.0, 0.0, 20.0]))


@pytest.mark.parametrize("zeros", [(), (0,), (0, 2)], ids=str)
def test_repeated_products_are_exact_at_zeros(zeros, oracle):
    """x[1] * y[0] * y[2] * y[3], whichever of them are zero."""
    i = np.array([1, 0, 1, 1])
    y = np.array([2.0, 3.0, 5.0, 7.0])
    y[list(zeros)] = 0.0

    def product(x, y):
        return oracle.numpy.stack([x[0] * y[1], x[1] * y[0] * y[2] * y[3], x[2]])

    agree(oracle, lambda x, y: x.at[fnp.array(i)].multiply(y), product,
          np.array([3.0, 2.0, 4.0]), y)
    close(fnp.full(3, 12.0).at[i].divide(np.array([2.0, 3.0, 2.0, 1.0])), [4.0, 3.0, 12.0])
    close(fnp.full(3, 2.0).at[i].power(np.array([2.0, 3.0, 2.0, 1.0])), [8.0, 16.0, 2.0])


def test_equal_extremes_share_evenly():
    x, y, i = np.array([5.0, 2.0]), np.array([5.0, 5.0, 1.0]), fnp.array([0, 0, 1])
    gx, gy = ft.grad(lambda x, y: x.at[i].max(y)[0], argnums=(0, 1))(x, y)
    close((gx, gy), ([1 / 3, 0.0], [1 / 3, 1 / 3, 0.0]), 1e-12)
    nan = float("nan")
    close(fnp.array([nan, 1.0, 2.0]).at[fnp.array([0, 1, 1])].max([1.0, nan, 3.0]),
          [nan, nan, 2.0])


# --- vmap -----------------------------------------------------------------------------------------

B = RNG.normal(size=(2, 3, 4, 5))
INDEX = np.array([[1, 0, 1], [2, 2, -3]], np.int32)
UPDATE = RNG.normal(size=(2, 3))
BATCHED = {
    "read": (lambda x, i, y: x[i], B),
    "read inside": (lambda x, i, y: x[:, i], B),
    "read last": (lambda x, i, y: x[..., i], B),
    "read several": (lambda x, i, y: x[i, :, i], B),
    "read scalar": (lambda x, i, y: x[i[0], 1], B),
    "set": (lambda x, i, y: x.at[i[:1], 1, 2].set(y[:1]), B),
    "set last": (lambda x, i, y: x.at[..., i[:1]].set(y[0]), B),
    "add": (lambda x, i, y: x.at[i].add(y[:, None, None]), B),
    "add inside": (lambda x, i, y: x.at[:, i].add(y[:, None]), B),
    "max": (lambda x, i, y: x.at[:, i].max(y[:, None]), B),
}


@pytest.mark.parametrize("name", BATCHED)
@pytest.mark.parametrize("axes", [(0, None, None), (None, 0, None), (0, 0, None), (0, 0, 0),
                                  (None, None, 0), (None, 0, 0)], ids=str)
def test_vmap_is_a_loop(name, axes):
    f, x = BATCHED[name]

    def both(x, i, y):
        slopes = ft.grad(lambda x, y: fnp.sum(f(x, i, y) ** 3), argnums=(0, 1))
        return f(x, i, y), *slopes(x, y)

    args = [fnp.array(a if axis == 0 else a[0])
            for a, axis in zip((x, INDEX, UPDATE), axes, strict=True)]
    rows = [both(*[a if axis is None else a[k] for a, axis in zip(args, axes, strict=True)])
            for k in range(2)]
    close(ft.vmap(both, axes)(*args), tuple(np.stack(column) for column in zip(*rows, strict=True)),
          1e-12)


def test_vmap_in_vmap(oracle):
    def twice(vmap):
        inner = vmap(lambda x, i: x.at[i].multiply(x[i[::-1]]), (0, None))
        return vmap(vmap(inner, (None, 0)), (0, None))

    i = np.array([[1, 0], [2, 1]], np.int32)
    close(twice(ft.vmap)(B, i), twice(oracle.vmap)(oracle.numpy.asarray(B), i), 1e-12)
    close(ft.vmap(ft.vmap(lambda x, i: x.at[i].set(x[0])), (0, None))(B[:, :2], i),
          oracle.vmap(oracle.vmap(lambda x, i: x.at[i].set(x[0])), (0, None))(
              oracle.numpy.asarray(B[:, :2]), i))


def test_repeated_writes_under_vmap():
    """Every method on every repetition, against one call after the other."""
    i = np.array([[1, 1, 0, 5], [2, -9, 2, 2]], np.int32)  # 5 and -9 are nowhere
    y = RNG.normal(size=(2, 4, 5))
    for method in ("set", "add", "multiply", "min", "divide"):
        for axis in (0, 1):
            def f(x, i, y, method=method, axis=axis):
                key = (slice(None),) * axis + (i,)
                return getattr(x.at[key], method)(y if axis == 0 else y[:, 0])
            x = B[:, :, 0] if axis == 0 else B[:, 0, :3]
            x = x if axis == 0 else np.swapaxes(x, 1, 2)
            got = ft.vmap(f)(x, i, y)
            want = [f(fnp.array(a), fnp.array(b), fnp.array(c)) for a, b, c in
                    zip(x, i, y, strict=True)]
            close(got, np.stack([np.asarray(w) for w in want]), 1e-12)


# --- outside --------------------------------------------------------------------------------------

FAR = np.array([7, -1, -9, 0], np.int32)


def test_array_indices_outside_are_clamped_in_reading_and_dropped_in_writing(oracle):
    x, y, near = X[:, 0, 0], np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 2, 0, 0])
    j = oracle.numpy.asarray(FAR)
    close(fnp.array(x)[fnp.array(FAR)], oracle.numpy.asarray(x)[j])
    agree(oracle, lambda x: x[fnp.array(FAR)], lambda x: x[near], x)
    for method in ("set", "add", "max"):
        agree(oracle, lambda x, y, m=method: getattr(x.at[fnp.array(FAR)], m)(y),
              lambda x, y, m=method: getattr(x.at[j], m)(y), x, y)
    two = (fnp.array(FAR), fnp.array([0, 0, 0, 9]))
    jtwo = (j, oracle.numpy.asarray([0, 0, 0, 9]))
    agree(oracle, lambda x: x[two], lambda x: x[near, np.array([0, 0, 0, 3])], X)
    agree(oracle, lambda x, y: x.at[two].add(y), lambda x, y: x.at[jtwo].add(y), X, y[:, None])
    for kind in (mx.uint8, mx.int64, mx.uint32, mx.int8):
        i = fnp.array(mx.array([0, 2, 100], mx.int32).astype(kind))
        close(fnp.array(x)[i], x[[0, 2, 2]])
        close(fnp.array(x).at[i].set(0.0), [0.0, x[1], 0.0])


@pytest.mark.parametrize("mode", ["clip", "wrap", "fill"])
def test_modes_of_take(mode, oracle):
    for axis in (0, 1, None):
        for i in (FAR, fnp.array(FAR)):
            n = X.size if axis is None else X.shape[axis]
            j = np.clip(FAR, 0, n - 1) if mode == "clip" else FAR
            agree(oracle, lambda x, i=i, a=axis: fnp.take(x, i, a, mode=mode),
                  lambda x, a=axis, j=j: oracle.numpy.take(x, j, a, mode=mode), X, orders=1)
    deep = np.broadcast_to(FAR[:, None, None], (4, 4, 5))
    if mode == "fill":
        agree(oracle, lambda x: fnp.take_along_axis(x, fnp.array(deep), 0, mode=mode),
              lambda x: oracle.numpy.take_along_axis(x, deep, 0, mode=mode), X, orders=1)


def test_modes_of_at(oracle):
    j = oracle.numpy.asarray(X)
    x = fnp.array(X)
    for mode in ("drop", "clip"):
        for i in (FAR, fnp.array(FAR)):
            close(x.at[i].set(1.0, mode=mode), j.at[FAR].set(1.0, mode=mode))
            close(x.at[i].add(1.0, mode=mode), j.at[FAR].add(1.0, mode=mode), 1e-12)
    close(x.at[9].set(1.0, mode="drop"), X)
    close(x.at[FAR].get(mode="fill"), j.at[FAR].get(mode="fill"))
    close(x.at[FAR, 1:2].get(mode="fill", fill_value=3), j.at[FAR, 1:2].get(mode="fill",
                                                                            fill_value=3))
    close(fnp.arange(3).at[FAR].get(mode="fill"), oracle.numpy.arange(3, dtype=np.int32)
          .at[FAR].get(mode="fill"))
    close(x.at[fnp.array([2, 0])].add(1.0, unique_indices=True), j.at[np.array([2, 0])].add(1.0))
    i = fnp.array([2, 0, 2])
    close(x.at[i].set(1.0, mode="promise_in_bounds"), j.at[np.array([2, 0])].set(1.0))


@pytest.mark.parametrize(("key", "error", "text"), [
    (3, IndexError, "index 3 is out of bounds for axis 0 of size 3"),
    ((0, -5), PositionError, "index -5 is out of bounds for axis 1 of size 4"),
    (np.array([0, 5]), IndexError, "index 5 .* axis 0 of size 3"),
    ((slice(None), [0, 4]), IndexError, "index 4 .* axis 1 of size 4"),
    ((0, 0, 0, 0), IndexError, "4 axes, but the array has only 3"),
    ((Ellipsis, Ellipsis), IndexError, "one Ellipsis"),
    (np.array([True, False]), IndexError, r"shape of the axes that it indexes, \(3,\)"),
    (([0, 1], [0, 1, 2]), IndexError, "broadcast to one shape"),
    (1.5, ArgumentError, "must be an integer.*1.5 .float.*Convert"),
    (np.array([1.5]), ArgumentError, r"float64\[1\]"),
    (slice(0, 2, 0), ShapeError, "step of a slice may not be 0"),
    (slice(0, 1.5), ArgumentError, "bounds of a slice must be integers"),
], ids=str)
def test_errors_of_keys(key, error, text):
    with pytest.raises(error, match=text):
        fnp.array(X)[key]
    with pytest.raises(error, match=text):
        fnp.array(X).at[key].set(0.0)


def test_other_errors():
    x = fnp.array(X)
    with pytest.raises(ConcretizationError, match=r"x\[mask\].*vmap.*where"):
        ft.vmap(lambda a: a[a > 0])(X)
    with pytest.raises(ShapeError, match=r"broadcast to the shape of x\[...\], \(2, 4, 5\)"):
        x.at[:2].set(np.zeros(3))
    with pytest.raises(ShapeError, match="must broadcast"):
        x.at[[0, 1]].set(np.zeros((3, 4, 5)))
    with pytest.raises(ArgumentError, match="complex"):
        x.at[0].set(1j)
    with pytest.raises(ArgumentError, match="mode 'far' is unknown"):
        x.at[0].set(1.0, mode="far")
    with pytest.raises(IndexError, match="index 9"):
        fnp.take(x, 9, axis=1)
    with pytest.raises(ShapeError, match="broadcast with it except along axis 1"):
        fnp.take_along_axis(x, np.zeros((2, 2, 2), int), 1)
    with pytest.raises(ArgumentError, match="inplace=False"):
        fnp.put_along_axis(x, np.zeros((1, 1, 1), int), 0.0, 0, inplace=True)
    with pytest.raises(ArgumentError, match="cannot be iterated"):
        iter(fnp.array(1.0))
    with pytest.raises(IndexError, match="axis 0 of size 0"):
        fnp.zeros((0, 2))[fnp.array([0])]


# --- masks ----------------------------------------------------------------------------------------


COMBINED = {"set": lambda x, y: y, "add": lambda x, y: x + y, "power": lambda x, y: x**y}


@pytest.mark.parametrize("method", COMBINED)
def test_a_number_written_at_a_mask_needs_no_positions(method, oracle):
    combine = COMBINED[method]
    agree(oracle, lambda x, y: getattr(x.at[x[:, :, 0] > 0.7], method)(y),
          lambda x, y: oracle.numpy.where(x[:, :, :1] > 0.7, combine(x, y), x),
          np.abs(X), np.array(1.5))
    close(ft.vmap(lambda a: a.at[a > 0].set(0.0))(X), np.minimum(X, 0.0))
    with_list = fnp.array(X[0, 0]).at[[True, False, True, False, True]].add([1.0, 2.0, 3.0])
    close(with_list, X[0, 0] + [1.0, 0.0, 2.0, 0.0, 3.0])


# --- functions ------------------------------------------------------------------------------------


def test_take_along_axis(oracle):
    i = np.argsort(X, axis=1).astype(np.int32)
    for axis, index in ((1, i), (1, i[:, :1]), (1, -i - 1), (0, np.array([[[2]], [[0]]])),
                        (None, np.array([3, 3, 7])), (-1, np.zeros((3, 4, 0), np.int32))):
        agree(oracle, lambda x, a=axis, i=index: fnp.take_along_axis(x, fnp.array(i), a),
              lambda x, a=axis, i=index: oracle.numpy.take_along_axis(x, i, a), X)


def test_put_along_axis(oracle):
    i = np.argmax(X, axis=1, keepdims=True)
    y = RNG.normal(size=(3, 1, 5))
    for index in (i, fnp.array(i)):
        agree(oracle,
              lambda x, y, i=index: fnp.put_along_axis(x, i, y, 1, inplace=False),
              lambda x, y: oracle.numpy.put_along_axis(x, i, y, 1, inplace=False), X, y)


def test_select_and_choose(oracle):
    def selected(np_, x, y):
        return np_.select([x > 1, x > 0], [x ** 2, y * x], -x)

    agree(oracle, lambda x, y: selected(fnp, x, y), lambda x, y: selected(oracle.numpy, x, y),
          X, X[0] + 1)
    i = np.array([[2], [0], [1]])
    for mode in ("raise", "clip", "wrap"):
        far = i if mode == "raise" else i * 3 - 2
        agree(oracle, lambda x, m=mode, i=far: fnp.choose(i, [x[0], x[1], x[2, 0]], mode=m),
              lambda x, m=mode, i=far: oracle.numpy.choose(
                  i, [x[0], x[1], x[2, 0]], mode="clip" if m == "raise" else m), X[:, :3, 0])


@pytest.mark.parametrize("offset", [-9, -1, 0, 3])
def test_diagonals(offset, oracle):
    for axes in ((0, 1), (-1, 0)):
        agree(oracle, lambda x, a=axes: fnp.diagonal(x, offset, *a),
              lambda x, a=axes: oracle.numpy.diagonal(x, offset, *a), X, orders=1)
    close(fnp.trace(fnp.array(X), offset), np.trace(X, offset), 1e-12)
    if abs(offset) < 5:
        agree(oracle, lambda x: fnp.diag(x, offset), lambda x: oracle.numpy.diag(x, offset), X[0])
        agree(oracle, lambda x: fnp.diag(x, offset), lambda x: oracle.numpy.diag(x, offset),
              X[0, 0])
    close(fnp.diagflat(X[0], offset), np.diagflat(X[0], offset))


# --- the rest of NumPy's habits -------------------------------------------------------------------


def test_iteration_unpacks_rows():
    def f(m):
        a, b, c = m
        return (a * b).sum() + (c[0] ** 2).sum()

    got = ft.grad(f)(X)
    want = np.stack([X[1], X[0], np.zeros_like(X[0])])
    want[2, 0] = 2 * X[2, 0]
    close(got, want)
    assert [a.shape for a in fnp.zeros((0, 2))] == []


def test_keys_of_other_kinds():
    x = fnp.array(X)
    close(x[np.int64(1), range(2)], X[1, [0, 1]])
    close(x[[]], X[[]])
    close(x[fnp.array(1)], X[1])
    close(x[[fnp.array(2), 0]], X[[2, 0]])
    close(x[mx.array([2, 0])], X[[2, 0]])
    close(x[mx.array([True, False, True])], X[[0, 2]])
    close(x[fnp.array(1):, ...], X[1:])
    close(fnp.array(3.0)[()], 3.0)
    close(fnp.array(3.0).at[...].set(2.0), 2.0)
    close(fnp.array(3.0)[None], [3.0])
    close(x[fnp.array(X > 0)], X[X > 0])


def test_written_values_take_the_dtype_of_the_array():
    x = fnp.arange(3)
    for y in (2.7, np.float64(2.7), fnp.array(2.7), [2.7]):
        out = x.at[[1]].add(y)
        assert out.dtype == mx.int32
        close(out, [0, 3, 2])
    close(fnp.array([True, False]).at[1].set(True), [True, True])
    close(fnp.array([1j, 2.0]).at[0].multiply(2.0), [2j, 2.0])


def test_apply_and_get():
    x = fnp.array(X)
    close(x.at[1].apply(fnp.exp), np.concatenate([X[:1], np.exp(X[1:2]), X[2:]]), 1e-6)
    close(ft.grad(lambda v: v.at[[1, 1]].apply(fnp.square)[1])(np.array([1.0, 3.0])), [0.0, 6.0])
    close(x.at[1, 2].get(), X[1, 2])
    assert repr(fnp.zeros(1).at[0]) == "tensor([0.]).at[0]"


def test_long_rows_move_whole(oracle):
    """Rows of eight and more go by another kernel than short ones."""
    wide = RNG.normal(size=(2, 3, 9))
    agree(oracle, lambda x: x[ROWS], lambda x: x[ROWS], wide[0])
    agree(oracle, lambda x: x[:, fnp.array(ROWS)], lambda x: x[:, ROWS], wide)


def test_compiled_is_eager():
    x, i = mx.array(X[:, 0].astype(np.float32)), mx.array(FAR)

    def f(x, i):
        return ft.grad(lambda x: (x[i] @ x.at[i].max(x[::-1][0]).T).sum()
                       + x.at[i].set(x[0])[1].sum())(x)

    close(mx.compile(f)(x, i), f(x, i), 1e-6)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), (0, 0), (0, 4, 5)])
def test_a_mask_of_length_0_selects_nothing(shape):
    """Lengths of 0 need not be those of the array, by the array API standard."""
    mask, x = np.zeros(shape, bool), fnp.asarray(X)
    assert x[mask].shape == x[fnp.asarray(mask)].shape == X[mask].shape
    assert np.array_equal(np.asarray(x.at[mask].set(1.0)), X)
    assert not np.asarray(ft.grad(lambda x: fnp.sum(x[mask]))(x)).any()
    with pytest.raises(PositionError, match="or lengths of 0"):
        x[np.zeros((2, *shape[1:]), bool)]
