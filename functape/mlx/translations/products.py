"""mlx.core's products and convolutions."""

from functape import numpy as fnp
from functape.mlx.translations.registry import table, translation
from functape.numpy.arguments import value
from functape.ops import conv as ops
from functape.ops.movement import cut, reshape

table.update({name: getattr(fnp, name) for name in (
    "einsum", "inner", "kron", "matmul", "outer", "vecdot",
)})


@translation("tensordot")
def tensordot(a, b, axes=2):
    return fnp.tensordot(a, b, axes)


@translation("addmm")
def addmm(c, a, b, alpha=1.0, beta=1.0):
    product = fnp.matmul(value(a, "addmm"), value(b, "addmm"))
    c = value(c, "addmm")
    return (c if beta == 1 else beta * c) + (product if alpha == 1 else alpha * product)


# --- convolutions ---------------------------------------------------------------------------------


def entries(n, d):
    return (n,) * d if isinstance(n, int) else tuple(n)


def conv(x, w, stride, before, after, dilation, spread, groups):
    geometry = ops.Geometry(stride, tuple(zip(before, after, strict=True)), dilation, spread,
                            groups)
    return ops.conv(value(x, "conv"), value(w, "conv"), geometry=geometry)


@translation("conv_general")
def conv_general(input, weight, stride=1, padding=0, kernel_dilation=1, input_dilation=1,
                 groups=1, flip=False):
    d = len(weight.shape) - 2
    pair = not isinstance(padding, int) and len(padding) == 2 and not isinstance(padding[0], int)
    before, after = padding if pair else (padding, padding)
    weight = value(weight, "conv_general")
    if flip:
        weight = turned(weight)
    return conv(input, weight, entries(stride, d), entries(before, d), entries(after, d),
                entries(kernel_dilation, d), entries(input_dilation, d), groups)


def turned(w):
    """Filters turned around."""
    return cut(w, index=(slice(None), *(slice(None, None, -1),) * (len(w.shape) - 2)))


@translation("conv1d", "conv2d", "conv3d")
def conv_nd(input, weight, stride=1, padding=0, dilation=1, groups=1):
    return conv_general(input, weight, stride, padding, dilation, 1, groups)


@translation("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(input, weight, stride=1, padding=0, dilation=1, output_padding=0, groups=1):
    """A convolution, by filters turned around, of the image spread out."""
    d = len(weight.shape) - 2
    stride, padding, dilation, extra = (entries(n, d) for n in (
        stride, padding, dilation, output_padding))
    before = [e * (k - 1) - p for e, k, p in zip(dilation, weight.shape[1:-1], padding,
                                                 strict=True)]
    after = [b + o for b, o in zip(before, extra, strict=True)]
    return conv(input, turned(value(weight, "conv_transpose")), (1,) * d, before, after, dilation,
                stride, groups)


@translation("convolve")
def convolve(a, v, mode="full"):
    a, v = value(a, "convolve"), value(v, "convolve")
    if len(v.shape) == 1 and v.shape[0] > a.shape[0]:
        a, v = v, a
    n = v.shape[0]
    before, after = {"full": (n - 1, n - 1), "same": (n // 2, n - 1 - n // 2),
                     "valid": (0, 0)}[mode]
    v = cut(v, index=(slice(None, None, -1),))
    out = conv(reshape(a, shape=(1, -1 if not a.shape else a.shape[0], 1)),
               reshape(v, shape=(1, n, 1)), (1,), (before,), (after,), (1,), (1,), 1)
    return reshape(out, shape=(out.shape[1],))
