"""The libraries: how to load one, bring arrays in, wait for a result, and take numbers out."""

import sys
from dataclasses import dataclass

import numpy as np
import optree

from .workload import Skip


@dataclass
class Library:
    """One column of the table.

    Args:
      name: how `--libs` calls it.
      title: what the table calls it.
      family: which version of a workload it runs.
      compiled: whether the step goes through the library's compiler.
    """

    name: str
    title: str
    family: str
    compiled: bool = False

    def load(self):
        """Import the library; ImportError or `Skip` where that is impossible."""

    def array(self, a):
        raise NotImplementedError

    def wait(self, tree):
        """Return once all of the tree is computed."""

    def compile(self, step):
        return step

    def peak(self, run):
        """Bytes that `run()` held at its peak, or None where the library does not tell."""
        run()

    def arrays(self, tree):
        """A tree with each NumPy array as the library's own."""
        return optree.tree_map(lambda a: self.array(a) if isinstance(a, np.ndarray) else a, tree)


class Mlx(Library):
    """MLX as it is: with the BLAS that functape loads, or with its own."""

    def load(self):
        if self.name != "mlx-stock":
            import functape  # noqa: F401  (loads the BLAS; must come before mlx.core)
        elif "functape" in sys.modules:
            raise Skip("functape has loaded another BLAS in this process")
        import mlx.core as mx

        self.mx = mx

    def array(self, a):
        return self.mx.array(a)

    def wait(self, tree):
        self.mx.eval([leaf for leaf in map(self.held, optree.tree_leaves(tree))
                      if isinstance(leaf, self.mx.array)])

    def held(self, leaf):
        """The array of a result."""
        return leaf

    def compile(self, step):
        return self.mx.compile(step) if self.compiled else step

    def peak(self, run):
        before = self.mx.get_active_memory()
        self.mx.reset_peak_memory()
        run()
        return self.mx.get_peak_memory() - before


class Functape(Mlx):
    def load(self):
        super().load()
        import functape

        self.ft = functape
        if self.compiled and not hasattr(functape, "jit"):
            raise Skip("functape has no jit yet")

    def held(self, leaf):
        return leaf.array if type(leaf) is self.ft.Tensor else leaf

    def compile(self, step):
        return self.ft.jit(step) if self.compiled else step


class Jax(Library):
    def load(self):
        import jax

        jax.config.update("jax_platforms", "cpu")
        self.jax = jax

    def array(self, a):
        return self.jax.numpy.asarray(a)

    def wait(self, tree):
        self.jax.block_until_ready(tree)

    def compile(self, step):
        return self.jax.jit(step)


class Torch(Library):
    def load(self):
        import torch

        self.torch = torch

    def array(self, a):
        return self.torch.from_numpy(a.copy())


class Autograd(Library):
    def load(self):
        import autograd  # noqa: F401

    def array(self, a):
        return a


LIBRARIES = {
    lib.name: lib
    for lib in (
        Functape("functape", "functape", "functape"),
        Functape("functape-jit", "functape.jit", "functape", compiled=True),
        Mlx("mlx", "mx.grad", "mlx"),
        Mlx("mlx-compile", "mx.compile", "mlx", compiled=True),
        Mlx("mlx-stock", "mx.grad, stock BLAS", "mlx"),
        Jax("jax", "jax.jit", "jax", compiled=True),
        Torch("torch", "PyTorch", "torch"),
        Autograd("autograd", "HIPS autograd", "autograd"),
    )
}
