"""Standing around each call of an op, in one thread, while somebody wants to.

`Op.__call__` is exchanged while anybody does, and put back when the last one ends, so that nothing
is slower without.
"""

import functools
import threading

from functape.op import Op


class Standing(threading.local):
    """Who stands around the calls of this thread: functions ``(call, op, *args, **params)``."""

    functions = ()


standing = Standing()


class Exchange:
    """How many stand there, in all threads, and the call that they have replaced."""

    def __init__(self):
        self.users, self.lock, self.plain = 0, threading.Lock(), Op.__call__


exchange = Exchange()


def watched(self, /, *args, **params):
    """`Op.__call__`, with those around it who stand there."""
    call = exchange.plain
    for function in standing.functions:
        call = functools.partial(function, call)
    return call(self, *args, **params)


def enter(function):
    """Put a function around all calls of this thread."""
    with exchange.lock:
        if not exchange.users:
            exchange.plain = Op.__call__
            Op.__call__ = watched
        exchange.users += 1
    standing.functions += (function,)


def leave(function):
    """Take it away."""
    standing.functions = tuple(f for f in standing.functions if f != function)
    with exchange.lock:
        exchange.users -= 1
        if not exchange.users:
            Op.__call__ = exchange.plain
