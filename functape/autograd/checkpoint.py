"""checkpoint: keep nothing that the function saves, and run it again when it is needed.

The saved-tensor mechanism does all of it: while the function runs, each saved value is replaced
by its number; the first that a backward pass asks for makes the function run again, on the same
arguments, and the values are collected by number. So gradients reach everything that the function
closes over, in any order, in every transform.
"""

import contextlib
import functools
import weakref
from typing import NamedTuple

import mlx.core as mx

from functape import tree
from functape.autograd.grad_mode import enable_grad
from functape.errors import (
    ArgumentError,
    FunctapeError,
    InplaceError,
    check_callable,
    describe,
)
from functape.op import Value, levels
from functape.pairs import ARRAYS, halves, joined, pairs_among
from functape.tape import OpNode, mode, sequence
from functape.tensor import Tensor, handle


class CheckpointError(FunctapeError, RuntimeError):
    """The second run of a checkpointed function differed from the first."""


def checkpoint(f=None, *, policy=None, preserve_random_state=True, prevent_cse=True,
               static_argnums=()):
    """A version of `f` that saves memory: what it computes inside is computed again when a
    backward pass needs it.

    Source: T. Chen, B. Xu, C. Zhang and C. Guestrin, Training deep nets with sublinear memory cost
    (2016).

    Args:
      f: function of arrays or pytrees; a second run must do what the first did.
      policy: which saved values to keep all the same, see `checkpoint_policies`; None: nothing.
      preserve_random_state: give the second run the state of `mlx.core.random` of the first.
      prevent_cse, static_argnums: no effect; accepted for JAX's sake. Nothing is merged, and an
        argument may be anything.

    Returns:
      The function, with the same results and derivatives of all orders; without f, a decorator.

    >>> import functape as ft
    >>> f = ft.checkpoint(lambda x: ft.numpy.sin(x) * x)
    >>> ft.grad(f)(0.0)
    tensor(0.)
    """
    if f is None:
        return functools.partial(checkpoint, policy=policy,
                                 preserve_random_state=preserve_random_state)
    check_callable("checkpoint", f)
    if policy is not None and not callable(policy):
        raise ArgumentError("checkpoint: policy says which saved values to keep; choose one of "
                            f"checkpoint_policies, or None, but not {policy!r}.")

    @functools.wraps(f)
    def checkpointed(*args, **kwargs):
        if not mode.recording:
            return f(*args, **kwargs)
        frame = Frame(f, args, kwargs, policy, preserve_random_state)
        return frame.first_run(args, kwargs)

    return checkpointed


class Form(NamedTuple):
    """What a saved value must look like."""

    shape: tuple
    dtype: mx.Dtype


class Frame:
    """One call of a checkpointed function; stands in for saved-tensor hooks while it runs."""

    def __init__(self, f, args, kwargs, policy, preserve_random_state):
        self.f, self.arguments = f, tree.map(snapshot, (args, kwargs))
        self.policy, self.depth, self.began = policy, levels.depth, sequence()
        self.random = RandomState() if preserve_random_state else None
        self.forms = []  # shape and dtype of each value, in the order of saving
        self.values = None  # number -> value, after a second run

    def first_run(self, args, kwargs):
        with PackedBy(self), self.random or contextlib.nullcontext():
            return self.f(*args, **kwargs)

    def pack(self, tensor):
        """The number of a value; or the value itself, where the policy keeps it."""
        kept = self.policy is not None and self.policy(tensor)
        self.forms.append(Form(tensor.shape, tensor.dtype))
        return Slot(len(self.forms) - 1, tensor, kept)

    def unpack(self, slot, name, g):
        """The value of a number; it runs the function again if it is not there."""
        if not isinstance(slot, Slot):
            return slot
        slot.check(name)
        if slot.value is not None:
            return slot.value
        if self.values is None or slot.number not in self.values:
            self.values = self.second_run(g)
        return on_tape(self.values.pop(slot.number), iter(slot.edges))

    def second_run(self, g):
        args, kwargs = tree.map(functools.partial(after, g), self.arguments)
        again, depth, replaying = Recording(self), levels.depth, mode.replaying
        rewound = self.random.rewound() if self.random else contextlib.nullcontext()
        try:
            levels.depth, mode.replaying = self.depth, self.began
            with rewound, enable_grad(), PackedBy(again):
                self.f(*args, **kwargs)
        except EnoughError:
            pass
        finally:
            levels.depth, mode.replaying = depth, replaying
        if len(again.values) < len(self.forms):
            raise CheckpointError(f"The second run of a checkpointed function saved "
                                  f"{len(again.values)} value(s), the first {len(self.forms)}. It "
                                  "must not depend on anything that changes between the runs.")
        return again.values


class Recording:
    """Collects the values of a second run by number, and ends it after the last."""

    def __init__(self, frame):
        self.frame, self.values = frame, {}

    def pack(self, tensor):
        k, forms = len(self.values), self.frame.forms
        if forms[k] != (tensor.shape, tensor.dtype):
            first = describe(forms[k])
            raise CheckpointError(f"The second run of a checkpointed function saved "
                                  f"{describe(tensor)} as value {k}, the first {first}. It must "
                                  "do the same both times.")
        self.values[k] = tensor.array
        if len(self.values) == len(forms):
            raise EnoughError
        return Slot(k, tensor, True)

    def unpack(self, slot, name, g):
        return slot.value if isinstance(slot, Slot) else slot


