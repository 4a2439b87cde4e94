"""Pytrees by jax.tree_util's names, and the ways to make one's own classes pytrees."""

import dataclasses
import functools

import mlx.core as mx
import numpy as np
import optree

from functape import tree
from functape.errors import ArgumentError, FunctapeError, check_callable, describe
from functape.suggest import for_names_of
from functape.tensor import Tensor
from functape.tree import all as tree_all
from functape.tree import broadcast as tree_broadcast
from functape.tree import flatten as tree_flatten
from functape.tree import flatten_with_path as tree_flatten_with_path
from functape.tree import leaves as tree_leaves
from functape.tree import leaves_with_path as tree_leaves_with_path
from functape.tree import map as tree_map
from functape.tree import map_with_path as tree_map_with_path
from functape.tree import reduce as tree_reduce
from functape.tree import reduce_associative as tree_reduce_associative
from functape.tree import structure as tree_structure
from functape.tree import transpose as tree_transpose
from functape.tree import unflatten as tree_unflatten
from functape.tree_keys import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyEntry,
    SequenceKey,
    keystr,
)

PyTreeDef = optree.PyTreeSpec
LEAVES = (bool, int, float, complex, str, bytes, mx.array, np.ndarray, Tensor)


class RegistrationError(FunctapeError, ValueError):
    """A class cannot be registered as a pytree, or not like this."""


# --- registration -------------------------------------------------------------------------------


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    """Make a class a pytree.

    Args:
      nodetype: class; its subclasses are not registered with it.
      flatten_func: from an instance to ``(children, static)``; static can be compared and hashed.
      unflatten_func: from ``(static, children)`` to an instance.
      flatten_with_keys_func: like flatten_func, with pairs (key, child) for children.

    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_pytree_node(Pair, lambda p: ((p.a, p.b), None), lambda _, ab: Pair(*ab))
    >>> tree_leaves(Pair(1, Pair(2, 3)))
    [1, 2, 3]
    """
    if flatten_with_keys_func is not None:
        return register_pytree_with_keys(nodetype, flatten_with_keys_func, unflatten_func)
    register(nodetype, flatten_func, unflatten_func)


def register(nodetype, flatten_func, unflatten_func, entry=optree.FlattenedEntry):
    if not isinstance(nodetype, type):
        raise ArgumentError(f"Pytrees are registered by class, but got {describe(nodetype)}.")
    if nodetype in LEAVES:
        raise ArgumentError(f"{nodetype.__qualname__} is a leaf of pytrees and stays one. Register "
                            "a class of your own.")
    check_callable("register_pytree_node", flatten_func, unflatten_func)
    try:
        optree.register_pytree_node(nodetype, flatten_func, unflatten_func, path_entry_type=entry,
                                    namespace=tree.NAMESPACE)
    except ValueError as error:
        raise RegistrationError(f"{nodetype.__qualname__} is registered as a pytree already, and "
                                "can be only once. Define the class anew to change it.") from error


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    """Make a class a pytree whose children have names.

    Args:
      nodetype: class.
      flatten_with_keys: from an instance to ``(pairs (key, child), static)``.
      unflatten_func: from ``(static, children)`` to an instance.
      flatten_func: not needed; accepted for JAX's sake.

    >>> class Box:
    ...     def __init__(self, content):
    ...         self.content = content
    >>> register_pytree_with_keys(
    ...     Box, lambda b: ([(GetAttrKey("content"), b.content)], None), lambda _, c: Box(*c))
    >>> keystr(tree_leaves_with_path([Box(1)])[0][0])
    '[0].content'
    """

    def flatten_func(node):
        pairs, static = flatten_with_keys(node)
        pairs = list(pairs)
        return [child for _, child in pairs], static, [key for key, _ in pairs]

    register(nodetype, flatten_func, unflatten_func, KeyEntry)


def register_pytree_node_class(cls):
    """Make a class with methods `tree_flatten` and (class method) `tree_unflatten` a pytree.

    Args:
      cls: the class, which is returned.

    >>> @register_pytree_node_class
    ... class Point:
    ...     def __init__(self, x):
    ...         self.x = x
    ...     def tree_flatten(self):
    ...         return (self.x,), None
    ...     @classmethod
    ...     def tree_unflatten(cls, static, children):
    ...         return cls(*children)
    >>> tree_map(lambda x: 2 * x, Point(4)).x
    8
    """
    register_pytree_node(cls, lambda node: node.tree_flatten(), cls.tree_unflatten)
    return cls


def register_pytree_with_keys_class(cls):
    """Make a class with methods `tree_flatten_with_keys` and (class method) `tree_unflatten` a
    pytree.

    Args:
      cls: the class, which is returned.

    >>> @register_pytree_with_keys_class
    ... class Named:
    ...     def __init__(self, x):
    ...         self.x = x
    ...     def tree_flatten_with_keys(self):
    ...         return ((GetAttrKey("x"), self.x),), None
    ...     @classmethod
    ...     def tree_unflatten(cls, static, children):
    ...         return cls(*children)
    >>> tree_leaves(Named(3))
    [3]
    """
    register_pytree_with_keys(cls, lambda node: node.tree_flatten_with_keys(), cls.tree_unflatten)
    return cls


