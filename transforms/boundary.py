"""The border of a transform: flatten and check what goes in, give back what came in.

Arrays that are `mx.array`s on the way in are `mx.array`s on the way out, unless something outside
tracks the result; with tensors, NumPy arrays and numbers the results are tensors.
"""

import inspect

import mlx.core as mx
import numpy as np

from functape import engine, tree
from functape.dtypes import float0
from functape.errors import ArgumentError, InplaceError, ShapeError, describe
from functape.foreign import Foreign
from functape.op import MIXED, Value
from functape.sinks import Capture
from functape.tape import History, Identity, mode
from functape.tensor import INEXACT, NUMBERS, Tensor, constant, handle, number_array
from functape.tree_keys import structure_differences

ARRAYS = (Value, mx.array, np.ndarray, np.generic, *NUMBERS, Foreign)

LEAF = tree.structure(0)

# --- in -----------------------------------------------------------------------------------------


def is_plain(*trees):
    """Whether the arrays of a call are MLX's own, so that its results should be."""
    return are_plain(map(type, tree.leaves(trees)))


def are_plain(kinds):
    """Whether types of leaves are MLX's, and none is functape's."""
    kinds = set(kinds)
    return mx.array in kinds and not any([issubclass(kind, Value) for kind in kinds])


def enter(args, kinds):
    """Arguments that are not differentiated: MLX's arrays as constants, all else as it is. The
    types of the leaves go into the set `kinds`."""
    if type(args) is mx.array:  # the usual case
        kinds.add(mx.array)
        return constant(args)
    leaves, structure = tree.flatten(args)
    kinds.update(map(type, leaves))
    return tree.unflatten(structure, [constant(a) if type(a) is mx.array else a for a in leaves])


def inexact_values(name, args, labels, allow_int=False):
    """As inexact_leaves, with values for MLX's arrays too, to be kept."""
    leaves, structure = inexact_leaves(name, args, labels, allow_int)
    return [constant(a) for a in leaves], structure


def inexact_leaves(name, args, labels, allow_int=False, kinds=None):
    """Flatten arguments that are differentiated, and check each leaf.

    Returns:
      (leaves, structure) of the tuple `args`: MLX's arrays as they are, all else as values;
      `labels` names its members in messages.
    """
    leaves, structure = tree.flatten(args)
    if kinds is not None:
        kinds.update(map(type, leaves))
    return [inexact(name, a, args, labels, i, allow_int) for i, a in enumerate(leaves)], structure


def inexact(name, leaf, args, labels, i, allow_int):
    if type(leaf) is mx.array and leaf.dtype in INEXACT:  # the usual case
        return leaf
    if not isinstance(leaf, ARRAYS):
        raise ArgumentError(
            f"{name} differentiates with respect to arrays, but {where(args, labels, i)} is "
            f"{describe(leaf)}. Pass it in an argument that argnums does not name, or register "
            "its class as a pytree."
        )
    value = constant(leaf, name, i)
    if value.dtype not in INEXACT and not allow_int:
        given = describe(leaf if isinstance(leaf, NUMBERS) else value)
        raise ArgumentError(
            f"{name} differentiates with respect to floating-point or complex arrays, but "
            f"{where(args, labels, i)} is {given}. Convert it, x.astype(functape.float32), or "
            "leave it out with argnums."
        )
    return value


def where(args, labels, i):
    """A leaf's place in the call: ``args[0]['w']``."""
    for label, arg in zip(labels, args, strict=True):
        paths = tree.paths(arg)
        if i < len(paths):
            return label + paths[i]
        i -= len(paths)
    return "an argument"


def match(name, given, structure, values, what, of):
    """The leaves of cotangents or tangents, checked against the values they belong to."""
    leaves, found = tree.flatten(given)
    if found != structure:
        lines = structure_differences(structure, found, names=(of, what))
        raise ShapeError(f"{name} takes a {what} with the structure of the {of}. Build it with "
                         f"functape.tree.map over the {of}. They differ:\n  "
                         + "\n  ".join(lines))
    return [matched(name, g, v, what, of, i) for i, (g, v) in
            enumerate(zip(leaves, values, strict=True))]


