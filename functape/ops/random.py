"""Random bits by key: the one op that draws. All distributions are compositions of it."""

import mlx.core as mx

from functape.ops.families import nondiff


def bits_kernel(key, shape):
    """32 random bits an element of `shape`, from MLX's generator: `split` gives its bits as they
    are. Several keys (..., 2) give results (..., *shape), those of each key alone."""
    count = 1
    for n in shape:
        count *= n
    words = -(-count // 2)  # a split yields pairs
    lead = key.shape[:-1]
    keys = mx.reshape(key, (-1, 2)).astype(mx.uint32)
    if not count or not keys.shape[0]:
        return mx.zeros((*lead, *shape), mx.uint32)
    if keys.shape[0] == 1:
        drawn = mx.random.split(keys[0], words)
    else:
        drawn = mx.vmap(lambda k: mx.random.split(k, words))(keys)
    drawn = mx.reshape(drawn, (keys.shape[0], 2 * words))
    return mx.reshape(drawn[:, :count], (*lead, *shape))


random_bits = nondiff("random_bits", bits_kernel, ("key",),
                      batch=lambda op, size, args, mapped, params: op(*args, **params),
                      doc="32 random bits an element, by a key uint32[2]; for each of many keys.")
