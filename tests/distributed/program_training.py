"""Run by four ranks: the demo's network, each rank a quarter of the batch, against the whole batch
on one; and the bytes that a step receives, ours and those of mlx.nn.average_gradients."""

import functape as ft

# isort: split
import json
import socket
import struct
import sys
import time

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.optimizers import Adam

from functape.demo import model
from functape.demo.digits import BATCH, load, loss
from functape.distributed.turns import connections

STEPS = 12
GROUP = ft.distributed.init(backend="ring", strict=True)


def train(step, params, batches):
    """The losses of so many steps, and the parameters after them."""
    adam, values = Adam(learning_rate=3e-3), []
    for batch in batches:
        value, grads = step(params, *batch)
        params = adam.apply_gradients(grads, params)
        values.append(value)
    mx.eval(params, values)
    return np.array(values), params


def data():
    random = np.random.default_rng(0)
    (images, targets), _ = load()
    rows = [mx.array(random.integers(len(images), size=BATCH)) for _ in range(STEPS)]
    return [(images[r], targets[r]) for r in rows]


def difference(a, b):
    """The largest, relative to the largest element."""
    a, b = (np.concatenate([np.ravel(x) for x in ft.tree.leaves(t)]) for t in (a, b))
    return float(np.abs(a - b).max() / np.abs(b).max())


def sent():
    """Bytes that this rank has sent since it began; None where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return None
    total = 0
    for connection in connections():
        with connection:
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 208)
            total += struct.unpack_from("Q", info, 200)[0]  # tcpi_bytes_sent
    return total


def bytes_of(average, gradients):
    mx.eval(average(gradients))  # the first also compares shapes
    before = settled()
    mx.eval(average(gradients))
    return None if before is None else settled() - before


def settled():
    """When MLX's threads have sent what they have."""
    last = None
    while (now := sent()) != last:
        last = now
        time.sleep(0.3)
    return now


def main():
    random = np.random.default_rng(GROUP.rank)  # not the same on all ranks: broadcast
    params = ft.distributed.broadcast(
        ft.tree.map(mx.array, model.init(random, 64, 64, 32, 10)), src=0)
    batches = data()
    own = [ft.distributed.shard(batch) for batch in batches]
    step = ft.distributed.value_and_grad(loss)
    values, trained = train(step, params, own)
    whole_values, whole = train(ft.value_and_grad(loss), params, batches)
    small, _ = train(ft.distributed.value_and_grad(loss, bucket_bytes=1000), params, own[:3])
    jitted, _ = train(ft.jit(step), params, own[:3])
    gradients = ft.grad(loss)(params, *own[0])
    print("RESULT " + json.dumps({
        "rank": GROUP.rank, "values": difference(values, whole_values),
        "params": difference(trained, whole), "small": difference(small, whole_values[:3]),
        "jit": difference(jitted, whole_values[:3]), "falls": float(values[-1] / values[0]),
        "bytes": bytes_of(ft.distributed.average_gradients, gradients),
        "bytes of MLX": bytes_of(nn.average_gradients, gradients),
    }))


if __name__ == "__main__":
    main()
