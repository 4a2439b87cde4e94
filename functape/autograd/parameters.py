"""The tensors that an object holds, by dotted names; and calls with others in their places."""

import contextlib

from functape.errors import ArgumentError, ShapeError, describe
from functape.op import Value


def named_tensors(module):
    """The tensors that an object holds: in its attributes, dicts and sequences, at any depth.

    Args:
      module: the object.

    Returns:
      A dict from dotted paths, ``layers.0.weight``, to tensors. One that stands at several paths
      is listed once, at the first.

    >>> import functape as ft
    >>> list(ft.autograd.named_tensors({"w": ft.tensor(1.0), "layers": [ft.tensor(2.0)]}))
    ['w', 'layers.0']
    """
    first = {}
    for path, owner, key in places(module):
        first.setdefault(id(read(owner, key)), (path, read(owner, key)))
    return dict(first.values())


def functional_call(module, params, args=(), kwargs=None, *, strict=True):
    """Call an object, or a method or closure of one, with other tensors in place of its own.

    The object's own tensors are back in their places afterwards, also after an exception. A tensor
    that the object holds at several places is replaced at all of them. Threads should not call
    one object in this way at once.

    Args:
      module: a callable object that holds tensors in its attributes, dicts and lists.
      params: a dict from dotted paths (see `named_tensors`) to what takes their place: tensors,
        or anything array-like.
      args, kwargs: of the call; a single argument need not be in a tuple.
      strict: raise if `params` leaves out a tensor that requires grad. A path that the object
        does not have is always an error.

    >>> import functape as ft
    >>> class Line:
    ...     def __init__(self):
    ...         self.slope = ft.tensor(2.0, requires_grad=True)
    ...     def __call__(self, x):
    ...         return self.slope * x
    >>> line = Line()
    >>> f = lambda params, x: ft.autograd.functional_call(line, params, x)
    >>> ft.grad(f)({"slope": 5.0}, 3.0)
    {'slope': tensor(3.)}
    """
    if not callable(module):
        raise ArgumentError(f"functional_call takes a callable object, but got {describe(module)}.")
    if not isinstance(params, dict):
        raise ArgumentError("functional_call takes its params as a dict from dotted paths to "
                            f"tensors, but got {describe(params)}.")
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    with swapped(module, params, strict):
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def swapped(module, params, strict):
    """Put `params` in their places until the end of the block."""
    found = list(places(module))
    own = {path: read(owner, key) for path, owner, key in found}
    unknown = [p for p in params if p not in own]
    if unknown:
        raise ArgumentError(f"functional_call: params names {quoted(unknown)}, but the object "
                            f"holds {quoted(own) or 'no tensors'}.")
    new = {id(own[path]): value for path, value in params.items()}  # tied tensors move together
    missing = [path for path, t in own.items() if id(t) not in new and is_tracked(t)]
    if strict and missing:
        raise ArgumentError(f"functional_call: params leaves out {quoted(missing)}. Name every "
                            "tensor that requires grad, or pass strict=False to keep these.")
    for path, value in params.items():
        if getattr(value, "shape", own[path].shape) != own[path].shape:
            raise ShapeError(f"functional_call: {path!r} is {describe(own[path])}, but params has "
                             f"{describe(value)} for it.")
    moved = [(owner, key, own[path]) for path, owner, key in found if id(own[path]) in new]
    try:
        for owner, key, tensor in moved:
            write(owner, key, new[id(tensor)])
        yield
    finally:
        for owner, key, tensor in moved:
            write(owner, key, tensor)


def is_tracked(tensor):
    return getattr(tensor, "requires_grad", False)


def quoted(paths):
    return ", ".join(map(repr, paths))


# --- walking through an object ------------------------------------------------------------------


def places(module, prefix="", seen=None):
    """Where tensors stand: (path, owner, key), the key of an attribute being ``.name``."""
    seen = set() if seen is None else seen
    if id(module) in seen:
        return
    seen.add(id(module))
    for key, name, value in members(module):
        path = f"{prefix}.{name}" if prefix else str(name)
        if isinstance(value, Value):
            yield path, module, key
        else:
            yield from places(value, path, seen)


def members(owner):
    """The members of a container or object: (key, name in the path, value)."""
    if isinstance(owner, dict):
        for key, value in owner.items():
            yield key, key, value
    if isinstance(owner, list):
        for i, value in enumerate(owner):
            yield i, i, value
    elif isinstance(owner, tuple):
        for i, value in enumerate(owner):
            if isinstance(value, Value):
                raise ArgumentError(f"functional_call cannot replace a tensor in a tuple, at "
                                    f"position {i}. Keep it in a list.")
            yield i, i, value
    elif hasattr(owner, "__self__") and not isinstance(owner, type):  # a bound method
        yield from members(owner.__self__)
    for name, value in getattr(owner, "__dict__", {}).items():
        if not isinstance(owner, type):
            yield "." + name, name, value


def read(owner, key):
    if isinstance(key, str) and key.startswith("."):
        return target(owner).__dict__[key[1:]]
    return owner[key]


def write(owner, key, value):
    if isinstance(key, str) and key.startswith("."):
        target(owner).__dict__[key[1:]] = value
    else:
        owner[key] = value


def target(owner):
    """The object whose attributes these are: that of a bound method."""
    return getattr(owner, "__self__", owner)
