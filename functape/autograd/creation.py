"""Making leaves: tensors from data, from one number, from a sequence, and from random numbers.

They are functape.numpy's functions with PyTorch's calling conventions: `requires_grad`, and shapes
as several integers, ``zeros(2, 3)``, or as one tuple.
"""

import mlx.core as mx
import numpy as np

from functape import dtypes
from functape import numpy as arrays
from functape.autograd.install import method
from functape.errors import ArgumentError, GraphError, describe
from functape.foreign import Foreign
from functape.numpy.arguments import integer, shape_of
from functape.op import Value
from functape.pairs import COMPLEX, converted
from functape.tape import mode
from functape.tensor import Tensor, forbid_recording

# --- from data ----------------------------------------------------------------------------------


def tensor(data, dtype=None, requires_grad=False, device=None):
    """A new leaf from numbers, nested lists or any array; it shares nothing with `data`.

    If `data` contains tensors that are on a tape, the result depends on them; it is then no leaf,
    and ``requires_grad=True`` is an error.

    Args:
      dtype: of the result.
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> ft.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    return leaf("tensor", arrays.array(data, dtype, device=device), requires_grad)


def as_tensor(data, dtype=None, device=None):
    """`data` itself if it is a tensor of the right dtype, else a tensor of it.

    Args:
      device: an MLX device to make the array on.

    >>> import functape as ft
    >>> x = ft.tensor([1.0])
    >>> ft.as_tensor(x) is x
    True
    """
    return arrays.asarray(data, dtype, device=device)


def from_numpy(array):
    """A tensor with the elements and the dtype of a NumPy array; a copy.

    >>> import functape as ft
    >>> import numpy as np
    >>> ft.from_numpy(np.array([1, 2], dtype=np.int16))
    tensor([1, 2], dtype=int16)
    """
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"from_numpy takes a NumPy array, but got {describe(array)}. Use "
                            "functape.tensor for lists and numbers.")
    return leaf("from_numpy", arrays.array(array), False)


def from_dlpack(array):
    """A tensor of any array that has the DLPack protocol: NumPy's, JAX's, PyTorch's.

    >>> import functape as ft
    >>> import numpy as np
    >>> ft.from_dlpack(np.array([1.0, 2.0], dtype=np.float32))
    tensor([1., 2.])
    """
    if isinstance(array, Tensor):
        return array.detach()
    if not isinstance(array, (mx.array, np.ndarray, Foreign)):
        raise ArgumentError(f"from_dlpack takes an array with the DLPack protocol, but got "
                            f"{describe(array)}. Use functape.tensor for lists and numbers.")
    return leaf("from_dlpack", arrays.array(array), False)


def leaf(name, value, requires_grad):
    """A value that was just made, as a leaf with this `requires_grad`."""
    if not isinstance(requires_grad, bool):
        raise ArgumentError(f"{name}: requires_grad is True or False, but got "
                            f"{describe(requires_grad)}.")
    dependent = not isinstance(value, Tensor) or value.edge is not None or value.rank
    if dependent and requires_grad:
        raise GraphError(f"{name} with requires_grad=True makes a leaf, but the data depends on "
                         "tensors that are tracked. detach() them first, or leave requires_grad "
                         "out to keep the dependence.")
    if not dependent:
        if mode.inference:
            forbid_recording(value)
        value.requires_grad = requires_grad
    return value


# --- from numbers -------------------------------------------------------------------------------


def sized(name):
    """A function of functape.numpy whose only argument is a shape."""
    make = getattr(arrays, name)

    def creator(*size, dtype=None, requires_grad=False, device=None):
        return leaf(name, make(size_of(size, name), dtype, device=device), requires_grad)

    return documented(creator, name, "2, 3", args=(
        "  *size: lengths of the axes, or one tuple of them.\n  dtype: of the result.\n"
        "  device: an MLX device to make the array on.\n"))


def wrapped(name, example):
    """A function of functape.numpy, with `requires_grad`."""
    make = getattr(arrays, name)

    def creator(*args, requires_grad=False, **kwargs):
        return leaf(name, make(*args, **kwargs), requires_grad)

    return documented(creator, name, example,
                      about=f"The arguments are those of `functape.numpy.{name}`.\n\n")


def documented(creator, name, example, about="", args=""):
    creator.__name__ = creator.__qualname__ = name
    summary = (getattr(arrays, name).__doc__ or "").split("\n\n")[0]  # none under python -OO
    creator.__doc__ = (f"{summary} A new leaf.\n\n{about}"
                       f"Args:\n{args}  requires_grad: whether backward passes add a gradient "
                       "into its `grad`.\n\n>>> import functape as ft\n"
                       f">>> ft.{name}({example}, requires_grad=True).requires_grad\nTrue\n")
    return creator


def size_of(size, name):
    """A shape given as several integers or as one tuple."""
    return shape_of(size[0] if len(size) == 1 else size, name)


zeros, ones, empty = map(sized, ("zeros", "ones", "empty"))
full = wrapped("full", "3, 2.5")
arange = wrapped("arange", "3.0")
linspace = wrapped("linspace", "0, 1, 5")
logspace = wrapped("logspace", "0, 2, 3")
zeros_like = wrapped("zeros_like", "ft.ones(2)")
ones_like = wrapped("ones_like", "ft.ones(2)")
empty_like = wrapped("empty_like", "ft.ones(2)")
full_like = wrapped("full_like", "ft.ones(2), 7.0")


def eye(n, m=None, dtype=None, requires_grad=False):
    """The n x n identity; with `m`, n x m.

    Args:
      dtype: of the result.
      requires_grad: whether backward passes add a gradient into its `grad`.

    >>> import functape as ft
    >>> ft.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    n, m = shape_of((n, n if m is None else m), "eye")
    dtype = mx.float32 if dtype is None else dtypes.as_dtype(dtype, "eye")
    return leaf("eye", Tensor(converted(mx.eye(n, m), dtype)), requires_grad)


