"""The README's table of libraries: each cell is tried with the library, where it is installed."""

import functape as ft

# isort: split
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
LIBRARIES = ("functape", "JAX", "PyTorch", "MLX", "autograd")
MODULES = {"JAX": "jax", "PyTorch": "torch", "MLX": "mlx.core"}
np = ft.numpy


def need(library):
    """Skip where the library is not there, or cannot be imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(MODULES.get(library, library), exc_type=ImportError)


class Trial:
    """One thing to do, in each library's own words; absent: the library has no words for it.

    What a program returns is compared with `answer`.
    """

    answer: object = None
    other = "wrong"

    def outcome(self, library):
        program = getattr(self, library, None)
        if program is None:
            return "no"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = numpy.asarray(program())
        except ImportError as error:  # it is only half installed, which says nothing about it
            pytest.skip(f"{library}: {error}")
        except Exception:
            return "no"
        if numpy.isnan(found).any():
            return "NaN"
        return "yes" if numpy.allclose(found, self.answer, rtol=1e-4, atol=1e-5) else self.other


class Hessian(Trial):
    """Of the sum of x^3 at (1, 2)."""

    answer = [[6, 0], [0, 12]]

    def functape(self):
        return ft.hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))

    def JAX(self):  # noqa: N802 - the library's name
        import jax

        return jax.hessian(lambda x: (x**3).sum())(jax.numpy.array([1.0, 2.0]))

    def PyTorch(self):  # noqa: N802
        import torch

        return torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        return mx.hessian(lambda x: (x**3).sum())(mx.array([1.0, 2.0]))

    def autograd(self):
        import autograd

        return autograd.hessian(lambda x: (x**3).sum())(numpy.array([1.0, 2.0]))


class Vmap(Trial):
    """One gradient an example: 2 (w x) x for w = 1."""

    answer = [2, 8]

    def functape(self):
        return ft.vmap(ft.grad(lambda w, x: (w * x) ** 2), (None, 0))(1.0, np.array([1.0, 2.0]))

    def JAX(self):  # noqa: N802
        import jax

        f = jax.grad(lambda w, x: (w * x) ** 2)
        return jax.vmap(f, (None, 0))(1.0, jax.numpy.array([1.0, 2.0]))

    def PyTorch(self):  # noqa: N802
        import torch

        f = torch.func.grad(lambda w, x: (w * x) ** 2)
        return torch.vmap(f, (None, 0))(torch.tensor(1.0), torch.tensor([1.0, 2.0]))

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        f = mx.grad(lambda w, x: (w * x) ** 2)
        return mx.vmap(f, (None, 0))(mx.array(1.0), mx.array([1.0, 2.0]))


class Pullback(Trial):
    """vjp returns a function, which is called twice."""

    answer = [3, 6]

    def functape(self):
        _, pullback = ft.vjp(lambda x: 3 * x, 1.0)
        return [pullback(g)[0].item() for g in (1.0, 2.0)]

    def JAX(self):  # noqa: N802
        import jax

        _, pullback = jax.vjp(lambda x: 3 * x, 1.0)
        return [pullback(g)[0] for g in (1.0, 2.0)]

    def PyTorch(self):  # noqa: N802
        import torch

        _, pullback = torch.func.vjp(lambda x: 3 * x, torch.tensor(1.0))
        return [pullback(torch.tensor(g))[0] for g in (1.0, 2.0)]

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        _, pullback = mx.vjp(lambda x: 3 * x, mx.array(1.0))
        return [pullback(mx.array(g))[0] for g in (1.0, 2.0)]

    def autograd(self):
        import autograd

        pullback, _ = autograd.make_vjp(lambda x: 3 * x)(1.0)
        return [pullback(g) for g in (1.0, 2.0)]


class Parameters(Trial):
    """A number is differentiated, None is passed over."""

    answer = 4
    params = {"w": 2.0, "unused": None}

    def functape(self):
        return ft.grad(lambda p: p["w"] ** 2)(self.params)["w"]

    def JAX(self):  # noqa: N802
        import jax

        return jax.grad(lambda p: p["w"] ** 2)(self.params)["w"]

    def PyTorch(self):  # noqa: N802
        import torch

        return torch.func.grad(lambda p: p["w"] ** 2)(self.params)["w"]

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        return mx.grad(lambda p: p["w"] ** 2)(self.params)["w"]

    def autograd(self):
        import autograd

        return autograd.grad(lambda p: p["w"] ** 2)(self.params)["w"]


class Eager(Trial):
    """A hook on an intermediate value doubles its gradient; .grad adds up."""

    answer = 12

    def functape(self):
        return self.twice(ft.tensor(1.0, requires_grad=True))

    def PyTorch(self):  # noqa: N802
        import torch

        return self.twice(torch.tensor(1.0, requires_grad=True)).item()

    def twice(self, x):
        for _ in range(2):
            y = 3 * x
            y.register_hook(lambda g: 2 * g)
            y.backward()
        return x.grad


class Factors(Trial):
    """Forward mode through qr: |R| of a(t) = (1 + t) I is 1 + t on the diagonal."""

    answer = 1

    def functape(self):
        q, r = np.linalg.qr, np.eye(2)
        return ft.jvp(lambda t: np.abs(q((1 + t) * r)[1][0, 0]), (0.0,), (1.0,))[1]

    def JAX(self):  # noqa: N802
        import jax
        from jax import numpy as jnp

        return jax.jvp(lambda t: jnp.abs(jnp.linalg.qr((1 + t) * jnp.eye(2))[1][0, 0]),
                       (0.0,), (1.0,))[1]

    def PyTorch(self):  # noqa: N802
        import torch

        return torch.func.jvp(lambda t: torch.linalg.qr((1 + t) * torch.eye(2))[1][0, 0].abs(),
                              (torch.tensor(0.0),), (torch.tensor(1.0),))[1]

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        return mx.jvp(lambda t: mx.abs(mx.linalg.qr((1 + t) * mx.eye(2), stream=mx.cpu)[1][0, 0]),
                      [mx.array(0.0)], [mx.array(1.0)])[1][0]

    def autograd(self):
        import autograd
        from autograd import numpy as anp

        return autograd.make_jvp(
            lambda t: anp.abs(anp.linalg.qr((1 + t) * anp.eye(2))[1][0, 0]))(0.0)(1.0)[1]


class Masked(Trial):
    """where(x > 0, sqrt(x), 0) at 0 and 4."""

    answer = [0, 0.25]

    def functape(self):
        return ft.grad(lambda x: np.where(x > 0, np.sqrt(x), 0.0).sum())(np.array([0.0, 4.0]))

    def JAX(self):  # noqa: N802
        import jax
        from jax import numpy as jnp

        return jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0).sum())(jnp.array([0.0, 4.0]))

    def PyTorch(self):  # noqa: N802
        import torch

        return torch.func.grad(lambda x: torch.where(x > 0, x.sqrt(), 0.0).sum())(
            torch.tensor([0.0, 4.0]))

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        return mx.grad(lambda x: mx.where(x > 0, mx.sqrt(x), 0.0).sum())(mx.array([0.0, 4.0]))

    def autograd(self):
        import autograd
        from autograd import numpy as anp

        return autograd.grad(lambda x: anp.sum(anp.where(x > 0, anp.sqrt(x), 0.0)))(
            numpy.array([0.0, 4.0]))


class Spread(Trial):
    """std of equal numbers."""

    answer = [0, 0, 0]

    def functape(self):
        return ft.grad(np.std)(np.ones(3))

    def JAX(self):  # noqa: N802
        import jax

        return jax.grad(jax.numpy.std)(jax.numpy.ones(3))

    def PyTorch(self):  # noqa: N802
        import torch

        return torch.func.grad(torch.std)(torch.ones(3))

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        return mx.grad(mx.std)(mx.ones(3))

    def autograd(self):
        import autograd
        from autograd import numpy as anp

        return autograd.grad(anp.std)(numpy.ones(3))


class OnlyReverse(Trial):
    """jvp of x^2 at 3, of which only a reverse rule is given, with a slope of 10 x."""

    answer = 30
    other = "by its body"

    def functape(self):
        class Square(ft.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 10 * g * x

        return ft.jvp(Square.apply, (3.0,), (1.0,))[1]

    def JAX(self):  # noqa: N802
        import jax

        square = jax.custom_vjp(lambda x: x * x)
        square.defvjp(lambda x: (x * x, x), lambda x, g: (10 * g * x,))
        return jax.jvp(square, (3.0,), (1.0,))[1]

    def PyTorch(self):  # noqa: N802
        import torch

        class Square(torch.autograd.Function):
            @staticmethod
            def forward(x):
                return x * x

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 10 * g * x

        return torch.func.jvp(Square.apply, (torch.tensor(3.0),), (torch.tensor(1.0),))[1]

    def MLX(self):  # noqa: N802
        import mlx.core as mx

        square = mx.custom_function(lambda x: x * x)
        square.vjp(lambda x, g, out: 10 * g * x)
        return mx.jvp(square, [mx.array(3.0)], [mx.array(1.0)])[1][0]

    def autograd(self):
        import autograd
        from autograd.extend import defvjp, primitive

        square = primitive(lambda x: x * x)
        defvjp(square, lambda ans, x: lambda g: 10 * g * x)
        return autograd.make_jvp(square)(3.0)(1.0)[1]


ROWS = {
    "`hessian`": Hessian(),
    "`vmap`: one gradient an example": Vmap(),
    "`vjp` as a function, to call again": Pullback(),
    "numbers and `None` among the parameters": Parameters(),
    "`.backward()`, `.grad`, hooks on intermediate values": Eager(),
    "forward mode through `qr`": Factors(),
    "forward mode through what has only a reverse rule": OnlyReverse(),
    "`where(x > 0, sqrt(x), 0)` at 0": Masked(),
    "`std` of equal numbers": Spread(),
}
LONG = "a chain of 200,000 operations"


def table():
    """The cells of the README's table: row -> library -> text."""
    lines = re.search(r"^\| \| functape \| JAX .*?\n\n", README, re.S | re.M)[0].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")]
                     for line in lines if line]
    assert tuple(head[1:]) == LIBRARIES
    return {row[0]: dict(zip(LIBRARIES, row[1:], strict=True)) for row in rows}


def test_every_row_is_tried():
    assert set(table()) == {*ROWS, LONG}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("row", ROWS)
def test_cell(row, library):
    need(library)
    assert ROWS[row].outcome(library) == table()[row][library]


CHAINS = {
    "functape": "import functape as L; grad, one = L.grad, 1.0",
    "PyTorch": "import torch; grad, one = torch.func.grad, torch.tensor(1.0)",
    "MLX": "import mlx.core as mx; grad, one = mx.grad, mx.array(1.0)",
    "autograd": "import autograd; grad, one = autograd.grad, 1.0",
    "JAX": "import jax; grad, one = jax.grad, 1.0",
}
CHAIN = """
def f(x):
    for _ in range(200_000):
        x = x * 0.99999
    return x
assert abs(float(grad(f)(one)) - 0.1353) < 1e-3
"""


@pytest.mark.nightly
@pytest.mark.parametrize("library", LIBRARIES)
def test_long_chain(library):
    """In a process of its own, since it may end that."""
    need(library)
    code = subprocess.run([sys.executable, "-c", CHAINS[library] + CHAIN], capture_output=True,
                          timeout=600).returncode
    found = "yes" if code == 0 else "the process dies" if code < 0 else "no"
    assert found == table()[LONG][library]
