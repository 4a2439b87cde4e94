"""Strict promotion: which combinations are refused, against JAX, and what the messages say."""

import importlib
import inspect
import itertools
import threading
import types

import functape as ft
import functape.numpy as fnp

# isort: split
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from functape.errors import RangeError, TypePromotionError

TWO = """add subtract multiply divide floor_divide remainder power maximum minimum fmax arctan2
hypot logaddexp copysign nextafter heaviside equal less greater_equal bitwise_and left_shift gcd
fmod divmod float_power ldexp matmul dot vdot inner outer kron cross convolve tensordot vecdot
isclose append union1d searchsorted polyadd polymul take extract compress""".split()
OTHERS = [
    "np.where(x > 0, x, y)", "np.clip(x, y, y)", "np.concatenate([x, y])", "np.stack([x, y])",
    "np.einsum('i,i->', x, y)", "x @ y", "x + y", "x // y", "x ** y", "x < y", "x * 2", "2 - x",
    "x * 2.5", "x == 1.5", "x + 1j", "np.where(x > 0, x, 0)", "np.clip(x, 0, 1)", "np.mean(x)",
    "x.at[0].set(2)", "x[y > 1]", "np.linspace(0, 1, 3)", "np.full_like(x, 2)",
    "np.result_type(x, y)", "np.promote_types(x.dtype, y.dtype)", "np.result_type(x, 1)",
    "x.astype(y.dtype) + y", "np.var(x)", "np.sort(x)"]
KINDS = {"f": np.arange(3, dtype=np.float32), "i": np.arange(3, dtype=np.int32)}


def refused(action, error):
    try:
        action()
    except error:
        return True
    except (TypeError, ValueError):  # these dtypes are not for this function
        return None
    return False


@pytest.mark.parametrize("kinds", ["ff", "ii", "fi", "if"])
@pytest.mark.parametrize("text", [*(f"np.{name}(x, y)" for name in TWO), *OTHERS])
def test_as_in_jax(text, kinds):
    x, y = (KINDS[k] for k in kinds)
    with jax.numpy_dtype_promotion("strict"):
        scope = {"np": jnp, "x": jnp.asarray(x), "y": jnp.asarray(y)}
        wanted = refused(lambda: eval(text, scope), jax.dtypes.TypePromotionError)
    scope = {"np": fnp, "x": fnp.asarray(x), "y": fnp.asarray(y)}
    with ft.numpy_dtype_promotion("strict"):
        found = refused(lambda: eval(text, scope), TypePromotionError)
    assert found == wanted or None in (found, wanted)
    assert not refused(lambda: eval(text, scope), TypePromotionError)


MODULES = [pytest.param("numpy", marks=pytest.mark.nightly), "numpy.linalg", "scipy.special",
           "scipy.linalg", "scipy.signal", "nn", "scipy.integrate", "scipy.stats"]
# Functape takes the edges of bins in the kind of the data, counts and probabilities in one kind; it
# looks at kinds before shapes; indices are no numbers that are combined.
OTHERWISE = {"histogram", "histogram2d", "histogramdd", "logpmf", "pmf", "array_equal",
             "unravel_index"}
MATRIX = np.array([[4, 1, 1], [1, 5, 1], [1, 1, 6]])
ARRAYS = {"v": MATRIX[0], "m": MATRIX}


