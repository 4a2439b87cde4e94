"""Products of complex128 matrices and tensors: four real ones, or two where a factor is real."""

from functape.ops.contraction import contract_kernel, matmul_kernel
from functape.ops.conv import conv, conv_input, conv_weight
from functape.pairs.array import Pair, parts


def by_parts(kernel):
    """The kernel for complex numbers of a product, linear in both factors."""

    def product(x, y, **params):
        (a, b), (c, d) = parts(x), parts(y)
        if b is None or d is None:
            re, im = kernel(a, c, **params), kernel(*((a, d) if b is None else (b, c)), **params)
            return Pair(re, im)
        return Pair(kernel(a, c, **params) - kernel(b, d, **params),
                    kernel(a, d, **params) + kernel(b, c, **params))

    return product


matmul = by_parts(matmul_kernel)
KERNELS = {
    "matmul": matmul, "contract": by_parts(contract_kernel), "conv": by_parts(conv.kernel),
    "conv_input": by_parts(conv_input.kernel), "conv_weight": by_parts(conv_weight.kernel),
}
