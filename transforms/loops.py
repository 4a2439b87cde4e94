"""Loops: scan, while_loop, fori_loop and map.

They are Python loops over operations on the tape. So a derivative of every order, in both modes,
is that of the operations that ran; that holds for `while_loop` and for `fori_loop` with computed
bounds too, which JAX differentiates in forward mode only. A long loop keeps what each step saves:
see `scan` for how to trade time for memory.
"""

import mlx.core as mx

from functape import dtypes, tree
from functape.errors import (
    ArgumentError,
    ConcretizationError,
    ShapeError,
    check_callable,
    describe,
)
from functape.numpy.arguments import integer, with_dtype
from functape.op import is_weak
from functape.ops.elementwise import where
from functape.ops.indexing import unstack
from functape.ops.movement import concatenate, cut, stack
from functape.pairs import zeros
from functape.tensor import Tensor, constant
from functape.transforms import boundary
from functape.transforms.control import below, gated, scalar
from functape.transforms.shapes import ShapeDtypeStruct, eval_shape
from functape.transforms.vmap import vmap
from functape.weak import lifted

# --- scan ---------------------------------------------------------------------------------------


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    r"""Carry a state along the leading axis of arrays.

    .. math:: c_{i+1},\, y_i = f(c_i, x_i)

    Args:
      f: function of (carry, x) that returns (carry, y): pytrees of arrays. The carry keeps its
        structure, shapes and dtypes.
      init: the first carry.
      xs: pytree of arrays with one leading axis, or None.
      length: the number of steps, where xs has no arrays to tell.
      reverse: from the last step to the first; y_i still belongs to x_i.
      unroll: has no effect; accepted for JAX's sake.

    Returns:
      ``(carry, ys)``: the last carry, and all y stacked along a new leading axis.

    A backward pass needs what every step saved. To keep only what about :math:`2\sqrt{n}` steps
    save, scan over chunks of :math:`\sqrt{n}` steps, with `checkpoint` around each chunk.

    >>> import functape as ft
    >>> ft.lax.scan(lambda c, x: (c + x, c * x), 0.0, ft.numpy.array([1.0, 2.0, 3.0]))
    (tensor(6.), tensor([0., 2., 9.]))
    """
    check_callable("scan", f)
    carry = entering("scan", "init", init)
    columns, structure = tree.flatten(xs)
    columns = [constant(x, "scan", i) for i, x in enumerate(columns)]
    n = steps("scan", columns, xs, length)
    rows = [unstack(x, axis=0) for x in columns] if n else []
    if n == 0:
        return settled(carry), no_results(f, carry, columns, structure)
    results = [None] * n
    first = True
    for k in range(n - 1, -1, -1) if reverse else range(n):
        x = tree.unflatten(structure, [row[k] for row in rows])
        new, y = pair("scan", call(f, carry, x))
        if first:
            carry, changed = promoted(carry, new)
            new, y = pair("scan", call(f, carry, x)) if changed else (new, y)
            first = False
        carry = kept("scan", "carry", carry, new)
        results[k], form = tree.flatten(y)
    carry = settled(carry)
    check_results(results, y)
    stacked = [stack(*[constant(y) for y in column], axis=0)
               for column in zip(*results, strict=True)]
    return carry, tree.unflatten(form, stacked)


def steps(name, columns, xs, length):
    """How many steps there are."""
    for x, path in zip(columns, tree.paths(xs), strict=True):
        if not x.shape:
            raise ArgumentError(f"{name} runs along the leading axis of its arrays, but xs{path} "
                                f"is {describe(x)}.")
    found = {x.shape[0] for x in columns}
    if length is not None:
        found.add(integer(length, name, "length"))
    if not found:
        raise ShapeError(f"{name} needs arrays in xs, or length=..., to know its number of steps.")
    if len(found) > 1:
        rows = zip(columns, tree.paths(xs), strict=True)
        lines = [f"xs{path}: {describe(x)}" for x, path in rows]
        raise ShapeError(f"{name}: all leading axes, and length={length}, must agree, but:\n  "
                         + "\n  ".join(lines))
    return found.pop()


def pair(name, result):
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise ArgumentError(f"{name}: the function must return a pair (carry, y), but returned "
                            f"{describe(result)}.")
    return result


