"""Families of ops: state the mathematics once, derive the rest.

elementwise   one partial per argument      -> vjp with un-broadcasting, jvp, batch rule
linear        the adjoint                   -> jvp (the op itself)
bilinear      two adjoints                  -> both jvps
reduction     the weight of each element    -> vjp, jvp, batch rule with shifted axes
nondiff       nothing                       -> zero derivative, no node

A formula's parameters name what it reads (see `functape.op.Rule`). Un-broadcasting, casting and
the restoring of reduced axes happen here, never in a rule.
"""

import math

import mlx.core as mx

from functape.op import LINEAR, NUMBERS, Op, Rule, levels
from functape.ops import reduce_kernels

ARGS = ("x", "y", "z")


# --- elementwise --------------------------------------------------------------------------------


def elementwise(name, kernel, *partials, args=None, unbounded=False, doc=""):
    """An op that acts on each element: state its partial derivatives.

    A partial is a formula such as ``lambda x: cos(x)``, a number, or None; where the product with
    it has a better form, the map itself: ``lambda g, y: ratio(g, y)``. Where a partial may be
    infinite or NaN, `unbounded=True` keeps a zero cotangent zero, whatever the partial is: the
    branch that a `where` did not select then adds nothing.
    """
    args = args or ARGS[: len(partials)]
    single = len(args) == 1
    return Op(
        name,
        kernel,
        args=args,
        vjp=[pullback(p, unbounded, None if single else name)
             for p, name in zip(partials, args, strict=True)],
        jvp=[pushforward(p, unbounded, single) for p in partials],
        batch=batch_elementwise,
        doc=doc,
    )


def pullback(partial, unbounded, name):
    """g -> g * partial, in the space of the argument `name`; None: that of the only one."""
    if partial is None:
        return None
    product, reads = product_with(partial, unbounded)
    if name is None:  # shape and dtype are those of the output, unless the output is real
        return Rule(product, reads)

    def vjp(g, space, *values):
        g = product(g, *values)
        return g if space is None else fit(g, *space)

    def vjp_of_one(g, space, x):  # the same, without the price of the star
        g = product(g, x)
        return g if space is None else fit(g, *space)

    return Rule(vjp_of_one if len(reads) == 1 else vjp, (f"{name}_space", *reads))


def pushforward(partial, unbounded, single):
    """t -> t * partial, in the shape and dtype of the output."""
    if partial is None:
        return None
    product, reads = product_with(partial, unbounded)
    if single:
        return Rule(product, reads)

    def jvp(t, shape, dtype, *values):
        return stretch(product(t, *values), shape, dtype)

    return Rule(jvp, ("ans_shape", "ans_dtype", *reads))


def product_with(partial, unbounded):
    """The map g -> g * partial, and what it reads. A formula whose first parameter is `g` is such
    a map already."""
    if partial == 1:
        return lambda g: g, ()
    if partial == -1:
        return lambda g: -g, ()
    if isinstance(partial, (int, float)):
        return lambda g: g * partial, ()
    names = parameter_names(partial)
    if names[:1] == ("g",):
        return partial, names[1:]
    if unbounded:
        return lambda g, *values: scale(g, partial(*values)), names
    if len(names) == 1:
        return lambda g, x: g * partial(x), names
    return lambda g, *values: g * partial(*values), names


def parameter_names(formula):
    return formula.__code__.co_varnames[: formula.__code__.co_argcount]


def batch_elementwise(op, size, args, mapped, params):
    """Align the axes after the batch axis, then apply the op."""
    if len(args) == 1:
        return op(*args, **params)
    ranks = [len(getattr(a, "shape", ())) - m for a, m in zip(args, mapped, strict=True)]
    full = max(ranks)
    if levels.tracing:
        args = [a if m or type(a) in NUMBERS else apart(a, size)
                for a, m in zip(args, mapped, strict=True)]
    return op(*[
        a.reshape((size, *(1,) * (full - r), *a.shape[1:])) if m and r < full else a
        for a, r, m in zip(args, ranks, mapped, strict=True)
    ], **params)


