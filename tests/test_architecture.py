"""The rules of the code base, checked on its syntax: who may import whom, where MLX may appear,
what is documented, how long a file may be."""

import ast
import dis
import enum
import inspect
import pathlib
import subprocess
import sys
import types

import functape as ft

# isort: split
import mlx.core as mx
import pytest

from functape.op import Op

PACKAGE = pathlib.Path(ft.__file__).parent
TRANSFORMS = pathlib.Path(ft.transforms.__file__).parent
BUDGET = 400  # lines in a file
TEST_BUDGET = 500  # tables are long

# A module may import from its own layer and from those before it. The longest name that fits
# decides: functape.ops.linalg is in the layer of functape.ops.
LAYERS = [
    ["absent", "errors", "suggest", "later", "blas", "backend", "precompiled", "data", "tree_keys",
     "tree"],
    ["op"],
    ["calls"],
    ["promotion"],
    ["ops", "pairs", "arrays", "hooks", "tape", "dtypes", "foreign"],
    ["sinks", "pickling"],
    ["engine"],
    ["tensor"],
    ["weak"],
    ["ad_checkpoint", "autograd", "custom_batching", "custom_derivatives", "fft", "lax", "linalg",
     "mlx", "nn", "numpy", "optim", "profiler", "random", "scipy", "viz",
     "debug", "distributed", "flatten_util", "tree_util", "transforms"],
    ["test_util", "demo", "__init__", "__main__"],
]
LAYER = {name: i for i, names in enumerate(LAYERS) for name in names}


def modules():
    """Dotted name -> (path, syntax tree) of all modules of the library."""
    found = {}
    for root, prefix in ((PACKAGE, "functape"), (TRANSFORMS, "functape.transforms")):
        for path in sorted(root.rglob("*.py")):
            inside = path.relative_to(root).with_suffix("").parts
            if inside[0] == "transforms" and root == PACKAGE:
                continue
            dotted = ".".join((prefix, *(p for p in inside if p != "__init__")))
            found[dotted] = path, ast.parse(path.read_text())
    return found


MODULES = modules()
each_module = pytest.mark.parametrize("name", MODULES)


