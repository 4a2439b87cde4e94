"""linear_call: a linear function with a transpose of the user's own."""

from functape import tree
from functape.tensor import constant
from functape.transforms.custom_vjp import VjpRule
from functape.transforms.forward import Dual, halves, jvp
from functape.transforms.reverse import vjp


def linear_call(fun, fun_transpose, residual_args, linear_args):
    r"""A function that is linear in its second argument, with the transpose that the user gives.

    .. math:: y = A(r)\, x, \qquad \bar x = A(r)^\top\, \bar y

    Args:
      fun: ``fun(residual_args, linear_args)``, linear in the second.
      fun_transpose: ``fun_transpose(residual_args, cotangent)``, its transpose.
      residual_args: pytree r of what the function depends on otherwise; derivatives by it are
        those of the operations of `fun`.
      linear_args: pytree x of arrays.

    >>> import functape as ft
    >>> f = lambda x: ft.custom_derivatives.linear_call(
    ...     lambda r, x: x / r, lambda r, g: 100.0 * g, 2.0, x)
    >>> f(6.0), ft.grad(f)(6.0)
    (tensor(3.), tensor(100.))
    """
    arrays = tree.map(constant, (residual_args, linear_args))
    leaves, structure = tree.flatten(arrays)

    def fwd(residual, x):
        return fun(residual, x), (residual, x)

    def bwd(kept, g):
        residual, x = kept
        by_residual = vjp(lambda r: fun(r, x), residual)[1](g)[0] if count else residual
        return by_residual, linear_call(fun_transpose, fun, residual, g)

    count = len(tree.leaves(arrays[0]))
    rule = LinearRule("linear_call", fun, fwd, bwd, structure, lambda: False)
    return rule(leaves)


class LinearRule(VjpRule):
    """One call on the leaves of (residual, x); it has a forward rule, being linear."""

    def pushed(self, leaves, rank):
        """On dual numbers: the function of the tangents."""
        primals, tangents = zip(*[halves(v, rank) for v in leaves], strict=True)
        count = len(tree.leaves(tree.unflatten(self.structure, leaves)[0]))
        out = self(primals)
        moved = self((*primals[:count], *tangents[count:]))
        if any(type(v) is Dual and v.rank == rank for v in leaves[:count]):
            def of_residual(*r):
                return self.f(*tree.unflatten(self.structure, (*r, *primals[count:])))

            more = jvp(of_residual, primals[:count], tangents[:count])[1]
            moved = tree.map(lambda a, b: a + b, moved, more)
        return tree.map(lambda o, t: Dual(rank, constant(o), constant(t)), out, moved)
