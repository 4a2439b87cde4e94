"""Kernels of complex128 for ops that treat the parts apart: those that move elements, and all
others that are linear with real coefficients. They are the op's own kernel, once for each part."""

from functape.op import NUMBERS, table
from functape.pairs.array import Pair, converted, pair


def apart(name):
    """The kernel of a linear op for both parts; an argument `i` holds indices, and no elements."""

    def kernel(*args, **params):
        op = table[name]
        names = op.args * len(args) if op.variadic else op.args
        both = [(a, a) if n == "i" else (a.real, a.imag) if isinstance(a, NUMBERS) else
                (pair(a).re, pair(a).im) for a, n in zip(args, names, strict=True)]
        re, im = (op.kernel(*half, **params) for half in zip(*both, strict=True))
        return tuple(map(Pair, re, im)) if type(re) is tuple else Pair(re, im)

    return kernel


LINEAR = (
    "broadcast_to", "sum_to", "sum", "reshape", "transpose", "copy", "roll", "slice", "unslice",
    "slice_update", "concatenate", "stack", "split", "windows", "overlap", "window_sum", "take",
    "scatter_add", "scatter", "take_along_axis", "add_along_axis", "unstack", "mean", "cumsum",
    "negative", "degrees", "radians", "stop_gradient", "sum_rows", "centre", "dynamic_slice",
    "dynamic_unslice", "dynamic_update_slice", "triangle", "round",
)
KERNELS = {
    **{name: apart(name) for name in LINEAR}, "astype": converted, "cast": converted,
}
