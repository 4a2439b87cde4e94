"""What only tensors have, `backward` and `grad` for instance: other values say why they lack it."""

from functape.errors import describe
from functape.tensor import Tensor


class OfTensors:
    """Stands on other values for an attribute that tensors alone have. (A `__getattr__` would do,
    but slow down every attribute of every value.)"""

    def __init__(self, name):
        self.name = name

    def __get__(self, value, kind=None):
        raise AttributeError(
            f"{kind.__name__ if value is None else describe(value)} has no attribute "
            f"{self.name!r} under vmap or jvp: it is one of eager tensors. There, transforms such "
            "as grad and vjp give derivatives, and stop_gradient makes constants.",
            name=self.name, obj=value)


def refuse_eager(*kinds):
    """Let these kinds of values explain why they lack what tensors have."""
    for kind in kinds:
        for name in {*dir(Tensor)} - {*dir(kind)}:
            if not name.startswith("_"):
                setattr(kind, name, OfTensors(name))
