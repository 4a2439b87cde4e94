"""Where a leaf stands in a pytree, and where two pytrees differ."""

import inspect
from dataclasses import dataclass
from typing import Any

import optree


@dataclass(frozen=True)
class SequenceKey:
    """An entry of a tuple or list.

    Args:
      idx: its number.
    """

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"


@dataclass(frozen=True)
class DictKey:
    """An entry of a dict.

    Args:
      key: its key.
    """

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"


@dataclass(frozen=True)
class GetAttrKey:
    """A field of a named tuple, a dataclass or another object.

    Args:
      name: of the field.
    """

    name: str

    def __str__(self):
        return f".{self.name}"


@dataclass(frozen=True)
class FlattenedIndexKey:
    """A child of a registered class that does not name its children.

    Args:
      key: its number.
    """

    key: int

    def __str__(self):
        return f"[<flat index {self.key}>]"


KEYS = (SequenceKey, DictKey, GetAttrKey, FlattenedIndexKey)


class KeyEntry(optree.PyTreeEntry):
    """optree's view of a key that the user gave: see `tree_util.register_pytree_with_keys`."""

    def codify(self, node=""):
        return node + str(self.entry)


def key_of(entry):
    """The key of one of optree's entries."""
    given = entry.entry
    if isinstance(entry, KeyEntry):
        return given
    if isinstance(entry, optree.NamedTupleEntry | optree.StructSequenceEntry):
        return GetAttrKey(entry.field)
    if isinstance(entry, optree.GetAttrEntry):
        return GetAttrKey(given)
    if isinstance(entry, optree.MappingEntry):
        return DictKey(given)
    if isinstance(entry, optree.SequenceEntry):
        return SequenceKey(given)
    return FlattenedIndexKey(given) if isinstance(given, int) else DictKey(given)


def keys_of(accessor):
    """The path to a leaf: a tuple of keys."""
    return tuple([key_of(entry) for entry in accessor])


def keystr(keys, *, simple=False, separator=""):
    """A path as text.

    Args:
      keys: tuple of keys.
      simple: the bare names and numbers.
      separator: what to put between them.

    >>> keystr((DictKey("w"), SequenceKey(0)))
    "['w'][0]"
    >>> keystr((DictKey("w"), SequenceKey(0)), simple=True, separator="/")
    'w/0'
    """
    return separator.join(bare(k) if simple else str(k) for k in keys)


def bare(key):
    for name in ("key", "idx", "name"):
        if hasattr(key, name):
            return str(getattr(key, name))
    return str(key)


# --- differences --------------------------------------------------------------------------------


def structure_differences(a, b, at="", names=("first", "second")):
    """Every place where two structures differ: lines that name the path and what is there."""
    place = at or "the tree itself"
    if a == b:
        return []
    if a.type is not b.type:
        return [f"{place}: {say(a)} in the {names[0]}, {say(b)} in the {names[1]}"]
    ours, theirs = children(a), children(b)
    lines = [f"{at}{key}: only in the {names[0]}" for key in ours if key not in theirs]
    lines += [f"{at}{key}: only in the {names[1]}" for key in theirs if key not in ours]
    for key, child in ours.items():
        if key in theirs:
            lines += structure_differences(child, theirs[key], at + key, names)
    if not lines:
        lines = [f"{place}: two {a.type.__name__} with different static data"]
    return lines


def children(structure):
    """The children of a structure by the text of their keys."""
    keys = [str(key_of(accessor[0])) for accessor in structure.one_level().accessors()]
    return dict(zip(keys, structure.children(), strict=True))


def say(structure):
    if structure.is_leaf():
        return "a leaf"
    if structure.type is type(None):
        return "None"
    return f"a {structure.type.__name__} of {structure.num_children}"


def parameter_labels(f, count):
    """Names for positional arguments: those of the function's parameters where it tells."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # some built-in functions have no signature
        parameters = ()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*names[:count], *(f"args[{i}]" for i in range(len(names), count))]
