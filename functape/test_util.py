"""Check derivatives against finite differences, with JAX's names and arguments.

A derivative is tested along random directions, so a check costs a few evaluations whatever the
number of elements. Only when it fails is each leaf tried alone, to name the one at fault.
"""

import functools

import mlx.core as mx
import numpy as np

from functape import tree
from functape.dtypes import DOUBLE, complex128
from functape.errors import ArgumentError, describe
from functape.pairs import converted, is_complex
from functape.suggest import for_names_of
from functape.tensor import INEXACT, as_array, constant
from functape.transforms import jvp, vjp

__all__ = ["check_grads", "check_jvp", "check_vjp"]

# How far a derivative computed in a dtype may be off, relative to its size and in absolute terms.
TOLERANCE = {
    mx.float64: 1e-6,
    complex128: 1e-6,
    mx.float32: 1e-3,
    mx.complex64: 2e-3,
    mx.float16: 2e-2,
    mx.bfloat16: 1e-1,
}
# The steps of the central differences, which are of fourth order: where f stays in float64, and
# where it returns numbers of single precision, as it must for complex ones.
STEP = 1e-3
COARSE_STEP = 3e-2
NAMES = {"fwd": "JVP", "rev": "VJP"}
MODES = tuple(NAMES)


def check_grads(f, args, order, modes=MODES, atol=None, rtol=None, eps=None):
    """Check that the derivatives of `f` agree with finite differences, up to an order.

    Args:
      f: function of arrays or pytrees of arrays, floating-point or complex.
      args: tuple of the arguments at which to check; nothing may be near a kink or a pole.
      order: 1 checks first derivatives; n checks also the derivatives of the n - 1 times
        differentiated function, in each sequence of the modes.
      modes: "fwd", "rev" or both.
      atol, rtol: allowed error; by default according to the dtypes of the arguments.
      eps: step of the finite differences.

    Raises:
      AssertionError: names the derivative ("VJP of JVP"), the argument, and both numbers.

    >>> import functape as ft
    >>> from functape.test_util import check_grads
    >>> check_grads(lambda x: x ** 3, (ft.numpy.array([1.0, 2.0]),), order=2)
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    unknown = set(modes) - set(MODES)
    if unknown or not modes:
        raise ArgumentError(f"check_grads: modes must be of {MODES}, but are {modes!r}.")
    check_order(f, tuple(args), order, modes, {"atol": atol, "rtol": rtol, "eps": eps}, "")


def check_order(f, args, order, modes, limits, message):
    """One level of `check_grads`, then the next; `message` says of what f is the derivative."""
    labels = {mode: f"{NAMES[mode]} of {message}" if message else NAMES[mode] for mode in modes}
    for mode, label in labels.items():
        transform, check = (jvp, check_jvp) if mode == "fwd" else (vjp, check_vjp)
        check(f, functools.partial(transform, f), args, err_msg=label, **limits)
    for mode, label in labels.items() if order > 1 else ():
        inner, inner_args = (forward_of if mode == "fwd" else reverse_of)(f, args)
        check_order(inner, inner_args, order - 1, modes, limits, label)


def check_jvp(f, f_jvp, args, atol=None, rtol=None, eps=None, err_msg=""):
    """Check a function that computes ``(f(*args), tangent)`` against finite differences.

    Args:
      f: the function.
      f_jvp: called as ``f_jvp(args, tangents)``.
      args: tuple of the arguments.
      atol, rtol, eps: as in `check_grads`.
      err_msg: what is being checked, for the message.

    >>> import functape as ft
    >>> from functape.test_util import check_jvp
    >>> f = lambda x: x ** 2
    >>> check_jvp(f, lambda x, t: ft.jvp(f, x, t), (ft.numpy.array([1.0, 2.0]),))
    """
    args, label = entered(args), err_msg or "JVP"
    tangents = direction(args, 1)
    out, moved = f_jvp(args, tangents)
    atol, rtol = tolerances((args, out), atol, rtol)
    compare(f"{label}, value", numbers(out), numbers(f(*args)), atol, rtol)
    expected = difference(f, args, tangents, eps)
    try:
        compare(f"{label}, tangent", numbers(moved), expected, atol, rtol)
    except AssertionError as error:
        blame = functools.partial(jvp_leaf_error, f, f_jvp, args, tangents, eps, (atol, rtol))
        raise AssertionError(f"{error}{culprits(blame, args)}") from None


def check_vjp(f, f_vjp, args, atol=None, rtol=None, eps=None, err_msg=""):
    """Check a function that computes ``(f(*args), pullback)`` against finite differences.

    The cotangents are projected on a random direction t of the arguments: <J' w, t> = <w, J t>,
    where J t comes from finite differences. The pairing of complex numbers is Re(sum of products).

    Args:
      f: the function.
      f_vjp: called as ``f_vjp(*args)``.
      args: tuple of the arguments.
      atol, rtol, eps: as in `check_grads`.
      err_msg: what is being checked, for the message.

    >>> import functape as ft
    >>> from functape.test_util import check_vjp
    >>> f = lambda x: x ** 2
    >>> check_vjp(f, lambda *x: ft.vjp(f, *x), (ft.numpy.array([1.0, 2.0]),))
    """
    args, label = entered(args), err_msg or "VJP"
    out, pullback = f_vjp(*args)
    atol, rtol = tolerances((args, out), atol, rtol)
    compare(f"{label}, value", numbers(out), numbers(f(*args)), atol, rtol)
    cotangent = direction(out, 2)
    grads = pullback(cotangent)
    same_places(label, grads, args)
    tangents = direction(args, 3)
    try:
        project(label, f, args, cotangent, grads, tangents, eps, atol, rtol)
    except AssertionError as error:
        def blame(i):
            alone = only(tangents, i)
            project(label, f, args, cotangent, grads, alone, eps, atol, rtol)

        raise AssertionError(f"{error}{culprits(blame, args)}") from None


def project(label, f, args, cotangent, grads, tangents, eps, atol, rtol):
    """Compare <J' w, t> with <w, J t>; what cancels in the sums widens the tolerance."""
    got, size = inner(grads, tangents)
    expected, other = inner(cotangent, difference(f, args, tangents, eps))
    compare(f"{label}, cotangent projection", [got], [expected], atol + rtol * max(size, other),
            rtol)


