"""Who stands around each node of a backward pass: anomaly mode innermost, others around it.

`mode.check` is the outermost. Each that has an `inner` hands on to it, and may be put there and
taken away in any order.
"""

from functape.tape import mode


class Around:
    """Stands around each node of a pass, and around whoever stood there before."""

    inner = None

    def seeds(self, seeds):
        """What a pass starts with."""
        if self.inner is not None:
            self.inner.seeds(seeds)

    def arrived(self, node, g):
        """What arrives at a node."""
        if self.inner is not None:
            self.inner.arrived(node, g)

    def pullback(self, node, g, lift, live):
        """Run a node."""
        if self.inner is None:
            return node.pullback(g, lift, live)
        return self.inner.pullback(node, g, lift, live)


def enter(around):
    """Put one around all others of this thread."""
    around.inner = mode.check
    mode.check = around


def leave(around):
    """Take it away, wherever it stands."""
    if mode.check is around:
        mode.check = around.inner
        return
    outer = mode.check
    while outer.inner is not around:
        outer = outer.inner
    outer.inner = around.inner


def innermost():
    """Anomaly mode's, or None."""
    check = mode.check
    while isinstance(check, Around):
        check = check.inner
    return check


def replace_innermost(check):
    """Put another in anomaly mode's place."""
    if not isinstance(mode.check, Around):
        mode.check = check
        return
    outer = mode.check
    while isinstance(outer.inner, Around):
        outer = outer.inner
    outer.inner = check
