"""Pytrees by jax.tree's names: tuples, lists, dicts, named tuples, None and registered classes.

The work is optree's. Classes are registered for functape alone (see `functape.tree_util`); those
that are registered with optree for everyone are known here too.
"""

import builtins
import dataclasses
import functools

import optree

from functape.errors import ArgumentError, ShapeError, check_callable, describe
from functape.suggest import for_names_of
from functape.tree_keys import keys_of, structure_differences

__all__ = [
    "all", "broadcast", "differences", "flatten", "flatten_with_path", "leaves",
    "leaves_with_path", "map", "map_with_path", "paths", "reduce", "reduce_associative",
    "static", "structure", "transpose", "unflatten",
]

NAMESPACE = "functape"
MISSING = object()


def flatten(tree, is_leaf=None):
    """Leaves and structure. `None` is structure, not a leaf.

    Args:
      tree: pytree.
      is_leaf: function of a subtree that says whether to take it as a leaf.

    >>> flatten({"b": 1, "a": (2, None)})[0]
    [2, 1]
    """
    return optree.tree_flatten(tree, is_leaf, namespace=NAMESPACE)


def unflatten(treedef, leaves):
    """The tree of a structure with these leaves.

    Args:
      treedef: a structure.
      leaves: as many as it has.

    >>> unflatten(structure([0, 0]), [1, 2])
    [1, 2]
    """
    if not isinstance(treedef, optree.PyTreeSpec):
        raise ArgumentError("tree.unflatten takes a structure first, as tree.structure(x) gives "
                            f"it, but got {describe(treedef)}.")
    leaves = list(leaves)
    if len(leaves) != treedef.num_leaves:
        raise ShapeError(f"tree.unflatten: the structure has {treedef.num_leaves} leaf(s), but "
                         f"{len(leaves)} are given. Give one for each.")
    return optree.tree_unflatten(treedef, leaves)


def map(f, tree, *rest, is_leaf=None):
    """Apply `f` to the leaves; further trees have the same structure, or more below the leaves.

    Args:
      tree: a pytree.
      *rest: further pytrees.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> map(lambda a, b: a + b, [1, 2], [3, 4])
    [4, 6]
    """
    check_callable("tree.map", f)
    if not rest:
        return optree.tree_map(f, tree, is_leaf=is_leaf, namespace=NAMESPACE)
    leaves, treedef = flatten(tree, is_leaf)
    columns = [leaves, *[up_to("tree.map", treedef, other) for other in rest]]
    return unflatten(treedef, [f(*row) for row in zip(*columns, strict=True)])


def up_to(name, treedef, other):
    """The subtrees of `other` at the leaves of a structure; `name` is for the message.

    >>> up_to("f", structure((0, 0)), ([1, 2], {"a": 3}))
    [[1, 2], {'a': 3}]
    """
    try:
        return treedef.flatten_up_to(other)
    except (ValueError, TypeError):
        lines = structure_differences(treedef, structure(other))
        raise ShapeError(f"{name} takes trees of one structure, but they differ:\n  "
                         + "\n  ".join(lines)) from None


def leaves(tree, is_leaf=None):
    """The leaves, left to right; dict entries by sorted key.

    Args:
      tree: a pytree.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> leaves({"b": 1, "a": (2, None)})
    [2, 1]
    """
    return optree.tree_leaves(tree, is_leaf, namespace=NAMESPACE)


def structure(tree, is_leaf=None):
    """The structure without the leaves; equal for trees of equal form.

    Args:
      tree: a pytree.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> structure([1, 2]) == structure([3, 4])
    True
    """
    return optree.tree_structure(tree, is_leaf, namespace=NAMESPACE)


def reduce(function, tree, initializer=MISSING, is_leaf=None):
    """Combine the leaves, left to right, with a function of (total, leaf).

    Args:
      tree: a pytree.
      initializer: the total to begin with; the first leaf by default.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> reduce(lambda total, leaf: total + leaf, {"a": 1, "b": (2, 3)})
    6
    """
    parts = leaves(tree, is_leaf)
    if initializer is not MISSING:
        return functools.reduce(function, parts, initializer)
    if not parts:
        raise ShapeError("tree.reduce: the tree has no leaves. Pass initializer=...")
    return functools.reduce(function, parts)


