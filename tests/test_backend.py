"""The message where MLX has no back end. functape.backend must not need one, nor these tests."""

import pytest

from functape.backend import advice, require_backend

NO_MLX = ModuleNotFoundError("No module named 'mlx'", name="mlx")
NO_LIBMLX = ImportError("libmlx.so: cannot open shared object file: No such file or directory")
NO_DRIVER = ImportError("libcuda.so.1: cannot open shared object file: No such file or directory")


def test_a_back_end_that_loads_passes():
    require_backend()


@pytest.mark.parametrize(
    "error, rule",
    [
        (NO_MLX, "which is not installed"),
        (NO_LIBMLX, "without a back end"),
        (NO_DRIVER, "does not load on this machine: libcuda.so.1"),
    ],
)
def test_linux_names_the_three_commands(error, rule):
    message = advice(error, "linux")
    assert rule in message
    for extra in ("cpu", "cuda12", "cuda13"):
        assert f"pip install 'functape[{extra}]'" in message


def test_a_mac_needs_no_extra():
    message = advice(NO_MLX, "darwin")
    assert "pip install mlx" in message and "cuda" not in message


def test_other_errors_are_left_alone():
    assert advice(NO_LIBMLX, "darwin") is None
    assert advice(ImportError("numpy.core.multiarray failed to import"), "linux") is None
