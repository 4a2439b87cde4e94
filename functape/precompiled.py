"""The header that all of MLX's fused CPU kernels include, compiled once.

On a Linux CPU `mx.compile` writes a C++ file for each group of operations that it fuses, and calls
g++ on it. Nine tenths of the time go into reading one header. GCC takes a precompiled one where it
finds it, and looks first beside the file that includes it: in MLX's own directory of kernels.
`make` has one made there, in the background and once for all programs, if there is none.

    FUNCTAPE_PRECOMPILED=off    none is made

Nothing depends on it: a header that does not fit, since the compiler is another now, is not used.
"""

import functools
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import mlx.core as mx

HEADER = Path("mlx", "backend", "cpu", "compiled_preamble.h")
FLAGS = "-std=c++17 -O3 -Wall -fPIC -shared"  # MLX's: it would not fit with others
COMMAND = (f'("$0" {FLAGS} -I "$1" -x c++-header "$2" -o "$3" && mv "$3" "$4" || rm -f "$3")'
           " > /dev/null 2>&1 &")


@functools.cache
def make():
    """Start to make the header, unless it is there. Called before the first graph is compiled."""
    target = kernels() / f"{HEADER}.gch"
    if target.exists() or not wanted():
        return
    header, compiler = source(), shutil.which("g++")
    if header is None or compiler is None:
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    part = f"{target}.{os.getpid()}"  # other programs may be at it, too
    subprocess.run(["sh", "-c", COMMAND, compiler, header.parents[3], header, part, target])


def wanted():
    off = os.environ.get("FUNCTAPE_PRECOMPILED", "").strip().lower() == "off"
    return not off and sys.platform.startswith("linux") and mx.default_device().type == mx.cpu


def source():
    """The header in MLX's package; None if it has none."""
    spec = find_spec("mlx")
    places = (spec.submodule_search_locations if spec else None) or []
    found = (Path(place, "include", HEADER) for place in places)
    return next((path for path in found if path.exists()), None)


def kernels():
    """The directory that MLX writes its kernels to."""
    named = (os.environ.get(name) for name in ("TMPDIR", "TMP", "TEMP", "TEMPDIR"))
    return Path(next(filter(None, named), "/tmp"), "mlx", mx.__version__, "cpu")
