"""Every op, on every row of op_inputs, against JAX, finite differences and identities.

An op added to the library is checked here without new code: it needs a row in op_inputs.
"""

import itertools
import zlib

import functape
from functape import jvp, test_util, tree, vjp, vmap

# isort: split
import mlx.core as mx
import numpy as np
import pytest
from op_inputs import CASES, IDS, OPS, ROWS, case
from op_oracles import PROPERTIES, twin

from functape.op import Rule
from functape.ops import movement
from functape.tensor import Tensor, constant

every = pytest.mark.parametrize(("name", "i"), CASES, ids=IDS)


def only(keep, nightly=lambda op, row: False):
    """Those cases for which `keep(op, row)` holds, some of them in the nightly run only."""
    return pytest.mark.parametrize(("name", "i"), [
        pytest.param(*c, id=label, marks=[pytest.mark.nightly] * nightly(*case(*c)))
        for c, label in zip(CASES, IDS, strict=True) if keep(*case(*c))
    ])


differentiable = only(lambda op, row: row.differentiable(op))


def test_every_op_has_rows():
    missing = sorted(set(OPS) - set(ROWS))
    assert not missing, f"ops without a row in tests/op_inputs.py: {' '.join(missing)}"


def test_every_row_has_an_op():
    unknown = sorted(set(ROWS) - set(OPS))
    assert not unknown, f"rows in tests/op_inputs.py for ops that do not exist: {unknown}"


# --- helpers --------------------------------------------------------------------------------------


def as_numpy(tree_of_values):
    return [np.asarray(a) for a in tree.leaves(tree_of_values)]


def close(got, want, tolerance, what=""):
    """Two trees of arrays agree, relative to the size of the expected ones."""
    got, want = as_numpy(got), as_numpy(want)
    assert [a.shape for a in got] == [a.shape for a in want], what
    for a, b in zip(got, want, strict=True):
        size = np.abs(b[np.isfinite(b)]).max(initial=0) if b.dtype != bool else 0
        np.testing.assert_allclose(a, b, tolerance, tolerance * (1 + size), err_msg=what)


def applied(op, row, values, chosen):
    """The op as a function of the chosen arguments; the other ones are constants."""

    def f(*some):
        full = list(values)
        for i, a in zip(chosen, some, strict=True):
            full[i] = a
        out = op(*full, **row.params)
        return out if row.through is None else row.through(out)

    return f, [values[i] for i in chosen]


def problem(name, i, dtype=None):
    """(function, arguments) with all differentiable arguments free."""
    op, row = case(name, i)
    return applied(op, row, row.values(name, dtype), row.differentiable(op))


def weights(out, seed=1):
    """Cotangents for the leaves of a result."""
    return test_util.direction(out, seed)


def precision(*trees):
    """How well two ways to compute the same should agree, by the dtypes of inputs and outputs."""
    dtypes = {a.dtype for a in tree.leaves(trees) if hasattr(a, "dtype")}
    return 1e-5 if dtypes & {mx.float32, mx.complex64} else 1e-10


def kind(a):
    return a.dtype.kind.replace("u", "i")


# --- values and derivatives -----------------------------------------------------------------------


@every
def test_value_is_that_of_jax(name, i, oracle):
    op, row = case(name, i)
    if name in PROPERTIES:
        pairs = PROPERTIES[name](*row.draw(name), *as_numpy(op(*row.values(name), **row.params)))
        for k, (got, want) in enumerate(pairs):
            close(got, want, 1e-5, f"property {k}")
        return
    reference = row.oracle or twin(oracle, name)
    assert reference is not None, f"{name} has no twin with JAX: add one to tests/op_oracles.py"
    arrays = [oracle.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in row.draw(name)]
    want = reference(*arrays, **row.params)
    got = op(*row.values(name), **row.params)
    # MLX computes some functions of float64 in float32
    close(got, want, 1e-5 if row.is_complex else 1e-6)
    assert [kind(a) for a in as_numpy(got)] == [kind(a) for a in as_numpy(want)]