def forward_of(f, args):
    """The tangent of f as a function of point and direction, and where to check that."""
    return lambda x, t: jvp(f, x, t)[1], (args, direction(args, 4))


def reverse_of(f, args):
    """The cotangents of f as a function of point and cotangent, and where to check that."""

    def cotangents(x, w):
        out, pullback = vjp(f, *x)
        return pullback(merged(out, w))

    leaves = tree.leaves(f(*entered(args)))
    return cotangents, (args, [w for w in direction(leaves, 5) if w.dtype in INEXACT])


def merged(out, w):
    """The cotangents `w` of the inexact leaves of `out`, zeros for the others. When `w` moves it is
    in float64, whatever the dtype of `out`."""
    rest = iter(w)
    leaves, form = tree.flatten(out)
    return tree.unflatten(form, [next(rest).astype(a.dtype) if a.dtype in INEXACT
                                 else direction(a, 0) for a in map(constant, leaves)])


# --- points and directions ----------------------------------------------------------------------


def entered(args):
    """The arguments as values."""
    return tree.map(constant, tuple(args))


def direction(like, seed):
    """A random tree like `like`, of numbers of size 0.5 to 1; zeros where it holds integers."""
    rng = np.random.default_rng(seed)

    def draw(a):
        a = constant(a)
        if a.dtype not in INEXACT:
            return constant(mx.zeros(a.shape, a.dtype))
        size = rng.uniform(0.5, 1, a.shape) * rng.choice((-1, 1), a.shape)
        if is_complex(a):
            size = size * np.exp(2j * np.pi * rng.uniform(0, 1, a.shape))
        return constant(converted(as_array(np.asarray(size)), a.dtype))

    return tree.map(draw, like)


def only(tangents, i):
    """The tangents with all leaves but the i-th zero."""
    leaves, form = tree.flatten(tangents)
    return tree.unflatten(form, [t if k == i else t * 0 for k, t in enumerate(leaves)])


