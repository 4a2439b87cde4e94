"""The functional layer: one transform a file, each a composition over the tape."""

if __name__ != "functape.transforms":
    raise ImportError(
        "transforms/ is the source of functape.transforms; import it by that name. Imported from "
        "the repository root it would be a second copy, whose values the first does not know."
    )

from functape.transforms.forward import jvp
from functape.transforms.jacobian import hessian, hvp, jacfwd, jacrev
from functape.transforms.jit import jit
from functape.transforms.reverse import grad, value_and_grad, vjp
from functape.transforms.vmap import vmap

__all__ = ["grad", "hessian", "hvp", "jacfwd", "jacrev", "jit", "jvp", "value_and_grad", "vjp", "vmap"]
