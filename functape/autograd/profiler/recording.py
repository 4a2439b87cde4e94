"""What a profiler records, and where it listens.

Three places: around the calls of ops; `mode.watch`, which tells what each node saved; and around
the nodes of a backward pass. Without a profiler none of them costs anything.
Only threads that profile record, and each has its own stack of open events.
"""

import threading
import weakref
from time import perf_counter_ns

import mlx.core as mx

from functape import calls
from functape.autograd import checks
from functape.autograd.anomaly import arrays_of
from functape.errors import describe
from functape.op import levels
from functape.pairs import halves
from functape.tape import OpNode, Output, mode

FORWARD, BACKWARD, RANGE = "forward", "backward", "range"


class Event:
    """One operation, one node of a backward pass, or one range that the user named.

    `start` and `stop` are in nanoseconds, of `time.perf_counter_ns`; `inside` is the time in
    events within this one. `number` is the node's `sequence_nr`, the same forward and backward.
    `before` and `after` are the bytes that MLX held at the start and at the end. `evaluated` says
    whether the event waited for its results.
    """

    __slots__ = ("name", "kind", "inputs", "start", "stop", "inside", "parent", "depth", "thread",
                 "number", "saved_bytes", "before", "after", "evaluated", "profiles")

    def __init__(self, name, kind, inputs, parent, profiles):
        self.name, self.kind, self.inputs = name, kind, inputs
        self.parent, self.profiles = parent, profiles
        self.depth = 0 if parent is None else parent.depth + 1
        self.thread = threading.get_ident()
        self.number, self.saved_bytes, self.inside = None, 0, 0
        self.evaluated = False
        self.before = self.after = mx.get_active_memory()
        self.start = self.stop = perf_counter_ns()

    @property
    def time(self):
        """Seconds from start to end."""
        return (self.stop - self.start) / 1e9

    @property
    def self_time(self):
        """Seconds that are in no event within this one."""
        return (self.stop - self.start - self.inside) / 1e9

    @property
    def allocated_bytes(self):
        """By how much MLX held more at the end than at the start."""
        return self.after - self.before

    def __repr__(self):
        return f"<{self.kind} {self.name}: {self.time * 1e6:.1f} us>"


class Listening(threading.local):
    """The profilers of one thread, and its open events."""

    profiles = ()
    timing = None  # stands around the nodes of this thread's passes

    def __init__(self):
        self.open = []


listening = Listening()


def begin(name, kind, values=()):
    """Open an event; what goes in is computed first, where evaluation is wanted."""
    if wants_values():
        settle(values)
    parent = listening.open[-1] if listening.open else None
    inputs = ", ".join(describe(v) for v in values)
    event = Event(name, kind, inputs, parent, listening.profiles)
    listening.open.append(event)
    return event


def end(event):
    """Close an event, and those within it that an error left open."""
    event.stop = perf_counter_ns()
    event.after = mx.get_active_memory()
    stack = listening.open
    if event in stack:
        del stack[stack.index(event):]
    if event.parent is not None:
        event.parent.inside += event.stop - event.start
    for profile in event.profiles:
        profile.recorded.append(event)
    event.profiles = ()


def wants_values():
    return any(p.evaluate for p in listening.profiles) and not levels.tracing


def settle(values):
    """Compute arrays; False while a function is being compiled, when they have no values."""
    if not wants_values():
        return False
    try:
        mx.eval(halves([array for v in values for array in arrays_of(v)]))
    except (RuntimeError, ValueError) as error:
        if "[eval]" not in str(error):
            raise
        return False
    return True


# --- forward ------------------------------------------------------------------------------------


def timed(call, op, *args, **params):
    """A call of an op, with an event around it."""
    event = begin(op.name, FORWARD, args)
    try:
        out = call(op, *args, **params)
        event.evaluated = settle((out,))
    finally:
        end(event)
    return out


def note(node):
    """Note what a node keeps that was made, and tell the event of its op."""
    arrays = arrays_kept(node)
    for array in arrays:
        for profile in listening.profiles:
            profile.kept.add(array)
    if isinstance(node, OpNode) and listening.open:
        event = listening.open[-1]
        event.number, event.saved_bytes = node.seq, total(arrays)


def arrays_kept(node):
    return list(arrays_of(node.keeps() or {}))


def total(arrays):
    return sum(array.nbytes for array in arrays)


class Kept:
    """The saved arrays that are still alive: their bytes, each counted once, over time."""

    def __init__(self):
        self.alive, self.bytes, self.peak = {}, 0, 0
        self.history = []  # (time, bytes)

    def add(self, array):
        key = id(array)
        if key not in self.alive:
            size, kept = array.nbytes, weakref.ref(self)  # weakly, or it were a cycle

            def gone(_):
                if kept() is not None:
                    kept().drop(key, size)

            self.alive[key] = weakref.ref(array, gone)
            self.change(size)

    def drop(self, key, size):
        if self.alive.pop(key, None) is not None:
            self.change(-size)

    def change(self, size):
        self.bytes += size
        self.peak = max(self.peak, self.bytes)
        self.history.append((perf_counter_ns(), self.bytes))


# --- backward -----------------------------------------------------------------------------------


class Timing(checks.Around):
    """Takes the time of each node of a pass."""

    def pullback(self, node, g, lift, live):
        """Run a node; with evaluation its time includes the sum of what arrives at it."""
        if type(node) is Output:  # only says which output: its node comes next
            return super().pullback(node, g, lift, live)
        event = begin(node.name, BACKWARD)
        event.inputs = describe(g)
        event.number = node.seq
        if not isinstance(node, OpNode):  # what an op saved is told by its event forward
            event.saved_bytes = total(arrays_kept(node))
        try:
            parts = super().pullback(node, g, lift, live)
            event.evaluated = settle([g, *(part for _, part in parts)])
        finally:
            end(event)
        return parts


# --- switching on -------------------------------------------------------------------------------


def listen(profile):
    """Record for a profile in this thread."""
    if not listening.profiles:
        calls.enter(timed)
        mode.watch += (note,)
        listening.timing = Timing()
        checks.enter(listening.timing)
    listening.profiles += (profile,)


def leave(profile):
    """Stop recording for it."""
    listening.profiles = tuple(p for p in listening.profiles if p is not profile)
    if not listening.profiles:
        mode.watch = tuple(w for w in mode.watch if w is not note)
        checks.leave(listening.timing)
        calls.leave(timed)


class Peaks:
    """MLX counts one peak for the whole process; here each running profile has its own."""

    def __init__(self):
        self.running, self.lock = [], threading.Lock()

    def begin(self, profile):
        with self.lock:
            self.update()
            mx.reset_peak_memory()
            self.running.append(profile)
            profile.peak_bytes = max(profile.peak_bytes, mx.get_active_memory())

    def end(self, profile):
        with self.lock:
            self.update()
            self.running.remove(profile)

    def update(self):
        """What was the most since MLX last began to count."""
        for profile in self.running:
            profile.peak_bytes = max(profile.peak_bytes, mx.get_peak_memory())


peaks = Peaks()
