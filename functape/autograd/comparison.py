"""gradcheck: a function's derivatives, by backward passes and forward mode, against differences."""

import numpy as np

from functape.autograd import supplied
from functape.autograd.numerical import (
    Problem,
    close,
    compare,
    leaf,
    random_like,
    random_unit,
    real,
    row_of,
    seed_of,
    unit,
    unreal,
)
from functape.autograd.passes import grad
from functape.errors import ArgumentError, GradcheckError, describe
from functape.op import Op
from functape.ops.movement import stack
from functape.tensor import Tensor, as_numpy, constant


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True,
              nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
              check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
              check_backward_ad=True, fast_mode=False, masked=None):
    r"""Whether the derivatives that backward passes give agree with finite differences.

    .. math:: J_{o,i} \approx \frac{f(x + \epsilon e_i)_o - f(x - \epsilon e_i)_o}{2\epsilon}

    Args:
      func: a function of the inputs that returns a tensor or several.
      inputs: a tensor or a sequence; what requires grad in it is checked, and nothing is changed.
        Use float64: in float32 the default `eps` is lost in rounding, and a warning says so.
      eps: half the step of the finite differences.
      atol, rtol: an entry is right if it is within atol + rtol * |finite difference|.
      raise_exception: raise `GradcheckError`; else return False.
      nondet_tol: how much two passes over one graph may differ.
      check_undefined_grad: also pass by outputs to which no gradient comes.
      check_grad_dtypes: also check shapes and dtypes of the gradients.
      check_batched_grad: also run the backward pass under vmap.
      check_batched_forward_grad: also run forward mode under vmap.
      check_forward_ad: also check forward mode.
      check_backward_ad: check backward passes.
      fast_mode: compare one random projection of the Jacobian in place of every entry.
      masked: there are no sparse tensors; None or False.

    Returns:
      True, if everything agrees.

    >>> import functape as ft
    >>> x = ft.tensor([0.5, 2.0], dtype="float64", requires_grad=True)
    >>> ft.autograd.gradcheck(lambda x: x * x * x, x)
    True
    """
    if masked:
        raise ArgumentError("gradcheck: masked=True is about sparse tensors, and there are none.")
    if not (check_backward_ad or check_forward_ad):
        raise ArgumentError("gradcheck: nothing is left to check; set check_backward_ad or "
                            "check_forward_ad.")
    problem = Problem(func, inputs, eps)
    limits = (atol, rtol)
    try:
        if check_backward_ad:
            check_backward(problem, limits, fast_mode, nondet_tol)
            if check_undefined_grad:
                undefined(problem, limits)
            if check_grad_dtypes:
                same_kinds(problem)
            if check_batched_grad:
                batched_backward(problem, limits)
        if check_forward_ad:
            check_forward(problem, limits, fast_mode)
            if check_batched_forward_grad:
                batched_forward(problem, limits)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
                  check_grad_dtypes=False, check_batched_grad=False, check_fwd_over_rev=False,
                  check_rev_over_rev=True, fast_mode=False, masked=False):
    """Whether second derivatives agree with finite differences of the first.

    The gradient of `func` is itself checked, as a function of its inputs and of the gradients of
    its outputs; the latter are drawn from a generator with a fixed seed unless given.
    Other arguments as for `gradcheck`.

    Args:
      grad_outputs: a tensor or a sequence, one for each output.
      check_fwd_over_rev: check forward mode over backward passes.
      check_rev_over_rev: check backward passes over backward passes.

    >>> import functape as ft
    >>> x = ft.tensor([0.5, 2.0], dtype="float64", requires_grad=True)
    >>> ft.autograd.gradgradcheck(lambda x: x * x * x, x)
    True
    """
    problem = Problem(func, inputs, eps)
    if grad_outputs is None:
        random = np.random.default_rng(0)
        weights = [leaf(random_like(random, o), o.dtype) for o in problem.outputs()]
    else:
        given = grad_outputs if isinstance(grad_outputs, (tuple, list)) else [grad_outputs]
        weights = [leaf(as_numpy(constant(w).array), constant(w).dtype) for w in given]
    count = len(problem.inputs)

    def gradient(*args):
        args, weights = list(args[:count]), args[count:]
        wanted = [args[i] for i in problem.moving]
        if not all(isinstance(x, Tensor) for x in wanted):  # in forward mode
            call = lambda *xs: tuple(problem.call(xs))  # noqa: E731
            return supplied.vjp(call, *wanted)[1](tuple(weights))
        outs = problem.select(func(*args))
        pairs = [(o, w) for o, w in zip(outs, weights, strict=True) if o.requires_grad]
        if not pairs:
            raise GradcheckError("gradgradcheck: no output of the function requires grad.")
        return grad([o for o, _ in pairs], wanted, [w for _, w in pairs], create_graph=True,
                    materialize_grads=True)

    return gradcheck(
        gradient, (*problem.inputs, *weights), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked,
    )


