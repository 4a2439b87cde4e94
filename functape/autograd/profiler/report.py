"""What a profile shows: a trace for Chrome, and a page that needs no network."""

import os
from html import escape

from functape.autograd.profiler.tables import amount, seconds

WIDTH, LEFT, ROW = 900, 70, 16
COLORS = {"forward": "#6366f1", "backward": "#f59e0b", "range": "#94a3b8"}


def chrome_trace(profile):
    """Complete events, arrows from each node forward to it backward, and the memory as counters."""
    events, pid, out = profile.events, os.getpid(), []
    for e in events:
        about = {"inputs": e.inputs, "saved bytes": e.saved_bytes, "evaluated": e.evaluated,
                 "allocated bytes": e.allocated_bytes, "sequence number": e.number}
        out.append({"name": e.name, "cat": e.kind, "ph": "X", "ts": e.start / 1e3,
                    "dur": (e.stop - e.start) / 1e3, "pid": pid, "tid": e.thread, "args": about})
    forward = {e.number: e for e in events if e.kind == "forward" and e.number is not None}
    for e in events:
        source = forward.get(e.number) if e.kind == "backward" else None
        if source is not None:
            flow = {"name": "gradient", "cat": "gradient", "id": e.number, "pid": pid}
            out.append({**flow, "ph": "s", "ts": source.start / 1e3, "tid": source.thread})
            out.append({**flow, "ph": "f", "bp": "e", "ts": e.start / 1e3, "tid": e.thread})
    for name, samples in (("memory in use", in_use(events)), ("saved", profile.kept.history)):
        out += [{"name": name, "ph": "C", "ts": t / 1e3, "pid": pid, "args": {"bytes": size}}
                for t, size in samples]
    return {"traceEvents": out, "displayTimeUnit": "ms", "otherData": {"note": profile.note}}


def in_use(events):
    """(time, bytes) at the start and end of each event."""
    return sorted([(e.start, e.before) for e in events] + [(e.stop, e.after) for e in events])


# --- the page -----------------------------------------------------------------------------------

STYLE = """
body { font: 14px system-ui, sans-serif; color: #1e293b; margin: 2em auto; max-width: 960px;
       padding: 0 1em }
.ft-profile table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
.ft-profile th { text-align: left; border-bottom: 2px solid #cbd5e1; cursor: pointer }
.ft-profile td, .ft-profile th { padding: 3px 10px }
.ft-profile tr:nth-child(even) td { background: #f8fafc }
.ft-profile td.n { text-align: right }
.ft-profile .scroll { overflow-x: auto; max-height: 32em }
.ft-profile svg { max-width: 100%; height: auto }
.ft-profile .note { color: #64748b }
"""

# A click on a heading sorts by that column; a second click turns the order round.
SCRIPT = """
document.querySelectorAll('.ft-profile th').forEach(th => th.onclick = () => {
  const body = th.closest('table').tBodies[0], i = th.cellIndex
  const down = th.dataset.down = th.dataset.down === '1' ? '0' : '1'
  const value = row => row.cells[i].dataset.v
  const order = (a, b) => isNaN(value(a)) || isNaN(value(b)) || value(a) === '' || value(b) === ''
    ? value(a).localeCompare(value(b)) : value(a) - value(b)
  const rows = [...body.rows].sort(order)
  if (down === '1') rows.reverse()
  body.append(...rows)
})
"""


def page(profile):
    """A whole HTML document."""
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>functape profile</title>\n'
            f"<style>{STYLE}</style></head><body>\n<h1>Profile</h1>\n{fragment(profile)}\n"
            f"<script>{SCRIPT}</script></body></html>\n")


def fragment(profile):
    """The parts of the page, as a notebook shows them."""
    events = profile.events
    span = (max(e.stop for e in events) - events[0].start) / 1e9 if events else 0.0
    facts = (f"{len(events)} events in {seconds(span)}; at most {amount(profile.peak_bytes)} in "
             f"use, {amount(profile.saved_peak_bytes)} saved")
    return "\n".join([
        '<div class="ft-profile">', f"<p>{facts}. <span class=note>{escape(profile.note)}</span>",
        "<h2>Time line</h2>", timeline(events), "<h2>Memory</h2>", memory_chart(profile),
        "<h2>Operations</h2>", f'<div class="scroll">{profile.key_averages().html()}</div>',
        "<h2>Nodes</h2>", f'<div class="scroll">{profile.nodes().html()}</div>', "</div>"])


