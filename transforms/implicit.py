"""custom_root and custom_linear_solve: derivatives by the implicit function theorem.

However a solver found x with f(x) = 0, the equation alone says how x moves with whatever f closes
over: with A the derivative of f by x,

    forward:  A dx = -df          reverse:  A' y = -g, and y goes back through f

So the solver is not recorded. What f closes over may live on any level (tape, dual numbers, vmap):
the residual f(x) shows on which. That level is taken off, the root is attached to the levels
below, and what the theorem says is put on this one. Both equations are solved by the same means
as f(x) = 0 itself, attached to whatever they depend on: so there are derivatives of every order.
"""

import contextlib

from functape import engine, tree
from functape.autograd.grad_mode import enable_grad, no_grad
from functape.errors import ArgumentError, GraphError, describe
from functape.numpy.arguments import as_type
from functape.op import Op, levels
from functape.ops.elementwise import stop_gradient
from functape.ops.families import broadcast_to
from functape.ops.movement import spread
from functape.sinks import Capture
from functape.tape import RELEASED, Identity, Node, Output, freed, mode, sequence
from functape.tensor import Tensor, constant, constant_lift
from functape.transforms import boundary
from functape.transforms.custom import highest
from functape.transforms.forward import Dual, jvp
from functape.transforms.reverse import vjp
from functape.transforms.vmap import Batched


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    r"""A root of `f`, with the derivatives that the equation implies, however it was found.

    .. math:: f(x, \theta) = 0 \;\Rightarrow\;
       \frac{\partial x}{\partial \theta} = -\left(\frac{\partial f}{\partial x}\right)^{-1}
       \frac{\partial f}{\partial \theta}

    Args:
      f: function of x; its result has the structure and shapes of x. What it closes over is
        differentiated.
      initial_guess: where the solver starts; the root does not depend on it.
      solve: ``solve(f, initial_guess)`` returns the root; with has_aux, ``(root, aux)``.
      tangent_solve: ``tangent_solve(g, y)`` solves g(x) = y for a linear g.
      has_aux: pass on what solve returns besides the root.

    Returns:
      The root, or ``(root, aux)``; derivatives of every order, in both modes.

    >>> import functape as ft
    >>> def root_of(a):
    ...     newton = lambda f, x: ft.lax.fori_loop(0, 20, lambda _, x: x - f(x) / (2 * x), x)
    ...     return ft.lax.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> ft.value_and_grad(root_of)(4.0)
    (tensor(2.), tensor(0.25))
    """
    guess = tree.map(constant, initial_guess)
    root, aux = solved("custom_root", solve, f, guess, has_aux)
    structure = check_structure("custom_root", "solve", root, guess, "the initial guess")
    on_leaves = leafwise("custom_root", f, structure)
    with boundary.inside():
        found = attach(on_leaves, tree.leaves(root), *solvers(tangent_solve, tangent_solve,
                                                              structure))
    out = tree.unflatten(structure, found)
    return (out, aux) if has_aux else out


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    r"""The solution of A x = b, with the derivatives that the equation implies.

    .. math:: A x = b \;\Rightarrow\; dx = A^{-1}(db - dA\, x), \qquad
       \bar b = A^{-\top} \bar x

    Args:
      matvec: linear function x -> A x. What it closes over is differentiated.
      b: right-hand side, a pytree of arrays; x has its structure and shapes.
      solve: ``solve(matvec, b)`` returns x; with has_aux, ``(x, aux)``.
      transpose_solve: likewise for the transposed system, ``transpose_solve(vecmat, b)``. None:
        reverse mode is not defined, unless the system is symmetric.
      symmetric: A is its own transpose; `solve` serves both.
      has_aux: pass on what solve returns besides x.

    Returns:
      x, or ``(x, aux)``; derivatives of every order, in both modes.

    >>> import functape as ft
    >>> def solution(a, b):
    ...     return ft.lax.custom_linear_solve(
    ...         lambda x: a * x, b, lambda matvec, b: b / matvec(ft.numpy.ones(())), symmetric=True)
    >>> solution(2.0, 6.0), ft.grad(solution, argnums=(0, 1))(2.0, 6.0)
    (tensor(3.), (tensor(-1.5), tensor(0.5)))
    """
    b = tree.map(constant, b)
    x, aux = solved("custom_linear_solve", solve, matvec, b, has_aux)
    structure = check_structure("custom_linear_solve", "solve", x, b, "b")
    product, right = leafwise("custom_linear_solve", matvec, structure), tree.leaves(b)

    def residual(x):
        return [p - q for p, q in zip(product(x), right, strict=True)]

    def first(answer):
        return answer[0] if has_aux else answer

    def forward(a, b):
        return first(solve(a, b))

    def backward(a, b):
        if transpose_solve is None and not symmetric:
            raise ArgumentError("custom_linear_solve: reverse mode solves the transposed system. "
                                "Pass transpose_solve, or symmetric=True if A is symmetric.")
        return first((solve if transpose_solve is None else transpose_solve)(a, b))

    with boundary.inside():
        found = attach(residual, tree.leaves(x), *solvers(forward, backward, structure))
    out = tree.unflatten(structure, found)
    return (out, aux) if has_aux else out


