"""jit: trace the function once per kind of arguments with mx.compile, then run the compiled graph.

The tape needs no part in it: inside, tensors hold MLX's tracers, so whatever the function does,
gradients included, ends up in the one graph.
"""

import contextlib
import functools
import inspect
import threading
import traceback
import warnings
from typing import NamedTuple

import mlx.core as mx

from functape import precompiled, tree
from functape.autograd.anomaly import Origin, users
from functape.autograd.checkpoint import set_generator_key
from functape.errors import (
    ArgumentError,
    ConcretizationError,
    RangeError,
    check_callable,
    describe,
)
from functape.op import Value, levels
from functape.pairs import halves, joined, pairs_among
from functape.tape import mode, seen, sequence
from functape.tensor import Tensor, constant, is_constant
from functape.transforms import boundary
from functape.transforms.tree_memory import Memory
from functape.weak import Weak, array_of, is_number, lifted

EVAL = "[eval]"  # how MLX says that a tracer has no value
UNCAPTURED = "uncaptured inputs"  # and that an argument is a constant of the graph as well


def jit(f=None, *, static_argnums=(), static_argnames=(), donate_argnums=(), donate_argnames=(),
        keep_unused=False, inline=False, fallback=True):
    """A compiled version of `f`, with the same results.

    `f` runs once for each new structure of arguments, their shapes and dtypes, and each new value
    of a static argument. Called inside another transform, on values that it tracks, it runs as it
    is, so that the transform sees its operations.

    Args:
      f: function of arrays or pytrees of arrays.
      static_argnums: positions of arguments that are not arrays; they must be hashable.
      static_argnames: names of such arguments.
      donate_argnums, donate_argnames: no effect; accepted for JAX's sake. MLX reuses the memory of
        arrays that nobody holds any more.
      keep_unused, inline: no effect; accepted for JAX's sake.
      fallback: where `f` asks for the value of a traced array (``if x.sum() > 0:``), run it
        uncompiled from then on, with one warning that names the line; if False, raise.

    Returns:
      The compiled function; its method `clear_cache()` forgets what was compiled.

    >>> import functape as ft
    >>> square = ft.jit(lambda x: x * x)
    >>> square(3.0)
    tensor(9.)
    """
    if f is None:
        return functools.partial(jit, static_argnums=static_argnums,
                                 static_argnames=static_argnames, fallback=fallback)
    check_callable("jit", f)
    return functools.wraps(f, updated=())(Compiled(f, static_argnums, static_argnames, fallback))


