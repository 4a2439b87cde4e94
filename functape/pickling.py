"""Pickling and copying of what there is only one of: ops and dtypes go by name, as functions do.

So models that hold an activation function or a dtype can be copied and saved.
"""

import copyreg
import importlib
import pickle

import mlx.core as mx

from functape.dtypes import BY_NAME, dtype_name
from functape.op import Op, table


def op_named(name):
    """The op of that name; the files that state ops are loaded when they are first used."""
    if name not in table:
        ops = importlib.import_module("functape.ops")
        for module in ops.__all__:
            getattr(ops, module)
    return table[name]


def op_by_name(op):
    if table.get(op.name) is not op:
        raise pickle.PicklingError(f"{op!r} was made for one user's function, and has no name by "
                                   "which it could be found again. Pickle the function.")
    return op_named, (op.name,)


def dtype_named(name):
    return BY_NAME[name]


def dtype_by_name(dtype):
    return dtype_named, (dtype_name(dtype),)


copyreg.pickle(Op, op_by_name)
copyreg.pickle(mx.Dtype, dtype_by_name)
