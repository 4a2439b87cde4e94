"""Backward passes that a user starts: `backward` fills `.grad`, `grad` returns gradients."""

import math
from typing import NamedTuple

import mlx.core as mx
import numpy as np

from functape import engine, pairs
from functape.autograd.grad_mode import GradMode
from functape.autograd.install import method
from functape.errors import ArgumentError, GraphError, ShapeError, describe
from functape.op import Op, Value
from functape.sinks import AccumulateGrad, Sink
from functape.tape import Node, mode, output_of
from functape.tensor import NUMBERS, Tensor, constant, constant_lift, handle, recorded_lift


class GradientEdge(NamedTuple):
    """A place on the tape, as `get_gradient_edge` gives it.

    Args:
      node: that which computed a tensor, or the accumulator of a leaf.
      output_nr: which of its outputs.

    >>> import functape as ft
    >>> x = ft.tensor(2.0, requires_grad=True)
    >>> edge = ft.autograd.graph.get_gradient_edge(x * x)
    >>> edge.node is None, edge.output_nr
    (False, 0)
    """

    node: Node
    output_nr: int


# --- the two passes -----------------------------------------------------------------------------


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    r"""Add the gradient of the sum of some tensors to the `.grad` of the leaves.

    .. math::

      x.\mathrm{grad} \leftarrow x.\mathrm{grad} + \sum_i w_i^\top \frac{\partial y_i}{\partial x}

    Args:
      tensors: a tensor or a sequence of them, y.
      grad_tensors: their weights w, of the same shapes; None for tensors of one element: 1.
      retain_graph: keep what the tape saved, for another pass; default: `create_graph`.
      create_graph: record the pass, so that the gradients can be differentiated.
      inputs: add to the `.grad` of these tensors only, leaves or not.

    >>> import functape as ft
    >>> w = ft.tensor([1.0, 2.0], requires_grad=True)
    >>> ft.autograd.backward((w * w).sum())
    >>> w.grad
    tensor([2., 4.])
    """
    outputs = sequence("backward", "tensors", tensors)
    wanted = None if inputs is None else targets("backward", inputs)
    found = run("backward", outputs, grad_tensors, retain_graph, create_graph, wanted)
    if inputs is None:
        return
    given = sequence("backward", "inputs", inputs)
    missing = [i for i, node in enumerate(wanted) if node not in found]
    if missing:
        raise GraphError(unreached("backward", missing[0], given[missing[0]]))
    with Pass(create_graph, mode.walk):
        for tensor, node in dict(zip(given, wanted, strict=True)).items():
            if isinstance(node, Sink):
                node.accept(found[node], node.hooks)
            elif not tensor.retains_grad:
                tensor.keep_grad(found[node])


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    r"""The gradients of the sum of some outputs by some inputs; no `.grad` is touched.

    .. math:: g_j = \sum_i w_i^\top \frac{\partial y_i}{\partial x_j}

    Args:
      outputs: a tensor or a sequence of them, y.
      inputs: tensors or graph edges x, leaves or not.
      grad_outputs: weights w of the outputs; None for outputs of one element: 1.
      retain_graph: keep what the tape saved; default: `create_graph`.
      create_graph: record the pass, so that the results can be differentiated.
      allow_unused: give None for an input that the outputs do not depend on.
      is_grads_batched: `grad_outputs` have a leading axis; one pass for each entry, stacked.
      materialize_grads: give zeros in place of None.

    Returns:
      A tuple of tensors, one for each input.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> ft.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ArgumentError("grad: materialize_grads=True gives zeros for unused inputs, so "
                            "allow_unused must not be False.")
    outputs = sequence("grad", "outputs", outputs)
    given = sequence("grad", "inputs", inputs)
    wanted = targets("grad", inputs)
    if is_grads_batched:
        return batched(outputs, given, grad_outputs, retain_graph, create_graph, allow_unused,
                       materialize_grads)
    found = run("grad", outputs, grad_outputs, retain_graph, create_graph, wanted)
    results = []
    for i, (node, tensor) in enumerate(zip(wanted, given, strict=True)):
        g = found.get(node)
        if g is not None:
            g = result(g, tensor)
        elif materialize_grads:
            g = Op.zeros(tensor)
        elif not allow_unused:
            raise GraphError(unreached("grad", i, tensor) + " Pass allow_unused=True to get None "
                             "for it, or materialize_grads=True for zeros.")
        results.append(g)
    return tuple(results)


@method
def tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradient of this tensor to the `.grad` of the leaves; see `autograd.backward`."""
    weights = None if gradient is None else [gradient]
    backward([self], weights, retain_graph, create_graph, inputs)


