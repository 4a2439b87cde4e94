"""From measurements to a markdown table: medians over rounds, and ratios of the same round."""

import math
from statistics import median

from .libraries import LIBRARIES
from .workloads import CURVES, WORKLOADS

RATIOS = (
    ("eager / mx.grad", "functape", "mlx"),
    ("jit / mx.compile", "functape-jit", "mlx-compile"),
    ("jit / jax.jit", "functape-jit", "jax"),
)


def time_of(entry):
    """Median over rounds of the fastest call of each, in seconds; None if it did not run."""
    return median(r["min"] for r in entry["rounds"]) if entry and "rounds" in entry else None


def ratio(report, upper, lower):
    """(median, smallest, largest) over rounds of upper / lower, each round by itself."""
    pair = [report.get(name, {}).get("rounds") for name in (upper, lower)]
    if not all(pair):
        return None
    ratios = [a["min"] / b["min"] for a, b in zip(*pair, strict=False)]
    return median(ratios), min(ratios), max(ratios)


def exponent(sizes, costs):
    """The slope of log cost by log size, fitted to the larger half of the sizes, where what is
    fixed matters least."""
    pairs = [(math.log(s), math.log(c)) for s, c in zip(sizes, costs, strict=True) if c > 0]
    pairs = pairs[len(pairs) // 2 - (len(pairs) == 3):] if len(pairs) > 2 else pairs
    if len(pairs) < 2:
        return None
    mean_x, mean_y = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    return (sum((x - mean_x) * (y - mean_y) for x, y in pairs)
            / sum((x - mean_x) ** 2 for x, _ in pairs))


def sections(reports, points, libraries):
    """Titles and tables of what was measured: {workload: {library: entry}}, {curve: points}."""
    workloads = [WORKLOADS[name] for name in reports]
    if any(not w.staged for w in workloads):
        yield "Time of a step, median of rounds:\n\n" + times_table(workloads, reports, libraries)
        yield "Ratios round by round, median (least-most):\n\n" + ratios_table(
            workloads, reports, libraries)
        yield "Memory, MiB:\n\n" + memory_table(workloads, reports, libraries)
    for w in workloads:
        if w.staged:
            yield stages_table(w, reports[w.name])
    for name, values in points.items():
        yield curve_table(CURVES[name], values)
    if found := list(remarks(reports)):
        yield "\n".join(f"- {line}" for line in found)


# --- tables -------------------------------------------------------------------------------------


def table(head, rows):
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def seconds(value):
    if value is None:
        return "-"
    scale, unit = next(((s, u) for s, u in ((1, "s"), (1e-3, "ms")) if value >= s), (1e-6, "us"))
    return f"{value / scale:.3g} {unit}"


def mebibytes(value):
    return "-" if value is None else f"{value / 2**20:.1f}"


def times_table(workloads, reports, libraries):
    """One row a workload: the time of each library."""
    rows = [[w.title, *[cell(reports[w.name].get(name, {})) for name in libraries]]
            for w in workloads if not w.staged]
    return table(["workload", *[LIBRARIES[name].title for name in libraries]], rows)


def cell(entry):
    if "failed" in entry:
        return "failed"
    mark = " (!)" if entry.get("wrong") else ""
    return seconds(time_of(entry)) + mark


def ratios_table(workloads, reports, libraries):
    rows, known = [], [r for r in RATIOS if {*r[1:]} <= set(libraries)]
    for w in workloads:
        found = [ratio(reports[w.name], upper, lower) for _, upper, lower in known]
        if not w.staged and any(found):
            rows.append([w.title, *["-" if r is None else f"{r[0]:.2f} ({r[1]:.2f}-{r[2]:.2f})"
                                    for r in found]])
    return table(["workload", *[title for title, _, _ in known]], rows)


def memory_table(workloads, reports, libraries):
    """MiB at the peak of a call as MLX counts them; for the others, the growth of the process."""
    rows = []
    for w in workloads:
        entries = [reports[w.name].get(name, {}) for name in libraries]
        if not w.staged:
            rows.append([w.title, *[mebibytes(e.get("grown") if e.get("peak") is None
                                              else e["peak"]) for e in entries]])
    return table(["workload", *[LIBRARIES[name].title for name in libraries]], rows)


def stages_table(workload, report):
    rows = []
    for name, entry in report.items():
        best = stages_of(entry)
        if best:
            rows.append([LIBRARIES[name].title, *[seconds(best[s]) for s in STAGES],
                         mebibytes(best["grown"])])
    return table([workload.title, *STAGES, "MiB"], rows)


STAGES = ("record", "backward", "release")


def stages_of(entry):
    """The median of each stage over rounds, and by how much the process grew the first time."""
    rounds = entry.get("rounds")
    if not rounds:
        return None
    return {**{s: median(r[s] for r in rounds) for s in STAGES},
            "grown": entry["grown"]}


def curve_series(curve, points):
    """What a curve shows: {library, or library and stage: (sizes, costs)}."""
    series = {}
    for value, report in points:
        for name, entry in report.items():
            costs = stages_of(entry) if curve.workload.staged else {"": time_of(entry)}
            for stage, cost in (costs or {}).items():
                if cost is not None:
                    sizes, found = series.setdefault(f"{name} {stage}".strip(), ([], []))
                    sizes.append(value)
                    found.append(cost)
    return series


def curve_table(curve, points):
    values = [value for value, _ in points]
    rows = []
    for name, (sizes, costs) in curve_series(curve, points).items():
        show = (lambda c: mebibytes(c) + " MiB") if name.endswith(" grown") else seconds
        at = dict(zip(sizes, costs, strict=True))
        power = exponent(sizes, costs)
        rows.append([name, *[show(at[v]) if v in at else "-" for v in values],
                     "-" if power is None else f"{power:.2f}"])
    return table([curve.title, *[f"{v:,}" for v in values], "exponent"], rows)


def remarks(reports):
    """What did not run or did not agree, and why."""
    for workload, report in reports.items():
        for name, entry in report.items():
            if "failed" in entry:
                yield f"{workload}: {name} failed: {entry['failed']}"
            elif "skipped" in entry:
                yield f"{workload}: {name} skipped: {entry['skipped']}"
            elif entry.get("wrong"):
                yield (f"{workload}: {name} DISAGREES with {entry['reference']}: relative "
                       f"difference {entry['difference']:.1e}")