# --- the border ---------------------------------------------------------------------------------


def solved(name, solve, f, start, has_aux):
    """What the solver returns, detached: (solution, aux)."""
    with no_grad(), boundary.inside():
        out, aux = boundary.with_aux(name, solve(f, start), has_aux)
    boundary.outputs(name, out)
    return tree.map(lambda a: stop_gradient(constant(a)), out), aux


def check_structure(name, what, found, like, label):
    """The structure of a solution, which must be that of `like`, with its shapes."""
    lines = tree.differences(found, like, names=(what, label)) or [
        f"{path or 'it'}: {describe(a)} from {what}, {describe(b)} in {label}"
        for path, a, b in zip(tree.paths(like), tree.leaves(found), tree.leaves(like), strict=True)
        if a.shape != b.shape]
    if lines:
        raise ArgumentError(f"{name}: what {what} returns must have the structure and shapes of "
                            f"{label}, but:\n  " + "\n  ".join(lines))
    return tree.structure(found)


def leafwise(name, f, structure):
    """f on lists of leaves."""

    def on_leaves(leaves):
        x = tree.unflatten(structure, leaves)
        out = tree.map(constant, f(x))
        check_structure(name, "the function", out, x, "its argument")
        return tree.leaves(out)

    return on_leaves


def solvers(forward, backward, structure):
    """Both linear solvers on lists of leaves."""

    def wrapped(solve):
        def on_leaves(a, b):
            def linear(x):
                x = [conform(v, like) for v, like in zip(tree.leaves(x), b, strict=True)]
                return tree.unflatten(structure, a(x))

            found = tree.map(constant, solve(linear, tree.unflatten(structure, b)))
            check_structure("a linear solver", "it", found, tree.unflatten(structure, b),
                            "the right-hand side")
            return tree.leaves(found)

        return on_leaves

    return wrapped(forward), wrapped(backward)


def conform(value, like):
    """What a solver puts into a linear function, in the dtype and shape of its right-hand side."""
    value = as_type(constant(value), like.dtype)
    return value if value.shape == like.shape else broadcast_to(value, shape=like.shape)


# --- the theorem, level by level ----------------------------------------------------------------


def attach(f, root, forward, backward):
    """The leaves of `root`, with the derivatives that f(root) = 0 implies.

    Args:
      f: from leaves to leaves.
      root: detached leaves.
      forward, backward: ``(linear, b)`` on leaves: solve linear(x) = b, and likewise for the
        transposed function.
    """
    top = highest(f(root))
    if type(top) is Batched:
        return mapped(f, root, forward, backward, top)
    if type(top) is Dual:
        return moving(f, root, forward, backward, top.rank)
    if type(top) is Tensor:
        return on_tape(f, root, forward, backward, top.rank)
    return root


def solution(linear, right, forward, backward):
    """x with linear(x) = right, attached to whatever these two depend on."""
    with no_grad():
        x = [stop_gradient(a) for a in forward(linear, right)]
    return attach(lambda x: [p - q for p, q in zip(linear(x), right, strict=True)], x, forward,
                  backward)


def one_level_down(up, down, f, root, forward, backward):
    """The same problem for the values that a level wraps: `up` wraps leaves, `down` unwraps.

    What goes into the user's functions is wrapped, always: so values of levels that begin later
    (to differentiate f, say) lie inside, and cannot be taken for values of this one.
    """

    def below(solve):
        return lambda linear, b: down(solve(lambda x: up(linear(down(x))), up(b)))

    return lambda x: down(f(up(x))), down(root), below(forward), below(backward)


def mapped(f, root, forward, backward, top):
    """Under vmap: one larger system, of all examples, below it."""
    rank, count = top.rank, top.count

    def up(leaves):
        return [Batched(rank, a, count) for a in leaves]

    def down(leaves):
        leaves = [boundary.lower(a, rank) for a in leaves]
        return [a.data if is_at(a, Batched, rank) else spread(a, count) for a in leaves]

    return up(attach(*one_level_down(up, down, f, root, forward, backward)))


def moving(f, root, forward, backward, rank):
    """On dual numbers: A dx = -df."""

    def up(leaves):
        return [Dual(rank, a, Op.zeros(a)) for a in leaves]

    def down(leaves):
        leaves = [boundary.lower(a, rank) for a in leaves]
        return [a.primal if is_at(a, Dual, rank) else a for a in leaves]

    f_below, root, forward, backward = one_level_down(up, down, f, root, forward, backward)
    x = attach(f_below, root, forward, backward)
    out = [boundary.lower(r, rank) for r in f(up(x))]
    right = [-r.tangent if is_at(r, Dual, rank) else Op.zeros(r) for r in out]

    def pushed(t):
        return jvp(lambda *a: f_below(list(a)), tuple(x), tuple(t))[1]

    moved = solution(pushed, right, forward, backward)
    return [Dual(rank, a, t) for a, t in zip(x, moved, strict=True)]