def functions(theirs, ours):
    """(name, theirs, ours) of the functions that both have, those of distributions too."""
    for name in sorted(set(dir(theirs)) & set(dir(ours))):
        f, g = getattr(theirs, name), getattr(ours, name)
        if name.startswith("_") or inspect.isclass(f):
            continue
        if isinstance(f, types.ModuleType):
            if theirs.__name__ == "jax.scipy.stats":
                yield from functions(f, g)
        elif callable(f):
            yield name, f, g


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_every_function_of_several_arrays_refuses_what_jax_does(module):
    theirs, ours = (importlib.import_module(f"{m}.{module}") for m in ("jax", "functape"))
    checked, wrong, kinds = 0, [], ("float32", "int32", "int32")
    for (name, f, g), axes in itertools.product(list(functions(theirs, ours)),
                                                ("vv", "mm", "mv", "vvv", "mmm")):
        xs = [ARRAYS[a].astype(k) for a, k in zip(axes, kinds, strict=False)]
        with jax.numpy_dtype_promotion("strict"):
            wanted = outcome(f, map(jnp.asarray, xs), jax.dtypes.TypePromotionError)
        with ft.numpy_dtype_promotion("strict"):
            found = outcome(g, map(fnp.asarray, xs), TypePromotionError)
        checked += wanted == "refused"
        if {wanted, found} == {"refused", "done"} and name not in OTHERWISE:
            wrong.append((name, axes, wanted))
    assert not wrong and checked > 3


def outcome(f, xs, error):
    try:
        f(*xs)
    except error:
        return "refused"
    except Exception:  # not arguments for this function
        return "not for it"
    return "done"


def test_integers_take_the_size_of_the_floating_point_beside_them():
    n, half = fnp.arange(3), fnp.ones(3, dtype=ft.float16)
    for f in (ft.scipy.special.xlogy, fnp.trapezoid, ft.scipy.signal.convolve,
              lambda x, y: fnp.average(x, weights=y)):
        assert f(n, half).dtype == ft.float16


def test_the_message_names_both():
    x, n = fnp.ones(2), fnp.arange(2)
    with ft.numpy_dtype_promotion("strict"):
        with pytest.raises(TypeError, match=r"multiply: the dtypes float32, int32 .*x\.astype"):
            x * n
        with pytest.raises(TypePromotionError, match="add: the dtypes int32, float differ"):
            n + 0.5
        with pytest.raises(TypePromotionError, match="add: the dtypes float32, int32"):
            x += n
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize("transform", [
    lambda f, x: ft.grad(lambda x: fnp.sum(f(x)))(x), lambda f, x: ft.vmap(f)(x),
    lambda f, x: ft.jvp(f, (x,), (x,)), lambda f, x: ft.jit(f)(x), lambda f, x: ft.hessian(f)(x)])
def test_under_transforms(transform):
    with ft.numpy_dtype_promotion("strict"):
        transform(lambda x: fnp.std(x * x) * 2 + fnp.max(fnp.where(x > 0, x, 0)), fnp.ones((2, 2)))
        with pytest.raises(TypePromotionError):
            transform(lambda x: fnp.sum(x * fnp.arange(2)), fnp.ones((2, 2)))


def test_modes_nest_and_belong_to_a_thread():
    x, n, found = fnp.ones(2), fnp.arange(2), []
    with ft.numpy_dtype_promotion("strict"):
        thread = threading.Thread(
            target=lambda: found.append((fnp.ones(2) + fnp.arange(2)).tolist()))
        thread.start()
        thread.join()
        with ft.numpy_dtype_promotion("standard"):
            x + n
        with pytest.raises(TypePromotionError):
            x + n
    assert found[0] == (x + n).tolist() == [1, 2]


@pytest.mark.parametrize("other", [
    ft.debug.nans, ft.autograd.profiler.profile, lambda: ft.numpy_dtype_promotion("strict")])
def test_others_may_stand_around_the_same_calls(other):
    x, n = fnp.ones(2), fnp.arange(2)
    for blocks in ((lambda: ft.numpy_dtype_promotion("strict"), other),
                   (other, lambda: ft.numpy_dtype_promotion("strict"))):
        with blocks[0](), blocks[1](), pytest.raises(TypePromotionError):
            x + n
    assert (x + n).tolist() == [1, 2]


def test_unknown_modes():
    with pytest.raises(RangeError, match="mode is 'loose'; choose one of standard, strict"):
        with ft.numpy_dtype_promotion("loose"):
            pass
