"""Arrays of other libraries, in and out: by the protocols, without an import of theirs."""

import functape as ft

# isort: split
import subprocess
import sys

import numpy as np
import pytest

fnp = ft.numpy


class Anybody:
    """An array of a library that nobody knows: DLPack, a shape and a dtype."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.shape, self.dtype = self.array.shape, self.array.dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def anybody(array, dtype=None):
    return Anybody(array.astype(dtype or array.dtype))


def jax(array, dtype=None):
    module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module.numpy.asarray(array).astype(dtype or array.dtype)


def torch(array, dtype=None):
    try:
        import torch as module
    except ImportError as error:
        pytest.skip(f"no PyTorch: {error}")
    out = module.from_numpy(np.array(array))
    return out if dtype is None else out.to(getattr(module, dtype))


each_library = pytest.mark.parametrize("of", [anybody, jax, torch])
X = np.arange(6.0).reshape(2, 3)


@each_library
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int32",
                                   "int64", "uint8", "bool", "complex64"])
def test_dtype_shape_and_elements_stay(of, dtype):
    if of is anybody and dtype == "bfloat16":
        pytest.skip("NumPy has no bfloat16 to hand over")
    x = fnp.asarray(of(X, dtype))
    assert x.shape == (2, 3) and ft.dtypes.dtype_name(x.dtype) == dtype
    assert fnp.asarray(x.astype(ft.float32)).tolist() == X.astype(
        bool if dtype == "bool" else np.float32).astype(np.float32).tolist()


@each_library
@pytest.mark.parametrize("view", [lambda a: a.T, lambda a: a[:, ::2], lambda a: a[:, :0],
                                  lambda a: a[1, 1]], ids=["transposed", "strided", "empty", "0-d"])
def test_any_layout(of, view):
    seen = Anybody(view(X)) if of is anybody else view(of(X))
    assert np.array_equal(np.asarray(fnp.asarray(seen)), view(X))


@each_library
def test_it_is_a_copy(of):
    if of is jax:
        pytest.skip("JAX's arrays do not change")
    theirs = of(X)
    ours = fnp.asarray(theirs)
    (theirs.array if of is anybody else theirs)[0, 0] = 7.0
    assert ours[0, 0] == 0.0


@each_library
def test_accepted_wherever_an_array_is(of):
    x, w = of(X), of(np.ones(3))

    def f(w, x):
        return fnp.sum((x @ w) ** 2)

    gradient = 2 * X.T @ X.sum(1)
    out, pullback = ft.vjp(lambda w: fnp.sin(w), w)
    accepted = {
        "grad": (ft.grad(f)(w, x), gradient),
        "grad, closed over": (ft.grad(lambda w: fnp.sum((w @ x.T if of is not anybody else
                                                         w @ fnp.asarray(x).T) ** 2))(w), gradient),
        "value_and_grad in a tree": (ft.value_and_grad(lambda p: f(p["w"][0], x))(
            {"w": [w]})[1]["w"][0], gradient),
        "jit": (ft.jit(ft.grad(f))(w, x), gradient),
        "vmap": (ft.vmap(lambda row: row * 2)(x), 2 * X),
        "vjp": (pullback(w)[0], np.full(3, np.cos(1.0))),
        "jvp": (ft.jvp(lambda w: w * w, (w,), (w,))[1], np.full(3, 2.0)),
        "hvp": (ft.hvp(lambda w: f(w, x), (w,), (w,)), gradient),
        "functions": (fnp.exp(w), np.full(3, np.exp(1.0))),
        "lists": (fnp.array([w, w]), np.ones((2, 3))),
        "joining": (fnp.concatenate([x, fnp.ones((1, 3), "float64")]), np.vstack([X, np.ones(3)])),
        "left of an operator": (w * ft.tensor([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]),
        "right of an operator": (ft.tensor([1.0, 2.0, 3.0]) - w, [0.0, 1.0, 2.0]),
        "comparison": (ft.tensor([1.0, 2.0, 1.0]) == w, [True, False, True]),
        "index": (fnp.asarray(X)[of(np.array([1, 1]))], X[[1, 1]]),
        "mask": (fnp.asarray(X)[0][of(np.array([True, False, True]))], [0.0, 2.0]),
        "update": (fnp.zeros((2, 3), "float64").at[0].set(w), [[1, 1, 1], [0, 0, 0]]),
        "as_tensor": (ft.as_tensor(x), X),
        "from_dlpack": (ft.from_dlpack(x), X),
        "numpy.from_dlpack": (fnp.from_dlpack(x), X),
        "leaf": (ft.tensor(w, requires_grad=True).detach(), np.ones(3)),
    }
    for name, (found, wanted) in accepted.items():
        assert isinstance(found, ft.Tensor), name
        assert np.allclose(np.asarray(found), wanted, rtol=1e-12), name
        assert found.dtype in (ft.float64, ft.bool_), name


@each_library
def test_eager(of):
    w = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    loss = fnp.sum(of(X.astype(np.float32)) @ w if of is not anybody else w * of(X[0]))
    loss.backward()
    assert w.grad.tolist() == (X[0] if of is anybody else X.sum(0)).tolist()


def test_what_is_not_handed_over_is_told():
    """PyTorch refuses for a tensor that requires grad: its derivative does not cross over."""
    class Tracked(Anybody):
        def __dlpack__(self, **options):
            raise BufferError("it requires gradient")

    w = ft.tensor(2.0, requires_grad=True)
    with pytest.raises(ft.errors.ArgumentError, match=r"argument 1 is float64\[2,3\].*Detach it"):
        w * Tracked(X)
    assert w.grad is None


def test_a_tensor_of_pytorch_that_requires_grad():
    theirs = torch(X).requires_grad_()
    with pytest.raises(ft.errors.ArgumentError, match="Detach it"):
        fnp.sin(theirs)
    assert fnp.sin(theirs.detach()).shape == (2, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "bfloat16"])
def test_out(dtype):
    """To each library by its own reader; to NumPy bfloat16 goes as float32, which it has."""
    x = fnp.asarray(X).astype(dtype)
    wanted = X.astype(bool) if dtype == "bool" else X
    assert np.array_equal(np.asarray(x), wanted)
    if dtype != "bfloat16":
        assert np.from_dlpack(x).dtype == np.asarray(x).dtype == dtype
    module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    for read in (module.numpy.from_dlpack, module.numpy.asarray):
        assert np.array_equal(np.asarray(read(x)), wanted)
    assert module.numpy.from_dlpack(x).dtype == dtype
    gradient = ft.grad(lambda x: fnp.sum(x * x))(fnp.asarray(X))
    assert np.array_equal(np.asarray(module.numpy.from_dlpack(gradient)), 2 * X)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "bfloat16"])
def test_out_to_pytorch(dtype):
    torch(X)
    import torch as module

    x = fnp.asarray(X).astype(dtype)
    out = module.from_dlpack(x)
    assert str(out.dtype) == f"torch.{dtype}" and out.shape == (2, 3)
    assert np.array_equal(out.to(module.float64).numpy(), X.astype(bool) if dtype == "bool" else X)


def test_what_is_tracked_stays_here():
    tracked = ft.tensor([1.0], requires_grad=True) * 2.0
    with pytest.raises(ft.errors.GraphError, match=r"x\.detach\(\)"):
        np.from_dlpack(tracked)
    assert np.from_dlpack(tracked.detach()).tolist() == [2.0]


def test_nobody_is_imported():
    code = ("import sys, functape as ft, numpy as np; ft.grad(lambda x: x * x)(2.0);"
            "print([m for m in ('jax', 'torch') if m in sys.modules])")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i2", "i8", "c8"])
def test_numpy_arrays_of_another_byte_order(kind):
    a = np.array([1, -2], f">{kind}")
    for found in (ft.asarray(a), ft.tensor(a), fnp.ones(2) * a):
        assert found.tolist() == [1, -2]
    assert np.asarray(ft.asarray(a)).dtype == a.dtype.newbyteorder("=")


@pytest.mark.parametrize("given, words", [
    (np.zeros(2, "longdouble"), "dtype float128"), (np.zeros(2, "clongdouble"), "complex256"),
    (2**64, "18446744073709551616 does not fit"), (-2**63 - 1, "does not fit into 64 bits"),
])
def test_numbers_that_are_too_wide(given, words):
    with pytest.raises(TypeError, match=words):
        ft.asarray(given)
