"""The transforms on pytrees, against JAX: what they take, what they return, in which structure.

Each case is written once, as a function of a library and its numpy, and run with both.
"""

import inspect
from typing import NamedTuple

import functape as ft

# isort: split
import pytest
from comparing import agree


class Point(NamedTuple):
    x: object
    y: object


def vector(np):
    return np.array([0.5, -1.0, 2.0])


def params(np):
    return {"w": np.array([[1.0, 2.0], [3.0, -1.0]]), "b": [np.array([0.5, -0.5]), None]}


def loss(np):
    """A scalar function of `params` and a vector."""
    return lambda p, x: np.sum(np.tanh(p["w"] @ x + p["b"][0]) ** 2)


def two(np):
    return np.array([1.0, -2.0])


def outputs(np):
    """A function from two vectors to a tree."""
    return lambda x, y: {"a": np.sin(x) * y, "b": (np.sum(x * y), [x[:1]])}


def triple(np):
    return lambda x, y, z: np.sum(x * y**2 + z**3 * x)


GRAD = {
    "one": lambda t, np: t.grad(lambda x: np.sum(np.sin(x)))(vector(np)),
    "scalar": lambda t, np: t.grad(np.tanh)(0.5),
    "argnums_1": lambda t, np: t.grad(triple(np), argnums=1)(two(np), two(np), two(np)),
    "argnums_-1": lambda t, np: t.grad(triple(np), argnums=-1)(two(np), two(np), two(np)),
    "argnums_tuple": lambda t, np: t.grad(triple(np), (0, 2))(two(np), two(np), two(np)),
    "argnums_order": lambda t, np: t.grad(triple(np), (2, 0))(two(np), two(np), two(np)),
    "argnums_list": lambda t, np: t.grad(triple(np), [1])(two(np), two(np), two(np)),
    "argnums_negatives": lambda t, np: t.grad(triple(np), (-1, 0))(two(np), two(np), two(np)),
    "dict": lambda t, np: t.grad(loss(np))(params(np), two(np)),
    "dict_and_array": lambda t, np: t.grad(loss(np), (0, 1))(params(np), two(np)),
    "tuple": lambda t, np: t.grad(lambda p: np.sum(p[0] * p[1][0]))((two(np), [two(np)])),
    "namedtuple": lambda t, np: t.grad(lambda p: np.sum(p.x * p.y))(Point(two(np), 3.0)),
    "none": lambda t, np: t.grad(lambda p: np.sum(p[0]))((two(np), None)),
    "empty_tree": lambda t, np: t.grad(lambda x, p: np.sum(x), (0, 1))(two(np), {}),
    "empty_array": lambda t, np: t.grad(lambda x: np.sum(x))(np.zeros((0, 2))),
    "unused": lambda t, np: t.grad(lambda x, y: np.sum(x), (0, 1))(two(np), vector(np)),
    "constant": lambda t, np: t.grad(lambda x: 3.0)(two(np)),
    "identity": lambda t, np: t.grad(lambda x: x)(2.0),
    "same_array_twice": lambda t, np: (lambda x: t.grad(lambda a, b: np.sum(a * b**2), (0, 1))(x,
                                                                                               x))(
        two(np)),
    "kwargs": lambda t, np: t.grad(lambda x, *, k: np.sum(k["a"] * x))(two(np), k={"a": two(np)}),
    "integer_rest": lambda t, np: t.grad(lambda x, n: np.sum(x**n))(two(np), 3),
    "string_rest": lambda t, np: t.grad(lambda x, s: np.sum(x) * len(s))(two(np), "abc"),
    "aux": lambda t, np: t.grad(lambda x: (np.sum(x**2), {"y": x + 1}), has_aux=True)(two(np)),
    "value": lambda t, np: t.value_and_grad(loss(np))(params(np), two(np)),
    "value_aux": lambda t, np: t.value_and_grad(
        lambda x: (np.sum(x**2), (x, None)), has_aux=True)(two(np)),
    "value_argnums": lambda t, np: t.value_and_grad(triple(np), (1, 2))(two(np), two(np), two(np)),
    "holomorphic": lambda t, np: t.grad(lambda z: z**3 + 2j * z, holomorphic=True)(
        np.array(1 + 2j, "complex64")),
    "complex_input": lambda t, np: t.grad(lambda z: np.sum(abs(z) ** 2))(
        np.array([1 + 2j, 3j], "complex64")),
    "second": lambda t, np: t.grad(t.grad(lambda x: x**4))(2.0),
    "of_tree_of_grad": lambda t, np: t.grad(lambda x: np.sum(
        t.grad(loss(np))(params(np), x)["w"] ** 2))(two(np)),
    "stop_gradient": lambda t, np: t.grad(lambda x: np.sum(x * stop(t)(x)))(two(np)),
    "stop_gradient_tree": lambda t, np: t.grad(lambda x: np.sum(x * stop(t)({"a": [x]})["a"][0]))(
        two(np)),
}
VJP_JVP = {
    "vjp": lambda t, np: pulled(t.vjp(outputs(np), two(np), two(np))),
    "vjp_scalar": lambda t, np: (lambda r: (r[0], r[1](2.0)))(t.vjp(np.sin, 0.5)),
    "vjp_three": lambda t, np: (lambda r: (r[0], r[1](r[0])))(
        t.vjp(triple(np), two(np), two(np), two(np))),
    "vjp_dict": lambda t, np: (lambda r: (r[0], r[1](r[0])))(t.vjp(loss(np), params(np), two(np))),
    "vjp_aux": lambda t, np: (lambda r: (r[0], r[1](r[0]), r[2]))(
        t.vjp(lambda x: (np.sin(x), [x, None]), two(np), has_aux=True)),
    "vjp_namedtuple": lambda t, np: (lambda r: r[1](Point(two(np), two(np))))(
        t.vjp(lambda x: Point(x * 2, x**2), two(np))),
    "vjp_none_output": lambda t, np: (lambda r: (r[0], r[1]((two(np), None))))(
        t.vjp(lambda x: (x * 2, None), two(np))),
    "vjp_unused": lambda t, np: (lambda r: r[1](two(np)))(t.vjp(lambda x, y: y, two(np), two(np))),
    "vjp_of_vjp": lambda t, np: t.vjp(lambda x: t.vjp(np.sin, x)[1](x)[0], two(np))[1](two(np)),
    "jvp": lambda t, np: t.jvp(outputs(np), (two(np), two(np)), (two(np), two(np))),
    "jvp_list": lambda t, np: t.jvp(np.sin, [two(np)], [two(np)]),
    "jvp_scalar": lambda t, np: t.jvp(np.sin, (0.5,), (2.0,)),
    "jvp_dict": lambda t, np: t.jvp(loss(np), (params(np), two(np)), (params(np), two(np))),
    "jvp_aux": lambda t, np: t.jvp(lambda x: (np.sin(x), {"x": x}), (two(np),), (two(np),),
                                   has_aux=True),
    "jvp_constant": lambda t, np: t.jvp(lambda x: (x, np.ones(2)), (two(np),), (two(np),)),
    "jvp_of_jvp": lambda t, np: t.jvp(lambda x: t.jvp(np.sin, (x,), (x,))[1], (two(np),),
                                      (two(np),)),
    "jvp_of_grad": lambda t, np: t.jvp(t.grad(loss(np)), (params(np), two(np)),
                                       (params(np), two(np))),
    "linearize": lambda t, np: (lambda r: (r[0], r[1](two(np)), r[1](two(np) * 2)))(
        t.linearize(np.sin, two(np))),
    "linearize_tree": lambda t, np: (lambda r: (r[0], r[1](params(np), two(np))))(
        t.linearize(loss(np), params(np), two(np))),
    "linear_transpose": lambda t, np: t.linear_transpose(lambda x: np.sum(3 * x), two(np))(2.0),
    "linear_transpose_tree": lambda t, np: t.linear_transpose(
        lambda x, y: {"a": x + 2 * y}, two(np), two(np))({"a": two(np)}),
}
JACOBIANS = {
    name: case for jac in ("jacrev", "jacfwd") for name, case in {
        f"{jac}_vector": lambda t, np, j=jac: getattr(t, j)(lambda x: np.sin(x) * x[0])(vector(np)),
        f"{jac}_scalar": lambda t, np, j=jac: getattr(t, j)(np.sin)(0.5),
        f"{jac}_matrix": lambda t, np, j=jac: getattr(t, j)(lambda x: x @ x.T)(params(np)["w"]),
        f"{jac}_tree": lambda t, np, j=jac: getattr(t, j)(
            lambda p: {"o": (p["a"] * p["b"][0], np.sum(p["a"]))})({"a": two(np),
                                                                    "b": [3.0, None]}),
        f"{jac}_argnums": lambda t, np, j=jac: getattr(t, j)(lambda x, y: x * y[:1], (1, 0))(
            two(np), vector(np)),
        f"{jac}_argnums_-1": lambda t, np, j=jac: getattr(t, j)(lambda x, y: x * y[:1], -1)(
            two(np), vector(np)),
        f"{jac}_aux": lambda t, np, j=jac: getattr(t, j)(lambda x: (x**2, {"x": x}), has_aux=True)(
            two(np)),
        f"{jac}_kwargs": lambda t, np, j=jac: getattr(t, j)(lambda x, *, k: x * k)(two(np),
                                                                                   k=two(np)),
        f"{jac}_independent": lambda t, np, j=jac: getattr(t, j)(lambda x: np.ones(3))(two(np)),
        f"{jac}_namedtuple": lambda t, np, j=jac: getattr(t, j)(lambda p: Point(p.x * p.y, p.y))(
            Point(two(np), 2.0)),
        f"{jac}_holomorphic": lambda t, np, j=jac: getattr(t, j)(lambda z: z**2, holomorphic=True)(
            np.array([1 + 2j, 3j], "complex64")),
        f"{jac}_of_grad": lambda t, np, j=jac: getattr(t, j)(t.grad(loss(np), 1), 0)(
            params(np), two(np)),
        f"{jac}_of_{jac}": lambda t, np, j=jac: getattr(t, j)(getattr(t,
                                                                      j)(lambda x: x**3))(two(np)),
    }.items()
}
JACOBIANS |= {
    "hessian": lambda t, np: t.hessian(lambda x: np.sum(x**3) * x[0])(vector(np)),
    "hessian_tree": lambda t, np: t.hessian(lambda p: p["a"] * np.sum(p["b"] ** 2) + p["a"] ** 3)(
        {"a": 2.0, "b": two(np)}),
    "hessian_argnums": lambda t, np: t.hessian(triple(np), (0, 2))(two(np), two(np), two(np)),
    "hessian_argnums_1": lambda t, np: t.hessian(triple(np), 1)(two(np), two(np), two(np)),
    "hessian_vector_output": lambda t, np: t.hessian(lambda x: x**3)(two(np)),
    "hessian_aux": lambda t, np: t.hessian(lambda x: (np.sum(x**3), {"x": x}),
                                           has_aux=True)(two(np)),
    "third": lambda t, np: t.jacfwd(t.hessian(lambda x: np.sum(x**4)))(two(np)),
}


