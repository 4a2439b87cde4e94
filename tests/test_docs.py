"""All that the documentation says in code is run: README, docs/ and the public docstrings."""

import functape

# isort: split
import contextlib
import doctest
import importlib
import importlib.util
import io
import json
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

from functape import op

NAMESPACES = [
    "functape", *(f"functape.{name}" for name in (
        "numpy", "numpy.linalg", "numpy.fft", "nn", "nn.initializers", "random", "lax",
        "lax.linalg", "scipy.special", "scipy.linalg", "scipy.sparse.linalg", "scipy.stats",
        "scipy.signal", "scipy.fft", "scipy.ndimage", "scipy.integrate", "autograd",
        "autograd.graph", "autograd.functional",
        "autograd.profiler", "optim", "mlx", "viz", "debug", "tree", "flatten_util", "test_util",
        "errors", "distributed", "tree_util", "custom_batching", "custom_derivatives"))]

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = [
    m.name for m in pkgutil.walk_packages(functape.__path__, "functape.")
    if not m.name.endswith(("__main__", "_blas_shim"))
]


@pytest.fixture(autouse=True)
def op_table():
    """Ops that a page adds leave the table again."""
    known = dict(op.table)
    yield
    op.table.clear()
    op.table.update(known)


def blocks(page, language):
    """The code blocks of a page in one language, each with its line number."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.S | re.M):
        yield text.count("\n", 0, match.start()) + 1, match[1]


class Checker(doctest.OutputChecker):
    """Numbers may differ in their last digits, as they do from one device to another."""

    def check_output(self, want, got, optionflags):
        if super().check_output(want, got, optionflags):
            return True
        number = r"-?\d+\.\d*(?:e[-+]\d+)?"
        wanted, found = re.findall(number, want), re.findall(number, got)
        close = [float(w) == pytest.approx(float(g), rel=1e-5, abs=1e-6)
                 for w, g in zip(wanted, found, strict=False)]
        want, got = (re.sub(rf" *{number} *", "0", text) for text in (want, got))
        return all(close) and super().check_output(want, got, optionflags)


def run(examples, name, scope):
    """Run examples, their complaints are the failure; returns their names and values."""
    test = doctest.DocTest(examples, scope, name, name, 0, None)
    said = io.StringIO()
    runner = doctest.DocTestRunner(Checker(), optionflags=FLAGS)
    with contextlib.redirect_stdout(io.StringIO()):
        result = runner.run(test, out=said.write, clear_globs=False)
    assert not result.failed, said.getvalue()
    return test.globs


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_page_runs(page):
    examples = []
    for line, code in blocks(page, "python"):
        found = doctest.DocTestParser().get_examples(code)
        assert found, f"{page.name}:{line} has Python that is not an example: begin it with >>>"
        for example in found:
            example.lineno += line
        examples += found
    run(examples, page.name, {"__name__": "__main__"})


def test_commands_exist():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = extras["project"]["optional-dependencies"]
    shell = "".join(code for page in PAGES for _, code in blocks(page, "sh"))
    assert {"demo", "test"} <= set(re.findall(r"^make (\w+)", shell, re.M)) <= set(targets)
    named = set(re.findall(r"pip install '[.\w]+\[(\w+)\]'", shell))
    assert {"cpu", "cuda12", "cuda13"} <= named <= set(extras)


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), (page, target)


def test_the_path_of_a_gradient_is_one_line():
    """engine.py, the README and the docs say the same."""
    def words(text):
        return " ".join(text.split())

    path = words(functape.engine.__doc__.split("\n\n")[1])
    for page in (ROOT / "README.md", ROOT / "docs" / "path_of_a_gradient.md"):
        assert path in words(page.read_text(encoding="utf-8")), page


@pytest.mark.parametrize(("page", "picture"), [
    ("README.md", "tape.svg"), ("docs/seeing.md", "gradients.svg")])
def test_a_picture_is_what_the_code_above_it_draws(page, picture):
    """If this fails because pictures got better: write `picture` to the file again."""
    text = (ROOT / page).read_text(encoding="utf-8")
    code = re.sub("^```.*", "", text[:text.index(picture + ")")], flags=re.M)
    scope = run(doctest.DocTestParser().get_examples(code), page, {})
    assert (ROOT / "docs" / picture).read_text(encoding="utf-8") == scope["picture"]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_run(module):
    module = importlib.import_module(module)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        if test.examples:
            run(test.examples, test.name, dict(test.globs))


def test_public_functions_have_an_example():
    public = {name: getattr(functape, name) for name in functape.__all__}
    missing = [name for name, f in public.items()
               if type(f).__name__ == "function" and ">>>" not in (f.__doc__ or "")]
    assert not missing


# What is said by elementary functions, or by those that name their source.
ELEMENTARY = {
    "scipy.special": "boxcox1p comb entr erfcx expit factorial gammasgn i0e i1e log_ndtr "
                     "log_softmax logit logsumexp softmax xlog1py xlogy",
    "optim": "Optimizer clip_grad_value_",
    "nn.initializers": "constant normal ones truncated_normal uniform variance_scaling zeros",
}


@pytest.mark.parametrize("namespace", ELEMENTARY)
def test_formulas_name_their_source(namespace):
    module = importlib.import_module(f"functape.{namespace}")
    source = r"DLMF \d+\.\d+|Abramowitz and Stegun \d|\b(19|20)\d\d\b"
    missing = [n for n in module.__all__ if not re.search(source, getattr(module, n).__doc__)]
    assert sorted(missing) == ELEMENTARY[namespace].split()


def test_names_on_the_pages_exist():
    """`functape.x.y` in the text names something."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        for dotted in re.findall(r"`functape\.([\w.]+)`", text):
            value = functape
            for i, name in enumerate(dotted.split(".")):
                if not hasattr(value, name):
                    importlib.import_module(".".join(("functape", *dotted.split(".")[: i + 1])))
                value = getattr(value, name)