Tensor.backward = tensor_backward
del Tensor.tensor_backward

# --- one walk -----------------------------------------------------------------------------------


def run(name, outputs, weights, retain_graph, create_graph, wanted):
    """Seed the outputs and walk once; a dict from wanted nodes to cotangents."""
    if weights is None:
        weights = [None] * len(outputs)
    weights = sequence(name, "gradients", weights)
    if len(weights) != len(outputs):
        raise ShapeError(f"{name}: one gradient is needed for each output (or None), but there "
                         f"are {len(outputs)} output(s) and {len(weights)} gradient(s).")
    roots = [root(name, o, i) for i, o in enumerate(outputs)]
    seeds = [seed(name, o, w, i) for i, (o, w) in enumerate(zip(outputs, weights, strict=True))]
    rank = max((o.rank for o in outputs if isinstance(o, Tensor)), default=0)
    if create_graph:
        lift = recorded_lift(rank)
    elif rank == 0 and all(type(s) is Tensor and s.rank == 0 for s in seeds):
        lift, seeds = None, [s.array for s in seeds]
    else:
        lift = constant_lift
    retain = create_graph if retain_graph is None else retain_graph
    plan = engine.schedule(roots, None if wanted is None else set(wanted))
    leaf = any(type(node) is AccumulateGrad for node in plan.order)
    if mode.functional and wanted is None and not leaf:
        raise GraphError(f"{name}: inside a transform this reaches nothing that has a .grad: an "
                         "argument of the transform is differentiated by the transform. Use "
                         "functape.grad, or autograd.grad(outputs, inputs).")
    # A pass on values of a vmap or jvp around it must not cut the tangents that they carry.
    with Pass(lift is not None, plan):
        return engine.run(plan, roots, seeds, lift=lift, retain=retain,
                          wanted=None if wanted is None else set(wanted))


class Pass(GradMode):
    """The grad mode of a pass: recorded or not, whatever the mode around it."""

    def __init__(self, recording, plan):
        super().__init__(recording)
        self.plan, self.outer = plan, mode.walk

    def switch(self):
        mode.recording, mode.walk = self.recording, self.plan

    def __exit__(self, *exc):
        super().__exit__(*exc)
        mode.walk = self.outer


def batched(outputs, given, weights, retain_graph, create_graph, allow_unused, materialize):
    from functape.numpy import stack

    weights = sequence("grad", "gradients", weights)
    count = weights[0].shape[0]
    rows = []
    for k in range(count):
        keep = retain_graph or create_graph or k + 1 < count
        rows.append(grad(outputs, given, [w[k] for w in weights], keep, create_graph,
                         allow_unused, False, materialize))
    return tuple(None if column[0] is None else stack(column)
                 for column in zip(*rows, strict=True))


def result(g, tensor):
    """A cotangent as the user's own tensor, in the dtype of what it belongs to."""
    if not isinstance(g, Value):
        dtype = getattr(tensor, "dtype", g.dtype)
        return Tensor(handle(g) if g.dtype == dtype else pairs.converted(g, dtype))
    return g.alias() if isinstance(g, Tensor) else g