def register_dataclass(nodetype=None, data_fields=None, meta_fields=None, drop_fields=()):
    """Make a dataclass a pytree; a decorator, or called with a class.

    Args:
      nodetype: the class.
      data_fields: names of the fields that are children. None: all that are not static.
      meta_fields: names of the fields that are static data: they can be compared and hashed.
        None: those marked with `tree.static`.
      drop_fields: names of fields that are left out; the constructor fills them.

    >>> @register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     w: float
    ...     name: str = tree.static(default="dense")
    >>> tree_map(lambda w: 10 * w, Layer(2.0))
    Layer(w=20.0, name='dense')
    """
    if nodetype is None:
        return functools.partial(register_dataclass, data_fields=data_fields,
                                 meta_fields=meta_fields, drop_fields=drop_fields)
    data, meta = dataclass_fields(nodetype, data_fields, meta_fields, drop_fields)

    def flatten_func(node):
        static = tuple(getattr(node, name) for name in meta)
        return [getattr(node, name) for name in data], static, [GetAttrKey(n) for n in data]

    def unflatten_func(static, children):
        return nodetype(**dict(zip(data, children, strict=True)),
                        **dict(zip(meta, static, strict=True)))

    register(nodetype, flatten_func, unflatten_func, KeyEntry)
    return nodetype


def dataclass_fields(nodetype, data, meta, drop):
    """Names of the children and of the static fields, checked."""
    if not dataclasses.is_dataclass(nodetype):
        if data is None or meta is None:
            raise ArgumentError(f"register_dataclass: {describe(nodetype)} is no dataclass; name "
                                "its fields in data_fields and meta_fields.")
        return tuple(data), tuple(meta)
    if (data is None) != (meta is None):
        raise ArgumentError("register_dataclass takes data_fields and meta_fields together, or "
                            "neither: then fields marked with tree.static are static.")
    fields = {f.name: f for f in dataclasses.fields(nodetype) if f.init}
    if data is None:
        meta = [n for n, f in fields.items() if f.metadata.get("static")]
        data = [n for n in fields if n not in meta and n not in drop]
    missing = set(fields) - {*data, *meta, *drop}
    unknown = {*data, *meta, *drop} - {f.name for f in dataclasses.fields(nodetype)}
    if missing or unknown:
        problem = [f"{sorted(names)} {what}" for names, what in (
            (missing, "are in neither list"), (unknown, "are no fields of it")) if names]
        raise RegistrationError(f"register_dataclass: of {nodetype.__qualname__}, "
                                f"{' and '.join(problem)}. Name every field once, in data_fields, "
                                "meta_fields or drop_fields.")
    return tuple(data), tuple(meta)


def register_static(cls):
    """Make instances of a class static data: pytrees without leaves.

    Args:
      cls: the class, which is returned.

    >>> @register_static
    ... class Name(str):
    ...     pass
    >>> tree_leaves([1, Name("x")])
    [1]
    """
    register(cls, lambda node: ((), node), lambda node, _: node)
    return cls


# --- functions as pytrees -----------------------------------------------------------------------


class Partial(functools.partial):
    """A function with some arguments filled in, as a pytree whose leaves are in these arguments.

    >>> f = Partial(lambda a, b: a * b, 3.0)
    >>> tree_map(lambda a: 10 * a, f)(2.0)
    60.0
    """


register(
    Partial,
    lambda p: ((p.args, p.keywords), p.func, (GetAttrKey("args"), GetAttrKey("keywords"))),
    lambda func, children: Partial(func, *children[0], **children[1]),
    KeyEntry,
)


# --- structures ---------------------------------------------------------------------------------


def all_leaves(iterable, is_leaf=None):
    """Whether no element of an iterable is a pytree node.

    Args:
      is_leaf: function of a subtree that says whether it is a leaf.

    >>> all_leaves([1, 2]), all_leaves([1, (2,)])
    (True, False)
    """
    return optree.all_leaves(iterable, is_leaf, namespace=tree.NAMESPACE)


def treedef_children(treedef):
    """The structures of the children.

    Args:
      treedef: a structure.

    >>> treedef_children(tree_structure([1, (2, 3)]))
    [PyTreeSpec(*), PyTreeSpec((*, *))]
    """
    return treedef.children()


def treedef_is_leaf(treedef):
    """Whether a structure is that of a single leaf, of None or of an empty container.

    Args:
      treedef: the structure.

    >>> treedef_is_leaf(tree_structure(1))
    True
    """
    return treedef.num_nodes == 1


def treedef_tuple(treedefs):
    """The structure of a tuple of trees of the given structures.

    Args:
      treedefs: structures.

    >>> treedef_tuple([tree_structure(1), tree_structure(2)]) == tree_structure((1, 2))
    True
    """
    return optree.treespec_tuple(treedefs, namespace=tree.NAMESPACE)


def is_tree_node(typ):
    """Whether instances of a type are nodes of pytrees.

    Args:
      typ: the class.

    >>> is_tree_node(dict), is_tree_node(float)
    (True, False)
    """
    if typ is type(None) or optree.is_namedtuple_class(typ):
        return True
    return optree.register_pytree_node.get(typ, namespace=tree.NAMESPACE) is not None


def flatten_one_level(node):
    """The children of a node and its static data.

    >>> flatten_one_level([1, (2,)])[0]
    [1, (2,)]
    """
    children, static, *_ = optree.tree_flatten_one_level(node, namespace=tree.NAMESPACE)
    return children, static


__all__ = [
    "DictKey", "FlattenedIndexKey", "GetAttrKey", "Partial", "PyTreeDef", "SequenceKey",
    "all_leaves", "flatten_one_level", "is_tree_node", "keystr", "register_dataclass",
    "register_pytree_node", "register_pytree_node_class", "register_pytree_with_keys",
    "register_pytree_with_keys_class", "register_static", "tree_all", "tree_broadcast",
    "tree_flatten", "tree_flatten_with_path", "tree_leaves", "tree_leaves_with_path", "tree_map",
    "tree_map_with_path", "tree_reduce", "tree_reduce_associative", "tree_structure",
    "tree_transpose", "tree_unflatten", "treedef_children", "treedef_is_leaf", "treedef_tuple",
]

__getattr__ = for_names_of(__name__)
