"""custom_root and custom_linear_solve: derivatives by the implicit function theorem.

However a solver found x with f(x) = 0, the equation alone says how x moves with whatever f closes
over: with A the derivative of f by x,

    forward:  A dx = -df          reverse:  A' y = -g, and y goes back through f

So the solver is not recorded. See `functape.transforms.equations` for how.
"""

from functape import tree
from functape.autograd.grad_mode import no_grad
from functape.errors import ArgumentError, describe
from functape.numpy.arguments import as_type
from functape.ops.elementwise import stop_gradient
from functape.ops.families import broadcast_to
from functape.tensor import constant
from functape.transforms import boundary
from functape.transforms.equations import attach


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    r"""A root of `f`, with the derivatives that the equation implies, however it was found.

    .. math:: f(x, \theta) = 0 \;\Rightarrow\;
       \frac{\partial x}{\partial \theta} = -\left(\frac{\partial f}{\partial x}\right)^{-1}
       \frac{\partial f}{\partial \theta}

    Source: M. Blondel et al., Efficient and modular implicit differentiation, NeurIPS 2022.

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
