"""Names that JAX programs use around the transforms: rules for vmap, printing, arrays' types."""

import functape as ft

# isort: split
import mlx.core as mx
import pytest
from comparing import agree

from functape.errors import ArgumentError

fnp = ft.numpy


def modules(lib):
    """The submodules of either library; JAX's must be imported by name."""
    import importlib

    return [importlib.import_module(f"{lib.__name__}.{name}")
            for name in ("custom_batching", "custom_derivatives")]


# --- custom_vmap --------------------------------------------------------------------------------


def with_own_rule(lib):
    """A product whose vmap rule adds, so that it shows where the rule ran; and what it was told."""
    told = []
    f = modules(lib)[0].custom_vmap(lambda x, y: x * y)

    @f.def_vmap
    def rule(axis_size, in_batched, x, y):
        told.append((axis_size, tuple(in_batched)))
        return x + y, True

    return f, told


CUSTOM_VMAP = {
    "plain": lambda t, np, f: f(2.0, 3.0),
    "vmap": lambda t, np, f: t.vmap(f)(np.arange(3.0), np.arange(3.0)),
    "one_mapped": lambda t, np, f: t.vmap(f, (0, None))(np.arange(3.0), 2.0),
    "jvp": lambda t, np, f: t.jvp(f, (2.0, 3.0), (1.0, 1.0)),
    "jvp_of_vmap": lambda t, np, f: t.jvp(lambda x: t.vmap(f)(x, x), (np.arange(3.0),),
                                          (np.ones(3),)),
    "jit": lambda t, np, f: t.jit(t.vmap(f))(np.arange(3.0), np.arange(3.0)),
}


@pytest.mark.parametrize("name", CUSTOM_VMAP)
def test_custom_vmap_is_that_of_jax(name, oracle):
    (f, told), (g, theirs) = with_own_rule(ft), with_own_rule(oracle)
    agree(CUSTOM_VMAP[name](ft, fnp, f), CUSTOM_VMAP[name](oracle, oracle.numpy, g))
    assert told[:1] == theirs[:1]


def test_custom_vmap_of_trees_and_its_mistakes():
    f = ft.custom_batching.custom_vmap(lambda p, x: {"a": p["w"] * x, "b": x})
    f.def_vmap(lambda n, batched, p, x: ({"a": p["w"] * x, "b": p["w"]}, {"a": True, "b": False}))
    out = ft.vmap(f, (None, 0), {"a": 0, "b": None})({"w": 3.0}, fnp.arange(2.0))
    agree(out, {"a": fnp.array([0.0, 3.0]), "b": fnp.array(3.0)})
    for result, words in ((1.0, "pair"), (({"a": 1.0}, {"b": True}), "structure")):
        g = ft.custom_batching.custom_vmap(lambda x: x)
        with pytest.raises(ArgumentError, match="def_vmap"):
            g(1.0)
        g.def_vmap(lambda n, batched, x, r=result: r)
        with pytest.raises(ArgumentError, match=words):
            ft.vmap(g)(fnp.ones(2))


def test_sequential_vmap_runs_entry_by_entry(oracle):
    shapes = []

    def square(x, y):
        shapes.append(x.shape)
        return {"s": x * x + y}

    f = ft.custom_batching.sequential_vmap(square)
    want = modules(oracle)[0].sequential_vmap(lambda x, y: {"s": x * x + y})
    x = [[1.0, 2.0], [3.0, 4.0]]
    agree(ft.vmap(f, (0, None))(fnp.array(x), 1.0),
          oracle.vmap(want, (0, None))(oracle.numpy.array(x), 1.0))
    assert set(shapes) == {(2,)}


# --- linear_call --------------------------------------------------------------------------------


def scaled(lib):
    """Division by r, with a transpose that is ten times too large, so that it shows."""
    call = modules(lib)[1].linear_call
    return lambda x: call(lambda r, x: x / r, lambda r, g: 10.0 * g / r, 4.0, x)


