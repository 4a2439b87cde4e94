"""Arguments that many functions share: said once, and added to the docstrings that do not name
them. Where an argument means something of its own, the docstring names it.

`SHARED` holds everywhere, the other tables in the namespaces that pass them to `complete`;
`REDUCING` and `FILLING` where a function has the arguments that tell such functions.
"""

import inspect
import re
import types

SHARED = {
    **dict.fromkeys(("a", "b", "x", "arr", "ary", "m", "val", "prototype"), "array."),
    "arrays": "a sequence of arrays.",
    "tup": "a sequence of arrays.",
    "arrys": "arrays.",
    "shape": "of the result.",
    "dtype": "of the result.",
    "fill_value": "number or array; it broadcasts.",
    "device": "an MLX device to make the array on.",
    "axis": "the axis along which; negative ones count from the end.",
    "axis1": "one of the two axes.",
    "axis2": "the other.",
    "offset": "which diagonal: 0 is the main one, positive ones are above it.",
    "k": "which diagonal: 0 is the main one, positive ones are above it.",
    "indices_or_sections": "the number of parts, or the positions at which to cut.",
    "endpoint": "whether `stop` is the last number.",
    "count": "how many elements to read; -1: all.",
    "equal_nan": "whether NaN equals NaN.",
    "keepdims": "keep the reduced axes, with length 1.",
    "out": "not supported: arrays are not written into; use the result.",
    "copy": "accepted; arrays are not written into, so none has to be copied.",
    "overwrite_input": "accepted; arrays are not written into.",
    "preferred_element_type": "convert the result to this dtype.",
    "precision": "accepted for JAX's signature; MLX has one precision for each dtype.",
    **dict.fromkeys(("out_sharding", "unique_indices", "indices_are_sorted"),
                    "accepted for JAX's signature, without effect."),
}
REDUCING = {
    "axis": "integer, several, or None for all.",
    "dtype": "convert to it first.",
    "where": "a mask that broadcasts: the elements that count.",
    "initial": "one element more, and the result where there is none.",
    "ddof": "what the number of elements is lessened by.",
}
FILLING = {
    "size": "how many to return: the first ones, filled up with `fill_value`. Needed under vmap "
            "and jit.",
    "fill_value": "what fills up.",
}
CREATING = {
    "size": "the shape, one tuple or several integers.",
    "requires_grad": "whether backward passes add a gradient into its `grad`.",
}
LAX = {
    "operand": "array.",
    "lhs": "array, the left factor.",
    "rhs": "array, the right factor.",
    "dimension": "the axis.",
    "dimensions": "integers, the axes.",
    "axis_name": "the name that `vmap` gave the axis.",
    "reverse": "from the end to the start.",
    "start_index": "where it begins, an integer that may itself be computed.",
    "update": "array, what takes its place.",
    "allow_negative_indices": "if False, negative indices are taken as 0.",
    "is_stable": "equal elements stay in order; they always do.",
    **dict.fromkeys(("new_dtype", "index_dtype"), "of the result."),
}
RANDOM = {
    "key": "a random key, as `random.key` makes it; the same one gives the same numbers.",
    "shape": "of the result; None, where it may be: that to which the parameters broadcast.",
}
LOSSES = {
    **dict.fromkeys(("predictions", "inputs"), "x, what a model gives."),
    "targets": "t, what it should give.",
    "log_predictions": "x, logarithms of probabilities.",
    "log_targets": "logarithms of probabilities.",
    "axis": "that of the classes.",
    "reduction": '"none": the losses themselves; "mean" or "sum" of them.',
}
MATRICES = dict.fromkeys(("a", "x"), "matrices; axes before the last two are a batch.")
LINALG = MATRICES | dict.fromkeys(
    ("overwrite_a", "overwrite_b", "check_finite", "debug", "lwork", "turbo", "lapack_driver"),
    "accepted for SciPy's signature, without effect.")
