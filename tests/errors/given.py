"""What the wrong uses are made with."""

import functape as ft
import functape.numpy as np

KEY = ft.random.key(0)
x3 = np.ones(3)
A = np.ones((2, 3))
I3 = np.eye(3)


def leaf(v):
    return ft.tensor(v, requires_grad=True)


def squares(x):
    return np.sum(x**2)
