"""A name that a namespace lacks is answered with what may have been meant."""

import importlib
import sys

# Where a name may be at home that was looked for elsewhere; the first that has it is named.
HOMES = ("functape", *(f"functape.{home}" for home in (
    "numpy", "nn", "scipy.special", "numpy.linalg", "lax", "random", "autograd", "optim")))


def for_names_of(namespace):
    """A module's `__getattr__`: the usual error, with what may have been meant.

    >>> import functape as ft
    >>> ft.numpy.sumn
    Traceback (most recent call last):
    AttributeError: functape.numpy has no 'sumn'. Did you mean 'sum'?
    >>> ft.numpy.relu
    Traceback (most recent call last):
    AttributeError: functape.numpy has no 'relu'. It is functape.nn.relu.
    """

    def missing(name):
        raise AttributeError(f"{namespace} has no {name!r}.{hint(namespace, name)}", name=name)

    return missing


def hint(namespace, name):
    """Where the name is, what takes the place of one of JAX's, or which one of the namespace it
    resembles; nothing, if neither."""
    if name.startswith("_"):
        return ""
    for home in HOMES:
        if name in public(importlib.import_module(home)):
            return f" It is {home}.{name}."
    from functape.absent import INSTEAD  # seldom asked, too

    instead = INSTEAD.get(namespace, {}).get(name)
    return f" {instead}" if instead else near_miss(name, public(sys.modules[namespace]))


def near_miss(name, names):
    """The most similar of some names, as a question.

    >>> near_miss("pfd", ["pdf", "cdf"])
    " Did you mean 'pdf'?"
    """
    import difflib  # costs more than this whole module, and is seldom asked

    near = difflib.get_close_matches(name, names, 1)
    return f" Did you mean {near[0]!r}?" if near else ""


def public(module):
    """The names that a module offers."""
    return getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
