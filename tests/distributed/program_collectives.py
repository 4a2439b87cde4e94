"""Run by three ranks: each collective against the matrix of what it does to all ranks' arrays.

Seen together, a collective is a linear map of the ranks' arrays, stacked. NumPy writes down its
matrix M; with the loss sum(c sin(M x)) the derivatives are then known in closed form.
"""

import functape as ft

# isort: split
import json
import sys

import mlx.core as mx
import numpy as np

fd, fnp = ft.distributed, ft.numpy
GROUP = fd.init(backend="ring", strict=True)
RANK, SIZE = GROUP.rank, GROUP.size
SHAPE = (SIZE, 3)
RNG = np.random.default_rng(0)  # the same on all ranks, so that each knows all
X, V = RNG.normal(size=(2, SIZE, *SHAPE))
C = RNG.normal(size=(SIZE, SIZE * SIZE * 3))
ROWS = RNG.normal(size=(5, SIZE, *SHAPE))  # a batch of such inputs


def f64(a):
    return ft.asarray(np.asarray(a, np.float64))


def close(found, wanted, tolerance=1e-12):
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=tolerance, atol=tolerance)


# What each collective does to the list of all ranks' arrays.
MODELS = {
    "all_sum": lambda xs: [sum(xs)] * SIZE,
    "all_mean": lambda xs: [sum(xs) / SIZE] * SIZE,
    "all_gather": lambda xs: [np.concatenate(xs)] * SIZE,
    "sum_scatter": lambda xs: np.split(sum(xs), SIZE),
}
CHECKS = {}


def check(f):
    CHECKS[f.__name__] = f
    return f


