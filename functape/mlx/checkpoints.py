"""mx.checkpoint on values: functape's, around MLX code that changes modules."""

from functape.autograd.checkpoint import checkpoint as recomputed
from functape.mlx.dispatching import traced
from functape.mlx.modules import is_module, place
from functape.mlx.translations.registry import translation


@translation("checkpoint")
def checkpoint(fun):
    """It runs again in the backward pass, when the block of `dispatch` may be over."""
    return recomputed(traced(unchanged(fun)))


def unchanged(fun):
    """A function that leaves the modules it closes over with the parameters that they had.

    What `mlx.nn` and mlx-lm give to mx.checkpoint updates a module with its arguments. It runs
    again in the backward pass, when nobody else puts the module's own arrays back.
    """
    cells = [cell.cell_contents for cell in getattr(fun, "__closure__", None) or ()]
    modules = [m for m in cells if is_module(m)]

    def run(*args, **kwargs):
        own = [m.trainable_parameters() for m in modules]
        try:
            return fun(*args, **kwargs)
        finally:
            for module, params in zip(modules, own, strict=True):
                place(module, params, "", [])

    return run if modules else fun
