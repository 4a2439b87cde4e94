"""The workloads, one file a kind; each library's version is written as its user would write it.

Where `jax.numpy`, `functape.numpy`, `mlx.core` and `autograd.numpy` share the names, they share the
text of the loss too, with the module as its first argument `np`.
"""

from . import (
    chain,
    convnet,
    gaussian_process,
    hessian,
    hvp,
    layers,
    long_chain,
    lstm,
    maml,
    mlp,
    mlx_model,
    parameters,
    transformer,
)

MODULES = (
    chain, parameters, mlp, transformer, mlx_model, convnet, lstm, hvp, hessian, maml,
    gaussian_process, layers, long_chain,
)
WORKLOADS = {w.name: w for module in MODULES for w in module.WORKLOADS}
CURVES = {c.name: c for module in MODULES for c in getattr(module, "CURVES", ())}
