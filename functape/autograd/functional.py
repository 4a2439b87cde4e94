r"""Derivatives of functions of tensors, by backward passes: PyTorch's functional interface.

The functions get private leaves with the values of the inputs (with ``create_graph=True``: aliases
on the tape), so neither `requires_grad` nor `.grad` of the inputs is touched. With ``strict=True``
an output that does not depend on an input is an error; otherwise its derivative is zero.
"""

import math

import mlx.core as mx

from functape.autograd import supplied
from functape.autograd.grad_mode import enable_grad
from functape.autograd.passes import grad
from functape.errors import ArgumentError, GraphError, ShapeError, describe
from functape.op import Op
from functape.ops.movement import reshape, stack
from functape.pairs import converted, ones, zeros
from functape.suggest import for_names_of
from functape.tape import Identity
from functape.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

# --- what goes in and comes out -----------------------------------------------------------------


class Call:
    """One call of the user's function on private copies of its inputs."""

    def __init__(self, name, func, inputs, create_graph, strict):
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.one_in = not isinstance(inputs, (tuple, list))
        given = tensors(name, "input", inputs)
        self.inputs = [private(x, create_graph) for x in given]
        with enable_grad():
            out = func(*self.inputs)
        self.one_out = not isinstance(out, (tuple, list))
        self.outputs = tensors(name, "output", out)

    def vectors(self, v, like, one, what):
        """The vector or vectors given by the user, one for each of `like`."""
        if v is None:
            if len(like) != 1 or math.prod(like[0].shape) != 1:
                raise GraphError(f"{self.name}: v may be left out only if there is one {what} of "
                                 "one element. Give v, of the shape of each.")
            return [Tensor(ones(like[0].shape, like[0].dtype))]
        vs = tensors(self.name, "vector", v)
        if len(vs) != len(like):
            raise ShapeError(f"{self.name}: v has {len(vs)} tensor(s), but there are {len(like)} "
                             f"{what}(s).")
        for i, (w, x) in enumerate(zip(vs, like, strict=True)):
            if w.shape != x.shape:
                raise ShapeError(f"{self.name}: v[{i}] must have the shape of {what} {i}, "
                                 f"{x.shape}, but is {describe(w)}.")
        return vs

    def scalar(self):
        """The output, which must be a single number."""
        if len(self.outputs) != 1 or math.prod(self.outputs[0].shape) != 1:
            given = ", ".join(map(describe, self.outputs))
            raise GraphError(f"{self.name}: the function must return one tensor of one element, "
                             f"but returned {given}. Reduce it, y.sum(), or use jacobian.")
        return self.outputs[0].reshape(())

    def pull(self, outputs, inputs, weights, recorded, said=None):
        """Gradients of weighted outputs; zeros, or an error, where there is no dependence."""
        pairs = [(o, w) for o, w in zip(outputs, weights, strict=True) if o.requires_grad]
        grads = [None] * len(inputs)
        if pairs:
            grads = grad([o for o, _ in pairs], inputs, [w for _, w in pairs], retain_graph=True,
                         create_graph=recorded, allow_unused=True)
        for i, g in enumerate(grads):
            if g is None and self.strict:
                raise GraphError(f"{self.name}: {said or 'the output of the function'} is "
                                 f"independent of input {i}, which strict=True does not allow.")
        return [Op.zeros(x) if g is None else g
                for g, x in zip(grads, inputs, strict=True)]

    def value(self):
        """The outputs in the form that the function returned."""
        outs = self.outputs if self.create_graph else [o.detach() for o in self.outputs]
        return outs[0] if self.one_out else tuple(outs)

    def like_inputs(self, results):
        results = self.checked(results)
        return results[0] if self.one_in else tuple(results)

    def like_outputs(self, results):
        results = self.checked(results)
        return results[0] if self.one_out else tuple(results)

    def checked(self, results):
        """Results that are to be differentiated must be on the tape, if `strict`."""
        for i, r in enumerate(results):
            if self.create_graph and self.strict and not r.requires_grad:
                raise GraphError(f"{self.name}: result {i} is independent of the inputs, which "
                                 "create_graph=True with strict=True does not allow.")
        return results if self.create_graph else [r.detach() for r in results]


def tensors(name, what, given):
    several = isinstance(given, (tuple, list))
    for i, x in enumerate(given if several else [given]):
        if not isinstance(x, Tensor):
            raise ArgumentError(f"{name}: each {what} must be a tensor, but {what} {i} is "
                                f"{describe(x)}. Convert it with functape.asarray.")
    return list(given) if several else [given]


def private(x, create_graph):
    """A tensor with the value of x that nobody else has."""
    own = Tensor(x.array, x.rank)
    if create_graph and x.edge is not None:
        own.edge = Identity((x.edge,))
        return own
    return own.requires_grad_()


