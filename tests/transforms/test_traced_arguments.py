"""Integers, positions and elements that vmap and jit do not know, in functions which JAX takes
there: the results of JAX, without running uncompiled."""

import functape as ft  # before mlx.core, which then finds a fast BLAS

# isort: split
import functools

import numpy
import pytest

from tests.agreement import QUICK, close

# Arguments by letters: three examples each.
GIVEN = {
    "x": numpy.float32([[3, -1, 2, 3], [0.5, 0, -2, 0], [1, 1, 4, -3]]),
    "y": numpy.float32([[1, 2, 3, -1], [0, 0, 5, 0.5], [4, 1, 2, 2]]),
    "m": numpy.float32((numpy.arange(36) * 7 % 11 - 4).reshape(3, 3, 4)),
    "q": numpy.float32([0.1, 0.5, 0.8]),
    "k": numpy.int32([1, -2, 9]),
    "i": numpy.int32([[0, 2, 1, 3], [3, 3, 0, 1], [1, 0, 2, 2]]),
    "j": numpy.int32([[-5, 2, 7, 3], [0, -1, 4, 9], [1, -3, 2, -2]]),
    "n": numpy.int32([[1, 2, 0, 3], [0, 0, 1, 0], [2, 2, 2, 2]]),
    "b": numpy.array([[True, False, True, False], [False] * 4, [True] * 4]),
    "z": numpy.complex64([[1, 1j, 1, 2], [0, 1 + 1j, 1, 1 + 1j], [2, 2, 2, 2]]),
}


def unique(np, x, size, **options):
    return np.unique(x, True, True, True, size=size, **options)


def squares(np, x):  # rows that occur twice, and NaN
    return np.sqrt(x % 3 - 1)


SMOOTH = {  # a function of the modules, of an array x and of what is unknown
    "roll": ("xk", lambda m, x, k: m.numpy.roll(x, k)),
    "roll along axes": ("mk", lambda m, x, k: m.numpy.roll(x, (k, 1), (0, 1))),
    "roll along one twice": ("mi", lambda m, x, i: m.numpy.roll(x, i[:2], 1)),
    "repeat": ("xn", lambda m, x, n: m.numpy.repeat(x, n, total_repeat_length=6)),
    "repeat all alike": ("mk", lambda m, x, k: m.numpy.repeat(
        x, abs(k), axis=1, total_repeat_length=5)),
    "insert": ("xkq", lambda m, x, k, q: m.numpy.insert(x, k, q)),
    "insert a row": ("mk", lambda m, x, k: m.numpy.insert(x, k, x[:, 0], axis=1)),
    "insert several": ("xjy", lambda m, x, j, y: m.numpy.insert(x, j, y)),
    "insert several at one": ("xky", lambda m, x, k, y: m.numpy.insert(x, k[None], y)),
    "delete": ("xk", lambda m, x, k: m.numpy.delete(x, k[None], assume_unique_indices=True)),
    "delete several": ("mi", lambda m, x, i: m.numpy.delete(
        x, i[:2], axis=1, assume_unique_indices=True)),
    "unique": ("x", lambda m, x: m.numpy.unique(x, size=3, fill_value=-7.0)),
    "union1d": ("xy", lambda m, x, y: m.numpy.union1d(x, y, size=5)),
    "setdiff1d": ("xy", lambda m, x, y: m.numpy.setdiff1d(x, y, size=5)),
    "trace": ("mk", lambda m, x, k: m.numpy.trace(x, k)),
    "add.reduceat": ("xi", lambda m, x, i: m.numpy.add.reduceat(x, i)),
    "multiply.reduceat": ("mi", lambda m, x, i: m.numpy.multiply.reduceat(x, i, axis=1)),
    "pinv": ("mq", lambda m, x, q: m.numpy.linalg.pinv(x, rtol=q / 4)),
    "lstsq": ("mxq", lambda m, a, x, q: m.numpy.linalg.lstsq(a, x[:3], rcond=q / 4)[0]),
    "segment_sum": ("xj", lambda m, x, j: m.ops.segment_sum(x, j, 4, mode="clip")),
    "take_along_axis": ("xj", lambda m, x, j: m.numpy.take_along_axis(x, j, 0, mode="clip")),
    "take": ("xj", lambda m, x, j: m.numpy.take(x, j, mode="wrap")),
    "dynamic_slice": ("mk", lambda m, x, k: m.lax.dynamic_slice(x, (k, k), (2, 3))),
    "interp": ("xiq", lambda m, x, i, q: m.numpy.interp(x, m.numpy.arange(4.0), x, period=q)),
    "quantile": ("xq", lambda m, x, q: m.numpy.quantile(x, q)),
    "approx_min_k": ("m", lambda m, x: m.lax.approx_min_k(x, 2, 1)[0]),
    "compress": ("bx", lambda m, b, x: m.numpy.compress(b, x, size=3, fill_value=8.0)),
}
CHOICES = {
    "unique, few": ("x", lambda m, x: unique(m.numpy, x, 2)),
    "unique, many": ("n", lambda m, x: unique(m.numpy, x, 6)),
    "unique, filled": ("xk", lambda m, x, k: unique(m.numpy, x, 6, fill_value=k)),
    "unique rows": ("m", lambda m, x: unique(m.numpy, squares(m.numpy, x), 4, axis=1)),
    "unique NaN": ("x", lambda m, x: unique(m.numpy, m.numpy.sqrt(x), 4)),
    "unique NaN, different": ("x", lambda m, x: unique(m.numpy, m.numpy.sqrt(x), 4,
                                                       equal_nan=False)),
    "unique complex": ("z", lambda m, z: unique(m.numpy, z, 3)),
    "unique booleans": ("b", lambda m, b: unique(m.numpy, b, 2)),
    "unique_values": ("i", lambda m, i: m.numpy.unique_values(i, size=4)),
    "unique_counts": ("i", lambda m, i: tuple(m.numpy.unique_counts(i, size=2))),
    "unique_inverse": ("i", lambda m, i: tuple(m.numpy.unique_inverse(i, size=5))),
    "unique_all": ("i", lambda m, i: tuple(m.numpy.unique_all(i, size=5, fill_value=9))),
    "union1d": ("in", lambda m, i, n: m.numpy.union1d(i, n, size=9, fill_value=-1)),
    "intersect1d": ("in", lambda m, i, n: m.numpy.intersect1d(i, n, size=3)),
    "intersect1d, where": ("xy", lambda m, x, y: m.numpy.intersect1d(
        x, y, return_indices=True, size=3, fill_value=7)),
    "setdiff1d, distinct": ("xy", lambda m, x, y: m.numpy.setdiff1d(
        x, y, assume_unique=True, size=5, fill_value=2)),
    "setxor1d": ("xy", lambda m, x, y: m.numpy.setxor1d(x, y, size=6)),
    "setxor1d, filled": ("in", lambda m, i, n: m.numpy.setxor1d(i, n, size=5, fill_value=9)),
    "eye": ("k", lambda m, k: m.numpy.eye(3, 4, k=k)),
    "tri": ("k", lambda m, k: m.numpy.tri(4, 3, k, dtype="int32")),
    "approx_max_k": ("m", lambda m, x: tuple(m.lax.approx_max_k(x, 2, reduction_dimension=0))),
    "nonzero": ("bk", lambda m, b, k: m.numpy.nonzero(b, size=5, fill_value=k)),
    "digitize": ("xy", lambda m, x, y: m.numpy.digitize(x, -m.numpy.sort(y), right=True)),
    "repeat nothing": ("xn", lambda m, x, n: m.numpy.repeat(x, n, total_repeat_length=0)),
    "maximum.reduceat": ("xi", lambda m, x, i: m.numpy.maximum.reduceat(x, i)),
    "bincount": ("jx", lambda m, j, x: m.numpy.bincount(j, x, length=4)),
    "ravel_multi_index": ("ji", lambda m, j, i: m.numpy.ravel_multi_index(
        (j, i), (3, 5), mode="wrap")),
    "unravel_index": ("k", lambda m, k: m.numpy.unravel_index(k, (2, 3))),
    "unravel_index in a shape": ("jk", lambda m, j, k: m.numpy.unravel_index(j, (abs(k), 3))),
    "histogram": ("xy", lambda m, x, y: m.numpy.histogram(x, bins=m.numpy.sort(y))),
}