def matrix(model):
    """Of the map from all ranks' inputs, stacked, to all ranks' outputs, and each rank's rows."""
    n = X.size
    columns = [np.concatenate([y.ravel() for y in model(list(e.reshape(X.shape)))])
               for e in np.eye(n)]
    m = np.stack(columns, 1)
    return m, [m[k * (len(m) // SIZE):(k + 1) * (len(m) // SIZE)] for k in range(SIZE)]


def mine(stacked):
    return stacked.reshape(X.shape)[RANK]


def linear(name):
    op, model = getattr(fd, name), MODELS[name]
    m, rows = matrix(model)
    c = np.concatenate([C[r][:len(rows[r])] for r in range(SIZE)])
    own = f64(C[RANK][:len(rows[RANK])])

    def loss(x):
        return fnp.sum(own * fnp.sin(op(x).reshape(-1)))

    x, v = f64(X[RANK]), f64(V[RANK])
    close(op(x), model(list(X))[RANK])
    first = mine(m.T @ (c * np.cos(m @ X.ravel())))
    second = mine(m.T @ (-c * np.sin(m @ X.ravel()) * (m @ V.ravel())))
    close(ft.grad(loss)(x), first)
    close(ft.grad(lambda x: fnp.sum(ft.grad(loss)(x) * v))(x), second)
    close(ft.jvp(op, (x,), (v,))[1], model(list(V))[RANK])
    close(ft.jvp(ft.grad(loss), (x,), (v,))[1], second)
    close(ft.jit(ft.grad(loss))(x), first)
    batch = f64(ROWS[:, RANK])
    close(ft.vmap(op)(batch), np.stack([model(list(row))[RANK] for row in ROWS]))
    close(ft.vmap(ft.grad(loss))(batch),
          np.stack([mine(m.T @ (c * np.cos(m @ row.ravel()))) for row in ROWS]))
    leaf = ft.tensor(x, requires_grad=True)
    loss(leaf).backward()
    close(leaf.grad, first)


for each in MODELS:
    CHECKS[each] = lambda each=each: linear(each)


@check
def extremes():
    """The one that reaches it gets the cotangents of all; those that tie share them."""
    for op, best in ((fd.all_max, np.max), (fd.all_min, np.min)):
        tied = X.copy()
        tied[:2, 0] = 7.0 if best is np.max else -7.0
        ans = best(tied, axis=0)
        share = (tied == ans) / (tied == ans).sum(0)
        c = C[:, :SHAPE[0] * SHAPE[1]].reshape(X.shape)
        x, v, own = f64(tied[RANK]), f64(V[RANK]), f64(c[RANK])

        def loss(x, op=op, own=own):
            return fnp.sum(own * fnp.sin(op(x)))

        close(op(x), ans)
        close(ft.grad(loss)(x), (c.sum(0) * np.cos(ans) * share)[RANK])
        tangent = (share * V).sum(0)
        close(ft.jvp(op, (x,), (v,))[1], tangent)
        close(ft.jvp(ft.grad(loss), (x,), (v,))[1], (-c.sum(0) * np.sin(ans) * tangent
                                                     * share)[RANK])
        close(ft.vmap(op)(f64(ROWS[:, RANK])), best(ROWS, axis=1))


@check
def numbers_and_dtypes():
    close(fd.all_gather(float(RANK)), np.arange(SIZE))
    out = fd.all_sum(mx.array([1, 2], mx.int32))
    assert type(out) is mx.array and out.dtype == mx.int32 and out.tolist() == [SIZE, 2 * SIZE]
    assert fd.all_mean(mx.array([1.5], mx.bfloat16)).dtype == mx.bfloat16
    assert fd.all_max(mx.array([RANK], mx.uint8)).item() == SIZE - 1
    z = fd.all_sum(mx.array([1 + 2j], mx.complex64))
    assert z.item() == SIZE * (1 + 2j)


@check
def from_one_to_the_next():
    """A pipeline of stages: x -> sin(w x) on each rank, the last one returns the sum."""
    w = np.arange(1.0, SIZE + 1) / 3

    def stage(w):
        x = f64(X[0]) if RANK == 0 else fd.recv(SHAPE, ft.float64, RANK - 1, after=w)
        y = fnp.sin(w * x)
        return fnp.sum(y) if RANK == SIZE - 1 else fd.send(y, RANK + 1)

    own = f64(w[RANK])
    close(ft.grad(stage)(own), derivative(w)[RANK])
    # second order: d/dw of (dL/dw . v), the same pipeline run forth, back, forth and back
    found = ft.grad(lambda w: ft.grad(stage)(w) * float(V[RANK, 0, 0]))(own)
    close(found, curvature(w, V[:, 0, 0])[RANK], 1e-6)
    out, tangent = ft.jvp(stage, (own,), (f64(V[RANK, 0, 0]),))
    if RANK == SIZE - 1:
        close(tangent, derivative(w) @ V[:, 0, 0])
    # three pipelines at once
    several = ft.vmap(ft.grad(stage))(f64(w[RANK] * np.array([1.0, 1.5, 2.0])))
    close(several, [derivative(w * k)[RANK] for k in (1.0, 1.5, 2.0)])


def derivative(w):
    """dL/dw of the chain, by the chain rule in NumPy."""
    xs = [X[0]]
    for k in w:
        xs.append(np.sin(k * xs[-1]))
    g, found = np.ones_like(X[0]), []
    for k, x in zip(w[::-1], xs[-2::-1], strict=True):
        slope = g * np.cos(k * x)
        found.append((slope * x).sum())
        g = slope * k
    return np.array(found[::-1])


def curvature(w, v, step=1e-5):
    """Central differences of the exact first derivative, along v."""
    return (derivative(w + step * v) - derivative(w - step * v)) / (2 * step)


@check
def averages():
    """Mixed dtypes, buckets of all sizes, mx.arrays and values."""
    def grads(r):
        return {"w": np.full((3, 2), r, np.float32), "b": [np.full(5, 10.0 * r, np.float32), None],
                "h": np.full(4, r, np.float16), "s": np.float32(r)}

    mean = (SIZE - 1) / 2
    for size in (0, 1, 16, 2**20):
        out = fd.average_gradients(ft.tree.map(mx.array, grads(RANK)), bucket_bytes=size)
        assert all(type(a) is mx.array for a in ft.tree.leaves(out))
        assert out["h"].dtype == mx.float16 and out["s"].shape == ()
        for k, scale in (("w", 1), ("h", 1), ("s", 1)):
            close(out[k], np.full_like(grads(0)[k], mean * scale), 1e-6)
        close(out["b"][0], np.full(5, 10 * mean), 1e-6)
    x = f64(X[RANK])  # differentiated through: the mean of all cotangents comes back
    found = ft.grad(lambda x: fnp.sum(fd.average_gradients({"a": x, "b": 2 * x})["b"] * RANK))(x)
    close(found, np.full(SHAPE, 2 * mean))


@check
def a_rank_that_alone_looks_does_not_wait():
    """Rank 0 evaluates one mean at once; the others never do, but later ones come after it."""
    first = fd.all_mean(mx.array(float(RANK)))
    if RANK == 0:
        assert first.item() == (SIZE - 1) / 2
    assert fd.all_sum(mx.array([1.0, 2.0])).tolist() == [SIZE, 2.0 * SIZE]


@check
def parts_of_a_batch():
    batch = {"x": np.arange(2.0 * SIZE), "y": mx.arange(SIZE)}
    part = fd.shard(batch)
    close(part["x"], [2.0 * RANK, 2 * RANK + 1])
    assert part["y"].tolist() == [RANK]
    close(fd.broadcast({"w": mx.array([RANK + 1.0])}, src=2)["w"], [3.0])


@check
def mistakes():
    refused(ft.errors.ShapeError, "rows", lambda: fd.shard(np.zeros(SIZE + 1)))
    refused(ft.errors.ShapeError, "cuts the first axis",
            lambda: fd.sum_scatter(mx.zeros(SIZE + 1)))
    refused(ft.errors.ArgumentError, "must be another rank", lambda: fd.send(1.0, RANK))
    refused(ft.errors.CommunicationError, "cannot be split", lambda: GROUP.split(RANK % 2))
    refused(ft.errors.ConcretizationError, "value of an array", lambda: ft.jit(
        lambda x: fd.recv((1,), "float32", (RANK + 1) % SIZE, after=x), fallback=False)(1.0))


@check
def unlike_arrays_are_told():
    n = 77 if GROUP.check == "first" else 3  # 3 was agreed upon long ago
    wrong = mx.zeros(n + 1 if RANK == 2 else n)
    text = refused(ft.errors.ShapeError, "about to call", lambda: fd.all_sum(wrong))
    assert f"rank 0, 1: all_sum of float32[{n}]" in text, text
    assert f"rank 2: all_sum of float32[{n + 1}]" in text, text
    kind = mx.float16 if RANK == 1 else mx.float32
    text = refused(ft.errors.ShapeError, "about to call",
                   lambda: fd.average_gradients({"a": mx.zeros(2), "w": mx.zeros(2, kind)}))
    assert "rank 1: gradients['w'], float16[2]" in text, text
    if RANK == 0:
        fd.send(mx.zeros(3), 1)
    elif RANK == 1:
        text = refused(ft.errors.ShapeError, "has sent", lambda: fd.recv((4,), "float32", 0))
        assert "rank 0 has sent float32[3]" in text and "expects float32[4]" in text, text
    close(fd.all_sum(mx.ones(3)), np.full(3, SIZE))  # all goes on


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


AGAIN = ("numbers_and_dtypes", "from_one_to_the_next", "unlike_arrays_are_told")


def main():
    """As MLX does it, when results are asked for; and again at once, with a time-out."""
    failures = {}
    for names, timeout, how in ((CHECKS, None, "first"), (AGAIN, 60, "always")):
        assert fd.init(timeout=timeout, check=how) is GROUP
        for name in names:
            try:
                CHECKS[name]()
            except Exception as error:  # noqa: BLE001 - told by the test
                failures[f"{name}, {how}"] = f"{type(error).__name__}: {error}"
    print("RESULT " + json.dumps({"rank": RANK, "checks": len(CHECKS), "failures": failures}))


if __name__ == "__main__":
    sys.exit(main())