def imports(name):
    """What a module imports: (module, line, whether only its users load it: in a block `later`)."""
    path, tree = MODULES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    late = {inner for node in tree.body if isinstance(node, ast.With)
            and "later" in ast.unparse(node.items[0]) for inner in node.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join((*parent, *([base] if base else [])))
            targets = [f"{base}.{a.name}" if f"{base}.{a.name}" in MODULES else base
                       for a in node.names]
        else:
            continue
        yield from ((t, node.lineno, node in late) for t in targets)


def layer(dotted):
    """The place of a module in the order of imports; None: not of the library."""
    if dotted == "functape":
        return LAYER["__init__"]
    head, _, rest = dotted.partition(".")
    return LAYER.get(rest.partition(".")[0], None) if head == "functape" else None


def test_each_module_has_a_layer():
    unknown = [name for name in MODULES if layer(name) is None]
    assert not unknown, f"add to LAYERS in tests/test_architecture.py: {unknown}"


@each_module
def test_imports_point_one_way(name):
    """Also inside functions and by relative imports."""
    for target, line, late in imports(name):
        if late:
            continue
        place = layer(target)
        if place is None:
            assert target.partition(".")[0] != "functape", f"{name}:{line} imports {target}"
            continue
        assert place <= layer(name), f"{name}:{line} imports {target}, which is of a later layer"


def test_tape_and_ops_do_not_know_each_other():
    for name in MODULES:
        for target, line, _ in imports(name):
            assert not (name == "functape.tape" and target.startswith("functape.ops")), line
            assert not (name.startswith("functape.ops") and target in (
                "functape.tape", "functape.hooks")), f"{name}:{line} imports {target}"


def test_engine_names_no_op():
    """Nor a transform: the walk is the same for all. All it knows is what a node is."""
    known = {t for t, _, _ in imports("functape.engine") if layer(t) is not None}
    assert known <= {"functape.tape", "functape.hooks"}


@each_module
def test_oracles_are_not_imported(name):
    """JAX, PyTorch and SciPy serve the tests, and the demo's comparison."""
    for target, line, _ in imports(name):
        oracle = target.partition(".")[0] in ("jax", "torch", "scipy", "autograd")
        assert not oracle or name.startswith("functape.demo"), f"{name}:{line} imports {target}"


@each_module
def test_library_does_not_import_tests_or_sources_by_other_names(name):
    for target, line, _ in imports(name):
        assert target.partition(".")[0] not in ("tests", "transforms", "conftest"), f"{name}:{line}"


@each_module
def test_file_length(name):
    path, _ = MODULES[name]
    lines = len(path.read_text().splitlines())
    assert lines <= BUDGET, f"{path.name} has {lines} lines; split it by ideas"


def test_test_files_have_a_budget_too():
    here = pathlib.Path(__file__).parent
    long = {p.name: n for p in here.rglob("*.py")
            if (n := len(p.read_text().splitlines())) > TEST_BUDGET}
    assert not long
    assert len((here / "test_tiny.py").read_text().splitlines()) <= 100


def test_sources_of_the_transforms_cannot_be_imported_by_themselves():
    """A second copy would not know the values of the first."""
    run = subprocess.run([sys.executable, "-c", "import transforms"], cwd=TRANSFORMS.parent,
                         capture_output=True, text=True)
    assert run.returncode and "ImportError" in run.stderr
    assert "functape.transforms" in run.stderr


# --- rules never touch MLX ------------------------------------------------------------------------


def formulas():
    """(name, formula) of all vjp and jvp rules in the op table."""
    from op_inputs import OPS

    for op in OPS.values():
        rules = [*op.vjp, *(op.jvp if isinstance(op.jvp, tuple) else ())]
        for k, rule in enumerate(r for r in rules if r is not None):
            yield f"{op.name}[{k}]", rule.formula


def reached(formula, seen):
    """Collect the formula, the helpers it calls and what it closes over; not other ops."""
    if isinstance(formula, Op) or not isinstance(formula, types.FunctionType) or formula in seen:
        return
    seen.add(formula)
    cells = [c.cell_contents for c in formula.__closure__ or ()]
    for name in names_in(formula.__code__):
        helper = formula.__globals__.get(name)
        if str(getattr(helper, "__module__", "")).startswith("functape."):
            reached(helper, seen)
    for value in cells:
        reached(value, seen)


def names_in(code):
    names = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            names |= names_in(const)
    return names


def functions_of_mlx(f):
    """What a function takes from MLX or NumPy, except dtypes and constants."""
    steps = list(dis.get_instructions(f))
    for this, following in zip(steps, steps[1:], strict=False):
        module = f.__globals__.get(this.argval) if isinstance(this.argval, str) else None
        if isinstance(module, types.ModuleType) and module.__name__.startswith(("mlx.", "numpy")):
            if callable(getattr(module, following.argval)) and not isinstance(
                    getattr(module, following.argval), mx.Dtype):
                yield f"{this.argval}.{following.argval}"


def test_rules_call_nothing_of_mlx():
    """Kernels do. A rule in ops and operators works on arrays and on values alike."""
    guilty = []
    for label, formula in formulas():
        functions = set()
        reached(formula, functions)
        for f in functions:
            guilty += [f"{label}: {f.__module__}.{f.__name__} uses {used}"
                       for used in functions_of_mlx(f)]
    assert not guilty, "\n".join(guilty)


# --- documentation --------------------------------------------------------------------------------

NAMESPACES = ["functape", "functape.numpy", "functape.numpy.linalg", "functape.numpy.fft",
              "functape.nn", "functape.random", "functape.lax", "functape.scipy.special",
              "functape.lax.linalg", "functape.scipy.linalg",
              "functape.scipy.sparse.linalg", "functape.scipy.stats", "functape.scipy.signal",
              "functape.scipy.fft", "functape.scipy.ndimage", "functape.scipy.integrate",
              "functape.autograd",
              "functape.autograd.graph", "functape.autograd.profiler", "functape.optim",
              "functape.mlx", "functape.viz", "functape.debug", "functape.distributed",
              "functape.test_util", "functape.tree", "functape.errors"]


def public(namespace):
    """(name, function or class) of what a namespace offers."""
    try:
        module = __import__(namespace, fromlist=["_"])
    except ModuleNotFoundError:
        return []
    own = [n for n, v in vars(module).items() if not n.startswith("_")
           and getattr(v, "__module__", "") == namespace]
    found = [(n, getattr(module, n)) for n in getattr(module, "__all__", own)]
    return [(n, v) for n, v in found
            if (inspect.isfunction(v) or inspect.isclass(v) or isinstance(v, Op))
            and str(getattr(v, "__module__", "functape")).startswith("functape")]


PLAIN = (Exception, Warning, tuple, enum.Enum)  # classes that explain themselves


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_public_functions_have_a_docstring_with_an_example(namespace):
    bare = [n for n, v in public(namespace) if not (inspect.getdoc(v) or "").strip()]
    assert not bare, f"without docstring: {bare}"
    mute = [n for n, v in public(namespace) if ">>>" not in inspect.getdoc(v)
            and not (inspect.isclass(v) and issubclass(v, PLAIN))]
    assert not mute, f"without example: {mute}"


@each_module
def test_modules_have_a_docstring(name):
    path, tree = MODULES[name]
    assert ast.get_docstring(tree), f"{path} says nothing of what it is for"


@each_module
def test_user_mistakes_are_not_asserted(name):
    """`assert` disappears under python -O."""
    path, tree = MODULES[name]
    found = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Assert)]
    assert not found or "demo" in name, f"{path.name}: assert in lines {found}"