TRANSFORMS = {
    "n": "length along the axis: cut off, or filled up with zeros.",
    "s": "lengths along the axes: cut off, or filled up with zeros.",
    "axes": "integers; None: all, or the last ones, as many as `s` has.",
    "norm": 'what the sum is multiplied by: None or "backward" 1, "ortho" n^(-1/2), "forward" 1/n; '
            "the inverse by the rest of 1/n.",
}
TREES = {
    "tree": "a pytree.",
    "rest": "further pytrees.",
    "is_leaf": "function of a subtree that says whether it is a leaf.",
}
OPTIMIZERS = {
    "params": "leaves, or groups of them; see `Optimizer`.",
    "lr": "the learning rate, or a schedule of mlx.optimizers.",
    "defaults": "the other hyperparameters.",
}

WORD = re.compile(r"(?<![\w'])(?!a [a-z])\w+")
EXAMPLE = re.compile(r"^ *>>>.*(\n *\S.*)*", re.M)
ARGS = re.compile(r"^Args:\n((?:  .*\n)+)", re.M)
ELSEWHERE = re.compile(r"\b[Aa]rg(?:ument)?s[\w\s]*\s(?:as\s+for|are\s+those\s+of)\s+`?([\w.]*\w)")


def complete(namespace, **known):
    """Let the docstrings of a namespace name the arguments that its functions share.

    Args:
      namespace: the dict of a module with an `__all__`.
      **known: what is said there besides `SHARED`.
    """
    for name in namespace["__all__"]:
        f = namespace.get(name)
        code = code_of(f)
        if code and f.__doc__:
            f.__doc__ = completed(f.__doc__, parameters(code), SHARED | known)


def code_of(f):
    """The code that takes the arguments of a function or a class, where Python wrote it."""
    f = f.__init__ if isinstance(f, type) else f
    return inspect.unwrap(f).__code__ if isinstance(f, types.FunctionType) else None


def parameters(code):
    """In order, with stars. (`inspect.signature` would cost an import more.)

    >>> parameters((lambda x, *rest, axis=0: x).__code__)
    ['x', '*rest', 'axis']
    """
    positional, every = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names, rest = list(code.co_varnames[:every]), list(code.co_varnames[every:])
    if code.co_flags & inspect.CO_VARARGS:
        names.insert(positional, f"*{rest.pop(0)}")
    if code.co_flags & inspect.CO_VARKEYWORDS:
        names.append(f"**{rest.pop(0)}")
    return names


def named(doc):
    """The words of a docstring, besides its examples; articles are none, nor is a genitive's s.

    >>> sorted(named("MLX's sine of a, as a value.") - named("as value of"))
    ['MLX', 'a', 'sine']
    """
    return set(WORD.findall(EXAMPLE.sub("", doc)))


def completed(doc, names, known):
    """A docstring with what is known of the arguments that it does not name, in their order.

    >>> print(completed("Ones.", ["shape", "dtype"], {"dtype": "of the result."}))
    Ones.
    <BLANKLINE>
    Args:
      dtype: of the result.
    """
    plain = [name.lstrip("*") for name in names]
    known = known | REDUCING if "keepdims" in plain else known
    known = known | FILLING if {"size", "fill_value"} <= set(plain) else known
    if known.keys().isdisjoint(plain) or ELSEWHERE.search(doc):
        return doc
    words = named(doc)
    lines = [f"  {star}: {known[name]}" for star, name in zip(names, plain, strict=True)
             if name in known and name not in words]
    if not lines:
        return doc
    before, entries, after = parts(inspect.cleandoc(doc))
    place = {name: i for i, name in enumerate(plain)}
    lines = sorted(entries + lines, key=lambda e: place.get(re.search(r"\w+", e)[0], len(place)))
    return "\n".join([before, "", "Args:", *lines]) + after


def parts(doc):
    """What stands before the arguments, the entry of each, and what follows."""
    found = ARGS.search(doc + "\n")
    if found:
        entries = re.findall(r"^  \S.*(?:\n    .*)*", found[1], re.M)
        return doc[:found.start()].rstrip(), entries, doc[found.end() - 1:]
    end = re.search(r"\n\n(?=>>>|Returns:|Raises:)|\Z", doc).start()
    return doc[:end], [], doc[end:]
