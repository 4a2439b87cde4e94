"""Arrays and values, each made to work with the other: operators, methods, brackets, isinstance."""

import functools

import mlx.core as mx

from functape.errors import ArgumentError, describe
from functape.mlx.functions import holds_value, wrappers
from functape.mlx.state import active, asked_by_functape, dispatching
from functape.mlx.translations.functions import plain
from functape.numpy.operators import BINARY, COMPARISON
from functape.op import Value
from functape.tensor import Tensor, constant

MISSING = object()

# --- operators of mx.array ------------------------------------------------------------------------


def operator(original, op):
    """``array . value`` as well as what MLX defines."""

    def operate(a, b):
        if active.depth and isinstance(b, Value):
            return op(constant(a), b)
        return original(a, b)

    return operate


def read(original):
    def getitem(a, key):
        if active.depth and holds_value(key if type(key) is tuple else (key,)):
            return constant(a)[key]
        return original(a, key)

    return getitem


def write(original):
    def setitem(a, key, new):
        if active.depth and isinstance(new, Value):
            raise ArgumentError(
                f"a[...] = v would write a functape value into an mx.array, {describe(a)}, which "
                "cannot hold its derivative. Start from functape.asarray(a), or use "
                "a.at[...].add(v), mx.where or mx.slice_update, which return a new array.")
        if active.depth and holds_value(key if type(key) is tuple else (key,)):
            key = plain(key, "a[...] = v")
        return original(a, key, new)

    return setitem


class At:
    """``a.at[key]`` with MLX's methods, for arrays and for values."""

    def __init__(self, array, original):
        self.array, self.original = array, original

    def __getitem__(self, key):
        return Place(self.array, key, self.original)


class Place:
    """Positions in an array; what is added there may be a value."""

    NAMES = {"maximum": "max", "minimum": "min"}

    def __init__(self, array, key, original):
        self.array, self.key, self.original = array, key, original

    def __getattr__(self, name):
        """MLX's method, on plain arrays alone; otherwise functape's of that meaning."""
        ours = getattr(constant(self.array).at[self.key], self.NAMES.get(name, name))
        if self.original is None or holds_value((self.key,)):
            return ours
        theirs = getattr(self.original(self.array)[self.key], name)

        def update(new, **options):
            return (ours if isinstance(new, Value) else theirs)(new, **options)

        return update


# --- attributes of values -------------------------------------------------------------------------


class Method:
    """MLX's method, for MLX code in a thread that dispatches; otherwise functape's own."""

    def __init__(self, function, own):
        self.function, self.own = function, own

    def __get__(self, value, owner=None):
        if value is not None and dispatching():
            return functools.partial(self.function, value)
        if self.own is MISSING:
            raise AttributeError(f"functape's arrays have no such attribute, unless MLX code runs "
                                 f"under functape.mlx.dispatch(): {self.function.__name__!r}.")
        return self.own.__get__(value, owner)


def transpose(a, *axes, stream=None):
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return wrappers()["transpose"](a, axes or None, stream=stream)


def reshape(a, *shape, stream=None):
    shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return wrappers()["reshape"](a, shape, stream=stream)


def class_of(value):
    """For ``isinstance(x, mx.array)`` in MLX code."""
    return mx.array if active.depth and not asked_by_functape(2) else type(value)


def stored(own):
    """``x[key] = y``; under jvp and vmap the wrapper becomes that of the changed array."""

    def setitem(value, key, new):
        if type(value) is Tensor or not dispatching():
            return own(value, key, new)
        changed = value.at[key].set(new)
        if type(changed) is not type(value) or changed.rank != value.rank:
            raise ArgumentError(f"x[...] = y would write a value of another transform into "
                                f"{describe(value)}. Use x.at[...].add(y), which returns a new "
                                "array.")
        for name in type(value).__slots__:
            setattr(value, name, getattr(changed, name))

    return setitem


# --- all of it ------------------------------------------------------------------------------------

METHODS = """
    abs all any argmax argmin astype conj cos cummax cummin cumprod cumsum diag diagonal exp flatten
    log log10 log1p log2 logcumsumexp logsumexp max mean min moveaxis prod reciprocal round rsqrt
    sin split sqrt square squeeze std sum swapaxes var view""".split()


def patches():
    """(owner, name, what stands there while anybody dispatches)."""
    arrays = vars(mx.array)
    for name, op in (BINARY | COMPARISON).items():
        for key in (f"__{name}__", f"__i{name}__"):
            if key in arrays:
                yield mx.array, key, operator(arrays[key], op)
    yield mx.array, "__getitem__", read(arrays["__getitem__"])
    yield mx.array, "__setitem__", write(arrays["__setitem__"])
    original_at = arrays["at"].fget
    yield mx.array, "at", property(lambda a: At(a, original_at))

    functions = {name: wrappers()[name] for name in METHODS}
    for name, function in {**functions, "transpose": transpose, "reshape": reshape}.items():
        yield Value, name, Method(function, vars(Value).get(name, MISSING))
    yield Value, "at", at_patch()
    yield Value, "seen_as", staticmethod(class_of)
    yield Value, "__setitem__", stored(vars(Value)["__setitem__"])


def at_patch():
    own = vars(Value)["at"]
    return property(lambda v: At(v, None) if dispatching() else own.__get__(v, type(v)))

