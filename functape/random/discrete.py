"""Whole numbers, choices and permutations. None of them has derivatives."""


import mlx.core as mx

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, check_range, check_word, describe
from functape.numpy.arguments import as_type, axis_of, shape_of, size_of, value
from functape.numpy.arguments import floats as as_floats
from functape.numpy.broadcasting import broadcast_shapes, broadcast_to
from functape.numpy.elementwise import where
from functape.numpy.indexing import take, take_along_axis
from functape.numpy.joining import stack
from functape.numpy.searching import searchsorted
from functape.numpy.sorting import argsort
from functape.ops import elementwise as ops
from functape.ops import reductions
from functape.ops.elementwise import log, log1p, stop_gradient
from functape.ops.random import COUNT_TRIES, binomial_sample, poisson_sample, random_bits
from functape.random.continuous import gumbel
from functape.random.keys import checked, split, unit, wide_bits
from functape.random.parameters import RESOLUTIONS, fits, full, parameters

# --- whole numbers ------------------------------------------------------------------------------


def randint(key, shape, minval, maxval, dtype=None):
    """Whole numbers from minval up to, but without, maxval.

    Args:
      key: a key.
      shape: of the result, to which the bounds must broadcast.
      minval, maxval: the bounds; where maxval is not above minval, the result is minval.
      dtype: int32 by default.

    >>> import functape as ft
    >>> x = ft.random.randint(ft.random.key(0), (100,), 2, 5)
    >>> int(x.min()), int(x.max())
    (2, 4)
    """
    key, shape = checked(key, "randint"), shape_of(shape, "randint")
    dtype = mx.int32 if dtype is None else dtypes.as_dtype(dtype, "randint")
    if not dtypes.issubdtype(dtype, dtypes.integer):
        raise ArgumentError(f"randint: dtype must be an integer type, but is "
                            f"{dtypes.dtype_name(dtype)}.")
    limits = dtypes.iinfo(dtype)
    low, high = (as_type(value(within(n, limits), "randint", i), mx.int64)
                 for i, n in enumerate((minval, maxval), start=2))
    if not fits(broadcast_shapes(low.shape, high.shape), shape):
        raise ShapeError(f"randint: the bounds have the shapes {low.shape} and {high.shape}, which "
                         f"do not broadcast to shape {shape}. Give a shape that ends with theirs.")
    start, stop = (ops.cast(n, dtype=mx.uint64) for n in (low, high))
    span = where(low < high, stop - start, 1)
    # 64 bits: what their remainder prefers is not to be seen
    offset = ops.remainder(wide_bits(key, shape), span)
    return as_type(ops.cast(full(start, shape) + offset, dtype=mx.int64), dtype)


def within(n, limits):
    """A Python integer that the dtype, or one more, can hold."""
    return min(max(n, limits.min), limits.max + 1) if isinstance(n, int) else n


def bernoulli(key, p=0.5, shape=None, mode="low"):
    """True with probability p.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      mode: JAX's choice of resolution, without effect.

    >>> import functape as ft
    >>> ft.random.bernoulli(ft.random.key(0), 0.3, (2,)).dtype == ft.numpy.bool_
    True
    """
    check_range("bernoulli", "[0, 1]", p=p)
    check_word("bernoulli", RESOLUTIONS, mode=mode)
    key = checked(key, "bernoulli")
    shape, dtype, (p,) = parameters("bernoulli", shape, None, p)
    return unit(key, shape, dtype) < p


def rademacher(key, shape=(), dtype=None):
    """-1 or 1, equally likely; int32 by default.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> x = ft.random.rademacher(ft.random.key(0), (100,))
    >>> int(x.min()), int(x.max())
    (-1, 1)
    """
    words = random_bits(checked(key, "rademacher"), shape=shape_of(shape, "rademacher"))
    dtype = mx.int32 if dtype is None else dtypes.as_dtype(dtype, "rademacher")
    return as_type(2 * ops.cast(ops.right_shift(words, 31), dtype=mx.int32) - 1, dtype)


def geometric(key, p, shape=None, dtype=None):
    """The number of trials up to the first success of probability p; int32 by default.

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> bool((ft.random.geometric(ft.random.key(0), 0.5, (100,)) >= 1).all())
    True
    """
    check_range("geometric", "(0, 1]", p=p)
    key = checked(key, "geometric")
    shape, own, (p,) = parameters("geometric", shape, None, p)
    u = unit(key, shape, own, True)
    return as_type(ops.floor(log(u) / log1p(-stop_gradient(p))) + 1, dtype or mx.int32)


