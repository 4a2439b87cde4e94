"""What pyproject.toml cannot say: the two source trees, and a shim that is built on Linux only."""

import sys

from setuptools import Extension, find_packages, setup

# The transforms lie in a tree of their own and are installed as functape.transforms.
packages = find_packages(include=["functape", "functape.*"])
packages += [f"functape.{name}" for name in find_packages(include=["transforms", "transforms.*"])]

# A plain shared library, which blas.py opens by path: it needs no Python header, fits every Python,
# and is left out (optional) where there is no compiler.
linux = sys.platform.startswith("linux")
shim = Extension(
    "functape._blas_shim", ["functape/_blas_shim.c"], optional=True, py_limited_api=True
)

setup(
    packages=packages,
    package_dir={"functape": "functape", "functape.transforms": "transforms"},
    ext_modules=[shim] if linux else [],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if linux else {},
)
