"""Wrong uses of the transforms: (call, error, the argument, the remedy)."""

from errors.given import A, squares, x3

import functape as ft
import functape.numpy as np
from functape import lax
from functape.errors import ArgumentError, ConcretizationError, LinearityError, ShapeError


def custom(fwd, bwd):
    """The gradient of a sum with such a reverse rule."""
    @ft.custom_vjp
    def wave(x):
        return np.sin(x)

    if fwd is not None:
        wave.defvjp(fwd, bwd)
    return ft.grad(lambda x: np.sum(wave(x)))(x3)


def pushed(rule):
    """The tangent with such a forward rule."""
    @ft.custom_jvp
    def wave(x):
        return np.sin(x)

    wave.defjvp(rule)
    return ft.jvp(wave, (x3,), (x3,))


def only_reverse():
    wave = ft.custom_vjp(lambda x: np.sin(x))
    wave.defvjp(lambda x: (np.sin(x), x), lambda r, g: (g * np.cos(r),))
    return ft.jvp(wave, (x3,), (x3,))


def traced(f, *args):
    return lambda: ft.jit(f, fallback=False)(*args)


DERIVATIVES = {
    "not_a_function": (lambda: ft.grad(squares(x3)), ArgumentError, r"grad.*float32\[\]",
                       r"itself, f, not its result"),
    "hvp_not_a_function": (lambda: ft.hvp(3, (x3,), (x3,)), ArgumentError, "hvp.*3", "itself"),
    "not_linear": (lambda: ft.linear_transpose(lambda x: x * np.exp(2.0 * x), x3), LinearityError,
                   "applies exp", r"vjp\(f, \*primals\)"),
    "vector": (lambda: ft.grad(np.sin)(x3), ArgumentError, r"float32\[3\]", r"\.sum\(\).*jacrev"),
    "integer": (lambda: ft.grad(lambda p: squares(p["w"]))({"w": np.arange(3)}), ArgumentError,
                r"args\[0\]\['w'\] is int32\[3\]", r"astype.*argnums"),
    "set": (lambda: ft.grad(lambda s: 1.0)({1.0}), ArgumentError, r"args\[0\] is set",
            "register its class"),
    "argnums": (lambda: ft.grad(squares, argnums=1)(x3), ShapeError, "argnums.*1", "1 positional"),
    "argnums_text": (lambda: ft.grad(squares, argnums="w")(x3), ArgumentError, "argnums.*str",
                     "use argnames"),
    "argnames": (lambda: ft.grad(squares, argnames="w")(x3), ShapeError, "argnames.*'w'",
                 "without such an argument"),
    "aux": (lambda: ft.grad(squares, has_aux=True)(x3), ArgumentError, "has_aux", "pair"),
    "holomorphic": (lambda: ft.grad(np.abs, holomorphic=True)(1 + 2j), ArgumentError,
                    r"float32\[\]", "complex inputs and results"),
    "result_text": (lambda: ft.jacrev(lambda x: "s")(x3), ArgumentError, "str", "has_aux=True"),
    "cotangent": (lambda: ft.vjp(np.sin, x3)[1](np.ones(2)), ShapeError, r"\(3,\).*\(2,\)",
                  "must have the shape"),
    "cotangent_dtype": (lambda: ft.vjp(np.sin, x3)[1](x3.astype(ft.float16)), ArgumentError,
                        "float16", "astype"),
    "cotangent_keys": (lambda: ft.vjp(lambda x: {"a": x}, x3)[1]({"b": x3}), ArgumentError,
                       r"\['b'\]: only in", r"tree\.map"),
    "jvp_list": (lambda: ft.jvp(np.sin, x3, x3), ArgumentError, "primals", r"\(x,\)"),
    "tangent": (lambda: ft.jvp(np.sin, (x3,), (np.ones(2),)), ShapeError, r"tangent 0.*\(2,\)",
                "Broadcast or reshape"),
    "tangent_tree": (lambda: ft.jvp(lambda p: p["a"], ({"a": x3},), ({"b": x3},)), ArgumentError,
                     r"\['b'\]: only in the tangent", r"tree\.map"),
    "chunk": (lambda: ft.jacfwd(np.sin, chunk_size=0)(x3), ArgumentError, "chunk_size.*0",
              "positive integer"),
    "eval_shape": (lambda: ft.eval_shape(np.sin, "a"), ArgumentError, "leaf 0.*str",
                   "a shape and a dtype"),
    "form": (lambda: ft.ShapeDtypeStruct((3,), "float33"), ArgumentError, "'float33'",
             r"functape\.float32"),
    "make_tape": (lambda: ft.make_tape(np.sin)("x"), ArgumentError, "argument 0 is str",
                  "array or a number"),
}

