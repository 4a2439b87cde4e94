"""Sphinx: `make docs`."""

import sys
from pathlib import Path

import functape

sys.path.insert(0, str(Path(__file__).parent))
import accuracy_table
import op_table
import performance
import public

project = "functape"
author = "The functape authors"
release = version = functape.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
html_theme = "furo"
html_title = "functape"
exclude_patterns = ["tutorials/README.md", "**/.ipynb_checkpoints"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
suppress_warnings = ["myst.xref_missing"]  # links to files beside the documentation: the tests
nb_execution_mode = "cache"  # executed again where a notebook changed
nb_execution_cache_path = str(Path(__file__).parent.parent / "build" / "notebooks")
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True


GENERATED = {
    "ops": ("% op table", op_table),
    "accuracy": ("% accuracy table", accuracy_table),
    "performance": ("% performance", performance),
}


def fill_in(app, page, source):
    if page in GENERATED:
        mark, module = GENERATED[page]
        source[0] = source[0].replace(mark, module.markdown())


def setup(app):
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-docstring", public.plain_bars, priority=900)
    app.add_directive("public", public.Public)
