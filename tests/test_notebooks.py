"""The notebooks run, say nothing of an earlier run, and end every section in an assertion."""

import functape  # noqa: F401

# isort: split
import importlib.util
import json
import pathlib

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
DRAWS = importlib.util.find_spec("matplotlib") is not None
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def is_plot(cell):
    """Plots need matplotlib, which the library and its tests do not."""
    return "plot" in cell["metadata"].get("tags", [])


@each
def test_runs(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    scope = {"__name__": "__main__"}
    for number, cell in enumerate(cells(path)):
        if cell["cell_type"] == "code" and (DRAWS or not is_plot(cell)):
            exec(compile(source(cell), f"{path.name}, cell {number}", "exec"), scope)


@pytest.mark.nightly
@each
def test_runs_in_a_kernel(path):
    """As a reader runs it, in IPython, with its pictures."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    for cell in notebook.cells:
        if DRAWS and is_plot(cell):
            assert any({"image/png", "image/svg+xml"} & set(out.get("data", ()))
                       for out in cell.outputs), cell.id


@each
def test_is_stored_clean(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and notebook["nbformat_minor"] >= 5
    assert len({c["id"] for c in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or (
            cell["outputs"] == [] and cell["execution_count"] is None)


@each
def test_every_section_ends_in_an_assertion(path):
    sections = {}
    for cell in cells(path):
        if cell["cell_type"] == "markdown":
            heading = source(cell).splitlines()[0]
        elif heading.startswith("## ") and not is_plot(cell):
            sections[heading] = source(cell)
    assert sections
    for heading, last in sections.items():
        assert "assert " in last, f"{path.name}: {heading}"


def test_the_tape_from_scratch_is_short():
    path = next(p for p in NOTEBOOKS if p.stem.endswith("tape_from_scratch"))
    code = [line for c in cells(path) if c["cell_type"] == "code"
            for line in source(c).splitlines() if line.strip()]
    assert len(code) <= 150
