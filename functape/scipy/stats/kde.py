"""Densities estimated from samples: a normal distribution around each of them."""

import math

from functape.errors import ArgumentError, RangeError, ShapeError, describe
from functape.numpy import linalg
from functape.numpy.arguments import beside, floats
from functape.numpy.broadcasting import broadcast_to
from functape.numpy.diagonals import diagonal
from functape.numpy.differences import cov
from functape.numpy.indexing import take
from functape.ops import elementwise as ops
from functape.ops.contraction import matmul
from functape.ops.families import scale
from functape.ops.movement import reshape
from functape.ops.normal import ndtr
from functape.ops.reductions import maximum_of
from functape.pairs import is_complex
from functape.scipy.linalg import solve_triangular
from functape.tree_util import register_pytree_node_class

RULES = {  # how far the kernels reach, in standard deviations of the data
    "scott": lambda kde: kde.neff ** (-1 / (kde.d + 4)),
    "silverman": lambda kde: (kde.neff * (kde.d + 2) / 4) ** (-1 / (kde.d + 4)),
}


@register_pytree_node_class
class gaussian_kde:  # noqa: N801 - SciPy's name
    r"""A density estimated from n samples of d coordinates, by normal distributions around them.

    .. math:: p(x) = \sum_i w_i\, \mathcal N(x;\, x_i,\, h^2 C), \quad \sum_i w_i = 1

    Here C is the covariance of the samples. Differentiable in the samples, the weights and the
    points; a pytree, so that transforms take it as an argument.

    Source: D. W. Scott, Multivariate density estimation (1992); B. W. Silverman, Density
    estimation for statistics and data analysis (1986).

    Args:
      dataset: samples (d, n), or (n,).
      bw_method: h: "scott", n_eff^(-1 / (d + 4)), as None; "silverman", (n_eff (d + 2) / 4)^(-1 /
        (d + 4)); a number, or a function of this object. Here n_eff = 1 / sum(w^2).
      weights: (n,), of any sum; None: all the same.

    Attributes: `dataset`, `weights`, `covariance`, that of a kernel (d, d), and its inverse
    `inv_cov`; `neff`, `d`, `n`.

    >>> from functape.numpy import array
    >>> from functape.scipy.stats import gaussian_kde
    >>> gaussian_kde(array([-1.0, 0.0, 1.0]))(0.0)
    tensor([0.3181562])
    """

    def __init__(self, dataset, bw_method=None, weights=None):
        x, w = floats("gaussian_kde", dataset, 1.0 if weights is None else weights)
        x = as_rows("gaussian_kde", x)
        d, n = x.shape
        if n < 2:
            raise ShapeError("gaussian_kde takes two samples or more, one a column, but got "
                             f"{describe(x)}.")
        w = broadcast_to(w, (n,)) if weights is None else w
        if w.shape != (n,):
            raise ShapeError(f"gaussian_kde: the weights must be {n} numbers, one a sample, but "
                             f"are {describe(w)}.")
        self.dataset, self.weights = x, w / w.sum()
        spread = reshape(cov(x, aweights=self.weights), shape=(d, d))
        self.covariance = spread * bandwidth(self, bw_method) ** 2

    def tree_flatten(self):
        """The arrays that it consists of."""
        return (self.dataset, self.weights, self.covariance), None

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        """From its arrays.

        Args:
          aux_data: None.
          children: what `tree_flatten` gave.
        """
        kde = cls.__new__(cls)
        kde.dataset, kde.weights, kde.covariance = children
        return kde

    @property
    def d(self):
        """The number of coordinates."""
        return self.dataset.shape[0]

    @property
    def n(self):
        """The number of samples."""
        return self.dataset.shape[1]

    @property
    def neff(self):
        """How many samples of one weight would say as much."""
        return 1 / ops.square(self.weights).sum()

    @property
    def inv_cov(self):
        """The inverse of the covariance."""
        return linalg.inv(self.covariance)

    def evaluate(self, points):
        """The density at points (d, m), or (m,) of one coordinate: (m,)."""
        return self.overlap(self.placed("evaluate", points), self.covariance)

    __call__ = evaluate

    def pdf(self, x):
        """The density, by the name that distributions give it; points as for `evaluate`."""
        return self.evaluate(x)

    def logpdf(self, x):
        """The logarithm of the density, without underflow; points as for `evaluate`."""
        points, w = self.placed("logpdf", x), self.weights
        kernels = log_kernels(points, self.dataset, self.covariance)
        high = maximum_of(ops.where(w > 0, ops.stop_gradient(kernels), -math.inf), axis=(1,),
                          keepdims=True)
        return ops.log(scale(w, ops.exp(kernels - high)).sum(1)) + high[:, 0]

    def integrate_gaussian(self, mean, cov):
        """The integral of the density times that of a normal distribution.

        Args:
          mean: (d,), or a number for d = 1.
          cov: (d, d), or a number for d = 1.
        """
        mean, cov, _ = floats("integrate_gaussian", mean, cov, self.dataset)
        d = self.d
        if d == 1 and mean.size == cov.size == 1:
            mean, cov = reshape(mean, shape=(1,)), reshape(cov, shape=(1, 1))
        if mean.shape != (d,) or cov.shape != (d, d):
            raise ShapeError("integrate_gaussian: the mean and the covariance must have the shapes "
                             f"{(d,)} and {(d, d)}, but are {describe(mean)} and {describe(cov)}.")
        return self.overlap(reshape(mean, shape=(d, 1)), self.covariance + cov)[0]

    def integrate_kde(self, other):
        """The integral of the product with another estimate's density.

        Args:
          other: a `gaussian_kde` of as many coordinates.
        """
        if getattr(other, "d", None) != self.d:
            given = getattr(other, "dataset", other)
            raise ShapeError(f"integrate_kde takes a gaussian_kde of {self.d} coordinate(s), but "
                             f"got {describe(given)}.")
        shared = self.overlap(other.dataset, self.covariance + other.covariance)
        return matmul(shared, other.weights)

    def overlap(self, means, covariance):
        """The density around means (d, m), with another covariance of the kernels: (m,)."""
        return matmul(ops.exp(log_kernels(means, self.dataset, covariance)), self.weights)

    def integrate_box_1d(self, low, high):
        """The probability of the interval from `low` to `high`, for d = 1."""
        if self.d != 1:
            raise ShapeError("integrate_box_1d is for one coordinate, but these samples have "
                             f"{self.d}. Integrate along the others first.")
        low, high, x = floats("integrate_box_1d", low, high, self.dataset[0])
        if low.shape or high.shape:
            raise ShapeError("integrate_box_1d takes two numbers, but got "
                             f"{describe(low)} and {describe(high)}. Use vmap for more.")
        width = ops.sqrt(self.covariance[0, 0])
        return matmul(ndtr((high - x) / width) - ndtr((low - x) / width), self.weights)

    def resample(self, key, shape=()):
        """New samples of the density, of shape (d, *shape); they move with the samples.

        Args:
          key: from functape.random.
          shape: how many.
        """
        from functape import random  # it stands beside this package

        which, where = random.split(key)
        chosen = random.choice(which, self.n, shape, p=ops.stop_gradient(self.weights))
        noise = random.multivariate_normal(where, self.dataset[:, 0] * 0, self.covariance, shape)
        last = len(noise.shape) - 1
        return take(self.dataset, chosen, axis=1) + noise.transpose((last, *range(last)))

    def placed(self, name, points):
        """Points as (d, m)."""
        points, _ = floats(name, points, self.dataset)
        rows = as_rows(name, points)
        if rows.shape[0] != self.d and rows.shape == (1, self.d):
            rows = reshape(rows, shape=(self.d, 1))
        if rows.shape[0] != self.d:
            raise ShapeError(f"{name}: points must have the shape ({self.d}, m), the {self.d} "
                             f"coordinate(s) of a sample first, but are {describe(points)}.")
        return rows