class Compiled:
    """A function with the graphs that were compiled for it so far.

    `mx.compile` tells shapes and dtypes apart by itself. Only where what a function returns is
    structured by them, or some of them cannot be compiled, each has a graph of its own here.
    """

    def __init__(self, f, static_argnums, static_argnames, fallback):
        self.f, self.fallback, self.graphs, self.by_shape = f, fallback, {}, False
        self.memory, self.recent = Memory(), None
        self.static_argnums, self.static_argnames = static_positions(
            f, static_argnums, static_argnames
        )

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def clear_cache(self):
        """Forget all compiled graphs; the next call traces again."""
        self.graphs.clear()
        self.recent = None

    def __call__(self, *args, **kwargs):
        fixed, moving = self.parted(args, kwargs)
        leaves, structure, kinds = self.memory.flatten(moving)
        arrays, forms, known = leaves, PLAIN, kinds == {mx.array}
        if not known:
            arrays = [a if type(a) is mx.array else entering(a, moving, i)
                      for i, a in enumerate(leaves)]
            forms = Forms(tuple([i for i, a in enumerate(leaves) if is_number(a)]),
                          pairs_among(arrays))
            known = all([a is not None for a in arrays])
        if levels.tracing or switched.off or not known:  # a graph or a transform is around
            return self.uncompiled(structure, leaves, fixed)
        graph = self.graph(structure, fixed, forms, arrays)
        if graph.eager:
            return self.uncompiled(structure, leaves, fixed)
        try:
            outs = graph(arrays)
        except Exception as error:
            if type(error) is not TrackedError:
                if not is_concretization(error):
                    raise
                self.warn(error)
            graph.eager = self.by_shape = True
            self.graphs[self.key(structure, fixed, forms, arrays)] = graph
            return self.uncompiled(structure, leaves, fixed)
        self.by_shape = self.by_shape or graph.varies
        plain = boundary.are_plain(kinds)
        if graph.out_pairs or not plain:  # a Pair goes out as a tensor
            outs = [o if plain and type(o) is mx.array else Tensor(o) for o in outs]
        return graph.out.unflatten(outs)

    def parted(self, args, kwargs):
        """The static arguments, as pairs (place, value), and the others: (a list, a dict)."""
        if not self.static_argnums and not self.static_argnames:
            return (), (list(args), kwargs)
        count = len(args)
        static = {i % count for i in self.static_argnums if -count <= i < count}
        fixed = tuple((i, args[i]) for i in sorted(static))
        fixed += tuple((k, kwargs[k]) for k in sorted(kwargs) if k in self.static_argnames)
        return fixed, ([None if i in static else a for i, a in enumerate(args)],
                       {k: v for k, v in kwargs.items() if k not in self.static_argnames})

    def graph(self, structure, fixed, forms, arrays):
        """The graph for arguments of this structure, made on first use."""
        recent = self.recent  # that of the last call: it costs less to see than to find
        if recent is not None and recent.structure is structure and recent.forms is forms and not (
                fixed or recent.fixed or self.by_shape):
            return recent
        key = self.key(structure, fixed, forms, arrays)
        try:
            graph = self.graphs.get(key)
        except TypeError:
            raise RangeError("jit: static arguments must be hashable, but got "
                             f"{', '.join(describe(v) for _, v in fixed)}.") from None
        if graph is None:
            refuse_arrays(fixed)
            graph = self.graphs[key] = Graph(self.f, structure, fixed, forms)
        self.recent = graph
        return graph

    def key(self, structure, fixed, forms, arrays):
        shapes = tuple([(a.shape, a.dtype) for a in arrays]) if self.by_shape else ()
        kinds = tuple([type(v) for _, v in fixed])  # 1, 1.0 and True are equal
        return structure, fixed, kinds, forms, shapes

    def uncompiled(self, structure, leaves, fixed):
        """The function as it is, on values as a graph has them; `mx.array`s go out as such."""
        args, kwargs = complete(structure, [lifted(a) for a in leaves], fixed)
        with boundary.inside():
            outs, form = boundary.outputs("jit", self.f(*args, **kwargs))
        plain = boundary.are_plain(map(type, leaves))
        return tree.unflatten(form, [boundary.give(o, plain) for o in outs])

    def warn(self, error):
        """Say which line stands in the way of compiling."""
        line = user_line(error)
        if not self.fallback:
            raise ConcretizationError(
                f"jit: {line} needs the value of an array that is being traced. Use where, cond "
                "or while_loop, make the argument static, or pass fallback=True."
            ) from error
        warnings.warn(f"jit: {line} needs the value of an array that is being traced, so this "
                      "function runs uncompiled. Use where, cond or while_loop there, or make "
                      "the argument static.", RuntimeWarning, stacklevel=3)


class Switched(threading.local):
    """Whether this thread compiles."""

    off = False


switched = Switched()


@contextlib.contextmanager
def disable_jit(disable=True):
    """Within the block, jitted functions run as they are, operation by operation.

    Args:
      disable: False: within the block they are compiled again.

    >>> import functape as ft
    >>> with disable_jit():
    ...     ft.jit(lambda x: x if x > 0 else -x)(-2.0)
    tensor(2.)
    """
    before, switched.off = switched.off, disable
    try:
        yield
    finally:
        switched.off = before


class TrackedError(Exception):
    """The result is on the tape of something outside, which a compiled graph would cut."""


class Forms(NamedTuple):
    """Which arguments of a graph are not as MLX has arrays, by their positions."""

    weak: tuple = ()  # Python numbers
    pairs: tuple = ()  # Pairs, of which MLX sees the halves


PLAIN = Forms()


