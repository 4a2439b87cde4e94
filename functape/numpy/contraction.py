"""Products of vectors, matrices and arrays of more axes."""

from functape import dtypes
from functape.errors import ShapeError, describe
from functape.numpy.arguments import (
    as_type,
    axes_of,
    axis_of,
    common,
    integer,
    size_of,
    unsupported,
    value,
)
from functape.numpy.broadcasting import broadcast_shapes, broadcast_to
from functape.numpy.elementwise import conjugate
from functape.numpy.shapes import moveaxis
from functape.op import Value
from functape.ops import contraction as ops
from functape.ops import movement
from functape.promotion import agree

# --- matrices and vectors -----------------------------------------------------------------------


def matmul(a, b, *, precision=None, preferred_element_type=None):
    """Matrix product over the last two axes; leading axes broadcast. A vector on the left is a
    row, on the right a column.

    Args:
      a, b: arrays of one axis or more.
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.numpy.matmul(ft.numpy.array([[1.0, 2.0], [3.0, 4.0]]), ft.numpy.array([1.0, 1.0]))
    tensor([3., 7.])
    """
    return in_type(matmul_of(a, b), preferred_element_type)


def matmul_of(a, b):
    x = a if isinstance(a, Value) else value(a, "matmul", 0)
    y = b if isinstance(b, Value) else value(b, "matmul", 1)
    agree("matmul", (x, y))
    p, q = x.shape, y.shape
    if len(p) == len(q) == 2 and p[1] == q[0]:
        return ops.matmul(x, y)
    if not p or not q:
        raise ShapeError(f"matmul takes arrays with axes, but got {describe(x)} and "
                         f"{describe(y)}. Multiply by a scalar with *.")
    if p[-1] != q[-2 if len(q) > 1 else 0]:
        raise ShapeError(f"matmul: the last axis of {describe(x)} and the "
                         f"{'last but one' if len(q) > 1 else 'only'} axis of {describe(y)} must "
                         "have one length. Transpose one of them?")
    if len(p) > 2 or len(q) > 2:
        broadcast_shapes(p[:-2], q[:-2])
    if len(p) > 1 and len(q) > 1 or len(p) <= 2 and len(q) <= 2:
        return ops.matmul(x, y)
    return with_vector(x, y)


def with_vector(x, y):
    """Many matrices and a vector, whose axis is the only one it has; the result lacks it."""
    p, q = x.shape, y.shape
    if len(p) == 1:
        x = movement.reshape(x, shape=(1, *p))
    if len(q) == 1:
        y = movement.reshape(y, shape=(*q, 1))
    product = ops.matmul(x, y)
    shape = product.shape
    if len(p) == 1:
        shape = (*shape[:-2], shape[-1])
    return movement.reshape(product, shape=shape[:-1] if len(q) == 1 else shape)


def in_type(x, dtype):
    return x if dtype is None else as_type(x, dtypes.as_dtype(dtype, "preferred_element_type"))


def dot(a, b, *, precision=None, preferred_element_type=None):
    """Sum over the last axis of `a` and the last but one of `b`; with a scalar, the product.

    Args:
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.numpy.dot(ft.numpy.array([1.0, 2.0]), ft.numpy.array([3.0, 4.0]))
    tensor(11.)
    """
    x, y = common("dot", a, b)
    if not x.shape or not y.shape:
        found = x * y
    elif len(x.shape) <= 2 and len(y.shape) <= 2:
        found = matmul_of(x, y)
    else:
        found = tensordot(x, y, ((-1,), (-2 if len(y.shape) > 1 else -1,)))
    return in_type(found, preferred_element_type)


def vdot(a, b, *, precision=None, preferred_element_type=None):
    """The sum of conj(a) * b over all elements.

    Args:
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.numpy.vdot(ft.numpy.array([1j, 2.0]), ft.numpy.array([1j, 1.0]))
    tensor(3.+0.j, dtype=complex64)
    """
    x, y = conjugate(value(a, "vdot")), value(b, "vdot", 1)
    x, y = (movement.reshape(v, shape=(size_of(v.shape),)) for v in (x, y))
    return dot(x, y, preferred_element_type=preferred_element_type)