# --- products with a vector ---------------------------------------------------------------------


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    r"""The outputs of a function, and the product of a vector with its Jacobian.

    .. math:: \left(f(x),\; v^\top \frac{\partial f}{\partial x}\right)

    Args:
      func: a function of the inputs that returns a tensor or a tuple of them.
      inputs: a tensor or a tuple of them, x.
      v: of the form and shapes of the outputs; may be left out for an output of one element.
      create_graph: record the computation, so that the results can be differentiated.
      strict: raise where the outputs do not depend on an input.

    >>> import functape as ft
    >>> x = ft.tensor([1.0, 2.0])
    >>> ft.autograd.functional.vjp(lambda x: x * x, x, ft.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    call = Call("vjp", func, inputs, create_graph, strict)
    v = call.vectors(v, call.outputs, call.one_out, "output")
    with enable_grad():
        grads = call.pull(call.outputs, call.inputs, v, create_graph)
    return call.value(), call.like_inputs(grads)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    r"""The outputs of a function, and the product of its Jacobian with a vector.

    .. math:: \left(f(x),\; \frac{\partial f}{\partial x} v\right),
       \qquad \frac{\partial f}{\partial x} v
              = \frac{\partial}{\partial u} \left\langle u^\top \frac{\partial f}{\partial x},
                v \right\rangle

    It takes two backward passes, whatever the sizes; `functape.jvp` takes one forward pass.

    Args:
      v: of the form and shapes of the inputs; may be left out for an input of one element.
      func, inputs, create_graph, strict: see `vjp`.

    >>> import functape as ft
    >>> x = ft.tensor([1.0, 2.0])
    >>> ft.autograd.functional.jvp(lambda x: x * x, x, ft.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    call = Call("jvp", func, inputs, create_graph, strict)
    v = call.vectors(v, call.inputs, call.one_in, "input")
    u = [Op.zeros(o).requires_grad_() for o in call.outputs]
    with enable_grad():
        grads = call.pull(call.outputs, call.inputs, u, True)
        call.strict = False  # what is independent of u was reported above
        products = call.pull(grads, u, v, create_graph)
    call.strict = strict
    return call.value(), call.like_outputs(products)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    r"""The value of a function, and the product of a vector with its Hessian.

    .. math:: \left(f(x),\; v^\top \frac{\partial^2 f}{\partial x^2}\right)

    Args:
      func: a function of the inputs that returns one tensor of one element.
      v: of the form and shapes of the inputs; may be left out for an input of one element.
      inputs, create_graph, strict: see `vjp`.

    >>> import functape as ft
    >>> x = ft.tensor([1.0, 2.0])
    >>> ft.autograd.functional.vhp(lambda x: (x * x * x).sum(), x, ft.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    r"""The value of a function, and the product of its Hessian with a vector.

    .. math:: \left(f(x),\; \frac{\partial^2 f}{\partial x^2} v\right)

    The Hessian is symmetric, so this is `vhp`; it is here under the name that people look for.

    Args:
      func, inputs, v, create_graph, strict: see `vhp`.

    >>> import functape as ft
    >>> x = ft.tensor([1.0, 2.0])
    >>> ft.autograd.functional.hvp(lambda x: (x * x * x).sum(), x, ft.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return hessian_product("hvp", func, inputs, v, create_graph, strict)


def hessian_product(name, func, inputs, v, create_graph, strict):
    call = Call(name, func, inputs, create_graph, strict)
    v = call.vectors(v, call.inputs, call.one_in, "input")
    with enable_grad():
        grads = call.pull([call.scalar()], call.inputs, [Tensor(one(call.outputs[0]))], True)
        products = call.pull(grads, call.inputs, v, create_graph, "the gradient of the function")
    return call.value(), call.like_inputs(products)


def one(output):
    return ones((), output.dtype)


# --- matrices -----------------------------------------------------------------------------------


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
    r"""The Jacobian of a function, a backward pass for each element of the outputs.

    .. math:: J_{o,i} = \frac{\partial f(x)_o}{\partial x_i},
       \qquad \text{of the shape of } f(x) \text{ followed by that of } x

    Args:
      func, inputs, create_graph, strict: see `vjp`.
      vectorize: run the passes for one output together, under vmap.

    Returns:
      A tensor; with several inputs a tuple of them; with several outputs a tuple of those.

    >>> import functape as ft
    >>> ft.autograd.functional.jacobian(lambda x: x * x, ft.tensor([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    call = Call("jacobian", func, inputs, create_graph, strict)
    with enable_grad():
        blocks = [call.like_inputs(jacobian_of(call, k, o, vectorize))
                  for k, o in enumerate(call.outputs)]
    return blocks[0] if call.one_out else tuple(blocks)


def jacobian_of(call, k, output, vectorize):
    """The Jacobian of one output by each input."""
    n = math.prod(output.shape)

    def row(weight):
        return tuple(call.pull([output], call.inputs, [weight], call.create_graph,
                               f"output {k} of the function"))

    basis = reshape(Tensor(converted(mx.eye(n), output.dtype)), shape=(n, *output.shape))
    if n == 0:
        columns = [Tensor(zeros((0, *x.shape), x.dtype)) for x in call.inputs]
    elif vectorize:
        columns = supplied.vmap(row)(basis)
    else:
        rows = [row(basis[r]) for r in range(n)]
        columns = [stack(*column, axis=0) for column in zip(*rows, strict=True)]
    return [reshape(c, shape=(*output.shape, *x.shape))
            for c, x in zip(columns, call.inputs, strict=True)]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
    r"""The matrix of second derivatives of a function of one number.

    .. math:: H_{i,j} = \frac{\partial^2 f(x)}{\partial x_i\, \partial x_j},
       \qquad \text{of the shape of } x \text{, twice}

    Args:
      func: a function of the inputs that returns one tensor of one element.
      inputs, create_graph, strict, vectorize: see `jacobian`.

    Returns:
      A tensor; with several inputs a tuple of tuples of them.

    >>> import functape as ft
    >>> ft.autograd.functional.hessian(lambda x: (x * x * x).sum(), ft.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def gradient(*args):
        inner = Call("hessian", func, args, True, strict)
        value = inner.scalar()
        grads = inner.pull([value], inner.inputs, [Tensor(one(value))], True)
        return grads[0] if not isinstance(inputs, (tuple, list)) else tuple(grads)

    return jacobian(gradient, inputs, create_graph, strict, vectorize)

__getattr__ = for_names_of(__name__)