def poisson(key, lam, shape=None, dtype=None):
    """Poisson variables of mean lam; int32 by default.

    Source: W. Hörmann, The transformed rejection method for generating Poisson random variables,
    Insurance: Mathematics and Economics 12 (1993).

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.random.poisson(ft.random.key(0), 3.0, (2,)).dtype == ft.numpy.int32
    True
    """
    check_range("poisson", "[0, inf)", lam=lam)
    key = checked(key, "poisson")
    shape, own, (lam,) = parameters("poisson", shape, None, lam)
    own = own if own.size >= 4 else mx.float32
    noise = unit(key, (2 * COUNT_TRIES + 1, *shape), own, True)
    return as_type(poisson_sample(full(as_type(lam, own), shape), noise), dtype or mx.int32)


# --- categories ---------------------------------------------------------------------------------


def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None):
    """Categories by their log probabilities, which need not be normalised.

    Args:
      key: a key.
      logits: array; the categories lie along `axis`.
      axis: of the categories.
      shape: of the result; it ends with the shape of logits without the axis.
      replace: False: along the leading axes of the result no category repeats.
      mode: kept for JAX's signature.

    >>> import functape as ft
    >>> ft.random.categorical(ft.random.key(0), ft.numpy.zeros((4, 3))).shape
    (4,)
    """
    check_word("categorical", RESOLUTIONS, mode=mode)
    key = checked(key, "categorical")
    (logits,) = as_floats("categorical", logits)
    at = axis_of(axis, len(logits.shape), "categorical")
    n = logits.shape[at]
    own = tuple(k for i, k in enumerate(logits.shape) if i != at)
    shape = own if shape is None else shape_of(shape, "categorical")
    lead = shape[:len(shape) - len(own)]
    if not fits(own, shape):
        raise ShapeError(f"categorical: shape {shape} must end with {own}, the shape of logits "
                         "without the axis of the categories.")
    last = (*(i for i in range(len(logits.shape)) if i != at), at)
    logits = stop_gradient(logits).transpose(last)
    if replace:
        noise = gumbel(key, (*shape, n), logits.dtype)
        return reductions.argmax(logits + noise, axis=len(shape), keepdims=False)
    taken = size_of(lead)
    if taken > n:
        raise ShapeError(f"categorical: {taken} of {n} categories cannot be drawn without "
                         "replacement. Draw fewer, or set replace=True.")
    order = argsort(logits + gumbel(key, (*own, n), logits.dtype), axis=-1, descending=True)
    picked = order[..., :taken]
    axes = (len(own), *range(len(own)))
    return picked.transpose(axes).reshape(shape)


def permutation(key, x, axis=0, independent=False):
    """The entries along an axis in random order; of an integer n, of arange(n).

    Args:
      key: a key.
      x: array, or an integer.
      axis: along which to permute.
      independent: each line of its own, instead of whole slices.

    >>> import functape as ft
    >>> sorted(ft.random.permutation(ft.random.key(0), 3).tolist())
    [0, 1, 2]
    """
    key = checked(key, "permutation")
    if isinstance(x, int):
        return order(key, (x,), 0)
    x = value(x, "permutation", 1)
    if not x.shape:
        raise ShapeError("permutation takes an integer as a Python int, or an array with at least "
                         "one axis, but got a scalar array.")
    axis = axis_of(axis, len(x.shape), "permutation")
    if independent:
        return take_along_axis(x, order(key, x.shape, axis), axis=axis)
    return take(x, order(key, (x.shape[axis],), 0), axis=axis)


def order(key, shape, axis):
    """Random orders, by sorting random bits; equal ones are too rare to matter."""
    return argsort(random_bits(key, shape=shape), axis=axis)