def is_at(value, kind, rank):
    return type(value) is kind and value.rank == rank


def on_tape(f, root, forward, backward, rank):
    """On the tape: one node in place of the solver."""

    def up(leaves):
        return [Tensor(a, rank) for a in leaves]

    def down(leaves):
        return [a.cell.data if is_own(a, rank) else a for a in leaves]

    x = root
    if rank:
        x = attach(*one_level_down(up, down, f, root, forward, backward))
    if not mode.recording:
        return x
    mark = sequence()
    edges = tuple(origins(own_edges(f(up(x) if rank else x), rank), mark))
    if not edges:
        return x
    node = ImplicitNode(edges, f, (forward, backward), x, rank)
    return [Tensor(below_tape(a, rank), rank, Output(node, k)) for k, a in enumerate(x)]


def is_own(value, rank):
    return is_at(value, Tensor, rank)


def below_tape(value, rank):
    """What a tensor of this rank holds for a value: the array itself at the bottom."""
    return value.cell.data if rank == 0 else value


def own_edges(leaves, rank):
    return [a.edge if is_own(a, rank) else None for a in leaves]


def origins(edges, mark):
    """Where the tape that a function made begins: the nodes that were there before `mark`, and
    the leaves."""
    stack, seen, found = [e for e in edges if e is not None], set(), {}
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.seq < mark or node.is_sink:
            if node.seq < mark or type(node) is not Capture:  # not a transform's inside f
                found[node] = None
        else:
            stack += [e for e in node.edges if e is not None]
    return found


def rerouted(edges, mark, to):
    """The same edges, with the tape behind them ending at `to[node]` for each old `node`."""
    stack, seen = [e for e in edges if e is not None and e not in to], set()
    while stack:
        node = stack.pop()
        if node not in seen and node.seq >= mark and not node.is_sink:
            seen.add(node)
            stack += [e for e in node.edges if e is not None and e not in to]
            node.edges = type(node.edges)(to.get(e, e) for e in node.edges)
    return [to.get(e, e) for e in edges]


class ImplicitNode(Node):
    """The tape's view of an equation f(x) = 0: its inputs are what f depends on."""

    __slots__ = ("f", "solvers", "saved", "rank", "depth")
    name = "ImplicitBackward"

    def __init__(self, edges, f, solvers, x, rank):
        super().__init__(edges)
        self.f, self.solvers, self.rank, self.depth = f, solvers, rank, levels.depth
        self.saved = [below_tape(a, rank) for a in x]

    def pullback(self, g, lift, live):
        """A' y = -g, and y goes back through f, which runs again for this."""
        if self.saved is RELEASED:
            raise GraphError(freed(self.name))
        recorded = lift is not None and lift is not constant_lift
        with at_depth(self.depth), boundary.inside():
            x = [constant(a) if lift is None else lift(a, Output(self, k))
                 for k, a in enumerate(self.saved)]
            weights = [-constant(g[k]) if k in g else Op.zeros(a) for k, a in enumerate(x)]
            with no_grad() if lift is None else contextlib.nullcontext():
                pull = vjp(lambda *a: self.f(list(a)), *x)[1]
                y = solution(lambda w: list(pull(w)), weights, *self.solvers[::-1])
            if not recorded:
                y = [boundary.bare(a) if is_own(a, self.rank) else a for a in y]
            return self.through_f(x, y, lift, live)

    def through_f(self, x, y, lift, live):
        knots = [Identity((e,)) for e in self.edges]
        with enable_grad():
            x = [boundary.alias(a, self.rank) for a in x]
            mark = sequence()
            edges = own_edges(self.f(x), self.rank)
            edges = rerouted(edges, mark, dict(zip(self.edges, knots, strict=True)))
            pairs = [(e, s) for e, s in zip(edges, y, strict=True) if e is not None]
            roots = [e for e, _ in pairs]
            seeds = [s.cell.data if lift is None else s for _, s in pairs]
            ends = {*knots, *(a.edge for a in x)}
            plan = engine.schedule(roots, ends, through=False)
            found = engine.run(plan, roots, seeds, wanted=ends, lift=lift, retain=True)
        return [(i, found[knot]) for i, knot in enumerate(knots)
                if knot in found and (live is None or self.edges[i] in live)]

    def release(self):
        self.saved = self.f = self.solvers = RELEASED


@contextlib.contextmanager
def at_depth(depth):
    """Levels that begin inside lie above those that were running at this depth."""
    before, levels.depth = levels.depth, max(levels.depth, depth)
    try:
        yield
    finally:
        levels.depth = before
