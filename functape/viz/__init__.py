"""Pictures of a tape: nodes, leaves, and what is kept for the backward pass."""

from pathlib import Path

from functape.viz.dot import to_dot
from functape.viz.graph import read, trace
from functape.viz.svg import to_svg

__all__ = ["Picture", "dot", "draw", "svg"]


class Picture(str):
    """SVG text; a notebook shows it as a picture."""

    def _repr_svg_(self):
        return str(self)

    def save(self, path):
        """Write the SVG to a file."""
        Path(path).write_text(self, encoding="utf-8")


def draw(y, /, *args, names=None, limit=200, **kwargs):
    """A picture of the tape behind `y`: what was computed, from which leaves, and what was saved.

    Args:
      y: a tensor on a tape, or a pytree of them; or a function, which is called with `args` and
        `kwargs`.
      *args: for a function: arrays or pytrees of arrays. They become leaves, named by the
        function's parameters.
      names: for tensors: a mapping from names to leaves, or to pytrees of leaves.
      limit: draw at most so many nodes, the last ones of the tape.
      **kwargs: for a function: further arguments, constants.

    Returns:
      A `Picture`: SVG text that notebooks show, with a method ``save(path)``.

    >>> import functape as ft
    >>> picture = draw(lambda w: (w * w).sum(), ft.numpy.ones(3))
    >>> picture[:4]
    '<svg'
    """
    return Picture(svg(y, *args, names=names, limit=limit, **kwargs))


def svg(y, /, *args, names=None, limit=200, **kwargs):
    """SVG text of the tape behind `y`; arguments as for `draw`."""
    return to_svg(graph_of(y, args, kwargs, names, limit))


def dot(y, /, *args, names=None, limit=200, **kwargs):
    """Text for Graphviz of the tape behind `y`; arguments as for `draw`.

    >>> import functape as ft
    >>> print(dot(lambda x: x * x, 3.0).splitlines()[2])
      n0 [shape=ellipse, label="x float32[]"];
    """
    return to_dot(graph_of(y, args, kwargs, names, limit))


def graph_of(y, args, kwargs, names, limit):
    if not callable(y):
        return read(y, names, limit)
    y, traced = trace(y, args, kwargs)
    return read(y, {**traced, **(names or {})}, limit)
