"""A tape as an SVG picture: no Graphviz, no fonts beyond what a browser has."""

from html import escape

from functape.viz.folding import counted
from functape.viz.gradients import told
from functape.viz.layout import place

EM = 12.0  # font size; all text is monospaced, so widths are known without a font
CHAR = 0.61 * EM
SMALL = 0.61 * 11  # the width of a letter at a line
ROW, HEAD, PAD, MARGIN, LINE = 17, 26, 11, 22, 18

PALETTE = ("#0ea5e9", "#f43f5e", "#84cc16", "#a855f7", "#f97316", "#06b6d4", "#eab308", "#64748b")

# A page that holds the picture shares its styles, so each rule says whose it is (@).
STYLE = """
@text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace }
@text { fill: #334155 }
@.name, @.leafname, @.againname, @.resultname { font-weight: 700 }
@.name { fill: #3730a3 }
@.leafname, @.againname { fill: #0f766e }
@.resultname { fill: #92400e }
@.dim { fill: #8492a6 }
@.paper { fill: #f8fafc }
@.card { fill: #eef2ff; stroke: #cbd5e1 }
@.body { fill: #ffffff }
@.leaf { fill: #ccfbf1; stroke: #14b8a6 }
@.again { fill: #ffffff; stroke: #14b8a6; stroke-dasharray: 3 3 }
@.result { fill: #fef3c7; stroke: #f59e0b }
@.more { fill: none; stroke: #94a3b8; stroke-dasharray: 4 3 }
@.fold { fill: #f1f5f9; stroke: #94a3b8; stroke-dasharray: 5 3 }
@.freed { fill: #f8fafc; stroke: #cbd5e1; stroke-dasharray: 2 2 }
@.mark { fill: #be185d }
@.flow { fill: #b45309; font-size: 11px }
@.halo { fill: #f8fafc }
@.frame { fill: #64748b; fill-opacity: .07; stroke: #94a3b8; stroke-dasharray: 1 3 }
@.line { fill: none; stroke: #94a3b8; stroke-width: 1.5 }
@.tip { fill: #94a3b8 }
""".replace("@", ".ft-tape ")


def to_svg(graph):
    """SVG text of a graph: values flow down along the lines, cotangents flow up."""
    cards = [Card(box) for box in graph.boxes]
    lines = [(above, i) for i, box in enumerate(graph.boxes) for above in box.above]
    layout = place([(c.width, c.height) for c in cards], lines)
    colors = scope_colors(graph)
    notes = list(summary(graph))
    framed = frames(graph, cards, layout)
    titles = [(x - 2, y - 11, x + len(name) * CHAR + 2, y + 3) for x, y, name, _ in framed]
    width = max(layout.width, max(map(len, notes)) * CHAR) + 2 * MARGIN
    keys = list(legend(colors))
    top = MARGIN + (16 * (len(keys) + 1) if keys else 0)  # below the keys the title of a frame
    foot = top + layout.height + MARGIN
    height = foot + LINE * len(notes) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ft-tape" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(notes[0])}">',
        f"<style>{STYLE}</style>",
        '<rect class="paper" width="100%" height="100%" rx="10"/>',
        f'<g transform="translate({(width - layout.width) / 2:.1f} {top})">',
        *(rect for *_, rect in framed),
        *curves(graph, cards, layout, titles),
        *(halo(*place) + text("dim", x, f"{y:.1f}", name)
          for place, (x, y, name, _) in zip(titles, framed, strict=True)),
        *(card.draw(x, y, colors.get(card.box.scope and card.box.scope[0][0]))
          for card, (x, y) in zip(cards, layout.centres, strict=True)),
        "</g>",
        *(f'<text class="dim" x="{width / 2:.1f}" y="{foot + LINE * i + 12:.1f}" '
          f'text-anchor="middle">{escape(note)}</text>' for i, note in enumerate(notes)),
        *keys,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def scope_colors(graph):
    """A colour for the name of each outermost scope."""
    names = dict.fromkeys(box.scope[0][0] for box in graph.boxes if box.scope and box.kind == "op")
    return {name: PALETTE[i % len(PALETTE)] for i, name in enumerate(names)}


def legend(colors):
    """Which colour means which scope, in the corner."""
    shown = list(colors.items())[:len(PALETTE)]
    for i, (name, color) in enumerate(shown):
        y = 14 + 16 * i
        yield (f'<rect x="10" y="{y}" width="4" height="12" fill="{color}"/>'
               + text("dim", 19, y + 11, name))
    if len(colors) > len(shown):
        yield text("dim", 19, 25 + 16 * len(shown),
                   f"\N{HORIZONTAL ELLIPSIS} {len(colors) - len(shown)} more, in the same colours")


