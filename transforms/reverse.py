"""Reverse mode: grad is value_and_grad is vjp with a seed of one."""

import functools

import mlx.core as mx
import numpy

from functape import engine, tree, tree_util
from functape.dtypes import float0
from functape.errors import ArgumentError, check_callable, describe
from functape.op import levels
from functape.pairs import ARRAYS, converted, is_complex, zeros
from functape.sinks import Extent
from functape.tape import mode, seen
from functape.tensor import (
    INEXACT,
    Tensor,
    constant_lift,
    handle,
    is_constant,
    number_array,
    recorded_lift,
)
from functape.transforms import boundary


class Pullback:
    """The reverse pass of one call, ready to run: from cotangents to cotangents."""

    def __init__(self, name, f, values, has_aux):
        """Run f on private aliases of `values`, the leaves of what is differentiated."""
        self.name, self.rank, outer = name, levels.tensor_rank, mode.recording
        extent = Extent()
        aliases = [boundary.alias(v, self.rank, extent) for v in values]  # integers: constants
        with boundary.inside(recording=True):
            out, self.aux = boundary.with_aux(name, f(aliases), has_aux)
        extent.close()
        self.outs, self.structure = boundary.outputs(name, out)
        if seen.change > extent.born:
            boundary.refuse_writes(name, extent.born, [*self.outs, *tree.leaves(self.aux)],
                                   lambda tensor: boundary.reaches(tensor, extent))
        self.inputs = values
        self.ends = [a.edge for a in aliases]
        self.live = [i for i, o in enumerate(self.outs)
                     if type(o) is Tensor and o.rank == self.rank and o.edge is not None]
        self.roots = [self.outs[i].edge for i in self.live]
        self.wanted = set(self.ends)
        self.plan = engine.schedule(self.roots, self.wanted, through=False)
        self.recorded = outer and self.plan.beyond

    def results(self):
        """The outputs, on the tape only if something outside is tracked."""
        own = set(self.live) if not self.recorded else ()
        return [boundary.bare(o) if i in own else o for i, o in enumerate(self.outs)]

    def __call__(self, seeds, retain, plain=False):
        """Cotangents of the inputs, given one cotangent for each output."""
        seeds = [seeds[i] for i in self.live]
        lift = recorded_lift(self.rank) if self.recorded else constant_lift
        if not self.recorded and self.rank == 0 and all([is_constant(s) for s in seeds]):
            lift, seeds = None, [s.array for s in seeds]
        before, mode.recording = mode.recording, True
        try:
            found = engine.run(self.plan, self.roots, seeds, wanted=self.wanted, lift=lift,
                               retain=retain or self.recorded)
        finally:
            mode.recording = before
        return [cotangent(found.get(end), v, plain)
                for end, v in zip(self.ends, self.inputs, strict=True)]


def cotangent(g, value, plain):
    """A cotangent as the transform gives it out: None is zero."""
    dtype = value.dtype
    if g is None:
        if dtype not in INEXACT:
            return numpy.zeros(value.shape, float0)
        g = zeros(value.shape, dtype)
    if type(g) in ARRAYS:
        g = handle(g) if g.dtype == dtype else converted(g, dtype)
        return g if plain and type(g) is mx.array else Tensor(g)
    return boundary.give(g if g.dtype == dtype else g.astype(dtype), plain)


def vjp(f, *primals, has_aux=False):
    r"""The value of `f`, and the function that pulls cotangents back through it.

    .. math:: f: x \mapsto y, \qquad w \mapsto w^\top \frac{\partial y}{\partial x}

    Source: A. Griewank and A. Walther, Evaluating Derivatives, 2nd edition (SIAM,
    2008), chapter 3.

    Args:
      f: function of arrays or pytrees of arrays.
      *primals: the arguments x; cotangents of integers have the dtype `float0`.
      has_aux: `f` returns ``(out, aux)``, where aux is passed on.

    Returns:
      ``(out, pullback)``, with has_aux ``(out, pullback, aux)``. ``pullback(w)`` takes a
      cotangent with the structure, shapes and dtypes of out and returns a tuple, one cotangent
      for each argument. It can be called any number of times, and under `vmap`.

    >>> import functape as ft
    >>> out, pullback = ft.vjp(lambda x, y: x * y, 3.0, 5.0)
    >>> pullback(1.0)
    (tensor(5.), tensor(3.))
    """
    check_callable("vjp", f)
    plain = boundary.is_plain(primals)
    labels = [f"primals[{i}]" for i in range(len(primals))]
    values, structure = boundary.inexact_values("vjp", primals, labels, allow_int=True)
    pull = Pullback("vjp", lambda leaves: f(*tree.unflatten(structure, leaves)), values, has_aux)

    def pullback(cotangent):
        """Pull one cotangent of the output back to the arguments."""
        seeds = boundary.match("vjp", cotangent, pull.structure, pull.outs, "cotangent", "output")
        return tree.unflatten(structure, pull(seeds, retain=True, plain=plain))

    pullback = PullbackFunction(f, primals, has_aux, pullback)
    out = tree.unflatten(pull.structure, [boundary.give(o, plain) for o in pull.results()])
    return (out, pullback, leave_aux(pull, plain)) if has_aux else (out, pullback)


