"""The reverse walk. It names no op and knows no transform.

user function -> transform (flatten the pytree, wrap the leaves) -> Tensor operations ->
`Op.__call__` -> tape nodes -> `engine.run` -> sinks (accumulate into a leaf's `.grad` | capture
for a transform) -> unflatten -> result
"""

import operator
from bisect import bisect_left
from typing import NamedTuple

from functape.tape import mode

number = operator.attrgetter("seq")


class Schedule(NamedTuple):
    """What one pass visits."""

    order: list  # the nodes, each after all that feed it a cotangent
    ends: set  # those among them that are sinks or wanted
    live: set | None  # those that lead to a wanted node; None: all do
    beyond: bool  # whether the roots depend on anything tracked beyond the wanted nodes


def schedule(roots, wanted=None, through=True):
    """The nodes to visit, each after all that feed it a cotangent.

    Consumers have higher sequence numbers than what they consume, so falling numbers are an
    order; a sink comes right after the last node that feeds it.

    Args:
      roots: nodes at which cotangents start.
      wanted: nodes whose cotangents are asked for; None: all sinks.
      through: whether to walk on beyond the wanted nodes.
    """
    found, stack, last = set(roots), list(roots), {}  # last: sink -> the last node that feeds it
    stop = () if through or wanted is None else wanted
    while stack:
        node = stack.pop()
        if node in stop:
            continue
        for edge in node.edges:
            if edge is None or edge in found:
                continue
            if edge.is_sink:
                if edge not in last or node.seq < last[edge].seq:
                    last[edge] = node
            else:
                found.add(edge)
                stack.append(edge)
    sinks = {*last, *[root for root in roots if root.is_sink]}
    foreign = [] if wanted is None else foreign_to(wanted, sinks, found)
    beyond = any([node.open for node in foreign])  # sinks of others, and aliases of what they track
    order, live = sorted(found, key=number), None
    if wanted is not None and (through or foreign):
        live = wanted.intersection(last)
        for node in order:
            if node in wanted or not live.isdisjoint(node.edges):
                live.add(node)
    order = with_sinks(order, last)
    if live is not None:
        order = [node for node in order if node in live]
    return Schedule(order, sinks if wanted is None else sinks | wanted, live, beyond)


def foreign_to(wanted, sinks, found):
    """Sinks that are not wanted, and wanted nodes that are no sinks: something lies beyond."""
    return [*(sinks - wanted), *[n for n in wanted if n in found and not n.is_sink]]


def with_sinks(rising, last):
    """Nodes in falling order, given in rising order, each sink right after the last that feeds
    it."""
    order, start = [], 0
    for sink, node in sorted(last.items(), key=lambda pair: pair[1].seq):
        at = bisect_left(rising, node.seq, key=number)
        order += rising[start:at]
        order.append(sink)
        start = at
    order += rising[start:]
    order.reverse()
    return order


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
    order, ends, live, _ = plan
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
        hooks, edges = node.hooks, node.edges
        if hooks is not None:
            g = hooks.on_cotangent(node, g)
        if check is not None:
            check.arrived(node, g)
        if node in ends:
            if wanted is None:
                node.accept(g, hooks)
            elif node in wanted:
                captured[node] = g
            if node.is_sink or live is not None and live.isdisjoint(edges):
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
