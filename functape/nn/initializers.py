"""First values of parameters, by jax.nn.initializers' names: ``init(key, shape, dtype)``."""

import math

import mlx.core as mx

from functape import dtypes, random
from functape.errors import ShapeError, check_order, check_range, check_word
from functape.numpy import creation
from functape.numpy.arguments import as_type, shape_of
from functape.ops import movement
from functape.suggest import for_names_of


def zeros(key, shape, dtype=None):
    """Zeros; the key is not used.

    Args:
      shape: of the result.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.nn.initializers.zeros(None, (2,))
    tensor([0., 0.])
    """
    return creation.zeros(shape, dtypes.float32 if dtype is None else dtype)


def ones(key, shape, dtype=None):
    """Ones; the key is not used.

    Args:
      shape: of the result.
      dtype: of the result.

    >>> import functape as ft
    >>> ft.nn.initializers.ones(None, (2,))
    tensor([1., 1.])
    """
    return creation.ones(shape, dtypes.float32 if dtype is None else dtype)


def initializer(dtype, fill):
    """``init(key, shape, dtype)`` that fills a shape, and converts to a dtype."""
    default = dtypes.as_dtype(dtypes.float32 if dtype is None else dtype, "initializer")

    def init(key, shape, dtype=None):
        kind = default if dtype is None else dtypes.as_dtype(dtype, "initializer")
        return as_type(fill(key, shape_of(shape, "initializer"), kind), kind)

    return init


def constant(value, dtype=None):
    """All of one value.

    Args:
      dtype: of the result.

    >>> import functape as ft
    >>> ft.nn.initializers.constant(0.5)(None, (2,))
    tensor([0.5, 0.5])
    """
    return initializer(dtype, lambda key, shape, kind: creation.full(shape, value, kind))


def uniform(scale=0.01, dtype=None):
    """Uniform numbers in [0, scale).

    Args:
      dtype: of the result.

    >>> import functape as ft
    >>> key = ft.random.key(0)
    >>> ft.nn.initializers.uniform(1.0)(key, (3,)).shape
    (3,)
    """
    return initializer(dtype, lambda key, shape, kind: random.uniform(key, shape, kind) * scale)


def normal(stddev=0.01, dtype=None):
    """Normal numbers of mean 0.

    Args:
      stddev: the standard deviation.
      dtype: of the result.

    >>> import functape as ft
    >>> key = ft.random.key(0)
    >>> ft.nn.initializers.normal(1.0)(key, (3,)).shape
    (3,)
    """
    check_range("normal", "[0, inf)", stddev=stddev)
    return initializer(dtype, lambda key, shape, kind: random.normal(key, shape, kind) * stddev)


def truncated_normal(stddev=0.01, dtype=None, lower=-2.0, upper=2.0):
    """Normal numbers of mean 0, none outside [lower, upper] standard deviations.

    Args:
      stddev: the standard deviation before it is cut.
      dtype: of the result.

    >>> import functape as ft
    >>> key = ft.random.key(0)
    >>> bool((ft.nn.initializers.truncated_normal(1.0)(key, (100,)) <= 2.0).all())
    True
    """
    check_range("truncated_normal", "[0, inf)", stddev=stddev)
    check_order("truncated_normal", lower=lower, upper=upper)
    return initializer(dtype, lambda key, shape, kind:
                       random.truncated_normal(key, lower, upper, shape, kind) * stddev)


# --- by the number of inputs and outputs ----------------------------------------------------------

MODES = ("fan_in", "fan_out", "fan_avg", "fan_geo_avg")
INSIDE_TWO = 0.87962566103423978  # the standard deviation of normal numbers cut off at -2 and 2


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(),
                     dtype=None):
    r"""Numbers whose variance keeps the size of signals: :math:`\text{scale} / n`.

    Args:
      scale: of the variance.
      mode: what n is: "fan_in", how many inputs an output is made of; "fan_out", how many outputs
        an input goes to; "fan_avg", "fan_geo_avg", their arithmetic and geometric mean.
      distribution: "truncated_normal" (within two standard deviations), "normal" or "uniform".
      in_axis, out_axis, batch_axis: the axes of inputs, of outputs, and those that do not count;
        all others belong to both, as the window of a convolution.
      dtype: float32 by default.

    >>> import functape as ft
    >>> init = ft.nn.initializers.variance_scaling(1.0, "fan_in", "normal")
    >>> init(ft.random.key(0), (4, 3)).shape
    (4, 3)
    """
    check_word("variance_scaling", MODES, mode=mode)
    check_word("variance_scaling", ("truncated_normal", "normal", "uniform"),
               distribution=distribution)
    check_range("variance_scaling", "[0, inf)", scale=scale)

    def fill(key, shape, kind):
        fan_in, fan_out = fans(shape, in_axis, out_axis, batch_axis)
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2,
             "fan_geo_avg": math.sqrt(fan_in * fan_out)}[mode]
        size = math.sqrt(scale / n) if n else 0.0
        if distribution == "uniform":
            return (random.uniform(key, shape, kind) * 2 - 1) * (size * math.sqrt(3))
        if distribution == "normal":
            return random.normal(key, shape, kind) * size
        return random.truncated_normal(key, -2.0, 2.0, shape, kind) * (size / INSIDE_TWO)

    return initializer(dtype, fill)


