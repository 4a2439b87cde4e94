"""Shared by all tests: functape first, a seed for each test, and JAX as the oracle."""

import functape  # noqa: F401  (before mlx.core, which then finds a fast BLAS)

# isort: split
import importlib.metadata
import os

import hypothesis
import mlx.core as mx
import pytest

# A change is tried on the same draws as the one before it; the nightly run draws others.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.register_profile("anew", deadline=None)
hypothesis.settings.load_profile("same")

# Compiling takes most of JAX's time here, so: quickly rather than well. XLA ends the process if it
# does not know an option, so only versions that were tried are given any. Not together with
# xla_cpu_use_fusion_emitters=false: some gradients are wrong then.
QUICK = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(0)


@pytest.fixture(scope="session")
def oracle():
    """The module jax, in double precision on the CPU."""
    pytest.importorskip("jaxlib")
    if importlib.metadata.version("jaxlib").startswith("0.10."):
        os.environ.setdefault("XLA_FLAGS", QUICK)
    jax = pytest.importorskip("jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    return jax
