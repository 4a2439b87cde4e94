"""The same mistakes raise the same kinds of error as in JAX; and what JAX accepts is accepted."""

import functape as ft

# isort: split
import warnings

import numpy
import pytest
from comparing import agree

X = numpy.arange(3.0, dtype=numpy.float32)
FOUR = numpy.ones(4, numpy.float32)
KINDS = (TypeError, ValueError, NameError, IndexError)

# name -> (transforms, numpy) -> anything; each is refused by JAX
MISTAKES = {
    "argnums_beyond": lambda t, np: t.grad(lambda x: x, argnums=1)(1.0),
    "argnums_twice": lambda t, np: t.grad(lambda x: x, argnums=(0, 0))(1.0),
    "argnums_word": lambda t, np: t.grad(lambda x: x, argnums="a")(1.0),
    "vector": lambda t, np: t.grad(lambda x: x)(X),
    "integer": lambda t, np: t.grad(lambda x: x * 2)(3),
    "tree": lambda t, np: t.grad(lambda x: (x, x))(1.0),
    "aux_missing": lambda t, np: t.grad(lambda x: x, has_aux=True)(1.0),
    "cotangent_shape": lambda t, np: t.vjp(lambda x: x, X)[1](FOUR),
    "cotangent_tree": lambda t, np: t.vjp(lambda x: (x, x), X)[1](X),
    "cotangent_dtype": lambda t, np: t.vjp(lambda x: x, X)[1](X.astype(numpy.int32)),
    "tangent_tree": lambda t, np: t.jvp(lambda x: x, (1.0,), (1.0, 2.0)),
    "tangent_shape": lambda t, np: t.jvp(lambda x: x, (X,), (FOUR,)),
    "tangent_dtype": lambda t, np: t.jvp(lambda x: x, (X,), (X.astype(numpy.int32),)),
    "pushed_shape": lambda t, np: t.linearize(np.sin, X)[1](FOUR),
    "rule_shape": lambda t, np: t.jvp(wrong_rule(t, np), (1.0,), (1.0,)),
    "keyword_only": lambda t, np: t.grad(lambda x: x)(x=1.0),
    "shapes": lambda t, np: t.eval_shape(lambda x: x @ x, t.ShapeDtypeStruct((2, 3), np.float32)),
    "mapped_lengths": lambda t, np: t.vmap(lambda x, y: x)(X, FOUR),
    "mapped_nothing": lambda t, np: t.vmap(lambda x: x, in_axes=None)(X),
    "mapped_scalar": lambda t, np: t.vmap(lambda x: x)(1.0),
    "transposed_tree": lambda t, np: t.tree.transpose(
        t.tree.structure([0]), t.tree.structure((0, 0)), 1),
    "unbound_axis": lambda t, np: t.lax.psum(X, "i"),
    "unbound_index": lambda t, np: t.lax.axis_index("i"),
    "other_axis": lambda t, np: t.vmap(lambda x: t.lax.psum(x, "j"), axis_name="i")(X),
    "no_branches": lambda t, np: t.lax.switch(0, []),
    "index_of_floats": lambda t, np: t.lax.switch(0.0, [lambda: 1, lambda: 2]),
    "vector_predicate": lambda t, np: t.lax.cond(X, lambda: 1, lambda: 2),
    "while_float": lambda t, np: t.lax.while_loop(lambda c: c, lambda c: c, 1.0),
    "while_integer": lambda t, np: t.lax.while_loop(lambda c: c, lambda c: c - 1, 3),
    "carry_shape": lambda t, np: t.lax.scan(lambda c, x: (np.ones(2), x), 0.0, X),
    "carry_tree": lambda t, np: t.lax.fori_loop(0, 3, lambda i, c: (c, c), 0.0),
    "slice_beyond": lambda t, np: t.lax.dynamic_slice(X, (0,), (4,)),
    "slice_float": lambda t, np: t.lax.dynamic_slice(X, (0.0,), (1,)),
    "slice_axes": lambda t, np: t.lax.dynamic_slice(X, (0, 0), (1,)),
    "update_beyond": lambda t, np: t.lax.dynamic_update_slice(X, FOUR, (0,)),
    "select_float": lambda t, np: t.lax.select(X, X, X),
    "select_shape": lambda t, np: t.lax.select(X > 0, X, FOUR),
    "select_n_float": lambda t, np: t.lax.select_n(X, X, X),
    "select_n_booleans": lambda t, np: t.lax.select_n(X > 0, X, X, X),
    "static_list": lambda t, np: t.jit(lambda x, n: x, static_argnums=1)(X, [1]),
    "static_array": lambda t, np: t.jit(lambda x, n: x, static_argnums=1)(X, np.ones(2)),
    "static_arrays": lambda t, np: t.jit(lambda x, n: x, static_argnames="n")(
        X, n=(1, np.ones(2))),
    "left_behind": lambda t, np: float(left_behind(t)),
    "static_beyond": lambda t, np: t.jit(lambda x: x, static_argnums=5)(X),
    "static_unknown": lambda t, np: t.jit(lambda x: x, static_argnames="n")(X),
    "negative_power": lambda t, np: np.array(2) ** -1,
    "negative_power_in_jit": lambda t, np: t.jit(lambda n: n**-2)(2),
    "normal_integers": lambda t, np: t.random.normal(t.random.key(0), (2,), np.int32),
    "signature": lambda t, np: np.vectorize(np.sin, signature="(n->n")(X),
    "jit_string": lambda t, np: t.jit(lambda x: "a")(X),
    "jit_argument": lambda t, np: t.jit(lambda x: x)("a"),
}


