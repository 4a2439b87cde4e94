"""cond and switch: one branch where the choice is known, all of them where it is not.

Outside of `vmap` and `jit` the choice is a plain value, and only the chosen branch runs and is on
the tape. Where the choice differs between the examples of a `vmap`, or is not known yet under
`jit`, all branches run and the results are selected; what was not selected gets a cotangent of
exactly zero, also where its own derivative is infinite or NaN.
"""

import functools

import mlx.core as mx

from functape import dtypes, tree
from functape.errors import ArgumentError, ConcretizationError, RangeError, describe
from functape.numpy.arguments import with_dtype
from functape.op import Value, is_weak
from functape.ops.elementwise import equal, not_equal, stop_gradient, where
from functape.tensor import INEXACT, Tensor, constant
from functape.transforms import boundary
from functape.transforms.forward import Dual
from functape.transforms.vmap import Batched
from functape.weak import Weak, lifted

NOT_GIVEN = object()


def cond(pred, true_fun, false_fun, *operands, operand=NOT_GIVEN):
    """`true_fun` of the operands if `pred` holds, else `false_fun`.

    Args:
      pred: a boolean or number, known or computed.
      true_fun, false_fun: functions of the operands; their results have the same structure,
        shapes and dtypes.
      *operands: arrays or pytrees of arrays. Where both branches run, the derivative of the one
        that was not chosen is kept out of these exactly; what a branch reads besides them relies
        on the rules of its operations to keep zero cotangents zero.
      operand: a single operand by name, as older programs pass it.

    >>> import functape as ft
    >>> f = lambda x: ft.lax.cond(x > 0, ft.numpy.log, lambda x: 0.0 * x, x)
    >>> ft.vmap(ft.grad(f))(ft.numpy.array([2.0, 0.0]))
    tensor([0.5, 0. ])
    """
    if not callable(true_fun) or not callable(false_fun):
        raise ArgumentError(f"cond takes two functions after the predicate, but got "
                            f"{describe(true_fun)} and {describe(false_fun)}.")
    operands = arrays("cond", operands if operand is NOT_GIVEN else (operand,))
    pred = scalar("cond", "pred", pred)
    known = value_of(pred)
    if known is not None:
        return tree.map(constant, run("cond", true_fun if known else false_fun, operands))
    pred = pred if pred.dtype == mx.bool_ else not_equal(pred, 0)
    results = [run("cond", f, tree.map(functools.partial(gated, choice), operands))
               for f, choice in ((true_fun, pred), (false_fun, ~pred))]
    check_alike("cond", results, ("true_fun", "false_fun"))
    return tree.map(functools.partial(selected, pred), *results)


def switch(index, branches, *operands, operand=NOT_GIVEN):
    """The branch number `index` of the operands; an index outside means the nearest branch.

    Args as for `cond`; `branches` is a sequence of functions.

    >>> import functape as ft
    >>> ft.lax.switch(1, [ft.numpy.sin, ft.numpy.square], 3.0)
    tensor(9.)
    """
    branches = list(branches)
    if not branches or not all(callable(f) for f in branches):
        raise RangeError("switch takes a sequence of one or more functions, but got "
                         f"{[describe(f) for f in branches]}.")
    operands = arrays("switch", operands if operand is NOT_GIVEN else (operand,))
    index = scalar("switch", "index", index)
    if not dtypes.issubdtype(index.dtype, dtypes.integer):
        raise ArgumentError(f"switch: the index must be an integer, but is {describe(index)}. Use "
                            "cond for a boolean.")
    index = index.clip(0, len(branches) - 1)
    known = value_of(index)
    if known is not None:
        return tree.map(constant, run("switch", branches[known], operands))
    results = [run("switch", f, tree.map(functools.partial(gated, equal(index, k)), operands))
               for k, f in enumerate(branches)]
    check_alike("switch", results, [f"branches[{k}]" for k in range(len(branches))])
    out = results[-1]
    for k in range(len(branches) - 2, -1, -1):
        out = tree.map(functools.partial(selected, equal(index, k)), results[k], out)
    return out


