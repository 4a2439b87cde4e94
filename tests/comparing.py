"""Comparing trees of results, whatever library they come from."""

import functape  # noqa: F401

# isort: split
import numpy as np
import optree

from functape.tree import NAMESPACE


def flat(tree):
    """Leaves as NumPy arrays, and the structure."""
    leaves, structure = optree.tree_flatten(tree, namespace=NAMESPACE)
    return [np.asarray(a) for a in leaves], structure


def agree(got, want, tolerance=1e-5):
    """Structure, shapes and numbers are equal; numbers relative to the largest of their array."""
    (got, structure), (want, expected) = flat(got), flat(want)
    assert structure == expected
    for k, (a, b) in enumerate(zip(got, want, strict=True)):
        assert a.shape == b.shape, f"leaf {k}"
        size = np.abs(b[np.isfinite(b)]).max(initial=0) if b.dtype != bool else 0
        np.testing.assert_allclose(a, b, tolerance, tolerance * (1 + size), err_msg=f"leaf {k}")
