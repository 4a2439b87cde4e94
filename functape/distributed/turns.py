"""Every array that leaves this process goes by here: in its turn, agreed upon, and not forever.

MLX communicates when an array is evaluated, so two ranks that evaluate in different orders would
wait for one another, and a rank that alone prints a mean would wait for good. Here each
communication depends on the one before it: whoever evaluates any has evaluated all before.
"""

import contextlib
import hashlib
import json
import os
import socket
import threading

import mlx.core as mx
import numpy as np

from functape.errors import CommunicationError, ShapeError, describe
from functape.op import levels


class Order:
    """What was communicated last: the next one waits for it."""

    last = None


order = Order()


def in_turn(group, name, communicate, x):
    """`communicate(x)`, after all that this process communicated before.

    A compiled graph keeps an order of its own: while it is traced, nothing here is waited for.
    """
    if levels.tracing:
        return communicate(x)
    out = communicate(after_last(group, x))
    order.last = out
    if group.timeout is not None:
        evaluated(group, name, x, out)
    return out


def after_last(group, x):
    if group.broken is not None:
        raise CommunicationError(group.broken)
    return x if order.last is None else mx.depends(x, order.last)


def evaluated(group, name, x, out):
    """Wait for the others, as long as the group's time-out says, but for the own work in full."""
    mx.eval(x)
    late = threading.Event()
    try:
        with deadline(group.timeout, late):
            mx.eval(out)
    except RuntimeError as error:
        order.last = None
        sever()
        group.broken = lost(group, name, error, late.is_set())
        raise CommunicationError(group.broken) from error


def lost(group, name, error, late):
    who = f"rank {group.rank} of {group.size}"
    if late:
        return (f"{name}: {who} waited {group.timeout} s for the others, which is the time-out, "
                "and has closed its connections. A rank is stuck, or does not call the same "
                "collectives. Look at the others' output, and start all of them again.")
    return (f"{name}: {who} has lost its connection: {error}. Another rank has ended, or waited "
            "too long. Look at the others' output, and start all of them again.")


# --- an end to waiting ----------------------------------------------------------------------------


@contextlib.contextmanager
def deadline(seconds, late):
    """Close the connections when the block takes longer, which MLX reports as an error."""

    def expire():
        late.set()
        sever()

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def sever():
    """Shut down this process's connections in the ring; its neighbours see that at once."""
    for connection in connections():
        with contextlib.suppress(OSError), connection:
            connection.shutdown(socket.SHUT_RDWR)


def connections():
    """The sockets of MLX's ring: MLX keeps them to itself, but their addresses are known."""
    addresses, rank = ring_addresses()
    mine, next_ones = addresses[rank], addresses[(rank + 1) % len(addresses)]
    for fd in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):
            found = socket.socket(fileno=os.dup(int(fd)))
            if found.getsockname() in mine or found.getpeername() in next_ones:
                yield found
            else:
                found.close()


def ring_addresses():
    """The addresses of all ranks, each a set of pairs (host, port), and this one's rank."""
    with open(os.environ["MLX_HOSTFILE"], encoding="utf-8") as hosts:
        ranks = json.load(hosts)
    found = [{resolved(*address.rsplit(":", 1)) for address in rank} for rank in ranks]
    return found, int(os.environ["MLX_RANK"])


def resolved(host, port):
    return socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_STREAM)[0][4]


# --- agreement ------------------------------------------------------------------------------------

DIGEST = 32  # bytes


def agree(group, text):
    """Make sure that all ranks are about to do the same, by a text that describes it.

    A digest of the text goes round; the texts themselves only where digests differ.
    """
    if group.size == 1 or group.check == "never":
        return
    if group.check == "first" and text in group.agreed:
        return
    digests = exchanged(group, hashlib.sha256(text.encode()).digest())
    if any(d != digests[0] for d in digests):
        size = exchanged(group, len(text.encode()).to_bytes(8, "little"))
        longest = max(int.from_bytes(n, "little") for n in size)
        texts = exchanged(group, text.encode().ljust(longest, b"\n"))
        raise ShapeError(differences([t.decode().strip("\n").split("\n") for t in texts]))
    group.agreed.add(text)


def exchanged(group, message):
    """The messages of all ranks, bytes of equal length."""
    x = mx.array(np.frombuffer(message, np.uint8))
    out = mx.distributed.all_gather(after_last(group, x), group=group.raw)
    name = "the comparison of what ranks are about to do"
    if group.timeout is None:
        mx.eval(out)
    else:
        evaluated(group, name, x, out)
    order.last = None
    flat = np.array(out).tobytes()
    return [flat[i:i + len(message)] for i in range(0, len(flat), len(message))]


def differences(texts):
    """Which rank says what, in the first line that is not the same for all."""
    width = max(len(t) for t in texts)
    rows = zip(*[[*t, *["nothing"] * (width - len(t))] for t in texts], strict=True)
    row = next(r for r in rows if len(set(r)) > 1)
    said: dict = {}
    for rank, line in enumerate(row):
        said.setdefault(line, []).append(str(rank))
    told = "\n".join(f"  rank {', '.join(ranks)}: {line}" for line, ranks in said.items())
    return ("All ranks must call the same collectives, in the same order, with arrays of the same "
            f"shapes and dtypes. They are about to call:\n{told}")


def signature(name, x):
    return f"{name} of {describe(x)}"
