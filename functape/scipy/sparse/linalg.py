"""jax.scipy.sparse.linalg: linear equations whose matrix is given by its products alone.

How a solver came to x is not recorded: derivatives are those of the equation A x = b, and take
another solve. They are as exact as the two solutions are.
"""

import functools

from functape import tree
from functape.errors import ArgumentError, ShapeError, check_range, check_word, describe
from functape.flatten_util import ravel_pytree
from functape.numpy.arguments import integer, value
from functape.numpy.contraction import vdot
from functape.numpy.linalg import lstsq
from functape.numpy.linalg import norm as length
from functape.ops.elementwise import conjugate, maximum, where
from functape.ops.movement import stack
from functape.suggest import for_names_of
from functape.transforms import boundary
from functape.transforms.implicit import custom_linear_solve
from functape.transforms.loops import while_loop

__all__ = ["bicgstab", "cg", "gmres"]

__getattr__ = for_names_of(__name__)


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):  # noqa: N803 - SciPy's names
    r"""The solution of A x = b by conjugate gradients.

    .. math:: A x = b, \qquad A = A^* \text{ positive definite}

    Args:
      A: the matrix, or a function of x that returns A x: arrays, or pytrees like `b`. What it
        closes over is differentiated.
      b: right-hand side, an array or a pytree of arrays.
      x0: where to start; zeros if None.
      tol, atol: the residual's norm goes below ``max(tol * norm(b), atol)``.
      maxiter: the largest number of steps; None: ten for each unknown.
      M: an approximation of the inverse of A, a matrix or a function as well.

    Returns:
      ``(x, None)``: JAX's place for what SciPy says of the convergence.

    >>> import functape as ft
    >>> x, _ = cg(lambda x: 2.0 * x, ft.numpy.array([2.0, 4.0]))
    >>> x
    tensor([1., 2.])
    """
    return solved("cg", conjugate_gradients, A, b, x0, tol, atol, maxiter, M)


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):  # noqa: N803
    """The solution of A x = b by stabilised biconjugate gradients; A need not be symmetric.

    Args and result as for `cg`.

    >>> import functape as ft
    >>> bicgstab(ft.numpy.array([[2.0, 1.0], [0.0, 1.0]]), ft.numpy.array([3.0, 1.0]))[0]
    tensor([1., 1.])
    """
    return solved("bicgstab", stabilised, A, b, x0, tol, atol, maxiter, M)


def gmres(A, b, x0=None, *, tol=1e-5, atol=0.0, restart=20, maxiter=None, M=None,  # noqa: N803
          solve_method="batched"):
    r"""The solution of A x = b by generalised minimal residuals; A need not be symmetric.

    .. math:: \min_x \lVert M (b - A x) \rVert,
       \qquad x \in x_0 + \operatorname{span}(r,\, M A r,\, (M A)^2 r, \ldots)

    Args:
      restart: the dimension of the space in which a step minimises.
      maxiter: the largest number of such steps.
      solve_method: "batched" or "incremental", to the same effect; accepted for JAX's sake.

    Other arguments as for `cg`, and so is the result.

    >>> import functape as ft
    >>> gmres(ft.numpy.array([[2.0, 1.0], [0.0, 1.0]]), ft.numpy.array([3.0, 1.0]))[0]
    tensor([1., 1.])
    """
    check_word("gmres", ("batched", "incremental"), solve_method=solve_method)
    check_range("gmres", "[1, inf)", restart=integer(restart, "gmres", "restart"))
    method = functools.partial(minimal_residuals, restart=restart)
    return solved("gmres", method, A, b, x0, tol, atol, maxiter, M)


