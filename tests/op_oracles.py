"""The twin of each op in JAX. What jax.numpy, jax.nn, jax.lax or jax.scipy.special has under the
op's own name, with the op's parameters, needs no entry."""

import functools

import functape  # noqa: F401

# isort: split
import mlx.core as mx
import numpy as np

SPACES = ("numpy", "nn", "scipy.special", "lax", "numpy.linalg", "numpy.fft")


def twin(jax, name):
    """The function with JAX: an entry below, or by its name. None: there is none."""
    if name in ORACLES:
        return functools.partial(ORACLES[name], jax)
    for space in SPACES:
        found = getattr(functools.reduce(getattr, space.split("."), jax), name, None)
        if found is not None:
            return found
    return None


def sum_to(jax, x, shape):
    """The transpose of broadcasting, as JAX derives it."""
    like = jax.numpy.zeros(shape, x.dtype)
    return jax.vjp(lambda a: jax.numpy.broadcast_to(a, x.shape), like)[1](x)[0]


def sinc(jax, x, order):
    f = jax.numpy.sinc
    for _ in range(order):
        f = jax.grad(f)
    return jax.numpy.vectorize(f)(x)


def cumulative(f):
    """Running totals from the start or the end of an axis."""

    def run(jax, x, axis, reverse):
        flip = functools.partial(jax.numpy.flip, axis=axis) if reverse else lambda a: a
        return flip(getattr(jax.numpy, f)(flip(x), axis=axis))

    return run


def dtype_name(dtype):
    return str(dtype).removeprefix("mlx.core.").rstrip("_")


def as_type(jax, x, dtype):
    name = dtype_name(dtype)
    return (x.real if jax.numpy.iscomplexobj(x) and "complex" not in name else x).astype(name)


def letters(labels):
    return "".join("abcdefgh"[i] for i in labels)


def contract(jax, x, y, x_labels, y_labels, labels):
    form = f"{letters(x_labels)},{letters(y_labels)}->{letters(labels)}"
    return jax.numpy.einsum(form, x, y)


def place_block(jax, y, i, shape):
    return jax.lax.dynamic_update_slice(jax.numpy.zeros(shape, y.dtype), y, i)


def overwrite_block(jax, x, y, i, sizes):
    return jax.lax.dynamic_update_slice(x, jax.numpy.broadcast_to(y, sizes).astype(x.dtype), i)


def at(axis, i):
    return (slice(None),) * axis + (i,)


def along(x, i, axis):
    """The index that picks x[..., i, ...] entry by entry."""
    grids = list(np.indices(i.shape))
    grids[axis] = i
    return tuple(grids)


def ravel_index(jax, *xs, sizes, drop):
    """Row by row, what lies outside at the nearest end, or past the end."""
    xs = jax.numpy.broadcast_arrays(*xs)
    wrapped = [jax.numpy.where(i < 0, i + n, i) for i, n in zip(xs, sizes, strict=True)]
    flat = jax.numpy.ravel_multi_index(wrapped, sizes, mode="clip")
    inside = functools.reduce(lambda a, b: a & b,
                              [(i >= 0) & (i < n) for i, n in zip(wrapped, sizes, strict=True)])
    total = functools.reduce(lambda a, b: a * b, sizes)
    return jax.numpy.where(inside, flat, total) if drop else flat


def keep_last(jax, i, size, lead):
    """All but the last of equal indices go past the end."""
    rows = np.array(i).reshape(*i.shape[:lead], -1)
    for row in rows.reshape(-1, rows.shape[-1]):
        for k in range(len(row)):
            if row[k] in row[k + 1:]:
                row[k] = size
    return jax.numpy.asarray(rows.reshape(i.shape))


def searchsorted(jax, x, y, side):
    search = functools.partial(jax.numpy.searchsorted, side=side)
    return search(x, y) if x.ndim == 1 else jax.vmap(search)(x, y)


def symmetric_first(f):
    """Of the Hermitian part, as functape's ops take it."""

    def run(jax, x):
        return getattr(jax.numpy.linalg, f)((x + jax.numpy.swapaxes(x.conj(), -1, -2)) / 2)

    return run


def lu(jax, x):
    """The factors of x = P L U."""
    return jax.vmap(jax.scipy.linalg.lu)(x) if x.ndim > 2 else jax.scipy.linalg.lu(x)


