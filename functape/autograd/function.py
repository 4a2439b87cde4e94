"""Function: an operation with a backward of the user's own."""

import contextlib
import functools
import warnings

import mlx.core as mx

from functape.autograd import supplied
from functape.autograd.grad_mode import no_grad
from functape.autograd.saved import by_name, keep
from functape.errors import ArgumentError, GraphError, InplaceError, ShapeError, describe
from functape.op import Value, highest
from functape.ops.families import fit
from functape.pairs import ARRAYS
from functape.tape import RELEASED, Node, Parts, announce, freed, mode, output_of, sequence
from functape.tensor import INEXACT, Tensor, constant, constant_lift


class FunctionNode(Node):
    """The context of one application of a Function, which is its node on the tape too.

    `forward` and `backward` get it as ``ctx`` and may keep anything as attributes.
    """

    function = None  # the Function; a subclass is made for each
    given = None  # saved tensors that somebody else keeps: transforms.function

    def __init__(self, inputs):
        recording = mode.recording
        self.edges = tuple(t.edge if recording and isinstance(t, Tensor) else None for t in inputs)
        self.seq, self.hooks = sequence(), None  # announced once it has saved: finish
        self.needs_input_grad = tuple(e is not None for e in self.edges)
        self.avals = ()
        self._inputs = [(t.shape, t.dtype) if isinstance(t, Tensor) else None for t in inputs]
        self._to_save = self._saved = self._for_forward = self._lost = ()
        self._several = False
        self._dirty, self._constant = (), ()
        self._materialize = True
        self._lift = None

    @property
    def name(self):
        return f"{self.function.__name__}Backward"

    # --- for forward and setup_context -----------------------------------------------------------

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for `backward`; a second call replaces the first."""
        for i, t in enumerate(tensors):
            if t is not None and not isinstance(t, Value):
                raise ArgumentError(f"save_for_backward keeps tensors, but argument {i} is "
                                    f"{describe(t)}. Keep it as an attribute: ctx.name = value.")
        self._to_save = tuple([t if t is None else t.strong() for t in tensors])

    def save_for_forward(self, *tensors):
        """Keep tensors for `jvp`, where it needs others than `backward`."""
        self._for_forward = tensors

    def mark_dirty(self, *tensors):
        """Say which inputs `forward` changed in place; it must return them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        """Say which outputs have no derivative."""
        self._constant = tensors

    def set_materialize_grads(self, value):
        """Whether `backward` gets zeros (default) or None for outputs that nothing used."""
        self._materialize = value

    # --- for backward ----------------------------------------------------------------------------

    @property
    def saved_tensors(self):
        """What `save_for_backward` was given; checked for changes in place since."""
        if self.given is not None:
            return self.given
        if self._saved is RELEASED:
            raise GraphError(freed(self.name))
        if self._lost and self._lift not in (None, constant_lift) and mode.recording:
            warn_once(self)
        return tuple(None if s is None else s.unpack(self, self._lift) for s in self._saved)

    def output(self, k):
        """The node of one output."""
        return output_of(self, k) if self._several else self

    def pullback(self, g, lift, live):
        if self._saved is RELEASED:
            raise GraphError(freed(self.name))
        grads = self.output_grads(g, lift)
        needs, self._lift = self.needs_input_grad, lift
        if live is not None:
            self.needs_input_grad = tuple(e is not None and e in live for e in self.edges)
        try:  # a pass on plain arrays is not recorded
            with no_grad() if lift is None else contextlib.nullcontext():
                returned = self.function.backward(self, *grads)
        finally:
            self.needs_input_grad, self._lift = needs, None
        return self.checked(returned, lift, live)

    def output_grads(self, g, lift):
        present = g if isinstance(g, Parts) else {0: g}
        grads = []
        for k, aval in enumerate(self.avals):
            if k in present:
                grads.append(constant(present[k]))
            else:
                zeros = self._materialize and aval is not None
                grads.append(Tensor(mx.zeros(*aval)) if zeros else None)
        return grads

    def checked(self, returned, lift, live):
        """Pairs (input, cotangent), after a look at what the user's backward returned."""
        returned = tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)
        count = len(self.edges)
        extra = returned[count:]
        if len(returned) < count or any(e is not None for e in extra):
            raise GraphError(f"{self.name} must return {count} gradient(s), one for each argument "
                             f"of forward (None for those without), but returned {len(returned)}.")
        parts = []
        known = zip(returned, self.edges, self._inputs, strict=False)  # extra Nones may follow
        for i, (r, edge, aval) in enumerate(known):
            if r is None:
                continue
            if not isinstance(r, (Value, *ARRAYS)):
                raise ArgumentError(f"{self.name}: gradient {i} must be a tensor or None, but is "
                                    f"{describe(r)}.")
            if aval is None:
                raise GraphError(f"{self.name}: argument {i} of forward was not a tensor, so its "
                                 "gradient must be None.")
            if edge is None or (live is not None and edge not in live):
                continue
            parts.append((i, self.fitted(i, constant(r), aval, lift)))
        return parts

    def fitted(self, i, r, aval, lift):
        shape, dtype = aval
        if r.shape != shape:
            lead = len(r.shape) - len(shape)
            rest = r.shape[lead:]
            fits = lead >= 0 and all(n in (1, m) for n, m in zip(shape, rest, strict=True))
            if not fits:
                raise ShapeError(f"{self.name}: gradient {i} must have the shape of argument {i} "
                                 f"of forward, {shape}, but is {describe(r)}.")
        r = fit(r, shape, dtype)
        return r.array if lift is None else r

    def keeps(self):
        return by_name("saved_tensors", self._saved)

    def release(self):
        self._saved = RELEASED
        self._to_save = ()


