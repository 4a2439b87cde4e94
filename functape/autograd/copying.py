"""copy, deepcopy and pickle of tensors.

deepcopy   of a leaf: its value, gradient, version and requires_grad, and no hooks
copy       another tensor of the same array and place on the tape: changes of either in place show
           in both; a leaf's copy is a leaf with a gradient of its own
pickle     of a leaf: its value and requires_grad; gradient and hooks stay behind

Results of recorded operations can be neither deep-copied nor pickled: the copy would be cut off
the tape. Inside a transform values are immutable, and are their own copies.
"""

import copy

from functape.autograd.install import method
from functape.autograd.leaf import state
from functape.dtypes import as_dtype, dtype_name
from functape.errors import GraphError, describe
from functape.op import Value
from functape.pairs import converted
from functape.sinks import Capture
from functape.tensor import Tensor, as_array, as_numpy, handle


def require_leaf(tensor, what):
    if tensor.node is not None:
        raise GraphError(f"{what} of {describe(tensor)}, the result of {tensor.node.name}, would "
                         "cut it off the tape; only leaves have it. detach() it first.")


def is_own(tensor):
    """Whether a tensor is the user's, not one that stands for a transform's argument."""
    return tensor.rank == 0 and not isinstance(tensor.sink, Capture)


@method
def __deepcopy__(self, memo):
    if not is_own(self):
        return self
    require_leaf(self, "deepcopy")
    twin = Tensor(handle(self.array))
    memo[id(self)] = twin
    if self.version:
        twin.own_history().version = self.version
    twin.requires_grad = self.requires_grad
    if self.eager is not None and self.eager.grad is not None:
        state(twin).grad = copy.deepcopy(self.eager.grad, memo)
    return twin


@method
def __copy__(self):
    twin = self.detach()
    if self.node is not None or not is_own(self):
        twin.edge = self.edge
    else:
        twin.requires_grad = self.requires_grad
    return twin


@method
def __reduce_ex__(self, protocol):
    if not is_own(self):
        raise GraphError("A value of a running transform cannot be pickled. Return it from the "
                         "transformed function first.")
    require_leaf(self, "pickle")
    # through NumPy: MLX's own pickle makes float64 float32
    return rebuilt, (as_numpy(self.array), dtype_name(self.dtype), self.requires_grad)


def rebuilt(array, dtype, requires_grad):
    """A leaf from its pickle."""
    leaf = Tensor(converted(as_array(array), as_dtype(dtype)))
    leaf.requires_grad = requires_grad
    return leaf


Value.__copy__ = lambda self: self
Value.__deepcopy__ = lambda self, memo: self
