"""Diagonals and shifts far beyond the ends of an array, of any number of bits."""

import numpy as np
import pytest

import functape as ft
import functape.numpy as fnp

X = np.arange(6.0, dtype=np.float32).reshape(2, 3)
FAR = [4, 2**31, 2**40, 2**63, 2**100]


@pytest.mark.parametrize("k", [*FAR, *(-k for k in FAR)])
def test_diagonals(k):
    near, x = max(-3, min(k, 4)), fnp.asarray(X)
    for ours, want in ((fnp.eye(2, 3, k=k), np.eye(2, 3, near)),
                       (fnp.tri(2, 3, k), np.tri(2, 3, near)),
                       (fnp.tril(x, k=k), np.tril(X, near)), (fnp.triu(x, k=k), np.triu(X, near)),
                       (fnp.linalg.diagonal(x, offset=k), []), (fnp.linalg.trace(x, offset=k), 0),
                       (fnp.diagonal(x, k), []), (fnp.trace(x, k), 0)):
        np.testing.assert_array_equal(np.asarray(ours), want)


@pytest.mark.parametrize("shift", [*FAR, *(-k for k in FAR)])
def test_shifts(shift):
    x = fnp.asarray(X)
    np.testing.assert_array_equal(np.asarray(fnp.roll(x, shift)), np.roll(X, shift % 6))
    np.testing.assert_array_equal(np.asarray(fnp.roll(x, shift, axis=1)), np.roll(X, shift % 3, 1))
    both = fnp.roll(x, (shift, 1), axis=(1, 0))
    np.testing.assert_array_equal(np.asarray(both), np.roll(X, (shift % 3, 1), (1, 0)))
    assert fnp.roll(fnp.ones((0, 3)), shift, axis=0).shape == (0, 3)
    weights = fnp.arange(6.0)
    found = ft.grad(lambda x: fnp.sum(fnp.roll(x, shift) * weights))(fnp.ones(6))
    np.testing.assert_array_equal(np.asarray(found), np.roll(np.arange(6), -(shift % 6)))