def left_behind(t):
    """A value of a jitted function, kept in a list instead of being returned."""
    kept = []
    t.jit(lambda x: (kept.append(x * 2), x)[1])(1.0)
    return kept[0]


def wrong_rule(t, np):
    f = t.custom_jvp(lambda x: x)
    f.defjvp(lambda primals, tangents: (primals[0], np.ones(2)))
    return f


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_errors_of_jax_s_kind(name, oracle):
    with pytest.raises(KINDS) as theirs:
        MISTAKES[name](oracle, oracle.numpy)
    kinds = tuple(kind for kind in KINDS if isinstance(theirs.value, kind))
    with pytest.raises(kinds) as ours:
        MISTAKES[name](ft, ft.numpy)
    assert isinstance(ours.value, ft.errors.FunctapeError)


@pytest.mark.parametrize("read", [repr, numpy.asarray, ft.block_until_ready, float,
                                  lambda x: x.tolist(), lambda x: repr(x + 1)])
def test_what_a_jitted_function_left_behind_has_no_value(read):
    with pytest.raises(ft.errors.ConcretizationError, match="left behind.*Return"):
        read(left_behind(ft))


def by_value(t, np):
    """Ones that are equal, but not of one type."""
    f = t.jit(lambda x, n: x * n, static_argnums=1)
    return f(1, 1), f(1, 1.0), f(1.0, 1), f(1, True), f(2, 1.0)


def updated(t, np):
    """NumPy arrays given to a jitted function are arrays there, also inside another transform."""
    f = t.jit(lambda w, x: (x.at[0].set(0.0) * w).sum())
    return f(2.0, X), t.grad(f)(2.0, X), t.vmap(f, (0, None))(X, X)


def of_forms(t, np):
    """The shapes and dtypes of arrays that do not exist, where no elements are needed."""
    form = t.ShapeDtypeStruct((2, 3), np.float16)
    shapes = t.eval_shape(lambda x: {"a": np.outer(x, x), "b": x.sum()}, X)
    transpose = t.linear_transpose(lambda p: 2 * p["a"] + p["b"], {"a": X, "b": t.ShapeDtypeStruct(
        (3,), np.float32)})
    return (t.tree.map(np.zeros_like, shapes), np.ones_like(form), t.lax.full_like(form, 2.0),
            np.empty_like(form).shape, np.zeros_like(form, shape=(4,)), transpose(X))