def cofactor(jax, x):
    adjoint = jax.numpy.swapaxes(jax.numpy.linalg.inv(x), -1, -2)
    return jax.numpy.linalg.det(x)[..., None, None] * adjoint


def solve_triangular(jax, x, y, lower, unit):
    x = jax.numpy.tril(x) if lower else jax.numpy.triu(x)
    if unit:
        eye = jax.numpy.eye(x.shape[-1])
        x = x * (1 - eye) + eye
    return jax.numpy.linalg.solve(x, jax.numpy.broadcast_to(y, (*x.shape[:-2], *y.shape[-2:])))


def norm(jax, x, axis, keepdims, ord):
    power = (abs(x) ** ord).sum(axis, keepdims=keepdims) ** (1 / ord)
    return abs(x).max(axis, keepdims=keepdims) if np.isinf(ord) else power


def conv(jax, x, y, geometry):
    n = x.ndim - 2
    axes = jax.lax.ConvDimensionNumbers(*((0, n + 1, *range(1, n + 1)),) * 3)
    return jax.lax.conv_general_dilated(
        x, y, geometry.stride, geometry.padding, geometry.spread, geometry.dilation, axes,
        geometry.groups)


def transposed(jax, f, shape, y):
    """The transpose of a linear function, by its matrix. (XLA aborts on some of JAX's own.)"""
    basis = jax.numpy.eye(int(np.prod(shape)), dtype=y.dtype).reshape(-1, *shape)
    return jax.numpy.stack([(f(e) * y).sum() for e in basis]).reshape(shape)


def conv_input(jax, y, w, geometry, size):
    shape = (y.shape[0], *size, w.shape[-1] * geometry.groups)
    return transposed(jax, lambda x: conv(jax, x, w, geometry), shape, y)