def choice(key, a, shape=(), replace=True, p=None, axis=0, mode=None):
    """Random entries of an array along an axis; of an integer n, of arange(n).

    Args:
      key: a key.
      a: array, or an integer.
      shape: how many, as a shape; it takes the place of the axis.
      replace: whether an entry may come more than once.
      p: probabilities (n,) of the entries; None: all alike.
      axis: along which to choose.
      mode: kept for JAX's signature.

    >>> import functape as ft
    >>> ft.random.choice(ft.random.key(0), 5, (2, 3)).shape
    (2, 3)
    """
    check_word("choice", RESOLUTIONS, mode=mode)
    key, shape = checked(key, "choice"), shape_of(shape, "choice")
    entries = None if isinstance(a, int) else value(a, "choice", 1)
    at = 0 if entries is None else axis_of(axis, len(entries.shape), "choice")
    n = a if entries is None else entries.shape[at]
    count = size_of(shape)
    if n < 1 and count or not replace and count > n:
        raise ShapeError(f"choice: {count} entries cannot be chosen from {n}"
                         f"{'' if replace else ' without replacement'}.")
    positions = chosen(key, n, shape, count, replace, p)
    return positions if entries is None else take(entries, positions, axis=at)


def chosen(key, n, shape, count, replace, p):
    """Positions of the entries that were chosen."""
    if p is None:
        if replace:
            return randint(key, shape, 0, n)
        return order(key, (n,), 0)[:count].reshape(shape)
    (p,) = as_floats("choice", p)
    if p.shape != (n,):
        raise ShapeError(f"choice: p must have the shape ({n},), one probability an entry, but is "
                         f"{describe(p)}.")
    p = stop_gradient(p)
    if replace:
        ends = reductions.cumsum(p, axis=0, reverse=False)
        u = unit(key, shape, p.dtype) * ends[-1]
        return ops.minimum(searchsorted(ends, u, side="right"), n - 1)
    ranked = argsort(log(p) + gumbel(key, (n,), p.dtype), axis=0, descending=True)
    return ranked[:count].reshape(shape)


# --- counts -------------------------------------------------------------------------------------


def binomial(key, n, p, shape=None, dtype=None):
    """The number of successes in n trials of probability p, in floating point.

    Source: W. Hörmann, The generation of binomial random variates, Journal of Statistical
    Computation and Simulation 46 (1993).

    Args:
      key: a random key, as `random.key` makes it; the same one gives the same numbers.
      shape: of the result; None, where it may be: that to which the parameters broadcast.
      dtype: of the result.

    >>> import functape as ft
    >>> bool((ft.random.binomial(ft.random.key(0), 10, 0.5, (100,)) <= 10).all())
    True
    """
    check_range("binomial", "[0, inf)", n=n)
    check_range("binomial", "[0, 1]", p=p)
    key = checked(key, "binomial")
    shape, dtype, (n, p) = parameters("binomial", shape, dtype, n, p)
    own = dtype if dtype.size >= 4 else mx.float32
    noise = unit(key, (2 * COUNT_TRIES + 1, *shape), own, True)
    return as_type(binomial_sample(*(full(as_type(a, own), shape) for a in (n, p)), noise), dtype)


def multinomial(key, n, p, *, shape=None, dtype=None, unroll=1):
    """How often each of the k outcomes comes in n draws of probabilities p, in floating point.

    Args:
      key: a key.
      n: the number of draws.
      p: (..., k).
      shape: of the result, ending with k; that of n and p by default.
      dtype: that of p by default.
      unroll: kept for JAX's signature.

    >>> import functape as ft
    >>> p = ft.numpy.array([0.2, 0.3, 0.5])
    >>> float(ft.random.multinomial(ft.random.key(0), 10, p).sum())
    10.0
    """
    check_range("multinomial", "[0, inf)", n=n)
    _, dtype, (p,) = parameters("multinomial", None, dtype, p)
    _, _, (left,) = parameters("multinomial", None, dtype, n)
    if not p.shape:
        raise ShapeError("multinomial: p must have an axis of outcomes, (..., k), but is a scalar. "
                         "Use binomial for two outcomes.")
    k = p.shape[-1]
    own = (*broadcast_shapes(left.shape, p.shape[:-1]), k)
    shape = own if shape is None else shape_of(shape, "multinomial")
    lead = shape[:-1]
    keys = split(key, k - 1) if k > 1 else ()
    p, left, rest = broadcast_to(p, (*lead, k)), full(left, lead), 1.0
    counts = []
    for i in range(k - 1):
        share = ops.clip(ops.ratio(p[..., i], rest), 0.0, 1.0)
        counts.append(binomial(keys[i], left, share, lead, dtype))
        left, rest = left - counts[-1], rest - p[..., i]
    return stack([*counts, left], axis=-1)
