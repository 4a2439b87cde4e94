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
    starts = set(roots)
    found, stack = set(starts), list(starts)
    while stack:
        node = stack.pop()
        if through or wanted is None or node not in wanted:
            for edge in node.edges:
                if edge is not None and edge not in found:
                    found.add(edge)
                    stack.append(edge)
    foreign = [] if wanted is None else [n for n in found if n.is_sink != (n in wanted)]
    beyond = any(n.open for n in foreign)  # sinks of others, and aliases of what they track
    prune = wanted is not None and (through or bool(foreign))
    live, order, placed = set(), [], set()
    for node in sorted(found, key=number):
        if prune:
            if node not in wanted and live.isdisjoint(node.edges):
                continue
            live.add(node)
        if node.is_sink and node not in starts:
            continue  # placed with its last consumer
        for edge in node.edges:
            if edge is None or not edge.is_sink or edge in placed:
                continue
            if not prune or edge in live:
                placed.add(edge)
                order.append(edge)
        order.append(node)
    order.reverse()
    return order, (live if prune else None), beyond


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
    if check is not None:
        check.seeds(seeds)
    for root, seed in zip(roots, seeds, strict=True):
        arrived[root] = arrived[root] + seed if root in arrived else seed
    for node in order:
        g = arrived.pop(node, None)
        if g is None:
            continue
        hooks, edges = node.hooks, node.edges
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