def apart(a, size):
    """What serves a whole batch, behind a reshape. MLX's compiler fuses through a broadcast, and
    would compute it again, sines and all, for each entry; it does not fuse through this."""
    return a.reshape((1, *a.shape)) if size * math.prod(a.shape) > 256 else a


def fit(g, shape, dtype):
    """Bring a cotangent back to an argument's space: sum what was broadcast, cast, drop the
    imaginary part of a real argument."""
    if g.shape != shape:
        g = sum_to(g, shape=shape)
    return g if g.dtype == dtype else astype(g, dtype=dtype)


def stretch(t, shape, dtype):
    """Bring a tangent into the output's space: broadcast and cast."""
    if t.shape != shape:
        t = broadcast_to(t, shape=shape)
    return t if t.dtype == dtype else astype(t, dtype=dtype)


# --- linear and bilinear ------------------------------------------------------------------------


def linear(name, kernel, transpose, batch=None, args=("x",), doc=""):
    """A linear op: state its transpose, ``g, ... -> cotangent``. Its jvp is the op itself."""
    return Op(name, kernel, args=args, vjp=[transpose], jvp=LINEAR, batch=batch, doc=doc)


def bilinear(name, kernel, left, right, batch=None, doc=""):
    """An op linear in each of two arguments: state the two transposes."""

    def move_left(t, y, op_params):
        return op(t, y, **op_params)

    def move_right(t, x, op_params):
        return op(x, t, **op_params)

    op = Op(name, kernel, args=("x", "y"), vjp=[left, right], batch=batch, doc=doc,
            jvp=[Rule(move_left, ("y", "params")), Rule(move_right, ("x", "params"))])
    return op


# --- reductions ---------------------------------------------------------------------------------


def reduction(name, kernel, weight, unbounded=False, doc=""):
    """An op that reduces axes: state the weight, the derivative of the result by each element.

    `weight` reads `ans` with the reduced axes kept (length 1), `count` (how many elements go
    into one result), and parameters. The op's parameters are ``axis`` (a tuple of non-negative
    integers) and ``keepdims``.
    """
    reads = tuple(n for n in parameter_names(weight) if n != "count")
    counts = "count" in parameter_names(weight)
    apply = scale if unbounded else multiply

    def weigh(shape, axis, values):
        values = [keep(v, shape, axis) if n == "ans" else v
                  for n, v in zip(reads, values, strict=True)]
        return weight(*values, count_of(shape, axis)) if counts else weight(*values)

    def vjp(g, shape, dtype, axis, *values):
        g = unreduce(g, shape, axis)
        return fit(apply(g, weigh(shape, axis, values)), shape, dtype)

    def jvp(t, shape, dtype, axis, keepdims, *values):
        moved = fit(apply(t, weigh(shape, axis, values)), shape, dtype)
        return total(moved, axis=axis, keepdims=keepdims)

    return Op(name, kernel, args=("x",), batch=batch_reduction, doc=doc,
              vjp=[Rule(vjp, ("x_shape", "x_dtype", "axis", *reads))],
              jvp=[Rule(jvp, ("x_shape", "x_dtype", "axis", "keepdims", *reads))])


def keep(a, shape, axis):
    """Give `a`, reduced over `axis`, its reduced axes back as length 1."""
    return a.reshape(tuple(1 if i in axis else n for i, n in enumerate(shape)))


def unreduce(g, shape, axis):
    """The cotangent of a result at each of the elements that were reduced to it; a scalar needs no
    axes for that."""
    return broadcast_to(g if len(axis) == len(shape) else keep(g, shape, axis), shape=shape)


def count_of(shape, axis):
    n = 1
    for i in axis:
        n *= shape[i]
    return n


def batch_reduction(op, size, args, mapped, params):
    return op(*args, **{**params, "axis": tuple(i + 1 for i in params["axis"])})


# --- no derivative ------------------------------------------------------------------------------


def nondiff(name, kernel, args=("x",), batch=None, doc=""):
    """An op whose derivative is zero wherever it exists: no node, no tangent."""
    none = [None] * len(args)
    return Op(name, kernel, args=args, vjp=none, jvp=none, batch=batch, doc=doc)


# --- the ops that the families themselves are made of --------------------------------------------