def matched(name, given, value, what, of, i):
    if not isinstance(given, ARRAYS):
        raise ArgumentError(f"{name}: {what} {i} is {describe(given)}; it must be an array like "
                            f"its {of}, {describe(value)}.")
    if is_float0(given) and value.dtype not in INEXACT:
        given = mx.zeros(given.shape, dtype=value.dtype)
    g = constant(number_array(given, value.dtype) if type(given) in NUMBERS else given)
    if g.shape != value.shape:
        raise ShapeError(f"{name}: {what} {i} must have the shape of its {of}, {value.shape}, but "
                         f"has {g.shape}. Broadcast or reshape it first.")
    if g.dtype != value.dtype:
        raise ShapeError(f"{name}: {what} {i} must have the dtype of its {of}, "
                         f"{describe(value)}, but is {describe(g)}. Convert it with astype.")
    return g


def is_float0(given):
    return type(given) is np.ndarray and given.dtype == float0


def positions(name, argnums, count):
    """`argnums` as a tuple of distinct non-negative integers, and whether it is a sequence."""
    if type(argnums) is int and 0 <= argnums < count:
        return (argnums,), False
    several = isinstance(argnums, (tuple, list))
    given = tuple(argnums) if several else (argnums,)
    if not given:
        raise ShapeError(f"{name}: argnums is empty; name at least one argument.")
    for i in given:
        if not isinstance(i, (int, np.integer)) or isinstance(i, bool):
            raise ArgumentError(f"{name}: argnums must be integers, but got {describe(i)}. To "
                                "differentiate by keyword arguments, use argnames.")
        if not -count <= i < count:
            raise ShapeError(f"{name}: argnums names argument {i}, but the function was called "
                             f"with {count} positional argument(s). Pass by position what is to "
                             "be differentiated, or use argnames.")
    found = tuple(int(i) % count for i in given)
    if len(set(found)) != len(found):
        raise ShapeError(f"{name}: argnums names an argument twice: {argnums!r}. Name each once.")
    return found, several


def named_arguments(name, argnames, f, args, kwargs):
    """`argnames` as places in the call: a keyword, or the position of that parameter."""
    several = not isinstance(argnames, str)
    places = []
    for word in argnames if several else (argnames,):
        if word in kwargs:
            places.append(word)
            continue
        parameters = list(inspect.signature(f).parameters)
        if word not in parameters or parameters.index(word) >= len(args):
            raise ShapeError(f"{name}: argnames names {word!r}, but the function was called "
                             "without such an argument.")
        places.append(parameters.index(word))
    return tuple(places), several


class Call:
    """One call of a function, seen as a function of the leaves that are differentiated.

    Attributes:
      values: those leaves, checked.
      plain: whether results go out as `mx.array`s.
    """

    def __init__(self, name, f, args, kwargs, argnums=0, argnames=None, allow_int=False):
        places, self.several = (), False
        if argnums is not None:
            places, self.several = positions(name, argnums, len(args))
        if argnames is not None:
            more, several = named_arguments(name, argnames, f, args, kwargs)
            self.several = self.several or several or bool(places)
            places += more
        if len(places) > 1 and len(set(places)) != len(places):
            raise ShapeError(f"{name}: argnums and argnames name an argument twice.")
        self.f, self.places, kinds = f, places, set()
        given = tuple(args[p] if isinstance(p, int) else kwargs[p] for p in places)
        labels = [f"args[{p}]" if isinstance(p, int) else f"kwargs[{p!r}]" for p in places]
        self.values, self.structure = inexact_leaves(name, given, labels, allow_int, kinds)
        self.args = [None if i in places else enter(a, kinds) for i, a in enumerate(args)]
        self.kwargs = {k: None if k in places else enter(v, kinds) for k, v in kwargs.items()}
        self.plain = are_plain(kinds)

    def __call__(self, *leaves):
        args, kwargs = list(self.args), dict(self.kwargs)
        for p, arg in zip(self.places, tree.unflatten(self.structure, leaves), strict=True):
            (args if isinstance(p, int) else kwargs)[p] = arg
        return self.f(*args, **kwargs)

    def give(self, leaves):
        """A result for each leaf, structured like the arguments that were chosen."""
        trees = tree.unflatten(self.structure, [give(v, self.plain) for v in leaves])
        return trees if self.several else trees[0]


# --- the private alias --------------------------------------------------------------------------


def alias(value, rank, extent):
    """A tensor of this rank that stands for `value` within one run of a transform's function.

    An integer has no derivative and stays as it is. On something that is tracked already it is an
    identity node, so that outer transforms see through it; otherwise a private leaf.
    """
    if type(value) is mx.array:  # a handle: the caller may change theirs in place
        own = Tensor(handle(value) if rank == 0 else constant(value), rank)
    elif value.dtype not in INEXACT:
        return value
    elif type(value) is not Tensor or value.rank != rank:
        own = Tensor(value, rank)
    else:
        own = Tensor(value.array, rank)
        if value.edge is not None and mode.recording:
            own.edge = Identity((value.edge,))
            return own
    own.edge = Capture(extent)
    return own


