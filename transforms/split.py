"""fwd_and_bwd: the two halves of a reverse pass, each a function that can be compiled."""

from functape.transforms.boundary import positions
from functape.transforms.jit import jit
from functape.transforms.reverse import vjp


def fwd_and_bwd(fun, argnums, has_aux=False, jitted=True):
    """The forward and the backward pass of `fun` as two functions, compiled once each.

    Args:
      fun: function of arrays or pytrees of arrays.
      argnums: the argument, or arguments, to differentiate by.
      has_aux: `fun` returns ``(out, aux)``, where aux is passed on.
      jitted: compile both.

    Returns:
      ``(fwd, bwd)``: ``fwd(*args)`` returns ``(out, residuals)``, with has_aux ``(out, residuals,
      aux)``; ``bwd(residuals, cotangent)`` a tuple with one cotangent for each argument that
      argnums names. It runs `fun` again, from the arguments that the residuals are.

    >>> import functape as ft
    >>> fwd, bwd = ft.fwd_and_bwd(lambda x, y: x * y, argnums=(0, 1))
    >>> out, residuals = fwd(3.0, 5.0)
    >>> bwd(residuals, 1.0)
    (tensor(5.), tensor(3.))
    """

    def fwd(*args):
        out = fun(*args)
        return (out[0], args, out[1]) if has_aux else (out, args)

    def bwd(args, cotangent):
        places, _ = positions("fwd_and_bwd", argnums, len(args))

        def chosen(*given):
            full = list(args)
            for place, value in zip(places, given, strict=True):
                full[place] = value
            return fun(*full)

        return vjp(chosen, *[args[p] for p in places], has_aux=has_aux)[1](cotangent)

    return (jit(fwd), jit(bwd)) if jitted else (fwd, bwd)
