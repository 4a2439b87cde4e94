"""Pytrees, by optree: tuples, lists, dicts, namedtuples, None and registered classes."""

import optree

NAMESPACE = "functape"


def flatten(tree):
    """Leaves and structure. `None` is structure, not a leaf.

    >>> flatten({"b": 1, "a": (2, None)})[0]
    [2, 1]
    """
    return optree.tree_flatten(tree, namespace=NAMESPACE)


def unflatten(structure, leaves):
    """The tree of a structure with these leaves."""
    return optree.tree_unflatten(structure, leaves)


def map(f, tree, *rest):
    """Apply `f` to the leaves; further trees have the same structure.

    >>> map(lambda a, b: a + b, [1, 2], [3, 4])
    [4, 6]
    """
    return optree.tree_map(f, tree, *rest, namespace=NAMESPACE)


def leaves(tree):
    """The leaves, left to right; dict entries by sorted key."""
    return optree.tree_leaves(tree, namespace=NAMESPACE)


def structure(tree):
    """The structure without the leaves; equal for trees of equal form."""
    return optree.tree_structure(tree, namespace=NAMESPACE)


def paths(tree):
    """The position of each leaf, as Python would write it: ``['w'][0]``."""
    accessors = optree.tree_accessors(tree, namespace=NAMESPACE)
    return [a.codify("") for a in accessors]
