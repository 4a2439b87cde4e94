"""Op: one object a primitive, with its kernel and all of its rules; and the dispatch.

A value is a `Tensor` (recorded on a tape), a `Dual` (forward mode) or a `Batched` (vmap).
Each carries a rank; an op called on several of them is interpreted by the highest rank, which
computes its own part and calls the op again on the values below. Kernels see `mx.array`s only;
complex128, which MLX lacks, has kernels of its own (see functape.pairs).

Rules are written once, in ops and operators. On values they are dispatched like any user code,
so a backward pass can itself be recorded. On plain arrays a mechanical *twin* of the same code
object runs, its globals bound to kernels instead of ops: nothing is looked up, nothing recorded.
"""

import functools
import operator
import threading
import types

import mlx.core as mx

from functape.errors import ArgumentError, RangeError, ShapeError, describe

NUMBERS = (bool, int, float, complex)
LINEAR = "linear"  # as a jvp: apply the op itself to the tangents
table: dict = {}  # name -> Op: methods, namespaces, tests and docs are generated from it


MIXED = (
    "MLX was given a functape value, and would drop its gradient. Convert the other operand, "
    "functape.asarray(X) @ w, use functape.numpy's function in place of mlx.core's, or run the "
    "code under functape.mlx.dispatch()."
)
NO_FLOAT64 = (
    "Convert to x.astype(functape.numpy.float32), or compute on the CPU: in a block "
    "functape.stream('cpu'), or everywhere after functape.default_device('cpu')."
)


class Value:
    """What may stand in an array's place while a transform runs; ranked by nesting."""

    __slots__ = ("__weakref__",)
    weak = False  # whether it has no dtype of its own: see functape.weak
    seen_as = type  # the class that isinstance finds; functape.mlx makes MLX's code see arrays

    @property  # type: ignore[misc]
    def __class__(self):
        return Value.seen_as(self)

    def interpret(self, op, args, params):
        """Apply `op`, or let an argument of higher rank do so if there is one."""
        raise NotImplementedError

    def strong(self):
        """The value with a dtype of its own."""
        return self

    def __mlx_array__(self):
        raise ArgumentError(MIXED)


def is_weak(a):
    """Whether an argument takes the dtype of what it meets: a Python number, or a weak value."""
    return isinstance(a, NUMBERS) or isinstance(a, Value) and a.weak


def highest(values):
    """The value of highest rank, None if there is none; what is weak depends on nothing."""
    ranked = [v for v in values if isinstance(v, Value) and not v.weak]
    return max(ranked, key=lambda v: v.rank, default=None)


class Levels(threading.local):
    """How many `vmap`s and `jvp`s are running in this thread.

    Wrappers of the n-th have rank 2n - 1; tensors made under it have rank 2n and hold such
    wrappers as data, so reverse mode inside forward mode inside vmap nest without confusion.
    """

    depth = 0
    tracing = 0  # how many jit traces are running: there arrays have no values yet
    traced_from = 0  # the number of the first node of the outermost
    axes: dict = {}  # name of a mapped axis -> (rank, size)

    def __enter__(self):
        self.depth += 1
        return 2 * self.depth - 1

    def __exit__(self, *exc):
        self.depth -= 1

    @property
    def tensor_rank(self):
        return 2 * self.depth


levels = Levels()


class Rule:
    """A formula, and what it reads: the names of its parameters say so.

    The first parameter is the cotangent or tangent. The others name an argument (`x`), an output
    (`ans`), a fact of either (`x_shape`, `x_dtype`, `x_space`; `shapes`: of all arguments)
    or a parameter of the op (`axis`). What no rule names is not kept alive.
    """

    __slots__ = ("formula", "reads", "_raw", "_readers")

    def __init__(self, formula, reads=None):
        self.formula = formula
        if reads is None:
            code = formula.__code__  # inspect.signature would cost a tenth of the import
            reads = code.co_varnames[1:code.co_argcount]
        self.reads = reads
        self._raw = self._readers = None

    def readers(self, op):
        """Functions that fetch what the formula reads from one application of its op."""
        if self._readers is None:
            self._readers = [op.reader(name) for name in self.reads]
        return self._readers

    @property
    def raw(self):
        """The same formula on plain arrays."""
        if self._raw is None:
            self._raw = twin(self.formula)
        return self._raw


