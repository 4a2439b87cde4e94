"""The op table of the documentation, made from the registry."""

from functape.op import LINEAR, table


def rows():
    """(name, arguments, first line of the doc, saves, forward, vmap) for each op."""
    for name, op in sorted(table.items()):
        reads = dict.fromkeys(n for rule in op.vjp if rule is not None for n in rule.reads)
        saves = [n for n in reads if n in op.args or n in op.outputs]
        forward = "linear" if op.jvp == LINEAR else "rules" if op.jvp and any(op.jvp) else "–"
        about = (op.__doc__ or "").strip().splitlines()[0]
        yield (name, ", ".join(op.args), about, ", ".join(saves) or "–", forward,
               "yes" if op.batch else "–")


def markdown():
    """The table as Markdown."""
    lines = ["| op | arguments | what it computes | saves | forward | vmap |",
             "|---|---|---|---|---|---|"]
    for name, args, about, saves, forward, batch in rows():
        about = about.replace("|", r"\|").replace("<", "&lt;").replace("*", r"\*")
        lines.append(f"| `{name}` | {args.replace('*', chr(92) + '*')} | {about} | {saves} | "
                     f"{forward} | {batch} |")
    return "\n".join(lines)
