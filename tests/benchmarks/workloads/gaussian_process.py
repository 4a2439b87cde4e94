"""The gradient of a Gaussian process's log marginal likelihood: a Cholesky decomposition."""

import numpy

from ..workload import Skip, Workload


def data(n):
    rng = numpy.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(n, 2)).astype(numpy.float32)
    y = (numpy.sin(x).sum(axis=1) + 0.3 * rng.normal(size=n)).astype(numpy.float32)
    return numpy.array([0.0, 0.0, -0.7], numpy.float32), x, y


def loss(np, solve_triangular, params, x, y):
    scale, amplitude, noise = np.exp(params[0]), np.exp(params[1]), np.exp(params[2])
    distance = np.sum(np.square((x[:, None] - x[None]) / scale), axis=-1)
    kernel = amplitude * np.exp(-0.5 * distance) + noise * np.eye(x.shape[0])
    factor = np.linalg.cholesky(kernel)
    white = solve_triangular(factor, y)
    return 0.5 * np.sum(np.square(white)) + np.sum(np.log(np.diag(factor)))


def in_functape(n):
    import functape
    import functape.numpy as np

    if not hasattr(np, "linalg") or not hasattr(functape, "scipy"):
        raise Skip("functape has no cholesky and solve_triangular yet")

    def solve(a, b):
        return functape.scipy.linalg.solve_triangular(a, b, lower=True)

    return functape.grad(lambda *args: loss(np, solve, *args))


def in_mlx(n):
    raise Skip("MLX has no derivative of cholesky")


def in_jax(n):
    import jax
    import jax.numpy as np

    def solve(a, b):
        return jax.scipy.linalg.solve_triangular(a, b, lower=True)

    return jax.grad(lambda *args: loss(np, solve, *args))


def in_torch(n):
    import torch

    def step(params, x, y):
        params = params.detach().requires_grad_()
        scale, amplitude, noise = torch.exp(params)
        distance = torch.square((x[:, None] - x[None]) / scale).sum(-1)
        kernel = amplitude * torch.exp(-0.5 * distance) + noise * torch.eye(len(x))
        factor = torch.linalg.cholesky(kernel)
        white = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
        value = 0.5 * torch.square(white).sum() + torch.log(torch.diag(factor)).sum()
        value.backward()
        return params.grad

    return step


def in_autograd(n):
    import autograd
    import autograd.numpy as np
    from autograd.scipy.linalg import solve_triangular

    def solve(a, b):
        return solve_triangular(a, b, lower=True)

    return autograd.grad(lambda *args: loss(np, solve, *args))


WORKLOADS = (
    # The condition number of the kernel, about 500, stands between float32 and the answer.
    Workload(__name__, "gp", "Gaussian process, 512 points", {"n": 512}, {"n": 4}, tolerance=1e-3),
)