@every
def test_a_kernel_never_returns_its_argument(name, i):
    """A tensor owns its array: a change in place is known by the array that it replaced."""
    op, row = case(name, i)
    values = row.values(name)
    for o in tree.leaves(op(*values, **row.params)):
        assert not any(o.array is a.array for a in values if isinstance(a, Tensor))


@differentiable
def test_derivatives_by_finite_differences(name, i):
    f, args = problem(name, i)
    _, row = case(name, i)
    test_util.check_grads(f, tuple(args), row.order)


@differentiable
def test_modes_are_transposes_of_each_other(name, i):
    """<J t, w> = <t, J' w>, to the last digits."""
    f, args = problem(name, i)
    tangents = test_util.direction(tuple(args), 2)
    out, moved = jvp(f, tuple(args), tangents)
    w = weights(out)
    forward, size = test_util.inner(moved, w)
    reverse, other = test_util.inner(vjp(f, *args)[1](w), tangents)
    assert abs(forward - reverse) <= precision(args, out) * (1 + size + other)


@only(lambda op, row: row.is_complex and row.differentiable(op),
      nightly=lambda op, row: row.is_double)
def test_complex_derivatives_are_those_of_jax(name, i, oracle):
    """Its convention: the cotangent of a holomorphic f is g f'(z), not conjugated. The rules are
    the same in double precision; tests/test_complex128_jax.py has the usual ones."""
    op, row = case(name, i)
    f, args = problem(name, i)
    chosen, jnp = row.differentiable(op), oracle.numpy
    reference = row.oracle or twin(oracle, name)
    full = [a if isinstance(a, (int, float)) else
            jnp.asarray(a) for a in row.draw(name)]

    def g(*some):
        for k, a in zip(chosen, some, strict=True):
            full[k] = a
        return tuple(oracle.tree.leaves(reference(*full, **row.params)))

    def theirs(a):
        return tree.map(lambda v: jnp.asarray(np.asarray(v)), a)

    tangents = test_util.direction(tuple(args), 2)
    out, moved = jvp(f, tuple(args), tangents)
    pushed = oracle.jvp(g, theirs(tuple(args)), theirs(tangents))[1]
    close(tree.leaves(moved), list(pushed), 1e-4)
    w = weights(out)
    want = oracle.vjp(g, *theirs(args))[1](tuple(theirs(tree.leaves(w))))
    close(vjp(f, *args)[1](w), want, 1e-4)


@differentiable
def test_recorded_pass_gives_the_same_gradient(name, i):
    """The raw twin of a rule and the rule on tensors are one formula."""
    f, args = problem(name, i)
    w = weights(f(*args))
    plain = vjp(f, *args)[1](w)
    recorded, _ = vjp(lambda *a: vjp(f, *a)[1](w), *args)
    close(recorded, plain, 1e-12)


@differentiable
def test_constants_cost_no_rule(name, i):
    """The cotangent of an argument that nobody asked for is not computed."""
    op, row = case(name, i)
    values, free, called = row.values(name), row.differentiable(op), []
    if op.variadic:
        rules = [watched(op.vjp[0], called.append)]
    else:
        rules = [r and watched(r, called.append, k) for k, r in enumerate(op.vjp)]
    before, plans = op.vjp, op.plans
    try:
        for k in free:
            op.vjp, op.plans = tuple(rules), type(op.plans)(op)
            called.clear()
            f, args = applied(op, row, values, [k])
            vjp(f, *args)[1](weights(f(*args)))
            assert called == [k]
    finally:
        op.vjp, op.plans = before, plans


def watched(rule, note, position=None):
    """A rule that notes for which argument it is called."""

    def apply(reads, **options):
        values = any(isinstance(a, Tensor) for a in tree.leaves(reads))
        return (rule.formula if values else rule.raw)(*reads, **options)

    def formula(*reads):
        note(position)
        return apply(reads)

    def formula_of_any(*reads, index):
        note(index)
        return apply(reads, index=index)

    return Rule(formula_of_any if position is None else formula, rule.reads)


# --- dtypes ---------------------------------------------------------------------------------------

LOW = {"float32": 1e-4, "float16": 3e-2, "bfloat16": 3e-1}


