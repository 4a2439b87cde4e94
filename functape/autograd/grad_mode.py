"""Grad modes: whether operations of this thread are recorded.

Each is a context manager, which may be entered again while it is active, and a decorator, also of
generators and coroutines: the mode then holds while their code runs and not between.
"""

import functools
import inspect
import threading

from functape.errors import ArgumentError, check_callable, describe
from functape.tape import mode


class GradMode:
    """A context manager and decorator that sets the mode of this thread."""

    inference = False

    def __init__(self, recording):
        self.recording = recording
        self.before = []  # a stack: the same object may be entered twice, and by several threads

    def __enter__(self):
        self.before.append((threading.get_ident(), mode.recording, mode.inference))
        self.switch()
        return self

    def switch(self):
        mode.recording = self.recording and not mode.inference

    def __exit__(self, *exc):
        thread, last = threading.get_ident(), len(self.before) - 1
        while self.before[last][0] != thread:
            last -= 1
        _, mode.recording, mode.inference = self.before.pop(last)

    def copy(self):
        """For each call of a decorated function its own stack: threads must not share one."""
        return type(self)()

    def __call__(self, f):
        if inspect.isclass(f):
            raise ArgumentError(f"{type(self).__name__} decorates functions, but {f.__name__} is "
                                "a class. Decorate its methods.")
        check_callable(type(self).__name__, f)
        if inspect.isasyncgenfunction(f):
            raise ArgumentError(f"{type(self).__name__} cannot decorate the asynchronous "
                                f"generator {f.__name__}; use it in a with statement inside.")
        wrap = (of_generator if inspect.isgeneratorfunction(f)
                else of_coroutine if inspect.iscoroutinefunction(f) else of_function)
        return functools.wraps(f)(wrap(f, self.copy))


def of_function(f, make):
    def within(*args, **kwargs):
        with make():
            return f(*args, **kwargs)

    return within


def of_generator(f, make):
    def within(*args, **kwargs):
        return (yield from steps(f(*args, **kwargs), make))

    return within


def of_coroutine(f, make):
    async def within(*args, **kwargs):
        return await Steps(f(*args, **kwargs), make)

    return within


def steps(generator, make):
    """Run each step of a generator or coroutine under the mode, and none of its consumer's code."""
    step, value = generator.send, None
    while True:
        try:
            with make():
                out = step(value)
        except StopIteration as stop:
            return stop.value
        try:
            step, value = generator.send, (yield out)
        except GeneratorExit:
            with make():
                generator.close()
            raise
        except BaseException as error:  # thrown in by the consumer: hand it on
            step, value = generator.throw, error


class Steps:
    """An awaitable that runs a coroutine stepwise."""

    def __init__(self, coroutine, make):
        self.coroutine, self.make = coroutine, make

    def __await__(self):
        return (yield from steps(self.coroutine, self.make))


class no_grad(GradMode):
    """Do not record.

    Args:
      f: a function to run so, where it decorates one.

    >>> import functape as ft
    >>> w = ft.tensor(2.0, requires_grad=True)
    >>> with ft.no_grad():
    ...     (w * w).requires_grad
    False
    """

    def __new__(cls, f=None):
        return super().__new__(cls) if f is None else cls()(f)

    def __init__(self, f=None):
        super().__init__(False)


class enable_grad(GradMode):
    """Record, inside of a `no_grad`.

    Args:
      f: a function to run so, where it decorates one.

    >>> import functape as ft
    >>> w = ft.tensor(2.0, requires_grad=True)
    >>> with ft.no_grad(), ft.enable_grad():
    ...     (w * w).requires_grad
    True
    """

    def __new__(cls, f=None):
        return super().__new__(cls) if f is None else cls()(f)

    def __init__(self, f=None):
        super().__init__(True)


class set_grad_enabled(GradMode):
    """Record or not, from here on; in a with statement, until its end.

    >>> import functape as ft
    >>> with ft.set_grad_enabled(False):
    ...     ft.is_grad_enabled()
    False
    """

    def __init__(self, on):
        if not isinstance(on, bool):
            raise ArgumentError(f"set_grad_enabled takes True or False, but got {describe(on)}.")
        super().__init__(on)
        self.outside = (mode.recording, mode.inference)
        self.switch()

    def __enter__(self):
        self.undo()  # the block ends in the mode before the object was made
        return super().__enter__()

    def __call__(self, f):
        self.undo()  # as a decorator it changes nothing here
        return super().__call__(f)

    def undo(self):
        """Take back, once, the switch that the constructor made."""
        if self.outside is not None:
            (mode.recording, mode.inference), self.outside = self.outside, None

    def copy(self):
        return no_grad() if not self.recording else enable_grad()


class inference_mode(GradMode):
    """Do not record, and mark what is made as never to be recorded.

    Args:
      on: False: record.

    >>> import functape as ft
    >>> with ft.inference_mode():
    ...     ft.tensor(1.0).is_inference
    True
    """

    def __new__(cls, on=True):
        return super().__new__(cls) if isinstance(on, bool) else cls()(on)

    def __init__(self, on=True):
        super().__init__(not on)
        self.on = on

    def switch(self):
        mode.inference = self.on
        mode.recording = not self.on

    def copy(self):
        return inference_mode(self.on)


def is_grad_enabled():
    """Whether this thread records.

    >>> is_grad_enabled()
    True
    """
    return mode.recording


def is_inference_mode_enabled():
    """Whether this thread is in inference mode.

    >>> is_inference_mode_enabled()
    False
    """
    return mode.inference