class Function:
    """An operation with its own backward: subclass it, and call `apply`.

    ``forward(ctx, *args)``, or ``forward(*args)`` with ``setup_context(ctx, inputs, output)``,
    computes without being recorded; ``backward(ctx, *grad_outputs)`` returns one gradient for
    each argument. Both are static methods. Backward is written in tensor operations, so it can be
    differentiated again.

    Args:
      *args, **kwargs: an error: what is called is `apply`, with the arguments of `forward`.

    >>> import functape as ft
    >>> class Cube(ft.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x * x
    >>> x = ft.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    def __init__(self, *args, **kwargs):
        raise ArgumentError(f"{type(self).__name__} is not made into objects; call "
                            f"{type(self).__name__}.apply(...).")

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name in ("forward", "backward"):
            if getattr(cls, name) is getattr(Function, name):
                setattr(cls, name, staticmethod(missing(cls, name)))
        cls.node_type = type(f"{cls.__name__}Context", (FunctionNode,), {"function": cls})

    @staticmethod
    def forward(*args):
        """Compute the outputs; to be written by the user."""

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Return the gradient of each argument of forward; to be written by the user."""

    setup_context = None
    jvp = None  # optional: jvp(ctx, *tangents) -> tangents of the outputs
    warned = False  # of a saved value that is treated as constant
    vmap = None  # optional: vmap(info, in_dims, *args) -> (outputs, out_dims)

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward and put the operation on the tape."""
        check_call(cls, args, kwargs)
        top = highest(args)
        if top is not None and not isinstance(top, Tensor):
            return supplied.apply_function(cls, args, top)  # under vmap or jvp
        ctx = cls.node_type(args)
        rank = 0 if top is None else top.rank
        if rank == 0:
            with no_grad():
                return finish(ctx, args, call_forward(cls, ctx, args))
        return apply_above(cls, ctx, args, rank)


def call_forward(cls, ctx, args):
    if cls.setup_context is None:
        return cls.forward(ctx, *args)
    out = cls.forward(*args)
    cls.setup_context(ctx, args, out)
    return out


def apply_above(cls, ctx, args, rank):
    """Within vmap or jvp: run forward on what the tensors of this rank hold, so that whatever is
    tracked below sees it, and put the node on the tape of this rank."""
    below = [a.array if isinstance(a, Tensor) and a.rank == rank else a for a in args]
    out = call_forward(cls, ctx, below)
    several = isinstance(out, (tuple, list))
    pairs = list(zip(below, args, strict=True))
    for o in out if several else [out]:
        pairs.append((o, Tensor(o, rank) if isinstance(o, Value) else o))

    def above(value):
        found = [upper for lower, upper in pairs if lower is value]
        return found[0] if found else Tensor(value, rank) if isinstance(value, Value) else value

    ctx._to_save = [above(t) for t in ctx._to_save]
    return finish(ctx, args, tuple(map(above, out)) if several else above(out))


def check_call(cls, args, kwargs):
    if kwargs:
        raise ArgumentError(f"{cls.__name__}.apply takes positional arguments only, one for each "
                            f"gradient of backward; got the keyword(s) {', '.join(kwargs)}.")
    for name in ("forward", "backward", "setup_context"):
        if name in vars(cls) and not isinstance(vars(cls)[name], staticmethod):
            raise ArgumentError(f"{cls.__name__}.{name} must be a static method; write "
                                "@staticmethod above it.")
    for i, a in enumerate(args):
        inside = a.values() if isinstance(a, dict) else a if isinstance(a, (list, tuple)) else ()
        if any(isinstance(t, Tensor) and t.requires_grad for t in inside):
            raise ArgumentError(f"{cls.__name__}.apply: argument {i} is a {type(a).__name__} that "
                                "holds tensors that require grad; they would not be tracked. Pass "
                                "them as arguments of their own.")


def finish(ctx, args, out):
    """Put the outputs on the tape."""
    ctx._several = isinstance(out, (tuple, list))
    outs = list(out) if ctx._several else [out]
    tracked = any(ctx.needs_input_grad)
    check_dirty(ctx, outs, tracked)
    outs = [fresh(o, ctx, args) for o in outs]
    ctx.avals = tuple((o.shape, o.dtype) if isinstance(o, Tensor) else None for o in outs)
    if tracked:
        numbers = {id(o): k for k, o in enumerate(outs)}
        ctx._saved = [None if t is None else keep(t, numbers.get(id(t)))
                      for t in ctx._to_save]
        ctx._lost = [describe(t) for t in ctx._to_save
                     if lost(t) and id(t) not in numbers and not among(t, args)]
        if mode.watch:
            announce(ctx)
        for k, o in enumerate(outs):
            if isinstance(o, Tensor) and o.dtype in INEXACT and not among(o, ctx._constant):
                o.edge = ctx.output(k)
    ctx._to_save = ctx._dirty = ctx._constant = ()
    return tuple(outs) if ctx._several else outs[0]


def missing(cls, name):
    def absent(*args):
        raise GraphError(f"{cls.__name__} needs a static method {name}(ctx, ...); "
                         "see functape.autograd.Function.")

    return absent


def lost(saved):
    """Whether a saved value has a derivative that no tape knows, unless it is given or returned."""
    return isinstance(saved, Tensor) and saved.dtype in INEXACT and saved.edge is None


def warn_once(ctx):
    if ctx.function.warned:
        return
    ctx.function.warned = True
    warnings.warn(f"{ctx.name} is differentiated, but forward saved {ctx._lost[0]}, which is "
                  "neither an input nor an output: it is treated as constant. Compute it in "
                  "backward, or return it as an output too.", UserWarning, stacklevel=3)


def among(tensor, tensors):
    return any(tensor is t for t in tensors)


def fresh(out, ctx, args):
    """An output that is an input, or on the tape already, as another tensor of the same array."""
    if not isinstance(out, Tensor) or among(out, ctx._dirty):
        return out
    return out.detach() if out.edge is not None or among(out, args) else out


def check_dirty(ctx, outs, tracked):
    for t in ctx._dirty:
        if not among(t, outs):
            raise InplaceError(f"{ctx.name}: a tensor given to mark_dirty must be returned by "
                               "forward.")
        if t.sink is not None and tracked:
            raise InplaceError(f"{ctx.name}: forward changed a leaf that requires grad in place, "
                               f"{describe(t)}. Change a clone() instead.")


def once_differentiable(backward):
    """Decorate a `backward` that is not written in tensor operations: its result cannot be
    differentiated, and an attempt to do so is an error rather than a silent zero.

    >>> import functape as ft
    >>> backward = ft.autograd.function.once_differentiable(lambda ctx, g: 2 * g)
    """

    @functools.wraps(backward)
    def guarded(ctx, *grads):
        with no_grad():
            returned = backward(ctx, *grads)
        if not mode.recording:
            return returned
        several = isinstance(returned, (tuple, list))
        results = [guard(r, ctx) for r in (returned if several else [returned])]
        return tuple(results) if several else results[0]

    return guarded


def guard(result, ctx):
    if not isinstance(result, Tensor):
        return result
    return Tensor(result.array, result.rank, OnceOnly(ctx))


class OnceOnly(Node):
    """Stands behind a gradient that cannot be differentiated."""

    __slots__ = ("culprit",)
    name = "OnceOnlyBackward"

    def __init__(self, ctx):
        super().__init__(ctx.edges)
        self.culprit = ctx.name

    def pullback(self, g, lift, live):
        raise GraphError(f"{self.culprit} is marked once_differentiable, and its gradient was "
                         "differentiated again. Write its backward in tensor operations.")
