"""The table from names in mlx.core to functions that take the same arguments, and values too."""

table: dict = {}  # "sin", "linalg.inv", ... -> function


def translation(*names):
    """Register a function as what those names of mlx.core mean for functape's values."""

    def register(f):
        for name in names:
            table[name] = f
        return f

    return register
