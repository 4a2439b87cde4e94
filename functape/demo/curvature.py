"""Second order: the largest eigenvalue of a Hessian, by power iteration on its products with
vectors. The Hessian itself, tens of millions of numbers, is never made."""

import math

import mlx.core as mx
import numpy

import functape as ft
from functape import tree


def inner(a, b):
    """Inner product of two pytrees of arrays."""
    return sum((x * y).sum() for x, y in zip(tree.leaves(a), tree.leaves(b), strict=True)).item()


def scaled(v, factor):
    return tree.map(lambda x: x * factor, v)


def top_eigenvalue(f, params, products=200, tolerance=1e-3, seed=0):
    """Of the Hessian of the scalar function `f` at `params`, the eigenvalue of largest magnitude.

    Returns:
      (eigenvalue, residual, count): ``residual = |Hv - eigenvalue v| / |eigenvalue|``, and how
      many Hessian-vector products it took.
    """
    random = numpy.random.default_rng(seed)
    v = tree.map(lambda p: mx.array(random.normal(size=p.shape).astype("float32")), params)
    residual, count = math.inf, 0
    while residual > tolerance and count < products:
        v = scaled(v, inner(v, v) ** -0.5)
        product = ft.hvp(f, (params,), (v,))
        eigenvalue = inner(v, product)
        rest = tree.map(lambda h, x, e=eigenvalue: h - e * x, product, v)
        residual = inner(rest, rest) ** 0.5 / abs(eigenvalue)
        v, count = product, count + 1
    return eigenvalue, residual, count
