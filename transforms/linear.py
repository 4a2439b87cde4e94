"""linearize and linear_transpose: reverse mode, and reverse mode of reverse mode.

The pullback of f is linear in its cotangent, so the transpose of the pullback is the pushforward:
f runs once, its tape is walked once with the cotangent tracked, and each application walks what
that recorded.
"""

import mlx.core as mx

from functape import engine, tree
from functape.errors import ArgumentError, LinearityError, check_callable
from functape.numpy.creation import is_form
from functape.op import Op
from functape.tape import OpNode
from functape.tensor import constant
from functape.transforms import boundary
from functape.transforms.reverse import vjp


def linearize(f, *primals, has_aux=False):
    r"""The value of `f`, and its derivative as a linear function that can be applied many times.

    .. math:: f(x), \qquad t \mapsto \frac{\partial f}{\partial x}\, t

    Args:
      f: function of arrays or pytrees of arrays; it runs once.
      *primals: the arguments x.
      has_aux: `f` returns ``(out, aux)``, where aux is passed on.

    Returns:
      ``(out, pushforward)``, with has_aux ``(out, pushforward, aux)``. ``pushforward(*t)`` takes
      one tangent for each argument.

    >>> import functape as ft
    >>> out, pushforward = ft.linearize(lambda x: x ** 3, 2.0)
    >>> pushforward(1.0), pushforward(10.0)
    (tensor(12.), tensor(120.))
    """
    check_callable("linearize", f)
    labels = [f"primals[{i}]" for i in range(len(primals))]
    values, structure = boundary.inexact_values("linearize", primals, labels)
    out, pullback, *aux = vjp(f, *primals, has_aux=has_aux)
    _, push = vjp(pullback, tree.map(lambda o: Op.zeros(constant(o)), out))
    plain = boundary.is_plain(primals)

    def pushforward(*tangents):
        """Push one tangent for each argument forward."""
        moves = boundary.match("linearize", tangents, structure, values, "tangent", "primal")
        (moved,) = push(tree.unflatten(structure, moves))
        return tree.map(lambda m: boundary.give(m, plain), moved)

    return (out, pushforward, *aux)


def linear_transpose(f, *primals):
    r"""The transpose of a linear function.

    .. math:: f(x) = A x \;\Rightarrow\; w \mapsto A^\top w

    Source: A. Radul, A. Paszke, R. Frostig, M. J. Johnson and D. Maclaurin, You only linearize
    once: tangents transpose to gradients, POPL 2023.

    Args:
      f: a linear function of arrays or pytrees of arrays.
      *primals: arguments of the right shapes and dtypes, or ShapeDtypeStructs; their values do not
        matter.

    Returns:
      A function from a cotangent of the output to a tuple, one cotangent for each argument.

    Raises:
      LinearityError: the derivative of an operation in `f` depends on an argument; the message
        names it. Constants that `f` adds are left out, as in JAX, and comparisons are taken as they
        come out at 0.

    >>> import functape as ft
    >>> transpose = ft.linear_transpose(lambda x: 3.0 * x, 1.0)
    >>> transpose(2.0)
    (tensor(6.),)
    """
    check_callable("linear_transpose", f)
    zeros = tree.map(lambda p: boundary.give(Op.zeros(p if is_form(p) else constant(p)),
                                             isinstance(p, mx.array)), primals)
    if not tree.leaves(zeros):
        raise ArgumentError("linear_transpose needs at least one array argument.")

    def watched(*args):
        out = f(*args)
        refuse_nonlinear(tree.leaves(args), tree.leaves(out))
        return out

    return vjp(watched, *zeros)[1]


def refuse_nonlinear(inputs, outputs):
    """A function is linear in its inputs if no rule on the way reads what depends on them."""
    ends = {edge for edge in map(edge_of, inputs) if edge is not None}
    roots = [edge for edge in map(edge_of, outputs) if edge is not None and edge not in ends]
    suspects = [node for node in behind(roots, ends) if isinstance(node, OpNode) and any(
        at < 0 or node.edges[at] is not None for at in node.plan.sources)]
    if suspects:
        order, _, live, _ = engine.schedule(roots, ends, through=False)
        moving = ends.union(order if live is None else live)
        for node in sorted(moving.intersection(suspects), key=lambda n: n.seq):
            refuse_rules(node, moving)


def behind(roots, ends):
    """The nodes between, in no order."""
    found, stack = ends.union(roots), list(roots)
    while stack:
        node = stack.pop()
        yield node
        for edge in node.edges:
            if edge is not None and edge not in found:
                found.add(edge)
                stack.append(edge)


def refuse_rules(node, moving):
    """Refuse a node that saved what moves, unless only the rules of other arguments read it."""
    op = node.plan.op
    moved = {n for n in node.plan.arrays
             if n in op.outputs or op.variadic or node.edges[op.args.index(n)] in moving}
    if any(node.edges[i] in moving and not moved.isdisjoint(rule.reads)
           for i, rule in node.plan.rules):
        raise LinearityError(
            f"linear_transpose takes a linear function, but this one applies {op.name} to what "
            f"depends on its arguments, and {op.name} is not linear in that. For the derivative at "
            "a point use vjp(f, *primals)[1].")


def edge_of(a):
    return getattr(a, "edge", None)
