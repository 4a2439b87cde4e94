"""Random numbers: bits by key, from which all distributions are composed, and the samplers that
accept or reject.

A sampler's noise is an argument, so its kernel is a function like any other: no value decides how
long it runs. It makes a fixed number of attempts, of which one suffices but for a few in 10^7.
"""

import math

import mlx.core as mx

from functape.op import Op
from functape.ops.approximation import exp, on_floats
from functape.ops.families import nondiff, scale
from functape.ops.gamma import gammaln_kernel
from functape.ops.incomplete_gamma import gamma_ratio
from functape.ops.movement import spread, transpose

GAMMA_TRIES, COUNT_TRIES = 5, 10


def bits_kernel(key, shape):
    """32 random bits an element of `shape`, from MLX's generator: `split` gives its bits as they
    are. Several keys (..., 2) give results (..., *shape), those of each key alone."""
    count = math.prod(shape)
    words = -(-count // 2)  # a split yields pairs
    lead = key.shape[:-1]
    keys = mx.reshape(key, (-1, 2)).astype(mx.uint32)
    if not count or not keys.shape[0]:
        return mx.zeros((*lead, *shape), mx.uint32)
    if keys.shape[0] == 1:
        drawn = mx.random.split(keys[0], words)
    else:
        drawn = mx.vmap(lambda k: mx.random.split(k, words))(keys)
    drawn = mx.reshape(drawn, (keys.shape[0], 2 * words))
    return mx.reshape(drawn[:, :count], (*lead, *shape))


def log_gamma_kernel(a, noise):
    """The logarithm of gamma variables of shape a, from noise: normal and uniform numbers.

    G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM Transactions
    on Mathematical Software 26 (2000); a shape below 1 is raised by 1, and log(u) / a added.
    """
    normals, uniforms = noise[:GAMMA_TRIES], noise[GAMMA_TRIES:]
    small = a < 1
    d = mx.where(small, a + 1, a) - 1 / 3
    c = mx.rsqrt(9 * d)
    out = mx.zeros_like(d)
    for i in reversed(range(GAMMA_TRIES)):  # so that the first one accepted stays
        x, u = normals[i], uniforms[i]
        v = 1 + c * x
        positive = v > 0
        v = mx.where(positive, v, 1)
        cubed, log_v = v * v * v, 3 * mx.log(v)
        accepted = mx.log(u) < 0.5 * mx.square(x) + d * (1 - cubed + log_v)
        out = mx.where(mx.logical_and(positive, accepted), log_v, out)
    out = out + mx.log(d)
    return mx.where(small, out + mx.log(uniforms[-1]) / mx.where(small, a, 1), out)


def poisson_kernel(mean, uniforms):
    """Poisson variables, from uniform numbers: below 10 by inversion, beyond by rejection.

    W. Hörmann, "The transformed rejection method for generating Poisson random variables",
    Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
    """
    few = mean < 10
    small = mx.where(few, mean, 1)
    count = inverted(exp(-small), lambda term, k: term * small / k, uniforms[-1])
    m = mx.where(few, 10, mean)
    b = 0.931 + 2.53 * mx.sqrt(m)
    a = -0.059 + 0.02483 * b
    log_inverse = mx.log(1.1239 + 1.1328 / (b - 3.4))
    log_m = mx.log(m)

    def log_probability(k):
        return k * log_m - m - gammaln_kernel(k + 1)

    quick = 0.9277 - 3.6224 / (b - 2)
    out = rejected(uniforms, a, b, m + 0.43, quick, log_inverse, mx.array(math.inf, m.dtype),
                   log_probability, mx.floor(m))
    return mx.where(mean > 0, mx.where(few, count, out), mx.where(mean == 0, 0, math.nan))


def inverted(term, following, u):
    """The first count whose summed probability is not below u; the terms follow each other."""
    total, count = term, mx.zeros_like(term)
    for k in range(1, 50):
        count = count + (u > total)
        term = following(term, k)
        total = total + term
    return count


def rejected(uniforms, a, b, centre, quick, log_scale, most, log_probability, out):
    """Hörmann's transformed rejection: the first of the proposals that is accepted, or `out`."""
    for i in reversed(range(COUNT_TRIES)):
        u, v = uniforms[i] - 0.5, uniforms[COUNT_TRIES + i]
        side = 0.5 - mx.abs(u)
        k = mx.floor((2 * a / side + b) * u + centre)
        inside = mx.logical_and(k >= 0, k <= most)
        at_once = mx.logical_and(side >= 0.07, v <= quick)
        log_v = mx.log(v) + log_scale - mx.log(a / mx.square(side) + b)
        below = log_v <= log_probability(mx.where(inside, k, 0))
        accepted = mx.logical_and(inside, mx.logical_or(at_once, below))
        out = mx.where(accepted, k, out)
    return out


def binomial_kernel(n, p, uniforms):
    """Binomial variables, from uniform numbers: where n p < 10 by inversion, else by rejection.

    W. Hörmann, "The generation of binomial random variates", Journal of Statistical Computation
    and Simulation 46 (1993), algorithm BTRS; for p > 1/2 the failures are counted.
    """
    valid = mx.logical_and(n >= 0, mx.logical_and(p >= 0, p <= 1))
    flip = p > 0.5
    p = mx.where(flip, 1 - p, p)
    few = n * p < 10
    odds = p / (1 - p)
    first = exp(mx.where(few, n * mx.log1p(-p), 0))
    count = inverted(first, lambda term, k: term * odds * mx.maximum(n - k + 1, 0) / k,
                     uniforms[-1])
    m, q = mx.where(few, 40, n), mx.where(few, 0.5, p)
    deviation = mx.sqrt(m * q * (1 - q))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * q
    mode = mx.floor((m + 1) * q)
    log_odds = mx.log(q / (1 - q))
    peak = gammaln_kernel(mode + 1) + gammaln_kernel(m - mode + 1)

    def log_probability(k):
        return (peak - gammaln_kernel(k + 1) - gammaln_kernel(m - k + 1)
                + (k - mode) * log_odds)

    log_scale = mx.log((2.83 + 5.1 / b) * deviation)
    out = rejected(uniforms, a, b, m * q + 0.5, 0.92 - 4.2 / b, log_scale, m, log_probability, mode)
    out = mx.where(few, count, out)
    return mx.where(valid, mx.where(flip, n - out, out), math.nan)


def batch_sampler(op, size, args, mapped, params):
    """The noise has its own axis in front of the batch axis."""
    *xs, noise = (a if m else spread(a, size) for a, m in zip(args, mapped, strict=True))
    rest = range(2, len(noise.shape))
    return op(*xs, transpose(noise, axes=(1, 0, *rest)))


random_bits = nondiff("random_bits", bits_kernel, ("key",),
                      batch=lambda op, size, args, mapped, params: op(*args, **params),
                      doc="32 random bits an element, by a key uint32[2]; for each of many keys.")
loggamma_sample = Op(
    "loggamma_sample", on_floats(log_gamma_kernel), args=("x", "noise"), batch=batch_sampler,
    vjp=[lambda g, x, ans: -scale(g, gamma_ratio(x, ans, order=1)), None],
    jvp=[lambda t, x, ans: -scale(t, gamma_ratio(x, ans, order=1)), None],
    doc="The logarithm of gamma variables of shapes x, from noise (2 GAMMA_TRIES + 1, *x.shape). "
        "Its derivative is implicit: of the sample whose probability F(sample; x) stays the same.",
)
poisson_sample = nondiff(
    "poisson_sample", on_floats(poisson_kernel), ("x", "noise"), batch=batch_sampler,
    doc="Poisson variables of means x, from uniform noise (2 COUNT_TRIES + 1, *x.shape).",
)
binomial_sample = nondiff(
    "binomial_sample", on_floats(binomial_kernel), ("n", "p", "noise"), batch=batch_sampler,
    doc="Binomial variables, from uniform noise (2 COUNT_TRIES + 1, *n.shape).",
)
