"""einsum: sums of products, written with a letter for each axis.

The terms become products of two arrays at a time (`ops.contraction.contract`), in an order that
keeps intermediate arrays small. Before that each array loses the letters that nothing else needs:
a letter that repeats within it by a diagonal, a letter that stands in it alone by a sum.
"""

import functools
import string

import numpy as np

from functape import dtypes
from functape.errors import ArgumentError, ShapeError, describe
from functape.numpy.arguments import as_type, common, value
from functape.numpy.diagonals import diagonal
from functape.ops import contraction, movement
from functape.ops.families import total

# --- the formula --------------------------------------------------------------------------------


def einsum(subscripts, /, *operands, out=None, optimize="auto", precision=None,
           preferred_element_type=None):
    r"""Sum of products over the axes that the formula names alike.

    ``"ij,jk->ik"`` is :math:`\sum_j a_{ij} b_{jk}`: letters that the result lacks are summed
    over. Without ``->`` the result has all letters that occur once, in alphabetical order.
    ``...`` stands for axes that broadcast.

    Args:
      subscripts: the formula; or arrays and lists of axis numbers in turn,
        ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
      *operands: an array for each term.
      out: not supported.
      optimize: how to find the order of the products: a method of `numpy.einsum_path`, "auto",
        or a path.
      precision: accepted for JAX's signature; MLX has one precision for each dtype.
      preferred_element_type: convert the result to this dtype.

    >>> import functape as ft
    >>> ft.numpy.einsum("ij,ij->i", ft.numpy.ones((2, 3)), ft.numpy.ones((2, 3)))
    tensor([3., 3.])
    """
    if out is not None:
        raise ArgumentError("einsum does not take out: functape's arrays are not written into. "
                            "Use the result that it returns.")
    if not isinstance(subscripts, str):
        subscripts, operands = from_lists((subscripts, *operands))
    arrays = common("einsum", *operands) if operands else []
    shapes = tuple(a.shape for a in arrays)
    terms, result = parse(subscripts.replace(" ", ""), shapes)
    path = optimize if isinstance(optimize, (list, tuple)) else order(
        terms, result, shapes, "optimal" if optimize == "auto" and len(terms) < 5 else "greedy")
    found = evaluate(list(zip(arrays, terms, strict=True)), result, path)
    if preferred_element_type is None:
        return found
    return as_type(found, dtypes.as_dtype(preferred_element_type, "einsum"))


def einsum_path(subscripts, /, *operands, optimize="auto"):
    """The order of the products that einsum would use, and a report; as NumPy's einsum_path.

    Args:
      subscripts, operands: as for `einsum`.
      optimize: as for numpy.einsum_path; "auto" is "greedy".

    >>> import functape as ft
    >>> a = ft.numpy.ones((2, 2))
    >>> ft.numpy.einsum_path("ij,jk->ik", a, a)[0]
    ['einsum_path', (0, 1)]
    """
    if not isinstance(subscripts, str):
        subscripts, operands = from_lists((subscripts, *operands))
    arrays = [stand_in(value(a, "einsum_path", i).shape) for i, a in enumerate(operands)]
    method = "greedy" if optimize == "auto" else optimize
    return np.einsum_path(subscripts, *arrays, optimize=method)


