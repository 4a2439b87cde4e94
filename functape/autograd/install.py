"""Adding methods to `Tensor` from the files that know how they work."""

from functape.tensor import Tensor


def method(f):
    """Make a function a method of `Tensor`, under its own name."""
    setattr(Tensor, f.__name__, f)
    return f
