"""Making leaves."""

from functape.errors import describe
from functape.op import Value
from functape.tape import mode
from functape.tensor import Tensor, as_array


def tensor(data, dtype=None, requires_grad=False):
    """A new leaf from numbers, nested lists or any array; it shares nothing with `data`.

    >>> import functape as ft
    >>> ft.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    value = Tensor(as_array(data if not isinstance(data, (list, tuple)) else __import__("mlx.core").core.array(data)))
    if not isinstance(value, Tensor) or value.rank:
        return value  # built from values of a running vmap or jvp
    leaf = Tensor(value.cell.data)
    if mode.inference:
        leaf.cell.version = None
    leaf.requires_grad = requires_grad
    return leaf