class Graph:
    """One trace of a function.

    Attributes:
      forms: which of the arguments are not as MLX has arrays.
      out, out_pairs: the structure of the results, and which of them are Pairs.
    """

    def __init__(self, f, structure, fixed, forms):
        self.f, self.structure, self.fixed, self.forms = f, structure, fixed, forms
        self.out, self.out_pairs, self.eager = None, (), False
        self.varies = False  # whether the structure of the results depends on shapes or dtypes
        self.shares = False  # whether f closes over an argument: then it gets copies
        precompiled.make()
        # the state of MLX's generator goes in and out, or each call would draw the same numbers
        state = mx.random.state
        self.compiled = mx.compile(self.trace, inputs=state, outputs=state)

    def __call__(self, arrays):
        parts = halves(arrays) if self.forms.pairs else arrays
        if self.shares:
            parts = [mx.array(a) for a in parts]
        key = mx.random.state[0]
        try:
            outs = self.compiled(parts)
            return joined(outs, self.out_pairs) if self.out_pairs else outs
        except Exception as error:
            set_generator_key(key)  # a trace that ends early leaves a tracer in its place
            if self.shares or not isinstance(error, ValueError) or UNCAPTURED not in str(error):
                raise
        self.shares = True
        return self(arrays)

    def trace(self, arrays):
        values = [Tensor(a) for a in joined(arrays, self.forms.pairs)]
        for i in self.forms.weak:
            values[i] = Weak(values[i])
        seen.double = seen.double or any([v.dtype == mx.float64 for v in values])
        args, kwargs = complete(self.structure, values, self.fixed)
        born = sequence()
        with boundary.inside(), tracing():
            outs, out = boundary.outputs("jit", self.f(*args, **kwargs))
        boundary.refuse_writes("jit", born, outs, lambda tensor: True)
        if not all(is_constant(o) for o in outs):
            raise TrackedError  # by way of something that f closes over
        arrays = [o.array for o in outs]
        now = out, pairs_among(arrays)
        self.varies = self.varies or self.out is not None and now != (self.out, self.out_pairs)
        self.out, self.out_pairs = now
        return halves(arrays)


def complete(structure, values, fixed):
    """The arguments (args, kwargs) of a call: arrays from `values`, static ones from `fixed`."""
    args, kwargs = tree.unflatten(structure, values)
    for place, v in fixed:
        (args if isinstance(place, int) else kwargs)[place] = v
    return args, kwargs


@contextlib.contextmanager
def tracing():
    """While it runs, arrays have no values, and what the tape saves is the graph's own: hooks and
    checkpoints around the jitted function have no part in it."""
    packing, mode.packing = mode.packing, None
    if not levels.tracing:
        levels.traced_from = sequence()
    levels.tracing += 1
    try:
        yield
    finally:
        levels.tracing -= 1
        mode.packing = packing


def entering(leaf, moving, i):
    """The array of an argument; None if a transform tracks it."""
    if is_number(leaf):
        return array_of(leaf)
    if isinstance(leaf, boundary.ARRAYS):
        value = constant(leaf, "jit", i)
        return value.array if is_constant(value) else None
    place = boundary.where(moving, ("args", "kwargs"), i)
    raise ArgumentError(f"jit traces arrays, but {place} is {describe(leaf)}. Name the argument "
                        "in static_argnums or static_argnames.")


def is_concretization(error):
    return isinstance(error, ConcretizationError) or EVAL in str(error)


def user_line(error):
    """The last line of the traceback that is the user's."""
    return Origin(users(traceback.walk_tb(error.__traceback__)), None).line


def refuse_arrays(fixed):
    """An array as a static argument would be told from others by identity, and its elements are
    not constant: after a change in place the graph would go on with the old ones."""
    for place, given in fixed:
        for leaf in tree.leaves(given):
            if isinstance(leaf, (Value, mx.array)):
                what = f"argument {place}" if isinstance(place, int) else repr(place)
                raise RangeError(f"jit: static arguments are plain values, but {what} has an "
                                 f"array, {describe(leaf)}. Leave it out of static_argnums and "
                                 "static_argnames, so that it is traced.")


def static_positions(f, argnums, argnames):
    """Both ways to name static arguments, each completed by the other."""
    argnums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    argnames = (argnames,) if isinstance(argnames, str) else tuple(argnames)
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return argnums, argnames
    check_static(parameters, argnums, argnames)
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    argnums += tuple(names.index(n) for n in argnames if n in names)
    argnames += tuple(names[i] for i in argnums if -len(names) <= i < len(names))
    return argnums, argnames


def check_static(parameters, argnums, argnames):
    """Refuse static arguments that the function cannot be called with."""
    kinds = {p.kind for p in parameters}
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    named = {p.name for p in parameters if p.kind not in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)}
    for i in argnums:
        if not -count <= i < count and inspect.Parameter.VAR_POSITIONAL not in kinds:
            raise RangeError(f"jit: static_argnums names argument {i}, but the function takes "
                             f"{count} positional argument(s).")
    for word in argnames:
        if word not in named and inspect.Parameter.VAR_KEYWORD not in kinds:
            raise RangeError(f"jit: static_argnames names {word!r}, but the function has no such "
                             f"argument (it has: {', '.join(sorted(named)) or 'none'}).")
