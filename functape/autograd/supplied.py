"""What this package borrows from functape.transforms, which stands above it and is loaded when the
first is borrowed."""

import importlib

HOMES = {"jvp": "forward", "vjp": "reverse", "vmap": "vmap", "apply_function": "function"}


def __getattr__(name):
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"functape.transforms.{HOMES[name]}"), name)
