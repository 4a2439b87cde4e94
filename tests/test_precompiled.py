"""The header of MLX's fused kernels is made once, where GCC finds it for each of them."""

import os
import shutil
import subprocess
import sys
import time

import mlx.core as mx
import pytest

from functape import precompiled

ON_CPU = sys.platform.startswith("linux") and mx.default_device().type == mx.cpu
pytestmark = pytest.mark.skipif(not (ON_CPU and shutil.which("g++") and precompiled.source()),
                                reason="MLX calls g++ on a Linux CPU only")

JIT = """
import functape as ft, functape.numpy as np
print(ft.jit(ft.grad(lambda x: np.sin(x) * np.tanh(x) - x * 0.3))(0.0))
"""


def run(folder, code, **env):
    env = os.environ | {"TMPDIR": str(folder)} | env
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)


def header_in(folder):
    return folder / "mlx" / mx.__version__ / "cpu" / f"{precompiled.HEADER}.gch"


def test_kernels_of_jit_are_compiled_with_it(tmp_path):
    done = run(tmp_path, JIT)
    assert done.stdout == "tensor(-0.3)\n", done.stderr
    header = header_in(tmp_path)
    until = time.monotonic() + 60
    while not header.exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert os.listdir(header.parent) == [header.name]  # nothing half made is left
    kernel = next((tmp_path / "mlx").rglob("*.cpp"))
    include = precompiled.source().parents[3]
    seen = subprocess.run(["g++", *precompiled.FLAGS.split(), "-H", "-fsyntax-only", "-I", include,
                           kernel], capture_output=True, text=True, check=True).stderr
    assert seen.splitlines()[0] == f"! {header}"  # so GCC says that it takes a precompiled one


def test_it_is_made_by_jit_only_and_can_be_turned_off(tmp_path):
    run(tmp_path, "import functape as ft; ft.grad(ft.numpy.sin)(0.0)")
    assert not header_in(tmp_path).parent.exists()
    done = run(tmp_path, JIT, FUNCTAPE_PRECOMPILED="off")
    assert done.stdout == "tensor(-0.3)\n" and not header_in(tmp_path).parent.exists()


def test_where_it_cannot_be_written_nothing_happens(tmp_path):
    (tmp_path / "mlx").write_text("in the way")
    code = "from functape import precompiled; precompiled.make(); print('goes on')"
    assert run(tmp_path, code).stdout == "goes on\n"
