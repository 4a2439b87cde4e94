"""Random compositions of transforms over random programs, in double precision, are those of JAX."""

import functape as ft

# isort: split
import numpy as np
import pytest
from compositions import Composition

BATCH = 20  # JAX compiles the programs of one test together


def differences(seeds, jax):
    """The compositions whose results are not JAX's."""
    chosen = [Composition(seed) for seed in seeds]
    points = [c.start(np) for c in chosen]
    functions = [c.build(jax, jax.numpy) for c in chosen]
    wanted = jax.jit(lambda xs: [f(x) for f, x in zip(functions, xs, strict=True)])(points)
    return [text for c, x, want in zip(chosen, points, wanted, strict=True)
            if (text := difference(c, x, np.asarray(want)))]


def difference(composition, x, want):
    """What is wrong with our result, if anything."""
    try:
        found = composition.build(ft, ft.numpy)(ft.numpy.asarray(x))
    except Exception as error:
        return f"{composition}: {error!r}"
    got = np.asarray(found)
    tracked = not isinstance(found, ft.Tensor) or found.requires_grad
    if tracked or (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{composition}: {found!r}, want {want.dtype} {want.shape}"
    off = np.max(np.abs(got - want)) / (1 + np.max(np.abs(want)))
    return "" if off < 1e-9 else f"{composition}: relative difference {off:.1e}"


@pytest.mark.parametrize("start", range(0, 200, BATCH))
def test_compositions_are_those_of_jax(start, oracle):
    wrong = differences(range(start, start + BATCH), oracle)
    assert not wrong, "\n".join(wrong)


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(200, 2200, BATCH))
def test_more_compositions(start, oracle):
    test_compositions_are_those_of_jax(start, oracle)
