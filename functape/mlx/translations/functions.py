"""mlx.core's own transforms of functions, evaluation and saving, applied to functape's values."""

import mlx.core as mx

from functape import transforms, tree
from functape.mlx.translations.registry import translation
from functape.numpy.plain_values import concrete
from functape.op import Value
from functape.pairs import complex128
from functape.tensor import Tensor

# --- evaluation, saving ---------------------------------------------------------------------------


def arrays_in(value):
    """The MLX arrays that a value is made of, however many levels stand over them."""
    if isinstance(value, mx.array):
        return [value]
    if not isinstance(value, Value):
        return []
    if type(value) is Tensor:
        return arrays_in(value.array)
    parts = (getattr(value, name, None) for name in ("primal", "tangent", "data"))
    return [a for part in parts if part is not None for a in arrays_in(part)]


def arrays_of(args):
    return [a for leaf in tree.leaves(args) for a in arrays_in(leaf)]


def plain(args, what):
    """The same tree with the arrays behind its values."""
    return tree.map(lambda a: concrete(a, what) if isinstance(a, Value) else a, args)


@translation("eval")
def evaluate(*args):
    mx.eval(arrays_of(args))


@translation("async_eval")
def async_evaluate(*args):
    mx.async_eval(arrays_of(args))


def on_plain_arrays(name):
    def function(*args, **kwargs):
        args, kwargs = plain((args, kwargs), name)
        return getattr(mx, name)(*args, **kwargs)

    translation(name)(function)


for name in ("save", "savez", "savez_compressed", "save_safetensors", "save_gguf"):
    on_plain_arrays(name)


@translation("depends")
def depends(inputs, dependencies):
    return inputs


@translation("result_type")
def result_type(*arrays_and_dtypes):
    if any(getattr(a, "dtype", a) is complex128 for a in arrays_and_dtypes):
        return complex128
    return mx.result_type(*[
        mx.zeros(a.shape, a.dtype) if isinstance(a, Value) else a for a in arrays_and_dtypes])


@translation("can_cast")
def can_cast(from_, to):
    return mx.can_cast(from_.dtype, to)


# --- transforms: MLX's signatures on functape's transforms ----------------------------------------


def argument_names(argnums, argnames):
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames)
    if argnums is None and not names:
        argnums = 0
    return {"argnums": argnums, "argnames": names or None}


@translation("value_and_grad")
def value_and_grad(fun, argnums=None, argnames=()):
    """MLX's: what `fun` returns, of which the first part is differentiated, and the gradient."""

    def first(*args, **kwargs):
        out = fun(*args, **kwargs)
        return (out[0] if isinstance(out, (tuple, list)) else out), out

    both = transforms.value_and_grad(first, has_aux=True, **argument_names(argnums, argnames))

    def value_and_gradient(*args, **kwargs):
        (_, out), gradient = both(*args, **kwargs)
        return out, gradient

    return value_and_gradient


@translation("grad")
def grad(fun, argnums=None, argnames=()):
    both = value_and_grad(fun, argnums, argnames)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


@translation("vmap")
def vmap(fun, in_axes=0, out_axes=0):
    in_axes = tuple(in_axes) if isinstance(in_axes, list) else in_axes
    return transforms.vmap(fun, in_axes, out_axes)


def as_list(fun):
    def listed(*args):
        out = fun(*args)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    return listed


@translation("vjp")
def vjp(fun, primals, cotangents):
    outs, pullback = transforms.vjp(as_list(fun), *primals)
    return outs, list(pullback(list(cotangents)))


@translation("jvp")
def jvp(fun, primals, tangents):
    return transforms.jvp(as_list(fun), tuple(primals), tuple(tangents))


# They take functions, which may close over values, whatever the arguments are.
HIGHER = ("checkpoint", "grad", "jvp", "value_and_grad", "vjp", "vmap")
