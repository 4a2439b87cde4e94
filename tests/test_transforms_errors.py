"""Bad input: which error, what it says, and that nothing is left behind."""

import re

import functape as ft

# isort: split
import mlx.core as mx
import numpy as np
import pytest

from functape.errors import ArgumentError, FunctapeError, GraphError, InplaceError, ShapeError
from functape.op import levels
from functape.tape import mode

fnp = ft.numpy
X = mx.array([1.0, 2.0])
BYSTANDER = ft.tensor([1.0, 2.0], requires_grad=True)


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """Grad mode, levels and a tensor that everything may touch are as before."""
    before = (mode.recording, levels.depth, BYSTANDER.version, BYSTANDER.tolist())
    yield
    assert before == (mode.recording, levels.depth, BYSTANDER.version, BYSTANDER.tolist())
    assert BYSTANDER.is_leaf and BYSTANDER.requires_grad and BYSTANDER.grad is None
    assert ft.grad(lambda x: (x * BYSTANDER).sum())(X).tolist() == [1, 2]
    assert X.tolist() == [1, 2]


def total(x):
    return (x * BYSTANDER).sum()


def vector(x):
    return x * BYSTANDER


# label: (call, error, what its message names: the rule, the given, the remedy)
BAD = {
    # the loss
    "vector_loss": (lambda: ft.grad(vector)(X), FunctapeError, r"scalar.*float32\[2\].*jacrev"),
    "one_element_loss": (lambda: ft.grad(lambda x: x[:1])(X), FunctapeError,
                         r"scalar.*float32\[1\]"),
    "tree_loss": (lambda: ft.grad(lambda x: (total(x), total(x)))(X), ArgumentError,
                  "scalar.*has_aux"),
    "none_loss": (lambda: ft.grad(lambda x: None)(X), ArgumentError, "scalar"),
    "string_loss": (lambda: ft.grad(lambda x: "loss")(X), ArgumentError, "return.*str"),
    "object_loss": (lambda: ft.grad(lambda x: object())(X), ArgumentError, "return.*object"),
    "complex_loss": (lambda: ft.grad(lambda x: total(x) * 1j)(X), ArgumentError,
                     "complex64.*holomorphic"),
    "integer_loss": (lambda: ft.grad(lambda x: x.astype(mx.int32).sum())(X), ArgumentError,
                     "int32"),
    "holomorphic_of_real": (lambda: ft.grad(total, holomorphic=True)(X), ArgumentError, "complex"),
    "value_and_grad_vector": (lambda: ft.value_and_grad(vector)(X), FunctapeError,
                              "value_and_grad.*scalar"),
    "aux_not_a_pair": (lambda: ft.grad(total, has_aux=True)(X), ArgumentError, "has_aux.*pair"),
    "aux_of_three": (lambda: ft.grad(lambda x: (total(x), 1, 2), has_aux=True)(X), ArgumentError,
                     "pair.*3"),
    "hessian_of_string": (lambda: ft.hessian(lambda x: "no")(X), ArgumentError, "str"),
    # parameters
    "integer": (lambda: ft.grad(total)(mx.array([1, 2])), ArgumentError,
                r"args\[0\].*int32.*argnums"),
    "python_integer": (lambda: ft.grad(lambda x: x * x)(3), ArgumentError, r"args\[0\].*3 \(int\)"),
    "boolean": (lambda: ft.grad(total)(mx.array([True])), ArgumentError, r"args\[0\].*bool"),
    "integer_in_tree": (lambda: ft.grad(lambda p: total(p["w"][0]))({"w": [X, mx.array([1])]}),
                        ArgumentError, r"args\[0\]\['w'\]\[1\].*int32"),
    "string_in_tree": (lambda: ft.grad(lambda p: total(p["w"]))({"w": X, "name": "relu"}),
                       ArgumentError, r"args\[0\]\['name'\].*str"),
    "object_in_tree": (lambda: ft.grad(lambda p: total(p[0]))((X, object())), ArgumentError,
                       r"args\[0\]\[1\].*object"),
    "function_argument": (lambda: ft.grad(lambda f, x: f(x))(total, X), ArgumentError,
                          r"args\[0\].*function"),
    "second_argument": (lambda: ft.grad(lambda x, n: total(x), (0, 1))(X, "n"), ArgumentError,
                        r"args\[1\].*str"),
    "jacfwd_integer": (lambda: ft.jacfwd(vector)(mx.array([1, 2])), ArgumentError, "int32"),
    "jvp_integer": (lambda: ft.jvp(vector, (mx.array([1, 2]),), (mx.array([1, 2]),)), ArgumentError,
                    r"primals\[0\].*int32"),
    "vjp_string": (lambda: ft.vjp(total, "x"), ArgumentError, r"primals\[0\].*str"),
    # argnums
    "argnums_too_large": (lambda: ft.grad(total, argnums=1)(X), ShapeError,
                          "argnums.*1.*1 positional"),
    "argnums_too_small": (lambda: ft.grad(total, argnums=-2)(X), ShapeError, "argnums.*-2"),
    "argnums_repeated": (lambda: ft.grad(lambda x, y: total(x), (0, 0))(X, X), ShapeError, "twice"),
    "argnums_repeated_negative": (lambda: ft.grad(lambda x, y: total(x), (1, -1))(X, X), ShapeError,
                                  "twice"),
    "argnums_empty": (lambda: ft.grad(total, argnums=())(X), ShapeError, "empty"),
    "argnums_float": (lambda: ft.grad(total, argnums=0.0)(X), ArgumentError, "integers"),
    "argnums_string": (lambda: ft.grad(total, argnums="x")(X), ArgumentError, "argnums"),
    "argnums_bool": (lambda: ft.grad(total, argnums=True)(X), ArgumentError, "argnums"),
    "no_arguments": (lambda: ft.grad(total)(), ShapeError, "0 positional"),
    "argument_by_keyword": (lambda: ft.grad(total)(x=X), ShapeError, "position"),
    "jacrev_argnums": (lambda: ft.jacrev(vector, argnums=3)(X), ShapeError, "argnums"),
    "hessian_argnums": (lambda: ft.hessian(total, argnums=(0, 0))(X), ShapeError, "twice"),
    # cotangents
    "cotangent_shape": (lambda: ft.vjp(vector, X)[1](mx.ones(3)), ShapeError,
                        r"cotangent.*\(2,\).*\(3,\)"),
    "cotangent_scalar": (lambda: ft.vjp(vector, X)[1](1.0), ShapeError, "cotangent"),
    "cotangent_dtype": (lambda: ft.vjp(vector, X)[1](mx.ones(2, mx.float16)), ArgumentError,
                        "float32.*float16.*astype"),
    "cotangent_structure": (lambda: ft.vjp(vector, X)[1]((X,)), ArgumentError, "structure"),
    "cotangent_keys": (lambda: ft.vjp(lambda x: {"a": vector(x)}, X)[1]({"b": X}), ArgumentError,
                       "structure.*a.*b"),
    "cotangent_none": (lambda: ft.vjp(lambda x: (x, x), X)[1]((X, None)), ArgumentError,
                       "structure"),
    "cotangent_string": (lambda: ft.vjp(vector, X)[1]("w"), ArgumentError, "cotangent.*str"),
    "vjp_of_object": (lambda: ft.vjp(lambda x: object(), X), ArgumentError, "object"),
    # tangents
    "tangent_shape": (lambda: ft.jvp(vector, (X,), (mx.ones(3),)), ShapeError, "tangent.*shape"),
    "tangent_dtype": (lambda: ft.jvp(vector, (X,), (mx.ones(2, mx.float16),)), ArgumentError,
                      "dtype"),
    "tangent_count": (lambda: ft.jvp(vector, (X,), (X, X)), ArgumentError, "structure"),
    "tangent_structure": (lambda: ft.jvp(vector, ({"a": X},), (X,)), ArgumentError, "structure"),
    "primals_not_a_tuple": (lambda: ft.jvp(vector, X, X), ArgumentError, r"tuple.*\(x,\)"),
    "tangents_not_a_tuple": (lambda: ft.jvp(vector, (X,), X), ArgumentError, "tuple"),
    "jvp_of_string": (lambda: ft.jvp(lambda x: "s", (X,), (X,)), ArgumentError, "str"),
    "hvp_shape": (lambda: ft.hvp(total, (X,), (mx.ones(3),)), ShapeError, "shape"),
    "hvp_of_vector": (lambda: ft.hvp(vector, (X,), (X,)), FunctapeError, "scalar"),
    "linearize_tangent": (lambda: ft.linearize(vector, X)[1](mx.ones(3)), ShapeError, "shape"),
    # vmap
    "vmap_sizes": (lambda: ft.vmap(lambda x, y: x)(mx.ones(2), mx.ones(3)), ShapeError, "2.*3"),
    "vmap_scalar": (lambda: ft.vmap(vector)(1.0), ShapeError, "axis 0"),
    "vmap_axis": (lambda: ft.vmap(vector, in_axes=1)(X), ShapeError, "axis 1"),
    "vmap_count": (lambda: ft.vmap(vector, in_axes=(0, 0))(X), ShapeError, "in_axes.*2.*1"),
    "vmap_none_mapped": (lambda: ft.vmap(vector, in_axes=None)(X), ShapeError, "in_axes"),
    "vmap_prefix": (lambda: ft.vmap(lambda p: p["a"], in_axes=({"b": 0},))({"a": X}), FunctapeError,
                    "in_axes"),
    "vmap_axes_float": (lambda: ft.vmap(vector, in_axes=0.5)(X), ArgumentError, "in_axes"),
    "vmap_axes_string": (lambda: ft.vmap(vector, in_axes=("a",))(X), ArgumentError, "in_axes"),
    "vmap_out_axes": (lambda: ft.vmap(lambda x: x, out_axes=1)(X), ShapeError, "out_axes"),
    "vmap_out_axes_none": (lambda: ft.vmap(lambda x: x, out_axes=None)(X), ShapeError,
                           "out_axes"),
    "vmap_returns_string": (lambda: ft.vmap(lambda x: "s")(X), ArgumentError, "str"),
    "vmap_bool": (lambda: ft.vmap(lambda x: x if x > 0 else -x)(X), FunctapeError, "where|vmap"),
    "vmap_item": (lambda: ft.vmap(lambda x: x * x.item())(X), FunctapeError, "vmap"),
    "vmap_float": (lambda: ft.vmap(lambda x: x * float(x))(X), FunctapeError, "vmap"),
    # inside the function
    "shapes_inside": (lambda: ft.grad(lambda x: (x + mx.ones(3)).sum())(X), ShapeError,
                      r"add.*float32\[2\].*float32\[3\]"),
    "matmul_inside": (lambda: ft.grad(lambda x: (x @ fnp.ones((3, 2))).sum())(X), ShapeError,
                      r"matmul.*\[2\].*\[3,2\]"),
    "shapes_inside_vmap": (lambda: ft.vmap(lambda x: x + fnp.ones(3))(mx.ones((2, 2))), ShapeError,
                           "add"),
    "shapes_inside_jvp": (lambda: ft.jvp(lambda x: x + fnp.ones(3), (X,), (X,)), ShapeError, "add"),
    "mlx_function": (lambda: ft.grad(lambda x: mx.sin(x).sum())(X), ArgumentError,
                     "asarray|dispatch|functape.numpy"),
    "mlx_left": (lambda: ft.grad(lambda w: (mx.ones((2, 2)) @ w).sum())(X), ArgumentError,
                 "asarray"),
    "mlx_equal": (lambda: ft.grad(lambda w: (X == w).sum())(X), ArgumentError, "asarray"),
    "string_operand": (lambda: ft.grad(lambda x: (x + "a").sum())(X), TypeError, "str"),
    "none_operand": (lambda: ft.grad(lambda x: (x + None).sum())(X), TypeError, "None"),
    # in place
    "inplace_on_leaf": (lambda: BYSTANDER.add_(1.0), InplaceError, "leaf"),
    "setitem_on_leaf": (lambda: BYSTANDER.__setitem__(0, 5.0), InplaceError, "leaf"),
}


