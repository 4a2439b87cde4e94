"""Says which command brings MLX a back end, where it has none that loads."""

from __future__ import annotations

import sys

COMMANDS = """\
  pip install 'functape[cpu]'       any Linux machine
  pip install 'functape[cuda12]'    NVIDIA GPU, CUDA 12
  pip install 'functape[cuda13]'    NVIDIA GPU, CUDA 13"""


def require_backend() -> None:
    """Import `mlx.core`; raise an ImportError that names the remedy where that fails."""
    try:
        import mlx.core  # noqa: F401
    except ImportError as error:
        message = advice(error, sys.platform)
        if message is None:
            raise
        raise ImportError(message, name="mlx.core") from error


def advice(error: ImportError, platform: str) -> str | None:
    """What to tell about a failed import of `mlx.core`, or None where we know nothing better."""
    linux = platform.startswith("linux")
    if isinstance(error, ModuleNotFoundError) and error.name in ("mlx", "mlx.core"):
        remedy = COMMANDS if linux else "  pip install mlx"
        return f"functape runs on MLX, which is not installed. Install it:\n{remedy}"
    if not linux:
        return None
    # On Linux the `mlx` package holds only the Python side; libmlx.so comes with a back end.
    if "libmlx.so" in str(error):
        return f"MLX is installed without a back end to compute with. Install one:\n{COMMANDS}"
    if ".so" in str(error):
        return (
            f"MLX's back end does not load on this machine: {error}. A CUDA back end needs "
            f"NVIDIA's driver and libraries of its version. Install the one that fits:\n{COMMANDS}"
        )
    return None
