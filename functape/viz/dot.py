"""A tape as text in Graphviz's DOT language."""

from functape.viz.gradients import told

SHAPES = {
    "op": "box", "fold": "box3d", "leaf": "ellipse", "again": "plaintext",
    "result": "doubleoctagon", "more": "plaintext",
}


def to_dot(graph):
    """DOT text of a graph; lines run from inputs to results."""
    lines = ["digraph tape {", '  node [fontname="monospace", fontsize=10];']
    for i, box in enumerate(graph.boxes):
        parts = [f"{box.title} {box.type}".strip(), *box.facts, *box.marks]
        parts += [f"{name}: {kind}{' (constant)' if fixed else ''}"
                  for name, kind, _, fixed in box.saved]
        lines.append(f"  n{i} [shape={SHAPES[box.kind]}, label={quoted(parts)}];")
        lines += [f"  n{above} -> n{i}{f' [label={quoted([told(flow)])}]' if flow else ''};"
                  for above, flow in zip(box.above, box.flows, strict=True)]
    return "\n".join([*lines, "}"]) + "\n"


def quoted(parts):
    text = "\n".join(parts).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n") + '"'
