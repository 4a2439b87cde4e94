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
from functape.tape import output_of
from functape.tensor import INEXACT, Tensor
from functape.transforms import boundary


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


def highest(values):
    """The value of highest rank; None if there is none."""
    ranked = [v for v in values if isinstance(v, Value)]
    return max(ranked, key=lambda v: v.rank, default=None)


# --- what both put on the tape ------------------------------------------------------------------

def edges_at(leaves, rank):
    return tuple(v.edge if type(v) is Tensor and v.rank == rank else None for v in leaves)


def below(leaves, rank):
    """The leaves without the tape of this rank."""
    return [boundary.bare(v) if type(v) is Tensor and v.rank == rank else v for v in leaves]


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
