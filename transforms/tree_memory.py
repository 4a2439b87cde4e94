"""Flattening of trees that keep their structure from call to call, as the parameters of a model do.

optree walks a tree and builds its structure anew each time. Where the last structure is known to
hold, it takes the leaves alone, for a fifth of the price; a tree that differs in anything, be it
the order of a dict's keys, is flattened as ever.
"""

import mlx.core as mx
import numpy as np

from functape import tree as trees
from functape.op import NUMBERS
from functape.tensor import Tensor

LEAVES = {mx.array, Tensor, np.ndarray, *NUMBERS}  # types that are never a node


class Memory:
    """The structure of the last tree that was flattened here.

    >>> memory = Memory()
    >>> memory.flatten({"b": 1, "a": 2.0})[0], memory.flatten({"b": 3, "a": 4.0})[0]
    ([2.0, 1], [4.0, 3])
    """

    def __init__(self):
        self.last = None  # its structure, and its dicts: where they are, and their keys

    def flatten(self, tree):
        """Leaves, structure, and the set of the leaves' types."""
        last = self.last  # read and written at once, for other threads
        if last is not None:
            leaves = known_leaves(tree, *last)
            if leaves is not None:
                kinds = set(map(type, leaves))
                if kinds <= LEAVES:  # else some may be trees where there were leaves
                    return leaves, last[0], kinds
        leaves, structure = trees.flatten(tree)
        dicts = list_dicts(tree)
        self.last = None if dicts is None else (structure, dicts)
        return leaves, structure, set(map(type, leaves))


def known_leaves(tree, structure, dicts):
    """What a tree of this structure has at its leaves; None if it has another. optree looks into
    all nodes, but takes one kind of dict for another."""
    try:
        for path, keys in dicts:
            node = tree
            for entry in path:
                node = node[entry]
            if type(node) is not dict or list(node) != keys:
                return None
        return structure.flatten_up_to(tree)
    except (ValueError, TypeError, LookupError):
        return None


def list_dicts(tree):
    """The path and the keys of each dict of a tree; None if there are nodes other than tuples,
    lists and dicts with strings as keys."""
    found, stack = [], [((), tree)]
    while stack:
        path, node = stack.pop()
        kind = type(node)
        if kind is dict:
            keys = list(node)
            if any([type(key) is not str for key in keys]):
                return None
            found.append((path, keys))
            stack += [((*path, key), child) for key, child in node.items()]
        elif kind is tuple or kind is list:
            stack += [((*path, i), child) for i, child in enumerate(node)]
        elif kind not in LEAVES and node is not None:
            return None
    return found