# --- random numbers, by MLX's global generator ----------------------------------------------------


def manual_seed(seed):
    """Set the state of MLX's global generator, from which `rand` and the others here draw.

    Args:
      seed: integer.

    >>> import functape as ft
    >>> ft.manual_seed(0)
    """
    mx.random.seed(integer(seed, "manual_seed", "seed"))


def rand(*size, dtype=None, requires_grad=False):
    """Uniform random numbers in [0, 1).

    Args:
      *size: the shape, one tuple or several integers.
      dtype: of the result.
      requires_grad: whether backward passes add a gradient into its `grad`.

    >>> import functape as ft
    >>> ft.rand(2, 3).shape
    (2, 3)
    """
    return drawn("rand", mx.random.uniform, size_of(size, "rand"), dtype, requires_grad)


def randn(*size, dtype=None, requires_grad=False):
    """Random numbers from the standard normal distribution.

    Args:
      *size: the shape, one tuple or several integers.
      dtype: of the result.
      requires_grad: whether backward passes add a gradient into its `grad`.

    >>> import functape as ft
    >>> ft.randn(2, 3).shape
    (2, 3)
    """
    return drawn("randn", mx.random.normal, size_of(size, "randn"), dtype, requires_grad)


def drawn(name, draw, shape, dtype, requires_grad):
    dtype = mx.float32 if dtype is None else dtypes.as_dtype(dtype, name)
    if dtype in (mx.float64, *COMPLEX):  # MLX draws none of them
        parts = [draw(shape=shape) for _ in range(1 + (dtype in COMPLEX))]
        made = converted(parts[0], dtype)
        made = made + 1j * parts[1] if len(parts) == 2 else made
    else:
        made = draw(shape=shape, dtype=dtype)
    return leaf(name, Tensor(made), requires_grad)


def randint(low, high=None, size=None, *, dtype=None):
    """Random integers from `low` (0, if only one bound is given) up to, but without, `high`.

    Args:
      size: the shape, an integer or a tuple.
      dtype: of the result, int32 by default.

    >>> import functape as ft
    >>> ft.randint(5, 6, (3,))
    tensor([5, 5, 5], dtype=int32)
    """
    if size is None:  # randint(high, size)
        low, high, size = 0, low, high
    if size is None:
        raise ArgumentError("randint needs a size: randint(low, high, size).")
    low, high = integer(low, "randint", "low"), integer(high, "randint", "high")
    if low >= high:
        raise ArgumentError(f"randint: low must be below high, but they are {low} and {high}.")
    dtype = mx.int32 if dtype is None else dtypes.as_dtype(dtype, "randint")
    return leaf("randint", Tensor(mx.random.randint(low, high, shape_of(size, "randint")))
                .astype(dtype), False)


def randperm(n):
    """The integers from 0 to n - 1 in random order.

    >>> import functape as ft
    >>> sorted(ft.randperm(3).tolist())
    [0, 1, 2]
    """
    (n,) = shape_of(integer(n, "randperm", "n"), "randperm", "n")
    return leaf("randperm", Tensor(mx.random.permutation(n)), False)


def rand_like(x, dtype=None, requires_grad=False):
    """Uniform random numbers in the shape and dtype of `x`.

    Args:
      requires_grad: whether backward passes add a gradient into its `grad`.

    >>> import functape as ft
    >>> ft.rand_like(ft.ones(2, 3)).shape
    (2, 3)
    """
    return rand(*x.shape, dtype=x.dtype if dtype is None else dtype, requires_grad=requires_grad)


def randn_like(x, dtype=None, requires_grad=False):
    """Normal random numbers in the shape and dtype of `x`.

    Args:
      requires_grad: whether backward passes add a gradient into its `grad`.

    >>> import functape as ft
    >>> ft.randn_like(ft.ones(2, 3)).shape
    (2, 3)
    """
    return randn(*x.shape, dtype=x.dtype if dtype is None else dtype, requires_grad=requires_grad)


# --- as methods ---------------------------------------------------------------------------------


@method
def new_tensor(self, data, dtype=None, requires_grad=False):
    """A new leaf from data, in the dtype of this tensor."""
    return tensor(data, self.dtype if dtype is None else dtype, requires_grad)


@method
def new_zeros(self, *size, dtype=None, requires_grad=False):
    """Zeros in the dtype of this tensor."""
    return zeros(*size, dtype=self.dtype if dtype is None else dtype, requires_grad=requires_grad)


@method
def new_ones(self, *size, dtype=None, requires_grad=False):
    """Ones in the dtype of this tensor."""
    return ones(*size, dtype=self.dtype if dtype is None else dtype, requires_grad=requires_grad)


def is_tensor(x):
    """Whether `x` is an array of functape's: a tensor, or one of a running transform.

    >>> is_tensor(tensor(1.0)), is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, Value)
