"""Sphinx: `make docs`."""

import sys
from pathlib import Path

import functape

sys.path.insert(0, str(Path(__file__).parent))
import accuracy_table
import op_table
import public

project = "functape"
author = "The functape authors"
release = version = functape.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
html_theme = "furo"
html_title = "functape"
suppress_warnings = ["myst.xref_missing"]  # links to files beside the documentation: notebooks


TABLES = {"ops": ("% op table", op_table), "accuracy": ("% accuracy table", accuracy_table)}


def fill_in(app, page, source):
    if page in TABLES:
        mark, table = TABLES[page]
        source[0] = source[0].replace(mark, table.markdown())


def setup(app):
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-docstring", public.plain_bars, priority=900)
    app.add_directive("public", public.Public)