class Op:
    """A primitive: arrays positional, parameters keyword-only.

    Args:
      name: key in the op table, and the name in messages and pictures.
      kernel: computes on `mx.array`s and Python numbers.
      args: names of the array arguments; ``("*xs",)`` for any number of them. Such an op has one
        formula for all, which takes the keyword `index` and may read their `shapes`.
      vjp: one formula an argument, ``g, ... -> cotangent`` (None: not differentiable in it).
      jvp: one formula an argument, ``t, ... -> tangent``; the tangent is their sum. `LINEAR`: the
        op itself, applied to the tangents.
      batch: ``(op, size, args, mapped, params) -> outputs``, batch axes leading throughout.
      outputs: names of the outputs where there are several; `g` is then a tuple.
      doc: one line for the reader.
      register: put it into the op table; False for ops that are made for one user's function.
    """

    def __init__(
        self, name, kernel, *, args, vjp=(), jvp=None, batch=None, outputs=("ans",), doc="",
        register=True,
    ):
        self.name = self.__name__ = name
        self.kernel = kernel
        self.args = tuple(args)
        self.outputs = tuple(outputs)
        self.vjp = rules_of(vjp)
        self.jvp = jvp if jvp is None or jvp == LINEAR else rules_of(jvp)
        self.batch = batch
        self.differentiable = any(self.vjp)
        self.variadic = self.args[0].startswith("*") if self.args else False
        self.plans = Plans(self)
        self.__doc__ = doc or f"The primitive `{name}`."
        if register:
            table[name] = self

    def __repr__(self):
        return f"<op {self.name}({', '.join(self.args)})>"

    def __call__(self, *args, **params):
        for a in args:
            if isinstance(a, Value):  # it hands on to one of higher rank, if there is one
                return a.interpret(self, args, params)
        return self(*self.constants(args), **params)

    def constants(self, args):
        """Arrays as constants. Numbers stay numbers, which have no dtype of their own, unless
        there is nothing else."""
        weak = [isinstance(a, NUMBERS) for a in args]
        every = all(weak)
        return [a if w and not every else self.constant(a, self.name, i)
                for i, (a, w) in enumerate(zip(args, weak, strict=True))]

    @staticmethod
    def constant(array, name="", index=0):
        """A value that depends on nothing; tensor.py, which knows how, supplies it."""
        raise NotImplementedError

    def push(self, tangents, primals, outs, params):
        """The tangent of the outputs (None: zero), by the rules of forward mode."""
        if self.jvp == LINEAR:
            pairs = zip(tangents, primals, strict=True)
            return self(*[self.zeros(p) if t is None else t for t, p in pairs], **params)
        total = None
        for i, t in enumerate(tangents):
            rule = None if t is None else self.jvp[i]
            if rule is not None:
                part = rule.formula(t, *[get(primals, outs, params) for get in rule.readers(self)])
                total = part if total is None else plus(total, part)
        return total

    @staticmethod
    def zeros(like):
        """The tangent or cotangent 0 of a value; tensor.py supplies it."""
        raise NotImplementedError

    @staticmethod
    def through_values(formula):
        """The formula on plain arrays of which some are no `mx.array`s; tensor.py supplies it."""
        raise NotImplementedError

    def reader(self, name):
        """How to get what a rule's parameter `name` stands for: a function of the op's arguments,
        outputs and parameters."""
        stem, _, fact = name.rpartition("_")
        if name in self.args or name in self.outputs:
            return READERS["", name in self.args](self.position(name))
        if fact == "space" and stem in self.args:
            return space_reader(self.position(stem))
        if fact in ("shape", "dtype") and stem in self.args + self.outputs:
            return READERS[fact, stem in self.args](self.position(stem))
        if name == "shapes":
            return lambda args, outs, params: tuple(a.shape for a in args)
        if name == "params":
            return lambda args, outs, params: params
        return lambda args, outs, params: params[name]

    def position(self, name):
        return (self.args if name in self.args else self.outputs).index(name)

    def failed(self, error, args, params):
        """The kernel's complaint, with the op's name and its arguments."""
        if isinstance(error, RuntimeError) and "[eval]" in str(error):
            return error
        given = ", ".join(describe(a) for a in args)
        extra = "".join(f", {k}={v!r}" for k, v in params.items())
        kind = ShapeError if isinstance(error, (ValueError, IndexError)) else ArgumentError
        reason = str(error).splitlines()[0].rstrip(".")
        if "overflow" in reason:
            kind = RangeError
        if isinstance(error, TypeError) and not self.variadic and len(args) != len(self.args):
            return ArgumentError(f"{self.name} takes {len(self.args)} array(s), "
                                 f"{', '.join(self.args)}, but got {len(args)}: {given}.")
        remedy = "Check the shapes and dtypes of the arguments."
        for part, words in COMPLAINTS.items():
            if part in reason:
                reason, remedy = words
        if "float64" in reason and "GPU" in reason:
            kind, remedy = ArgumentError, NO_FLOAT64
        return kind(f"{self.name}({given}{extra}) is not defined: {reason}. {remedy}")


def space_reader(i):
    """Reads (shape, dtype) of an argument; None if they are the output's, the usual case, which
    two sizes show: what broadcasts has fewer bytes or axes, what is promoted fewer bytes, but for
    float64 beside complex64. Shapes and dtypes would cost twice as much."""

    def space(args, outs, params):
        a, out = args[i], outs[0]
        if type(out) is mx.array and out.itemsize < 8:
            if 0 < a.nbytes == out.nbytes and a.ndim == out.ndim:
                return None
            return a.shape, a.dtype
        found = a.shape, a.dtype
        return None if found == (out.shape, out.dtype) else found

    return space


