"""Random vectors and matrices."""

from functape.errors import ShapeError, check_word, describe
from functape.numpy import linalg
from functape.numpy.arguments import as_type, integer, shape_of
from functape.numpy.arguments import floats as as_floats
from functape.numpy.broadcasting import broadcast_shapes
from functape.numpy.contraction import matmul
from functape.numpy.elementwise import where
from functape.ops import elementwise as ops
from functape.random.continuous import normal
from functape.random.keys import checked
from functape.random.parameters import parameters


def multivariate_normal(key, mean, cov, shape=None, dtype=None, method="cholesky"):
    """Normal vectors of a mean and a covariance, differentiable in both.

    Args:
      key: a key.
      mean: (..., n).
      cov: (..., n, n).
      shape: of the batch, to which those of mean and cov must broadcast.
      dtype: that of the parameters by default.
      method: a square root of cov: "cholesky", "eigh" or "svd".

    >>> import functape as ft
    >>> np = ft.numpy
    >>> ft.random.multivariate_normal(ft.random.key(0), np.zeros(2), np.eye(2), (5,)).shape
    (5, 2)
    """
    key = checked(key, "multivariate_normal")
    check_word("multivariate_normal", ROOTS, method=method)
    _, dtype, _ = parameters("multivariate_normal", None, dtype, mean)
    mean, cov = (as_type(a, dtype) for a in as_floats("multivariate_normal", mean, cov))
    n = mean.shape[-1] if mean.shape else -1
    if cov.shape[-2:] != (n, n):
        raise ShapeError(f"multivariate_normal takes a mean (..., n) and a cov (..., n, n), but "
                         f"got {describe(mean)} and {describe(cov)}.")
    own = broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
    shape = own if shape is None else broadcast_shapes(own, shape_of(shape, "multivariate_normal"))
    root = ROOTS[method](cov)
    noise = normal(key, (*shape, n), dtype)
    return mean + matmul(root, noise.reshape((*shape, n, 1))).reshape((*shape, n))


def by_eigh(cov):
    w, v = linalg.eigh(cov)
    return v * ops.sqrt(w).reshape((*w.shape[:-1], 1, w.shape[-1]))


def by_svd(cov):
    u, s, _ = linalg.svd(cov)
    return u * ops.sqrt(s).reshape((*s.shape[:-1], 1, s.shape[-1]))


ROOTS = {"cholesky": linalg.cholesky, "eigh": by_eigh, "svd": by_svd}


def orthogonal(key, n, shape=(), dtype=None, m=None):
    """Orthogonal matrices (*shape, n, m), uniformly distributed; m = n by default.

    Source: F. Mezzadri, How to generate random matrices from the classical compact groups, Notices
    of the AMS 54 (2007).

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      dtype: of the result.

    >>> import functape as ft
    >>> q = ft.random.orthogonal(ft.random.key(0), 3)
    >>> bool(ft.numpy.allclose(q.T @ q, ft.numpy.eye(3), atol=1e-5))
    True
    """
    n = integer(n, "orthogonal", "n")
    m = n if m is None else integer(m, "orthogonal", "m")
    tall, wide = max(n, m), min(n, m)
    q, r = linalg.qr(normal(key, (*shape_of(shape, "orthogonal"), tall, wide), dtype))
    d = linalg.diagonal(r)
    q = q * where(d < 0, -1.0, 1.0).reshape((*d.shape[:-1], 1, wide))
    return q if n >= m else q.mT