# --- operands and results -----------------------------------------------------------------------


def arrays(name, operands):
    """Operands with all leaves as values."""
    leaves, structure = tree.flatten(operands)
    for i, a in enumerate(leaves):
        if not isinstance(a, boundary.ARRAYS):
            raise ArgumentError(f"{name} passes arrays to its functions, but leaf {i} of the "
                                f"operands is {describe(a)}. Let the function close over it.")
    return tree.unflatten(structure, [lifted(a, name, i) for i, a in enumerate(leaves)])


def scalar(name, what, given):
    if not isinstance(given, boundary.ARRAYS):
        raise ArgumentError(f"{name}: {what} must be a number, but is {describe(given)}.")
    found = constant(given, name)
    if found.shape != ():
        raise ArgumentError(f"{name}: {what} must be one number without axes, but is "
                            f"{describe(found)}. Use .all() or .any(), or vmap over it.")
    return found


def run(name, f, operands):
    """The results of a branch, as values; numbers stay numbers for now."""
    with boundary.inside():
        out = f(*operands)
    boundary.outputs(name, out)
    return tree.map(lambda a: a if is_weak(a) else constant(a), out)


def check_alike(name, results, labels):
    """All branches must return the same structure, shapes and dtypes."""
    for result, label in zip(results[1:], labels[1:], strict=True):
        lines = tree.differences(results[0], result, names=(labels[0], label))
        if not lines:
            rows = zip(tree.paths(result), tree.leaves(results[0]), tree.leaves(result),
                       strict=True)
            lines = [f"{path or 'the result'}: {describe(a)} from {labels[0]}, {describe(b)} from "
                     f"{label}" for path, a, b in rows if not agree(a, b)]
        if lines:
            raise ArgumentError(f"{name}: all branches must return the same structure, shapes and "
                                "dtypes, but:\n  " + "\n  ".join(lines))


def agree(a, b):
    if is_weak(a) or is_weak(b):
        a, b = (b, a) if is_weak(a) else (a, b)
        return is_weak(a) or (a.shape == () and dtypes.result_type(a, b) == a.dtype)
    return a.shape == b.shape and a.dtype == b.dtype


def selected(pred, a, b):
    """One leaf of the result: `a` where `pred` holds, else `b`."""
    dtype = dtypes.result_type(a, b)
    return where(pred, with_dtype(a, dtype), with_dtype(b, dtype))


# --- is the choice known? -----------------------------------------------------------------------


def value_of(choice):
    """The plain number, or None where the examples of a `vmap` differ or `jit` is tracing."""
    try:
        return choice.item() if choice.dtype != mx.bool_ else bool(choice)
    except ConcretizationError:
        return None


# --- keeping derivatives out of what was not chosen -----------------------------------------------


def gated(pred, x):
    """`x`, but its cotangent is zero wherever `pred` does not hold, whatever arrives there."""
    if not isinstance(x, Value) or x.dtype not in INEXACT or not on_a_tape(x):
        return x
    if not mapped_at(pred) <= mapped_at(x):
        return x  # one array for all examples: a copy for each would cost too much
    return where(pred, x, stop_gradient(x))


def below(value):
    """What a value wraps."""
    if type(value) is Tensor:
        return (value.array,) if value.rank else ()
    if type(value) is Weak:
        return (value.value,)
    return (value.primal, value.tangent) if type(value) is Dual else (value.data,)


def on_a_tape(value):
    if not isinstance(value, Value):
        return False
    tracked = type(value) is Tensor and value.edge is not None
    return tracked or any(map(on_a_tape, below(value)))


def mapped_at(value):
    """The ranks of the vmaps over whose examples a value differs."""
    if not isinstance(value, Value):
        return set()
    own = {value.rank} if type(value) is Batched else set()
    return own.union(*map(mapped_at, below(value)))
