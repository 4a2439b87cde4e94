"""functape: automatic differentiation on MLX arrays, functional and eager, on one tape."""

from functape import blas

blas.preload()  # before anything imports mlx.core

# isort: split
from functape.backend import require_backend

require_backend()

# isort: split
from functape import autograd, numpy, pickling  # noqa: F401 - it registers with copyreg
from functape.autograd.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    is_tensor,
    linspace,
    logspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from functape.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from functape.blas import show_config
from functape.dtypes import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from functape.later import later
from functape.promotion import numpy_dtype_promotion
from functape.tensor import Tensor

with later(globals()) as (__getattr__, __dir__):
    from functape import (
        ad_checkpoint,
        custom_batching,
        custom_derivatives,
        debug,
        distributed,
        flatten_util,
        lax,
        mlx,
        nn,
        optim,
        random,
        scipy,
        test_util,
        tree,
        tree_util,
        viz,
    )
    from functape.autograd.checkpoint import checkpoint, checkpoint_name, checkpoint_policies
    from functape.autograd.checkpoint import checkpoint as remat  # JAX's other name
    from functape.mlx import default_device, stream
    from functape.numpy.creation import asarray
    from functape.numpy.waiting import block_until_ready
    from functape.transforms import (
        Array,
        ShapeDtypeStruct,
        custom_gradient,
        custom_jvp,
        custom_vjp,
        disable_jit,
        eval_shape,
        fwd_and_bwd,
        grad,
        hessian,
        hvp,
        jacfwd,
        jacrev,
        jit,
        jvp,
        linear_transpose,
        linearize,
        make_tape,
        stop_gradient,
        typeof,
        value_and_grad,
        vjp,
        vmap,
    )
    from functape.transforms import jacrev as jacobian  # JAX's other name

blas.start_threads()

__version__ = "0.1.0"

__all__ = [
    "Array", "ShapeDtypeStruct", "Tensor", "ad_checkpoint", "arange", "as_tensor", "asarray",
    "autograd", "bfloat16", "block_until_ready", "bool_", "checkpoint",
    "checkpoint_name", "checkpoint_policies",
    "complex128", "complex64", "custom_batching", "custom_derivatives", "custom_gradient",
    "custom_jvp", "custom_vjp", "debug", "default_device", "disable_jit", "distributed", "empty",
    "empty_like", "enable_grad", "eval_shape", "eye", "finfo", "flatten_util", "float16",
    "float32", "float64", "from_dlpack",
    "from_numpy", "full", "full_like", "fwd_and_bwd", "grad", "hessian", "hvp", "iinfo",
    "inference_mode", "int16", "int32", "int64", "int8", "is_grad_enabled",
    "is_inference_mode_enabled", "is_tensor", "jacfwd", "jacobian", "jacrev", "jit", "jvp", "lax",
    "linear_transpose", "linearize", "linspace", "logspace", "make_tape", "manual_seed", "mlx",
    "nn", "no_grad", "numpy", "numpy_dtype_promotion", "ones", "ones_like", "optim", "rand",
    "rand_like", "randint", "randn", "randn_like", "random", "randperm", "remat", "result_type",
    "scipy", "set_grad_enabled", "show_config", "stop_gradient", "stream", "tensor", "test_util",
    "tree", "tree_util", "typeof", "uint16", "uint32", "uint64", "uint8", "value_and_grad", "viz",
    "vjp", "vmap", "zeros", "zeros_like",
]
