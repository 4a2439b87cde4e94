"""Wrong arguments of every function of functape.numpy, its linalg and fft, the table made from the
namespaces: JAX's kind of error, and a message that names the function and the argument."""

import functape as ft

# isort: split
import inspect

import numpy
import pytest

from functape.errors import FunctapeError
from functape.suggest import public

SPACES = ("numpy", "numpy.linalg", "numpy.fft")
# NumPy's own functions on files, and on how arrays are printed, with NumPy's errors.
# The shape of a list is an answer, as in NumPy. `positive` is a helper that the module shares.
EXCEPT = {"frombuffer", "fromfile", "fromiter", "fromstring", "load", "save", "savez",
          "set_printoptions", "printoptions", "einsum_path", "ndim", "shape", "size",
          "fft.positive"}
# Where Python's int(), or the arrays that the other arguments are, decide on JAX's kind of error.
KINDLESS = {"bartlett", "blackman", "hamming", "hanning", "kaiser", "fftfreq", "rfftfreq",
            "packbits", "unpackbits", "put_along_axis", "resize", "select"}
OP_NAMES = {"absolute": "abs", "rint": "round"}  # of functions that are ops
# What else an argument of that name needs to be, beside a vector.
OTHERS = {"shape": (3,), "axis": 0, "axes": (0,), "repeats": 2, "N": 3, "n": 2, "num": 3,
          "pad_width": 1, "indices": numpy.zeros(1, int), "indices_or_sections": 1, "source": 0,
          "destination": 0, "axis1": 0, "axis2": 0, "dtype": "float32", "k": 1, "reps": 2,
          "q": 0.5, "deg": 1, "obj": 0, "kth": 0, "func1d": numpy.sum, "func": numpy.sum,
          "mask_func": numpy.triu, "dims": (3,), "function": lambda i: i, "inplace": False,
          "arrays": [numpy.ones(3)], "tup": [numpy.ones(3)], "seq": [numpy.ones(3)],
          "choicelist": [numpy.ones(3)] * 2}


def of(library, path):
    for part in path.split("."):
        library = getattr(library, part, None)
    return library


def names():
    for space in SPACES:
        module = of(ft, space)
        for name in public(module):
            f = getattr(module, name)
            own = "__all__" in vars(module) or getattr(f, "__module__", "") == module.__name__
            if own and callable(f) and not isinstance(f, type) and parameters(f) and (
                    f"{space}.{name}".removeprefix("numpy.") not in EXCEPT):
                yield f"{space}.{name}"


def parameters(f):
    return inspect.signature(f).parameters


def call(library, path, wrong):
    """What the function raises, given right arguments but for the `wrong` ones."""
    f, given, named = of(library, path), [], {}
    if f is None:
        return None
    for i, (name, p) in enumerate(parameters(of(ft, path)).items()):
        found = wrong.get(name, wrong.get(i, OTHERS.get(name, numpy.ones(3, numpy.float32))))
        if p.kind is p.KEYWORD_ONLY or i and p.default is not p.empty:
            if name in wrong or name == "inplace":
                named[name] = found
        elif p.kind is not p.VAR_KEYWORD and (i == 0 or p.kind is not p.VAR_POSITIONAL):
            given.append(found)
    try:
        f(*given, **named)
    except Exception as error:
        return error
    return None


WRONG = {"a string": {0: "abc"}, "a list": {0: [1.0, 2.0]}, "an axis that is none": {"axis": "x"},
         "an axis too many": {"axis": 7}}


def cases():
    for path in sorted(set(names())):
        for label, wrong in WRONG.items():
            if 0 in wrong or list(wrong)[0] in parameters(of(ft, path)):
                yield pytest.param(path, wrong, id=f"{path.removeprefix('numpy.')}-{label}")


@pytest.mark.parametrize("path, wrong", list(cases()))
def test_wrong_argument(path, wrong, oracle):
    theirs = call(oracle, path, wrong)
    if theirs is None and of(oracle, path) is not None:
        return  # JAX takes it
    error = call(ft, path, wrong)
    assert isinstance(error, FunctapeError), repr(error)
    name, first = path.rpartition(".")[2], list(parameters(of(ft, path)))[0]
    for kind in (TypeError, ValueError):
        if type(theirs) is kind and name not in KINDLESS:
            assert isinstance(error, kind), f"{error!r}, but JAX: {theirs!r}"
    message = str(error)
    assert any(n in message for n in (name, of(ft, path).__name__, OP_NAMES.get(name, name))), (
        message)
    words = ("axis",) if "axis" in wrong else (
        "argument 0", first, "array 0", "str", "list of 2", "'abc'", "[1.0, 2.0]", "1.0 (float)")
    assert any(word in message for word in words), message
