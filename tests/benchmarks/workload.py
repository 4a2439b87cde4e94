"""What is measured: a workload has one set of numbers, and one version of the step a library."""

import importlib
from dataclasses import dataclass, field

TOLERANCE = 1e-4  # of gradients between libraries, relative


class Skip(Exception):
    """A library cannot run a workload; the message says why."""


@dataclass(frozen=True)
class Workload:
    """A step to be timed in several libraries.

    Its module (`source`) has a function ``data(**sizes)`` that returns the arguments of the step
    as trees of NumPy arrays, and for each library family a function such as ``in_jax(**sizes)``
    that returns the step. All steps return the same numbers in the same order.

    Args:
      source: name of the module.
      name: how `--only` calls it.
      title: one line for the table.
      full, toy: sizes to measure, and sizes to test the workload itself.
      compiled: whether it makes sense under `jit`.
      staged: the step times itself and returns ``{stage: seconds}``.
    """

    source: str
    name: str
    title: str
    full: dict
    toy: dict
    tolerance: float = TOLERANCE
    compiled: bool = True
    staged: bool = False

    def arguments(self, sizes):
        return importlib.import_module(self.source).data(**sizes)

    def version(self, family, sizes):
        """The step as a user of a library family would write it."""
        make = getattr(importlib.import_module(self.source), f"in_{family}", None)
        if make is None:
            raise Skip("no version for this library")
        return make(**sizes)


@dataclass(frozen=True)
class Curve:
    """A workload at growing sizes: the cost as a power of one of them.

    Args:
      workload: what is measured.
      name, title: as a workload's.
      axis: the size that grows.
      values, toy: what it takes.
      limits: the largest value for some libraries.
    """

    workload: Workload
    name: str
    title: str
    axis: str
    values: tuple
    toy: tuple
    limits: dict = field(default_factory=dict)

    def sizes(self, value, toy=False):
        return {**(self.workload.toy if toy else self.workload.full), self.axis: value}

    def allows(self, library, value):
        return value <= self.limits.get(library, value)