def no_results(f, carry, columns, structure):
    """The empty results of a scan of no steps."""
    x = tree.unflatten(structure, [ShapeDtypeStruct(c.shape[1:], c.dtype) for c in columns])
    _, y = pair("scan", eval_shape(f, carry, x))
    return tree.map(lambda a: constant(zeros((0, *a.shape), a.dtype)), y)


def check_results(results, y):
    """All steps must return the same number of arrays, of the same shapes."""
    last = tree.leaves(y)
    for row in results:
        if len(row) != len(last) or any(getattr(a, "shape", ()) != getattr(b, "shape", ())
                                        for a, b in zip(row, last, strict=True)):
            given = ([describe(a) for a in row], [describe(a) for a in last])
            raise ArgumentError(f"scan: every step must return results of the same structure and "
                                f"shapes, but one returned {given[0]} and another {given[1]}.")


# --- the carry ----------------------------------------------------------------------------------


def entering(name, what, given):
    """A carry with all leaves as values, weak where they are Python numbers."""
    leaves, structure = tree.flatten(given)
    for a, path in zip(leaves, tree.paths(given), strict=True):
        if not isinstance(a, boundary.ARRAYS):
            raise ArgumentError(f"{name} carries arrays, but {what}{path} is {describe(a)}. Let "
                                "the function close over it.")
    return tree.unflatten(structure, [lifted(a) for a in leaves])


def promoted(carry, new):
    """The first carry, where what is weak takes the dtype, or the kind of number, that comes out of
    the first step; and whether it is another than its own, so that the step has to run again."""
    leaves, structure = tree.flatten(carry)
    if not any([a.weak for a in leaves]) or tree.structure(new) != structure:
        return carry, False
    found = [promoted_leaf(a, b) for a, b in zip(leaves, tree.leaves(new), strict=True)]
    changed = any([a.dtype != b.dtype for a, b in zip(found, leaves, strict=True)])
    return tree.unflatten(structure, found), changed


def promoted_leaf(a, new):
    if not a.weak:
        return a
    if is_weak(new):
        return a.promoted(new)
    dtype = constant(new).dtype
    return a.strong(dtype if dtypes.result_type(a, dtype) == dtype else None)


def kept(name, what, before, after):
    """The new carry, checked: it has the structure, shapes and dtypes of the old one."""
    leaves, structure = tree.flatten(before)
    found, given = tree.flatten(after)
    if given != structure:
        raise changed_text(name, what, tree.differences(before, after, names=("old", "new")))
    found = [value_like(name, a, b)
             for a, b in zip(found, leaves, strict=True)]
    if any(new.shape != old.shape or new.dtype != old.dtype
           for new, old in zip(found, leaves, strict=True)):
        rows = zip(tree.paths(before), leaves, found, strict=True)
        raise changed_text(name, what, [
            f"{what}{path}: {describe(old)} went in, {describe(new)} came out"
            for path, old, new in rows if describe(old) != describe(new)])
    return tree.unflatten(structure, found)


def settled(carry):
    """A carry that no step has seen, weak no more."""
    return tree.map(constant, carry)


def changed_text(name, what, lines):
    return ArgumentError(f"{name}: the {what} must keep its structure, shapes and dtypes, but:\n  "
                         + "\n  ".join(lines))


def value_like(name, a, like):
    if not isinstance(a, boundary.ARRAYS):
        raise ArgumentError(f"{name} carries arrays, but the function returned {describe(a)}.")
    if not is_weak(a) or dtypes.result_type(a, like.dtype) != like.dtype:
        return constant(a)
    return lifted(a) if like.weak else with_dtype(a, like.dtype)


def call(f, *args):
    with boundary.inside():
        return f(*args)


# --- while and for ------------------------------------------------------------------------------


