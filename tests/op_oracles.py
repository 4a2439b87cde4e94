"""The twin of each op in JAX. What jax.numpy, jax.nn, jax.lax or jax.scipy.special has under the
op's own name, with the op's parameters, needs no entry."""

import functools

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


def as_type(jax, x, dtype):
    name = str(dtype).removeprefix("mlx.core.").rstrip("_")
    return (x.real if jax.numpy.iscomplexobj(x) and "complex" not in name else x).astype(name)


ORACLES = {
    "scale": lambda jax, x, y: jax.numpy.multiply(x, y),
    "ratio": lambda jax, x, y: jax.numpy.divide(x, y),
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
    "logsumexp": lambda jax, x, **p: jax.nn.logsumexp(x, **p),
}