@pytest.mark.parametrize("label", BAD)
def test_bad_input(label):
    call, error, words = BAD[label]
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert re.search(words, message, re.S), message
    assert len(message) < 500, "a message is to be read"


def test_second_backward_through_a_freed_graph():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    before = x.grad.tolist()
    with pytest.raises(GraphError, match="retain_graph"):
        y.backward()
    assert x.grad.tolist() == before


def test_inplace_change_of_a_saved_value():
    x = ft.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = (y * y).sum()
    y.add_(1.0)
    with pytest.raises(InplaceError, match="add_"):
        z.backward()
    assert x.grad is None


def test_exception_in_the_function_is_the_users_own():
    class Oops(Exception):
        pass

    def broken(x):
        raise Oops

    for call in (lambda: ft.grad(broken)(X), lambda: ft.vmap(broken)(X), lambda: ft.vjp(broken, X),
                 lambda: ft.jvp(broken, (X,), (X,)), lambda: ft.hessian(broken)(X),
                 lambda: ft.jit(broken)(X), lambda: ft.vmap(ft.grad(broken))(X),
                 lambda: ft.linearize(broken, X), lambda: ft.grad(ft.checkpoint(broken))(X)):
        with pytest.raises(Oops):
            call()
        assert (mode.recording, levels.depth) == (True, 0)