def fans(shape, in_axis, out_axis, batch_axis):
    """How many inputs an output is made of, and how many outputs an input goes to."""
    if len(shape) < 2:
        raise ShapeError(f"An initializer that counts inputs and outputs needs a shape of two axes "
                         f"or more, but got {shape}. For a bias use zeros or normal.")
    inputs, outputs, batch = (product_over(shape, axis) for axis in (in_axis, out_axis, batch_axis))
    window = math.prod(shape) / max(inputs * outputs * batch, 1)
    return inputs * window, outputs * window


def product_over(shape, axis):
    return math.prod(shape[a] for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def family(name, scale, mode, text, source):
    """Two initializers of variance_scaling: normal and uniform."""

    def make(distribution):
        def init(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
            return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)

        kind = distribution.split("_")[-1]
        init.__name__ = init.__qualname__ = f"{name}_{kind}"
        cut = " within two standard deviations" if kind == "normal" else ""
        init.__doc__ = f"""{kind.title()} numbers{cut}, of variance {text}.

    Source: {source}.

    Arguments as for variance_scaling.

    >>> import functape as ft
    >>> key = ft.random.key(0)
    >>> ft.nn.initializers.{name}_{kind}()(key, (4, 3)).shape
    (4, 3)
    """
        return init

    return make("truncated_normal"), make("uniform")


glorot_normal, glorot_uniform = family(
    "glorot", 1.0, "fan_avg", "2 / (inputs + outputs)",
    "X. Glorot and Y. Bengio, Understanding the difficulty of training deep feedforward neural\n"
    "    networks, AISTATS 2010")
lecun_normal, lecun_uniform = family(
    "lecun", 1.0, "fan_in", "1 / inputs",
    "Y. LeCun, L. Bottou, G. B. Orr and K.-R. Müller, Efficient backprop (1998)")
he_normal, he_uniform = family(
    "he", 2.0, "fan_in", "2 / inputs",
    "K. He, X. Zhang, S. Ren and J. Sun, Delving deep into rectifiers, ICCV 2015")
xavier_normal, xavier_uniform = glorot_normal, glorot_uniform
kaiming_normal, kaiming_uniform = he_normal, he_uniform

# --- orthogonal ---------------------------------------------------------------------------------


def orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """Matrices with orthogonal columns, or rows where these are fewer, evenly distributed.

    Source: A. M. Saxe, J. L. McClelland and S. Ganguli, Exact solutions to the nonlinear dynamics
    of learning in deep linear neural networks, ICLR 2014.

    Args:
      scale: the length of each column (row).
      column_axis: the axis of columns; all others together are that of rows.
      dtype: float32 by default.

    >>> import functape as ft
    >>> q = ft.nn.initializers.orthogonal()(ft.random.key(0), (3, 3))
    >>> ft.numpy.allclose(q @ q.T, ft.numpy.eye(3), atol=1e-5)
    tensor(True)
    """

    def fill(key, shape, kind):
        if len(shape) < 2:
            raise ShapeError(f"orthogonal makes matrices: its shape needs two axes or more, but is "
                             f"{shape}.")
        columns = shape[column_axis]
        rows = math.prod(shape) // max(columns, 1)
        q = random.orthogonal(key, rows, dtype=single(kind), m=columns)
        q = movement.reshape(q, shape=(*(n for i, n in enumerate(shape)
                                         if i != column_axis % len(shape)), columns))
        order = list(range(len(shape) - 1))
        order.insert(column_axis % len(shape), len(shape) - 1)
        return movement.transpose(q, axes=tuple(order)) * scale

    return initializer(dtype, fill)


def single(kind):
    """Factorisations take no half precision."""
    return mx.float64 if kind == mx.float64 else mx.float32


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=None):
    """Filters (window..., I, O) that are 0 but at their middle, where they are orthogonal: images
    pass through them, turned.

    Source: L. Xiao et al., Dynamical isometry and a mean field theory of CNNs, ICML 2018.

    Args:
      scale: the length of each row.
      column_axis: the axis of columns of the orthogonal matrix (I, O).
      dtype: float32 by default.

    >>> import functape as ft
    >>> w = ft.nn.initializers.delta_orthogonal()(ft.random.key(0), (3, 2, 2))
    >>> w[0]
    tensor([[0., 0.],
            [0., 0.]])
    """

    def fill(key, shape, kind):
        if len(shape) not in (3, 4, 5) or shape[-1] < shape[-2]:
            raise ShapeError("delta_orthogonal makes filters (window..., I, O) along one to three "
                             f"axes, with I at most O, but got the shape {shape}.")
        matrix = random.orthogonal(key, shape[-1], dtype=single(kind))[:shape[-2]]
        middle = tuple((n - 1) // 2 for n in shape[:-2])
        return movement.place(matrix * scale, index=middle, shape=shape)

    return initializer(dtype, fill)


__all__ = [
    "constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
    "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "ones",
    "orthogonal", "truncated_normal", "uniform", "variance_scaling", "xavier_normal",
    "xavier_uniform", "zeros",
]

__getattr__ = for_names_of(__name__)
