"""Wrong uses of the eager face: (call, error, the argument, the remedy)."""

import copy

import functape as ft

# isort: split
import mlx.core as mx
from errors.given import leaf, squares, x3

import functape.numpy as np
from functape import autograd as ag
from functape import debug, optim, viz
from functape.autograd import graph
from functape.errors import ArgumentError, GradcheckError, GraphError, InplaceError, ShapeError


class Twice(ag.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def function(**methods):
    """Run a Function with some method of its own forwards and backwards."""
    own = type("Own", (Twice,), {k: staticmethod(f) for k, f in methods.items()})
    return lambda: own.apply(leaf([1.0, 2.0])).sum().backward()


def hooked(hook):
    y = leaf([1.0, 2.0]) * 2
    y.register_hook(hook)
    y.sum().backward()


def set_grad(value):
    x = leaf([1.0, 2.0])
    x.grad = value


def twice_backward():
    y = squares(leaf([1.0, 2.0]))
    y.backward()
    y.backward()


def saved_and_changed():
    y = leaf([1.0, 2.0]) * 1.0
    z = (y * y).sum()
    y.mul_(2.0)
    z.backward()


def used_in_inference():
    with ft.inference_mode():
        a = ft.tensor(1.0)
    return leaf(2.0) * a


def clipped():
    x = leaf([1.0])
    x.grad = ft.tensor([float("nan")])
    optim.clip_grad_norm_([x], 1.0, error_if_nonfinite=True)


def given_twice():
    x = leaf(1.0)
    optim.SGD([x, x], lr=0.1)


PASSES = {
    "vector": (lambda: (leaf([1.0, 2.0]) * 2).backward(), GraphError, r"float32\[2\]",
               r"y\.sum\(\)"),
    "gradient_shape": (lambda: (leaf([1.0, 2.0]) * 2).backward(np.ones(3)), ShapeError,
                       r"gradient 0.*float32\[3\]", r"shape of its output, float32\[2\]"),
    "gradient_text": (lambda: leaf(1.0).backward("g"), ArgumentError, "gradient 0.*str",
                      r"functape\.asarray"),
    "constant": (lambda: ft.tensor(1.0).backward(), GraphError, r"output 0, float32\[\]",
                 "Set requires_grad"),
    "count": (lambda: ag.backward([leaf(1.0) * 2], [x3, x3]), ShapeError, r"2 gradient\(s\)",
              "one gradient is needed for each"),
    "freed": (twice_backward, GraphError, "Backward", "retain_graph=True"),
    "unused": (lambda: ag.grad(leaf(1.0) * 2, leaf(1.0)), GraphError, r"input 0, float32\[\]",
               "allow_unused=True"),
    "no_grad_input": (lambda: ag.grad(leaf(1.0) * 2, ft.tensor(1.0)), GraphError, "input 0",
                      "Set requires_grad"),
    "output_text": (lambda: ag.grad("y", leaf(1.0)), ArgumentError, "output 0 is str", "tensors"),
    "inference": (used_in_inference, GraphError, r"float32\[\]", r"clone\(\)"),
    "gradcheck": (lambda: ag.gradcheck(np.sin, ()), GradcheckError, "no input",
                  "requires_grad=True"),
    "functional_vjp": (lambda: ag.functional.vjp(np.sin, leaf([1.0, 2.0])), GraphError, "v may",
                       "Give v"),
    "functional_hessian": (lambda: ag.functional.hessian(np.sin, leaf([1.0, 2.0])), GraphError,
                           r"float32\[2\]", r"y\.sum\(\), or use jacobian"),
    "functional_call": (lambda: ag.functional_call(3, {}, ()), ArgumentError, "3", "callable"),
    "anomaly": (lambda: ag.set_detect_anomaly("y"), ArgumentError, "mode.*str", "True or False"),
    "no_grad": (lambda: ft.no_grad(1), ArgumentError, "no_grad.*1", "takes a function"),
}

LEAVES = {
    "integer": (lambda: ft.tensor([1, 2], requires_grad=True), ArgumentError, "int32", "astype"),
    "requires_grad": (lambda: ft.tensor(1.0, requires_grad="no"), ArgumentError,
                      "requires_grad.*str", "True or False"),
    "switch_off": (lambda: setattr(leaf(1.0) * 2, "requires_grad", False), GraphError,
                   "MultiplyBackward", r"detach\(\)"),
    "retain_grad": (lambda: ft.tensor(1.0).retain_grad(), GraphError, "this one does not",
                    "requires grad"),
    "grad_shape": (lambda: set_grad(np.ones(3)), ShapeError, r"float32\[3\]",
                   r"shape of its tensor, float32\[2\]"),
    "grad_dtype": (lambda: set_grad(np.ones(2, dtype=ft.float16)), ArgumentError, "float16",
                   "astype"),
    "grad_text": (lambda: set_grad("g"), ArgumentError, "str", r"functape\.asarray"),
    "numpy": (lambda: leaf(1.0).numpy(), GraphError, r"float32\[\]", r"x\.detach\(\)\.numpy\(\)"),
    "deepcopy": (lambda: copy.deepcopy(leaf(1.0) * 2), GraphError, "MultiplyBackward",
                 r"detach\(\) it first"),
    "dtype": (lambda: ft.tensor([1.0], dtype="f99"), ArgumentError, "'f99'", r"functape\.float32"),
    "device": (lambda: ft.tensor([1.0], device="tpu"), ArgumentError, "device.*str",
               r"mlx\.core\.cpu"),
    "default_device": (lambda: ft.default_device("tpu"), ArgumentError, "str", r"mlx\.core\.cpu"),
    "stream": (lambda: ft.stream(3).__enter__(), ArgumentError, "3", "new_stream"),
    "from_numpy": (lambda: ft.from_numpy([1.0]), ArgumentError, "list of 1", r"functape\.tensor"),
    "shape": (lambda: ft.zeros(-1), ShapeError, r"\(-1,\)", "0 or more"),
}

HOOKS = {
    "number": (lambda: leaf(1.0).register_hook(3), ArgumentError, "3", "must be callable"),
    "constant": (lambda: ft.tensor(1.0).register_hook(print), GraphError, "this one does not",
                 "requires grad"),
    "text": (lambda: hooked(lambda g: "x"), ArgumentError, "lambda.*returned str",
             "a tensor or None"),
    "shape": (lambda: hooked(lambda g: np.ones(3)), ShapeError, r"float32\[3\]",
              r"the shape it was given, \(2,\)"),
    "dtype": (lambda: hooked(lambda g: g.astype(ft.float16)), ArgumentError, "float16", "astype"),
    "not_a_leaf": (lambda: (leaf(1.0) * 2).register_post_accumulate_grad_hook(print), GraphError,
                   "needs a leaf", "register_hook"),
    "multi_mode": (lambda: graph.register_multi_grad_hook([leaf(1.0)], print, mode="some"),
                   ArgumentError, "mode.*'some'", "'all' or 'any'"),
    "saved": (lambda: graph.saved_tensors_hooks(1, 2).__enter__(), ArgumentError, "pack.*1",
              "callable"),
    "version": (lambda: graph.increment_version(3), ArgumentError, "3", "takes tensors"),
}

CHANGES = {
    "leaf": (lambda: leaf([1.0]).mul_(2), InplaceError, r"float32\[1\]", r"no_grad\(\)"),
    "leaf_item": (lambda: leaf([1.0]).__setitem__(0, 2.0), InplaceError, r"float32\[1\]",
                  r"no_grad\(\)"),
    "saved": (saved_and_changed, InplaceError, "mul_.*version 0", r"clone\(\)"),
    "shape": (lambda: ft.ones(2).add_(ft.ones(3)), ShapeError, r"\[2\].*\[3\]", "equal, or 1"),
    "kind": (lambda: ft.tensor([1]).add_(0.5), ArgumentError, r"int32\[1\]", "Convert the tensor"),
    "text": (lambda: ft.ones(2).sub_("x"), ArgumentError, "argument 1 is str", "array or a number"),
    "data": (lambda: setattr(leaf([1.0]), "data", "x"), ArgumentError, "data.*str", "is a tensor"),
}

FUNCTIONS = {
    "count": (function(backward=lambda ctx, g: (g, g)), GraphError, "OwnBackward.*returned 2",
              "one for each argument"),
    "shape": (function(backward=lambda ctx, g: np.ones(5)), ShapeError, r"gradient 0.*float32\[5\]",
              r"argument 0 of forward, \(2,\)"),
    "text": (function(backward=lambda ctx, g: "no"), ArgumentError, "gradient 0.*str",
             "a tensor or None"),
    "save": (function(forward=lambda ctx, x: ctx.save_for_backward("a")), ArgumentError,
             "argument 0 is str", r"ctx\.name = value"),
    "dirty": (function(forward=lambda ctx, x: (ctx.mark_dirty(x * 1), x)[1]), InplaceError,
              "mark_dirty", "must be returned"),
    "no_forward": (lambda: type("Empty", (ag.Function,), {}).apply(leaf(1.0)), GraphError, "Empty",
                   r"forward\(ctx"),
    "object": (lambda: Twice(), ArgumentError, "Twice", r"Twice\.apply"),
    "keyword": (lambda: Twice.apply(x=leaf(1.0)), ArgumentError, "x", "positional"),
}

TRAINING = {
    "empty": (lambda: optim.SGD([], lr=0.1), ShapeError, "SGD", "no parameters"),
    "text": (lambda: optim.SGD("abc", lr=0.1), ArgumentError, "parameter 0 is str", "are tensors"),
    "dict": (lambda: optim.Adam({"w": leaf(1.0)}, lr=0.1), ArgumentError, "dict",
             r"params\.values\(\)"),
    "mx": (lambda: optim.SGD([mx.ones(2)], lr=0.1), ArgumentError, r"parameter 0 is an mx\.array",
           "requires_grad=True"),
    "result": (lambda: optim.SGD([leaf(1.0) * 2], lr=0.1), GraphError, "MultiplyBackward",
               r"detach\(\)"),
    "twice": (given_twice, ArgumentError, "parameter 1", "in one group"),
    "momentun": (lambda: optim.SGD([leaf(1.0)], lr=0.1, momentun=0.9), ArgumentError, "'momentun'",
                 "it has lr, momentum"),
    "group": (lambda: optim.SGD([leaf(1.0)], lr=0.1).add_param_group(3), ArgumentError, "3",
              "'params'"),
    "clip": (clipped, GraphError, "is nan", "detect_anomaly"),
    "clip_text": (lambda: optim.clip_grad_norm_("a", 1.0), ArgumentError, "parameter 0 is str",
                  r"values\(\)"),
    "clip_bound": (lambda: optim.clip_grad_norm_([leaf(1.0)], -1.0), ArgumentError,
                   r"max_norm.*-1\.0", "0 or more"),
}

VIEWS = {
    "draw": (lambda: viz.draw(x3), GraphError, r"float32\[3\]", r"viz\.draw\(f, \*args\)"),
    "draw_more": (lambda: viz.draw(leaf(1.0) * 2, color="red"), ArgumentError, "color",
                  r"viz\.draw\(f, \*args\)"),
    "fold": (lambda: viz.draw(leaf(1.0) * 2, fold="x"), ArgumentError, "fold.*str", '"scopes"'),
    "scope": (lambda: viz.name_scope(3), ArgumentError, "3", "takes a name"),
    "explain_none": (lambda: debug.explain_none(3), ArgumentError, "3", "takes a tensor"),
    "inspect": (lambda: debug.inspect(x3), ArgumentError, r"float32\[3\]", "requires_grad=True"),
    "record": (lambda: ag.profiler.record_function(3), ArgumentError, "3", "takes a name"),
}