def scale_kernel(x, y):
    product = mx.multiply(x, y)
    if isinstance(y, (bool, int, float)) and math.isfinite(y):
        return product
    return masked(product, mx.not_equal(x, 0))


def masked(result, keep):
    """`result`, but 0 where `keep`, an array of booleans, does not hold.

    Of many elements by their bits, and those of 0 or -1, which where `keep` is one number for all
    costs a third of a `where` on a CPU; of few by `where`, one operation rather than five.
    """
    word = WORDS.get(result.dtype)
    if word is None or result.size < 4096:
        return mx.where(keep, result, 0)
    bits = mx.negative(mx.view(keep, mx.int8)).astype(word)  # the negation on a byte each
    return mx.view(mx.bitwise_and(mx.view(result, word), bits), result.dtype)


WORDS = {mx.float16: mx.int16, mx.bfloat16: mx.int16, mx.float32: mx.int32, mx.float64: mx.int64}


def sum_to_kernel(x, shape):
    lead = len(x.shape) - len(shape)
    ones = [i for i, n in enumerate(x.shape) if i >= lead and shape[i - lead] == 1 and n != 1]
    if ones:
        x = reduce_kernels.sum(x, axis=ones, keepdims=True)
    if lead:
        return reduce_kernels.sum(x, axis=list(range(lead)))
    return x if ones else x.astype(x.dtype)  # never the argument itself: a tensor owns its array


def astype_kernel(x, dtype):
    if x.dtype == mx.complex64 and dtype != mx.complex64:
        x = mx.real(x)
    return x.astype(dtype)


def batch_shape(op, size, args, mapped, params):
    """For ops whose parameter is the whole shape: the batch axis leads it."""
    (x,), shape = args, params["shape"]
    lead = len(shape) - (len(x.shape) - 1)
    x = x.reshape((size, *(1,) * lead, *x.shape[1:])) if lead > 0 else x
    return op(x, shape=(size, *shape))


def batch_sum_to(op, size, args, mapped, params):
    (x,), shape = args, params["shape"]
    lead = len(x.shape) - 1 - len(shape)
    return op(x, shape=(size, *(1,) * lead, *shape)).reshape((size, *shape))


def batch_same(op, size, args, mapped, params):
    """For unary ops that need no change under vmap."""
    return op(*args, **params)


multiply = elementwise(
    "multiply", mx.multiply, lambda g, y: g * y, lambda g, x: g * x,
    doc="x * y.",
)
add = elementwise("add", mx.add, 1, 1, doc="x + y.")
scale = elementwise(
    "scale",
    scale_kernel,
    lambda g, y: scale(g, y),
    lambda g, x: scale_both(g, x),
    doc="x * y, and 0 wherever x is 0, also where y is infinite or NaN.",
)
scale_both = elementwise(
    "scale_both",
    lambda x, y: masked(mx.multiply(x, y), mx.logical_and(mx.not_equal(x, 0), mx.not_equal(y, 0))),
    lambda g, y: scale_both(g, y),
    lambda g, x: scale_both(g, x),
    doc="x * y, and 0 wherever x or y is 0, also where the other is infinite or NaN.",
)
astype = linear(
    "astype",
    astype_kernel,
    lambda g, x_dtype: astype(g, dtype=x_dtype),
    batch_same,
    doc="x in another dtype; a complex x loses its imaginary part on the way to a real one.",
)
broadcast_to = linear(
    "broadcast_to",
    mx.broadcast_to,
    lambda g, x_shape: sum_to(g, shape=x_shape),
    batch_shape,
    doc="x stretched to a shape.",
)
sum_to = linear(
    "sum_to",
    sum_to_kernel,
    lambda g, x_shape: broadcast_to(g, shape=x_shape),
    batch_sum_to,
    doc="x summed down to a shape that broadcasts to its own: the transpose of broadcast_to.",
)
total = Op(
    "sum",
    reduce_kernels.sum,
    args=("x",),
    vjp=[lambda g, x_shape, axis: unreduce(g, x_shape, axis)],
    jvp=LINEAR,
    batch=batch_reduction,
    doc="Sum over axes.",
)
