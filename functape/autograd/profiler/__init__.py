"""Where the time and the memory of a gradient go."""

import functools
import inspect
import json
import threading
from pathlib import Path

from functape.autograd.grad_mode import of_coroutine, of_function, of_generator
from functape.autograd.profiler import recording, report, tables
from functape.errors import ArgumentError, GraphError, describe
from functape.suggest import for_names_of

__all__ = ["profile", "record_function"]

WAITED = "Each operation waited for its result (evaluate=True)."
LAZY = ("MLX computes later than it is told to: these are the times to dispatch. "
        "profile(evaluate=True) waits for each result.")


class profile:
    """Record each operation and each node of the backward passes in a with block, in this thread.

    MLX is lazy: an operation returns before its result is computed. So without `evaluate` the
    times are those it takes to put the work together, not to do it. What is compiled with jit
    runs as one piece, which no profiler sees into.

    Args:
      evaluate: wait for the result of each operation and each node, so that times are those of
        the computation, and memory is that in use then. This is slower than the program itself,
        as nothing runs side by side.

    Attributes:
      events: what was recorded, in order of start.
      peak_bytes: the most memory MLX held in the process meanwhile.
      saved_peak_bytes: the most that saved values held, each array counted once.

    >>> import functape as ft
    >>> w = ft.ones(3, requires_grad=True)
    >>> with profile(evaluate=True) as prof:
    ...     (w * w).sum().backward()
    >>> [event.name for event in prof.events]
    ['multiply', 'sum', 'SumBackward', 'MultiplyBackward']
    >>> [row["calls"] for row in prof.key_averages()]
    [1, 1, 1, 1]
    """

    def __init__(self, evaluate=False):
        if not isinstance(evaluate, bool):
            raise ArgumentError(f"profile: evaluate is True or False, but got "
                                f"{describe(evaluate)}.")
        self.evaluate = evaluate
        self.recorded, self.kept = [], recording.Kept()
        self.peak_bytes = 0
        self.threads = set()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        """Begin to record in this thread; `stop` ends it."""
        if self in recording.listening.profiles:
            raise GraphError("This profile records in this thread already. Call stop() first, or "
                             "make another: profile().")
        self.threads.add(threading.get_ident())
        recording.peaks.begin(self)
        recording.listen(self)

    def stop(self):
        """End recording in this thread."""
        if self not in recording.listening.profiles:
            raise GraphError("This profile does not record in this thread. Call start() first, or "
                             "use it in a with statement.")
        recording.leave(self)
        recording.peaks.end(self)

    # --- what was recorded -----------------------------------------------------------------------

    @property
    def events(self):
        return sorted(self.recorded, key=lambda e: e.start)

    @property
    def saved_peak_bytes(self):
        return self.kept.peak

    @property
    def note(self):
        """What the times mean."""
        if not self.evaluate:
            return LAZY
        late = sum(not e.evaluated for e in self.recorded if e.kind != recording.RANGE)
        return WAITED if not late else f"{WAITED} {late} could not, inside a compiled function."

    def key_averages(self, group_by_inputs=False):
        """A row for each operation, node and named range: how often, how long, how much.

        ``self_time`` is without what is recorded inside; ``allocated_bytes`` is by how much the
        memory in use grew.

        Args:
          group_by_inputs: a row for each shape and dtype of what went in, too.

        Returns:
          A list of dicts, with ``table(sort_by=..., row_limit=...)``.
        """
        return tables.averages(self.events, group_by_inputs, self.note)

    def nodes(self):
        """A row for each node of the tape: its time forward and backward, and what it saved."""
        return tables.nodes(self.events, self.note)

    def table(self, sort_by="self_time", row_limit=100):
        """The rows of `key_averages` as text, sorted by any column."""
        return self.key_averages().table(sort_by, row_limit)

    def chrome_trace(self):
        """The events in the format of Chrome's tracing: a dict, ready for JSON."""
        return report.chrome_trace(self)

    def export_chrome_trace(self, path):
        """Write them to a file, to open in Perfetto or chrome://tracing."""
        Path(path).write_text(json.dumps(self.chrome_trace()), encoding="utf-8")

    def html(self):
        """A page with the tables, a time line and a chart of the memory. It loads nothing."""
        return report.page(self)

    def save(self, path):
        """Write that page to a file."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def memory_chart(self):
        """SVG text: the memory that MLX held, and what of it was saved for backward passes."""
        return report.memory_chart(self)

    def _repr_html_(self):
        return report.fragment(self)

    def __repr__(self):
        return f"<profile: {len(self.recorded)} events, evaluate={self.evaluate}>"


class record_function:
    """Name a range in a profile; as a context manager, or as a decorator of functions.

    Args:
      name: what to call it.

    >>> import functape as ft
    >>> with profile() as prof, record_function("square"):
    ...     x = ft.ones(3) * ft.ones(3)
    >>> [(event.name, event.depth) for event in prof.events if event.depth < 1]
    [('square', 0)]
    """

    def __init__(self, name):
        if not isinstance(name, str):
            raise ArgumentError(f"record_function takes a name, but got {describe(name)}. As a "
                                'decorator it is written @record_function("name").')
        self.name, self.open = name, []

    def __enter__(self):
        profiled = recording.listening.profiles
        self.open.append(recording.begin(self.name, recording.RANGE) if profiled else None)
        return self

    def __exit__(self, *exc):
        event = self.open.pop()
        if event is not None:
            recording.end(event)

    def __call__(self, f):
        wrap = (of_generator if inspect.isgeneratorfunction(f)
                else of_coroutine if inspect.iscoroutinefunction(f) else of_function)
        return functools.wraps(f)(wrap(f, lambda: type(self)(self.name)))

__getattr__ = for_names_of(__name__)
