"""Anomaly mode: which operation made the NaN, and where in the user's program it stands.

While the mode is on, each node that is made notes the Python stack it came from, and each backward
pass looks for NaN (and infinity, if asked) in its seeds, in what reaches a node, and in what a
node returns. It reads values at every step, so it is for debugging.
"""

import functools
import sys
import traceback
import warnings

import mlx.core as mx

from functape.autograd import checks
from functape.errors import AnomalyError, ArgumentError, describe
from functape.op import Value
from functape.pairs import ARRAYS, halves
from functape.tape import mode
from functape.tensor import INEXACT

NOTE = "anomaly"  # the key of what is noted, in Node.metadata
INNER = ("functape", "optree", "contextlib")  # packages whose lines are none of the user's


class Origin:
    """Where a node was made: the user's stack, and, if that was during a backward pass, the node
    that was then running."""

    __slots__ = ("stack", "cause")

    def __init__(self, stack, cause):
        self.stack, self.cause = stack, cause  # cause: (name, Origin) or None

    @property
    def line(self):
        """The user's innermost line."""
        if not self.stack:
            return "an interactive line"
        frame = self.stack[-1]
        code = f": {frame.line}" if frame.line else ""
        return f"line {frame.lineno} of {frame.filename}, in {frame.name}{code}"


def user_stack():
    """The user's frames, outermost first."""
    return users(reversed(list(traceback.walk_stack(sys._getframe(1)))))


def users(frames):
    """Those of the pairs (frame, line number) that are the user's, summed up."""
    own = [(frame, line) for frame, line in frames if is_users(frame)]
    return traceback.StackSummary.extract(iter(own), lookup_lines=False)


def is_users(frame):
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] not in INNER


class Anomaly:
    """The watcher of one thread: notes where nodes are made, and checks backward passes."""

    def __init__(self, check_nan, check_inf):
        self.check_nan, self.check_inf = check_nan, check_inf
        self.running = []  # the nodes whose pullback is running; one for each nested pass
        self.warned = False

    def note(self, node):
        """Remember where a node was made."""
        cause = None
        if self.running:
            running = self.running[-1]
            cause = (running.name, origin_of(running))
        node.metadata[NOTE] = Origin(user_stack(), cause)

    # --- called by the engine --------------------------------------------------------------------

    def seeds(self, seeds):
        """Check what a pass starts with."""
        for i, seed in enumerate(seeds):
            found = self.search(seed)
            if found:
                raise AnomalyError(f"The seed of output {i}, {describe(seed)}, contains {found}. "
                                   "Look at the gradient that the pass was started with.")

    def arrived(self, node, g):
        """Check the cotangent of a node: summed, and after the hooks of its tensor."""
        found = self.search(g)
        if found:
            hooked = node.hooks is not None and node.hooks.tensor
            what = ("a hook returned it so" if hooked else
                    "it is the sum of gradients without any, or a node hook returned it so")
            raise explained(AnomalyError(f"The gradient that arrives at {node.name}, "
                                         f"{summary(g)}, contains {found}; {what}."), node)

    def pullback(self, node, g, lift, live):
        """Run a node, and check what it returns."""
        self.running.append(node)
        try:
            parts = node.pullback(g, lift, live)
        except AnomalyError:
            raise
        except Exception as error:
            raise explained(error, node)  # noqa: B904 - the same exception, with a note
        finally:
            self.running.pop()
        for i, part in parts:
            found = self.search(part)
            if found:
                raise explained(AnomalyError(
                    f"{node.name} returned {found} in the gradient of its input "
                    f"{input_name(node, i)}, {summary(part)}; the gradient of its output was "
                    "without any."), node)
        return parts

    def search(self, value):
        """What is wrong with the elements of a value: '2 nan of 6 elements', or ''."""
        nans = infs = size = 0
        for array in arrays_of(value):
            if array.dtype in INEXACT:
                size += array.size
                try:
                    nans += count(mx.isnan, array) if self.check_nan else 0
                    infs += count(mx.isinf, array) if self.check_inf else 0
                except (RuntimeError, ValueError) as error:
                    if "[eval]" not in str(error):
                        raise
                    self.warn()
                    return ""
        kinds = [f"{n} {kind}" for n, kind in ((nans, "nan"), (infs, "inf")) if n]
        return f"{' and '.join(kinds)} of {size} element(s)" if kinds else ""

    def warn(self):
        """Say, once, that something is not checked."""
        if not self.warned:
            line = Origin(user_stack(), None).line
            warnings.warn("Anomaly mode cannot look at values while a function is being compiled, "
                          f"and does not check it, at {line}. Call it under disable_jit().",
                          UserWarning, stacklevel=2)
        self.warned = True