@only(lambda op, row: not row.is_complex and row.differentiable(op))
@pytest.mark.parametrize("dtype", LOW)
def test_low_precision(name, i, dtype):
    """Cotangents have the dtypes of the arguments, tangents those of the outputs."""
    if dtype not in case(name, i)[1].low:
        pytest.skip(f"{name} does not take {dtype}")
    f, args = problem(name, i, getattr(mx, dtype))
    out, pullback = vjp(f, *args)
    grads = pullback(weights(out))
    assert [g.dtype for g in grads] == [a.dtype for a in args]
    same, moved = jvp(f, tuple(args), test_util.direction(tuple(args), 2))
    outs = tree.leaves(out)
    assert [a.dtype for a in tree.leaves(same)] == [a.dtype for a in outs]
    assert [t.dtype for t in tree.leaves(moved)] == [a.dtype for a in outs]
    exact = [constant(a.array.astype(mx.float64)) for a in args]
    precise, precise_pullback = vjp(f, *exact)
    close(out, precise, LOW[dtype])
    w = [a.astype(b.dtype) for a, b in
         zip(tree.leaves(weights(out)), tree.leaves(precise), strict=True)]
    close(grads, precise_pullback(tree.unflatten(tree.structure(out), w)), LOW[dtype])


@only(lambda op, row: "float16" in row.low and not row.is_complex
      and len(row.differentiable(op)) > 1)
def test_mixed_dtypes(name, i):
    """Each cotangent has the dtype of its own argument."""
    f, args = problem(name, i)
    kinds = [mx.float16, mx.float32, mx.float64]
    mixed = [constant(a.array.astype(kinds[k % 3])) for k, a in enumerate(args)]
    out, pullback = vjp(f, *mixed)
    assert [g.dtype for g in pullback(weights(out))] == [a.dtype for a in mixed]
    tangents = test_util.direction(tuple(mixed), 2)
    same, moved = jvp(f, tuple(mixed), tangents)
    assert [t.dtype for t in tree.leaves(moved)] == [a.dtype for a in tree.leaves(same)]


# --- batching -------------------------------------------------------------------------------------

SIZE = 3


def array_positions(row):
    return [k for k, a in enumerate(row.draw("")) if isinstance(a, np.ndarray)]


def batches(name, row, mapped):
    """Arguments with a leading axis where mapped, and the rows of it."""
    copies = [row.values(name, copy=k) for k in range(SIZE)]
    single = copies[0]
    stacked = [movement.stack(*[c[k] for c in copies], axis=0) if k in mapped else a
               for k, a in enumerate(single)]
    rows = [[c[k] if k in mapped else a for k, a in enumerate(single)] for c in copies]
    return stacked, rows


def stacked_rows(results):
    """A tree with a leading axis from a list of equal trees."""
    columns = zip(*[as_numpy(r) for r in results], strict=True)
    return [np.stack(c) for c in columns]


def subsets(positions):
    return [c for n in range(1, len(positions) + 1) for c in itertools.combinations(positions, n)]


@every
def test_batch_rule_is_a_loop(name, i):
    """For each choice of mapped arguments."""
    op, row = case(name, i)
    assert op.batch is not None, f"{name} has no batch rule"
    for mapped in subsets(array_positions(row)):
        stacked, rows = batches(name, row, mapped)
        axes = tuple(0 if k in mapped else None for k in range(len(stacked)))
        got = vmap(lambda *a: op(*a, **row.params), in_axes=axes)(*stacked)
        want = stacked_rows([op(*r, **row.params) for r in rows])
        close(tree.leaves(got), want, 1e-6, f"mapped: {mapped}")