def vecdot(x1, x2, /, *, axis=-1, precision=None, preferred_element_type=None):
    """The sum of conj(x1) * x2 along one axis; the others broadcast.

    Args:
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.numpy.vecdot(ft.numpy.ones((2, 3)), ft.numpy.array([1.0, 2.0, 3.0]))
    tensor([6., 6.])
    """
    x, y = value(x1, "vecdot"), value(x2, "vecdot", 1)
    agree("vecdot", (x, y))
    axes = [axis_of(axis, len(v.shape), "vecdot") for v in (x, y)]
    if x.shape[axes[0]] != y.shape[axes[1]]:
        raise ShapeError(f"vecdot: axis {axis} of {describe(x)} and of {describe(y)} must have "
                         "one length.")
    x, y = (moveaxis(v, i, -1) for v, i in zip((conjugate(x), y), axes, strict=True))
    row = movement.reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1]))
    column = movement.reshape(y, shape=(*y.shape, 1))
    product = ops.matmul(row, column)
    return in_type(movement.reshape(product, shape=product.shape[:-2]), preferred_element_type)


def matvec(x1, x2, /):
    """Matrices times vectors, over the last axes; leading axes broadcast.

    Args:
      x1: matrices (..., m, n).
      x2: vectors (..., n).

    >>> import functape as ft
    >>> ft.numpy.matvec(ft.numpy.eye(2), ft.numpy.array([3.0, 4.0]))
    tensor([3., 4.])
    """
    x, y = value(x1, "matvec"), value(x2, "matvec", 1)
    product = matmul_of(x, movement.reshape(y, shape=(*y.shape, 1)))
    return movement.reshape(product, shape=product.shape[:-1])


def vecmat(x1, x2, /):
    """Conjugated vectors times matrices, over the last axes; leading axes broadcast.

    Args:
      x1: vectors (..., m).
      x2: matrices (..., m, n).

    >>> import functape as ft
    >>> ft.numpy.vecmat(ft.numpy.array([3.0, 4.0]), ft.numpy.eye(2))
    tensor([3., 4.])
    """
    x, y = conjugate(value(x1, "vecmat")), value(x2, "vecmat", 1)
    product = matmul_of(movement.reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1])), y)
    return movement.reshape(product, shape=(*product.shape[:-2], product.shape[-1]))


# --- contractions -------------------------------------------------------------------------------


