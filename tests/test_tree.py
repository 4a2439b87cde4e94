"""Pytrees against jax.tree and jax.tree_util, on trees of every kind of node."""

import functape as ft

# isort: split
import collections
import dataclasses

import numpy as np
import pytest
from agreement import close

Point = collections.namedtuple("Point", "x y")
TREES = {
    "leaf": 1,
    "none": None,
    "empty": (),
    "nested": {"b": (1, [2, None]), "a": 3},
    "namedtuple": [Point(1, (2, 3)), 4],
    "ordered": collections.OrderedDict(b=1, a=(2,)),
    "default": collections.defaultdict(list, b=1, a=2),
    "numbers": {2: 1, 1: (2, 3)},
}


@pytest.mark.parametrize("name", TREES)
def test_as_jax(name, oracle):
    tree = TREES[name]
    for call in (
        lambda m: m.tree.leaves(tree),
        lambda m: m.tree.map(lambda x: x * 10, tree),
        lambda m: m.tree.map(lambda x, y: x + y, tree, tree),
        lambda m: m.tree.unflatten(m.tree.structure(tree), m.tree.flatten(tree)[0]),
        lambda m: m.tree.reduce(lambda a, b: a * 2 + b, tree, 1),
        lambda m: m.tree.reduce_associative(lambda a, b: a + b, m.tree.map(str, tree), identity=""),
        lambda m: m.tree.all(tree),
        lambda m: m.tree.map(str, tree, is_leaf=lambda x: isinstance(x, tuple)),
        lambda m: m.tree.leaves(tree, is_leaf=lambda x: x is None),
        lambda m: m.tree.structure(tree).num_leaves,
        lambda m: [m.tree_util.keystr(p) for p, _ in m.tree.leaves_with_path(tree)],
        lambda m: [m.tree_util.keystr(p, simple=True, separator="/")
                   for p, _ in m.tree.flatten_with_path(tree)[0]],
        lambda m: m.tree.map_with_path(lambda p, x: m.tree_util.keystr(p) + str(x), tree),
        lambda m: m.tree.broadcast(7, tree),
        lambda m: m.tree_util.all_leaves(m.tree.leaves(tree)),
        lambda m: m.tree_util.treedef_is_leaf(m.tree.structure(tree)),
        lambda m: len(m.tree_util.treedef_children(m.tree.structure(tree))),
        lambda m: m.tree_util.is_tree_node(type(tree)),
    ):
        assert call(ft) == call(oracle)


def test_transpose(oracle):
    tree = [{"a": 1, "b": (2, 3)}, {"a": 4, "b": (5, 6)}]
    for m in (ft, oracle):
        outer, inner = m.tree.structure([0, 0]), m.tree.structure(tree[0])
        assert m.tree.transpose(outer, inner, tree) == {"a": [1, 4], "b": ([2, 5], [3, 6])}
        assert m.tree.transpose(outer, None, tree) == {"a": [1, 4], "b": ([2, 5], [3, 6])}
        assert m.tree_util.treedef_tuple([inner, inner]) == m.tree.structure(tuple(tree))


def test_every_difference_is_named():
    a = {"w": (1, 2), "b": Point(1, [2]), "n": None, "same": 1}
    b = {"w": [1, 2], "b": Point(1, [2, 3]), "n": 1, "more": 1, "same": 1}
    assert ft.tree.differences(a, b) == [
        "['more']: only in the second",
        "['b'].y[1]: only in the second",
        "['n']: None in the first, a leaf in the second",
        "['w']: a tuple of 2 in the first, a list of 2 in the second",
    ]
    assert ft.tree.differences(a, a) == []
    with pytest.raises(ValueError, match=r"(?s)\['b'\].*\['w'\]"):
        ft.tree.map(lambda x, y: x, a, b)
    with pytest.raises(ValueError, match=r"\[0\]\['a'\]|\['a'\]"):
        ft.tree.transpose(ft.tree.structure([0]), ft.tree.structure({"a": 0}), [{"b": 0}])
    with pytest.raises(TypeError, match=r"(?s)\['b'\]: only in the output.*\['c'\]: only in"):
        ft.vjp(lambda x: {"b": x, "w": x}, 1.0)[1]({"c": 1.0, "w": 1.0})


# --- registered classes ---------------------------------------------------------------------------


def define(m):
    """The same classes, registered by the same names."""
    util = m.tree_util

    class Plain:
        def __init__(self, a, tag):
            self.a, self.tag = a, tag

    util.register_pytree_node(Plain, lambda p: ((p.a,), p.tag), lambda tag, kids: Plain(*kids, tag))

    @util.register_pytree_node_class
    class Method:
        def __init__(self, a, tag):
            self.a, self.tag = a, tag

        def tree_flatten(self):
            return (self.a,), self.tag

        @classmethod
        def tree_unflatten(cls, tag, kids):
            return cls(*kids, tag)

    @util.register_pytree_with_keys_class
    class Keyed(Method):
        def tree_flatten_with_keys(self):
            return ((util.GetAttrKey("a"), self.a),), self.tag

    @util.register_dataclass
    @dataclasses.dataclass
    class Marked:
        a: object
        tag: str = m.tree.static(default="m")

    @dataclasses.dataclass
    class Listed:
        a: object
        tag: str

    util.register_dataclass(Listed, data_fields=["a"], meta_fields=["tag"])
    return [cls([2.0, {"k": 3.0}], "tag") for cls in (Plain, Method, Keyed, Marked, Listed)]


