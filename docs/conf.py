"""Sphinx: `make docs`."""

import functape

project = "functape"
author = "The functape authors"
release = version = functape.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
html_theme = "furo"
html_title = "functape"
