"""A near miss among the names of a namespace gets a suggestion."""

import difflib
import sys


def for_names_of(namespace):
    """A module's `__getattr__`: the usual error, with what may have been meant.

    >>> import functape as ft
    >>> ft.numpy.sumn
    Traceback (most recent call last):
    AttributeError: functape.numpy has no 'sumn'. Did you mean 'sum'?
    """

    def missing(name):
        near = [] if name.startswith("_") else difflib.get_close_matches(
            name, [n for n in vars(sys.modules[namespace]) if not n.startswith("_")], 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"{namespace} has no {name!r}.{hint}", name=name)

    return missing
