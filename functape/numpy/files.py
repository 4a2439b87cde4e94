"""Arrays from files, bytes and text, and arrays as text."""

import numpy as np

from functape import dtypes
from functape.numpy.arguments import value
from functape.numpy.creation import asarray
from functape.numpy.plain_values import concrete
from functape.tensor import as_numpy, constant

# --- from bytes and text --------------------------------------------------------------------------


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """The bytes of an object as an array of one axis.

    Args:
      buffer: bytes, or what lends its memory.
      dtype: of the result.
      count: how many elements to read; -1: all.
      offset: how many bytes to skip.

    >>> import numpy
    >>> frombuffer(b"abc", dtype=numpy.uint8)
    tensor([97, 98, 99], dtype=uint8)
    """
    return constant(np.frombuffer(buffer, numpy_dtype(dtype), count, offset).copy())


def numpy_dtype(dtype):
    """NumPy's dtype for one of ours; Python's float is float32, int is int32."""
    return np.dtype(dtypes.dtype_name(dtypes.as_dtype(dtype, "dtype")))


def fromstring(string, dtype=float, count=-1, *, sep):
    """Numbers in a text, between separators.

    Args:
      string: the text.
      dtype: of the result.
      count: how many elements to read; -1: all.
      sep: what separates the numbers.

    >>> fromstring("1 2 3", sep=" ")
    tensor([1., 2., 3.])
    """
    return constant(np.fromstring(string, numpy_dtype(dtype), count, sep=sep))


def fromiter(iterable, dtype=float, count=-1):
    """An array of the numbers that an iterable gives.

    Args:
      dtype: of the result.
      count: how many elements to read; -1: all.

    >>> fromiter((k * k for k in range(3)), dtype=int)
    tensor([0, 1, 4], dtype=int32)
    """
    return constant(np.fromiter(iterable, numpy_dtype(dtype), count))


def fromfile(file, dtype=float, count=-1, sep="", offset=0):
    """An array of the bytes, or with `sep` of the text, in a file.

    Args:
      dtype: of the result.
      count: how many elements to read; -1: all.
      offset: how many bytes to skip.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"ab")
    ...     file.flush()
    ...     fromfile(file.name, dtype="uint8")
    tensor([97, 98], dtype=uint8)
    """
    return constant(np.fromfile(file, numpy_dtype(dtype), count, sep, offset=offset))


# --- files of NumPy's formats ---------------------------------------------------------------------


def load(file, *args, **kwargs):
    """The array in a file of NumPy's format .npy; of an archive .npz, what NumPy returns.

    Args:
      *args, **kwargs: as for numpy.load.

    >>> import io
    >>> file = io.BytesIO()
    >>> save(file, asarray([1.0, 2.0]))
    >>> _ = file.seek(0)
    >>> load(file)
    tensor([1., 2.])
    """
    found = np.load(file, *args, **kwargs)
    return constant(found) if isinstance(found, np.ndarray) else found


def save(file, arr, allow_pickle=True):
    """Write an array to a file of NumPy's format .npy.

    Args:
      arr: array.
      allow_pickle: accepted; arrays hold numbers only.

    >>> import io
    >>> save(io.BytesIO(), asarray([1.0, 2.0]))
    """
    np.save(file, np.asarray(asarray(arr)), allow_pickle)


def savez(file, *args, **kwargs):
    """Write several arrays to one archive of NumPy's format .npz; names are keywords.

    Args:
      file: path, or an open file.
      *args, **kwargs: arrays; those without a name are arr_0, arr_1, ...

    >>> import io
    >>> savez(io.BytesIO(), x=asarray([1.0, 2.0]))
    """
    plain = {name: np.asarray(asarray(a)) for name, a in kwargs.items()}
    np.savez(file, *[np.asarray(asarray(a)) for a in args], **plain)


# --- as text --------------------------------------------------------------------------------------


def printoptions(*args, **kwargs):
    """A block in which arrays are printed otherwise: NumPy's options, such as `precision`.

    Args:
      *args, **kwargs: as for numpy.set_printoptions.

    >>> with printoptions(precision=2):
    ...     print(repr(asarray([0.123456])))
    tensor([0.12])
    """
    return np.printoptions(*args, **kwargs)


def set_printoptions(*args, **kwargs):
    """Print arrays otherwise from now on: NumPy's options, and NumPy's arrays too.

    Args:
      *args, **kwargs: as for numpy.set_printoptions.

    >>> set_printoptions(precision=8)
    """
    np.set_printoptions(*args, **kwargs)


def get_printoptions():
    """How arrays are printed now.

    >>> get_printoptions()["precision"]
    8
    """
    return np.get_printoptions()


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """An array as repr writes it, with options for its numbers.

    Args:
      arr: array.
      max_line_width, precision, suppress_small: NumPy's: characters in a line, digits, and whether
        tiny numbers are written as 0.

    >>> array_repr(asarray([0.123456]), precision=2)
    'tensor([0.12])'
    """
    with np.printoptions(**options(max_line_width, precision, suppress_small)):
        return repr(value(arr, "array_repr"))


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The numbers of an array as text.

    Args:
      a: array.
      max_line_width, precision, suppress_small: NumPy's: characters in a line, digits, and whether
        tiny numbers are written as 0.

    >>> array_str(asarray([1.0, 2.5]))
    '[1.  2.5]'
    """
    with np.printoptions(**options(max_line_width, precision, suppress_small)):
        return str(as_numpy(concrete(value(a, "array_str"), "array_str")))


def options(width, precision, suppress):
    given = {"linewidth": width, "precision": precision, "suppress": suppress}
    return {name: option for name, option in given.items() if option is not None}
