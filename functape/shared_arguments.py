"""Arguments that many functions share: said once, and added to the docstrings that do not name
them."""

import inspect
import re
import types

REDUCING = {
    "axis": "integer, several, or None for all.",
    "dtype": "convert to it first.",
    "where": "a mask that broadcasts: the elements that count.",
    "initial": "one element more, and the result where there is none.",
    "ddof": "what the number of elements is lessened by.",
}
SHARED = {
    "out": "not supported: arrays are not written into; use the result.",
    "keepdims": "keep the reduced axes, with length 1.",
    "dtype": "of the result.",
    "device": "an MLX device to make the array on.",
    "overwrite_input": "accepted; arrays are not written into.",
    "precision": "accepted for JAX's signature; MLX has one precision for each dtype.",
    "preferred_element_type": "convert the result to this dtype.",
    "allow_negative_indices": "if False, negative indices are taken as 0.",
}
FILLING = {
    "size": "how many to return: the first ones, filled up with `fill_value`. Needed under vmap "
            "and jit.",
    "fill_value": "what fills up.",
}
TREES = {"tree": "a pytree.", "is_leaf": "function of a subtree that says whether it is a leaf."}
LOSSES = {"reduction": '"none": the losses themselves; "mean" or "sum" of them.'}
LINALG = dict.fromkeys(("overwrite_a", "overwrite_b", "check_finite", "debug"),
                       "accepted for SciPy's signature, without effect.")
TRANSFORMS = {
    "n": "length along the axis: cut off, or filled up with zeros.",
    "s": "lengths along the axes: cut off, or filled up with zeros.",
    "norm": 'what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n; '
            "the inverse by the rest of 1/n.",
}


def complete(namespace, **known):
    """Let the docstrings of a namespace name the arguments that its functions share.

    Args:
      namespace: the dict of a module with an `__all__`.
      **known: what is said there besides `SHARED`.
    """
    for name in namespace["__all__"]:
        f = namespace.get(name)
        if isinstance(f, types.FunctionType) and f.__doc__:
            f.__doc__ = completed(f.__doc__, parameters(f), SHARED | known)


def parameters(f):
    code = inspect.unwrap(f).__code__
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def completed(doc, names, known):
    """A docstring with what is known of the arguments that it does not name, before its example.

    >>> print(completed("Ones.", ["shape", "dtype"], {"dtype": "of the result."}))
    Ones.
    <BLANKLINE>
    Args:
      dtype: of the result.
    """
    doc = inspect.cleandoc(doc)
    known = known | REDUCING if "keepdims" in names else known
    known = known | FILLING if {"size", "fill_value"} <= set(names) else known
    lines = [f"  {name}: {known[name]}" for name in names
             if name in known and not re.search(rf"\b{name}\b", doc)]
    if not lines or re.search("[Aa]rguments (as|are)", doc):
        return doc
    start = re.search(r"^Args:\n(  .*\n)+", doc + "\n", re.M)
    if start:
        return doc[:start.end()] + "\n".join(lines) + "\n" + doc[start.end():]
    words, example, rest = doc.partition("\n\n>>>")
    return "\n".join([words, "", "Args:", *lines]) + example + rest
