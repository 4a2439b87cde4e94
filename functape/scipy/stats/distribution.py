"""How a distribution is stated: formulas of the standard variable, the rest is derived here.

A formula sees z = (x - loc) / scale inside the support only: outside it a safe value takes z's
place, so that neither a NaN nor a derivative comes from there.
"""

import inspect
import math

from functape.errors import ArgumentError
from functape.numpy.arguments import floats
from functape.numpy.elementwise import where
from functape.ops import elementwise as ops
from functape.ops.elementwise import exp, log, log1p
from functape.suggest import near_miss

# function: (its first argument, its value below the support, its value above)
KINDS = {
    "logpdf": ("x", -math.inf, -math.inf),
    "pdf": ("x", 0.0, 0.0),
    "cdf": ("x", 0.0, 1.0),
    "logcdf": ("x", -math.inf, 0.0),
    "sf": ("x", 1.0, 0.0),
    "logsf": ("x", 0.0, -math.inf),
    "ppf": ("q", math.nan, math.nan),
    "isf": ("q", math.nan, math.nan),
    "logpmf": ("k", -math.inf, -math.inf),
    "pmf": ("k", 0.0, 0.0),
}
REQUIRED = inspect.Parameter.empty
ORIGIN, UNIT = 0, 1  # the defaults of loc and scale, which cost nothing


class Distribution:
    """The functions of one distribution, as attributes: `norm.logpdf(x, loc=0, scale=1)`."""

    def __init__(self, name, doc, density, functions):
        self.__name__, self.__module__ = name, "functape.scipy.stats"
        self.__doc__ = "\n".join([doc, "", density, "", *(
            f"* ``{kind}{inspect.signature(functions[kind])}``" for kind in sorted(functions))])
        for kind, f in functions.items():
            setattr(self, kind, f)

    def __getattr__(self, name):
        raise AttributeError(f"{vars(self).get('__name__')} has no {name!r}."
                             f"{near_miss(name, vars(self))}", name=name)

    def __reduce__(self):
        return self.__name__  # copied and pickled as the one that there is

    def __repr__(self):
        return f"<distribution {self.__name__}>"


def functions_of(name, parameters, kinds):
    """Functions that take (x, *parameters); `parameters` maps names to their defaults, and `kinds`
    maps the names of the functions to formulas."""
    return {kind: function(name, kind, parameters, f) for kind, f in kinds.items()}


def function(name, kind, parameters, formula):
    """A formula as a function with SciPy's signature, on anything array-like."""
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    listed = {KINDS[kind][0]: REQUIRED, **parameters}
    signature = inspect.Signature(
        [inspect.Parameter(p, either, default=d) for p, d in listed.items()])

    def call(*args, **kwargs):
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{name}.{kind}: {error}. Its arguments are "
                                f"{signature}.") from None
        given = floats(f"{name}.{kind}", *bound.arguments.values())
        bound.arguments.update(zip(bound.arguments, given, strict=True))
        bound.apply_defaults()
        return formula(*bound.arguments.values())

    call.__signature__ = signature
    call.__name__, call.__qualname__ = kind, f"{name}.{kind}"
    call.__module__ = "functape.scipy.stats"
    call.__doc__ = f"`{kind}` of {name}."
    return call


# --- continuous ---------------------------------------------------------------------------------


def continuous(name, doc, density, shapes=(), *, support=(-math.inf, math.inf), at=0.5,
               placed=True, **formulas):
    """A distribution with location and scale, from formulas of (z, *shapes).

    Args:
      shapes: names of its shape parameters.
      support: its ends; where they depend on the parameters, a function of these.
      at: a safe value inside the support, or a function of the shapes.
      placed: whether it takes `loc` and `scale`.
      formulas: `logpdf`, and of `cdf`, `sf`, `logcdf`, `logsf`, `ppf` and `isf` those that have a
        form of their own.
    """
    formulas = completed(formulas)
    place = {"loc": ORIGIN, "scale": UNIT} if placed else {}
    parameters = dict.fromkeys(shapes, REQUIRED) | place
    found = {}
    for kind, f in formulas.items():
        build = quantile if kind in ("ppf", "isf") else located
        f = build(kind, f, support, at)
        found[kind] = f if placed else standard(f)
    found["pdf"] = compose(exp, found["logpdf"])
    if placed:
        density += " Here z = (x - loc) / scale; all is divided by the scale."
    return Distribution(name, doc, f"Density: {density}", functions_of(name, parameters, found))