def count(test, array):
    """How many elements pass a test of MLX's; of complex128, in one of their parts."""
    found = functools.reduce(mx.logical_or, map(test, halves([array])))
    return int(found.sum().item())


def arrays_of(value):
    """The arrays in a cotangent, whatever transforms have wrapped around them."""
    if isinstance(value, ARRAYS):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from arrays_of(part)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from arrays_of(part)
    elif isinstance(value, Value):
        for name in ("array", "data", "primal", "tangent"):
            inner = getattr(value, name, None) if name in slots_of(value) else None
            if inner is not None:
                yield from arrays_of(inner)


def slots_of(value):
    return type(value).__slots__


def summary(g):
    return ", ".join(describe(part) for part in g.values()) if isinstance(g, dict) else describe(g)


def input_name(node, i):
    """The number of an input, with its name where the op gives it one."""
    plan = getattr(node, "plan", None)
    named = plan is not None and not plan.op.variadic
    return f"{i} ({plan.op.args[i]!r})" if named else str(i)


def origin_of(node):
    return node.owner.note(NOTE)


def explained(error, node):
    """An exception, with the user's forward lines in its message and as notes."""
    origin = origin_of(node)
    if origin is None:
        error.add_note(f"Where {node.name} was made is not known; enter detect_anomaly() before "
                       "the forward pass.")
        return error
    if isinstance(error, AnomalyError):
        error.args = (f"{error} {node.name} was made at {origin.line}.",)
    name = node.name
    while origin is not None:
        error.add_note(f"{name} was made here:\n{''.join(origin.stack.format())}".rstrip())
        if origin.cause is None:
            break
        previous, (name, origin) = name, origin.cause
        error.add_note(f"{previous} was made while the backward pass ran {name}.")
    return error


# --- switching it on ----------------------------------------------------------------------------


class set_detect_anomaly:
    """Switch anomaly mode on or off in this thread; in a with statement, until its end.

    Args:
      mode: True or False.
      check_nan: stop a backward pass at the first NaN.
      check_inf: stop it at the first infinity too.

    >>> import functape as ft
    >>> with ft.autograd.set_detect_anomaly(True):
    ...     ft.autograd.is_anomaly_enabled()
    True
    """

    def __init__(self, mode, check_nan=True, check_inf=False):
        for name, given in (("mode", mode), ("check_nan", check_nan), ("check_inf", check_inf)):
            if not isinstance(given, bool):
                raise ArgumentError(f"set_detect_anomaly: {name} is True or False, but got "
                                    f"{describe(given)}.")
        self.wanted = Anomaly(check_nan, check_inf) if mode else None
        self.before = [install(self.wanted)]
        self.entered = False

    def __enter__(self):
        if self.entered:
            self.before.append(install(self.wanted))
        self.entered = True
        return self

    def __exit__(self, *exc):
        install(self.before.pop())


class detect_anomaly:
    """Within the block, an error is raised where a backward pass makes a NaN. It names the
    operation, which of its inputs, and the line of the forward pass.

    Args:
      check_nan: stop a backward pass at the first NaN; False only notes where nodes are made.
      check_inf: stop it at the first infinity too.

    >>> import functape as ft
    >>> class Bad(ft.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * float("nan")
    >>> x = ft.tensor(1.0, requires_grad=True)
    >>> with ft.autograd.detect_anomaly():
    ...     Bad.apply(x).backward()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    functape.errors.AnomalyError: BadBackward returned 1 nan of 1 element(s) in the gradient of ...
    """

    def __init__(self, check_nan=True, check_inf=False):
        self.checks = check_nan, check_inf
        self.before = []

    def __enter__(self):
        self.before.append(install(Anomaly(*self.checks)))
        return self

    def __exit__(self, *exc):
        install(self.before.pop())


def install(anomaly):
    """Put one watcher (None: none) in the place of another, which is returned."""
    before = checks.innermost()
    watchers = [w for w in mode.watch if before is None or w != before.note]
    mode.watch = tuple(watchers) if anomaly is None else (*watchers, anomaly.note)
    checks.replace_innermost(anomaly)
    return before


def is_anomaly_enabled():
    """Whether this thread is in anomaly mode.

    >>> is_anomaly_enabled()
    False
    """
    return checks.innermost() is not None


def is_anomaly_check_nan_enabled():
    """Whether this thread is in anomaly mode and looks for NaN.

    >>> is_anomaly_check_nan_enabled()
    False
    """
    anomaly = checks.innermost()
    return anomaly is not None and anomaly.check_nan