# --- backward -----------------------------------------------------------------------------------


def rows(output, leaves, vectors):
    """For each leaf, the combinations of the rows of the Jacobian of one output."""
    found = [[] for _ in leaves]
    for vector in vectors:
        grads = pull([output], leaves, [seed_of(vector, output)])
        for j, (g, x) in enumerate(zip(grads, leaves, strict=True)):
            found[j].append(row_of(g, as_numpy(x.array)))
    sizes = [real(as_numpy(x.array)).size for x in leaves]
    return [np.reshape(block, (len(vectors), n)) for block, n in zip(found, sizes, strict=True)]


def pull(outs, leaves, seeds):
    """Gradients of the leaves, zeros where there are none."""
    pairs = [(o, s) for o, s in zip(outs, seeds, strict=True) if o.requires_grad]
    if not pairs:
        return [Op.zeros(x) for x in leaves]
    return grad([o for o, _ in pairs], leaves, [s for _, s in pairs], retain_graph=True,
                materialize_grads=True)


def check_backward(problem, limits, fast, nondet_tol):
    """The Jacobian by backward passes against that by finite differences."""
    leaves = problem.leaves()
    outs = problem.call(leaves)
    if not fast:
        check_all(problem, outs, leaves, limits)
    else:
        check_projected(problem, outs, leaves, limits)
    for k, o in enumerate(outs):
        deterministic(k, o, leaves, nondet_tol)


def check_all(problem, outs, leaves, limits):
    numerical = [problem.numerical(j) for j in range(len(leaves))]
    for k, o in enumerate(outs):
        n = real(as_numpy(o.array)).size
        analytical = rows(o, leaves, [unit(n, r) for r in range(n)])
        for j, found in enumerate(analytical):
            remark = "" if o.requires_grad else (
                f" Output {k} is not on the tape, so its derivative should be zero; it may have "
                "been detached, or computed outside of functape.")
            compare(found, numerical[j][k], k, problem.moving[j], limits, "backward", remark)


def check_projected(problem, outs, leaves, limits):
    """One number for each output and input: u' J v, with random u and v."""
    random = np.random.default_rng(0)
    for j in range(len(leaves)):
        v = random_unit(random, real(problem.start[j]).size)
        moved = problem.difference(j, v)
        for k, o in enumerate(outs):
            u = random_unit(random, moved[k].size)
            analytical, numerical = rows(o, leaves, [u])[j] @ v, np.array([u @ moved[k]])
            if not close(analytical, numerical, limits):
                check_all(problem, outs, leaves, limits)  # its report shows the entries
                compare(analytical[None], numerical[None], k, problem.moving[j], limits,
                        "backward, by a random projection (fast_mode)")


def deterministic(k, output, leaves, tol):
    n = real(as_numpy(output.array)).size
    vectors = [unit(n, r) for r in range(n)] if n <= 16 else [np.ones(n)]
    first, second = rows(output, leaves, vectors), rows(output, leaves, vectors)
    for j, (a, b) in enumerate(zip(first, second, strict=True)):
        worst = np.abs(a - b).max(initial=0)
        if worst > tol:
            raise GradcheckError(
                f"The backward pass from output {k} to input {j} is not deterministic: two passes "
                f"over one graph differ by up to {worst:g}, more than nondet_tol={tol:g}."
            )


def undefined(problem, limits):
    """Nothing arriving at an output must mean the same as zeros."""
    leaves = problem.leaves()
    outs = problem.call(leaves)
    for k, o in enumerate(outs if len(outs) > 1 else []):
        seeds = [seed_of(np.zeros(real(as_numpy(p.array)).size), p) for p in outs]
        seeds[k] = seed_of(np.ones(real(as_numpy(o.array)).size), o)
        try:
            alone = pull([o], leaves, [seeds[k]])
        except Exception as error:
            raise GradcheckError(f"The backward pass from output {k} alone failed: {error} Expect "
                                 "None as the gradient of outputs that nothing used.") from error
        for j, (a, b) in enumerate(zip(alone, pull(outs, leaves, seeds), strict=True)):
            a, b = (row_of(g, problem.start[j]) for g in (a, b))
            if not close(a, b, limits):
                raise GradcheckError(
                    f"The gradient of input {problem.moving[j]} from output {k} differs when the "
                    "other outputs get no gradient, and when they get zeros. Treat None as zeros."
                )


