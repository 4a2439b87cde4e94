"""custom_vmap and sequential_vmap: functions with a batching rule of the user's own."""

import functools

from functape import tree
from functape.errors import ArgumentError, describe
from functape.op import highest
from functape.tensor import constant
from functape.transforms import boundary
from functape.transforms.custom import Custom
from functape.transforms.loops import map as one_by_one
from functape.transforms.vmap import Batched


class custom_vmap(Custom):
    """A function with its own rule for `vmap`.

    ``def_vmap(rule)``: ``rule(axis_size, in_batched, *args)`` gets the arguments with the mapped
    axis first, and for each of them a pytree of booleans that says which leaves have it. It returns
    ``(out, out_batched)`` likewise. What it computes is differentiated as it is; under the `vmap`
    of a derivative the function itself is mapped.

    Args:
      f: function of pytrees.

    >>> import functape as ft
    >>> f = ft.custom_batching.custom_vmap(lambda x: x + 1.0)
    >>> f.def_vmap(lambda axis_size, in_batched, x: (10.0 * x, True))  # doctest: +ELLIPSIS
    <function <lambda> at ...>
    >>> f(1.0), ft.vmap(f)(ft.numpy.ones(2))
    (tensor(2.), tensor([10., 10.]))
    """

    rule = None

    def __init__(self, f):
        super().__init__(f)

    def def_vmap(self, rule):
        """Give the function its rule; returns the rule, so that it can be a decorator."""
        self.rule = rule
        return rule

    def __call__(self, *args, **kwargs):
        if self.rule is None:
            raise self.missing("def_vmap(rule)")
        _, args, _ = self.arguments(args, kwargs)
        top = highest(tree.leaves(args))
        if type(top) is not Batched:
            return self.f(*args)
        own = tree.map(lambda a: type(a) is Batched and a.rank == top.rank, args)
        data = tree.map(lambda a, o: a.data if o else a, args, own)
        out, flags = self.pair(self.rule(top.count, own, *data))
        return tree.map(lambda o, m: Batched(top.rank, constant(o), top.count) if m else o, out,
                        flags)

    def pair(self, result):
        """(out, flags for each of its leaves) of what the rule returned."""
        if not isinstance(result, tuple) or len(result) != 2:
            raise ArgumentError(f"{self.__name__}: its vmap rule must return a pair (out, "
                                f"out_batched), but returned {describe(result)}.")
        out, flags = result
        boundary.outputs(self.__name__, out)
        if isinstance(flags, bool):
            return out, tree.map(lambda _: flags, out)
        if tree.structure(flags) != tree.structure(out):
            raise ArgumentError(f"{self.__name__}: out_batched must have the structure of the "
                                f"output, {tree.structure(out)}, but has {tree.structure(flags)}.")
        return out, flags


def sequential_vmap(f):
    """A function that `vmap` applies to one entry after the other.

    Args:
      f: function of pytrees.

    >>> import functape as ft
    >>> f = ft.custom_batching.sequential_vmap(lambda x: x + 1.0)
    >>> ft.vmap(f)(ft.numpy.arange(3.0))
    tensor([1., 2., 3.])
    """
    own = custom_vmap(f)

    def rule(axis_size, in_batched, *args):
        leaves, structure = tree.flatten(args)
        flags = tree.leaves(in_batched)

        def entry(moving):
            rest = iter(moving)
            return f(*tree.unflatten(structure, [next(rest) if m else a for a, m in
                                                 zip(leaves, flags, strict=True)]))

        return one_by_one(entry, [a for a, m in zip(leaves, flags, strict=True) if m]), True

    own.def_vmap(rule)
    return functools.wraps(f, updated=())(own)