def reduce_associative(operation, tree, *, identity=MISSING, is_leaf=None):
    """Combine the leaves in pairs, pairs of pairs, ...: a chain of logarithmic depth.

    Args:
      operation: function of two leaves.
      tree: a pytree.
      identity: the result where there are no leaves.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> reduce_associative(lambda a, b: a + b, [1, 2, 3])
    6
    """
    parts = leaves(tree, is_leaf)
    if not parts:
        if identity is MISSING:
            raise ShapeError("tree.reduce_associative: the tree has no leaves. Pass identity=...")
        return identity
    while len(parts) > 1:
        pairs = [operation(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(parts) - len(parts) % 2:]
    return parts[0]


def all(tree, *, is_leaf=None):
    """Whether all leaves are true.

    Args:
      tree: a pytree.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> all({"a": True, "b": [True, 0]})
    False
    """
    return builtins.all(leaves(tree, is_leaf))


def broadcast(prefix_tree, full_tree, is_leaf=None):
    """A tree like `full_tree`, where each leaf of a prefix of it is repeated.

    Args:
      prefix_tree: a pytree, the prefix.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> broadcast([0, 1], [(5, 5), 5])
    [(0, 0), 1]
    """
    found, treedef = flatten(prefix_tree, is_leaf)
    below = up_to("tree.broadcast", treedef, full_tree)
    return unflatten(treedef, [map(lambda _, leaf=leaf: leaf, sub, is_leaf=is_leaf)
                               for leaf, sub in zip(found, below, strict=True)])


def transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    """A tree of trees inside out.

    Args:
      outer_treedef: the structure on the outside.
      inner_treedef: the structure that each of its leaves holds; None: found out.
      pytree_to_transpose: the tree.

    >>> transpose(structure([0, 0]), structure({"a": 0}), [{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    subtrees = up_to("tree.transpose", outer_treedef, pytree_to_transpose)
    if inner_treedef is None:
        if not subtrees:
            raise ShapeError("tree.transpose: the outer tree has no leaves to find the inner "
                             "structure in. Pass inner_treedef.")
        inner_treedef = structure(subtrees[0])
    for subtree in subtrees:
        lines = structure_differences(inner_treedef, structure(subtree), names=("inner_treedef",
                                                                                "tree"))
        if lines:
            raise ShapeError("tree.transpose: the trees inside must have the structure "
                             "inner_treedef, but differ:\n  " + "\n  ".join(lines))
    rows = [leaves(subtree) for subtree in subtrees]
    columns = [[row[i] for row in rows] for i in range(inner_treedef.num_leaves)]
    return unflatten(inner_treedef, [unflatten(outer_treedef, column) for column in columns])


# --- paths --------------------------------------------------------------------------------------


def flatten_with_path(tree, is_leaf=None):
    """Pairs (path, leaf), and the structure. A path is a tuple of keys; see `tree_util.keystr`.

    Args:
      tree: a pytree.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> flatten_with_path({"w": [5.0]})[0]
    [((DictKey(key='w'), SequenceKey(idx=0)), 5.0)]
    """
    accessors, found, treedef = optree.tree_flatten_with_accessor(
        tree, is_leaf, namespace=NAMESPACE)
    return [(keys_of(a), leaf) for a, leaf in zip(accessors, found, strict=True)], treedef


def leaves_with_path(tree, is_leaf=None):
    """Pairs (path, leaf).

    Args:
      tree: a pytree.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> [str(path[0]) for path, _ in leaves_with_path({"w": 1, "b": 2})]
    ["['b']", "['w']"]
    """
    return flatten_with_path(tree, is_leaf)[0]


def map_with_path(f, tree, *rest, is_leaf=None):
    """Apply ``f(path, leaf, ...)`` to the leaves.

    Args:
      tree: a pytree.
      *rest: further pytrees.
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> map_with_path(lambda path, leaf: f"{path[0]} {leaf}", {"w": 1})
    {'w': "['w'] 1"}
    """
    pairs, treedef = flatten_with_path(tree, is_leaf)
    others = [up_to("tree.map_with_path", treedef, other) for other in rest]
    return unflatten(treedef, [f(*pair, *row) for pair, *row in zip(pairs, *others, strict=True)])


def paths(tree):
    """The position of each leaf, as Python would write it.

    Args:
      tree: a pytree.

    >>> paths({"w": [1, 2], "b": 3})
    ["['b']", "['w'][0]", "['w'][1]"]
    """
    return ["".join(str(key) for key in path) for path, _ in leaves_with_path(tree)]


def differences(a, b, names=("first", "second")):
    """Every place where the structures of two pytrees differ, a line for each.

    Args:
      a, b: pytrees.
      names: what to call them.

    >>> differences({"w": (1, 2), "b": 3}, {"w": [1, 2], "c": 3})  # doctest: +NORMALIZE_WHITESPACE
    ["['b']: only in the first", "['c']: only in the second",
     "['w']: a tuple of 2 in the first, a list of 2 in the second"]
    """
    return structure_differences(structure(a), structure(b), names=names)


def static(**kwargs):
    """A dataclass field that is static data, not a child; see `tree_util.register_dataclass`.

    Args:
      **kwargs: as for dataclasses.field.

    >>> static(default=3).metadata["static"]
    True
    """
    metadata = {**kwargs.pop("metadata", {}), "static": True}
    return dataclasses.field(metadata=metadata, **kwargs)

__getattr__ = for_names_of(__name__)
