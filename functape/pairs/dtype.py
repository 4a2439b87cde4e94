"""complex128, which MLX lacks, beside MLX's dtypes; and what MLX asks of dtypes, asked of all."""

import mlx.core as mx


class Dtype:
    """A dtype that MLX lacks.

    >>> import functape as ft
    >>> ft.complex128, ft.complex128.size, ft.complex128 == ft.complex64
    (functape.complex128, 16, False)
    """

    __slots__ = ("name", "size")

    def __init__(self, name, size):
        self.name, self.size = name, size

    def __repr__(self):
        return f"functape.{self.name}"

    def __reduce__(self):
        return self.name  # pickled as the one that there is


complex128 = Dtype("complex128", 16)
COMPLEX = (mx.complex64, complex128)
