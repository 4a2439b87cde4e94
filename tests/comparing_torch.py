"""What can be observed of a program, in plain Python, for functape and PyTorch alike."""


def plain(value):
    """Lists and rounded numbers in place of tensors."""
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if hasattr(value, "detach"):
        return plain(value.detach().tolist())
    return float(f"{value:.5g}") if isinstance(value, float) else value


def outcome(f, *args):
    """What `f` returns, or that it raises."""
    try:
        return plain(f(*args))
    except (RuntimeError, TypeError, ValueError, IndexError):
        return "an error"


def versions(*tensors):
    """How often each was changed in place."""
    return [t.version if hasattr(t, "version") else t._version for t in tensors]