class PullbackFunction:
    """What `vjp` returns, as a pytree: its leaves are those of the primals.

    So it can be a residual of a custom rule, or a result of a mapped function. Rebuilt from other
    leaves, it runs `f` again on them; for that, `f` must not close over what has changed.
    """

    def __init__(self, f, primals, has_aux, run=None):
        self.f, self.primals, self.has_aux, self.run = f, primals, has_aux, run

    def __call__(self, cotangent):
        """Pull one cotangent of the output back to the arguments."""
        if self.run is None:
            self.run = vjp(self.f, *self.primals, has_aux=self.has_aux)[1].run
        return self.run(cotangent)


tree_util.register_pytree_node(
    PullbackFunction,
    lambda p: (p.primals, (p.f, p.has_aux)),
    lambda static, primals: PullbackFunction(static[0], tuple(primals), static[1]),
)


def leave_aux(pull, plain):
    return tree.map(lambda a: boundary.give(boundary.settle(a, pull.rank), plain), pull.aux)


def value_and_grad(f, argnums=0, has_aux=False, holomorphic=False, allow_int=False,
                   argnames=None):
    r"""A function that returns the value of `f` and its gradient.

    .. math:: x \mapsto \left(f(x),\; \frac{\partial f}{\partial x}\right),
       \qquad f(x) \text{ of shape } ()

    Args:
      f: function that returns a scalar; with has_aux, ``(scalar, aux)``.
      argnums: the argument, or arguments, to differentiate by; negative counts from the end.
        None, with `argnames`: only those.
      has_aux: pass on the second part of what `f` returns.
      holomorphic: `f` is complex and holomorphic; the result is its complex derivative.
      allow_int: accept integer arguments; their gradient has the dtype `float0`.
      argnames: names of arguments to differentiate by, besides those of `argnums`.

    Returns:
      A function with the arguments of `f` that returns ``(value, gradient)``, with has_aux
      ``((value, aux), gradient)``. The gradient is a pytree like the argument; a tuple of them
      where `argnums` is a sequence. Other keyword arguments are passed through.

    >>> import functape as ft
    >>> ft.value_and_grad(lambda p: p["w"] ** 2)({"w": 3.0})
    (tensor(9.), {'w': tensor(6.)})
    """
    check_callable("value_and_grad", f)
    options = (argnums, argnames, has_aux, holomorphic, allow_int)

    @functools.wraps(f)
    def value_and_gradient(*args, **kwargs):
        return gradient_of("value_and_grad", f, args, kwargs, *options)

    return value_and_gradient


def grad(f, argnums=0, has_aux=False, holomorphic=False, allow_int=False, argnames=None):
    r"""A function that returns the gradient of `f`.

    .. math:: x \mapsto \frac{\partial f}{\partial x}, \qquad \text{of the shape of } x

    Args and errors as for `value_and_grad`.

    Returns:
      A function with the arguments of `f` that returns the gradient, with has_aux
      ``(gradient, aux)``.

    >>> import functape as ft
    >>> ft.grad(ft.grad(lambda x: x ** 3))(2.0)
    tensor(12.)
    """
    check_callable("grad", f)
    options = (argnums, argnames, has_aux, holomorphic, allow_int)

    @functools.wraps(f)
    def gradient(*args, **kwargs):
        value, g = gradient_of("grad", f, args, kwargs, *options)
        return (g, value[1]) if has_aux else g

    return gradient


def gradient_of(name, f, args, kwargs, argnums, argnames, has_aux, holomorphic, allow_int):
    """((value, aux) or value, gradient) of one call."""
    if argnames is not None and argnums == 0:
        argnums = None  # the default gives way to names
    call = boundary.Call(name, f, args, kwargs, argnums, argnames, allow_int)
    pull = Pullback(name, lambda leaves: call(*leaves), call.values, has_aux)
    check_scalar(name, pull, holomorphic)
    seeds = [Tensor(number_array(1, o.dtype)) for o in pull.outs]
    grads = call.give(pull(seeds, retain=False, plain=call.plain))
    value = boundary.give(pull.results()[0], call.plain)
    return ((value, leave_aux(pull, call.plain)) if has_aux else value), grads


def check_scalar(name, pull, holomorphic):
    if pull.structure != boundary.LEAF:
        raise ArgumentError(f"{name} takes a function that returns one scalar, but it returned "
                            f"{pull.structure}. Return further results with has_aux=True.")
    out = pull.outs[0]
    if out.shape != ():
        raise ArgumentError(
            f"{name} takes a function that returns a scalar, but its result is {describe(out)}. "
            "Reduce it, out.sum(), or use jacrev for all derivatives or vjp for one combination."
        )
    check_kinds(name, pull.inputs, pull.outs, holomorphic)


def check_kinds(name, inputs, outs, holomorphic):
    """A complex derivative is asked for by holomorphic=True, and needs complex numbers."""
    for out in outs:
        if out.dtype not in INEXACT:
            raise ArgumentError(f"{name} takes a function with a floating-point result, but it is "
                                f"{describe(out)}. Convert it, or return it with has_aux=True.")
        if is_complex(out) and not holomorphic:
            raise ArgumentError(f"{name} takes a function with a real result, but it is "
                                f"{describe(out)}. Pass holomorphic=True if the function is, or "
                                "take the real part.")
    if holomorphic:
        for value in [*inputs, *outs]:
            if not is_complex(value):
                raise ArgumentError(f"{name} with holomorphic=True needs complex inputs and "
                                    f"results, but one is {describe(value)}.")
