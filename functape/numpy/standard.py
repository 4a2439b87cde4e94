"""What the Python array API standard asks of a namespace about itself."""

import mlx.core as mx

from functape import dtypes
from functape.dtypes import isdtype
from functape.errors import ArgumentError

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128")


class Info:
    """Facts about this namespace, by the array API standard.

    >>> Info().capabilities()["boolean indexing"]
    True
    """

    def capabilities(self):
        """What works that the standard leaves open."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        """The device that computes."""
        return mx.default_device()

    def devices(self):
        """The devices that there are."""
        return [mx.cpu, mx.gpu] if mx.is_available(mx.gpu) else [mx.cpu]

    def default_dtypes(self, *, device=None):
        """The dtypes of numbers whose dtype nobody states."""
        return {"real floating": dtypes.float32, "complex floating": dtypes.complex64,
                "integral": dtypes.int32, "indexing": dtypes.int32}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes that there are, by name; of one kind or several, such as "integral"."""
        found = {n: getattr(dtypes, "bool_" if n == "bool" else n) for n in NAMES}
        if (mx.default_device() if device is None else device) != mx.cpu:
            del found["float64"]
        if kind is None:
            return found
        try:
            return {n: d for n, d in found.items() if isdtype(d, kind)}
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"dtypes: the kind {kind!r} is unknown; use one of 'bool', "
                                "'integral', 'real floating', 'numeric' and their "
                                "relatives.") from error


def array_namespace_info():
    """Facts about this namespace, by the array API standard: `__array_namespace_info__`.

    >>> array_namespace_info().default_dtypes()["integral"] == dtypes.int32
    True
    """
    return Info()
