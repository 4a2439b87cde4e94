"""How large the gradients are that flow along the edges of a tape."""

import mlx.core as mx

from functape.autograd import checks
from functape.engine import run, schedule
from functape.op import levels


class watch_gradients(checks.Around):
    """Note what flows along each edge of the tape in the backward passes of a with block.

    Give the result to `draw`. Only a number is kept for each edge: the gradient itself where it
    is one number, its norm otherwise. Of several passes the last one counts.

    >>> import functape as ft
    >>> x = ft.tensor([3.0, 4.0], requires_grad=True)
    >>> y = (x * x).sum()
    >>> with ft.viz.watch_gradients() as seen:
    ...     y.backward()
    >>> picture = ft.viz.draw(y, names={"x": x}, gradients=seen)
    """

    def __init__(self):
        self.flows = {}  # (number of the node, input) -> (is one number, array)

    def __enter__(self):
        checks.enter(self)
        return self

    def __exit__(self, *exc):
        checks.leave(self)

    def pullback(self, node, g, lift, live):
        parts = super().pullback(node, g, lift, live)
        for i, part in parts:
            array = getattr(getattr(part, "cell", None), "data", part)
            if type(array) is mx.array and not levels.tracing:
                self.flows[node.seq, i] = size(array)
        return parts

    def flow(self, node, i):
        """What flowed along the edge to input `i` of a node: a tuple of one size, or of none."""
        known = self.flows.get((node.seq, i))
        return () if known is None else (known,)


def size(array):
    """(is one number, the number or the norm); computed when it is shown."""
    if array.size == 1:
        return True, array.reshape(())
    return False, mx.sqrt(mx.square(mx.abs(array.astype(
        mx.complex64 if array.dtype == mx.complex64 else mx.float32))).sum())


def told(flow):
    """What to write at a line for what flowed along it: of two edges both, of more the range.

    >>> told([(False, mx.array(2.0)), (False, mx.array(0.5)), (False, mx.array(1.0))])
    '3 \N{MULTIPLICATION SIGN} |g| 0.5 to 2'
    """
    if len(flow) < 3:
        return " + ".join(shown(*size) for size in flow)
    norms = sorted((abs(value.item()) for _, value in flow), key=lambda n: (n != n, n))  # NaN last
    ends = dict.fromkeys(f"{norm:.3g}" for norm in (norms[0], norms[-1]))
    return f"{len(flow)} \N{MULTIPLICATION SIGN} |g| {' to '.join(ends)}"


def shown(single, value):
    number = value.item()
    text = f"{number:.3g}" if isinstance(number, (float, complex)) else str(number)
    return text if single else f"|g| {text}"


def measure(roots, sinks):
    """Send ones back from the roots, for `watch_gradients` to see; no `.grad` is written, and the
    tape is kept."""
    edges = [r.edge for r in roots]
    seeds = [mx.ones(r.shape, r.dtype) for r in roots]
    wanted = set(sinks)
    with watch_gradients() as seen:
        run(schedule(edges, wanted), edges, seeds, wanted=wanted, retain=True)
    return seen
