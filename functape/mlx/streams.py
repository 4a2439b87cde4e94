"""Devices and streams: operations run, forward and backward, where they were recorded.

A node of the tape carries nothing for this by default. Those recorded inside `stream` get a class
of their own, which enters the stream again before it pulls a cotangent back.
"""

import contextlib
import functools

import mlx.core as mx

from functape.errors import ArgumentError, describe
from functape.tape import mode

STREAM = "stream"  # under this key of a node's metadata


def default_device(device=None):
    """The device that computes; with an argument, make that one the default and return it.

    Args:
      device: `mlx.core.cpu`, `mlx.core.gpu`, their names, or a `mlx.core.Device`; None: just ask.

    >>> import functape as ft
    >>> before = ft.default_device()
    >>> ft.default_device("cpu") == ft.default_device()
    True
    >>> ft.default_device(before) == before
    True
    """
    if device is not None:
        mx.set_default_device(as_device("default_device", device))
    return mx.default_device()


@contextlib.contextmanager
def stream(where):
    """Run what is computed in this block on a stream or device; its backward pass, too.

    Whenever the backward pass comes: each operation that was recorded in the block goes back on
    the same stream. MLX waits where one stream needs what another computes. A stream belongs to
    the thread that made it; for other threads use `mlx.core.new_thread_local_stream`.

    Args:
      where: a `mlx.core.Stream`, or a device (see `default_device`) for its default stream.

    >>> import functape as ft, mlx.core as mx
    >>> x = ft.tensor(3.0, requires_grad=True)
    >>> with ft.stream(mx.new_stream(mx.cpu)) as s:
    ...     y = x * x
    >>> y.grad_fn.metadata["stream"] == s
    True
    """
    if isinstance(where, (str, mx.Device, mx.DeviceType)):
        where = mx.default_stream(as_device("stream", where))
    if not isinstance(where, (mx.Stream, mx.ThreadLocalStream)):
        raise ArgumentError(f"stream takes a mlx.core.Stream or a device, but got "
                            f"{describe(where)}. Make one with mlx.core.new_stream(device).")
    before = mode.watch

    def placed(node):
        return place(node, where)

    with mx.stream(where):
        mode.watch = (placed, *[w for w in before if not is_placing(w)])
        placed.places = True
        try:
            yield where
        finally:
            mode.watch = before


def is_placing(watcher):
    """Whether a watcher belongs to a block around this one: the innermost stream counts."""
    return getattr(watcher, "places", False)


def place(node, where):
    """Let a new node run on this stream."""
    if not node.is_sink:
        node.metadata[STREAM] = where
        node.__class__ = placed_class(type(node))


@functools.cache
def placed_class(cls):
    """The same kind of node, which enters its stream to pull a cotangent back."""

    def pullback(self, g, lift, live):
        enter = mx.stream if lift is None else stream  # what is recorded goes there, too
        with enter(self.note(STREAM)):
            return cls.pullback(self, g, lift, live)

    return type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__,
                                       "__doc__": cls.__doc__, "pullback": pullback})


def as_device(name, device):
    """A device of what a user may write for it."""
    if isinstance(device, str) and device in ("cpu", "gpu"):
        device = getattr(mx, device)
    if isinstance(device, mx.DeviceType):
        device = mx.Device(device)
    if not isinstance(device, mx.Device):
        raise ArgumentError(f"{name} takes a device, mlx.core.cpu or mlx.core.gpu, but got "
                            f"{describe(device)}.")
    if not mx.is_available(device):
        raise ArgumentError(f"{name}: MLX has no {str(device).split('(')[1].split(',')[0]} here. "
                            "Use 'cpu', or install MLX for your GPU (see functape.show_config()).")
    return device