# What MLX's kernels complain of: part of their words -> (reason, remedy).
COMPLAINTS = {
    "cannot be broadcast": (
        "these shapes do not broadcast",
        "From the last, lengths must be equal, or 1: add an axis with x[:, None], or reshape."),
    "would result in overflow": (
        "the number does not fit into the array's dtype", "Use a wider dtype, or a float."),
    "Only allowed on integer": (
        "it takes integers or booleans", "Convert them, x.astype(functape.int32)."),
    "incompatible function arguments": (
        "it does not take these arguments", "Check their names, kinds and number."),
    "unexpected keyword argument": (
        "it does not take such an argument", "Check their names, kinds and number."),
}


# One flat function for each kind of reading: they run for every operation that is recorded.
READERS = {
    ("", True): lambda i: lambda args, outs, params: args[i],
    ("", False): lambda i: lambda args, outs, params: outs[i],
    ("shape", True): lambda i: lambda args, outs, params: args[i].shape,
    ("shape", False): lambda i: lambda args, outs, params: outs[i].shape,
    ("dtype", True): lambda i: lambda args, outs, params: args[i].dtype,
    ("dtype", False): lambda i: lambda args, outs, params: outs[i].dtype,
}


class Plans(dict):
    """The plans of one op, each made on first use; bit i of the key: argument i is on the tape.
    The negative of a key: some of the arrays are no `mx.array`s."""

    def __init__(self, op):
        self.op = op

    def __missing__(self, tracked):
        chosen = [i for i in range(tracked.bit_length()) if abs(tracked) >> i & 1]
        plan = self[tracked] = Plan(self.op, chosen, of_others=tracked < 0)
        return plan


class Plan:
    """For one choice of tracked arguments: the values to save and the rules to run, on plain
    arrays (`raw_steps`) or on values (`value_steps`).

    A step is (argument, formula, what the formula reads among the saved values: the position of
    one, a function that picks several, or None for all in order).
    """

    def __init__(self, op, chosen, of_others=False):
        rules = [(i, op.vjp[0 if op.variadic else i]) for i in chosen]
        rules = self.rules = [(i, rule) for i, rule in rules if rule is not None]
        reads = list(dict.fromkeys(name for _, rule in rules for name in rule.reads))
        self.op = op
        self.arrays = tuple(n for n in op.args + op.outputs if n in reads)
        facts = tuple(n for n in reads if n not in self.arrays)
        self.facts = tuple(op.reader(n) for n in facts)
        self.sources = tuple(source(op, n) for n in self.arrays)
        self.whole = self.arrays == op.args and not facts  # the arguments as they came, no more
        names = self.arrays + facts
        steps = [
            (i, r, None if r.reads == names and len(names) != 1 else
             picker([names.index(n) for n in r.reads]))
            for i, r in rules
        ]
        raw = [Op.through_values(r.formula) if of_others else r.raw for _, r in rules]
        self.raw_steps = tuple((i, self.bound(f, i), at)
                               for f, (i, _, at) in zip(raw, steps, strict=True))
        self.value_steps = tuple((i, self.bound(r.formula, i), at) for i, r, at in steps)

    def bound(self, formula, i):
        return functools.partial(formula, index=i) if self.op.variadic else formula


def picker(positions):
    """A position, or a function that picks the items at several."""
    if len(positions) == 1:
        return positions[0]
    return operator.itemgetter(*positions) if positions else lambda saved: ()


def source(op, name):
    """Where a saved array comes from: an argument's position, or ~position of an output."""
    return op.args.index(name) if name in op.args else ~op.outputs.index(name)


def rules_of(formulas):
    return tuple(f if f is None or isinstance(f, Rule) else Rule(f) for f in formulas)


def plus(a, b):
    """Sum of two tangents; of each output's, where an op has several."""
    return tuple(map(plus, a, b)) if isinstance(a, tuple) else a + b


# --- the raw twin of a rule ---------------------------------------------------------------------

twins: dict = {}  # function -> its twin


def twin(obj):
    """The same formula on plain arrays: globals and closures that are ops become kernels."""
    if isinstance(obj, Op):
        return obj.kernel
    if not isinstance(obj, types.FunctionType):
        return obj
    if obj not in twins:
        scope = {"__builtins__": obj.__globals__["__builtins__"]}
        cells = tuple(types.CellType() for _ in obj.__closure__ or ())
        copy = types.FunctionType(obj.__code__, scope, obj.__name__, obj.__defaults__, cells)
        copy.__kwdefaults__ = obj.__kwdefaults__
        twins[obj] = copy  # before the walk: a rule may call itself
        for name in global_names(obj.__code__):
            if name in obj.__globals__:
                scope[name] = twin_global(obj, obj.__globals__[name])
        for cell, original in zip(cells, obj.__closure__ or (), strict=True):
            cell.cell_contents = twin(original.cell_contents)
    return twins[obj]


def twin_global(owner, value):
    """Helpers beside a rule, or in functape.ops, are twinned too; foreign functions stay."""
    near = getattr(value, "__module__", "") in (owner.__module__, "functape.ops")
    near = near or str(getattr(value, "__module__", "")).startswith("functape.ops.")
    return twin(value) if isinstance(value, Op) or near else value


def global_names(code):
    names = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            names |= global_names(const)
    return names
