"""Contractions: arrays multiplied and summed over labels, however these stand."""

import numpy as np
import pytest

import functape.numpy as fnp
from functape.ops.contraction import contract

LETTERS = "abcde"


def draw(rng):
    """Labels of x, of y and of the result in any order, and a length for each label."""
    kinds = rng.choice(["xyz", "xy", "xz", "yz"], rng.integers(len(LETTERS) + 1))
    lengths = rng.choice([0, 1, 2, 3], len(kinds), p=[0.04, 0.16, 0.4, 0.4])
    return [tuple(int(k) for k in rng.permutation(len(kinds)) if name in kinds[k])
            for name in "xyz"], lengths


@pytest.mark.parametrize("seed", range(20))
def test_contract_is_einsum(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        (x_labels, y_labels, labels), lengths = draw(rng)
        x, y = (rng.normal(size=[lengths[k] for k in term]) for term in (x_labels, y_labels))
        form = "{},{}->{}".format(*("".join(LETTERS[k] for k in term)
                                    for term in (x_labels, y_labels, labels)))
        found = contract(fnp.array(x), fnp.array(y), x_labels=x_labels, y_labels=y_labels,
                         labels=labels)
        np.testing.assert_allclose(np.asarray(found), np.einsum(form, x, y), 1e-12, 1e-12,
                                   err_msg=form)