def settle(value, rank):
    """A result without the graph that ends here; it keeps it if something outside is tracked."""
    if type(value) is not Tensor or value.rank != rank or value.edge is None:
        return value
    return value if tracked_outside(value) and mode.recording else bare(value)


def tracked_outside(value):
    """Whether the tape of a value reaches a leaf that somebody outside may ask for."""
    order = engine.schedule([value.edge]).order
    return any(node.is_sink and node.open for node in order)


def bare(value):
    """The value that a tensor of this rank holds, off its tape."""
    return Tensor(handle(value.array)) if value.rank == 0 else value.array


def lower(value, rank):
    """What remains of a value when the level of this rank ends: tensors made under it open."""
    while type(value) is Tensor and value.rank > rank:
        value = value.array
    return value


def off_tape(value, rank):
    """The value without the tape of this rank, also where wrappers of vmap or jvp hold it."""
    if type(value) is Tensor and value.rank == rank:
        return bare(value)
    if not isinstance(value, Value) or value.rank < rank:
        return value
    other = handle(value)
    for name in type(value).__slots__:
        setattr(other, name, off_tape(getattr(value, name), rank))
    return other


def refuse_writes(name, born, kept, lost):
    """Refuse that a function wrote values of its run into a tensor from outside of it, and restore
    that. A tensor of its own does not outlive it, but for the results, `kept`.

    Args:
      born: the number of the first node of the run.
      lost: function of a tensor that says whether it holds a value of the run.
    """
    for history in History.changed_since(born, kept):
        found = [tensor for tensor in history.alive() if lost(tensor)]
        if found:
            history.restore()
            raise InplaceError(
                f"{history.by} wrote a value of a running {name} into a tensor from outside of its "
                f"function, {describe(found[0])}, where it would outlive the transform. Return the "
                "value, with has_aux=True for instance; or write x.detach(), if the number is "
                "meant and not under jit.")


def reaches(tensor, extent):
    """Whether a tensor depends on a leaf of a transform's run."""
    return tensor.edge is not None and any(
        type(end) is Capture and end.extent is extent
        for end in engine.schedule([tensor.edge]).ends)


class inside:
    """While a transform runs the user's function: arrays are values there, += rebinds.

    A transform that differentiates records, also under `no_grad` and in inference mode.
    """

    def __init__(self, recording=False):
        self.recording = recording

    def __enter__(self):
        if not mode.functional and mode.written:
            mode.written.clear()  # of earlier transforms
        mode.functional += 1
        self.before = mode.recording, mode.inference
        if self.recording:
            mode.recording = True
            if mode.inference:
                mode.inference = False

    def __exit__(self, kind, error, traceback):
        mode.functional -= 1
        mode.recording, inference = self.before
        if inference:
            mode.inference = True
        if kind in (TypeError, RuntimeError):
            text = str(error)  # MLX asks no value on the right of @, nor one without axes
            if "incompatible function arguments" in text and "functape." in text or (
                    text == "std::bad_cast"):
                raise ArgumentError(MIXED) from error


# --- out ----------------------------------------------------------------------------------------


def outputs(name, out):
    """The leaves of what the function returned, as values, and their structure."""
    leaves, structure = ([out], LEAF) if type(out) is Tensor else tree.flatten(out)
    for i, a in enumerate(leaves):
        if not isinstance(a, ARRAYS):
            raise ArgumentError(
                f"{name}: the function must return arrays, but {where((out,), ('its result',), i)} "
                f"is {describe(a)}. Return what is not an array with has_aux=True."
            )
    return [constant(a) for a in leaves], structure


def with_aux(name, out, has_aux):
    """(out, aux) of what the function returned."""
    if not has_aux:
        return out, None
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        size = f" of {len(out)}" if isinstance(out, (tuple, list)) else ""
        raise ArgumentError(f"{name} with has_aux=True: the function must return a pair "
                            f"(output, aux), but returned a {type(out).__name__}{size}.")
    return out


def give(value, plain):
    """A result in the kind of array that the call came with."""
    if plain and type(value) is Tensor and value.rank == 0 and value.edge is None and (
            type(value.array) is mx.array):
        return value.array
    return value
