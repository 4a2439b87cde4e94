"""What happens in the process of one library: build a step, warm it up, time it."""

import gc
import resource
import sys
import time

import numpy as np
import optree

WARM_UPS = 2
LEAST_CALLS = 3  # in a turn; of a step that takes longer than the turn, one


class Prepared:
    """A workload's step in one library, with its arguments, warmed up.

    Attributes:
      results: the numbers of the first call, as a flat list of NumPy arrays.
      setup: seconds of the first call, compilation included.
      peak, grown: bytes at the peak of one call as the library counts them (or None), and by how
        much the first call made the process grow.
    """

    def __init__(self, workload, library, sizes):
        library.load()
        self.workload, self.library = workload, library
        self.args = library.arrays(workload.arguments(sizes))
        step = workload.version(library.family, sizes)
        self.step = step if workload.staged else library.compile(step)
        resident, start = resident_bytes(), time.perf_counter()
        out = self.call()
        self.setup = time.perf_counter() - start
        self.results = None if workload.staged else numbers(out)
        self.peak, self.grown = None, resident_bytes() - resident
        del out
        if not workload.staged:
            for _ in range(WARM_UPS - 1):
                self.call()
            self.peak = library.peak(self.call)

    def call(self):
        out = self.step(*self.args)
        self.library.wait(out)
        return out

    def visit(self, seconds):
        """Time calls for about so long: what one round contributes. The garbage collector stays
        on, as users have it, and starts from the same state in each library."""
        gc.collect()
        if self.workload.staged:
            return self.call()
        times = []
        while not times or sum(times) < seconds or len(times) < LEAST_CALLS and times[0] < seconds:
            start = time.perf_counter()
            self.call()
            times.append(time.perf_counter() - start)
        return {"min": min(times), "median": float(np.median(times)), "calls": len(times)}


def numbers(tree):
    return [np.array(leaf, dtype=np.float64) for leaf in optree.tree_leaves(tree)]


def resident_bytes():
    """The most memory that this process ever held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def difference(a, b):
    """How far the results `a` are from `b`: the worst leaf, relative to its norm, or to a
    thousandth of the largest norm where its own is smaller."""
    if [x.shape for x in a] != [y.shape for y in b]:
        return float("inf")
    floor = 1e-3 * max(np.linalg.norm(y) for y in b)
    gaps = [np.linalg.norm(x - y) / max(np.linalg.norm(y), floor, 1e-30)
            for x, y in zip(a, b, strict=True)]
    return float("inf") if any(np.isnan(gaps)) else float(max(gaps))