def square(np):
    return np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


VMAP = {
    "one": lambda t, np: t.vmap(np.sum)(square(np)),
    "axis_1": lambda t, np: t.vmap(np.sum, in_axes=1)(square(np)),
    "axis_-1": lambda t, np: t.vmap(np.sin, in_axes=-1, out_axes=-1)(square(np)),
    "none": lambda t, np: t.vmap(lambda x, y: x @ y, (0, None))(square(np), vector(np)),
    "two_axes": lambda t, np: t.vmap(lambda x, y: x * y, (0, 1))(square(np), square(np).T),
    "list_of_axes": lambda t, np: t.vmap(lambda x, y: x * y, [0, None])(square(np), vector(np)),
    "out_axes": lambda t, np: t.vmap(lambda x: (x, np.sum(x)), out_axes=(1, 0))(square(np)),
    "out_axes_dict": lambda t, np: t.vmap(lambda x: {"a": x, "b": x}, out_axes={"a": 1, "b": 0})(
        square(np)),
    "in_axes_dict": lambda t, np: t.vmap(lambda p: p["a"] * p["b"], ({"a": 0, "b": None},))(
        {"a": square(np), "b": vector(np)}),
    "in_axes_prefix": lambda t, np: t.vmap(lambda p, x: np.sum(p[0]) * p[1][0] + x, (0, None))(
        (square(np), [two(np)]), 1.0),
    "tree": lambda t, np: t.vmap(lambda p: {"o": [p["a"] * 2, None]})({"a": square(np), "n": None}),
    "constant_output": lambda t, np: t.vmap(lambda x: (x, np.ones(2), 3.0))(square(np)),
    "out_axes_none": lambda t, np: t.vmap(lambda x, y: (x * 1, y), (0, None), (0, None))(
        square(np), vector(np)),
    "kwargs": lambda t, np: t.vmap(lambda x, *, y: x * y)(square(np), y=square(np)),
    "nested": lambda t, np: t.vmap(t.vmap(lambda x, y: x * y, (None, 0)), (0, None))(
        two(np), vector(np)),
    "nested_axes": lambda t, np: t.vmap(t.vmap(np.sum, 1), 1,
                                        0)(np.reshape(np.arange(24.0), (2, 3, 4))),
    "of_grad": lambda t, np: t.vmap(t.grad(lambda x, w: np.sum(np.tanh(x * w))), (0, None))(
        square(np), vector(np)),
    "grad_of": lambda t, np: t.grad(lambda w: np.sum(t.vmap(lambda x: np.tanh(x @ w))(square(np))))(
        vector(np)),
    "of_grad_tree": lambda t, np: t.vmap(t.grad(loss(np)), (None, 0))(params(np),
                                                                      square(np)[:, :2]),
    "of_jacrev": lambda t, np: t.vmap(t.jacrev(lambda x: np.sin(x) * x[0]))(square(np)),
    "of_hessian": lambda t, np: t.vmap(t.hessian(lambda x: np.sum(x**3)))(square(np)),
    "jacfwd_of": lambda t, np: t.jacfwd(t.vmap(lambda x: np.sum(x**2)))(square(np)),
    "of_vjp": lambda t, np: t.vmap(lambda x, g: t.vjp(np.sin, x)[1](g)[0])(square(np), square(np)),
    "pullback": lambda t, np: t.vmap(t.vjp(np.sin, vector(np))[1])(square(np)),
    "of_jvp": lambda t, np: t.vmap(lambda x, d: t.jvp(np.sin, (x,), (d,)))(square(np), square(np)),
    "jvp_of": lambda t, np: t.jvp(t.vmap(np.sum), (square(np),), (square(np),)),
    "axis_size": lambda t, np: t.vmap(lambda: np.ones(2), axis_size=3)(),
    "matmul": lambda t, np: t.vmap(lambda x: x @ x.T)(np.reshape(np.arange(12.0), (2, 2, 3))),
    "integers": lambda t, np: t.vmap(lambda i: i + 1)(np.arange(3)),
}
JIT = {
    "one": lambda t, np: t.jit(lambda x: np.sum(x * x))(vector(np)),
    "tree": lambda t, np: t.jit(lambda p: {"o": (p["a"] + 1, None)})({"a": two(np), "n": None}),
    "static": lambda t, np: t.jit(lambda x, n: x * n, static_argnums=1)(two(np), 3),
    "static_name": lambda t, np: t.jit(lambda x, n: x * len(n), static_argnames="n")(two(np),
                                                                                     n="ab"),
    "of_grad": lambda t, np: t.jit(t.grad(loss(np)))(params(np), two(np)),
    "grad_of": lambda t, np: t.grad(t.jit(loss(np)))(params(np), two(np)),
    "of_vmap": lambda t, np: t.jit(t.vmap(np.sum))(square(np)),
    "vmap_of": lambda t, np: t.vmap(t.jit(np.sum))(square(np)),
    "of_jvp": lambda t, np: t.jit(lambda x: t.jvp(lambda a: a * a, (x,), (x,)))(two(np)),
    "nested": lambda t, np: t.jit(lambda x: t.jit(lambda y: y * 2)(x) + 1)(two(np)),
    "closure": lambda t, np: t.grad(lambda w: t.jit(lambda x: np.sum(w * x))(two(np)))(two(np)),
    "kwargs": lambda t, np: t.jit(lambda x, *, y: x + y)(two(np), y=two(np)),
}
CASES = {f"{group}:{name}": case for group, cases in {
    "grad": GRAD, "vjp_jvp": VJP_JVP, "jac": JACOBIANS, "vmap": VMAP, "jit": JIT,
}.items() for name, case in cases.items()}