ACCEPTED = {
    "forms": of_forms,
    "static_by_type": by_value,
    "numpy_in_jit": updated,
    "numbers_of_jit": lambda t, np: t.grad(
        lambda x: t.jit(lambda x, n: (x * n.astype(np.float32), n, 3))(x, 2)[0])(1.0),
    "static_varargs": lambda t, np: t.jit(lambda *a: a[0] * a[1], static_argnums=1)(X, 2),
    "static_of_keywords": lambda t, np: t.jit(lambda x, **k: x * k["n"], static_argnames="n")(
        X, n=2),
    "vjp_by_integers": lambda t, np: t.vjp(lambda x, i: x[i], X, 1)[1](numpy.float32(1))[0],
    "vjp_to_integers": lambda t, np: t.vjp(lambda x: (2 * x, np.argmax(x)), X)[1](
        (X, numpy.zeros((), t.dtypes.float0))),
    "branches_of_numbers": lambda t, np: (
        t.lax.cond(True, lambda: 1.0, lambda: 2.0).reshape(1),
        t.lax.switch(1, [lambda: 1, lambda: 2]).astype(np.float32)),
    "rule_for_integers": lambda t, np: t.grad(times(t))(2.0, 3),
    "unravelled_half": lambda t, np: unravelled(t, np, [X, {"a": X}]),
    "kinds": lambda t, np: [np.issubdtype(np.float32, kind) for kind in (
        numpy.floating, numpy.integer, numpy.inexact, numpy.number, numpy.float32)],
}


def times(t):
    f = t.custom_vjp(lambda x, n: x * n)
    f.defvjp(lambda x, n: (x * n, n),
             lambda n, g: (g * n, numpy.zeros((), t.dtypes.float0)))
    return f


def unravelled(t, np, tree):
    import importlib

    unravel = importlib.import_module(f"{t.__name__}.flatten_util").ravel_pytree(tree)[1]
    return unravel(np.ones(6, np.float16))


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_jax_accepts_is_accepted(name, oracle):
    agree(ACCEPTED[name](ft, ft.numpy), ACCEPTED[name](oracle, oracle.numpy))


@pytest.mark.parametrize(("f", "want"), [
    (lambda x, n: (x * n).sum(), [3.0, 4.0]),
    (lambda x, n: x[0] * n, [[3.0, 0.0], [4.0, 0.0]]),
], ids=("scalar", "vector"))
def test_jacrev_by_integers_is_float0(f, want):
    x, n = ft.numpy.array([1.0, 2.0]), ft.numpy.array([3, 4])
    by_x, by_n = ft.jacrev(f, (0, 1), allow_int=True)(x, n)
    assert by_x.tolist() == want
    assert by_n.shape == by_x.shape and by_n.dtype.names == ("float0",)


def test_cotangents_of_integers_are_float0():
    index = ft.vjp(lambda x, i: x[i], X, 1)[1](1.0)[1]
    assert index.dtype.names == ("float0",)
    assert index.shape == ()


def test_a_fallback_is_given_what_a_graph_is_given():
    """Arrays and numbers as arrays; += rebinds; what is returned is checked and made arrays."""
    def f(x, n, again):
        x += n.astype(x.dtype)
        if float(x.sum()) > 0:
            return x.at[0].set(0.0), 3, "a" if again else None
        return x, 3, None

    x = ft.numpy.asarray(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f = ft.jit(f, static_argnums=2)
        got = f(x, 1, False)
        with pytest.raises(ft.errors.ArgumentError, match="must return arrays"):
            f(x, 1, True)
    agree(got, (ft.numpy.array([0.0, 2.0, 3.0]), ft.numpy.array(3), None))
    agree(x, ft.numpy.asarray(X))