def svg(height, label, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img" aria-label="{label}" '
            f'font-family="system-ui, sans-serif" font-size="11">{"".join(parts)}</svg>')


def label(x, y, words, anchor="start", color="#64748b"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{words}</text>'


def timeline(events):
    """A bar for each event, those inside of it below; a band for each thread."""
    if not events:
        return ""
    first, last = events[0].start, max(e.stop for e in events)
    scale = (WIDTH - LEFT - 10) / max(1, last - first)
    parts, top = [], 6
    for number, thread in enumerate(dict.fromkeys(e.thread for e in events)):
        mine = [e for e in events if e.thread == thread]
        parts.append(label(0, top + 12, f"thread {number}"))
        for e in mine:
            x, width = LEFT + (e.start - first) * scale, max(0.6, (e.stop - e.start) * scale)
            y = top + ROW * e.depth
            parts.append(
                f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{ROW - 2}" rx="2" '
                f'fill="{COLORS[e.kind]}"><title>{escape(e.name)}({escape(e.inputs)}): '
                f"{seconds(e.time)}</title></rect>")
            if width > 6.5 * len(e.name):
                parts.append(label(x + 3, y + 11, escape(e.name), color="#ffffff"))
        top += ROW * (1 + max(e.depth for e in mine)) + 10
    parts.append(label(LEFT, top + 10, "0"))
    parts.append(label(WIDTH - 10, top + 10, seconds((last - first) / 1e9), "end"))
    for i, (kind, color) in enumerate(COLORS.items()):
        x = LEFT + 120 + 100 * i
        parts.append(f'<rect x="{x}" y="{top + 1}" width="10" height="10" fill="{color}"/>')
        parts.append(label(x + 15, top + 10, kind))
    return svg(top + 18, "time line", parts)


def memory_chart(profile):
    """Two steps over time: the memory in use, and the bytes of saved values."""
    events = profile.events
    if not events:
        return ""
    height, bottom, used, kept = 190, 150, in_use(events), profile.kept.history
    first, last = used[0][0], used[-1][0]
    kept = [(min(max(t, first), last), size) for t, size in [(first, 0), *kept]]
    most = max(1, *(size for _, size in used + kept))
    scale = (WIDTH - LEFT - 10) / max(1, last - first)

    def steps(samples, color, fill):
        path = f"M{LEFT} {bottom}"
        for t, size in [*samples, (last, samples[-1][1])]:
            path += f"H{LEFT + (t - first) * scale:.1f}V{bottom - 135 * size / most:.1f}"
        return (f'<path d="{path}V{bottom}Z" fill="{color}" fill-opacity="{fill}" '
                f'stroke="{color}" stroke-width="1.3"/>')

    parts = []
    for share in (0, 0.5, 1):
        y = bottom - 135 * share
        parts.append(f'<path d="M{LEFT} {y}H{WIDTH - 10}" stroke="#e2e8f0"/>')
        parts.append(label(LEFT - 6, y + 4, amount(most * share), "end"))
    parts += [steps(used, "#14b8a6", 0.15), steps(kept, "#4338ca", 0.25)]
    parts += [label(LEFT, bottom + 16, "0"),
              label(WIDTH - 10, bottom + 16, seconds((last - first) / 1e9), "end")]
    legend = (("#14b8a6", f"in use by MLX (at most {amount(profile.peak_bytes)})"),
              ("#4338ca", f"saved for backward (at most {amount(profile.saved_peak_bytes)})"))
    for i, (color, words) in enumerate(legend):
        x = LEFT + 120 + 270 * i
        parts.append(f'<rect x="{x}" y="{bottom + 20}" width="10" height="10" fill="{color}"/>')
        parts.append(label(x + 15, bottom + 29, words))
    return svg(height, "memory over time", parts)
