"""Onto a level and off it, seen through values of later levels.

An equation is solved below the level of a `vmap`, `jvp` or tape: `up` puts values onto that level,
`down` takes them off. Both are linear, and each is the transpose of the other. As ops they have
rules, so a level that begins later stays on top: f and its solvers can be differentiated there.
"""

from functape.op import LINEAR, Op, Value
from functape.ops.movement import spread, transpose
from functape.tensor import Tensor
from functape.transforms.forward import Dual
from functape.transforms.vmap import Batched


class Crossing(Op):
    """A step across one level; what no later level tracks is opened on the way."""

    def __init__(self, name, transposed):
        super().__init__(name, None, args=("x",), vjp=[transposed], jvp=LINEAR,
                         batch=batch_across, register=False)

    def __call__(self, x, *, level):
        while type(x) is Tensor and x.rank > level.rank and x.edge is None:
            x = x.array
        if isinstance(x, Value) and x.rank > level.rank:
            return super().__call__(x, level=level)
        return getattr(level, self.name)(x)


def batch_across(op, size, args, mapped, params):
    level = params["level"]
    if op is up:
        return up(level.turned(args[0]), level=level)
    return level.turned(down(args[0], level=level))


up = Crossing("up", lambda g, level: down(g, level=level))
down = Crossing("down", lambda g, level: up(g, level=level))


class Level:
    """What distinguishes the kinds of levels. Below it a value of this one is what it holds."""

    kind: type

    def __init__(self, rank):
        self.rank = rank

    def owns(self, value):
        return type(value) is self.kind and value.rank == self.rank

    def turned(self, x):
        """x with the axis of a later vmap and the one that this level hides, if any, exchanged."""
        return x


class TapeLevel(Level):
    """Tensors of one rank; what goes up is a constant there."""

    kind = Tensor

    def up(self, x):
        return Tensor(x, self.rank)

    def down(self, x):
        return x.array if self.owns(x) else x


class DualLevel(Level):
    """Dual numbers; what goes up does not move."""

    kind = Dual

    def up(self, x):
        return Dual(self.rank, x, Op.zeros(x))

    def down(self, x):
        return x.primal if self.owns(x) else x


class BatchLevel(Level):
    """The examples of a vmap, which lie below it along a leading axis."""

    kind = Batched

    def __init__(self, rank, count):
        super().__init__(rank)
        self.count = count

    def up(self, x):
        return Batched(self.rank, x, self.count)

    def down(self, x):
        return x.data if self.owns(x) else spread(x, self.count)

    def turned(self, x):
        return transpose(x, axes=(1, 0, *range(2, len(x.shape))))
