"""Sphinx: `make docs`."""

import sys
from pathlib import Path

from sphinx import addnodes

import functape

sys.path.insert(0, str(Path(__file__).parent))
import accuracy_table
import op_table
import performance
import public

project = "functape"
author = "The functape authors"
release = version = functape.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "formulas"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
html_theme = "furo"
html_title = "functape"
html_static_path = ["_static"]
html_css_files = ["functape.css"]
html_show_copyright = False
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


def to_notebooks(app, doctree):
    """Links to notebooks, whose symbolic link Sphinx follows out of docs/, lead to their pages."""
    for link in doctree.findall(addnodes.pending_xref):
        page = f"tutorials/{Path(link['reftarget']).name}"
        if link.get("refdomain") == "doc" and page in app.env.found_docs:
            link["reftarget"] = page


def setup(app):
    app.connect("doctree-read", to_notebooks)
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-docstring", public.plain_bars, priority=900)
    app.add_directive("public", public.Public)
