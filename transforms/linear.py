"""linearize and linear_transpose: reverse mode, and reverse mode of reverse mode.

The pullback of f is linear in its cotangent, so the transpose of the pullback is the pushforward:
f runs once, its tape is walked once with the cotangent tracked, and each application walks what
that recorded.
"""

import mlx.core as mx

from functape import tree
from functape.errors import ArgumentError, check_callable
from functape.op import Op
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
    out, pullback, *aux = vjp(f, *primals, has_aux=has_aux)
    _, push = vjp(pullback, tree.map(lambda o: Op.zeros(constant(o)), out))
    plain = boundary.is_plain(primals)
    structure = tree.structure(primals)
    values = [constant(v) for v in tree.leaves(primals)]

    def pushforward(*tangents):
        """Push one tangent for each argument forward."""
        moves = boundary.match("linearize", tangents, structure, values, "tangent", "primal")
        (moved,) = push(tree.unflatten(structure, moves))
        return tree.map(lambda m: boundary.give(m, plain), moved)

    return (out, pushforward, *aux)


def linear_transpose(f, *primals):
    r"""The transpose of a linear function.

    .. math:: f(x) = A x \;\Rightarrow\; w \mapsto A^\top w

    Args:
      f: a linear function of arrays or pytrees of arrays.
      *primals: arguments of the right shapes and dtypes; their values do not matter.

    Returns:
      A function from a cotangent of the output to a tuple, one cotangent for each argument.

    >>> import functape as ft
    >>> transpose = ft.linear_transpose(lambda x: 3.0 * x, 1.0)
    >>> transpose(2.0)
    (tensor(6.),)
    """
    check_callable("linear_transpose", f)
    zeros = tree.map(lambda p: boundary.give(Op.zeros(constant(p)), isinstance(p, mx.array)),
                     primals)
    if not tree.leaves(zeros):
        raise ArgumentError("linear_transpose needs at least one array argument.")
    return vjp(f, *zeros)[1]