MAPS = {
    "not_a_function": (lambda: ft.vmap(x3), ArgumentError, r"vmap.*float32\[3\]", "itself, f"),
    "lengths": (lambda: ft.vmap(np.add)(x3, np.ones(4)), ShapeError, "3: leaf 0.*4: leaf 1",
                "must have one length"),
    "scalar": (lambda: ft.vmap(ft.vmap(np.sin))(x3), ShapeError, "leaf 0.*no axis 0",
               "the axis None"),
    "none": (lambda: ft.vmap(np.sin, in_axes=None)(x3), ShapeError, "no argument is mapped",
             "in_axes, or pass axis_size"),
    "in_axes": (lambda: ft.vmap(np.sin, in_axes=(0, 0))(x3), ShapeError, "in_axes.*2", "1"),
    "in_axes_tree": (lambda: ft.vmap(lambda p: p["a"], in_axes=({"a": 0, "z": 1},))({"a": x3}),
                     ShapeError, "'z'", "prefix"),
    "out_axes": (lambda: ft.vmap(lambda x: x, out_axes=-3)(x3), ShapeError, "out_axes -3",
                 "result of 1 axes"),
    "axis_size": (lambda: ft.vmap(np.sin, axis_size=4)(x3), ShapeError, "4: axis_size",
                  "one length"),
    "axis_name": (lambda: ft.vmap(lambda x: lax.psum(x, "j"), axis_name="i")(x3), ArgumentError,
                  "'j'.*'i'", "Pass axis_name"),
    "psum_outside": (lambda: lax.psum(x3, "i"), ArgumentError, "'i'", "Pass axis_name to vmap"),
    "if": (lambda: ft.vmap(lambda x: x if x > 0 else -x)(x3), ConcretizationError, r"bool\[\]",
           "where or functape.lax.cond"),
    "range": (lambda: ft.vmap(lambda n: list(range(n)))(np.arange(3)), ConcretizationError,
              r"int32\[\]", "in_axes=None"),
    "numpy": (lambda: ft.vmap(lambda x: x.numpy())(x3), ConcretizationError, r"float32\[\]",
              "functape.numpy"),
    "chunk": (lambda: ft.vmap(np.sin, chunk_size=1.5)(x3), ArgumentError, r"chunk_size.*1\.5",
              "positive integer or None"),
}

COMPILED = {
    "not_a_function": (lambda: ft.jit("f"), ArgumentError, "str", "itself, f"),
    "text": (lambda: ft.jit(lambda x, s: x)(x3, "relu"), ArgumentError, r"args\[1\] is str",
             "static_argnums"),
    "unhashable": (lambda: ft.jit(lambda x, n: x, static_argnums=1)(x3, [1]), ArgumentError,
                   "list of 1", "hashable"),
    "if": (traced(lambda x: x if x[0] > 0 else -x, x3), ConcretizationError,
           r"line \d+ of .*of_transforms\.py", "where, cond"),
    "item": (traced(lambda x: x * x[0].item(), x3), ConcretizationError, r"of_transforms\.py",
             "make the argument static"),
    "mask": (traced(lambda x: x[x > 0], x3), ConcretizationError, r"of_transforms\.py",
             "fallback=True"),
    "unique": (traced(lambda x: np.unique(x), x3), ConcretizationError, r"of_transforms\.py",
               "fallback=True"),
    "delete": (lambda: ft.vmap(lambda x: np.delete(x, np.array([0, 1]) * (x[0] > 0)))(
        np.ones((2, 3))), ConcretizationError, r"int32\[2\]", "assume_unique_indices=True"),
    "result": (lambda: ft.jit(lambda x: "s")(x3), ArgumentError, "its result is str",
               "has_aux=True"),
}

