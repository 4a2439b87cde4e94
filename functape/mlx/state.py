"""Who dispatches: the threads inside `dispatch`, and who asks."""

import sys
import threading


class Active(threading.local):
    """How many blocks of `dispatch` this thread is in."""

    depth = 0


active = Active()


def asked_by_functape(levels):
    """Whether the caller so many levels up is the library: it sees its own classes and methods,
    while MLX code sees arrays."""
    name = sys._getframe(levels + 1).f_globals.get("__name__") or ""
    return name.startswith("functape.")


def dispatching():
    """Whether code outside of the library asks, in a thread that dispatches; called by what is
    called for an attribute."""
    return active.depth > 0 and not asked_by_functape(2)
