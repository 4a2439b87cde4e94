"""Groups of processes, and how this process came to be in one."""

import contextlib
import faulthandler
import os

import mlx.core as mx

from functape.errors import ArgumentError, CommunicationError, describe

CHECKS = ("first", "always", "never")


class Group:
    """Processes that exchange arrays; made by `init` and `Group.split`.

    Args:
      raw: MLX's group.
      backend: the name of its back end.
      timeout, check: as for `init`.

    >>> import functape as ft
    >>> group = ft.distributed.init()
    >>> group.rank, group.size
    (0, 1)
    """

    def __init__(self, raw, backend="any", timeout=None, check="first"):
        self.raw, self.backend, self.timeout, self.check = raw, backend, timeout, check
        self.rank, self.size = raw.rank(), raw.size()
        self.agreed = set()  # what all ranks were seen to agree on; see functape.distributed.turns
        self.broken = None  # why no array can pass any more
        self.scatters = self.size == 1 or can_scatter(raw)

    def split(self, color, key=-1):
        """The group of the processes that gave the same color, ranked by their keys.

        MLX's ring has no such groups; MPI has.

        Args:
          color: which of the new groups this process joins, a non-negative integer.
          key: its place there; -1: as in this group.

        >>> import functape as ft
        >>> ft.distributed.init().split(0).size
        1
        """
        if self.size == 1:
            return self
        try:
            raw = self.raw.split(color, key)
        except RuntimeError as error:
            raise CommunicationError(f"{self} cannot be split: {error}. Start the program with "
                                     "a back end that can, mlx.launch --backend mpi.") from error
        return Group(raw, self.backend, self.timeout, self.check)

    def __repr__(self):
        return f"Group(rank {self.rank} of {self.size})"


def can_scatter(raw):
    """Whether the back end has a sum_scatter; all ranks ask this together."""
    try:
        mx.eval(mx.distributed.sum_scatter(mx.zeros(raw.size()), group=raw))
    except RuntimeError as error:
        if "not supported" not in str(error):
            raise CommunicationError(f"The group cannot communicate: {error}.") from error
        return False
    return True



WORLD: list = []


def init(backend="any", *, strict=False, timeout=None, check="first"):
    """Join the group of all processes that `mlx.launch` started, or of this one alone.

    Args:
      backend: one of MLX's: ``"ring"``, ``"mpi"``, ``"nccl"``, ``"jaccl"``; ``"any"``: the first
        that works.
      strict: raise where there is no group to join, rather than be alone.
      timeout: seconds to wait for the others in one collective. Then, or where one of them dies,
        this process raises a `CommunicationError`, and so do the others. Collectives are then
        evaluated at once. On the ring only. None: a dead neighbour is an error, and a process
        that does not answer is waited for.
      check: ``"first"``: before the first collective of each name, shape and dtype make sure that
        all ranks call the same; ``"always"``: before each; ``"never"``.

    Returns:
      The `Group`, the same for all calls in a process. Later calls may change timeout and check.

    >>> import functape as ft
    >>> ft.distributed.init()
    Group(rank 0 of 1)
    """
    if check not in CHECKS:
        raise ArgumentError(f"init: check is one of {', '.join(map(repr, CHECKS))}, but got "
                            f"{check!r}.")
    ring = "MLX_HOSTFILE" in os.environ and backend in ("any", "ring")
    if timeout is not None and not ring and "MLX_RANK" in os.environ:
        raise ArgumentError(f"init: the time-out works on MLX's ring, but the back end is "
                            f"{backend!r}. Leave it out, or use mlx.launch --backend ring.")
    if not WORLD:
        with patience(timeout):
            raw = mx.distributed.init(strict=strict, backend=backend)
        WORLD.append(Group(raw, "ring" if ring else backend))
    WORLD[0].timeout, WORLD[0].check = timeout, check
    return WORLD[0]


@contextlib.contextmanager
def patience(timeout):
    """End the process if MLX waits longer than that for the others to connect.

    It holds Python's lock meanwhile, so that nothing can raise; faulthandler needs no lock.
    """
    if timeout is None:
        yield
        return
    faulthandler.dump_traceback_later(timeout, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def as_group(group, name):
    """The `Group` that a user means."""
    if group is None:
        return WORLD[0] if WORLD else init()
    if not isinstance(group, Group):
        raise ArgumentError(f"{name}: group is a functape.distributed.Group, but got "
                            f"{describe(group)}. Make one with init() or split().")
    return group