def everything(m, entry, smooth):
    """Results with the arguments of each example; of a smooth function also its derivatives."""
    letters, f = entry
    args = [m.numpy.asarray(GIVEN[letter]) for letter in letters]
    f = functools.partial(f, m)
    found = [m.vmap(f)(*args)]
    if smooth:
        at = letters.index("x" if "x" in letters else "m")

        def along(x, *rest):
            return m.numpy.asarray(f(*rest[:at], x, *rest[at:]))

        def total(*a):
            out = along(*a)
            return (out * m.numpy.cos(m.numpy.arange(out.size)).reshape(out.shape)).sum()

        rest = (args[at], *args[:at], *args[at + 1:])
        found.append(m.vmap(m.grad(total))(*rest))
        found.append(m.vmap(lambda x, *r: m.jvp(lambda x: along(x, *r), (x,), (x + 1,))[1])(*rest))
    return found


@pytest.fixture(scope="module")
def wanted():
    """What JAX makes of all entries, compiled together."""
    jax = pytest.importorskip("jax")

    def everywhere():
        return [{name: everything(jax, entry, table is SMOOTH) for name, entry in table.items()}
                for table in (SMOOTH, CHOICES)]

    with jax.enable_x64(False):
        return jax.jit(everywhere).lower().compile(compiler_options=QUICK)()


ENTRIES = [pytest.param(k, name, id=name) for k, table in enumerate((SMOOTH, CHOICES))
           for name in table]


def leaves(tree):
    return tuple(numpy.asarray(a) for a in ft.tree.leaves(tree))


@pytest.mark.parametrize(("k", "name"), ENTRIES)
def test_traced(wanted, k, name):
    entry, want = (SMOOTH, CHOICES)[k][name], wanted[k][name]
    got = everything(ft, entry, k == 0)
    close(leaves(got), leaves(want), 1e-4)
    assert [a.dtype for a in leaves(got)] == [a.dtype for a in leaves(want)]
    letters, f = entry
    once = ft.jit(functools.partial(f, ft), fallback=False)
    for example in range(3):
        found = once(*[ft.numpy.asarray(GIVEN[letter][example]) for letter in letters])
        close(leaves(found), tuple(a[example] for a in leaves(want[0])), 1e-4)