def conv_weight(jax, x, y, geometry, size):
    shape = (y.shape[-1], *size, x.shape[-1] // geometry.groups)
    return transposed(jax, lambda w: conv(jax, x, w, geometry), shape, y)


def by_differences(f, order, x, step=2e-3):
    """The derivative of this order of f at x: central differences of fourth order."""
    if order == 0:
        return np.asarray(f(x))
    at = [by_differences(f, order - 1, x + k * step) for k in (1, -1, 2, -2)]
    return (8 * (at[0] - at[1]) - (at[2] - at[3])) / (12 * step)


def zeta(jax, x, y, order):
    return by_differences(lambda a: jax.scipy.special.zeta(a, y), order, np.asarray(x))


def erfcx(jax, x, order):
    return by_differences(jax.scipy.special.erfcx, order, np.asarray(x), 1e-2)


def moment(density, scores):
    """The integral over [0, x] of a density times powers of its scores, element by element."""
    from scipy.integrate import quad

    @np.vectorize
    def element(x, orders, *parameters):
        def weighted(t):
            factors = [s(t, *parameters) ** n for s, n in zip(scores, orders, strict=True)]
            return density(t, *parameters) * np.prod(factors)

        return quad(weighted, 0, x, epsabs=1e-11, limit=200)[0]

    return element


def orders_of(*orders):
    """Several orders as one object, which NumPy does not take for an array."""
    held = np.empty((), object)
    held[()] = orders
    return held


def gamma_moment(jax, a, x, order, upper):
    import scipy.special as special

    found = moment(stats("gamma").pdf, [lambda t, a: np.log(t) - special.digamma(a)])
    stop = np.full(np.shape(a), np.inf) if upper else x
    lower = found(x, orders_of(order), a)
    return found(stop, orders_of(order), a) - lower if upper else lower


def gamma_ratio(jax, a, y, order):
    x = np.exp(y)
    far = x >= a
    lower, upper = gamma_moment(jax, a, x, order, False), gamma_moment(jax, a, x, order, True)
    moment = np.where(far & (x >= 1.5), -upper, lower)
    return moment / (x * stats("gamma").pdf(x, a))


def beta_moment(jax, a, b, x, order):
    from scipy.special import digamma

    scores = [lambda t, a, b: np.log(t) - digamma(a) + digamma(a + b),
              lambda t, a, b: np.log1p(-t) - digamma(b) + digamma(a + b)]
    return moment(stats("beta").pdf, scores)(x, orders_of(*order), a, b)


def random_bits(jax, key, shape):
    """The bits of MLX's generator, key by key."""
    count = int(np.prod(shape))
    words = [np.asarray(mx.random.split(mx.array(k.astype(np.uint32)), -(-count // 2))).ravel()
             for k in np.asarray(key).reshape(-1, 2)]
    return np.stack([w[:count] for w in words]).reshape(*key.shape[:-1], *shape)


def stats(name):
    import scipy.stats

    return getattr(scipy.stats, name)


def scipy_special(name, *parameters):
    """A function of SciPy's, with the op's parameters in front."""

    def call(jax, *args, **params):
        import scipy.special

        return getattr(scipy.special, name)(*[params[p] for p in parameters], *args)

    return call


def eigh_holds(x, w, v):
    yield np.linalg.eigvalsh(x), w
    yield x @ v, v * w[..., None, :]
    yield v.swapaxes(-1, -2) @ v, np.broadcast_to(np.eye(x.shape[-1]), x.shape)


def eigvals_hold(x, w):
    yield in_order(np.linalg.eigvals(x)), in_order(w)


def in_order(w):
    """Complex numbers sorted, whatever the last digits of their real parts are."""
    order = np.lexsort((w.imag, np.round(w.real, 4)))
    return np.take_along_axis(w, order, -1)


def eig_holds(x, w, v):
    yield from eigvals_hold(x, w)
    yield x @ v, v * w[..., None, :]
    yield np.linalg.norm(v, axis=-2), np.ones(w.shape)


def svd_holds(x, u, s, vt):
    k = s.shape[-1]
    yield np.linalg.svd(x, compute_uv=False), s
    yield u[..., :k] * s[..., None, :] @ vt[..., :k, :], x
    for rows in (u.swapaxes(-1, -2), vt):
        product = rows @ rows.swapaxes(-1, -2)
        yield product, np.broadcast_to(np.eye(rows.shape[-2]), product.shape)


def loggamma_holds(a, noise, ans):
    """Between the quantiles 1e-9 and 1 - 1e-9; the distribution is tested in test_random."""
    p = stats("gamma").cdf(np.exp(ans), a)
    yield (p > 1e-9) & (p < 1 - 1e-9), np.ones(p.shape, bool)


def poisson_holds(mean, noise, count):
    yield count, np.floor(count)
    few = mean < 10
    yield count[few], stats("poisson").ppf(noise[-1], mean)[few]


def binomial_holds(n, p, noise, count):
    yield count, np.floor(np.clip(count, 0, n))
    few = n * np.minimum(p, 1 - p) < 10  # by inversion, of the failures where p > 1/2
    flip = p > 0.5
    found = stats("binom").ppf(noise[-1], n, np.minimum(p, 1 - p))
    yield count[few], np.where(flip, n - found, found)[few]


# Where signs or phases are free: what must hold between the argument and the results, in pairs.
PROPERTIES = {
    "eig": eig_holds,
    "eigvals": eigvals_hold,
    "eigh": eigh_holds,
    "svd": svd_holds,
    "full_svd": svd_holds,
    "loggamma_sample": loggamma_holds,
    "poisson_sample": poisson_holds,
    "binomial_sample": binomial_holds,
}

def windows(jax, x, over):
    """By an index for each axis: (..., positions, size, ...)."""
    for k, (a, size, s, d) in enumerate(over.runs()):
        positions = (x.shape[a + k] - (size - 1) * d - 1) // s + 1
        i = s * np.arange(positions)[:, None] + d * np.arange(size)
        x = jax.numpy.take(x, i, axis=a + k)
    return x


def overlap(jax, x, over, shape):
    like = jax.numpy.zeros(shape, x.dtype)
    return jax.linear_transpose(functools.partial(windows, jax, over=over), like)(x)[0]


def layer_norm(jax, x, w, b, eps):
    return jax.nn.standardize(x, epsilon=eps) * w + b


def rms_norm(jax, x, w, eps):
    return x / jax.numpy.sqrt((x ** 2).mean(-1, keepdims=True) + eps) * w


def attention(jax, q, k, v, mask, scale):
    jnp = jax.numpy
    k, v = (jnp.repeat(a, q.shape[1] // k.shape[1], axis=1) for a in (k, v))
    s = scale * jnp.einsum("bhtd,bhsd->bhts", q, k)
    boolean = jnp.asarray(mask).dtype == np.bool_
    s = jnp.where(mask, s, -1e30) if boolean else s + mask
    return jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(s), v)


def rope(jax, x, dims, traditional, base, scale, offset):
    """Pairs as complex numbers, turned."""
    jnp, half = jax.numpy, dims // 2
    pairs = x[..., :dims].reshape(*x.shape[:-1], half, 2) if traditional else jnp.stack(
        (x[..., :half], x[..., half:dims]), -1)
    angle = scale * (offset + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    z = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angle)
    pairs = jnp.stack((z.real, z.imag), -1)
    turned = pairs.reshape(*x.shape[:-1], dims) if traditional else jnp.concatenate(
        (pairs[..., 0], pairs[..., 1]), -1)
    return jnp.concatenate((turned, x[..., dims:]), -1)


def cross_entropy(jax, x, i):
    return jax.nn.logsumexp(x, -1) - jax.numpy.take_along_axis(x, i[..., None], -1)[..., 0]


ORACLES = {
    "windows": windows,
    "overlap": overlap,
    "window_sum": lambda jax, x, over: windows(jax, x, over).sum(over.inner()),
    "window_max": lambda jax, x, over: windows(jax, x, over).max(over.inner()),
    "exp_below": lambda jax, x: jax.numpy.exp(x),
    "affine": lambda jax, x, w, b: x * w + b,
    "sum_rows": lambda jax, x, axis: x.sum(axis, keepdims=True),
    "scale_rows": lambda jax, x, y, axis: x * y,
    "centre": lambda jax, x, axis: x - x.mean(axis, keepdims=True),
    "inverse_rms": lambda jax, x, axis, eps:
        jax.lax.rsqrt((x ** 2).mean(axis, keepdims=True) + eps),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "attention": attention,
    "rope": rope,
    "cross_entropy": cross_entropy,
    "dynamic_slice": lambda jax, x, i, sizes: jax.lax.dynamic_slice(x, i, sizes),
    "dynamic_unslice": place_block,
    "dynamic_update_slice": overwrite_block,
    "gate": lambda jax, condition, x: jax.numpy.where(condition, x, 0),
    "scale": lambda jax, x, y: jax.numpy.multiply(x, y),
    "scale_both": lambda jax, x, y: jax.numpy.multiply(x, y),
    "above": lambda jax, x, y: jax.numpy.heaviside(x - y, 0.5),
    "finite": lambda jax, x: jax.numpy.nan_to_num(x, nan=np.nan),
    "reduced": lambda jax, x, exponent, mantissa: jax.lax.reduce_precision(x, exponent, mantissa),
    "nonpositive": lambda jax, x: jax.numpy.minimum(x, 0),
    "ratio": lambda jax, x, y: jax.numpy.divide(x, y),
    "turned": lambda jax, x, y, z: x * z / (y * y + z * z),
    "astype": as_type,
    "cast": as_type,
    "sum_to": sum_to,
    "slice": lambda jax, x, index: x[index],
    "unslice": lambda jax, x, index, shape: jax.numpy.zeros(shape, x.dtype).at[index].set(x),
    "slice_update": lambda jax, x, y, index: x.at[index].set(y),
    "concatenate": lambda jax, *xs, axis: jax.numpy.concatenate(xs, axis),
    "stack": lambda jax, *xs, axis: jax.numpy.stack(xs, axis),
    "split": lambda jax, x, at, axis: tuple(jax.numpy.split(x, at, axis)),
    "rsqrt": lambda jax, x: 1 / jax.numpy.sqrt(x),
    "bitwise_not": lambda jax, x: jax.numpy.invert(x),
    "clip": lambda jax, x, low, high: jax.numpy.clip(x, low, high),
    "sinc": sinc,
    "cumsum": cumulative("cumsum"),
    "cumprod": cumulative("cumprod"),
    "bits": lambda jax, x, dtype: jax.lax.bitcast_convert_type(x, dtype_name(dtype)),
    "contract": contract,
    "offset_index": lambda jax, i, n, axis: i % n + n * np.indices(i.shape)[axis],
    "take": lambda jax, x, i, axis: x[at(axis, i)],
    "scatter_add": lambda jax, y, i, axis, shape:
        jax.numpy.zeros(shape, y.dtype).at[at(axis, i)].add(y),
    "scatter": lambda jax, x, y, i, axis: x.at[at(axis, i)].set(y),
    "scatter_max": lambda jax, x, y, i, axis: x.at[at(axis, i)].max(y),
    "scatter_min": lambda jax, x, y, i, axis: x.at[at(axis, i)].min(y),
    "take_along_axis": lambda jax, x, i, axis: x[along(x, i, axis)],
    "add_along_axis": lambda jax, y, i, axis, shape:
        jax.numpy.zeros(shape, y.dtype).at[along(y, i, axis)].add(y),
    "unstack": lambda jax, x, axis: tuple(jax.numpy.unstack(x, axis=axis)),
    "ravel_index": ravel_index,
    "keep_last": keep_last,
    "argsort": lambda jax, x, axis, descending:
        jax.numpy.argsort(x, axis, stable=True, descending=descending),
    "argpartition": lambda jax, x, kth, axis: jax.numpy.argsort(x, axis),
    "searchsorted": searchsorted,
    "fft": lambda jax, x, axes, norm: jax.numpy.fft.fftn(x, axes=axes, norm=norm),
    "ifft": lambda jax, x, axes, norm: jax.numpy.fft.ifftn(x, axes=axes, norm=norm),
    "rfft": lambda jax, x, axes, norm: jax.numpy.fft.rfftn(x, axes=axes, norm=norm),
    "irfft": lambda jax, x, axes, n, norm: jax.numpy.fft.irfftn(
        x, [*(x.shape[a] for a in axes[:-1]), n], axes=axes, norm=norm),
    "triangle": lambda jax, x, lower, offset:
        (jax.numpy.tril if lower else jax.numpy.triu)(x, offset),
    "identity_for": lambda jax, x, size:
        jax.numpy.broadcast_to(jax.numpy.eye(size), (*x.shape[:-2], size, size)),
    "solve_triangular": solve_triangular,
    "cholesky": symmetric_first("cholesky"),
    "lu_pivots": lambda jax, x: jax.scipy.linalg.lu_factor(x)[1],
    "pivoting": lambda jax, pivots: jax.nn.one_hot(
        jax.lax.linalg.lu_pivots_to_permutation(pivots, pivots.shape[-1]), pivots.shape[-1]),
    "lu": lu,
    "full_qr": lambda jax, x: jax.numpy.linalg.qr(x, mode="complete"),
    "eigvalsh": symmetric_first("eigvalsh"),
    "is_regular": lambda jax, x: (jax.numpy.linalg.cond(x) < 1e7)[..., None, None],
    "cofactor": cofactor,
    "expm": lambda jax, x, max_squarings: jax.scipy.linalg.expm(x),
    "norm": norm,
    "polygamma": scipy_special("polygamma", "n"),
    "zeta": zeta,
    "gamma_density": lambda jax, a, x: stats("gamma").pdf(x, a),
    "gamma_moment": gamma_moment,
    "gamma_ratio": gamma_ratio,
    "beta_density": lambda jax, a, b, x: stats("beta").pdf(x, a, b),
    "beta_moment": beta_moment,
    "erfcx": erfcx,
    "iv": scipy_special("iv", "order"),
    "ive": scipy_special("ive", "order"),
    "expn": scipy_special("expn"),
    "si": lambda jax, x: jax.scipy.special.sici(x)[0],
    "ci": lambda jax, x: jax.scipy.special.sici(x)[1],
    "random_bits": random_bits,
    "conv": conv,
    "conv_input": conv_input,
    "conv_weight": conv_weight,
    "dawsn": scipy_special("dawsn"),
    "floored": lambda jax, x, power: x,
    "log_ratio": lambda jax, x, y: jax.numpy.log(jax.numpy.asarray(x) / y),
    "divergence": scipy_special("kl_div"),
    "psum": lambda jax, x, rank, size: x * size,
    "logsumexp": lambda jax, x, **p: jax.nn.logsumexp(x, **p),
}
