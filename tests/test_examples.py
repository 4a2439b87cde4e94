"""The examples of docs/examples: their functions run with JAX too, or against closed forms."""

import doctest
from pathlib import Path

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest
from comparing import agree

PAGES = Path(__file__).parent.parent / "docs" / "examples"
LIMIT = 30  # lines
RANDOM = np.random.default_rng(0)


def examples(page):
    return doctest.DocTestParser().get_examples((PAGES / f"{page}.md").read_text("utf-8"))


def functions(page, lib, **known):
    """The functions that a page defines, in the terms of a library."""
    scope = {"ft": lib, "np": lib.numpy, "numpy": np, "random": np.random.default_rng(1), **known}
    for example in examples(page):
        if example.source.startswith("def "):
            exec(example.source, scope)
    return scope


def double(values):
    return ft.tree.map(ft.numpy.asarray, values)


def run_both(page, oracle, program, *args, tolerance=1e-9):
    """A program of a page's functions in double precision, with both libraries."""
    theirs = functions(page, oracle)
    want = oracle.jit(lambda *a: program(oracle, theirs, *a))(*args)
    got = program(ft, functions(page, ft), *double(args))
    agree(got, want, tolerance)
    return got


@pytest.mark.parametrize("page", [p.stem for p in PAGES.glob("*.md")])
def test_examples_are_short(page):
    for example in examples(page):
        assert len(example.source.splitlines()) <= LIMIT


# --- meta-learning ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sinusoids", "digits"])
def test_meta_gradients_are_those_of_jax(kind, oracle):
    """1 and 5 inner steps, first and second order, by the parameters and by the step sizes."""
    ours = functions("meta_learning", ft)
    sines = kind == "sinusoids"
    tasks = ours["waves"](25) if sines else ours["few_shot"](25)
    params = ours["start"](1, 8, 1) if sines else ours["start"](64, 4, 5)
    rates = ft.tree.map(lambda p: np.full(p.shape, 0.03), params)

    def program(lib, page, params, rates, seen, unseen):
        loss = page["squares" if sines else "cross_entropy"]
        return [lib.grad(page["meta_loss"], argnums=(0, 1))(params, rates, loss, seen, unseen,
                                                            steps, first_order)
                for steps in (1, 5) for first_order in (False, True)]

    second, first, *_ = run_both("meta_learning", oracle, program, params, rates, *tasks)
    assert np.abs(np.asarray(second[0]["w"]) - np.asarray(first[0]["w"])).max() > 1e-6


# --- curvature ----------------------------------------------------------------------------------

WEIGHTS, DIRECTION = RANDOM.normal(size=(2, 1000)) * 0.1
INPUTS = RANDOM.normal(size=(50, 20))


def test_hessian_of_a_thousand_parameters_within_its_bound():
    """The bound that the page states; without chunks it would not hold."""
    page = functions("curvature", ft)
    stated = float((PAGES / "curvature.md").read_text("utf-8").partition("**")[2].partition(" ")[0])
    params, x = ft.numpy.asarray(WEIGHTS.astype("f4")), ft.numpy.asarray(INPUTS.astype("f4"))

    def peak(chunk_size):
        mx.clear_cache()
        mx.reset_peak_memory()
        before = mx.get_active_memory()
        ft.hessian(page["energy"], chunk_size=chunk_size)(params, x).block_until_ready()
        return (mx.get_peak_memory() - before) / 1e6

    assert peak(20) < stated < peak(None) / 2


def jacobian(page, x):
    return np.asarray(ft.jacrev(page["classifier"])(ft.numpy.asarray(WEIGHTS),
                                                    ft.numpy.asarray(x)))


def test_gauss_newton_product(oracle):
    def program(lib, page, params, v, x):
        return page["gauss_newton_product"](lambda p: page["classifier"](p, x),
                                            lambda y: lib.numpy.sum(y**4), params, v)

    x = INPUTS[:4]
    got = run_both("curvature", oracle, program, WEIGHTS, DIRECTION, x)
    page = functions("curvature", ft)
    out, j = page["classifier"](*double((WEIGHTS, x))), jacobian(page, x)
    want = np.einsum("abi,ab,abj,j->i", j, 12 * np.asarray(out) ** 2, j, DIRECTION, optimize=True)
    agree(got, want, 1e-9)


def test_fisher_vector_product(oracle):
    def program(lib, page, params, v, x):
        return page["fisher_vector_product"](lambda p: page["classifier"](p, x), params, v)

    x = INPUTS[:4]
    got = run_both("curvature", oracle, program, WEIGHTS, DIRECTION, x)
    page = functions("curvature", ft)
    j, p = jacobian(page, x), np.asarray(ft.nn.softmax(page["classifier"](*double((WEIGHTS, x)))))
    moved = j @ DIRECTION
    bent = p * (moved - np.sum(p * moved, -1, keepdims=True)) / len(x)
    agree(got, np.einsum("ab,abi->i", bent, j), 1e-9)


# --- equations ----------------------------------------------------------------------------------


def test_laplacian_and_its_loss(oracle):
    params = {"w": RANDOM.normal(size=(3, 5)), "b": RANDOM.normal(size=5),
              "v": RANDOM.normal(size=5)}

    def program(lib, page, params, points):
        return lib.value_and_grad(page["residual"])(params, points,
                                                    lambda x: lib.numpy.sin(x[:, 0]))

    run_both("equations", oracle, program, params, RANDOM.normal(size=(4, 3)))
    laplacian = functions("equations", ft)["laplacian"]
    x = np.array([0.3, -0.2, 0.5])
    got = laplacian(lambda x: ft.numpy.prod(ft.numpy.sin(x)))(ft.numpy.asarray(x))
    agree(got, -3 * np.prod(np.sin(x)), 1e-12)


def test_implicit_derivative_of_a_fixed_point(oracle):
    w, b = 0.3 * RANDOM.normal(size=(3, 3)), RANDOM.normal(size=3)

    def program(lib, page, w, b):
        f = page["equilibrium"]
        return f(w, b), lib.jacrev(f, (0, 1))(w, b), lib.jacfwd(f, 1)(w, b)

    x, (_, by_b), forward = run_both("equations", oracle, program, w, b)
    slope = np.diag(1 - np.asarray(x) ** 2)
    want = np.linalg.solve(np.eye(3) - slope @ w, slope)
    agree((by_b, forward), (want, want), 1e-9)


def test_sensitivities_of_an_ode(oracle):
    times = np.linspace(0.0, 1.0, 41)

    def program(lib, page, rate, times):
        f = page["decay"]
        return f(rate, times), lib.jacfwd(f)(rate, times), lib.jacrev(lib.jacrev(f))(rate, times)

    y, first, second = run_both("equations", oracle, program, np.array(2.0), times)
    t = times[1:]
    exact = np.exp(-2 * t)
    agree((y, first, second), (exact, -t * exact, t * t * exact), 1e-6)
