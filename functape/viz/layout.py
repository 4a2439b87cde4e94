"""Where the boxes of a layered drawing go.

Every box stands in the layer right above the highest box that uses it, so the result is at the
bottom and a weight beside its op. Then, as Sugiyama, Tagawa and Toda proposed (1981): lines that
cross layers get a waypoint in each, neighbours are sorted to cross little, and every layer is
moved as close to its neighbours as its order allows.
"""

from bisect import bisect, insort
from dataclasses import dataclass

SWEEPS = 24  # of each phase; pictures of a few hundred boxes settle in fewer
GAP_X, GAP_Y = 26, 38


@dataclass
class Layout:
    """Centres of the boxes, the top of the row of each, the waypoints of each line, and the size of
    the whole.

    A line passes a row straight down between two waypoints, so it runs over no box.
    """

    centres: list
    tops: list
    routes: dict
    width: float
    height: float


def place(sizes, lines):
    """Lay out boxes of the given (width, height) sizes.

    `lines` are pairs (upper box, lower box), where upper boxes come first in the list.

    >>> place([(40, 20), (40, 20)], [(0, 1)]).centres
    [(20.0, 10.0), (20.0, 68.0)]
    """
    sizes, chains = list(sizes), {}
    count, layer = len(sizes), layers(len(sizes), lines)
    length = [0] * count  # of waypoints: the length of their line
    for upper, lower in dict.fromkeys(lines):
        between = range(layer[upper] - 1, layer[lower], -1)
        way = range(len(sizes), len(sizes) + len(between))
        sizes += [(10, 0)] * len(between)
        layer += between
        length += [len(between)] * len(between)
        chains[upper, lower] = [upper, *way, lower]
    above, below = neighbours(len(sizes), chains.values())
    rows = [[] for _ in range(max(layer) + 1)]
    for box in first_order(count, len(sizes), above, below):
        rows[-1 - layer[box]].append(box)
    rows = sort_rows(rows, above, below)
    xs = spread_out(rows, sizes, above, below, length)
    left = min(x - w / 2 for x, (w, _) in zip(xs, sizes, strict=True))
    width = max(x + w / 2 for x, (w, _) in zip(xs, sizes, strict=True)) - left
    spans, height = heights(rows, sizes)
    centres = [(xs[i] - left, sum(spans[i]) / 2) for i in range(count)]
    routes = {line: [(xs[i] - left, y) for i in chain[1:-1] for y in spans[i]]
              for line, chain in chains.items()}
    return Layout(centres, [top for top, _ in spans[:count]], routes, width, height)


def layers(count, lines):
    """The layer of each box, 0 at the bottom: one above the highest that uses it."""
    layer, users = [0] * count, [[] for _ in range(count)]
    for upper, lower in lines:
        users[upper].append(lower)
    for box in reversed(range(count)):
        layer[box] = max((layer[u] + 1 for u in users[box]), default=0)
    return layer


def neighbours(count, chains):
    above, below = [[] for _ in range(count)], [[] for _ in range(count)]
    for chain in chains:
        for upper, lower in zip(chain, chain[1:], strict=False):
            above[lower].append(upper)
            below[upper].append(lower)
    return above, below


def first_order(count, total, above, below):
    """Boxes as a walk from the bottom meets them, inputs left to right."""
    seen, order = set(), []
    stack = [box for box in reversed(range(count)) if not below[box]]
    while stack:
        box = stack.pop()
        if box not in seen:
            seen.add(box)
            order.append(box)
            stack.extend(reversed(above[box]))
    return order


# --- the order within a layer -------------------------------------------------------------------


def sort_rows(rows, above, below):
    """Sort each layer by the mean position of its neighbours, downwards and upwards in turn; the
    order with the fewest crossings wins."""
    best, fewest = rows, crossings(rows, below)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        rows = [list(row) for row in rows]
        steps = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
        for r in steps:
            near = above if down else below
            rank = {box: i for i, box in enumerate(rows[r - 1 if down else r + 1])}
            rows[r] = by_mean(rows[r], rank, near)
        found = crossings(rows, below)
        if found < fewest:
            best, fewest = rows, found
    return switched(best, above, below)