@every
def test_nested_batch_rule_is_a_double_loop(name, i):
    op, row = case(name, i)
    positions = tuple(array_positions(row))
    first, last = positions[:1], positions[-1:]
    for outer, inner in dict.fromkeys([(positions, positions), (first, last), (last, positions)]):
        copies = [[row.values(name, copy=10 * p + q) for q in range(SIZE)] for p in range(2)]

        def pick(k, p, q):
            return copies[p if k in outer else 0][q if k in inner else 0][k]  # noqa: B023

        def joined(k):
            """Argument k with its mapped axes in front."""
            if k not in outer + inner:  # noqa: B023
                return pick(k, 0, 0)  # noqa: B023
            table = [[pick(k, p, q)  # noqa: B023
                      for q in range(SIZE if k in inner else 1)]  # noqa: B023
                     for p in range(2 if k in outer else 1)]  # noqa: B023
            full = movement.stack(*[movement.stack(*line, axis=0) for line in table], axis=0)
            full = full if k in outer else full[0]  # noqa: B023
            return full if k in inner else full[:, 0]  # noqa: B023

        def axes(mapped):
            return tuple(0 if k in mapped else None for k in range(len(row.args)))

        inside = vmap(lambda *a: op(*a, **row.params), in_axes=axes(inner))
        got = vmap(inside, in_axes=axes(outer))(*[joined(k) for k in range(len(row.args))])
        want = [stacked_rows([op(*[pick(k, p, q) for k in range(len(row.args))], **row.params)
                              for q in range(SIZE)]) for p in range(2)]
        close(tree.leaves(got), stacked_rows(want), 1e-6, f"outer: {outer}, inner: {inner}")


@differentiable
def test_derivatives_under_vmap_are_a_loop(name, i):
    """Rules run on batched values: the last array argument mapped, and all of them."""
    op, row = case(name, i)
    free, positions = row.differentiable(op), array_positions(row)
    for mapped in dict.fromkeys([tuple(positions), tuple(positions[-1:])]):
        stacked, rows = batches(name, row, mapped)

        def pull(*full):
            f, args = applied(op, row, full, free)
            out, pullback = vjp(f, *args)
            return pullback(weights(out))

        def push(*full):
            f, args = applied(op, row, full, free)
            return jvp(f, tuple(args), test_util.direction(tuple(args), 2))[1]

        axes = tuple(0 if k in mapped else None for k in range(len(stacked)))
        for derivative in (pull, push):
            got = vmap(derivative, in_axes=axes)(*stacked)
            close(tree.leaves(got), stacked_rows([derivative(*r) for r in rows]),
                  precision(got) * 10 + 1e-6, f"{derivative.__name__}, mapped: {mapped}")


# --- compiling ------------------------------------------------------------------------------------

needs_jit = pytest.mark.skipif(not hasattr(functape, "jit"), reason="functape.jit is missing")


def with_cotangents(name, i):
    """The op, and its cotangents, as one function of the array arguments; and these."""
    op, row = case(name, i)
    free, positions = row.differentiable(op), array_positions(row)
    full = row.values(name)

    def both(*arrays):
        values = list(full)
        for k, a in zip(positions, arrays, strict=True):
            values[k] = a
        if not free:
            return op(*values, **row.params)
        f, args = applied(op, row, values, free)
        out, pullback = vjp(f, *args)
        return out, pullback(weights(out))

    return both, [full[k] for k in positions]


NEED_VALUES = ("eig", "eigvals")  # of float64, as the rows have it


@needs_jit
@every
def test_can_be_compiled(name, i):
    """No kernel or rule depends on values. Nothing runs, so no C++ compiler is called."""
    if name in NEED_VALUES:
        pytest.skip("in double precision NumPy computes them")
    f, arrays = with_cotangents(name, i)
    compiled, eager = functape.jit(f, fallback=False)(*arrays), f(*arrays)
    assert tree.structure(compiled) == tree.structure(eager)
    for a, b in zip(tree.leaves(compiled), tree.leaves(eager), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)


@needs_jit
@only(lambda op, row: row is ROWS[op.name][0])
def test_compiled_is_eager(name, i, request):
    """The values, for an op in six: on a CPU each compilation calls a C++ compiler."""
    if zlib.crc32(name.encode()) % 6 and "nightly" in request.config.getoption("-m"):
        pytest.skip("in the nightly run")
    f, arrays = with_cotangents(name, i)
    close(functape.jit(f)(*arrays), f(*arrays), 1e-5)
