"""A real BLAS for MLX on Linux, and what `show_config` tells about it.

MLX's Linux CPU wheel carries the Netlib reference BLAS, some thirty times slower than OpenBLAS at a
matrix product. The dynamic linker looks through the globally loaded libraries before a library's
own dependencies, so an OpenBLAS loaded globally *before* `mlx.core` is imported gets MLX's calls.
`preload` does that:

    FUNCTAPE_BLAS=off       nothing is loaded
    FUNCTAPE_BLAS=<path>    that library, or an ImportError
    not set                 for MLX's CPU wheel: the scipy-openblas32 wheel (through _blas_shim.c),
                            else a system libopenblas.so.0, else nothing

OpenBLAS itself reads OPENBLAS_NUM_THREADS and OMP_NUM_THREADS when it is loaded. Where neither is
set, its threads are started when all of functape is imported, by `start_threads`: new ones spin for
some 30 ms, and on few cores would take the imports' time.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

PREFIX = "scipy_"  # of the symbols in the scipy-openblas32 wheel
SYSTEM = "libopenblas.so.0"
INSTALL = "pip install 'functape[cpu]'"
COUNT = "OPENBLAS_NUM_THREADS"
COUNTS = (COUNT, "GOTO_NUM_THREADS", "OMP_NUM_THREADS")  # one of them set: the user's own choice


class Blas(NamedTuple):
    """The BLAS that MLX computes with: a name, the reason, and the library where we opened it."""

    name: str
    why: str
    library: ctypes.CDLL | None = None
    prefix: str = ""
    waiting: bool = False  # whether it was loaded with one thread, the others to be started

    @property
    def version(self) -> str | None:
        """OpenBLAS's own description: version, build options, the kernels it chose."""
        text = self._ask("openblas_get_config", ctypes.c_char_p)
        return text.decode().strip() if text else None

    @property
    def threads(self) -> int | None:
        return self._ask("openblas_get_num_threads", ctypes.c_int)

    def _ask(self, question: str, answer: Any) -> Any:
        function = getattr(self.library, self.prefix + question, None)
        if function is None:
            return None
        function.restype = answer
        return function()

    def start_threads(self) -> None:
        """As many as it would have by itself: one for each core that the process may use."""
        if self.waiting:
            count = self._ask("openblas_get_num_procs", ctypes.c_int)
            getattr(self.library, self.prefix + "openblas_set_num_threads")(count)


_in_use: Blas | None = None


def preload() -> Blas:
    """Load the BLAS that MLX shall use. Called once, before the first import of `mlx.core`."""
    global _in_use
    if _in_use is None:
        _in_use = _choose(os.environ.get("FUNCTAPE_BLAS", "").strip())
    return _in_use


def start_threads() -> None:
    """Let the BLAS have its threads. Called once, after all imports."""
    preload().start_threads()


def _choose(wish: str) -> Blas:
    if not sys.platform.startswith("linux"):
        return Blas("MLX's own", "functape loads a BLAS on Linux only")
    if wish.lower() == "off":
        return Blas("MLX's own", "FUNCTAPE_BLAS=off")
    if not wish and not _is_cpu_wheel():
        return Blas("MLX's own", "this MLX is not the Linux CPU wheel")
    if hasattr(ctypes.CDLL(None), "cblas_sgemm"):
        return Blas("one that was there", "the process exports cblas_sgemm (LD_PRELOAD?)")
    if "mlx.core" in sys.modules:
        why = "mlx.core was imported before functape"
        warnings.warn(
            f"{why}, so MLX keeps its slow reference BLAS in this process: import functape first, "
            "or set FUNCTAPE_BLAS=off to say that this is meant",
            RuntimeWarning,
            stacklevel=4,  # the line that imports functape
        )
        return Blas("MLX's own", why)
    return _load_wished(wish) if wish else _load_found()


def _is_cpu_wheel() -> bool:
    """Whether the libraries bundled with the mlx-cpu wheel lie beside the `mlx` package."""
    # A look at two directories: importing mlx.core would be too late, reading metadata too slow.
    spec = find_spec("mlx")
    places = (spec.submodule_search_locations if spec else None) or []
    return any(Path(place).with_name("mlx_cpu.libs").is_dir() for place in places)


