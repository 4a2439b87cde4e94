"""The functions of mlx.core, each made to take functape's values as well."""

import collections
import functools
import threading

import mlx.core as mx

from functape.mlx.lifting import lift
from functape.mlx.state import active, asked_by_functape
from functape.mlx.streams import stream
from functape.mlx.translations import table
from functape.mlx.translations.functions import HIGHER
from functape.op import Value

SPACES = {"": mx, "distributed.": mx.distributed, "fast.": mx.fast, "fft.": mx.fft,
          "linalg.": mx.linalg, "random.": mx.random}
FUNCTION = type(mx.sin)
STREAMS = (mx.Stream, mx.ThreadLocalStream, mx.Device, mx.DeviceType)
# These take no array, or only look at it.
PASSTHROUGH = frozenset("""
    arange bartlett blackman broadcast_shapes clear_cache clear_streams compile default_device
    default_stream device_count device_info disable_compile einsum_path empty enable_compile
    export_function export_to_dot exporter eye from_dlpack get_active_memory get_array_buffer_size
    get_cache_memory get_memory_limit get_peak_memory get_printoptions hamming hanning identity
    import_function is_available isdtype issubdtype linspace load new_stream
    new_thread_local_stream new_thread_unsafe_stream ones printoptions reset_peak_memory
    set_cache_limit set_default_device set_default_stream set_memory_limit set_printoptions
    set_wired_limit stream synchronize tri zeros async_eval can_cast depends eval result_type save
    save_gguf save_safetensors savez savez_compressed
    distributed.init distributed.is_available distributed.recv distributed.recv_like
    fast.cuda_kernel fast.metal_kernel fast.precompiled_cuda_kernel fft.fftfreq fft.rfftfreq
    random.gumbel random.key random.laplace random.seed random.split
""".split())

Coverage = collections.namedtuple("Coverage", ["kind", "lifted"])
counts: collections.Counter = collections.Counter()
counting = threading.Lock()


def names():
    """(name with its space, module, name in it) of all functions of mlx.core."""
    for prefix, module in SPACES.items():
        for name, f in list(vars(module).items()):
            if type(getattr(f, "__wrapped__", f)) is FUNCTION and not name.startswith("_"):
                yield prefix + name, module, name


def coverage():
    """How each function of mlx.core is run on functape's values, under `dispatch`.

    Returns:
      A dict from names to pairs (kind, lifted). The kind is ``"translated"``: by functape's own
      functions, with all of their derivatives; ``"lifted"``: as one op, with MLX's derivatives
      (see `lift`); or ``"passthrough"``: there is nothing to differentiate. `lifted` tells how
      often it was lifted in this process.

    >>> coverage()["sin"], coverage()["hadamard_transform"].kind, coverage()["arange"].kind
    (Coverage(kind='translated', lifted=0), 'lifted', 'passthrough')
    """
    return {name: Coverage(kind(name), counts[name]) for name, _, _ in names()}


def kind(name):
    if name in PASSTHROUGH:
        return "passthrough"
    return "translated" if name in table else "lifted"


# --- the functions --------------------------------------------------------------------------------


def holds_value(args):
    """Whether a value is among arguments, or in lists, tuples and dicts among them."""
    for a in args:
        if isinstance(a, Value):
            return True
        if type(a) in (list, tuple) and a and holds_value(a):
            return True
        if isinstance(a, dict) and holds_value(a.values()):
            return True
    return False


@functools.cache
def wrappers():
    """name -> function in place of mlx.core's."""
    return {name: wrapper(name, getattr(module, short)) for name, module, short in names()}


@functools.cache
def by_original():
    return {w.__wrapped__: w for w in wrappers().values()}


def wrapper(name, original):
    """`original`, and on values what it means for them."""
    run = table[name] if name in table else lifted(name, original)
    make = higher if name in HIGHER else first_order
    dispatched = make(original, run)
    functools.update_wrapper(dispatched, original, assigned=("__name__", "__doc__"), updated=())
    return dispatched


def first_order(original, run):
    def dispatched(*args, **kwargs):
        if active.depth and (holds_value(args) or (kwargs and holds_value(kwargs.values()))):
            return on_stream(run, args, kwargs)
        return original(*args, **kwargs)

    return dispatched


def on_stream(run, args, kwargs):
    """Run a translation on the stream that was named, if one was."""
    where = kwargs.pop("stream", None)
    if args and type(args[-1]) in STREAMS:  # isinstance would ask a value for its __class__
        args, where = args[:-1], args[-1]
    if where is None or is_default(where):
        return run(*args, **kwargs)
    with stream(where):
        return run(*args, **kwargs)


def is_default(where):
    device = mx.default_device()
    return where in (device, device.type) or where == mx.default_stream(device)


def lifted(name, original):
    """A function that functape has no op for, as one op with MLX's derivatives."""
    op = lift(original, name=name)

    def run(*args, **kwargs):
        with counting:
            counts[name] += 1
        return op(*args, **kwargs)

    return run


def higher(original, translated):
    """A transform of functions. Inside it is functape's, also for plain arrays: the function may
    close over values, as a layer does."""

    def dispatched(fun, *options, **named):
        theirs = not active.depth or asked_by_functape(1)
        return (original if theirs else translated)(fun, *options, **named)

    return dispatched
