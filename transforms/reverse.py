"""Reverse mode: grad is value_and_grad is vjp with a seed of one."""

import functools

import mlx.core as mx

from functape import engine, tree
from functape.autograd.grad_mode import enable_grad
from functape.errors import ArgumentError, describe
from functape.op import levels
from functape.tape import mode
from functape.tensor import Tensor, constant, constant_lift, recorded_lift
from functape.transforms import boundary


class Pullback:
    """The reverse pass of one call, ready to run: from cotangents to cotangents."""

    def __init__(self, name, f, values, has_aux):
        """Run f on private aliases of `values`, the leaves of what is differentiated."""
        self.name, self.rank, outer = name, levels.tensor_rank, mode.recording
        aliases = [boundary.alias(v, self.rank) for v in values]
        with enable_grad(), boundary.inside():
            out, self.aux = boundary.with_aux(name, f(aliases), has_aux)
        self.outs, self.structure = boundary.outputs(name, out)
        self.inputs = values
        self.ends = [a.edge for a in aliases]
        self.live = [i for i, o in enumerate(self.outs)
                     if type(o) is Tensor and o.rank == self.rank and o.edge is not None]
        self.roots = [self.outs[i].edge for i in self.live]
        self.plan = engine.schedule(self.roots, set(self.ends), through=False)
        self.recorded = outer and self.plan[2]

    def results(self):
        """The outputs, on the tape only if something outside is tracked."""
        own = set(self.live) if not self.recorded else ()
        return [boundary.bare(o) if i in own else o for i, o in enumerate(self.outs)]

    def __call__(self, seeds, retain):
        """Cotangents of the inputs, given one cotangent for each output."""
        seeds = [seeds[i] for i in self.live]
        lift = recorded_lift(self.rank) if self.recorded else constant_lift
        if not self.recorded and self.rank == 0 and all(is_constant(s) for s in seeds):
            lift, seeds = None, [s.cell.data for s in seeds]
        with enable_grad():
            found = engine.run(self.plan, self.roots, seeds, wanted=set(self.ends), lift=lift,
                               retain=retain or self.recorded)
        return [self.cotangent(found.get(end), v)
                for end, v in zip(self.ends, self.inputs, strict=True)]

    def cotangent(self, g, value):
        if g is None:
            return constant(mx.zeros(value.shape, value.dtype))
        g = constant(g)
        return g if g.dtype == value.dtype else g.astype(value.dtype)


def is_constant(value):
    return type(value) is Tensor and value.rank == 0 and value.edge is None


def vjp(f, *primals, has_aux=False):
    r"""The value of `f`, and the function that pulls cotangents back through it.

    .. math:: f: x \mapsto y, \qquad w \mapsto w^\top \frac{\partial y}{\partial x}

    Args:
      f: function of arrays or pytrees of arrays.
      *primals: the arguments x, floating-point or complex.
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
    plain = boundary.is_plain(primals)
    labels = [f"primals[{i}]" for i in range(len(primals))]
    values, structure = boundary.inexact_leaves("vjp", primals, labels)
    pull = Pullback("vjp", lambda leaves: f(*tree.unflatten(structure, leaves)), values, has_aux)

    def pullback(cotangent):
        """Pull one cotangent of the output back to the arguments."""
        seeds = boundary.match("vjp", cotangent, pull.structure, pull.outs, "cotangent", "output")
        found = [boundary.give(g, plain) for g in pull(seeds, retain=True)]
        return tree.unflatten(structure, found)

    out = tree.unflatten(pull.structure, [boundary.give(o, plain) for o in pull.results()])
    return (out, pullback, leave_aux(pull, plain)) if has_aux else (out, pullback)


def leave_aux(pull, plain):
    return tree.map(lambda a: boundary.give(boundary.settle(a, pull.rank), plain), pull.aux)


def value_and_grad(f, argnums=0, has_aux=False, holomorphic=False):
    r"""A function that returns the value of `f` and its gradient.

    .. math:: x \mapsto \left(f(x),\; \frac{\partial f}{\partial x}\right),
       \qquad f(x) \text{ of shape } ()

    Args:
      f: function that returns a scalar; with has_aux, ``(scalar, aux)``.
      argnums: the argument, or arguments, to differentiate by; negative counts from the end.
      has_aux: pass on the second part of what `f` returns.
      holomorphic: `f` is complex and holomorphic; the result is its complex derivative.

    Returns:
      A function with the arguments of `f` that returns ``(value, gradient)``, with has_aux
      ``((value, aux), gradient)``. The gradient is a pytree like the argument; a tuple of them
      where `argnums` is a sequence. Keyword arguments are passed through.

    >>> import functape as ft
    >>> ft.value_and_grad(lambda p: p["w"] ** 2)({"w": 3.0})
    (tensor(9.), {'w': tensor(6.)})
    """

    @functools.wraps(f)
    def value_and_gradient(*args, **kwargs):
        return gradient_of("value_and_grad", f, argnums, has_aux, holomorphic, args, kwargs)

    return value_and_gradient


def grad(f, argnums=0, has_aux=False, holomorphic=False):
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

    @functools.wraps(f)
    def gradient(*args, **kwargs):
        value, g = gradient_of("grad", f, argnums, has_aux, holomorphic, args, kwargs)
        return (g, value[1]) if has_aux else g

    return gradient


def gradient_of(name, f, argnums, has_aux, holomorphic, args, kwargs):
    """((value, aux) or value, gradient) of one call."""
    chosen, several = boundary.positions(name, argnums, len(args))
    plain = boundary.is_plain(args, kwargs)
    labels = [f"args[{i}]" for i in chosen]
    values, structure = boundary.inexact_leaves(name, tuple(args[i] for i in chosen), labels)
    rest = [None if i in chosen else boundary.enter(a) for i, a in enumerate(args)]
    kwargs = boundary.enter(kwargs)

    def call(leaves):
        full = list(rest)
        for i, arg in zip(chosen, tree.unflatten(structure, leaves), strict=True):
            full[i] = arg
        return f(*full, **kwargs)

    pull = Pullback(name, call, values, has_aux)
    check_scalar(name, pull, holomorphic)
    seeds = [constant(mx.ones(o.shape, o.dtype)) for o in pull.outs]
    grads = tree.unflatten(structure, [boundary.give(g, plain) for g in pull(seeds, False)])
    value = boundary.give(pull.results()[0], plain)
    value = (value, leave_aux(pull, plain)) if has_aux else value
    return value, grads if several else grads[0]


def check_scalar(name, pull, holomorphic):
    if pull.structure != tree.structure(0):
        raise ArgumentError(f"{name} takes a function that returns one scalar, but it returned "
                            f"{pull.structure}. Return further results with has_aux=True.")
    out = pull.outs[0]
    if out.shape != ():
        raise ArgumentError(
            f"{name} takes a function that returns a scalar, but its result is {describe(out)}. "
            "Reduce it, out.sum(), or use jacrev for all derivatives or vjp for one combination."
        )
    complex_out = out.dtype == mx.complex64
    if complex_out and not holomorphic:
        raise ArgumentError(f"{name} takes a function with a real result, but it is "
                            f"{describe(out)}. Pass holomorphic=True if the function is, or take "
                            "the real part.")
    if holomorphic and not all(v.dtype == mx.complex64 for v in [out, *pull.inputs]):
        raise ArgumentError(f"{name} with holomorphic=True needs complex inputs and a complex "
                            f"result, but the result is {describe(out)}.")
