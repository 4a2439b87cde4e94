"""Jacobians and Hessians: vjp or jvp, mapped over the rows or columns of an identity."""

import functools
import math

import mlx.core as mx

from functape import tree
from functape.ops.movement import cut, reshape
from functape.tensor import constant
from functape.transforms import boundary
from functape.transforms.forward import jvp
from functape.transforms.reverse import vjp
from functape.transforms.vmap import vmap


def jacrev(f, argnums=0, has_aux=False):
    r"""A function that returns the Jacobian of `f`, by reverse mode: a pass for each output.

    .. math:: J_{o,i} = \frac{\partial f(x)_o}{\partial x_i},
       \qquad \text{of the shape of } f(x) \text{ followed by that of } x

    Args:
      f: function of arrays or pytrees that returns an array or a pytree.
      argnums: the argument, or arguments, to differentiate by; negative counts from the end.
      has_aux: `f` returns ``(out, aux)``; the result is ``(jacobian, aux)``.

    Returns:
      A function with the arguments of `f`. Its result has the structure of the output, and
      within each leaf that of the argument.

    >>> import functape as ft
    >>> ft.jacrev(lambda x: x ** 2)(ft.numpy.array([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """

    @functools.wraps(f)
    def jacobian(*args, **kwargs):
        call = Chosen("jacrev", f, argnums, args, kwargs)
        out, pullback, *aux = vjp(call, *call.values, has_aux=has_aux)
        outs, structure = tree.flatten(out)
        basis = tree.unflatten(structure, identity_rows(outs))
        rows = vmap(pullback)(basis)  # a tuple: for each input leaf (all outputs, *input)
        per_output = [[reshaped(part, (*o.shape, *v.shape))
                       for part, v in zip(parts, call.values, strict=True)]
                      for o, parts in zip(outs, pieces(rows, outs), strict=True)]
        return call.give(structure, per_output, aux)

    return jacobian


def jacfwd(f, argnums=0, has_aux=False):
    r"""A function that returns the Jacobian of `f`, by forward mode: a pass for each input.

    Shapes, arguments and results are those of `jacrev`; this one is cheaper where the inputs are
    fewer than the outputs.

    >>> import functape as ft
    >>> ft.jacfwd(lambda x: x ** 2)(ft.numpy.array([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """

    @functools.wraps(f)
    def jacobian(*args, **kwargs):
        call = Chosen("jacfwd", f, argnums, args, kwargs)
        basis = tuple(identity_rows(call.values))

        def push(*direction):
            return jvp(call, call.values, direction, has_aux=has_aux)

        out_axes = (None, -1, None) if has_aux else (None, -1)
        out, columns, *aux = vmap(push, out_axes=out_axes)(*basis)
        outs, structure = tree.flatten(out)
        last = [transposed_pieces(c, call.values) for c in tree.leaves(columns)]
        per_output = [[reshaped(part, (*o.shape, *v.shape))
                       for part, v in zip(parts, call.values, strict=True)]
                      for o, parts in zip(outs, last, strict=True)]
        return call.give(structure, per_output, aux)

    return jacobian


def hessian(f, argnums=0, has_aux=False):
    r"""A function that returns the Hessian of `f`: ``jacfwd(jacrev(f))``.

    .. math:: H_{o,i,j} = \frac{\partial^2 f(x)_o}{\partial x_i \partial x_j},
       \qquad \text{of shape out + in + in}

    Arguments are those of `jacrev`.

    >>> import functape as ft
    >>> ft.hessian(lambda x: (x ** 3).sum())(ft.numpy.array([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(f, argnums, has_aux), argnums, has_aux)


def hvp(f, primals, tangents):
    r"""The product of the Hessian of a scalar `f` with a vector, without the Hessian.

    .. math:: \nabla^2 f(x)\, v, \qquad \text{of the shape of } x

    Forward over reverse mode: the cost of a few gradients, whatever the size of x.

    Args:
      f: function of arrays or pytrees that returns a scalar.
      primals: tuple or list of the arguments x.
      tangents: the vector v, structured like the primals.

    Returns:
      The product, structured like the primals; for one argument, like that argument.

    >>> import functape as ft
    >>> ft.hvp(lambda x: (x ** 3).sum(), (ft.numpy.array([1.0, 2.0]),), (ft.numpy.ones(2),))
    tensor([ 6., 12.])
    """
    from functape.transforms.reverse import grad

    argnums = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(grad(f, argnums), primals, tangents)[1]


class Chosen:
    """A function of the leaves that argnums selects."""

    def __init__(self, name, f, argnums, args, kwargs):
        chosen, self.several = boundary.positions(name, argnums, len(args))
        self.plain = boundary.is_plain(args, kwargs)
        labels = [f"args[{i}]" for i in chosen]
        given = tuple(args[i] for i in chosen)
        self.values, self.structure = boundary.inexact_leaves(name, given, labels)
        self.f, self.chosen, self.kwargs = f, chosen, boundary.enter(kwargs)
        self.rest = [None if i in chosen else boundary.enter(a) for i, a in enumerate(args)]

    def __call__(self, *leaves):
        full = list(self.rest)
        for i, arg in zip(self.chosen, tree.unflatten(self.structure, leaves), strict=True):
            full[i] = arg
        return self.f(*full, **self.kwargs)

    def give(self, structure, per_output, aux):
        """Output tree of input trees, in the kind of array that the call came with."""
        blocks = []
        for parts in per_output:
            inputs = tree.unflatten(self.structure, [boundary.give(p, self.plain) for p in parts])
            blocks.append(inputs if self.several else inputs[0])
        jacobian = tree.unflatten(structure, blocks)
        if not aux:
            return jacobian
        return jacobian, tree.map(lambda a: boundary.give(a, self.plain), aux[0])


def identity_rows(values):
    """For each value its rows of the identity over all values: shape (total, *shape)."""
    sizes = [math.prod(v.shape) for v in values]
    full, rows, start = sum(sizes), [], 0
    for v, n in zip(values, sizes, strict=True):
        eye = mx.eye(full, n, -start, dtype=mx.float32).astype(v.dtype)
        rows.append(constant(eye.reshape(full, *v.shape)))
        start += n
    return rows


def pieces(rows, outs):
    """Cut the leading axis into one part an output: parts[output][input]."""
    start, parts = 0, []
    for o in outs:
        n = math.prod(o.shape)
        parts.append([cut(r, index=(slice(start, start + n),)) for r in rows])
        start += n
    return parts


def transposed_pieces(columns, values):
    """Cut the trailing axis into one part an input."""
    start, parts = 0, []
    for v in values:
        n = math.prod(v.shape)
        lead = (slice(None),) * (len(columns.shape) - 1)
        parts.append(cut(columns, index=(*lead, slice(start, start + n))))
        start += n
    return parts


def reshaped(a, shape):
    return a if a.shape == shape else reshape(a, shape=shape)