def after(g, arg):
    """The same argument, not to be used before the cotangent `g` is there: MLX computes lazily,
    and would otherwise be free to do all second runs first, and hold all their values at once."""
    if type(arg) is not Tensor or arg.rank or type(g) not in ARRAYS:
        return arg
    data = mx.depends(halves([arg.array]), halves([g]))
    return Tensor(*joined(data, pairs_among([arg.array])), 0, arg.edge)


class EnoughError(Exception):
    """All values of a second run are there; its remainder need not run."""


class Slot:
    """The place of a saved value: its number, the value itself if it is kept, the edges of tensors
    that it wraps under vmap or jvp, and the history of the array, weakly: what nobody holds,
    nobody can change."""

    __slots__ = ("number", "value", "edges", "history", "version")

    def __init__(self, number, tensor, kept):
        self.number, self.value = number, tensor.array if kept else None
        self.edges = () if kept or tensor.rank == 0 else tuple(edges_in(tensor.array))
        self.history, self.version = weakref.ref(tensor.own_history()), tensor.version

    def check(self, name):
        history = self.history()
        if history is not None and history.version != self.version and not mode.allow_mutation:
            raise InplaceError(
                f"{name} needs value {self.number} of a checkpointed function as it was, but it "
                f"was changed in place by {history.by} (saved at version {self.version}, now at "
                f"version {history.version}). Use the out-of-place form, or change a clone()."
            )


def edges_in(value):
    """The edges of the tensors that a value consists of, in a fixed order."""
    if isinstance(value, Value):
        for name in type(value).__slots__:
            yield from edges_in(getattr(value, name))
        if type(value) is Tensor:
            yield value.edge


def on_tape(value, edges):
    """A value of the second run in its place on the tape of the first: other transforms, still
    running, know only that."""
    if not isinstance(value, Value):
        return value
    placed = handle(value)
    for name in type(value).__slots__:
        part = getattr(placed, name)
        if isinstance(part, Value):
            setattr(placed, name, on_tape(part, edges))
    if type(value) is Tensor:
        placed.edge = next(edges)
    return placed


def snapshot(arg):
    """An argument as it is now, whatever is done to it in place before the second run."""
    return Tensor(arg.array, arg.rank, arg.edge) if type(arg) is Tensor else arg


class PackedBy:
    """While the block runs, `frame` packs what the tape saves."""

    def __init__(self, frame):
        self.frame = frame

    def __enter__(self):
        self.before, mode.packing = mode.packing, self.frame

    def __exit__(self, *exc):
        mode.packing = self.before


class RandomState:
    """The state of MLX's generator before and after a run.

    While jit traces, the generator is not advanced run by run, and there is nothing to restore.
    """

    def __enter__(self):
        self.before, self.after = generator_key(), None

    def __exit__(self, *exc):
        self.after = generator_key()

    @contextlib.contextmanager
    def rewound(self):
        """The state as it was before the run, if the run used it."""
        now = generator_key()
        after = now if self.after is None else self.after  # None: the first run is not over yet
        known = self.before is not None and after is not None
        used = known and not mx.array_equal(self.before, after).item()
        if used:
            set_generator_key(self.before)
        try:
            yield
        finally:
            if used:
                set_generator_key(now)


def generator_key():
    return None if levels.tracing else mx.array(mx.random.state[0])


def set_generator_key(key):
    """A key is the seed it was made of, as two words."""
    high, low = key.tolist()
    mx.random.seed(high << 32 | low)


# --- policies -----------------------------------------------------------------------------------


class checkpoint_policies:
    """Which values a checkpointed function keeps rather than computes again.

    >>> import functape as ft
    >>> keep_products = ft.checkpoint_policies.dots_saveable
    >>> f = ft.checkpoint(lambda w, x: ft.numpy.tanh(x @ w).sum(), policy=keep_products)
    """

    @staticmethod
    def nothing_saveable(tensor):
        """Compute everything again."""
        return False

    @staticmethod
    def everything_saveable(tensor):
        """Keep everything: as without checkpoint."""
        return True

    @staticmethod
    def dots_saveable(tensor):
        """Keep the results of matrix products."""
        return isinstance(tensor.node, OpNode) and tensor.node.plan.op.name in CONTRACTIONS

    @staticmethod
    def save_only_these_names(*names):
        """Keep the values that `checkpoint_name` gave one of these names."""
        return lambda tensor: name_of(tensor) in names

    @staticmethod
    def save_anything_except_these_names(*names):
        """Keep all values but those with one of these names."""
        return lambda tensor: name_of(tensor) not in names

    @staticmethod
    def save_any_names_but_these(*names):
        """Keep the values that have a name, but for those with one of these."""
        return lambda tensor: name_of(tensor) not in (None, *names)

    @staticmethod
    def save_from_both_policies(first, second):
        """Keep what either policy keeps."""
        return lambda tensor: first(tensor) or second(tensor)


CONTRACTIONS = ("matmul", "contract")
checkpoint_policies.checkpoint_dots = checkpoint_policies.dots_saveable


def name_of(tensor):
    return None if tensor.node is None else tensor.node.note("checkpoint_name")


def checkpoint_name(x, name):
    """The value `x` itself, under a name that checkpoint policies know.

    >>> import functape as ft
    >>> checkpoint_name(ft.tensor(1.0), "scores")
    tensor(1.)
    """
    if getattr(x, "node", None) is not None:
        x.node.metadata["checkpoint_name"] = name
    return x
