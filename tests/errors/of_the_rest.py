"""Wrong uses of pytrees, of MLX beside functape, and of names: (call, error, argument, remedy)."""

import functape as ft

# isort: split
import mlx.core as mx
import mlx.nn as mlx_nn
from errors.given import leaf, squares, x3

import functape.numpy as np
from functape import flatten_util, test_util, tree, tree_util
from functape import mlx as ftm
from functape.errors import ArgumentError, FunctapeError, ShapeError

linear = mlx_nn.Linear(3, 2)


class Registered:
    pass


tree_util.register_static(Registered)


TREES = {
    "keys": (lambda: tree.map(np.add, {"a": x3}, {"b": x3}), ShapeError,
             r"\['b'\]: only in the second", "one structure"),
    "length": (lambda: tree.map(np.add, [x3, x3], [x3]), ShapeError, r"\[1\]: only in the first",
               "one structure"),
    "kind": (lambda: tree.map(np.add, (x3, x3), [x3, x3]), ShapeError, "a tuple of 2.*a list of 2",
             "one structure"),
    "no_function": (lambda: tree.map(3, [1]), ArgumentError, "3", "takes a function"),
    "leaves": (lambda: tree.unflatten(tree.structure([1, 2]), [1]), ShapeError, "2 leaf.*1",
               "one for each"),
    "structure": (lambda: tree.unflatten("def", [1]), ArgumentError, "str",
                  r"tree\.structure\(x\)"),
    "reduce": (lambda: tree.reduce(np.add, []), ShapeError, "no leaves", "initializer="),
    "transpose": (lambda: tree.transpose(tree.structure([1, 2]), tree.structure([1]), [1, 2]),
                  ShapeError, "a list of 1 in the inner_treedef", "must have the structure"),
    "ravel": (lambda: flatten_util.ravel_pytree({"a": "s"}), ArgumentError, "str", "array or a"),
    "unravel": (lambda: flatten_util.ravel_pytree({"a": x3})[1](np.ones(4)), ShapeError,
                r"float32\[4\]", "vector of 3"),
    "register_object": (lambda: tree_util.register_static(3), ArgumentError, "3", "by class"),
    "register_int": (lambda: tree_util.register_dataclass(int, ["real"], []), ArgumentError, "int",
                     "class of your own"),
    "register_again": (lambda: tree_util.register_static(Registered), FunctapeError, "Registered",
                       "Define the class anew"),
    "check_grads": (lambda: test_util.check_grads(np.sin, (1.0,), 1, modes=("forward",)),
                    ArgumentError, "'forward'", "'fwd', 'rev'"),
}

BESIDE_MLX = {
    "function": (lambda: mx.sin(leaf([1.0, 2.0])), ArgumentError, "functape value",
                 r"functape\.numpy.*dispatch"),
    "left": (lambda: mx.ones(2) * leaf([1.0, 2.0]), ArgumentError, "functape value",
             r"functape\.asarray\(X\)"),
    "left_matmul": (lambda: ft.grad(lambda w: np.sum(mx.ones((2, 2)) @ w))(mx.ones(2)),
                    ArgumentError, "functape value", r"functape\.asarray\(X\) @ w"),
    "lift": (lambda: ftm.lift(3), ArgumentError, "lift.*3", "takes a function"),
    "parameter": (lambda: ftm.functional_call(linear, {"w": x3}, x3), ArgumentError, "'w'",
                  "It has 'weight', 'bias'"),
    "parameter_shape": (lambda: ftm.functional_call(linear, {"weight": np.ones((5, 5))}, x3),
                        ShapeError, r"'weight'.*float32\[5,5\]", "same shape"),
    "module": (lambda: ftm.functional_call(3, {}, x3), ArgumentError, "3", r"mlx\.nn\.Module"),
    "value_and_grad": (lambda: ftm.value_and_grad(3, squares), ArgumentError, "3",
                       r"mlx\.nn\.Module"),
}

NAMES = {
    "numpy": (lambda: ft.numpy.sumn, AttributeError, "'sumn'", "mean 'sum'"),
    "top": (lambda: ft.value_and_grads, AttributeError, "'value_and_grads'",
            "mean 'value_and_grad'"),
    "elsewhere": (lambda: ft.numpy.relu, AttributeError, "'relu'", r"It is functape\.nn\.relu"),
    "in_numpy": (lambda: ft.sin, AttributeError, "'sin'", r"It is functape\.numpy\.sin"),
    **{name: (lambda module=module, given=given: getattr(module, given), AttributeError, given,
              f"mean '{meant}'") for name, module, given, meant in (
        ("linalg", ft.numpy.linalg, "invv", "inv"), ("fft", ft.numpy.fft, "rffft", "rfft"),
        ("nn", ft.nn, "softmaxx", "softmax"), ("random", ft.random, "norml", "normal"),
        ("initializers", ft.nn.initializers, "he_norml", "he_normal"),
        ("lax", ft.lax, "scann", "scan"), ("special", ft.scipy.special, "gamaln", "gammaln"),
        ("scipy_linalg", ft.scipy.linalg, "expmm", "expm"),
        ("stats", ft.scipy.stats, "norn", "norm"), ("optim", ft.optim, "Adm", "Adam"),
        ("autograd", ft.autograd, "bakward", "backward"),
        ("graph", ft.autograd.graph, "save_on_cpuu", "save_on_cpu"),
        ("functional", ft.autograd.functional, "jacobain", "jacobian"),
        ("profiler", ft.autograd.profiler, "profil", "profile"),
        ("mlx", ft.mlx, "liftt", "lift"), ("viz", ft.viz, "drw", "draw"),
        ("debug", ft.debug, "inspct", "inspect"), ("tree", ft.tree, "flaten", "flatten"),
        ("tree_util", ft.tree_util, "tree_mp", "tree_map"),
        ("flatten_util", flatten_util, "ravel_tree", "ravel_pytree"),
        ("test_util", test_util, "check_grad", "check_grads"),
        ("errors", ft.errors, "ShapError", "ShapeError"),
        ("transforms", ft.transforms, "jacrevv", "jacrev"))},
}