def summary(graph):
    """The words below the picture: how much there is, and how to read it."""
    last = "the last " if graph.count("more") else ""
    yield (f"{last}{counted(graph.nodes)}, {counted(graph.leaves, 'leaf')}, "
           f"{amount(graph.saved_bytes)} saved")
    yield "values flow down, gradients up;"
    yield "a card lists what its node saves"
    if any(flow for box in graph.boxes for flow in box.flows):
        yield "a line: the gradient, or its norm |g|"


def amount(size):
    """Bytes, as people read them.

    >>> amount(12), amount(2_500_000)
    ('12 B', '2.5 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if size >= 100 or unit == "B" else f"{size:.1f} {unit}"


# --- boxes --------------------------------------------------------------------------------------


class Card:
    """One box, and the size that its text needs."""

    def __init__(self, box):
        self.box = box
        longest = max((len(name) for name, *_ in box.saved), default=0)
        self.rows = [
            (f"{name:{longest}} {kind}", amount(size) if size else "", fixed)
            for name, kind, size, fixed in box.saved
        ]
        self.rows += [(fact, "", True) for fact in box.facts]
        self.rows += [(mark, "", None) for mark in box.marks]  # None: in a colour of its own
        texts = [f"{box.title}  {box.type}  {box.note}".rstrip()]
        texts += [f"{text}  {side}".rstrip() for text, side, _ in self.rows]
        self.width = max(map(len, texts)) * CHAR + 2 * PAD
        self.height = HEAD + (len(self.rows) * ROW + 7 if self.rows else 0)

    def draw(self, x, y, color=None):
        """The box, centred at a point; `color` marks its scope."""
        parts = self.node() if self.box.kind in ("op", "fold") else self.pill()
        corner = f"{x - self.width / 2:.1f} {y - self.height / 2:.1f}"
        strip = ""
        if color is not None and self.box.kind == "op":
            path, high = " / ".join(name for name, _ in self.box.scope), self.height - 12
            strip = (f'<path fill="{color}" d="M0 6v{high:.1f}h4v-{high:.1f}z"/>'
                     f"<title>{escape(path)}</title>")
        return f'<g transform="translate({corner})">{"".join(parts)}{strip}</g>'

    def node(self):
        """A card: the op and what it computes, then what it saved."""
        w, h = round(self.width, 1), self.height
        look = "fold" if self.box.kind == "fold" else "freed" if self.box.freed else "card"
        yield f'<rect class="{look}" width="{w}" height="{h}" rx="6"/>'
        if self.rows:
            corner = f"V{h - 6.5}q0 6 -6 6H6.5q-6 0 -6 -6z"
            yield f'<path class="body" d="M.5 {HEAD}h{w - 1:.1f}{corner}"/>'
        yield text("name", PAD, 17, self.box.title)
        yield text("dim", w - PAD, 17, self.box.type, end=True)
        for i, (row, side, faint) in enumerate(self.rows):
            y = HEAD + 15 + i * ROW
            yield text("mark" if faint is None else "dim" if faint else "", PAD, y, row)
            yield text("dim", w - PAD, y, side, end=True)

    def pill(self):
        """A rounded box with a line of text: leaves, results and what was cut off."""
        kind = self.box.kind
        yield f'<rect class="{kind}" width="{self.width:.1f}" height="{HEAD}" rx="{HEAD / 2}"/>'
        yield text(f"{kind}name", PAD, 17, self.box.title)
        yield text("", PAD + (len(self.box.title) + 2) * CHAR, 17, self.box.type)
        yield text("dim", self.width - PAD, 17, self.box.note, end=True)


def text(kind, x, y, words, end=False):
    if not words:
        return ""
    anchor = ' text-anchor="end"' if end else ""
    place = f'x="{x:.1f}" y="{y}"{anchor} xml:space="preserve"'
    return f'<text class="{kind}" {place}>{escape(words)}</text>'


# --- lines --------------------------------------------------------------------------------------


def curves(graph, cards, layout, taken):
    """The lines, each from the foot of a box to the head of another; those that meet at a box
    spread along its edge in the order in which they come. What flows is written beside; `taken`:
    places where something else is written."""
    centres, ways, starts, ends, flows = layout.centres, layout.routes, {}, {}, {}
    for i, box in enumerate(graph.boxes):
        for above in dict.fromkeys(box.above):
            starts.setdefault(above, []).append((above, i))
            ends.setdefault(i, []).append((above, i))
        for above, flow in zip(box.above, box.flows, strict=True):
            flows.setdefault((above, i), []).extend(flow)
    out = ports(starts, cards, centres, lambda k: (ways[k] or [centres[k[1]]])[0][0], +1)
    into = ports(ends, cards, centres, lambda k: (ways[k] or [centres[k[0]]])[-1][0], -1)
    for line in out:
        yield curve([out[line], *ways[line], into[line]])
    taken = list(taken)
    for line in sorted(out, key=lambda k: (layout.tops[k[1]], into[k])):  # over all lines
        if flows[line]:
            words = told(flows[line])
            start = (ways[line] or [out[line]])[-1]
            yield label(words, start, into[line], layout.tops[line[1]], taken)


def label(words, start, end, top, taken):
    """What flows along the last stretch of a line, between the rows of boxes, where no label is."""
    width, height = len(words) * SMALL + 6, 13
    levels = [(y, crossing(start, end, y + height / 2) - width / 2) for y in (top - 23, top - 37)]
    free = [(x, y) for y, x in levels
            if not any(overlap((x, y, x + width, y + height), other) for other in taken)]
    if free:
        x, y = free[0]
    else:  # to the right of all that is in the way
        y, x = levels[0]
        for other in sorted(taken):
            if overlap((x, y, x + width, y + height), other):
                x = other[2] + 1
    taken.append((x, y, x + width, y + height))
    return halo(*taken[-1]) + text("flow", x + 3, f"{y + 10:.1f}", words)


def halo(left, top, right, bottom):
    """What keeps lines away from words."""
    return (f'<rect class="halo" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
            f'height="{bottom - top:.1f}"/>')


def crossing(start, end, y):
    """Where a line passes a height: it runs as `curve` draws it, x and y by the same cubics."""
    (x1, y1), (x2, y2) = start, (end[0], end[1] - 6)
    low, high = 0.0, 1.0
    for _ in range(20):
        t = (low + high) / 2
        low, high = (t, high) if y1 + (y2 - y1) * eased(t, 0.5) < y else (low, t)
    return x1 + (x2 - x1) * eased(t, 0.0)


def eased(t, pull):
    """A cubic from 0 to 1 whose inner control points are at `pull` and 1 - `pull`."""
    return 3 * t * (1 - t) ** 2 * pull + 3 * t**2 * (1 - t) * (1 - pull) + t**3


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def frames(graph, cards, layout):
    """(x, y, title, frame) around the boxes of each outermost scope, unless a box of another would
    be in it."""
    groups = {}
    for i, box in enumerate(graph.boxes):
        if box.scope:
            groups.setdefault(box.scope[0], []).append(i)
    spans = [span(card, centre) for card, centre in zip(cards, layout.centres, strict=True)]
    found = []
    for (name, _), members in groups.items():
        left, top, right, bottom = frame = around([spans[i] for i in members])
        if not any(overlap(spans[i], frame) for i in range(len(cards)) if i not in members):
            found.append((left - 5, top - 13, name, (
                f'<rect class="frame" x="{left - 9:.1f}" y="{top - 9:.1f}" rx="9" '
                f'width="{right - left + 18:.1f}" height="{bottom - top + 18:.1f}"/>')))
    return found


def span(card, centre):
    (x, y), w, h = centre, card.width / 2, card.height / 2
    return x - w, y - h, x + w, y + h


def around(spans):
    lefts, tops, rights, bottoms = zip(*spans, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def ports(groups, cards, centres, toward, side):
    """Where lines touch their boxes: on the foot (side 1) or the head (-1)."""
    at = {}
    for box, lines in groups.items():
        (x, y), card = centres[box], cards[box]
        step = min(22, (card.width - 28) / max(1, len(lines) - 1))
        for k, line in enumerate(sorted(lines, key=toward)):
            at[line] = (x + (k - (len(lines) - 1) / 2) * step, y + side * card.height / 2)
    return at


def curve(points):
    """A smooth path downwards through the points, with a tip at its end."""
    (x, y), *rest = points
    *rest, (end_x, end_y) = rest
    d = f"M{x:.1f} {y:.1f}"
    for px, py in [*rest, (end_x, end_y - 6)]:
        half = (py - y) / 2
        straight = abs(px - x) < 0.05
        d += f"V{py:.1f}" if straight else (
            f"C{x:.1f} {y + half:.1f} {px:.1f} {py - half:.1f} {px:.1f} {py:.1f}")
        x, y = px, py
    tip = f"M{end_x - 4:.1f} {end_y - 8:.1f}h8l-4 8z"
    return f'<path class="line" d="{d}"/><path class="tip" d="{tip}"/>'
