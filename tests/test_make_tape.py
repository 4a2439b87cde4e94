"""make_tape: the text of a tape."""

import functape as ft

# isort: split
import numpy as np
import pytest

jnp = ft.numpy


def text(f, *args, **kwargs):
    return str(ft.make_tape(f)(*args, **kwargs)).splitlines()


def test_a_line_for_each_operation():
    def model(p, x, scale=1.0):
        h = jnp.where(x > 0, jnp.tanh(x @ p["w"]), 0.0)
        return {"h": h[1:] * scale, "n": 3.0}

    assert text(model, {"w": jnp.eye(2)}, jnp.ones((3, 2)), scale=2.0) == [
        "%0 = p['w'] : float32[2,2]",
        "%1 = x : float32[3,2]",
        "%2 = greater(%1, 0) : bool[3,2]",
        "%3 = matmul(%1, %0) : float32[3,2]  saves x, y",
        "%4 = tanh(%3) : float32[3,2]  saves ans",
        "%5 = where(%2, %4, 0.0) : float32[3,2]  saves condition",
        "%6 = slice(%5, index=(1:3:1, :)) : float32[2,2]",
        "%7 = multiply(%6, 2.0) : float32[2,2]  saves y",
        "return {'h': %7, 'n': 3.0}",
    ]


def test_the_backward_pass_shows():
    lines = text(ft.grad(lambda x: jnp.sin(x) * x), 2.0)
    assert [line.split(" = ")[1].split("(")[0] for line in lines[1:-1]] == [
        "sin", "multiply", "multiply", "multiply", "cos", "multiply", "add"]


def test_several_outputs_and_constants():
    c = jnp.arange(4.0)
    lines = text(lambda x: jnp.split(x * c, 2), jnp.ones(4))
    assert lines[1] == "%1 = multiply(%0, float32[4]) : float32[4]  saves y"
    assert lines[2].startswith("%2, %3 = split(%1, at=(2,), axis=0) : float32[2], float32[2]")
    assert lines[-1] == "return [%2, %3]"


def test_integers_keep_nothing():
    assert text(lambda n, x: n * x, np.arange(3), jnp.ones(3))[2].endswith("saves x")
    assert "saves" not in text(lambda n: n * n, np.arange(3))[1]


def test_the_values_decide_branches():
    def f(x):
        return jnp.sin(x) if x > 0 else jnp.cos(x)

    assert "sin" in str(ft.make_tape(f)(1.0)) and "cos" in str(ft.make_tape(f)(-1.0))


def test_vmap_inside_and_around():
    assert "contract" in str(ft.make_tape(ft.vmap(lambda x, y: x @ y))(jnp.ones((4, 3)),
                                                                     jnp.ones((4, 3))))
    seen = []
    ft.vmap(lambda x: seen.append(ft.make_tape(lambda y: jnp.exp(y) * x)(x)) or x)(jnp.ones((2, 3)))
    assert "float32[3]" in str(seen[0])


def test_errors():
    with pytest.raises(TypeError, match="make_tape"):
        ft.make_tape(lambda x: "text")(1.0)
