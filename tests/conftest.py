"""Shared by all tests: functape first, a seed for each test, and JAX as the oracle."""

import functape  # noqa: F401  (before mlx.core, which then finds a fast BLAS)

# isort: split
import mlx.core as mx
import pytest


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(0)


@pytest.fixture(scope="session")
def oracle():
    """The module jax, in double precision on the CPU."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    return jax