def while_loop(cond_fun, body_fun, init_val):
    """Apply `body_fun` again and again, as long as `cond_fun` holds.

    It can be differentiated in both modes. Under `vmap`, examples that are done keep their value
    until the last one is.

    Args:
      cond_fun: function of the value that returns one boolean.
      body_fun: function of the value that returns the next; it keeps its structure, shapes and
        dtypes.
      init_val: the first value, a pytree of arrays.

    >>> import functape as ft
    >>> halve = lambda x: ft.lax.while_loop(lambda v: v > 1.0, lambda v: v / 2, x)
    >>> ft.value_and_grad(halve)(12.0)
    (tensor(0.75), tensor(0.0625))
    """
    check_callable("while_loop", cond_fun, body_fun)
    value = entering("while_loop", "init_val", init_val)
    first = True
    while True:
        test = truth(call(cond_fun, value))
        going = plain(test) != 0
        if not bool(constant(going.any())):
            return settled(value)
        all_go = going.size == 1 or bool(constant(going.all()))
        new = call(body_fun, value if all_go else gated_tree(test, value))
        if first:
            value, changed = promoted(value, new)
            first = False
            if changed:
                continue
        new = kept("while_loop", "value", value, new)
        value = new if all_go else tree.map(lambda a, b, t=test: where(t, a, b), new, value)


def truth(given):
    test = scalar("while_loop", "what cond_fun returns", given)
    if test.dtype != mx.bool_:
        raise ArgumentError("while_loop: cond_fun must return a boolean, but returned "
                            f"{describe(test)}. Compare it: v != 0.")
    return test


def gated_tree(test, value):
    return tree.map(lambda v: gated(test, v), value)


def plain(value):
    """The array of all examples of a value: `vmap` and `jvp` around it taken off."""
    while not (type(value) is Tensor and value.rank == 0):
        value = below(value)[0]
    return value.array


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """Apply ``body_fun(i, value)`` for i = lower, ..., upper - 1.

    Args:
      lower, upper: integers, known or computed.
      body_fun: function of an integer array and the value that returns the next value.
      init_val: the first value, a pytree of arrays.
      unroll: has no effect; accepted for JAX's sake.

    >>> import functape as ft
    >>> ft.lax.fori_loop(0, 4, lambda i, v: v + i, 0)
    tensor(6, dtype=int32)
    """
    check_callable("fori_loop", body_fun)
    bounds = [scalar("fori_loop", what, given)
              for what, given in (("lower", lower), ("upper", upper))]
    for bound in bounds:
        if not dtypes.issubdtype(bound.dtype, dtypes.integer):
            raise ArgumentError(f"fori_loop: lower and upper must be integers, but one is "
                                f"{describe(bound)}.")
    try:
        start, stop = (bound.item() for bound in bounds)
    except ConcretizationError:
        start, stop = bounds

        def step(state):
            i, value = state
            return i + 1, body_fun(i, value)

        return while_loop(lambda state: state[0] < stop, step, (start, init_val))[1]
    value = entering("fori_loop", "init_val", init_val)
    for k in range(start, stop):
        i = constant(mx.array(k, dtype=bounds[0].dtype))
        new = call(body_fun, i, value)
        if k == start:
            value, changed = promoted(value, new)
            new = call(body_fun, i, value) if changed else new
        value = kept("fori_loop", "value", value, new)
    return settled(value)


def map(f, xs, *, batch_size=None):  # noqa: A001 - JAX's name
    """Apply `f` to each entry along the leading axis of arrays, one after the other.

    Args:
      f: function of a pytree of arrays.
      xs: pytree of arrays with one leading axis.
      batch_size: how many entries to compute at once, by `vmap`; None: one.

    >>> import functape as ft
    >>> ft.lax.map(lambda x: x * x, ft.numpy.array([1.0, 2.0, 3.0]), batch_size=2)
    tensor([1., 4., 9.])
    """
    check_callable("map", f)
    if batch_size is None:
        return scan(lambda _, x: (None, f(x)), None, xs)[1]
    size = integer(batch_size, "map", "batch_size")
    xs = tree.map(lambda x: constant(x, "map"), xs)
    n = steps("map", tree.leaves(xs), xs, None)
    if size < 1:
        raise ShapeError(f"map: batch_size must be 1 or more, but is {size}.")
    if n == 0:
        return scan(lambda _, x: (None, f(x)), None, xs)[1]
    parts = [vmap(f)(tree.map(lambda x, s=start: cut(x, index=(slice(s, min(s + size, n)),)), xs))
             for start in range(0, n, size)]
    return tree.map(lambda *rows: concatenate(*rows, axis=0), *parts)
