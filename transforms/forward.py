"""Forward mode: run the function on dual values, a primal and its tangent."""

from functape import tree
from functape.errors import ArgumentError, check_callable, describe
from functape.op import NUMBERS, Op, Value, levels
from functape.tape import mode
from functape.tensor import INEXACT, constant
from functape.transforms import boundary


class Dual(Value):
    """A primal, and how fast it changes along the direction of a `jvp`."""

    __slots__ = ("rank", "primal", "tangent")

    def __init__(self, rank, primal, tangent):
        self.rank, self.primal, self.tangent = rank, primal, tangent

    @property
    def shape(self):
        return self.primal.shape

    @property
    def dtype(self):
        return self.primal.dtype

    def interpret(self, op, args, params):
        """Apply the op to the primals, and its jvp rules to the tangents."""
        rank, primals, tangents = self.rank, [], []
        for a in args:
            t = None
            if type(a) is Dual and a.rank == rank:
                a, t = a.primal, a.tangent
            elif isinstance(a, Value):
                if a.rank > rank:
                    return a.interpret(op, args, params)
            elif not isinstance(a, NUMBERS):
                a = constant(a)
            primals.append(a)
            tangents.append(t)
        out = op(*primals, **params)
        if not op.differentiable or not mode.recording:  # no_grad cuts the tangent too
            return out
        several = type(out) is tuple
        moved = op.push(tangents, primals, out if several else (out,), params)
        if moved is None:
            return out
        if not several:
            return Dual(rank, out, moved)
        return tuple(Dual(rank, o, t) if o.dtype in INEXACT else o
                     for o, t in zip(out, moved, strict=True))

    def __repr__(self):
        return f"Dual({describe(self)})"


def jvp(f, primals, tangents, has_aux=False):
    r"""The value of `f` and its derivative along a direction, in one forward pass.

    .. math:: \left(f(x),\; \frac{\partial f}{\partial x}\, t\right),
       \qquad \text{both of the shape of } f(x)

    Source: A. Griewank and A. Walther, Evaluating Derivatives, 2nd edition (SIAM,
    2008), chapter 3.

    Args:
      f: function of arrays or pytrees of arrays.
      primals: tuple or list of the arguments x.
      tangents: the direction t, with the structure, shapes and dtypes of the primals.
      has_aux: `f` returns ``(out, aux)``, where aux is passed on.

    Returns:
      ``(out, tangent)``, with has_aux ``(out, tangent, aux)``.

    >>> import functape as ft
    >>> ft.jvp(lambda x: x ** 3, (2.0,), (1.0,))
    (tensor(8.), tensor(12.))
    """
    check_callable("jvp", f)
    for given, what in ((primals, "primals"), (tangents, "tangents")):
        if not isinstance(given, (tuple, list)):
            raise ArgumentError(f"jvp takes its {what} as a tuple or list, one entry an argument, "
                                f"but got {describe(given)}. For one argument write (x,).")
    primals, tangents = tuple(primals), tuple(tangents)
    plain = boundary.is_plain(primals, tangents)
    labels = [f"primals[{i}]" for i in range(len(primals))]
    values, structure = boundary.inexact_values("jvp", primals, labels)
    moves = boundary.match("jvp", tangents, structure, values, "tangent", "primal")
    with levels as rank, boundary.inside(recording=True):
        duals = [Dual(rank, p, t) for p, t in zip(values, moves, strict=True)]
        out, aux = boundary.with_aux("jvp", f(*tree.unflatten(structure, duals)), has_aux)
        outs, form = boundary.outputs("jvp", out)
        pairs = [halves(boundary.lower(o, rank), rank) for o in outs]
        aux = tree.map(lambda a: halves(boundary.lower(a, rank), rank)[0], aux)
    out, tangent = (tree.unflatten(form, [boundary.give(pair[k], plain) for pair in pairs])
                    for k in (0, 1))
    if not has_aux:
        return out, tangent
    return out, tangent, tree.map(lambda a: boundary.give(a, plain), aux)


def halves(value, rank):
    """Primal and tangent; of a value that does not depend on the input, itself and zeros."""
    if type(value) is Dual and value.rank == rank:
        return value.primal, value.tangent
    return value, Op.zeros(value) if isinstance(value, Value) else None
