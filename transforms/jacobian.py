"""Jacobians and Hessians: vjp or jvp, mapped over the rows or columns of an identity."""

import functools
import itertools
import math

import mlx.core as mx
import numpy

from functape import tree
from functape.dtypes import float0
from functape.errors import ArgumentError, check_callable
from functape.ops.movement import cut, reshape
from functape.pairs import converted
from functape.tensor import INEXACT, constant, number_array
from functape.transforms import boundary
from functape.transforms.forward import jvp
from functape.transforms.reverse import Pullback, check_kinds, grad, leave_aux, vjp
from functape.transforms.vmap import part, vmap


def jacrev(f, argnums=0, has_aux=False, holomorphic=False, allow_int=False, chunk_size=None):
    r"""A function that returns the Jacobian of `f`, by reverse mode: a pass for each output.

    .. math:: J_{o,i} = \frac{\partial f(x)_o}{\partial x_i},
       \qquad \text{of the shape of } f(x) \text{ followed by that of } x

    Args:
      f: function of arrays or pytrees that returns an array or a pytree; it runs once.
      argnums: the argument, or arguments, to differentiate by; negative counts from the end.
      has_aux: `f` returns ``(out, aux)``; the result is ``(jacobian, aux)``.
      holomorphic: `f` is complex and holomorphic.
      allow_int: accept integer arguments; their derivative has the dtype `float0`.
      chunk_size: compute this many rows at a time, to bound the memory; None: all at once.

    Returns:
      A function with the arguments of `f`. Its result has the structure of the output, and
      within each leaf that of the argument.

    >>> import functape as ft
    >>> ft.jacrev(lambda x: x ** 2)(ft.numpy.array([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    check_callable("jacrev", f)

    @functools.wraps(f)
    def jacobian(*args, **kwargs):
        call = boundary.Call("jacrev", f, args, kwargs, argnums, allow_int=allow_int)
        pull = Pullback("jacrev", lambda leaves: call(*leaves), call.values, has_aux)
        check_kinds("jacrev", call.values, pull.outs, holomorphic)
        per_output = all_rows(pull, chunk_size)
        aux = leave_aux(pull, call.plain) if has_aux else None
        return assembled(call, pull.structure, per_output, has_aux, aux)

    return jacobian


def jacfwd(f, argnums=0, has_aux=False, holomorphic=False, chunk_size=None):
    r"""A function that returns the Jacobian of `f`, by forward mode: a pass for each input.

    Shapes, arguments and results are those of `jacrev`; this one is cheaper where the inputs are
    fewer than the outputs.

    >>> import functape as ft
    >>> ft.jacfwd(lambda x: x ** 2)(ft.numpy.array([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    check_callable("jacfwd", f)

    @functools.wraps(f)
    def jacobian(*args, **kwargs):
        call = boundary.Call("jacfwd", f, args, kwargs, argnums)

        def push(*direction):
            return jvp(call, call.values, direction, has_aux=has_aux)

        out_axes = (None, -1, None) if has_aux else (None, -1)
        columns = vmap(push, out_axes=out_axes, chunk_size=chunk_size)
        out, tangents, *aux = columns(*identity_rows(call.values))
        outs, structure = tree.flatten(out)
        check_kinds("jacfwd", call.values, outs, holomorphic)
        per_output = [[reshaped(part, (*o.shape, *v.shape)) for part, v in
                       zip(column_blocks(t, call.values), call.values, strict=True)]
                      for o, t in zip(outs, tree.leaves(tangents), strict=True)]
        aux = tree.map(lambda a: boundary.give(a, call.plain), aux[0]) if has_aux else None
        return assembled(call, structure, per_output, has_aux, aux)

    return jacobian


def hessian(f, argnums=0, has_aux=False, holomorphic=False, chunk_size=None):
    r"""A function that returns the Hessian of `f`: ``jacfwd(jacrev(f))``.

    .. math:: H_{o,i,j} = \frac{\partial^2 f(x)_o}{\partial x_i \partial x_j},
       \qquad \text{of shape out + in + in}

    Arguments are those of `jacrev`; `chunk_size` counts columns.

    >>> import functape as ft
    >>> ft.hessian(lambda x: (x ** 3).sum())(ft.numpy.array([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check_callable("hessian", f)
    inner = jacrev(f, argnums, has_aux, holomorphic)
    return jacfwd(inner, argnums, has_aux, holomorphic, chunk_size)


def hvp(f, primals, tangents, *, mode="forward_over_reverse", batched=False):
    r"""The product of the Hessian of a scalar `f` with a vector, without the Hessian.

    .. math:: \nabla^2 f(x)\, v, \qquad \text{of the shape of } x

    The cost is a few gradients, whatever the size of x.

    Source: B. A. Pearlmutter, Fast exact multiplication by the Hessian, Neural Computation 6
    (1994).

    Args:
      f: function of arrays or pytrees that returns a scalar.
      primals: tuple or list of the arguments x.
      tangents: the vector v, structured like the primals.
      mode: "forward_over_reverse" pushes v through the gradient; "reverse_over_reverse"
        differentiates the product of the gradient with v, for functions without forward rules.
      batched: the tangents have a leading axis, one vector an entry; so has the result.

    Returns:
      The product, structured like the primals; for one argument, like that argument.

    >>> import functape as ft
    >>> ft.hvp(lambda x: (x ** 3).sum(), (ft.numpy.array([1.0, 2.0]),), (ft.numpy.ones(2),))
    tensor([ 6., 12.])
    """
    check_callable("hvp", f)
    primals = tuple(primals)
    gradient = grad(f, 0 if len(primals) == 1 else tuple(range(len(primals))))
    if mode == "forward_over_reverse":
        def product(*v):
            return jvp(gradient, primals, v)[1]
    elif mode == "reverse_over_reverse":
        def product(*v):
            found = vjp(gradient, *primals)[1](v[0] if len(v) == 1 else v)
            return found[0] if len(found) == 1 else found
    else:
        raise ArgumentError("hvp: mode is 'forward_over_reverse' or 'reverse_over_reverse', but "
                            f"is {mode!r}.")
    return (vmap(product) if batched else product)(*tangents)


def assembled(call, structure, per_output, has_aux, aux):
    """Output tree of input trees."""
    jacobian = tree.unflatten(structure, [call.give(parts) for parts in per_output])
    return (jacobian, aux) if has_aux else jacobian


def all_rows(pull, chunk_size):
    """The derivatives of each output by each input: [output][input]. A scalar has one row, its
    gradient, which needs no mapping."""
    if [o.shape for o in pull.outs] == [()]:
        return [pull([constant(number_array(1, o.dtype)) for o in pull.outs], retain=False)]
    moves = [v.dtype in INEXACT for v in pull.inputs]

    def row(*seeds):
        return tuple(itertools.compress(pull(seeds, retain=True), moves))

    rows = vmap(row, chunk_size=chunk_size)(*identity_rows(pull.outs))
    found = []
    for o, parts in zip(pull.outs, row_blocks(rows, pull.outs), strict=True):
        parts = iter(parts)  # each of shape (outputs, *input)
        shapes = [(*o.shape, *v.shape) for v in pull.inputs]
        found.append([reshaped(next(parts), shape) if moving else numpy.zeros(shape, float0)
                      for shape, moving in zip(shapes, moves, strict=True)])
    return found


def identity_rows(values):
    """For each value its rows of the identity over all values: shape (total, *shape)."""
    sizes = [math.prod(v.shape) for v in values]
    full, rows, start = sum(sizes), [], 0
    for v, n in zip(values, sizes, strict=True):
        basis = constant(converted(identity(full, n, start), v.dtype))
        rows.append(reshape(basis, shape=(full, *v.shape)))
        start += n
    return rows


def identity(rows, columns, start):
    """Ones from (start, 0) down to the right. A small one is data, which `jit` need not compute
    in each call; a large one is computed where and when it is needed."""
    if rows * columns > 1 << 20:
        return mx.eye(rows, columns, -start, dtype=mx.float32)
    return small_identity(rows, columns, start)


@functools.lru_cache(4)
def small_identity(rows, columns, start):
    return mx.array(numpy.eye(rows, columns, -start, dtype=numpy.float32))


def row_blocks(rows, outs):
    """Cut the leading axis into one part an output: parts[output][input]."""
    start, parts = 0, []
    for o in outs:
        n = math.prod(o.shape)
        parts.append([part(r, start, n) for r in rows])
        start += n
    return parts


def column_blocks(columns, values):
    """Cut the trailing axis into one part an input."""
    start, parts = 0, []
    for v in values:
        n = math.prod(v.shape)
        lead = (slice(None),) * (len(columns.shape) - 1)
        whole = n == columns.shape[-1]
        parts.append(columns if whole else cut(columns, index=(*lead, slice(start, start + n))))
        start += n
    return parts


def reshaped(a, shape):
    return a if a.shape == shape else reshape(a, shape=shape)
