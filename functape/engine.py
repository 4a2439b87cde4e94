"""The reverse walk. It names no op and knows no transform.

user function -> transform (flatten the pytree, wrap the leaves) -> Tensor operations ->
`Op.__call__` -> tape nodes -> `engine.run` -> sinks (accumulate into a leaf's `.grad` | capture
for a transform) -> unflatten -> result
"""

import operator

from functape.tape import mode

number = operator.attrgetter("seq")


def schedule(roots, wanted=None, through=True):
    """The nodes to visit, each after all that feed it a cotangent, and which of them matter.

    Consumers have higher sequence numbers than what they consume, so falling numbers are an
    order; a sink comes right after the last node that feeds it.

    Args:
      roots: nodes at which cotangents start.
      wanted: nodes whose cotangents are asked for; None: all sinks.
      through: whether to walk on beyond the wanted nodes.

    Returns:
      (order, live, beyond): the nodes; the set of them that leads to a wanted node, or None for
      all; and whether the roots depend on anything that is tracked beyond the wanted nodes.
    """
    found, stack, last = set(roots), list(roots), {}  # last: sink -> the last node that feeds it
    while stack:
        node = stack.pop()
        if through or wanted is None or node not in wanted:
            for edge in node.edges:
                if edge is None:
                    continue
                if edge.is_sink:
                    if edge not in last or node.seq < last[edge].seq:
                        last[edge] = node
                elif edge not in found:
                    found.add(edge)
                    stack.append(edge)
    found.difference_update(last)
    foreign = [] if wanted is None else foreign_to(wanted, roots, found, last)
    beyond = any([node.open for node in foreign])  # sinks of others, and aliases of what they track
    order, live = sorted(found, key=number, reverse=True), None
    if wanted is not None and (through or foreign):
        live = wanted.intersection(last)
        for node in reversed(order):
            if node in wanted or not live.isdisjoint(node.edges):
                live.add(node)
    return with_sinks(order, last, live), live, beyond


def foreign_to(wanted, roots, found, sinks):
    """Sinks that are not wanted, and wanted nodes that are no sinks: something lies beyond."""
    ends = [n for n in (*sinks, *roots) if n.is_sink and n not in wanted]
    return ends + [n for n in wanted if n in found and not n.is_sink]


def with_sinks(order, last, live):
    """The live nodes of an order, with each sink right after the last node that feeds it."""
    after = {}
    for sink, node in last.items():
        after.setdefault(node, []).append(sink)
    placed = []
    for node in order:
        placed.append(node)
        if node in after:
            placed += after[node]
    return placed if live is None else [node for node in placed if node in live]


def run(plan, roots, seeds, *, wanted=None, lift=None, retain=False):
    """Send the seeds from the roots through the scheduled nodes.

    Whatever arrives at a node is summed first; the node then runs once.

    Args:
      plan: the result of `schedule`.
      roots, seeds: nodes and the cotangents that start there.
      wanted: the nodes whose cotangents to return; None: sinks take them.
      lift: makes values of saved arrays, so that the pass can be recorded; None: plain arrays.
      retain: keep what the nodes saved.

    Returns:
      A dict from each wanted node that was reached to its cotangent.
    """
    order, live, _ = plan
    arrived, captured, check = {}, {}, mode.check
    take = arrived.pop
    if check is not None:
        check.seeds(seeds)
    for root, seed in zip(roots, seeds, strict=True):
        arrived[root] = arrived[root] + seed if root in arrived else seed
    for node in order:
        g = take(node, None)
        if g is None:
            continue
        hooks = node.hooks
        if hooks is not None:
            g = hooks.on_cotangent(node, g)
        if check is not None:
            check.arrived(node, g)
        if wanted is not None and node in wanted:
            captured[node] = g
        if node.is_sink:
            if wanted is None:
                node.accept(g, hooks)
            continue
        edges = node.edges
        if live is not None and live.isdisjoint(edges):
            continue
        if hooks is not None:
            g = hooks.before(node, g)
        parts = (node.pullback(g, lift, live) if check is None
                 else check.pullback(node, g, lift, live))
        if hooks is not None:
            parts = hooks.after(node, parts, g)
        for i, part in parts:
            edge = edges[i]
            arrived[edge] = arrived[edge] + part if edge in arrived else part
        if not retain:
            node.release()
    return captured
