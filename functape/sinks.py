"""Where a backward pass ends.

AccumulateGrad   adds into the `.grad` of a leaf, which it holds weakly
Capture          the end of a transform's private leaf: the transform takes what arrives; for any
                 other pass nothing is there to keep it, and it is dropped
"""

import threading
import weakref

from functape.tape import Node


class Sink(Node):
    """A node without edges."""

    __slots__ = ()
    is_sink = True

    def __init__(self):
        super().__init__(())
        self.seq = -1

    def pullback(self, g, lift, live):
        return ()


class AccumulateGrad(Sink):
    """The end of the tape at a leaf; the tape does not keep the leaf alive."""

    __slots__ = ("leaf", "lock", "post_hooks")
    name = "AccumulateGrad"

    def __init__(self, leaf):
        super().__init__()
        self.leaf = weakref.ref(leaf)
        self.lock = threading.Lock()
        self.post_hooks = None

    @property
    def variable(self):
        """The leaf, or None if it is gone."""
        return self.leaf()

    def accept(self, g, keep_graph):
        """Add `g` to the leaf's `.grad`, if the leaf still lives and wants it."""
        leaf = self.leaf()
        if leaf is None or not leaf.requires_grad:
            return
        with self.lock:
            leaf.accumulate(g, keep_graph)
        for hook in list((self.post_hooks or {}).values()):
            hook(leaf)


class Capture(Sink):
    """The end of the tape at a transform's private leaf."""

    __slots__ = ()
    name = "Capture"

    def accept(self, g, keep_graph):
        """No transform asked: drop it."""
