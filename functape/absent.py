"""Names of JAX's that are not here, with what takes their place: said where one is asked for.

docs/coming_from_jax.md gives the reasons.
"""

ONE_MEMORY = "Arrays are in memory that all devices share; functape.default_device chooses one."
RANKS = "Between machines there is functape.distributed."
DTYPES = "There are no global switches: an array's dtype is its own, and float64 stays float64."
CONCRETE = "It is functape.errors.ConcretizationError."
SCOPES = "There is functape.viz.name_scope."
CALLED = "Functions are called as they are; jit runs uncompiled what has to call one."
IN_PLACE = "Tensors may be changed in place."
TAPES = "A tape is seen with functape.make_tape and functape.viz."
NO_COMPILER = "There is no compiler of functape's own; mx.compile makes what jit runs."
MAPPED = "Along an axis of vmap there are all_gather and an index. " + RANKS
NOT_YET = "It is not written yet."

INSTEAD = {
    "functape": {
        "Device": ONE_MEMORY, "devices": ONE_MEMORY, "device_put": ONE_MEMORY,
        "device_get": "numpy.asarray fetches the numbers of an array.",
        "device_count": ONE_MEMORY, "local_devices": ONE_MEMORY, "local_device_count": ONE_MEMORY,
        "default_backend": ONE_MEMORY, "live_arrays": ONE_MEMORY, "memory": ONE_MEMORY,
        "pmap": RANKS, "shard_map": RANKS, "sharding": RANKS, "make_mesh": RANKS, "set_mesh": RANKS,
        "NamedSharding": RANKS, "P": RANKS, "process_index": RANKS, "process_count": RANKS,
        "config": DTYPES, "enable_x64": DTYPES,
        "default_matmul_precision": "Products are computed in the dtype of their arrays.",
        "named_scope": SCOPES, "named_call": SCOPES,
        "pure_callback": CALLED, "closure_convert": "Custom rules see what functions close over.",
        "ensure_compile_time_eval": "What depends on no argument of jit is computed at once.",
        "Ref": IN_PLACE, "new_ref": IN_PLACE, "ref": IN_PLACE, "freeze": IN_PLACE,
        "make_jaxpr": TAPES, "core": TAPES, "extend": TAPES, "interpreters": TAPES, "stages": TAPES,
        "export": NO_COMPILER, "ffi": NO_COMPILER,
        "clear_caches": "A jitted function has a method for it, clear_cache.",
        "debug_nans": "There is functape.debug.nans.",
        "debug_infs": "There is functape.debug.nans, which stops at NaN.",
        "float0": "It is functape.dtypes.float0.",
        "experimental": "What is experimental in JAX is not here.",
        "example_libraries": "There are functape.nn, functape.optim and mlx.optimizers.",
        "image": NOT_YET,
    },
    "functape.ad_checkpoint": {
        "print_saved_residuals": "The lines of functape.make_tape say what each operation saves.",
    },
    "functape.debug": {
        "callback": CALLED, "breakpoint": "There is Python's own breakpoint().",
    },
    "functape.errors": {
        "ConcretizationTypeError": CONCRETE, "NonConcreteBooleanIndexError": CONCRETE,
        "TracerArrayConversionError": CONCRETE, "TracerBoolConversionError": CONCRETE,
        "TracerIntegerConversionError": CONCRETE,
    },
    "functape.lax": {
        "all_to_all": MAPPED, "ppermute": MAPPED, "pshuffle": MAPPED, "psum_scatter": MAPPED,
        "pswapaxes": MAPPED,
        "composite": NO_COMPILER, "platform_dependent": NO_COMPILER,
        "with_sharding_constraint": RANKS,
    },
    "functape.random": {
        "key_impl": "There is one kind of key, two numbers of uint32.",
        "key_dtype": "There is one kind of key, two numbers of uint32.",
    },
    "functape.scipy": {"optimize": NOT_YET, "cluster": NOT_YET, "interpolate": NOT_YET},
}