def stop(t):
    return t.stop_gradient if hasattr(t, "stop_gradient") else t.lax.stop_gradient


def pulled(result):
    """Output and cotangents, for a cotangent like the output."""
    out, pullback = result
    return out, pullback(out)


@pytest.mark.parametrize("label", CASES)
def test_same_as_jax(label, oracle):
    agree(CASES[label](ft, ft.numpy), CASES[label](oracle, oracle.numpy))


ALIKE = ("grad", "value_and_grad", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "vmap", "linearize",
         "linear_transpose", "custom_vjp", "custom_jvp", "checkpoint")
# Of no meaning here: devices, sharding, and what JAX keeps for old callers
WITHOUT = {"reduce_axes", "spmd_axis_name", "fun", "f", "prevent_cse", "concrete", "static_argnums",
           "static_argnames", "sum_match"}


@pytest.mark.parametrize("name", ALIKE)
def test_parameters_are_those_of_jax(name, oracle):
    """By name, kind, order and default, with or without additions at the end."""

    def parameters(f):
        return {k: (p.kind, p.default) for k, p in inspect.signature(f).parameters.items()
                if k not in WITHOUT}

    ours = parameters(getattr(ft, name))
    for k, (kind, default) in parameters(getattr(oracle, name)).items():
        assert k in ours, f"{name} lacks the parameter {k}"
        assert ours[k][1] == default, f"{name}: the default of {k} is {ours[k][1]!r}"
        assert ours[k][0] == kind or kind == inspect.Parameter.POSITIONAL_OR_KEYWORD, k


def test_jit_takes_static_arguments_by_position_and_name(oracle):
    theirs = inspect.signature(oracle.jit).parameters
    for name in ("static_argnums", "static_argnames"):
        assert name in theirs and name in inspect.signature(ft.jit).parameters


def test_hvp_is_hessian_times_vector():
    np = ft.numpy
    x, v = vector(np), np.array([1.0, 0.0, -2.0])

    def f(x):
        return np.sum(x**3) * x[0]

    agree(ft.hvp(f, (x,), (v,)), ft.hessian(f)(x) @ v)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_chunks_do_not_change_results(size):
    np = ft.numpy
    x = np.reshape(np.arange(15.0), (5, 3)) / 7

    def f(x):
        return np.sin(x) * x[0]

    agree(ft.vmap(f, chunk_size=size)(x), ft.vmap(f)(x))
    for jac in (ft.jacrev, ft.jacfwd, ft.hessian):
        agree(jac(f, chunk_size=size)(x[0]), jac(f)(x[0]))
