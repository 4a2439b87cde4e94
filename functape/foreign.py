"""Arrays of other libraries, JAX's and PyTorch's say, known by the DLPack protocol alone."""

import abc

import mlx.core as mx
import numpy as np

from functape.errors import ArgumentError, describe
from functape.op import Value


class Foreign(abc.ABC):  # noqa: B024 - nobody derives from it: it answers isinstance
    """What hands over its elements by DLPack and is of neither MLX, NumPy nor functape.

    ``isinstance(x, Foreign)`` asks the class of x, so that no library has to be imported.
    """

    @classmethod
    def __subclasshook__(cls, kind):
        own = issubclass(kind, (Value, mx.array, np.ndarray))
        return not own and any("__dlpack__" in vars(base) for base in kind.__mro__)


def taken_over(a, name, place):
    """The elements of a foreign array as a NumPy array; as MLX's, where NumPy lacks the type."""
    try:
        if str(a.dtype).endswith("bfloat16"):
            return mx.array(mx.from_dlpack(a))
        return np.from_dlpack(a)  # MLX's own reader makes float64 float32
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"{name}: {place} is {describe(a)} of {type(a).__module__}, which does not "
            f"hand over its elements: {error}. Detach it if it requires grad, since a derivative "
            "does not go from one library to the other, and move it to the CPU."
        ) from error