def test_registered_classes(oracle):
    for ours, theirs in zip(define(ft), define(oracle), strict=True):
        doubled = ft.tree.map(lambda x: 2 * x, ours)
        assert type(doubled) is type(ours) and doubled.tag == "tag"
        assert doubled.a == [4.0, {"k": 6.0}]
        paths = [[m.tree_util.keystr(p) for p, _ in m.tree.leaves_with_path(t)]
                 for m, t in ((ft, ours), (oracle, theirs))]
        assert paths[0] == paths[1]
        children = [list(m.tree_util.flatten_one_level(t)[0])
                    for m, t in ((ft, ours), (oracle, theirs))]
        assert children[0] == children[1]
        g = ft.grad(lambda t: sum(x * x for x in ft.tree.leaves(t)))(ours)
        assert [float(x) for x in ft.tree.leaves(g)] == [4.0, 6.0]
        other = type(ours)([1.0, {"k": 1.0}], "other")
        assert "static" in ft.tree.differences(ours, other)[0]


def test_static_and_registration_errors():
    @ft.tree_util.register_static
    class Name(str):
        __slots__ = ()

    assert ft.tree.leaves([1, Name("x")]) == [1]
    assert ft.grad(lambda t: t["x"] ** 2)({"x": 3.0, "name": Name("n")})["name"] == "n"
    with pytest.raises(ValueError, match="already"):
        ft.tree_util.register_static(Name)
    with pytest.raises(ValueError, match="neither list"):
        @dataclasses.dataclass
        class Half:
            a: int
            b: int

        ft.tree_util.register_dataclass(Half, data_fields=["a"], meta_fields=[])
    with pytest.raises(TypeError, match="by class"):
        ft.tree_util.register_pytree_node(1, None, None)


def test_classes_registered_with_optree_are_known():
    import optree

    class Box:
        def __init__(self, a):
            self.a = a

    optree.register_pytree_node(Box, lambda b: ((b.a,), None), lambda _, kids: Box(*kids),
                                namespace="functape")
    assert ft.tree.leaves(Box((1, 2))) == [1, 2]


# --- functions as pytrees -------------------------------------------------------------------------


def test_partial(oracle):
    def f(a, b, *, c):
        return a * b + c

    for m in (ft, oracle):
        p = m.tree_util.Partial(f, 2.0, c=1.0)
        assert m.tree.leaves(p) == [2.0, 1.0] and float(p(3.0)) == 7.0
        moved = m.vmap(lambda x, m=m: m.tree_util.Partial(lambda a, b: a * b, x))(np.arange(3.0))
        close(m.vmap(lambda p, y: p(y))(moved, np.arange(3.0)), [0.0, 1.0, 4.0])


def test_a_pullback_is_a_pytree(oracle):
    """It may leave a mapped function, and be the residual of a custom rule."""
    xs = np.array([1.0, 2.0, 3.0])
    got = []
    for m in (ft, oracle):
        pull = m.vmap(lambda x, m=m: m.vjp(lambda y: m.numpy.sin(y) * y, x)[1])(xs)
        got.append(m.vmap(lambda p, g: p(g)[0])(pull, xs))

        sine = m.custom_vjp(m.numpy.sin)
        sine.defvjp(lambda x, m=m: m.vjp(m.numpy.sin, x), lambda pull, g: pull(g))
        one = m.numpy.asarray(0.5)
        got.append((m.grad(sine)(one), m.grad(m.grad(sine))(one), m.vmap(m.grad(sine))(xs)))
    close(got[0], got[2], 1e-6)
    close(got[1], got[3], 1e-6)


# --- flatten_util ---------------------------------------------------------------------------------


def test_ravel_pytree(oracle):
    import jax.flatten_util  # noqa: F401

    tree = {"w": np.arange(6.0).reshape(2, 3), "n": np.array([1, 2], np.int32),
            "b": np.array(3, np.float32)}
    for m in (ft, oracle):
        v, unravel = m.flatten_util.ravel_pytree(tree)
        assert v.shape == (9,) and str(v.dtype).endswith("float64")
        back = unravel(2 * v)
        assert [str(np.asarray(a).dtype) for a in m.tree.leaves(back)] == [
            "float32", "int32", "float64"]
        close(back["w"], 2 * tree["w"])

        def norm(t, m=m):
            return (m.flatten_util.ravel_pytree(t)[0] ** 2).sum()

        close(m.grad(norm)({"w": tree["w"]})["w"], 2 * tree["w"])
        g = m.grad(lambda v, u=unravel: (u(v)["w"] ** 3).sum())(v)
        close(g[3:], 3 * tree["w"].ravel() ** 2)
    v, unravel = ft.flatten_util.ravel_pytree([])
    assert v.shape == (0,) and unravel(v) == []
    with pytest.raises(ValueError, match="9 element"):
        ft.flatten_util.ravel_pytree(tree)[1](np.zeros(3))
    with pytest.raises(TypeError, match="float64"):
        ft.flatten_util.ravel_pytree(tree)[1](np.zeros(9, np.float32))