def completed(formulas):
    """With the functions that follow from others: complements and logarithms."""
    made = dict(formulas)
    for one, other in (("cdf", "sf"), ("sf", "cdf")):
        if other in made and one not in made:
            made[one] = complement(made[other])
    for kind in ("cdf", "sf"):
        if kind in made and "log" + kind not in made:
            made["log" + kind] = compose(log, made[kind])
    return made


def complement(f):
    return lambda *args: 1 - f(*args)


def compose(outer, f):
    return lambda *args: outer(f(*args))


def standard(f):
    return lambda *args: f(*args, ORIGIN, UNIT)


def standardised(x, loc, scale):
    x = x if loc is ORIGIN else x - loc
    return x if scale is UNIT else x / scale


def located(kind, formula, support, at):
    """f(x, *shapes, loc, scale) from a formula of the standard variable."""
    _, below, above = KINDS[kind]

    def f(x, *parameters):
        *shapes, loc, scale = parameters
        z = standardised(x, loc, scale)
        low, high = support(*shapes) if callable(support) else support
        under, over = ops.less(z, low), ops.greater(z, high)
        outside = ops.logical_or(under, over)
        out = formula(where(outside, at(*shapes) if callable(at) else at, z), *shapes)
        if kind == "logpdf" and scale is not UNIT:
            out = out - log(scale)
        return where(under, below, where(over, above, out))

    return f


def quantile(kind, formula, support, at):
    """f(q, *shapes, loc, scale): the place of a probability, NaN for what is none."""

    def f(q, *parameters):
        *shapes, loc, scale = parameters
        valid = ops.logical_and(ops.greater_equal(q, 0), ops.less_equal(q, 1))
        return where(valid, loc + scale * formula(where(valid, q, 0.5), *shapes), math.nan)

    return f


# --- discrete -----------------------------------------------------------------------------------


def discrete(name, doc, chance, shapes, logpmf, *, support=(0, math.inf), shifted=True, more=(),
             **formulas):
    """A distribution of whole numbers, from formulas of (k - loc, *shapes).

    `formulas` get k as it is, and have no location where `shifted` is off; `more` are functions
    that are finished.
    """
    parameters = dict.fromkeys(shapes, REQUIRED)
    movable = parameters | {"loc": ORIGIN}
    found = {"logpmf": masked(logpmf, support)}
    found["pmf"] = compose(exp, found["logpmf"])
    others = {kind: relocated(f) if shifted else f for kind, f in formulas.items()}
    made = functions_of(name, movable if shifted else parameters, others)
    return Distribution(name, doc, f"Probability: {chance} `loc` is taken from k first.",
                        functions_of(name, movable, found) | made | dict(more))


def masked(formula, support):
    def f(k, *parameters):
        *shapes, loc = parameters
        k = k - loc
        low, high = support(*shapes) if callable(support) else support
        inside = ops.logical_and(ops.greater_equal(k, low), ops.less_equal(k, high))
        inside = ops.logical_and(inside, ops.equal(ops.floor(k), k))
        return where(inside, formula(where(inside, k, low), *shapes), -math.inf)

    return f


def relocated(formula):
    def f(k, *parameters):
        *shapes, loc = parameters
        return formula(k - loc, *shapes)

    return f


def log_minus_expm1(x):
    """log(1 - e^x) for x < 0, exact for x near 0 and far below it."""
    near = ops.greater(x, -math.log(2))
    small = ops.log(-ops.expm1(where(near, x, -1.0)))
    return where(near, small, log1p(-exp(where(near, -1.0, x))))
