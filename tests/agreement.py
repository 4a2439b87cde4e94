"""Compare a function of functape's with the same of JAX's, under all transforms."""

import functape as ft

# isort: split
import numpy as np

from functape import tree

QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def close(got, want, tolerance=0.0):
    """Arrays, or tuples of them, agree; in shape too."""
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            close(a, b, tolerance)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def agree(oracle, f, g, *args, orders=2, tolerance=1e-9):
    """`f` with functape is `g` with JAX: value, both modes, second order, and under vmap."""
    args = tuple(np.asarray(a) for a in args)
    lowered = oracle.jit(lambda *a: everything(oracle, g, a, orders)).lower(*args)
    wants = lowered.compile(compiler_options=QUICK)(*args)
    if orders == 2:
        wants["gradient of gradient"] = wants["tangent of gradient"]  # Hessians are symmetric
    gots = everything(ft, f, tuple(map(ft.numpy.array, args)), orders)
    for what, want in wants.items():
        got = tuple(tree.leaves(gots[what]))
        try:
            close(got, tuple(tree.leaves(want)), tolerance)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from None


def everything(m, h, args, orders):
    """What the transforms of the library `m` make of `h`."""
    out = h(*args)
    shape = tuple(out.shape)
    w = np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape)
    every = tuple(range(len(args)))
    tangents = tuple(m.numpy.asarray(np.sin(1.0 + np.arange(a.size)).reshape(a.shape))
                     for a in args)

    def slope(*a):  # a gradient that is not linear in the arguments
        return m.grad(lambda *b: (h(*b) ** 3 * w).sum(), argnums=every)(*a)

    def along(*a):
        return m.jvp(h, a, tangents)[1]

    found = {"value": out, "gradient": slope(*args), "tangent": along(*args)}
    if orders == 1:
        return found
    many = [m.numpy.stack([a, 1.25 * a]) for a in args]

    def inner(*a):
        return sum((s * t).sum() for s, t in zip(slope(*a), tangents, strict=True))

    if m is ft:
        found["gradient of gradient"] = m.grad(inner, argnums=every)(*args)
    return found | {
        "tangent of gradient": m.jvp(slope, args, tangents)[1],
        "gradient of tangent": m.grad(lambda *a: (along(*a) ** 2 * w).sum(), every)(*args),
        "vmap": m.vmap(h)(*many),
        "vmap of gradient": m.vmap(slope)(*many),
    }