def solved(name, method, A, b, x0, tol, atol, maxiter, M):  # noqa: N803
    """Solve on vectors, with the derivatives of the equation."""
    product = product_with(name, "A", A)
    precondition = (lambda x: x) if M is None else product_with(name, "M", M)
    b = tree.map(lambda a: value(a, name), b)
    if x0 is not None and tree.structure(x0) != tree.structure(b):
        raise ShapeError(f"{name}: x0 must have the structure of b, but has {tree.structure(x0)} "
                         f"instead of {tree.structure(b)}.")

    def solve(product, b):
        right, unravel = ravel_pytree(b)
        start = right * 0 if x0 is None else ravel_pytree(x0)[0]
        steps = 10 * right.size if maxiter is None else integer(maxiter, name, "maxiter")
        bound = maximum(tol * length(right), atol)
        on_vectors = [lambda v, f=f: ravel_pytree(f(unravel(v)))[0]
                      for f in (product, precondition)]
        return unravel(method(*on_vectors, right, start, bound, steps))

    return custom_linear_solve(product, b, solve, transpose_solve=solve), None


def product_with(name, what, a):
    """A matrix as the function that multiplies by it."""
    if callable(a):
        return a
    if not isinstance(a, boundary.ARRAYS):
        raise ArgumentError(f"{name}: {what} must be a matrix or a function, but is "
                            f"{describe(a)}.")
    matrix = value(a, name)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(f"{name}: {what} must be a square matrix, but is {describe(matrix)}.")
    return lambda x: matrix @ x


# --- the methods, on vectors --------------------------------------------------------------------


def conjugate_gradients(product, precondition, b, x, bound, steps):
    """Hestenes and Stiefel (1952)."""
    def going(state):
        _, r, _, _, k = state
        return (length(r) > bound) & (k < steps)

    def step(state):
        x, r, p, size, k = state
        moved = product(p)
        alpha = size / vdot(p, moved)
        x, r = x + alpha * p, r - alpha * moved
        z = precondition(r)
        new = vdot(r, z)
        return x, r, z + new / size * p, new, k + 1

    r = b - product(x)
    z = precondition(r)
    return while_loop(going, step, (x, r, z, vdot(r, z), 0))[0]


def stabilised(product, precondition, b, x, bound, steps):
    """van der Vorst (1992)."""
    def going(state):
        _, r, p, shadow, k = state
        return (length(r) > bound) & (vdot(shadow, r) != 0) & (k < steps)

    def step(state):
        x, r, p, shadow, k = state
        way = precondition(p)
        moved = product(way)
        alpha = vdot(shadow, r) / vdot(shadow, moved)
        s = r - alpha * moved
        other = precondition(s)
        t = product(other)
        square = vdot(t, t)
        omega = where(square == 0, 0.0, vdot(t, s) / where(square == 0, 1.0, square))
        new = s - omega * t
        beta = where(omega == 0, 0.0, vdot(shadow, new) / vdot(shadow, r)
                     * alpha / where(omega == 0, 1.0, omega))
        x = x + alpha * way + omega * other
        return x, new, new + beta * (p - omega * moved), shadow, k + 1

    r = b - product(x)
    return while_loop(going, step, (x, r, r, r, 0))[0]


def minimal_residuals(product, precondition, b, x, bound, steps, restart):
    """Saad and Schultz (1986), preconditioned from the left."""
    relative = bound / maximum(length(b), 1e-30)
    bound = length(precondition(b)) * where(relative < 1, relative, 1.0)

    def going(state):
        _, r, k = state
        return (length(r) > bound) & (k < steps)

    def step(state):
        x, r, k = state
        basis, moved = krylov(lambda v: precondition(product(v)), r, min(restart, b.size))
        x = x + basis @ lstsq(moved, r)[0]
        return x, precondition(b - product(x)), k + 1

    return while_loop(going, step, (x, precondition(b - product(x)), 0))[0]


def krylov(product, start, count):
    """An orthonormal basis of the span of r, A r, A A r, ... in columns, and its product with A;
    columns of zeros where the span ends earlier."""
    vectors, moved = [unit(start)], []
    for _ in range(count):
        w = product(vectors[-1])
        moved.append(w)
        size = length(w)
        for _ in range(2):  # once loses orthogonality
            known = stack(*vectors, axis=1)
            w = w - known @ (conjugate(known.T) @ w)
        vectors.append(unit(where(length(w) > 1e-6 * size, w, 0 * w)))
    return stack(*vectors[:count], axis=1), stack(*moved, axis=1)


def unit(v):
    size = length(v)
    return v / where(size == 0, 1.0, size)
