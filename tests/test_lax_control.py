"""Control flow and loops against jax.lax: values, both modes, second order, vmap and jit."""

import functape as ft

# isort: split
import numpy as np
import pytest
from agreement import agree, close

from functape.errors import ArgumentError, ShapeError

rng = np.random.default_rng(2)
W = rng.normal(size=(3, 3)) / 2


def real(*shape):
    return rng.normal(size=shape)


def cell(m, w):
    def step(c, x):
        return {"h": m.numpy.tanh(w @ c["h"] + x["a"]), "n": c["n"] + 1}, c["h"] * x["b"]

    return step


def rnn(m, **options):
    """A recurrent net whose carry and inputs are dicts, one entry an integer."""

    def run(w, h, a, b):
        carry, ys = m.lax.scan(cell(m, w), {"h": h, "n": m.numpy.asarray(0)}, {"a": a, "b": b},
                               **options)
        return carry["h"] * ys.sum(0) + carry["n"]

    return run


def power_series(m):
    """Without xs: the length tells."""

    def run(x):
        (total, _), terms = m.lax.scan(
            lambda c, _: ((c[0] + c[1], c[1] * x / 2), c[1]), (x * 0.0, x), None, length=5)
        return total + terms.sum()

    return run


def branches(m):
    return [lambda x, y: m.numpy.sin(x) * y, lambda x, y: x * x, lambda x, y: y / x]


ROWS = {
    "scan": (lambda m: rnn(m), W, real(3), real(4, 3), real(4, 3)),
    "scan_reverse": (lambda m: rnn(m, reverse=True, unroll=2), W, real(3), real(4, 3), real(4, 3)),
    "scan_length": (power_series, real(2)),
    "scan_number": (lambda m: lambda x: m.lax.scan(
        lambda c, x: (c * x + 1.0, c), 0.0, x)[1], real(4)),
    "cond_under_vmap": (lambda m: lambda x: m.lax.cond(
        x.sum() > 0, lambda x: m.numpy.exp(x), lambda x: x * x * x, x), real(2)),
    "switch_under_vmap": (lambda m: lambda x, y: m.lax.switch(
        m.numpy.asarray(m.numpy.floor(x * 10) % 3, dtype="int32"), branches(m), x, y),
        np.array(0.437), np.array(1.3)),
    "fori": (lambda m: lambda x: m.lax.fori_loop(
        0, 4, lambda i, v: m.numpy.sin(v) * (i + 1), x), real(3)),
    "map": (lambda m: lambda x: m.lax.map(lambda r: r.sum() * r, x), real(4, 3)),
    "map_batches": (lambda m: lambda x: m.lax.map(lambda r: r.sum() * r, x, batch_size=3),
                    real(5, 3)),
    "associative": (lambda m: lambda x: m.lax.associative_scan(m.numpy.multiply, x), real(5, 2)),
    "associative_matrices": (lambda m: lambda x: m.lax.associative_scan(
        m.numpy.matmul, x, reverse=True), real(4, 2, 2)),
    "associative_pairs": (lambda m: lambda a, b: m.lax.associative_scan(
        lambda s, t: (s[0] * t[0], t[0] * s[1] + t[1]), (a, b), axis=1)[1], real(2, 6),
        real(2, 6)),
}


@pytest.mark.parametrize("name", ROWS)
def test_derivatives(name, oracle):
    make, *args = ROWS[name]
    agree(oracle, make(ft), make(oracle), *args)


@pytest.mark.parametrize("name", ["scan", "cond_under_vmap", "switch_under_vmap"])
def test_jit(name):
    make, *args = ROWS[name]
    args = [ft.numpy.array(a) for a in args]
    f = make(ft)
    close(ft.jit(f, fallback=False)(*args), f(*args), 1e-12)


# --- while_loop: JAX has no reverse mode for it ---------------------------------------------------


def newton_sqrt(a):
    """Iterate until the change is small: as often as `a` needs."""
    def step(state):
        x, _ = state
        new = 0.5 * (x + a / x)
        return new, abs(new - x)

    return ft.lax.while_loop(lambda s: s[1] > 1e-12, step, (a, a))[0]


def test_while_loop_in_both_modes_to_second_order_and_under_vmap():
    a = np.array([0.5, 2.0, 900.0])
    d1, d2 = 0.5 / np.sqrt(a), -0.25 * a ** -1.5
    x = ft.numpy.array(a)

    def forward(f):
        return lambda x: ft.jvp(f, (x,), (ft.numpy.ones_like(x),))[1]

    reverse = ft.grad(newton_sqrt)
    for f, want in ((newton_sqrt, np.sqrt(a)), (reverse, d1), (forward(newton_sqrt), d1),
                    (ft.grad(reverse), d2), (forward(reverse), d2),
                    (ft.grad(forward(newton_sqrt)), d2)):
        np.testing.assert_allclose(ft.vmap(f)(x), want, rtol=1e-6)
        np.testing.assert_allclose([float(f(v)) for v in x], want, rtol=1e-6)