def same_kinds(problem):
    leaves = problem.leaves()
    outs = problem.call(leaves)
    for k, o in enumerate(outs):
        seed = seed_of(np.ones(real(as_numpy(o.array)).size), o)
        for i, x, g in zip(problem.moving, leaves, pull([o], leaves, [seed]), strict=True):
            if (g.shape, g.dtype) != (x.shape, x.dtype):
                raise GradcheckError(f"The gradient of input {i} from output {k} is "
                                     f"{describe(g)}, but the input is {describe(x)}.")


def batched_backward(problem, limits):
    """A backward pass under vmap against one for each seed."""
    random = np.random.default_rng(0)
    leaves = problem.leaves()
    for k, o in enumerate(problem.call(leaves)):
        if not o.requires_grad:
            continue
        seeds = [leaf(random_like(random, o), o.dtype).detach() for _ in range(2)]
        loop = [pull([o], leaves, [s]) for s in seeds]
        stacked = stack(*seeds, axis=0)
        try:
            together = supplied.vmap(lambda s, o=o: pull([o], leaves, [s]))(stacked)
        except Exception as error:
            raise GradcheckError(f"The backward pass from output {k} does not run under vmap: "
                                 f"{error}") from error
        for j, rows_of_j in enumerate(zip(*loop, strict=True)):
            expected = np.stack([as_numpy(g.array) for g in rows_of_j])
            if not close(as_numpy(together[j].array), expected, limits):
                raise GradcheckError(f"The gradient of input {problem.moving[j]} from output {k} "
                                     "under vmap differs from that of a pass for each seed.")


# --- forward ------------------------------------------------------------------------------------


def push(problem, j, direction):
    """The tangents of the outputs along a direction of moving input j, as real vectors."""
    tangents = [np.zeros_like(a) for a in problem.start]
    tangents[j] = unreal(direction, problem.start[j]).astype(problem.start[j].dtype)
    moved = supplied.jvp(lambda *xs: tuple(problem.call(xs)), tuple(problem.leaves()),
                         tuple(t.detach() for t in problem.leaves(tangents)))[1]
    return [real(as_numpy(constant(t).array)) for t in moved]


def check_forward(problem, limits, fast):
    """Tangents by forward mode against finite differences."""
    random = np.random.default_rng(0)
    for j, i in enumerate(problem.moving):
        n = real(problem.start[j]).size
        directions = [random_unit(random, n)] if fast else [unit(n, c) for c in range(n)]
        found = [push(problem, j, v) for v in directions]
        expected = [problem.difference(j, v) for v in directions]
        for k, (a, b) in enumerate(zip(zip(*found, strict=True), zip(*expected, strict=True),
                                       strict=True)):
            compare(np.stack(a, axis=1), np.stack(b, axis=1), k, i, limits, "forward mode")


def batched_forward(problem, limits):
    """Forward mode under vmap against one pass for each tangent."""
    random = np.random.default_rng(0)
    primals = problem.leaves()
    moves = [[leaf(random_like(random, x), x.dtype).detach() for x in primals] for _ in range(2)]

    def tangent(*tangents):
        f = lambda *xs: tuple(problem.call(xs))  # noqa: E731
        return supplied.jvp(f, tuple(primals), tangents)[1]

    loop = [tangent(*move) for move in moves]
    stacked = [stack(*ts, axis=0) for ts in zip(*moves, strict=True)]
    try:
        together = supplied.vmap(tangent)(*stacked)
    except Exception as error:
        raise GradcheckError(f"Forward mode does not run under vmap: {error}") from error
    for k, column in enumerate(zip(*loop, strict=True)):
        expected = np.stack([as_numpy(t.array) for t in column])
        if not close(as_numpy(together[k].array), expected, limits):
            raise GradcheckError(f"The tangent of output {k} under vmap differs from that of a "
                                 "pass for each tangent.")
