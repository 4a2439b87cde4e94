"""Kernels of complex128 for ops that treat the parts apart: those that move elements, and all
others that are linear with real coefficients. They are the op's own kernel, once for each part."""

from functape.op import table
from functape.pairs.array import Pair, add, converted, pair, parts



def apart(name):
    """The kernel of a linear op for both parts; an argument `i` holds indices, and no elements."""

    def kernel(*args, **params):
        op = table[name]
        names = op.args * len(args) if op.variadic else op.args
        args = [a if n == "i" else pair(a) for a, n in zip(args, names, strict=True)]
        re = op.kernel(*[a.re if type(a) is Pair else a for a in args], **params)
        im = op.kernel(*[a.im if type(a) is Pair else a for a in args], **params)
        return tuple(map(Pair, re, im)) if type(re) is tuple else Pair(re, im)

    return kernel


def crossed(name):
    """The kernel of a bilinear op, from products of the parts."""

    def kernel(x, y, **params):
        def product(u, v):
            return None if u is None or v is None else table[name].kernel(u, v, **params)

        (a, b), (c, d) = parts(x), parts(y)
        ac, bd, ad, bc = product(a, c), product(b, d), product(a, d), product(b, c)
        im = ad if bc is None else bc if ad is None else ad + bc
        return Pair(ac if bd is None else ac - bd, im)

    return kernel


def affine(x, w, b):
    return add(crossed("matmul")(x, w), b)


LINEAR = (
    "broadcast_to", "sum_to", "sum", "reshape", "transpose", "copy", "roll", "slice", "unslice",
    "slice_update", "concatenate", "stack", "split", "windows", "overlap", "window_sum", "take",
    "scatter_add", "scatter", "take_along_axis", "add_along_axis", "unstack", "mean", "cumsum",
    "negative", "degrees", "radians", "stop_gradient", "sum_rows", "centre", "dynamic_slice",
    "dynamic_unslice", "dynamic_update_slice", "triangle", "round",
)
BILINEAR = ("conv", "conv_input", "conv_weight")
KERNELS = {
    **{name: apart(name) for name in LINEAR}, **{name: crossed(name) for name in BILINEAR},
    "astype": converted, "cast": converted, "affine": affine,
}
