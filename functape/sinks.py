"""Where a backward pass ends.

AccumulateGrad   adds into the `.grad` of a leaf, which it holds weakly
Capture          the end of a transform's private leaf: that transform takes what arrives; for any
                 other pass nobody is there to keep it, and it is dropped
"""

import threading
import weakref

import mlx.core as mx

from functape.errors import GraphError, describe
from functape.op import Value, levels
from functape.pairs import halves
from functape.tape import Node, announce, mode, sequence

BEFORE_ALL = -1  # the number of each sink: the schedule puts it after its last consumer


class Sink(Node):
    """A node without edges."""

    __slots__ = ()
    is_sink = True
    gone = False  # whether the leaf is, and its hooks with it

    def __init__(self):
        self.edges, self.hooks = (), None
        self.seq = BEFORE_ALL


class AccumulateGrad(Sink):
    """The end of the tape at a leaf; the tape does not keep the leaf alive."""

    __slots__ = ("leaf", "lock", "born")
    name = "AccumulateGrad"

    def __init__(self, leaf):
        super().__init__()
        self.leaf = weakref.ref(leaf)
        self.lock = threading.Lock()
        self.born = sequence()
        if mode.watch:
            announce(self)

    @property
    def variable(self):
        """The leaf, or None if it is gone."""
        return self.leaf()

    @property
    def gone(self):
        return self.leaf() is None

    def accept(self, g, hooks):
        """Add `g` to the leaf's `.grad`, if the leaf still lives and wants it."""
        leaf = self.leaf()
        if leaf is None or leaf.edge is not self:
            return
        if levels.tracing and self.born < levels.traced_from:
            raise GraphError(f"A backward pass under jit reaches a leaf from outside, "
                             f"{describe(leaf)}, whose .grad would keep an array without a value. "
                             "Use functape.grad with the leaf as an argument, and return the "
                             "gradient.")
        if hooks is not None:
            g = hooks.before(self, g)
        with self.lock:
            leaf.add_to_grad(g)
            if threading.current_thread() is not threading.main_thread():
                publish(leaf)
        if hooks is not None:
            hooks.at_leaf(leaf)
            hooks.after(self, [], g)


def publish(leaf):
    """Compute a gradient that a thread added: MLX's streams belong to threads, and what is still
    to be computed on one cannot be asked for from another."""
    grad = leaf.grad.array
    if isinstance(grad, Value) or levels.tracing:
        return
    try:
        mx.eval(halves([grad]))
    except RuntimeError as error:
        if "Stream" not in str(error):
            raise
        raise GraphError("A backward pass in this thread needs values that another thread has not "
                         "computed yet, and MLX computes them only there. In that thread, call "
                         "block_until_ready() on outputs and gradients first.") from error


class Extent:
    """The time during which a transform runs its function, as numbers of nodes."""

    __slots__ = ("born", "closed")

    def __init__(self):
        self.born, self.closed = sequence(), None

    @property
    def open(self):
        """Whether the function still runs; or, in the second run of a checkpointed function,
        whether it did so at the first."""
        return self.closed is None or self.born < mode.replaying < self.closed

    def close(self):
        """The function has run: nothing but its own transform asks for its leaves any more."""
        self.closed = sequence()


class Capture(Sink):
    """The end of the tape at a transform's private leaf; open while the function runs, when
    transforms inside of it must keep what they compute on its tape."""

    __slots__ = ("extent",)
    name = "Capture"

    def __init__(self, extent):
        self.edges, self.seq, self.hooks, self.extent = (), BEFORE_ALL, None, extent

    @property
    def open(self):
        return self.extent.open

    def accept(self, g, hooks):
        """No transform asked: drop it."""
