"""Pictures of a tape: nodes, leaves, and what is kept for the backward pass."""

from pathlib import Path

from functape.errors import ArgumentError, describe
from functape.suggest import for_names_of
from functape.viz.dot import to_dot
from functape.viz.gradients import watch_gradients
from functape.viz.graph import read, trace
from functape.viz.scopes import name_scope
from functape.viz.svg import to_svg

__all__ = ["Picture", "dot", "draw", "name_scope", "svg", "watch_gradients"]


class Picture(str):
    """SVG text; a notebook shows it as a picture.

    >>> Picture("<svg/>")._repr_svg_()
    '<svg/>'
    """

    def _repr_svg_(self):
        return str(self)

    def _repr_html_(self):
        """In its own size, with scroll bars where it is too large."""
        return f'<div style="overflow:auto;max-height:80vh">{self}</div>'

    def save(self, path):
        """Write the SVG to a file."""
        Path(path).write_text(self, encoding="utf-8")


def draw(y, /, *args, names=None, limit=200, fold=True, gradients=None, **kwargs):
    """A picture of the tape behind `y`: what was computed, from which leaves, and what was saved.

    Args:
      y: a tensor on a tape, or a pytree of them; or a function, which is called with `args` and
        `kwargs`.
      *args: for a function: arrays or pytrees of arrays. They become leaves, named by the
        function's parameters.
      names: for tensors: a mapping from names to leaves, or to pytrees of leaves.
      limit: draw at most so many boxes of nodes, the last ones of the tape.
      fold: on tapes of many nodes draw a block that repeats only at its first and last time;
        "scopes": draw each outermost `name_scope` as one box; False: draw all.
      gradients: what `watch_gradients` saw, to be written at the lines; True: send ones back from
        `y` now, which writes no `.grad` and keeps the tape. Hooks run.
      **kwargs: for a function: further arguments, constants.

    Returns:
      A `Picture`: SVG text that notebooks show, with a method ``save(path)``.

    >>> import functape as ft
    >>> picture = draw(lambda w: (w * w).sum(), ft.numpy.ones(3))
    >>> picture[:4]
    '<svg'
    """
    return Picture(to_svg(graph_of(y, args, kwargs, names, limit, fold, gradients)))


def svg(y, /, *args, names=None, limit=200, fold=True, gradients=None, **kwargs):
    """SVG text of the tape behind `y`; arguments as for `draw`.

    >>> "multiply" in svg(lambda x: x * x, 3.0)
    True
    """
    return to_svg(graph_of(y, args, kwargs, names, limit, fold, gradients))


def dot(y, /, *args, names=None, limit=200, fold=True, gradients=None, **kwargs):
    """Text for Graphviz of the tape behind `y`; arguments as for `draw`.

    >>> import functape as ft
    >>> print(dot(lambda x: x * x, 3.0).splitlines()[2])
      n0 [shape=ellipse, label="x float32[]"];
    """
    return to_dot(graph_of(y, args, kwargs, names, limit, fold, gradients))


def graph_of(y, args, kwargs, names, *how):
    if not callable(y):
        if args or kwargs:
            raise ArgumentError(f"A picture of {describe(y)} takes no further arguments, but got "
                                f"{', '.join([*map(describe, args), *kwargs])}. They belong to a "
                                "function, viz.draw(f, *args); see help(functape.viz.draw).")
        return read(y, names, *how)
    y, traced = trace(y, args, kwargs)
    return read(y, {**traced, **(names or {})}, *how)

__getattr__ = for_names_of(__name__)