RULES = {
    "vjp_none": (lambda: custom(None, None), ArgumentError, "wave has no rule", "defvjp"),
    "vjp_of_number": (lambda: ft.custom_vjp(3), ArgumentError, "3", "takes a function"),
    "fwd": (lambda: custom(np.sin, lambda r, g: (g,)), ArgumentError, r"fwd.*float32\[3\]",
            r"pair \(out, residuals\)"),
    "bwd_count": (lambda: custom(lambda x: (np.sin(x), x), lambda r, g: (g, g)), ArgumentError,
                  "bwd.*tuple of 2", r"tuple of 1 cotangent"),
    "bwd_array": (lambda: custom(lambda x: (np.sin(x), x), lambda r, g: g), ArgumentError,
                  r"bwd.*float32\[3\]", "tuple of 1"),
    "bwd_shape": (lambda: custom(lambda x: (np.sin(x), x), lambda r, g: (np.ones(5),)), ShapeError,
                  r"cotangent 0.*float32\[5\]", r"shape of its argument, \(3,\)"),
    "bwd_tree": (lambda: custom(lambda x: (np.sin(x), x), lambda r, g: ([g, g],)), ArgumentError,
                 "cotangent 0.*a list of 2", "structure of argument 0"),
    "defvjp": (lambda: ft.custom_vjp(np.sin).defvjp(3, 4), ArgumentError, "3", "function itself"),
    "jvp_pair": (lambda: pushed(lambda p, t: t[0]), ArgumentError, r"float32\[3\]",
                 r"pair \(out, tangent\)"),
    "jvp_shape": (lambda: pushed(lambda p, t: (np.sin(p[0]), np.ones(5))), ShapeError,
                  r"float32\[5\]", "Multiply it by the derivative"),
    "jvp_tree": (lambda: pushed(lambda p, t: (np.sin(p[0]), (t[0], t[0]))), ArgumentError,
                 "a tuple of 2 in the tangent", "structure of the output"),
    "jvp_of_vjp": (only_reverse, ArgumentError, "no forward rule", "Use custom_jvp"),
    "checkpoint": (lambda: ft.checkpoint(3), ArgumentError, "3", "function itself"),
    "checkpoint_policy": (lambda: ft.checkpoint(np.sin, policy="dots"), ArgumentError, "'dots'",
                          "checkpoint_policies"),
}

LOOPS = {
    "carry": (lambda: lax.scan(lambda c, x: (np.ones(2), x), 0.0, x3), ArgumentError,
              r"float32\[\] went in, float32\[2\] came out", "must keep"),
    "scan_pair": (lambda: lax.scan(lambda c, x: c, 0.0, x3), ArgumentError, r"float32\[\]",
                  r"pair \(carry, y\)"),
    "scan_lengths": (lambda: lax.scan(lambda c, x: (c, x), 0.0, (x3, np.ones(2))), ShapeError,
                     r"xs\[1\]: float32\[2\]", "must agree"),
    "scan_endless": (lambda: lax.scan(lambda c, x: (c, x), 0.0, None), ShapeError, "xs", "length="),
    "predicate": (lambda: lax.cond(x3 > 0, lambda: 1.0, lambda: 2.0), ArgumentError, r"bool\[3\]",
                  r"\.all\(\) or \.any\(\)"),
    "branches": (lambda: lax.cond(True, 1, 2), ArgumentError, r"1 \(int\)", "two functions"),
    "switch": (lambda: lax.switch(0, []), ArgumentError, "list of 0|\\[\\]", "one or more"),
    "switch_index": (lambda: lax.switch(0.5, [lambda: 1.0]), ArgumentError, r"float32\[\]",
                     "Use cond"),
    "while": (lambda: lax.while_loop(lambda c: c, lambda c: c, x3), ArgumentError, r"float32\[3\]",
              r"\.all\(\) or \.any\(\)"),
    "fori": (lambda: lax.fori_loop(0, "n", lambda i, c: c, 0.0), ArgumentError, "upper.*str",
             "must be a number"),
    "slice": (lambda: lax.dynamic_slice(x3, (0,), (5,)), ShapeError, r"\(5,\)", "none longer"),
    "approx_min_k": (lambda: lax.approx_min_k(x3, 5), ShapeError, "k is 5", "choose one of 0 to 3"),
    "top_k": (lambda: lax.top_k(x3, 5), ShapeError, "k is 5", "choose one of 0 to 3"),
    "dot_general": (lambda: lax.dot_general(A, A, (((1,), (0,)), ((), ()))), ShapeError,
                    r"\(1,\).*\(0,\)", "equal lengths"),
}