def _load_wished(path: str) -> Blas:
    try:
        return _load(path, f"FUNCTAPE_BLAS={path}")
    except OSError as error:
        raise ImportError(
            f"FUNCTAPE_BLAS must name a BLAS library that loads, or be 'off'; got {path!r}: "
            f"{error}. Correct it, or unset FUNCTAPE_BLAS to let functape look for an OpenBLAS."
        ) from error


def _load_found() -> Blas:
    candidates = {
        _wheel_library(): "the scipy-openblas32 package",
        SYSTEM: "the system's OpenBLAS",
    }
    missed = []
    for path, why in candidates.items():
        try:
            return _load(path, why)
        except OSError as error:
            missed.append(str(error))
    remedy = f"{INSTALL}, on a machine with a C compiler, brings one"
    why = f"no OpenBLAS could be loaded ({'; '.join(missed)}): {remedy}"
    return Blas("MLX's own, slow", why)


def _wheel_library() -> str:
    spec = find_spec("scipy_openblas32")
    places = (spec.submodule_search_locations if spec else None) or ["scipy_openblas32"]
    return str(Path(places[0], "lib", "libscipy_openblas.so"))


def _load(path: str, why: str) -> Blas:
    """Open the library at `path` and give its symbols to whatever is loaded from now on."""
    library, alone = _open(path)
    if hasattr(library, "cblas_sgemm"):
        ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        prefix = ""
    elif hasattr(library, PREFIX + "cblas_sgemm"):
        _bind_shim(library)
        prefix = PREFIX
    else:
        raise OSError(f"{path} exports neither cblas_sgemm nor {PREFIX}cblas_sgemm")
    waiting = alone and hasattr(library, prefix + "openblas_set_num_threads")
    return Blas(path, why, library, prefix, waiting)


def _open(path: str) -> tuple[ctypes.CDLL, bool]:
    """The library, and whether it was held to one thread for now."""
    if _is_open(path) or not os.environ.keys().isdisjoint(COUNTS):
        return ctypes.CDLL(path), False
    os.environ[COUNT] = "1"
    try:
        return ctypes.CDLL(path), True
    finally:
        del os.environ[COUNT]


def _is_open(path: str) -> bool:
    """Whether somebody has loaded it before, and perhaps set its threads."""
    try:
        ctypes.CDLL(path, os.RTLD_NOLOAD)
    except OSError:
        return False
    return True


def _bind_shim(library: ctypes.CDLL) -> None:
    path = next(Path(__file__).parent.glob("_blas_shim*.so"), None)
    if path is None:
        raise OSError("the BLAS shim was not built when functape was installed")
    bind = ctypes.CDLL(str(path)).functape_blas_bind
    bind.argtypes, bind.restype = (ctypes.c_void_p, ctypes.c_char_p), ctypes.c_char_p
    missing = bind(library._handle, PREFIX.encode())
    if missing:
        raise OSError(f"{library._name} lacks {PREFIX}{missing.decode()}")
    ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)  # only now: a half-bound shim must never be found


def config() -> dict[str, str | int | None]:
    """Versions, device and the BLAS in use, as `show_config` prints them."""
    blas = preload()
    import mlx.core as mx
    import numpy

    return {
        "python": sys.version.split()[0],
        "numpy": numpy.__version__,
        "mlx": mx.__version__,  # type: ignore[attr-defined]  # MLX's stubs lack it
        "device": str(mx.default_device()),
        "blas": blas.name,
        "blas version": blas.version,
        "blas threads": blas.threads,
        "blas chosen": blas.why,
    }


def show_config() -> None:
    """Print which Python, NumPy, MLX, device and BLAS are in use: good to put in a bug report.

    >>> import functape as ft
    >>> ft.show_config()  # doctest: +ELLIPSIS
    python: ...
    """
    for name, value in config().items():
        if value is not None:
            print(f"{name + ':':14} {value}")
