"""A memory flattens every tree as `tree.flatten` does, whichever it saw before."""

import collections

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import mlx.core as mx
import numpy
import pytest

from functape import tree
from functape.transforms.tree_memory import Memory

Pair = collections.namedtuple("Pair", "x y")
A, B = mx.array(1.0), mx.array(2.0)

TREES = [
    A,
    [A, B],
    (A, B),
    Pair(A, B),
    [A, None],
    [A, [B]],
    [A, {}],
    {"x": A, "y": B},
    {"y": B, "x": A},
    {"x": A, "z": B},
    {"x": A, "y": [B]},
    {"x": A, "y": None},
    {"x": A},
    {"x": 1, "y": ft.asarray(2.0)},
    {"x": "a string", "y": B},
    {1: A, 0: B},
    {True: A, False: B},
    {1.0: A, 0.0: B},
    collections.OrderedDict(x=A, y=B),
    collections.defaultdict(list, x=A, y=B),
    collections.deque([A, B], maxlen=2),
    collections.deque([A, B], maxlen=3),
    {"x": {"x": A, "y": B}, "y": [({"u": A}, B)]},
    {"x": {"y": B, "x": A}, "y": [({"u": A}, B)]},
    {"x": {"x": A, "y": B}, "y": [({"v": A}, B)]},
    {"x": {"x": A, "y": B}, "y": [collections.OrderedDict(u=A), B]},
    {"x": {"x": A, "y": B}, "y": [(A, B)]},
    {"x": [A, B], "y": [({"u": A}, B)]},
    {"x": numpy.zeros(2), "y": numpy.float64(3)},
]


def same_container(a, b):
    """Whether two trees are equal with the types of their nodes, the order of keys and the bound
    of deques, and hold the very same leaves."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        keys = [(type(k), k) for k in a] == [(type(k), k) for k in b]
        return keys and all(same_container(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple, collections.deque)):
        bound = getattr(a, "maxlen", None) == getattr(b, "maxlen", None)
        return bound and len(a) == len(b) and all(map(same_container, a, b))
    return a is b


@pytest.mark.parametrize("first", range(len(TREES)))
def test_flatten_after_another(first):
    for second in TREES:
        memory = Memory()
        memory.flatten(TREES[first])
        leaves, structure, kinds = memory.flatten(second)
        expected, form = tree.flatten(second)
        assert list(map(id, leaves)) == list(map(id, expected))
        assert structure == form
        assert kinds == set(map(type, expected))
        assert same_container(tree.unflatten(structure, leaves), second)


def test_an_equal_structure_is_taken_from_memory():
    """What makes it quick: the very structure of before."""
    memory = Memory()
    before = memory.flatten({"x": A, "y": [(B, 1)]})[1]
    leaves, after, _ = memory.flatten({"x": B, "y": [(A, 2)]})
    assert after is before
    assert leaves == [B, A, 2]


def test_memory_serves_jit():
    """Calls whose trees change in kind between equal keys."""
    f = ft.jit(lambda p: {k: 2 * v for k, v in p.items()})
    for kind in (dict, collections.OrderedDict, dict):
        out = f(kind(x=A, y=B))
        assert type(out) is dict
        assert (out["x"].item(), out["y"].item()) == (2.0, 4.0)


def test_jit_tells_static_values_apart_between_calls_of_one_structure():
    """The graph of the last call is not taken where anything but the arrays differs."""
    f = ft.jit(lambda x, n=1: x * n, static_argnames="n")
    x = mx.array(3.0)
    assert [f(x).item(), f(x, n=2).item(), f(x).item(), f(x, n=3).item()] == [3.0, 6.0, 3.0, 9.0]
    assert [f(2.0).item(), f(x).item(), f(ft.asarray(x)).item()] == [2.0, 3.0, 3.0]
    f.clear_cache()
    assert f(x, n=5).item() == 15.0
