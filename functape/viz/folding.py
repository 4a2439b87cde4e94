"""Folding: how a tape of many nodes becomes a picture of few boxes.

What is folded is always a stretch of nodes in the order of their making, so no line can run in a
circle.
"""

from dataclasses import dataclass

FEW = 40  # tapes of so many nodes are drawn whole
LEAST = 3  # blocks that repeat so often are folded
MOST = 3000  # nodes to search for repeats


@dataclass
class Unit:
    """Nodes that share one box; `title` and `note` say what they are, where they are several."""

    nodes: list
    title: str = ""
    note: str = ""


def whole(nodes):
    return [Unit([n]) for n in nodes]


def by_scope(nodes, scope_of):
    """A unit for each stretch of nodes in one outermost scope."""
    units, last = [], None
    for node in nodes:
        scope = scope_of(node)[:1]
        if scope and scope == last:
            units[-1].nodes.append(node)
        else:
            units.append(Unit([node], scope[0][0] if scope else ""))
        last = scope
    for unit in units:
        unit.note = counted(len(unit.nodes)) if unit.title else ""
    return units


def by_repeats(nodes, label, scope_of):
    """A unit for all repeats of a block but the first and the last; where it has a choice, a block
    begins with a scope."""
    if len(nodes) <= FEW:
        return whole(nodes)
    far = nodes[-MOST:]
    scopes = [scope_of(n)[:1] for n in far]
    begins = [scope and scope != last for last, scope in zip([(), *scopes], scopes, strict=False)]
    return whole(nodes[:-MOST]) + folded(far, [label(n) for n in far], begins)


def folded(nodes, labels, begins):
    found = longest(labels)
    if found is None:
        return whole(nodes)
    start, period, times, slack = found
    start += next((k for k in range(slack + 1) if begins[start + period + k]), 0)
    inner, end = start + period, start + period * (times - 1)
    middle = Unit(nodes[inner:end], f"{times - 2} more like the {counted(period)} above",
                  counted(end - inner)) if period > 1 else Unit(
                  nodes[inner:end], f"{times - 2} more of these", "")
    last = end + period
    return [*folded(nodes[:start], labels[:start], begins[:start]), *whole(nodes[start:inner]),
            middle, *whole(nodes[end:last]), *folded(nodes[last:], labels[last:], begins[last:])]


def longest(labels):
    """(start, period, times, slack) of the repetition that hides the most, or None; it may start
    as much later as the slack.

    >>> longest(list("xabcabcabcaby"))
    (1, 3, 3, 2)
    """
    best, hides = None, 0
    for period in range(1, len(labels) // LEAST + 1):
        run = 0
        for i in range(len(labels) - period + 1):
            if i < len(labels) - period and labels[i] == labels[i + period]:
                run += 1
                continue
            times = run // period + 1
            if times >= LEAST and (times - 2) * period > max(hides, 2):
                best, hides = (i - run, period, times, run % period), (times - 2) * period
            run = 0
    return best


def counted(n, one="node"):
    """A number of things, in words.

    >>> counted(3), counted(1, "leaf"), counted(2000, "leaf")
    ('3 nodes', '1 leaf', '2,000 leaves')
    """
    several = "leaves" if one == "leaf" else one + "s"
    return f"{n:,} {one if n == 1 else several}"
