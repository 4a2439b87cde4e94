"""Saved tensors, where the user has a say: hooks that pack them, and their direct use.

What an op saves is an array and where it stands on the tape (functape.tape). A
`SavedTensor` is the same for one tensor of a custom Function, with a weak reference besides, so
that the user gets the very object back while it lives and is unchanged.
"""

import weakref

from functape import tree
from functape.errors import ArgumentError, GraphError, InplaceError, ShapeError, describe
from functape.pairs import ARRAYS
from functape.sinks import AccumulateGrad
from functape.tape import RELEASED, History, OpNode, mode
from functape.tensor import Tensor, constant_lift, inference_text


class SavedTensor:
    """A tensor that a node keeps without keeping the leaf alive.

    `output` is its number if it is an output of the node itself, whose edge would be a cycle.
    """

    __slots__ = ("data", "edge", "rank", "reference", "output")

    def __init__(self, tensor, output=None):
        if tensor.is_inference:
            raise GraphError(inference_text(tensor))
        self.data, self.rank = tensor.array, tensor.rank
        self.reference, self.output = weakref.ref(tensor), output
        self.edge = tensor.edge if output is None else None

    def unpack(self, node, lift):
        """The tensor itself where that is right, or one that equals it."""
        if History.outdated(self.data, node.seq):
            raise InplaceError(
                f"{node.name} needs a tensor that it saved, {describe(self.data)}, as it was, but "
                f"{History.story(self.data)}. Use the out-of-place form, or save a clone()."
            )
        if lift is constant_lift:
            return lift(self.data, None)
        tensor = self.reference()
        if tensor is not None and tensor.array is self.data:
            return tensor
        return Tensor(self.data, self.rank, self.edge or self.own_edge(node))

    def own_edge(self, node):
        return None if self.output is None else node.output(self.output)

    @property
    def held(self):
        """What is kept."""
        return self.data


class PackedTensor:
    """The same, where saved-tensor hooks or a checkpoint keep the array."""

    __slots__ = ("packing", "packed", "edge", "rank", "output")

    def __init__(self, tensor, output=None):
        self.packing, self.rank, self.output = mode.packing, tensor.rank, output
        self.edge = tensor.edge if output is None else None
        self.packed = self.packing.pack(tensor if output is None else tensor.off_tape())

    def unpack(self, node, lift):
        """A tensor of what the hooks give back."""
        data = self.packing.unpack(self.packed, node.name, None)
        if lift is constant_lift:
            return lift(data, None)
        own = None if self.output is None else node.output(self.output)
        return Tensor(data, self.rank, self.edge or own)

    @property
    def held(self):
        """What is kept: what the hooks made of the tensor."""
        return self.packed


def by_name(name, kept):
    """What a node keeps, a pytree with `SavedTensor`s in it, as `Node.keeps` gives it."""
    if kept is RELEASED:
        return None
    return {name + path: getattr(k, "held", k)
            for path, k in zip(tree.paths(kept), tree.leaves(kept), strict=True)}


def keep(tensor, output=None):
    """Save a tensor for a node, by way of the hooks if there are any."""
    return (SavedTensor if mode.packing is None else PackedTensor)(tensor, output)


def saved_values(node):
    """What a node keeps for its backward pass, by the names that its rules use: tensors that know
    where they came from.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> (x * 2.0).grad_fn.saved_values, (x * x).grad_fn.saved_values["x"]
    ({'y': 2.0}, tensor(3., requires_grad=True))
    """
    saved = node.read_saved(None)
    edges = [node.edges[at] if at >= 0 else node.own_edge(~at) for at in node.plan.sources]
    return {name: kept_tensor(value, edge)
            for name, value, edge in zip(node.plan.arrays, saved, edges, strict=False)}


def kept_tensor(value, edge):
    """A saved array as a tensor: of a leaf, the leaf itself while it lives and is unchanged."""
    if not isinstance(value, ARRAYS):
        return value
    leaf = edge.variable if isinstance(edge, AccumulateGrad) else None
    return leaf if leaf is not None and leaf.array is value else Tensor(value, 0, edge)


