"""sin(pi x) / (pi x) and its derivatives of any order."""

import math

import mlx.core as mx

from functape.ops.approximation import sin_pi
from functape.ops.elementwise import PI
from functape.ops.families import elementwise


def sinc_kernel(x, order):
    """The order-th derivative of sin(pi x) / (pi x).

    Near 0 its Taylor series; elsewhere the recurrence that n-fold differentiation of
    x f = sin(pi x) / pi gives: x f_n + n f_{n-1} = pi^(n-1) sin(pi x + n pi / 2).
    """
    near = mx.abs(x) < (1 + order / 4 if order else 0.1)
    series, power_of_x = mx.zeros_like(x), mx.ones_like(x)
    inside = mx.where(near, x, 0)
    for k in range(30 + 8 * order if order else 16):  # the coefficient of x^k, k = 2 j - order
        if (k + order) % 2 == 0:
            j = (k + order) // 2
            log_size = 2 * j * math.log(PI) - math.lgamma(2 * j + 2)
            log_size += math.lgamma(2 * j + 1) - math.lgamma(k + 1)
            series = series + (-1) ** j * math.exp(log_size) * power_of_x
        power_of_x = power_of_x * inside
    far = mx.where(near, 1, x)
    value = sin_pi(far) / (PI * far)
    for n in range(1, order + 1):
        value = (PI ** (n - 1) * sin_pi(far, n) - n * value) / far
    return mx.where(near, series, value)


sinc_derivative = elementwise(
    "sinc", sinc_kernel, lambda g, x, order: g * sinc_derivative(x, order=order + 1),
    doc="A derivative of sin(pi x) / (pi x), of any order.",
)