def difference(f, args, tangents, eps=None):
    """The derivative of `f` along `tangents`, by central differences of fourth order.

    The arguments are taken to float64 and `f` runs on the CPU; complex64 stays.
    """
    points, form = tree.flatten(args)
    moves = [numpy_of(t) for t in tree.leaves(tangents)]
    kinds = [np.complex64 if constant(p).dtype == mx.complex64 else None for p in points]
    points = [numpy_of(p) for p in points]

    def at(step):
        moved = [constant(as_array(np.asarray(p + step * t, kind)))
                 for p, t, kind in zip(points, moves, kinds, strict=True)]
        return f(*tree.unflatten(form, moved))

    with mx.stream(mx.cpu):
        fine = all(a.dtype in DOUBLE for a in map(constant, tree.leaves(at(0)))
                   if a.dtype in INEXACT)
        h = eps or (STEP if fine else COARSE_STEP)
        samples = zip(*(numbers(at(k * h)) for k in (1, -1, 2, -2)), strict=True)
        return [(8 * (a - b) - (c - d)) / (12 * h) for a, b, c, d in samples]


def numpy_of(a):
    """In double precision, so that nothing is lost between a value and a difference."""
    a = np.asarray(constant(a))
    return a.astype(np.complex128 if np.iscomplexobj(a) else np.float64)


def numbers(out):
    """The leaves of a result as NumPy arrays; integers and booleans as zeros, their derivative."""
    return [numpy_of(a) if a.dtype in INEXACT else np.zeros(a.shape)
            for a in map(constant, tree.leaves(out))]


def inner(u, v):
    """Re(sum u v) over two lists or trees of arrays, and the size of the terms."""
    u = [a if isinstance(a, np.ndarray) else numpy_of(a) for a in tree.leaves(u)]
    v = [a if isinstance(a, np.ndarray) else numpy_of(a) for a in tree.leaves(v)]
    terms = [np.real(a * b) for a, b in zip(u, v, strict=True)]
    return np.sum([t.sum() for t in terms]), float(np.sqrt(np.sum([np.sum(t**2) for t in terms])))


# --- verdicts -----------------------------------------------------------------------------------


def tolerances(arrays, atol, rtol):
    """Those given, else by the least precise dtype among arguments and results."""
    known = [TOLERANCE[a.dtype] for a in map(constant, tree.leaves(arrays))
             if a.dtype in TOLERANCE]
    default = max(known, default=TOLERANCE[mx.float32])
    return default if atol is None else atol, default if rtol is None else rtol


def compare(label, got, expected, atol, rtol):
    """Raise with the worst element, where two lists of arrays differ."""
    for k, (a, b) in enumerate(zip(got, expected, strict=True)):
        if np.shape(a) != np.shape(b):
            raise AssertionError(f"{label}: leaf {k} has the shape {np.shape(a)}, but "
                                 f"{np.shape(b)} was expected.")
        bad = ~np.isclose(a, b, rtol, atol, equal_nan=True)
        if bad.any():
            with np.errstate(invalid="ignore"):
                error = np.where(bad, np.nan_to_num(np.abs(np.subtract(a, b)), nan=np.inf), -1)
            at = np.unravel_index(np.argmax(error), error.shape)
            place = f"leaf {k}" + (f", element {tuple(map(int, at))}" if at else "")
            raise AssertionError(
                f"{label}: {np.asarray(a)[at]} differs from {np.asarray(b)[at]}, by finite "
                f"differences, at {place} ({bad.sum()} of {bad.size} elements; {atol=:g}, "
                f"{rtol=:g})."
            )


def same_places(label, grads, args):
    """Each cotangent has the shape and dtype of its argument."""
    paths = [f"args{p}" for p in tree.paths(args)]
    for g, a, path in zip(tree.leaves(grads), tree.leaves(args), paths, strict=True):
        g = constant(g)
        if (g.shape, g.dtype) != (a.shape, a.dtype):
            raise AssertionError(f"{label}: the cotangent of {path} is {describe(g)}, but the "
                                 f"argument is {describe(a)}.")


def jvp_leaf_error(f, f_jvp, args, tangents, eps, limits, i):
    """Raise if the tangent along leaf i alone is wrong."""
    alone = only(tangents, i)
    compare("", numbers(f_jvp(args, alone)[1]), difference(f, args, alone, eps), *limits)


def culprits(blame, args):
    """Which leaves are wrong when only they move: the second half of a message."""
    wrong = []
    for i, path in enumerate(tree.paths(args)):
        try:
            blame(i)
        except AssertionError:
            wrong.append(f"args{path} ({describe(tree.leaves(args)[i])})")
    return f" Wrong along: {', '.join(wrong)}." if wrong else " Wrong only along all jointly."

__getattr__ = for_names_of(__name__)