def test_error_deep_inside_leaves_all_levels():
    def broken(x):
        return ft.vmap(ft.grad(lambda a: ft.jvp(lambda b: b + fnp.ones(3), (a,), (a,))[1]))(x)

    with ft.no_grad():
        with pytest.raises(FunctapeError):
            ft.hessian(broken)(mx.ones((2, 2)))
        assert not mode.recording
    assert levels.depth == 0


def test_errors_are_also_the_builtin_kind():
    """So that code which catches TypeError and ValueError keeps working."""
    with pytest.raises(TypeError):
        ft.grad(total)(mx.array([1, 2]))
    with pytest.raises(ValueError):
        ft.vjp(vector, X)[1](mx.ones(3))


def test_complex_numpy_objects_are_refused():
    with pytest.raises(ArgumentError, match="dtype"):
        ft.grad(lambda x: x.sum())(np.array(["a", "b"]))
    with pytest.raises(ArgumentError):
        ft.grad(lambda x: x.sum())(np.array([object()]))


def test_jit_names_the_line_that_needs_a_value():
    @ft.jit
    def f(x):
        return x * 2 if x.sum() > 0 else x

    with pytest.warns(RuntimeWarning, match="test_transforms_errors.py"):
        assert f(X).tolist() == [2, 4]
    assert f(-X).tolist() == [-1, -2]
    with pytest.raises(ft.errors.ConcretizationError):
        ft.jit(lambda x: x if x.sum() > 0 else -x, fallback=False)(X)


@pytest.mark.parametrize("f", [
    lambda x: (mx.ones(2) * x).sum(), mx.sin, lambda x: mx.add(x, mx.ones(2)).sum(),
    lambda x: mx.maximum(x, 1.0),
])
def test_mlx_is_refused_a_value_without_axes(f):
    """Its functions would take it for a complex number, and its gradient would be lost."""
    with pytest.raises(ft.errors.ArgumentError, match="would drop its gradient"):
        ft.grad(f)(2.0)
    w = ft.tensor(2.0, requires_grad=True)
    with pytest.raises((ft.errors.ArgumentError, RuntimeError)):
        f(w)
    with pytest.raises(ft.errors.GraphError, match=r"x\.item\(\) or x\.detach\(\)"):
        complex(w)
    assert complex(w.detach()) == 2 + 0j