def tensordot(a, b, axes=2, *, precision=None, preferred_element_type=None):
    """Sum over pairs of axes.

    Args:
      a, b: arrays.
      axes: so many last axes of a with the first of b; or a pair of axes, or of tuples of them.
      precision, preferred_element_type: as for matmul.

    >>> import functape as ft
    >>> ft.numpy.tensordot(ft.numpy.ones((2, 3)), ft.numpy.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    x, y = common("tensordot", a, b)
    p, q = len(x.shape), len(y.shape)
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ShapeError(f"tensordot: axes must be a number or a pair, but is {axes!r}.")
        mine, theirs = axes_of(axes[0], p, "tensordot"), axes_of(axes[1], q, "tensordot")
    else:
        n = integer(axes, "tensordot", "axes")
        if not 0 <= n <= min(p, q):
            raise ShapeError(f"tensordot: axes is {n}, but {describe(x)} and {describe(y)} have "
                             f"{p} and {q} axes.")
        mine, theirs = tuple(range(p - n, p)), tuple(range(n))
    if len(mine) != len(theirs):
        raise ShapeError(f"tensordot: axes {axes!r} names {len(mine)} axes of the first array, "
                         f"but {len(theirs)} of the second.")
    for i, j in zip(mine, theirs, strict=True):
        if x.shape[i] != y.shape[j]:
            raise ShapeError(f"tensordot: axis {i} of {describe(x)} and axis {j} of "
                             f"{describe(y)} are summed together and must have one length.")
    x_labels = tuple(range(p))
    y_labels = tuple(mine[theirs.index(j)] if j in theirs else p + j for j in range(q))
    labels = tuple(k for k in x_labels if k not in mine) + tuple(k for k in y_labels if k >= p)
    found = ops.contract(x, y, x_labels=x_labels, y_labels=y_labels, labels=labels)
    return in_type(found, preferred_element_type)


def inner(a, b, *, precision=None, preferred_element_type=None):
    """Sum over the last axis of both arrays; with a scalar, the product.

    Args:
      a: array.
      b: array.
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.numpy.inner(ft.numpy.ones((2, 3)), ft.numpy.ones((4, 3))).shape
    (2, 4)
    """
    x, y = common("inner", a, b)
    found = tensordot(x, y, (-1, -1)) if x.shape and y.shape else x * y
    return in_type(found, preferred_element_type)


def outer(a, b, out=None):
    """The products of all elements of `a` with all of `b`; a matrix.

    Args:
      out: not supported: arrays are not written into; use the result.

    >>> import functape as ft
    >>> ft.numpy.outer(ft.numpy.array([1, 2]), ft.numpy.array([3, 4]))
    tensor([[3, 4],
            [6, 8]], dtype=int32)
    """
    unsupported("outer", out=out)
    x, y = common("outer", a, b)
    return (movement.reshape(x, shape=(size_of(x.shape), 1))
            * movement.reshape(y, shape=(size_of(y.shape),)))


def kron(a, b):
    """The Kronecker product: each element of `a` times the whole of `b`.

    >>> import functape as ft
    >>> ft.numpy.kron(ft.numpy.array([1, 10]), ft.numpy.array([1, 2]))
    tensor([ 1,  2, 10, 20], dtype=int32)
    """
    x, y = common("kron", a, b)
    n = max(len(x.shape), len(y.shape))
    p, q = ((1,) * (n - len(v.shape)) + v.shape for v in (x, y))
    wide = movement.reshape(x, shape=tuple(k for m in p for k in (m, 1)))
    fine = movement.reshape(y, shape=tuple(k for m in q for k in (1, m)))
    return movement.reshape(wide * fine, shape=tuple(i * j for i, j in zip(p, q, strict=True)))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of 3 elements (or 2, the third taken as 0).

    Args:
      a, b: arrays of vectors; the other axes broadcast.
      axisa, axisb: the axis along which the vectors of a, of b lie.
      axisc: where it lies in the result; not used for two vectors of 2 elements, whose product
        is a number.
      axis: sets all three.

    >>> import functape as ft
    >>> ft.numpy.cross(ft.numpy.array([1.0, 0.0, 0.0]), ft.numpy.array([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    what = "axis" if axis is not None else "axisa or axisb"
    x, y = (moveaxis(v, axis_of(at, len(v.shape), "cross", what), -1)
            for v, at in ((value(a, "cross"), axisa), (value(b, "cross", 1), axisb)))
    agree("cross", (x, y))
    m, n = x.shape[-1], y.shape[-1]
    if m not in (2, 3) or n not in (2, 3):
        raise ShapeError(f"cross takes vectors of 2 or 3 elements, but those of a have {m}, of b "
                         f"{n}. Name the axis along which they lie.")
    x, y = components(x), components(y)
    z = x[0] * y[1] - x[1] * y[0]
    if m == n == 2:
        return z
    pair = (crossed(x[1], y[2], x[2], y[1]), crossed(x[2], y[0], x[0], y[2]))
    shape = broadcast_shapes(*[p.shape for p in (*pair, z)])
    parts = [broadcast_to(p, shape) for p in (*pair, z)]
    return moveaxis(movement.stack(*parts, axis=len(shape)), -1, axisc)


def components(x):
    """The three components; None for one that is 0."""
    last = len(x.shape) - 1
    parts = [movement.cut(x, index=movement.along(last, i)) for i in range(x.shape[-1])]
    return parts if len(parts) == 3 else [*parts, None]


def crossed(a, b, c, d):
    """a b - c d, where a factor that is None makes its product vanish."""
    left = None if a is None or b is None else a * b
    right = None if c is None or d is None else c * d
    return -right if left is None else left if right is None else left - right