# --- what may be given --------------------------------------------------------------------------


def sequence(name, what, given):
    """A list of what was given, one or several."""
    if isinstance(given, GradientEdge) or not isinstance(given, (list, tuple)):
        given = [given]
    if what == "inputs" and not given:
        raise ShapeError(f"{name}: inputs is empty; name at least one tensor.")
    return list(given)


def targets(name, inputs):
    """The nodes of the inputs."""
    nodes = []
    for i, x in enumerate(sequence(name, "inputs", inputs)):
        if isinstance(x, GradientEdge):
            nodes.append(place(x))
        elif not isinstance(x, Tensor):
            raise ArgumentError(f"{name}: inputs are tensors or gradient edges, but input {i} is "
                                f"{describe(x)}.")
        elif x.edge is None:
            raise GraphError(f"{name}: input {i}, {describe(x)}, does not require grad. Set "
                             "requires_grad on it before the outputs are computed.")
        else:
            nodes.append(x.edge)
    return nodes


def place(edge):
    """The node itself, or that of one of its outputs where it has several."""
    several = getattr(edge.node, "outputs", None) is not None
    return output_of(edge.node, edge.output_nr) if several else edge.node


def root(name, output, i):
    if isinstance(output, GradientEdge):
        return place(output)
    if not isinstance(output, Tensor):
        raise ArgumentError(f"{name}: outputs are tensors, but output {i} is {describe(output)}.")
    if output.edge is None:
        raise GraphError(
            f"{name}: output {i}, {describe(output)}, does not depend on anything that requires "
            "grad: its derivative is zero. Set requires_grad on the inputs before computing it, "
            "and check that no_grad, detach or an integer operation does not cut it off."
        )
    return output.edge


def seed(name, output, weight, i):
    """The cotangent that starts at an output."""
    edge = isinstance(output, GradientEdge)
    if weight is None:
        if edge:
            raise GraphError(f"{name}: output {i} is a gradient edge, which has no default "
                             "gradient. Give one, of the shape of its tensor.")
        if math.prod(output.shape) != 1:
            raise GraphError(f"{name}: output {i} is {describe(output)}; only an output of one "
                             "element has a default gradient. Give one, or reduce it, y.sum().")
        if pairs.is_complex(output):
            raise GraphError(f"{name}: output {i} is complex; only a real output has a default "
                             "gradient. Give one, or take the real part.")
        return Tensor(pairs.ones(output.shape, output.dtype))
    if type(weight) in NUMBERS or not isinstance(weight, (Value, mx.array, np.ndarray)):
        raise ArgumentError(f"{name}: gradient {i} is a tensor or None, but is "
                            f"{describe(weight)}. Convert it with functape.asarray.")
    weight = constant(weight)
    if edge:
        return weight
    if weight.shape != output.shape:
        raise ShapeError(f"{name}: gradient {i} must have the shape of its output, "
                         f"{describe(output)}, but is {describe(weight)}.")
    if pairs.is_complex(weight) != pairs.is_complex(output):
        raise ArgumentError(f"{name}: gradient {i} is {describe(weight)}, but its output is "
                            f"{describe(output)}; both are complex or both are real.")
    return weight if weight.dtype == output.dtype else weight.astype(output.dtype)


def unreached(name, i, x):
    what = describe(x) if isinstance(x, Tensor) else "an edge"
    return f"{name}: the outputs do not depend on input {i}, {what}."


def get_gradient_edge(tensor):
    """The place of a tensor on the tape, which can stand for it as an input of `grad`.

    >>> import functape as ft
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> edge = ft.autograd.graph.get_gradient_edge(x)
    >>> ft.autograd.grad(x * x, edge)
    (tensor(6.),)
    """
    if tensor.edge is None:
        raise GraphError("get_gradient_edge needs a tensor that requires grad.")
    return GradientEdge(*tensor.edge.as_function())
