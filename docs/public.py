"""A directive that documents all public functions and classes of a namespace: ``public``."""

import importlib
import re

from offered import names
from sphinx.util.docutils import SphinxDirective

import functape


class Public(SphinxDirective):
    """Signature and docstring of each."""

    required_arguments = 1

    def run(self):
        namespace, lines = self.arguments[0], []
        for name, kind in names(namespace):
            elsewhere = namespace != "functape" and name in functape.__all__
            again = elsewhere and getattr(functape, name) is getattr(
                importlib.import_module(namespace), name)
            lines += [f".. auto{kind}:: {namespace}.{name}", *["   :no-index:"] * again,
                      *["   :no-value:"] * (kind == "data"), ""]
        return self.parse_text_to_nodes("\n".join(lines))


def plain_bars(app, what, name, obj, options, lines):
    """In docstrings |x| is an absolute value and **kwargs a parameter; reST has other ideas."""
    code = False
    for i, line in enumerate(lines):
        code = line.strip() != "" and (code or line.lstrip().startswith((">>>", ".. math")))
        if not code:
            line = re.sub(r"(?<!\\)\|", r"\\|", line)
            line = re.sub(r"(?<!`)(`[\w.]+`)(?=\w)", r"\1\\ ", line)  # `mx.array`s
            line = re.sub(r"(?<![\\*`])\*\*(?=\w+[,:\s*]|\w+$)", r"\\*\\*", line)
            lines[i] = re.sub(r"(?<![\\*`\w])\*(?=[\w.]+[,:)\s]|\w+$)", r"\\*", line)  # (*shape, d)