def test_while_loop_agrees_with_jax(oracle):
    def collatz(m):
        def step(s):
            n, count = s
            return m.numpy.where(n % 2 == 0, n // 2, 3 * n + 1), count + 1

        return lambda n: m.lax.while_loop(lambda s: s[0] > 1, step, (n, m.numpy.asarray(0)))[1]

    n = np.array([1, 6, 7, 27], dtype=np.int32)
    close(ft.vmap(collatz(ft))(ft.numpy.array(n)), oracle.vmap(collatz(oracle))(n))


def test_fori_loop_with_mapped_bounds(oracle):
    def total(m):
        return lambda n, x: m.lax.fori_loop(0, n, lambda i, v: v * x + i, 1.0)

    n, x = np.array([0, 3, 5]), np.array([2.0, 0.5, 1.5])
    got = ft.vmap(total(ft))(ft.numpy.array(n), ft.numpy.array(x))
    close(got, oracle.vmap(total(oracle))(n, x), 1e-12)


# --- what was not chosen --------------------------------------------------------------------------

UNSAFE = {
    "log": (lambda x: ft.numpy.log(x) * x, lambda x: 2.0 * x),
    "sqrt": (lambda x: x / ft.numpy.sqrt(x), lambda x: x * x),
    "nan": (lambda x: (x / x) * ft.numpy.nan ** (1 - x / x), lambda x: x),
}


@pytest.mark.parametrize(("name", "compiled"), [(n, False) for n in UNSAFE] + [("log", True)])
def test_the_derivative_of_an_unselected_branch_is_zero(name, compiled):
    """Where JAX gives NaN: 0 * inf in the branch that was not chosen."""
    first, second = UNSAFE[name]
    x = ft.numpy.array([0.0, 0.0, 3.0]) if name != "nan" else ft.numpy.array([0.0, 0.0])

    def f(x):
        return ft.lax.cond(x > 0, first, second, x)

    def tangent(x):
        return ft.jvp(f, (x,), (ft.numpy.ones_like(x),))[1]

    change = ft.jit if compiled else lambda f: f
    found = change(lambda x: [ft.vmap(g)(x) for g in (ft.grad(f), tangent, ft.grad(ft.grad(f)),
                                                      ft.grad(tangent))])(x)
    for got, want in zip(found, [ft.grad(second), ft.grad(second), ft.grad(ft.grad(second)),
                                 ft.grad(ft.grad(second))], strict=True):
        assert np.isfinite(np.asarray(got)).all()
        close(got[0], want(x[0]))


def test_an_unchosen_branch_does_not_run():
    def never(x):
        raise AssertionError

    assert float(ft.lax.cond(True, lambda x: x, never, 1.0)) == 1.0
    assert float(ft.grad(lambda x: ft.lax.cond(x > 0, lambda x: x * x, never, x))(3.0)) == 6.0
    assert float(ft.lax.switch(5, [never, lambda x: x], 1.0)) == 1.0
    assert float(ft.jvp(lambda x: ft.lax.cond(x < 0, never, abs, x), (1.0,), (2.0,))[1]) == 2.0


def test_cond_of_a_shared_parameter_makes_no_copies():
    """A weight that is the same for all examples stays so."""
    w = ft.numpy.ones((4, 4))

    def f(w, x):
        return ft.lax.cond(x.sum() > 0, lambda w, x: w @ x, lambda w, x: x, w, x)

    x = ft.numpy.array([[1.0] * 4, [-1.0] * 4])
    g = ft.grad(lambda w: ft.vmap(f, in_axes=(None, 0))(w, x).sum())(w)
    close(g, np.ones((4, 4)))


# --- no steps, no carry, no arrays ----------------------------------------------------------------


def test_no_steps(oracle):
    def f(m):
        return m.lax.scan(lambda c, x: (c + x.sum(), {"y": x * 2, "c": c}), 1.0,
                          m.numpy.zeros((0, 3)))

    got, want = f(ft), f(oracle)
    assert float(got[0]) == float(want[0])
    assert ft.tree.map(lambda a: a.shape, got[1]) == oracle.tree.map(lambda a: a.shape, want[1])
    assert ft.lax.map(lambda x: x * x, ft.numpy.zeros((0, 2)), batch_size=2).shape == (0, 2)
    assert float(ft.lax.fori_loop(3, 1, lambda i, v: v + 1, 5.0)) == 5.0


def test_a_carry_and_results_of_none():
    carry, ys = ft.lax.scan(lambda c, x: (c, None), None, ft.numpy.ones(2))
    assert carry is None and ys is None


ERRORS = {
    "carry dtype": (lambda: ft.lax.scan(lambda c, x: ({"a": c["a"] > 0, "b": c["b"]}, x),
                                        {"a": ft.numpy.ones(2), "b": 1.0}, ft.numpy.ones(2)),
                    r"(?s)\['a'\]: float32\[2\] went in, bool_?\[2\] came out"),
    "every path": (lambda: ft.lax.scan(
        lambda c, x: ({"a": c["a"][:1], "b": c["b"] > 0}, x),
        {"a": ft.numpy.ones(2), "b": ft.numpy.ones(1)}, ft.numpy.ones(2)),
        r"(?s)\['a'\].*\['b'\]"),
    "carry structure": (lambda: ft.lax.while_loop(
        lambda v: True, lambda v: {"a": v["a"], "c": 1.0}, {"a": 1.0, "b": (1.0,)}),
        r"(?s)\['b'\]: only in the old.*\['c'\]: only in the new"),
    "branch results": (lambda: ft.vmap(lambda x: ft.lax.cond(
        x > 0, lambda x: (x, x), lambda x: (x, x > 0), x))(ft.numpy.ones(2)),
        r"\[1\]: float32\[\] from true_fun, bool_?\[\] from false_fun"),
    "not a pair": (lambda: ft.lax.scan(lambda c, x: c, 0.0, ft.numpy.ones(2)), "pair"),
    "predicate": (lambda: ft.lax.cond(ft.numpy.ones(2) > 0, abs, abs, 1.0), "without axes"),
    "test": (lambda: ft.lax.while_loop(lambda v: v > 0, lambda v: v, ft.numpy.ones(2)),
             "without axes"),
    "index": (lambda: ft.lax.switch(True, [abs], 1.0), "integer"),
    "lengths": (lambda: ft.lax.scan(lambda c, x: (c, x), 0.0,
                                    (ft.numpy.ones(2), ft.numpy.ones(3))), r"(?s)xs\[0\].*xs\[1\]"),
    "no length": (lambda: ft.lax.scan(lambda c, x: (c, x), 0.0), "length"),
    "no array": (lambda: ft.lax.scan(lambda c, x: (c, x), "start", ft.numpy.ones(2)), "str"),
    "no function": (lambda: ft.lax.cond(True, 1.0, 2.0), "two functions"),
    "associative shapes": (lambda: ft.lax.associative_scan(
        lambda a, b: a.sum(), ft.numpy.ones(4)), "result of fn"),
    "float bounds": (lambda: ft.lax.fori_loop(0.0, 3.0, lambda i, v: v, 1.0), "integers"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, text = ERRORS[name]
    with pytest.raises((ArgumentError, ShapeError), match=text):
        call()


def test_jit_of_a_while_loop_falls_back():
    with pytest.warns(RuntimeWarning, match="while_loop"):
        assert float(ft.jit(newton_sqrt)(4.0)) == 2.0


# --- eval_shape -----------------------------------------------------------------------------------


def test_eval_shape_computes_nothing():
    big = ft.ShapeDtypeStruct((1 << 20, 1 << 20), "float32")

    def f(x, p):
        return {"y": (x @ x).sum(0), "p": ft.grad(lambda p: (p["w"] ** 2).sum())(p)}

    out = ft.eval_shape(f, big, {"w": np.ones((2, 3))})
    assert out == {"y": ft.ShapeDtypeStruct((1 << 20,), "float32"),
                   "p": {"w": ft.ShapeDtypeStruct((2, 3), "float64")}}
    with pytest.raises(TypeError, match="bool"):
        ft.eval_shape(lambda x: x if x.sum() > 0 else -x, big)
    with pytest.raises(TypeError, match="shape and a dtype"):
        ft.eval_shape(lambda x: x, "text")


def test_eval_shape_agrees_with_jax(oracle):
    def f(m):
        return lambda x, n: (m.numpy.linalg.norm(x, axis=0), n * 2, m.vmap(m.numpy.dot)(x, x))

    got, want = (m.eval_shape(f(m), np.ones((2, 3)), np.arange(4)) for m in (ft, oracle))
    for a, b in zip(got, want, strict=True):
        assert (a.shape, str(a.dtype).split(".")[-1]) == (b.shape, str(b.dtype))


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_checkpoint_trades_time_for_memory():
    """400 steps as 20 chunks of 20: the peak is that of 40, not of 400."""
    import mlx.core as mx

    n, size = 20, 100_000
    xs = ft.numpy.ones((n, n))

    def step(c, x):
        return ft.numpy.sin(c) * x, None

    def chunk(c, xs):
        return ft.lax.scan(step, c, xs)

    def loss(c, chunk):
        return ft.lax.scan(chunk, c, xs)[0].sum()

    peaks = []
    for f in (chunk, ft.checkpoint(chunk)):
        c = mx.full((size,), 0.5)
        mx.eval(c)
        mx.reset_peak_memory()
        before = mx.get_active_memory()
        mx.eval(ft.grad(lambda c, f=f: loss(c, f))(c))
        peaks.append((mx.get_peak_memory() - before) / (4 * size))
    assert peaks[0] > n * n and peaks[1] < 6 * n, peaks
