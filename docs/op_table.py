"""The op table of the documentation, made from the registry and from what the ops are tested on."""

import sys
from pathlib import Path

from functape.op import LINEAR, global_names, table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
# What a rule that calls this does at the edges.
EDGES = {"scale": "0 · ∞ = 0", "scale_both": "0 · ∞ = 0", "ratio": "0 · ∞ = 0",
         "above": "ties share", "share": "ties share", "others": "exact with zeros",
         "gaps": "coinciding values"}
KINDS = {"b": "bool", "i": "int", "u": "int"}


def called(function):
    """The names that a rule's formula calls, through its helpers and closures."""
    names, seen, todo = set(), set(), [function]
    while todo:
        f = todo.pop()
        if not hasattr(f, "__code__") or f in seen:
            continue
        seen.add(f)
        found = global_names(f.__code__)
        names |= found | {f.__name__}
        near = [f.__globals__.get(n) for n in found]
        todo += [g for g in near if getattr(g, "__module__", None) == f.__module__]
        todo += [c.cell_contents for c in f.__closure__ or ()]
    return names


def edges(op):
    names = set().union(*(called(r.formula) for r in op.vjp if r is not None), ())
    return list(dict.fromkeys(text for name, text in EDGES.items() if name in names))


def refuses(op):
    """Whether the rule only says that there is no derivative."""
    return any(r is not None and r.formula.__name__.startswith("undefined") for r in op.vjp)


def modes(op):
    if not op.differentiable:
        return "constant"
    if refuses(op):
        return "refused"
    return "both, linear" if op.jvp == LINEAR else "both" if op.jvp else "reverse"


def dtypes(name):
    """The kinds of numbers that tests/op_inputs.py tries an op on."""
    from op_draws import Draw
    from op_inputs import ROWS

    found = []
    for row in ROWS.get(name, ()):
        for a in row.args:
            if isinstance(a, Draw):
                kind = a(rng()).dtype
                found.append(KINDS.get(kind.kind, kind.name))
                if kind.name == "float64":
                    found += row.low
    order = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int", "bool")
    floats, rest = [k for k in order[:4] if k in found], [k for k in order[4:] if k in found]
    return (["float"] if len(floats) == 4 else floats) + rest


def rng():
    import numpy as np

    return np.random.default_rng(0)


def rows():
    """(name, arguments, what it computes, saves, modes, orders, dtypes, batch rule, edges)."""
    for name, op in sorted(table.items()):
        reads = dict.fromkeys(n for rule in op.vjp if rule is not None for n in rule.reads)
        saves = [n for n in reads if n in op.args or n in op.outputs]
        about = (op.__doc__ or "").strip().splitlines()[0]
        some = op.differentiable and not refuses(op)
        yield (name, ", ".join(op.args), about, ", ".join(saves) or "–", modes(op),
               "all" if some else "–", ", ".join(dtypes(name)) or "–", "yes" if op.batch else "–",
               ", ".join(edges(op)) or "–")


def markdown():
    """The table as Markdown."""
    heads = ("op", "arguments", "what it computes", "saves", "modes", "orders", "dtypes", "vmap",
             "edges")
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, args, about, *rest in rows():
        about = about.replace("|", r"\|").replace("<", "&lt;").replace("*", r"\*")
        lines.append(f"| `{name}` | {args.replace('*', chr(92) + '*')} | {about} | "
                     + " | ".join(rest) + " |")
    return "\n".join(lines)
