"""Random compositions of transforms over random programs, in double precision, are those of JAX.

Compiling JAX's side of 200 programs takes most of a minute, so its results are kept in a file; the
nightly run computes them again, and those of 2,000 more. After a change of the programs:
``PYTHONPATH=tests python tests/transforms/test_compositions.py`` writes the file.
"""

import functape as ft

# isort: split
import json
from pathlib import Path

import numpy as np
import pytest
from compositions import Composition

KEPT = Path(__file__).with_name("compositions_of_jax.json")  # composition -> what JAX computes
BATCH = 20  # JAX compiles the programs of one test together


def chosen(start):
    return [Composition(seed) for seed in range(start, start + BATCH)]


def results_of_jax(compositions, jax):
    points = [c.start(np) for c in compositions]
    functions = [c.build(jax, jax.numpy) for c in compositions]
    found = jax.jit(lambda xs: [f(x) for f, x in zip(functions, xs, strict=True)])(points)
    return [np.asarray(a) for a in found]


def kept(compositions):
    table = json.loads(KEPT.read_text(encoding="utf-8"))
    return [np.array(table[repr(c)], np.float64) for c in compositions]


def differences(compositions, results):
    """The compositions whose results are not these."""
    return [text for c, want in zip(compositions, results, strict=True)
            if (text := difference(c, want))]


def difference(composition, want):
    """What is wrong with our result, if anything."""
    try:
        found = composition.build(ft, ft.numpy)(ft.numpy.asarray(composition.start(np)))
    except Exception as error:
        return f"{composition}: {error!r}"
    got = np.asarray(found)
    tracked = not isinstance(found, ft.Tensor) or found.requires_grad
    if tracked or (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{composition}: {found!r}, want {want.dtype} {want.shape}"
    off = np.max(np.abs(got - want)) / (1 + np.max(np.abs(want)))
    return "" if off < 1e-9 else f"{composition}: relative difference {off:.1e}"


@pytest.mark.parametrize("start", range(0, 200, BATCH))
def test_compositions_are_those_of_jax(start):
    wrong = differences(chosen(start), kept(chosen(start)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(0, 200, BATCH))
def test_what_is_kept_is_what_jax_computes(start, oracle):
    for ours, theirs in zip(kept(chosen(start)), results_of_jax(chosen(start), oracle),
                            strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(200, 2200, BATCH))
def test_more_compositions(start, oracle):
    wrong = differences(chosen(start), results_of_jax(chosen(start), oracle))
    assert not wrong, "\n".join(wrong)


def write():
    import jax

    jax.config.update("jax_enable_x64", True)
    rows = [f"{json.dumps(repr(c))}: {json.dumps(a.tolist())}" for start in range(0, 200, BATCH)
            for c, a in zip(chosen(start), results_of_jax(chosen(start), jax), strict=True)]
    KEPT.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