def as_rows(name, x):
    """One row a coordinate."""
    if is_complex(x) or len(x.shape) > 2:
        raise ArgumentError(f"{name} takes a vector or a matrix of real numbers, but got "
                            f"{describe(x)}.")
    return x if len(x.shape) == 2 else reshape(x, shape=(1, x.size))


def bandwidth(kde, method):
    """The factor h of the samples' standard deviation."""
    method = "scott" if method is None else method
    if isinstance(method, str):
        if method not in RULES:
            raise RangeError("gaussian_kde: bw_method must be 'scott', 'silverman', a number or a "
                             f"function, but is {method!r}.")
        return RULES[method](kde)
    h = beside(method(kde) if callable(method) else method, kde.dataset, "gaussian_kde", 1)
    if h.shape:
        raise ShapeError(f"gaussian_kde: bw_method must be one number, but is {describe(h)}.")
    return h


def log_kernels(points, centres, covariance):
    """log densities (m, n) of normal distributions around n centres at m points."""
    factor = linalg.cholesky(covariance)
    points, centres = (solve_triangular(factor, a, lower=True) for a in (points, centres))
    d, m = points.shape
    gaps = reshape(points, shape=(d, m, 1)) - reshape(centres, shape=(d, 1, centres.shape[1]))
    size = ops.log(diagonal(factor)).sum() + 0.5 * d * math.log(2 * math.pi)
    return -0.5 * ops.square(gaps).sum(0) - size
