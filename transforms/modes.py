"""Switching the grad mode for a stretch of code."""

import contextlib

from functape.tape import mode


@contextlib.contextmanager
def enabled(on):
    before = mode.recording
    mode.recording = on
    try:
        yield
    finally:
        mode.recording = before