LINEAR = {
    "value": lambda t, np, f: f(6.0),
    "grad": lambda t, np, f: t.grad(f)(6.0),
    "jvp": lambda t, np, f: t.jvp(f, (6.0,), (1.0,)),
    "transpose": lambda t, np, f: t.linear_transpose(f, 6.0)(2.0),
    "twice": lambda t, np, f: t.linear_transpose(lambda g: t.linear_transpose(f, 1.0)(g)[0],
                                                 1.0)(2.0),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_call_is_that_of_jax(name, oracle):
    agree(LINEAR[name](ft, fnp, scaled(ft)), LINEAR[name](oracle, oracle.numpy, scaled(oracle)))


@pytest.mark.parametrize("program, want", [
    (lambda f, x: ft.vmap(ft.grad(f))(x), [2.5, 2.5]),
    (lambda f, x: ft.jvp(ft.vmap(f), (x,), (x,))[1], [0.25, 0.5]),
    (lambda f, x: ft.jacfwd(f)(x), [[0.25, 0.0], [0.0, 0.25]]),
    (lambda f, x: ft.jacrev(f)(x), [[2.5, 0.0], [0.0, 2.5]]),
])
def test_linear_call_can_be_mapped(program, want):
    """JAX has no batching rule for it."""
    agree(program(scaled(ft), fnp.array([1.0, 2.0])), fnp.array(want))


def test_residuals_of_a_linear_call_have_derivatives_too():
    """JAX refuses them; here they are those of the function: d/dr x/r = -x/r^2."""
    def f(r):
        return ft.custom_derivatives.linear_call(lambda r, x: x / r, lambda r, g: g / r, r, 8.0)

    assert ft.grad(f)(2.0).item() == ft.jvp(f, (2.0,), (1.0,))[1].item() == -2.0


# --- the rest -----------------------------------------------------------------------------------


def test_fwd_and_bwd_are_those_of_jax(oracle):
    def f(x, y, z):
        return x * y**2 + z, {"x": x}

    def run(lib):
        fwd, bwd = lib.fwd_and_bwd(f, argnums=(2, 1), has_aux=True)
        out, residuals, aux = fwd(2.0, 3.0, 4.0)
        return out, bwd(residuals, 5.0), aux

    agree(run(ft), run(oracle))


def test_fwd_and_bwd_compile_once():
    runs = []
    fwd, bwd = ft.fwd_and_bwd(lambda x: runs.append(1) or x * x, argnums=0)
    for x in (1.0, 2.0, 3.0):
        assert bwd(fwd(x)[1], 1.0)[0].item() == 2 * x
    assert len(runs) == 2


def test_isinstance_of_arrays():
    assert isinstance(mx.ones(2), ft.Array) and isinstance(fnp.ones(2), ft.Array)
    assert not isinstance(1.0, ft.Array) and not isinstance([], ft.Array)
    for transform in (ft.grad, ft.vmap, ft.jit, ft.hessian,
                      lambda f: lambda x: ft.jvp(f, (x,), (x,))):
        seen = []
        transform(lambda x: seen.append(isinstance(x, ft.Array)) or (x * x).sum())(fnp.ones(2))  # noqa: B023
        assert all(seen) and seen


def test_typeof_is_shape_and_dtype():
    assert ft.typeof(mx.ones((2, 3))) == ft.ShapeDtypeStruct((2, 3), "float32")
    assert ft.vmap(lambda x: fnp.zeros(ft.typeof(x).shape))(fnp.ones((4, 2))).shape == (4, 2)
    with pytest.raises(ArgumentError, match="typeof"):
        ft.typeof("text")


def test_disable_jit_runs_the_function_at_each_call():
    runs = []
    f = ft.jit(lambda x: runs.append(1) or x + 1.0)
    with ft.disable_jit():
        assert [f(1.0) for _ in range(3)] == [2.0] * 3 and len(runs) == 3
        with ft.disable_jit(False):
            f(1.0), f(1.0)
        assert len(runs) == 4
    f(1.0)
    assert len(runs) == 4


def test_jit_takes_donated_arguments():
    x = mx.ones(2)
    f = ft.jit(lambda x, y: x + y, donate_argnums=(0,), donate_argnames="y",
               keep_unused=True, inline=True)
    assert f(x, x).tolist() == f(x, x).tolist() == [2.0, 2.0]


PRINTS = {
    "plain": lambda t, np, p: p(np.array(1.5)),
    "grad": lambda t, np, p: t.grad(p)(1.5),
    "jvp": lambda t, np, p: t.jvp(p, (1.5,), (1.0,)),
    "vmap": lambda t, np, p: t.vmap(p)(np.array([1.0, 2.0])),
    "vmap_grad": lambda t, np, p: t.vmap(t.grad(p))(np.array([1.0, 2.0])),
    "grad_grad": lambda t, np, p: t.grad(t.grad(p))(1.5),
}


@pytest.mark.parametrize("name", PRINTS)
def test_print_says_what_jax_prints(name, oracle, capsys):
    def printing(lib):
        def f(x):
            lib.debug.print("x = {:.2f}, {y}", x, y=2)
            return x * x

        PRINTS[name](lib, lib.numpy, f)
        if lib is oracle:
            oracle.effects_barrier()
        return capsys.readouterr().out

    assert printing(ft) == printing(oracle) != ""


def test_a_function_that_prints_runs_uncompiled(capsys):
    f = ft.jit(lambda x: ft.debug.print("{}", x) or x)
    with pytest.warns(RuntimeWarning, match="test_jax_habits"):
        f(1.0)
    f(2.0)
    assert capsys.readouterr().out == "1.0\n2.0\n"


def test_policies_by_name_and_in_pairs():
    p = ft.checkpoint_policies
    named = ft.checkpoint_name(ft.tensor(1.0, requires_grad=True) * 2.0, "a")
    bare = named * 2.0
    assert [p.save_any_names_but_these("b")(x) for x in (named, bare)] == [True, False]
    assert not p.save_any_names_but_these("a")(named)
    both = p.save_from_both_policies(p.nothing_saveable, p.save_only_these_names("a"))
    assert [both(x) for x in (named, bare)] == [True, False]
    assert ft.ad_checkpoint.checkpoint_name is ft.checkpoint_name