def test_the_op_table_has_every_op(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    page = importlib.import_module("op_table").markdown()
    assert all(f"| `{name}` |" in page for name in op.table)
    lines = {line.split("`")[1]: line for line in page.splitlines() if "`" in line}
    numbers = "float, complex64, complex128"
    assert lines["sin"].endswith(f"| x | both | all | {numbers} | yes | – |")
    assert lines["max"].endswith("| x, ans | both | all | float | yes | ties share |")
    assert lines["cumsum"].endswith(f"| – | both, linear | all | {numbers} | yes | – |")
    assert lines["full_svd"].endswith("| – | refused | – | float32, float64 | yes | – |")
    assert lines["argmax"].endswith("| – | constant | – | float | yes | – |")


def test_the_page_on_performance_is_made_of_measurements(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    page = importlib.import_module("performance")
    text, found = page.markdown(), json.loads(page.MEASURED.read_text(encoding="utf-8"))
    assert "Time of a step" in text and text.startswith(found["about"]["machine"])
    assert found["about"]["toy"] == ("toy sizes" in text)


def test_every_page_is_in_the_contents():
    contents = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = " ".join(re.findall(r"```{toctree}\n(.*?)```", contents, re.S)).split()
    pages = {p.stem for p in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages <= set(listed) and "tutorials/*" in listed
    how = (ROOT / "docs" / "howto" / "index.md").read_text(encoding="utf-8")
    listed = re.search(r"```{toctree}\n(.*?)```", how, re.S)[1].split()
    assert {p.stem for p in (ROOT / "docs" / "howto").glob("*.md")} - {"index"} <= set(listed)


def test_every_namespace_has_a_page():
    """docs/public.py puts all its names there."""
    pages = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md"))
    for namespace in NAMESPACES:
        if importlib.util.find_spec(namespace):
            assert f".. public:: {namespace}\n" in pages, namespace