def from_lists(items):
    """(formula, operands) of arrays and lists of axis numbers in turn."""
    if isinstance(items[0], (list, tuple)):
        raise ArgumentError(f"einsum takes a formula or an array first, but got "
                            f"{describe(items[0])}.")
    arrays, lists = items[0:2 * (len(items) // 2):2], items[1::2]
    for given in (*lists, *items[len(arrays) * 2:]):
        if not isinstance(given, (list, tuple)):
            raise ArgumentError("einsum takes a formula first, einsum('ij,jk->ik', a, b), or "
                                "arrays and lists of axis numbers in turn, but one list is "
                                f"{describe(given)}.")
    terms = ",".join(map(letters_of, lists))
    return (terms if len(items) % 2 == 0 else f"{terms}->{letters_of(items[-1])}"), arrays


def letters_of(axes):
    return "".join("..." if k is Ellipsis else string.ascii_letters[k] for k in axes)


@functools.lru_cache(maxsize=1024)
def parse(subscripts, shapes):
    """The letters of each operand and of the result; capitals not in use stand for `...`."""
    left, arrow, result = subscripts.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ShapeError(f"einsum: the formula {subscripts!r} has {len(terms)} term(s), but there "
                         f"are {len(shapes)} array(s). Give one for each term.")
    hidden = [len(s) - len(t.replace("...", "")) if "..." in t else 0
              for t, s in zip(terms, shapes, strict=True)]
    spare = [c for c in string.ascii_letters if c not in subscripts][:max(hidden)]
    terms = [t.replace("...", "".join(spare[len(spare) - n:])) if n >= 0 else t
             for t, n in zip(terms, hidden, strict=True)]
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        if len(term) != len(shape) or not all(c in string.ascii_letters for c in term):
            raise ShapeError(f"einsum: term {i} of {subscripts!r} must have a letter for each of "
                             f"the {len(shape)} axes of its array, whose shape is {shape}.")
    if arrow:
        result = result.replace("...", "".join(spare))
    else:
        joined = "".join(terms)
        once = sorted(c for c in set(joined) if joined.count(c) == 1 and c not in spare)
        result = "".join(spare) + "".join(once)
    check_result(subscripts, terms, result)
    check_lengths(subscripts, terms, shapes)
    return tuple(terms), result


def check_result(subscripts, terms, result):
    for c in result:
        if result.count(c) > 1 or not any(c in t for t in terms):
            raise ShapeError(f"einsum: the result of {subscripts!r} has the letter {c!r}, which "
                             "must occur there once, and in one of the terms.")


def check_lengths(subscripts, terms, shapes):
    lengths = {}
    for term, shape in zip(terms, shapes, strict=True):
        for c, n in zip(term, shape, strict=True):
            if n != 1 and lengths.setdefault(c, n) != n:
                raise ShapeError(f"einsum: in {subscripts!r} the letter {c!r} stands for axes of "
                                 f"length {lengths[c]} and {n}. They must have one length.")


@functools.lru_cache(maxsize=1024)
def order(terms, result, shapes, method):
    """Which operands to multiply, step by step; the product goes to the end of the list."""
    if len(terms) < 3:
        return (tuple(range(len(terms))),)
    formula = f"{','.join(terms)}->{result}"
    path = np.einsum_path(formula, *map(stand_in, shapes), optimize=method)[0]
    return tuple(path[1:])


def stand_in(shape):
    """An array of this shape that takes no memory."""
    return np.broadcast_to(np.float32(0), shape)


# --- one product after the other ----------------------------------------------------------------


def evaluate(operands, result, path):
    """Follow the path over pairs (array, letters)."""
    for step in path[1:] if path and path[0] == "einsum_path" else path:
        chosen = [operands[i] for i in step]
        operands = [o for i, o in enumerate(operands) if i not in step]
        found = chosen.pop(0)
        while chosen:
            other = chosen.pop(0)
            needed = set(result).union(*[t for _, t in operands + chosen])
            found = product(*found, *other, needed)
        operands.append(found)
    while len(operands) > 1:
        found, other, *operands = operands
        needed = set(result).union(*[t for _, t in operands])
        operands.insert(0, product(*found, *other, needed))
    return arranged(*reduced(*operands[0], set(result)), result)


def product(x, x_term, y, y_term, needed):
    """(array, letters): the product of two, summed over the letters that nothing else needs."""
    x, x_term = reduced(x, x_term, needed | set(y_term))
    y, y_term = reduced(y, y_term, needed | set(x_term))
    x, x_term = without_ones(x, x_term, y, y_term)
    y, y_term = without_ones(y, y_term, x, x_term)
    found = [c for c in x_term if c in needed or c not in y_term]
    found += [c for c in y_term if c not in x_term]
    both = [c for c in found if c in x_term and c in y_term]  # first, as a batch of products is
    found = both + [c for c in found if c not in both]
    number = {c: k for k, c in enumerate(dict.fromkeys(x_term + y_term))}
    labels = [tuple(number[c] for c in term) for term in (x_term, y_term, found)]
    z = contraction.contract(x, y, x_labels=labels[0], y_labels=labels[1], labels=labels[2])
    return z, "".join(found)


def without_ones(x, term, y, y_term):
    """x without its axes of length 1 that broadcast against those of y."""
    ones = [c for c, n in zip(term, x.shape, strict=True)
            if n == 1 and c in y_term and y.shape[y_term.index(c)] != 1]
    if not ones:
        return x, term
    kept = [(c, n) for c, n in zip(term, x.shape, strict=True) if c not in ones]
    return movement.reshape(x, shape=tuple(n for _, n in kept)), "".join(c for c, _ in kept)


def reduced(x, term, needed):
    """x with each letter once, and without those that are not needed."""
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            if x.shape[i] != x.shape[j]:
                raise ShapeError(f"einsum: the letter {c!r} repeats within a term, for axes of "
                                 f"length {x.shape[i]} and {x.shape[j]} of {describe(x)}. They "
                                 "must have one length.")
            x = diagonal(x, 0, i, j)
            term = term[:i] + term[i + 1:j] + term[j + 1:] + c
    alone = tuple(i for i, c in enumerate(term) if c not in needed)
    if alone:
        x = total(x, axis=alone, keepdims=False)
        term = "".join(c for c in term if c in needed)
    return x, term


def arranged(x, term, result):
    """The axes in the order of the result."""
    if term == result:
        return x
    return movement.transpose(x, axes=tuple(term.index(c) for c in result))
