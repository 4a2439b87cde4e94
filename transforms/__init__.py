"""The functional layer: one transform a file, each a composition over the tape."""

if __name__ != "functape.transforms":
    raise ImportError(
        "transforms/ is the source of functape.transforms; import it by that name. Imported from "
        "the repository root it would be a second copy, whose values the first does not know."
    )

from functape.suggest import for_names_of
from functape.transforms.constants import stop_gradient
from functape.transforms.custom_jvp import custom_jvp
from functape.transforms.custom_vjp import custom_gradient, custom_vjp
from functape.transforms.eager_only import refuse_eager
from functape.transforms.forward import Dual, jvp
from functape.transforms.jacobian import hessian, hvp, jacfwd, jacrev
from functape.transforms.jit import disable_jit, jit
from functape.transforms.linear import linear_transpose, linearize
from functape.transforms.make_tape import make_tape
from functape.transforms.reverse import grad, value_and_grad, vjp
from functape.transforms.shapes import Array, ShapeDtypeStruct, eval_shape, typeof
from functape.transforms.split import fwd_and_bwd
from functape.transforms.vmap import Batched, vmap

refuse_eager(Dual, Batched)

__all__ = [
    "Array", "ShapeDtypeStruct", "custom_gradient", "custom_jvp", "custom_vjp", "disable_jit",
    "eval_shape", "fwd_and_bwd", "grad", "hessian", "hvp", "jacfwd", "jacrev", "jit", "jvp",
    "linear_transpose", "linearize", "make_tape", "stop_gradient", "typeof", "value_and_grad",
    "vjp", "vmap",
]

__getattr__ = for_names_of(__name__)
