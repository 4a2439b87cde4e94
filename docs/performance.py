"""The tables of the page on performance, made from what `make figures` measured."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
MEASURED = HERE / "performance.json"


def markdown():
    """The tables as Markdown."""
    sys.path.insert(0, str(HERE.parent))  # for tests.benchmarks, which knows its own form
    from tests.benchmarks import report

    found = json.loads(MEASURED.read_text(encoding="utf-8"))
    return "\n\n".join([heading(found["about"]), *report.sections(
        found["workloads"], found["curves"], found["about"]["libraries"])])


def heading(about):
    """On which machine, with what, and how long."""
    versions = ", ".join(f"{name} {version}" for name, version in about["installed"].items())
    sizes = "**toy sizes, which show the form of the tables and no speed**, " * about["toy"]
    return (f"{about['machine']}; Python {about['python']}, {versions}; {sizes}{about['rounds']} "
            f"round{'s' * (about['rounds'] != 1)} of {about['seconds']:g} s for each library.")