OpNode.saved_values = property(saved_values)


# --- packing hooks -------------------------------------------------------------------------------


class Packing:
    """A pair of hooks that stands between the tape and what it saves, in this thread."""

    def __init__(self, pack, unpack):
        self.user_pack, self.user_unpack = pack, unpack

    def pack(self, tensor):
        version = tensor.version
        with Paused():
            packed = Packed(self.user_pack(tensor), tensor.shape, tensor.dtype)
        if tensor.version != version:
            raise InplaceError("A pack hook changed the tensor it was given in place. Pack a "
                               "changed copy instead.")
        return packed

    def unpack(self, packed, name, g):
        if not isinstance(packed, Packed):
            return packed  # a number
        with Paused():
            tensor = self.user_unpack(packed.object)
        if not isinstance(tensor, Tensor):
            raise ArgumentError(f"An unpack hook must return a tensor, but returned "
                                f"{describe(tensor)} for {name}.")
        if tensor.shape != packed.shape or tensor.dtype != packed.dtype:
            raise ShapeError(f"An unpack hook must return a tensor like the one that was packed, "
                             f"{describe(packed)}, but returned {describe(tensor)} for {name}.")
        return tensor.array


class Packed:
    """What a pack hook returned for one tensor."""

    __slots__ = ("object", "shape", "dtype")

    def __init__(self, packed, shape, dtype):
        self.object, self.shape, self.dtype = packed, shape, dtype


class Paused:
    """While hooks run, nothing that they compute is packed by them."""

    def __enter__(self):
        self.before, mode.packing = mode.packing, None

    def __exit__(self, *exc):
        mode.packing = self.before


class saved_tensors_hooks:
    """Within the block, keep ``pack(tensor)`` in place of each saved tensor; a backward pass uses
    ``unpack`` of it. Of nested blocks only the innermost acts.

    Args:
      pack: called with each tensor as it is saved; returns any object.
      unpack: called with that object at each use; returns a tensor of the same shape and dtype.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> with ft.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy(), ft.asarray):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, pack, unpack):
        for f, what in ((pack, "pack"), (unpack, "unpack")):
            if not callable(f):
                raise ArgumentError(f"saved_tensors_hooks: {what} must be callable, but is "
                                    f"{describe(f)}.")
        self.packing = Packing(pack, unpack)
        self.before = []

    def __enter__(self):
        if mode.packing_disabled:
            raise GraphError(mode.packing_disabled)
        self.before.append(mode.packing)
        mode.packing = self.packing
        return self

    def __exit__(self, *exc):
        mode.packing = self.before.pop()


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory. MLX's memory is shared by all devices, so they are kept
    as they are; the argument `pin_memory` has no effect.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> with ft.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> y.backward()
    """

    def __init__(self, pin_memory=False):
        super().__init__(lambda t: t, lambda t: t)


class disable_saved_tensors_hooks:
    """Within the block, entering `saved_tensors_hooks` raises `message`.

    >>> import functape as ft
    >>> with ft.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     pass
    """

    def __init__(self, message):
        self.message, self.before = message, []

    def __enter__(self):
        self.before.append(mode.packing_disabled)
        if mode.packing is not None:
            raise GraphError(self.message)
        mode.packing_disabled = self.message
        return self

    def __exit__(self, *exc):
        mode.packing_disabled = self.before.pop()


class allow_mutation_on_saved_tensors:
    """Within the block, backward passes use saved values as they were, although the tensors were
    changed in place since. It costs nothing: what is saved is never written to.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> with ft.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x * 1.0
    ...     z = y * y
    ...     _ = y.mul_(10.0)
    ...     z.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self):
        self.before = []

    def __enter__(self):
        self.before.append(mode.allow_mutation)
        mode.allow_mutation = True
        return self

    def __exit__(self, *exc):
        mode.allow_mutation = self.before.pop()
