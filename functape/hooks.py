"""Hooks: what a user runs as a backward pass comes by, at a tensor or at a node.

At a tensor: each hook sees the summed cotangent and may replace it; then retained gradients are
kept; at a leaf that ends the pass, or the node itself runs between its pre-hooks and its hooks.
"""

import itertools
import weakref

from functape.errors import ArgumentError, ShapeError, describe

keys = itertools.count().__next__


class HookDict(dict):
    """A dict that handles can refer to weakly."""

    __slots__ = ("__weakref__",)


class Hooks:
    """The hooks at one node. `wrap` makes a tensor of a plain array for the user to see."""

    __slots__ = ("tensor", "pre", "post", "leaf", "retainers", "wrap")

    def __init__(self, wrap):
        self.wrap = wrap
        self.tensor, self.pre, self.post, self.leaf = (HookDict() for _ in range(4))
        self.retainers = []  # weak references to tensors that keep their gradient

    def on_cotangent(self, node, g):
        """Run tensor hooks in the order of registration, each on the previous result; those of a
        leaf end with it."""
        if node.is_sink and node.gone:
            return g
        for hook in list(self.tensor.values()):
            new = hook(self.wrap(g, fresh=True))
            if new is not None:
                g = checked(new, g, hook, node)
        for reference in self.retainers:
            tensor = reference()
            if tensor is not None:
                tensor.keep_grad(g)
        return g

    def before(self, node, g):
        """Pre-hooks of the node: from its cotangents, a tuple, to a tuple or None."""
        for hook in list(self.pre.values()):
            given = self.as_tuple(node, g)
            new = hook(given)
            if new is not None:
                g = from_tuple(node, g, checked_tuple(new, given, hook))
        return g

    def after(self, node, parts, g):
        """Hooks of the node: from (cotangents of its inputs, of its outputs) to the former."""
        for hook in list(self.post.values()):
            parts_by_input = dict(parts)
            given = tuple(self.wrap(parts_by_input[i], fresh=True) if i in parts_by_input else None
                          for i in range(len(node.edges)))
            new = hook(given, self.as_tuple(node, g))
            if new is not None:
                new = checked_tuple(new, given, hook)
                parts = [(i, unwrap(n, parts_by_input[i])) for i, n in enumerate(new)
                         if n is not None and i in parts_by_input]
        return parts

    def at_leaf(self, leaf):
        """Hooks that run once the leaf's `.grad` is written."""
        for hook in list(self.leaf.values()):
            if hook(leaf) is not None:
                raise ArgumentError(f"The hook {named(hook)} runs after a gradient is accumulated "
                                    "and must return None; change the leaf's grad instead.")

    def as_tuple(self, node, g):
        if not isinstance(g, dict):
            return (self.wrap(g, fresh=True),)
        return tuple(self.wrap(g[k], fresh=True) if k in g else None
                     for k in range(len(node.avals)))


def from_tuple(node, g, new):
    if not isinstance(g, dict):
        return g if new[0] is None else unwrap(new[0], g)
    return type(g)({k: unwrap(n, g.get(k)) for k, n in enumerate(new) if n is not None})


def unwrap(new, old):
    """A plain array again, in a pass on plain arrays."""
    if old is None or hasattr(old, "rank"):
        return new
    return new.array


def checked(new, old, hook, node):
    """What a hook returned, if it fits what it replaces."""
    if not hasattr(new, "rank"):
        raise ArgumentError(f"The hook {named(hook)} at {node.name} must return a tensor or None, "
                            f"but returned {describe(new)}.")
    if new.shape != old.shape:
        raise ShapeError(f"The hook {named(hook)} at {node.name} must return a gradient of the "
                         f"shape it was given, {old.shape}, but returned {describe(new)}.")
    if new.dtype != old.dtype:
        raise ArgumentError(f"The hook {named(hook)} at {node.name} must return a gradient of the "
                            f"dtype it was given, {describe(old)}, but returned {describe(new)}. "
                            "Convert it with astype.")
    return unwrap(new, old)


def checked_tuple(new, given, hook):
    if not isinstance(new, tuple):
        raise ArgumentError(f"The node hook {named(hook)} must return a tuple or None, but "
                            f"returned {describe(new)}.")
    if len(new) != len(given):
        raise ShapeError(f"The node hook {named(hook)} must return {len(given)} value(s), one "
                         f"for each it was given, but returned {len(new)}.")
    for i, (n, g) in enumerate(zip(new, given, strict=True)):
        if n is not None and not hasattr(n, "rank"):
            raise ArgumentError(f"The node hook {named(hook)} must return tensors or None, but "
                                f"value {i} is {describe(n)}.")
        if n is not None and g is not None and describe(n) != describe(g):
            raise ShapeError(f"The node hook {named(hook)} must return a gradient like the one it "
                             f"was given, {describe(g)}, but value {i} is {describe(n)}.")
    return new


def named(hook):
    return getattr(hook, "__qualname__", None) or repr(hook)


class RemovableHandle:
    """Takes a hook away again: by `remove()`, or at the end of a with block."""

    def __init__(self, hooks, hook):
        self.key = keys()
        hooks[self.key] = hook
        self.hooks = weakref.ref(hooks)

    def remove(self):
        """Take the hook away; a second time does nothing."""
        hooks = self.hooks()
        if hooks is not None:
            hooks.pop(self.key, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()
