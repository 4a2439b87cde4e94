"""Functions with derivative rules of the user's own.

Both kinds look at the value of highest rank among their arguments, as an op does: under vmap the
function and its rules are mapped; on the tape, or on dual numbers, the user's rule is used there,
and what lies below sees the operations of the rule.
"""

import functools
import inspect

from functape import tree
from functape.autograd.saved import PackedTensor, SavedTensor, keep
from functape.errors import ArgumentError, check_callable
from functape.op import Value
from functape.tape import Identity, output_of
from functape.tensor import INEXACT, Tensor
from functape.transforms import boundary
from functape.transforms.vmap import Batched, unbatch


class Custom:
    """A function of the user's, with its rules; common to both kinds."""

    def __init__(self, f, nondiff_argnums=(), nondiff_argnames=()):
        check_callable(type(self).__name__, f)
        self.f = f
        self.nondiff = ((nondiff_argnums,) if isinstance(nondiff_argnums, int)
                        else tuple(nondiff_argnums))
        if nondiff_argnames:
            names = list(inspect.signature(f).parameters)
            self.nondiff += tuple(names.index(n) for n in nondiff_argnames)
        functools.update_wrapper(self, f, updated=())  # f may have rules of its own

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def arguments(self, args, kwargs):
        """Positional arguments, keywords and defaults included, split into (fixed, moving)."""
        try:
            signature = inspect.signature(self.f)
        except (TypeError, ValueError):
            signature = None
        if signature is not None and (kwargs or len(args) < len(signature.parameters)):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs:
                raise ArgumentError(f"{self.__name__}: keyword-only arguments cannot have a "
                                    f"custom rule; got {', '.join(bound.kwargs)}.")
            args = bound.args
        fixed_at = {i % len(args) for i in self.nondiff}
        fixed = [args[i] for i in sorted(fixed_at)]
        moving = [a for i, a in enumerate(args) if i not in fixed_at]

        def merge(moving):
            rest = iter(moving)
            return [args[i] if i in fixed_at else next(rest) for i in range(len(args))]

        return fixed, moving, merge

    def missing(self, what):
        return ArgumentError(f"{self.__name__} has no rule yet; give it one with {what}.")


def within(name, f, structure, top, own):
    """`f` as those below a running vmap see it: on the data of the leaves that are its own, to the
    data of the results. What f closes over may be mapped by that vmap, too."""

    def f_below(*args):
        leaves = [Batched(top.rank, a, top.count) if o else a
                  for a, o in zip(tree.leaves(args), own, strict=True)]
        outs, form = tree.flatten(f(*tree.unflatten(structure, leaves)))
        check_closure(name, outs, top.rank + 1)
        return tree.unflatten(form, [unbatch(boundary.lower(a, top.rank), top.rank, top.count, 0)
                                     for a in outs])

    return f_below


# --- what both put on the tape ------------------------------------------------------------------

def edges_at(leaves, rank):
    return tuple(v.edge if type(v) is Tensor and v.rank == rank else None for v in leaves)


def below(leaves, rank):
    """The leaves without the tape of this rank."""
    return [boundary.bare(v) if type(v) is Tensor and v.rank == rank else v for v in leaves]


def through_identity(leaf, rank):
    """The same leaf, by a node of its own: what a function is given is told from what it closes
    over, even where both are one tensor."""
    if type(leaf) is not Tensor or leaf.rank != rank or leaf.edge is None:
        return leaf
    return Tensor(leaf.array, rank, Identity((leaf.edge,)))


def check_closure(name, outs, rank, inputs=None):
    """Refuse outputs that depend on more than the arguments: the rule would lose that part.

    Args:
      outs: what the function returned, on values of this rank.
      inputs: the nodes of the arguments; None: the arguments were taken off the tape.
    """
    for out in outs:
        if not isinstance(out, Value) or out.rank < rank:
            continue
        own = type(out) is Tensor and out.rank == rank
        if not own or out.edge is not None and (inputs is None or beyond(out.edge, inputs)):
            raise ArgumentError(
                f"{name} has a rule for its arguments, but its result depends on another value "
                "that is differentiated or mapped, which the function closes over. Pass that as "
                "an argument, or make it a constant with stop_gradient.")


def beyond(root, inputs):
    """Whether the tape behind a node reaches a leaf of somebody's without passing `inputs`."""
    stack, seen = [root], set(inputs)
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        if node.is_sink and node.open:
            return True
        seen.add(node)
        stack += node.edges
    return False


def put_on_tape(node, outs, form, rank):
    """The outputs as tensors of this rank that come from one node."""
    finished = []
    for k, o in enumerate(outs):
        own = Tensor(o.array if type(o) is Tensor and o.rank == rank else o, rank)
        if own.dtype in INEXACT:
            own.edge = output_of(node, k)
        finished.append(own)
    return tree.unflatten(form, finished)


class Aval:
    """A shape and dtype without values."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def saved(residual):
    return keep(residual) if type(residual) is Tensor else residual


def unpacked(kept, node, lift):
    return kept.unpack(node, lift) if isinstance(kept, (SavedTensor, PackedTensor)) else kept
