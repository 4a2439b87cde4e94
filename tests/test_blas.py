"""Which BLAS MLX gets. The choice falls once a process, so each case is a process of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mlx
import pytest

from functape import blas

LINUX = sys.platform.startswith("linux")
SHIM = next(Path(blas.__file__).parent.glob("_blas_shim*.so"), None)
LIBMLX = Path(next(iter(mlx.__path__)), "lib", "libmlx.so")

cpu_wheel = pytest.mark.skipif(
    not LINUX or not blas._is_cpu_wheel(), reason="functape loads a BLAS for MLX's Linux CPU wheel"
)
with_shim = pytest.mark.skipif(
    not SHIM or not Path(blas._wheel_library()).exists(),
    reason="needs scipy-openblas32, and the shim that a C compiler builds",
)

# blas.py by its file: the package would import mlx.core on the way, and the order is what we test.
LOAD = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("blas", {blas.__file__!r})
blas = sys.modules["blas"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(blas)
"""


def run(code, **env):
    """The output of `code` after blas.py is loaded, in a process without our own BLAS settings."""
    ours = ("FUNCTAPE_BLAS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "LD_PRELOAD")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    command = [sys.executable, "-c", LOAD + code]
    child = subprocess.run(command, env=clean | env, capture_output=True, text=True)
    return child.stdout + child.stderr


def test_preloading_does_not_import_mlx():
    assert run("blas.preload(); print('mlx.core' in sys.modules)") == "False\n"


def test_config_is_complete():
    out = run("blas.show_config()")
    for name in ("python", "numpy", "mlx", "device", "blas", "blas chosen"):
        assert re.search(rf"^{name}: +\S", out, re.MULTILINE), out


@cpu_wheel
def test_off_loads_nothing():
    out = run("blas.show_config()", FUNCTAPE_BLAS="off")
    assert "MLX's own" in out and "FUNCTAPE_BLAS=off" in out and "version" not in out


@cpu_wheel
def test_a_wrong_path_is_an_error_that_names_it():
    out = run("blas.preload()", FUNCTAPE_BLAS="/no/such/libblas.so")
    assert re.search("ImportError: FUNCTAPE_BLAS must name .*'/no/such/libblas.so'.* unset", out)


@cpu_wheel
def test_a_library_that_is_no_blas_is_an_error():
    out = run("blas.preload()", FUNCTAPE_BLAS="libm.so.6")
    assert "ImportError" in out and "libm.so.6 exports neither cblas_sgemm" in out


@cpu_wheel
def test_too_late_is_said_once():
    out = run("import mlx.core; blas.preload(); blas.preload(); blas.show_config()")
    assert out.count("RuntimeWarning: mlx.core was imported before functape") == 1
    assert "import functape first" in out and "MLX's own" in out


@cpu_wheel
def test_too_late_does_not_matter_when_off():
    assert run("import mlx.core; blas.preload()", FUNCTAPE_BLAS="off") == ""


@cpu_wheel
def test_without_any_openblas_mlx_keeps_its_own():
    out = run("blas.PREFIX = 'none_'; blas.SYSTEM = 'libnone.so'; blas.show_config()")
    assert "MLX's own, slow" in out and "pip install 'functape[cpu]'" in out


@cpu_wheel
@with_shim
def test_the_wheel_is_used_through_the_shim():
    out = run("blas.show_config()")
    assert "libscipy_openblas.so" in out and "the scipy-openblas32 package" in out
    assert re.search(r"^blas version: +OpenBLAS \d", out, re.MULTILINE)


@cpu_wheel
@with_shim
@pytest.mark.parametrize("variable", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_the_usual_variables_set_the_threads(variable):
    assert re.search(r"blas threads: +1\n", run("blas.show_config()", **{variable: "1"}))


THREADS = "print(blas.preload().threads, 'OPENBLAS_NUM_THREADS' in blas.os.environ);"


@cpu_wheel
@with_shim
def test_threads_start_when_all_is_imported():
    cores = len(os.sched_getaffinity(0))
    out = run(THREADS + "blas.start_threads();" + THREADS)
    assert out == f"1 False\n{cores} False\n"
    with_all = f"import functape; from functape import blas; {THREADS}"
    assert run(with_all).splitlines()[-1] == f"{cores} False"


@cpu_wheel
@with_shim
def test_threads_that_somebody_has_set_stay():
    library = blas._wheel_library()
    out = run(f"theirs = blas.ctypes.CDLL({library!r}); theirs.scipy_openblas_set_num_threads(1);"
              f"{THREADS} blas.start_threads(); {THREADS}")
    assert out == "1 False\n1 False\n"


@cpu_wheel
@with_shim
def test_mlx_takes_all_of_its_symbols_from_the_shim():
    out = run("blas.preload(); import mlx.core", LD_DEBUG="bindings")
    bound = re.findall(r"libmlx\.so \[0\] to (\S+) .*`((?:cblas_\w+|[sdcz][a-z]{4,5}_))'", out)
    assert "cblas_sgemm" in {symbol for _, symbol in bound}
    assert [symbol for library, symbol in bound if Path(library).name != SHIM.name] == []


@cpu_wheel
@with_shim
def test_openblas_itself_stays_private():
    seen = "print(hasattr(blas.ctypes.CDLL(None), {!r}));"
    names = seen.format("cblas_sgemm") + seen.format("scipy_cblas_sgemm")
    assert run("blas.preload();" + names) == "True\nFalse\n"


@cpu_wheel
@pytest.mark.skipif(not shutil.which("nm"), reason="needs nm")
def test_the_shim_has_all_that_mlx_takes():
    undefined = subprocess.check_output(["nm", "-D", "--undefined-only", LIBMLX], text=True)
    taken = set(re.findall(r" U (cblas_\w+|[sdcz][a-z]{4,5}_)$", undefined, re.MULTILINE))
    table = re.findall(r"ROW\((\w+)\)", Path(blas.__file__).with_name("_blas_shim.c").read_text())
    assert taken and taken <= set(table)


LINALG = """
blas.preload()
import mlx.core as mx, numpy as np
mx.set_default_device(mx.cpu)
a = np.random.default_rng(0).normal(size=(40, 40))
s, p = a + a.T, a @ a.T + np.eye(40)

def run(f, x):
    out = f(mx.array(x, dtype))
    return [np.array(y) for y in (out if isinstance(out, (tuple, list)) else [out])]

for dtype, tol in ((mx.float32, 1e-3), (mx.float64, 1e-10)):
    def same(name, got, want):
        assert np.allclose(got, want, rtol=tol, atol=tol * np.abs(want).max()), (name, dtype)
    same("matmul", run(lambda x: x @ x, a)[0], a @ a)
    same("inv", run(mx.linalg.inv, p)[0], np.linalg.inv(p))
    same("tri_inv", run(mx.linalg.tri_inv, np.tril(p))[0], np.linalg.inv(np.tril(p)))
    same("cholesky", run(mx.linalg.cholesky, p)[0], np.linalg.cholesky(p))
    order, low, up = run(mx.linalg.lu, a)
    same("lu", low[order] @ up, a)
    q, r = run(mx.linalg.qr, a)
    same("qr", q @ r, a)
    u, w, v = run(mx.linalg.svd, a)
    same("svd", (u * w) @ v, a)
    w, v = run(mx.linalg.eigh, s)
    same("eigh", (v * w) @ v.T, s)
    tol = 1e-4  # eigenvalues of any type are complex64
    same("eig", np.sum(run(mx.linalg.eigvals, a)[0]).real, np.trace(a))
dtype, tol = mx.complex64, 1e-3
c = a + 1j * a[::-1]
same("matmul", run(lambda x: x @ x, c)[0], c @ c)
u, w, v = run(mx.linalg.svd, c)
same("svd", (u * w) @ v, c)
w, v = run(mx.linalg.eigh, c + c.conj().T)
same("eigh", (v * w) @ v.conj().T, c + c.conj().T)
same("eig", np.sum(run(mx.linalg.eigvals, c)[0]), np.trace(c))
print("right")
"""


@cpu_wheel
@pytest.mark.parametrize("choice", ["", "off"])
def test_linear_algebra_is_right(choice):
    assert run(LINALG, FUNCTAPE_BLAS=choice) == "right\n"