def by_mean(row, rank, near):
    """The row by the mean rank of its neighbours; who has none keeps to its left neighbour."""
    keys, last = {}, -1.0
    for box in row:
        around = [rank[b] for b in near[box] if b in rank]
        last = keys[box] = sum(around) / len(around) if around else last
    return sorted(row, key=keys.__getitem__)


def crossings(rows, below):
    total = 0
    for row, next_row in zip(rows, rows[1:], strict=False):
        rank = {box: i for i, box in enumerate(next_row)}
        passed = []
        for box in row:
            ends = sorted(rank[b] for b in below[box])
            total += sum(len(passed) - bisect(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return total


def switched(rows, above, below):
    """The rows, with neighbours exchanged where that saves crossings."""
    rank = {box: i for row in rows for i, box in enumerate(row)}
    for _ in range(SWEEPS):
        before = dict(rank)
        for row in rows:
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                gain = sum((rank[p] > rank[q]) - (rank[p] < rank[q])
                           for near in (above, below) for p in near[a] for q in near[b])
                if gain > 0:
                    row[i], row[i + 1] = b, a
                    rank[a], rank[b] = i + 1, i
        if rank == before:
            break
    return rows


# --- coordinates --------------------------------------------------------------------------------


def spread_out(rows, sizes, above, below, length):
    """The x of each box: near its neighbours, without overlap."""
    xs = [0.0] * len(sizes)
    pull = springs(above, below, [size > 0 for size in length])
    for row in rows:
        settle(row, [(0.0, 1.0)] * len(row), sizes, xs)
    for sweep in range(SWEEPS):
        up, down = sweep % 3 != 1, sweep % 3 != 0  # from above, from below, from both
        for row in reversed(rows) if down else rows:
            settle(row, [wish(box, pull[box], up, down, xs) for box in row], sizes, xs)
        straighten(rows, pull, length, xs)
    return xs


def straighten(rows, pull, length, xs):
    """Move whole rows, downwards, so that the longest line of each runs straight down: what every
    sweep pushes aside would add up over hundreds of rows."""
    for row in rows[1:]:
        lines = [((max(length[box], length[near]), strength), xs[box] - xs[near])
                 for box in row for near, strength, above in pull[box] if above]
        longest = max(size for size, _ in lines)
        steps = [step for size, step in lines if size == longest]
        aside = sum(steps) / len(steps)
        for box in row:
            xs[box] -= aside


def springs(above, below, waypoint):
    """For each box the boxes that pull at it: (box, how strongly, whether from above).

    Lines of ops keep straight, and long lines even more so; a leaf follows its op.
    """
    pull = [[] for _ in above]
    for lower, uppers in enumerate(above):
        for upper in uppers:
            strength = (1, 3, 9)[waypoint[upper] + waypoint[lower]]
            if not above[upper] and len(below[upper]) == 1:
                strength = 0.02
            pull[lower].append((upper, strength, True))
            pull[upper].append((lower, strength, False))
    return pull


def wish(box, pull, up, down, xs):
    """Where the neighbours would have a box, and how strongly."""
    chosen = [p for p in pull if (up if p[2] else down)] or pull
    total = sum(strength for _, strength, _ in chosen)
    if not total:
        return xs[box], 1.0
    return sum(xs[near] * strength for near, strength, _ in chosen) / total, total


def settle(row, wishes, sizes, xs):
    """Move a row as near to its wishes as its order and widths allow, in the least-squares sense
    (pool adjacent violators)."""
    offset, offsets = 0.0, []
    for left, box in zip([None, *row], row, strict=False):
        if left is not None:
            offset += (sizes[left][0] + sizes[box][0]) / 2 + GAP_X
        offsets.append(offset)
    pools = []  # [weighted sum of wishes, weight, how many]
    for (x, weight), at in zip(wishes, offsets, strict=True):
        pools.append([(x - at) * weight, weight, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    moved = [total / weight for total, weight, n in pools for _ in range(n)]
    for box, base, at in zip(row, moved, offsets, strict=True):
        xs[box] = base + at


def heights(rows, sizes):
    """The top and bottom of each box's row, and the height of all."""
    spans, top = [None] * len(sizes), 0.0
    for row in rows:
        bottom = top + max(sizes[box][1] for box in row)
        for box in row:
            spans[box] = (top, bottom)
        top = bottom + GAP_Y
    return spans, bottom
